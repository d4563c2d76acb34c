//! Quantizers: which number a field's bits mean.
//!
//! A value lives in three forms: as bits on the wire (`raw`, unsigned), as a code in memory (`i32`,
//! what records hold and what is compared) and as an `f32` in the field's unit (what is drawn).
//! Zero is exact in every one of them.

use std::f32::consts::TAU;

use crate::bits::{Meaning, ReadError, Reader, Writer};

/// How a value becomes bits. Codes are those in memory; WIRE.md states the bits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Quant {
    /// Either side of an exact zero, -(2^(bits-1)-1)..=2^(bits-1)-1 steps: one fewer than half the
    /// codes on each side. Source: seed 001_545bc6c5b0a72338.txt (zero is not an ordinary value).
    Signed {
        /// Width, 2..=32. A code survives decode and encode exactly up to 24 bits.
        bits: u32,
        /// Size of one step in the field's unit; more than zero.
        step: f32,
    },
    /// From zero up, 0..=2^bits-1 steps.
    Unsigned {
        /// Width, 1..=31. A code survives decode and encode exactly up to 23 bits.
        bits: u32,
        /// Size of one step in the field's unit; more than zero.
        step: f32,
    },
    /// A direction: the full turn in 2^bits codes, 0..=2^bits-1, in radians 0..TAU. Wraps.
    Turn {
        /// Width, 1..=22, which an `f32` of radians still tells apart.
        bits: u32,
    },
    /// A stick: -127..=127 for -1..=1, 8 bits. Source: seed 000_0607df23ba563941.txt (255 steps,
    /// 127 at rest).
    Axis,
    /// A share of a whole: 0..=2^bits-1 for 0..=1, both ends exact.
    Share {
        /// Width, 1..=23.
        bits: u32,
    },
    /// A whole number, 0..=2^bits-1.
    Count {
        /// Width, 1..=31. An `f32` holds it exactly up to 24 bits.
        bits: u32,
    },
    /// No or yes: 0 or 1, 1 bit.
    Flag,
}

/// Steps either side of rest on a stick.
const AXIS_MAX: i32 = 127;

impl Quant {
    /// Width on the wire.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Signed { bits, .. }
            | Self::Unsigned { bits, .. }
            | Self::Turn { bits }
            | Self::Share { bits }
            | Self::Count { bits } => bits,
            Self::Axis => 8,
            Self::Flag => 1,
        }
    }

    /// The least code.
    pub const fn min(self) -> i32 {
        match self {
            Self::Signed { .. } | Self::Axis => -self.max(),
            _ => 0,
        }
    }

    /// The greatest code.
    pub const fn max(self) -> i32 {
        match self {
            Self::Signed { bits, .. } => ((1u32 << (bits - 1)) - 1) as i32,
            Self::Axis => AXIS_MAX,
            _ => ((1u32 << self.bits()) - 1) as i32,
        }
    }

    /// What one code is worth in the field's unit (for a turn in radians).
    pub const fn step(self) -> f32 {
        match self {
            Self::Signed { step, .. } | Self::Unsigned { step, .. } => step,
            Self::Turn { bits } => TAU / (1u32 << bits) as f32,
            Self::Axis | Self::Share { .. } => 1.0 / self.max() as f32,
            Self::Count { .. } | Self::Flag => 1.0,
        }
    }

    /// The nearest code, halves away from zero; clamped, a turn wrapped. NaN gives 0, and so does
    /// an infinite turn.
    pub fn encode(self, value: f32) -> i32 {
        // In f64, where adding a half neither rounds nor needs the libm call that `round` is on
        // some targets.
        let value = f64::from(value);
        let codes = match self {
            Self::Signed { step, .. } | Self::Unsigned { step, .. } => value / f64::from(step),
            Self::Turn { bits } if value.is_finite() => {
                value / f64::from(TAU) * f64::from(1u32 << bits)
            }
            Self::Turn { .. } => 0.0,
            Self::Axis | Self::Share { .. } => value * f64::from(self.max()),
            Self::Count { .. } | Self::Flag => value,
        };
        let nearest = codes + 0.5f64.copysign(codes);
        match self {
            // Casts saturate and take NaN to zero.
            Self::Turn { .. } => (nearest as i64 & i64::from(self.max())) as i32,
            _ => (nearest as i32).clamp(self.min(), self.max()),
        }
    }

    /// The value that a code stands for, in the field's unit. Never -0.
    #[inline]
    pub fn decode(self, code: i32) -> f32 {
        match self {
            // Divided, not multiplied by the step: both ends of the range are exactly 1.
            Self::Axis | Self::Share { .. } => code as f32 / self.max() as f32,
            _ => code as f32 * self.step(),
        }
    }

    /// The nearest code that there is; a turn wraps.
    #[inline]
    pub const fn clamp(self, code: i32) -> i32 {
        let (min, max) = (self.min(), self.max());
        match self {
            Self::Turn { .. } => code & max,
            _ if code < min => min,
            _ if code > max => max,
            _ => code,
        }
    }

    /// Writes a code, clamped.
    #[inline]
    pub fn write(self, name: &'static str, code: i32, w: &mut Writer<'_>) {
        // Two's complement: right for 32 bits too, where the sum does not fit an i32.
        let raw = (self.clamp(code) as u32).wrapping_sub(self.min() as u32);
        w.bits(name, raw, self.bits());
    }

    /// Reads a code; refuses the one pattern that a signed field or an axis does not use.
    #[inline]
    pub fn read(self, name: &'static str, r: &mut Reader<'_>) -> Result<i32, ReadError> {
        let raw = r.bits(name, self.bits())? as u32;
        let min = self.min() as u32;
        // Only where the range is one short of the patterns can this be more than the greatest.
        if raw > (self.max() as u32).wrapping_sub(min) {
            return Err(ReadError::OutOfRange { field: name });
        }
        let code = raw.wrapping_add(min) as i32;
        r.means(Meaning::Code { quant: self, code });
        Ok(code)
    }

    /// Whether the widths are ones that [`Quant`] documents and the step is a positive number.
    pub const fn is_sound(self) -> bool {
        match self {
            Self::Signed { bits, step } => {
                bits >= 2 && bits <= 32 && step > 0.0 && step <= f32::MAX
            }
            Self::Unsigned { bits, step } => {
                bits >= 1 && bits <= 31 && step > 0.0 && step <= f32::MAX
            }
            Self::Turn { bits } => bits >= 1 && bits <= 22,
            Self::Share { bits } => bits >= 1 && bits <= 23,
            Self::Count { bits } => bits >= 1 && bits <= 31,
            Self::Axis | Self::Flag => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Quant; 15] = [
        Quant::Signed { bits: 2, step: 1.0 },
        Quant::Signed {
            bits: 17,
            step: 0.001,
        },
        Quant::Signed {
            bits: 24,
            step: 0.001,
        },
        Quant::Signed {
            bits: 32,
            step: 1.0,
        },
        Quant::Unsigned { bits: 1, step: 0.5 },
        Quant::Unsigned {
            bits: 23,
            step: 0.01,
        },
        Quant::Unsigned {
            bits: 31,
            step: 1.0,
        },
        Quant::Turn { bits: 1 },
        Quant::Turn { bits: 22 },
        Quant::Axis,
        Quant::Share { bits: 1 },
        Quant::Share { bits: 23 },
        Quant::Count { bits: 7 },
        Quant::Count { bits: 31 },
        Quant::Flag,
    ];

    /// Least, greatest, zero, and some between, of the codes that an f32 keeps apart.
    fn codes(quant: Quant) -> impl Iterator<Item = i32> {
        let bound = 1 << 23;
        let (min, max) = (quant.min().max(-bound), quant.max().min(bound));
        let step = ((i64::from(max) - i64::from(min)) / 5000).max(1) as usize;
        [0, max, max - 1]
            .into_iter()
            .chain((min..=max).step_by(step))
    }

    fn wire(quant: Quant, code: i32) -> u64 {
        let mut buf = [0; 4];
        let mut w = Writer::new(&mut buf);
        quant.write("f", code, &mut w);
        let len = w.finish().unwrap();
        Reader::new(&buf[..len]).bits("f", quant.bits()).unwrap()
    }

    fn read(quant: Quant, raw: u64) -> Result<i32, ReadError> {
        quant.read("f", &mut Reader::new(&raw.to_le_bytes()))
    }

    #[test]
    fn every_kind_keeps_its_codes_through_the_wire_and_through_f32() {
        for quant in ALL {
            assert!(quant.is_sound());
            for code in codes(quant).chain([quant.min(), quant.max()]) {
                assert_eq!(read(quant, wire(quant, code)), Ok(code), "{quant:?}");
            }
            for code in codes(quant) {
                assert_eq!(quant.encode(quant.decode(code)), code, "{quant:?}");
            }
        }
    }

    #[test]
    fn zero_is_exact_and_minus_zero_never_comes_out() {
        for quant in ALL {
            assert_eq!((quant.encode(0.0), quant.encode(-0.0)), (0, 0));
            assert_eq!(quant.decode(0).to_bits(), 0, "{quant:?}");
            for code in codes(quant) {
                assert!(quant.decode(code).to_bits() != 1 << 31, "{quant:?} {code}");
            }
        }
    }

    #[test]
    fn codes_on_the_wire_count_from_the_least_and_the_spare_one_is_refused() {
        let signed = Quant::Signed { bits: 4, step: 0.5 };
        assert_eq!([-7, 0, 7].map(|code| wire(signed, code)), [0, 7, 14]);
        assert_eq!(read(signed, 15), Err(ReadError::OutOfRange { field: "f" }));
        assert_eq!(
            [-127, 0, 127].map(|code| wire(Quant::Axis, code)),
            [0, 127, 254]
        );
        assert_eq!(
            read(Quant::Axis, 255),
            Err(ReadError::OutOfRange { field: "f" })
        );
        let whole = Quant::Signed {
            bits: 32,
            step: 1.0,
        };
        assert_eq!(
            read(whole, u64::from(u32::MAX)),
            Err(ReadError::OutOfRange { field: "f" })
        );
        for quant in [
            Quant::Unsigned { bits: 3, step: 1.0 },
            Quant::Count { bits: 3 },
        ] {
            assert_eq!(read(quant, 7), Ok(7));
        }
    }

    #[test]
    fn the_nearest_code_is_taken_and_what_is_outside_clamped() {
        let signed = Quant::Signed { bits: 4, step: 0.5 };
        let values = [
            0.24,
            0.26,
            -0.24,
            -0.26,
            100.0,
            -100.0,
            f32::NAN,
            f32::NEG_INFINITY,
        ];
        assert_eq!(
            values.map(|value| signed.encode(value)),
            [0, 1, 0, -1, 7, -7, 0, -7]
        );
        // Halves away from zero; the float just below a half is below it.
        let count = Quant::Count { bits: 24 };
        assert_eq!(
            [0.5, 0.499_999_97, 1.5].map(|value| count.encode(value)),
            [1, 0, 2]
        );
        assert_eq!(count.encode(8_388_609.0), 8_388_609);
        assert_eq!(
            [-1.0, 1e9].map(|value| count.encode(value)),
            [0, (1 << 24) - 1]
        );
        assert_eq!(
            [-2.0, -1.0, 0.5, 1.0].map(|v| Quant::Axis.encode(v)),
            [-127, -127, 64, 127]
        );
        assert_eq!(Quant::Axis.decode(127), 1.0);
        assert_eq!(Quant::Share { bits: 6 }.decode(63), 1.0);
        assert_eq!(
            [0.4, 0.5, 9.0].map(|value| Quant::Flag.encode(value)),
            [0, 1, 1]
        );
    }

    #[test]
    fn a_turn_wraps_both_ways_and_is_drawn_below_a_whole_one() {
        let turn = Quant::Turn { bits: 10 };
        let quarter = TAU / 4.0;
        let turned = [quarter, -quarter, TAU, 5.0 * quarter, -TAU, 0.002];
        assert_eq!(
            turned.map(|angle| turn.encode(angle)),
            [256, 768, 0, 256, 0, 0]
        );
        assert_eq!(
            [f32::NAN, f32::INFINITY].map(|angle| turn.encode(angle)),
            [0, 0]
        );
        assert_eq!([-1, 1024, 1025].map(|code| turn.clamp(code)), [1023, 0, 1]);
        for bits in 1..=22 {
            let turn = Quant::Turn { bits };
            assert!(turn.decode(turn.max()) < TAU);
            assert_eq!(turn.encode(turn.decode(turn.max())), turn.max());
        }
    }

    #[test]
    fn what_is_out_of_range_is_written_as_the_nearest_code() {
        assert_eq!(wire(Quant::Count { bits: 3 }, 100), 7);
        assert_eq!(wire(Quant::Signed { bits: 4, step: 1.0 }, i32::MIN), 0);
        assert_eq!(
            wire(
                Quant::Signed {
                    bits: 32,
                    step: 1.0
                },
                i32::MIN
            ),
            0
        );
    }

    #[test]
    fn unsound_widths_and_steps_are_told() {
        let unsound = [
            Quant::Signed { bits: 1, step: 1.0 },
            Quant::Signed {
                bits: 33,
                step: 1.0,
            },
            Quant::Unsigned {
                bits: 32,
                step: 1.0,
            },
            Quant::Unsigned { bits: 8, step: 0.0 },
            Quant::Unsigned {
                bits: 8,
                step: f32::NAN,
            },
            Quant::Signed {
                bits: 8,
                step: f32::INFINITY,
            },
            Quant::Turn { bits: 23 },
            Quant::Count { bits: 0 },
        ];
        assert!(unsound.iter().all(|quant| !quant.is_sound()));
    }
}
