//! A dense set of slots, one bit each.

/// A set of slot numbers with word-at-a-time iteration, ascending. Its capacity is fixed when it is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// An empty set that can hold the slots below `slots`.
    pub fn new(slots: usize) -> Self {
        Self {
            words: vec![0; slots.div_ceil(64)],
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        size_of_val(self.words.as_slice())
    }

    /// Puts a slot in. A slot past the capacity is ignored, so that no set grows by what a packet claims.
    pub fn insert(&mut self, slot: usize) {
        if let Some(word) = self.words.get_mut(slot / 64) {
            *word |= 1 << (slot % 64);
        }
    }

    /// Takes a slot out.
    pub fn remove(&mut self, slot: usize) {
        if let Some(word) = self.words.get_mut(slot / 64) {
            *word &= !(1 << (slot % 64));
        }
    }

    /// Whether a slot is in the set.
    pub fn contains(&self, slot: usize) -> bool {
        self.words
            .get(slot / 64)
            .is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Puts every slot below `slots` in.
    pub fn fill(&mut self, slots: usize) {
        for (at, word) in self.words.iter_mut().enumerate() {
            let below = slots.saturating_sub(at * 64).min(64);
            *word = if below == 64 {
                u64::MAX
            } else {
                (1u64 << below) - 1
            };
        }
    }

    /// How many slots are in the set.
    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The slots, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let bit = left.trailing_zeros() as usize;
                    left &= left - 1;
                    at * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterates_ascending_across_words() {
        let mut set = Bits::new(200);
        for slot in [199, 0, 63, 64, 127, 128] {
            set.insert(slot);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 127, 128, 199]);
        set.remove(64);
        assert!(!set.contains(64));
        assert_eq!(set.count(), 5);
    }

    #[test]
    fn a_slot_past_the_capacity_changes_nothing() {
        let mut set = Bits::new(10);
        set.insert(5_000);
        assert!(set.is_empty());
        assert!(!set.contains(5_000));
    }

    #[test]
    fn fill_stops_at_the_count() {
        let mut set = Bits::new(130);
        set.fill(65);
        assert_eq!(set.count(), 65);
        assert!(set.contains(64) && !set.contains(65));
    }
}
