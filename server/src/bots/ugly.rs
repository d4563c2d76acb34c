//! Clients of bad manners: what a relay has to bear without its other players noticing.

use std::time::{Duration, Instant};

use netcode::{Client, ClientConfig, Delivery};
use scenes::{Rng, Scene};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;
use wire::{Header, Kind, Reader, is_prefixed};

use super::measure::Span;
use super::options::{Options, UGLY_KINDS};
use super::player::Player;
use super::report::Ugly;
use super::{Crowd, Entered, Seat, code, enter, how};
use crate::native::{AnyCarrier, Carrier, play};
use crate::session::{CarrierError, Heard, Transport};

/// A bad habit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Habit {
    /// Joins, goes on sending, and never reads again.
    Deaf,
    /// Sends bytes that mean nothing, after each step of the handshake.
    Garbage,
    /// Joins, is gone without a word, and comes again.
    Restless,
    /// Says that its commands are for other ticks than they are.
    OtherTicks,
    /// Holds everything back for half a second, and sends it four times at once.
    Bursts,
}

impl Habit {
    const ALL: [Self; UGLY_KINDS] = [
        Self::Deaf,
        Self::Garbage,
        Self::Restless,
        Self::OtherTicks,
        Self::Bursts,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Deaf => "never reads",
            Self::Garbage => "sends garbage",
            Self::Restless => "reconnects",
            Self::OtherTicks => "claims other ticks",
            Self::Bursts => "sends in bursts",
        }
    }
}

/// How long one that is never heard again is believed to be at home, at the least.
const BURST_EVERY: Duration = Duration::from_millis(500);
const TIMES: usize = 4;

/// After a session that could not be begun: a relay that is full is not hammered, as no real client does.
const PAUSE: Duration = Duration::from_millis(250);

/// All of them, each kind as often as the others, each until the crowd leaves; with the name of its kind.
pub(super) fn spawn<G: Scene + Send + 'static>(
    options: &Options,
    crowd: &Crowd,
    codes: &[String],
    rate_hz: u16,
) -> Vec<(&'static str, impl Future<Output = Ugly> + Send + 'static)>
where
    G::Input: Send,
    G::Event: Send,
{
    let of_each = options.ugly() / UGLY_KINDS;
    let one = |number: usize| {
        let index = options.players + options.watch + number;
        let (room, transport) = options.place(index);
        let seat = Seat {
            index,
            watches: false,
            room,
            code: code(codes, room),
            transport,
            rate_hz,
            seed: options.seed,
        };
        let habit = Habit::ALL[number % UGLY_KINDS];
        (habit.name(), misbehave::<G>(crowd.clone(), seat, habit))
    };
    (0..of_each * UGLY_KINDS).map(one).collect()
}

/// One of them, session after session.
async fn misbehave<G: Scene>(crowd: Crowd, seat: Seat, habit: Habit) -> Ugly {
    let mut rng = Rng::fork(seat.seed, seat.index as u64);
    let mut ugly = Ugly::default();
    let mut resume = None;
    let mut step = 0;
    while !*crowd.stopping.borrow() {
        let ended = tokio::select! {
            ended = session::<G>(&crowd, &seat, habit, &mut rng, &mut resume, step) => ended,
            () = crowd.stop() => "went on to the end".to_owned(),
        };
        step += 1;
        ugly.sessions += 1;
        *ugly.ended.entry(ended).or_default() += 1;
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = crowd.stop() => {}
        }
    }
    ugly
}

/// One session; how it ended.
async fn session<G: Scene>(
    crowd: &Crowd,
    seat: &Seat,
    habit: Habit,
    rng: &mut Rng,
    resume: &mut Option<String>,
    step: usize,
) -> String {
    if habit == Habit::Garbage {
        return garbage(crowd, seat, rng, step).await;
    }
    let Entered {
        carrier,
        setup,
        resume: secret,
    } = match enter(crowd, seat, resume.as_deref()).await {
        Ok(entered) => entered,
        Err(error) => return error.code(),
    };
    *resume = secret;
    let twist = match habit {
        Habit::Deaf => Twist::Deaf { heard: 0 },
        Habit::OtherTicks => Twist::OtherTicks(*rng),
        Habit::Bursts => Twist::Bursts {
            held: Vec::new(),
            since: Instant::now(),
        },
        Habit::Restless | Habit::Garbage => Twist::None,
    };
    let mut carrier = Twisted {
        inner: carrier,
        twist,
    };
    let rate_hz = setup.rate_hz;
    let config = ClientConfig {
        rate_hz,
        delivery: carrier.delivery(),
        max_packet: carrier.max_packet(),
        ..ClientConfig::default()
    };
    let world = G::new(&setup);
    let mut client = Client::join(world.empty(), config, crowd.clock.now());
    let (arrived, _nobody) = mpsc::unbounded_channel();
    let mut player = Player::<G>::new(*rng, rate_hz, Span::unknown(), arrived);
    let playing = play(
        &mut client,
        &mut carrier,
        crowd.clock,
        &mut player,
        crowd.stop(),
    );
    if habit != Habit::Restless {
        return how(&playing.await);
    }
    let stay = Duration::from_millis(100 + u64::from(rng.below(400)));
    match tokio::time::timeout(stay, playing).await {
        Ok(ended) => how(&ended),
        Err(_) => "gone without a word".to_owned(),
    }
}

/// A carrier that does to frames what no client of ours does.
struct Twisted {
    inner: AnyCarrier,
    twist: Twist,
}

enum Twist {
    None,
    Deaf { heard: u32 },
    OtherTicks(Rng),
    Bursts { held: Vec<Vec<u8>>, since: Instant },
}

impl Carrier for Twisted {
    fn delivery(&self) -> Delivery {
        self.inner.delivery()
    }

    fn max_packet(&self) -> usize {
        self.inner.max_packet()
    }

    async fn next(&mut self) -> Result<Heard, CarrierError> {
        if let Twist::Deaf { heard } = &mut self.twist {
            // Enough to be welcomed, and no more.
            if *heard > 8 {
                return std::future::pending().await;
            }
            *heard += 1;
        }
        self.inner.next().await
    }

    async fn word(&mut self, text: &str) -> Result<(), CarrierError> {
        self.inner.word(text).await
    }

    async fn packet(&mut self, bytes: &[u8]) -> Result<(), CarrierError> {
        match &mut self.twist {
            Twist::OtherTicks(rng) => {
                let mut twisted = bytes.to_vec();
                claim_another_tick(&mut twisted, rng);
                self.inner.packet(&twisted).await
            }
            Twist::Bursts { held, since } if !is_prefixed(bytes) => {
                held.push(bytes.to_vec());
                if since.elapsed() < BURST_EVERY {
                    return Ok(());
                }
                *since = Instant::now();
                for frame in std::mem::take(held).iter().cycle().take(TIMES * 64) {
                    self.inner.packet(frame).await?;
                }
                Ok(())
            }
            Twist::None | Twist::Deaf { .. } | Twist::Bursts { .. } => {
                self.inner.packet(bytes).await
            }
        }
    }

    async fn close(&mut self) {
        self.inner.close().await;
    }
}

/// Rewrites the tick of a packet of commands, by a little or by anything.
fn claim_another_tick(frame: &mut [u8], rng: &mut Rng) {
    if is_prefixed(frame) {
        return;
    }
    let mut r = Reader::new(frame);
    let newest = match Header::read(&mut r).and_then(|_| Kind::peek(&r)) {
        // Behind header and kind: the tick alone, or the newest snapshot's and then it.
        Ok(Kind::Input) => 9,
        Ok(Kind::Inputs) => 13,
        _ => return,
    };
    let wrong = match rng.below(3) {
        0 => rng.below(256),
        1 => rng.below(256) << 8,
        _ => rng.next_u64() as u32,
    };
    if let Some(bytes) = frame.get_mut(newest..newest + 4) {
        for (byte, wrong) in bytes.iter_mut().zip(wrong.to_le_bytes()) {
            *byte ^= wrong;
        }
    }
}

/// How long a relay has to answer garbage.
const PATIENCE: Duration = Duration::from_secs(2);

/// Garbage after the `step`-th step of a handshake; what the relay did.
async fn garbage(crowd: &Crowd, seat: &Seat, rng: &mut Rng, step: usize) -> String {
    let steps = 6;
    let done = match step % steps {
        0 => before_http(crowd, rng).await,
        step => on_carrier(crowd, seat, rng, step).await,
    };
    match done {
        Ok(what) | Err(what) => format!("step {}: {what}", step % steps),
    }
}

fn bytes(rng: &mut Rng, most: u32) -> Vec<u8> {
    let len = 1 + rng.below(most);
    (0..len).map(|_| rng.next_u64() as u8).collect()
}

/// What is no HTTP, to where HTTP is spoken.
async fn before_http(crowd: &Crowd, rng: &mut Rng) -> Result<String, String> {
    let api = crowd.doors.api();
    let failed = |error: std::io::Error| format!("io: {}", error.kind());
    let mut tcp = TcpStream::connect((api.host(), api.port()))
        .await
        .map_err(failed)?;
    tcp.write_all(&bytes(rng, 400)).await.map_err(failed)?;
    tcp.write_all(b"\r\n\r\n").await.map_err(failed)?;
    let mut answer = Vec::new();
    let read = tcp.read_to_end(&mut answer);
    match tokio::time::timeout(PATIENCE, read).await {
        Ok(_) => Ok("closed".to_owned()),
        Err(_) => Ok("kept open".to_owned()),
    }
}

/// What no carrier carries: in place of the join (1), in place of the hello (2), after it (3), over the limit (4), empty (5).
async fn on_carrier(
    crowd: &Crowd,
    seat: &Seat,
    rng: &mut Rng,
    step: usize,
) -> Result<String, String> {
    let mut carrier = if step == 1 && seat.transport == Transport::WebSocket {
        let opened = crowd.doors.open(seat.transport, None).await;
        opened.map_err(|error| error.code())?
    } else {
        let entered = enter(crowd, seat, None).await;
        entered.map_err(|error| error.code())?.carrier
    };
    let sending = async {
        if step == 3 {
            // A hello by the book first.
            let _ = carrier.next().await?;
        }
        let rubbish = match step {
            4 => vec![b'x'; 5_000],
            5 => Vec::new(),
            _ => bytes(rng, 1_000),
        };
        for _ in 0..8 {
            raw(&mut carrier, &rubbish, step == 1).await?;
        }
        loop {
            carrier.next().await?;
        }
    };
    let done: Result<Result<(), CarrierError>, _> = tokio::time::timeout(PATIENCE, sending).await;
    match done {
        Ok(_) => Ok("closed".to_owned()),
        Err(_) => {
            carrier.close().await;
            Ok("borne".to_owned())
        }
    }
}

/// Sends bytes past every rule of ours.
async fn raw(carrier: &mut AnyCarrier, bytes: &[u8], as_word: bool) -> Result<(), CarrierError> {
    match carrier {
        AnyCarrier::Ws(ws) if as_word => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            ws.send(Message::Text(text.into())).await
        }
        AnyCarrier::Ws(ws) => ws.send(Message::Binary(bytes.to_vec().into())).await,
        AnyCarrier::Wt(wt) => {
            // An empty datagram is left to the browsers: it says nothing on either side.
            if !bytes.is_empty() {
                wt.datagram(bytes)?;
            }
            wt.write(bytes).await
        }
        AnyCarrier::Udp(udp) => udp.send(bytes).await,
    }
}

#[cfg(test)]
mod tests {
    use wire::{InputsHead, Writer};

    use super::*;

    #[test]
    fn another_tick_is_claimed_and_nothing_else_is_touched() {
        let head = InputsHead {
            ack: 7,
            newest: 1_000,
            count: 1,
        };
        let mut frame = [0; 32];
        let mut w = Writer::new(&mut frame);
        let header = Header {
            seq: 1,
            heard: 2,
            history: 3,
        };
        header.write(&mut w);
        head.write(&mut w);
        w.u32("rest", 0xFFFF_FFFF);
        let len = w.finish().unwrap();
        let mut rng = Rng::new(5);
        let mut claims = std::collections::BTreeSet::new();
        for _ in 0..100 {
            let mut twisted = frame[..len].to_vec();
            claim_another_tick(&mut twisted, &mut rng);
            let mut r = Reader::new(&twisted);
            assert_eq!(Header::read(&mut r), Ok(header));
            let read = InputsHead::read(&mut r).unwrap();
            assert_eq!((read.ack, read.count), (7, 1));
            assert_eq!(r.u32("rest"), Ok(0xFFFF_FFFF));
            claims.insert(read.newest);
        }
        assert!(claims.len() > 50, "{claims:?}");
    }
}
