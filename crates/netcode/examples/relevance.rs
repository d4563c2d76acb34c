//! What it saves to tell everyone only of what is near: `cargo run -p afterimage-netcode --example relevance`.
//!
//! Enemies and players wander over a world of 4,000 units, and everybody is told of the others 20 times a second: of all of them,
//! or of those within 620 units, with a margin of 60 so that nobody at the rim comes and goes every tick. An update is 8 bytes,
//! a birth 12, a removal 3.

use afterimage_netcode::Bits;
use afterimage_netcode::interest::{
    GridQuantizer, Relevance, Sight, SpatialGrid, Viewer, VisibilitySet,
};

const WORLD: f32 = 4_000.0;
const ENEMIES: usize = 3_000;
const TICKS: usize = 200;
const RATE: f64 = 20.0;

pub(crate) fn main() {
    println!("players on  kib_s  saved");
    for players in [1, 4, 16, 64] {
        let [all, near] = [false, true].map(|on| kib_a_second(players, on));
        println!("{players:7} no  {all:6.1}");
        let saved = 100.0 * (1.0 - near / all);
        println!("{players:7} yes {near:6.1} {saved:4.1} %");
        assert!(
            saved > 85.0,
            "what is told of the neighbourhood is a small part of it all"
        );
    }
}

/// What one player is told, on average, KiB/s.
fn kib_a_second(players: usize, relevant: bool) -> f64 {
    let slots = players + ENEMIES;
    let mut dice = Dice(7);
    let mut places: Vec<_> = (0..slots)
        .map(|_| [dice.unit() * WORLD, dice.unit() * WORLD])
        .collect();
    let mut speeds: Vec<_> = (0..slots)
        .map(|_| [dice.unit() * 8.0 - 4.0, dice.unit() * 8.0 - 4.0])
        .collect();
    let mut grid = SpatialGrid::new(GridQuantizer::new([0.0; 2], [WORLD; 2], 128.0));
    let mut heard = vec![VisibilitySet::new(slots); players];
    let nobody = Bits::new(slots);
    let sight = if relevant {
        Sight::Radius {
            radius: 620.0,
            margin: 60.0,
        }
    } else {
        Sight::All
    };
    let rule = Relevance { sight, team: false };
    let mut bytes = 0;
    for tick in 0..TICKS {
        for (place, speed) in places.iter_mut().flatten().zip(speeds.iter_mut().flatten()) {
            *place += *speed;
            if !(0.0..=WORLD).contains(place) {
                *speed = -*speed;
            }
        }
        // Once a tick for everybody, and then once a viewer.
        grid.rebuild((0..).zip(places.iter().copied()));
        for (player, heard) in heard.iter_mut().enumerate() {
            let viewer = Viewer {
                at: places[player],
                facing: [1.0, 0.0],
            };
            rule.hear(&viewer, &grid, &nobody, heard);
            // What a player joins with is not what is compared here.
            if tick > 0 {
                bytes += 8 * heard.now().count();
                heard.each_entered(|_| bytes += 4);
                heard.each_left(|_| bytes += 3);
            }
        }
    }
    bytes as f64 / players as f64 / (TICKS - 1) as f64 * RATE / 1024.0
}

struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}
