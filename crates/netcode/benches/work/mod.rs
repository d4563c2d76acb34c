//! The work that is measured, here and beside other people's crates: the same points, viewers and changes each time.

use std::time::Instant;

use wire::SlotKey;

pub(crate) const VIEWERS: usize = 32;
/// How far is heard in the scenes, and a screen's half, world units.
pub(crate) const RADII: [f32; 2] = [620.0, 200.0];
/// How many points a grid's world has.
pub(crate) const CROWDS: [usize; 2] = [3_000, 30_000];
/// How many points are summed up.
pub(crate) const FIELDS: [usize; 3] = [64, 3_000, 10_000];
/// Names in a streamed set, subscribers, and how many names change a round.
pub(crate) const KEYS: usize = 3_000;
pub(crate) const SUBSCRIBERS: usize = 32;
pub(crate) const CHURN: usize = 30;
/// Rounds until an acknowledgement is back.
pub(crate) const ROUND_TRIP: usize = 4;

/// Microseconds of the fastest of many runs: what the code costs, not what else the machine did.
pub(crate) fn least(runs: usize, mut run: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed().as_nanos() as f64);
    }
    least / 1e3
}

/// Chance from a seed (SplitMix64), evenly between 0 and 1.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// How wide the world of so many points is: always as dense, 4,000 for 3,000.
pub(crate) fn width(points: usize) -> f32 {
    4_000.0 * (points as f32 / 3_000.0).sqrt()
}

/// Points all over a world.
pub(crate) fn places(count: usize, width: f32, seed: u64) -> Vec<[f32; 2]> {
    let mut dice = Dice(seed);
    (0..count)
        .map(|_| [dice.unit() * width, dice.unit() * width])
        .collect()
}

/// Sets of slots that differ in so many.
pub(crate) fn sets(slots: usize, changes: usize) -> [Vec<usize>; 2] {
    let first: Vec<usize> = (0..slots).filter(|slot| slot % 2 == 0).collect();
    let step = slots / changes;
    let flipped = |slot: &usize| slot.is_multiple_of(step) && slot / step < changes;
    let second = (0..slots)
        .filter(|slot| (slot % 2 == 0) != flipped(slot))
        .collect();
    [first, second]
}

/// The names of a set, round after round: `CHURN` of them give way to new ones each time.
pub(crate) struct Crowd {
    pub(crate) keys: Vec<SlotKey>,
    at: usize,
}

impl Crowd {
    pub(crate) fn new() -> Self {
        let keys = (0..KEYS as u16).map(|slot| SlotKey::new(slot, 0)).collect();
        Self { keys, at: 0 }
    }

    pub(crate) fn turn(&mut self) {
        for _ in 0..CHURN {
            self.at = (self.at + 97) % KEYS;
            let key = &mut self.keys[self.at];
            *key = SlotKey::new(key.slot, key.life.wrapping_add(1));
        }
    }
}
