//! WebSocket: text is a word, binary a frame. Late but whole, and in order.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::any;
use bytes::Bytes;
use hyper::upgrade::{Parts, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_tungstenite::tungstenite::error::{CapacityError, ProtocolError};
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::socket::{Framed, Socket};
use super::{CLOSE, refusal};
use crate::access::peer;
use crate::relay::Relay;
use crate::session::{CarrierError, Guest, Heard, Shortcut, Sink, Source, Transport, Tried, play};

/// How often the other end is asked whether it is there; below a third of the idle limit, so that two answers may be
/// lost on the way.
const PING: Duration = Duration::from_secs(3);
/// Bytes read at once: a command and all that it repeats, a few times over. The codec clears them for each read, so more
/// would cost a core more than the second read that a longer message takes.
const READ_BUFFER: usize = 1024;
/// Bytes of what is not yet written that end the connection: never reached, because every message is flushed before the
/// next one is put in, and there for the day that this is no longer so.
const WRITE_BUFFER: usize = 64 << 10;

/// `/ws`.
pub fn router(relay: Relay) -> Router {
    Router::new().route("/ws", any(upgrade)).with_state(relay)
}

async fn upgrade(State(relay): State<Relay>, mut request: Request) -> Response {
    let access = relay.access();
    let address = access.client(peer(request.extensions()), request.headers());
    if let Err(error) = access.check(request.headers()) {
        tracing::info!(%address, %error, "a WebSocket is refused");
        return refusal(StatusCode::FORBIDDEN, "origin", &error.to_string());
    }
    if relay.is_stopping() {
        return refusal(
            StatusCode::SERVICE_UNAVAILABLE,
            "restarting",
            "The relay is restarting.",
        );
    }
    let answer = match create_response_with_body(&request, Body::empty) {
        Ok(answer) => answer,
        Err(error) => {
            return refusal(
                StatusCode::BAD_REQUEST,
                "bad_request",
                &format!("This is where WebSockets begin: {error}."),
            );
        }
    };
    let permit = match relay.limits.connection(address) {
        Ok(permit) => permit,
        Err(error) => {
            tracing::info!(%address, %error, "a WebSocket is refused");
            return refusal(
                StatusCode::TOO_MANY_REQUESTS,
                "connections",
                &error.to_string(),
            );
        }
    };
    let limits = &relay.settings.limits;
    let (idle, most) = (limits.idle(), limits.max_message as usize);
    let guest = Guest {
        address,
        transport: Transport::WebSocket,
        permit,
    };
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(most))
        .max_frame_size(Some(most));
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        match upgraded.await.map(Upgraded::downcast::<TokioIo<TcpStream>>) {
            // The socket itself, without what HTTP has put around it.
            Ok(Ok(Parts { io, read_buf, .. })) => {
                let socket = Framed::new(io.into_inner(), read_buf.into(), config);
                let (source, sink) = split(socket, idle);
                play(relay, guest, source, sink).await;
            }
            Ok(Err(encrypted)) => {
                let socket = Framed::new(TokioIo::new(encrypted), Vec::new(), config);
                let (source, sink) = split(socket, idle);
                play(relay, guest, source, sink).await;
            }
            Err(error) => tracing::debug!(%error, "gone before it was a WebSocket"),
        }
    });
    answer
}

/// The two halves of a socket whose other end is given up after `idle` without a sign of life.
pub fn split<S: Socket>(socket: S, idle: Duration) -> (WsSource<S>, WsSink<S>) {
    let line = Arc::new(Mutex::new(Line {
        socket,
        begun: false,
    }));
    let now = Instant::now();
    let source = WsSource {
        line: Arc::clone(&line),
        heard: now,
        ping: now + PING,
        idle,
        look: Box::pin(sleep(PING.min(idle))),
    };
    (source, WsSink { line, idle })
}

/// Both ways of a socket: each call is short, so they share a lock and nobody waits for the other's peer.
struct Line<S> {
    socket: S,
    /// A message was put in that is not wholly out.
    begun: bool,
}

impl<S: Socket> Line<S> {
    /// Ready once what was put in is out.
    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if self.begun {
            ready!(self.socket.poll_flush(cx))?;
            self.begun = false;
        }
        Poll::Ready(Ok(()))
    }

    /// Puts a message in.
    fn put(&mut self, message: Message) -> Result<(), Error> {
        self.begun = true;
        self.socket.put(message)
    }
}

/// Nothing is done under this lock that could leave a message half changed: the codec keeps what it has begun.
fn lock<S>(line: &Mutex<Line<S>>) -> MutexGuard<'_, Line<S>> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hears, and asks now and then whether the other end is still there.
pub struct WsSource<S> {
    line: Arc<Mutex<Line<S>>>,
    heard: Instant,
    /// When it is asked next.
    ping: Instant,
    idle: Duration,
    /// One timer for all of that and all messages, set when it fires.
    look: Pin<Box<Sleep>>,
}

impl<S: Socket> WsSource<S> {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Heard, CarrierError>> {
        loop {
            let polled = lock(&self.line).socket.poll_read(cx);
            let Poll::Ready(message) = polled else { break };
            self.heard = Instant::now();
            return Poll::Ready(match message {
                Ok(Message::Text(text)) => Ok(Heard::Word(text.to_string())),
                Ok(Message::Binary(bytes)) => Ok(Heard::Packet(bytes)),
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => continue,
                Ok(Message::Close(_)) => Err(CarrierError::Closed),
                Err(error) => Err(failed(error)),
            });
        }
        while self.look.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            if now >= self.heard + self.idle {
                return Poll::Ready(Err(CarrierError::Silent(self.idle)));
            }
            if now >= self.ping {
                self.ping = now + PING;
                // While something is being written, that is what will be answered. A ping that does not fit stays in the
                // buffer and goes before the next message.
                let mut line = lock(&self.line);
                if !line.begun && line.poll_flush(cx).is_ready() {
                    // A socket that fails is heard of by reading.
                    let _ = line.put(Message::Ping(Bytes::new()));
                    let _ = line.poll_flush(cx);
                }
            }
            let next = self.ping.min(self.heard + self.idle);
            self.look.as_mut().reset(next);
        }
        Poll::Pending
    }
}

impl<S: Socket> Source for WsSource<S> {
    async fn next(&mut self) -> Result<Heard, CarrierError> {
        poll_fn(|cx| self.poll_next(cx)).await
    }
}

/// Speaks. A message is only done when the system has taken it all, so whoever waits for that knows a full socket, and
/// may say something newer instead of what it meanwhile would have said.
pub struct WsSink<S> {
    line: Arc<Mutex<Line<S>>>,
    idle: Duration,
}

impl<S: Socket> WsSink<S> {
    async fn send(&self, message: Message) -> Result<(), CarrierError> {
        let mut message = Some(message);
        self.in_time(|line, cx| {
            if message.is_some() {
                ready!(line.poll_flush(cx))?;
            }
            if let Some(message) = message.take() {
                line.put(message)?;
            }
            line.poll_flush(cx)
        })
        .await
    }

    /// Does what may have to wait for the system, for as long as the other end may take.
    async fn in_time(
        &self,
        mut step: impl FnMut(&mut Line<S>, &mut Context<'_>) -> Poll<Result<(), Error>>,
    ) -> Result<(), CarrierError> {
        let stepping = poll_fn(|cx| step(&mut lock(&self.line), cx));
        match timeout(self.idle, stepping).await {
            Ok(done) => done.map_err(failed),
            Err(_) => Err(CarrierError::Silent(self.idle)),
        }
    }
}

impl<S: Socket> Sink for WsSink<S> {
    async fn word(&mut self, text: String) -> Result<(), CarrierError> {
        self.send(Message::Text(text.into())).await
    }

    async fn packet(&mut self, bytes: Bytes, _keep: bool) -> Result<(), CarrierError> {
        self.send(Message::Binary(bytes)).await
    }

    async fn flush(&mut self) -> Result<(), CarrierError> {
        self.in_time(Line::poll_flush).await
    }

    async fn close(&mut self) {
        let closing = async {
            if self.send(Message::Close(None)).await.is_err() {
                return;
            }
            // What is still on its way to us is heard out: a socket that is closed with something unread is reset, and a
            // reset overtakes our last words.
            while poll_fn(|cx| lock(&self.line).socket.poll_read(cx))
                .await
                .is_ok()
            {}
        };
        let _ = timeout(CLOSE, closing).await;
    }

    fn shortcut(&self) -> Option<Arc<dyn Shortcut>> {
        Some(Arc::new(WsShortcut(Arc::clone(&self.line))))
    }
}

/// Writes what the system takes at once.
struct WsShortcut<S>(Arc<Mutex<Line<S>>>);

impl<S: Socket> Shortcut for WsShortcut<S> {
    fn try_packet(&self, frame: &Bytes) -> Tried {
        // Who reads just now is soon done, but nobody waits here.
        let Ok(mut line) = self.0.try_lock() else {
            return Tried::Not;
        };
        let cx = &mut Context::from_waker(Waker::noop());
        match line.poll_flush(cx) {
            Poll::Pending => return Tried::Not,
            Poll::Ready(Err(_)) => return Tried::Sent,
            Poll::Ready(Ok(())) => {}
        }
        let put = line.put(Message::Binary(frame.clone()));
        match line.poll_flush(cx) {
            Poll::Pending if put.is_ok() => Tried::Begun,
            _ => Tried::Sent,
        }
    }
}

/// What the peer, or the system, did.
fn failed(error: Error) -> CarrierError {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { size, max_size }) => {
            CarrierError::TooLarge {
                bytes: size,
                most: max_size,
            }
        }
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::SendAfterClosing,
        ) => CarrierError::Closed,
        Error::Io(error) => CarrierError::Io(error),
        Error::Utf8(_) => CarrierError::Malformed {
            what: "text that is not UTF-8",
        },
        _ => CarrierError::Malformed {
            what: "bytes that are no WebSocket message",
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::sync::mpsc;

    use super::*;

    const IDLE: Duration = Duration::from_secs(10);

    /// A socket whose other end is the test.
    struct Fake {
        incoming: mpsc::UnboundedReceiver<Message>,
        sent: Arc<Mutex<Vec<Message>>>,
        /// The system takes nothing more.
        full: Arc<AtomicBool>,
    }

    impl Socket for Fake {
        fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<Message, Error>> {
            let heard = ready!(self.incoming.poll_recv(cx));
            Poll::Ready(heard.ok_or(Error::ConnectionClosed))
        }

        fn put(&mut self, message: Message) -> Result<(), Error> {
            self.sent.lock().unwrap().push(message);
            Ok(())
        }

        fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
            if self.full.load(Ordering::Relaxed) {
                Poll::Pending
            } else {
                Poll::Ready(Ok(()))
            }
        }
    }

    struct Peer {
        say: mpsc::UnboundedSender<Message>,
        heard: Arc<Mutex<Vec<Message>>>,
        full: Arc<AtomicBool>,
    }

    impl Peer {
        fn pings(&self) -> usize {
            let heard = self.heard.lock().unwrap();
            let ping = |message: &&Message| matches!(message, Message::Ping(_));
            heard.iter().filter(ping).count()
        }
    }

    fn pair(full: bool) -> (WsSource<Fake>, WsSink<Fake>, Peer) {
        let (say, incoming) = mpsc::unbounded_channel();
        let heard = Arc::<Mutex<Vec<Message>>>::default();
        let full = Arc::new(AtomicBool::new(full));
        let fake = Fake {
            incoming,
            sent: Arc::clone(&heard),
            full: Arc::clone(&full),
        };
        let (source, sink) = split(fake, IDLE);
        (source, sink, Peer { say, heard, full })
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_peer_is_asked_every_three_seconds_and_given_up_after_ten() {
        let (mut source, _sink, peer) = pair(false);
        let start = Instant::now();
        let error = source.next().await.unwrap_err();
        assert!(matches!(error, CarrierError::Silent(IDLE)), "{error}");
        assert_eq!(start.elapsed(), IDLE);
        assert_eq!(peer.pings(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn any_sign_of_life_keeps_the_connection_and_text_and_binary_are_told_apart() {
        let (mut source, _sink, peer) = pair(false);
        let life = async {
            for _ in 0..5 {
                tokio::time::sleep(Duration::from_secs(9)).await;
                peer.say.send(Message::Pong(Bytes::new())).unwrap();
            }
            peer.say.send(Message::Text("{}".into())).unwrap();
            let bytes = Bytes::from_static(&[1]);
            peer.say.send(Message::Binary(bytes)).unwrap();
            peer.say.send(Message::Close(None)).unwrap();
        };
        let start = Instant::now();
        let (word, ()) = tokio::join!(source.next(), life);
        assert_eq!(word.unwrap(), Heard::Word("{}".to_owned()));
        assert_eq!(start.elapsed(), Duration::from_secs(45));
        let packet = source.next().await.unwrap();
        assert_eq!(packet, Heard::Packet(Bytes::from_static(&[1])));
        let end = source.next().await.unwrap_err();
        assert!(matches!(end, CarrierError::Closed), "{end}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_socket_that_takes_nothing_is_given_up_and_its_reader_does_not_wait_for_it() {
        let (mut source, mut sink, peer) = pair(true);
        let start = Instant::now();
        let talk = async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            peer.say.send(Message::Text("still".into())).unwrap();
        };
        let stuck = sink.packet(Bytes::from_static(&[1]), false);
        let heard = async {
            let heard = source.next().await.unwrap();
            (heard, start.elapsed())
        };
        let (stuck, heard, ()) = tokio::join!(stuck, heard, talk);
        let error = stuck.unwrap_err();
        assert!(matches!(error, CarrierError::Silent(IDLE)), "{error}");
        assert_eq!(start.elapsed(), IDLE);
        let word = Heard::Word("still".to_owned());
        assert_eq!(heard, (word, Duration::from_secs(5)));
    }

    #[tokio::test]
    async fn the_shortcut_writes_what_goes_at_once_and_leaves_the_rest_to_the_pump() {
        let (_source, mut sink, peer) = pair(false);
        let shortcut = sink.shortcut().expect("a WebSocket has one");
        let frame = |byte| Bytes::from(vec![byte]);
        assert_eq!(shortcut.try_packet(&frame(1)), Tried::Sent);
        peer.full.store(true, Ordering::Relaxed);
        assert_eq!(shortcut.try_packet(&frame(2)), Tried::Begun);
        assert_eq!(shortcut.try_packet(&frame(3)), Tried::Not);
        peer.full.store(false, Ordering::Relaxed);
        sink.flush().await.unwrap();
        assert_eq!(shortcut.try_packet(&frame(4)), Tried::Sent);
        let line = lock(&sink.line);
        assert_eq!(shortcut.try_packet(&frame(5)), Tried::Not, "in use");
        drop(line);
        let sent = peer.heard.lock().unwrap().clone();
        assert_eq!(sent, [1, 2, 4].map(|byte| Message::Binary(frame(byte))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_close_hears_the_peer_out_and_waits_a_second_at_most() {
        let (_source, mut sink, peer) = pair(false);
        let start = Instant::now();
        peer.say.send(Message::Text("on its way".into())).unwrap();
        sink.close().await;
        assert_eq!(start.elapsed(), CLOSE);
        assert_eq!(*peer.heard.lock().unwrap(), [Message::Close(None)]);
        drop(peer);
        let start = Instant::now();
        sink.close().await;
        assert_eq!(start.elapsed(), Duration::ZERO, "its end is gone");
    }
}
