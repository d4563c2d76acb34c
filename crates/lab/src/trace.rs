//! The determinism trace: the same lines on every machine and every target.

use std::fmt::Write as _;

use crate::lab::LabSetup;
use crate::params::Config;
use crate::run::hex;
use crate::scenes::open;

/// How often the trace prints a hash, ticks: often enough that a difference can be found by running once more.
const EVERY: u64 = 1_000;

/// The seed of the trace; any would do, as long as it is always the same.
const SEED: u64 = 7;

/// Runs the default arena for `ticks` ticks of the server. A line for every thousandth tick, `tick hash`, and last the
/// hash alone.
pub fn trace(ticks: u64) -> String {
    let mut lab =
        open("arena", LabSetup::new(SEED, Config::default())).expect("the arena is a scene");
    lab.set_told(false);
    let mut out = String::new();
    for tick in 1..=ticks {
        lab.advance(lab.next_tick_at());
        if tick % EVERY == 0 {
            // Writing into a string does not fail.
            let _ = writeln!(out, "{tick} {}", hex(lab.digest()));
        }
    }
    let _ = writeln!(out, "{}", hex(lab.digest()));
    out
}
