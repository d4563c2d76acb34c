//! A match driven by hand, so that each call of a machine can be measured by itself.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use netcode::client::ClientConfig;
use netcode::{Claim, Client, Delivery, Drawn, Output, PeerId, Server, ServerConfig};
use netsim::{Carrier, Link, Preset};
use scenes::{Arena, BotMemory, BotStyle, Rng, Scene, Setup};
use wire::{MAX_PACKET, Micros, SlotKey};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    ServerHandle,
    ServerAdvance,
    ServerPoll,
    ClientHandle,
    ClientAdvance,
    ClientPoll,
}

/// Whoever measures.
pub(crate) trait Watch {
    fn around<T>(&mut self, call: Call, run: impl FnOnce() -> T) -> T;
}

/// Nobody measures.
pub(crate) struct Nobody;

impl Watch for Nobody {
    fn around<T>(&mut self, _call: Call, run: impl FnOnce() -> T) -> T {
        run()
    }
}

/// Characters that the server drives.
const BOTS: u64 = 8;

struct Bot {
    key: SlotKey,
    rng: Rng,
    memory: BotMemory,
    held: <Arena as netcode::Game>::Input,
}

impl Bot {
    fn new(key: SlotKey, index: u64) -> Self {
        let memory = BotMemory::new(BotStyle::Duel, 64);
        Self {
            key,
            rng: Rng::fork(7, index),
            memory,
            held: Default::default(),
        }
    }

    fn think(&mut self, drawn: &Drawn) -> <Arena as netcode::Game>::Input {
        Arena::think(
            self.key,
            drawn,
            &mut self.rng,
            &mut self.memory,
            &mut self.held,
        );
        self.held
    }
}

/// The arena with eight bots and two clients on cable: ten characters.
pub(crate) struct Match {
    pub(crate) server: Server<Arena>,
    pub(crate) clients: Vec<Client<Arena>>,
    lines: Vec<[Link; 2]>,
    bots: Vec<Bot>,
    players: Vec<Bot>,
    now: Micros,
    drawn: Drawn,
    packet: Vec<u8>,
}

impl Match {
    pub(crate) fn new() -> Self {
        let setup = Setup::default();
        let game = Arena::new(&setup);
        let empty = game.empty();
        let mut server = Server::new(game, ServerConfig::default(), Micros::ZERO);
        let bots = (0..BOTS)
            .map(|i| Bot::new(server.seat().unwrap(), i + 2))
            .collect();
        let link = Preset::find("cable").unwrap().config(Carrier::Datagram);
        let mut clients = Vec::new();
        for id in 0..2 {
            server.connect(Micros::ZERO, PeerId(id), Delivery::Datagram, Claim::Seat);
            clients.push(Client::join(
                empty.clone(),
                ClientConfig::default(),
                Micros::ZERO,
            ));
        }
        Self {
            server,
            clients,
            lines: (0..2)
                .map(|i| [Link::new(i * 2, link), Link::new(i * 2 + 1, link)])
                .collect(),
            bots,
            players: (0..2).map(|i| Bot::new(SlotKey::default(), i)).collect(),
            now: Micros::ZERO,
            drawn: Drawn::default(),
            packet: Vec::with_capacity(MAX_PACKET),
        }
    }

    /// Runs to the server's next tick, in steps of a millisecond.
    pub(crate) fn tick(&mut self, watch: &mut impl Watch) {
        let tick = self.server.tick();
        while self.server.tick() == tick {
            self.now += Micros::from_millis(1);
            self.deliver(watch);
            if self.server.next_tick_at() <= self.now {
                self.server.drawn(&mut self.drawn);
                for bot in &mut self.bots {
                    let input = bot.think(&self.drawn);
                    self.server.drive(bot.key, input);
                }
                watch.around(Call::ServerAdvance, || self.server.advance(self.now));
                self.drain_server(watch);
            }
            for at in 0..self.clients.len() {
                if self.clients[at].next_tick_at() <= self.now || self.clients[at].me().is_none() {
                    self.run_client(at, watch);
                }
            }
        }
    }

    fn run_client(&mut self, at: usize, watch: &mut impl Watch) {
        let client = &mut self.clients[at];
        client.drawn(self.now, &mut self.drawn);
        if let Some(me) = self.drawn.mine.filter(|_| self.drawn.own().is_some()) {
            self.players[at].key = me;
            client.hold(self.now, self.players[at].think(&self.drawn));
        }
        watch.around(Call::ClientAdvance, || client.advance(self.now));
        self.drain_client(at, watch);
    }

    fn deliver(&mut self, watch: &mut impl Watch) {
        for at in 0..self.clients.len() {
            while self.lines[at][0]
                .receive(self.now, &mut self.packet)
                .is_some()
            {
                let (server, packet, now) = (&mut self.server, &self.packet, self.now);
                watch
                    .around(Call::ServerHandle, || {
                        server.handle(now, PeerId(at as u32), packet)
                    })
                    .unwrap();
                self.drain_server(watch);
            }
            while self.lines[at][1]
                .receive(self.now, &mut self.packet)
                .is_some()
            {
                let (client, packet, now) = (&mut self.clients[at], &self.packet, self.now);
                watch
                    .around(Call::ClientHandle, || client.handle(now, packet))
                    .unwrap();
                self.drain_client(at, watch);
            }
        }
    }

    fn drain_server(&mut self, watch: &mut impl Watch) {
        let mut buf = [0; MAX_PACKET];
        loop {
            match watch.around(Call::ServerPoll, || self.server.poll(&mut buf)) {
                Output::Transmit { to, len, .. } => {
                    self.lines[to.0 as usize][1].send(self.now, &buf[..len]);
                }
                Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
    }

    fn drain_client(&mut self, at: usize, watch: &mut impl Watch) {
        let mut buf = [0; MAX_PACKET];
        loop {
            match watch.around(Call::ClientPoll, || self.clients[at].poll(&mut buf)) {
                Output::Transmit { len, .. } => {
                    self.lines[at][0].send(self.now, &buf[..len]);
                }
                Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
    }
}
