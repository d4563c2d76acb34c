//! What the target's delay does while a link gets worse and better again.

use scenes::Arena;
use wire::Micros;

use super::bench::{self, Weather, percent};
use super::{Experiment, Outcome};
use crate::lab::{Action, Instruments, Lab, LabOf, LabSetup, YOU};
use crate::params;
use crate::probe;

pub(super) const DELAY_STEP: Experiment = Experiment {
    name: "delay-step",
    question: "How fast is the target's delay up when a link gets worse and down when it gets better, and does it swing?",
    run,
};

/// Frames a second, as in `delay-policies`.
const FPS: u32 = 144;
const EVEN: Weather = Weather::calm(50.0);
const ROUGH: Weather = Weather {
    jitter: 45.0,
    loss: 10.0,
    ..EVEN
};
/// When the link gets worse, and when better, s.
const WORSE: u64 = 20;
const BETTER: u64 = 60;
/// What each row is about, s: from and to.
const ROWS: [(u64, u64); 7] = [
    (10, WORSE),
    (WORSE, 22),
    (22, 30),
    (30, BETTER),
    (BETTER, 61),
    (61, 95),
    (95, 105),
];
/// Readings of the delay a second.
const READINGS: u64 = 10;
/// What is no turn but noise, ms.
const NOISE: f64 = 1.0;

fn run(seed: u64) -> Outcome {
    let mut table = Outcome::new(&[
        "from_s",
        "to_s",
        "jitter",
        "loss",
        "starved_percent",
        "mean_delay_ms",
        "least_ms",
        "most_ms",
        "rises",
    ]);
    let mut lab = lab(seed);
    lab.run_to(Micros::from_millis(ROWS[0].0 * 1_000));
    let rows = ROWS.map(|(from, to)| {
        match from {
            WORSE => set(&mut lab, ROUGH),
            BETTER => set(&mut lab, EVEN),
            _ => {}
        }
        let row = Row::of(&mut lab, from, to);
        let weather = if (WORSE..BETTER).contains(&from) {
            ROUGH
        } else {
            EVEN
        };
        table.row([
            (from as f64).into(),
            (to as f64).into(),
            weather.jitter.into(),
            weather.loss.into(),
            row.starved.into(),
            row.mean.into(),
            row.least.into(),
            row.most.into(),
            row.rises.into(),
        ]);
        row
    });
    let [before, worse, rising, rough, first, falling, after] = rows;
    let needed = rough.mean - before.mean;
    table.bound(
        "up: within two seconds it has half of what it will need",
        worse.most - before.mean > needed * 0.5,
    );
    let settled = (rising.starved * 8.0 + rough.starved * 30.0) / 38.0;
    table.bound(
        format!(
            "up: from then on it starves a fifth of what it did in these, or less ({settled:.2} %)"
        ),
        settled <= worse.starved / 5.0,
    );
    table.bound(
        "slow down: a second after the link is even it still has half",
        first.least - before.mean > needed * 0.5,
    );
    table.bound(
        "down: 35 seconds after, it is within a millisecond of what it was",
        (after.mean - before.mean).abs() < 1.0,
    );
    table.bound(
        "steady on an even link: it moves by less than a millisecond, and never up on the way down",
        before.most - before.least < 1.0
            && after.most - after.least < 1.0
            && first.rises + falling.rises == 0,
    );
    table.bound(
        format!(
            "steady on a rough link: it rises less than once a second ({} times in {} s)",
            rough.rises,
            BETTER - 30
        ),
        rough.rises < BETTER - 30,
    );
    table
}

fn lab(seed: u64) -> LabOf<Arena> {
    let config = bench::config(EVEN, &[(params::INTERP_POLICY, params::TARGET)]);
    LabOf::new(LabSetup {
        fps: FPS,
        ..LabSetup::new(seed, config)
    })
}

/// Changes the link while it runs.
fn set(lab: &mut LabOf<Arena>, weather: Weather) {
    for (id, value) in [
        (params::LINK_UP_JITTER, weather.jitter),
        (params::LINK_DOWN_JITTER, weather.jitter),
        (params::LINK_UP_LOSS, weather.loss),
        (params::LINK_DOWN_LOSS, weather.loss),
    ] {
        lab.act(Action::Set(id, value));
    }
}

/// The delay behind the front over some seconds, ms.
struct Row {
    starved: f64,
    mean: f64,
    least: f64,
    most: f64,
    /// How often it turned up again after it had come down.
    rises: u64,
}

impl Row {
    fn of(lab: &mut LabOf<Arena>, from: u64, to: u64) -> Self {
        let counts = |lab: &LabOf<Arena>| {
            let of = |id| lab.meters().summary(id, lab.now()).count;
            [probe::OTHERS_DELAY, probe::OTHERS_STARVED].map(of)
        };
        let before = counts(lab);
        let delays: Vec<f64> = (from * READINGS + 1..=to * READINGS)
            .map(|reading| {
                lab.run_to(Micros::from_millis(reading * 1_000 / READINGS));
                behind_front(lab)
            })
            .collect();
        let after = counts(lab);
        Self {
            starved: percent(after[1] - before[1], after[0] - before[0]),
            mean: delays.iter().sum::<f64>() / delays.len() as f64,
            least: delays.iter().copied().fold(f64::INFINITY, f64::min),
            most: delays.iter().copied().fold(0.0, f64::max),
            rises: rises(&delays),
        }
    }
}

fn behind_front(lab: &LabOf<Arena>) -> f64 {
    let showing = lab.client(YOU).showing(lab.now());
    showing.map_or(f64::NAN, |showing| {
        (showing.delay - showing.one_way).as_millis_f64()
    })
}

fn rises(delays: &[f64]) -> u64 {
    let (mut rises, mut rising) = (0, true);
    let mut turn = delays[0];
    for &delay in delays {
        if rising {
            turn = turn.max(delay);
            rising = delay > turn - NOISE;
            turn = if rising { turn } else { delay };
        } else {
            turn = turn.min(delay);
            rising = delay > turn + NOISE;
            rises += u64::from(rising);
            turn = if rising { delay } else { turn };
        }
    }
    rises
}

#[cfg(test)]
mod tests {
    use super::rises;

    #[test]
    fn a_rise_is_one_that_follows_a_fall_and_is_no_noise() {
        assert_eq!(rises(&[1.0, 5.0, 9.0]), 0);
        assert_eq!(rises(&[9.0, 8.9, 9.1, 5.0, 5.5, 4.0]), 0);
        assert_eq!(rises(&[9.0, 5.0, 9.0, 9.5, 5.0, 7.0]), 2);
    }
}
