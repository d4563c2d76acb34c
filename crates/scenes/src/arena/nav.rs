//! How bots find their way: a few places that see each other, and the shortest way between any two. All of it is made when
//! the crate is compiled.

use super::map::{Block, WALLS};
use super::rules::RADIUS;
use crate::vec2::{Vec2, vec2};

/// The middle of the yard: nothing solid stands within 4.6 m, so a ring of [`RING`] can be run around whoever stands here.
pub const YARD: [f32; 2] = [-7.0, 0.6];

/// Radius of the ring that a runner runs, m. At 6 m/s it turns by 1.5 rad a second.
pub const RING: f32 = 4.0;

/// Places to walk to. The first is the yard; the two beside the gate see each other through it, whether it is open or not.
pub(super) const PLACES: [Vec2; 28] = [
    vec2(YARD[0], YARD[1]),
    vec2(-14.0, -9.8),
    vec2(-6.4, -9.4),
    vec2(-13.8, -4.4),
    vec2(-6.6, -5.2),
    vec2(-1.2, -5.0),
    vec2(-1.2, -10.2),
    vec2(1.0, -10.0),
    vec2(3.2, -10.0),
    vec2(-0.8, 0.0),
    vec2(2.8, 0.0),
    vec2(-13.8, 1.0),
    vec2(-2.6, 5.4),
    vec2(-13.6, 8.0),
    vec2(-3.0, 10.2),
    vec2(1.0, 10.0),
    vec2(2.8, 10.0),
    vec2(3.0, -4.6),
    vec2(8.8, -4.6),
    vec2(13.8, -9.0),
    vec2(9.4, -0.6),
    vec2(14.6, 1.6),
    vec2(7.0, 2.4),
    vec2(7.0, 6.8),
    vec2(7.0, 10.2),
    vec2(13.4, 9.8),
    vec2(12.6, 5.0),
    vec2(2.7, 3.6),
];

/// The places beside the gate, west and east, by their numbers.
pub(super) const GATE_SIDES: [u8; 2] = [9, 10];

/// Where characters come in.
pub(super) const SPAWNS: [Vec2; 12] = [
    vec2(-14.0, -9.8),
    vec2(14.0, 10.0),
    vec2(14.0, -9.4),
    vec2(-14.0, 9.6),
    vec2(-1.2, -10.2),
    vec2(7.0, 10.2),
    vec2(-1.6, 4.4),
    vec2(3.2, -10.0),
    vec2(9.4, 1.0),
    vec2(-14.2, -1.6),
    vec2(3.0, -3.6),
    vec2(-6.4, -9.4),
];

const N: usize = PLACES.len();
const NOWHERE: u8 = u8::MAX;

/// Whether a character can walk straight from one place to another, the gate aside.
pub(super) const fn walks(from: Vec2, to: Vec2) -> bool {
    let mut i = 0;
    while i < WALLS.len() {
        if crosses(from, to, &WALLS[i]) {
            return false;
        }
        i += 1;
    }
    true
}

/// Whether a segment comes nearer to a block than a character and a hand's breadth.
const fn crosses(from: Vec2, to: Vec2, block: &Block) -> bool {
    let wide = RADIUS + 0.08;
    let (mut near, mut far) = (0.0, 1.0);
    let axes = [
        (from.x, to.x - from.x, block.x, block.half_x + wide),
        (from.y, to.y - from.y, block.y, block.half_y + wide),
    ];
    let mut i = 0;
    while i < 2 {
        let (start, along, middle, half) = axes[i];
        let apart = middle - start;
        if along == 0.0 {
            if apart > half || apart < -half {
                return false;
            }
        } else {
            let (a, b) = ((apart - half) / along, (apart + half) / along);
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            if low > near {
                near = low;
            }
            if high < far {
                far = high;
            }
        }
        i += 1;
    }
    near <= far
}

/// `NEXT[from][to]`: where to go first. By Floyd and Warshall.
static NEXT: [[u8; N]; N] = {
    let mut next = [[NOWHERE; N]; N];
    let mut far = [[f32::INFINITY; N]; N];
    let mut a = 0;
    while a < N {
        let mut b = 0;
        while b < N {
            if a == b {
                far[a][b] = 0.0;
                next[a][b] = b as u8;
            } else if walks(PLACES[a], PLACES[b]) {
                far[a][b] = about(PLACES[a], PLACES[b]);
                next[a][b] = b as u8;
            }
            b += 1;
        }
        a += 1;
    }
    let mut over = 0;
    while over < N {
        let mut a = 0;
        while a < N {
            let mut b = 0;
            while b < N {
                if far[a][over] + far[over][b] < far[a][b] {
                    far[a][b] = far[a][over] + far[over][b];
                    next[a][b] = next[a][over];
                }
                b += 1;
            }
            a += 1;
        }
        over += 1;
    }
    next
};

/// About how far two places are apart, within 8 %: there is no square root in a constant.
const fn about(a: Vec2, b: Vec2) -> f32 {
    let (dx, dy) = (a.x - b.x, a.y - b.y);
    let (dx, dy) = (
        if dx < 0.0 { -dx } else { dx },
        if dy < 0.0 { -dy } else { dy },
    );
    if dx > dy {
        dx + 0.41 * dy
    } else {
        dy + 0.41 * dx
    }
}

/// The place to go to first on the way from one place to another.
pub(super) fn next(from: u8, to: u8) -> u8 {
    NEXT.get(usize::from(from))
        .and_then(|row| row.get(usize::from(to)))
        .copied()
        .unwrap_or(0)
}

/// The nearest place that can be walked to straight, else the nearest.
pub(super) fn entry(from: Vec2) -> u8 {
    let mut best = (false, f32::INFINITY, 0);
    for (index, place) in PLACES.iter().enumerate() {
        let far = (*place - from).length();
        let straight = walks(from, *place);
        if (straight && !best.0) || (straight == best.0 && far < best.1) {
            best = (straight, far, index as u8);
        }
    }
    best.2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_can_be_reached_from_every_other_in_straight_walks() {
        for (a, row) in NEXT.iter().enumerate() {
            for (b, first) in row.iter().enumerate() {
                let (mut at, mut hops) = (a, 0);
                while at != b {
                    assert_ne!(*first, NOWHERE, "no way from {a} to {b}");
                    let on = usize::from(next(at as u8, b as u8));
                    assert!(walks(PLACES[at], PLACES[on]), "{at} to {on}");
                    (at, hops) = (on, hops + 1);
                    assert!(hops < N, "{a} to {b} goes in a circle");
                }
            }
        }
    }

    #[test]
    fn the_shortest_way_across_is_the_gate() {
        let west = entry(vec2(-2.0, 0.0));
        let east = entry(vec2(3.0, 0.0));
        assert_eq!([west, east], GATE_SIDES);
        assert_eq!(next(west, east), east);
    }

    #[test]
    fn the_ring_is_clear_and_so_are_spawns() {
        for degrees in 0..360u16 {
            let on = Vec2::from(YARD)
                + Vec2::of_angle(f32::from(degrees) * std::f32::consts::PI / 180.0) * RING;
            assert!(walks(YARD.into(), on), "{degrees} degrees");
        }
        for spawn in SPAWNS {
            assert!(walks(spawn, spawn), "{spawn:?} is in a wall");
        }
    }
}
