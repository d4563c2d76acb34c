//! The black holes as a server runs them.

use netcode::{Output, Server, ServerConfig};
use wire::Micros;

use super::*;
use crate::bot::BotStyle;

/// A server with its bots, in virtual time.
struct World {
    server: Server<BlackHoles>,
    bots: Vec<(SlotKey, Rng, BotMemory, Input)>,
    drawn: Drawn,
}

impl World {
    fn new(seed: u64, options: Options, styles: &[BotStyle]) -> Self {
        let setup = Setup {
            seed,
            black_holes: options,
            ..Setup::default()
        };
        let mut server = Server::new(
            BlackHoles::new(&setup),
            ServerConfig::default(),
            Micros::ZERO,
        );
        let bots = styles
            .iter()
            .enumerate()
            .map(|(index, style)| {
                let key = server.seat().expect("there is room");
                let rng = Rng::fork(seed, index as u64);
                let memory = BotMemory::new(*style, setup.rate_hz);
                (key, rng, memory, Input::default())
            })
            .collect();
        Self {
            server,
            bots,
            drawn: Drawn::default(),
        }
    }

    fn run(&mut self, ticks: usize) {
        let mut buf = [0; wire::MAX_PACKET];
        for _ in 0..ticks {
            self.server.drawn(&mut self.drawn);
            for (key, rng, memory, held) in &mut self.bots {
                BlackHoles::think(*key, &self.drawn, rng, memory, held);
                self.server.drive(*key, *held);
            }
            self.server.advance(self.server.next_tick_at());
            while !matches!(self.server.poll(&mut buf), Output::Wait { .. }) {}
        }
    }

    fn game(&self) -> &BlackHoles {
        self.server.game()
    }

    fn hash(&self) -> u64 {
        let mut digest = Digest::new();
        self.game().digest(&mut digest);
        digest.get()
    }
}

fn few() -> Options {
    Options {
        holes: 6,
        pellets: 300,
        ..Options::default()
    }
}

#[test]
fn two_runs_are_equal_and_another_seed_is_not() {
    for order in [Order::RoundRobin, Order::WorstFirst] {
        let run = |seed| {
            let options = Options { order, ..few() };
            let mut world = World::new(seed, options, &[BotStyle::Duel; 4]);
            world.run(2_000);
            world.hash()
        };
        let first = run(1);
        assert_eq!(first, run(1));
        assert_ne!(first, run(2));
    }
}

#[test]
fn there_are_always_as_many_pellets_and_those_that_fall_in_come_back_as_others() {
    let mut world = World::new(3, few(), &[]);
    let lives = |world: &World| -> u32 {
        let pellets = &world.game().pellets;
        assert!(pellets.len() == 300 && pellets.iter().all(|seat| seat.taken));
        pellets.iter().map(|seat| u32::from(seat.life) - 1).sum()
    };
    assert_eq!(lives(&world), 0);
    world.run(64 * 20);
    let fell = lives(&world);
    assert!((20..2_000).contains(&fell), "{fell} fell in");
}

#[test]
fn bots_gather_and_seldom_fall() {
    let mut world = World::new(5, few(), &[BotStyle::Duel; 6]);
    world.run(64 * 60);
    for (key, ..) in &world.bots {
        let ship = world.game().ship(*key).expect("it is here");
        assert!(ship.score >= 20, "{ship:?}");
        assert!(ship.falls <= 8, "{ship:?}");
    }
}

#[test]
fn holes_keep_to_the_arena_and_turn() {
    let mut world = World::new(7, few(), &[]);
    let ways = |world: &World| -> Vec<[i32; 2]> {
        let holes = world.game().holes[..6].iter();
        holes.map(|seat| [seat.body.vx, seat.body.vy]).collect()
    };
    let before = ways(&world);
    for _ in 0..300 {
        world.run(16);
        for seat in &world.game().holes[..6] {
            let place = seat.body.at(world.game().now);
            assert!(place.x.abs() < rules::HALF && place.y.abs() < rules::HALF);
        }
    }
    let after = ways(&world);
    assert!(
        before
            .iter()
            .zip(&after)
            .all(|(before, after)| before != after)
    );
}

#[test]
fn a_class_in_a_slot_that_it_never_has_is_ignored_and_a_removal_frees_the_end() {
    let mut game = BlackHoles::bare(Options::default(), None, 1);
    let key = |slot: usize| SlotKey {
        slot: slot as u16,
        life: 1,
    };
    game.load(key(HOLE_SLOTS.start), SHIP_CLASS, &[0; Ship::WIDTH]);
    game.load(key(0), PELLET_CLASS, &[0; Ship::WIDTH]);
    game.load(key(PELLET_SLOTS.start), HOLE_CLASS, &[0; Ship::WIDTH]);
    game.load(key(9), ClassId(7), &[0; Ship::WIDTH]);
    assert_eq!(game.slots(), 0);

    let last = key(PELLET_SLOTS.end - 1);
    game.load(key(3), SHIP_CLASS, &[0; Ship::WIDTH]);
    game.load(key(HOLE_SLOTS.end - 1), HOLE_CLASS, &[0; Hole::WIDTH]);
    game.load(last, PELLET_CLASS, &[0; Pellet::WIDTH]);
    assert_eq!(game.slots(), usize::from(SLOTS));
    assert_eq!(game.at(usize::from(last.slot)), Some((last, PELLET_CLASS)));
    game.remove(SlotKey { life: 2, ..last });
    assert_eq!(game.slots(), usize::from(SLOTS), "another life");
    game.remove(last);
    assert_eq!(game.slots(), HOLE_SLOTS.end);
    game.remove(key(HOLE_SLOTS.end - 1));
    assert_eq!(game.slots(), 4);
    game.remove(key(3));
    assert_eq!(game.slots(), 0);
}

#[test]
fn a_copy_into_an_old_one_is_the_same_world() {
    let mut world = World::new(9, few(), &[BotStyle::Duel; 2]);
    let mut copy = world.game().clone();
    world.run(200);
    copy.clone_from(world.game());
    let hash = |game: &BlackHoles| {
        let mut digest = Digest::new();
        game.digest(&mut digest);
        digest.get()
    };
    assert_eq!(hash(&copy), world.hash());
    assert_eq!(hash(&world.game().clone()), world.hash());
}

#[test]
fn ships_are_full_at_their_number_and_a_slot_s_next_occupant_is_another() {
    let mut game = BlackHoles::new(&Setup::default());
    let keys: Vec<_> = (0..SHIPS).map(|_| game.join(Driver::Player)).collect();
    assert!(keys.iter().all(Option::is_some));
    assert_eq!(game.join(Driver::Player), None);
    let fifth = keys[5].expect("it joined");
    game.leave(fifth);
    let next = game.join(Driver::Bot).expect("there is room");
    assert!(next.slot == fifth.slot && next.life != fifth.life);
}
