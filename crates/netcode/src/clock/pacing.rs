//! How fast a client turns wall time into ticks.

use wire::Micros;

/// Steers the pace of a client's ticks so that the server's queue of its commands runs neither dry nor deep.
///
/// Two clocks at one nominal rate drift, and the depth of the queue is that drift added up. Each snapshot says how low the
/// queue ran (the *low water*, four bits); a proportional and an integral term bend the pace by at most
/// [`MOST`](Self::MOST). The length of a tick never bends, only how many of them a second of wall time buys, so a
/// replay runs exactly what the server ran.
///
/// The gain follows from the loop's own delay: a bend shows a round trip later, and the smoothing adds about a sixth of a
/// second, so an error of one command is closed over `2 * rtt + 0.25 s`, which is a bend of
/// `1 / (rate * (2 * rtt + 0.25 s))`. Fixed gains would suit one link and swing on every other. Source: seed
/// `001_545bc6c5b0a72338.txt`; the integral's share is our own.
///
/// It is exactly 1 until the first reading and after [`reset`](Self::reset): offline, joining and disconnected clients and
/// servers tick at the wall clock's pace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pacing {
    rate_hz: f64,
    steering: Option<Steering>,
}

/// What exists only once a reading has come.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Steering {
    at: Micros,
    /// Smoothed readings, commands.
    low_water: f64,
    /// Smoothed distance of the readings from that, commands.
    deviation: f64,
    integral: f64,
    bend: f64,
}

impl Pacing {
    /// The most that the pace bends, either way. It is also the most that a hostile server can do to a client's clock.
    pub const MOST: f64 = 0.05;
    /// The least cushion, commands: one that runs, and one waiting behind it.
    pub const CUSHION: f64 = 2.0;
    /// The deepest cushion, commands: half of [`CommandQueue::MAX_DEPTH`](crate::input::CommandQueue::MAX_DEPTH), so that
    /// cushion and jitter together do not reach the depth at which the queue skips.
    pub const DEEPEST: f64 = 5.0;

    /// Readings are smoothed over a sixth of a second.
    const SMOOTHING: f64 = 1.0 / 6.0;
    /// What the loop waits for beside two round trips, s: the smoothing, and half as much again.
    const SETTLING: f64 = 0.25;
    /// The share of the proportional gain that the integral takes, 1/s. A guess that was measured: twice as much
    /// overshoots at a round trip of 400 ms, half as much is still settling after five seconds.
    const INTEGRAL: f64 = 0.4;
    /// Snapshots come at most this often; a rarer one delays the loop by what it is rarer, s.
    const USUAL_INTERVAL: f64 = 1.0 / 64.0;
    /// The longest gap between two readings that counts, s. After more, the reading alone is what is known.
    const LONGEST_GAP: f64 = 2.0;

    /// A pace of exactly 1, for a game of `rate_hz` ticks a second.
    pub fn new(rate_hz: u16) -> Self {
        Self {
            rate_hz: f64::from(rate_hz.max(1)),
            steering: None,
        }
    }

    /// A snapshot said that the fewest commands waiting at any tick since the last one were `low_water` (counted before
    /// the tick took one); the round trip is `rtt`.
    pub fn observe(&mut self, now: Micros, low_water: u8, rtt: Micros) {
        let reading = f64::from(low_water);
        let Some(mut s) = self.steering else {
            self.steering = Some(Steering {
                at: now,
                low_water: reading,
                deviation: 0.0,
                integral: 0.0,
                bend: self.bend_for(reading - Self::CUSHION, rtt.as_secs_f64(), 0.0),
            });
            return;
        };
        let gap = (now - s.at).as_secs_f64().min(Self::LONGEST_GAP);
        let weight = gap / (gap + Self::SMOOTHING);
        s.at = now;
        s.deviation += weight * ((reading - s.low_water).abs() - s.deviation);
        s.low_water += weight * (reading - s.low_water);

        let rarer = (gap - Self::USUAL_INTERVAL).max(0.0);
        let delay = rtt.as_secs_f64() + rarer;
        let error = s.low_water - s.target();
        let step = -error * self.gain(delay) * Self::INTEGRAL * gap;
        // An integral that grows while the bend is at its bound would have to be unwound before it turns.
        let outward = step * (s.bend - 1.0) > 0.0;
        if !(outward && (s.bend - 1.0).abs() >= Self::MOST) {
            s.integral = (s.integral + step).clamp(-Self::MOST, Self::MOST);
        }
        s.bend = self.bend_for(error, delay, s.integral);
        self.steering = Some(s);
    }

    /// How many seconds' worth of ticks a second of wall time buys: 0.95 to 1.05.
    pub fn bend(&self) -> f64 {
        self.steering.map_or(1.0, |s| s.bend)
    }

    /// The low water aimed at, commands: [`CUSHION`](Self::CUSHION) plus twice how far the readings stray, at most
    /// [`DEEPEST`](Self::DEEPEST).
    pub fn target(&self) -> f64 {
        self.steering.map_or(Self::CUSHION, |s| s.target())
    }

    /// The smoothed low water, commands; `None` before the first reading.
    pub fn low_water(&self) -> Option<f64> {
        self.steering.map(|s| s.low_water)
    }

    /// Forgets every reading: the pace is exactly 1 again.
    pub fn reset(&mut self) {
        self.steering = None;
    }

    fn gain(&self, delay: f64) -> f64 {
        1.0 / (self.rate_hz * (2.0 * delay + Self::SETTLING))
    }

    fn bend_for(&self, error: f64, delay: f64, integral: f64) -> f64 {
        1.0 + (integral - error * self.gain(delay)).clamp(-Self::MOST, Self::MOST)
    }
}

impl Steering {
    fn target(&self) -> f64 {
        (Pacing::CUSHION + 2.0 * self.deviation).min(Pacing::DEEPEST)
    }
}
