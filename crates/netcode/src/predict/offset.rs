//! What is left to ease of a correction that the simulation has taken already.

use wire::Micros;

/// The distance between where a body was about to be drawn and where it now is, easing to nothing.
///
/// The simulation takes a correction at once and exactly; a picture that did so would show a teleport. So the picture is
/// drawn at the simulated place **plus** this offset, and no tick ever simulates from there. It is a pure function of
/// `now`, equal at every frame rate, and exactly zero after its time. Source: seed `001_545bc6c5b0a72338.txt` (about a
/// sixth of a second); the curve is our own: a cubic, steep at first and level at the end, without an exponential that
/// would never end and differs between machines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorOffset {
    /// World units, at `since`.
    offset: [f32; 3],
    since: Micros,
    over: Micros,
}

impl ErrorOffset {
    /// How long a correction eases: a sixth of a second.
    pub const EASE: Micros = Micros::new(166_667);

    /// No offset, easing over [`EASE`](Self::EASE).
    pub const fn new() -> Self {
        Self::over(Self::EASE)
    }

    /// No offset, easing over another time. Zero shows every correction at once.
    pub const fn over(ease: Micros) -> Self {
        Self {
            offset: [0.0; 3],
            since: Micros::ZERO,
            over: ease,
        }
    }

    /// How long a correction eases.
    pub const fn ease(&self) -> Micros {
        self.over
    }

    /// Adds what a correction moved the body by (drawn before, less simulated now; world units) to what is left of earlier
    /// ones, and eases the sum from `now` on.
    pub fn add(&mut self, now: Micros, delta: [f32; 3]) {
        let left = self.at(now);
        self.offset = [left[0] + delta[0], left[1] + delta[1], left[2] + delta[2]];
        self.since = now;
    }

    /// What to add to the simulated place at `now`, world units.
    pub fn at(&self, now: Micros) -> [f32; 3] {
        let passed = now - self.since;
        if passed >= self.over {
            return [0.0; 3];
        }
        let left = 1.0 - passed.get() as f32 / self.over.get() as f32;
        let share = left * left * left;
        self.offset.map(|part| part * share)
    }

    /// Whether anything is left at `now`.
    pub fn is_zero(&self, now: Micros) -> bool {
        self.at(now) == [0.0; 3]
    }

    /// Shows the simulated place at once: after a teleport, or another life.
    pub fn clear(&mut self) {
        self.offset = [0.0; 3];
    }
}

impl Default for ErrorOffset {
    fn default() -> Self {
        Self::new()
    }
}
