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

#[cfg(test)]
mod tests {
    use super::*;

    const START: Micros = Micros::from_millis(7_000);

    fn after(ms: u64) -> Micros {
        START + Micros::from_millis(ms)
    }

    /// 40 cm along the first axis, corrected at the start.
    fn corrected() -> ErrorOffset {
        let mut offset = ErrorOffset::new();
        offset.add(START, [0.4, 0.0, -0.2]);
        offset
    }

    #[test]
    fn it_begins_whole_and_is_exactly_nothing_after_its_time() {
        let offset = corrected();
        assert_eq!(offset.at(START), [0.4, 0.0, -0.2]);
        assert!(!offset.is_zero(after(166)));
        assert_eq!(offset.at(START + ErrorOffset::EASE), [0.0; 3]);
        assert!(offset.is_zero(after(10_000)));
        assert!(ErrorOffset::default().is_zero(Micros::ZERO));
    }

    #[test]
    fn it_only_falls_and_half_of_it_is_gone_in_a_fifth_of_its_time() {
        let offset = corrected();
        let mut last = 0.4;
        for ms in 1..=167 {
            let [x, y, z] = offset.at(after(ms));
            assert!(x < last && y == 0.0 && (z + x / 2.0).abs() < 1e-6, "{ms}");
            last = x;
        }
        assert!((offset.at(after(34))[0] - 0.2).abs() < 0.005);
    }

    #[test]
    fn it_is_the_same_at_every_frame_rate() {
        let (mut often, seldom) = (corrected(), corrected());
        for us in 0..83_333 {
            often.at(START + Micros::new(us));
        }
        often.add(after(83), [0.0; 3]);
        // A correction of nothing restarts what is left, and nothing else does.
        assert_eq!(often.at(after(83)), seldom.at(after(83)));
    }

    #[test]
    fn a_second_correction_eases_with_what_is_left_of_the_first() {
        let mut offset = corrected();
        let left = offset.at(after(80));
        offset.add(after(80), [0.1, 0.3, 0.0]);
        assert_eq!(offset.at(after(80)), [left[0] + 0.1, 0.3, left[2]]);
        assert_eq!(offset.at(after(80) + ErrorOffset::EASE), [0.0; 3]);
    }

    #[test]
    fn a_teleport_clears_it_and_an_ease_of_nothing_shows_all_at_once() {
        let mut offset = corrected();
        offset.clear();
        assert!(offset.is_zero(START));
        let mut at_once = ErrorOffset::over(Micros::ZERO);
        at_once.add(START, [1.0; 3]);
        assert!(at_once.is_zero(START));
    }
}
