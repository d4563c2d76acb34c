//! A client beside the server: what it moves, and what sets it right.

use std::collections::{BTreeMap, VecDeque};

use netcode::{Claim, Client, ClientConfig, Delivery, PeerId};

use super::*;

const PEER: PeerId = PeerId(1);

/// The enemies of one end, by key.
type Foes = BTreeMap<SlotKey, Foe>;

/// A client of a server, each way the same time away, in quarters of a tick.
struct Pair {
    world: World,
    client: Client<Horde>,
    away: Micros,
    up: VecDeque<(Micros, Vec<u8>)>,
    down: VecDeque<(Micros, Vec<u8>)>,
    now: Micros,
    drawn: Drawn,
    /// What the server had after each tick.
    truth: BTreeMap<u64, Foes>,
}

impl Pair {
    fn new(mut world: World, away_ms: u64) -> Self {
        world
            .server
            .connect(Micros::ZERO, PEER, Delivery::Datagram, Claim::Seat);
        let game = world.server.game().empty();
        let mut pair = Self {
            world,
            client: Client::join(game, ClientConfig::default(), Micros::ZERO),
            away: Micros::from_millis(away_ms),
            up: VecDeque::new(),
            down: VecDeque::new(),
            now: Micros::ZERO,
            drawn: Drawn::default(),
            truth: BTreeMap::new(),
        };
        // Until it plays and its queue has settled.
        (0..4 * 64 * 4).for_each(|_| pair.run());
        pair
    }

    fn run(&mut self) {
        self.now += Micros::new(15_625 / 4);
        while self.up.front().is_some_and(|(at, _)| *at <= self.now) {
            let (_, bytes) = self.up.pop_front().expect("one is due");
            let server = &mut self.world.server;
            server
                .handle(self.now, PEER, &bytes)
                .expect("an honest client");
        }
        while self.down.front().is_some_and(|(at, _)| *at <= self.now) {
            let (_, bytes) = self.down.pop_front().expect("one is due");
            self.client
                .handle(self.now, &bytes)
                .expect("an honest server");
        }
        let mut buf = [0; wire::MAX_PACKET];
        let arrives = self.now + self.away;
        if self.world.server.next_tick_at() <= self.now {
            self.world.think();
            self.world.server.advance(self.now);
            self.truth
                .insert(self.world.server.tick().get(), foes(self.world.game()));
            if self.truth.len() > 128 {
                self.truth.pop_first();
            }
        }
        loop {
            match self.world.server.poll(&mut buf) {
                Output::Transmit { len, .. } => {
                    self.down.push_back((arrives, buf[..len].to_vec()));
                }
                Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
        self.client.advance(self.now);
        loop {
            match self.client.poll(&mut buf) {
                Output::Transmit { len, .. } => self.up.push_back((arrives, buf[..len].to_vec())),
                Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
    }

    /// The client's enemies, and the server's tick that they stand after.
    fn screen(&mut self) -> (u64, Foes) {
        let soon = self.client.next_tick_at();
        self.client.drawn(soon, &mut self.drawn);
        (
            self.drawn.simulated_at.round() as u64,
            foes(self.client.game()),
        )
    }
}

fn foes(horde: &Horde) -> Foes {
    horde.foes().map(|(key, foe)| (key, *foe)).collect()
}

#[test]
fn what_nobody_disturbs_stands_on_the_screen_where_the_server_will_have_it() {
    // Nobody but the player, who stands still in a world that few enemies share.
    let mut pair = Pair::new(World::new(few(400), &[]), 80);
    let (mut compared, mut off, mut ahead) = (0, 0, 0);
    for _ in 0..12 {
        let (at, screen) = pair.screen();
        ahead = at - pair.world.server.tick().get();
        while pair.world.server.tick().get() < at {
            pair.run();
        }
        let truth = &pair.truth[&at];
        for (key, foe) in &screen {
            // Of the newest the word is under way.
            if let Some(truth) = truth.get(key) {
                compared += 1;
                // What it has decided since is not known yet, and changes nothing yet.
                off += usize::from((foe.at(), foe.way) != (truth.at(), truth.way));
            }
        }
        (0..4 * 20).for_each(|_| pair.run());
    }
    assert!(ahead >= 6, "{ahead} ticks ahead: a way up and the queue");
    assert!(compared > 12 * 300, "{compared}");
    // Whoever reaches the player dies of it, and no end foresees that.
    let counters = pair.client.counters();
    let fell = pair.world.game().enemies();
    assert!(off * 500 <= compared, "{off} of {compared}, {fell} there");
    assert!(counters.simulated_told > 1_000, "{counters:?}");
    assert!(
        counters.simulated_corrections * 50 <= counters.simulated_told,
        "{counters:?}"
    );
    assert_eq!((counters.corrections, counters.adjustments), (0, 0));
}

#[test]
fn the_own_repulse_pushes_on_the_own_screen_at_once_and_alike_on_the_server() {
    let mut pair = Pair::new(World::new(few(3_000), &[]), 80);
    let me = pair.client.me().expect("it plays");
    let flying = |foes: &Foes| {
        let fly = foes.iter().filter(|(_, foe)| foe.mood == Foe::FLIES);
        fly.map(|(key, _)| *key).collect::<Vec<_>>()
    };
    let near = |pair: &Pair| {
        let at = pair.client.game().hero(me).expect("it is here").at();
        let near = pair.client.game().foes();
        near.filter(|(_, foe)| foe.alive() && rules::near(foe.at(), at, rules::REPULSE_REACH - 30))
            .count()
    };
    while near(&pair) < 4 {
        pair.run();
    }
    let before = pair.client.tick();
    pair.client.hold(
        pair.now,
        Input {
            repulse: true,
            ..Input::default()
        },
    );
    while pair.client.tick() == before {
        pair.run();
    }
    let (at, screen) = pair.screen();
    let pushed = flying(&screen);
    assert!(pushed.len() >= 4, "{pushed:?}");
    assert!(
        flying(&foes(pair.world.game())).is_empty(),
        "not on the server yet"
    );
    while pair.world.server.tick().get() < at {
        pair.run();
    }
    let truth = &pair.truth[&at];
    let same = pushed
        .iter()
        .filter(|key| truth.get(key) == screen.get(key));
    assert!(same.count() + 1 >= pushed.len());
}
