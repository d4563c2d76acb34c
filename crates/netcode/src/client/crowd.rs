//! The entities of simulated classes on a client: moved by the shared rule, in the own character's tick.

use wire::{Class, Micros, SlotKey, Tick};

use crate::bits::Bits;
use crate::client::config::ClientConfig;
use crate::client::counters::ClientCounters;
use crate::client::playing::{is_cut, moved_by};
use crate::client::world::World;
use crate::game::Game;
use crate::predict::{ErrorOffset, Predictor};
use crate::table::MAX_WIDTH;

/// Corrections that ease at the same time. A guess: a round robin of 16 a tick has some 180 under way; one more than these
/// shows at once.
const EASED: usize = 512;
/// An entity that is told of a tick that this end has not come to waits for it, unless it is further ahead than this, ticks.
const AHEAD: u64 = 2;

/// Which entities this end moves beside its own character, how far, and what of them is to be set right.
///
/// All live in one tick, the server's number of the own character's newest, so that a rule about both sees both at one time. News
/// of one is of an earlier tick: it waits here until it is loaded at its tick and run forward ([`Playing::reconcile`]).
///
/// Drawing is between the two newest ticks, so their records are kept, flat; nothing is taken while no class is simulated.
///
/// [`Playing::reconcile`]: super::playing::Playing
#[derive(Clone, Debug)]
pub(super) struct Crowd {
    width: usize,
    /// Those that are in the game and move.
    slots: Bits,
    /// Those that are told of and not loaded yet.
    pending: Bits,
    /// The server's tick that they have been run to; `None` before it is known.
    pub tick: Option<Tick>,
    /// Records after the tick before the newest, by slot.
    older: Vec<i32>,
    /// Records after the newest tick, by slot.
    newer: Vec<i32>,
    /// By slot, ascending.
    eased: Vec<Eased>,
    /// What is loaded now: of which tick, and who. By tick, then slot.
    due: Vec<Told>,
    /// What each of those was drawn as before.
    before: Vec<i32>,
}

/// One entity that is to be set right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Told {
    tick: Tick,
    slot: u16,
    /// Whether it moved before.
    moved: bool,
}

#[derive(Clone, Copy, Debug)]
struct Eased {
    slot: u16,
    offset: ErrorOffset,
}

impl Crowd {
    pub(super) fn new(slots: usize, width: usize) -> Self {
        Self {
            width,
            slots: Bits::new(slots),
            pending: Bits::new(slots),
            tick: None,
            older: Vec::new(),
            newer: Vec::new(),
            eased: Vec::new(),
            due: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(super) fn heap(&self) -> usize {
        self.slots.heap()
            + self.pending.heap()
            + size_of_val(self.older.as_slice())
            + size_of_val(self.newer.as_slice())
            + size_of_val(self.eased.as_slice())
    }

    /// Those that are in the game and move.
    pub(super) fn slots(&self) -> &Bits {
        &self.slots
    }

    /// Whether nobody moves, and nobody is about to.
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty() && self.pending.is_empty()
    }

    /// Whether a slot's occupant moves by the rule, or is about to.
    pub(super) fn has(&self, slot: usize) -> bool {
        self.slots.contains(slot) || self.pending.contains(slot)
    }

    /// A slot was told of. Its record waits in the world.
    pub(super) fn tell(&mut self, slot: usize) {
        self.pending.insert(slot);
    }

    /// Its occupant is gone, or is another one, or is shown in another way.
    pub(super) fn forget(&mut self, slot: usize) {
        self.slots.remove(slot);
        self.pending.remove(slot);
        self.eased.retain(|eased| usize::from(eased.slot) != slot);
    }

    /// Takes what is to be loaded by now out of what waits; how much it is. What it was drawn as is remembered until it is
    /// [`settle`](Self::settle)d.
    pub(super) fn take_due(&mut self, world: &World) -> usize {
        self.due.clear();
        self.before.clear();
        let Some(tick) = self.tick else { return 0 };
        let Self {
            pending,
            slots,
            due,
            ..
        } = self;
        pending.retain(|slot| {
            let heard = world.heard_at(slot);
            let waits = heard > tick && heard.since(tick) <= AHEAD;
            if !waits {
                due.push(Told {
                    tick: heard,
                    slot: slot as u16,
                    moved: slots.contains(slot),
                });
            }
            waits
        });
        due.sort_unstable();
        for told in due {
            let place = usize::from(told.slot) * self.width;
            match self.newer.get(place..place + self.width) {
                Some(record) => self.before.extend_from_slice(record),
                None => self.before.extend(std::iter::repeat_n(0, self.width)),
            }
        }
        self.due.len()
    }

    /// What [`take_due`](Self::take_due) took last, by its place: of which tick, and who.
    pub(super) fn due(&self, at: usize) -> Option<(Tick, usize)> {
        let told = self.due.get(at)?;
        Some((told.tick, usize::from(told.slot)))
    }

    /// What was taken stands after the newest tick now: counts what moved, and eases the picture over it, but never across a cut.
    pub(super) fn settle<G: Game>(
        &mut self,
        now: Micros,
        world: &World,
        config: &ClientConfig,
        counters: &mut ClientCounters,
    ) {
        for at in 0..self.due.len() {
            let Told { slot, moved, .. } = self.due[at];
            let slot = usize::from(slot);
            let Some((_, class, _)) = world.get(slot).filter(|_| moved) else {
                continue;
            };
            let shape = &G::SCHEMA.classes[usize::from(class.0)];
            let before = &self.before[at * self.width..][..shape.width()];
            let after = &self.newer[slot * self.width..][..shape.width()];
            let distance = shape.distance(before, after);
            let cut = is_cut(shape, before, after);
            if !cut && distance <= Predictor::floor(shape) {
                continue;
            }
            if !cut {
                counters.simulated_corrections += 1;
                counters.simulated_corrected += f64::from(distance);
            }
            if cut || config.smooth == Micros::ZERO {
                self.cut(slot);
            } else {
                let by = moved_by(shape, before, after);
                self.ease(now, slot, by, config);
            }
        }
        self.due.clear();
    }

    /// Puts the record into the game that the server told last, and lets it move from there. It is drawn as that until it has
    /// moved.
    pub(super) fn load<G: Game>(&mut self, slot: usize, world: &World, game: &mut G) {
        let Some((key, class, record)) = world.get(slot) else {
            return;
        };
        if self.newer.is_empty() {
            let whole = world.slots() * self.width;
            self.newer.resize(whole, 0);
            self.older.resize(whole, 0);
        }
        self.slots.insert(slot);
        self.older[slot * self.width..][..self.width].copy_from_slice(record);
        self.newer[slot * self.width..][..self.width].copy_from_slice(record);
        let shape = &G::SCHEMA.classes[usize::from(class.0)];
        game.load(key, class, &record[..shape.width()]);
    }

    /// Takes the records after a tick; those of the tick before stay beside them.
    pub(super) fn turn<G: Game>(&mut self, now: Micros, game: &G) {
        std::mem::swap(&mut self.older, &mut self.newer);
        for slot in self.slots.iter() {
            if let Some((key, class)) = game.at(slot) {
                let width = G::SCHEMA.classes[usize::from(class.0)].width();
                game.save(key, &mut self.newer[slot * self.width..][..width]);
            }
        }
        self.eased.retain(|eased| !eased.offset.is_zero(now));
    }

    /// Takes the records of those in `only` anew: they were run again, and stand after the newest tick, or the one before it.
    pub(super) fn retake<G: Game>(&mut self, only: &Bits, newest: bool, game: &G) {
        for slot in only.iter().filter(|slot| self.slots.contains(*slot)) {
            if let Some((key, class)) = game.at(slot) {
                let width = G::SCHEMA.classes[usize::from(class.0)].width();
                let place = slot * self.width..slot * self.width + width;
                game.save(key, &mut self.newer[place.clone()]);
                if !newest {
                    self.older[place.clone()].copy_from_slice(&self.newer[place]);
                }
            }
        }
    }

    /// Eases the picture of an entity over a correction that moved it by `moved`, drawn before less simulated now.
    fn ease(&mut self, now: Micros, slot: usize, moved: [f32; 3], config: &ClientConfig) {
        let slot = slot as u16;
        match self.eased.binary_search_by_key(&slot, |eased| eased.slot) {
            Ok(at) => self.eased[at].offset.add(now, moved),
            Err(at) if self.eased.len() < EASED => {
                let mut offset = ErrorOffset::over(config.smooth);
                offset.add(now, moved);
                self.eased.insert(at, Eased { slot, offset });
            }
            Err(_) => {}
        }
    }

    /// Shows an entity where it is: it was somewhere else entirely.
    fn cut(&mut self, slot: usize) {
        self.eased.retain(|eased| usize::from(eased.slot) != slot);
    }

    /// The fields of an entity between its two newest ticks, with what is left of a correction. False: it does not move yet.
    pub(super) fn draw(
        &self,
        now: Micros,
        slot: usize,
        shape: &Class,
        t: f32,
        out: &mut [f32],
    ) -> bool {
        if !self.slots.contains(slot) {
            return false;
        }
        let place = slot * self.width..slot * self.width + shape.width();
        shape.blend(&self.older[place.clone()], &self.newer[place], t, out);
        let at = self
            .eased
            .binary_search_by_key(&slot, |eased| usize::from(eased.slot));
        if let Ok(at) = at {
            let places = shape
                .fields
                .iter()
                .zip(out)
                .filter(|(field, _)| field.place);
            for ((_, value), offset) in places.zip(self.eased[at].offset.at(now)) {
                *value += offset;
            }
        }
        true
    }
}

/// An entity's record as the game has it, if it is that one.
pub(super) fn saved<G: Game>(game: &G, key: SlotKey) -> Option<[i32; MAX_WIDTH]> {
    let (_, class) = game
        .at(usize::from(key.slot))
        .filter(|(at, _)| *at == key)?;
    let mut record = [0; MAX_WIDTH];
    let width = G::SCHEMA.classes[usize::from(class.0)].width();
    game.save(key, &mut record[..width]);
    Some(record)
}
