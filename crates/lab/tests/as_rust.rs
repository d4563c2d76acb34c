//! Settings as Rust: what the lab writes compiles, and sets up the very machines that the lab runs.
//!
//! A changed default or a new field changes what is written. After a look at the difference, in this folder, for each NAME:
//! `cargo run -p afterimage-lab -- rust --config as_rust/NAME.json > as_rust/NAME.rs`.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]
#![expect(
    unreachable_pub,
    reason = "what is written is meant for a module of somebody's crate"
)]

use lab::as_rust::{Told, as_rust};
use lab::file::File;

#[path = "as_rust/measured.rs"]
mod measured;
#[path = "as_rust/odd.rs"]
mod odd;
#[path = "as_rust/off.rs"]
mod off;
#[path = "as_rust/plain.rs"]
mod plain;

macro_rules! check {
    ($name:ident) => {{
        let file = File::read(include_str!(concat!(
            "as_rust/",
            stringify!($name),
            ".json"
        )));
        let config = file.unwrap().config;
        let compiled = Told {
            server: $name::server(),
            client: $name::client(),
            up: $name::link_up(),
            down: $name::link_down(),
        };
        assert_eq!(compiled, Told::by(&config));
        let text = include_str!(concat!("as_rust/", stringify!($name), ".rs"));
        assert_eq!(as_rust(&config), text);
    }};
}

#[test]
fn the_defaults() {
    check!(plain);
}

#[test]
fn a_rule_for_the_delay() {
    check!(measured);
}

#[test]
fn a_stream_with_everything_switched_off() {
    check!(off);
}

#[test]
fn odd_figures_and_two_different_ways() {
    check!(odd);
}
