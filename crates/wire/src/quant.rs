//! Quantizers: which number a field's bits mean.
//!
//! A value lives in three forms: as bits on the wire (`raw`, unsigned), as a code in memory (`i32`,
//! what records hold and what is compared) and as an `f32` in the field's unit (what is drawn).
//! Zero is exact in every one of them.

use std::f32::consts::TAU;

use crate::bits::{ReadError, Reader, Writer};

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
                value * (f64::from(1u32 << bits) / std::f64::consts::TAU)
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
        Ok(raw.wrapping_add(min) as i32)
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
