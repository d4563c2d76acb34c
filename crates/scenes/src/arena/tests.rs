//! The arena as a server runs it, and one client beside it.

use std::collections::VecDeque;

use netcode::game::Said;
use netcode::{
    Client, ClientConfig, Delivery, Digest, Drawn, Game, Output, PeerId, Server, ServerConfig,
};
use wire::{Micros, SlotKey};

use super::rules::{DAMAGE, HEALTH};
use super::*;
use crate::bot::BotStyle;
use crate::mark::MarkKind;
use crate::scene::Verdict;
use crate::vec2::vec2;

/// A server with its bots, in virtual time.
struct World {
    server: Server<Arena>,
    bots: Vec<(SlotKey, Rng, BotMemory, Input)>,
    drawn: Drawn,
}

impl World {
    fn new(setup: Setup, styles: &[BotStyle]) -> Self {
        let config = ServerConfig {
            rate_hz: setup.rate_hz,
            ..ServerConfig::default()
        };
        let mut server = Server::new(Arena::new(&setup), config, Micros::ZERO);
        let bots = styles
            .iter()
            .enumerate()
            .map(|(index, style)| {
                let key = server.seat().expect("there is room");
                let rng = Rng::fork(setup.seed, index as u64);
                (
                    key,
                    rng,
                    BotMemory::new(*style, setup.rate_hz),
                    Input::default(),
                )
            })
            .collect();
        Self {
            server,
            bots,
            drawn: Drawn::default(),
        }
    }

    fn duel(setup: Setup) -> Self {
        Self::new(setup, &vec![BotStyle::Duel; usize::from(setup.bots)])
    }

    /// Runs one tick and gives what was said in it.
    fn tick(&mut self) -> Vec<Said<Event>> {
        self.server.drawn(&mut self.drawn);
        for (key, rng, memory, held) in &mut self.bots {
            Arena::think(*key, &self.drawn, rng, memory, held);
            self.server.drive(*key, *held);
        }
        self.server.advance(self.server.next_tick_at());
        let mut said = Vec::new();
        let mut buf = [0; wire::MAX_PACKET];
        loop {
            match self.server.poll(&mut buf) {
                Output::Event(event) => said.push(event),
                Output::Transmit { .. } => {}
                Output::Wait { .. } => return said,
            }
        }
    }

    /// Holds hands for some ticks.
    fn hold(&mut self, key: SlotKey, hands: Input, ticks: usize) -> Vec<Said<Event>> {
        let mut said = Vec::new();
        for _ in 0..ticks {
            self.server.drive(key, hands);
            said.extend(self.tick());
        }
        said
    }

    /// Hands that walk a character to a place in sight; `None` when it is there.
    fn toward(&self, key: SlotKey, to: Vec2) -> Option<Input> {
        let back = to - self.fighter(key).place();
        (back.length() > 0.05).then(|| Input::push(back * 3.0))
    }

    fn go(&mut self, key: SlotKey, to: Vec2) {
        while let Some(hands) = self.toward(key, to) {
            self.hold(key, hands, 1);
        }
        self.hold(key, Input::default(), 20);
    }

    fn fighter(&self, key: SlotKey) -> Fighter {
        *self.server.game().fighter(key).expect("it is here")
    }

    fn hash(&self) -> u64 {
        let mut digest = Digest::new();
        self.server.game().digest(&mut digest);
        digest.get()
    }
}

fn shots(said: &[Said<Event>]) -> Vec<Judged> {
    said.iter()
        .filter_map(|said| match said.event {
            Event::Shot(shot) => Some(shot),
            Event::BehindCover { .. } => None,
        })
        .collect()
}

fn looking(way: Vec2) -> Input {
    Input::default().looking(way.angle())
}

#[test]
fn two_runs_are_equal_and_another_seed_is_not() {
    let run = |seed| {
        let mut world = World::duel(Setup {
            seed,
            ..Setup::default()
        });
        (0..10_000).for_each(|_| drop(world.tick()));
        world.hash()
    };
    let first = run(1);
    assert_eq!(first, run(1));
    assert_ne!(first, run(2));
}

#[test]
fn bots_fight_at_any_rate_and_pass_the_gate() {
    for rate_hz in [20, 64, 128] {
        let mut world = World::duel(Setup {
            rate_hz,
            ..Setup::default()
        });
        let (mut falls, mut tally, mut passed) = (0, ShotTally::default(), 0);
        for _ in 0..u32::from(rate_hz) * 60 {
            let before = world.server.game().clone();
            for said in world.tick() {
                Arena::tally(&said.event, &mut tally);
                falls += u32::from(Arena::shot(&said.event).is_some_and(|shot| shot.fell));
            }
            let after = world.server.game();
            passed += after
                .taken()
                .filter(|(slot, seat)| {
                    let was = before.seats[*slot].fighter;
                    seat.fighter.y.abs() < 1_500
                        && was.teleports == seat.fighter.teleports
                        && (was.x < 1_000) != (seat.fighter.x < 1_000)
                })
                .count();
        }
        assert!(falls >= 4, "{falls} fell in a minute at {rate_hz} Hz");
        assert!(
            tally.hit > 40 && tally.miss > 20,
            "{tally:?} at {rate_hz} Hz"
        );
        assert_eq!(
            (tally.granted, tally.denied, tally.behind_cover),
            (0, 0, 0),
            "no past, no rewind"
        );
        assert!(
            passed >= 3,
            "the gate was passed {passed} times at {rate_hz} Hz"
        );
    }
}

#[test]
fn a_shot_hits_takes_health_knocks_back_and_is_told() {
    let mut world = World::new(
        Setup {
            bots: 0,
            ..Setup::default()
        },
        &[BotStyle::Still; 2],
    );
    let [a, b] = [world.bots[0].0, world.bots[1].0];
    world.bots.clear();
    world.go(a, vec2(-14.0, -4.6));
    world.go(a, vec2(-14.0, 0.6));
    world.go(b, vec2(14.0, 9.6));
    world.go(b, vec2(2.8, 10.2));
    world.go(b, vec2(-3.0, 10.2));
    world.go(b, vec2(-2.6, 0.6));
    let way = world.fighter(b).place() - world.fighter(a).place();
    let said = world.hold(
        a,
        Input {
            fire: true,
            ..looking(way)
        },
        1,
    );
    let shot = shots(&said)[0];
    let struck = shot.struck.expect("it hit");
    assert_eq!(
        (shot.by, shot.verdict, struck.key, struck.fell),
        (a, Verdict::Hit, b, false)
    );
    assert_eq!((shot.rewound_ms, shot.number), (0, 1));
    let seen = Arena::shot(&said[0].event).expect("a shot");
    assert!(
        (seen.to[0] - -3.1).abs() < 0.06,
        "it ends at the near side: {:?}",
        seen.to
    );
    let hurt = world.fighter(b);
    assert_eq!((hurt.hp, hurt.hurt), (HEALTH - DAMAGE, 1));
    assert!((490..=500).contains(&hurt.vx), "{} cm/s", hurt.vx);
    for number in 2..=5 {
        let way = world.fighter(b).place() - world.fighter(a).place();
        let said = world.hold(
            a,
            Input {
                held: true,
                ..looking(way)
            },
            26,
        );
        assert_eq!(shots(&said).last().map(|shot| shot.number), Some(number));
    }
    assert!(!world.fighter(b).alive(), "five hits");
    let before = world.fighter(b);
    let said = world.hold(
        a,
        Input {
            held: true,
            ..looking(way)
        },
        130,
    );
    assert!(
        shots(&said)
            .iter()
            .all(|shot| shot.verdict == Verdict::Miss),
        "nobody is there"
    );
    let back = world.fighter(b);
    assert_eq!((back.hp, back.teleports), (HEALTH, before.teleports + 1));
    let [far, now] =
        [before.place(), back.place()].map(|at| (at - world.fighter(a).place()).length());
    assert!(now > far, "it comes back away from everyone: {now} m");
}

#[test]
fn a_harmless_world_judges_and_hurts_nobody() {
    let setup = Setup {
        harmless: true,
        bots: 0,
        ..Setup::default()
    };
    let mut world = World::new(setup, &[BotStyle::Runner, BotStyle::Aimer]);
    let runner = world.bots[0].0;
    (0..64 * 8).for_each(|_| drop(world.tick()));
    let mut tally = ShotTally::default();
    for _ in 0..64 * 60 {
        let before = world.fighter(runner).place();
        world
            .tick()
            .iter()
            .for_each(|said| Arena::tally(&said.event, &mut tally));
        let far = (world.fighter(runner).place() - before).length();
        assert!((far * 64.0 - 6.0).abs() < 0.02, "{} m/s", far * 64.0);
    }
    assert!(tally.hit > 100, "{tally:?}");
    assert_eq!(
        tally.shots(),
        tally.hit,
        "who sees the present hits the present"
    );
    assert_eq!(world.fighter(runner).hp, HEALTH);
}

#[test]
fn there_are_seats_for_thirty_two_and_a_seat_is_given_again_to_another_life() {
    let mut arena = Arena::new(&Setup {
        bots: 2,
        ..Setup::default()
    });
    let keys: Vec<_> = (0..PLAYERS)
        .map(|_| arena.join().expect("there is room"))
        .collect();
    assert_eq!(arena.slots(), usize::from(SLOTS));
    assert_eq!(arena.join(), None, "the 33rd is declined");
    let bots = keys
        .iter()
        .filter(|key| arena.fighter(**key).is_some_and(|f| f.bot == 1))
        .count();
    assert_eq!(bots, 2, "the first two are the bots'");
    let gone = keys[4];
    arena.leave(gone);
    assert_eq!((arena.fighter(gone), arena.at(5)), (None, None));
    let next = arena.join().expect("a seat is free");
    assert_eq!(next.slot, gone.slot);
    assert_ne!(next.life, gone.life);
    arena.leave(gone);
    assert!(
        arena.fighter(next).is_some(),
        "an old key takes nobody away"
    );
    arena.leave(GATE_KEY);
    assert!(arena.gate().is_some(), "the gate is nobody's to take along");
}

#[test]
fn a_record_put_back_is_the_record_and_other_codes_harm_nobody() {
    let mut world = World::duel(Setup::default());
    let mut copy = world.server.game().empty();
    (0..500).for_each(|_| drop(world.tick()));
    let game = world.server.game();
    for (key, class) in (0..game.slots()).filter_map(|slot| game.at(slot)) {
        let mut codes = [0; Fighter::WIDTH];
        game.save(key, &mut codes);
        copy.load(key, class, &codes);
        let mut again = [0; Fighter::WIDTH];
        copy.save(key, &mut again);
        assert_eq!(codes, again);
    }
    assert_eq!(copy.slots(), game.slots());
    assert_eq!((copy.gate, copy.seats), (game.gate, game.seats));

    // Whatever a server says inside the schema's ranges can be loaded and run on.
    for extreme in [true, false] {
        let code = |field: &wire::Field| {
            if extreme {
                field.quant.max()
            } else {
                field.quant.min()
            }
        };
        let codes: Vec<_> = FIGHTER.fields.iter().map(code).collect();
        let mut fighter = Fighter::load(&codes);
        for _ in 0..100 {
            fighter.run(
                Some(&Input {
                    x: 127,
                    dash: true,
                    ..Input::default()
                }),
                None,
                0.1,
            );
        }
        copy.load(SlotKey::new(7, 9), FIGHTER_CLASS, &codes);
        assert_eq!(copy.at(7), Some((SlotKey::new(7, 9), FIGHTER_CLASS)));
        copy.load(GATE_KEY, GATE_CLASS, &[code(&GATE.fields[0])]);
    }
    let before = copy.clone();
    copy.load(SlotKey::new(7, 9), GATE_CLASS, &[0]);
    copy.load(SlotKey::new(400, 9), FIGHTER_CLASS, &[0; Fighter::WIDTH]);
    assert_eq!(copy, before, "a class where it cannot be is ignored");
}

#[test]
fn no_pad_is_harmful() {
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e30] {
        let pad = Pad {
            x: value,
            y: value,
            aim_x: value,
            aim_y: value,
            ..Pad::default()
        };
        for me in [None, Some([value, 0.0]), Some([0.0, 0.0])] {
            let input = Arena::input(&pad, me);
            let stick = input.stick();
            assert!(stick.length() <= 1.0, "{value} gives {input:?}");
            let mut fighter = Fighter::at(Vec2::ZERO, false);
            for _ in 0..50 {
                fighter.run(Some(&input), None, 1.0 / 64.0);
            }
            assert_eq!(fighter, fighter.clamped());
        }
    }
    let pad = Pad {
        aim_x: 3.0,
        aim_y: 4.0,
        buttons: 0b11,
        pressed: 0b10,
        ..Pad::default()
    };
    let input = Arena::input(&pad, Some([3.0, 2.0]));
    assert_eq!(
        input,
        Input {
            aim: Some(16_384),
            dash: true,
            held: true,
            ..Input::default()
        }
    );
    assert_eq!(Arena::input(&pad, None).aim, None);
}

#[test]
fn a_picture_has_walls_first_and_who_is_who() {
    let setup = Setup {
        bots: 1,
        ..Setup::default()
    };
    let mut world = World::new(setup, &[BotStyle::Duel, BotStyle::Still, BotStyle::Still]);
    (0..64).for_each(|_| drop(world.tick()));
    let keys: Vec<_> = world.bots.iter().map(|bot| bot.0).collect();
    let mut out = Vec::new();
    let view = View {
        you: Some(keys[1]),
        without_walls: false,
    };
    Arena::marks(&world.drawn, &view, &mut out);
    let kind_of = |key| {
        out.iter()
            .find(|mark| mark.key == Mark::key_of(key))
            .map(|mark| mark.kind)
    };
    assert_eq!(kind_of(keys[0]), Some(MarkKind::Bot));
    assert_eq!(kind_of(keys[1]), Some(MarkKind::You));
    assert_eq!(kind_of(keys[2]), Some(MarkKind::Other));
    let walls = out
        .iter()
        .take_while(|mark| mark.kind == MarkKind::Wall)
        .count();
    assert_eq!(walls, 14);
    assert_eq!(out[walls].kind, MarkKind::Gate);
    let mut bare = Vec::new();
    Arena::marks(
        &world.drawn,
        &View {
            without_walls: true,
            ..view
        },
        &mut bare,
    );
    assert_eq!(bare, out[walls..]);
}

/// A client of a server, each way the same time away, in quarters of a tick.
struct Pair {
    world: World,
    client: Client<Arena>,
    away: Micros,
    up: VecDeque<(Micros, Vec<u8>)>,
    down: VecDeque<(Micros, Vec<u8>)>,
    now: Micros,
    drawn: Drawn,
    said: Vec<Said<Event>>,
}

const PEER: PeerId = PeerId(1);

impl Pair {
    fn new(mut world: World, away_ms: u64) -> Self {
        world.bots.clear();
        world.server.connect(Micros::ZERO, PEER, Delivery::Datagram);
        let game = world.server.game().empty();
        let mut pair = Self {
            world,
            client: Client::join(game, ClientConfig::default(), Micros::ZERO),
            away: Micros::from_millis(away_ms),
            up: VecDeque::new(),
            down: VecDeque::new(),
            now: Micros::ZERO,
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
        while self.down.front().is_some_and(|(at, _)| *at <= self.now) {
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
    let world = World::new(
        Setup {
            bots: 1,
            ..Setup::default()
        },
        &[BotStyle::Still],
    );
    let victim = world.bots[0].0;
    let mut pair = Pair::new(world, 100);
    let me = pair.me();
    assert_eq!(pair.world.fighter(me).place(), vec2(14.0, 10.0));
    for place in [vec2(-14.0, 10.0), vec2(7.0, 10.2)] {
        pair.go(victim, place, |_| false);
    }
    // Past the corner of the cover, at a run; shot when the screen still shows it before the corner.
    let mut shot = false;
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
fn a_client_predicts_itself_exactly_but_for_the_gate_where_it_is_set_right() {
    let mut pair = Pair::new(
        World::new(
            Setup {
                bots: 0,
                ..Setup::default()
            },
            &[],
        ),
        80,
    );
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
