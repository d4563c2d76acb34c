//! Bare UDP for native clients: nothing but frames, each behind a prefix with the session's token.
//!
//! One task owns the socket. What comes from an address that has proved nothing is answered without being remembered
//! ([`Gate`]); who has proved it is seated by [`Rooms::quick`](crate::rooms::Rooms::quick) and pumped like everybody
//! else.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use netcode::session::{Cookie, Gate, LONGEST_REPLY, Passage, Ticket, seal};
use tokio::net::UdpSocket;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use wire::{MAX_PACKET, Micros, Opening, Prefix, Refusal, Writer, is_prefixed};

use crate::address::normal;
use crate::relay::Relay;
use crate::session::{
    CarrierError, Guest, Heard, Shortcut, Sink, Source, Transport, Tried, play_as,
};

/// Frames of one peer that wait for its session: what a second brings. Past it they are dropped, as a network drops.
const WAITING: usize = 128;
/// How often a frame is sent that must not be lost and is not said again by itself: a goodbye.
const COPIES: usize = 3;
/// How long to wait where the socket fails.
const FAILED: Duration = Duration::from_millis(50);
/// An address as the cookie takes it: always the same bytes for the same one.
fn written(at: SocketAddr) -> [u8; 18] {
    let mut bytes = [0; 18];
    let ip = match normal(at.ip()) {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    };
    bytes[..16].copy_from_slice(&ip.octets());
    bytes[16..].copy_from_slice(&at.port().to_be_bytes());
    bytes
}

/// Somebody who is in.
struct Peer {
    ticket: Ticket,
    /// The ticket's, as the sink takes it: until the client has spoken it may turn out to hold another.
    token: Arc<AtomicU64>,
    frames: mpsc::Sender<Bytes>,
}

/// Plays with everybody on this socket until the relay stops; ends when the last of them has. `key` is drawn anew each
/// time.
pub async fn serve(socket: UdpSocket, relay: Relay, key: [u8; 16]) {
    let start = Instant::now();
    let gate = Gate::new(Cookie::new(key));
    let socket = Arc::new(socket);
    // Bounded by the limit of connections: each entry has its permit.
    let mut peers: HashMap<SocketAddr, Peer> = HashMap::new();
    let mut sessions = JoinSet::new();
    // One byte more than is allowed, so that what is too long shows.
    let mut buffer = [0; MAX_PACKET + 1];
    loop {
        let (len, from) = tokio::select! {
            received = socket.recv_from(&mut buffer) => match received {
                Ok(received) => received,
                Err(error) => {
                    tracing::debug!(%error, "the UDP socket failed");
                    sleep(FAILED).await;
                    continue;
                }
            },
            Some(_) = sessions.join_next() => {
                peers.retain(|_, peer| !peer.frames.is_closed());
                continue;
            }
            () = relay.stopped() => break,
        };
        let elapsed = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        let frame = &buffer[..len];
        if len > MAX_PACKET {
            continue;
        }
        let mut reply = [0; LONGEST_REPLY];
        let peer = peers.get_mut(&from);
        let ticket = peer.map(|peer| &mut peer.ticket);
        match gate.judge(
            Micros::new(elapsed),
            &written(from),
            ticket,
            frame,
            &mut reply,
        ) {
            Passage::Drop => {}
            // A socket that takes no more loses it, and the client asks again.
            Passage::Reply(len) => drop(socket.try_send_to(&reply[..len], from)),
            Passage::Pass(frame) => {
                if let Some(peer) = peers.get(&from) {
                    peer.token.store(peer.ticket.token(), Ordering::Relaxed);
                    // One that does not keep up loses frames.
                    let _ = peer.frames.try_send(Bytes::copy_from_slice(frame));
                }
            }
            Passage::Open(ticket) => {
                let hello = Bytes::copy_from_slice(frame);
                match enter(&socket, &relay, from, ticket, hello) {
                    Ok((peer, session)) => {
                        peers.insert(from, peer);
                        sessions.spawn(session);
                    }
                    Err(why) => {
                        tracing::info!(address = %from, why, "a native client is refused");
                        let len = refuse_full(ticket.token(), &mut reply);
                        let _ = socket.try_send_to(&reply[..len], from);
                    }
                }
            }
        }
    }
    // Each hears the relay's goodbye, from its room.
    while sessions.join_next().await.is_some() {}
}

/// Writes that there is no room; gives how long that is.
fn refuse_full(token: u64, reply: &mut [u8; LONGEST_REPLY]) -> usize {
    let refusal = Refusal::Full;
    let mut w = Writer::new(reply);
    Opening::Refuse { token, refusal }.write(&mut w);
    w.finish().expect("a refusal is the longest reply")
}

fn enter(
    socket: &Arc<UdpSocket>,
    relay: &Relay,
    from: SocketAddr,
    ticket: Ticket,
    hello: Bytes,
) -> Result<(Peer, impl Future<Output = ()> + Send + use<>), String> {
    let address = normal(from.ip());
    let permit = relay
        .limits
        .connection(address)
        .map_err(|error| error.to_string())?;
    let pass = relay.rooms.quick().map_err(|error| error.to_string())?;
    let (frames, waiting) = mpsc::channel(WAITING);
    let token = Arc::new(AtomicU64::new(ticket.token()));
    // There is room for the first.
    let _ = frames.try_send(hello);
    let guest = Guest {
        address,
        transport: Transport::Udp,
        permit,
    };
    let source = UdpSource { waiting };
    let sink = UdpSink {
        socket: Arc::clone(socket),
        to: from,
        token: Arc::clone(&token),
    };
    let session = play_as(relay.clone(), guest, pass, source, sink);
    let peer = Peer {
        ticket,
        token,
        frames,
    };
    Ok((peer, session))
}

/// Hears what the socket's task sorted out.
#[derive(Debug)]
struct UdpSource {
    waiting: mpsc::Receiver<Bytes>,
}

impl Source for UdpSource {
    async fn next(&mut self) -> Result<Heard, CarrierError> {
        let frame = self.waiting.recv().await;
        frame.map(Heard::Packet).ok_or(CarrierError::Closed)
    }
}

/// Speaks by the shared socket.
#[derive(Clone, Debug)]
struct UdpSink {
    socket: Arc<UdpSocket>,
    to: SocketAddr,
    token: Arc<AtomicU64>,
}

impl Sink for UdpSink {
    async fn word(&mut self, _text: String) -> Result<(), CarrierError> {
        Ok(())
    }

    async fn packet(&mut self, bytes: Bytes, keep: bool) -> Result<(), CarrierError> {
        let mut frame = [0; MAX_PACKET];
        let token = self.token.load(Ordering::Relaxed);
        let Some(len) = seal(token, &bytes, &mut frame) else {
            let (bytes, most) = (bytes.len(), MAX_PACKET - Prefix::LEN);
            return Err(CarrierError::TooLarge { bytes, most });
        };
        // A welcome is said again when the hello is; what else must arrive is said more than once now, and heard once.
        let copies = if keep && !is_prefixed(&bytes) {
            COPIES
        } else {
            1
        };
        for _ in 0..copies {
            match self.socket.send_to(&frame[..len], self.to).await {
                Ok(_) => {}
                // An unreachable peer is found out by its silence.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    async fn close(&mut self) {}

    fn shortcut(&self) -> Option<Arc<dyn Shortcut>> {
        Some(Arc::new(self.clone()))
    }
}

impl Shortcut for UdpSink {
    fn try_packet(&self, frame: &Bytes) -> Tried {
        let mut sealed = [0; MAX_PACKET];
        let token = self.token.load(Ordering::Relaxed);
        let Some(len) = seal(token, frame, &mut sealed) else {
            return Tried::Not;
        };
        match self.socket.try_send_to(&sealed[..len], self.to) {
            Ok(_) => Tried::Sent,
            // The pump waits for the socket, or finds out what else is wrong.
            Err(_) => Tried::Not,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_the_same_in_either_family() {
        let v4: SocketAddr = "203.0.113.9:77".parse().unwrap();
        let mapped: SocketAddr = "[::ffff:203.0.113.9]:77".parse().unwrap();
        assert_eq!(written(v4), written(mapped));
        let other = SocketAddr::from(([203, 0, 113, 9], 78));
        assert_ne!(written(v4), written(other));
    }
}
