//! Whether a client that nobody interferes with predicts itself exactly, and whether what it does not predict is put
//! right exactly.

use netcode::Drawn;
use scenes::{Arena, Pad};
use wire::Micros;

use super::bench::{self, Weather, alone, hashed, walk_to};
use super::{Experiment, Outcome};
use crate::lab::{Action, Driver, Instruments, LabOf, LabSetup, YOU};
use crate::params;

pub(super) const OWN_CORRECTIONS: Experiment = Experiment {
    name: "own-corrections",
    question: "How often does the server's answer move the own character, away from the gate and through it?",
    run,
};

/// How long each walk takes, after the joining.
const WALK: Micros = Micros::from_millis(60_000);
/// Hands off, until everything said has been heard.
const REST: Micros = Micros::from_millis(3_000);

const LINKS: [Weather; 4] = [
    Weather::calm(1.0),
    Weather::calm(50.0),
    Weather::calm(150.0),
    Weather::uneven(100.0, 15.0),
];

fn run(seed: u64) -> Outcome {
    let mut table = Outcome::new(&[
        "where",
        "latency_ms",
        "jitter_ms",
        "ticks",
        "walked_m",
        "corrections",
        "adjustments",
        "corrected_m",
        "left_off_codes",
    ]);
    for weather in LINKS {
        for (place, script) in [
            ("away", away as fn(u64, &Drawn) -> Pad),
            ("gate", through_gate),
        ] {
            let walk = Walk::run(seed, weather, script);
            table.row([
                place.into(),
                weather.latency.into(),
                weather.jitter.into(),
                walk.ticks.into(),
                walk.walked.into(),
                walk.corrections.into(),
                walk.adjustments.into(),
                walk.corrected.into(),
                walk.left_off.into(),
            ]);
            let link = format!("{} ms and up to {} more", weather.latency, weather.jitter);
            if place == "away" {
                table.bound(
                    format!("{link}, away from the gate: over 150 m walked and 0 corrections"),
                    walk.walked > 150.0 && walk.corrections + walk.adjustments == 0,
                );
            } else {
                table.bound(
                    format!(
                        "{link}, through the gate: corrections, and after them not a code is off"
                    ),
                    walk.corrections >= 3 && walk.left_off == 0,
                );
            }
        }
    }
    table
}

/// What came of one walk.
struct Walk {
    ticks: u64,
    walked: f64,
    corrections: u64,
    adjustments: u64,
    corrected: f64,
    /// How many codes of the own record differ from the server's, once all is said.
    left_off: u64,
}

impl Walk {
    fn run(seed: u64, weather: Weather, script: fn(u64, &Drawn) -> Pad) -> Self {
        let config = bench::config(weather, &[(params::BOTS, 0.0)]);
        let setup: LabSetup = alone(seed, config, Driver::Script(script));
        let mut lab = LabOf::<Arena>::new(setup);
        let (mut walked, mut last) = (0.0, None::<[f64; 2]>);
        while lab.now() < WALK {
            lab.run_to(lab.now() + Micros::from_millis(100));
            let fighter = lab
                .client(YOU)
                .me()
                .and_then(|me| lab.server().game().fighter(me));
            let place = fighter.map(|fighter| [f64::from(fighter.x), f64::from(fighter.y)]);
            if let (Some([x, y]), Some([was_x, was_y])) = (place, last) {
                walked += ((x - was_x) * (x - was_x) + (y - was_y) * (y - was_y)).sqrt() / 1_000.0;
            }
            last = place;
        }
        lab.act_on(Action::Drive(YOU, Driver::Hands));
        lab.act_on(Action::Pad(YOU, Pad::default()));
        lab.run_to(WALK + REST);

        let counters = *lab.client(YOU).counters();
        Self {
            ticks: counters.ticks,
            walked,
            corrections: counters.corrections,
            adjustments: counters.adjustments,
            corrected: counters.corrected,
            left_off: differing(&lab),
        }
    }
}

/// How many codes of the own record differ between the client and the server; all of them while there is none.
fn differing(lab: &LabOf<Arena>) -> u64 {
    const WIDTH: usize = scenes::arena::Fighter::WIDTH;
    let client = lab.client(YOU);
    let ends = client.me().and_then(|me| {
        let ours = client.game().fighter(me)?;
        let theirs = lab.server().game().fighter(me)?;
        Some([ours, theirs])
    });
    let Some([ours, theirs]) = ends else {
        return WIDTH as u64;
    };
    let (mut a, mut b) = ([0; WIDTH], [0; WIDTH]);
    ours.save(&mut a);
    theirs.save(&mut b);
    a.iter().zip(&b).filter(|(a, b)| a != b).count() as u64
}

/// Walks here and there in the right half, into walls and cover, dashes and shoots; never near the gate.
fn away(tick: u64, drawn: &Drawn) -> Pad {
    let leg = tick / 70;
    let to = [
        5.0 + 10.0 * hashed(2 * leg),
        -11.0 + 22.0 * hashed(2 * leg + 1),
    ];
    let dash = tick % 101 == 60;
    Pad {
        buttons: u32::from(tick % 50 < 3) | u32::from(dash) << 1,
        aim_x: 0.0,
        aim_y: 0.0,
        ..walk_to(drawn, to)
    }
}

/// Walks to the gate, and then through it, or into it, again and again.
fn through_gate(tick: u64, drawn: &Drawn) -> Pad {
    // From where You comes in, past the cover; each leg is walked in the time it gets.
    const WAY: [[f32; 2]; 4] = [[14.0, 2.0], [12.0, 1.6], [2.8, 1.6], [2.8, 0.0]];
    let to = match (tick / 128) as usize {
        leg if leg < WAY.len() => WAY[leg],
        leg if leg % 2 == 0 => [-0.8, 0.0],
        _ => [2.8, 0.0],
    };
    walk_to(drawn, to)
}
