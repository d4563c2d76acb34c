//! A guest that plays: a real client of the netcode on a carrier, on a task of its own.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use netcode::{Client, ClientConfig, Delivery, Output, Role};
use scenes::{Arena, Pad, Scene, Setup};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use wire::{MAX_PACKET, MAX_PACKET_WEBTRANSPORT, Micros};

use super::{Carrier, Door, Said, Ticket, Via};

/// What a player has seen so far.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Snapshots: when each came, since [`Player::enter`], and its tick.
    pub snapshots: Vec<(Micros, u64)>,
    /// The relay's words but for the room's state.
    pub words: Vec<Value>,
    /// The room's state as it was told last; null before.
    pub room: Value,
    /// Since when it plays.
    pub playing: Option<Micros>,
    /// How it ended, in words; `None` while it lasts.
    pub ended: Option<String>,
}

impl Seen {
    /// The share of snapshots that it heard from `since` on, of so many a second, and the longest time without any.
    pub fn served(&self, since: Micros, a_second: f64) -> (f64, Micros) {
        let times = self.snapshots.iter().map(|(at, _)| *at);
        let times: Vec<_> = times.filter(|at| *at >= since).collect();
        let gap = times.windows(2).map(|pair| pair[1] - pair[0]).max();
        let length = times.last().map_or(Micros::ZERO, |last| *last - since);
        let share = times.len() as f64 / (length.as_secs_f64() * a_second);
        (share, gap.unwrap_or(Micros::MAX))
    }
}

/// A player in a room. Dropping it drops its sockets without a goodbye.
#[derive(Debug)]
pub struct Player {
    seen: Arc<Mutex<Seen>>,
    say: mpsc::UnboundedSender<Option<String>>,
    task: JoinHandle<()>,
    began: Instant,
}

impl Player {
    /// Opens a carrier, says the token and begins to play: walks in a square.
    pub async fn enter(door: &Door, ticket: &Ticket, via: Via) -> Result<Self, String> {
        let mut carrier = Carrier::open(door, via, None).await?;
        carrier
            .word(&json!({ "t": "join", "token": ticket.token }).to_string())
            .await?;
        Ok(Self::on(carrier, ticket, via))
    }

    /// Takes a seat by name in a room and plays.
    pub async fn new(door: &Door, code: &str, name: &str, via: Via) -> Self {
        let ticket = door.seat(code, name).await;
        let entered = Self::enter(door, &ticket, via).await;
        entered.unwrap_or_else(|why| panic!("{name} does not come in: {why}"))
    }

    /// Plays on a carrier on which the token has been said.
    pub fn on(carrier: Carrier, ticket: &Ticket, via: Via) -> Self {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (say, said) = mpsc::unbounded_channel();
        let began = Instant::now();
        let client = client(ticket, via);
        let task = tokio::spawn(play(client, carrier, began, Arc::clone(&seen), said));
        Self {
            seen,
            say,
            task,
            began,
        }
    }

    /// What it has seen by now.
    pub fn seen(&self) -> Seen {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The time of its snapshots.
    pub fn now(&self) -> Micros {
        Micros::new(self.began.elapsed().as_micros() as u64)
    }

    /// Waits until it has seen what is wanted; whether it did within so long.
    pub async fn has(&self, wait: Duration, wanted: impl Fn(&Seen) -> bool) -> bool {
        let end = Instant::now() + wait;
        loop {
            if wanted(&self.seen.lock().unwrap_or_else(PoisonError::into_inner)) {
                return true;
            }
            if Instant::now() >= end {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until it plays; how long that took since it entered.
    pub async fn plays(&self) -> Duration {
        let plays = self
            .has(Duration::from_secs(10), |seen| {
                seen.playing.is_some() && !seen.snapshots.is_empty()
            })
            .await;
        assert!(plays, "it does not come to play: {:?}", self.seen());
        let at = self.seen().playing.unwrap_or_default();
        Duration::from_micros(at.get())
    }

    /// Says a word.
    pub fn word(&self, word: &Value) {
        let _ = self.say.send(Some(word.to_string()));
    }

    /// Leaves with a goodbye, and waits until that was said.
    pub async fn leave(mut self) -> Seen {
        let _ = self.say.send(None);
        let _ = tokio::time::timeout(Duration::from_secs(3), &mut self.task).await;
        self.seen()
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The hello that a client of this relay's own build says.
pub fn hello(ticket: &Ticket) -> Vec<u8> {
    let mut client = client(ticket, Via::Ws);
    client.advance(Micros::ZERO);
    let mut buf = [0; MAX_PACKET];
    let Output::Transmit { len, .. } = client.poll(&mut buf) else {
        panic!("a client begins with hello");
    };
    buf[..len].to_vec()
}

fn client(ticket: &Ticket, via: Via) -> Client<Arena> {
    let setup = Setup {
        seed: ticket.setup["seed"].as_u64().unwrap_or(1),
        rate_hz: ticket.rate,
        harmless: ticket.setup["harmless"] == true,
        ..Setup::default()
    };
    let (delivery, max_packet) = match via {
        Via::Ws => (Delivery::Ordered, MAX_PACKET),
        Via::Wt => (Delivery::Datagram, MAX_PACKET_WEBTRANSPORT),
    };
    let config = ClientConfig {
        rate_hz: ticket.rate,
        delivery,
        max_packet,
        ..ClientConfig::default()
    };
    Client::join(Arena::new(&setup).empty(), config, Micros::ZERO)
}

/// Handles what comes, runs what is due, says what there is to say, waits.
async fn play(
    mut client: Client<Arena>,
    mut carrier: Carrier,
    began: Instant,
    seen: Arc<Mutex<Seen>>,
    mut say: mpsc::UnboundedReceiver<Option<String>>,
) {
    let now = || Micros::new(began.elapsed().as_micros() as u64);
    let note = |write: &mut dyn FnMut(&mut Seen)| {
        write(&mut seen.lock().unwrap_or_else(PoisonError::into_inner));
    };
    let mut buf = [0; MAX_PACKET];
    loop {
        let at = now();
        // A second to each side of a square.
        let (x, y) =
            [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][(at.get() / 1_000_000 % 4) as usize];
        client.hold(
            at,
            Arena::input(
                &Pad {
                    x,
                    y,
                    ..Pad::default()
                },
                None,
            ),
        );
        client.advance(at);
        let until = loop {
            match client.poll(&mut buf) {
                // A carrier that takes nothing more may still have said why.
                Output::Transmit { len, .. } => drop(carrier.frame(&buf[..len]).await),
                Output::Event(_) => {}
                Output::Wait { until } => break until,
            }
        };
        match client.role() {
            Role::Disconnected(why) => {
                note(&mut |seen| seen.ended = Some(why.to_string()));
                carrier.close().await;
                return;
            }
            Role::Playing => note(&mut |seen| seen.playing = seen.playing.or(Some(at))),
            _ => {}
        }
        let wait =
            Duration::from_micros((until.min(at + Micros::from_millis(1_000)) - now()).get());
        tokio::select! {
            said = carrier.next(wait) => match said {
                Some(Said::Frame(frame)) => {
                    let at = now();
                    // A header of eight bytes, the kind, and the tick of a snapshot.
                    if let (Some(3), Some(tick)) = (frame.get(8), frame.get(9..13)) {
                        let tick = tick.iter().rev().fold(0, |tick, byte| tick << 8 | u64::from(*byte));
                        note(&mut |seen| seen.snapshots.push((at, tick)));
                    }
                    let _ = client.handle(at, &frame);
                }
                Some(Said::Word(word)) => note(&mut |seen| {
                    if word["t"] == "room" { seen.room = word.clone() } else { seen.words.push(word.clone()) }
                }),
                Some(Said::Closed(why)) => {
                    note(&mut |seen| seen.ended = Some(why.clone()));
                    return;
                }
                None => {}
            },
            said = say.recv() => match said {
                Some(Some(word)) => drop(carrier.word(&word).await),
                Some(None) => client.leave(),
                // Whoever held us is gone; the task is about to be.
                None => return,
            }
        }
    }
}
