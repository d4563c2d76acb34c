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

    /// The set as words, slot 0 in the lowest bit of the first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Puts every slot of another set of the same capacity in.
    pub fn union(&mut self, other: &Self) {
        self.join(other, |mine, theirs| mine | theirs);
    }

    /// Puts every slot in that is in both of two other sets of the same capacity.
    pub fn union_of_both(&mut self, a: &Self, b: &Self) {
        for (mine, (a, b)) in self.words.iter_mut().zip(a.words.iter().zip(&b.words)) {
            *mine |= a & b;
        }
    }

    /// Takes out every slot for which `keep` says no, asking of each in it, ascending.
    pub fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        for (at, word) in self.words.iter_mut().enumerate() {
            let mut left = *word;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                if !keep(at * 64 + bit as usize) {
                    *word &= !(1 << bit);
                }
            }
        }
    }

    /// Takes out what is not in another set of the same capacity.
    pub fn intersect(&mut self, other: &Self) {
        self.join(other, |mine, theirs| mine & theirs);
    }

    /// Takes out what is in another set of the same capacity.
    pub fn subtract(&mut self, other: &Self) {
        self.join(other, |mine, theirs| mine & !theirs);
    }

    fn join(&mut self, other: &Self, of: impl Fn(u64, u64) -> u64) {
        debug_assert_eq!(
            self.words.len(),
            other.words.len(),
            "sets of one world have one capacity"
        );
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine = of(*mine, *theirs);
        }
    }

    /// Calls `found` for each slot that is here and not in `other`, ascending: a word of 64 slots at a time, so that equal
    /// sets cost next to nothing.
    pub fn each_beyond(&self, other: &Self, mut found: impl FnMut(usize)) {
        for (at, (mine, theirs)) in self.words.iter().zip(&other.words).enumerate() {
            let mut left = mine & !theirs;
            while left != 0 {
                found(at * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
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
    fn sets_are_joined_a_word_at_a_time() {
        let of = |slots: &[usize]| {
            let mut set = Bits::new(200);
            slots.iter().for_each(|slot| set.insert(*slot));
            set
        };
        let (a, b) = (of(&[0, 63, 64, 199]), of(&[63, 65, 199]));
        let mut both = a.clone();
        both.intersect(&b);
        assert_eq!(both, of(&[63, 199]));
        let mut either = a.clone();
        either.union(&b);
        assert_eq!(either, of(&[0, 63, 64, 65, 199]));
        let mut only = a.clone();
        only.subtract(&b);
        assert_eq!(only, of(&[0, 64]));
        let mut beyond = Vec::new();
        a.each_beyond(&b, |slot| beyond.push(slot));
        assert_eq!(beyond, [0, 64]);
    }

    #[test]
    fn fill_stops_at_the_count() {
        let mut set = Bits::new(130);
        set.fill(65);
        assert_eq!(set.count(), 65);
        assert!(set.contains(64) && !set.contains(65));
    }
}
