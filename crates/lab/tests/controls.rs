//! Every control does something, and what the catalogue says it does.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use lab::LabSetup;
use lab::params::{CATALOGUE, Config, ParamId};
use lab::probe::ProbeId;
use lab::run::{Report, run};
use lab::sweep::headline;

/// The page's own seed.
const SEED: u64 = 7;
/// Long enough that rare things (a shot that the rewind grants) happen many times.
const SECONDS: f64 = 30.0;
const FROM: f64 = 3.0;

/// A run with a parameter at one of its ends, and beside it what the catalogue says shows it best.
fn at(id: ParamId, value: f64) -> Report {
    let mut config = Config::default();
    for (other, text) in id.param().given {
        config.set_text(other, text).unwrap();
    }
    config.set(id, value).unwrap();
    run("arena", LabSetup::new(SEED, config), FROM, SECONDS).unwrap()
}

#[test]
fn every_control_changes_the_lab_and_moves_its_probes_as_it_says() {
    let mut wrong = Vec::new();
    for param in CATALOGUE {
        let id = ParamId::named(param.id).unwrap();
        let (first, last) = param.ends();
        let (low, high) = (at(id, first), at(id, last));
        if low.hash == high.hash {
            wrong.push(format!("{} changes nothing", param.id));
        }
        for moved in param.moves {
            let probe = ProbeId::named(moved.probe).unwrap();
            let [low, high] = [&low, &high].map(|report| headline(probe, report.probe(probe)));
            let as_said = if moved.up { high > low } else { high < low };
            let line = format!("{}: {} from {low} to {high}", param.id, moved.probe);
            println!("{line}");
            // What was not measured at all is not a number, and fails here too.
            if !as_said {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
