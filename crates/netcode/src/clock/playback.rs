//! Which moment of the server is drawn.

use wire::{Micros, Tick};

/// The clock of everything that is drawn in the past: a tick of the server, whole and fraction, for every instant.
///
/// Between two calls of [`steer`](Self::steer) it is a pure function of `now`, so drawing more often changes nothing. It is
/// set right by running up to [`SLEW`](Self::SLEW) fast or slow, and never shows anything past the newest sample: a
/// stall is the world pausing, and the clock goes on from where it paused. Only when it is more than
/// [`JUMP`](Self::JUMP) ticks from where it should be is it moved there at once: that is a reconnection, and easing over
/// it would take longer than it took to open. Source: seed `001_545bc6c5b0a72338.txt`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// Ticks a microsecond.
    rate: f64,
    /// When it was steered last, and what it showed then.
    from: Micros,
    tick: f64,
    /// How fast the target moves, as a share of real time: since it was steered, and from the next time on.
    pace: f64,
    next_pace: f64,
    /// What is added to that until the target is reached, and for how long, us.
    bend: f64,
    bend_for: f64,
    /// The newest sample; `None` before the first [`Playback::steer`].
    newest: Option<Tick>,
    /// How far past it may be shown, ticks.
    reach: f64,
}

impl Playback {
    /// The most that it runs fast or slow, as a share of real time.
    pub const SLEW: f64 = 0.10;
    /// How far from its target it is moved there at once, ticks.
    pub const JUMP: f64 = 20.0;

    /// A small error is closed over this long, us, so that the pace does not swing with the noise of the target.
    const EASE: f64 = 250_000.0;

    /// A clock at tick 0 that begins with the first [`steer`](Self::steer).
    pub fn new(rate_hz: u16) -> Self {
        Self {
            rate: f64::from(rate_hz.max(1)) / 1e6,
            from: Micros::ZERO,
            tick: 0.0,
            pace: 1.0,
            next_pace: 1.0,
            bend: 0.0,
            bend_for: 0.0,
            newest: None,
            reach: 0.0,
        }
    }

    /// The target moves on by `pace` seconds of the server in a second here: 1, less or more where the two clocks drift.
    /// It counts from the next [`steer`](Self::steer) on, and keeps the clock from trailing a drifting target.
    pub fn set_pace(&mut self, pace: f64) {
        self.next_pace = pace.clamp(1.0 - Self::SLEW, 1.0 + Self::SLEW);
    }

    /// It may go so many ticks past the newest sample, for a screen that extrapolates. Default 0: it holds.
    pub fn set_reach(&mut self, ticks: f64) {
        self.reach = ticks.max(0.0);
    }

    /// At `now` it should be at tick `target`, and `newest` is the newest sample there is.
    pub fn steer(&mut self, now: Micros, target: f64, newest: Tick) {
        // With news it goes on from what was shown; without, a pause only grows longer.
        let news = self.newest != Some(newest);
        let shown = if news { self.at(now) } else { self.wanted(now) };
        let off = target - shown;
        self.from = now;
        self.tick = shown;
        self.pace = self.next_pace;
        self.bend = 0.0;
        self.bend_for = 0.0;
        if self.newest.is_none() || off.abs() > Self::JUMP {
            self.tick = target.max(0.0);
        } else {
            let eased = self.pace + off / (self.rate * Self::EASE);
            let bend = eased.clamp(1.0 - Self::SLEW, 1.0 + Self::SLEW) - self.pace;
            if bend != 0.0 {
                self.bend = bend;
                self.bend_for = off / (self.rate * bend);
            }
        }
        self.newest = Some(newest);
    }

    /// The tick to draw: never past the newest sample (and the [reach](Self::set_reach)). 0 before the first
    /// [`steer`](Self::steer).
    pub fn at(&self, now: Micros) -> f64 {
        self.newest.map_or(0.0, |newest| {
            self.wanted(now).min(newest.get() as f64 + self.reach)
        })
    }

    /// The tick that would be drawn if the newest sample were no bound. Past it, the screen is starved.
    pub fn wanted(&self, now: Micros) -> f64 {
        if self.newest.is_none() {
            return 0.0;
        }
        let passed = (now - self.from).get() as f64;
        self.tick + self.rate * (self.pace * passed + self.bend * passed.min(self.bend_for))
    }

    /// Whether the world stands still at `now` for want of a newer sample.
    pub fn is_starved(&self, now: Micros) -> bool {
        self.newest
            .is_some_and(|newest| self.wanted(now) > newest.get() as f64)
    }

    /// The newest sample it was told of.
    pub fn newest(&self) -> Option<Tick> {
        self.newest
    }

    /// Begins afresh, at the next [`steer`](Self::steer).
    pub fn reset(&mut self) {
        self.newest = None;
        self.next_pace = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Micros {
        Micros::from_millis(ms)
    }

    /// At tick 100, at time 0, with samples up to `newest`.
    fn at_100(newest: u64) -> Playback {
        let mut playback = Playback::new(64);
        playback.steer(Micros::ZERO, 100.0, Tick::new(newest));
        playback
    }

    #[test]
    fn it_begins_where_it_is_told_and_runs_at_the_rate() {
        let playback = at_100(1_000);
        assert_eq!(playback.at(Micros::ZERO), 100.0);
        assert_eq!(playback.at(ms(1_000)), 164.0);
        assert_eq!(Playback::new(64).at(ms(1_000)), 0.0);
        assert!(!Playback::new(64).is_starved(ms(1_000)));
    }

    #[test]
    fn it_begins_no_later_than_the_newest_sample() {
        assert_eq!(at_100(90).at(ms(1)), 90.0);
    }

    #[test]
    fn it_slews_ten_percent_at_most_and_stops_at_its_target() {
        for off in [-19.9f64, -3.0, -0.5, 0.5, 3.0, 19.9] {
            let mut playback = at_100(10_000);
            playback.steer(Micros::ZERO, 100.0 + off, Tick::new(10_000));
            let mut last = playback.at(Micros::ZERO);
            assert_eq!(last, 100.0);
            for step in 1..=400 {
                let now = playback.at(ms(step * 10));
                let pace = (now - last) / 0.64;
                assert!((0.9 - 1e-9..=1.1 + 1e-9).contains(&pace), "{off}: {pace}");
                last = now;
            }
            assert!((last - (356.0 + off)).abs() < 1e-9, "{off}: {last}");
        }
    }

    #[test]
    fn twenty_ticks_are_slewed_over_and_more_are_jumped() {
        for (off, shown) in [(20.0, 100.0), (-20.0, 100.0), (20.5, 120.5), (-20.5, 79.5)] {
            let mut playback = at_100(10_000);
            playback.steer(Micros::ZERO, 100.0 + off, Tick::new(10_000));
            assert_eq!(playback.at(Micros::ZERO), shown, "{off}");
        }
    }

    #[test]
    fn it_holds_at_the_newest_sample_and_goes_on_from_there() {
        let mut playback = at_100(104);
        assert!(!playback.is_starved(ms(60)));
        assert!(playback.is_starved(ms(100)));
        assert_eq!(playback.at(ms(100)), 104.0);
        assert_eq!(playback.wanted(ms(100)), 106.4);
        assert_eq!(playback.at(ms(5_000)), 104.0);
        // News of ticks 105 to 110 come at 100 ms: nothing between is left out.
        playback.steer(ms(100), 106.4, Tick::new(110));
        assert_eq!(playback.at(ms(100)), 104.0);
        let after = playback.at(ms(110));
        assert!(after > 104.64 && after <= 104.704 + 1e-9, "{after}");
    }

    #[test]
    fn steering_without_news_neither_ends_nor_shortens_a_pause() {
        let mut playback = at_100(104);
        for tick in 1..=20 {
            let now = Micros::new(tick * 15_625);
            playback.steer(now, 100.0 + tick as f64, Tick::new(104));
            assert_eq!(playback.at(now), (100.0 + tick as f64).min(104.0));
            assert_eq!(playback.wanted(now), 100.0 + tick as f64);
            assert_eq!(playback.is_starved(now), tick > 4, "{tick}");
        }
        // Past the jump it still shows nothing that is not there.
        playback.steer(Micros::new(20 * 15_625), 150.0, Tick::new(104));
        assert_eq!(playback.at(Micros::from_millis(320)), 104.0);
    }

    #[test]
    fn with_a_reach_it_goes_so_far_past_the_newest_and_never_back() {
        let mut playback = at_100(104);
        playback.set_reach(3.0);
        assert_eq!(playback.at(ms(100)), 106.4);
        assert!(playback.is_starved(ms(100)));
        assert_eq!(playback.at(ms(500)), 107.0);
        playback.steer(ms(100), 106.4, Tick::new(105));
        assert_eq!(playback.at(ms(100)), 106.4);
        assert_eq!(playback.at(ms(500)), 108.0);
    }

    #[test]
    fn a_jump_does_not_pass_the_newest_sample_either() {
        let mut playback = at_100(104);
        playback.steer(ms(1_000), 160.0, Tick::new(150));
        assert_eq!(
            (playback.at(ms(1_000)), playback.wanted(ms(1_000))),
            (150.0, 160.0)
        );
        playback.steer(ms(1_000), 160.0, Tick::new(170));
        assert_eq!(playback.at(ms(1_000)), 150.0);
    }

    #[test]
    fn drawing_often_changes_nothing() {
        let (mut often, mut seldom) = (at_100(10_000), at_100(10_000));
        for step in 1..=1_000u64 {
            let now = Micros::new(step * 6_944);
            let drawn = often.at(now);
            if step % 7 == 0 {
                let target = 101.0 + now.as_secs_f64() * 64.0;
                often.steer(now, target, Tick::new(10_000));
                seldom.steer(now, target, Tick::new(10_000));
            }
            assert!(drawn <= often.at(now));
        }
        assert_eq!(often, seldom);
    }

    #[test]
    fn a_drifting_target_is_followed_and_not_trailed() {
        let mut playback = at_100(100_000);
        playback.set_pace(1.03);
        for step in 0..1_000 {
            let now = Micros::new(step * 15_625);
            playback.steer(now, 100.0 + 1.03 * step as f64, Tick::new(100_000));
        }
        let (shown, target) = (playback.at(ms(15_625)), 100.0 + 1.03 * 1_000.0);
        assert!((shown - target).abs() < 0.01, "{shown}, {target}");
    }

    #[test]
    fn a_reset_begins_at_the_next_target() {
        let mut playback = at_100(10_000);
        playback.reset();
        playback.steer(ms(10), 95.0, Tick::new(10_000));
        assert_eq!(playback.at(ms(10)), 95.0);
    }
}
