//! What the server had, tick by tick, to hold a picture against.

use netcode::{Game, Server};
use wire::{Class, ClassId, Schema, SlotKey, Tick};

use super::mirror::is_watched;

/// Ticks kept. The longest delay that can be set is 600 ms, 77 ticks at the highest rate; the 64 of the rewind are
/// too few on a 2G link.
pub(crate) const KEPT: usize = 128;

/// The widest class that is looked at; the schema's own bound is the same.
pub(crate) const WIDEST: usize = netcode::table::MAX_WIDTH;

/// What a picture of others is held against.
pub(crate) trait Past {
    /// The server's newest tick, where that is known: what a naive comparison takes for the truth.
    fn present(&self) -> Option<Tick>;
    /// The newest tick that is known, and will not be known better.
    fn newest(&self) -> Tick;
    /// An entity's fields at an instant of the server, in world units.
    fn at(&self, at: f64, key: SlotKey, out: &mut [f32; WIDEST]) -> Option<ClassId>;
}

/// The server's records of the last [`KEPT`] ticks: of the classes that have characters, and of a crowd that both ends move those
/// that are watched. Flat, so that a copy of a lab copies three lists and not hundreds.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    schema: &'static Schema,
    /// Whether a class is kept.
    keeps: fn(ClassId) -> bool,
    width: usize,
    newest: Tick,
    /// Rows a tick has room for.
    room: usize,
    ticks: [Tick; KEPT],
    /// How many of a tick's rows are taken.
    taken: [usize; KEPT],
    names: Vec<(SlotKey, ClassId)>,
    values: Vec<i32>,
}

impl Truth {
    /// Nothing kept yet of the classes that `keeps` says.
    pub(crate) fn new(schema: &'static Schema, keeps: fn(ClassId) -> bool) -> Self {
        Self {
            schema,
            keeps,
            width: schema.width(),
            newest: Tick::default(),
            room: 0,
            ticks: [Tick::default(); KEPT],
            taken: [0; KEPT],
            names: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.names.as_slice()) + size_of_val(self.values.as_slice())
    }

    /// Keeps what a server has. Ticks come in order.
    pub(crate) fn push<G: Game>(&mut self, server: &Server<G>) {
        let (table, shows) = (server.table(), server.config().shows);
        self.newest = table.tick();
        let page = (table.tick().get() % KEPT as u64) as usize;
        self.ticks[page] = table.tick();
        self.taken[page] = 0;
        for slot in table.occupied().iter() {
            let (Some(key), Some(class)) = (table.key(slot), table.class(slot)) else {
                continue;
            };
            let moves_by_rule = shows.simulates(self.schema, class);
            let watched = moves_by_rule && is_watched(key, table.slots());
            if !watched && !(self.keeps)(class) {
                continue;
            }
            let row = self.taken[page];
            if row == self.room {
                self.grow((self.room * 2).clamp(16, table.slots()));
            }
            let at = page * self.room + row;
            self.taken[page] += 1;
            self.names[at] = (key, class);
            let width = self.shape(class).width();
            let place = at * self.width..at * self.width + width;
            if moves_by_rule {
                // The table has it as it was announced.
                server.game().save(key, &mut self.values[place]);
            } else {
                self.values[place].copy_from_slice(table.record(slot));
            }
        }
    }

    /// Lays the pages out anew with more rows each.
    fn grow(&mut self, room: usize) {
        let mut names = vec![(SlotKey::default(), ClassId(0)); KEPT * room];
        let mut values = vec![0; KEPT * room * self.width];
        for page in 0..KEPT {
            let (from, to, rows) = (page * self.room, page * room, self.taken[page]);
            names[to..to + rows].copy_from_slice(&self.names[from..from + rows]);
            let width = self.width;
            values[to * width..(to + rows) * width]
                .copy_from_slice(&self.values[from * width..(from + rows) * width]);
        }
        (self.room, self.names, self.values) = (room, names, values);
    }

    /// An entity's record after a tick.
    pub(crate) fn record(&self, tick: Tick, key: SlotKey) -> Option<(ClassId, &[i32])> {
        let page = (tick.get() % KEPT as u64) as usize;
        if self.ticks[page] != tick {
            return None;
        }
        let names = &self.names[page * self.room..][..self.taken[page]];
        // By slot, as the table went.
        let row = names
            .binary_search_by_key(&key.slot, |(key, _)| key.slot)
            .ok()?;
        let (found, class) = names[row];
        let at = (page * self.room + row) * self.width;
        (found == key).then(|| (class, &self.values[at..at + self.shape(class).width()]))
    }

    fn shape(&self, class: ClassId) -> &'static Class {
        &self.schema.classes[usize::from(class.0)]
    }
}

impl Past for Truth {
    fn present(&self) -> Option<Tick> {
        Some(self.newest)
    }

    fn newest(&self) -> Tick {
        self.newest
    }

    /// Blended as a client would.
    fn at(&self, at: f64, key: SlotKey, out: &mut [f32; WIDEST]) -> Option<ClassId> {
        let (tick, part) = split(at);
        let (class, before) = self.record(tick, key)?;
        let shape = self.shape(class);
        if part > 0.0 {
            let (_, after) = self.record(tick.next(), key)?;
            shape.blend(before, after, part, &mut out[..shape.width()]);
        } else {
            shape.decode(before, &mut out[..shape.width()]);
        }
        Some(class)
    }
}

/// An instant as a tick and the part of the next that has gone.
pub(crate) fn split(at: f64) -> (Tick, f32) {
    let whole = at.max(0.0) as u64;
    (Tick::new(whole), (at - whole as f64).clamp(0.0, 1.0) as f32)
}
