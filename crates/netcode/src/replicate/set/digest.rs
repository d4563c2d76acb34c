//! Whether two ends hold the same set, and where they differ.

use wire::SlotKey;

/// Which of the 32 parts of a set: bit `n` is the part of the slots that leave `n` when divided by 32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buckets(pub u32);

impl Buckets {
    /// Every part: the whole set.
    pub const ALL: Self = Self(u32::MAX);

    /// Whether the part of a slot is among them.
    pub const fn holds(self, slot: usize) -> bool {
        self.0 >> (slot % SetDigest::BUCKETS) & 1 == 1
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A digest of a set of names, life included, kept as they come and go and whatever their order: one sum for each of 32 parts.
///
/// The [`total`](Self::total) says whether two sets are one; the parts say where they are not, so that a 32nd of the set has to be
/// said again and not all of it. Lives of one slot fall into one part: who holds the wrong occupant differs in one, not in two.
///
/// Sums of mixed names, so that equal sets have equal digests on every machine. It guards against mistakes, not against malice.
///
/// Source: seed `003_6a8f128b2e325724.txt`; the parts are our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetDigest {
    parts: [u32; Self::BUCKETS],
}

impl Default for SetDigest {
    fn default() -> Self {
        Self::new()
    }
}

impl SetDigest {
    /// Parts of a set.
    pub const BUCKETS: usize = 32;

    /// Of the empty set.
    pub const fn new() -> Self {
        Self {
            parts: [0; Self::BUCKETS],
        }
    }

    /// As the other end said it, part by part.
    pub const fn from_parts(parts: [u32; Self::BUCKETS]) -> Self {
        Self { parts }
    }

    /// A name came in.
    pub fn insert(&mut self, key: SlotKey) {
        let part = &mut self.parts[usize::from(key.slot) % Self::BUCKETS];
        *part = part.wrapping_add(mix(key));
    }

    /// A name that was in went out.
    pub fn remove(&mut self, key: SlotKey) {
        let part = &mut self.parts[usize::from(key.slot) % Self::BUCKETS];
        *part = part.wrapping_sub(mix(key));
    }

    /// The sums of the parts.
    pub const fn parts(&self) -> &[u32; Self::BUCKETS] {
        &self.parts
    }

    /// All of it in 64 bits.
    pub fn total(&self) -> u64 {
        let mut digest = crate::Digest::new();
        for pair in self.parts.chunks_exact(2) {
            digest.u64(u64::from(pair[0]) | u64::from(pair[1]) << 32);
        }
        digest.get()
    }

    /// The parts that differ.
    pub fn differing(&self, other: &Self) -> Buckets {
        let pairs = self.parts.iter().zip(&other.parts).enumerate();
        Buckets(pairs.fold(0, |found, (at, (a, b))| found | u32::from(a != b) << at))
    }
}

/// Every bit of a name moves half of those of its mix (the finisher of MurmurHash3, 32 bits).
fn mix(key: SlotKey) -> u32 {
    // No name is zero, which would mix to nothing.
    let mut h = key.packed() + 1;
    h = (h ^ h >> 16).wrapping_mul(0x85EB_CA6B);
    h = (h ^ h >> 13).wrapping_mul(0xC2B2_AE35);
    h ^ h >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(keys: impl IntoIterator<Item = (u16, u8)>) -> SetDigest {
        let mut digest = SetDigest::new();
        for (slot, life) in keys {
            digest.insert(SlotKey::new(slot, life));
        }
        digest
    }

    #[test]
    fn the_order_does_not_count_and_what_went_out_is_forgotten() {
        let forth = of((0..500).map(|n| (n, 3)));
        let mut back = of((0..500).rev().map(|n| (n, 3)).chain([(900, 1)]));
        assert_ne!(forth.total(), back.total());
        back.remove(SlotKey::new(900, 1));
        assert_eq!((forth, forth.total()), (back, back.total()));
        back.remove(SlotKey::new(0, 3));
        assert_ne!(of([]).total(), of([(0, 0)]).total());
    }

    #[test]
    fn a_difference_is_found_in_its_part() {
        let mine = of((0..500).map(|n| (n, 0)));
        let theirs = of((0..500)
            .map(|n| (n, u8::from(n == 100)))
            .chain([(1_000, 0)]));
        let apart = mine.differing(&theirs);
        assert_eq!(apart, Buckets(1 << (100 % 32) | 1 << (1_000 % 32)));
        assert!(apart.holds(100) && apart.holds(132) && !apart.holds(101));
        assert!(mine.differing(&mine).is_empty());
    }
}
