//! The delay that a link needs by the budget line is the one at which samples stop running out.

use lab::params::{self, Config};
use lab::{Instruments, LabOf, LabSetup, needs};
use scenes::Arena;
use wire::Micros;

/// Starved frames in twenty seconds at 144 a second, at so much more than what is needed, ms; nothing is lost.
fn starved(seed: u64, jitter: f64, snapshots: f64, more: f64) -> u64 {
    let mut config = Config::default();
    let mut set = |id, value| config.set(id, value).expect("a value in its range");
    set(params::LINK_DOWN_LATENCY, 50.0);
    set(params::LINK_UP_LATENCY, 50.0);
    set(params::LINK_DOWN_JITTER, jitter);
    set(params::LINK_UP_JITTER, jitter);
    set(params::LINK_DOWN_LOSS, 0.0);
    set(params::LINK_UP_LOSS, 0.0);
    set(params::SERVER_SNAPSHOTS, snapshots);
    // A fixed delay.
    set(params::INTERP_POLICY, 0.0);
    let mut setup = LabSetup {
        fps: 144,
        ..LabSetup::new(seed, config)
    };
    let needed: f64 = needs(&setup).iter().sum();
    let delay = setup.config.set(params::INTERP_DELAY, needed + more);
    delay.expect("a delay in its range");
    let mut lab = LabOf::<Arena>::new(setup);
    let mut count = |ms| {
        lab.run_to(Micros::from_millis(ms));
        let starved = lab.meters().summary(lab::probe::OTHERS_STARVED, lab.now());
        starved.count
    };
    let before = count(5_000);
    count(25_000) - before
}

#[test]
fn an_even_link_starves_below_what_it_needs_and_not_at_it() {
    for seed in 1..=3 {
        // Also at a rate that does not divide the ticks.
        for snapshots in [64.0, 20.0] {
            let at = [-10.0, 0.0].map(|more| starved(seed, 0.0, snapshots, more));
            assert!(at[0] >= 40 && at[1] == 0, "{seed}, {snapshots}: {at:?}");
        }
    }
}

#[test]
fn a_jittering_link_needs_that_but_for_what_its_clocks_are_wrong_by() {
    for seed in 1..=3 {
        let at = [-10.0, 0.0, 5.0].map(|more| starved(seed, 15.0, 64.0, more));
        assert!(at[0] > 300 && at[1] < 30 && at[2] == 0, "{seed}: {at:?}");
    }
}
