//! A relay on ports of the system's choice, and the least that a client needs to meet it.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "a module of tests, of which each file uses its part"
)]

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use server::{AppState, Assets, Relay, RunError, Settings, app, bind, run};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use wtransport::endpoint::ConnectOptions;
use wtransport::error::ConnectingError;
use wtransport::tls::Sha256Digest;
use wtransport::{ClientConfig, Connection, Endpoint, RecvStream, SendStream};

/// Long enough for anything that works, also on a busy machine.
pub const SOON: Duration = Duration::from_secs(8);

/// What `future` gives, in time.
pub async fn soon<T>(future: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(SOON, future).await;
    ended.expect("it takes no longer than SOON")
}

/// A relay that runs.
pub struct Rig {
    /// It.
    pub relay: Relay,
    /// Where its page is.
    pub at: SocketAddr,
    /// Where bare UDP is.
    pub udp: Option<SocketAddr>,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<Result<(), RunError>>,
}

impl Rig {
    /// One as an operator would start it, but on a free port.
    pub async fn new(change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings::default();
        settings.place.port = 0;
        change(&mut settings);
        let listeners = bind(&settings.place).await.unwrap();
        let (at, udp) = (listeners.address().unwrap(), listeners.udp_address());
        let page = (
            "index.html".to_owned(),
            Bytes::from_static(b"<!doctype html>"),
        );
        let assets: Assets = [page].into_iter().collect();
        let relay = Relay::new(settings);
        let app = app(AppState::new(assets, relay.clone()));
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(run(listeners, app, relay.clone(), async {
            let _ = stopped.await;
        }));
        let rig = Self {
            relay,
            at,
            udp,
            stop: Some(stop),
            running,
        };
        let mut told = rig.relay.webtransport.subscribe();
        soon(told.wait_for(Option::is_some)).await.unwrap();
        rig
    }

    /// Tells it to end; ready when it has.
    pub async fn stop(mut self) -> Result<(), RunError> {
        let _ = self.stop.take().unwrap().send(());
        soon(self.running).await.unwrap()
    }

    /// What it answers to a POST of JSON.
    pub async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let socket = TcpStream::connect(self.at).await.unwrap();
        let (status, body) = post(socket, path, body).await;
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    /// A way into a room of its own.
    pub async fn token(&self) -> String {
        let (status, room) = self.post("/api/rooms", &json!({ "public": true })).await;
        assert_eq!(status, 201, "{room}");
        let code = room["code"].as_str().unwrap();
        let path = format!("/api/rooms/{code}/join");
        let (status, joined) = self.post(&path, &json!({ "name": "Ada" })).await;
        assert_eq!(status, 200, "{joined}");
        joined["token"].as_str().unwrap().to_owned()
    }

    /// Waits until nobody is connected.
    pub async fn empty(&self) {
        let gone = async {
            while self.relay.limits.connections() > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        soon(gone).await;
    }

    /// A WebSocket, from a page of this origin.
    pub async fn ws(&self, origin: Option<&str>) -> Result<Ws, tungstenite::Error> {
        self.ws_by(origin.map(|origin| ("origin", origin))).await
    }

    /// A WebSocket whose request has one header more.
    pub async fn ws_with(&self, name: &'static str, value: &str) -> Result<Ws, tungstenite::Error> {
        self.ws_by(Some((name, value))).await
    }

    async fn ws_by(&self, header: Option<(&'static str, &str)>) -> Result<Ws, tungstenite::Error> {
        let url = format!("ws://{}/ws", self.at);
        let mut request = url.into_client_request()?;
        if let Some((name, value)) = header {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let connected = soon(tokio_tungstenite::connect_async(request)).await;
        connected.map(|(socket, _)| Ws(socket))
    }

    /// A WebTransport client that takes the relay's certificates.
    pub fn client(&self) -> ClientConfig {
        let told = self.relay.webtransport.borrow().clone().unwrap();
        let hashes = told.hashes.into_iter().map(Sha256Digest::new);
        ClientConfig::builder()
            .with_bind_address("127.0.0.1:0".parse().unwrap())
            .with_server_certificate_hashes(hashes)
            .build()
    }

    /// A WebTransport session, from a page of this origin, at this path.
    pub async fn wt(&self, origin: Option<&str>, path: &str) -> Result<Wt, ConnectingError> {
        wt(self.client(), self.at.port(), origin, path).await
    }
}

/// Opens a session by `config`.
pub async fn wt(
    config: ClientConfig,
    port: u16,
    origin: Option<&str>,
    path: &str,
) -> Result<Wt, ConnectingError> {
    let mut options = ConnectOptions::builder(format!("https://127.0.0.1:{port}{path}"));
    if let Some(origin) = origin {
        options = options.add_header("origin", origin);
    }
    let endpoint = Endpoint::client(config).unwrap();
    let connection = soon(endpoint.connect(options.build())).await?;
    let (send, receive) = soon(async { connection.open_bi().await.unwrap().await.unwrap() }).await;
    Ok(Wt {
        connection,
        send,
        receive,
    })
}

/// Says one request on a connection, and hears status and body.
pub async fn post(
    socket: impl AsyncRead + AsyncWrite + Unpin,
    path: &str,
    body: &Value,
) -> (u16, String) {
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
        content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    ask(socket, &(head + &body)).await
}

/// Says these bytes, and hears status and body until the end.
pub async fn ask(mut socket: impl AsyncRead + AsyncWrite + Unpin, request: &str) -> (u16, String) {
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // Over TLS the end may come without its word.
    let _ = soon(socket.read_to_end(&mut answer)).await;
    let answer = String::from_utf8(answer).unwrap();
    let status = answer.get(9..12).and_then(|code| code.parse().ok());
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status.unwrap_or(0), body.to_owned())
}

/// A WebSocket.
pub struct Ws(pub WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Ws {
    /// Says a word.
    pub async fn say(&mut self, word: &Value) {
        self.0.send(Message::text(word.to_string())).await.unwrap();
    }

    /// The next word; `None` when the relay closes.
    pub async fn word(&mut self) -> Option<Value> {
        loop {
            match soon(self.0.next()).await? {
                Ok(Message::Text(text)) => return serde_json::from_str(&text).ok(),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Says the join word, and hears the answer.
    pub async fn join(&mut self, token: &str) -> Value {
        self.say(&json!({ "t": "join", "token": token })).await;
        self.word().await.expect("an answer")
    }
}

/// A WebTransport session.
pub struct Wt {
    /// It.
    pub connection: Connection,
    /// The stream, to the relay.
    pub send: SendStream,
    /// The stream, from it.
    pub receive: RecvStream,
}

impl Wt {
    /// Says a word.
    pub async fn say(&mut self, word: &Value) {
        let word = word.to_string();
        let mut bytes = (word.len() as u16 + 1).to_be_bytes().to_vec();
        bytes.push(0);
        bytes.extend(word.as_bytes());
        self.send.write_all(&bytes).await.unwrap();
    }

    /// The next word, frames left out; `None` when the relay closes.
    pub async fn word(&mut self) -> Option<Value> {
        loop {
            let mut head = [0; 3];
            soon(self.receive.read_exact(&mut head)).await.ok()?;
            let len = usize::from(u16::from_be_bytes([head[0], head[1]])) - 1;
            let mut body = vec![0; len];
            soon(self.receive.read_exact(&mut body)).await.ok()?;
            if head[2] == 0 {
                return serde_json::from_slice(&body).ok();
            }
        }
    }

    /// Says the join word, and hears the answer.
    pub async fn join(&mut self, token: &str) -> Value {
        self.say(&json!({ "t": "join", "token": token })).await;
        self.word().await.expect("an answer")
    }
}
