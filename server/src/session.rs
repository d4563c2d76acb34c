//! One carrier's session with the relay, from its first word to its end, whatever carries it.
//!
//! A carrier is a [`Source`] and a [`Sink`]: thin, and without a rule of its own. [`play`] is the rules: who they are, which
//! room, how much they may send, and what is given back when they are gone.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use netcode::Delivery;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tracing::{Instrument as _, Span, field};

use crate::limits::{Bucket, ConnectionPermit};
use crate::metrics::Direction;
use crate::relay::Relay;
use crate::rooms::{Answer, JoinError, Member, Out, Pass, Word};

/// What carries a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Late but whole and in order.
    WebSocket,
    /// Datagrams, and one stream for what must not be lost.
    WebTransport,
    /// Datagrams and nothing else: no words.
    Udp,
}

impl Transport {
    /// All of them, in the order of [`Transport::index`].
    pub const ALL: [Self; 3] = [Self::WebSocket, Self::WebTransport, Self::Udp];

    /// As words and metrics call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WebSocket => "ws",
            Self::WebTransport => "wt",
            Self::Udp => "udp",
        }
    }

    /// Its place in [`Transport::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// What it does with frames.
    pub const fn delivery(self) -> Delivery {
        match self {
            Self::WebSocket => Delivery::Ordered,
            Self::WebTransport | Self::Udp => Delivery::Datagram,
        }
    }
}

/// What a carrier heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// JSON, as yet unread.
    Word(String),
    /// A netcode frame, as yet unread.
    Packet(Bytes),
}

/// Why a carrier carries no longer; each says what the peer did.
#[derive(Debug, thiserror::Error)]
pub enum CarrierError {
    /// It closed the carrier, or its machine did.
    #[error("the carrier was closed")]
    Closed,
    /// It sent more in one piece than is taken.
    #[error("a message of {bytes} bytes; at most {most} are taken")]
    TooLarge {
        /// How many came, as far as is known.
        bytes: usize,
        /// How many are taken.
        most: usize,
    },
    /// It sent what this carrier does not carry.
    #[error("not what this carrier carries: {what}")]
    Malformed {
        /// What was wrong.
        what: &'static str,
    },
    /// It said nothing, or took nothing, for too long.
    #[error("nothing came or went for {0:?}")]
    Silent(Duration),
    /// The system's word.
    #[error("the carrier failed: {0}")]
    Io(#[from] io::Error),
}

/// The half of a carrier that is heard.
pub trait Source: Send {
    /// What comes next. Dropping the future loses nothing: the next call goes on.
    fn next(&mut self) -> impl Future<Output = Result<Heard, CarrierError>> + Send;
}

/// The half of a carrier that is spoken to. A future that is dropped half-way may leave a piece of a message behind; after
/// that only [`close`](Self::close) is called.
pub trait Sink: Send {
    /// Says a word. A carrier without words says nothing and is content.
    fn word(&mut self, text: String) -> impl Future<Output = Result<(), CarrierError>> + Send;
    /// Sends a netcode frame; `keep`: it must not be lost.
    fn packet(
        &mut self,
        bytes: Bytes,
        keep: bool,
    ) -> impl Future<Output = Result<(), CarrierError>> + Send;
    /// Waits until what a [`Shortcut`] has begun is out. A carrier without one has nothing to wait for.
    fn flush(&mut self) -> impl Future<Output = Result<(), CarrierError>> + Send {
        std::future::ready(Ok(()))
    }
    /// Closes the carrier after what was said, within a second.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
    /// The way past the pump, if this carrier has one.
    fn shortcut(&self) -> Option<Arc<dyn Shortcut>> {
        None
    }
}

/// The way of a snapshot from its room straight into the carrier: a task that only wakes up to hand it on costs more than
/// to write it. It is taken while the pump has nothing to do, so nothing is overtaken.
pub trait Shortcut: Send + Sync {
    /// Sends a frame that may be lost, if nobody has to wait for that.
    fn try_packet(&self, frame: &Bytes) -> Tried;
}

/// What became of a frame on a [`Shortcut`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// It is on its way, or there is no way any more: then the carrier's source says so.
    Sent,
    /// The system has taken a part of it, and [`Sink::flush`] waits for the rest.
    Begun,
    /// Nothing was sent.
    Not,
}

/// Somebody whose carrier stands, and who has said nothing yet.
#[derive(Debug)]
pub struct Guest {
    /// Where they are, by whoever is trusted to say so.
    pub address: IpAddr,
    /// What carries them.
    pub transport: Transport,
    /// Their place among the relay's connections; given back when the session ends.
    pub permit: ConnectionPermit,
}

/// Plays one carrier's session from its join word to its end; never returns before everything it held is given back.
pub async fn play(relay: Relay, guest: Guest, mut source: impl Source, mut sink: impl Sink) {
    let span = span(&guest);
    let playing = async {
        let _open = relay.metrics.connected(guest.transport);
        let hello_by = Instant::now() + relay.settings.limits.hello();
        match greet(&relay, &guest, hello_by, &mut source).await {
            Ok(member) => pump(&relay, &guest, member, source, &mut sink).await,
            Err(Unknown::Refused(error)) => {
                relay.metrics.refused(error.code());
                tracing::info!(reason = error.code(), "refused");
                let sentence = error.to_string();
                let answer = Answer::Refused {
                    error: error.code(),
                    sentence: &sentence,
                };
                let _ = timeout(LAST_WORDS, sink.word(answer.text())).await;
            }
            Err(Unknown::Carrier(error)) => tracing::debug!(%error, "gone before a word"),
        }
        let _ = timeout(LAST_WORDS, sink.close()).await;
    };
    playing.instrument(span).await;
}

/// Plays the session of somebody whose carrier has no words, and whose pass was found for them.
pub async fn play_as(
    relay: Relay,
    guest: Guest,
    pass: Pass,
    source: impl Source,
    mut sink: impl Sink,
) {
    let span = span(&guest);
    let playing = async {
        let _open = relay.metrics.connected(guest.transport);
        let hello_by = Instant::now() + relay.settings.limits.hello();
        match pass.enter(guest.transport, hello_by).await {
            Ok(member) => pump(&relay, &guest, member, source, &mut sink).await,
            Err(error) => relay.metrics.refused(error.code()),
        }
        let _ = timeout(LAST_WORDS, sink.close()).await;
    };
    playing.instrument(span).await;
}

/// How long what is said at the end may take.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Seconds of packets that may come at once: what a stream delivers after a stall.
const BURST: f64 = 4.0;
/// What a word costs, in packets: it is read as text.
const WORD: f64 = 4.0;
/// What a word costs that is not understood.
const NONSENSE: f64 = 32.0;

fn span(guest: &Guest) -> Span {
    tracing::info_span!(
        parent: None,
        "session",
        transport = guest.transport.name(),
        address = %guest.address,
        room = field::Empty,
        player = field::Empty,
    )
}

/// Why somebody never came as far as a room.
enum Unknown {
    Refused(JoinError),
    Carrier(CarrierError),
}

/// Hears the first word, and lets whoever says a good one in.
async fn greet(
    relay: &Relay,
    guest: &Guest,
    hello_by: Instant,
    source: &mut impl Source,
) -> Result<Member, Unknown> {
    let text = loop {
        let heard = tokio::select! {
            heard = timeout_at(hello_by, source.next()) => heard,
            // Whoever says nothing does not hold up the relay's end.
            () = relay.stopped() => return Err(Unknown::Refused(JoinError::Restarting)),
        };
        match heard {
            Err(_) => return Err(Unknown::Refused(JoinError::Silent)),
            Ok(Err(error)) => return Err(Unknown::Carrier(error)),
            Ok(Ok(Heard::Word(text))) => break text,
            // A datagram may overtake the word.
            Ok(Ok(Heard::Packet(_))) if guest.transport.delivery() == Delivery::Datagram => {}
            Ok(Ok(Heard::Packet(_))) => return Err(Unknown::Refused(JoinError::BadRequest)),
        }
    };
    if relay.is_stopping() {
        return Err(Unknown::Refused(JoinError::Restarting));
    }
    let word = Word::read(&text).map_err(|_| Unknown::Refused(JoinError::BadRequest))?;
    let Word::Join { .. } = word else {
        return Err(Unknown::Refused(JoinError::BadRequest));
    };
    let token = word.token().ok_or(Unknown::Refused(JoinError::Token))?;
    let pass = relay.rooms.redeem(token).map_err(Unknown::Refused)?;
    let entering = pass.enter(guest.transport, hello_by);
    let member = entering.await.map_err(Unknown::Refused)?;
    Span::current().record("room", field::display(member.room()));
    Ok(member)
}

/// Why the carrier is heard no longer.
enum Ending {
    /// By itself.
    Carrier(CarrierError),
    /// What it sent is not allowed.
    Misbehaved(&'static str),
    /// The room has said its last.
    Room,
}

/// Carries what is said both ways until either end is done.
async fn pump(
    relay: &Relay,
    guest: &Guest,
    member: Member,
    source: impl Source,
    sink: &mut impl Sink,
) {
    if guest.transport != Transport::Udp {
        let code = member.room();
        let joined = Answer::Joined {
            room: code.as_str(),
            host: member.is_host(),
            watch: member.watches(),
        };
        if !matches!(
            timeout(LAST_WORDS, sink.word(joined.text())).await,
            Ok(Ok(()))
        ) {
            return;
        }
    }
    if let Some(shortcut) = sink.shortcut() {
        member.take_shortcut(shortcut);
    }
    let saying = say(relay, guest, &member, sink);
    tokio::pin!(saying);
    let ending = tokio::select! {
        biased;
        ending = hear(relay, guest, &member, source) => ending,
        ending = &mut saying => ending,
    };
    match ending {
        Ending::Carrier(error) => tracing::info!(%error, "the carrier is gone"),
        Ending::Room => tracing::info!("over"),
        Ending::Misbehaved(what) => {
            tracing::warn!(what, "misbehaved");
            member.misbehaved();
            let _ = timeout(LAST_WORDS, saying).await;
        }
    }
}

async fn hear(relay: &Relay, guest: &Guest, member: &Member, mut source: impl Source) -> Ending {
    let limits = &relay.settings.limits;
    let a_second = f64::from(limits.max_packets);
    let mut budget = Bucket::new(a_second * BURST, a_second, Instant::now());
    // One timer for all that is heard, set anew only when it fires: one for each packet costs more than to read it.
    let mut heard_at = Instant::now();
    let silence = sleep_until(heard_at + limits.idle());
    tokio::pin!(silence);
    loop {
        let heard = tokio::select! {
            biased;
            heard = source.next() => heard,
            () = &mut silence => {
                let until = heard_at + limits.idle();
                if Instant::now() >= until {
                    return Ending::Carrier(CarrierError::Silent(limits.idle()));
                }
                silence.as_mut().reset(until);
                continue;
            }
        };
        heard_at = Instant::now();
        let heard = match heard {
            Err(CarrierError::TooLarge { .. }) => return Ending::Misbehaved("too large"),
            Err(CarrierError::Malformed { what }) => return Ending::Misbehaved(what),
            Err(error) => return Ending::Carrier(error),
            Ok(heard) => heard,
        };
        let cost = match heard {
            Heard::Packet(bytes) => {
                relay
                    .metrics
                    .carried(guest.transport, Direction::Up, bytes.len());
                member.packet(bytes);
                1.0
            }
            Heard::Word(text) => match Word::read(&text) {
                Ok(word) => {
                    member.word(word);
                    WORD
                }
                Err(sentence) => {
                    member.answer(&Answer::Wrong {
                        sentence: &sentence,
                    });
                    NONSENSE
                }
            },
        };
        if !budget.take(cost, heard_at) {
            return Ending::Misbehaved("too much");
        }
    }
}

async fn say(relay: &Relay, guest: &Guest, member: &Member, sink: &mut impl Sink) -> Ending {
    let idle = relay.settings.limits.idle();
    while let Some(out) = member.next().await {
        let sent = match out {
            Out::Word(text) => timeout(idle, sink.word(text)).await,
            Out::Packet { bytes, keep } => {
                relay
                    .metrics
                    .carried(guest.transport, Direction::Down, bytes.len());
                timeout(idle, sink.packet(bytes, keep)).await
            }
            Out::Flush => timeout(idle, sink.flush()).await,
        };
        match sent {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Ending::Carrier(error),
            Err(_) => return Ending::Carrier(CarrierError::Silent(idle)),
        }
    }
    Ending::Room
}
