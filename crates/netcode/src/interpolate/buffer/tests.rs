//! Samples in every order, and what is drawn between them.

use std::f32::consts::TAU;

use super::*;
use crate::input::fixture::Dice;
use crate::interpolate::fixture::{BODY, Body, STEP, at_x};

const UNKNOWN: u8 = SnapshotBuffer::RUN_UNKNOWN;

/// A buffer whose slot 3 has these samples: tick, run, steps along.
fn with(samples: &[(u64, u8, i32)]) -> SnapshotBuffer {
    let mut buffer = SnapshotBuffer::new(8, Body::WIDTH);
    for &(tick, run, x) in samples {
        buffer.insert(3, Tick::new(tick), run, &at_x(x));
    }
    buffer
}

fn drawn(
    buffer: &SnapshotBuffer,
    at: f64,
    extrapolate: f64,
) -> (Option<Sampled>, [f32; Body::WIDTH]) {
    let mut out = [f32::NAN; Body::WIDTH];
    (buffer.sample(3, &BODY, at, extrapolate, &mut out), out)
}

/// How many steps along slot 3 is drawn.
fn x(buffer: &SnapshotBuffer, at: f64) -> f32 {
    let (sampled, out) = drawn(buffer, at, 0.0);
    assert!(sampled.is_some());
    out[Body::AT.x] / STEP
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() < 1e-3
}

#[test]
fn before_the_first_as_the_first_and_after_the_last_as_the_last() {
    let buffer = with(&[(10, UNKNOWN, 100), (20, UNKNOWN, 200)]);
    assert_eq!(
        (drawn(&buffer, 3.0, 0.0).0, x(&buffer, 3.0)),
        (Some(Sampled::Before), 100.0)
    );
    assert_eq!(
        (drawn(&buffer, 10.0, 0.0).0, x(&buffer, 10.0)),
        (Some(Sampled::Between), 100.0)
    );
    assert_eq!(x(&buffer, 12.5), 125.0);
    assert_eq!(
        (drawn(&buffer, 20.0, 0.0).0, x(&buffer, 20.0)),
        (Some(Sampled::Between), 200.0)
    );
    assert_eq!(
        (drawn(&buffer, 33.0, 0.0).0, x(&buffer, 33.0)),
        (Some(Sampled::After), 200.0)
    );
    assert_eq!(
        buffer.sample(2, &BODY, 10.0, 0.0, &mut [0.0; Body::WIDTH]),
        None
    );
    assert_eq!(
        buffer.sample(800, &BODY, 10.0, 0.0, &mut [0.0; Body::WIDTH]),
        None
    );
}

#[test]
fn each_field_blends_as_its_class_says() {
    let mut buffer = with(&[]);
    let mut record = [0; Body::WIDTH];
    Body {
        x: 0,
        y: -400,
        facing: 250,
        charge: 0,
        hp: 90,
        jump: 1,
    }
    .save(&mut record);
    buffer.insert(3, Tick::new(10), UNKNOWN, &record);
    Body {
        x: 100,
        y: 400,
        facing: 6,
        charge: 255,
        hp: 70,
        jump: 1,
    }
    .save(&mut record);
    buffer.insert(3, Tick::new(14), UNKNOWN, &record);
    let (_, out) = drawn(&buffer, 11.0, 0.0);
    assert!(out[Body::AT.x] == 25.0 * STEP && out[Body::AT.y] == -200.0 * STEP);
    // From 250 to 6 of 256 is 12 steps by way of 0, not 244 the other way.
    assert!(
        near(out[Body::AT.facing], 253.0 * TAU / 256.0),
        "{}",
        out[Body::AT.facing]
    );
    assert_eq!((out[Body::AT.hp], out[Body::AT.jump]), (90.0, 1.0));
    assert_eq!(out[Body::AT.charge], 0.25);
    assert_eq!(drawn(&buffer, 13.0, 0.0).1[Body::AT.hp], 70.0);
}

#[test]
fn a_teleport_is_never_drawn_between() {
    let mut buffer = with(&[]);
    let mut record = [0; Body::WIDTH];
    Body {
        x: 0,
        hp: 0,
        ..Body::default()
    }
    .save(&mut record);
    buffer.insert(3, Tick::new(10), UNKNOWN, &record);
    Body {
        x: 51_200,
        hp: 100,
        jump: 1,
        ..Body::default()
    }
    .save(&mut record);
    buffer.insert(3, Tick::new(11), UNKNOWN, &record);
    let (_, before) = drawn(&buffer, 10.999, 0.0);
    assert_eq!(
        (
            before[Body::AT.x],
            before[Body::AT.hp],
            before[Body::AT.jump]
        ),
        (0.0, 0.0, 0.0)
    );
    let (_, after) = drawn(&buffer, 11.0, 0.0);
    assert_eq!(
        (after[Body::AT.x], after[Body::AT.hp], after[Body::AT.jump]),
        (50.0, 100.0, 1.0)
    );
}

#[test]
fn what_was_at_rest_is_held_until_it_moves() {
    let mut buffer = with(&[(10, UNKNOWN, 100)]);
    assert_eq!(buffer.insert(3, Tick::new(50), 0, &at_x(180)), Insert::Held);
    assert_eq!(x(&buffer, 30.0), 100.0);
    assert_eq!(x(&buffer, 49.0), 100.0);
    assert_eq!(x(&buffer, 49.5), 140.0);
    // A run of three ticks when the first packet of it was lost.
    assert_eq!(buffer.insert(3, Tick::new(80), 3, &at_x(260)), Insert::Held);
    assert_eq!(x(&buffer, 76.0), 180.0);
    assert_eq!(x(&buffer, 78.0), 220.0);
}

#[test]
fn a_run_that_is_unknown_or_reaches_the_last_sample_needs_no_hold() {
    let mut buffer = with(&[(10, UNKNOWN, 100)]);
    assert_eq!(
        buffer.insert(3, Tick::new(50), UNKNOWN, &at_x(180)),
        Insert::Added
    );
    assert_eq!(x(&buffer, 30.0), 140.0);
    assert_eq!(
        buffer.insert(3, Tick::new(51), 0, &at_x(190)),
        Insert::Added
    );
    assert_eq!(
        buffer.insert(3, Tick::new(55), 3, &at_x(200)),
        Insert::Added
    );
    assert_eq!(
        buffer.insert(3, Tick::new(56), 14, &at_x(210)),
        Insert::Added
    );
    assert_eq!(buffer.samples(3).count(), 5);
}

#[test]
fn a_hold_is_no_sample_and_gives_way_to_one() {
    let mut buffer = with(&[(10, UNKNOWN, 100), (50, 0, 180)]);
    let given: Vec<_> = buffer
        .samples(3)
        .map(|(tick, record)| (tick.get(), record[0]))
        .collect();
    assert_eq!(given, [(10, 100), (50, 180)]);
    assert_eq!(
        buffer.insert(3, Tick::new(49), UNKNOWN, &at_x(111)),
        Insert::Added
    );
    assert_eq!(x(&buffer, 49.0), 111.0);
    assert_eq!(
        buffer.insert(3, Tick::new(49), UNKNOWN, &at_x(5)),
        Insert::Duplicate
    );
    assert_eq!(x(&buffer, 49.0), 111.0);
}

#[test]
fn a_hold_repeats_what_comes_before_it_even_if_that_comes_late() {
    let mut buffer = with(&[(10, UNKNOWN, 100), (50, 0, 180)]);
    assert_eq!(buffer.insert(3, Tick::new(20), 1, &at_x(150)), Insert::Held);
    assert_eq!(x(&buffer, 18.0), 100.0);
    assert_eq!(x(&buffer, 35.0), 150.0);
    assert_eq!(x(&buffer, 49.0), 150.0);
    assert_eq!(x(&buffer, 50.0), 180.0);
}

#[test]
fn late_samples_are_put_where_they_belong() {
    let mut buffer = with(&[(10, UNKNOWN, 100), (14, UNKNOWN, 140)]);
    assert_eq!(
        buffer.insert(3, Tick::new(12), UNKNOWN, &at_x(200)),
        Insert::Added
    );
    assert_eq!(
        buffer.insert(3, Tick::new(8), UNKNOWN, &at_x(0)),
        Insert::Added
    );
    assert_eq!(
        buffer.insert(3, Tick::new(14), UNKNOWN, &at_x(0)),
        Insert::Duplicate
    );
    assert_eq!(
        [9.0, 11.0, 13.0].map(|at| x(&buffer, at)),
        [50.0, 150.0, 170.0]
    );
    assert_eq!((buffer.late(), buffer.newest(3)), (0, Some(Tick::new(14))));
}

#[test]
fn thirty_two_are_kept_and_older_than_the_newest_dropped_is_refused_and_counted() {
    let mut buffer = with(&[]);
    for tick in 0..40 {
        assert_eq!(
            buffer.insert(3, Tick::new(tick * 2), UNKNOWN, &at_x(0)),
            Insert::Added
        );
    }
    let kept: Vec<_> = buffer.samples(3).map(|(tick, _)| tick.get()).collect();
    assert_eq!(kept, (8..40).map(|tick| tick * 2).collect::<Vec<_>>());
    for tick in [0, 13, 14] {
        assert_eq!(
            buffer.insert(3, Tick::new(tick), UNKNOWN, &at_x(0)),
            Insert::Late,
            "{tick}"
        );
    }
    // Not older than what was dropped, but it would be the next to go.
    assert_eq!(
        buffer.insert(3, Tick::new(15), UNKNOWN, &at_x(0)),
        Insert::Late
    );
    assert_eq!(buffer.late(), 4);
    assert_eq!(
        buffer.insert(3, Tick::new(17), UNKNOWN, &at_x(0)),
        Insert::Added
    );
    assert_eq!(
        buffer.insert(3, Tick::new(16), UNKNOWN, &at_x(0)),
        Insert::Late
    );
    assert_eq!(buffer.samples(3).count(), 32);
}

#[test]
fn a_hold_never_costs_the_sample_that_it_repeats() {
    let mut buffer = with(&[(0, UNKNOWN, 7)]);
    for tick in 0..31 {
        buffer.insert(3, Tick::new(100 + tick), UNKNOWN, &at_x(50));
    }
    assert_eq!(buffer.insert(3, Tick::new(90), 0, &at_x(9)), Insert::Added);
    assert_eq!(x(&buffer, 90.0), 9.0);
    assert_eq!(buffer.insert(3, Tick::new(200), 0, &at_x(51)), Insert::Held);
    assert_eq!(x(&buffer, 199.0), 50.0);
}

#[test]
fn it_goes_on_along_its_line_for_so_many_ticks_and_no_longer() {
    let buffer = with(&[(10, UNKNOWN, 100), (12, UNKNOWN, 120)]);
    let (sampled, out) = drawn(&buffer, 15.0, 4.0);
    assert_eq!(sampled, Some(Sampled::Extrapolated));
    assert_eq!(out[Body::AT.x], 150.0 * STEP);
    assert_eq!(drawn(&buffer, 30.0, 4.0).1[Body::AT.x], 160.0 * STEP);
    assert_eq!(drawn(&buffer, 15.0, 0.0).0, Some(Sampled::After));
    assert_eq!(drawn(&buffer, 12.0, 4.0).0, Some(Sampled::Between));
}

#[test]
fn only_its_place_goes_on() {
    let mut buffer = with(&[]);
    let mut record = [0; Body::WIDTH];
    Body {
        x: 100,
        facing: 10,
        charge: 51,
        hp: 90,
        ..Body::default()
    }
    .save(&mut record);
    buffer.insert(3, Tick::new(10), UNKNOWN, &record);
    Body {
        x: 110,
        facing: 20,
        charge: 102,
        hp: 80,
        ..Body::default()
    }
    .save(&mut record);
    buffer.insert(3, Tick::new(11), UNKNOWN, &record);
    let (_, out) = drawn(&buffer, 12.0, 5.0);
    assert_eq!(out[Body::AT.x], 120.0 * STEP);
    assert!(near(out[Body::AT.facing], 20.0 * TAU / 256.0));
    assert_eq!((out[Body::AT.hp], out[Body::AT.charge]), (80.0, 0.4));
}

#[test]
fn it_stands_where_the_newest_snapshot_did_not_mention_it() {
    let mut buffer = with(&[(10, UNKNOWN, 100), (12, UNKNOWN, 120)]);
    buffer.heard(Tick::new(13));
    assert_eq!(drawn(&buffer, 15.0, 4.0).0, Some(Sampled::After));
    assert_eq!(x(&buffer, 15.0), 120.0);
}

#[test]
fn it_stands_after_a_teleport_and_where_there_is_one_sample() {
    assert_eq!(
        drawn(&with(&[(10, UNKNOWN, 100)]), 15.0, 4.0).0,
        Some(Sampled::After)
    );
    let mut buffer = with(&[(10, UNKNOWN, 100)]);
    let mut record = at_x(5_120);
    record[Body::AT.jump] = 1;
    buffer.insert(3, Tick::new(11), UNKNOWN, &record);
    let (sampled, out) = drawn(&buffer, 15.0, 4.0);
    assert_eq!((sampled, out[Body::AT.x]), (Some(Sampled::After), 5.0));
}

#[test]
fn another_occupant_begins_with_nothing() {
    let mut buffer = with(&[(10, UNKNOWN, 100), (60, UNKNOWN, 120)]);
    buffer.reset(3);
    assert_eq!(
        (drawn(&buffer, 15.0, 0.0).0, buffer.newest(3)),
        (None, None)
    );
    assert_eq!(buffer.insert(3, Tick::new(5), 0, &at_x(900)), Insert::Added);
    assert_eq!(x(&buffer, 15.0), 900.0);
    buffer.reset(7);
    buffer.reset(7_000);
}

#[test]
fn places_are_used_again_and_a_copy_into_old_memory_allocates_nothing() {
    let mut buffer = SnapshotBuffer::new(64, Body::WIDTH);
    for slot in 0..4 {
        buffer.insert(slot, Tick::new(1), UNKNOWN, &at_x(slot as i32));
    }
    let mut copy = buffer.clone();
    let memory = (
        buffer.values.as_ptr(),
        copy.values.as_ptr(),
        copy.stamps.as_ptr(),
    );
    for slot in 4..60 {
        buffer.reset(slot - 4);
        buffer.insert(slot, Tick::new(1), UNKNOWN, &at_x(slot as i32));
        copy.clone_from(&buffer);
    }
    assert_eq!(
        memory,
        (
            buffer.values.as_ptr(),
            copy.values.as_ptr(),
            copy.stamps.as_ptr()
        )
    );
    let mut out = [0.0; Body::WIDTH];
    for slot in 56..60 {
        assert_eq!(
            copy.sample(slot, &BODY, 1.0, 0.0, &mut out),
            Some(Sampled::Between)
        );
        assert!(near(out[Body::AT.x] / STEP, slot as f32));
    }
    buffer.clear();
    assert!((0..64).all(|slot| buffer.newest(slot).is_none()));
}

#[test]
fn any_order_of_arrival_keeps_what_a_sorted_list_would() {
    let mut refused = 0;
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let mut buffer = with(&[]);
        let mut list: Vec<(u64, i32)> = Vec::new();
        let (mut dropped, mut late) = (None, 0);
        for step in 0..200u64 {
            let tick = step / 2 + dice.below(60);
            let value = dice.below(1_000) as i32;
            let was = buffer.insert(3, Tick::new(tick), UNKNOWN, &at_x(value));
            let at = list.partition_point(|(other, _)| *other < tick);
            let expected = if list.get(at).is_some_and(|(other, _)| *other == tick) {
                Insert::Duplicate
            } else if Some(tick) <= dropped || at == 0 && list.len() == 32 {
                late += 1;
                Insert::Late
            } else {
                list.insert(at, (tick, value));
                if list.len() > 32 {
                    dropped = Some(list.remove(0).0);
                }
                Insert::Added
            };
            assert_eq!(was, expected, "{seed}, {step}");
        }
        let kept: Vec<_> = buffer
            .samples(3)
            .map(|(tick, record)| (tick.get(), record[0]))
            .collect();
        assert_eq!((kept, buffer.late()), (list, late), "{seed}");
        refused += late;
    }
    assert!(refused > 1_000, "{refused}");
}

#[test]
fn with_holds_too_any_order_of_arrival_stays_sorted_and_drawable() {
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let mut buffer = with(&[]);
        let mut holds = 0;
        for step in 0..200u64 {
            let tick = step + dice.below(80);
            let was = buffer.insert(3, Tick::new(tick), dice.below(16) as u8, &at_x(step as i32));
            holds += u32::from(was == Insert::Held);
            let ring = buffer.find(3).unwrap();
            let ticks: Vec<_> = (0..buffer.rings[ring].len)
                .map(|at| buffer.stamp(ring, at).unwrap().tick)
                .collect();
            assert!(ticks.is_sorted_by(|a, b| a < b), "{seed}: {ticks:?}");
            assert!((0.0..200.0).contains(&x(&buffer, dice.unit() * 300.0)));
        }
        assert!(holds > 10, "{seed}: {holds}");
    }
}

#[test]
fn it_is_the_same_at_a_wrap_of_the_wire() {
    for near in [1u64 << 16, 1 << 32] {
        let buffer = with(&[(near - 10, UNKNOWN, 100), (near + 10, UNKNOWN, 200)]);
        assert!(self::near(x(&buffer, near as f64), 150.0));
    }
}
