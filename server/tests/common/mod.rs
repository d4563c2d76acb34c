//! Carriers in memory, and people who play over them with a real client.

#![allow(dead_code, reason = "each test file uses its part of this")]
#![allow(unreachable_pub, reason = "what tests share has no audience but them")]

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use netcode::session::Role;
use netcode::{Client, ClientConfig, Drawn, Game, Output};
use scenes::{Arena, BotMemory, BotStyle, Rng, Scene, Setup};
use serde_json::Value;
use server::rooms::{Ask, Code, Invitation, Secret, Wish};
use server::session::{CarrierError, Guest, Heard, Sink, Source, Transport, play};
use server::{Relay, Settings};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use wire::{Goodbye, Micros};

/// What a relay said on a carrier.
#[derive(Clone, Debug, PartialEq)]
pub enum Down {
    Word(String),
    Packet { bytes: Bytes, keep: bool },
}

struct MemorySource(mpsc::Receiver<Result<Heard, CarrierError>>);
struct MemorySink(Option<mpsc::Sender<Down>>);

impl Source for MemorySource {
    async fn next(&mut self) -> Result<Heard, CarrierError> {
        match self.0.recv().await {
            Some(Ok(Heard::Word(text))) if text == PANIC => panic!("asked for by the test"),
            Some(heard) => heard,
            None => Err(CarrierError::Closed),
        }
    }
}

/// A word at which the carrier itself panics.
pub const PANIC: &str = "panic";

impl MemorySink {
    async fn send(&mut self, down: Down) -> Result<(), CarrierError> {
        let Some(line) = &self.0 else {
            return Err(CarrierError::Closed);
        };
        line.send(down).await.map_err(|_| CarrierError::Closed)
    }
}

impl Sink for MemorySink {
    async fn word(&mut self, text: String) -> Result<(), CarrierError> {
        self.send(Down::Word(text)).await
    }

    async fn packet(&mut self, bytes: Bytes, keep: bool) -> Result<(), CarrierError> {
        self.send(Down::Packet { bytes, keep }).await
    }

    async fn close(&mut self) {
        self.0 = None;
    }
}

/// A carrier's far end.
pub struct Line {
    /// `None` once it is hung up.
    pub up: Option<mpsc::Sender<Result<Heard, CarrierError>>>,
    pub down: mpsc::Receiver<Down>,
    pub session: JoinHandle<()>,
}

impl Line {
    /// A session whose carrier stands, and where nothing has been said.
    pub fn open(relay: &Relay, transport: Transport) -> Self {
        let address = IpAddr::from([203, 0, 113, 1]);
        let permit = relay.limits.connection(address).expect("within the limits");
        let guest = Guest {
            address,
            transport,
            permit,
        };
        let (up, heard) = mpsc::channel(1024);
        // As much as a socket holds.
        let (said, down) = mpsc::channel(64);
        let session = play(
            relay.clone(),
            guest,
            MemorySource(heard),
            MemorySink(Some(said)),
        );
        Self {
            up: Some(up),
            down,
            session: tokio::spawn(session),
        }
    }

    pub fn word(&self, text: &str) {
        self.put(Ok(Heard::Word(text.into())));
    }

    pub fn packet(&self, bytes: &[u8]) {
        self.put(Ok(Heard::Packet(Bytes::copy_from_slice(bytes))));
    }

    pub fn put(&self, heard: Result<Heard, CarrierError>) {
        if let Some(up) = &self.up {
            // Whoever hung up hears nothing.
            let _ = up.try_send(heard);
        }
    }

    /// The next word, whatever is between; `None` when it was closed.
    pub async fn next_word(&mut self) -> Option<Value> {
        loop {
            if let Down::Word(text) = self.down.recv().await? {
                return Some(serde_json::from_str(&text).expect("words are JSON"));
            }
        }
    }
}

/// Somebody who plays, with the client that pages have.
pub struct Person {
    pub line: Line,
    pub client: Client<Arena>,
    pub resume: Secret,
    /// Words heard, the room's state apart.
    pub words: Vec<Value>,
    /// The newest state of the room.
    pub room: Value,
    /// Whether the relay has closed the carrier.
    pub closed: bool,
    /// Whether a bot has the hands.
    pub plays: bool,
    brain: (Rng, BotMemory, <Arena as Game>::Input),
    /// Snapshots and other frames heard.
    pub frames: u64,
    start: Instant,
}

impl Person {
    /// Takes up an invitation.
    pub fn arrive(relay: &Relay, invited: &Invitation, transport: Transport, watch: bool) -> Self {
        let line = Line::open(relay, transport);
        line.word(&format!(r#"{{"t":"join","token":"{}"}}"#, invited.token));
        let setup = Setup {
            seed: invited.setup["seed"].as_u64().expect("a seed"),
            rate_hz: invited.rate,
            ..Setup::default()
        };
        let config = ClientConfig {
            rate_hz: invited.rate,
            delivery: transport.delivery(),
            ..ClientConfig::default()
        };
        let world = Arena::new(&setup).empty();
        let client = if watch {
            Client::watch(world, config, Micros::ZERO)
        } else {
            Client::join(world, config, Micros::ZERO)
        };
        Self {
            line,
            client,
            resume: invited.resume,
            words: Vec::new(),
            room: Value::Null,
            closed: false,
            plays: false,
            brain: (
                Rng::new(7),
                BotMemory::new(BotStyle::Duel, invited.rate),
                Default::default(),
            ),
            frames: 0,
            start: Instant::now(),
        }
    }

    fn now(&self) -> Micros {
        Micros::new(self.start.elapsed().as_micros() as u64)
    }

    /// Hears and says what there is.
    pub fn turn(&mut self) {
        let now = self.now();
        loop {
            match self.line.down.try_recv() {
                Ok(Down::Word(text)) => {
                    let word: Value = serde_json::from_str(&text).expect("words are JSON");
                    if word["t"] == "room" {
                        self.room = word;
                    } else {
                        self.words.push(word);
                    }
                }
                Ok(Down::Packet { bytes, .. }) => {
                    self.frames += 1;
                    let _ = self.client.handle(now, &bytes);
                }
                Err(mpsc::error::TryRecvError::Empty) => break,
                Err(mpsc::error::TryRecvError::Disconnected) => {
                    self.closed = true;
                    break;
                }
            }
        }
        if self.plays && self.client.next_tick_at() <= now {
            self.think(now);
        }
        self.client.advance(now);
        let mut buf = [0; wire::MAX_PACKET];
        loop {
            match self.client.poll(&mut buf) {
                Output::Transmit { len, .. } => self.line.packet(&buf[..len]),
                Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
    }

    /// What the screen shows.
    pub fn drawn(&self) -> Drawn {
        let mut drawn = Drawn::default();
        self.client.drawn(self.now(), &mut drawn);
        drawn
    }

    fn think(&mut self, now: Micros) {
        let Some(me) = self.client.me() else { return };
        let drawn = self.drawn();
        let (rng, memory, held) = &mut self.brain;
        Arena::think(me, &drawn, rng, memory, held);
        self.client.hold(now, *held);
    }

    /// Nobody has the hands any more.
    pub fn hands_off(&mut self) {
        self.plays = false;
        self.client.hold(self.now(), Default::default());
    }

    pub fn say(&self, word: &str) {
        self.line.word(word);
    }

    pub fn is_playing(&self) -> bool {
        self.client.role() == Role::Playing
    }

    /// Why the client is disconnected, if the server said goodbye.
    pub fn goodbye(&self) -> Option<Goodbye> {
        match self.client.role() {
            Role::Disconnected(netcode::session::Why::Goodbye(goodbye)) => Some(goodbye),
            _ => None,
        }
    }

    /// The row of the player with this name in the room's state.
    pub fn row(&self, name: &str) -> &Value {
        let rows = self.room["players"].as_array().expect("a room's state");
        let row = rows.iter().find(|row| row["name"] == name);
        row.unwrap_or(&Value::Null)
    }

    /// The carrier breaks, without a word.
    pub fn hang_up(&mut self) {
        self.line.up = None;
    }
}

/// Lets everybody play for so long.
pub async fn play_for(people: &mut [&mut Person], time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        for person in people.iter_mut() {
            person.turn();
        }
        tokio::time::sleep(Duration::from_millis(4)).await;
    }
    for person in people.iter_mut() {
        person.turn();
    }
}

pub const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub fn relay(change: impl FnOnce(&mut Settings)) -> Relay {
    let mut settings = Settings::default();
    change(&mut settings);
    Relay::new(settings)
}

pub fn make(relay: &Relay) -> (Code, Secret) {
    let wish = Wish {
        public: true,
        bots: Some(0),
        ..Wish::default()
    };
    relay.rooms.create(&wish).expect("a room")
}

pub fn ask(name: &str) -> Ask {
    Ask {
        name: name.into(),
        watch: false,
        resume: None,
        host: None,
    }
}

/// Joins a room over WebSocket.
pub fn join(relay: &Relay, code: Code, ask: Ask) -> Person {
    let watch = ask.watch;
    let invited = relay.rooms.join(code, ask).expect("a place");
    Person::arrive(relay, &invited, Transport::WebSocket, watch)
}
