//! The relay as a browser meets it: answers without a socket, and sockets on a port of the system's choice.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, Response, StatusCode, header};
use server::{AppState, Assets, BindError, Place, Relay, Settings, app, bind, run};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tower::ServiceExt as _;

fn assets() -> Assets {
    let script = "let afterimage = 1;\n".repeat(100);
    [
        (
            "index.html".to_owned(),
            Bytes::from_static(b"<!doctype html><title>Afterimage</title>"),
        ),
        ("assets/page-0a1b.js".to_owned(), Bytes::from(script)),
        (
            "assets/afterimage-2c3d.wasm".to_owned(),
            Bytes::from_static(b"\0asm\x01\0\0\0"),
        ),
    ]
    .into_iter()
    .collect()
}

fn relay() -> Relay {
    Relay::new(Settings::default())
}

/// Where `host` is, on a port of the system's choice or this one.
fn place(host: &str, port: u16) -> Place {
    Place {
        host: host.to_owned(),
        port,
        ..Place::default()
    }
}

async fn ask(path: &str, headers: &[(header::HeaderName, &str)]) -> Response<Body> {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let request = request
        .body(Body::empty())
        .expect("the request is well formed");
    let answer = app(AppState::new(assets(), relay())).oneshot(request).await;
    answer.unwrap_or_else(|never| match never {})
}

fn said(response: &Response<Body>, name: header::HeaderName) -> &str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().expect("our headers are text"))
}

async fn body(response: Response<Body>) -> Bytes {
    to_bytes(response.into_body(), 1 << 20)
        .await
        .expect("a body in memory")
}

#[tokio::test]
async fn the_page_is_asked_about_each_time_and_hashed_files_never() {
    let page = ask("/", &[]).await;
    assert_eq!(page.status(), StatusCode::OK);
    assert_eq!(
        said(&page, header::CONTENT_TYPE),
        "text/html; charset=utf-8"
    );
    assert_eq!(said(&page, header::CACHE_CONTROL), "no-cache");
    let module = ask("/assets/afterimage-2c3d.wasm", &[]).await;
    assert_eq!(said(&module, header::CONTENT_TYPE), "application/wasm");
    assert_eq!(
        said(&module, header::CACHE_CONTROL),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(&body(module).await[..4], b"\0asm");
}

#[tokio::test]
async fn every_answer_is_guarded_errors_too() {
    for path in ["/", "/assets/page-0a1b.js", "/nothing/here"] {
        let answer = ask(path, &[]).await;
        assert_eq!(
            said(&answer, header::X_CONTENT_TYPE_OPTIONS),
            "nosniff",
            "{path}"
        );
        let policy = said(&answer, header::CONTENT_SECURITY_POLICY);
        for needed in [
            "'wasm-unsafe-eval'",
            "worker-src 'self'",
            "https: wss:",
            "default-src 'self'",
        ] {
            assert!(policy.contains(needed), "{path}: {policy}");
        }
    }
    assert_eq!(
        ask("/nothing/here", &[]).await.status(),
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        ask("/../Cargo.toml", &[]).await.status(),
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn a_browser_that_has_the_page_gets_no_bytes() {
    let etag = said(&ask("/", &[]).await, header::ETAG).to_owned();
    let again = ask("/", &[(header::IF_NONE_MATCH, &etag)]).await;
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert!(body(again).await.is_empty());
    let other = ask("/", &[(header::IF_NONE_MATCH, "\"0\"")]).await;
    assert_eq!(other.status(), StatusCode::OK);
}

#[tokio::test]
async fn gzip_is_for_who_asks_for_it() {
    let path = "/assets/page-0a1b.js";
    let plain = ask(path, &[]).await;
    assert_eq!(said(&plain, header::CONTENT_ENCODING), "");
    let plain = body(plain).await;
    let gzip = ask(path, &[(header::ACCEPT_ENCODING, "br, gzip;q=0.8")]).await;
    assert_eq!(said(&gzip, header::CONTENT_ENCODING), "gzip");
    assert_eq!(
        said(&gzip, header::CONTENT_TYPE),
        "text/javascript; charset=utf-8"
    );
    assert!(body(gzip).await.len() < plain.len() / 4);
    let refused = ask(path, &[(header::ACCEPT_ENCODING, "gzip;q=0")]).await;
    assert_eq!(body(refused).await, plain);
}

#[tokio::test]
async fn localhost_is_found_at_both_addresses_and_ends_when_told() {
    let listeners = bind(&place("localhost", 0)).await.unwrap();
    let port = listeners.address().unwrap().port();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let relay = relay();
    let app = app(AppState::new(assets(), relay.clone()));
    let serving = tokio::spawn(run(listeners, app, relay, async {
        let _ = stopped.await;
    }));
    let mut hosts = vec!["127.0.0.1"];
    if tokio::net::TcpListener::bind("[::1]:0").await.is_ok() {
        hosts.push("::1");
    }
    let mut idle = Vec::new();
    for host in hosts {
        let mut socket = TcpStream::connect((host, port)).await.unwrap();
        socket
            .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .await
            .unwrap();
        let mut start = [0; 15];
        socket.read_exact(&mut start).await.unwrap();
        assert_eq!(&start, b"HTTP/1.1 200 OK", "{host}");
        // Kept open: a browser that stays connected must not keep the relay from ending.
        idle.push(socket);
    }
    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(5), serving)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_port_in_use_is_said_with_what_to_do() {
    let first = bind(&place("localhost", 0)).await.unwrap();
    let port = first.address().unwrap().port();
    let error = bind(&place("localhost", port)).await.unwrap_err();
    assert!(matches!(error, BindError::InUse { .. }), "{error:?}");
    let told = error.to_string();
    assert!(
        told.contains(&port.to_string()) && told.contains("--port"),
        "{told}"
    );
}

#[tokio::test]
async fn a_host_that_is_not_ours_is_named() {
    // An address for documentation (RFC 5737): no machine has it.
    let error = bind(&place("192.0.2.1", 0)).await.unwrap_err();
    assert!(error.to_string().contains("192.0.2.1"), "{error}");
}
