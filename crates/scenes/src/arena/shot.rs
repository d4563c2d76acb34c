//! A shot is judged twice: in the present, and in the past that its shooter saw. Where there is a past, it decides.

use super::map::{self, Block};
use crate::scene::Verdict;
use crate::vec2::Vec2;

/// Someone who can be hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Target {
    /// Its slot.
    pub(super) slot: usize,
    /// Where it is, m.
    pub(super) now: Vec2,
    /// Where it was in the past that the shooter saw, m; `None` if it was not there or out of the game then.
    pub(super) then: Option<Vec2>,
}

/// What became of a shot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outcome {
    /// See [`Verdict`].
    pub(super) verdict: Verdict,
    /// Whom it hit or, denied, would have hit.
    pub(super) victim: Option<Target>,
    /// How far along the ray it ends, m.
    pub(super) length: f32,
}

/// Judges the ray from `from` along `way`, a unit vector. Walls and gate are those of the present in both worlds: only
/// players' roots are put back (seed `001_545bc6c5b0a72338.txt`). `rewinds` is false where the present alone judges:
/// then `then` is not looked at.
pub(super) fn judge(
    from: Vec2,
    way: Vec2,
    gate: Option<Block>,
    targets: impl Iterator<Item = Target>,
    rewinds: bool,
) -> Outcome {
    let wall = map::ray(from, way, gate);
    let mut now: Option<(f32, Target)> = None;
    let mut then: Option<(f32, Target)> = None;
    // Nearest first; of two equally near the lower slot, because it comes first.
    let nearer = |best: &mut Option<(f32, Target)>, place: Vec2, target: Target| {
        if let Some(far) = map::ray_circle(from, way, place)
            && far < wall
            && best.is_none_or(|(least, _)| far < least)
        {
            *best = Some((far, target));
        }
    };
    for target in targets {
        nearer(&mut now, target.now, target);
        if rewinds && let Some(place) = target.then {
            nearer(&mut then, place, target);
        }
    }
    let (verdict, hit) = match (now, then) {
        (Some(hit), _) if !rewinds => (Verdict::Hit, Some(hit)),
        (Some((_, a)), Some(hit)) if a.slot == hit.1.slot => (Verdict::Hit, Some(hit)),
        (_, Some(hit)) => (Verdict::Granted, Some(hit)),
        // It goes on to the wall: what it would have hit was not there.
        (Some((_, target)), None) => (Verdict::Denied, Some((wall, target))),
        (None, None) => (Verdict::Miss, None),
    };
    let length = hit.map_or(wall, |(far, _)| far);
    Outcome {
        verdict,
        victim: hit.map(|(_, target)| target),
        length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::record::Gate;
    use crate::vec2::vec2;

    const FROM: Vec2 = vec2(-12.0, 0.6);
    const RIGHT: Vec2 = vec2(1.0, 0.0);

    fn target(slot: usize, now: Vec2, then: Option<Vec2>) -> Target {
        Target { slot, now, then }
    }

    fn judged(targets: &[Target], rewinds: bool) -> (Verdict, Option<usize>, f32) {
        let outcome = judge(FROM, RIGHT, None, targets.iter().copied(), rewinds);
        (
            outcome.verdict,
            outcome.victim.map(|target| target.slot),
            outcome.length,
        )
    }

    const ON: Vec2 = vec2(-7.0, 0.6);
    const OFF: Vec2 = vec2(-7.0, 3.0);
    /// From [`FROM`] to the pillar behind the gate's opening.
    const WALL: f32 = 12.0 - 0.4 + 5.4;

    #[test]
    fn the_four_verdicts() {
        assert_eq!(
            judged(&[target(4, ON, Some(ON))], true),
            (Verdict::Hit, Some(4), 4.5)
        );
        assert_eq!(
            judged(&[target(4, OFF, Some(ON))], true),
            (Verdict::Granted, Some(4), 4.5)
        );
        let (verdict, slot, length) = judged(&[target(4, ON, Some(OFF))], true);
        assert_eq!((verdict, slot), (Verdict::Denied, Some(4)));
        assert!(
            (length - WALL).abs() < 1e-4,
            "goes on to the wall: {length}"
        );
        assert_eq!(judged(&[target(4, OFF, Some(OFF))], true).0, Verdict::Miss);
    }

    #[test]
    fn without_a_past_the_present_decides() {
        assert_eq!(judged(&[target(4, ON, Some(OFF))], false).0, Verdict::Hit);
        assert_eq!(judged(&[target(4, OFF, Some(ON))], false).0, Verdict::Miss);
    }

    #[test]
    fn who_was_not_there_then_cannot_be_hit_then() {
        assert_eq!(judged(&[target(4, ON, None)], true).0, Verdict::Denied);
    }

    #[test]
    fn the_past_decides_between_two_victims() {
        let both = [target(3, ON, Some(OFF)), target(4, OFF, Some(ON))];
        assert_eq!(judged(&both, true), (Verdict::Granted, Some(4), 4.5));
    }

    #[test]
    fn the_nearest_is_hit_and_a_wall_stops_it_in_both_worlds() {
        let near = vec2(-9.0, 0.9);
        let both = [target(3, ON, Some(ON)), target(4, near, Some(near))];
        assert_eq!(judged(&both, true).1, Some(4));
        let behind = vec2(8.0, 0.6);
        assert_eq!(
            judged(&[target(3, behind, Some(behind))], true).0,
            Verdict::Miss
        );
    }
    #[test]
    fn a_closed_gate_stops_a_shot_and_an_open_one_does_not() {
        let there = vec2(3.0, 0.6);
        let shot = |y| {
            let gate = Some(Block::of_gate(Gate { y }));
            let outcome = judge(
                FROM,
                RIGHT,
                gate,
                [target(3, there, None)].into_iter(),
                false,
            );
            (outcome.verdict, outcome.length)
        };
        assert_eq!(shot(0), (Verdict::Miss, 12.75));
        assert_eq!(shot(3_700), (Verdict::Hit, 14.5));
    }
}
