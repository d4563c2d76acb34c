//! How far behind the newest news others are drawn.

use wire::Micros;

/// How the interpolation delay is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Behind the **front** by the least that leaves a screen starved no more than `rate` of the time, a share from 0 to 1,
    /// as [`LeastDelay`](super::LeastDelay) learnt it: less than an interval and a half on an even link, and as much as it
    /// takes on one that jitters, loses or stalls.
    Target {
        /// The share of time in which samples may be wanting.
        rate: f64,
    },
}

/// What a client learnt of the link that brings its snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Learnt {
    /// The time between two snapshots.
    pub interval: Micros,
    /// How far arrivals stray from when they are due.
    pub jitter: Micros,
    /// How long a snapshot travels.
    pub one_way: Micros,
    /// The delay behind the front that keeps to the rate of [`DelayPolicy::Target`]; nobody else asks for it.
    pub covering: Micros,
}

impl DelayPolicy {
    /// The most snapshots that [`DelayPolicy::Measured`] draws behind. Beyond it, a pause now and then is better than
    /// a world that is always old.
    pub const MOST: u64 = 4;

    /// The delay on such a link. Mind what it is measured from: a fixed one from the server's present, the others from the
    /// front.
    pub fn delay(self, link: &Learnt) -> Micros {
        let Learnt {
            interval, jitter, ..
        } = *link;
        match self {
            Self::Fixed(delay) => delay,
            Self::TwoSnapshots => interval * 2,
            Self::Measured => (interval + jitter * 2).clamp(interval * 2, interval * Self::MOST),
            Self::Target { .. } => link.covering,
        }
    }

    /// The tick to draw, whole and fraction: what [`Playback::steer`](crate::clock::Playback::steer) is given.
    ///
    /// `front` is the tick due to arrive now. With a fixed delay shorter than one way this lies past the front, where
    /// nothing is: the screen shows the newest news and is starved all the time.
    pub fn target(self, front: f64, rate_hz: u16, link: &Learnt) -> f64 {
        let delay = self.delay(link).as_secs_f64();
        let behind_front = match self {
            Self::Fixed(_) => delay - link.one_way.as_secs_f64(),
            Self::TwoSnapshots | Self::Measured | Self::Target { .. } => delay,
        };
        front - behind_front * f64::from(rate_hz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: Micros = Micros::new(15_625);

    /// A link that jitters so much.
    fn link(jitter: Micros) -> Learnt {
        Learnt {
            interval: INTERVAL,
            jitter,
            one_way: Micros::from_millis(50),
            covering: Micros::from_millis(25),
        }
    }

    fn measured(jitter_us: u64) -> u64 {
        DelayPolicy::Measured
            .delay(&link(Micros::new(jitter_us)))
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
            fixed.delay(&link(Micros::from_millis(45))),
            Micros::from_millis(160)
        );
        assert_eq!(
            DelayPolicy::TwoSnapshots.delay(&link(Micros::MAX)).get(),
            31_250
        );
    }

    #[test]
    fn a_fixed_delay_counts_from_the_present_and_the_others_from_the_front() {
        let target = |policy: DelayPolicy| policy.target(100.0, 64, &link(Micros::ZERO));
        assert!((target(DelayPolicy::Fixed(Micros::from_millis(175))) - 92.0).abs() < 1e-9);
        assert!((target(DelayPolicy::Fixed(Micros::ZERO)) - 103.2).abs() < 1e-9);
        assert!((target(DelayPolicy::TwoSnapshots) - 98.0).abs() < 1e-9);
        assert!((target(DelayPolicy::Measured) - 98.0).abs() < 1e-9);
        assert!((target(DelayPolicy::Target { rate: 0.01 }) - 98.4).abs() < 1e-9);
    }
}
