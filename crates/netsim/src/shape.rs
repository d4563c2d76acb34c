//! The two carriers against what a real browser measured: Chromium, WebSocket and WebTransport datagrams through a
//! user-space link emulator, 60 messages of 100 bytes a second, echoed by the server.

use wire::Micros;

use crate::testing::{ms, plain, stamped};
use crate::{Carrier, Link, LinkConfig};

/// What was measured on one link: delay and loss each way, then p50, p95, p99 and maximum in ms.
struct Measured {
    latency: u64,
    loss: f64,
    web_socket: [f64; 4],
    datagrams: [f64; 4],
}

const ROUND_TRIPS: [Measured; 4] = [
    measured(
        40,
        0.00,
        [82.0, 84.0, 98.0, 115.0],
        [82.0, 84.0, 87.0, 92.0],
    ),
    measured(
        20,
        0.05,
        [43.0, 100.0, 139.0, 182.0],
        [43.0, 42.0, 46.0, 56.0],
    ),
    measured(
        40,
        0.05,
        [95.0, 216.0, 281.0, 326.0],
        [82.0, 83.0, 85.0, 88.0],
    ),
    measured(
        50,
        0.10,
        [187.0, 353.0, 437.0, 485.0],
        [102.0, 103.0, 106.0, 116.0],
    ),
];

const ONE_WAY: Measured = measured(
    40,
    0.05,
    [41.0, 147.0, 162.0, 252.0],
    [41.0, 42.0, 43.0, 45.0],
);

const fn measured(latency: u64, loss: f64, web_socket: [f64; 4], datagrams: [f64; 4]) -> Measured {
    Measured {
        latency,
        loss,
        web_socket,
        datagrams,
    }
}

/// Messages of one measurement, 20 s of them; its maximum is compared with the median of our maxima.
const MESSAGES: u64 = 1_200;
const RUNS: usize = 25;

/// No figure may be farther from the measured one than by this factor, either way. The measured ones hold one run each,
/// and what a browser and an emulator take for themselves.
const FACTOR: f64 = 1.4;

#[test]
fn a_message_takes_as_long_as_in_a_browser() {
    compare("one way", &ONE_WAY, |took| took.there);
    for row in &ROUND_TRIPS {
        compare("there and back", row, |took| took.back);
    }
}

/// How long each message of a run took to get there, and to come back.
#[derive(Default)]
struct Took {
    there: Vec<Micros>,
    back: Vec<Micros>,
}

fn compare(what: &str, row: &Measured, of: fn(Took) -> Vec<Micros>) {
    let carriers = [
        (Carrier::Ordered, row.web_socket),
        (Carrier::Datagram, row.datagrams),
    ];
    for (carrier, theirs) in carriers {
        let config = LinkConfig {
            loss: row.loss,
            ..plain(carrier, row.latency)
        };
        let ours = figures((0..RUNS as u64).map(|seed| of(echo(seed, config))));
        println!(
            "{what}, {} ms, {} lost, {carrier:?}: {ours:?} for {theirs:?}",
            row.latency, row.loss
        );
        // Where nothing stalls, the slowest message says what the browser was busy with.
        let stalls = carrier == Carrier::Ordered && row.loss > 0.0;
        for (ours, theirs) in ours.iter().zip(theirs).take(if stalls { 4 } else { 3 }) {
            assert!(
                ours / theirs < FACTOR && theirs / ours < FACTOR,
                "{ours} is not like {theirs}"
            );
        }
    }
}

/// p50, p95 and p99 of all runs together and the median of their maxima, ms.
fn figures(runs: impl Iterator<Item = Vec<Micros>>) -> [f64; 4] {
    let (mut all, mut maxima) = (Vec::<Micros>::new(), Vec::<Micros>::new());
    for run in runs {
        maxima.extend(run.iter().max());
        all.extend(run);
    }
    all.sort_unstable();
    maxima.sort_unstable();
    let at = |percent: usize| all[(all.len() - 1) * percent / 100].as_millis_f64();
    [
        at(50),
        at(95),
        at(99),
        maxima[maxima.len() / 2].as_millis_f64(),
    ]
}

/// Sends messages that the far end sends back.
fn echo(seed: u64, config: LinkConfig) -> Took {
    let mut up = Link::new(seed * 2, config);
    let mut down = Link::new(seed * 2 + 1, config);
    let mut took = Took::default();
    let mut messages = (0..MESSAGES).map(|n| ms(n * 1_000) / 60).peekable();
    let mut packet = Vec::new();
    loop {
        let ends = [messages.peek().copied(), up.next_at(), down.next_at()];
        let Some(now) = ends.into_iter().flatten().min() else {
            return took;
        };
        let sent = |packet: &[u8]| {
            Micros::new(u64::from_le_bytes(packet[..8].try_into().expect("8 bytes")))
        };
        while up.receive(now, &mut packet).is_some() {
            took.there.push(now - sent(&packet));
            down.send(now, &packet);
        }
        while down.receive(now, &mut packet).is_some() {
            took.back.push(now - sent(&packet));
        }
        if let Some(now) = messages.next_if_eq(&now) {
            up.send(now, &stamped(now));
        }
    }
}
