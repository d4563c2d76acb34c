//! How far off a screen is: at the instant that it draws, and beside it against the newest truth.

use scenes::Arena;
use wire::Micros;

use super::bench::{self, Weather};
use super::{Experiment, Outcome};
use crate::lab::{Instruments, LabOf, LabSetup};
use crate::params;
use crate::probe::{self, Summary};

pub(super) const ERROR: Experiment = Experiment {
    name: "error",
    question: "How far off is what a screen draws, held against the server at that very instant, and against its present?",
    run,
};

const LENGTH: Micros = Micros::from_millis(60_000);
/// Beyond what an even link needs, ms: it covers a lost snapshot.
const SPARE: f64 = 30.0;

fn run(seed: u64) -> Outcome {
    let mut table = Outcome::new(&[
        "link",
        "delay_ms",
        "own_m",
        "own_p99_m",
        "own_naive_m",
        "others_m",
        "others_p99_m",
        "others_naive_m",
        "corrections",
        "starved",
    ]);
    for id in ["lan", "cable", "dsl", "5g", "4g", "3g"] {
        let preset = netsim::Preset::find(id).expect("a preset of the simulated link");
        let weather = Weather {
            latency: f64::from(preset.latency_ms),
            jitter: f64::from(preset.jitter_ms),
            loss: preset.loss_percent,
        };
        let delay = weather.latency + weather.jitter + 1_000.0 / 64.0 + SPARE;
        let setup = LabSetup {
            // Nobody is pushed: that would be a correction, not an error of drawing.
            harmless: true,
            ..LabSetup::new(
                seed,
                bench::config(weather, &[(params::INTERP_DELAY, delay)]),
            )
        };
        let mut lab = LabOf::<Arena>::new(setup);
        lab.run_to(LENGTH);
        let of = |id| lab.meters().summary(id, LENGTH);
        let (own, own_naive) = (of(probe::OWN_ERROR), of(probe::OWN_ERROR_NAIVE));
        let (others, others_naive) = (of(probe::OTHERS_ERROR), of(probe::OTHERS_ERROR_NAIVE));
        table.row([
            id.into(),
            delay.into(),
            own.mean.into(),
            own.p99.into(),
            own_naive.mean.into(),
            others.mean.into(),
            others.p99.into(),
            others_naive.mean.into(),
            of(probe::OWN_CORRECTIONS).count.into(),
            of(probe::OTHERS_STARVED).count.into(),
        ]);
        judge(&mut table, id, [&own, &own_naive], [&others, &others_naive]);
    }
    table
}

fn judge(table: &mut Outcome, link: &str, own: [&Summary; 2], others: [&Summary; 2]) {
    let [own, own_naive] = own;
    let [others, others_naive] = others.map(|summary| summary.mean);
    table.bound(
        format!("{link}: others are within 2 mm of the server at the instant drawn, in the mean"),
        others < 0.002,
    );
    table.bound(
        format!(
            "{link}: held against the newest truth they seem at least a hundred times as far off"
        ),
        others_naive > 100.0 * others,
    );
    // What is left of it is the gate, which is not predicted, and on the worst links commands that came late.
    table.bound(
        format!("{link}: at least half of the frames show the own character exactly where the server had it"),
        own.p50 == 0.0 && own_naive.mean > 0.05,
    );
}
