//! What a viewer hears, and what changed about it.

use crate::bits::Bits;

/// The slots that one viewer hears of, in this tick and in the one before: what entered and what left is what a stream of
/// changes says. Compared a word of 64 slots at a time.
///
/// It knows slots, not who is in them: a slot whose occupant dies and is followed by another within a tick neither leaves nor
/// enters. What is said of it must carry the life, as every entry of a stream does.
///
/// Source: seed `003_6a8f128b2e325724.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibilitySet {
    now: Bits,
    before: Bits,
}

impl VisibilitySet {
    /// Nothing heard, of slots below `slots`.
    pub fn new(slots: usize) -> Self {
        Self {
            now: Bits::new(slots),
            before: Bits::new(slots),
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        self.now.heap() + self.before.heap()
    }

    /// Begins a tick: what was heard is what was heard before, and the set to fill, the first of the two, is empty.
    pub fn turn(&mut self) -> (&mut Bits, &Bits) {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        (&mut self.now, &self.before)
    }

    /// What is heard.
    pub fn now(&self) -> &Bits {
        &self.now
    }

    /// What was heard the tick before.
    pub fn before(&self) -> &Bits {
        &self.before
    }

    /// Calls `found` for each slot that is heard and was not, ascending.
    pub fn each_entered(&self, found: impl FnMut(usize)) {
        self.now.each_beyond(&self.before, found);
    }

    /// Calls `found` for each slot that was heard and is not, ascending.
    pub fn each_left(&self, found: impl FnMut(usize)) {
        self.before.each_beyond(&self.now, found);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::input::fixture::Dice;

    #[test]
    fn entered_and_left_are_the_differences_of_two_ticks() {
        let seed = 8;
        let mut dice = Dice(seed);
        for slots in [1, 63, 64, 65, 1000] {
            let mut seen = VisibilitySet::new(slots);
            let mut before = BTreeSet::new();
            for _ in 0..200 {
                let now: BTreeSet<_> = (0..dice.below(2 * slots as u64))
                    .map(|_| dice.below(slots as u64) as usize)
                    .collect();
                let (set, old) = seen.turn();
                assert!(set.is_empty() && old.iter().eq(before.iter().copied()));
                now.iter().for_each(|slot| set.insert(*slot));
                let (mut entered, mut left) = (Vec::new(), Vec::new());
                seen.each_entered(|slot| entered.push(slot));
                seen.each_left(|slot| left.push(slot));
                assert!(now.difference(&before).eq(&entered), "seed {seed}");
                assert!(before.difference(&now).eq(&left), "seed {seed}");
                before = now;
            }
        }
    }
}
