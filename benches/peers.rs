//! Ours beside other people's crates, in one run: `npm run bench`. The ratio is theirs to ours: what is above 1 we do faster.
//!
//! Each side does the work as its documentation says, with the memory it may keep; what both find is compared where both are exact.

#[path = "../crates/netcode/benches/work/mod.rs"]
mod work;

use std::collections::BTreeSet;
use std::hint::black_box;

use kiddo::{ImmutableKdTree, SquaredEuclidean};
use netcode::Bits;
use netcode::interest::{AggregateTree, GridQuantizer, SpatialGrid, VisibilitySet, WeightedPoint};
use netcode::interpolate::SnapshotBuffer;
use netcode::replicate::{DeltaBaseline, DeltaMirror, DeltaPlan, Recovery};
use plaza_client_utils::ack::AckWindow;
use plaza_client_utils::digest::SetDigest;
use plaza_client_utils::interpolation;
use plaza_server_utils::{aggregate, delta, relevance};
use rstar::RTree;
use rstar::primitives::GeomWithData;
use wire::{Micros, Quant, Seq, Tick, record};
use work::{CROWDS, Crowd, FIELDS, KEYS, RADII, ROUND_TRIP, SUBSCRIBERS, VIEWERS, least, places};

const RUNS: usize = 200;

fn main() {
    println!("us, and theirs / ours{:32}ours       theirs   ratio", "");
    for count in CROWDS {
        grids(count);
    }
    for changes in [1_250, 60] {
        visibility(changes);
    }
    for count in FIELDS {
        trees(count);
    }
    streams();
    buffers();
}

fn row(what: &str, ours: f64, peers: &[(&str, f64)]) {
    for (peer, theirs) in peers {
        let ratio = theirs / ours;
        println!("  {what:<30} {peer:<20} {ours:>9.2} {theirs:>12.2} {ratio:>7.1}");
    }
}

type Named = GeomWithData<[f32; 2], u32>;

fn grids(count: usize) {
    let width = work::width(count);
    let points = places(count, width, 1);
    let viewers = places(VIEWERS, width, 2);
    let mut ours = SpatialGrid::new(GridQuantizer::new([0.0; 2], [width; 2], 128.0));
    let mut theirs =
        relevance::SpatialGrid::<u32>::new(relevance::GridQuantizer::new((0.0, 0.0), 128.0));
    let named = || {
        (0u32..)
            .zip(black_box(&points))
            .map(|(id, at)| Named::new(*at, id))
    };
    let mut rtree = RTree::new();
    let mut kdtree = None;
    let build = least(RUNS, || {
        ours.rebuild((0..).zip(black_box(&points).iter().copied()))
    });
    let built = [
        (
            "plaza SpatialGrid",
            least(RUNS, || {
                theirs.clear();
                for (id, at) in (0u32..).zip(black_box(&points)) {
                    theirs.insert(id, at[0], at[1]);
                }
            }),
        ),
        (
            "rstar",
            least(RUNS / 10, || rtree = RTree::bulk_load(named().collect())),
        ),
        (
            "kiddo",
            least(RUNS / 10, || {
                kdtree = ImmutableKdTree::new_from_slice(black_box(&points)).ok()
            }),
        ),
    ];
    row(&format!("{count}: build"), build, &built);
    let kdtree = kdtree.expect("the points are fit for it");
    for radius in RADII {
        let mut out = Vec::new();
        let mut found = [0; 3];
        let query = least(RUNS, || {
            found[0] = 0;
            for viewer in black_box(&viewers) {
                ours.query_radius(*viewer, radius, &mut out);
                found[0] += black_box(&out).len();
            }
        });
        let queried = [
            (
                "plaza, a superset",
                least(RUNS, || {
                    for viewer in black_box(&viewers) {
                        out.clear();
                        theirs.query_radius(viewer[0], viewer[1], radius, &mut out);
                        black_box(&out);
                    }
                }),
            ),
            (
                "rstar",
                least(RUNS, || {
                    found[1] = 0;
                    for viewer in black_box(&viewers) {
                        out.clear();
                        let near = rtree.locate_within_distance(*viewer, radius * radius);
                        out.extend(near.map(|point: &Named| point.data));
                        found[1] += black_box(&out).len();
                    }
                }),
            ),
            (
                "kiddo",
                least(RUNS, || {
                    found[2] = 0;
                    for viewer in black_box(&viewers) {
                        let near = kdtree
                            .query(viewer)
                            .within::<SquaredEuclidean<f32>>(radius * radius)
                            .unsorted()
                            .execute();
                        found[2] += black_box(near).len();
                    }
                }),
            ),
        ];
        assert_eq!(found[0], found[1], "both find the same");
        assert!(found[0].abs_diff(found[2]) < 3, "but for a rim: {found:?}");
        row(&format!("{count}: 32 of radius {radius}"), query, &queried);
    }
}

fn visibility(changes: usize) {
    let [before, now] = work::sets(KEYS, changes);
    let mut seen = VisibilitySet::new(KEYS);
    for set in [&before, &now] {
        let (next, _) = seen.turn();
        set.iter().for_each(|slot| next.insert(*slot));
    }
    let [theirs_before, theirs_now] = [&before, &now].map(|slots| {
        let mut set = relevance::VisibilitySet::with_capacity(KEYS as u32);
        slots.iter().for_each(|slot| set.insert(*slot as u32));
        set
    });
    let (mut entered, mut left) = (Vec::<u32>::new(), Vec::<u32>::new());
    let ours = least(RUNS * 10, || {
        entered.clear();
        left.clear();
        black_box(&seen).each_entered(|slot| entered.push(slot as u32));
        black_box(&seen).each_left(|slot| left.push(slot as u32));
    });
    let found = (entered.len(), left.len());
    let theirs = least(RUNS * 10, || {
        entered.clear();
        left.clear();
        black_box(&theirs_now).diff(&theirs_before, &mut entered, &mut left);
    });
    assert_eq!(found, (entered.len(), left.len()));
    let what = format!("visible set, {changes} changes");
    row(&what, ours, &[("plaza VisibilitySet", theirs)]);
}

fn trees(count: usize) {
    let width = work::width(3_000);
    let places_of = places(count, width, 3);
    let viewers = places(VIEWERS, width, 4);
    let points: Vec<_> = places_of
        .iter()
        .map(|at| WeightedPoint {
            at: *at,
            weight: 1.0,
        })
        .collect();
    let theirs: Vec<_> = places_of
        .iter()
        .map(|at| aggregate::WeightedPoint::new(at[0], at[1], 1.0))
        .collect();
    let center = width / 2.0;
    let mut tree = AggregateTree::new();
    let build = least(RUNS, || {
        tree.build_in(black_box(&points), [center; 2], width, 10)
    });
    let mut peer = aggregate::AggregateTree::build_in(&theirs, (center, center), width, 10);
    let built = least(RUNS, || {
        peer = aggregate::AggregateTree::build_in(black_box(&theirs), (center, center), width, 10);
    });
    row(
        &format!("tree of {count}: build"),
        build,
        &[("plaza AggregateTree", built)],
    );
    for theta in [0.3, 0.5, 1.5] {
        let (mut out, mut outs) = (Vec::new(), Vec::new());
        let mut told = [0; 2];
        let ours = least(RUNS, || {
            told[0] = 0;
            for viewer in black_box(&viewers) {
                tree.summarize(*viewer, theta, &mut out);
                told[0] += black_box(&out).len();
            }
        });
        let queried = least(RUNS, || {
            told[1] = 0;
            for viewer in black_box(&viewers) {
                peer.summarize(viewer[0], viewer[1], theta, &mut outs);
                told[1] += black_box(&outs).len();
            }
        });
        let [mine, other] = told.map(|all| all / VIEWERS);
        let what = format!("tree of {count}: theta {theta}");
        let peer = format!("plaza ({mine} / {other})");
        row(&what, ours, &[(&peer, queried)]);
    }
}

fn streams() {
    let policies = [Recovery::Acknowledged, Recovery::Prompt];
    let ours = policies.map(our_stream);
    let theirs = their_stream();
    for (policy, [planned, acknowledged]) in policies.iter().zip(ours) {
        let what = format!("{SUBSCRIBERS} subscribers, {policy:?}");
        row(
            &format!("{what}: plan"),
            planned,
            &[("plaza DeltaBaseline", theirs[0])],
        );
        row(
            "  acknowledge",
            acknowledged,
            &[("plaza DeltaBaseline", theirs[1])],
        );
    }
}

/// One round in twenty is lost to each subscriber, and answers are back after a round trip.
fn is_lost(round: usize, subscriber: usize) -> bool {
    (round + subscriber).is_multiple_of(20)
}

fn our_stream(recovery: Recovery) -> [f64; 2] {
    let mut crowd = Crowd::new();
    let mut visible = Bits::new(KEYS);
    visible.fill(KEYS);
    let mut subscribers: Vec<_> = (0..SUBSCRIBERS)
        .map(|_| (DeltaBaseline::new(KEYS, recovery), DeltaMirror::new(KEYS)))
        .collect();
    let mut plans = vec![vec![DeltaPlan::default(); SUBSCRIBERS]; ROUND_TRIP];
    let mut best = [f64::INFINITY; 2];
    for round in 0..120usize {
        crowd.turn();
        let lives: Vec<u8> = crowd.keys.iter().map(|key| key.life).collect();
        let (seq, now) = (
            Seq::new(1 + round as u64),
            Micros::from_millis(round as u64 * 16),
        );
        let planned = least(1, || {
            for ((baseline, _), plan) in subscribers.iter_mut().zip(&mut plans[round % ROUND_TRIP])
            {
                baseline.plan(seq, now, Micros::from_millis(100), &visible, &lives, plan);
            }
        });
        let taken = &plans[(round + 1) % ROUND_TRIP];
        let mut acks = Vec::new();
        for (at, ((_, mirror), plan)) in subscribers.iter_mut().zip(taken).enumerate() {
            if plan.seq.get() > 0 && !is_lost(round, at) {
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
        if round > 40 {
            best = [best[0].min(planned), best[1].min(acknowledged)];
        }
    }
    best
}

fn their_stream() -> [f64; 2] {
    let mut crowd = Crowd::new();
    let mut subscribers: Vec<_> = (0..SUBSCRIBERS)
        .map(|_| (delta::DeltaBaseline::new(64), AckWindow::new()))
        .collect();
    let mut digests = Vec::new();
    let mut best = [f64::INFINITY; 2];
    for round in 0..60usize {
        crowd.turn();
        let current: BTreeSet<u64> = crowd
            .keys
            .iter()
            .map(|key| u64::from(key.packed()))
            .collect();
        let seq = 1 + round as u64;
        let planned = least(1, || {
            for (baseline, _) in &mut subscribers {
                black_box(baseline.plan(&current, seq));
            }
        });
        digests.push(SetDigest::from_keys(current.iter().copied()).digest());
        let Some(taken) = round.checked_sub(ROUND_TRIP - 1) else {
            continue;
        };
        for (at, (_, window)) in subscribers.iter_mut().enumerate() {
            if !is_lost(round, at) {
                window.observe(1 + taken as u64);
            }
        }
        let acknowledged = least(1, || {
            for (baseline, window) in &mut subscribers {
                if let Some((newest, mask)) = window.encode() {
                    baseline.observe_ack(newest, mask, digests[newest as usize - 1]);
                }
            }
        });
        if round > 20 {
            best = [best[0].min(planned), best[1].min(acknowledged)];
        }
    }
    best
}

record! {
    /// Where something is and how fast.
    struct Body as BODY ("body", shown: Interpolated, rewind: false, share: 1) {
        x: Quant::Signed { bits: 17, step: 0.01 }, "m", Linear, All, place;
        y: Quant::Signed { bits: 17, step: 0.01 }, "m", Linear, All, place;
        vx: Quant::Signed { bits: 12, step: 0.01 }, "m/s", Linear, All;
        vy: Quant::Signed { bits: 12, step: 0.01 }, "m/s", Linear, All;
    }
}

#[derive(Clone, Debug)]
struct State([f32; 4]);

impl interpolation::Interpolatable<u64> for State {
    fn interpolate(&self, other: &Self, t: f32, _from: u64, _to: u64) -> Self {
        Self(std::array::from_fn(|i| {
            self.0[i] + (other.0[i] - self.0[i]) * t
        }))
    }
}

/// Samples of 3,000 bodies taken, and each drawn between two of them.
fn buffers() {
    let mut ours = SnapshotBuffer::new(KEYS, Body::WIDTH);
    let mut theirs: Vec<_> = (0..KEYS)
        .map(|_| interpolation::SnapshotBuffer::<u64, State>::new(SnapshotBuffer::CAPACITY))
        .collect();
    let code = |slot: usize, tick: u64| (slot as i32 * 7 + tick as i32 * 13) % 60_000;
    let (mut tick, mut at) = (0, 0);
    let added = least(RUNS, || {
        tick += 3;
        for slot in 0..KEYS {
            let x = code(slot, tick);
            black_box(ours.insert(
                slot,
                Tick::new(tick),
                SnapshotBuffer::RUN_UNKNOWN,
                &[x, -x, 9, 9],
            ));
        }
    });
    let peers_added = least(RUNS, || {
        at += 3;
        for (slot, buffer) in theirs.iter_mut().enumerate() {
            let x = code(slot, at) as f32 * 0.01;
            buffer.add_snapshot(at, State([x, -x, 0.09, 0.09]));
        }
    });
    row(
        "3,000 buffers: add",
        added,
        &[("plaza SnapshotBuffer", peers_added)],
    );
    let mut drawn = [0.0; Body::WIDTH];
    let sampled = least(RUNS, || {
        for slot in 0..KEYS {
            ours.sample(slot, &BODY, black_box(tick as f64 - 4.0), 0.0, &mut drawn);
            black_box(&drawn);
        }
    });
    let peers_sampled = least(RUNS, || {
        for buffer in &theirs {
            black_box(buffer.get_interpolated_state(black_box(at - 4)));
        }
    });
    row(
        "3,000 buffers: sample",
        sampled,
        &[("plaza SnapshotBuffer", peers_sampled)],
    );
}
