//! What bending a clock by a few per cent buys where two clocks drift.

use scenes::{Arena, BotStyle};
use wire::Micros;

use super::bench::{self, Weather, alone};
use super::{Experiment, Outcome};
use crate::lab::{Driver, Instruments, LabOf, YOU};
use crate::params;
use crate::probe;

pub(super) const PACING: Experiment = Experiment {
    name: "pacing",
    question: "How many commands are skipped or repeated in a minute where the clocks drift by 3 %?",
    run,
};

/// Counted from the fifth second on, when the loop has settled.
const FROM: Micros = Micros::from_millis(5_000);
const TO: Micros = Micros::from_millis(65_000);

const LINKS: [Weather; 4] = [
    Weather::calm(10.0),
    Weather::uneven(10.0, 15.0),
    Weather::calm(100.0),
    Weather::uneven(100.0, 15.0),
];

fn run(seed: u64) -> Outcome {
    let mut table = Outcome::new(&[
        "drift_percent",
        "round_trip_ms",
        "jitter_ms",
        "pacing",
        "skipped",
        "repeated",
        "mean_depth",
        "corrections",
    ]);
    for drift in [-3.0, 3.0] {
        for weather in LINKS {
            for pacing in [true, false] {
                let set = [
                    (params::CLOCK_DRIFT, drift),
                    (params::INPUT_PACING, f64::from(u8::from(pacing))),
                    (params::BOTS, 0.0),
                ];
                let config = bench::config(weather, &set);
                let setup = alone(seed, config, Driver::Bot(BotStyle::Runner));
                let mut lab = LabOf::<Arena>::new(setup);
                let counts = |lab: &LabOf<Arena>| {
                    let peer = bench::peer(lab, YOU);
                    let corrections = lab.client(YOU).counters().corrections;
                    [peer.skipped, peer.repeated + peer.neutral, corrections]
                };
                lab.run_to(FROM);
                let before = counts(&lab);
                lab.run_to(TO);
                let after = counts(&lab);
                let [skipped, repeated, corrections] = [0, 1, 2].map(|at| after[at] - before[at]);

                let depth = lab.meters().summary(probe::INPUT_DEPTH, TO).mean;
                let on = if pacing { "on" } else { "off" };
                table.row([
                    drift.into(),
                    (weather.latency * 2.0).into(),
                    weather.jitter.into(),
                    on.into(),
                    skipped.into(),
                    repeated.into(),
                    depth.into(),
                    corrections.into(),
                ]);
                let what = format!(
                    "{drift} %, round trip {} ms, jitter {} ms, pacing {on}: {skipped} skipped, {repeated} repeated",
                    weather.latency * 2.0,
                    weather.jitter
                );
                let holds = if pacing {
                    skipped + repeated == 0
                } else {
                    skipped + repeated > 100
                };
                table.bound(what, holds);
            }
        }
    }
    table
}
