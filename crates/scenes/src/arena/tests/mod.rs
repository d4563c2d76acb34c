//! The arena as a server runs it.

mod pair;
mod show;

use netcode::game::Said;
use netcode::{Digest, Drawn, Game, Output, Server, ServerConfig};
use wire::{Micros, SlotKey};

use super::rules::{DAMAGE, HEALTH};
use super::*;
use crate::bot::BotStyle;
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
        Self::new(setup, &[BotStyle::Duel; 8])
    }

    /// Lets the bots think: once a tick.
    fn think(&mut self) {
        self.server.drawn(&mut self.drawn);
        for (key, rng, memory, held) in &mut self.bots {
            Arena::think(*key, &self.drawn, rng, memory, held);
            self.server.drive(*key, *held);
        }
    }

    /// Runs one tick and gives what was said in it.
    fn tick(&mut self) -> Vec<Said<Event>> {
        self.think();
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
        let mut fired = vec![Vec::new(); usize::from(SLOTS)];
        for tick in 0..u32::from(rate_hz) * 60 {
            let before = world.server.game().clone();
            for said in world.tick() {
                Arena::tally(&said.event, &mut tally);
                if let Event::Shot(shot) = said.event {
                    fired[usize::from(shot.by.slot)].push(tick);
                }
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
        let most = fired
            .iter()
            .flat_map(|ticks| ticks.windows(6))
            .filter(|six| six[5] - six[0] < u32::from(rate_hz) * 3)
            .count();
        assert_eq!(
            most, 0,
            "a bot takes a breath between bursts: six shots in 3 s"
        );
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
    let mut world = World::new(Setup { ..Setup::default() }, &[BotStyle::Still; 2]);
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
    let mut arena = Arena::new(&Setup { ..Setup::default() });
    let keys: Vec<_> = (0..PLAYERS)
        .map(|at| {
            let driver = if at < 2 { Driver::Bot } else { Driver::Player };
            arena.join(driver).expect("there is room")
        })
        .collect();
    assert_eq!(arena.slots(), usize::from(SLOTS));
    assert_eq!(arena.join(Driver::Player), None, "the 33rd is declined");
    let bots = keys
        .iter()
        .filter(|key| arena.fighter(**key).is_some_and(|f| f.bot == 1))
        .count();
    assert_eq!(bots, 2, "as they joined");
    let gone = keys[4];
    arena.leave(gone);
    assert_eq!((arena.fighter(gone), arena.at(5)), (None, None));
    let next = arena.join(Driver::Player).expect("a seat is free");
    assert_eq!(next.slot, gone.slot);
    assert_ne!(next.life, gone.life);
    arena.leave(gone);
    assert!(
        arena.fighter(next).is_some(),
        "an old key takes nobody away"
    );
    let hash = |arena: &Arena| {
        let mut digest = Digest::new();
        arena.digest(&mut digest);
        digest.get()
    };
    let mut used = Arena::new(&Setup { ..Setup::default() });
    let fresh = hash(&used);
    let guest = used.join(Driver::Player).expect("there is room");
    used.leave(guest);
    assert_ne!(
        hash(&used),
        fresh,
        "the life that a free seat is at is state too"
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
