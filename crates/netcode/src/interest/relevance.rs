//! The rule by which a viewer hears of something.

use super::grid::SpatialGrid;
use super::visibility::VisibilitySet;
use crate::bits::Bits;

/// From where somebody looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewer {
    /// Its place, in world units.
    pub at: [f32; 2],
    /// Where it looks, of length 1. Only a frustum asks.
    pub facing: [f32; 2],
}

/// What a viewer sees. What it hears already stays heard within `margin` beyond that (hysteresis): whoever walks along the rim
/// is not born and buried every tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sight {
    /// Everything.
    All,
    /// What is at most so far away.
    Radius {
        /// World units, included.
        radius: f32,
        /// World units.
        margin: f32,
    },
    /// What lies before it: a strip as wide as `near` to both sides that opens by `slope` for each unit ahead.
    Frustum {
        /// How far it reaches ahead, world units.
        reach: f32,
        /// Half its width at the eye, world units.
        near: f32,
        /// The tangent of half the angle of view.
        slope: f32,
        /// World units, on every side.
        margin: f32,
    },
}

impl Sight {
    /// Whether a viewer sees a place; `heard` says whether it heard of who is there the tick before.
    pub fn sees(&self, viewer: &Viewer, place: [f32; 2], heard: bool) -> bool {
        let (dx, dy) = (place[0] - viewer.at[0], place[1] - viewer.at[1]);
        let beyond = |margin: f32| if heard { margin } else { 0.0 };
        match *self {
            Self::All => true,
            Self::Radius { radius, margin } => {
                let reach = radius + beyond(margin);
                reach >= 0.0 && dx * dx + dy * dy <= reach * reach
            }
            Self::Frustum {
                reach,
                near,
                slope,
                margin,
            } => {
                let [fx, fy] = viewer.facing;
                let (ahead, aside) = (dx * fx + dy * fy, (dx * fy - dy * fx).abs());
                let margin = beyond(margin);
                (-margin..=reach + margin).contains(&ahead)
                    && aside <= near + slope * ahead.max(0.0) + margin
            }
        }
    }

    /// How far from the viewer anything that is heard can be, world units.
    pub fn bound(&self) -> f32 {
        match *self {
            Self::All => f32::INFINITY,
            Self::Radius { radius, margin } => radius + margin,
            Self::Frustum {
                reach,
                near,
                slope,
                margin,
            } => {
                let (ahead, aside) = (reach + margin, near + slope * (reach + margin) + margin);
                // A rounding more, so that the corner itself is found.
                (ahead * ahead + aside * aside).sqrt() * (1.0 + 4.0 * f32::EPSILON)
            }
        }
    }
}

/// The policy of who hears what: what is seen, and the own team wherever it is.
///
/// Source: seed `003_6a8f128b2e325724.txt`, which leaves the rule to the game; these are the three that it names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relevance {
    /// What is seen is heard.
    pub sight: Sight,
    /// Whether the own team is heard beyond sight too.
    pub team: bool,
}

impl Relevance {
    /// Turns the set to a new tick and fills it with what the viewer hears. The grid's points are called by their slots; `team`
    /// are the slots of the viewer's side.
    pub fn hear(
        &self,
        viewer: &Viewer,
        grid: &SpatialGrid,
        team: &Bits,
        heard: &mut VisibilitySet,
    ) {
        let (now, before) = heard.turn();
        match self.sight {
            Sight::All => grid.each(|id, _| now.insert(id as usize)),
            Sight::Radius { radius, margin } if margin > 0.0 => {
                let inside = radius * radius;
                grid.each_within(viewer.at, radius + margin, |id, _, apart| {
                    if apart <= inside || before.contains(id as usize) {
                        now.insert(id as usize);
                    }
                });
            }
            Sight::Radius { radius, .. } => grid.query_set(viewer.at, radius, now),
            Sight::Frustum { .. } => {
                grid.each_within(viewer.at, self.sight.bound(), |id, place, _| {
                    let slot = id as usize;
                    if self.sight.sees(viewer, place, before.contains(slot)) {
                        now.insert(slot);
                    }
                });
            }
        }
        if self.team {
            now.union(team);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::fixture::Dice;
    use crate::interest::GridQuantizer;

    const SLOTS: usize = 300;

    #[test]
    fn by_the_grid_is_heard_what_one_by_one_is_heard() {
        let seed = 77;
        let mut dice = Dice(seed);
        let rules = [
            Sight::All,
            Sight::Radius {
                radius: 150.0,
                margin: 40.0,
            },
            Sight::Radius {
                radius: 150.0,
                margin: 0.0,
            },
            Sight::Frustum {
                reach: 400.0,
                near: 10.0,
                slope: 0.6,
                margin: 25.0,
            },
        ];
        let mut grid = SpatialGrid::new(GridQuantizer::new([0.0; 2], [1000.0; 2], 60.0));
        let mut team = Bits::new(SLOTS);
        (0..SLOTS).step_by(7).for_each(|slot| team.insert(slot));
        for (sight, side) in rules
            .iter()
            .flat_map(|rule| [(*rule, false), (*rule, true)])
        {
            let rule = Relevance { sight, team: side };
            let mut heard = VisibilitySet::new(SLOTS);
            let mut places = [[0.0f32; 2]; SLOTS];
            places = places.map(|p| p.map(|_| dice.unit() as f32 * 1000.0));
            let mut held = 0;
            for tick in 0..40 {
                for place in places.iter_mut().flatten() {
                    *place += dice.unit() as f32 * 30.0 - 15.0;
                }
                let turn = std::f32::consts::TAU * dice.unit() as f32;
                let viewer = Viewer {
                    at: [400.0 + tick as f32, 500.0],
                    facing: [libm_free_cos(turn), libm_free_sin(turn)],
                };
                let old = heard.now().clone();
                grid.rebuild((0..).zip(places));
                rule.hear(&viewer, &grid, &team, &mut heard);
                for (slot, place) in places.iter().enumerate() {
                    let sees = sight.sees(&viewer, *place, old.contains(slot));
                    let expected = sees || (side && team.contains(slot));
                    assert_eq!(heard.now().contains(slot), expected, "seed {seed} {rule:?}");
                    held += u32::from(sees && !sight.sees(&viewer, *place, false));
                }
            }
            let margin = !matches!(sight, Sight::All | Sight::Radius { margin: 0.0, .. });
            assert_eq!(held > 0, margin, "the margin held somebody: {rule:?}");
        }
    }

    #[test]
    fn who_walks_along_the_rim_is_not_born_and_buried_every_tick() {
        let changes = |margin: f32| {
            let sight = Sight::Radius {
                radius: 100.0,
                margin,
            };
            let viewer = Viewer {
                at: [0.0; 2],
                facing: [1.0, 0.0],
            };
            let (mut heard, mut changes) = (false, 0);
            for tick in 0..100 {
                let now = sight.sees(&viewer, [100.0 + [-1.0, 1.0][tick % 2], 0.0], heard);
                changes += u32::from(now != heard);
                heard = now;
            }
            changes
        };
        assert_eq!((changes(0.0), changes(5.0)), (100, 1));
    }

    #[test]
    fn a_frustum_has_a_front_two_sides_and_no_back() {
        let sight = Sight::Frustum {
            reach: 100.0,
            near: 1.0,
            slope: 0.5,
            margin: 2.0,
        };
        let viewer = Viewer {
            at: [10.0, 10.0],
            facing: [0.0, 1.0],
        };
        let sees = |dx: f32, dy: f32, heard| sight.sees(&viewer, [10.0 + dx, 10.0 + dy], heard);
        assert!(sees(0.0, 100.0, false) && !sees(0.0, 100.1, false) && sees(0.0, 102.0, true));
        assert!(sees(21.0, 40.0, false) && !sees(-21.1, 40.0, false) && sees(-23.0, 40.0, true));
        assert!(!sees(0.0, -0.1, false) && sees(0.0, -2.0, true) && !sees(0.0, -2.1, true));
    }

    #[expect(clippy::disallowed_methods, reason = "a test runs on one machine")]
    fn libm_free_cos(angle: f32) -> f32 {
        angle.cos()
    }

    #[expect(clippy::disallowed_methods, reason = "a test runs on one machine")]
    fn libm_free_sin(angle: f32) -> f32 {
        angle.sin()
    }
}
