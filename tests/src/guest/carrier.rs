//! One session's carrier, with nothing kept from the guest.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{WebSocketStream, client_async};
use wtransport::endpoint::ConnectOptions;
use wtransport::error::StreamReadExactError;
use wtransport::quinn::TransportConfig;
use wtransport::quinn::congestion::BbrConfig;
use wtransport::tls::Sha256Digest;
use wtransport::{ClientConfig, Connection, Endpoint, SendStream};

use super::Door;

/// Longer than a handshake takes on a machine that is busy with something else.
const LATE: Duration = Duration::from_secs(8);

/// What carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Via {
    /// WebSocket.
    Ws,
    /// WebTransport.
    Wt,
}

impl Via {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ws, Self::Wt];
}

/// What the relay said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// A word.
    Word(Value),
    /// A frame of the netcode.
    Frame(Vec<u8>),
    /// The carrier is closed, and what the library calls it.
    Closed(String),
}

/// A session on a carrier. Dropping it drops its sockets without a goodbye, as a machine that loses its power.
pub struct Carrier {
    out: Out,
    heard: mpsc::UnboundedReceiver<Said>,
    /// Who reads.
    readers: Vec<JoinHandle<()>>,
}

enum Out {
    Ws(futures_util::stream::SplitSink<WebSocketStream<TcpStream>, Message>),
    Wt {
        connection: Connection,
        stream: SendStream,
        _endpoint: Box<Endpoint<wtransport::endpoint::endpoint_side::Client>>,
    },
}

impl Carrier {
    /// Opens one, naming `origin` if there is one; or why that was not possible.
    pub async fn open(door: &Door, via: Via, origin: Option<&str>) -> Result<Self, String> {
        let opening = async {
            match via {
                Via::Ws => Self::ws(door, origin).await,
                Via::Wt => Self::wt(door, origin).await,
            }
        };
        tokio::time::timeout(LATE, opening)
            .await
            .map_err(|_| "nobody answers".to_owned())?
    }

    async fn ws(door: &Door, origin: Option<&str>) -> Result<Self, String> {
        let words = |error: &dyn std::fmt::Display| error.to_string();
        let tcp = TcpStream::connect(door.at)
            .await
            .map_err(|error| words(&error))?;
        tcp.set_nodelay(true).map_err(|error| words(&error))?;
        let mut request = format!("ws://{}/ws", door.host)
            .into_client_request()
            .map_err(|error| words(&error))?;
        if let Some(origin) = origin {
            let origin = origin
                .parse()
                .map_err(|_| "an origin that no header may hold".to_owned())?;
            request.headers_mut().insert("origin", origin);
        }
        let (stream, _) = client_async(request, tcp)
            .await
            .map_err(|error| words(&error))?;
        let (out, mut inside) = stream.split();
        let (told, heard) = mpsc::unbounded_channel();
        let reader = tokio::spawn(async move {
            loop {
                let said = match inside.next().await {
                    Some(Ok(Message::Text(text))) => {
                        Said::Word(serde_json::from_str(&text).unwrap_or(Value::Null))
                    }
                    Some(Ok(Message::Binary(bytes))) => Said::Frame(bytes.to_vec()),
                    Some(Ok(Message::Close(_))) | None => Said::Closed("closed".to_owned()),
                    Some(Ok(_)) => continue,
                    Some(Err(error)) => Said::Closed(error.to_string()),
                };
                let last = matches!(said, Said::Closed(_));
                if told.send(said).is_err() || last {
                    return;
                }
            }
        });
        Ok(Self {
            out: Out::Ws(out),
            heard,
            readers: vec![reader],
        })
    }

    async fn wt(door: &Door, origin: Option<&str>) -> Result<Self, String> {
        let words = |error: &dyn std::fmt::Display| error.to_string();
        let certificate = door.get("/api/certificate").await.json();
        let hashes = certificate["hashes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|hash| digest(hash.as_str()?));
        let mut config = ClientConfig::builder()
            .with_bind_address(([0; 4], 0).into())
            .with_server_certificate_hashes(hashes.collect::<Vec<_>>())
            .build();
        // As the relay's own end: the usual control halves its window at every loss, and its inputs would wait.
        let mut transport = TransportConfig::default();
        transport.congestion_controller_factory(Arc::new(BbrConfig::default()));
        config
            .quic_config_mut()
            .transport_config(Arc::new(transport));
        let endpoint = Endpoint::client(config).map_err(|error| words(&error))?;
        let mut options =
            ConnectOptions::builder(format!("https://{}:{}/wt", door.at.ip(), door.at.port()));
        if let Some(origin) = origin {
            options = options.add_header("origin", origin);
        }
        let connection = endpoint
            .connect(options.build())
            .await
            .map_err(|error| words(&error))?;
        let opening = connection.open_bi().await.map_err(|error| words(&error))?;
        let (stream, mut inside) = opening.await.map_err(|error| words(&error))?;
        let (told, heard) = mpsc::unbounded_channel();
        let (datagrams, more) = (connection.clone(), told.clone());
        let readers = vec![
            tokio::spawn(async move {
                while let Ok(datagram) = datagrams.receive_datagram().await {
                    if more.send(Said::Frame(datagram.payload().to_vec())).is_err() {
                        return;
                    }
                }
            }),
            tokio::spawn(async move {
                loop {
                    let mut length = [0; 2];
                    let read = async {
                        inside.read_exact(&mut length).await?;
                        let mut bytes = vec![0; usize::from(u16::from_be_bytes(length))];
                        inside.read_exact(&mut bytes).await?;
                        Ok::<_, StreamReadExactError>(bytes)
                    };
                    let said = match read.await {
                        Ok(bytes) => match bytes.split_first() {
                            Some((0, word)) => {
                                Said::Word(serde_json::from_slice(word).unwrap_or(Value::Null))
                            }
                            Some((1, frame)) => Said::Frame(frame.to_vec()),
                            other => {
                                Said::Closed(format!("the relay said {other:?} on the stream"))
                            }
                        },
                        Err(error) => Said::Closed(error.to_string()),
                    };
                    let last = matches!(said, Said::Closed(_));
                    if told.send(said).is_err() || last {
                        return;
                    }
                }
            }),
        ];
        Ok(Self {
            out: Out::Wt {
                connection,
                stream,
                _endpoint: Box::new(endpoint),
            },
            heard,
            readers,
        })
    }

    /// Says a word of any kind. `Err` where the carrier takes nothing more.
    pub async fn word(&mut self, word: &str) -> Result<(), String> {
        match &mut self.out {
            Out::Ws(out) => out
                .send(Message::text(word))
                .await
                .map_err(|error| error.to_string()),
            Out::Wt { .. } => self.on_stream(0, word.as_bytes()).await,
        }
    }

    /// Says a frame of the netcode, or what is to pass for one. What is prefixed goes where it is not lost, the rest as a
    /// datagram where there are any.
    pub async fn frame(&mut self, frame: &[u8]) -> Result<(), String> {
        let keep = wire::is_prefixed(frame);
        match &mut self.out {
            Out::Ws(out) => out
                .send(Message::binary(frame.to_vec()))
                .await
                .map_err(|error| error.to_string()),
            Out::Wt { connection, .. } if !keep => connection
                .send_datagram(frame)
                .map_err(|error| error.to_string()),
            Out::Wt { .. } => self.on_stream(1, frame).await,
        }
    }

    /// Writes bytes as they are: to the stream of a WebTransport, below the frames of a WebSocket's masking they would need
    /// a socket of their own, so there they go as one binary message.
    pub async fn bytes(&mut self, bytes: &[u8]) -> Result<(), String> {
        match &mut self.out {
            Out::Ws(out) => out
                .send(Message::binary(bytes.to_vec()))
                .await
                .map_err(|error| error.to_string()),
            Out::Wt { stream, .. } => stream
                .write_all(bytes)
                .await
                .map_err(|error| error.to_string()),
        }
    }

    async fn on_stream(&mut self, kind: u8, body: &[u8]) -> Result<(), String> {
        let mut bytes = (body.len() as u16 + 1).to_be_bytes().to_vec();
        bytes.push(kind);
        bytes.extend(body);
        self.bytes(&bytes).await
    }

    /// The next that the relay says; `None` if it says nothing for so long.
    pub async fn next(&mut self, wait: Duration) -> Option<Said> {
        let heard = tokio::time::timeout(wait, self.heard.recv()).await.ok()?;
        Some(heard.unwrap_or_else(|| Said::Closed("closed".to_owned())))
    }

    /// The next that `wanted` finds something in, within so long; whatever else is said until then is passed over.
    pub async fn until<T>(
        &mut self,
        wait: Duration,
        mut wanted: impl FnMut(&Said) -> Option<T>,
    ) -> Option<T> {
        let end = tokio::time::Instant::now() + wait;
        loop {
            let left = end.saturating_duration_since(tokio::time::Instant::now());
            let said = self.next(left).await?;
            if let Some(found) = wanted(&said) {
                return Some(found);
            }
            if matches!(said, Said::Closed(_)) {
                return None;
            }
        }
    }

    /// Closes it in order.
    pub async fn close(mut self) {
        match &mut self.out {
            Out::Ws(out) => drop(tokio::time::timeout(LATE, out.close()).await),
            Out::Wt { connection, .. } => connection.close(0u32.into(), b""),
        }
    }
}

impl Drop for Carrier {
    fn drop(&mut self) {
        self.readers.iter().for_each(JoinHandle::abort);
    }
}

/// 64 hexadecimal digits.
fn digest(hex: &str) -> Option<Sha256Digest> {
    let byte = |at: usize| u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok();
    let bytes: Vec<u8> = (0..32).map_while(byte).collect();
    Some(Sha256Digest::new(bytes.try_into().ok()?))
}
