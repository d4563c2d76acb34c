//! Whether a shot hits what its shooter's screen showed.

use scenes::{Arena, BotStyle};
use wire::Micros;

use super::bench::{self, Weather, percent};
use super::{Experiment, Outcome};
use crate::lab::{Driver, Instruments, LabOf, LabSetup};
use crate::params;
use crate::probe::{self, ProbeId};

pub(super) const REWIND: Experiment = Experiment {
    name: "rewind",
    question: "How many of 500 shots at exactly what the screen shows hit a runner at 6 m/s, at a round trip of 200 ms?",
    run,
};

const SHOTS: u64 = 500;
/// An aimer shoots about twice a second; so this is never reached.
const LONGEST: Micros = Micros::from_millis(900_000);

fn run(seed: u64) -> Outcome {
    let mut table = Outcome::new(&[
        "rewind",
        "policy",
        "shots",
        "hits",
        "hit",
        "granted",
        "denied",
        "miss",
        "hit_percent",
        "mean_delay_ms",
    ]);
    for (rewind, policy) in [(true, "fixed"), (true, "measured"), (false, "fixed")] {
        let set = [
            (params::REWIND_ON, f64::from(u8::from(rewind))),
            (
                params::INTERP_POLICY,
                if policy == "fixed" { 0.0 } else { 2.0 },
            ),
            (params::BOTS, 0.0),
        ];
        let setup = LabSetup {
            harmless: true,
            drivers: [BotStyle::Aimer, BotStyle::Runner].map(Driver::Bot),
            ..LabSetup::new(seed, bench::config(Weather::calm(100.0), &set))
        };
        let mut lab = LabOf::<Arena>::new(setup);
        let count = |lab: &LabOf<Arena>, id: ProbeId| lab.meters().summary(id, lab.now()).count;
        while count(&lab, probe::SHOTS_FIRED) < SHOTS && lab.now() < LONGEST {
            lab.run_to(lab.now() + Micros::from_millis(50));
        }
        let [shots, hit, granted, denied, miss] = [
            probe::SHOTS_FIRED,
            probe::SHOTS_HIT,
            probe::SHOTS_GRANTED,
            probe::SHOTS_DENIED,
            probe::SHOTS_MISS,
        ]
        .map(|id| count(&lab, id));
        let (hits, on) = (hit + granted, if rewind { "on" } else { "off" });
        table.row([
            on.into(),
            policy.into(),
            shots.into(),
            hits.into(),
            hit.into(),
            granted.into(),
            denied.into(),
            miss.into(),
            percent(hits, shots).into(),
            lab.meters()
                .summary(probe::OTHERS_DELAY, lab.now())
                .mean
                .into(),
        ]);
        let what = format!("rewind {on}, delay {policy}: {hits} of {shots} hit");
        if rewind {
            table.bound(what, shots >= SHOTS && hits * 100 >= shots * 99);
        } else {
            table.bound(what, shots >= SHOTS && hits * 100 <= shots * 5);
        }
    }
    table
}
