//! A UDP socket: every frame has the prefix, and its token proves the address.

use std::net::SocketAddr;

use bytes::Bytes;
use netcode::Delivery;
use netcode::session::seal;
use tokio::net::UdpSocket;
use wire::{Opening, Prefix, Reader};

use super::carrier::Carrier;
use crate::session::{CarrierError, Heard};

/// A UDP socket that hears one relay alone.
#[derive(Debug)]
pub struct Udp {
    socket: UdpSocket,
    /// The session's token, once one was given.
    token: u64,
}

impl Udp {
    /// A socket to the relay at `to`. Nothing is sent yet.
    pub async fn open(to: SocketAddr) -> Result<Self, CarrierError> {
        let any: SocketAddr = if to.is_ipv4() {
            ([0, 0, 0, 0], 0).into()
        } else {
            ([0u16; 8], 0).into()
        };
        let socket = UdpSocket::bind(any).await?;
        socket.connect(to).await?;
        Ok(Self { socket, token: 0 })
    }

    /// Sends any bytes, for those who try what a relay does with them.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> Result<(), CarrierError> {
        self.socket.send(bytes).await?;
        Ok(())
    }

    /// The frame of a datagram, without its prefix where it is one of the session; `None` is not meant for us.
    fn open_frame(&mut self, bytes: &[u8]) -> Option<Bytes> {
        let mut r = Reader::new(bytes);
        let frame = match Opening::read(&mut r).ok()? {
            Opening::Session { token } => {
                if token != self.token {
                    return None;
                }
                &bytes[Prefix::LEN..]
            }
            Opening::Challenge { token } | Opening::Welcome { token, .. } => {
                self.token = token;
                bytes
            }
            Opening::Refuse { .. } => bytes,
            Opening::Hello { .. } | Opening::ForeignHello { .. } => return None,
        };
        Some(Bytes::copy_from_slice(frame))
    }
}

impl Carrier for Udp {
    fn delivery(&self) -> Delivery {
        Delivery::Datagram
    }

    fn max_packet(&self) -> usize {
        wire::MAX_PACKET - Prefix::LEN
    }

    async fn next(&mut self) -> Result<Heard, CarrierError> {
        let mut buf = [0; 2048];
        loop {
            let len = self.socket.recv(&mut buf).await?;
            if let Some(frame) = self.open_frame(&buf[..len]) {
                return Ok(Heard::Packet(frame));
            }
        }
    }

    async fn word(&mut self, _text: &str) -> Result<(), CarrierError> {
        Ok(())
    }

    async fn packet(&mut self, bytes: &[u8]) -> Result<(), CarrierError> {
        let mut buf = [0; wire::MAX_PACKET];
        let Some(len) = seal(self.token, bytes, &mut buf) else {
            let (bytes, most) = (Prefix::LEN + bytes.len(), wire::MAX_PACKET);
            return Err(CarrierError::TooLarge { bytes, most });
        };
        self.send(&buf[..len]).await
    }

    async fn close(&mut self) {}
}
