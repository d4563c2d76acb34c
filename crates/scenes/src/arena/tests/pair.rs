//! A client beside the server: what it predicts, what it is told, how its shots are judged.

use std::collections::VecDeque;

use netcode::{Claim, Client, ClientConfig, Delivery, PeerId};

use super::*;

/// A client of a server, each way the same time away, in quarters of a tick.
struct Pair {
    world: World,
    client: Client<Arena>,
    away: Micros,
    up: VecDeque<(Micros, Vec<u8>)>,
    down: VecDeque<(Micros, Vec<u8>)>,
    now: Micros,
    /// Nothing reaches the client; it waits.
    deaf: bool,
    drawn: Drawn,
    said: Vec<Said<Event>>,
}

const PEER: PeerId = PeerId(1);

impl Pair {
    fn new(mut world: World, away_ms: u64) -> Self {
        world.bots.clear();
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
            deaf: false,
            drawn: Drawn::default(),
            said: Vec::new(),
        };
        // Until it plays and its queue has settled.
        (0..4 * 64 * 5).for_each(|_| pair.run());
        pair
    }

    fn me(&self) -> SlotKey {
        self.client.me().expect("it plays")
    }

    fn run(&mut self) {
        self.now += Micros::new(15_625 / 4);
        while self.up.front().is_some_and(|(at, _)| *at <= self.now) {
            let (_, bytes) = self.up.pop_front().expect("one is due");
            self.world
                .server
                .handle(self.now, PEER, &bytes)
                .expect("an honest client");
        }
        while !self.deaf && self.down.front().is_some_and(|(at, _)| *at <= self.now) {
            let (_, bytes) = self.down.pop_front().expect("one is due");
            self.client
                .handle(self.now, &bytes)
                .expect("an honest server");
        }
        let mut buf = [0; wire::MAX_PACKET];
        let arrives = self.now + self.away;
        self.world.server.advance(self.now);
        loop {
            match self.world.server.poll(&mut buf) {
                Output::Transmit { len, .. } => {
                    self.down.push_back((arrives, buf[..len].to_vec()));
                }
                Output::Event(said) => self.said.push(said),
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
        self.client.drawn(self.now, &mut self.drawn);
    }

    /// Walks a character of the server's to a place in sight, until `stop` says so.
    fn go(&mut self, key: SlotKey, to: Vec2, mut stop: impl FnMut(&mut Self) -> bool) {
        while let Some(hands) = self.world.toward(key, to) {
            self.world.server.drive(key, hands);
            self.run();
            if stop(self) {
                return;
            }
        }
        self.world.server.drive(key, Input::default());
        (0..20).for_each(|_| self.run());
    }

    fn place_on_screen(&self, key: SlotKey) -> Option<Vec2> {
        self.drawn.get(key).map(marks::place)
    }
}

#[test]
fn who_is_hit_behind_cover_is_told_how_long_ago_they_were_not() {
    let world = World::new(Setup { ..Setup::default() }, &[BotStyle::Still]);
    let victim = world.bots[0].0;
    let mut pair = Pair::new(world, 100);
    let me = pair.me();
    assert_eq!(pair.world.fighter(me).place(), vec2(14.0, 10.0));
    for place in [vec2(-14.0, 10.0), vec2(7.0, 10.2)] {
        pair.go(victim, place, |_| false);
    }
    // Past the corner of the cover, at a run; shot when the screen still shows it before the corner.
    let (mut shot, mut deaf) = (false, 0);
    pair.said.clear();
    pair.go(victim, vec2(7.0, 2.4), |pair| {
        let there = pair.place_on_screen(victim).expect("it is drawn");
        let way = there - pair.place_on_screen(me).expect("it is drawn");
        let fire = !shot && there.y < 7.8;
        if fire {
            assert!(
                map::sees(vec2(14.0, 10.0), there, None),
                "in sight on the screen"
            );
        }
        shot |= fire;
        // Ten ticks without news: a client runs no rule over what it only heard of.
        let held = pair.client.game().fighter(victim).map(|held| held.hurt);
        if held == Some(1) && deaf < 40 {
            deaf += 1;
        }
        pair.deaf = (1..40).contains(&deaf);
        assert!(
            !pair.deaf || held == Some(1),
            "hurt for {deaf} quarters of a tick"
        );
        pair.client.hold(
            pair.now,
            Input {
                fire,
                ..looking(way)
            },
        );
        false
    });
    assert_eq!(deaf, 40, "the hit was heard of");
    let judged = shots(&pair.said);
    assert_eq!(judged.len(), 1);
    let (judged, ago) = (judged[0], judged[0].rewound_ms);
    assert_eq!(
        (judged.by, judged.verdict),
        (me, Verdict::Granted),
        "{judged:?}"
    );
    // One way up, one way down, and the screen's delay of some snapshots.
    assert!((200..330).contains(&ago), "{ago} ms");
    let struck = judged.struck.expect("it hit");
    assert_eq!(struck.key, victim);
    assert!(
        (7_500..7_900).contains(&struck.then[1]),
        "put back to where it was drawn: {struck:?}"
    );
    let told: Vec<_> = pair.said.iter().filter(|said| said.to.is_some()).collect();
    assert_eq!(told.len(), 1, "the victim alone is told");
    assert_eq!(told[0].to, Some(victim));
    assert_eq!(
        told[0].event,
        Event::BehindCover {
            by: me,
            ago_ms: ago
        }
    );
    assert_eq!(pair.world.fighter(victim).hp, HEALTH - DAMAGE);
}

#[test]
fn a_shot_ahead_of_the_picture_is_denied_and_hurts_nobody() {
    let world = World::new(Setup { ..Setup::default() }, &[BotStyle::Still]);
    let victim = world.bots[0].0;
    let mut pair = Pair::new(world, 100);
    let me = pair.me();
    for place in [vec2(-14.0, 10.0), vec2(7.0, 10.2), vec2(7.0, 6.8)] {
        pair.go(victim, place, |_| false);
    }
    pair.said.clear();
    let (mut fired, mut were) = (false, VecDeque::new());
    pair.go(victim, vec2(7.0, 11.0), |pair| {
        // What a client holds of others is what it heard of them: it never moves them itself.
        let now = pair.world.fighter(victim);
        were.push_back((now.x, now.y));
        let held = pair.client.game().fighter(victim).expect("it was heard of");
        assert!(
            were.len() < 100 || were.contains(&(held.x, held.y)),
            "{held:?}"
        );

        // Where it will be when the shot is judged: one way and the queue from now.
        let ahead = vec2(0.0, 6.0 * 0.14);
        let way = now.place() + ahead - pair.place_on_screen(me).expect("it is drawn");
        let fire = !fired && now.y > 8_400;
        fired |= fire;
        pair.client.hold(
            pair.now,
            Input {
                fire,
                ..looking(way)
            },
        );
        false
    });
    let judged = shots(&pair.said);
    assert_eq!(judged.len(), 1);
    assert_eq!(judged[0].verdict, Verdict::Denied, "{judged:?}");
    let struck = judged[0].struck.expect("somebody was there");
    assert_eq!((struck.key, struck.fell), (victim, false));
    assert_eq!(pair.world.fighter(victim).hp, HEALTH);
    assert_eq!(pair.said.len(), 1, "nobody is told of a hit");
}

#[test]
fn who_was_out_of_the_game_then_is_not_hit_there_after_coming_back() {
    let world = World::new(Setup { ..Setup::default() }, &[BotStyle::Still]);
    let victim = world.bots[0].0;
    let mut pair = Pair::new(world, 100);
    let me = pair.me();
    for place in [vec2(-14.0, 10.0), vec2(7.0, 10.2)] {
        pair.go(victim, place, |_| false);
    }
    let aim = |pair: &Pair| {
        let there = pair.place_on_screen(victim).expect("it is drawn");
        looking(there - pair.place_on_screen(me).expect("it is drawn"))
    };
    while pair.world.fighter(victim).alive() {
        pair.client.hold(
            pair.now,
            Input {
                held: true,
                ..aim(&pair)
            },
        );
        (0..4).for_each(|_| pair.run());
    }
    let before = pair.world.fighter(victim);
    while pair.world.fighter(victim).teleports == before.teleports {
        pair.client.hold(pair.now, aim(&pair));
        pair.run();
    }
    pair.said.clear();
    // The screen still shows the one that is out.
    pair.client.hold(
        pair.now,
        Input {
            fire: true,
            ..aim(&pair)
        },
    );
    (0..4 * 20).for_each(|_| pair.run());
    let judged = shots(&pair.said);
    assert_eq!(judged.len(), 1);
    assert_eq!(
        (judged[0].verdict, judged[0].rewound_ms > 150),
        (Verdict::Miss, true)
    );
}

#[test]
fn a_client_predicts_itself_exactly_but_for_the_gate_where_it_is_set_right() {
    let mut pair = Pair::new(World::new(Setup { ..Setup::default() }, &[]), 80);
    let me = pair.me();
    let mut rng = Rng::new(4);
    let walk = |pair: &mut Pair, to: Vec2, ticks: usize, rng: &mut Rng| {
        for tick in 0..ticks {
            let own = pair.place_on_screen(me).expect("it is drawn");
            let dash = tick % 50 == 0 && rng.below(2) == 0;
            pair.client.hold(
                pair.now,
                Input {
                    dash,
                    held: true,
                    ..Input::push((to - own) * 2.0)
                },
            );
            (0..4).for_each(|_| pair.run());
        }
    };
    walk(&mut pair, vec2(-13.8, -4.4), 100, &mut rng);
    for _ in 0..30 {
        // Into walls too: they are known on both ends.
        let to = vec2(rng.between(-15.0, -2.0), rng.between(-7.0, 8.0));
        walk(&mut pair, to, 64, &mut rng);
    }
    let counters = *pair.client.counters();
    assert!(pair.world.fighter(me).shots > 0 && counters.ticks > 2_000);
    assert_eq!(
        (counters.corrections, counters.adjustments),
        (0, 0),
        "{counters:?}"
    );

    walk(&mut pair, vec2(-2.6, 0.0), 150, &mut rng);
    for side in [2.8, -0.8].into_iter().cycle().take(30) {
        walk(&mut pair, vec2(side, 0.0), 64, &mut rng);
    }
    let counters = *pair.client.counters();
    assert!(counters.corrections > 3, "{counters:?}");
    pair.client.hold(pair.now, Input::default());
    (0..4 * 128).for_each(|_| pair.run());
    assert_eq!(
        pair.client.game().fighter(me),
        Some(&pair.world.fighter(me))
    );
}

#[test]
fn a_perfect_aimer_hits_a_runner_with_the_rewind_and_misses_without() {
    for rewind in [true, false] {
        let setup = Setup {
            harmless: true,
            ..Setup::default()
        };
        let world = World::new(setup, &[BotStyle::Runner]);
        let runner = world.bots[0];
        let mut pair = Pair::new(world, 100);
        pair.world.bots.push(runner);
        let config = ServerConfig {
            rewind,
            ..*pair.world.server.config()
        };
        pair.world.server.reconfigure(config);
        let me = pair.me();
        let (mut rng, mut memory) = (Rng::new(1), BotMemory::new(BotStyle::Aimer, 64));
        let mut held = Input::default();
        pair.said.clear();
        for _ in 0..64 * 70 {
            pair.world.think();
            Arena::think(me, &pair.drawn, &mut rng, &mut memory, &mut held);
            pair.client.hold(pair.now, held);
            (0..4).for_each(|_| pair.run());
        }
        let mut tally = ShotTally::default();
        pair.said
            .iter()
            .for_each(|said| Arena::tally(&said.event, &mut tally));
        let hits = tally.hit + tally.granted;
        assert!(tally.shots() > 80, "{tally:?}");
        if rewind {
            assert!(hits * 100 >= tally.shots() * 99, "{tally:?}");
        } else {
            assert!(hits * 100 <= tally.shots() * 5, "{tally:?}");
        }
    }
}
