//! Rooms over HTTP, without a socket.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use server::{Access, AppState, Assets, Origins, Relay, app};
use tower::ServiceExt as _;

use crate::common::relay;

/// A relay that native clients may ask.
fn open(change: impl FnOnce(&mut server::Settings)) -> Relay {
    let relay = relay(change);
    let access = Access {
        origins: Origins::new(true),
        ..Access::default()
    };
    relay.access.send_replace(Arc::new(access));
    relay
}

async fn ask(relay: &Relay, request: Request<Body>) -> (StatusCode, Value) {
    let assets: Assets = std::iter::empty().collect();
    let app = app(AppState::new(assets, relay.clone()));
    let answer = app
        .oneshot(request)
        .await
        .unwrap_or_else(|never| match never {});
    let status = answer.status();
    let cache = answer.headers().get(header::CACHE_CONTROL);
    assert_eq!(
        cache.and_then(|cache| cache.to_str().ok()),
        Some("no-store")
    );
    assert!(
        answer
            .headers()
            .contains_key(header::X_CONTENT_TYPE_OPTIONS)
    );
    let bytes = to_bytes(answer.into_body(), 1 << 20)
        .await
        .expect("a body in memory");
    (status, serde_json::from_slice(&bytes).expect("JSON"))
}

async fn get(relay: &Relay, path: &str) -> (StatusCode, Value) {
    let request = Request::get(path).body(Body::empty()).expect("well formed");
    ask(relay, request).await
}

async fn post(relay: &Relay, path: &str, body: &Value) -> (StatusCode, Value) {
    let body = Body::from(body.to_string());
    ask(relay, Request::post(path).body(body).expect("well formed")).await
}

#[tokio::test(start_paused = true)]
async fn a_room_is_made_listed_and_joined() {
    let relay = open(|_| ());
    let (status, made) = post(&relay, "/api/rooms", &json!({"public": true, "seats": 3})).await;
    assert_eq!(status, StatusCode::CREATED);
    let code = made["code"].as_str().unwrap();
    assert_eq!((code.len(), made["host"].as_str().unwrap().len()), (6, 32));
    let (_, list) = get(&relay, "/api/rooms").await;
    assert_eq!(
        list["rooms"],
        json!([{"code": code, "scene": "arena", "players": 0, "seats": 3, "watching": 0, "rate": 64,
            "phase": "playing"}])
    );
    assert!(list["now"].as_u64() > Some(1_600_000_000_000));
    let dashed = format!("{}-{}", &code[..3], code[3..].to_lowercase());
    let (status, joined) = post(
        &relay,
        &format!("/api/rooms/{dashed}/join"),
        &json!({"name": " Ada "}),
    )
    .await;
    assert_eq!(status, StatusCode::OK);
    for secret in ["token", "resume"] {
        assert_eq!(joined[secret].as_str().unwrap().len(), 32);
    }
    assert_eq!(
        (&joined["rate"], &joined["ws"], &joined["wt"]),
        (&64.into(), &"/ws".into(), &Value::Null)
    );
    assert!(
        joined["setup"]["seed"].as_u64().unwrap() < 1 << 53,
        "as JavaScript has numbers"
    );
}

#[tokio::test(start_paused = true)]
async fn a_room_that_is_not_public_is_not_listed() {
    let relay = open(|_| ());
    let (status, _) = post(&relay, "/api/rooms", &json!({"public": false})).await;
    assert_eq!(status, StatusCode::CREATED);
    assert_eq!(get(&relay, "/api/rooms").await.1["rooms"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn every_refusal_has_its_code_and_a_sentence() {
    let relay = open(|settings| settings.limits.rooms_per_minute = 2);
    let (_, made) = post(&relay, "/api/rooms", &json!({})).await;
    let join = format!("/api/rooms/{}/join", made["code"].as_str().unwrap());
    let long = "x".repeat(2_000);
    let cases = [
        (
            "/api/rooms/BCDFGH/join",
            json!({"name": "Ada"}),
            404,
            "no_room",
        ),
        (
            "/api/rooms/nothing/join",
            json!({"name": "Ada"}),
            404,
            "no_room",
        ),
        (&join, json!({"name": "  "}), 400, "name"),
        (&join, json!({"name": "a\u{202e}b"}), 400, "name"),
        (&join, json!({"name": "Ada", "age": 3}), 400, "bad_request"),
        (&join, json!("Ada"), 400, "bad_request"),
        (&join, json!({"name": long}), 413, "too_large"),
        ("/api/rooms", json!({"scene": "chess"}), 400, "no_scene"),
        ("/api/rooms", json!({}), 429, "rooms"),
        ("/api/nothing", json!({}), 404, "nothing"),
    ];
    for (path, body, status, code) in cases {
        let (said, error) = post(&relay, path, &body).await;
        assert_eq!(
            (said.as_u16(), &error["error"]),
            (status, &code.into()),
            "{path} {body}"
        );
        assert!(
            error["sentence"].as_str().unwrap().ends_with('.'),
            "{error}"
        );
    }
    assert_eq!(
        get(&relay, "/api/certificate").await.0,
        StatusCode::NOT_FOUND
    );
    let figures = relay.metrics.text();
    assert!(
        figures.contains(r#"afterimage_refusals_total{reason="no_room"} 2"#),
        "{figures}"
    );
}

#[tokio::test(start_paused = true)]
async fn codes_are_guessed_so_often_from_one_address_and_no_oftener() {
    let relay = open(|settings| settings.limits.max_guesses = 3);
    let from = |last: u8, path: &str| {
        let at = SocketAddr::from(([203, 0, 113, last], 4_000));
        let mut request = Request::post(path)
            .body(Body::from(r#"{"name":"Eve"}"#))
            .expect("well formed");
        request.extensions_mut().insert(ConnectInfo(at));
        request
    };
    let (_, made) = post(&relay, "/api/rooms", &json!({})).await;
    let right = format!("/api/rooms/{}/join", made["code"].as_str().unwrap());
    for _ in 0..3 {
        let (status, _) = ask(&relay, from(1, "/api/rooms/BCDFGH/join")).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
    let (status, error) = ask(&relay, from(1, &right)).await;
    assert_eq!(
        (status.as_u16(), &error["error"]),
        (429, &"guesses".into()),
        "not even a right one"
    );
    assert_eq!(
        ask(&relay, from(2, &right)).await.0,
        StatusCode::OK,
        "another address"
    );
    tokio::time::sleep(std::time::Duration::from_secs(21)).await;
    assert_eq!(ask(&relay, from(1, &right)).await.0, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn a_page_of_another_origin_changes_nothing() {
    let relay = open(|_| ());
    let request = Request::post("/api/rooms")
        .header(header::ORIGIN, "https://evil.example")
        .body(Body::empty())
        .expect("well formed");
    let (status, error) = ask(&relay, request).await;
    assert_eq!((status.as_u16(), &error["error"]), (403, &"origin".into()));
    assert!(relay.rooms.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_relay_that_stops_is_healthy_and_not_ready() {
    let relay = open(|_| ());
    let status = async |path: &str| {
        let assets: Assets = std::iter::empty().collect();
        let request = Request::get(path).body(Body::empty()).expect("well formed");
        let app = app(AppState::new(assets, relay.clone()));
        app.oneshot(request)
            .await
            .unwrap_or_else(|never| match never {})
            .status()
    };
    assert_eq!(
        (status("/healthz").await, status("/readyz").await),
        (StatusCode::OK, StatusCode::OK)
    );
    assert_eq!(status("/metrics").await, StatusCode::OK);
    relay.stop();
    assert_eq!(status("/healthz").await, StatusCode::OK);
    assert_eq!(status("/readyz").await, StatusCode::SERVICE_UNAVAILABLE);
    let (status, error) = post(&relay, "/api/rooms", &json!({})).await;
    assert_eq!(
        (status.as_u16(), &error["error"]),
        (503, &"restarting".into())
    );
}
