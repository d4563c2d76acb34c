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
    /// What is added to the pace, as a share of it, and for how long, us.
    bend: f64,
    bend_for: f64,
    /// The newest sample; `None` before the first [`Playback::steer`].
    newest: Option<Tick>,
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
            bend: 0.0,
            bend_for: 0.0,
            newest: None,
        }
    }

    /// At `now` it should be at tick `target`, and `newest` is the newest sample there is.
    pub fn steer(&mut self, now: Micros, target: f64, newest: Tick) {
        let shown = self.at(now);
        let off = target - shown;
        self.from = now;
        if self.newest.is_none() || off.abs() > Self::JUMP {
            self.tick = target.clamp(0.0, newest.get() as f64);
            self.bend = 0.0;
            self.bend_for = 0.0;
        } else {
            self.tick = shown;
            self.bend = (off / (self.rate * Self::EASE)).clamp(-Self::SLEW, Self::SLEW);
            self.bend_for = if self.bend == 0.0 {
                0.0
            } else {
                off / (self.rate * self.bend)
            };
        }
        self.newest = Some(newest);
    }

    /// The tick to draw: never past the newest sample. 0 before the first [`steer`](Self::steer).
    pub fn at(&self, now: Micros) -> f64 {
        self.newest
            .map_or(0.0, |newest| self.wanted(now).min(newest.get() as f64))
    }

    /// The tick that would be drawn if the newest sample were no bound. Past it, the screen is starved.
    pub fn wanted(&self, now: Micros) -> f64 {
        if self.newest.is_none() {
            return 0.0;
        }
        let passed = (now - self.from).get() as f64;
        self.tick + self.rate * (passed + self.bend * passed.min(self.bend_for))
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
    }
}
