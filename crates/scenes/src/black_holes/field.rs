//! What pulls: the holes that an end knows of, and stand-ins for those that it was only told the sum of.

use crate::vec2::{Vec2, vec2};

use super::rules::{PULL, SOFT};

/// Sources summed side by side. The sums are of fixed lanes in a fixed order, so every machine gets the same bits, and
/// compilers make vectors of them.
const LANES: usize = 4;

/// Everything that pulls in one tick, rebuilt for it; nothing is allocated once it is warm.
#[derive(Debug, Default)]
pub(super) struct Field {
    x: Vec<f32>,
    y: Vec<f32>,
    mass: Vec<f32>,
    /// Square of the distance at which a source swallows; negative for one that does not.
    near: Vec<f32>,
    sources: usize,
}

/// Scratch space is not state: a copy starts empty.
impl Clone for Field {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// What the field does at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pull {
    /// px/s².
    pub accel: Vec2,
    /// Whether it lies inside a hole.
    pub inside: bool,
}

impl Field {
    pub(super) fn clear(&mut self) {
        for lane in [&mut self.x, &mut self.y, &mut self.mass, &mut self.near] {
            lane.clear();
        }
        self.sources = 0;
    }

    /// Adds a source that swallows what comes within `radius`; 0: one that only pulls.
    pub(super) fn push(&mut self, place: Vec2, mass: f32, radius: f32) {
        // The padding of the lanes before it goes first.
        self.truncate();
        self.x.push(place.x);
        self.y.push(place.y);
        self.mass.push(mass * PULL);
        self.near
            .push(if radius > 0.0 { radius * radius } else { -1.0 });
        self.sources += 1;
        self.pad();
    }

    fn truncate(&mut self) {
        for lane in [&mut self.x, &mut self.y, &mut self.mass, &mut self.near] {
            lane.truncate(self.sources);
        }
    }

    /// Sources without mass fill the last lanes.
    fn pad(&mut self) {
        let whole = self.sources.next_multiple_of(LANES);
        for (lane, empty) in [
            (&mut self.x, 0.0),
            (&mut self.y, 0.0),
            (&mut self.mass, 0.0),
            (&mut self.near, -1.0),
        ] {
            lane.resize(whole, empty);
        }
    }

    /// The pull at a place: each source by the square of its distance, softened so that none is without bound.
    pub(super) fn at(&self, place: Vec2) -> Pull {
        let (mut ax, mut ay) = ([0.0f32; LANES], [0.0f32; LANES]);
        let mut inside = [false; LANES];
        let lanes = self
            .x
            .chunks_exact(LANES)
            .zip(self.y.chunks_exact(LANES))
            .zip(self.mass.chunks_exact(LANES))
            .zip(self.near.chunks_exact(LANES));
        for (((x, y), mass), near) in lanes {
            for lane in 0..LANES {
                let (dx, dy) = (x[lane] - place.x, y[lane] - place.y);
                let far = dx * dx + dy * dy;
                let soft = far + SOFT * SOFT;
                let pull = mass[lane] / (soft * soft.sqrt());
                ax[lane] += dx * pull;
                ay[lane] += dy * pull;
                inside[lane] |= far < near[lane];
            }
        }
        let sum = |lanes: [f32; LANES]| (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
        Pull {
            accel: vec2(sum(ax), sum(ay)),
            inside: inside != [false; LANES],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn it_is_the_sum_of_its_sources_however_many_fill_the_last_lanes() {
        let mut rng = Rng::new(4);
        let mut sources = Vec::new();
        let mut field = Field::default();
        for count in 1..=9 {
            let place = vec2(rng.between(-900.0, 900.0), rng.between(-900.0, 900.0));
            let mass = rng.between(1.0, 4.0);
            sources.push((place, mass));
            field.push(place, mass, 20.0);
            assert_eq!(field.x.len(), usize::next_multiple_of(count, LANES));
            let at = vec2(rng.between(-900.0, 900.0), rng.between(-900.0, 900.0));
            let (mut x, mut y) = (0.0f64, 0.0f64);
            for (place, mass) in &sources {
                let (dx, dy) = (f64::from(place.x - at.x), f64::from(place.y - at.y));
                let soft = dx * dx + dy * dy + f64::from(SOFT * SOFT);
                let pull = f64::from(*mass * PULL) / (soft * soft.sqrt());
                x += dx * pull;
                y += dy * pull;
            }
            let accel = field.at(at).accel;
            assert!((f64::from(accel.x) - x).abs() < 1e-3, "{accel:?} {x}");
            assert!((f64::from(accel.y) - y).abs() < 1e-3, "{accel:?} {y}");
        }
    }

    #[test]
    fn what_is_inside_a_hole_is_known_and_a_stand_in_swallows_nothing() {
        let mut field = Field::default();
        assert_eq!(
            field.at(Vec2::ZERO),
            Pull {
                accel: Vec2::ZERO,
                inside: false
            }
        );
        field.push(vec2(0.0, 0.0), 9.0, 0.0);
        assert!(!field.at(Vec2::ZERO).inside);
        field.push(vec2(5.0, 0.0), 1.0, 10.0);
        assert!(field.at(Vec2::ZERO).inside);
        assert!(!field.at(vec2(16.0, 0.0)).inside);
    }
}
