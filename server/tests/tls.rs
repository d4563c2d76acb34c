//! Certificates by real sockets: the operator's, which may change under us, and our own by its hash.

#![allow(clippy::unwrap_used, reason = "the helpers of a test are of the test")]

mod rig;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io};

use futures_util::{SinkExt as _, StreamExt as _};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rig::{Rig, ask, post, soon, wt};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, ServerName};
use serde_json::json;
use server::cert::{Certificate, Presented, quic};
use server::transport;
use tokio::net::{TcpStream, UdpSocket};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::tungstenite::Message;
use wtransport::ClientConfig;
use wtransport::tls::Sha256Digest;

/// Who vouches for certificates in these tests.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    own: CertificateDer<'static>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let own = params.self_signed(&key).unwrap().der().clone();
        Self {
            issuer: Issuer::new(params, key),
            own,
        }
    }

    /// Writes a certificate for this machine; its bytes.
    fn write(&self, files: &Files) -> CertificateDer<'static> {
        let hosts = ["localhost", "127.0.0.1"].map(String::from);
        let params = CertificateParams::new(hosts).unwrap();
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, &self.issuer).unwrap();
        // The key first: the pair does not match for a moment, as with any tool that renews.
        fs::write(&files.key, key.serialize_pem()).unwrap();
        fs::write(&files.cert, cert.pem()).unwrap();
        cert.der().clone()
    }

    fn trusted(&self, protocol: &[u8]) -> rustls::ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.own.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![protocol.to_vec()];
        config
    }

    async fn connect(&self, rig: &Rig) -> io::Result<TlsStream<TcpStream>> {
        let connector = TlsConnector::from(Arc::new(self.trusted(b"http/1.1")));
        let name = ServerName::try_from("localhost").unwrap();
        let stream = TcpStream::connect(rig.at).await?;
        soon(connector.connect(name, stream)).await
    }
}

/// Two files of this test alone, gone with it.
struct Files {
    folder: PathBuf,
    cert: PathBuf,
    key: PathBuf,
}

impl Files {
    fn new(test: &str) -> Self {
        let folder = format!("afterimage-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        Self {
            cert: folder.join("cert.pem"),
            key: folder.join("key.pem"),
            folder,
        }
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

async fn rig(files: &Files) -> Rig {
    let path = |path: &Path| Some(path.to_owned());
    let (cert, key) = (path(&files.cert), path(&files.key));
    Rig::new(|settings| (settings.place.cert, settings.place.key) = (cert, key)).await
}

fn shown(stream: &TlsStream<TcpStream>) -> CertificateDer<'static> {
    let (_, session) = stream.get_ref();
    session.peer_certificates().unwrap()[0].clone().into_owned()
}

/// Waits until the relay shows `wanted`.
async fn shows(authority: &Authority, rig: &Rig, wanted: &CertificateDer<'static>) {
    let shows = async {
        while shown(&authority.connect(rig).await.unwrap()) != *wanted {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    soon(shows).await;
}

#[tokio::test]
async fn the_operators_certificate_serves_https_websocket_and_webtransport() {
    let (files, authority) = (Files::new("serves"), Authority::new());
    authority.write(&files);
    let rig = rig(&files).await;
    let request = "GET /api/certificate HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let (status, told) = ask(authority.connect(&rig).await.unwrap(), request).await;
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((status, &told["authority"]), (200, &json!(true)));
    assert_eq!(told["hashes"], json!([]), "browsers ask the authority");

    let room = post(
        authority.connect(&rig).await.unwrap(),
        "/api/rooms",
        &json!({}),
    )
    .await;
    assert_eq!(room.0, 201);
    let code: serde_json::Value = serde_json::from_str(&room.1).unwrap();
    let path = format!("/api/rooms/{}/join", code["code"].as_str().unwrap());
    let join = async || {
        let stream = authority.connect(&rig).await.unwrap();
        let (_, joined) = post(stream, &path, &json!({ "name": "Ada" })).await;
        let joined: serde_json::Value = serde_json::from_str(&joined).unwrap();
        json!({ "t": "join", "token": joined["token"] }).to_string()
    };
    let stream = authority.connect(&rig).await.unwrap();
    let (mut ws, _) = tokio_tungstenite::client_async("ws://localhost/ws", stream)
        .await
        .unwrap();
    ws.send(Message::text(join().await)).await.unwrap();
    let answer = soon(ws.next()).await.unwrap().unwrap();
    assert!(answer.to_text().unwrap().contains("joined"), "{answer}");

    let tls = authority.trusted(wtransport::tls::WEBTRANSPORT_ALPN);
    let config = ClientConfig::builder()
        .with_bind_address("127.0.0.1:0".parse().unwrap())
        .with_custom_tls(tls)
        .build();
    let mut wt = wt(config, rig.at.port(), None, "/wt").await.unwrap();
    let word: serde_json::Value = serde_json::from_str(&join().await).unwrap();
    wt.say(&word).await;
    assert_eq!(wt.word().await.unwrap()["t"], "joined");
    // Plain HTTP on the same port is nothing.
    let (status, _) = ask(TcpStream::connect(rig.at).await.unwrap(), request).await;
    assert_eq!(status, 0);
}

#[tokio::test]
async fn files_that_change_are_read_again_and_a_bad_one_changes_nothing() {
    let (files, authority) = (Files::new("reload"), Authority::new());
    let first = authority.write(&files);
    let rig = rig(&files).await;
    let stream = authority.connect(&rig).await.unwrap();
    assert_eq!(shown(&stream), first);
    let (mut ws, _) = tokio_tungstenite::client_async("ws://localhost/ws", stream)
        .await
        .unwrap();

    let second = authority.write(&files);
    shows(&authority, &rig, &second).await;
    // Who is there stays: it is answered.
    ws.send(Message::text("{}")).await.unwrap();
    let answer = soon(ws.next()).await.unwrap().unwrap();
    assert!(answer.to_text().unwrap().contains("refused"), "{answer}");

    fs::write(&files.cert, "half a certif").unwrap();
    tokio::time::sleep(Duration::from_millis(4500)).await;
    assert_eq!(shown(&authority.connect(&rig).await.unwrap()), second);
    let third = authority.write(&files);
    shows(&authority, &rig, &third).await;
}

#[tokio::test]
async fn slow_handshakes_keep_nobody_waiting_and_are_given_up() {
    let (files, authority) = (Files::new("slow"), Authority::new());
    authority.write(&files);
    let rig = rig(&files).await;
    let mut silent = Vec::new();
    for _ in 0..30 {
        silent.push(TcpStream::connect(rig.at).await.unwrap());
    }
    let start = Instant::now();
    authority.connect(&rig).await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(2));
    let mut byte = [0];
    for stream in &mut silent {
        let read = soon(tokio::io::AsyncReadExt::read(stream, &mut byte)).await;
        assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    }
}

#[tokio::test]
async fn half_a_quic_handshake_keeps_nobody_waiting_and_no_place() {
    let rig = Rig::new(|settings| settings.limits.max_connections_per_address = 9).await;
    let told = rig.relay.webtransport.borrow().clone().unwrap();
    let hashes = told.hashes.into_iter().map(Sha256Digest::new);
    // QUIC stands, and then the client never asks for a session.
    let lazy = ClientConfig::builder()
        .with_bind_address("127.0.0.1:0".parse().unwrap())
        .with_server_certificate_hashes(hashes)
        .build();
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let runtime = Arc::new(wtransport::quinn::TokioRuntime);
    let endpoint = wtransport::quinn::Endpoint::new(Default::default(), None, socket, runtime);
    let endpoint = endpoint.unwrap();
    let config = lazy.quic_config().clone();
    let mut held = Vec::new();
    for _ in 0..8 {
        let connecting = endpoint
            .connect_with(config.clone(), rig.at, "localhost")
            .unwrap();
        held.push(soon(connecting).await.unwrap());
    }
    let noise = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    for length in 0..1400 {
        noise.send_to(&vec![0xC0; length], rig.at).await.unwrap();
    }
    let start = Instant::now();
    let session = rig.wt(None, "/wt").await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(2));
    assert!(rig.wt(None, "/wt").await.is_err(), "every place is taken");
    drop(session);
    // Each is given up within its five seconds, and its place is free.
    rig.empty().await;
    assert!(rig.wt(None, "/wt").await.is_ok());
    assert!(start.elapsed() < Duration::from_secs(8));
}

#[tokio::test]
async fn another_certificate_drops_no_session_and_is_shown_to_the_next() {
    let hosts = ["localhost".to_owned()];
    let made = || Certificate::self_signed(&hosts, SystemTime::now() - Duration::from_secs(60));
    let (first, second) = (made().unwrap(), made().unwrap());
    let presented = Presented::new(&first);
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let tls = quic(Arc::clone(&presented)).unwrap();
    let idle = Duration::from_secs(10);
    let endpoint = transport::wt::endpoint(socket, tls, idle).unwrap();
    let port = endpoint.local_addr().unwrap().port();
    let echo = tokio::spawn(async move {
        loop {
            let session = endpoint.accept().await.await;
            let Ok(request) = session else { continue };
            tokio::spawn(async move {
                let connection = request.accept().await.unwrap();
                while let Ok(bytes) = connection.receive_datagram().await {
                    connection.send_datagram(bytes.payload()).unwrap();
                }
            });
        }
    });
    let open = async |certificate: &Certificate| {
        let hash = Sha256Digest::new(certificate.hash);
        let config = ClientConfig::builder()
            .with_bind_address("127.0.0.1:0".parse().unwrap())
            .with_server_certificate_hashes([hash])
            .build();
        wt(config, port, None, "/").await
    };
    let before = open(&first).await.unwrap();
    assert!(open(&second).await.is_err());
    presented.set(&second);
    let after = open(&second).await.unwrap();
    assert!(open(&first).await.is_err());
    for session in [&before, &after] {
        session.connection.send_datagram([7]).unwrap();
        let echoed = soon(session.connection.receive_datagram()).await.unwrap();
        assert_eq!(echoed.payload()[..], [7]);
    }
    echo.abort();
}
