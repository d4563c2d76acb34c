//! Nanoseconds per entity of a snapshot, written and read: eight fields, an entry head each.
//!
//! `cargo bench -p afterimage-wire`. The best of many rounds is printed: what the code costs, not what else ran.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a bench is what clocks are for"
)]

use std::hint::black_box;
use std::time::Instant;

use afterimage_wire::{
    Audience, Class, ClassId, EntryHead, FieldSink, Quant, Reader, What, Writer, record,
};

record! {
    /// A moving body.
    struct Body as BODY ("body", shown: Interpolated, rewind: true, share: 1) {
        x: Quant::Signed { bits: 17, step: 0.001 }, "m", Linear, All, place;
        y: Quant::Signed { bits: 17, step: 0.001 }, "m", Linear, All, place;
        heading: Quant::Turn { bits: 10 }, "rad", Turn, All;
        health: Quant::Count { bits: 7 }, "hp", Nearer, All;
        teleports: Quant::Count { bits: 4 }, "", Cut, All;
        dashing: Quant::Flag, "", Nearer, All;
        vx: Quant::Signed { bits: 12, step: 0.01 }, "m/s", Linear, All;
        vy: Quant::Signed { bits: 12, step: 0.01 }, "m/s", Linear, All;
    }
}

const ENTITIES: usize = 64;
const ROUNDS: usize = 2_000;

struct Deaf;

impl FieldSink for Deaf {
    fn field(&mut self, name: &'static str, at_bit: u32, bits: u32, value: u64) {
        black_box((name, at_bit, bits, value));
    }
}

/// Best nanoseconds of one round, per entity.
fn best(mut round: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        round();
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    best / ENTITIES as f64
}

fn write(class: &Class, bodies: &[[i32; Body::WIDTH]], w: &mut Writer<'_>) {
    let mut previous = 0;
    for (i, body) in bodies.iter().enumerate() {
        let slot = i as u16 * 3;
        let birth = (i % 16 == 0).then_some((1, ClassId(0)));
        let what = What::State {
            birth,
            owner: false,
            run: 15,
        };
        EntryHead { slot, what }.write(previous, i == 0, 2, w);
        class.write(body, Audience::All, w);
        previous = slot;
    }
}

fn read(class: &Class, bodies: &mut [[i32; Body::WIDTH]], r: &mut Reader<'_>) {
    let mut previous = 0;
    for (i, body) in bodies.iter_mut().enumerate() {
        let head = EntryHead::read(previous, i == 0, 2, r).expect("what was written");
        class
            .read(body, Audience::All, r)
            .expect("what was written");
        previous = head.slot;
    }
}

fn main() {
    // As the toolkit has it: known only when it runs.
    let class: &Class = black_box(&BODY);
    let mut bodies = [[0; Body::WIDTH]; ENTITIES];
    for (i, body) in (1i32..).zip(&mut bodies) {
        let health = 100 - i % 100;
        let (teleports, dashing) = (i / 16, i % 2);
        let (vx, vy) = (i * 13 % 2000, -i * 7 % 2000);
        Body {
            x: i * 991 % 60_000,
            y: -i * 977 % 60_000,
            heading: i * 37 % 1024,
            health,
            teleports,
            dashing,
            vx,
            vy,
        }
        .save(body);
    }
    let mut buf = [0; 4096];
    let mut len = 0;
    let written = best(|| {
        let mut w = Writer::new(black_box(&mut buf));
        write(class, black_box(&bodies), &mut w);
        len = w.finish().expect("room");
    });
    let written_told = best(|| {
        let mut sink = Deaf;
        let mut w = Writer::new(black_box(&mut buf)).with_sink(&mut sink);
        write(class, black_box(&bodies), &mut w);
        len = w.finish().expect("room");
    });
    let mut back = bodies;
    let readed = best(|| {
        let mut r = Reader::new(black_box(&buf[..len]));
        read(class, black_box(&mut back), &mut r);
    });
    let readed_told = best(|| {
        let mut sink = Deaf;
        let mut r = Reader::new(black_box(&buf[..len])).with_sink(&mut sink);
        read(class, black_box(&mut back), &mut r);
    });
    assert_eq!(bodies, back);
    let mut drawn = [0.0; Body::WIDTH];
    let blended = best(|| {
        for pair in black_box(&bodies).windows(2) {
            class.blend(&pair[0], &pair[1], black_box(0.3), &mut drawn);
            black_box(&drawn);
        }
    });
    let bytes = len as f64 / ENTITIES as f64;
    println!("entity of 8 fields, {bytes:.1} bytes with its head, ns:");
    println!("  write {written:6.1}   with a sink {written_told:6.1}");
    println!("  read  {readed:6.1}   with a sink {readed_told:6.1}");
    println!("  blend {blended:6.1}");
}
