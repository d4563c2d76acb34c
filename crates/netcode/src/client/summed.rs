//! What a client was told in summary.

use wire::{Class, Tick};

use crate::digest::Digest;

/// The newest list of summaries, and the tick that it is of.
#[derive(Clone, Debug, Default)]
pub(super) struct Summed {
    tick: Option<Tick>,
    rows: Vec<i32>,
}

impl Summed {
    /// Takes the list of a tick. False: a newer one is held already.
    pub(super) fn hear(&mut self, tick: Tick, rows: &[i32]) -> bool {
        if self.tick.is_some_and(|held| held >= tick) {
            return false;
        }
        self.tick = Some(tick);
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        true
    }

    /// The tick that it is of, and each row's codes.
    pub(super) fn rows(&self, class: &Class) -> Option<(Tick, impl Iterator<Item = &[i32]>)> {
        Some((self.tick?, self.rows.chunks_exact(class.width().max(1))))
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(super) fn heap(&self) -> usize {
        size_of_val(self.rows.as_slice())
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        if let Some(tick) = self.tick {
            digest.u64(tick.get());
            digest.codes(&self.rows);
        }
    }
}
