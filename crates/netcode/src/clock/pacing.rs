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
    /// The share of the proportional gain that the integral takes, 1/s. Found by trying: twice as much swings at a round
    /// trip of half a second and more, half as much is still settling after five seconds there.
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

#[cfg(test)]
mod tests {
    use super::*;

    const SNAPSHOT: Micros = Micros::new(15_625);

    fn fed(rate_hz: u16, rtt: Micros, readings: impl IntoIterator<Item = u8>) -> Pacing {
        let mut pacing = Pacing::new(rate_hz);
        let mut now = Micros::ZERO;
        for reading in readings {
            now += SNAPSHOT;
            pacing.observe(now, reading, rtt);
        }
        pacing
    }

    #[test]
    fn the_pace_is_exactly_one_until_a_reading_and_after_a_reset() {
        let mut pacing = Pacing::new(64);
        assert_eq!(
            (pacing.bend(), pacing.target(), pacing.low_water()),
            (1.0, 2.0, None)
        );
        pacing.observe(Micros::ZERO, 0, Micros::ZERO);
        assert!(pacing.bend() > 1.0);
        pacing.reset();
        assert_eq!((pacing.bend(), pacing.low_water()), (1.0, None));
    }

    #[test]
    fn an_error_of_one_command_is_closed_over_two_round_trips_and_a_quarter_second() {
        for (rate_hz, rtt_ms) in [(64u16, 50u64), (64, 200), (128, 0), (128, 200)] {
            let pacing = fed(rate_hz, Micros::from_millis(rtt_ms), [3]);
            let seconds = 2.0 * rtt_ms as f64 / 1e3 + 0.25;
            assert_eq!(pacing.bend(), 1.0 - 1.0 / (f64::from(rate_hz) * seconds));
        }
    }

    #[test]
    fn whatever_a_server_says_the_bend_is_five_percent_at_most() {
        for rtt in [Micros::ZERO, Micros::from_millis(10_000), Micros::MAX] {
            let deep = fed(10, rtt, std::iter::repeat_n(u8::MAX, 2_000)).bend();
            let dry = fed(10, rtt, std::iter::repeat_n(0, 2_000)).bend();
            assert!((0.95..1.0).contains(&deep), "{rtt}: {deep}");
            assert!(dry > 1.0 && dry <= 1.05, "{rtt}: {dry}");
        }
        assert_eq!(fed(10, Micros::ZERO, [u8::MAX; 100]).bend(), 0.95);
        assert_eq!(fed(10, Micros::ZERO, [0; 100]).bend(), 1.05);
    }

    #[test]
    fn steady_readings_are_held_at_two_and_scattered_ones_deeper() {
        let steady = fed(64, Micros::ZERO, std::iter::repeat_n(4, 500));
        assert!((steady.target() - 2.0).abs() < 1e-9, "{}", steady.target());
        let scattered = fed(64, Micros::ZERO, [3, 4].repeat(500));
        assert!(
            (scattered.target() - 3.0).abs() < 0.1,
            "{}",
            scattered.target()
        );
        let wild = fed(64, Micros::ZERO, [0, 10].repeat(500));
        assert_eq!(wild.target(), 5.0);
    }

    #[test]
    fn a_bend_at_its_bound_leaves_the_integral_alone() {
        // A second of a dry queue bends as far as it goes; once the queue stands where it should, little is left of it.
        let pacing = fed(64, Micros::ZERO, [[0; 64], [2; 64]].concat());
        assert!(pacing.bend() < 1.03, "{}", pacing.bend());
    }

    #[test]
    fn an_integral_at_the_bound_turns_as_soon_as_the_error_does() {
        let mut pacing = fed(64, Micros::ZERO, std::iter::repeat_n(0, 6_400));
        let mut now = SNAPSHOT * 6_400;
        for _ in 0..64 {
            now += SNAPSHOT;
            pacing.observe(now, 4, Micros::ZERO);
        }
        assert!(pacing.bend() < 1.0, "{}", pacing.bend());
    }
}
