//! The round trip, smoothed.

use wire::Micros;

/// A smoothed round trip and how far the samples stray from it, with the weights of RFC 6298: an eighth of each new sample to
/// the mean, a quarter to the deviation; the first sample is the mean and half of it the deviation.
///
/// Whole microseconds scaled by 8 and by 4, so that the estimate settles on a constant round trip exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RttEstimate {
    /// Eight times the mean, us; 0 before the first sample.
    mean: u64,
    /// Four times the mean deviation, us.
    deviation: u64,
    sampled: bool,
    /// Stands in until the first sample.
    guess: Option<Micros>,
}

impl RttEstimate {
    /// The longest round trip taken at its word. A stamp comes back from a peer and could claim any; a session is given up
    /// after as long a silence.
    pub const LONGEST: Micros = Micros::from_millis(10_000);

    /// No sample yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a round trip that may be too long, because the question was asked more than once and which asking was answered
    /// is not known (Karn's rule forbids to sample it). It counts until the first sample, and not at all after.
    pub fn guess(&mut self, rtt: Micros) {
        self.guess = (!self.sampled).then_some(rtt.min(Self::LONGEST));
    }

    /// Takes one measured round trip.
    pub fn sample(&mut self, rtt: Micros) {
        let rtt = rtt.min(Self::LONGEST).get();
        if !self.sampled {
            *self = Self {
                mean: rtt * 8,
                deviation: rtt * 2,
                sampled: true,
                guess: None,
            };
            return;
        }
        let off = (self.mean / 8).abs_diff(rtt);
        self.deviation = self.deviation - self.deviation / 4 + off;
        self.mean = self.mean - self.mean / 8 + rtt;
    }

    /// The smoothed round trip, or the guess before the first sample; `None` before either.
    pub fn rtt(&self) -> Option<Micros> {
        if self.sampled {
            Some(Micros::new(self.mean / 8))
        } else {
            self.guess
        }
    }

    /// The smoothed deviation of the samples from the mean; zero before the first sample.
    pub fn jitter(&self) -> Micros {
        Micros::new(self.deviation / 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(samples: impl IntoIterator<Item = u64>) -> RttEstimate {
        let mut rtt = RttEstimate::new();
        samples
            .into_iter()
            .for_each(|ms| rtt.sample(Micros::from_millis(ms)));
        rtt
    }

    #[test]
    fn the_first_sample_is_the_mean_and_half_of_it_the_deviation() {
        assert_eq!((fed([]).rtt(), fed([]).jitter()), (None, Micros::ZERO));
        assert_eq!(fed([80]).rtt(), Some(Micros::from_millis(80)));
        assert_eq!(fed([80]).jitter(), Micros::from_millis(40));
    }

    #[test]
    fn later_ones_weigh_an_eighth_and_a_quarter() {
        let rtt = fed([80, 160]);
        assert_eq!(rtt.rtt(), Some(Micros::from_millis(90)));
        assert_eq!(rtt.jitter(), Micros::from_millis(50));
    }

    #[test]
    fn a_constant_round_trip_is_found_exactly() {
        let rtt = fed([200].into_iter().chain(std::iter::repeat_n(37, 200)));
        assert!(rtt.rtt().unwrap().get().abs_diff(37_000) <= 1);
        assert!(rtt.jitter() <= Micros::new(1));
    }

    #[test]
    fn a_guess_counts_until_the_first_sample() {
        let mut rtt = RttEstimate::new();
        rtt.guess(Micros::from_millis(900));
        assert_eq!(
            (rtt.rtt(), rtt.jitter()),
            (Some(Micros::from_millis(900)), Micros::ZERO)
        );
        rtt.sample(Micros::from_millis(200));
        assert_eq!(rtt.rtt(), Some(Micros::from_millis(200)));
        rtt.guess(Micros::from_millis(900));
        assert_eq!(rtt, fed([200]));
    }

    #[test]
    fn no_claim_counts_for_more_than_ten_seconds() {
        let mut rtt = RttEstimate::new();
        rtt.sample(Micros::MAX);
        rtt.sample(Micros::MAX);
        assert_eq!(rtt.rtt(), Some(RttEstimate::LONGEST));
    }
}
