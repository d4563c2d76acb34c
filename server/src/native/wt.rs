//! A WebTransport session: one stream for what must arrive, datagrams for the rest.

use std::net::{Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use netcode::Delivery;
use wtransport::endpoint::endpoint_side::Client;
use wtransport::quinn::SendDatagramError;
use wtransport::tls::Sha256Digest;
use wtransport::{ClientConfig, Connection, Endpoint, SendStream};

use super::api::Certificate;
use super::carrier::{Carrier, must_arrive};
use super::doors::OpenError;
use super::ws::LAST_WORDS;
use crate::session::{CarrierError, Heard, Source as _};
use crate::transport::datagrams::Datagrams;
use crate::transport::wt::{WtSource, transport_config};

/// Kinds of the stream's frames, as [`crate::transport::stream`] has them: u16 length, big-endian, of all that follows | u8 kind | bytes.
const WORD: u8 = 0;
const FRAME: u8 = 1;

/// A session that heard nothing for this long is over: the relay pings within 3 s.
const IDLE: Duration = Duration::from_secs(10);

/// Buffers of the socket, bytes: many sessions share it, and what bursts into a full one is lost.
const SOCKET: usize = 4 << 20;

/// A socket that WebTransport sessions are opened from; many may share it.
pub struct WtDoor {
    endpoint: Endpoint<Client>,
}

impl fmt::Debug for WtDoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WtDoor")
            .field("address", &self.endpoint.local_addr())
            .finish()
    }
}

impl WtDoor {
    /// A door that takes exactly the certificates of these hashes, or those of `tls`'s authorities where the relay says
    /// that its own is of one.
    pub fn new(
        certificate: &Certificate,
        tls: &rustls::ClientConfig,
        bind: SocketAddr,
    ) -> Result<Self, OpenError> {
        let builder = ClientConfig::builder().with_bind_socket(socket(bind)?);
        let mut config = if certificate.authority {
            let mut tls = tls.clone();
            tls.alpn_protocols = vec![wtransport::proto::WEBTRANSPORT_ALPN.to_vec()];
            builder.with_custom_tls(tls).build()
        } else {
            let hashes = certificate.hashes.iter().map(|hash| digest(hash));
            let hashes = hashes.collect::<Option<Vec<_>>>();
            let hashes = hashes.ok_or(OpenError::Certificate)?;
            builder.with_server_certificate_hashes(hashes).build()
        };
        config
            .quic_config_mut()
            .transport_config(Arc::new(transport_config(IDLE)));
        Ok(Self {
            endpoint: Endpoint::client(config)?,
        })
    }

    /// Opens a session at `url`, `https://…`.
    pub async fn open(&self, url: &str) -> Result<Wt, OpenError> {
        let connection = self.endpoint.connect(url).await.map_err(OpenError::wt)?;
        let opening = connection.open_bi().await.map_err(OpenError::wt)?;
        let (send, recv) = opening.await.map_err(OpenError::wt)?;
        let datagrams = Arc::new(Datagrams::of(&connection));
        Ok(Wt {
            connection,
            send,
            source: WtSource::new(Arc::clone(&datagrams), recv),
            datagrams,
        })
    }
}

/// A dual-stack socket with room for bursts, as far as the system gives it.
fn socket(bind: SocketAddr) -> io::Result<UdpSocket> {
    use socket2::{Domain, Protocol, Socket, Type};
    let socket = Socket::new(Domain::for_address(bind), Type::DGRAM, Some(Protocol::UDP))?;
    if bind.is_ipv6() && bind.ip() == Ipv6Addr::UNSPECIFIED {
        socket.set_only_v6(false)?;
    }
    // The system's own bound may be lower; it then takes what it can.
    let _ = socket.set_recv_buffer_size(SOCKET);
    let _ = socket.set_send_buffer_size(SOCKET);
    socket.bind(&bind.into())?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// 64 hexadecimal digits.
fn digest(hex: &str) -> Option<Sha256Digest> {
    let mut bytes = [0; 32];
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(Sha256Digest::new(bytes))
}

/// A WebTransport session of a relay.
#[derive(Debug)]
pub struct Wt {
    connection: Connection,
    send: SendStream,
    source: WtSource,
    datagrams: Arc<Datagrams>,
}

impl Wt {
    /// Writes any bytes to the stream, for those who try what a relay does with them.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), CarrierError> {
        self.send
            .write_all(bytes)
            .await
            .map_err(|_| CarrierError::Closed)
    }

    /// Sends any datagram; one that does not fit is gone.
    pub(crate) fn datagram(&mut self, bytes: &[u8]) -> Result<(), CarrierError> {
        match self.datagrams.send(bytes) {
            Ok(()) | Err(SendDatagramError::TooLarge) => Ok(()),
            Err(_) => Err(CarrierError::Closed),
        }
    }

    async fn frame(&mut self, kind: u8, bytes: &[u8]) -> Result<(), CarrierError> {
        let mut frame = Vec::with_capacity(3 + bytes.len());
        frame.extend((bytes.len() as u16 + 1).to_be_bytes());
        frame.push(kind);
        frame.extend(bytes);
        self.write(&frame).await
    }
}

impl Carrier for Wt {
    fn delivery(&self) -> Delivery {
        Delivery::Datagram
    }

    fn max_packet(&self) -> usize {
        wire::MAX_PACKET_WEBTRANSPORT
    }

    async fn next(&mut self) -> Result<Heard, CarrierError> {
        self.source.next().await
    }

    async fn word(&mut self, text: &str) -> Result<(), CarrierError> {
        self.frame(WORD, text.as_bytes()).await
    }

    async fn packet(&mut self, bytes: &[u8]) -> Result<(), CarrierError> {
        if must_arrive(bytes) {
            self.frame(FRAME, bytes).await
        } else {
            self.datagram(bytes)
        }
    }

    async fn close(&mut self) {
        // What was said last is read before the session ends: finishing waits until it was taken.
        let _ = tokio::time::timeout(LAST_WORDS, self.send.finish()).await;
        self.connection.close(0u32.into(), b"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_64_digits() {
        assert!(digest(&"0f".repeat(32)).is_some());
        for wrong in ["", "0f", &"0g".repeat(32), &"é".repeat(32)] {
            assert!(digest(wrong).is_none(), "{wrong}");
        }
    }
}
