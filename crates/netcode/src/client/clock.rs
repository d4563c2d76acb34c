//! The driver's clock, as a client lives by it.

use wire::Micros;

/// A client that was not called for so long has slept: longer than the slowest tick takes, and than a busy page stutters.
const ASLEEP: Micros = Micros::from_millis(2_000);
/// A clock that reads so much less than before was turned back. What is less is a call out of order: bytes are stamped when
/// they come, and may be handed over after a tick.
const TURNED_BACK: Micros = Micros::from_millis(500);

/// A machine sleeps, and clocks are set. The time that a client lives by never runs back: what the driver's is turned back by
/// is added from then on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// The newest time of the driver's.
    given: Micros,
    /// By how much it was turned back.
    shift: Micros,
}

impl Clock {
    pub(super) fn new(now: Micros) -> Self {
        Self {
            given: now,
            shift: Micros::ZERO,
        }
    }

    /// A time of the driver's in the client's own.
    pub(super) fn own(&self, now: Micros) -> Micros {
        now + self.shift
    }

    /// A time of the client's own in the driver's.
    pub(super) fn theirs(&self, own: Micros) -> Micros {
        match own {
            Micros::MAX => own,
            _ => own - self.shift,
        }
    }

    /// The driver says that it is `now`. The own time, and how long the client slept before, if it did.
    pub(super) fn pass(&mut self, now: Micros) -> (Micros, Option<Micros>) {
        if now + TURNED_BACK < self.given {
            self.shift += self.given - now;
            self.given = now;
        }
        let gap = now - self.given;
        self.given = self.given.max(now);
        (self.own(now), (gap > ASLEEP).then_some(gap))
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
    fn a_sleep_is_told_once() {
        let mut clock = Clock::new(ms(1_000));
        assert_eq!(clock.pass(ms(300_000)), (ms(300_000), Some(ms(299_000))));
        assert_eq!(clock.pass(ms(300_001)), (ms(300_001), None));
    }
}
