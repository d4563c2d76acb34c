//! Rounds: play for a while, look at the score, play again.

use wire::Micros;

/// Where a room is between the start of a round and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rounds {
    length: Option<Micros>,
    number: u32,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Playing { until: Option<Micros> },
    Over,
}

impl Rounds {
    /// The first round begins at `now`; without a length it does not end.
    pub(super) fn new(length: Option<Micros>, now: Micros) -> Self {
        Self {
            length,
            number: 1,
            phase: Phase::Playing {
                until: length.map(|length| now + length),
            },
        }
    }

    /// Ends the round when its time is up; true when it does.
    pub(super) fn advance(&mut self, now: Micros) -> bool {
        let up = matches!(self.phase, Phase::Playing { until: Some(until) } if until <= now);
        if up {
            self.phase = Phase::Over;
        }
        up
    }

    /// The next round begins.
    pub(super) fn again(&mut self, now: Micros) {
        *self = Self {
            number: self.number.saturating_add(1),
            ..Self::new(self.length, now)
        };
    }

    /// The first round again.
    pub(super) fn afresh(&self, now: Micros) -> Self {
        Self::new(self.length, now)
    }

    /// Whether hits count.
    pub(super) fn is_playing(&self) -> bool {
        self.phase != Phase::Over
    }

    /// Which round, from 1.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// As words call the phase.
    pub(super) fn phase(&self) -> &'static str {
        if self.is_playing() { "playing" } else { "over" }
    }

    /// What is left of the round, ms; `None` when it is over or has no end.
    pub(super) fn left_ms(&self, now: Micros) -> Option<u64> {
        match self.phase {
            Phase::Playing { until: Some(until) } => {
                let left = until.get().saturating_sub(now.get());
                Some(left.div_ceil(1_000))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_ends_once_and_another_begins_when_asked() {
        let ms = Micros::from_millis;
        let mut rounds = Rounds::new(Some(ms(1_000)), ms(500));
        assert!(!rounds.advance(ms(1_499)));
        assert_eq!(rounds.left_ms(ms(1_499)), Some(1));
        assert!(rounds.advance(ms(1_500)));
        assert!(!rounds.advance(ms(1_600)), "over already");
        assert_eq!((rounds.phase(), rounds.left_ms(ms(1_600))), ("over", None));
        rounds.again(ms(2_000));
        assert_eq!((rounds.number(), rounds.phase()), (2, "playing"));
        assert_eq!(rounds.left_ms(ms(2_000)), Some(1_000));
    }

    #[test]
    fn without_a_length_a_round_does_not_end() {
        let mut rounds = Rounds::new(None, Micros::ZERO);
        assert!(!rounds.advance(Micros::from_millis(1 << 40)));
        assert_eq!(rounds.left_ms(Micros::ZERO), None);
    }
}
