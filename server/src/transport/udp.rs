//! Bare UDP for native clients: nothing but frames, each behind a prefix with the session's token.
//!
//! One task owns the socket. What comes from an address that has proved nothing is answered without being remembered
//! ([`Gate`]); who has proved it is seated by [`Rooms::quick`](crate::rooms::Rooms::quick) and pumped like everybody
//! else.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut as _, Bytes, BytesMut};
use netcode::session::Cookie;
use tokio::net::UdpSocket;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use wire::{
    MAX_PACKET, Micros, Opening, Prefix, PrefixKind, Reader, Refusal, VERSION, Writer, is_prefixed,
};

use crate::address::normal;
use crate::relay::Relay;
use crate::session::{CarrierError, Guest, Heard, Sink, Source, Transport, play_as};

/// Frames of one peer that wait for its session: what a second brings. Past it they are dropped, as a network drops.
const WAITING: usize = 128;
/// How often a frame is sent that must not be lost and is not said again by itself: a goodbye.
const COPIES: usize = 3;
/// How long to wait where the socket fails.
const FAILED: Duration = Duration::from_millis(50);
/// Where the token is in a prefix.
const TOKEN: std::ops::Range<usize> = 4..Prefix::LEN;

/// What is done with a datagram.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Verdict {
    /// Nothing.
    Ignore,
    /// These bytes are sent back; never more than came.
    Answer(Bytes),
    /// A hello that proves its address: a new session with this token begins with it.
    Enter { token: u64, hello: Bytes },
    /// A frame of the session that the address has.
    Frame(Bytes),
}

/// Stands before everything else, and remembers nothing.
#[derive(Debug)]
struct Gate {
    cookie: Cookie,
}

impl Gate {
    /// What becomes of a datagram from an address whose session, if it has one, has the token `known`.
    fn handle(&self, now: Micros, from: SocketAddr, bytes: &[u8], known: Option<u64>) -> Verdict {
        if bytes.len() > MAX_PACKET {
            return Verdict::Ignore;
        }
        let Ok(prefix) = Prefix::read(&mut Reader::new(bytes)) else {
            return Verdict::Ignore;
        };
        match prefix.kind {
            PrefixKind::Session if known == Some(prefix.token) => {
                Verdict::Frame(Bytes::copy_from_slice(&bytes[Prefix::LEN..]))
            }
            PrefixKind::Hello if prefix.version != VERSION => {
                let (token, refusal) = (prefix.token, Refusal::Version);
                answer(&Opening::Refuse { token, refusal }, bytes.len())
            }
            // Heard again because the welcome was lost: it is answered again, however old its token is.
            PrefixKind::Hello if known == Some(prefix.token) => Verdict::Frame(anonymous(bytes)),
            PrefixKind::Hello if self.cookie.proves(now, &written(from), prefix.token) => {
                Verdict::Enter {
                    token: prefix.token,
                    hello: anonymous(bytes),
                }
            }
            PrefixKind::Hello => {
                let token = self.cookie.challenge(now, &written(from));
                answer(&Opening::Challenge { token }, bytes.len())
            }
            _ => Verdict::Ignore,
        }
    }
}

/// What goes back to an address that may not be its sender's: no more than came from there.
fn answer(opening: &Opening, most: usize) -> Verdict {
    let bytes = encode(opening);
    if bytes.len() > most {
        return Verdict::Ignore;
    }
    Verdict::Answer(bytes)
}

fn encode(opening: &Opening) -> Bytes {
    let mut buffer = [0; 64];
    let mut writer = Writer::new(&mut buffer);
    opening.write(&mut writer);
    let len = writer
        .finish()
        .expect("no answer of the gate is longer than 64 bytes");
    Bytes::copy_from_slice(&buffer[..len])
}

/// The frame as the session knows it, which has no tokens: the socket's address is who it is.
fn anonymous(bytes: &[u8]) -> Bytes {
    let mut bytes = BytesMut::from(bytes);
    bytes[TOKEN].fill(0);
    bytes.freeze()
}

/// The session's frame as it goes out: with the token in its prefix, or behind a prefix of its own.
fn addressed(bytes: &[u8], token: u64) -> Bytes {
    if is_prefixed(bytes) && bytes.len() >= Prefix::LEN {
        let mut bytes = BytesMut::from(bytes);
        bytes[TOKEN].copy_from_slice(&token.to_le_bytes());
        return bytes.freeze();
    }
    let prefix = encode(&Opening::Session { token });
    let mut whole = BytesMut::with_capacity(prefix.len() + bytes.len());
    whole.put(prefix);
    whole.put(bytes);
    whole.freeze()
}

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
    token: u64,
    frames: mpsc::Sender<Bytes>,
}

/// Plays with everybody on this socket until the relay stops; ends when the last of them has. `key` is drawn anew each
/// time.
pub async fn serve(socket: UdpSocket, relay: Relay, key: [u8; 16]) {
    let start = Instant::now();
    let gate = Gate {
        cookie: Cookie::new(key),
    };
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
        let known = peers.get(&from);
        let token = known.map(|peer| peer.token);
        match gate.handle(Micros::new(elapsed), from, &buffer[..len], token) {
            Verdict::Ignore => {}
            // A socket that takes no more loses it, and the client asks again.
            Verdict::Answer(bytes) => drop(socket.try_send_to(&bytes, from)),
            Verdict::Frame(bytes) => {
                if let Some(peer) = known {
                    // One that does not keep up loses frames.
                    let _ = peer.frames.try_send(bytes);
                }
            }
            Verdict::Enter { token, hello } => {
                // Whoever was there before has gone: the address is somebody's who asks anew.
                peers.remove(&from);
                match enter(&socket, &relay, from, token, hello) {
                    Ok((peer, session)) => {
                        peers.insert(from, peer);
                        sessions.spawn(session);
                    }
                    Err(why) => {
                        tracing::info!(address = %from, why, "a native client is refused");
                        let refusal = Refusal::Full;
                        let answer = encode(&Opening::Refuse { token, refusal });
                        let _ = socket.try_send_to(&answer, from);
                    }
                }
            }
        }
    }
    // Each hears the relay's goodbye, from its room.
    while sessions.join_next().await.is_some() {}
}

fn enter(
    socket: &Arc<UdpSocket>,
    relay: &Relay,
    from: SocketAddr,
    token: u64,
    hello: Bytes,
) -> Result<(Peer, impl Future<Output = ()> + Send + use<>), String> {
    let address = normal(from.ip());
    let permit = relay
        .limits
        .connection(address)
        .map_err(|error| error.to_string())?;
    let pass = relay.rooms.quick().map_err(|error| error.to_string())?;
    let (frames, waiting) = mpsc::channel(WAITING);
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
        token,
    };
    let session = play_as(relay.clone(), guest, pass, source, sink);
    Ok((Peer { token, frames }, session))
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
#[derive(Debug)]
struct UdpSink {
    socket: Arc<UdpSocket>,
    to: SocketAddr,
    token: u64,
}

impl Sink for UdpSink {
    async fn word(&mut self, _text: String) -> Result<(), CarrierError> {
        Ok(())
    }

    async fn packet(&mut self, bytes: Bytes, keep: bool) -> Result<(), CarrierError> {
        let frame = addressed(&bytes, self.token);
        if frame.len() > MAX_PACKET {
            let (bytes, most) = (frame.len(), MAX_PACKET);
            return Err(CarrierError::TooLarge { bytes, most });
        }
        // A welcome is said again when the hello is; what else must arrive is said more than once now, and heard once.
        let copies = if keep && !is_prefixed(&bytes) {
            COPIES
        } else {
            1
        };
        for _ in 0..copies {
            match self.socket.send_to(&frame, self.to).await {
                Ok(_) => {}
                // An unreachable peer is found out by its silence.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    async fn close(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Micros = Micros::new(3_000_000);

    fn gate() -> Gate {
        Gate {
            cookie: Cookie::new([7; 16]),
        }
    }

    fn at(port: u16) -> SocketAddr {
        SocketAddr::from(([203, 0, 113, 9], port))
    }

    /// A hello of 40 bytes, whose body the gate does not read.
    fn hello(token: u64) -> Vec<u8> {
        let mut bytes = vec![0xAA; 40];
        let mut writer = Writer::new(&mut bytes[..Prefix::LEN]);
        Prefix::new(PrefixKind::Hello, token).write(&mut writer);
        assert_eq!(writer.finish(), Ok(Prefix::LEN));
        bytes
    }

    fn session(token: u64, frame: &[u8]) -> Vec<u8> {
        addressed(frame, token).to_vec()
    }

    fn challenge(gate: &Gate, from: SocketAddr) -> u64 {
        let Verdict::Answer(bytes) = gate.handle(NOW, from, &hello(0), None) else {
            panic!("a hello without a token is answered");
        };
        assert_eq!(bytes.len(), Prefix::LEN);
        let Ok(Opening::Challenge { token }) = Opening::read(&mut Reader::new(&bytes)) else {
            panic!("by a challenge");
        };
        token
    }

    #[test]
    fn an_address_is_proved_by_echoing_what_was_said_to_it() {
        let gate = gate();
        let token = challenge(&gate, at(1));
        let entered = gate.handle(NOW, at(1), &hello(token), None);
        let plain = Bytes::from(hello(0));
        let enter = Verdict::Enter {
            token,
            hello: plain.clone(),
        };
        assert_eq!(entered, enter);
        // From elsewhere, or made up, it is worth another challenge.
        for (from, token) in [(at(2), token), (at(1), token ^ 1), (at(1), 0)] {
            let verdict = gate.handle(NOW, from, &hello(token), None);
            assert!(matches!(verdict, Verdict::Answer(_)), "{verdict:?}");
        }
        // Once it is in, the same hello is its own even when the token is long too old.
        let later = Micros::new(90_000_000);
        let verdict = gate.handle(later, at(1), &hello(token), Some(token));
        assert_eq!(verdict, Verdict::Frame(plain));
    }

    #[test]
    fn frames_are_taken_from_the_address_and_the_token_of_the_session_only() {
        let gate = gate();
        let bytes = session(5, &[1, 2, 3]);
        let verdict = |known| gate.handle(NOW, at(1), &bytes, known);
        assert_eq!(
            verdict(Some(5)),
            Verdict::Frame(Bytes::from_static(&[1, 2, 3]))
        );
        assert_eq!(verdict(Some(6)), Verdict::Ignore);
        assert_eq!(verdict(None), Verdict::Ignore);
    }

    #[test]
    fn nothing_is_answered_by_more_than_came_and_rubbish_by_nothing() {
        let gate = gate();
        let mut foreign = hello(0);
        foreign[2] = VERSION + 1;
        for len in 0..foreign.len() {
            match gate.handle(NOW, at(1), &foreign[..len], None) {
                Verdict::Answer(bytes) => assert!(bytes.len() <= len, "{len}"),
                verdict => assert_eq!(verdict, Verdict::Ignore, "{len}"),
            }
        }
        let Verdict::Answer(refused) = gate.handle(NOW, at(1), &foreign, None) else {
            panic!("another version is told so");
        };
        let read = Opening::read(&mut Reader::new(&refused)).unwrap();
        let (token, refusal) = (0, Refusal::Version);
        assert_eq!(read, Opening::Refuse { token, refusal });
        for kind in [
            PrefixKind::Challenge,
            PrefixKind::Welcome,
            PrefixKind::Refuse,
        ] {
            let mut bytes = hello(0);
            bytes[3] = kind.code();
            assert_eq!(gate.handle(NOW, at(1), &bytes, None), Verdict::Ignore);
        }
        let long = session(5, &[0; MAX_PACKET]);
        assert_eq!(gate.handle(NOW, at(1), &long, Some(5)), Verdict::Ignore);
    }

    #[test]
    fn an_address_is_the_same_in_either_family() {
        let v4: SocketAddr = "203.0.113.9:77".parse().unwrap();
        let mapped: SocketAddr = "[::ffff:203.0.113.9]:77".parse().unwrap();
        assert_eq!(written(v4), written(mapped));
        assert_ne!(written(v4), written(at(78)));
    }

    #[test]
    fn a_frame_goes_out_with_the_token_of_its_session() {
        let refused = encode(&Opening::Refuse {
            token: 0,
            refusal: Refusal::Full,
        });
        let read = |bytes: &Bytes| Opening::read(&mut Reader::new(bytes)).unwrap();
        let (token, refusal) = (9, Refusal::Full);
        assert_eq!(
            read(&addressed(&refused, 9)),
            Opening::Refuse { token, refusal }
        );
        let frame = addressed(&[1, 2, 3], 9);
        assert_eq!(frame[Prefix::LEN..], [1, 2, 3]);
        assert_eq!(read(&frame), Opening::Session { token: 9 });
    }
}
