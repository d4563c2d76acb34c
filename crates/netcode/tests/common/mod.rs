//! A small game and two machines in virtual time, for the tests of this crate.
#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "each test file uses its own part"
)]

mod pair;
mod walk;

pub use pair::{Pair, Weather, drive_bounded};
pub use walk::{GATE, Jumped, Legs, WALKER as WALKER_CLASS, Walk, Walker};
