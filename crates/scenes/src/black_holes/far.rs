//! What a player is told of the holes: those near by themselves, those far in summary; and what a client makes of it.

use netcode::Digest;
use netcode::interest::{AggregateTree, Summary, WeightedPoint};
use wire::Tick;

use super::record::{FAR_HOLES, FarHoles};
use super::{HOLES, Mode, SHIPS, rules};
use crate::vec2::{Vec2, vec2};

/// Halvings of the arena: cells down to 47 px.
const DEPTH: u32 = 6;

/// A hole as it is summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Near {
    /// Its place among the holes.
    pub at: usize,
    /// px.
    pub place: Vec2,
    /// px/s.
    pub speed: Vec2,
    pub mass: f32,
}

/// Who hears of which hole, made anew in each tick of a server.
#[derive(Debug)]
pub(super) struct Told {
    /// By ship, a bit a hole.
    hears: [u64; SHIPS as usize],
    /// The rows of all ships, and where each ship's end.
    rows: Vec<i32>,
    ends: [usize; SHIPS as usize],
    tree: AggregateTree,
    points: Vec<WeightedPoint>,
    summaries: Vec<Summary>,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            hears: [0; SHIPS as usize],
            rows: Vec::new(),
            ends: [0; SHIPS as usize],
            tree: AggregateTree::new(),
            points: Vec::new(),
            summaries: Vec::new(),
        }
    }
}

/// What it is made with is scratch space: a copy starts without it.
impl Clone for Told {
    fn clone(&self) -> Self {
        Self {
            rows: self.rows.clone(),
            hears: self.hears,
            ends: self.ends,
            ..Self::default()
        }
    }

    fn clone_from(&mut self, from: &Self) {
        self.rows.clone_from(&from.rows);
        (self.hears, self.ends) = (from.hears, from.ends);
    }
}

impl Told {
    /// Says for each ship (`None`: nobody flies it) which holes it is told of.
    pub(super) fn tell(
        &mut self,
        mode: Mode,
        radius: f32,
        ships: impl Iterator<Item = Option<Vec2>>,
        holes: &[Near],
    ) {
        self.rows.clear();
        if let Mode::Aggregated { .. } = mode {
            self.points.clear();
            self.points.extend(holes.iter().map(|hole| WeightedPoint {
                at: hole.place.array(),
                weight: hole.mass,
            }));
            self.tree
                .build_in(&self.points, [0.0; 2], 2.0 * rules::HALF, DEPTH);
        }
        for (ship, eye) in ships.enumerate() {
            self.hears[ship] = match (eye, mode) {
                (None, _) => 0,
                (Some(_), Mode::Full) => u64::MAX,
                (Some(eye), Mode::Culled) => set(holes, |hole| {
                    let apart = hole.place - eye;
                    apart.dot(apart) <= radius * radius
                }),
                (Some(eye), Mode::Aggregated { theta }) => self.sum_up(eye, theta, holes),
            };
            self.ends[ship] = self.rows.len();
        }
    }

    /// Appends the rows of one ship, and gives the holes that it hears of by themselves.
    fn sum_up(&mut self, eye: Vec2, theta: u16, holes: &[Near]) -> u64 {
        self.tree
            .summarize(eye.array(), f32::from(theta) / 100.0, &mut self.summaries);
        let mut hears = 0;
        for summary in &self.summaries {
            let members = self.tree.members(summary);
            if let [alone] = members {
                hears |= 1 << holes[*alone as usize].at;
                continue;
            }
            let mut drift = Vec2::ZERO;
            for member in members {
                let hole = &holes[*member as usize];
                drift += hole.speed * hole.mass;
            }
            let row = FarHoles::of(summary, drift * (1.0 / summary.weight));
            let start = self.rows.len();
            self.rows.resize(start + FarHoles::WIDTH, 0);
            row.save(&mut self.rows[start..]);
        }
        hears
    }

    /// The holes that a ship is told of, a bit each.
    pub(super) fn hears(&self, ship: usize) -> u64 {
        self.hears[ship]
    }

    /// What a ship is told in summary.
    pub(super) fn rows(&self, ship: usize) -> &[i32] {
        let start = ship.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.rows[start..self.ends[ship]]
    }

    pub(super) fn heap(&self) -> usize {
        size_of_val(self.rows.as_slice())
    }
}

fn set(holes: &[Near], hears: impl Fn(&Near) -> bool) -> u64 {
    const { assert!(HOLES <= 64, "a bit each") };
    let heard = holes.iter().filter(|hole| hears(hole));
    heard.fold(0, |set, hole| set | 1 << hole.at)
}

impl FarHoles {
    fn of(summary: &Summary, drift: Vec2) -> Self {
        let code = |at: usize, value: f32| FAR_HOLES.fields[at].quant.encode(value);
        Self {
            mass: code(Self::AT.mass, summary.weight),
            x: code(Self::AT.x, summary.at[0]),
            y: code(Self::AT.y, summary.at[1]),
            vx: code(Self::AT.vx, drift.x),
            vy: code(Self::AT.vy, drift.y),
            count: summary.count as i32,
        }
    }
}

/// The stand-ins that a client knows, and the tick that they are of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StandIns {
    tick: Tick,
    rows: Vec<FarHoles>,
}

impl StandIns {
    pub(super) fn hear(&mut self, tick: Tick, rows: &[i32]) {
        self.tick = tick;
        self.rows.clear();
        self.rows
            .extend(rows.chunks_exact(FarHoles::WIDTH).map(FarHoles::load));
    }

    /// Each with its place at a tick, px, and what it pulls with.
    pub(super) fn at(&self, tick: Tick, dt: f32) -> impl Iterator<Item = (Vec2, f32, u32)> {
        // Further apart than this no stand-in is of use, and no number too large.
        let elapsed = (tick.get() as i64 - self.tick.get() as i64).clamp(-1_000, 1_000) as f32 * dt;
        self.rows.iter().map(move |row| {
            let mut codes = [0; FarHoles::WIDTH];
            let mut values = [0.0; FarHoles::WIDTH];
            row.save(&mut codes);
            FAR_HOLES.decode(&codes, &mut values);
            let at = |field: usize| values[field];
            let place = vec2(at(FarHoles::AT.x), at(FarHoles::AT.y));
            let drift = vec2(at(FarHoles::AT.vx), at(FarHoles::AT.vy));
            let count = row.count as u32;
            (place + drift * elapsed, at(FarHoles::AT.mass), count)
        })
    }

    pub(super) fn heap(&self) -> usize {
        size_of_val(self.rows.as_slice())
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.u64(self.tick.get());
        digest.u64(self.rows.len() as u64);
        let mut codes = [0; FarHoles::WIDTH];
        for row in &self.rows {
            row.save(&mut codes);
            digest.codes(&codes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn holes(count: usize) -> Vec<Near> {
        let mut rng = Rng::new(8);
        (0..count)
            .map(|at| Near {
                at,
                place: vec2(
                    rng.between(-1_400.0, 1_400.0),
                    rng.between(-1_400.0, 1_400.0),
                ),
                speed: vec2(rng.between(-40.0, 40.0), rng.between(-40.0, 40.0)),
                mass: rng.between(1.0, 4.0),
            })
            .collect()
    }

    fn told(mode: Mode, holes: &[Near]) -> Told {
        let mut told = Told::default();
        let ships = [Some(vec2(100.0, -900.0)), None, Some(vec2(-700.0, 700.0))];
        told.tell(mode, 600.0, ships.into_iter(), holes);
        told
    }

    #[test]
    fn each_mode_tells_of_every_hole_of_the_near_ones_or_of_all_in_one_way_or_the_other() {
        let holes = holes(64);
        let full = told(Mode::Full, &holes);
        assert_eq!((full.hears(0), full.hears(1)), (u64::MAX, 0));
        let culled = told(Mode::Culled, &holes);
        let near = culled.hears(0).count_ones();
        assert!((2..20).contains(&near), "{near}");
        let far = told(Mode::Aggregated { theta: 50 }, &holes);
        for ship in [0, 2] {
            let alone = far.hears(ship).count_ones() as usize;
            let rows: Vec<_> = far.rows(ship).chunks_exact(FarHoles::WIDTH).collect();
            let together: i32 = rows.iter().map(|row| row[FarHoles::AT.count]).sum();
            assert_eq!(alone + together as usize, 64);
            assert!(rows.len() > 2 && alone > 2, "{} {alone}", rows.len());
        }
        assert_eq!(far.rows(1), []);
        let exact = told(Mode::Aggregated { theta: 0 }, &holes);
        assert_eq!((exact.hears(0), exact.rows(0).len()), (u64::MAX, 0));
    }

    #[test]
    fn a_stand_in_pulls_from_where_its_group_has_drifted_to() {
        let group = [
            Near {
                at: 0,
                place: vec2(900.0, 900.0),
                speed: vec2(20.0, 0.0),
                mass: 1.0,
            },
            Near {
                at: 1,
                place: vec2(908.0, 904.0),
                speed: vec2(-20.0, 40.0),
                mass: 3.0,
            },
        ];
        let mut told = Told::default();
        told.tell(
            Mode::Aggregated { theta: 100 },
            0.0,
            [Some(vec2(-1_000.0, -1_000.0))].into_iter(),
            &group,
        );
        let mut far = StandIns::default();
        far.hear(Tick::new(100), told.rows(0));
        let seen: Vec<_> = far.at(Tick::new(164), 1.0 / 64.0).collect();
        // The middle of mass after a second: each weighs what it weighs.
        let [(place, mass, count)] = seen[..] else {
            panic!("one group: {seen:?}");
        };
        assert_eq!((mass, count), (4.0, 2));
        assert!(
            (place - vec2(906.0 - 10.0, 903.0 + 30.0)).length() < 1.5,
            "{place:?}"
        );
    }
}
