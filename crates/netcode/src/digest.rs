//! An order-dependent 64-bit hash of state, equal on every machine.

/// Folds whole numbers into 64 bits. The order counts; floats go in by their bits, with −0 and NaN refused in debug
/// builds because the two ends would disagree on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl Digest {
    /// An empty digest.
    pub const fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }

    /// Folds one number in: multiply, then mix the high half down (a 64-bit variant of the splitmix finisher).
    pub fn u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        self.0 = (mixed ^ (mixed >> 32)).rotate_left(23).wrapping_add(value);
    }

    /// Folds a signed number in.
    pub fn i32(&mut self, value: i32) {
        self.u64(value as u32 as u64);
    }

    /// Folds a float in by its bits.
    pub fn f32(&mut self, value: f32) {
        debug_assert!(
            !value.is_nan() && value.to_bits() != (-0.0f32).to_bits(),
            "not hashable: {value}"
        );
        self.u64(u64::from(value.to_bits()));
    }

    /// Folds a float in by its bits.
    pub fn f64(&mut self, value: f64) {
        debug_assert!(
            !value.is_nan() && value.to_bits() != (-0.0f64).to_bits(),
            "not hashable: {value}"
        );
        self.u64(value.to_bits());
    }

    /// Folds a list of codes in, its length first.
    pub fn codes(&mut self, codes: &[i32]) {
        self.u64(codes.len() as u64);
        for &code in codes {
            self.i32(code);
        }
    }

    /// Folds bytes in, their length first.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.u64(u64::from_le_bytes(word));
        }
    }

    /// The hash so far.
    pub const fn get(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_counts_and_so_does_every_value() {
        let of = |values: &[u64]| {
            let mut digest = Digest::new();
            values.iter().for_each(|v| digest.u64(*v));
            digest.get()
        };
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        assert_ne!(of(&[0]), of(&[0, 0]));
        assert_ne!(of(&[0]), of(&[]));
    }
}
