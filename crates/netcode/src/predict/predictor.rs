//! What a client predicted for each tick, and whether the server agrees.

use wire::{Class, Tick};

/// The records that a client predicted for its newest ticks, to be compared with what the server says of them.
///
/// The server's answer is about a moment that has passed, so it is compared and not believed: where it agrees with the
/// prediction of *that* tick, everything since stands. Where it does not, the server's record is loaded and every later
/// input runs again from there, since each of those ticks was computed on top of the mistake.
///
/// Memory: [`CAPACITY`](Self::CAPACITY) records. Source: seed `000_0607df23ba563941.txt` (64 ticks) and seed
/// `001_545bc6c5b0a72338.txt` (the floor).
#[derive(Clone, Debug)]
pub struct Predictor {
    width: usize,
    /// By tick modulo the capacity.
    ticks: [Option<Tick>; SPAN],
    records: Vec<i32>,
    newest: Option<Tick>,
}

/// What the server's record says of a prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// That tick is no longer kept, or never was: nothing can be said, and nothing changes.
    Unknown,
    /// That tick has not been predicted yet: the server is ahead. Its record is where to go on from.
    Ahead,
    /// The prediction was right.
    Stands,
    /// The prediction was wrong: load the server's record and run every later input again.
    Differs {
        /// How far the place was off, world units. Below the floor where another field differs.
        distance: f32,
    },
}

impl Predictor {
    /// Ticks kept, as many as commands are.
    pub const CAPACITY: usize = SPAN;
    /// The place may be off by this much, world units (3 mm): quantization and the noise of floats. Half a step of the
    /// wire where that is more.
    pub const FLOOR: f32 = 0.003;

    /// Nothing predicted; records of at most `width` codes.
    pub fn new(width: usize) -> Self {
        Self {
            width,
            ticks: [None; SPAN],
            records: vec![0; SPAN * width],
            newest: None,
        }
    }

    /// Keeps the record that a tick led to, in place of an earlier one of that tick.
    pub fn keep(&mut self, tick: Tick, record: &[i32]) {
        self.ticks[at(tick)] = Some(tick);
        let place = at(tick) * self.width;
        self.records[place..place + record.len()].copy_from_slice(record);
        self.newest = self.newest.max(Some(tick));
    }

    /// The record predicted for a tick, as wide as [`new`](Self::new) was told; `None` if it is not kept.
    pub fn get(&self, tick: Tick) -> Option<&[i32]> {
        let place = at(tick) * self.width;
        (self.ticks[at(tick)] == Some(tick)).then(|| &self.records[place..place + self.width])
    }

    /// Compares the server's record after it ran `tick` with the prediction.
    ///
    /// The place stands within the floor; every other field stands if it is equal.
    pub fn judge(&self, tick: Tick, class: &Class, server: &[i32]) -> Verdict {
        let Some(predicted) = self.get(tick) else {
            let ahead = self.newest.is_none_or(|newest| tick > newest);
            return if ahead {
                Verdict::Ahead
            } else {
                Verdict::Unknown
            };
        };
        let distance = class.distance(predicted, server);
        let floor = Self::FLOOR.max(class.place_step() / 2.0);
        let others_equal = class
            .fields
            .iter()
            .zip(predicted.iter().zip(server))
            .all(|(field, (ours, theirs))| field.place || ours == theirs);
        if others_equal && distance <= floor {
            Verdict::Stands
        } else {
            Verdict::Differs { distance }
        }
    }

    /// The newest tick predicted.
    pub fn newest(&self) -> Option<Tick> {
        self.newest
    }

    /// Forgets every prediction: another life, or another session.
    pub fn clear(&mut self) {
        self.ticks = [None; SPAN];
        self.newest = None;
    }
}

fn at(tick: Tick) -> usize {
    (tick.get() % SPAN as u64) as usize
}

const SPAN: usize = 64;
