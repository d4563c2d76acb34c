//! A small game and two machines in virtual time, for the tests of this crate.
#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "each test file uses its own part"
)]

mod pair;
mod swarm;
mod walk;

pub use pair::{Fixture, Pair, Weather, drive_bounded};
pub use swarm::{DRONES, Drone, PILOTS, Plan, Swarm};
pub use walk::{GATE, HERD, Herd, Jumped, Legs, WALKER as WALKER_CLASS, Walk, Walker, herds_at};
