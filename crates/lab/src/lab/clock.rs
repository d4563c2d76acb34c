//! A machine's own clock, which runs a little fast or slow.

use wire::Micros;

/// Turns the lab's time into a machine's own and back. Both ways are whole numbers, so nothing creeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocalClock {
    /// Own microseconds in a million of the lab's.
    rate: u64,
    /// The lab's time when the rate was set, and the clock's own then.
    since: Micros,
    own: Micros,
}

const MILLION: u64 = 1_000_000;

impl LocalClock {
    /// A clock that shows `own` at time zero, and runs true.
    pub(crate) fn new(own: Micros) -> Self {
        Self {
            rate: MILLION,
            since: Micros::ZERO,
            own,
        }
    }

    /// Runs `percent` fast from now on (below zero: slow). It does not jump.
    pub(crate) fn set_drift(&mut self, now: Micros, percent: f64) {
        let parts = percent * 10_000.0;
        let rate = (MILLION as f64 + parts + 0.5) as u64;
        if rate != self.rate {
            *self = Self {
                rate,
                since: now,
                own: self.own(now),
            };
        }
    }

    /// What it shows.
    pub(crate) fn own(&self, now: Micros) -> Micros {
        self.own + (now - self.since) * self.rate / MILLION
    }

    /// The first instant at which it shows at least `own`.
    pub(crate) fn when(&self, own: Micros) -> Micros {
        let ahead = own - self.own;
        // The guard keeps "never" from overflowing; a lab does not run for centuries.
        if ahead > Micros::from_millis(1 << 40) {
            return Micros::MAX;
        }
        self.since + Micros::new((ahead.get() * MILLION).div_ceil(self.rate))
    }

    /// Everything that what it shows depends on.
    pub(crate) fn digest(&self, digest: &mut netcode::Digest) {
        digest.u64(self.rate);
        digest.u64(self.since.get());
        digest.u64(self.own.get());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_what_it_was_told_to_gain() {
        let mut clock = LocalClock::new(Micros::from_millis(5));
        clock.set_drift(Micros::ZERO, 3.0);
        assert_eq!(
            clock.own(Micros::from_millis(1_000)),
            Micros::from_millis(1_035)
        );
        clock.set_drift(Micros::from_millis(1_000), -5.0);
        assert_eq!(
            clock.own(Micros::from_millis(1_000)),
            Micros::from_millis(1_035),
            "no jump"
        );
        assert_eq!(
            clock.own(Micros::from_millis(2_000)),
            Micros::from_millis(1_985)
        );
    }

    #[test]
    fn there_and_back_is_the_first_instant_that_shows_it() {
        for percent in [-5.0, -0.5, 0.0, 0.5, 3.0, 5.0] {
            let mut clock = LocalClock::new(Micros::new(17));
            clock.set_drift(Micros::new(1_234), percent);
            for own in (20_000..40_000u64).step_by(7) {
                let when = clock.when(Micros::new(own));
                assert!(clock.own(when).get() >= own);
                assert!(
                    clock.own(when - Micros::new(1)).get() < own,
                    "{percent} %, {own}"
                );
            }
        }
        assert_eq!(LocalClock::new(Micros::ZERO).when(Micros::MAX), Micros::MAX);
    }
}
