//! When snapshots come, against when they were due.

use wire::{Micros, Tick};

/// What the arrival times of snapshots say: which tick is due now, and how much arrivals jitter.
///
/// The *front* is the tick that the mean snapshot brings at an instant, a smooth line through the steps in which news
/// comes; it follows the drift of the two clocks as well as their distance. The *jitter* is how far each arrival strays
/// from when the ticks between it and the one before say it was due. A lost snapshot is not jitter, since the ticks
/// between count; drift cancels, since only neighbours are compared.
///
/// Give it every snapshot once, late ones too: those are the jitter. Source: seed `001_545bc6c5b0a72338.txt`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrivals {
    /// Ticks a microsecond.
    rate: f64,
    seen: Option<Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    at: Micros,
    tick: Tick,
    newest: Tick,
    /// The front at `at`, less `rate * at`: ticks between the two clocks.
    offset: f64,
    /// How fast that grows, ticks a microsecond: the drift.
    drift: f64,
    /// us.
    jitter: f64,
    /// By how much an arrival brings the newest tick on, in the mean, us.
    spacing: f64,
}

impl Arrivals {
    /// The jitter is smoothed as the pacing smooths its readings, us.
    const JITTER_OVER: f64 = 1e6 / 6.0;
    /// The front is smoothed over this long, us: short enough to follow a link whose latency changed within a second,
    /// long enough that 45 ms of jitter moves it by a few milliseconds only.
    const FRONT_OVER: f64 = 500_000.0;
    /// Of the correction of the front, what goes to the drift: little, so that the drift is learnt over seconds.
    const DRIFT_SHARE: f64 = 0.25;
    /// The most that one clock may be faster than the other, as a share: twice what the pacing can bend.
    const MOST_DRIFT: f64 = 0.10;

    /// Nothing seen, in a game of `rate_hz` ticks a second.
    pub fn new(rate_hz: u16) -> Self {
        Self {
            rate: f64::from(rate_hz.max(1)) / 1e6,
            seen: None,
        }
    }

    /// The snapshot of `tick` has come. A second packet of the tick seen last changes nothing.
    ///
    /// Every arrival weighs alike: by the ticks since its neighbour, early ones would weigh more than late ones wherever
    /// the order changes.
    pub fn observe(&mut self, now: Micros, tick: Tick) {
        let offset = tick.get() as f64 - self.rate * now.get() as f64;
        let Some(mut s) = self.seen else {
            self.seen = Some(Seen {
                at: now,
                tick,
                newest: tick,
                offset,
                drift: 0.0,
                jitter: 0.0,
                spacing: 0.0,
            });
            return;
        };
        let ticks = tick.distance(s.tick);
        if ticks == 0 {
            return;
        }
        let due_after = ticks as f64 / self.rate;
        let came_after = (now - s.at).get() as f64;
        let brought = tick.since(s.newest) as f64 / self.rate;
        if s.spacing == 0.0 {
            s.spacing = brought;
        }
        s.spacing += (brought - s.spacing) / 16.0;

        let weight = share(s.spacing, Self::JITTER_OVER);
        s.jitter += weight * ((came_after - due_after).abs() - s.jitter);

        let weight = share(s.spacing, Self::FRONT_OVER);
        s.offset += s.drift * came_after;
        let off = offset - s.offset;
        s.offset += weight * off;
        if s.spacing > 0.0 {
            let drift = s.drift + Self::DRIFT_SHARE * weight * weight * off / s.spacing;
            let most = Self::MOST_DRIFT * self.rate;
            // Not by `clamp`: bounds that could be wrong bring 20 kB of float formatting into the page's module.
            s.drift = if drift.abs() > most {
                most.copysign(drift)
            } else {
                drift
            };
        }

        s.at = now;
        s.tick = tick;
        s.newest = s.newest.max(tick);
        self.seen = Some(s);
    }

    /// The tick that is due to arrive at `now`, whole and fraction; 0 before the first snapshot.
    pub fn front(&self, now: Micros) -> f64 {
        self.seen.map_or(0.0, |s| {
            let since = (now - s.at).get() as f64;
            self.rate * now.get() as f64 + s.offset + s.drift * since
        })
    }

    /// How many seconds of the server pass in a second here: the front moves on at this pace.
    pub fn pace(&self) -> f64 {
        self.seen.map_or(1.0, |s| 1.0 + s.drift / self.rate)
    }

    /// The smoothed distance of arrivals from when they were due.
    pub fn jitter(&self) -> Micros {
        self.seen
            .map_or(Micros::ZERO, |s| Micros::new(s.jitter as u64))
    }

    /// The newest tick that has come.
    pub fn newest(&self) -> Option<Tick> {
        self.seen.map(|s| s.newest)
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.seen = None;
    }
}

/// The weight of a reading that stands for `span` in a mean over `over`: at most a half, so that no one reading decides.
fn share(span: f64, over: f64) -> f64 {
    let span = span.min(over);
    span / (span + over)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::fixture::Dice;

    const INTERVAL: u64 = 15_625;

    /// Snapshots of ticks 0 to `count - 1`, each `delay(tick)` us on the way.
    fn fed(count: u64, mut delay: impl FnMut(u64) -> Option<u64>) -> Arrivals {
        let mut arrivals = Arrivals::new(64);
        let mut due: Vec<_> = (0..count)
            .filter_map(|tick| Some((tick * INTERVAL + delay(tick)?, tick)))
            .collect();
        due.sort();
        for (at, tick) in due {
            arrivals.observe(Micros::new(at), Tick::new(tick));
        }
        arrivals
    }

    #[test]
    fn on_a_steady_link_the_front_is_exact() {
        let arrivals = fed(100, |_| Some(40_000));
        let now = Micros::new(99 * INTERVAL + 40_000);
        assert!((arrivals.front(now) - 99.0).abs() < 1e-9);
        assert!((arrivals.front(now + Micros::new(INTERVAL / 5)) - 99.2).abs() < 1e-9);
        assert_eq!(
            (arrivals.jitter(), arrivals.newest()),
            (Micros::ZERO, Some(Tick::new(99)))
        );
        assert_eq!(arrivals.pace(), 1.0);
    }

    #[test]
    fn jitter_is_a_third_of_what_is_drawn_evenly_and_the_front_is_the_mean() {
        let mut dice = Dice(1);
        let (mut jitter, mut front) = (0.0, 0.0);
        for _ in 0..50 {
            let arrivals = fed(200, |_| Some(20_000 + dice.below(45_000)));
            jitter += arrivals.jitter().as_millis_f64() / 50.0;
            let now = Micros::new(199 * INTERVAL + 42_500);
            front += (arrivals.front(now) - 199.0) * 15.625 / 50.0;
        }
        assert!((jitter - 15.0).abs() < 1.5, "{jitter} ms");
        assert!(front.abs() < 2.0, "{front} ms");
    }

    #[test]
    fn a_lost_snapshot_is_not_jitter() {
        let arrivals = fed(200, |tick| (tick % 3 != 0).then_some(20_000));
        assert_eq!(arrivals.jitter(), Micros::ZERO);
    }

    #[test]
    fn a_snapshot_out_of_order_is() {
        let arrivals = fed(200, |tick| {
            Some(if tick % 2 == 0 { 20_000 } else { 60_000 })
        });
        assert!(
            arrivals.jitter() > Micros::from_millis(15),
            "{}",
            arrivals.jitter()
        );
        assert_eq!(arrivals.newest(), Some(Tick::new(199)));
    }

    #[test]
    fn drift_is_learnt_and_is_not_jitter() {
        for drift in [0.95, 1.05] {
            let mut arrivals = Arrivals::new(64);
            let at = |tick: u64| Micros::new((tick as f64 * INTERVAL as f64 * drift) as u64);
            for tick in 0..1_000 {
                arrivals.observe(at(tick), Tick::new(tick));
            }
            assert!((arrivals.front(at(999)) - 999.0).abs() < 0.02, "{drift}");
            assert!(
                (arrivals.pace() * drift - 1.0).abs() < 0.002,
                "{}",
                arrivals.pace()
            );
            // A twentieth of an interval, and no more however long it lasts.
            assert!(
                arrivals.jitter() <= Micros::new(INTERVAL / 20 + 1),
                "{}",
                arrivals.jitter()
            );
        }
    }

    #[test]
    fn a_link_that_grew_longer_is_followed_within_two_seconds() {
        let arrivals = fed(256, |tick| Some(if tick < 128 { 20_000 } else { 120_000 }));
        let now = Micros::new(255 * INTERVAL + 120_000);
        assert!(
            (arrivals.front(now) - 255.0).abs() < 1.0,
            "{}",
            arrivals.front(now)
        );
    }

    #[test]
    fn the_same_tick_twice_counts_once() {
        let mut arrivals = fed(100, |_| Some(40_000));
        let before = arrivals;
        arrivals.observe(Micros::from_millis(9_000), Tick::new(99));
        assert_eq!(arrivals, before);
        arrivals.reset();
        assert_eq!(
            (arrivals.front(Micros::ZERO), arrivals.newest()),
            (0.0, None)
        );
    }
}
