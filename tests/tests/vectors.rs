//! The golden vectors, checked by both readers of the wire: the crate `wire`, and a second one that
//! was written from WIRE.md alone. What the first reads it also writes again, to the same bytes.

use std::collections::BTreeSet;
use std::path::Path;

use afterimage_tests::first_reader::{self as first, Setting};
use afterimage_tests::second_reader::{self as second, Known};
use serde_json::Value;
use wire::{Goodbye, Instant, Reader, Refusal, Seq, Tick, VERSION, Writer, read_gap, write_gap};

fn vectors(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("vectors")
        .join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn list(value: &Value) -> &[Value] {
    let list = value.as_array().expect("a list");
    assert!(!list.is_empty(), "an empty list checks nothing");
    list
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().expect("hex");
    assert!(hex.len().is_multiple_of(2), "{hex}");
    (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex"))
        .collect()
}

/// A number of up to 64 bits, which JSON's own would not hold.
fn number(hex: &Value) -> u64 {
    let digits = hex
        .as_str()
        .and_then(|hex| hex.strip_prefix("0x"))
        .expect("0x…");
    u64::from_str_radix(digits, 16).expect("hex")
}

fn float(value: &Value) -> f64 {
    match value.as_str() {
        Some("-0") => -0.0,
        Some(name) => name.parse().expect("NaN or an infinity"),
        None => value.as_f64().expect("a number"),
    }
}

/// What a vector says must be known before.
fn known(file: &Value, vector: &Value) -> Known {
    let classes = &file[vector["schema"].as_str().unwrap_or("schema")]["classes"];
    let occupant = |known: &Value| {
        let part = |name: &str| known[name].as_u64().expect("a number");
        (part("slot"), part("class") as usize)
    };
    let some = |list: &Value| list.as_array().cloned().unwrap_or_default();
    Known {
        classes: some(classes).iter().map(second::Class::from_json).collect(),
        input: second::Field::list(&file["input"]),
        event: second::Field::list(&file["event"]),
        occupants: some(&vector["known"]).iter().map(occupant).collect(),
    }
}

/// A frame with its vector, and what either reader needs for it.
struct Frame {
    vector: Value,
    bytes: Vec<u8>,
    known: Known,
    setting: Setting,
}

/// Every frame of the vectors, good and bad.
fn frames() -> Vec<Frame> {
    let mut frames = Vec::new();
    for file in ["opening.json", "session.json", "snapshots.json"] {
        let file = vectors(file);
        for vector in list(&file["vectors"]).iter().chain(list(&file["refused"])) {
            let known = known(&file, vector);
            let setting = Setting::new(&known);
            frames.push(Frame {
                vector: vector.clone(),
                bytes: bytes(&vector["hex"]),
                known,
                setting,
            });
        }
    }
    frames
}

/// Both readers on any bytes in place of a frame. They agree, and what is read is written again to
/// the same bytes. What it means, if it is read.
fn agree(given: &[u8], frame: &Frame) -> Result<Value, &'static str> {
    let by_first = first::read_frame(given, &frame.setting);
    let by_second = second::read_frame(given, &frame.known);
    let about = || format!("{}: {given:02x?}", frame.vector["name"]);
    match (by_first, by_second) {
        (Err(by_first), Err(by_second)) => {
            assert_eq!(by_first, by_second, "{}", about());
            Err(by_first)
        }
        (Ok((by_first, written)), Ok(means)) => {
            let mut expected = means.clone();
            if expected["frame"] == "refuse" {
                // What version a refusal is of is nothing to the one who is refused.
                expected
                    .as_object_mut()
                    .expect("an object")
                    .remove("version");
            }
            assert_eq!(by_first, expected, "{}", about());
            // Of another version the rest is left unread.
            let foreign = means["version"]
                .as_u64()
                .is_some_and(|v| v != u64::from(VERSION));
            assert!(foreign || written == given, "{}: not canonical", about());
            Ok(means)
        }
        (by_first, by_second) => {
            panic!("{}: first {by_first:?}, second {by_second:?}", about())
        }
    }
}

#[test]
fn both_readers_read_every_frame_alike_and_the_first_writes_it_again() {
    for frame in frames() {
        let Frame { vector, bytes, .. } = &frame;
        let expected = match vector["refused"].as_str() {
            Some(refused) => Err(refused),
            None => Ok(vector["means"].clone()),
        };
        assert_eq!(agree(bytes, &frame), expected, "{}", vector["name"]);
    }
}

#[test]
fn every_message_every_reason_and_every_refusal_has_a_vector() {
    let mut seen = BTreeSet::new();
    for Frame { vector, .. } in frames() {
        let (means, body) = (&vector["means"], &vector["means"]["body"]);
        for said in [&means["frame"], &body["kind"], &vector["refused"]] {
            seen.extend(said.as_str().map(str::to_owned));
        }
        for said in [means, body] {
            let name = said["frame"]
                .as_str()
                .or_else(|| said["kind"].as_str())
                .unwrap_or_default();
            seen.insert(format!("{name} {}", said["reason"]));
        }
    }
    let reasons = Refusal::ALL
        .iter()
        .map(|refusal| format!("refuse {}", refusal.code()));
    let goodbyes = Goodbye::ALL
        .iter()
        .map(|goodbye| format!("goodbye {}", goodbye.code()));
    let frames = "hello challenge welcome refuse session packet input inputs snapshot goodbye ping \
                  pong";
    let names = "short padding trailing non-canonical out-of-range kind version tag count \
                 unknown-class unknown-occupant";
    let words = frames
        .split_whitespace()
        .chain(names.split_whitespace())
        .map(str::to_owned);
    for name in words.chain(reasons).chain(goodbyes) {
        assert!(seen.contains(&name), "no vector for {name}");
    }
}

#[test]
fn every_kind_of_field_has_its_least_its_greatest_and_zero() {
    let file = vectors("quantizers.json");
    let mut kinds = BTreeSet::new();
    for kind in list(&file["kinds"]) {
        let by_second = second::Field {
            to: "all".into(),
            ..second::Field::from_json(kind)
        };
        let quant = first::quant(&by_second);
        let (mut least, mut greatest, mut zero) = (false, false, false);
        for case in list(&kind["cases"]) {
            let code = case["code"].as_i64().expect("a code");
            let (expected, value) = (bytes(&case["hex"]), float(&case["value"]) as f32);
            least |= code == i64::from(quant.min());
            greatest |= code == i64::from(quant.max());
            zero |= code == 0;

            assert_eq!(
                second::read_field(&by_second, &expected),
                Ok(code),
                "{kind} {code}"
            );
            assert_eq!(
                by_second.value(code).to_bits(),
                value.to_bits(),
                "{kind} {code}"
            );

            let mut r = Reader::new(&expected);
            assert_eq!(
                quant.read("f", &mut r).map(i64::from),
                Ok(code),
                "{kind} {code}"
            );
            assert_eq!(r.finish(), Ok(()));
            assert_eq!(
                quant.decode(code as i32).to_bits(),
                value.to_bits(),
                "{kind} {code}"
            );
            let mut buf = [0; 4];
            let mut w = Writer::new(&mut buf);
            quant.write("f", code as i32, &mut w);
            let len = w.finish().expect("room");
            assert_eq!(buf[..len], expected);
        }
        assert!(least && greatest && zero, "{kind}");
        for refused in kind["refused"].as_array().expect("a list") {
            let refused = bytes(refused);
            assert_eq!(
                second::read_field(&by_second, &refused),
                Err("out-of-range")
            );
            assert_eq!(
                quant
                    .read("f", &mut Reader::new(&refused))
                    .map_err(|e| e.name()),
                Err("out-of-range")
            );
        }
        for case in kind["encode"].as_array().expect("a list") {
            let (value, code) = (
                float(&case["value"]),
                case["code"].as_i64().expect("a code"),
            );
            assert_eq!(by_second.nearest(value), code, "{kind} {value}");
            assert_eq!(
                i64::from(quant.encode(value as f32)),
                code,
                "{kind} {value}"
            );
        }
        kinds.insert(by_second.kind);
    }
    assert_eq!(kinds.len(), 7, "every kind");
}

#[test]
fn gaps_are_read_and_written_alike() {
    let file = vectors("gaps.json");
    for gap in list(&file["gaps"]) {
        let (value, expected) = (gap["value"].as_u64().expect("a number"), bytes(&gap["hex"]));
        assert_eq!(second::read_gap(&expected), Ok(value));
        let mut r = Reader::new(&expected);
        assert_eq!(read_gap("gap", &mut r).map(u64::from), Ok(value));
        assert_eq!(r.finish(), Ok(()));
        let mut buf = [0; 3];
        let mut w = Writer::new(&mut buf);
        write_gap("gap", value as u16, &mut w);
        let len = w.finish().expect("room");
        assert_eq!(buf[..len], expected);
    }
    for gap in list(&file["refused"]) {
        let (refused, given) = (gap["refused"].as_str().expect("a name"), bytes(&gap["hex"]));
        assert_eq!(second::read_gap(&given), Err(refused), "{gap}");
        assert_eq!(
            read_gap("gap", &mut Reader::new(&given)).map_err(|e| e.name()),
            Err(refused),
            "{gap}"
        );
    }
}

#[test]
fn long_numbers_are_found_again_alike() {
    let file = vectors("numbers.json");
    for case in list(&file["ticks"]) {
        let (low, near, meant) = (
            case["low"].as_u64().expect("a number"),
            number(&case["near"]),
            number(&case["meant"]),
        );
        assert_eq!(second::meant(low, near, 32), meant, "{case}");
        assert_eq!(
            Tick::from_wire(low as u32, Tick::new(near)).get(),
            meant,
            "{case}"
        );
        let instant = Instant {
            tick: Tick::new(meant),
            frac: 9,
        };
        let mut buf = [0; 5];
        let mut w = Writer::new(&mut buf);
        instant.write(&mut w);
        assert_eq!(w.finish(), Ok(5));
        assert_eq!(
            Instant::read(Tick::new(near), &mut Reader::new(&buf)),
            Ok(instant)
        );
    }
    for case in list(&file["sequences"]) {
        let (low, near, meant) = (
            case["low"].as_u64().expect("a number"),
            number(&case["near"]),
            number(&case["meant"]),
        );
        assert_eq!(second::meant(low, near, 16), meant, "{case}");
        assert_eq!(
            Seq::from_wire(low as u16, Seq::new(near)).get(),
            meant,
            "{case}"
        );
    }
    for case in list(&file["next"]) {
        let (sequence, next) = (number(&case["sequence"]), number(&case["next"]));
        assert_eq!(second::next_sequence(sequence), next);
        assert_eq!(Seq::new(sequence).next().get(), next);
    }
}

#[test]
fn schemas_have_the_same_fingerprint_for_both() {
    let file = vectors("schemas.json");
    for vector in list(&file["schemas"]) {
        let classes = vector["schema"]["classes"].as_array().expect("a list");
        let classes: Vec<_> = classes.iter().map(second::Class::from_json).collect();
        let expected = number(&vector["fingerprint"]);
        assert_eq!(
            second::fingerprint(&classes),
            expected,
            "{}",
            vector["name"]
        );
        assert_eq!(
            first::schema(&classes).fingerprint(),
            expected,
            "{}",
            vector["name"]
        );
        let bits = vector["class_bits"].as_u64().expect("a number");
        assert_eq!(u64::from(second::class_bits(classes.len())), bits);
        assert_eq!(u64::from(first::schema(&classes).class_bits()), bits);
    }
}

#[test]
fn every_prefix_of_every_frame_is_refused_by_the_same_name() {
    let mut cut = 0;
    for frame in frames() {
        for len in 0..frame.bytes.len() {
            cut += 1;
            if agree(&frame.bytes[..len], &frame).is_err() {
                continue;
            }
            // Only where the end is optional is a prefix a frame: without what was drawn, without
            // the body of another version, without what made it too long.
            let (means, missing) = (&frame.vector["means"], frame.bytes.len() - len);
            let drawn = means["body"]["drawn"].is_object() && missing == 5;
            let foreign = means["version"]
                .as_u64()
                .is_some_and(|v| v != u64::from(VERSION));
            let longer = frame.vector["refused"] == "trailing";
            assert!(
                drawn || foreign || longer,
                "{} less {missing}",
                frame.vector["name"]
            );
        }
    }
    assert!(cut > 4_000, "{cut} prefixes");
}

#[test]
fn a_hundred_thousand_mutations_are_judged_alike_and_nothing_panics() {
    let frames = frames();
    let seed = 0x5EED_u64;
    let mut state = seed;
    let mut roll = |below: usize| {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % below.max(1) as u64) as usize
    };
    let (mut read, mut refused) = (0, 0);
    for _ in 0..100_000 {
        let frame = &frames[roll(frames.len())];
        let mut given = frame.bytes.clone();
        for _ in 0..=roll(3) {
            let at = roll(given.len());
            match roll(6) {
                0 => given.truncate(at),
                1 => given.insert(at, roll(256) as u8),
                2 if !given.is_empty() => drop(given.remove(at)),
                3 if !given.is_empty() => given[at] = [0, 0xFF, 0x7F, 0x80][roll(4)],
                _ if !given.is_empty() => given[at] ^= 1 << roll(8),
                _ => {}
            }
        }
        match agree(&given, frame) {
            Ok(_) => read += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(
        read > 10_000 && refused > 10_000,
        "seed {seed:#x}: {read} read, {refused} refused"
    );
}
