//! What every entity's record is and when it last changed: the server's, and each client's copy.

use wire::{ClassId, Schema, SlotKey, Tick};

use crate::bits::Bits;
use crate::game::Game;
use crate::shows::Shows;

/// Records of a world, dense by slot, with the tick at which each last changed.
///
/// Presence is decided by *version*, not by comparing bytes for each peer: an entity is news to a peer while its last change
/// is younger than the tick that the peer has confirmed. So a baseline is a tick a slot, and no copy of the world.
///
/// An entity of a class that both ends simulate changes when it comes, when it goes and when the rule announces it. Its record
/// is made when it is sent ([`Table::refresh`]), not in each tick: thousands move and few are news.
#[derive(Clone, Debug)]
pub struct Table {
    schema: &'static Schema,
    width: usize,
    /// The tick of the newest collection.
    tick: Tick,
    rows: Vec<Row>,
    occupied: Bits,
    values: Vec<i32>,
}

/// One slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    key: SlotKey,
    class: Option<ClassId>,
    born: Tick,
    /// Newest change of what everyone is told.
    changed: Tick,
    /// Newest change of what the owner alone is told.
    owner_changed: Tick,
    /// First tick of the unbroken run of changes that `changed` ends.
    began: Tick,
    /// The tick whose state the record is, where both ends simulate.
    written: Tick,
}

impl Table {
    /// An empty table for `slots` slots. It never grows.
    pub fn new(schema: &'static Schema, slots: u16) -> Self {
        let slots = usize::from(slots);
        let empty = Row {
            key: SlotKey::default(),
            class: None,
            born: Tick::default(),
            changed: Tick::default(),
            owner_changed: Tick::default(),
            began: Tick::default(),
            written: Tick::default(),
        };
        Self {
            schema,
            width: schema.width(),
            tick: Tick::default(),
            rows: vec![empty; slots],
            occupied: Bits::new(slots),
            values: vec![0; slots * schema.width()],
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.rows.as_slice())
            + size_of_val(self.values.as_slice())
            + self.occupied.heap()
    }

    /// The schema of its records.
    pub fn schema(&self) -> &'static Schema {
        self.schema
    }

    /// How many slots it has.
    pub fn slots(&self) -> usize {
        self.rows.len()
    }

    /// The tick it describes.
    pub fn tick(&self) -> Tick {
        self.tick
    }

    /// The occupied slots.
    pub fn occupied(&self) -> &Bits {
        &self.occupied
    }

    /// Who occupies a slot.
    pub fn key(&self, slot: usize) -> Option<SlotKey> {
        self.rows
            .get(slot)
            .filter(|row| row.class.is_some())
            .map(|row| row.key)
    }

    /// The class of a slot's occupant.
    pub fn class(&self, slot: usize) -> Option<ClassId> {
        self.rows.get(slot)?.class
    }

    /// The record of a slot's occupant: as many codes as its class is wide. Empty for a free slot.
    pub fn record(&self, slot: usize) -> &[i32] {
        let Some(class) = self.class(slot) else {
            return &[];
        };
        let width = self.schema.classes[usize::from(class.0)].width();
        &self.values[slot * self.width..slot * self.width + width]
    }

    /// The tick at which the occupant of a slot came.
    pub fn born(&self, slot: usize) -> Tick {
        self.rows[slot].born
    }

    /// The newest tick at which what everyone is told of a slot changed (its vacation included).
    pub fn changed(&self, slot: usize) -> Tick {
        self.rows[slot].changed
    }

    /// The newest tick at which what its owner is told changed, public parts included.
    pub fn owner_changed(&self, slot: usize) -> Tick {
        self.rows[slot].owner_changed.max(self.rows[slot].changed)
    }

    /// How many ticks before the table's tick the newest unbroken run of changes began, 15 for that many or more.
    pub fn run(&self, slot: usize) -> u8 {
        self.tick.since(self.rows[slot].began).min(15) as u8
    }

    /// Takes the state of a game after `tick` ran, and puts every slot that differs from before into `news`. Of a class that both
    /// ends simulate, only whoever came, went or is in `announced` is news.
    pub fn collect<G: Game>(
        &mut self,
        game: &G,
        tick: Tick,
        shows: &Shows,
        announced: &Bits,
        news: &mut Bits,
    ) {
        self.tick = tick;
        let slots = game.slots().min(self.rows.len());
        let mut fresh = [0i32; MAX_WIDTH];
        for slot in 0..slots {
            let Some((key, class)) = game.at(slot) else {
                if self.vacate(slot) {
                    news.insert(slot);
                }
                continue;
            };
            let shape = &self.schema.classes[usize::from(class.0)];
            let moves_by_rule = shows.simulates(self.schema, class)
                && self.is_held(slot, key, class)
                && !announced.contains(slot);
            if moves_by_rule && !shape.rewind {
                continue;
            }
            let record = &mut fresh[..shape.width()];
            game.save(key, record);
            if moves_by_rule {
                self.refresh(slot, record);
            } else if self.put(key, class, record) || announced.contains(slot) {
                if shows.simulates(self.schema, class) {
                    self.announce(slot);
                }
                news.insert(slot);
            }
        }
        // What lies past the game's last slot is gone, where the game has become smaller.
        for slot in slots..self.rows.len() {
            if self.vacate(slot) {
                news.insert(slot);
            }
        }
    }

    fn is_held(&self, slot: usize, key: SlotKey, class: ClassId) -> bool {
        let row = &self.rows[slot];
        row.class == Some(class) && row.key == key
    }

    /// Whether the record of a slot is of the table's tick, for a class that both ends simulate.
    pub(crate) fn is_fresh(&self, slot: usize) -> bool {
        self.rows[slot].written == self.tick
    }

    /// Takes the state of an entity that both ends simulate, as it is at the table's tick. It is no news by that.
    pub(crate) fn refresh(&mut self, slot: usize, record: &[i32]) {
        let row = &mut self.rows[slot];
        row.written = self.tick;
        row.began = self.tick;
        self.values[slot * self.width..][..record.len()].copy_from_slice(record);
    }

    /// What a slot's occupant is at the table's tick is news, whether or not its record differs from an earlier one's.
    fn announce(&mut self, slot: usize) {
        let row = &mut self.rows[slot];
        row.changed = self.tick;
        row.began = self.tick;
        row.written = self.tick;
    }

    /// Sets a record at the table's tick; true if it differs from what was there.
    fn put(&mut self, key: SlotKey, class: ClassId, record: &[i32]) -> bool {
        let slot = usize::from(key.slot);
        let tick = self.tick;
        let row = &mut self.rows[slot];
        let values = &mut self.values[slot * self.width..slot * self.width + record.len()];
        if row.class != Some(class) || row.key != key {
            *row = Row {
                key,
                class: Some(class),
                born: tick,
                changed: tick,
                owner_changed: tick,
                began: tick,
                written: tick,
            };
            values.copy_from_slice(record);
            self.occupied.insert(slot);
            return true;
        }
        let fields = self.schema.classes[usize::from(class.0)].fields;
        let (mut public, mut private) = (false, false);
        for ((old, new), field) in values.iter().zip(record).zip(fields) {
            if old != new {
                match field.to {
                    wire::Audience::Owner => private = true,
                    wire::Audience::All | wire::Audience::Birth => public = true,
                }
            }
        }
        if public {
            if row.changed.next() != tick {
                row.began = tick;
            }
            row.changed = tick;
        }
        if private {
            row.owner_changed = tick;
        }
        if public || private {
            values.copy_from_slice(record);
        }
        public || private
    }

    /// Sets one slot at a tick.
    #[cfg(test)]
    pub(crate) fn set(&mut self, tick: Tick, key: SlotKey, class: ClassId, record: &[i32]) {
        self.tick = tick;
        self.put(key, class, record);
    }

    fn vacate(&mut self, slot: usize) -> bool {
        let row = &mut self.rows[slot];
        if row.class.take().is_none() {
            return false;
        }
        row.changed = self.tick;
        row.owner_changed = self.tick;
        row.began = self.tick;
        self.occupied.remove(slot);
        true
    }

    /// The occupant that a slot had last, whether or not it is still there.
    pub fn last_key(&self, slot: usize) -> SlotKey {
        self.rows[slot].key
    }
}

/// The widest class that a schema may have. It bounds the scratch records on the stack.
pub const MAX_WIDTH: usize = 64;
