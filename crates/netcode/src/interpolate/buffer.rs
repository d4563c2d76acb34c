//! The states of others that the server gave, by tick.

use wire::{Blend, Class, Tick};

/// The newest samples of every entity that is drawn in the past, and the blend between them.
///
/// An entity that a snapshot does not mention has not changed, so a body at rest has no samples. When it moves again, its
/// entry says how many ticks the run of changes has lasted, and the buffer first adds a copy of the old state at the tick
/// before the run (a *hold*): without it the body would glide through its whole rest.
///
/// Late samples are put where they belong, unless they are older than the newest one that was dropped: such a one is
/// refused and counted.
///
/// Memory: [`CAPACITY`](Self::CAPACITY) samples for each entity that has any, in flat arrays whose places are used again.
/// Source: seed `000_0607df23ba563941.txt` (32 kept, before the first and after the last as those say); the hold is
/// our own.
#[derive(Debug)]
pub struct SnapshotBuffer {
    width: usize,
    /// The ring of a slot.
    ring_of: Vec<Option<u16>>,
    rings: Vec<Ring>,
    free: Vec<u16>,
    /// [`Self::CAPACITY`] for each ring.
    stamps: Vec<Stamp>,
    /// As many times the width.
    values: Vec<i32>,
    /// The newest snapshot heard.
    heard: Option<Tick>,
    late: u64,
}

/// The samples of one entity: places `start..start + len` of its ring, ascending by tick.
#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    start: usize,
    len: usize,
}

#[derive(Clone, Copy, Debug)]
struct Stamp {
    tick: Tick,
    /// A copy of the sample before it, which no snapshot gave.
    hold: bool,
}

/// What became of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insert {
    /// It was added.
    Added,
    /// It was added, and before it a hold.
    Held,
    /// There is a sample of that tick.
    Duplicate,
    /// It is older than every one of a full ring: older than one that was dropped, or the next to be.
    Late,
}

/// Where an instant lay among the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// Before the first: shown as the first.
    Before,
    /// Between two, or on one.
    Between,
    /// After the last: shown as the last.
    After,
    /// After the last, and moved on along its line.
    Extrapolated,
}

impl SnapshotBuffer {
    /// Samples kept for each entity: half a second at 64 snapshots a second.
    pub const CAPACITY: usize = 32;
    /// The run that says no more than that it is long or unknown: no hold is made from it.
    pub const RUN_UNKNOWN: u8 = 15;

    /// An empty buffer for slots below `slots` and records of at most `width` codes.
    pub fn new(slots: usize, width: usize) -> Self {
        Self {
            width,
            ring_of: vec![None; slots],
            rings: Vec::new(),
            free: Vec::new(),
            stamps: Vec::new(),
            values: Vec::new(),
            heard: None,
            late: 0,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.ring_of.as_slice())
            + size_of_val(self.rings.as_slice())
            + size_of_val(self.free.as_slice())
            + size_of_val(self.stamps.as_slice())
            + size_of_val(self.values.as_slice())
    }

    /// A snapshot of `tick` was applied, whether or not it mentions anyone. Only an entity that was news in the newest
    /// snapshot is extrapolated: one that was not mentioned in it is at rest.
    pub fn heard(&mut self, tick: Tick) {
        self.heard = self.heard.max(Some(tick));
    }

    /// Takes the state of a slot's occupant at a tick. `run` is how many ticks its run of changes has lasted, 0 for one that
    /// began with this tick. Another occupant begins with nothing: [`reset`](Self::reset) the slot first.
    ///
    /// # Panics
    /// Where the slot or the record is past what [`new`](Self::new) was given.
    pub fn insert(&mut self, slot: usize, tick: Tick, run: u8, record: &[i32]) -> Insert {
        self.heard(tick);
        let ring = self.ring(slot);
        let at = self.count_before(ring, tick);
        if let Some(stamp) = self.stamp(ring, at).filter(|stamp| stamp.tick == tick) {
            if !stamp.hold {
                return Insert::Duplicate;
            }
            self.write(ring, at, Stamp { tick, hold: false }, record);
            return Insert::Added;
        }
        let before_run = tick - u64::from(run) - 1;
        let previous = at.checked_sub(1).and_then(|at| self.stamp(ring, at));
        // Where the place of a hold would cost the very sample that it repeats, there is none.
        let costly = at == 1 && self.rings[ring].len == Self::CAPACITY;
        let held = run < Self::RUN_UNKNOWN
            && !costly
            && previous.is_some_and(|previous| previous.tick < before_run);
        let mut at = at;
        if held && let Some(opened) = self.make_room(ring, at) {
            self.copy(ring, opened - 1, opened);
            let place = self.place(ring, opened);
            self.stamps[place] = Stamp {
                tick: before_run,
                hold: true,
            };
            at = opened + 1;
        }
        // A full ring stays full, so what was dropped and what is older than all that is left are one.
        let Some(at) = self.make_room(ring, at) else {
            self.late += 1;
            return Insert::Late;
        };
        self.write(ring, at, Stamp { tick, hold: false }, record);
        if self.stamp(ring, at + 1).is_some_and(|next| next.hold) {
            // It repeats what came before it, and that is this sample now.
            let next = self.place(ring, at + 1);
            let stamp = self.stamps[next];
            self.copy(ring, at, at + 1);
            self.stamps[next] = stamp;
        }
        if held { Insert::Held } else { Insert::Added }
    }

    /// The fields of a slot's occupant at tick `at`, whole and fraction, in the units and the order of `class`; `None` if
    /// there is no sample of it.
    ///
    /// After the last sample it stands as that says, or goes on for at most `extrapolate` ticks along the line of the last
    /// two: the linear fields of its place, and not across a cut.
    pub fn sample(
        &self,
        slot: usize,
        class: &Class,
        at: f64,
        extrapolate: f64,
        out: &mut [f32],
    ) -> Option<Sampled> {
        let ring = self.find(slot)?;
        let mut after = self.rings[ring].len;
        while after > 0 && self.stamps[self.place(ring, after - 1)].tick.get() as f64 > at {
            after -= 1;
        }
        let Some(older) = after.checked_sub(1) else {
            class.decode(self.record(ring, 0, class), out);
            return Some(Sampled::Before);
        };
        let a = self.record(ring, older, class);
        let a_tick = self.stamps[self.place(ring, older)].tick;
        let past = at - a_tick.get() as f64;
        let Some(b_stamp) = self.stamp(ring, after) else {
            class.decode(a, out);
            if past == 0.0 {
                return Some(Sampled::Between);
            }
            let on = past.min(extrapolate);
            let moving = self.heard == Some(a_tick) && older > 0 && on > 0.0;
            if moving && self.extrapolate(ring, older, class, on, out) {
                return Some(Sampled::Extrapolated);
            }
            return Some(Sampled::After);
        };
        let span = b_stamp.tick.since(a_tick) as f64;
        class.blend(
            a,
            self.record(ring, after, class),
            (past / span) as f32,
            out,
        );
        Some(Sampled::Between)
    }

    /// The newest sample of a slot.
    pub fn newest(&self, slot: usize) -> Option<Tick> {
        let ring = self.find(slot)?;
        self.stamp(ring, self.rings[ring].len.checked_sub(1)?)
            .map(|stamp| stamp.tick)
    }

    /// The samples of a slot that snapshots gave, oldest first.
    pub fn samples(&self, slot: usize) -> impl Iterator<Item = (Tick, &[i32])> + '_ {
        self.find(slot).into_iter().flat_map(move |ring| {
            (0..self.rings[ring].len).filter_map(move |at| {
                let stamp = self.stamp(ring, at).filter(|stamp| !stamp.hold)?;
                let place = self.place(ring, at) * self.width;
                Some((stamp.tick, &self.values[place..place + self.width]))
            })
        })
    }

    /// Forgets the samples of a slot: its occupant is gone, or is another one.
    pub fn reset(&mut self, slot: usize) {
        if let Some(ring) = self.ring_of.get_mut(slot).and_then(Option::take) {
            self.free.push(ring);
        }
    }

    /// Forgets every sample, and keeps the memory and the count.
    pub fn clear(&mut self) {
        for slot in 0..self.ring_of.len() {
            self.reset(slot);
        }
        self.heard = None;
    }

    /// How many samples were refused because newer ones had been dropped already.
    pub fn late(&self) -> u64 {
        self.late
    }

    fn find(&self, slot: usize) -> Option<usize> {
        let ring = usize::from((*self.ring_of.get(slot)?)?);
        (self.rings[ring].len > 0).then_some(ring)
    }

    /// The ring of a slot, given to it if it has none.
    fn ring(&mut self, slot: usize) -> usize {
        if let Some(ring) = self.ring_of[slot] {
            return usize::from(ring);
        }
        let ring = self.free.pop().unwrap_or(self.rings.len() as u16);
        self.ring_of[slot] = Some(ring);
        let ring = usize::from(ring);
        if ring == self.rings.len() {
            self.rings.push(Ring::default());
            let empty = Stamp {
                tick: Tick::new(0),
                hold: false,
            };
            self.stamps.resize(self.rings.len() * Self::CAPACITY, empty);
            self.values
                .resize(self.rings.len() * Self::CAPACITY * self.width, 0);
        }
        self.rings[ring] = Ring::default();
        ring
    }

    fn place(&self, ring: usize, at: usize) -> usize {
        ring * Self::CAPACITY + (self.rings[ring].start + at) % Self::CAPACITY
    }

    fn stamp(&self, ring: usize, at: usize) -> Option<Stamp> {
        (at < self.rings[ring].len).then(|| self.stamps[self.place(ring, at)])
    }

    fn record(&self, ring: usize, at: usize, class: &Class) -> &[i32] {
        let place = self.place(ring, at) * self.width;
        &self.values[place..place + class.width()]
    }

    /// How many samples are older than a tick.
    fn count_before(&self, ring: usize, tick: Tick) -> usize {
        let mut at = self.rings[ring].len;
        while at > 0 && self.stamps[self.place(ring, at - 1)].tick >= tick {
            at -= 1;
        }
        at
    }

    /// Opens a place before sample `at` and gives where it is: dropping the oldest sample of a full ring moves every place by
    /// one. `None` if the place itself would be the one to drop.
    fn make_room(&mut self, ring: usize, at: usize) -> Option<usize> {
        let mut at = at;
        if self.rings[ring].len == Self::CAPACITY {
            at = at.checked_sub(1)?;
            let ring = &mut self.rings[ring];
            ring.start = (ring.start + 1) % Self::CAPACITY;
            ring.len -= 1;
        }
        self.rings[ring].len += 1;
        for to in (at + 1..self.rings[ring].len).rev() {
            self.copy(ring, to - 1, to);
        }
        Some(at)
    }

    fn copy(&mut self, ring: usize, from: usize, to: usize) {
        let (from, to) = (self.place(ring, from), self.place(ring, to));
        let stamp = self.stamps[from];
        self.stamps[to] = stamp;
        self.values
            .copy_within(from * self.width..(from + 1) * self.width, to * self.width);
    }

    fn write(&mut self, ring: usize, at: usize, stamp: Stamp, record: &[i32]) {
        let place = self.place(ring, at);
        self.stamps[place] = stamp;
        let values = &mut self.values[place * self.width..][..self.width];
        values[..record.len()].copy_from_slice(record);
    }

    /// Moves `out`, the decoded newest sample, on by `ticks`. False where the last two samples are no line.
    fn extrapolate(
        &self,
        ring: usize,
        newest: usize,
        class: &Class,
        ticks: f64,
        out: &mut [f32],
    ) -> bool {
        let (a, b) = (
            self.record(ring, newest - 1, class),
            self.record(ring, newest, class),
        );
        let cut = |(i, field): (usize, &wire::Field)| field.blend == Blend::Cut && a[i] != b[i];
        if class.fields.iter().enumerate().any(cut) {
            return false;
        }
        let from = self.stamps[self.place(ring, newest - 1)].tick;
        let to = self.stamps[self.place(ring, newest)].tick;
        let share = (ticks / to.since(from) as f64) as f32;
        for (i, field) in class.fields.iter().enumerate() {
            if field.place && field.blend == Blend::Linear {
                out[i] += (out[i] - field.quant.decode(a[i])) * share;
            }
        }
        true
    }
}

impl Clone for SnapshotBuffer {
    fn clone(&self) -> Self {
        Self {
            width: self.width,
            ring_of: self.ring_of.clone(),
            rings: self.rings.clone(),
            free: self.free.clone(),
            stamps: self.stamps.clone(),
            values: self.values.clone(),
            heard: self.heard,
            late: self.late,
        }
    }

    /// Into the memory that `self` has, which a derived one would not use.
    fn clone_from(&mut self, source: &Self) {
        self.width = source.width;
        self.ring_of.clone_from(&source.ring_of);
        self.rings.clone_from(&source.rings);
        self.free.clone_from(&source.free);
        self.stamps.clone_from(&source.stamps);
        self.values.clone_from(&source.values);
        self.heard = source.heard;
        self.late = source.late;
    }
}

#[cfg(test)]
mod tests;
