//! Time as plain numbers: microseconds, ticks, packet sequences, drawn instants.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

use crate::bits::{ReadError, Reader, Writer};
use crate::frame::TAG;

/// An instant or a duration in whole microseconds.
///
/// Instants count from wherever the driver began to count; only differences mean anything. Sums,
/// differences and products saturate, so that no arithmetic on what a peer claims can overflow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Micros(u64);

impl Micros {
    /// The beginning of time, and no time at all.
    pub const ZERO: Self = Self(0);
    /// Later than everything: what to wait for when nothing is due.
    pub const MAX: Self = Self(u64::MAX);

    /// From whole microseconds.
    pub const fn new(micros: u64) -> Self {
        Self(micros)
    }

    /// From whole milliseconds, saturating.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// From seconds, to the nearest microsecond. Negative and NaN give zero, too large gives
    /// [`Micros::MAX`].
    pub fn from_secs_f64(seconds: f64) -> Self {
        // A float cast saturates and takes NaN to zero.
        Self((seconds * 1e6 + 0.5) as u64)
    }

    /// Whole microseconds.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// In milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// In seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl Add for Micros {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Micros {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl AddAssign for Micros {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Micros {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for Micros {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Div<u64> for Micros {
    type Output = Self;

    /// Rounds down. Panics if `parts` is zero, as integers do.
    fn div(self, parts: u64) -> Self {
        Self(self.0 / parts)
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} ms", self.0 / 1_000, self.0 % 1_000)
    }
}

/// The number nearest to `near` whose low `bits` bits are `low`; of two equally near, the older.
/// Never negative.
const fn unwrap_low(low: u64, near: u64, bits: u32) -> u64 {
    let span = 1u64 << bits;
    let ahead = low.wrapping_sub(near) & (span - 1);
    if ahead < span / 2 {
        match near.checked_add(ahead) {
            Some(found) => found,
            None => near - (span - ahead),
        }
    } else {
        let behind = span - ahead;
        match near.checked_sub(behind) {
            Some(found) => found,
            // The number so far back would be negative: the one a whole turn later.
            None => near + ahead,
        }
    }
}

/// A tick of a simulation, the server's or a client's. Never wraps inside; 32 bits on the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Tick(u64);

impl Tick {
    /// The tick of this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The one after it.
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// As the wire says it: the low 32 bits.
    pub const fn wire(self) -> u32 {
        self.0 as u32
    }

    /// The tick nearest to `near` that the wire says as `wire`. Of two equally near (2^31 ticks
    /// off) the older one, and never a negative one: near tick 5, `u32::MAX` is 2^32 - 1.
    pub const fn from_wire(wire: u32, near: Self) -> Self {
        Self(unwrap_low(wire as u64, near.0, 32))
    }

    /// How many ticks after `earlier`; zero if it is not after it.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// `self - other` in ticks, signed: positive when `self` is the later. Saturates.
    pub const fn distance(self, other: Self) -> i64 {
        signed_difference(self.0, other.0)
    }
}

const fn signed_difference(a: u64, b: u64) -> i64 {
    let magnitude = if a.abs_diff(b) > i64::MAX as u64 {
        i64::MAX
    } else {
        a.abs_diff(b) as i64
    };
    if a < b { -magnitude } else { magnitude }
}

impl Add<u64> for Tick {
    type Output = Self;

    /// Saturates.
    fn add(self, ticks: u64) -> Self {
        Self(self.0.saturating_add(ticks))
    }
}

impl Sub<u64> for Tick {
    type Output = Self;

    /// Saturates: there is no tick before 0.
    fn sub(self, ticks: u64) -> Self {
        Self(self.0.saturating_sub(ticks))
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The sequence number of a packet. Never wraps inside; 16 bits on the wire.
///
/// A number whose low 16 bits are [`TAG`] is never sent, so that a session frame can never begin
/// like a prefixed one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Seq(u64);

impl Seq {
    /// The sequence of this number, sendable or not.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Itself, or the one after it if its low 16 bits are [`TAG`].
    pub const fn sendable(self) -> Self {
        if self.wire() == TAG {
            Self(self.0.saturating_add(1))
        } else {
            self
        }
    }

    /// The next one to send: one more, or two where one more may not be sent.
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1)).sendable()
    }

    /// As the wire says it: the low 16 bits.
    pub const fn wire(self) -> u16 {
        self.0 as u16
    }

    /// The sequence nearest to `near` that the wire says as `wire`; of two equally near the older,
    /// never negative.
    pub const fn from_wire(wire: u16, near: Self) -> Self {
        Self(unwrap_low(wire as u64, near.0, 16))
    }

    /// How many numbers after `earlier` (sent or not); zero if it is not after it.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// `self - other`, signed: positive when `self` is the later. Saturates.
    pub const fn distance(self, other: Self) -> i64 {
        signed_difference(self.0, other.0)
    }
}

impl Add<u64> for Seq {
    type Output = Self;

    /// Saturates. Counts every number, sendable or not; the next to send is [`Seq::next`].
    fn add(self, numbers: u64) -> Self {
        Self(self.0.saturating_add(numbers))
    }
}

impl Sub<u64> for Seq {
    type Output = Self;

    /// Saturates. Counts every number, sendable or not.
    fn sub(self, numbers: u64) -> Self {
        Self(self.0.saturating_sub(numbers))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An instant of the simulation that was drawn on a screen: a tick and a fraction of the way to the
/// next.
///
/// Five bytes on the wire. Source: seed 001_545bc6c5b0a72338.txt (a client says which tick it drew,
/// whole and fraction).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Instant {
    /// The tick at or before the instant.
    pub tick: Tick,
    /// How far on, in 256ths of a tick.
    pub frac: u8,
}

impl Instant {
    /// In ticks.
    pub fn as_f64(self) -> f64 {
        self.tick.0 as f64 + f64::from(self.frac) / 256.0
    }

    /// To the nearest 256th of a tick. Negative and NaN give tick 0.
    pub fn from_f64(ticks: f64) -> Self {
        // A float cast saturates and takes NaN to zero.
        let parts = (ticks * 256.0 + 0.5) as u64;
        Self {
            tick: Tick(parts >> 8),
            frac: parts as u8,
        }
    }

    /// So many whole ticks earlier, and no earlier than the beginning of tick 0.
    pub fn minus_ticks(self, ticks: u64) -> Self {
        match self.tick.0.checked_sub(ticks) {
            Some(tick) => Self {
                tick: Tick(tick),
                frac: self.frac,
            },
            None => Self::default(),
        }
    }

    /// u32 tick | u8 fraction.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u32("drawn_tick", self.tick.wire());
        w.u8("drawn_fraction", self.frac);
    }

    /// u32 tick, taken to be the one nearest to `near` | u8 fraction.
    pub fn read(near: Tick, r: &mut Reader<'_>) -> Result<Self, ReadError> {
        let tick = Tick::from_wire(r.u32("drawn_tick")?, near);
        let frac = r.u8("drawn_fraction")?;
        Ok(Self { tick, frac })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn micros_saturate_and_read_as_milliseconds() {
        let (small, big) = (Micros::new(5), Micros::MAX);
        assert_eq!(small - big, Micros::ZERO);
        assert_eq!(big + small, Micros::MAX);
        assert_eq!(big * 2, Micros::MAX);
        assert_eq!(Micros::from_millis(u64::MAX), Micros::MAX);
        assert_eq!(Micros::new(12_345).to_string(), "12.345 ms");
        assert_eq!(Micros::new(7).to_string(), "0.007 ms");
    }

    #[test]
    fn seconds_round_to_the_nearest_microsecond() {
        assert_eq!(Micros::from_secs_f64(0.015_625).get(), 15_625);
        assert_eq!(Micros::from_secs_f64(1.4e-6).get(), 1);
        assert_eq!(Micros::from_secs_f64(1.6e-6).get(), 2);
        assert_eq!(Micros::from_secs_f64(-1.0), Micros::ZERO);
        assert_eq!(Micros::from_secs_f64(f64::NAN), Micros::ZERO);
        assert_eq!(Micros::from_secs_f64(f64::INFINITY), Micros::MAX);
    }

    #[test]
    fn a_tick_is_found_again_across_every_wrap() {
        for base in [0, 1 << 32, 7 << 32, u64::MAX - (1 << 33)] {
            for near in (0..30).map(|i| Tick::new(base + (1 << 32) - 10 + i)) {
                for meant in (0..60).map(|i| near + 30 - i) {
                    assert_eq!(Tick::from_wire(meant.wire(), near), meant);
                }
            }
        }
    }

    #[test]
    fn a_tick_is_never_negative_and_never_past_the_end() {
        assert_eq!(
            Tick::from_wire(u32::MAX, Tick::new(5)).get(),
            u64::from(u32::MAX)
        );
        assert_eq!(
            Tick::from_wire(4, Tick::new(u64::MAX)).get(),
            u64::MAX - (1 << 32) + 5
        );
    }

    #[test]
    fn of_two_ticks_equally_near_the_older_is_meant() {
        let near = Tick::new(1 << 40);
        assert_eq!(Tick::from_wire(1 << 31, near), near - (1 << 31));
        assert_eq!(Tick::from_wire((1 << 31) - 1, near), near + ((1 << 31) - 1));
    }

    #[test]
    fn distances_have_a_sign_and_do_not_overflow() {
        let (old, new) = (Tick::new(3), Tick::new(10));
        assert_eq!((new.since(old), old.since(new)), (7, 0));
        assert_eq!((new.distance(old), old.distance(new)), (7, -7));
        assert_eq!(Tick::new(u64::MAX).distance(Tick::new(0)), i64::MAX);
        assert_eq!(Tick::new(0).distance(Tick::new(u64::MAX)), -i64::MAX);
        assert_eq!(old - 4, Tick::new(0));
    }

    #[test]
    fn a_sequence_never_says_the_tag() {
        let mut seq = Seq::new(u64::from(TAG) - 3);
        for _ in 0..3 << 16 {
            seq = seq.next();
            assert_ne!(seq.wire(), TAG);
        }
        assert_eq!(
            seq.get(),
            u64::from(TAG) - 3 + (3 << 16) + 4,
            "skipped at each of four tags"
        );
        assert_eq!(Seq::new(u64::from(TAG)).sendable().wire(), TAG + 1);
        assert_eq!(Seq::new(7).sendable(), Seq::new(7));
    }

    #[test]
    fn a_sequence_is_found_again_across_the_wrap() {
        for near in (0..20).map(|i| Seq::new((1 << 16) - 10 + i)) {
            for meant in (0..200).map(|i| near + 100 - i) {
                assert_eq!(Seq::from_wire(meant.wire(), near), meant);
            }
        }
    }

    #[test]
    fn an_instant_is_kept_to_a_256th_of_a_tick() {
        let at = |ticks| Instant::from_f64(ticks);
        assert_eq!(
            at(12.5),
            Instant {
                tick: Tick::new(12),
                frac: 128
            }
        );
        assert_eq!(at(12.999).frac, 0);
        assert_eq!(at(12.999).tick, Tick::new(13));
        assert_eq!(at(-3.0), Instant::default());
        assert_eq!(at(f64::NAN), Instant::default());
        assert_eq!(at(12.5).as_f64(), 12.5);
        assert_eq!(at(12.5).minus_ticks(12), at(0.5));
        assert_eq!(at(12.5).minus_ticks(13), Instant::default());
    }
}
