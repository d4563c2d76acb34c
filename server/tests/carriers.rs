//! WebSocket and WebTransport by real sockets: who gets one, and what ends it.

mod rig;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rig::{Rig, ask, soon};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{self, Message};
use wtransport::Endpoint;
use wtransport::error::ConnectingError;
use wtransport::quinn::TransportConfig;

fn refused(error: &tungstenite::Error) -> Option<u16> {
    match error {
        tungstenite::Error::Http(answer) => Some(answer.status().as_u16()),
        _ => None,
    }
}

#[tokio::test]
async fn a_page_of_the_relay_and_a_native_client_may_join_and_no_other_page() {
    let rig = Rig::new(|_| {}).await;
    let own = format!("http://localhost:{}", rig.at.port());
    let other_port = format!("http://localhost:{}", rig.at.port() ^ 1);
    for origin in [None, Some(own.as_str())] {
        let mut ws = rig.ws(origin).await.unwrap();
        assert_eq!(ws.join(&rig.token().await).await["t"], "joined");
        let mut wt = rig.wt(origin, "/wt").await.unwrap();
        assert_eq!(wt.join(&rig.token().await).await["t"], "joined");
    }
    for origin in ["https://evil.example", "null", &other_port] {
        let error = rig.ws(Some(origin)).await.map(|_| ()).unwrap_err();
        assert_eq!(refused(&error), Some(403), "{origin}: {error}");
        let error = rig.wt(Some(origin), "/wt").await.map(|_| ()).unwrap_err();
        assert!(matches!(error, ConnectingError::SessionRejected), "{error}");
    }
    rig.empty().await;
    rig.stop().await.unwrap();
}

#[tokio::test]
async fn without_native_clients_who_names_no_origin_is_refused_and_a_listed_page_is_not() {
    let rig = Rig::new(|settings| {
        settings.place.allow_native = Some(false);
        settings.place.origin = vec!["https://play.example".to_owned()];
    })
    .await;
    let error = rig.ws(None).await.map(|_| ()).unwrap_err();
    assert_eq!(refused(&error), Some(403), "{error}");
    assert!(rig.wt(None, "/wt").await.is_err());
    assert!(rig.ws(Some("https://play.example")).await.is_ok());
    assert!(rig.wt(Some("https://play.example"), "/wt").await.is_ok());
    let own = format!("http://localhost:{}", rig.at.port());
    assert!(
        rig.ws(Some(&own)).await.is_err(),
        "a list is the whole list"
    );
}

#[tokio::test]
async fn webtransport_is_at_one_path() {
    let rig = Rig::new(|_| {}).await;
    for path in ["/", "/ws", "/wt/", "/wt?x"] {
        let error = rig.wt(None, path).await.map(|_| ()).unwrap_err();
        assert!(
            matches!(error, ConnectingError::SessionRejected),
            "{path}: {error}"
        );
    }
}

#[tokio::test]
async fn a_message_that_is_too_large_ends_the_session_on_either_carrier() {
    let rig = Rig::new(|_| {}).await;
    let mut ws = rig.ws(None).await.unwrap();
    ws.join(&rig.token().await).await;
    let large = Message::binary(vec![0; 4097]);
    let _ = futures_util::SinkExt::send(&mut ws.0, large).await;
    while ws.word().await.is_some() {}

    let mut wt = rig.wt(None, "/wt").await.unwrap();
    wt.join(&rig.token().await).await;
    // A length of 4097; its body is never waited for.
    wt.send.write_all(&[0x10, 0x01]).await.unwrap();
    while wt.word().await.is_some() {}

    let mut wt = rig.wt(None, "/wt").await.unwrap();
    wt.join(&rig.token().await).await;
    wt.connection.send_datagram([1; 1025]).unwrap();
    while wt.word().await.is_some() {}
    rig.empty().await;
}

#[tokio::test]
async fn bytes_that_are_no_messages_end_the_session_before_and_after_the_join() {
    let rig = Rig::new(|_| {}).await;
    for (joined, bytes) in [
        (false, &[0, 0][..]),
        (false, &[0, 2, 7, 7]),
        (true, &[0, 0]),
        (true, &[0, 2, 7, 7]),
        (true, &[0, 2, 0, 0xff]),
    ] {
        let mut wt = rig.wt(None, "/wt").await.unwrap();
        if joined {
            wt.join(&rig.token().await).await;
        }
        wt.send.write_all(bytes).await.unwrap();
        while wt.word().await.is_some() {}
    }
    for text in ["", "{", "[]", "{\"t\":\"join\"}"] {
        let mut ws = rig.ws(None).await.unwrap();
        let word = Message::text(text);
        let _ = futures_util::SinkExt::send(&mut ws.0, word).await;
        let answer = ws.word().await.expect("it is told why");
        assert_eq!(answer["t"], "refused", "{answer}");
        assert_eq!(ws.word().await, None);
    }
    rig.empty().await;
}

#[tokio::test]
async fn a_connection_that_says_nothing_is_gone_after_the_hello_limit() {
    let rig = Rig::new(|settings| settings.limits.hello = 1).await;
    let (start, mut ws) = (Instant::now(), rig.ws(None).await.unwrap());
    let mut wt = rig.wt(None, "/wt").await.unwrap();
    while ws.word().await.is_some() {}
    while wt.word().await.is_some() {}
    assert!(start.elapsed() >= Duration::from_secs(1));
    rig.empty().await;
}

#[tokio::test]
async fn an_address_has_so_many_connections_and_no_more() {
    let rig = Rig::new(|settings| settings.limits.max_connections_per_address = 2).await;
    let first = rig.ws(None).await.unwrap();
    let _second = rig.wt(None, "/wt").await.unwrap();
    let error = rig.ws(None).await.map(|_| ()).unwrap_err();
    assert_eq!(refused(&error), Some(429), "{error}");
    assert!(rig.wt(None, "/wt").await.is_err());
    drop(first);
    let again = async {
        while rig.ws(None).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    soon(again).await;
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_client_is_one_address_and_elsewhere_nobody_is_believed() {
    for (trusted, one_each) in [(vec!["127.0.0.1".to_owned()], true), (Vec::new(), false)] {
        let rig = Rig::new(|settings| {
            settings.limits.max_connections_per_address = 1;
            settings.place.trusted_proxy = trusted;
        })
        .await;
        let from = |client| rig.ws_with("x-forwarded-for", client);
        let _first = from("6.6.6.6, 203.0.113.1").await.unwrap();
        let other = from("203.0.113.2").await;
        assert_eq!(other.is_ok(), one_each);
        let same = from("9.9.9.9, 203.0.113.1").await.map(|_| ());
        assert_eq!(refused(&same.unwrap_err()), Some(429), "{one_each}");
    }
}

#[tokio::test]
async fn sockets_that_say_nothing_are_given_up_and_the_page_is_served() {
    let rig = Rig::new(|settings| settings.limits.max_connections = 8).await;
    let mut silent = Vec::new();
    for _ in 0..12 {
        silent.push(TcpStream::connect(rig.at).await.unwrap());
    }
    // One that is slow and not silent: it has as long as the others.
    let mut slow = TcpStream::connect(rig.at).await.unwrap();
    slow.write_all(b"GET / HT").await.unwrap();
    let start = Instant::now();
    let request = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let socket = TcpStream::connect(rig.at).await.unwrap();
    assert_eq!(rig::ask(socket, request).await.0, 200);
    let took = start.elapsed();
    // Three turns of five seconds: eight, eight, and the rest.
    assert!(
        took > Duration::from_secs(4),
        "{took:?}: every place was taken"
    );
}

#[tokio::test]
async fn a_client_that_takes_no_datagram_of_ours_gets_no_session() {
    // Nothing else ends it in time.
    let rig = Rig::new(|settings| settings.limits.hello = 30).await;
    for takes in [None, Some(0), Some(1), Some(3), Some(900)] {
        let mut transport = TransportConfig::default();
        transport.datagram_receive_buffer_size(takes);
        let mut config = rig.client();
        config
            .quic_config_mut()
            .transport_config(Arc::new(transport));
        let url = format!("https://127.0.0.1:{}/wt", rig.at.port());
        let endpoint = Endpoint::client(config).unwrap();
        let Ok(connection) = soon(endpoint.connect(url)).await else {
            continue;
        };
        soon(connection.closed()).await;
    }
    rig.empty().await;
    assert!(rig.wt(None, "/wt").await.is_ok(), "nobody else minds");
}

#[tokio::test]
async fn everybody_is_told_of_a_restart_and_all_ends_within_two_seconds() {
    let rig = Rig::new(|_| {}).await;
    let token = rig.token().await;
    let mut ws = rig.ws(None).await.unwrap();
    assert_eq!(ws.join(&token).await["t"], "joined");
    let mut wt = rig.wt(None, "/wt").await.unwrap();
    assert_eq!(wt.join(&rig.token().await).await["t"], "joined");
    // One that has not joined, and one that says nothing at all.
    let _silent = rig.wt(None, "/wt").await.unwrap();
    let _socket = tokio::net::TcpStream::connect(rig.at).await.unwrap();
    let start = Instant::now();
    let stopping = tokio::spawn(rig.stop());
    while ws.word().await.is_some() {}
    while wt.word().await.is_some() {}
    soon(stopping).await.unwrap().unwrap();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[tokio::test]
async fn while_it_ends_it_says_that_it_is_not_ready() {
    let rig = Rig::new(|_| {}).await;
    let at = rig.at;
    let ready = async || {
        let socket = TcpStream::connect(at).await.ok()?;
        let request = "GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        Some(ask(socket, request).await.0)
    };
    assert_eq!(ready().await, Some(200));
    // It does not read its goodbye, so its carrier stays for a second.
    let mut player = rig.ws(None).await.unwrap();
    player.join(&rig.token().await).await;
    let relay = rig.relay.clone();
    let ending = tokio::spawn(rig.stop());
    soon(relay.stopped()).await;
    assert_eq!(ready().await, Some(503));
    assert_eq!(soon(ending).await.unwrap().ok(), Some(()));
    assert_eq!(ready().await, None, "and then it is gone");
}
