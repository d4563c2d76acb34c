//! What the two carriers make of the same losses: a stream that stalls and bursts, datagrams that leave holes and
//! overtake each other.

use netsim::{Carrier, Link, LinkConfig};
use scenes::Arena;
use wire::Micros;

use super::bench::{self, Weather, percent};
use super::{Experiment, Outcome};
use crate::lab::{Instruments, LabOf, LabSetup};
use crate::params;
use crate::probe;

pub(super) const CARRIERS: Experiment = Experiment {
    name: "carriers",
    question: "How long does a message take there and back on each carrier, and what does a match make of it?",
    run,
};

/// Messages a second, and for how long: as measured in a browser, but longer.
const PER_SECOND: u64 = 60;
const SECONDS: u64 = 100;
/// Bytes of a message.
const BYTES: usize = 100;

/// A link, and whether the datagrams on it are also held back and doubled.
const LINKS: [(Weather, bool); 6] = [
    (Weather::calm(40.0), false),
    (lossy(20.0, 5.0), false),
    (lossy(40.0, 5.0), false),
    (lossy(50.0, 10.0), false),
    (
        Weather {
            latency: 40.0,
            jitter: 30.0,
            loss: 0.0,
        },
        false,
    ),
    (
        Weather {
            latency: 40.0,
            jitter: 30.0,
            loss: 5.0,
        },
        true,
    ),
];

const fn lossy(latency: f64, loss: f64) -> Weather {
    Weather {
        latency,
        jitter: 0.0,
        loss,
    }
}

fn run(seed: u64) -> Outcome {
    let mut table = Outcome::new(&[
        "carrier",
        "latency_ms",
        "jitter_ms",
        "loss_percent",
        "p50_ms",
        "p95_ms",
        "p99_ms",
        "max_ms",
        "lost_percent",
        "out_of_order",
        "doubled",
        "at_once",
        "age_p99_ms",
        "starved_percent",
    ]);
    for (weather, shaken) in LINKS {
        let carriers = [Carrier::Ordered, Carrier::Datagram];
        let both = carriers.map(|carrier| Echo::run(seed, carrier, weather, shaken));
        for (carrier, echo) in carriers.into_iter().zip(&both) {
            let (age, starved) = in_a_match(seed, carrier, weather, shaken);
            table.row([
                name(carrier).into(),
                weather.latency.into(),
                weather.jitter.into(),
                weather.loss.into(),
                echo.at(50).into(),
                echo.at(95).into(),
                echo.at(99).into(),
                echo.at(100).into(),
                echo.lost_percent().into(),
                echo.out_of_order.into(),
                echo.doubled.into(),
                echo.at_once.into(),
                age.into(),
                starved.into(),
            ]);
        }
        judge(&mut table, weather, shaken, &both);
    }
    table
}

fn judge(table: &mut Outcome, weather: Weather, shaken: bool, [ordered, datagram]: &[Echo; 2]) {
    let link = format!(
        "{} ms, up to {} more, {} % lost{}",
        weather.latency,
        weather.jitter,
        weather.loss,
        if shaken {
            ", some held back and doubled"
        } else {
            ""
        }
    );
    let whole = ordered.back.len() as u64 == ordered.sent && ordered.doubled == 0;
    table.bound(
        format!("{link}: the stream is whole and in order"),
        whole && ordered.out_of_order == 0,
    );
    let round_trip = 2.0 * weather.latency;
    if weather.loss > 0.0 {
        table.bound(
            format!("{link}: a loss stalls the stream and then several come at once; datagrams wait for nothing"),
            ordered.at(95) >= 1.6 * round_trip && ordered.at_once >= 3 && (shaken || datagram.at_once == 1),
        );
        let gets_through = 1.0 - weather.loss / 100.0;
        let told = 100.0 * (1.0 - gets_through * gets_through);
        table.bound(
            format!("{link}: datagrams are lost as told"),
            (datagram.lost_percent() - told).abs() < 2.5,
        );
    } else if weather.jitter == 0.0 {
        table.bound(
            format!("{link}: without faults the two are alike"),
            ordered.back == datagram.back,
        );
    }
    if weather.jitter == 0.0 {
        table.bound(
            format!("{link}: every datagram that arrives takes the round trip"),
            (datagram.at(100) - round_trip).abs() < 0.001 && datagram.out_of_order == 0,
        );
    } else {
        table.bound(
            format!(
                "{link}: datagrams overtake each other ({} did)",
                datagram.out_of_order
            ),
            datagram.out_of_order > 50,
        );
    }
}

fn name(carrier: Carrier) -> &'static str {
    match carrier {
        Carrier::Ordered => "ordered",
        Carrier::Datagram => "datagram",
    }
}

/// Messages that the far end sent back.
struct Echo {
    sent: u64,
    /// How long each took, in the order of coming back.
    back: Vec<Micros>,
    /// Messages that came back after one that was sent later, on either way.
    out_of_order: u64,
    doubled: u64,
    /// The most that came back at one instant.
    at_once: u64,
}

impl Echo {
    fn run(seed: u64, carrier: Carrier, weather: Weather, shaken: bool) -> Self {
        let share = if shaken { 0.2 } else { 0.0 };
        let config = LinkConfig {
            latency: Micros::from_secs_f64(weather.latency / 1_000.0),
            jitter: Micros::from_secs_f64(weather.jitter / 1_000.0),
            loss: weather.loss / 100.0,
            reorder: share,
            duplicate: share / 2.0,
            carrier,
            ..LinkConfig::default()
        };
        let mut up = Link::new(seed.wrapping_mul(2), config);
        let mut down = Link::new(seed.wrapping_mul(2).wrapping_add(1), config);
        let messages = PER_SECOND * SECONDS;
        let when = |n: u64| Micros::new(n * 1_000_000 / PER_SECOND);
        let mut echo = Self {
            sent: messages,
            back: Vec::new(),
            out_of_order: 0,
            doubled: 0,
            at_once: 0,
        };
        let mut seen = vec![false; messages as usize];
        let (mut sent, mut newest, mut last) = (0, None, (Micros::ZERO, 0));
        let mut packet = Vec::new();
        loop {
            let next = (sent < messages).then(|| when(sent));
            let ends = [next, up.next_at(), down.next_at()];
            let Some(now) = ends.into_iter().flatten().min() else {
                return echo;
            };
            while up.receive(now, &mut packet).is_some() {
                down.send(now, &packet);
            }
            while down.receive(now, &mut packet).is_some() {
                let number = packet
                    .iter()
                    .take(8)
                    .rev()
                    .fold(0, |n, byte| n << 8 | u64::from(*byte));
                echo.back.push(now - when(number));
                echo.doubled += u64::from(std::mem::replace(&mut seen[number as usize], true));
                echo.out_of_order += u64::from(newest > Some(number));
                newest = newest.max(Some(number));
                last = if last.0 == now {
                    (now, last.1 + 1)
                } else {
                    (now, 1)
                };
                echo.at_once = echo.at_once.max(last.1);
            }
            if next == Some(now) {
                let mut message = [0; BYTES];
                message[..8].copy_from_slice(&sent.to_le_bytes());
                up.send(now, &message);
                sent += 1;
            }
        }
    }

    /// Messages that never came back.
    fn lost_percent(&self) -> f64 {
        let back = self.back.len() as u64 - self.doubled;
        percent(self.sent - back, self.sent)
    }

    /// What so many per cent take at most, ms.
    fn at(&self, percent: usize) -> f64 {
        let mut sorted = self.back.clone();
        sorted.sort_unstable();
        match sorted.len() {
            0 => f64::NAN,
            len => sorted[(len - 1) * percent / 100].as_millis_f64(),
        }
    }
}

/// The age of the newest sample (99 of 100 frames) and the share of starved frames in a match on such a link.
fn in_a_match(seed: u64, carrier: Carrier, weather: Weather, shaken: bool) -> (f64, f64) {
    let share = if shaken { 20.0 } else { 0.0 };
    let needs = weather.latency + weather.jitter + 1_000.0 / 64.0;
    let set = [
        (
            params::LINK_CARRIER,
            if carrier == Carrier::Datagram {
                params::DATAGRAM
            } else {
                0.0
            },
        ),
        (params::LINK_DOWN_REORDER, share),
        (params::LINK_DOWN_DUPLICATE, share / 2.0),
        // What the budget line says, and two snapshots to spare.
        (params::INTERP_DELAY, needs + 2.0 * 1_000.0 / 64.0),
    ];
    let mut lab = LabOf::<Arena>::new(LabSetup::new(seed, bench::config(weather, &set)));
    let end = Micros::from_millis(60_000);
    lab.run_to(end);
    let meters = lab.meters();
    let age = meters.summary(probe::OTHERS_AGE, end);
    (
        age.p99,
        percent(meters.summary(probe::OTHERS_STARVED, end).count, age.count),
    )
}
