//! A WebSocket: words are text, frames binary.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use netcode::Delivery;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream, client_async_tls_with_config};

use super::carrier::Carrier;
use super::doors::OpenError;
use crate::session::{CarrierError, Heard};

/// The longest message either way; the relay refuses more.
pub(super) const MAX_MESSAGE: usize = 4096;

/// Bytes read at once: a snapshot or two. The codec clears them for each read.
const READ_BUFFER: usize = 1024;

/// How long a close may take.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(1);

/// A WebSocket of a relay.
#[derive(Debug)]
pub struct Ws {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Ws {
    /// Connects to `url`, `ws://…` or `wss://…`, at `host` and `port`.
    pub async fn open(
        url: &str,
        host: &str,
        port: u16,
        tls: std::sync::Arc<rustls::ClientConfig>,
    ) -> Result<Self, OpenError> {
        let tcp = TcpStream::connect((host, port)).await?;
        // A command that waits for more to send with it is a command that is late.
        tcp.set_nodelay(true)?;
        let request = url.into_client_request().map_err(OpenError::ws)?;
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(0)
            .max_write_buffer_size(16 * MAX_MESSAGE)
            .max_message_size(Some(MAX_MESSAGE))
            .max_frame_size(Some(MAX_MESSAGE));
        let connector = Connector::Rustls(tls);
        let (stream, _) = client_async_tls_with_config(request, tcp, Some(config), Some(connector))
            .await
            .map_err(OpenError::ws)?;
        Ok(Self { stream })
    }

    /// Sends any message, for those who try what a relay does with it.
    pub(crate) async fn send(&mut self, message: Message) -> Result<(), CarrierError> {
        self.stream.send(message).await.map_err(ended)
    }
}

fn ended(error: Error) -> CarrierError {
    match error {
        Error::Io(error) => CarrierError::Io(error),
        Error::Capacity(_) => CarrierError::TooLarge {
            bytes: MAX_MESSAGE + 1,
            most: MAX_MESSAGE,
        },
        Error::Utf8(_) => CarrierError::Malformed {
            what: "a text that is none",
        },
        _ => CarrierError::Closed,
    }
}

impl Carrier for Ws {
    fn delivery(&self) -> Delivery {
        Delivery::Ordered
    }

    fn max_packet(&self) -> usize {
        wire::MAX_PACKET
    }

    async fn next(&mut self) -> Result<Heard, CarrierError> {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Binary(bytes))) => return Ok(Heard::Packet(bytes)),
                Some(Ok(Message::Text(text))) => return Ok(Heard::Word(text.to_string())),
                // Pings are answered by the library.
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                Some(Ok(Message::Close(_))) | None => return Err(CarrierError::Closed),
                Some(Err(error)) => return Err(ended(error)),
            }
        }
    }

    async fn word(&mut self, text: &str) -> Result<(), CarrierError> {
        self.send(Message::Text(Utf8Bytes::from(text))).await
    }

    async fn packet(&mut self, bytes: &[u8]) -> Result<(), CarrierError> {
        self.send(Message::Binary(bytes.to_vec().into())).await
    }

    async fn close(&mut self) {
        let _ = tokio::time::timeout(LAST_WORDS, self.stream.close(None)).await;
    }
}
