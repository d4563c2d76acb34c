//! The determinism trace: the same lines on every machine and every target.

use std::fmt::Write as _;
use std::sync::Arc;

use netsim::Trace;

use crate::lab::{Action, Lab, LabSetup};
use crate::params::{self, Config, ParamId};
use crate::run::hex;
use crate::scenes::{UnknownScene, open};

/// How often the trace prints a hash, ticks: often enough that a difference can be found by running once more.
const EVERY: u64 = 1_000;

/// The seed of the trace; any would do, as long as it is always the same.
const SEED: u64 = 7;

/// What the link becomes half-way: everything that it can do at once.
const WORST: &[(ParamId, f64)] = &[
    (params::LINK_UP_BURST, 4.0),
    (params::LINK_DOWN_BURST, 4.0),
    (params::LINK_UP_RATE, 6.0),
    (params::LINK_DOWN_RATE, 8.0),
    (params::LINK_UP_REORDER, 3.0),
    (params::LINK_DOWN_REORDER, 3.0),
    (params::LINK_UP_DUPLICATE, 3.0),
    (params::LINK_DOWN_DUPLICATE, 3.0),
    (params::LINK_VARY, params::TRACE),
];

/// The trace that it plays then.
const PLAYED: &str = "0,0,0\n900,60.5,0\n1400,10,1\n1480,0,0";

/// Runs a scene with its defaults for `ticks` ticks of the server, the second half of them over the worst link there is. A line
/// for every thousandth tick, `tick hash`, and last the hash alone.
///
/// # Errors
/// [`UnknownScene`].
pub fn trace(scene: &str, ticks: u64) -> Result<String, UnknownScene> {
    let mut lab = open(scene, LabSetup::new(SEED, Config::default()))?;
    lab.set_told(false);
    let mut out = String::new();
    for tick in 1..=ticks {
        if tick == ticks / 2 {
            worsen(&mut *lab);
        }
        lab.advance(lab.next_tick_at());
        if tick % EVERY == 0 {
            // Writing into a string does not fail.
            let _ = writeln!(out, "{tick} {}", hex(lab.digest()));
        }
    }
    let _ = writeln!(out, "{}", hex(lab.digest()));
    Ok(out)
}

fn worsen(lab: &mut dyn Lab) {
    let played = Trace::parse(PLAYED).expect("it is a trace");
    lab.act(Action::Trace(Arc::new(played)));
    for &(id, value) in WORST {
        lab.act(Action::Set(id, value));
    }
}
