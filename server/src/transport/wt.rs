//! WebTransport: one stream for words and what must not be lost, datagrams for the rest.

use std::io;
use std::net::UdpSocket;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use rustls::ServerConfig as TlsConfig;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use wtransport::endpoint::endpoint_side::Server;
use wtransport::endpoint::{IncomingSession, SessionRequest};
use wtransport::error::{ConnectionError, StreamReadError, StreamWriteError};
use wtransport::quinn::{
    ConnectionError as QuicError, IdleTimeout, SendDatagramError, TransportConfig,
    VarInt as QuinnVarInt,
};
use wtransport::{Connection, Endpoint, RecvStream, SendStream, ServerConfig, VarInt};

use super::congestion::FixedWindows;
use super::datagrams::Datagrams;
use super::stream::{Said, StreamFault, StreamReader};
use super::{CLOSE, DATAGRAM, MESSAGE};
use crate::address::normal;
use crate::origin::OriginError;
use crate::relay::Relay;
use crate::session::{CarrierError, Guest, Heard, Shortcut, Sink, Source, Transport, Tried, play};

/// The only path that is answered.
const PATH: &str = "/wt";
/// How long the whole of a handshake may take, from its first packet to the client's stream.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Handshakes under way from which on an address has to prove itself before it costs anything: one more round trip,
/// which nobody pays while it is quiet.
const CALM: usize = 32;
/// How often a connection on which nothing is sent is kept alive. Below a third of the idle limit.
const KEEP_ALIVE: Duration = Duration::from_secs(2);
/// Datagrams that wait in the connection: a stall is followed by what is fresh, so the old is dropped for it.
const WAITING: usize = 4;
/// Bytes that a datagram costs beside its own, in the connection's queue and on the wire.
const DATAGRAM_COST: usize = 64;
/// Bytes of datagrams that came and were not yet taken.
const RECEIVED: usize = 64 << 10;
/// Bytes that a stream's peer may send ahead: four messages.
const STREAM_AHEAD: u32 = 16 << 10;
/// Bytes of all its streams, of which HTTP has three.
const AHEAD: u32 = 64 << 10;
/// Streams that a client may open of each kind: HTTP's control and header streams, the session, ours, and a spare or two.
const STREAMS: u32 = 8;
/// First packets of connections that nobody has looked at yet.
const INCOMING: usize = 512;
/// A browser keeps about so many datagrams that come at once.
const BURST: usize = 8;
/// And takes so long to come to them.
const BURST_TIME: Duration = Duration::from_millis(16);
/// Bytes read from the stream at once.
const READ: usize = 2048;

/// A server for WebTransport on this socket.
pub fn endpoint(socket: UdpSocket, tls: TlsConfig, idle: Duration) -> io::Result<Endpoint<Server>> {
    let mut config = ServerConfig::builder()
        .with_bind_socket(socket)
        .with_custom_tls_and_transport(tls, transport_config(idle))
        .build();
    config.quic_config_mut().max_incoming(INCOMING);
    Endpoint::server(config)
}

/// What both ends of a game's connection want of QUIC; native clients take it too.
pub fn transport_config(idle: Duration) -> TransportConfig {
    let mut config = TransportConfig::default();
    config
        .congestion_controller_factory(Arc::new(FixedWindows))
        .max_idle_timeout(IdleTimeout::try_from(idle).ok())
        .keep_alive_interval(Some(KEEP_ALIVE.min(idle / 4)))
        .datagram_send_buffer_size(WAITING * (DATAGRAM + DATAGRAM_COST))
        .datagram_receive_buffer_size(Some(RECEIVED))
        .stream_receive_window(STREAM_AHEAD.into())
        .receive_window(AHEAD.into())
        .send_window(AHEAD.into())
        .max_concurrent_bidi_streams(QuinnVarInt::from_u32(STREAMS))
        .max_concurrent_uni_streams(QuinnVarInt::from_u32(STREAMS))
        // Our packets fit the smallest path; larger ones would only be lost to find out.
        .mtu_discovery_config(None);
    config
}

/// Accepts sessions until the relay stops; ends when the last of them has.
pub async fn serve(endpoint: Endpoint<Server>, relay: Relay) {
    let mut handshakes = JoinSet::new();
    let mut sessions = JoinSet::new();
    loop {
        tokio::select! {
            incoming = endpoint.accept() => {
                if let Some(entered) = enter(incoming, &relay, handshakes.len()) {
                    handshakes.spawn(entered);
                }
            }
            // Each ends by itself, in time; a panic in one is its own.
            Some(ended) = handshakes.join_next() => {
                if let Ok(Some((connection, send, receive, guest))) = ended {
                    let idle = relay.settings.limits.idle();
                    let (source, sink) = split(connection, send, receive, idle);
                    sessions.spawn(play(relay.clone(), guest, source, sink));
                }
            }
            Some(_) = sessions.join_next() => {}
            () = relay.stopped() => break,
        }
    }
    handshakes.shutdown().await;
    while sessions.join_next().await.is_some() {}
    // Only now: it would panic under an accept that waits.
    endpoint.close(VarInt::from_u32(0), b"");
    let _ = timeout(CLOSE, endpoint.wait_idle()).await;
}

type Entered = (Connection, SendStream, RecvStream, Guest);

/// The handshake of a connection that may have a place; `None` if it may not, and then it is told so.
fn enter(
    incoming: IncomingSession,
    relay: &Relay,
    under_way: usize,
) -> Option<impl Future<Output = Option<Entered>> + Send + use<>> {
    let address = normal(incoming.remote_address().ip());
    if under_way >= CALM && !incoming.remote_address_validated() {
        incoming.retry();
        return None;
    }
    let permit = match relay.limits.connection(address) {
        Ok(permit) => permit,
        Err(error) => {
            tracing::info!(%address, %error, "a WebTransport connection is refused");
            incoming.refuse();
            return None;
        }
    };
    let guest = Guest {
        address,
        transport: Transport::WebTransport,
        permit,
    };
    let relay = relay.clone();
    Some(async move {
        match timeout(HANDSHAKE, shake_hands(incoming, &relay)).await {
            Ok(Ok((connection, send, receive))) => Some((connection, send, receive, guest)),
            Ok(Err(error)) => {
                tracing::debug!(%address, %error, "no WebTransport session");
                None
            }
            Err(_) => {
                tracing::debug!(%address, "a WebTransport handshake that took too long");
                None
            }
        }
    })
}

/// Why a connection became no session.
#[derive(Debug, thiserror::Error)]
enum NoSession {
    #[error("{0}")]
    Connection(#[from] ConnectionError),
    #[error("{0}")]
    Origin(#[from] OriginError),
    #[error("the path is not {PATH}")]
    Path,
    #[error("it takes no datagrams of {DATAGRAM} bytes")]
    Datagrams,
}

async fn shake_hands(
    incoming: IncomingSession,
    relay: &Relay,
) -> Result<(Connection, SendStream, RecvStream), NoSession> {
    let request = incoming.await?;
    if request.path() != PATH {
        request.not_found().await;
        return Err(NoSession::Path);
    }
    if let Err(error) = check(&request, relay) {
        tracing::info!(address = %request.remote_address(), %error, "a WebTransport session is refused");
        request.forbidden().await;
        return Err(error.into());
    }
    let connection = request.accept().await?;
    if !takes_datagrams(&connection) {
        return Err(NoSession::Datagrams);
    }
    let (send, receive) = connection.accept_bi().await?;
    Ok((connection, send, receive))
}

fn check(request: &SessionRequest, relay: &Relay) -> Result<(), OriginError> {
    let access = relay.access();
    access
        .origins
        .check(request.origin(), Some(request.authority()))
}

/// Whether our largest datagram goes through. The library's own sum for this takes the header off without a look at
/// whether there is as much, and the client chooses what it is taken off.
fn takes_datagrams(connection: &Connection) -> bool {
    /// The session's number before each datagram, at its longest.
    const HEADER: usize = 8;
    let most = connection.quic_connection().max_datagram_size();
    most.and_then(|most| most.checked_sub(HEADER)) >= Some(DATAGRAM)
}

/// The two halves of a session.
pub fn split(
    connection: Connection,
    send: SendStream,
    receive: RecvStream,
    idle: Duration,
) -> (WtSource, WtSink) {
    let datagrams = Arc::new(Datagrams::of(&connection));
    let source = WtSource::new(Arc::clone(&datagrams), receive);
    let lane = Arc::new(Lane {
        datagrams,
        pace: Mutex::default(),
    });
    let sink = WtSink {
        connection,
        send,
        idle,
        lane,
    };
    (source, sink)
}

/// A session's datagrams, and when the next may go.
#[derive(Debug)]
struct Lane {
    datagrams: Arc<Datagrams>,
    pace: Mutex<Pace>,
}

impl Lane {
    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hears the stream and the datagrams, whichever comes.
#[derive(Debug)]
pub struct WtSource {
    datagrams: Arc<Datagrams>,
    reader: StreamReader,
    /// The read of the stream that is under way. It stands by itself, so that a datagram does not ask the stream as well.
    reading: FuturesUnordered<Reading>,
}

type Reading = Pin<Box<dyn Future<Output = Piece> + Send>>;

/// What a read of the stream gave, and what the next one needs.
struct Piece {
    receive: RecvStream,
    buffer: Box<[u8; READ]>,
    read: Result<Option<usize>, StreamReadError>,
}

fn read(mut receive: RecvStream, mut buffer: Box<[u8; READ]>) -> Reading {
    Box::pin(async move {
        let read = receive.read(&mut buffer[..]).await;
        Piece {
            receive,
            buffer,
            read,
        }
    })
}

impl WtSource {
    /// Of these datagrams and this stream.
    pub fn new(datagrams: Arc<Datagrams>, receive: RecvStream) -> Self {
        Self {
            datagrams,
            reader: StreamReader::default(),
            reading: FuturesUnordered::from_iter([read(receive, Box::new([0; READ]))]),
        }
    }
}

impl Source for WtSource {
    async fn next(&mut self) -> Result<Heard, CarrierError> {
        loop {
            match self.reader.poll()? {
                Some(Said::Word(word)) => return Ok(Heard::Word(word)),
                Some(Said::Frame(frame)) => return Ok(Heard::Packet(frame)),
                None => {}
            }
            tokio::select! {
                biased;
                Some(piece) = self.reading.next() => {
                    let Piece { receive, buffer, read: count } = piece;
                    match count {
                        Ok(Some(count)) => self.reader.handle(&buffer[..count]),
                        Ok(None) | Err(StreamReadError::Reset(_) | StreamReadError::NotConnected) => {
                            return Err(CarrierError::Closed);
                        }
                        Err(StreamReadError::QuicProto) => return Err(broken()),
                    }
                    self.reading.push(read(receive, buffer));
                }
                datagram = self.datagrams.next() => {
                    let bytes = datagram.map_err(lost)?;
                    if bytes.len() > DATAGRAM {
                        return Err(CarrierError::TooLarge { bytes: bytes.len(), most: DATAGRAM });
                    }
                    return Ok(Heard::Packet(bytes));
                }
            }
        }
    }
}

/// Speaks. Datagrams are paced, because browsers drop what comes at once.
#[derive(Debug)]
pub struct WtSink {
    connection: Connection,
    send: SendStream,
    idle: Duration,
    lane: Arc<Lane>,
}

impl WtSink {
    async fn say(&mut self, said: Said) -> Result<(), CarrierError> {
        let bytes = said.encode()?;
        match timeout(self.idle, self.send.write_all(&bytes)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(StreamWriteError::QuicProto)) => Err(broken()),
            Ok(Err(_)) => Err(CarrierError::Closed),
            Err(_) => Err(CarrierError::Silent(self.idle)),
        }
    }
}

impl Sink for WtSink {
    async fn word(&mut self, text: String) -> Result<(), CarrierError> {
        if text.len() >= MESSAGE {
            // Of what the room says of itself the next is as good; a session is not ended for it.
            tracing::warn!(
                bytes = text.len(),
                "a word too long for the stream is left out"
            );
            return Ok(());
        }
        self.say(Said::Word(text)).await
    }

    async fn packet(&mut self, bytes: Bytes, keep: bool) -> Result<(), CarrierError> {
        if keep {
            return self.say(Said::Frame(bytes)).await;
        }
        if bytes.is_empty() {
            // One browser's reader falls silent for good at an empty datagram.
            return Ok(());
        }
        let too_large = CarrierError::TooLarge {
            bytes: bytes.len(),
            most: DATAGRAM,
        };
        if bytes.len() > DATAGRAM {
            return Err(too_large);
        }
        let due = self.lane.pace().due();
        sleep_until(due).await;
        self.lane.pace().sent(Instant::now());
        match self.lane.datagrams.send(&bytes) {
            Ok(()) => Ok(()),
            Err(SendDatagramError::ConnectionLost(_)) => Err(CarrierError::Closed),
            Err(SendDatagramError::TooLarge) => Err(too_large),
            Err(SendDatagramError::UnsupportedByPeer | SendDatagramError::Disabled) => {
                Err(CarrierError::Malformed {
                    what: "a connection without datagrams",
                })
            }
        }
    }

    async fn close(&mut self) {
        // What was said last is read before the connection goes, or the time is up: a browser throws away what its page has not
        // read yet. Whoever reads a goodbye closes.
        let _ = timeout(CLOSE, async {
            let _ = self.send.finish().await;
            self.connection.closed().await;
        })
        .await;
        self.connection.close(VarInt::from_u32(0), b"");
    }

    fn shortcut(&self) -> Option<Arc<dyn Shortcut>> {
        Some(Arc::clone(&self.lane) as Arc<dyn Shortcut>)
    }
}

impl Shortcut for Lane {
    fn try_packet(&self, frame: &Bytes) -> Tried {
        let now = Instant::now();
        let mut pace = self.pace();
        // What is not as it should be is the pump's to judge.
        if pace.due() > now || !(1..=DATAGRAM).contains(&frame.len()) {
            return Tried::Not;
        }
        pace.sent(now);
        // A connection that is gone is heard of by the source.
        let _ = self.datagrams.send(frame);
        Tried::Sent
    }
}

/// When the next datagram may go: never more than [`BURST`] in [`BURST_TIME`].
#[derive(Clone, Debug)]
struct Pace {
    /// When the last of them went, in a ring.
    sent: [Option<Instant>; BURST],
    next: usize,
    made: Instant,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            sent: [None; BURST],
            next: 0,
            made: Instant::now(),
        }
    }
}

impl Pace {
    fn due(&self) -> Instant {
        self.sent[self.next].map_or(self.made, |sent| sent + BURST_TIME)
    }

    fn sent(&mut self, now: Instant) {
        self.sent[self.next] = Some(now);
        self.next = (self.next + 1) % BURST;
    }
}

fn lost(error: QuicError) -> CarrierError {
    match error {
        QuicError::TimedOut => CarrierError::Io(io::ErrorKind::TimedOut.into()),
        QuicError::TransportError(_) => broken(),
        _ => CarrierError::Closed,
    }
}

const fn broken() -> CarrierError {
    CarrierError::Malformed {
        what: "bytes that are no WebTransport",
    }
}

impl From<StreamFault> for CarrierError {
    fn from(fault: StreamFault) -> Self {
        match fault {
            StreamFault::TooLarge(bytes) => Self::TooLarge {
                bytes,
                most: MESSAGE,
            },
            StreamFault::Empty => Self::Malformed {
                what: "a message of no bytes",
            },
            StreamFault::UnknownKind(_) => Self::Malformed {
                what: "a message of no known kind",
            },
            StreamFault::NotText => Self::Malformed {
                what: "a word that is not UTF-8",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn never_more_than_eight_datagrams_in_sixteen_milliseconds() {
        let mut pace = Pace::default();
        let mut sent = Vec::new();
        for _ in 0..100 {
            sleep_until(pace.due()).await;
            pace.sent(Instant::now());
            sent.push(Instant::now());
        }
        for window in sent.windows(BURST + 1) {
            assert!(window[BURST] - window[0] >= BURST_TIME);
        }
        let took = sent[99] - sent[0];
        assert!(took < Duration::from_millis(16 * 13), "{took:?}");
    }
}
