//! Horde: thousands of short-lived enemies in a world of many screens, and players who push and burn their way through.
//!
//! - Places are whole steps of 1/32 px and every rule moves by whole steps ([`rules`]), so what is sent is what is simulated.
//! - Enemies are simulated on both ends. They run straight and decide their turns [`rules::LEAD`] ahead; a decision is
//!   announced, so a client that hears of it within that time turns the enemy at the same tick as the server; and so are deaths
//!   of age. Births, pushes and deaths by a player are announced when they happen. Every enemy decides once in [`rules::TURN`], so each is announced anew that
//!   often: whatever went wrong is set right in a round.
//! - A repulse pushes on both ends: the own client shows it at once. A nova kills, and so is the server's alone.
//! - A player hears what is near ([`Setup::hears`]), with a margin before it is forgotten.

mod bots;
mod crowd;
mod event;
mod input;
mod marks;
mod record;
pub mod rules;
mod sense;
#[cfg(test)]
mod tests;

pub use event::Event;
pub use input::Input;
pub use record::{ACROSS, DOWN, FOE, FOE_CLASS, Foe, HERO, HERO_CLASS, Hero, SCHEMA, WAY};

use std::sync::Arc;

use netcode::{Bits, Digest, Drawn, Driver, Game, Step};
use wire::{ClassId, Schema, SlotKey};

use crate::bot::BotMemory;
use crate::mark::Mark;
use crate::rng::Rng;
use crate::scene::{Body, FieldWords, Note, Pad, Scene, Setup, Shot, ShotTally, Unjudged, View};
use crate::vec2::Vec2;
use crowd::Crowd;
use record::{FINE, WAYS};
use rules::{HALF, Pace, SIZES};
use sense::Sense;

/// Characters at most: slots 0 to 127.
pub const PLAYERS: u16 = 128;

/// Enemies at most.
pub const MOST_ENEMIES: u16 = 8_000;

/// Slots for so many enemies: an eighth and 32 more, so that a slot stays free for a while.
const fn seats_for(enemies: u16) -> u16 {
    enemies + enemies / 8 + 32
}

/// Slots in all: those above the players' are the enemies'.
pub const SLOTS: u16 = PLAYERS + seats_for(MOST_ENEMIES);

/// What can be set of the horde.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many enemies there are once all have come, at most [`MOST_ENEMIES`]. By default 3,000.
    pub enemies: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self { enemies: 3_000 }
    }
}

/// How often enemies come, s; and how many come together at most.
const SPAWNS: f32 = 0.25;
const BURST: usize = 40;
/// How far apart those who come together are, and how far from every player, px.
const SPREAD: i32 = 90;
const APART: i32 = 500;
/// How long enemies live, s: those who came together nearly alike.
const LIVES: [f32; 2] = [12.0, 30.0];

/// A character's slot. The life stays when the character leaves, so that the next one's differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seat {
    taken: bool,
    life: u8,
    hero: Hero,
}

/// The horde.
#[derive(Clone, Debug)]
pub struct Horde {
    /// By slot, [`PLAYERS`] of them.
    heroes: Vec<Seat>,
    /// One more than the greatest taken slot of a player.
    top: usize,
    crowd: Crowd,
    pace: Arc<Pace>,
    sense: Sense,
    rng: Rng,
    /// How many enemies there are to be.
    enemies: usize,
    /// See [`Setup::harmless`].
    harmless: bool,
}

impl Horde {
    /// A character's record; `None` if that life is not here.
    pub fn hero(&self, key: SlotKey) -> Option<&Hero> {
        let seat = self.heroes.get(usize::from(key.slot))?;
        (seat.taken && seat.life == key.life).then_some(&seat.hero)
    }

    /// An enemy's record; `None` if that life is not here.
    pub fn foe(&self, key: SlotKey) -> Option<&Foe> {
        self.crowd.get(key)
    }

    /// Every enemy, by slot.
    pub fn foes(&self) -> impl Iterator<Item = (SlotKey, &Foe)> {
        let key = |(index, seat): (usize, _)| (self.crowd.key(index), seat);
        let each = self.crowd.each().map(key);
        each.map(|(key, seat): (_, &crowd::Seat)| (key, &seat.foe))
    }

    /// How many enemies there are.
    pub fn enemies(&self) -> usize {
        self.crowd.count()
    }

    /// The taken seats of players, by slot.
    fn taken(&self) -> impl Iterator<Item = (usize, &Seat)> {
        let seats = self.heroes[..self.top].iter().enumerate();
        seats.filter(|(_, seat)| seat.taken)
    }

    fn key(&self, slot: usize) -> SlotKey {
        SlotKey {
            slot: slot as u16,
            life: self.heroes[slot].life,
        }
    }

    fn recount(&mut self) {
        let highest = self.heroes.iter().rposition(|seat| seat.taken);
        self.top = highest.map_or(0, |slot| slot + 1);
    }

    /// A place anywhere, at least so far from the edge, steps.
    fn anywhere(&mut self, margin: i32) -> [i32; 2] {
        HALF.map(|half| {
            let half = (half - margin) * FINE;
            self.rng.below(2 * half as u32 + 1) as i32 - half
        })
    }

    /// A place anywhere but near a living player, if a few tries find one.
    fn away(&mut self) -> [i32; 2] {
        let mut place = self.anywhere(SPREAD);
        for _ in 0..8 {
            let here = |(_, seat): (usize, &Seat)| {
                seat.hero.alive() && rules::near(seat.hero.at(), place, APART)
            };
            if !self.taken().any(here) {
                break;
            }
            place = self.anywhere(SPREAD);
        }
        place
    }

    /// Lets up to `most` enemies come together, who will die together at about `dies`.
    fn burst(&mut self, most: usize, dies: u64, mut born: impl FnMut(SlotKey)) {
        let middle = self.away();
        let (away, spread) = (self.rng.below(WAYS as u32) as i32, SPREAD * FINE);
        for _ in 0..most {
            let mut off = || self.rng.below(2 * spread as u32 + 1) as i32 - spread;
            let place = [middle[0] + off(), middle[1] + off()];
            let [x, y] = rules::inside(place, 0);
            let foe = Foe {
                kind: [0, 0, 0, 1, 1, 2][self.rng.below(6) as usize],
                x,
                y,
                way: (away + self.rng.below(33) as i32 - 16) & (WAYS - 1),
                ..Foe::default()
            };
            let some = u64::from(self.rng.below(self.pace.rate as u32 / 2 + 1));
            match self.crowd.spawn(foe, dies + some) {
                Some(key) => born(key),
                None => return,
            }
        }
    }

    /// How many ticks those who come now have to live.
    fn lifetime(&mut self) -> u64 {
        let seconds = self.rng.between(LIVES[0], LIVES[1]);
        rules::ticks(seconds, self.pace.rate) as u64
    }

    /// Everybody moves; what players did is done to the enemies whom this end moves, before these move.
    fn run_heroes(&mut self, step: &mut Step<'_, Self>) {
        for slot in 0..self.top {
            let key = self.key(slot);
            let seat = &mut self.heroes[slot];
            if !seat.taken || !step.simulates(key) {
                continue;
            }
            let did = seat.hero.run(step.command(key), &self.pace);
            let at = seat.hero.at();
            if did.repulse {
                self.repulse(at, step);
            }
            if did.nova && step.decides() {
                let killed = self.nova(at, step);
                step.say_to(key, Event::nova(killed));
            }
        }
    }

    fn repulse(&mut self, from: [i32; 2], step: &mut Step<'_, Self>) {
        for index in 0..self.crowd.top() {
            let key = self.crowd.key(index);
            let Some(seat) = self.crowd.at_mut(index) else {
                continue;
            };
            let foe = &mut seat.foe;
            if foe.alive()
                && rules::near(foe.at(), from, rules::REPULSE_REACH)
                && step.simulates(key)
            {
                foe.push(from, &self.pace);
                step.announce(key);
            }
        }
    }

    fn nova(&mut self, from: [i32; 2], step: &mut Step<'_, Self>) -> usize {
        let mut killed = 0;
        for index in 0..self.crowd.top() {
            let key = self.crowd.key(index);
            let Some(seat) = self.crowd.at_mut(index) else {
                continue;
            };
            if seat.foe.alive() && rules::near(seat.foe.at(), from, rules::NOVA_REACH) {
                seat.foe.die(&self.pace);
                step.announce(key);
                killed += 1;
            }
        }
        killed
    }

    fn run_foes(&mut self, step: &Step<'_, Self>) {
        let end = usize::from(PLAYERS) + self.crowd.top();
        let slots = step.simulated().take_while(|slot| *slot < end);
        for index in slots.filter_map(|slot| slot.checked_sub(usize::from(PLAYERS))) {
            if let Some(seat) = self.crowd.at_mut(index) {
                seat.foe.run(&self.pace);
            }
        }
    }

    /// Those whose time comes are told so ahead, as of a turn, and those who are dead go.
    fn end_foes(&mut self, step: &mut Step<'_, Self>) {
        let now = step.tick().get();
        for index in 0..self.crowd.top() {
            let Some(seat) = self.crowd.at_mut(index) else {
                continue;
            };
            if seat.foe.alive() {
                let idle = seat.foe.mood == Foe::RUNS && seat.foe.wait == 0;
                if idle && seat.dies <= now + self.pace.lead as u64 {
                    seat.foe.end(&self.pace);
                    step.announce(self.crowd.key(index));
                }
            } else if seat.foe.wait == 0 {
                self.crowd.free(index);
            }
        }
    }

    /// The enemies whose turn it is decide where to: for the nearest living player in sight, roughly, or on at random.
    fn decide_foes(&mut self, step: &mut Step<'_, Self>) {
        let round = self.pace.turn as usize;
        let mut places = [[0; 2]; PLAYERS as usize];
        let mut living = 0;
        for (_, seat) in self.taken().filter(|(_, seat)| seat.hero.alive()) {
            places[living] = seat.hero.at();
            living += 1;
        }
        let first = (step.tick().get() % round as u64) as usize;
        for index in (first..self.crowd.top()).step_by(round) {
            let key = self.crowd.key(index);
            let Some(seat) = self.crowd.at_mut(index) else {
                continue;
            };
            let foe = &mut seat.foe;
            if foe.mood == Foe::RUNS {
                let at = foe.at();
                let nearest = places[..living]
                    .iter()
                    .map(|place| (rules::apart2(*place, at), *place))
                    .min_by_key(|(apart, _)| *apart)
                    .filter(|(_, place)| rules::near(*place, at, rules::SIGHT));
                let wide = if nearest.is_some() { 12 } else { 40 };
                let off = self.rng.below(wide + 1) as i32 - wide as i32 / 2;
                let way =
                    nearest.map_or(foe.way, |(_, [x, y])| rules::way_of([x - at[0], y - at[1]]));
                foe.turn((way + off) & (WAYS - 1), &self.pace);
            }
            step.announce(key);
        }
    }

    /// Enemies who reach a player die of it, and hurt.
    fn touch(&mut self, step: &mut Step<'_, Self>) {
        for slot in 0..self.top {
            let Seat { taken, hero, .. } = self.heroes[slot];
            if !taken || !hero.alive() {
                continue;
            }
            let key = self.key(slot);
            let mut fell = false;
            self.sense
                .each_near(hero.at(), rules::RADIUS + SIZES[2], |index| {
                    let foe = self.crowd.seat(index).filter(|seat| seat.taken);
                    let Some(foe) = foe.map(|seat| seat.foe).filter(Foe::alive) else {
                        return;
                    };
                    let size = SIZES[(foe.kind as usize).min(SIZES.len() - 1)];
                    if fell || !rules::near(foe.at(), hero.at(), rules::RADIUS + size) {
                        return;
                    }
                    step.announce(self.crowd.key(index));
                    if let Some(seat) = self.crowd.at_mut(index) {
                        seat.foe.die(&self.pace);
                    }
                    if !self.harmless {
                        fell = self.heroes[slot].hero.hurt(&self.pace);
                    }
                });
            if fell {
                step.say_to(key, Event::Fell);
            }
        }
    }

    /// Players who are due back come in; who is hurt gets better, a point in half a second.
    fn mend(&mut self, step: &Step<'_, Self>) {
        let beat = step.tick().get() % (self.pace.rate as u64 / 2).max(1) == 0;
        for slot in 0..self.top {
            let Seat { taken, hero, .. } = &mut self.heroes[slot];
            if *taken && hero.alive() {
                hero.hp = (hero.hp + i32::from(beat)).min(rules::HEALTH);
            } else if *taken && hero.out == 0 {
                let place = self.anywhere(APART);
                self.heroes[slot].hero.come_back(place);
            }
        }
    }

    /// New enemies come until all are there.
    fn come(&mut self, step: &mut Step<'_, Self>) {
        let every = rules::ticks(SPAWNS, self.pace.rate) as u64;
        let now = step.tick().get();
        if now % every != 0 {
            return;
        }
        let together = BURST.min(self.enemies / 10);
        // As many bursts as make up for those who die meanwhile, and for a nova or two.
        for _ in 0..1 + self.enemies / 2_000 {
            let lacking = self.enemies.saturating_sub(self.crowd.count());
            if lacking < together / 2 {
                return;
            }
            let dies = now + self.lifetime();
            self.burst(lacking.min(together), dies, |key| step.announce(key));
        }
    }
}

impl Game for Horde {
    type Input = Input;
    type Event = Event;
    const SCHEMA: &'static Schema = SCHEMA;
    const SLOTS: u16 = SLOTS;

    fn step(&mut self, step: &mut Step<'_, Self>) {
        self.run_heroes(step);
        self.run_foes(step);
        if !step.decides() {
            return;
        }
        self.end_foes(step);
        self.decide_foes(step);
        self.come(step);
        self.sense.look(
            step.tick().get(),
            self.pace.rate,
            &self.heroes[..self.top],
            &self.crowd,
        );
        self.touch(step);
        self.mend(step);
    }

    fn slots(&self) -> usize {
        match self.crowd.top() {
            0 => self.top,
            top => usize::from(PLAYERS) + top,
        }
    }

    fn at(&self, slot: usize) -> Option<(SlotKey, ClassId)> {
        if let Some(index) = slot.checked_sub(usize::from(PLAYERS)) {
            let seat = self.crowd.seat(index)?;
            return seat.taken.then(|| (self.crowd.key(index), FOE_CLASS));
        }
        let seat = self.heroes.get(slot)?;
        seat.taken.then(|| (self.key(slot), HERO_CLASS))
    }

    fn save(&self, key: SlotKey, out: &mut [i32]) {
        if let Some(foe) = self.foe(key) {
            foe.save(out);
        } else if let Some(hero) = self.hero(key) {
            hero.save(out);
        }
    }

    /// A class in a slot that it never has is ignored: no honest server sends it.
    fn load(&mut self, key: SlotKey, class: ClassId, record: &[i32]) {
        match (class, key.slot) {
            (HERO_CLASS, 0..PLAYERS) => {
                self.heroes[usize::from(key.slot)] = Seat {
                    taken: true,
                    life: key.life,
                    hero: Hero::load(record),
                };
                self.top = self.top.max(usize::from(key.slot) + 1);
            }
            (FOE_CLASS, PLAYERS..SLOTS) => self.crowd.load(key, Foe::load(record)),
            _ => {}
        }
    }

    fn remove(&mut self, key: SlotKey) {
        if self.hero(key).is_some() {
            self.heroes[usize::from(key.slot)].taken = false;
            self.recount();
        } else {
            self.crowd.remove(key);
        }
    }

    /// Gives the lowest free slot to a newcomer.
    fn join(&mut self, driver: Driver) -> Option<SlotKey> {
        let slot = self.heroes.iter().position(|seat| !seat.taken)?;
        let [x, y] = self.anywhere(APART);
        let hero = Hero {
            bot: i32::from(driver == Driver::Bot),
            x,
            y,
            hp: rules::HEALTH,
            ..Hero::default()
        };
        let life = self.heroes[slot].life.wrapping_add(1);
        self.heroes[slot] = Seat {
            taken: true,
            life,
            hero,
        };
        self.recount();
        Some(self.key(slot))
    }

    fn leave(&mut self, key: SlotKey) {
        if key.slot < PLAYERS {
            self.remove(key);
        }
    }

    fn interest(&self, viewer: SlotKey, before: &Bits, hears: &mut Bits) -> bool {
        match self.hero(viewer) {
            Some(hero) => self.sense.hear(hero.at(), before, hears),
            None => false,
        }
    }

    fn heap(&self) -> usize {
        size_of_val(self.heroes.as_slice()) + self.crowd.heap() + self.sense.heap()
    }

    fn digest(&self, digest: &mut Digest) {
        let mut codes = [0; Hero::WIDTH];
        for seat in &self.heroes {
            // The life of a free slot too: it decides the next one's.
            digest.u64(u64::from(seat.taken) << 8 | u64::from(seat.life));
            if seat.taken {
                seat.hero.save(&mut codes);
                digest.codes(&codes);
            }
        }
        self.crowd.digest(digest);
        digest.u64(self.rng.clone().next_u64());
        digest.u64(self.enemies as u64);
        digest.u64(u64::from(self.harmless));
    }
}

/// Bit of the button that pushes.
const REPULSE: u32 = 0;
/// Bit of the button that kills.
const NOVA: u32 = 1;

impl Scene for Horde {
    const NAME: &'static str = "horde";
    const LABEL: &'static str = "Horde";
    const UNIT: &'static str = "px";
    const PLAYERS: u16 = PLAYERS;
    const BUTTONS: &'static [&'static str] = &["repulse", "nova"];

    /// With every enemy there already, some of them near the end of their lives.
    fn new(setup: &Setup) -> Self {
        let enemies = setup.horde.enemies.min(MOST_ENEMIES);
        let mut horde = Self {
            heroes: vec![Seat::default(); usize::from(PLAYERS)],
            top: 0,
            crowd: Crowd::new(seats_for(enemies)),
            pace: Arc::new(Pace::at(setup.rate_hz)),
            sense: Sense::new(setup.hears),
            rng: Rng::fork(setup.seed, u64::MAX),
            enemies: usize::from(enemies),
            harmless: setup.harmless,
        };
        while horde.crowd.count() < horde.enemies {
            let lacking = horde.enemies - horde.crowd.count();
            let dies = horde.lifetime();
            let gone = u64::from(horde.rng.below(dies as u32));
            horde.burst(lacking.min(BURST), dies - gone, |_| {});
        }
        horde
    }

    fn empty(&self) -> Self {
        Self {
            heroes: vec![Seat::default(); usize::from(PLAYERS)],
            top: 0,
            crowd: self.crowd.empty(),
            pace: self.pace.clone(),
            sense: self.sense.empty(),
            rng: Rng::new(0),
            enemies: self.enemies,
            harmless: self.harmless,
        }
    }

    fn bounds() -> [f32; 4] {
        rules::BOUNDS
    }

    /// The pointer says nothing: what players do, they do all around.
    fn input(pad: &Pad, _me: Option<[f32; 2]>) -> Input {
        Input {
            repulse: pad.pressed(REPULSE),
            nova: pad.pressed(NOVA),
            ..Input::push(Vec2::from([pad.x, pad.y]))
        }
    }

    fn has_characters(class: ClassId) -> bool {
        class == HERO_CLASS
    }

    fn looks(memory: &BotMemory) -> bool {
        memory.look == 0
    }

    fn think(me: SlotKey, drawn: &Drawn, rng: &mut Rng, memory: &mut BotMemory, held: &mut Input) {
        bots::think(me, drawn, rng, memory, held);
    }

    fn body(class: ClassId, values: &[f32]) -> Option<Body> {
        marks::body(class, values)
    }

    fn marks(drawn: &Drawn, view: &View, out: &mut Vec<Mark>) {
        marks::marks(drawn, view, out);
    }

    fn unjudged(_drawn: &Drawn) -> Option<Unjudged> {
        None
    }

    fn shot(_event: &Event) -> Option<Shot> {
        None
    }

    fn tally(_event: &Event, _out: &mut ShotTally) {}

    fn field_words(name: &str) -> FieldWords {
        event::field_words(name)
    }

    fn tell(event: &Event, _viewer: SlotKey, _drawn: &Drawn) -> Option<Note> {
        marks::tell(event)
    }
}
