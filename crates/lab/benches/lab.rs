//! How fast the lab and its machines are, and what they send: `cargo bench -p afterimage-lab`.
//!
//! Every run does the same work, so of each small piece of it the fastest run counts, and the pieces are added up: what the
//! code costs, not what else the machine did. Still, compare within one table only.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a bench is what a clock is for"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use lab::params::Config;
use lab::probe::{BYTES_DOWN, BYTES_UP};
use lab::run::columns;
use lab::scenes::open;
use lab::timeline::{Bound, Timeline};
use lab::{Lab, LabSetup};
use support::counting::{Counting, so_far};
use support::drive::{Call, Match, Nobody, Watch};
use wire::Micros;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const RUNS: usize = 7;
/// The page's own seed.
const SEED: u64 = 7;

fn main() {
    let mut rows = vec![
        ["figure", "value", "unit", "aim"]
            .map(String::from)
            .to_vec(),
    ];
    let mut row = |figure: &str, value: f64, unit: &str, aim: &str| {
        let places = if value < 100.0 { 1 } else { 0 };
        rows.push(vec![
            figure.into(),
            lab::json::number(value, places),
            unit.into(),
            aim.into(),
        ]);
    };
    row(
        "lab, arena, 10 characters, 2 clients, probes on",
        speed("arena", 60),
        "x real time",
        "600 or more",
    );
    row(
        "lab, horde, 3,000 enemies, 2 clients, probes on",
        speed("horde", 20),
        "x real time",
        "100 or more",
    );
    let calls = calls();
    let per = |call: Call, of: u64| calls.time[call as usize] / of as f64;
    row(
        "Server::advance",
        per(Call::ServerAdvance, calls.ticks),
        "ns a tick",
        "",
    );
    row(
        "Client::advance",
        per(Call::ClientAdvance, calls.client_ticks),
        "ns a tick",
        "",
    );
    row(
        "Server::poll, snapshot written",
        per(Call::ServerPoll, calls.entries),
        "ns an entity",
        "",
    );
    row(
        "Client::handle, snapshot read",
        per(Call::ClientHandle, calls.heard),
        "ns an entity",
        "",
    );
    row(
        "entities in a snapshot",
        calls.entries as f64 / calls.snapshots as f64,
        "",
        "",
    );
    let (up, down) = bytes();
    row("one client up, default link", up, "B/s", "");
    row("one client down, default link", down, "B/s", "");
    let (time, allocations, size) = clone();
    row("copy of a lab", time, "us", "");
    row("copy of a lab", allocations, "allocations", "");
    row("copy of a lab", size / 1000.0, "kB", "");
    let past = past();
    row("the last minute, kept", past.kept, "MiB", "64 or less");
    row("a seek in it, mean", past.mean, "ms", "");
    row(
        "a seek in it, worst of 400",
        past.worst,
        "ms",
        "100 or less",
    );
    row(
        "Server and Client, advance, handle, poll, ticks 640 to 6400",
        allocations_of_machines(),
        "allocations",
        "0",
    );
    row(
        "lab, all of it, seconds 10 to 100",
        allocations_of_lab(),
        "allocations a tick",
        "",
    );
    print!("{}", columns(&rows, 1));
}

/// The sum of the fastest of each piece over all runs, ns.
fn fastest(mut run: impl FnMut() -> Vec<Duration>) -> Vec<f64> {
    let mut best = run();
    for _ in 1..RUNS {
        let again = run();
        assert_eq!(again.len(), best.len(), "every run does the same work");
        for (best, again) in best.iter_mut().zip(again) {
            *best = again.min(*best);
        }
    }
    best.iter().map(|best| best.as_nanos() as f64).collect()
}

/// What asking the clock twice costs, ns.
fn clock() -> f64 {
    let mut least = Duration::MAX;
    for _ in 0..10_000 {
        let start = Instant::now();
        least = least.min(black_box(start).elapsed());
    }
    least.as_nanos() as f64
}

fn lab_at(seconds: u64) -> Box<dyn Lab> {
    lab_of("arena", seconds)
}

fn lab_of(scene: &'static str, seconds: u64) -> Box<dyn Lab> {
    let setup = LabSetup::new(SEED, Config::of(scene));
    let mut lab = open(scene, setup).expect("there is such a scene");
    lab.set_told(false);
    lab.advance(Micros::from_millis(seconds * 1_000));
    lab
}

/// Virtual seconds a second of a scene as it comes, over so many.
fn speed(scene: &'static str, seconds: u64) -> f64 {
    /// A piece takes a tenth of a millisecond or so, seldom long enough to be interrupted.
    const PIECE: Micros = Micros::from_millis(100);
    let start = lab_of(scene, 3);
    let pieces = fastest(|| {
        let mut lab = start.fork();
        let piece = |_| {
            let to = lab.now() + PIECE;
            let start = Instant::now();
            lab.advance(to);
            start.elapsed()
        };
        (0..seconds * 10).map(piece).collect()
    });
    seconds as f64 / (pieces.iter().sum::<f64>() / 1e9)
}

/// Time by call, ns, and what it was for.
struct Calls {
    time: [f64; 6],
    ticks: u64,
    client_ticks: u64,
    snapshots: u64,
    entries: u64,
    heard: u64,
}

/// Each call and how long it took.
#[derive(Default)]
struct Timed {
    calls: Vec<Call>,
    took: Vec<Duration>,
}

impl Watch for Timed {
    fn around<T>(&mut self, call: Call, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        self.took.push(start.elapsed());
        self.calls.push(call);
        result
    }
}

fn calls() -> Calls {
    const TICKS: usize = 6_400;
    let totals = |game: &Match| {
        let server = game.server.counters();
        let clients = game.clients.iter().map(netcode::Client::counters);
        let (ticks, heard) = clients.fold((0, 0), |(ticks, heard), c| {
            (ticks + c.ticks, heard + c.entries)
        });
        [server.ticks, server.snapshots, server.entries, ticks, heard]
    };
    let (mut names, mut done) = (Vec::new(), [0; 5]);
    let took = fastest(|| {
        let mut game = Match::new();
        for _ in 0..640 {
            game.tick(&mut Nobody);
        }
        let before = totals(&game);
        let mut timed = Timed::default();
        for _ in 0..TICKS {
            game.tick(&mut timed);
        }
        let after = totals(&game);
        done = [0, 1, 2, 3, 4].map(|i| after[i] - before[i]);
        names = timed.calls;
        timed.took
    });
    let clock = clock();
    let mut time = [0.0; 6];
    for (call, took) in names.into_iter().zip(took) {
        time[call as usize] += (took - clock).max(0.0);
    }
    let [ticks, snapshots, entries, client_ticks, heard] = done;
    Calls {
        time,
        ticks,
        client_ticks,
        snapshots,
        entries,
        heard,
    }
}

/// Bytes a second up and down, of You.
fn bytes() -> (f64, f64) {
    let lab = lab_at(60);
    let mean = |id| lab.meters().summary(id, lab.now()).mean;
    (mean(BYTES_UP), mean(BYTES_DOWN))
}

/// Microseconds, allocations and bytes of a copy.
fn clone() -> (f64, f64, f64) {
    let lab = lab_at(10);
    let before = so_far();
    drop(black_box(lab.fork()));
    let after = so_far();
    let time = (0..500)
        .map(|_| {
            let start = Instant::now();
            drop(black_box(lab.fork()));
            start.elapsed().as_secs_f64() * 1e6
        })
        .fold(f64::INFINITY, f64::min);
    (
        time,
        (after.0 - before.0) as f64,
        (after.1 - before.1) as f64,
    )
}

/// What a minute of the past costs.
struct Past {
    /// MiB.
    kept: f64,
    /// A seek, ms.
    mean: f64,
    worst: f64,
}

fn past() -> Past {
    let mut time = Timeline::new(lab_at(0), Bound::default());
    time.advance(Micros::from_millis(90_000));
    let live = time.shown().now();
    // Far from the one before: nothing of it is of use.
    let seeks = fastest(|| {
        let seek = |n: u64| {
            let start = Instant::now();
            time.seek(live - Micros::from_millis(n * 7_919 % 60_000));
            start.elapsed()
        };
        (0..400).map(seek).collect()
    });
    Past {
        kept: time.bytes() as f64 / f64::from(1 << 20),
        mean: seeks.iter().sum::<f64>() / seeks.len() as f64 / 1e6,
        worst: seeks.iter().fold(0.0, |worst: f64, seek| worst.max(*seek)) / 1e6,
    }
}

/// Allocations of a whole lab, probes on, per tick of the server.
fn allocations_of_lab() -> f64 {
    let mut lab = lab_at(10);
    let (tick, before) = (lab.tick(), so_far().0);
    lab.advance(Micros::from_millis(100_000));
    (so_far().0 - before) as f64 / lab.tick().since(tick) as f64
}

/// Allocations by the machines alone.
fn allocations_of_machines() -> f64 {
    struct Allocations(u64);
    impl Watch for Allocations {
        fn around<T>(&mut self, _call: Call, run: impl FnOnce() -> T) -> T {
            let (before, _) = so_far();
            let result = run();
            self.0 += so_far().0 - before;
            result
        }
    }
    let mut game = Match::new();
    for _ in 0..640 {
        game.tick(&mut Nobody);
    }
    let mut counted = Allocations(0);
    for _ in 640..6_400 {
        game.tick(&mut counted);
    }
    counted.0 as f64
}
