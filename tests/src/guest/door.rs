//! The relay's HTTP, a connection each.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Longer than any answer takes on a machine that is busy with something else.
const LATE: Duration = Duration::from_secs(10);

/// Where a relay is.
#[derive(Clone, Debug)]
pub struct Door {
    /// Its TCP address.
    pub at: SocketAddr,
    /// What the guest calls it, in `Host` and in addresses.
    pub host: String,
}

/// What it answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// 200 and so on.
    pub status: u16,
    /// The head, in small letters.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Answer {
    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }

    /// Why the relay refused, by its code; empty where it says none.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }
}

/// Leave to take a seat.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// What the carrier's first word says.
    pub token: String,
    /// What gives the seat back.
    pub resume: String,
    /// Ticks a second.
    pub rate: u16,
    /// The path of the WebSocket.
    pub ws: String,
    /// The address of the WebTransport, if there is one.
    pub wt: Option<String>,
    /// What the client's game needs to be made equal.
    pub setup: Value,
}

impl Door {
    /// The relay at `at`.
    pub fn new(at: SocketAddr) -> Self {
        let host = format!("localhost:{}", at.port());
        Self { at, host }
    }

    /// Its own origin, which its own page would name.
    pub fn origin(&self) -> String {
        format!("http://{}", self.host)
    }

    /// One request, with exactly these headers beside the necessary ones.
    pub async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> io::Result<Answer> {
        let asking = async {
            let mut stream = TcpStream::connect(self.at).await?;
            let mut request = format!(
                "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n",
                self.host
            );
            for (name, value) in headers {
                request += &format!("{name}: {value}\r\n");
            }
            if let Some(body) = body {
                request += &format!(
                    "content-type: application/json\r\ncontent-length: {}\r\n",
                    body.len()
                );
            }
            request += "\r\n";
            request += body.unwrap_or_default();
            stream.write_all(request.as_bytes()).await?;
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
            let status = head
                .split(' ')
                .nth(1)
                .and_then(|status| status.parse().ok());
            let head = head.to_ascii_lowercase();
            let body = if head.contains("transfer-encoding: chunked") {
                unchunked(body)
            } else {
                body.to_owned()
            };
            Ok(Answer {
                status: status.unwrap_or(0),
                head,
                body,
            })
        };
        let late = |_| io::Error::from(io::ErrorKind::TimedOut);
        tokio::time::timeout(LATE, asking).await.map_err(late)?
    }

    /// Asks for something.
    pub async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], None)
            .await
            .expect("the relay answers")
    }

    /// Asks to change something, as a native client that names no origin.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &[], Some(&body.to_string()))
            .await
            .expect("the relay answers")
    }

    /// Makes a room: its code and its host's secret.
    pub async fn room(&self, wish: &Value) -> (String, String) {
        let answer = self.post("/api/rooms", wish).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let made = answer.json();
        let text = |key: &str| {
            made[key]
                .as_str()
                .expect("a room has a code and a host")
                .to_owned()
        };
        (text("code"), text("host"))
    }

    /// Asks for a seat; or why not.
    pub async fn join(&self, code: &str, wish: &Value) -> Result<Ticket, Answer> {
        let answer = self.post(&format!("/api/rooms/{code}/join"), wish).await;
        if answer.status != 200 {
            return Err(answer);
        }
        let told = answer.json();
        let text = |key: &str| told[key].as_str().map(str::to_owned);
        let must = |key: &str| text(key).unwrap_or_else(|| panic!("a ticket has {key}: {told}"));
        Ok(Ticket {
            token: must("token"),
            resume: must("resume"),
            rate: told["rate"].as_u64().expect("a rate") as u16,
            ws: must("ws"),
            wt: text("wt"),
            setup: told["setup"].clone(),
        })
    }

    /// A seat by name, where nothing speaks against it.
    pub async fn seat(&self, code: &str, name: &str) -> Ticket {
        let ticket = self.join(code, &json!({ "name": name })).await;
        ticket.unwrap_or_else(|answer| panic!("no seat for {name}: {answer:?}"))
    }

    /// A figure of `/metrics`: the sum of all lines of that name, whatever their labels.
    pub async fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").await.body;
        let lines = text.lines().filter(|line| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.starts_with([' ', '{']))
        });
        lines
            .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
            .sum()
    }
}

/// A body in pieces as one.
fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap_or(0);
        let Some(piece) = rest.get(..length).filter(|piece| !piece.is_empty()) else {
            break;
        };
        whole += piece;
        body = rest.get(length + 2..).unwrap_or_default();
    }
    whole
}
