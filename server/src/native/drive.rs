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
            if let Why::Refused(refusal) = why {
                // The relay logs what it holds as well, and the two lines show what differs.
                tracing::warn!(%refusal, holds = %client.describe(), "refused");
            }
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

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use netcode::{ClientConfig, Delivery};
    use scenes::{Arena, Scene as _, Setup};
    use wire::{MAX_PACKET, Opening, Refusal, Writer};

    use super::*;

    /// A relay that answers everything with a refusal.
    struct Refuses;

    impl Carrier for Refuses {
        fn delivery(&self) -> Delivery {
            Delivery::Ordered
        }
        fn max_packet(&self) -> usize {
            MAX_PACKET
        }
        async fn next(&mut self) -> Result<Heard, CarrierError> {
            let mut buf = [0; 64];
            let mut w = Writer::new(&mut buf);
            let refusal = Refusal::World;
            Opening::Refuse { token: 0, refusal }.write(&mut w);
            let len = w.finish().expect("it fits");
            Ok(Heard::Packet(buf[..len].to_vec().into()))
        }
        async fn word(&mut self, _text: &str) -> Result<(), CarrierError> {
            Ok(())
        }
        async fn packet(&mut self, _bytes: &[u8]) -> Result<(), CarrierError> {
            Ok(())
        }
        async fn close(&mut self) {}
    }

    /// Hands that do nothing.
    struct Still;

    impl Hands<Arena> for Still {
        fn look(&mut self, _client: &Client<Arena>, _now: Micros) {}
        fn decide(&mut self, _: &Client<Arena>, _now: Micros) -> Option<<Arena as Game>::Input> {
            None
        }
        fn packet(&mut self, _client: &Client<Arena>, _now: Micros, _frame: &[u8]) {}
        fn word(&mut self, _word: &str) -> Result<(), String> {
            Ok(())
        }
        fn say(&mut self, _client: &Client<Arena>, _now: Micros) -> Option<String> {
            None
        }
        fn event(&mut self, _event: &HeardEvent<<Arena as Game>::Event>) {}
    }

    /// Where lines of a log end up.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0
                .lock()
                .expect("no thread of ours panics")
                .extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn who_is_refused_logs_what_it_holds() {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        let guard = tracing::subscriber::set_default(log);
        let world = Arena::new(&Setup::default());
        let clock = Clock::start();
        let mut client = Client::join(world.empty(), ClientConfig::default(), clock.now());
        let never = std::future::pending();
        let ended = play(&mut client, &mut Refuses, clock, &mut Still, never).await;
        drop(guard);
        assert!(
            matches!(ended, Ended::Client(Why::Refused(Refusal::World))),
            "{ended:?}"
        );
        let said = lines.0.lock().expect("no thread of ours panics").clone();
        let said = String::from_utf8(said).expect("text");
        assert_eq!(said.lines().count(), 1, "{said}");
        let holds = client.describe().to_string();
        assert!(said.contains("WARN") && said.contains(&holds), "{said}");
    }
}
