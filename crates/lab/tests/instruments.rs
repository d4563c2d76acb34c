//! What the instruments draw is what the probes say, and bytes by kind add up.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use lab::params::{Config, INTERP_ON, LINK_CARRIER, ParamId, SERVER_SNAPSHOTS};
use lab::probe::*;
use lab::scenes::open;
use lab::{Lab, LabSetup};
use wire::Micros;

const UP: [ProbeId; 3] = [BYTES_UP_INPUTS, BYTES_UP_HEADERS, BYTES_UP_OTHER];
const DOWN: [ProbeId; 5] = [
    BYTES_DOWN_OWN,
    BYTES_DOWN_OTHERS,
    BYTES_DOWN_EVENTS,
    BYTES_DOWN_HEADERS,
    BYTES_DOWN_OTHER,
];

fn run(set: &[(ParamId, f64)]) -> Box<dyn Lab> {
    let mut config = Config::default();
    for &(id, value) in set {
        config.set(id, value).unwrap();
    }
    let mut lab = open("arena", LabSetup::new(7, config)).unwrap();
    lab.advance(Micros::from_millis(12_345));
    lab
}

fn total(lab: &dyn Lab, id: ProbeId) -> f64 {
    lab.meters().summary(id, lab.now()).total
}

#[test]
fn the_kinds_add_up_to_the_whole_on_both_carriers() {
    for carrier in [0.0, 1.0] {
        let lab = run(&[(LINK_CARRIER, carrier)]);
        for (whole, kinds) in [(BYTES_UP, &UP[..]), (BYTES_DOWN, &DOWN[..])] {
            let parts = kinds.iter().map(|&id| total(&*lab, id));
            assert!(parts.clone().all(|part| part > 0.0), "each kind was sent");
            assert_eq!(parts.sum::<f64>(), total(&*lab, whole));
        }
    }
}

#[test]
fn what_is_drawn_is_what_the_probes_say() {
    let lab = run(&[]);
    let now = lab.now();
    let row = lab.strips().traffic(now).last().unwrap();
    for (kind, id) in UP.into_iter().chain(DOWN).enumerate() {
        let said = lab.meters().reading(id, now).now;
        assert_eq!(f64::from(row.rates[kind]), said, "{}", id.probe().id);
    }
    let depth = lab.strips().depths().last().unwrap();
    let said = lab.meters().reading(INPUT_DEPTH, now);
    assert_eq!(f64::from(depth.depth), said.now);
    assert!(depth.target >= 2.0 && depth.bend.abs() <= 5.0);
}

#[test]
fn fewer_snapshots_cost_the_world_less_and_the_way_up_nothing() {
    let [many, few] = [64.0, 16.0].map(|hz| run(&[(SERVER_SNAPSHOTS, hz)]));
    for id in [BYTES_DOWN_OWN, BYTES_DOWN_OTHERS, BYTES_DOWN_HEADERS] {
        let share = total(&*few, id) / total(&*many, id);
        assert!((0.2..0.5).contains(&share), "{}: {share}", id.probe().id);
    }
    let share = total(&*few, BYTES_UP_INPUTS) / total(&*many, BYTES_UP_INPUTS);
    assert!((0.9..1.1).contains(&share), "{share}");
}

#[test]
fn where_others_are_not_interpolated_there_is_no_delay_and_nothing_runs_out() {
    let lab = run(&[(INTERP_ON, 0.0)]);
    let now = lab.now();
    for id in [OTHERS_SPARE, OTHERS_DELAY, OTHERS_NEEDS] {
        assert!(lab.meters().reading(id, now).now.is_nan());
        assert_eq!(lab.meters().summary(id, now).count, 0);
    }
    assert_eq!(total(&*lab, OTHERS_STARVED), 0.0);
    let frame = lab.strips().frames().last().unwrap();
    assert!(frame.spare.is_nan() && frame.delay.is_nan() && frame.needs.is_nan());
    assert!(frame.age > 100.0);
}
