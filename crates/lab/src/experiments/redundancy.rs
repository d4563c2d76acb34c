//! What repeating inputs buys where packets are lost.

use scenes::{Arena, BotStyle};
use wire::Micros;

use super::bench::{self, Weather, alone};
use super::{Experiment, Outcome};
use crate::lab::{Driver, Instruments, LabOf, YOU};
use crate::params;
use crate::probe;

pub(super) const REDUNDANCY: Experiment = Experiment {
    name: "redundancy",
    question: "How many inputs must each datagram repeat, so that 5 % loss loses no command?",
    run,
};

const WEATHER: Weather = Weather {
    latency: 50.0,
    jitter: 10.0,
    loss: 5.0,
};
const LENGTH: Micros = Micros::from_millis(60_000);

fn run(seed: u64) -> Outcome {
    let mut table = Outcome::new(&[
        "redundancy",
        "loss_percent",
        "packets_lost",
        "commands_lost",
        "commands_repeated",
        "corrections",
        "bytes_up_per_second",
    ]);
    for redundancy in [1, 2, 3, 4, 8, 12, 16] {
        let set = [
            (params::INPUT_REDUNDANCY, f64::from(redundancy)),
            (params::BOTS, 0.0),
        ];
        let config = bench::config(WEATHER, &set);
        let setup = alone(seed, config, Driver::Bot(BotStyle::Runner));
        let mut lab = LabOf::<Arena>::new(setup);
        lab.run_to(LENGTH);

        let lost = lab.meters().summary(probe::PACKETS_UP_LOST, LENGTH).count;
        let peer = bench::peer(&lab, YOU);
        let client = lab.client(YOU).counters();
        table.row([
            u64::from(redundancy as u32).into(),
            WEATHER.loss.into(),
            lost.into(),
            peer.lost.into(),
            (peer.repeated + peer.neutral).into(),
            client.corrections.into(),
            (client.bytes_up as f64 / LENGTH.as_secs_f64()).into(),
        ]);
        match redundancy {
            1 => table.bound(
                format!("1 loses commands: {}, in {lost} packets", peer.lost),
                peer.lost > 0,
            ),
            12 => table.bound(
                format!("12 loses none, though {lost} packets were lost"),
                peer.lost == 0 && lost > 100,
            ),
            _ => {}
        }
    }
    table
}
