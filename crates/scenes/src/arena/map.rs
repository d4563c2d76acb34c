//! The arena's walls and gate: what a circle slides along and what a ray ends at.

use netcode::Digest;

use super::record::{Gate, PLACE};
use super::rules::RADIUS;
use crate::vec2::{Vec2, vec2};

/// Left, top, right, bottom of the arena, m. Its solid edge is [`EDGE`] thick and lies inside.
pub const BOUNDS: [f32; 4] = [-16.0, -12.0, 16.0, 12.0];

/// Thickness of the outer wall, m.
pub const EDGE: f32 = 0.3;

/// An upright box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Middle, right, m.
    pub x: f32,
    /// Middle, down, m.
    pub y: f32,
    /// Half the width, m.
    pub half_x: f32,
    /// Half the height, m.
    pub half_y: f32,
}

const fn block(left: f32, top: f32, right: f32, bottom: f32) -> Block {
    Block {
        x: (left + right) * 0.5,
        y: (top + bottom) * 0.5,
        half_x: (right - left) * 0.5,
        half_y: (bottom - top) * 0.5,
    }
}

/// Walls and cover. No two are nearer than a character is wide, so none is ever squeezed; the yard on the left keeps a
/// ring of 4 m clear (see [`super::nav::YARD`]).
pub const WALLS: [Block; 10] = [
    block(-12.0, -8.4, -8.4, -5.6),
    block(-4.2, -9.4, -2.6, -6.8),
    block(-11.4, 6.6, -4.4, 8.6),
    // The wall that divides the arena: a passage above, one below, and the gate between its halves.
    block(
        GATE_X - DIVIDER_HALF_X,
        -8.2,
        GATE_X + DIVIDER_HALF_X,
        -GATE_HALF_Y,
    ),
    block(
        GATE_X - DIVIDER_HALF_X,
        GATE_HALF_Y,
        GATE_X + DIVIDER_HALF_X,
        8.2,
    ),
    block(4.8, -8.4, 10.2, -6.4),
    block(5.0, -1.4, 6.8, 0.6),
    block(12.2, -3.6, 13.4, -0.6),
    block(8.4, 3.0, 11.0, 7.6),
    block(4.0, 5.4, 5.4, 8.4),
];

/// Where the dividing wall and its gate stand, m.
pub(super) const GATE_X: f32 = 1.0;
const DIVIDER_HALF_X: f32 = 0.4;
/// The gate's slab is thinner than the wall that it slides into.
const GATE_HALF_X: f32 = 0.25;
const GATE_HALF_Y: f32 = 1.8;
/// Middle of the closed and of the open gate, m. Open, it lies inside the lower half of the wall.
const GATE_CLOSED: f32 = 0.0;
const GATE_OPEN: f32 = 3.7;
/// The gate's round, s: closed, opening, open, closing. It moves at 3.1 m/s.
const GATE_ROUND: [f32; 4] = [1.6, 1.2, 2.2, 1.2];

impl Block {
    /// The slab of a gate.
    pub fn of_gate(gate: Gate) -> Self {
        Self {
            x: GATE_X,
            y: PLACE.decode(gate.y),
            half_x: GATE_HALF_X,
            half_y: GATE_HALF_Y,
        }
    }

    /// Pushes a circle of [`RADIUS`] out. Gives the direction in which it was pushed.
    fn push_out(&self, place: &mut Vec2) -> Option<Vec2> {
        let (dx, dy) = (place.x - self.x, place.y - self.y);
        let (over_x, over_y) = (dx.abs() - self.half_x, dy.abs() - self.half_y);
        if over_x >= RADIUS || over_y >= RADIUS {
            return None;
        }
        let (side_x, side_y) = (1f32.copysign(dx), 1f32.copysign(dy));
        if over_x > 0.0 && over_y > 0.0 {
            // At a corner: away from its tip.
            let apart = vec2(over_x * side_x, over_y * side_y);
            let length = apart.length();
            if length >= RADIUS {
                return None;
            }
            let normal = apart * (1.0 / length);
            *place += normal * (RADIUS - length);
            return Some(normal);
        }
        // At a face, or with its middle inside: out by the shorter way.
        if over_x > over_y {
            place.x = self.x + (self.half_x + RADIUS) * side_x;
            Some(vec2(side_x, 0.0))
        } else {
            place.y = self.y + (self.half_y + RADIUS) * side_y;
            Some(vec2(0.0, side_y))
        }
    }

    /// Whether a circle of [`RADIUS`] reaches more than a millimetre in, which no rounding does.
    pub(super) fn holds(&self, place: Vec2) -> bool {
        let (dx, dy) = (place.x - self.x, place.y - self.y);
        let over = vec2(
            (dx.abs() - self.half_x).max(0.0),
            (dy.abs() - self.half_y).max(0.0),
        );
        over.length() < RADIUS - 0.001
    }

    /// How far along a ray (`way` is a unit vector) it is entered, m; 0 from inside.
    fn enters(&self, from: Vec2, way: Vec2) -> Option<f32> {
        let (mut near, mut far) = (0.0f32, f32::INFINITY);
        for (start, along, middle, half) in [
            (from.x, way.x, self.x, self.half_x),
            (from.y, way.y, self.y, self.half_y),
        ] {
            let apart = middle - start;
            if along == 0.0 {
                if apart.abs() > half {
                    return None;
                }
                continue;
            }
            let (a, b) = ((apart - half) / along, (apart + half) / along);
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        (near <= far).then_some(near)
    }
}

/// Where the middle of the gate is after a tick, by time alone. For ends that decide: a client's count of ticks may be off.
pub(super) fn gate_at(tick: u64, dt: f32) -> Gate {
    let [closed, opening, open, closing] = GATE_ROUND;
    let round = ((closed + opening + open + closing) / dt + 0.5) as u64;
    let mut t = (tick % round.max(1)) as f32 * dt;
    let travel = GATE_OPEN - GATE_CLOSED;
    let y = if t < closed {
        GATE_CLOSED
    } else if t < closed + opening {
        GATE_CLOSED + travel * (t - closed) / opening
    } else if t < closed + opening + open {
        GATE_OPEN
    } else {
        t -= closed + opening + open;
        GATE_OPEN - travel * (t / closing).min(1.0)
    };
    Gate { y: PLACE.encode(y) }
}

/// The rectangle that the middle of a character stays in.
const fn inside() -> (Vec2, Vec2) {
    let [left, top, right, bottom] = BOUNDS;
    let by = EDGE + RADIUS;
    (vec2(left + by, top + by), vec2(right - by, bottom - by))
}

/// Pushes a character out of everything solid and takes from its speed what goes into it. Right for steps below
/// [`RADIUS`]: longer ones are the caller's to cut.
pub(super) fn settle(place: &mut Vec2, speed: &mut Vec2, gate: Option<Block>) {
    // Twice: out of one wall may be into its neighbour. The gate first and the walls last, so that a closing gate
    // never presses anyone into a wall.
    for _ in 0..2 {
        let mut touched = false;
        for solid in gate.iter().chain(&WALLS) {
            if let Some(normal) = solid.push_out(place) {
                stop(speed, normal);
                touched = true;
            }
        }
        let (low, high) = inside();
        if place.x < low.x || place.x > high.x {
            place.x = place.x.clamp(low.x, high.x);
            stop(speed, vec2(1f32.copysign(-place.x), 0.0));
            touched = true;
        }
        if place.y < low.y || place.y > high.y {
            place.y = place.y.clamp(low.y, high.y);
            stop(speed, vec2(0.0, 1f32.copysign(-place.y)));
            touched = true;
        }
        if !touched {
            return;
        }
    }
    // Between the tip of the gate and the jamb there is no room: out of the gateway sideways, where there always is.
    if let Some(gate) = gate
        && gate.holds(*place)
    {
        let side = 1f32.copysign(place.x - gate.x);
        place.x = gate.x + (DIVIDER_HALF_X + RADIUS) * side;
    }
}

/// Takes from a speed what goes against a normal.
fn stop(speed: &mut Vec2, normal: Vec2) {
    let into = speed.dot(normal);
    if into < 0.0 {
        *speed = *speed - normal * into;
    }
}

/// How far along a ray (`way` is a unit vector) something solid is, m, at most to the outer wall.
pub(super) fn ray(from: Vec2, way: Vec2, gate: Option<Block>) -> f32 {
    let [left, top, right, bottom] = BOUNDS;
    let edge = |start: f32, along: f32, low: f32, high: f32| {
        if along > 0.0 {
            (high - start) / along
        } else if along < 0.0 {
            (low - start) / along
        } else {
            f32::INFINITY
        }
    };
    let out = edge(from.x, way.x, left + EDGE, right - EDGE).min(edge(
        from.y,
        way.y,
        top + EDGE,
        bottom - EDGE,
    ));
    gate.iter()
        .chain(&WALLS)
        .filter_map(|solid| solid.enters(from, way))
        .fold(out.max(0.0), f32::min)
}

/// How far along a ray (`way` is a unit vector) a circle of [`RADIUS`] is entered, m; 0 from inside.
pub(super) fn ray_circle(from: Vec2, way: Vec2, middle: Vec2) -> Option<f32> {
    let to = middle - from;
    let along = to.dot(way);
    let beside = to.dot(to) - along * along;
    let inside = RADIUS * RADIUS - beside;
    if inside < 0.0 {
        return None;
    }
    let half = inside.sqrt();
    (along + half >= 0.0).then_some((along - half).max(0.0))
}

/// Whether nothing solid is between two places inside the arena.
pub(super) fn sees(from: Vec2, to: Vec2, gate: Option<Block>) -> bool {
    let apart = to - from;
    let far = apart.length();
    let way = apart.unit();
    let (low, high) = (
        vec2(from.x.min(to.x), from.y.min(to.y)),
        vec2(from.x.max(to.x), from.y.max(to.y)),
    );
    // Bots ask this often: most blocks are not even near.
    let is_near = |block: &Block| {
        block.x - block.half_x <= high.x
            && block.x + block.half_x >= low.x
            && block.y - block.half_y <= high.y
            && block.y + block.half_y >= low.y
    };
    !gate
        .iter()
        .chain(&WALLS)
        .any(|solid| is_near(solid) && solid.enters(from, way).is_some_and(|at| at < far))
}

/// A number that two ends have in common only if their walls, and so every collision, are the same.
pub(super) fn fingerprint() -> u64 {
    let mut digest = Digest::new();
    for side in BOUNDS {
        digest.f32(side);
    }
    for wall in WALLS {
        for side in [wall.x, wall.y, wall.half_x, wall.half_y] {
            digest.f32(side);
        }
    }
    for value in [
        EDGE,
        RADIUS,
        GATE_X,
        GATE_HALF_X,
        GATE_HALF_Y,
        GATE_CLOSED,
        GATE_OPEN,
    ] {
        digest.f32(value);
    }
    digest.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_goes_to_and_fro_without_a_jump_at_any_rate() {
        for rate in [10u16, 64, 100, 128] {
            let dt = 1.0 / f32::from(rate);
            let at = |tick| gate_at(tick, dt).y;
            let (mut low, mut high, mut still) = (i32::MAX, i32::MIN, 0);
            for tick in 0..u64::from(rate) * 20 {
                let moved = (at(tick + 1) - at(tick)).abs();
                assert!(
                    moved as f32 <= 3_100.0 * dt + 1.0,
                    "{moved} mm in a tick at {rate} Hz"
                );
                still += i32::from(moved == 0);
                low = low.min(at(tick));
                high = high.max(at(tick));
            }
            assert_eq!((low, high), (0, 3_700));
            assert!(
                still > i32::from(rate) * 8,
                "it rests at both ends: {still} ticks"
            );
        }
        let open = Block::of_gate(Gate { y: 3_700 });
        let into = WALLS
            .iter()
            .find(|wall| wall.x == GATE_X && wall.y > 0.0)
            .expect("the lower half");
        assert!(
            open.y - open.half_y >= into.y - into.half_y,
            "open, it is inside the wall"
        );
    }

    #[test]
    fn a_ray_ends_at_the_first_thing_in_its_way() {
        let right = vec2(1.0, 0.0);
        assert_eq!(ray(vec2(-7.0, 3.0), right, None), 7.6, "the dividing wall");
        assert_eq!(
            ray(vec2(-7.0, 0.0), right, None),
            12.0,
            "the pillar behind the open gate"
        );
        assert_eq!(ray(vec2(-7.0, 10.0), right, None), 22.7, "the outer wall");
        assert_eq!(ray(vec2(-10.0, -7.0), right, None), 0.0, "from inside");
        assert_eq!(
            ray(vec2(-7.0, 0.6), vec2(0.0, 1.0), None),
            6.0,
            "straight down"
        );
    }
}
