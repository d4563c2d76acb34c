//! Whether a game alone runs by the server's rules.

use netcode::client::ClientConfig;
use netcode::{
    Claim, Client, Delivery, Digest, Drawn, Driver, Game, Output, PeerId, Server, ServerConfig,
};
use scenes::arena::Input;
use scenes::{Arena, BotMemory, BotStyle, Rng, Scene, Setup};
use wire::{Micros, Tick};

use super::{Experiment, Outcome};
use crate::run::hex;

pub(super) const OFFLINE: Experiment = Experiment {
    name: "offline",
    question: "Does a game alone, given the commands that a server ran, have the server's hash?",
    run,
};

const TICKS: u64 = 4_000;
const EVERY: u64 = 500;
const PEER: PeerId = PeerId(0);
const RATE: u16 = 64;
/// They stand where they come in, are shot, fall and come back.
const OTHERS: u16 = 6;

fn run(seed: u64) -> Outcome {
    let mut table = Outcome::new(&["tick", "server", "alone", "shots", "fallen"]);
    let mut online = Online::new(seed);
    // What the server had before it ran the first command: everyone at rest, the newcomer too.
    let world = online.world.clone();
    let mut alone: Option<Client<Arena>> = None;
    let (mut equal, mut fallen) = (0, 0);
    for ran in 1..=TICKS {
        let (tick, command) = online.run_until_it_ran(ran);
        let alone = alone.get_or_insert_with(|| {
            Client::offline(
                world.clone(),
                ClientConfig::default(),
                tick - 1,
                Micros::ZERO,
            )
        });
        let due = alone.next_tick_at();
        alone.hold(due, online.made(command));
        alone.advance(due);

        let [server, offline] = [online.server.game(), alone.game()].map(hash);
        equal += u64::from(server == offline && alone.tick() == online.server.tick());
        let me = alone.me().and_then(|me| alone.game().fighter(me));
        fallen = fallen.max(fallen_in(alone.game()));
        if ran % EVERY == 0 {
            table.row([
                tick.get().into(),
                hex(server).into(),
                hex(offline).into(),
                me.map_or(0, |me| me.shots as u64).into(),
                fallen.into(),
            ]);
        }
    }
    table.bound(
        format!("the hash is the server's after {equal} of {TICKS} ticks"),
        equal == TICKS,
    );
    table.bound("somebody was shot down and came back meanwhile", fallen > 0);
    table
}

/// How often the others came back, in all.
fn fallen_in(game: &Arena) -> u64 {
    let keys = (1..game.slots()).filter_map(|slot| game.at(slot));
    keys.filter_map(|(key, _)| game.fighter(key))
        .map(|fighter| fighter.teleports as u64)
        .sum()
}

fn hash(game: &Arena) -> u64 {
    let mut digest = Digest::new();
    game.digest(&mut digest);
    digest.get()
}

/// A server and a player beside it: what is sent arrives at once.
struct Online {
    server: Server<Arena>,
    player: Client<Arena>,
    now: Micros,
    /// Who plays, and the commands made so far, by tick.
    rng: Rng,
    memory: BotMemory,
    held: Input,
    made: Vec<(Tick, Input)>,
    drawn: Drawn,
    /// The server's game before the player joined.
    world: Arena,
}

impl Online {
    fn new(seed: u64) -> Self {
        let mut game = Arena::new(&Setup {
            seed,
            rate_hz: RATE,
            ..Setup::default()
        });
        for _ in 0..OTHERS {
            game.join(Driver::Bot);
        }
        let config = ServerConfig {
            // A game alone judges by the present, having no other.
            rewind: false,
            ..ServerConfig::default()
        };
        let world = game.clone();
        let mut server = Server::new(game, config, Micros::ZERO);
        server.connect(Micros::ZERO, PEER, Delivery::Ordered, Claim::Seat);
        let config = ClientConfig {
            delivery: Delivery::Ordered,
            pacing: false,
            ..ClientConfig::default()
        };
        Self {
            player: Client::join(server.game().empty(), config, Micros::ZERO),
            server,
            now: Micros::ZERO,
            rng: Rng::new(seed),
            memory: BotMemory::new(BotStyle::Duel, RATE),
            held: Input::default(),
            made: Vec::new(),
            drawn: Drawn::default(),
            world,
        }
    }

    /// Runs until the server has run so many commands; its tick then, and the number of the command.
    fn run_until_it_ran(&mut self, commands: u64) -> (Tick, Tick) {
        loop {
            if let Some(peer) = self
                .server
                .peer(PEER)
                .filter(|peer| peer.counters.ran == commands)
            {
                return (self.server.tick(), peer.judged);
            }
            self.step();
        }
    }

    /// The command that the player made for a tick.
    fn made(&self, tick: Tick) -> Input {
        let at = self.made.binary_search_by_key(&tick, |(tick, _)| *tick);
        at.map(|at| self.made[at].1).unwrap_or_default()
    }

    fn play(&mut self) {
        self.player.drawn(self.now, &mut self.drawn);
        if let Some(me) = self.drawn.mine.filter(|_| self.drawn.own().is_some()) {
            Arena::think(
                me,
                &self.drawn,
                &mut self.rng,
                &mut self.memory,
                &mut self.held,
            );
        }
        self.player.hold(self.now, self.held);
        self.made.push((self.player.tick().next(), self.held));
    }

    fn step(&mut self) {
        self.now += Micros::new(1_000);
        let mut buf = [0; wire::MAX_PACKET];
        if self.player.next_tick_at() <= self.now {
            self.play();
        }
        self.player.advance(self.now);
        loop {
            match self.player.poll(&mut buf) {
                Output::Transmit { len, .. } => {
                    self.server
                        .handle(self.now, PEER, &buf[..len])
                        .expect("an honest client");
                }
                Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
        self.server.advance(self.now);
        loop {
            match self.server.poll(&mut buf) {
                Output::Transmit { len, .. } => {
                    self.player
                        .handle(self.now, &buf[..len])
                        .expect("an honest server");
                }
                Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
    }
}
