//! When ticks are due.

use wire::Micros;

/// Ticks that one call of `advance` runs at most. What is due beyond it slips: a machine that was stopped for a minute does not
/// owe a minute of ticks.
pub const MAX_TICKS: u32 = 8;

/// Turns time into due ticks at a rate that can be bent. It counts whole nanoseconds, so that a tick falls at the same instant
/// however time is cut into calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticker {
    period: u64,
    last: u64,
    next: u64,
}

const NANOS: u64 = 1_000;

impl Ticker {
    /// Ticks at `rate_hz`, the first one at `first`.
    pub fn new(rate_hz: u16, first: Micros) -> Self {
        let next = first.get() * NANOS;
        Self {
            period: 1_000_000_000 / u64::from(rate_hz.max(1)),
            last: next,
            next,
        }
    }

    /// When the next tick is due.
    pub fn next_at(&self) -> Micros {
        Micros::new(self.next.div_ceil(NANOS))
    }

    /// Whether a tick is due.
    pub fn is_due(&self, now: Micros) -> bool {
        self.next_at() <= now
    }

    /// Takes the due tick. The one after it comes a period later, the period divided by `bend` (1: unbent).
    pub fn take(&mut self, bend: f64) -> Micros {
        let at = self.next_at();
        self.last = self.next;
        self.next += (self.period as f64 / bend) as u64;
        at
    }

    /// Lets every tick that is still due slip; returns how many. The next one keeps the beat.
    pub fn slip(&mut self, now: Micros) -> u64 {
        if !self.is_due(now) {
            return 0;
        }
        let behind = now.get() * NANOS - self.next;
        let slipped = behind / self.period + 1;
        self.next += slipped * self.period;
        slipped
    }

    /// How far the time between the newest tick and the next has gone, 0 to 1.
    pub fn fraction(&self, now: Micros) -> f64 {
        let span = self.next.saturating_sub(self.last);
        if span == 0 {
            return 1.0;
        }
        let gone = (now.get() * NANOS).saturating_sub(self.last).min(span);
        gone as f64 / span as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_as_many_ticks_as_the_rate_says() {
        for rate in [10u16, 60, 64, 128] {
            let mut ticker = Ticker::new(rate, Micros::ZERO);
            let mut count = 0u32;
            while ticker.is_due(Micros::from_millis(99_999)) {
                ticker.take(1.0);
                count += 1;
            }
            assert_eq!(count, u32::from(rate) * 100, "{rate} Hz");
        }
    }

    #[test]
    fn a_bend_shortens_the_period() {
        let mut ticker = Ticker::new(64, Micros::ZERO);
        let mut count = 0;
        while ticker.is_due(Micros::from_millis(9_999)) {
            ticker.take(1.05);
            count += 1;
        }
        assert_eq!(count, 672);
    }

    #[test]
    fn what_slips_is_counted_and_the_beat_stays() {
        let mut ticker = Ticker::new(64, Micros::ZERO);
        ticker.take(1.0);
        assert_eq!(ticker.slip(Micros::from_millis(1_000)), 64);
        assert_eq!(ticker.next_at(), Micros::new(1_015_625));
        assert_eq!(ticker.slip(Micros::from_millis(1_000)), 0);
    }
}
