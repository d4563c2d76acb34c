//! What a client was told: the newest record of every entity, and the samples to draw them from.

use wire::{
    Audience, Class, ClassId, EntryHead, EventsHead, Reader, SlotKey, SnapshotHead, Summaries,
    Tick, What,
};

use crate::client::crowd::Crowd;
use crate::client::summed::Summed;
use crate::game::{Event, Game};
use crate::interpolate::SnapshotBuffer;
use crate::output::Fault;
use crate::shows::Shows;
use crate::table::MAX_WIDTH;

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    key: SlotKey,
    class: Option<ClassId>,
    /// The tick of the newest entry about this slot, an end included: older ones are late.
    heard: Tick,
    /// The tick of the entry that brought the occupant.
    born: Tick,
}

/// Everything a client was told of the world, by slot, with the samples of what it draws in the past. It never grows.
#[derive(Clone, Debug)]
pub(super) struct World {
    width: usize,
    rows: Vec<Row>,
    values: Vec<i32>,
    samples: SnapshotBuffer,
    summed: Summed,
}

/// One entry of a packet, read but not applied.
#[derive(Clone, Copy, Debug)]
struct Entry {
    slot: u16,
    what: What,
    /// Where its record starts in [`Parsed::values`].
    at: usize,
}

/// A snapshot packet, read whole before anything of it is applied. Reused; it holds nothing between packets.
#[derive(Debug)]
pub(super) struct Parsed<E> {
    entries: Vec<Entry>,
    values: Vec<i32>,
    /// Age in ticks, and the event.
    pub events: Vec<(u8, E)>,
    /// The number of the first event, as on the wire.
    pub first_event: u16,
    /// Rows of the summaries, and whether the packet says anything of them.
    summaries: Vec<i32>,
    says_summaries: bool,
}

impl<E> Default for Parsed<E> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            values: Vec::new(),
            events: Vec::new(),
            first_event: 0,
            summaries: Vec::new(),
            says_summaries: false,
        }
    }
}

/// Scratch space is not state: a copy starts empty.
impl<E> Clone for Parsed<E> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl World {
    pub(super) fn new<G: Game>() -> Self {
        let (slots, width) = (usize::from(G::SLOTS), G::SCHEMA.width());
        Self {
            width,
            rows: vec![Row::default(); slots],
            values: vec![0; slots * width],
            samples: SnapshotBuffer::new(slots, width),
            summed: Summed::default(),
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(super) fn heap(&self) -> usize {
        size_of_val(self.rows.as_slice())
            + size_of_val(self.values.as_slice())
            + self.samples.heap()
            + self.summed.heap()
    }

    /// The occupant of a slot with its newest record.
    pub(super) fn get(&self, slot: usize) -> Option<(SlotKey, ClassId, &[i32])> {
        let row = self.rows.get(slot)?;
        let class = row.class?;
        Some((
            row.key,
            class,
            &self.values[slot * self.width..(slot + 1) * self.width],
        ))
    }

    pub(super) fn slots(&self) -> usize {
        self.rows.len()
    }

    /// The tick of the newest entry about a slot.
    pub(super) fn heard_at(&self, slot: usize) -> Tick {
        self.rows[slot].heard
    }

    /// Forgets what a slot's occupant is drawn from in the past.
    pub(super) fn reset_samples(&mut self, slot: usize) {
        self.samples.reset(slot);
    }

    /// What it was told in summary.
    pub(super) fn summed(&self) -> &Summed {
        &self.summed
    }

    pub(super) fn samples(&self) -> &SnapshotBuffer {
        &self.samples
    }

    /// A snapshot of `tick` was applied.
    pub(super) fn heard(&mut self, tick: Tick) {
        self.samples.heard(tick);
    }

    /// Reads the body of a snapshot behind its head. Nothing is applied; a fault leaves the world as it was.
    pub(super) fn parse<G: Game>(
        &self,
        tick: Tick,
        head: &SnapshotHead,
        r: &mut Reader<'_>,
        out: &mut Parsed<G::Event>,
    ) -> Result<(), Fault> {
        out.entries.clear();
        out.values.clear();
        out.events.clear();
        let class_bits = G::SCHEMA.class_bits();
        let mut previous = 0;
        for at in 0..head.count {
            r.open("entry");
            let head = EntryHead::read(previous, at == 0, class_bits, r)?;
            previous = head.slot;
            self.parse_entry::<G>(tick, head, r, out)?;
            r.close();
        }
        let head = EventsHead::read(r)?;
        out.first_event = head.first;
        for _ in 0..head.count {
            r.open("event");
            out.events.push((r.u8("age")?, G::Event::read(r)?));
            r.close();
        }
        out.says_summaries = match G::SCHEMA.summary {
            Some(class) => Summaries::read(class, &mut out.summaries, r)?,
            None => false,
        };
        r.align()?;
        crate::output::finish(r)
    }

    fn parse_entry<G: Game>(
        &self,
        tick: Tick,
        head: EntryHead,
        r: &mut Reader<'_>,
        out: &mut Parsed<G::Event>,
    ) -> Result<(), Fault> {
        let EntryHead { slot, what } = head;
        let row = self.rows.get(usize::from(slot)).ok_or(Fault::SlotRange {
            slot,
            slots: G::SLOTS,
        })?;
        let at = out.values.len();
        if let What::State { birth, owner, .. } = what {
            let class = match birth {
                Some((_, id)) => G::SCHEMA
                    .class(id)
                    .ok_or(Fault::UnknownClass { class: id.0 })?,
                // What came before the occupant did is about another one, of whatever shape.
                None => self
                    .shape::<G>(row)
                    .filter(|_| tick >= row.born)
                    .ok_or(Fault::UnknownOccupant { slot })?,
            };
            out.values.resize(at + self.width, 0);
            let record = &mut out.values[at..at + class.width()];
            if birth.is_none() {
                record.copy_from_slice(
                    &self.values[usize::from(slot) * self.width..][..class.width()],
                );
            }
            r.open(class.name);
            if birth.is_some() {
                class.read(record, Audience::Birth, r)?;
            }
            class.read(record, Audience::All, r)?;
            if owner {
                class.read(record, Audience::Owner, r)?;
            }
            r.close();
        }
        out.entries.push(Entry { slot, what, at });
        Ok(())
    }

    fn shape<G: Game>(&self, row: &Row) -> Option<&'static Class> {
        G::SCHEMA.class(row.class?)
    }

    /// Applies what was read. Each entry is taken or left by its own slot's age, so that a late packet fills holes without
    /// turning anything back. The character `me` is not put into the game: whether it is, is for the prediction to say; nor is
    /// who is simulated, since what is told of them is of a tick that this end is past.
    pub(super) fn apply<G: Game>(
        &mut self,
        tick: Tick,
        parsed: &Parsed<G::Event>,
        me: Option<SlotKey>,
        shows: &Shows,
        crowd: &mut Crowd,
        game: &mut G,
    ) -> Heard {
        let mut told = Heard::default();
        for entry in &parsed.entries {
            let slot = usize::from(entry.slot);
            match entry.what {
                What::Gone { .. } => {
                    told.ends += u64::from(self.apply_end(slot, tick, crowd, game));
                }
                What::State { birth, run, .. } => {
                    let record = &parsed.values[entry.at..entry.at + self.width];
                    self.apply_state(
                        slot, tick, birth, run, record, me, shows, crowd, game, &mut told,
                    );
                }
            }
        }
        if parsed.says_summaries && self.summed.hear(tick, &parsed.summaries) {
            game.hear_summaries(tick, &parsed.summaries);
        }
        told.entries = parsed.entries.len() as u64;
        told
    }

    /// True: its occupant was there.
    fn apply_end<G: Game>(
        &mut self,
        slot: usize,
        tick: Tick,
        crowd: &mut Crowd,
        game: &mut G,
    ) -> bool {
        let row = &mut self.rows[slot];
        if tick <= row.heard {
            return false;
        }
        row.heard = tick;
        let was = row.class.take().is_some();
        if was {
            game.remove(row.key);
            self.samples.reset(slot);
            crowd.forget(slot);
        }
        was
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one entry with what it is applied to; a struct would be built to be taken apart"
    )]
    fn apply_state<G: Game>(
        &mut self,
        slot: usize,
        tick: Tick,
        birth: Option<(u8, ClassId)>,
        run: u8,
        record: &[i32],
        me: Option<SlotKey>,
        shows: &Shows,
        crowd: &mut Crowd,
        game: &mut G,
        told: &mut Heard,
    ) {
        let row = &mut self.rows[slot];
        if let Some((life, class)) = birth {
            let key = SlotKey {
                slot: slot as u16,
                life,
            };
            if row.class != Some(class) || row.key != key {
                if tick <= row.heard {
                    return;
                }
                told.births += 1;
                if row.class.is_some() {
                    told.ends += 1;
                    game.remove(row.key);
                }
                self.samples.reset(slot);
                crowd.forget(slot);
                *row = Row {
                    key,
                    class: Some(class),
                    heard: Tick::default(),
                    born: tick,
                };
            } else {
                row.born = row.born.min(tick);
            }
        }
        let Some(class) = row.class else { return };
        let shape = &G::SCHEMA.classes[usize::from(class.0)];
        let mine = Some(row.key) == me;
        let simulated = !mine && shows.simulates(G::SCHEMA, class);
        if tick > row.heard || birth.is_some() && tick >= row.heard {
            row.heard = tick;
            self.values[slot * self.width..][..self.width].copy_from_slice(record);
            if mine {
                told.own = true;
            } else if simulated {
                crowd.tell(slot);
            } else {
                game.load(row.key, class, &record[..shape.width()]);
            }
        } else {
            told.late += 1;
        }
        if !simulated {
            self.samples.insert(slot, tick, run, record);
        }
    }
}

/// What a packet told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heard {
    /// Entries in it.
    pub entries: u64,
    /// Entries that a newer one had overtaken.
    pub late: u64,
    /// Entities that came.
    pub births: u64,
    /// Entities that went.
    pub ends: u64,
    /// Whether it had the newest record of the own character.
    pub own: bool,
}

/// A record of any class, on the stack.
pub(super) type Record = [i32; MAX_WIDTH];
