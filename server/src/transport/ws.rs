//! WebSocket: text is a word, binary a frame. Late but whole, and in order.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use axum::{Error, RequestExt as _, Router};
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
use tokio::sync::Mutex;
use tokio::time::{Instant, Interval, MissedTickBehavior, Sleep, interval_at, sleep, timeout};
use tokio_tungstenite::tungstenite;

use super::{CLOSE, refusal};
use crate::access::peer;
use crate::relay::Relay;
use crate::session::{CarrierError, Guest, Heard, Sink, Source, Transport, play};

/// How often the other end is asked whether it is there; below a third of the idle limit, so that two answers may be
/// lost on the way.
const PING: Duration = Duration::from_secs(3);
/// Bytes read at once. What a connection costs a core is mostly this buffer's turn through its cache.
const READ_BUFFER: usize = 4096;
/// Bytes of what is not yet written that end the connection: never reached, because every message is flushed before the
/// next one is put in, and there for the day that this is no longer so.
const WRITE_BUFFER: usize = 64 << 10;

/// A socket that messages go through both ways.
pub trait Socket:
    futures_util::Stream<Item = Result<Message, Error>>
    + futures_util::Sink<Message, Error = Error>
    + Send
    + Unpin
{
}

impl<T> Socket for T where
    T: futures_util::Stream<Item = Result<Message, Error>>
        + futures_util::Sink<Message, Error = Error>
        + Send
        + Unpin
{
}

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
    let upgrade: WebSocketUpgrade = match request.extract_parts().await {
        Ok(upgrade) => upgrade,
        Err(refused) => return refused.into_response(),
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
    upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(most)
        .max_frame_size(most)
        .on_upgrade(move |socket: WebSocket| {
            let (source, sink) = split(socket, idle);
            play(relay, guest, source, sink)
        })
}

/// The two halves of a socket whose other end is given up after `idle` without a sign of life.
pub fn split<S: Socket>(socket: S, idle: Duration) -> (WsSource<S>, WsSink<S>) {
    let (writing, reading) = socket.split();
    let reading = Arc::new(Mutex::new(reading));
    let writing = Arc::new(Mutex::new(writing));
    let mut ping = interval_at(Instant::now() + PING, PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let source = WsSource {
        reading: Arc::clone(&reading),
        writing: Arc::clone(&writing),
        ping,
        heard: Instant::now(),
        idle,
        silence: Box::pin(sleep(idle)),
    };
    let sink = WsSink {
        reading,
        writing,
        idle,
    };
    (source, sink)
}

/// Hears, and asks now and then whether the other end is still there.
#[derive(Debug)]
pub struct WsSource<S> {
    reading: Arc<Mutex<SplitStream<S>>>,
    writing: Arc<Mutex<SplitSink<S, Message>>>,
    ping: Interval,
    heard: Instant,
    idle: Duration,
    /// When the other end has been silent for too long, as it was known when this was last set: one timer for all messages.
    silence: Pin<Box<Sleep>>,
}

impl<S: Socket> Source for WsSource<S> {
    async fn next(&mut self) -> Result<Heard, CarrierError> {
        let mut reading = self.reading.lock().await;
        loop {
            tokio::select! {
                biased;
                message = reading.next() => {
                    self.heard = Instant::now();
                    match message {
                        Some(Ok(Message::Text(text))) => return Ok(Heard::Word(text.to_string())),
                        Some(Ok(Message::Binary(bytes))) => return Ok(Heard::Packet(bytes)),
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                        Some(Ok(Message::Close(_))) | None => return Err(CarrierError::Closed),
                        Some(Err(error)) => return Err(failed(error)),
                    }
                }
                () = &mut self.silence => {
                    let until = self.heard + self.idle;
                    if Instant::now() >= until {
                        return Err(CarrierError::Silent(self.idle));
                    }
                    self.silence.as_mut().reset(until);
                }
                _ = self.ping.tick() => {
                    // While something is being written, that is what will be answered. A ping that does not fit stays
                    // in the buffer and goes before the next message.
                    if let Ok(mut writing) = self.writing.try_lock() {
                        let _ = writing.send(Message::Ping(Bytes::new())).now_or_never();
                    }
                }
            }
        }
    }
}

/// Speaks. A message is only done when the system has taken it all, so whoever waits for that knows a full socket, and
/// may say something newer instead of what it meanwhile would have said.
#[derive(Debug)]
pub struct WsSink<S> {
    reading: Arc<Mutex<SplitStream<S>>>,
    writing: Arc<Mutex<SplitSink<S, Message>>>,
    idle: Duration,
}

impl<S: Socket> WsSink<S> {
    async fn send(&self, message: Message) -> Result<(), CarrierError> {
        let mut writing = self.writing.lock().await;
        match timeout(self.idle, writing.send(message)).await {
            Ok(sent) => sent.map_err(failed),
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

    async fn close(&mut self) {
        let closing = async {
            if self.send(Message::Close(None)).await.is_err() {
                return;
            }
            // What is still on its way to us is heard out: a socket that is closed with something unread is reset, and a
            // reset overtakes our last words.
            let mut reading = self.reading.lock().await;
            while let Some(Ok(_)) = reading.next().await {}
        };
        let _ = timeout(CLOSE, closing).await;
    }
}

/// What the peer, or the system, did.
fn failed(error: Error) -> CarrierError {
    let error = error.into_inner();
    match error.downcast::<tungstenite::Error>() {
        Ok(error) => match *error {
            tungstenite::Error::Capacity(tungstenite::error::CapacityError::MessageTooLong {
                size,
                max_size,
            }) => CarrierError::TooLarge {
                bytes: size,
                most: max_size,
            },
            tungstenite::Error::ConnectionClosed
            | tungstenite::Error::AlreadyClosed
            | tungstenite::Error::Protocol(
                tungstenite::error::ProtocolError::ResetWithoutClosingHandshake
                | tungstenite::error::ProtocolError::SendAfterClosing,
            ) => CarrierError::Closed,
            tungstenite::Error::Io(error) => CarrierError::Io(error),
            tungstenite::Error::Utf8(_) => CarrierError::Malformed {
                what: "text that is not UTF-8",
            },
            _ => CarrierError::Malformed {
                what: "bytes that are no WebSocket message",
            },
        },
        Err(error) => CarrierError::Io(io::Error::other(error)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex as StdMutex;
    use std::task::{Context, Poll};

    use futures_util::{Sink as FuturesSink, Stream};
    use tokio::sync::mpsc;

    use super::*;

    const IDLE: Duration = Duration::from_secs(10);

    /// A socket whose other end is the test.
    struct Fake {
        incoming: mpsc::UnboundedReceiver<Message>,
        sent: Arc<StdMutex<Vec<Message>>>,
        /// The system takes nothing more.
        full: bool,
    }

    impl Stream for Fake {
        type Item = Result<Message, Error>;

        fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            self.incoming.poll_recv(cx).map(|message| message.map(Ok))
        }
    }

    impl FuturesSink<Message> for Fake {
        type Error = Error;

        fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
            Poll::Ready(Ok(()))
        }

        fn start_send(self: Pin<&mut Self>, message: Message) -> Result<(), Error> {
            self.sent.lock().unwrap().push(message);
            Ok(())
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
            if self.full {
                Poll::Pending
            } else {
                Poll::Ready(Ok(()))
            }
        }

        fn poll_close(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
            self.poll_flush(cx)
        }
    }

    struct Peer {
        say: mpsc::UnboundedSender<Message>,
        heard: Arc<StdMutex<Vec<Message>>>,
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
        let heard = Arc::<StdMutex<Vec<Message>>>::default();
        let sent = Arc::clone(&heard);
        let fake = Fake {
            incoming,
            sent,
            full,
        };
        let (source, sink) = split(fake, IDLE);
        (source, sink, Peer { say, heard })
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
