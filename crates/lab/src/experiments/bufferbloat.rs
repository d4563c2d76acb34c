//! What a queue does to a match: delay before loss.

use scenes::Arena;
use wire::Micros;

use super::bench::{self, Weather, percent};
use super::{Experiment, Outcome};
use crate::lab::{Instruments, Lab, LabOf, LabSetup, YOU};
use crate::params;
use crate::probe;

pub(super) const BUFFERBLOAT: Experiment = Experiment {
    name: "bufferbloat",
    question: "How does delay grow as the rate falls below what is sent, and what bounds it?",
    run,
};

/// Cable.
const WEATHER: Weather = Weather::uneven(25.0, 5.0);
const LENGTH: Micros = Micros::from_millis(60_000);
/// When the queue has filled.
const FROM: Micros = Micros::from_millis(15_000);

/// Whether on a stream; the rate down, kB/s; its queue, ms. The arena with eight bots sends about 9.5 kB/s with headers.
const ROWS: [(bool, f64, f64); 8] = [
    (false, 0.0, 200.0),
    (false, 64.0, 200.0),
    (false, 16.0, 200.0),
    (false, 8.0, 50.0),
    (false, 8.0, 200.0),
    (false, 8.0, 500.0),
    (true, 0.0, 200.0),
    (true, 8.0, 200.0),
];

/// What a row came to.
struct Row {
    age_ms: f64,
    lost: u64,
    snapshots: u64,
}

fn run(seed: u64) -> Outcome {
    let mut table = Outcome::new(&[
        "carrier",
        "rate_kb_per_s",
        "queue_ms",
        "mean_age_ms",
        "p95_age_ms",
        "lost_percent",
        "snapshots_per_s",
    ]);
    let seconds = (LENGTH - FROM).as_secs_f64();
    let rows = ROWS.map(|(stream, rate, queue)| {
        let carrier = if stream { 0.0 } else { params::DATAGRAM };
        let set = [
            (params::LINK_CARRIER, carrier),
            (params::LINK_DOWN_RATE, rate),
            (params::LINK_DOWN_QUEUE, queue),
        ];
        let mut lab = LabOf::<Arena>::new(LabSetup::new(seed, bench::config(WEATHER, &set)));
        lab.run_to(FROM);
        lab.measure_afresh();
        let before = lab.client(YOU).counters().snapshots;
        lab.run_to(LENGTH);

        let snapshots = lab.client(YOU).counters().snapshots - before;
        let age = lab.meters().summary(probe::OTHERS_AGE, LENGTH);
        let lost = lab.meters().summary(probe::PACKETS_DOWN_LOST, LENGTH).count;
        table.row([
            if stream { "websocket" } else { "datagram" }.into(),
            rate.into(),
            queue.into(),
            age.mean.into(),
            age.p95.into(),
            percent(lost, lost + snapshots).into(),
            (snapshots as f64 / seconds).into(),
        ]);
        Row {
            age_ms: age.mean,
            lost,
            snapshots,
        }
    });
    let [free, wide, enough, short, usual, long, stream, stuffed] = rows;
    table.bound(
        "while all of it fits, a packet takes its own time more, no queue stands and nothing is lost",
        [&wide, &enough].iter().all(|row| row.lost == 0 && row.age_ms - free.age_ms < 25.0),
    );
    for (row, queue) in [(&short, 50.0), (&usual, 200.0), (&long, 500.0)] {
        let more = row.age_ms - free.age_ms;
        table.bound(
            format!("where it does not, delay grows until the queue of {queue} ms is full: {more:.0} ms more"),
            (queue * 0.8..queue * 1.1 + 30.0).contains(&more),
        );
    }
    let lost = [&short, &usual, &long].map(|row| percent(row.lost, row.lost + row.snapshots));
    table.bound(
        format!(
            "a longer queue saves nothing: what is confirmed later is sent again for longer, and more is lost, {lost:.1?} %"
        ),
        lost[0] > 5.0 && lost[0] < lost[1] && lost[1] < lost[2],
    );
    let more = stuffed.age_ms - stream.age_ms;
    table.bound(
        format!("a stream loses nothing, and is late by its socket's queue and no more, since newer snapshots replace those that wait: {more:.0} ms"),
        stuffed.lost == 0 && more > 150.0 && more < 260.0 && stuffed.snapshots < stream.snapshots,
    );
    table
}
