//! What the server made of the own character, command by command.

use wire::{Class, Tick};

use super::truth::{WIDEST, split};

/// Commands kept. On a 2G link one is judged 40 ticks after it was drawn; at the highest rate 80.
const KEPT: usize = 256;

/// The server's records of one character by the client tick that they stand for.
#[derive(Clone, Debug)]
pub(crate) struct OwnTruth {
    width: usize,
    newest: Option<Tick>,
    ticks: Vec<Option<Tick>>,
    values: Vec<i32>,
}

/// What is known of an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// The server has run it.
    Yes,
    /// It has not run it yet.
    NotYet,
    /// It passed over it, or it is too long ago.
    Never,
}

impl OwnTruth {
    /// Nothing kept, of records at most `width` wide.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            width,
            newest: None,
            ticks: vec![None; KEPT],
            values: vec![0; KEPT * width],
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.ticks.as_slice()) + size_of_val(self.values.as_slice())
    }

    /// The server stands at `judged` and has this record. Where it stood there before, the later record counts.
    pub(crate) fn push(&mut self, judged: Tick, record: &[i32]) {
        let at = (judged.get() % KEPT as u64) as usize;
        self.newest = self.newest.max(Some(judged));
        self.ticks[at] = Some(judged);
        self.values[at * self.width..][..record.len()].copy_from_slice(record);
    }

    /// The record after a command.
    pub(crate) fn record(&self, tick: Tick) -> Option<&[i32]> {
        let at = (tick.get() % KEPT as u64) as usize;
        (self.ticks[at] == Some(tick)).then(|| &self.values[at * self.width..][..self.width])
    }

    /// Where the character was at an instant of its player's, in world units.
    pub(crate) fn at(&self, at: f64, class: &Class, out: &mut [f32; WIDEST]) -> Known {
        let (tick, part) = split(at);
        let last = if part > 0.0 { tick.next() } else { tick };
        if self.newest.is_none_or(|newest| newest < last) {
            return Known::NotYet;
        }
        let (Some(before), Some(after)) = (self.record(tick), self.record(last)) else {
            return Known::Never;
        };
        let out = &mut out[..class.width()];
        class.blend(&before[..out.len()], &after[..out.len()], part, out);
        Known::Yes
    }
}
