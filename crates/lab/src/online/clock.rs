//! A clock that only goes forward.

use wire::Micros;

/// The longest step that is believed: an hour of sleep is slept through whichever way it is counted.
const LONGEST: Micros = Micros::from_millis(3_600_000);

/// Turns a driver's clock, which may stand still, jump or go back, into one that only goes forward. It begins with what it
/// is shown first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forward {
    given: Micros,
    now: Micros,
}

impl Forward {
    pub(super) fn new(given: Micros) -> Self {
        let now = given.min(LONGEST);
        Self { given, now }
    }

    /// What it shows when the driver's shows `given`.
    pub(super) fn at(&self, given: Micros) -> Micros {
        self.now + (given - self.given).min(LONGEST)
    }

    /// The driver's clock shows this now.
    pub(super) fn go(&mut self, given: Micros) -> Micros {
        self.now = self.at(given);
        self.given = given;
        self.now
    }

    pub(super) fn now(&self) -> Micros {
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_forward_whatever_it_is_shown() {
        let ms = Micros::from_millis;
        let mut clock = Forward::new(ms(500));
        assert_eq!(clock.go(ms(510)), ms(510));
        assert_eq!(clock.go(ms(3)), ms(510), "it went back");
        assert_eq!(clock.go(ms(13)), ms(520), "and on from there");
        assert_eq!(clock.go(Micros::MAX), ms(520) + LONGEST);
        assert_eq!(clock.go(Micros::MAX), ms(520) + LONGEST);
        assert_eq!(Forward::new(Micros::MAX).now(), LONGEST);
    }
}
