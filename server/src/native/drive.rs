//! The driver of a native client.

use std::pin::pin;
use std::time::{Duration, Instant as StdInstant};

use netcode::client::HeardEvent;
use netcode::session::{Role, Why};
use netcode::{Client, Game, Output};
use tokio::time::{Instant, sleep_until};
use wire::Micros;

use super::carrier::Carrier;
use crate::session::{CarrierError, Heard};

/// The time of a process: microseconds since it was made.
#[derive(Clone, Copy, Debug)]
pub struct Clock(StdInstant);

impl Clock {
    /// Time begins now.
    pub fn start() -> Self {
        Self(StdInstant::now())
    }

    /// The time.
    pub fn now(&self) -> Micros {
        Micros::new(self.0.elapsed().as_micros() as u64)
    }

    /// Waits until `until`; [`Micros::MAX`] does not come within a year.
    pub async fn sleep_until(&self, until: Micros) {
        sleep_until(self.instant(until)).await;
    }

    /// When it will be this time, or a year if that is longer.
    fn instant(&self, at: Micros) -> Instant {
        (self.0 + Duration::from_micros(at.get()).min(YEAR)).into()
    }
}

/// Longer than a process plays, and short enough for any clock.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Who plays at a client, and what they want to know.
pub trait Hands<G: Game> {
    /// The client is about to change: what its screen showed until `now` can still be seen.
    fn look(&mut self, client: &Client<G>, now: Micros);

    /// A tick is due: what is held from now on, `None` as before.
    fn decide(&mut self, client: &Client<G>, now: Micros) -> Option<G::Input>;

    /// A frame came.
    fn packet(&mut self, client: &Client<G>, now: Micros, frame: &[u8]);

    /// A word came. `Err` ends the session: the relay has refused it.
    fn word(&mut self, word: &str) -> Result<(), String>;

    /// A word to say, if there is one.
    fn say(&mut self, client: &Client<G>, now: Micros) -> Option<String>;

    /// The client told an event.
    fn event(&mut self, event: &HeardEvent<G::Event>);
}

/// How a session ended.
#[derive(Debug)]
pub enum Ended {
    /// By the client's own account: it left, was refused or told goodbye, or heard nothing for too long.
    Client(Why),
    /// By the relay's word, with its code.
    Refused(String),
    /// The carrier broke.
    Carrier(CarrierError),
}

/// Plays a client over a carrier until it ends, or until `stop` is ready: then it leaves, and says so.
///
/// **What came in is handled, what is due runs, `poll` is drained until it waits; then this waits too.**
pub async fn play<G: Game>(
    client: &mut Client<G>,
    carrier: &mut impl Carrier,
    clock: Clock,
    hands: &mut impl Hands<G>,
    stop: impl Future<Output = ()>,
) -> Ended {
    let mut stop = pin!(stop);
    let mut stopped = false;
    // One timer for the whole session: it is set anew where the time of the next step is another.
    let mut alarm = pin!(sleep_until(Instant::now()));
    let mut buf = [0; wire::MAX_PACKET];
    loop {
        let until = match turn(client, carrier, clock, hands, &mut buf).await {
            Ok(until) => until,
            Err(error) => return Ended::Carrier(error),
        };
        if let Role::Disconnected(why) = client.role() {
            carrier.close().await;
            return Ended::Client(why);
        }
        let until = clock.instant(until);
        if alarm.deadline() != until {
            alarm.as_mut().reset(until);
        }
        tokio::select! {
            biased;
            heard = carrier.next() => match heard {
                Ok(Heard::Packet(frame)) => {
                    let now = clock.now();
                    hands.look(client, now);
                    hands.packet(client, now, &frame);
                    // A frame that is refused changed nothing, and the client has counted it.
                    let _ = client.handle(now, &frame);
                }
                Ok(Heard::Word(word)) => if let Err(code) = hands.word(&word) {
                    carrier.close().await;
                    return Ended::Refused(code);
                },
                Err(error) => return Ended::Carrier(error),
            },
            () = &mut alarm => {}
            () = &mut stop, if !stopped => {
                stopped = true;
                client.leave();
            }
        }
    }
}

/// Runs what is due and says what there is to say; when there is more.
async fn turn<G: Game>(
    client: &mut Client<G>,
    carrier: &mut impl Carrier,
    clock: Clock,
    hands: &mut impl Hands<G>,
    buf: &mut [u8],
) -> Result<Micros, CarrierError> {
    let now = clock.now();
    hands.look(client, now);
    if client.next_tick_at() <= now
        && let Some(input) = hands.decide(client, now)
    {
        client.hold(now, input);
    }
    client.advance(now);
    let until = loop {
        match client.poll(buf) {
            Output::Transmit { len, .. } => carrier.packet(&buf[..len]).await?,
            Output::Event(event) => hands.event(&event),
            Output::Wait { until } => break until,
        }
    };
    if let Some(word) = hands.say(client, now) {
        carrier.word(&word).await?;
    }
    Ok(until)
}
