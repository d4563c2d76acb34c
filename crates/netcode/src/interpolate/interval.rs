//! How many ticks lie between two snapshots of a server, whatever the link does to them.

use wire::{Micros, Tick};

/// The rhythm of snapshots, learnt from the ticks that they tell of and not from when they come: a lost one makes a gap
/// twice as long, a late one splits a gap that was there, and neither is the rhythm.
///
/// It looks at the newest ticks heard in their own order, and takes the mean of those gaps that are no hole. The mean and not
/// the least, because a rate that does not divide the tick rate alternates: 20 of 64 is three, three, three, three, four.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The newest ticks heard, ascending.
    heard: [u64; Self::KEPT],
    count: usize,
    ticks: f64,
}

impl Default for Interval {
    fn default() -> Self {
        Self::new()
    }
}

impl Interval {
    /// Ticks looked at: enough that two neighbours are among them where half of all is lost, and few enough that a change of
    /// rate is followed within a second at 20 snapshots a second.
    const KEPT: usize = 16;
    /// A gap longer than this many of the shortest is a hole.
    const HOLE: f64 = 1.5;

    /// Nothing heard: a snapshot each tick.
    pub fn new() -> Self {
        Self {
            heard: [0; Self::KEPT],
            count: 0,
            ticks: 1.0,
        }
    }

    /// The snapshot of a tick has come; in any order, any number of times.
    pub fn observe(&mut self, tick: Tick) {
        let heard = &self.heard[..self.count];
        let Err(place) = heard.binary_search(&tick.get()) else {
            return;
        };
        if self.count < Self::KEPT {
            self.heard.copy_within(place..self.count, place + 1);
            self.heard[place] = tick.get();
            self.count += 1;
        } else if place > 0 {
            // The oldest makes room; what is older still is not looked at.
            self.heard.copy_within(1..place, 0);
            self.heard[place - 1] = tick.get();
        }
        self.measure();
    }

    fn measure(&mut self) {
        let gaps = || {
            let heard = &self.heard[..self.count];
            heard.windows(2).map(|pair| (pair[1] - pair[0]) as f64)
        };
        let least = gaps().fold(f64::INFINITY, f64::min);
        let (mut sum, mut count) = (0.0, 0.0);
        for gap in gaps().filter(|gap| *gap <= least * Self::HOLE) {
            sum += gap;
            count += 1.0;
        }
        if count > 0.0 {
            self.ticks = sum / count;
        }
    }

    /// Ticks between two snapshots, at least 1.
    pub fn ticks(&self) -> f64 {
        self.ticks
    }

    /// The time between two snapshots, in a game of `rate_hz` ticks a second.
    pub fn time(&self, rate_hz: u16) -> Micros {
        Micros::from_secs_f64(self.ticks / f64::from(rate_hz.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::fixture::Dice;

    fn heard(ticks: impl IntoIterator<Item = u64>) -> f64 {
        let mut interval = Interval::new();
        for tick in ticks {
            interval.observe(Tick::new(tick));
        }
        interval.ticks()
    }

    #[test]
    fn a_steady_rhythm_is_known_from_two() {
        assert_eq!(heard([]), 1.0);
        assert_eq!(heard([50]), 1.0);
        assert_eq!(heard([50, 54]), 4.0);
        assert_eq!(heard((0..100).map(|n| n * 2)), 2.0);
    }

    #[test]
    fn losses_and_late_ones_are_not_the_rhythm() {
        let mut dice = Dice(3);
        for each in [1, 2, 5] {
            let mut due: Vec<_> = (0..400u64)
                .filter_map(|n| {
                    let at = n * 15_625 + dice.below(45_000);
                    (dice.unit() > 0.3).then_some((at, n * each))
                })
                .collect();
            due.sort_unstable();
            let mut interval = Interval::new();
            for (at, (_, tick)) in due.into_iter().enumerate() {
                interval.observe(Tick::new(tick));
                assert!(at < 4 || interval.ticks() == each as f64, "{interval:?}");
            }
        }
    }

    #[test]
    fn a_rate_that_does_not_divide_the_ticks_is_its_mean() {
        // 20 of 64 a second.
        let ticks = heard((0..64).map(|n| n * 64 / 20));
        assert!((ticks - 3.2).abs() < 0.05, "{ticks}");
    }

    #[test]
    fn a_change_of_rate_is_followed() {
        let faster = (0..20).map(|n| n * 8).chain((0..20).map(|n| 160 + n));
        assert_eq!(heard(faster), 1.0);
        let slower = (0..20).chain((0..20).map(|n| 20 + n * 8));
        assert_eq!(heard(slower), 8.0);
    }

    #[test]
    fn what_comes_again_or_far_too_late_changes_nothing() {
        let mut interval = Interval::new();
        for tick in 100..200 {
            interval.observe(Tick::new(tick * 3));
        }
        let before = interval;
        interval.observe(Tick::new(599 - 2));
        interval.observe(Tick::new(7));
        assert_eq!(interval, before);
        assert_eq!(interval.time(64).get(), 46_875);
    }
}
