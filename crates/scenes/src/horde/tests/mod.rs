//! The horde as a server runs it.

mod pair;

use netcode::game::Said;
use netcode::{Digest, Output, Server, ServerConfig};
use wire::Micros;

use super::*;
use crate::bot::BotStyle;
use crate::mark::MarkKind;

/// A server with its bots, in virtual time.
pub(super) struct World {
    pub server: Server<Horde>,
    bots: Vec<(SlotKey, Rng, BotMemory, Input)>,
    drawn: Drawn,
}

impl World {
    pub(super) fn new(setup: Setup, styles: &[BotStyle]) -> Self {
        let config = ServerConfig {
            rate_hz: setup.rate_hz,
            max_players: PLAYERS,
            ..ServerConfig::default()
        };
        let mut server = Server::new(Horde::new(&setup), config, Micros::ZERO);
        let bots = styles.iter().zip(0..).map(|(style, index)| {
            let key = server.seat().expect("there is room");
            let memory = BotMemory::new(*style, setup.rate_hz);
            (key, Rng::fork(setup.seed, index), memory, Input::default())
        });
        Self {
            bots: bots.collect(),
            server,
            drawn: Drawn::default(),
        }
    }

    /// Lets the bots think: once a tick.
    pub(super) fn think(&mut self) {
        if self
            .bots
            .iter()
            .any(|(_, _, memory, _)| Horde::looks(memory))
        {
            self.server.drawn(&mut self.drawn);
        }
        for (key, rng, memory, held) in &mut self.bots {
            Horde::think(*key, &self.drawn, rng, memory, held);
            self.server.drive(*key, *held);
        }
    }

    /// Runs one tick and gives what was said in it.
    fn tick(&mut self) -> Vec<Said<Event>> {
        self.think();
        self.run()
    }

    fn run(&mut self) -> Vec<Said<Event>> {
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

    /// Runs a tick in which one does this.
    fn act(&mut self, key: SlotKey, input: Input) -> Vec<Said<Event>> {
        self.server.drive(key, input);
        self.run()
    }

    fn game(&self) -> &Horde {
        self.server.game()
    }

    fn hero(&self, at: usize) -> Hero {
        *self.game().hero(self.bots[at].0).expect("it is here")
    }

    fn hash(&self) -> u64 {
        let mut digest = Digest::new();
        self.game().digest(&mut digest);
        digest.get()
    }
}

pub(super) fn few(enemies: u16) -> Setup {
    Setup {
        horde: Options { enemies },
        ..Setup::default()
    }
}

#[test]
fn two_runs_are_equal_and_another_seed_is_not() {
    let run = |seed| {
        let setup = Setup { seed, ..few(600) };
        let mut world = World::new(setup, &[BotStyle::Duel; 4]);
        (0..1_000).for_each(|_| drop(world.tick()));
        world.hash()
    };
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
}

#[test]
fn the_horde_stays_as_large_as_it_is_to_be_while_its_enemies_come_and_go() {
    for enemies in [200, 3_000, MOST_ENEMIES] {
        let mut world = World::new(few(enemies), &[BotStyle::Duel; 2]);
        let (mut least, mut most, mut bursts, mut gone) = (usize::MAX, 0, 0, 0);
        let mut before: Vec<SlotKey> = world.game().foes().map(|(key, _)| key).collect();
        assert_eq!(before.len(), usize::from(enemies));
        for _ in 0..64 * 6 {
            drop(world.tick());
            let now: Vec<SlotKey> = world.game().foes().map(|(key, _)| key).collect();
            let born = now.iter().filter(|key| before.binary_search(key).is_err());
            bursts += usize::from(born.count() >= 10);
            gone += before
                .iter()
                .filter(|key| now.binary_search(key).is_err())
                .count();
            least = least.min(now.len());
            most = most.max(now.len());
            assert!(world.game().slots() <= usize::from(SLOTS));
            before = now;
        }
        let whole = usize::from(enemies);
        assert!(
            most <= whole && least * 100 >= whole * 75,
            "{least} of {whole}"
        );
        assert!(bursts >= 2, "{bursts} bursts");
        assert!(gone * 8 >= whole, "{gone} of {whole} went");
    }
}

#[test]
fn a_repulse_sends_those_near_flying_and_a_nova_kills_them() {
    let mut world = World::new(few(3_000), &[BotStyle::Still]);
    let me = world.bots[0].0;
    let near = |world: &World, reach| {
        let at = world.hero(0).at();
        let near = world
            .game()
            .foes()
            .filter(|(_, foe)| foe.alive() && rules::near(foe.at(), at, reach));
        near.map(|(key, _)| key).collect::<Vec<_>>()
    };
    while near(&world, rules::REPULSE_REACH).len() < 5 {
        drop(world.tick());
    }
    let close = near(&world, rules::REPULSE_REACH - 20);
    let push = Input {
        repulse: true,
        ..Input::default()
    };
    drop(world.act(me, push));
    assert_eq!(world.hero(0).ring, 1);
    let flies = |world: &World, key| {
        world
            .game()
            .foe(key)
            .is_some_and(|foe| foe.mood == Foe::FLIES)
    };
    let alive = |world: &World, key| world.game().foe(key).is_some_and(Foe::alive);
    assert!(
        close.len() > 2
            && close
                .iter()
                .all(|key| flies(&world, *key) || !alive(&world, *key))
    );
    (0..26).for_each(|_| drop(world.run()));
    assert!(
        close.iter().all(|key| !near(&world, 120).contains(key)),
        "they are far now, and run again"
    );
    assert!(!close.iter().any(|key| flies(&world, *key)));

    let burn = Input {
        nova: true,
        ..Input::default()
    };
    let doomed = near(&world, rules::NOVA_REACH);
    let said = world.act(me, burn);
    let [
        Said {
            to,
            event: Event::Nova { killed },
        },
    ] = said[..]
    else {
        panic!("{said:?}");
    };
    assert_eq!(
        (to, usize::from(killed) >= doomed.len() - 1),
        (Some(me), true)
    );
    assert!(doomed.iter().all(|key| !alive(&world, *key)));
    assert!(
        doomed.iter().any(|key| world.game().foe(*key).is_some()),
        "they take a while to die"
    );
    assert!(world.act(me, burn).is_empty(), "the next nova is far away");
    (0..40).for_each(|_| drop(world.run()));
    assert!(doomed.iter().all(|key| world.game().foe(*key).is_none()));
}

#[test]
fn who_stands_still_falls_and_comes_back_elsewhere_and_in_a_harmless_world_does_not() {
    for harmless in [false, true] {
        let setup = Setup {
            harmless,
            ..few(3_000)
        };
        let mut world = World::new(setup, &[BotStyle::Still]);
        let before = world.hero(0);
        let mut fell = 0;
        for _ in 0..64 * 60 {
            let said = world.tick();
            fell += said.iter().filter(|said| said.event == Event::Fell).count();
        }
        let after = world.hero(0);
        if harmless {
            assert_eq!(
                (fell, after.at(), after.hp),
                (0, before.at(), rules::HEALTH)
            );
        } else {
            assert!(fell > 0);
            assert_eq!(
                after.teleports as usize % 16,
                (fell - usize::from(!after.alive())) % 16
            );
            assert_ne!(after.at(), before.at());
        }
    }
}

#[test]
fn bots_live_longer_than_who_stands_still_and_use_what_they_have() {
    let falls = |style| {
        let mut world = World::new(few(3_000), &[style; 4]);
        let (mut fell, mut killed) = (0, 0);
        for _ in 0..64 * 60 {
            for said in world.tick() {
                match said.event {
                    Event::Fell => fell += 1,
                    Event::Nova { killed: count } => killed += u32::from(count),
                }
            }
        }
        (fell, killed)
    };
    let (still, none) = falls(BotStyle::Still);
    let (plays, killed) = falls(BotStyle::Duel);
    assert_eq!(none, 0);
    assert!(
        plays < still && killed > 100,
        "{plays} against {still}, {killed} killed"
    );
}

#[test]
fn a_player_hears_what_is_near_and_forgets_it_a_little_farther_away() {
    let setup = Setup {
        hears: Some(620),
        ..few(3_000)
    };
    let mut world = World::new(setup, &[BotStyle::Runner; 30]);
    let me = world.bots[0].0;
    let everywhere = Setup {
        hears: None,
        ..setup
    };
    let mut set = Bits::new(usize::from(SLOTS));
    assert!(!Horde::new(&everywhere).interest(me, &Bits::new(0), &mut set));
    let mut before = Bits::new(usize::from(SLOTS));
    let mut kept = 0;
    for tick in 0..64 * 6 {
        drop(world.tick());
        // As the grid is: a moment after it was laid out the world has moved on.
        if tick % 4 != 3 {
            continue;
        }
        let game = world.game();
        let at = world.hero(0).at();
        set.clear();
        assert!(game.interest(me, &before, &mut set));
        assert!(set.contains(usize::from(me.slot)), "itself");
        let slots = (0..game.slots()).filter_map(|slot| game.at(slot));
        for (key, class) in slots {
            let mut codes = [0; Hero::WIDTH];
            game.save(key, &mut codes);
            let place = match class {
                HERO_CLASS => Hero::load(&codes).at(),
                _ => Foe::load(&codes).at(),
            };
            let heard = set.contains(usize::from(key.slot));
            if rules::near(place, at, 620 - 60) {
                assert!(heard, "{key:?}");
            } else if !rules::near(place, at, 620 + 60) && heard {
                assert!(rules::near(place, at, 713 + 60) && before.contains(usize::from(key.slot)));
                kept += 1;
            }
        }
        std::mem::swap(&mut set, &mut before);
    }
    assert!(kept > 0, "the margin was there for nothing");
    let share = before.count() as f32 / 3_031.0;
    assert!(share < 0.12, "a tenth of the world: {share}");
}

#[test]
fn there_are_seats_for_a_hundred_and_twenty_eight_and_another_life_each_time() {
    let mut horde = Horde::new(&few(200));
    let keys: Vec<_> = (0..PLAYERS)
        .map(|_| horde.join(Driver::Player).expect("there is room"))
        .collect();
    assert_eq!(horde.join(Driver::Player), None, "one more is declined");
    horde.leave(keys[4]);
    assert_eq!((horde.hero(keys[4]), horde.at(4)), (None, None));
    let next = horde.join(Driver::Bot).expect("a seat is free");
    assert_eq!((next.slot, next.life), (4, keys[4].life + 1));
    horde.leave(keys[4]);
    assert!(horde.hero(next).is_some(), "an old key takes nobody away");
    let (enemy, _) = horde.foes().next().expect("there are enemies");
    horde.leave(enemy);
    assert!(
        horde.foe(enemy).is_some(),
        "an enemy is nobody's to take along"
    );
}

#[test]
fn a_record_put_back_is_the_record_and_other_codes_harm_nobody() {
    let mut world = World::new(few(500), &[BotStyle::Duel; 3]);
    (0..500).for_each(|_| drop(world.tick()));
    let game = world.game();
    let mut copy = game.empty();
    let mut codes = [0; Hero::WIDTH];
    let mut again = codes;
    for (key, class) in (0..game.slots()).filter_map(|slot| game.at(slot)) {
        game.save(key, &mut codes);
        for (code, field) in codes
            .iter()
            .zip(SCHEMA.classes[usize::from(class.0)].fields)
        {
            assert_eq!(
                field.quant.clamp(*code),
                *code,
                "{} is sent as it is kept",
                field.name
            );
        }
        copy.load(key, class, &codes);
        copy.save(key, &mut again);
        assert_eq!(codes, again);
    }
    assert_eq!(
        (copy.slots(), copy.enemies()),
        (game.slots(), game.enemies())
    );

    // Whatever a server says inside the schema's ranges can be loaded, run on and drawn.
    for extreme in [true, false] {
        let code = |field: &wire::Field| match extreme {
            true => field.quant.max(),
            false => field.quant.min(),
        };
        let codes: Vec<_> = HERO.fields.iter().map(code).collect();
        let mut hero = Hero::load(&codes);
        let codes: Vec<_> = FOE.fields.iter().map(code).collect();
        let mut foe = Foe::load(&codes);
        for rate in [10, 128] {
            let pace = Pace::at(rate);
            for _ in 0..200 {
                foe.run(&pace);
                hero.run(None, &pace);
            }
        }
        assert!(rules::inside(foe.at(), 0) == foe.at() || !foe.alive());
        let mut values = [0.0; Foe::WIDTH];
        FOE.decode(&codes, &mut values);
        assert!(marks::body(FOE_CLASS, &values).is_some());
        copy.load(SlotKey::new(SLOTS - 1, 9), FOE_CLASS, &codes);
        assert_eq!(copy.slots(), usize::from(SLOTS));
        copy.remove(SlotKey::new(SLOTS - 1, 9));
    }
    let (slots, enemies) = (copy.slots(), copy.enemies());
    copy.load(SlotKey::new(7, 9), FOE_CLASS, &[0; Foe::WIDTH]);
    copy.load(SlotKey::new(700, 9), HERO_CLASS, &[0; Hero::WIDTH]);
    copy.load(SlotKey::new(SLOTS, 9), FOE_CLASS, &[0; Foe::WIDTH]);
    assert_eq!(
        (copy.slots(), copy.enemies()),
        (slots, enemies),
        "a class where it cannot be is ignored"
    );
}

#[test]
fn enemies_lie_under_players_and_the_dead_are_not_drawn_for_longer_than_they_die() {
    let mut world = World::new(few(3_000), &[BotStyle::Duel; 4]);
    let me = world.bots[1].0;
    let (mut rings, mut dying) = (0, 0);
    for _ in 0..40 {
        (0..20).for_each(|_| drop(world.tick()));
        let mut marks = Vec::new();
        let mut drawn = Drawn::default();
        world.server.drawn(&mut drawn);
        let view = View {
            you: Some(me),
            without_walls: false,
        };
        Horde::marks(&drawn, &view, &mut marks);
        let first = marks.iter().position(|mark| mark.kind != MarkKind::Enemy);
        let first = first.expect("there are players");
        assert!(
            marks[first..]
                .iter()
                .all(|mark| mark.kind != MarkKind::Enemy)
        );
        assert_eq!(
            marks
                .iter()
                .filter(|mark| mark.kind == MarkKind::You)
                .count(),
            1
        );
        rings += marks
            .iter()
            .filter(|mark| mark.kind == MarkKind::Ring)
            .count();
        let dead = marks[..first]
            .iter()
            .filter(|mark| mark.flags & Mark::DEAD != 0);
        dying += dead.count();
    }
    assert!(rings > 0 && dying > 0);
}
