//! A lab says how large a copy of it is. One test in this file: the allocator counts for all threads.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

#[path = "support/counting.rs"]
mod counting;

use counting::{Counting, so_far};
use lab::LabSetup;
use lab::params::{Config, ParamId};
use lab::scenes::{SCENES, open};
use wire::Micros;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_lab_knows_the_size_of_a_copy() {
    let configs: [&[(&str, f64)]; 6] = [
        &[],
        &[("bots", 0.0)],
        &[("bots", 8.0), ("server.tick", 128.0)],
        &[
            ("link.carrier", 0.0),
            ("link.down.loss", 20.0),
            ("link.up.loss", 20.0),
        ],
        // Half a second of packets on the way, each of them twice.
        &[
            ("link.down.latency", 500.0),
            ("link.up.latency", 500.0),
            ("link.down.duplicate", 50.0),
        ],
        &[("predict.on", 0.0), ("interp.on", 0.0)],
    ];
    for (config, scene) in configs
        .iter()
        .flat_map(|config| SCENES.iter().map(move |scene| (config, scene)))
    {
        let mut setup = LabSetup::new(7, Config::default());
        for (id, value) in *config {
            setup
                .config
                .set(ParamId::named(id).unwrap(), *value)
                .unwrap();
        }
        let mut lab = open(scene.id, setup).unwrap();
        for seconds in [0, 1, 10, 30] {
            lab.advance(Micros::from_millis(seconds * 1_000));
            let before = so_far().1;
            let copy = lab.fork();
            let counted = (so_far().1 - before) as f64;
            let said = lab.bytes() as f64;
            assert_eq!(copy.bytes(), lab.bytes());
            assert!(
                (said - counted).abs() < counted / 10.0,
                "{}, {config:?} after {seconds} s: {said} of {counted}",
                scene.id
            );
        }
    }
}
