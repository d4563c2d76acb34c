//! Keys that keep what is near in space near in order.

/// The Morton key (Z-order) of a cell: the bits of both coordinates interleaved, those of `x` lowest. Sorting by it lays cells
/// of one neighbourhood beside each other, and a key shifted right by `2 n` is the key of the cell 2^n times as wide.
///
/// Source: seed `003_6a8f128b2e325724.txt`.
pub const fn morton2(x: u32, y: u32) -> u64 {
    spread2(x) | spread2(y) << 1
}

/// The cell of a key of [`morton2`].
pub const fn unmorton2(key: u64) -> (u32, u32) {
    (gather2(key), gather2(key >> 1))
}

/// The Morton key of a cell in space, `x` lowest. Coordinates have 21 bits; what is above is cut off.
pub const fn morton3(x: u32, y: u32, z: u32) -> u64 {
    spread3(x) | spread3(y) << 1 | spread3(z) << 2
}

/// The cell of a key of [`morton3`].
pub const fn unmorton3(key: u64) -> (u32, u32, u32) {
    (gather3(key), gather3(key >> 1), gather3(key >> 2))
}

/// A free place after each bit: halves move apart by 16, then each by 8, and so on.
const fn spread2(value: u32) -> u64 {
    let mut v = value as u64;
    v = (v | v << 16) & 0x0000_FFFF_0000_FFFF;
    v = (v | v << 8) & 0x00FF_00FF_00FF_00FF;
    v = (v | v << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    v = (v | v << 2) & 0x3333_3333_3333_3333;
    (v | v << 1) & 0x5555_5555_5555_5555
}

const fn gather2(key: u64) -> u32 {
    let mut v = key & 0x5555_5555_5555_5555;
    v = (v | v >> 1) & 0x3333_3333_3333_3333;
    v = (v | v >> 2) & 0x0F0F_0F0F_0F0F_0F0F;
    v = (v | v >> 4) & 0x00FF_00FF_00FF_00FF;
    v = (v | v >> 8) & 0x0000_FFFF_0000_FFFF;
    (v | v >> 16) as u32
}

/// Two free places after each of 21 bits.
const fn spread3(value: u32) -> u64 {
    let mut v = (value & 0x1F_FFFF) as u64;
    v = (v | v << 32) & 0x001F_0000_0000_FFFF;
    v = (v | v << 16) & 0x001F_0000_FF00_00FF;
    v = (v | v << 8) & 0x100F_00F0_0F00_F00F;
    v = (v | v << 4) & 0x10C3_0C30_C30C_30C3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

const fn gather3(key: u64) -> u32 {
    let mut v = key & 0x1249_2492_4924_9249;
    v = (v | v >> 2) & 0x10C3_0C30_C30C_30C3;
    v = (v | v >> 4) & 0x100F_00F0_0F00_F00F;
    v = (v | v >> 8) & 0x001F_0000_FF00_00FF;
    v = (v | v >> 16) & 0x001F_0000_0000_FFFF;
    ((v | v >> 32) & 0x1F_FFFF) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::fixture::Dice;

    /// Bit by bit, as the definition says.
    fn slowly(coordinates: &[u32], bits: u32) -> u64 {
        let mut key = 0;
        for bit in 0..bits {
            for (axis, value) in (0..).zip(coordinates) {
                key |= u64::from(value >> bit & 1) << (bit * coordinates.len() as u32 + axis);
            }
        }
        key
    }

    #[test]
    fn keys_are_the_bits_interleaved_and_lead_back() {
        let seed = 20;
        let mut dice = Dice(seed);
        let corners = [0, 1, u32::MAX, 0x5555_5555, 0x1F_FFFF, 1 << 31];
        for n in 0..2_000 {
            let [x, y, z] = std::array::from_fn(|axis| match n {
                0..6 => corners[(n + axis) % 6],
                _ => dice.below(1 << 32) as u32,
            });
            assert_eq!(morton2(x, y), slowly(&[x, y], 32), "seed {seed}");
            assert_eq!(unmorton2(morton2(x, y)), (x, y), "seed {seed}");
            let cut = [x, y, z].map(|v| v & 0x1F_FFFF);
            assert_eq!(morton3(x, y, z), slowly(&cut, 21), "seed {seed}");
            assert_eq!(unmorton3(morton3(x, y, z)), cut.into(), "seed {seed}");
        }
    }

    #[test]
    fn a_key_shifted_is_the_key_of_the_wider_cell() {
        assert_eq!(morton2(1000, 77) >> 6, morton2(1000 >> 3, 77 >> 3));
        assert_eq!(
            morton3(1000, 77, 9) >> 6,
            morton3(1000 >> 2, 77 >> 2, 9 >> 2)
        );
    }
}
