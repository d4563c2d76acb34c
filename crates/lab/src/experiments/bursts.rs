//! What losses in a row take that losses on their own do not.

use scenes::{Arena, BotStyle};
use wire::Micros;

use super::bench::{self, Weather, alone, percent};
use super::{Experiment, Outcome};
use crate::lab::{Driver, Instruments, Lab, LabOf, YOU};
use crate::params;
use crate::probe;

pub(super) const BURSTS: Experiment = Experiment {
    name: "bursts",
    question: "The same share of packets is lost: what does it matter whether they are lost in a row?",
    run,
};

const WEATHER: Weather = Weather {
    latency: 50.0,
    jitter: 10.0,
    loss: 5.0,
};
const LENGTH: Micros = Micros::from_millis(180_000);

/// What the way, the jitter and an interval need (76 ms), and another interval for a loss that stands alone.
const DELAY_MS: f64 = 95.0;

const BURSTS_OF: [f64; 4] = [1.0, 2.0, 6.0, 12.0];

fn run(seed: u64) -> Outcome {
    let mut table = Outcome::new(&[
        "burst",
        "loss_percent",
        "packets_lost_up",
        "packets_lost_down",
        "commands_lost",
        "starved_percent",
    ]);
    let (mut commands, mut starved) = (Vec::new(), Vec::new());
    for burst in BURSTS_OF {
        let set = [
            (params::LINK_UP_BURST, burst),
            (params::LINK_DOWN_BURST, burst),
            (params::INTERP_POLICY, params::FIXED),
            (params::INTERP_DELAY, DELAY_MS),
            (params::BOTS, 2.0),
        ];
        let config = bench::config(WEATHER, &set);
        let mut lab = LabOf::<Arena>::new(alone(seed, config, Driver::Bot(BotStyle::Runner)));
        lab.run_to(LENGTH);

        let count = |id| lab.meters().summary(id, LENGTH).count;
        let lost = [probe::PACKETS_UP_LOST, probe::PACKETS_DOWN_LOST].map(count);
        let frames = LENGTH.get() * u64::from(lab.setup().fps) / 1_000_000;
        commands.push(bench::peer(&lab, YOU).lost);
        starved.push(percent(count(probe::OTHERS_STARVED), frames));
        table.row([
            burst.into(),
            WEATHER.loss.into(),
            lost[0].into(),
            lost[1].into(),
            bench::peer(&lab, YOU).lost.into(),
            percent(count(probe::OTHERS_STARVED), frames).into(),
        ]);
        let share = lost.map(|lost| percent(lost, LENGTH.get() * 64 / 1_000_000));
        table.bound(
            format!("bursts of {burst} lose {share:.2?} %, about as many as told"),
            share
                .iter()
                .all(|share| (share / WEATHER.loss - 1.0).abs() < 0.4),
        );
    }
    table.bound(
        format!("12 inputs a packet lose no command to losses that stand alone, and some to bursts of 6 and more: {commands:?}"),
        commands[0] == 0 && commands[2] > 0 && commands[3] > commands[2],
    );
    table.bound(
        format!("a delay that bridges one loss starves at least five times as often in bursts of 6: {starved:.2?} %"),
        starved[2] > 5.0 * starved[0],
    );
    table
}
