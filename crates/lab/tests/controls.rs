//! Every control does something, and what the catalogue says it does.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::sync::Arc;

use lab::params::{self, CATALOGUE, Config, ParamId};
use lab::probe::{
    CLOCK_RTT, INPUT_LOST, OTHERS_AGE, OTHERS_STARVED, PACKETS_DOWN_LOST, ProbeId, SHOTS_GRANTED,
};
use lab::run::{Report, run};
use lab::sweep::headline;
use lab::{LabOf, LabSetup, YOU};
use netcode::Digest;
use netsim::Trace;
use scenes::{Arena, BlackHoles, Horde, Scene};
use wire::Micros;

/// The page's own seed.
const SEED: u64 = 7;
/// Long enough that rare things (a shot that the rewind grants) happen many times.
const SECONDS: f64 = 30.0;
const FROM: f64 = 3.0;

/// A parameter at one of its ends, and beside it what the catalogue says shows it best.
fn setup(id: ParamId, value: f64) -> LabSetup {
    let mut config = Config::of(scene_of(id));
    for (other, text) in id.param().given {
        config.set_text(other, text).unwrap();
    }
    config.set(id, value).unwrap();
    LabSetup::new(SEED, config)
}

fn at(id: ParamId, value: f64) -> Report {
    run(scene_of(id), setup(id, value), FROM, SECONDS).unwrap()
}

/// The first scene that has a parameter.
fn scene_of(id: ParamId) -> &'static str {
    id.param().scenes.first().unwrap_or(&"arena")
}

/// A hash of the machines alone: that of the lab has the parameters in it, and so differs whatever they do.
fn machines(id: ParamId, value: f64) -> u64 {
    match scene_of(id) {
        Arena::NAME => machines_of::<Arena>(id, value),
        Horde::NAME => machines_of::<Horde>(id, value),
        BlackHoles::NAME => machines_of::<BlackHoles>(id, value),
        scene => panic!("the scene {scene} has machines too"),
    }
}

fn machines_of<G: Scene>(id: ParamId, value: f64) -> u64 {
    let mut lab = LabOf::<G>::new(setup(id, value));
    lab.run_to(Micros::from_secs_f64(SECONDS));
    let mut digest = Digest::new();
    lab.server().digest(&mut digest);
    lab.client(YOU).digest(&mut digest);
    digest.get()
}

#[test]
fn every_control_changes_the_lab_and_moves_its_probes_as_it_says() {
    let mut wrong = Vec::new();
    for param in CATALOGUE {
        let id = ParamId::named(param.id).unwrap();
        let (first, last) = param.ends();
        let (low, high) = (at(id, first), at(id, last));
        assert_ne!(low.hash, high.hash, "{}", param.id);
        if machines(id, first) == machines(id, last) {
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

#[test]
fn a_shot_that_may_not_reach_back_is_granted_nothing() {
    let granted = |cap| at(params::REWIND_CAP, cap).probe(SHOTS_GRANTED).count;
    assert_eq!(granted(0.0), 0);
    assert!(granted(500.0) > 5);
}

#[test]
fn a_stream_that_is_backed_up_is_late_by_its_queue_and_the_history_and_no_more() {
    let late = |queue: &str| {
        let mut setup = setup(params::LINK_UP_RATE, 2.0);
        setup.config.set_text("link.carrier", "websocket").unwrap();
        setup.config.set_text("link.up.queue", queue).unwrap();
        let report = run("arena", setup, FROM, SECONDS).unwrap();
        assert!(
            report.probe(INPUT_LOST).count > 100,
            "half of it cannot go through"
        );
        report.probe(CLOCK_RTT).p95
    };
    let (short, long) = (late("100"), late("900"));
    assert!(
        long > short + 500.0 && long < 220.0 + 900.0 + 1_000.0,
        "{short}, {long}"
    );
}

#[test]
fn a_trace_is_a_link_of_its_own() {
    let mut plain = setup(params::LINK_DOWN_LOSS, 0.0);
    let trace = Trace::parse("0,0,0\n2000,150,0\n3000,20,1\n3200,0,0").unwrap();
    plain.trace = Some(Arc::new(trace));
    let mut played = plain.clone();
    played.config.set_text("link.vary", "trace").unwrap();
    let [plain, played] = [plain, played].map(|setup| run("arena", setup, FROM, SECONDS).unwrap());
    for probe in [OTHERS_AGE, OTHERS_STARVED, PACKETS_DOWN_LOST] {
        let [plain, played] = [&plain, &played].map(|report| headline(probe, report.probe(probe)));
        assert!(played > plain, "{}: {plain}, {played}", probe.probe().id);
    }
}
