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
