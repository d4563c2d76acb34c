//! Top-down arena: walls and cover, a sliding gate, a dash, hitscan shots that are judged twice, and bots.
//!
//! - Movement is one function of record, command, map and gate ([`rules`]), and characters do not push each other: away
//!   from the gate a client that nobody hits predicts itself exactly.
//! - The gate is moved by the server alone. A client runs into where it last heard of it, so who passes while it moves is
//!   corrected: that is what the gate is for.
//! - A shot is judged in the present and in the past that its shooter saw. The past decides where there is one; the
//!   difference is the verdict ([`crate::Verdict`]).

mod bots;
mod event;
mod input;
pub mod map;
mod marks;
pub mod nav;
mod record;
pub mod rules;
mod shot;
#[cfg(test)]
mod tests;

pub use event::{Event, Judged, Struck};
pub use input::Input;
pub use record::{
    AIM, FIGHTER, FIGHTER_CLASS, Fighter, GATE, GATE_CLASS, Gate, PLACE, SCHEMA, SPEED,
};

use netcode::{Digest, Drawn, Driver, Game, Step};
use wire::{ClassId, Schema, SlotKey};

use crate::bot::BotMemory;
use crate::mark::Mark;
use crate::rng::Rng;
use crate::scene::{Body, FieldWords, Note, Pad, Scene, Setup, Shot, ShotTally, Unjudged, View};
use crate::vec2::Vec2;
use map::Block;
use shot::Target;

/// Characters at most.
pub const PLAYERS: u16 = 32;

/// Slot 0 is the gate's, those above are the characters'.
pub const SLOTS: u16 = PLAYERS + 1;

/// The gate's key. It has one life.
pub const GATE_KEY: SlotKey = SlotKey { slot: 0, life: 0 };

/// A character's slot. The life stays when the character leaves, so that the next one's differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seat {
    taken: bool,
    life: u8,
    fighter: Fighter,
}

/// The arena. It owns no memory beyond itself, so a copy is a copy of some 3 kB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arena {
    gate: Option<Gate>,
    /// By slot; the first stays free.
    seats: [Seat; SLOTS as usize],
    /// One more than the greatest taken slot, or 1 for the gate alone, 0 for nothing.
    slots: usize,
    /// See [`Setup::harmless`].
    harmless: bool,
}

impl Arena {
    fn bare(harmless: bool) -> Self {
        let seats = [Seat::default(); SLOTS as usize];
        Self {
            gate: None,
            seats,
            slots: 0,
            harmless,
        }
    }

    /// A character's record; `None` if that life is not here.
    pub fn fighter(&self, key: SlotKey) -> Option<&Fighter> {
        let seat = self.seats.get(usize::from(key.slot))?;
        (seat.taken && seat.life == key.life).then_some(&seat.fighter)
    }

    /// The gate, if it is known.
    pub fn gate(&self) -> Option<&Gate> {
        self.gate.as_ref()
    }

    fn gate_block(&self) -> Option<Block> {
        self.gate.map(Block::of_gate)
    }

    /// The taken seats, by slot.
    fn taken(&self) -> impl Iterator<Item = (usize, &Seat)> {
        self.seats[..self.slots]
            .iter()
            .enumerate()
            .filter(|(_, seat)| seat.taken)
    }

    /// The key of a taken slot.
    fn key(&self, slot: usize) -> SlotKey {
        SlotKey {
            slot: slot as u16,
            life: self.seats[slot].life,
        }
    }

    fn recount(&mut self) {
        self.slots = match self.seats.iter().rposition(|seat| seat.taken) {
            Some(highest) => highest + 1,
            None => usize::from(self.gate.is_some()),
        };
    }

    /// The place to come in that is farthest from everyone in the game; the first of equals.
    fn spawn(&self) -> Vec2 {
        let room = |spawn: Vec2| {
            self.taken()
                .filter(|(_, seat)| seat.fighter.alive())
                .map(|(_, seat)| seat.fighter.place() - spawn)
                .fold(f32::INFINITY, |least, apart| least.min(apart.dot(apart)))
        };
        let mut best = (nav::SPAWNS[0], room(nav::SPAWNS[0]));
        for spawn in &nav::SPAWNS[1..] {
            let room = room(*spawn);
            if room > best.1 {
                best = (*spawn, room);
            }
        }
        best.0
    }

    /// Judges the shot that a character fires after this tick's movement, tells of it and lets it hurt.
    fn shoot(&mut self, slot: usize, step: &mut Step<'_, Self>) {
        let by = self.key(slot);
        let shooter = self.seats[slot].fighter;
        let (from, way, gate) = (shooter.place(), shooter.looks(), self.gate_block());
        let past = step.rewound(by);
        let then = |key| {
            let mut values = [0.0; Fighter::WIDTH];
            let there = past.is_some_and(|past| past.get(SCHEMA, key, &mut values));
            let (x, y) = (values[Fighter::AT.x], values[Fighter::AT.y]);
            (there && values[Fighter::AT.hp] > 0.0).then_some(Vec2::from([x, y]))
        };
        let targets = self
            .taken()
            .filter(|(other, seat)| *other != slot && seat.fighter.alive())
            .map(|(slot, seat)| Target {
                slot,
                now: seat.fighter.place(),
                then: then(self.key(slot)),
            });
        let outcome = shot::judge(from, way, gate, targets, past.is_some());

        let seconds = past.map_or(0.0, |past| past.ticks_ago() * f64::from(step.dt()));
        let rewound_ms = event::age_ms(seconds);
        let struck = outcome.victim.map(|victim| {
            let key = self.key(victim.slot);
            let lands = outcome.verdict != crate::Verdict::Denied;
            if lands && past.is_some() && !map::sees(from, victim.now, gate) {
                step.say_to(
                    key,
                    Event::BehindCover {
                        by,
                        ago_ms: rewound_ms,
                    },
                );
            }
            let fighter = &mut self.seats[victim.slot].fighter;
            let fell = lands && !self.harmless && fighter.hit(way, step.dt());
            Struck {
                key,
                then: millimetres(victim.then.unwrap_or(victim.now)),
                fell,
            }
        });
        step.say(Event::Shot(Judged {
            by,
            number: shooter.shots as u8,
            from: millimetres(from),
            to: millimetres(from + way * outcome.length),
            rewound_ms,
            verdict: outcome.verdict,
            struck,
        }));
    }
}

/// A place as whole millimetres that can be sent.
fn millimetres(place: Vec2) -> [i32; 2] {
    [PLACE.encode(place.x), PLACE.encode(place.y)]
}

impl Game for Arena {
    type Input = Input;
    type Event = Event;
    const SCHEMA: &'static Schema = SCHEMA;
    const SLOTS: u16 = SLOTS;

    fn step(&mut self, step: &mut Step<'_, Self>) {
        let dt = step.dt();
        if self.gate.is_some() && step.decides() && step.simulates(GATE_KEY) {
            self.gate = Some(map::gate_at(step.tick().get(), dt));
        }
        let gate = self.gate_block();
        // Everybody moves before anybody shoots, so that no slot sees a newer world than another.
        let mut shoots = 0u64;
        for slot in 1..self.slots {
            let key = self.key(slot);
            let seat = &mut self.seats[slot];
            if seat.taken && step.simulates(key) && seat.fighter.run(step.command(key), gate, dt) {
                shoots |= 1 << slot;
            }
        }
        if !step.decides() {
            return;
        }
        while shoots != 0 {
            self.shoot(shoots.trailing_zeros() as usize, step);
            shoots &= shoots - 1;
        }
        for slot in 1..self.slots {
            if self.seats[slot].taken && self.seats[slot].fighter.is_due_back() {
                let place = self.spawn();
                self.seats[slot].fighter.come_back(place);
            }
        }
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn at(&self, slot: usize) -> Option<(SlotKey, ClassId)> {
        if slot == 0 {
            return self.gate.map(|_| (GATE_KEY, GATE_CLASS));
        }
        let seat = self.seats.get(slot)?;
        seat.taken.then(|| (self.key(slot), FIGHTER_CLASS))
    }

    fn save(&self, key: SlotKey, out: &mut [i32]) {
        if key.slot == 0 {
            if let Some(gate) = self.gate {
                gate.save(out);
            }
        } else if let Some(fighter) = self.fighter(key) {
            fighter.save(out);
        }
    }

    /// A class in a slot that it never has is ignored: no honest server sends it.
    fn load(&mut self, key: SlotKey, class: ClassId, record: &[i32]) {
        match (class, key.slot) {
            (GATE_CLASS, 0) => self.gate = Some(Gate::load(record)),
            (FIGHTER_CLASS, 1..SLOTS) => {
                let seat = &mut self.seats[usize::from(key.slot)];
                *seat = Seat {
                    taken: true,
                    life: key.life,
                    fighter: Fighter::load(record),
                };
            }
            _ => return,
        }
        self.slots = self.slots.max(usize::from(key.slot) + 1);
    }

    fn remove(&mut self, key: SlotKey) {
        if key.slot == 0 {
            self.gate = None;
        } else if self.fighter(key).is_some() {
            self.seats[usize::from(key.slot)].taken = false;
        }
        self.recount();
    }

    /// Gives the lowest free slot to a newcomer.
    fn join(&mut self, driver: Driver) -> Option<SlotKey> {
        let slot = (1..self.seats.len()).find(|slot| !self.seats[*slot].taken)?;
        let fighter = Fighter::at(self.spawn(), driver == Driver::Bot);
        let life = self.seats[slot].life.wrapping_add(1);
        self.seats[slot] = Seat {
            taken: true,
            life,
            fighter,
        };
        self.recount();
        Some(self.key(slot))
    }

    fn leave(&mut self, key: SlotKey) {
        if key.slot != 0 {
            self.remove(key);
        }
    }

    fn digest(&self, digest: &mut Digest) {
        let mut codes = [0; Fighter::WIDTH];
        digest.u64(u64::from(self.gate.is_some()));
        digest.i32(self.gate.unwrap_or_default().y);
        for seat in &self.seats[1..] {
            // The life of a free slot too: it decides the next one's.
            digest.u64(u64::from(seat.taken) << 8 | u64::from(seat.life));
            if seat.taken {
                seat.fighter.save(&mut codes);
                digest.codes(&codes);
            }
        }
        digest.u64(u64::from(self.harmless));
    }

    fn world(&self) -> u64 {
        map::fingerprint()
    }
}

/// Bit of the button that shoots.
const FIRE: u32 = 0;
/// Bit of the button that dashes.
const DASH: u32 = 1;

impl Scene for Arena {
    const NAME: &'static str = "arena";
    const LABEL: &'static str = "Arena";
    const UNIT: &'static str = "m";
    const PLAYERS: u16 = PLAYERS;
    const BUTTONS: &'static [&'static str] = &["fire", "dash"];

    fn new(setup: &Setup) -> Self {
        let gate = Some(map::gate_at(0, 1.0 / f32::from(setup.rate_hz.max(1))));
        Self {
            gate,
            slots: 1,
            ..Self::bare(setup.harmless)
        }
    }

    fn empty(&self) -> Self {
        Self::bare(self.harmless)
    }

    fn bounds() -> [f32; 4] {
        map::BOUNDS
    }

    fn input(pad: &Pad, me: Option<[f32; 2]>) -> Input {
        let hands = Input {
            fire: pad.pressed(FIRE),
            dash: pad.pressed(DASH),
            held: pad.holds(FIRE),
            ..Input::push(Vec2::from([pad.x, pad.y]))
        };
        let Some(me) = me else { return hands };
        let aim = Vec2::from([pad.aim_x, pad.aim_y]) - me.into();
        let far = aim.length();
        // A pointer on the character itself points nowhere, and neither does none at all (NaN).
        if far.is_finite() && far > 0.0 {
            hands.looking(aim.angle())
        } else {
            hands
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

    fn unjudged(drawn: &Drawn) -> Option<Unjudged> {
        marks::unjudged(drawn)
    }

    fn shot(event: &Event) -> Option<Shot> {
        match event {
            Event::Shot(judged) => Some(judged.shot()),
            Event::BehindCover { .. } => None,
        }
    }

    fn tally(event: &Event, out: &mut ShotTally) {
        match event {
            Event::Shot(judged) => out.count(judged.verdict),
            Event::BehindCover { .. } => out.behind_cover += 1,
        }
    }

    fn field_words(name: &str) -> FieldWords {
        event::field_words(name)
    }

    fn tell(event: &Event, viewer: SlotKey, drawn: &Drawn) -> Option<Note> {
        marks::tell(event, viewer, drawn)
    }
}
