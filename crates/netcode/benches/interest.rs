//! Who hears what, and the sets that are streamed: `cargo bench -p afterimage-netcode`. Beside other people's crates:
//! `npm run bench`.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a bench is what clocks are for"
)]

mod work;

use std::hint::black_box;

use afterimage_netcode::Bits;
use afterimage_netcode::interest::{
    AggregateTree, GridQuantizer, SpatialGrid, Summary, VisibilitySet, WeightedPoint,
};
use afterimage_netcode::replicate::{DeltaBaseline, DeltaMirror, DeltaPlan, Recovery};
use wire::{Micros, Seq};
use work::{CROWDS, Crowd, FIELDS, KEYS, RADII, ROUND_TRIP, SUBSCRIBERS, VIEWERS, least, places};

const RUNS: usize = 300;

fn main() {
    println!("interest, us: 32 viewers at once                          ours     brute force");
    for count in CROWDS {
        grid(count);
    }
    for changes in [1_250, 60] {
        visibility(changes);
    }
    for count in FIELDS {
        aggregate(count);
    }
    println!("a streamed set of {KEYS} names, {SUBSCRIBERS} subscribers, us a round");
    for recovery in [Recovery::Naive, Recovery::Acknowledged, Recovery::Prompt] {
        let [planned, acknowledged] = stream(recovery);
        let name = format!("{recovery:?}");
        println!("  {name:<14} plan {planned:>10.1}   acknowledge {acknowledged:>8.1}   aim 1000");
    }
}

fn row(what: &str, ours: f64, brute: Option<f64>) {
    let brute = brute.map_or_else(String::new, |brute| format!("{brute:12.1}"));
    println!("  {what:<52} {ours:>8.2} {brute}");
}

fn grid(count: usize) {
    let width = work::width(count);
    let points = places(count, width, 1);
    let viewers = places(VIEWERS, width, 2);
    let mut grid = SpatialGrid::new(GridQuantizer::new([0.0; 2], [width; 2], 128.0));
    let build = least(RUNS, || {
        grid.rebuild((0..).zip(black_box(&points).iter().copied()));
    });
    row(&format!("grid of {count}, rebuild"), build, None);
    for radius in RADII {
        let (mut out, mut set) = (Vec::new(), Bits::new(count));
        let (mut found, mut there) = (0, 0);
        let names = least(RUNS, || {
            found = 0;
            for viewer in black_box(&viewers) {
                grid.query_radius(*viewer, radius, &mut out);
                found += black_box(&out).len();
            }
        });
        let brute = least(RUNS / 3, || {
            there = 0;
            for viewer in black_box(&viewers) {
                out.clear();
                for (id, at) in (0u32..).zip(black_box(&points)) {
                    let (dx, dy) = (at[0] - viewer[0], at[1] - viewer[1]);
                    if dx * dx + dy * dy <= radius * radius {
                        out.push(id);
                    }
                }
                there += black_box(&out).len();
            }
        });
        assert_eq!(found, there, "both find the same");
        let slots = least(RUNS, || {
            for viewer in black_box(&viewers) {
                set.clear();
                grid.query_set(*viewer, radius, &mut set);
                black_box(&set);
            }
        });
        let each = found / VIEWERS;
        row(
            &format!("radius {radius}, names ({each} a viewer)"),
            names,
            Some(brute),
        );
        row(&format!("radius {radius}, as a set"), slots, None);
    }
}

fn visibility(changes: usize) {
    let mut seen = VisibilitySet::new(KEYS);
    let sets = work::sets(KEYS, changes);
    for set in &sets {
        let (now, _) = seen.turn();
        set.iter().for_each(|slot| now.insert(*slot));
    }
    let mut found = Vec::new();
    let ours = least(RUNS * 10, || {
        found.clear();
        black_box(&seen).each_entered(|slot| found.push(slot as u32));
        black_box(&seen).each_left(|slot| found.push(slot as u32));
    });
    assert_eq!(found.len(), changes);
    let brute = least(RUNS, || {
        found.clear();
        for slot in 0..KEYS {
            if seen.now().contains(slot) != seen.before().contains(slot) {
                found.push(slot as u32);
            }
        }
        black_box(&found);
    });
    row(
        &format!("visible set of {KEYS}, one viewer, {changes} changes"),
        ours,
        Some(brute),
    );
}

fn aggregate(count: usize) {
    let width = work::width(3_000);
    let points: Vec<WeightedPoint> = places(count, width, 3)
        .into_iter()
        .map(|at| WeightedPoint { at, weight: 1.0 })
        .collect();
    let viewers = places(VIEWERS, width, 4);
    let mut tree = AggregateTree::new();
    let build = least(RUNS, || {
        tree.build_in(black_box(&points), [width / 2.0; 2], width, 10);
    });
    row(&format!("tree of {count}, build"), build, None);
    let mut out: Vec<Summary> = Vec::new();
    for theta in [0.5, 1.5] {
        let mut told = 0;
        let ours = least(RUNS, || {
            told = 0;
            for viewer in black_box(&viewers) {
                tree.summarize(*viewer, theta, &mut out);
                told += black_box(&out).len();
            }
        });
        let mut all = Vec::new();
        let brute = least(RUNS / 3, || {
            for viewer in black_box(&viewers) {
                all.clear();
                all.extend(points.iter().map(|point| (*viewer, *point)));
                black_box(&all);
            }
        });
        row(
            &format!("theta {theta} ({} a viewer)", told / VIEWERS),
            ours,
            Some(brute),
        );
    }
}

/// Microseconds of planning for every subscriber, and of taking every acknowledgement.
fn stream(recovery: Recovery) -> [f64; 2] {
    let mut crowd = Crowd::new();
    let mut visible = Bits::new(KEYS);
    visible.fill(KEYS);
    let mut subscribers: Vec<_> = (0..SUBSCRIBERS)
        .map(|_| (DeltaBaseline::new(KEYS, recovery), DeltaMirror::new(KEYS)))
        .collect();
    let mut plans: Vec<Vec<DeltaPlan>> = vec![vec![DeltaPlan::default(); SUBSCRIBERS]; ROUND_TRIP];
    let mut best = [f64::INFINITY; 2];
    for round in 0..200usize {
        crowd.turn();
        let lives: Vec<u8> = crowd.keys.iter().map(|key| key.life).collect();
        let now = Micros::from_millis(round as u64 * 16);
        let patience = Micros::from_millis(100);
        let planned = least(1, || {
            for ((baseline, _), plan) in subscribers.iter_mut().zip(&mut plans[round % ROUND_TRIP])
            {
                let seq = Seq::new(1 + round as u64);
                baseline.plan(seq, now, patience, &visible, &lives, plan);
            }
        });
        // What was sent a round trip ago is taken and answered now; every subscriber loses another twentieth.
        let taken = &plans[(round + 1) % ROUND_TRIP];
        let mut acks = Vec::with_capacity(SUBSCRIBERS);
        for (at, ((_, mirror), plan)) in subscribers.iter_mut().zip(taken).enumerate() {
            let lost = (round + at).is_multiple_of(20);
            if plan.seq.get() > 0 && !lost {
                mirror.apply(plan, |_| {}).ok();
            }
            acks.push(mirror.ack());
        }
        let acknowledged = least(1, || {
            for ((baseline, _), ack) in subscribers.iter_mut().zip(&acks) {
                if let Some(ack) = ack {
                    black_box(baseline.acknowledge(ack));
                }
            }
        });
        if round > 50 {
            best = [best[0].min(planned), best[1].min(acknowledged)];
        }
    }
    best
}
