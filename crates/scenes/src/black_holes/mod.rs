//! Black holes: a few attractors drift through an arena and bend the way of thousands of pellets; ships gather what has not
//! fallen in.
//!
//! - A pellet is *simulated*: both ends integrate the field that they know ([`field`]), and the server's word on a pellet
//!   comes now and then, as far as a budget of corrections goes ([`Options::corrections`]).
//! - A hole is told by its path, so that every end finds it where it is at each tick ([`Hole`]). Which holes a client hears of
//!   is the experiment ([`Mode`]): a hole that it was not told of still bends every pellet that it holds.
//! - Ships feel a quarter of the field. They are predicted by the same rule, and so are corrected where a client's field is
//!   not the server's.

mod bots;
mod far;
mod field;
mod input;
mod keeper;
mod marks;
mod mends;
mod options;
mod record;
pub mod rules;
mod seat;
#[cfg(test)]
mod tests;

pub use input::Input;
pub use options::{Mode, Options, Order};
pub use record::{
    AIM, FAR_HOLES, FarHoles, HOLE, HOLE_CLASS, Hole, MASS, PELLET, PELLET_CLASS, PLACE, Pellet,
    SCHEMA, SHIP, SHIP_CLASS, SPEED, STRIDE, Ship,
};

use std::ops::Range;

use netcode::{Bits, Digest, Drawn, Driver, Game, Step};
use wire::{ClassId, ReadError, Reader, Schema, SlotKey, Tick, Writer};

use crate::bot::BotMemory;
use crate::mark::Mark;
use crate::rng::Rng;
use crate::scene::{Body, FieldWords, Note, Pad, Scene, Setup, Shot, ShotTally, Unjudged, View};
use crate::vec2::Vec2;
use far::{StandIns, Told};
use field::Field;
use mends::Mends;
use seat::Seat;

/// Ships at most.
pub const SHIPS: u16 = 32;
/// Holes at most.
pub const HOLES: u16 = 64;
/// Pellets at most.
pub const PELLETS: u16 = 6_000;
/// Slots: ships, then holes, then pellets.
pub const SLOTS: u16 = SHIPS + HOLES + PELLETS;

/// The slots of ships.
const SHIP_SLOTS: Range<usize> = 0..SHIPS as usize;
/// The slots of holes.
const HOLE_SLOTS: Range<usize> = SHIPS as usize..(SHIPS + HOLES) as usize;
/// The slots of pellets.
const PELLET_SLOTS: Range<usize> = (SHIPS + HOLES) as usize..SLOTS as usize;

/// A pellet that was heard is heard so much farther, px.
const MARGIN: f32 = 60.0;

/// The black holes.
#[derive(Debug)]
pub struct BlackHoles {
    options: Options,
    /// See [`Setup::hears`].
    hears: Option<u16>,
    ships: [Seat<Ship>; SHIPS as usize],
    holes: [Seat<Hole>; HOLES as usize],
    /// Grows to the highest pellet heard of.
    pellets: Vec<Seat<Pellet>>,
    /// One more than the greatest taken slot.
    slots: usize,
    /// The tick that ran last, low 16 bits: where the holes are.
    now: u16,
    mends: Mends,
    rng: Rng,
    field: Field,
    /// What a server tells of holes.
    told: Told,
    /// What a client knows of those that it was told of in summary.
    stand_ins: StandIns,
}

/// By hand, so that a copy into an old one takes its memory over.
impl Clone for BlackHoles {
    fn clone(&self) -> Self {
        Self {
            pellets: self.pellets.clone(),
            mends: self.mends.clone(),
            field: Field::default(),
            told: self.told.clone(),
            stand_ins: self.stand_ins.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, from: &Self) {
        let Self {
            options,
            hears,
            ships,
            holes,
            pellets,
            slots,
            now,
            mends,
            rng,
            field: _,
            told,
            stand_ins,
        } = from;
        self.pellets.clone_from(pellets);
        self.mends.clone_from(mends);
        self.told.clone_from(told);
        self.stand_ins.clone_from(stand_ins);
        (self.options, self.ships, self.holes) = (*options, *ships, *holes);
        (self.hears, self.slots, self.now, self.rng) = (*hears, *slots, *now, *rng);
    }
}

impl BlackHoles {
    fn bare(options: Options, hears: Option<u16>, seed: u64) -> Self {
        Self {
            options,
            hears,
            ships: [Seat::default(); SHIPS as usize],
            holes: [Seat::default(); HOLES as usize],
            pellets: Vec::new(),
            slots: 0,
            now: 0,
            mends: Mends::default(),
            rng: Rng::fork(seed, 0xB1AC),
            field: Field::default(),
            told: Told::default(),
            stand_ins: StandIns::default(),
        }
    }

    /// A ship's record; `None` if that life is not here.
    pub fn ship(&self, key: SlotKey) -> Option<&Ship> {
        self.ships.get(usize::from(key.slot))?.get(key.life)
    }

    /// A hole's record, told from the tick that ran last.
    pub fn hole(&self, key: SlotKey) -> Option<Hole> {
        let at = usize::from(key.slot).checked_sub(HOLE_SLOTS.start)?;
        Some(self.holes.get(at)?.get(key.life)?.told_at(self.now))
    }

    /// A pellet's record.
    pub fn pellet(&self, key: SlotKey) -> Option<&Pellet> {
        let at = usize::from(key.slot).checked_sub(PELLET_SLOTS.start)?;
        self.pellets.get(at)?.get(key.life)
    }

    fn recount(&mut self) {
        let highest = |seats: &[bool], start: usize| -> Option<usize> {
            seats
                .iter()
                .rposition(|taken| *taken)
                .map(|at| start + at + 1)
        };
        let pellets = self.pellets.iter().rposition(|seat| seat.taken);
        let holes = self.holes.map(|seat| seat.taken);
        let ships = self.ships.map(|seat| seat.taken);
        self.slots = pellets
            .map(|at| PELLET_SLOTS.start + at + 1)
            .or_else(|| highest(&holes, HOLE_SLOTS.start))
            .or_else(|| highest(&ships, SHIP_SLOTS.start))
            .unwrap_or(0);
    }

    /// Gathers what pulls in this tick.
    fn gather(&mut self, step: &Step<'_, Self>) {
        self.field.clear();
        for seat in self.holes.iter().filter(|seat| seat.taken) {
            let mass = seat.body.mass();
            self.field
                .push(seat.body.at(self.now), mass, rules::radius(mass));
        }
        for (place, mass, _) in self.stand_ins.at(step.tick(), step.dt()) {
            self.field.push(place, mass, 0.0);
        }
    }

    fn run_ships(&mut self, step: &Step<'_, Self>) {
        let dt = step.dt();
        for at in 0..self.ships.len() {
            let Seat { taken, life, .. } = self.ships[at];
            let key = SlotKey {
                slot: at as u16,
                life,
            };
            if !taken || !step.simulates(key) {
                continue;
            }
            let pull = self.ships[at].body.run(step.command(key), &self.field, dt);
            if pull.inside && step.decides() {
                let place = self.spawn();
                self.ships[at].body.come_back(place);
            }
        }
    }

    fn run_pellets(&mut self, step: &Step<'_, Self>) {
        let (dt, decides) = (step.dt(), step.decides());
        // In a replay these are the few that were set right.
        for slot in step.simulated() {
            let Some(at) = slot.checked_sub(PELLET_SLOTS.start) else {
                continue;
            };
            let Some(seat) = self.pellets.get_mut(at) else {
                break;
            };
            if !seat.taken {
                continue;
            }
            let pull = seat.body.run(&self.field, dt);
            if decides {
                if pull.inside {
                    seat.renew(Self::fresh_pellet(&mut self.rng));
                    self.mends.forget(at);
                } else {
                    self.mends.bend(at, pull.accel.length() * dt);
                }
            }
        }
    }
}

/// This scene tells of nothing that is not state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {}

impl netcode::Event for Event {
    fn write(&self, _: &mut Writer<'_>) {
        match *self {}
    }

    fn read(_: &mut Reader<'_>) -> Result<Self, ReadError> {
        Err(ReadError::OutOfRange { field: "event" })
    }
}

impl Game for BlackHoles {
    type Input = Input;
    type Event = Event;
    const SCHEMA: &'static Schema = SCHEMA;
    const SLOTS: u16 = SLOTS;

    fn step(&mut self, step: &mut Step<'_, Self>) {
        self.now = step.tick().get() as u16;
        if step.decides() {
            self.turn_holes(step);
        }
        self.gather(step);
        self.run_ships(step);
        self.run_pellets(step);
        if step.decides() {
            self.harvest();
            self.mend(step);
            self.tell_of_holes(step.dt());
        }
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn at(&self, slot: usize) -> Option<(SlotKey, ClassId)> {
        let (taken, life, class) = if SHIP_SLOTS.contains(&slot) {
            let seat = &self.ships[slot];
            (seat.taken, seat.life, SHIP_CLASS)
        } else if HOLE_SLOTS.contains(&slot) {
            let seat = &self.holes[slot - HOLE_SLOTS.start];
            (seat.taken, seat.life, HOLE_CLASS)
        } else {
            let seat = self.pellets.get(slot.checked_sub(PELLET_SLOTS.start)?)?;
            (seat.taken, seat.life, PELLET_CLASS)
        };
        let slot = slot as u16;
        taken.then_some((SlotKey { slot, life }, class))
    }

    fn save(&self, key: SlotKey, out: &mut [i32]) {
        if let Some(ship) = self.ship(key) {
            ship.save(out);
        } else if let Some(hole) = self.hole(key) {
            hole.save(out);
        } else if let Some(pellet) = self.pellet(key) {
            pellet.save(out);
        }
    }

    /// A class in a slot that it never has is ignored: no honest server sends it.
    fn load(&mut self, key: SlotKey, class: ClassId, record: &[i32]) {
        let slot = usize::from(key.slot);
        match class {
            SHIP_CLASS if SHIP_SLOTS.contains(&slot) => {
                self.ships[slot].put(key.life, Ship::load(record));
            }
            HOLE_CLASS if HOLE_SLOTS.contains(&slot) => {
                self.holes[slot - HOLE_SLOTS.start].put(key.life, Hole::load(record));
            }
            PELLET_CLASS if PELLET_SLOTS.contains(&slot) => {
                let at = slot - PELLET_SLOTS.start;
                if self.pellets.len() <= at {
                    self.pellets.resize(at + 1, Seat::default());
                }
                self.pellets[at].put(key.life, Pellet::load(record));
            }
            _ => return,
        }
        self.slots = self.slots.max(slot + 1);
    }

    fn remove(&mut self, key: SlotKey) {
        let slot = usize::from(key.slot);
        if self.ship(key).is_some() {
            self.ships[slot].taken = false;
        } else if self.hole(key).is_some() {
            self.holes[slot - HOLE_SLOTS.start].taken = false;
        } else if self.pellet(key).is_some() {
            self.pellets[slot - PELLET_SLOTS.start].taken = false;
        } else {
            return;
        }
        if slot + 1 == self.slots {
            self.recount();
        }
    }

    /// Gives the lowest free slot to a newcomer.
    fn join(&mut self, driver: Driver) -> Option<SlotKey> {
        let at = self.ships.iter().position(|seat| !seat.taken)?;
        let place = self.spawn();
        self.ships[at].renew(Ship::fresh(place, driver == Driver::Bot));
        self.slots = self.slots.max(at + 1);
        Some(SlotKey {
            slot: at as u16,
            life: self.ships[at].life,
        })
    }

    fn leave(&mut self, key: SlotKey) {
        if self.ship(key).is_some() {
            self.remove(key);
        }
    }

    /// Every ship, the holes as the mode has it, and the pellets within the radius; one that was heard a little farther, so
    /// that what circles at the border does not come and go.
    fn interest(&self, viewer: SlotKey, before: &Bits, hears: &mut Bits) -> bool {
        let Some(eye) = self.ship(viewer).map(Ship::place) else {
            return false;
        };
        SHIP_SLOTS.for_each(|slot| hears.insert(slot));
        let holes = self.told.hears(usize::from(viewer.slot));
        for at in (0..self.holes.len()).filter(|at| holes >> at & 1 == 1) {
            hears.insert(HOLE_SLOTS.start + at);
        }
        let Some(radius) = self.hears.map(f32::from) else {
            PELLET_SLOTS.for_each(|slot| hears.insert(slot));
            return true;
        };
        let (inner, outer) = (radius * radius, (radius + MARGIN) * (radius + MARGIN));
        for (at, seat) in self.pellets.iter().enumerate() {
            let apart = seat.body.place() - eye;
            let (far, slot) = (apart.dot(apart), PELLET_SLOTS.start + at);
            if far <= inner || far <= outer && before.contains(slot) {
                hears.insert(slot);
            }
        }
        true
    }

    fn summarize(&self, viewer: SlotKey, rows: &mut Vec<i32>) {
        if self.ship(viewer).is_some() {
            rows.extend_from_slice(self.told.rows(usize::from(viewer.slot)));
        }
    }

    fn hear_summaries(&mut self, tick: Tick, rows: &[i32]) {
        self.stand_ins.hear(tick, rows);
    }

    fn heap(&self) -> usize {
        size_of_val(self.pellets.as_slice())
            + self.mends.heap()
            + self.told.heap()
            + self.stand_ins.heap()
    }

    fn digest(&self, digest: &mut Digest) {
        self.options.digest(digest);
        digest.u64(u64::from(self.hears.unwrap_or(u16::MAX)));
        let mut codes = [0; Ship::WIDTH];
        let seat = |digest: &mut Digest, taken: bool, life: u8| {
            // The life of a free slot too: it decides the next one's.
            digest.u64(u64::from(taken) << 8 | u64::from(life));
        };
        for ship in &self.ships {
            seat(digest, ship.taken, ship.life);
            if ship.taken {
                ship.body.save(&mut codes);
                digest.codes(&codes);
            }
        }
        for hole in &self.holes {
            seat(digest, hole.taken, hole.life);
            if hole.taken {
                hole.body.save(&mut codes);
                digest.codes(&codes[..Hole::WIDTH]);
            }
        }
        for pellet in &self.pellets {
            seat(digest, pellet.taken, pellet.life);
            if pellet.taken {
                pellet.body.save(&mut codes);
                digest.codes(&codes[..Pellet::WIDTH]);
            }
        }
        digest.u64(u64::from(self.now));
        self.mends.digest(digest);
        self.stand_ins.digest(digest);
        digest.u64(self.rng.state());
    }
}

/// Bit of the button that boosts.
const BOOST: u32 = 0;

impl Scene for BlackHoles {
    const NAME: &'static str = "black-holes";
    const LABEL: &'static str = "Black holes";
    const UNIT: &'static str = "px";
    const PLAYERS: u16 = SHIPS;
    const BUTTONS: &'static [&'static str] = &["boost"];

    fn new(setup: &Setup) -> Self {
        let options = setup.black_holes.sane();
        let mut game = Self::bare(options, setup.hears, setup.seed);
        let dt = 1.0 / f32::from(setup.rate_hz.max(1));
        let rng = &mut game.rng;
        for seat in &mut game.holes[..usize::from(options.holes)] {
            let [from, to] = rules::MASSES;
            let (place, mass) = (Self::anywhere(rng, 200.0), rng.between(from, to));
            let way = Self::fresh_way(rng, place);
            seat.renew(Hole::from(place, way, mass, 0, dt));
        }
        for _ in 0..options.pellets {
            let mut seat = Seat::default();
            seat.renew(Self::fresh_pellet(rng));
            game.pellets.push(seat);
        }
        game.recount();
        game
    }

    fn empty(&self) -> Self {
        Self::bare(self.options, self.hears, 0)
    }

    fn bounds() -> [f32; 4] {
        [-rules::HALF, -rules::HALF, rules::HALF, rules::HALF]
    }

    fn input(pad: &Pad, _: Option<[f32; 2]>) -> Input {
        Input {
            boost: pad.pressed(BOOST),
            ..Input::push(Vec2::from([pad.x, pad.y]))
        }
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

    fn unjudged(_: &Drawn) -> Option<Unjudged> {
        None
    }

    fn shot(event: &Event) -> Option<Shot> {
        match *event {}
    }

    fn tally(event: &Event, _: &mut ShotTally) {
        match *event {}
    }

    fn field_words(_: &str) -> FieldWords {
        FieldWords::Unit("")
    }

    fn tell(event: &Event, _: SlotKey, _: &Drawn) -> Option<Note> {
        match *event {}
    }
}
