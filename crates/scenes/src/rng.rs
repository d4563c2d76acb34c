//! A small seeded source of chance for bots.

/// SplitMix64 (Steele, Lea, Flood 2014): one 64-bit state, equal on every machine, good enough for bots. Equal seeds give
/// equal bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rng(u64);

impl Rng {
    /// A stream that depends on the seed alone.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream of its own for the `index`-th user of one seed, so that a bot more changes no other bot.
    pub const fn fork(seed: u64, index: u64) -> Self {
        let mut root = Self(seed ^ index.wrapping_mul(0xD1B5_4A32_D192_ED03));
        Self(root.next_u64())
    }

    /// Where the stream stands, for a digest.
    pub const fn state(self) -> u64 {
        self.0
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..n`, 0 for `n` = 0. By multiplication: the bias is below `n` / 2^32.
    pub const fn below(&mut self, n: u32) -> u32 {
        (((self.next_u64() >> 32) * n as u64) >> 32) as u32
    }

    /// A number in `[0, 1)`, in steps of 2^-24.
    pub const fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / 16_777_216.0
    }

    /// A number in `[low, high)`.
    pub const fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// A number in `(-1, 1)` that is more often near 0: the difference of two even ones.
    pub const fn spread(&mut self) -> f32 {
        self.unit() - self.unit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_of_seed_zero_are_the_published_ones() {
        let mut rng = Rng::new(0);
        assert_eq!(rng.next_u64(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(rng.next_u64(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn numbers_stay_in_their_ranges_and_forks_differ() {
        let mut rng = Rng::fork(7, 1);
        assert_ne!(rng, Rng::fork(7, 2));
        let mut seen = [0u32; 6];
        for _ in 0..6_000 {
            seen[rng.below(6) as usize] += 1;
            assert!((0.0..1.0).contains(&rng.unit()));
            assert!(rng.spread().abs() < 1.0);
        }
        assert!(seen.iter().all(|n| (850..1_150).contains(n)), "{seen:?}");
        assert_eq!(rng.below(0), 0);
    }
}
