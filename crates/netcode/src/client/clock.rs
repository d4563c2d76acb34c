//! The driver's clock, as a client lives by it.

use wire::Micros;

/// A client that was not called for so long has slept: longer than the slowest tick takes, and than a busy page stutters.
const ASLEEP: Micros = Micros::from_millis(2_000);
/// A clock that reads so much less than before was turned back. What is less is a call out of order: bytes are stamped when
/// they come, and may be handed over after a tick.
const TURNED_BACK: Micros = Micros::from_millis(500);

/// A clock that was set forward by more tells of no more than this: what it was set to may be nonsense.
const LONGEST_SLEEP: Micros = Micros::from_millis(86_400_000);
/// The latest own time, 285 years: in whole microseconds still exact in an `f64`.
const LATEST: i128 = 1 << 53;

/// A machine sleeps, and clocks are set. The time that a client lives by never runs back, and no further forward at once than
/// a day: what the driver's is set by beyond that is taken off from then on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// The newest time of the driver's.
    given: Micros,
    /// Own time less the driver's, us.
    shift: i128,
}

impl Clock {
    pub(super) fn new(now: Micros) -> Self {
        let mut clock = Self {
            given: now,
            shift: 0,
        };
        clock.shift = i128::from(clock.own(now).get()) - i128::from(now.get());
        clock
    }

    /// A time of the driver's in the client's own.
    pub(super) fn own(&self, now: Micros) -> Micros {
        let own = i128::from(now.get()) + self.shift;
        Micros::new(own.clamp(0, LATEST) as u64)
    }

    /// A time of the client's own in the driver's.
    pub(super) fn theirs(&self, own: Micros) -> Micros {
        match own {
            Micros::MAX => own,
            _ => {
                let theirs = i128::from(own.get()) - self.shift;
                Micros::new(theirs.clamp(0, i128::from(u64::MAX)) as u64)
            }
        }
    }

    /// The driver says that it is `now`. The own time, and how long the client slept before, if it did.
    pub(super) fn pass(&mut self, now: Micros) -> (Micros, Option<Micros>) {
        if now + TURNED_BACK < self.given {
            self.shift += i128::from((self.given - now).get());
            self.given = now;
        }
        let gap = now - self.given;
        let counts = gap.min(LONGEST_SLEEP);
        self.shift -= i128::from((gap - counts).get());
        self.given = self.given.max(now);
        (self.own(now), (gap > ASLEEP).then_some(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Micros {
        Micros::from_millis(ms)
    }

    #[test]
    fn a_clock_that_is_turned_back_goes_on_from_where_it_was() {
        let mut clock = Clock::new(ms(100_000));
        assert_eq!(clock.pass(ms(101_000)), (ms(101_000), None));
        assert_eq!(clock.pass(ms(1_000)), (ms(101_000), None));
        assert_eq!(clock.pass(ms(1_016)), (ms(101_016), None));
        assert_eq!(clock.theirs(ms(101_020)), ms(1_020));
        assert_eq!(clock.theirs(Micros::MAX), Micros::MAX);
    }

    #[test]
    fn a_call_out_of_order_moves_nothing() {
        let mut clock = Clock::new(ms(1_000));
        clock.pass(ms(1_400));
        assert_eq!(clock.pass(ms(1_100)), (ms(1_100), None));
        assert_eq!(clock.pass(ms(1_500)), (ms(1_500), None));
    }

    #[test]
    fn a_clock_that_reads_nonsense_for_once_is_a_sleep_of_a_day() {
        let mut clock = Clock::new(ms(1_000));
        let (there, slept) = clock.pass(Micros::MAX);
        assert_eq!(there, ms(86_401_000));
        assert_eq!(slept, Some(ms(86_400_000)));
        assert_eq!(clock.pass(ms(1_010)), (there, None));
        assert_eq!(clock.pass(ms(1_020)), (there + ms(10), None));
        assert_eq!(
            Clock::new(Micros::MAX).own(Micros::MAX),
            Micros::new(1 << 53)
        );
    }

    #[test]
    fn a_sleep_is_told_once() {
        let mut clock = Clock::new(ms(1_000));
        assert_eq!(clock.pass(ms(300_000)), (ms(300_000), Some(ms(299_000))));
        assert_eq!(clock.pass(ms(300_001)), (ms(300_001), None));
    }
}
