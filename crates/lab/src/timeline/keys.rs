//! Key states: copies of a lab to run on from.

use std::collections::VecDeque;

use wire::Micros;

use crate::lab::Lab;

/// How far from the cursor key states are worth more, for the next seek will most likely go there.
const NEAR: Micros = Micros::from_millis(2_000);

/// How much more.
const WORTH: u64 = 8;

/// A copy of a lab.
pub(super) struct Key {
    pub lab: Box<dyn Lab>,
    /// The number of the first action that was not yet done in it.
    pub next: u64,
    bytes: usize,
}

impl Key {
    /// When it was taken.
    pub(super) fn at(&self) -> Micros {
        self.lab.now()
    }
}

/// Key states, oldest first.
#[derive(Default)]
pub(super) struct Keys {
    list: VecDeque<Key>,
    bytes: usize,
}

impl Keys {
    /// Keeps a copy in its place.
    pub(super) fn insert(&mut self, lab: Box<dyn Lab>, next: u64) {
        let bytes = lab.bytes();
        let place = self
            .list
            .partition_point(|key| (key.at(), key.next) <= (lab.now(), next));
        self.bytes += bytes;
        self.list.insert(place, Key { lab, next, bytes });
    }

    /// The newest at or before an instant.
    pub(super) fn before(&self, at: Micros) -> Option<&Key> {
        let after = self.list.partition_point(|key| key.at() <= at);
        self.list.get(after.checked_sub(1)?)
    }

    pub(super) fn oldest(&self) -> Option<&Key> {
        self.list.front()
    }

    /// The oldest but one.
    pub(super) fn second(&self) -> Option<&Key> {
        self.list.get(1)
    }

    /// Forgets the oldest.
    pub(super) fn forget_oldest(&mut self) {
        if let Some(key) = self.list.pop_front() {
            self.bytes -= key.bytes;
        }
    }

    /// Forgets those after an instant.
    pub(super) fn forget_after(&mut self, at: Micros) {
        let kept = self.list.partition_point(|key| key.at() <= at);
        self.bytes -= self.list.drain(kept..).map(|key| key.bytes).sum::<usize>();
    }

    /// Forgets the one that is missed least: where it leaves the shortest gap, one near the cursor counting for more. The
    /// gap it leaves is at most `longest`; false where every gap would be longer. `end` is how far the newest one reaches.
    pub(super) fn thin(&mut self, cursor: Micros, end: Micros, longest: Micros) -> bool {
        let missed = |place: usize| {
            let after = self.list.get(place + 1).map_or(end, Key::at);
            let gap = after - self.list[place - 1].at();
            let at = self.list[place].at();
            let apart = at.max(cursor) - at.min(cursor);
            let worth = if apart < NEAR { WORTH } else { 1 };
            (gap <= longest).then_some((gap * worth, place))
        };
        let Some((_, place)) = (1..self.list.len()).filter_map(missed).min() else {
            return false;
        };
        if let Some(key) = self.list.remove(place) {
            self.bytes -= key.bytes;
        }
        true
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Memory taken.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.list.capacity() * size_of::<Key>()
    }
}
