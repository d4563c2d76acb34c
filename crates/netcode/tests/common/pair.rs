//! A server and clients in virtual time, over links that lose, delay and double by a seed.

use std::collections::BTreeMap;

use afterimage_netcode::{
    Claim, Client, ClientConfig, Delivery, Game, Output, PeerId, Server, ServerConfig,
};
use wire::Micros;

use super::Walk;

/// A game of these tests.
pub trait Fixture: Game {
    /// The static world: nobody.
    fn nobody() -> Self;
}

/// What the links do.
#[derive(Clone, Copy, Debug)]
pub struct Weather {
    pub latency_ms: u64,
    pub jitter_ms: u64,
    pub loss_percent: u64,
    pub doubled_percent: u64,
}

impl Weather {
    pub const CLEAR: Self = Self {
        latency_ms: 75,
        jitter_ms: 0,
        loss_percent: 0,
        doubled_percent: 0,
    };
    pub const STORM: Self = Self {
        latency_ms: 40,
        jitter_ms: 40,
        loss_percent: 33,
        doubled_percent: 10,
    };
}

/// A server, clients, and what is under way between them.
#[derive(Clone)]
pub struct Pair<G: Fixture = Walk> {
    pub server: Server<G>,
    pub clients: Vec<Client<G>>,
    pub weather: Weather,
    pub now: Micros,
    /// By due time and number; the client, and whether it goes down.
    flying: BTreeMap<(Micros, u64), (usize, bool, Vec<u8>)>,
    sent: u64,
    dice: u64,
    /// What each client is told to hold, by its tick.
    pub hands: fn(u64) -> G::Input,
    pub said: Vec<Vec<G::Event>>,
    pub lost: u64,
    /// Bytes of the largest packet of the server.
    pub largest: usize,
}

impl<G: Fixture> Pair<G> {
    pub fn new(game: G, server: ServerConfig, clients: &[ClientConfig], weather: Weather) -> Self {
        let mut server = Server::new(game, server, Micros::ZERO);
        let made = clients.iter().enumerate().map(|(at, config)| {
            server.connect(
                Micros::ZERO,
                PeerId(at as u32),
                config.delivery,
                Claim::Seat,
            );
            Client::join(G::nobody(), *config, Micros::ZERO)
        });
        let clients: Vec<_> = made.collect();
        Self {
            server,
            said: vec![Vec::new(); clients.len()],
            clients,
            weather,
            now: Micros::ZERO,
            flying: BTreeMap::new(),
            sent: 0,
            dice: 0x5EED,
            hands: |_| G::Input::default(),
            lost: 0,
            largest: 0,
        }
    }

    pub fn roll(&mut self, below: u64) -> u64 {
        self.dice = self.dice.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.dice;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    }

    fn send(&mut self, client: usize, down: bool, bytes: Vec<u8>) {
        let (lost, doubled) = (
            self.roll(100) < self.weather.loss_percent,
            self.roll(100) < self.weather.doubled_percent,
        );
        for copy in 0..1 + u64::from(doubled) {
            let jitter = self.roll(self.weather.jitter_ms * 1000 + 1);
            let due = self.now + Micros::from_millis(self.weather.latency_ms) + Micros::new(jitter);
            self.sent += 1;
            if lost && copy == 0 {
                self.lost += 1;
            } else {
                self.flying
                    .insert((due, self.sent), (client, down, bytes.clone()));
            }
        }
    }

    /// A client begins again over another session of its carrier; what was under way in the old one is gone.
    pub fn reopen(&mut self, client: usize) {
        self.open(client, Claim::Seat);
    }

    /// The same, as whoever the carrier's driver knows it to be.
    pub fn open(&mut self, client: usize, claim: Claim) {
        self.flying.retain(|_, (of, ..)| *of != client);
        let config = *self.clients[client].config();
        self.server
            .connect(self.now, PeerId(client as u32), config.delivery, claim);
        let ask = match claim {
            Claim::Watch => Client::watch,
            Claim::Seat | Claim::Resume { .. } => Client::join,
        };
        self.clients[client] = ask(G::nobody(), config, self.now);
    }

    /// What is under way to a client now.
    pub fn under_way(&self, client: usize) -> Vec<Vec<u8>> {
        let all = self.flying.values();
        all.filter(|(of, down, _)| *of == client && *down)
            .map(|(_, _, bytes)| bytes.clone())
            .collect()
    }

    /// Runs to the next thing that happens, at `end` at the latest.
    pub fn step(&mut self, end: Micros) {
        let arrival = self
            .flying
            .keys()
            .next()
            .map_or(Micros::MAX, |(due, _)| *due);
        let ticks = self
            .clients
            .iter()
            .map(Client::next_tick_at)
            .min()
            .unwrap_or(Micros::MAX);
        let hello = self.now + Micros::from_millis(5);
        let next = arrival
            .min(ticks)
            .min(self.server.next_tick_at())
            .min(hello)
            .min(end)
            .max(self.now);
        self.now = next;
        while let Some(entry) = self.flying.first_entry() {
            if entry.key().0 > next {
                break;
            }
            let (client, down, bytes) = entry.remove();
            let fault = match down {
                true => self.clients[client].handle(next, &bytes),
                false => self.server.handle(next, PeerId(client as u32), &bytes),
            };
            assert!(fault.is_ok() || self.weather.loss_percent > 0, "{fault:?}");
        }
        for client in &mut self.clients {
            if client.next_tick_at() <= next {
                client.hold(next, (self.hands)(client.tick().get() + 1));
            }
            client.advance(next);
        }
        self.server.advance(next);
        self.drain();
    }

    fn drain(&mut self) {
        let mut buf = [0; 1200];
        for at in 0..self.clients.len() {
            loop {
                match self.clients[at].poll(&mut buf) {
                    Output::Transmit { len, .. } => self.send(at, false, buf[..len].to_vec()),
                    Output::Event(heard) => self.said[at].push(heard.event),
                    Output::Wait { .. } => break,
                }
            }
        }
        loop {
            match self.server.poll(&mut buf) {
                Output::Transmit { to, len, .. } => {
                    self.largest = self.largest.max(len);
                    self.send(to.0 as usize, true, buf[..len].to_vec());
                }
                Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
    }

    pub fn run_ms(&mut self, millis: u64) {
        let end = self.now + Micros::from_millis(millis);
        while self.now < end {
            self.step(end);
        }
    }
}

impl Pair {
    /// A server and so many clients, as they are by default, in an empty world.
    pub fn of(clients: usize, weather: Weather) -> Self {
        let clients = vec![ClientConfig::default(); clients];
        Self::new(Walk::empty(), ServerConfig::default(), &clients, weather)
    }

    /// One server and one client, as they are by default.
    pub fn plain(weather: Weather) -> Self {
        Self::of(1, weather)
    }

    pub fn ordered() -> ClientConfig {
        ClientConfig {
            delivery: Delivery::Ordered,
            ..ClientConfig::default()
        }
    }
}

/// Runs until `done`, or fails after `seconds` of virtual time.
pub fn drive_bounded(pair: &mut Pair, seconds: u64, mut done: impl FnMut(&Pair) -> bool) {
    let end = pair.now + Micros::from_millis(seconds * 1000);
    while !done(pair) {
        assert!(pair.now < end, "not done within {seconds} s");
        pair.step(end);
    }
}
