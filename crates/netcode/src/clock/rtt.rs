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
}

impl RttEstimate {
    /// The longest round trip taken at its word. A stamp comes back from a peer and could claim any; a session is given up
    /// after as long a silence.
    pub const LONGEST: Micros = Micros::from_millis(10_000);

    /// No sample yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes one measured round trip.
    pub fn sample(&mut self, rtt: Micros) {
        let rtt = rtt.min(Self::LONGEST).get();
        if !self.sampled {
            *self = Self {
                mean: rtt * 8,
                deviation: rtt * 2,
                sampled: true,
            };
            return;
        }
        let off = (self.mean / 8).abs_diff(rtt);
        self.deviation = self.deviation - self.deviation / 4 + off;
        self.mean = self.mean - self.mean / 8 + rtt;
    }

    /// The smoothed round trip; `None` before the first sample.
    pub fn rtt(&self) -> Option<Micros> {
        self.sampled.then(|| Micros::new(self.mean / 8))
    }

    /// The smoothed deviation of the samples from the mean; zero before the first sample.
    pub fn jitter(&self) -> Micros {
        Micros::new(self.deviation / 4)
    }
}
