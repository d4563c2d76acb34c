//! How far behind the newest news others are drawn.

use wire::Micros;

/// How the interpolation delay is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayPolicy {
    /// This much behind the server's **present** (the front plus one way), whatever the link does: what a player sees is
    /// equally old on every link, and on a link whose one way is longer there is nothing to draw.
    Fixed(Micros),
    /// Two snapshots behind the **front**, the tick that is due to arrive. Enough on a steady link, even on one that loses
    /// a snapshot in ten.
    TwoSnapshots,
    /// Behind the **front** by one snapshot and twice the jitter, from two snapshots up to [`MOST`](Self::MOST). Rides
    /// out the jitter of the link and costs nothing where there is none.
    Measured,
}

impl DelayPolicy {
    /// The most snapshots that [`DelayPolicy::Measured`] draws behind. Beyond it, a pause now and then is better than
    /// a world that is always old.
    pub const MOST: u64 = 4;

    /// The delay on a link that brings a snapshot each `interval` and jitters by `jitter`. Mind what it is measured from: a
    /// fixed one from the server's present, the others from the front.
    pub fn delay(self, interval: Micros, jitter: Micros) -> Micros {
        match self {
            Self::Fixed(delay) => delay,
            Self::TwoSnapshots => interval * 2,
            Self::Measured => (interval + jitter * 2).clamp(interval * 2, interval * Self::MOST),
        }
    }

    /// The tick to draw, whole and fraction: what [`Playback::steer`](crate::clock::Playback::steer) is given.
    ///
    /// `front` is the tick due to arrive now, `one_way` how long it travelled. With a fixed delay shorter than one way this
    /// lies past the front, where nothing is: the screen shows the newest news and is starved all the time.
    pub fn target(
        self,
        front: f64,
        rate_hz: u16,
        interval: Micros,
        jitter: Micros,
        one_way: Micros,
    ) -> f64 {
        let delay = self.delay(interval, jitter).as_secs_f64();
        let behind_front = match self {
            Self::Fixed(_) => delay - one_way.as_secs_f64(),
            Self::TwoSnapshots | Self::Measured => delay,
        };
        front - behind_front * f64::from(rate_hz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Micros = Micros::new(15_625);

    fn measured(jitter_us: u64) -> u64 {
        DelayPolicy::Measured
            .delay(INTERVAL, Micros::new(jitter_us))
            .get()
    }

    #[test]
    fn the_measured_delay_is_one_interval_and_twice_the_jitter_from_two_to_four() {
        assert_eq!(measured(0), 31_250);
        assert_eq!(measured(5_000), 31_250);
        assert_eq!(measured(7_812), 31_250);
        assert_eq!(measured(15_000), 45_625);
        assert_eq!(measured(40_000), 62_500);
        assert_eq!(measured(u64::MAX), 62_500);
    }

    #[test]
    fn the_others_ask_nothing_of_the_link() {
        let fixed = DelayPolicy::Fixed(Micros::from_millis(160));
        assert_eq!(
            fixed.delay(INTERVAL, Micros::from_millis(45)),
            Micros::from_millis(160)
        );
        assert_eq!(
            DelayPolicy::TwoSnapshots.delay(INTERVAL, Micros::MAX).get(),
            31_250
        );
    }

    #[test]
    fn a_fixed_delay_counts_from_the_present_and_the_others_from_the_front() {
        let one_way = Micros::from_millis(50);
        let target =
            |policy: DelayPolicy| policy.target(100.0, 64, INTERVAL, Micros::ZERO, one_way);
        assert!((target(DelayPolicy::Fixed(Micros::from_millis(175))) - 92.0).abs() < 1e-9);
        assert!((target(DelayPolicy::Fixed(Micros::ZERO)) - 103.2).abs() < 1e-9);
        assert!((target(DelayPolicy::TwoSnapshots) - 98.0).abs() < 1e-9);
        assert!((target(DelayPolicy::Measured) - 98.0).abs() < 1e-9);
    }
}
