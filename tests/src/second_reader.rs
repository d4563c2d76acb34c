//! A second reader of the wire, written from `crates/wire/WIRE.md` alone.
//!
//! It shares nothing with the crate `wire`, reads bit by bit and makes JSON of what it read, so
//! that a mistake of the first reader, or a hole in the text, shows as a difference. Section
//! numbers are those of WIRE.md.

use serde_json::{Map, Value, json};

/// The name of an offence (section 11).
pub type Refused = &'static str;

/// What a reader must know before it reads (sections 5 and 10).
#[derive(Clone, Default, Debug)]
pub struct Known {
    /// The classes of the schema.
    pub classes: Vec<Class>,
    /// The fields of an input's record.
    pub input: Vec<Field>,
    /// The fields of an event.
    pub event: Vec<Field>,
    /// Occupants known before: slot and class.
    pub occupants: Vec<(u64, usize)>,
}

/// A class of a schema.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Its fields in order.
    pub fields: Vec<Field>,
}

/// A field of a class.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The kind of its quantizer, as in the first column of the table of section 4.
    pub kind: String,
    /// Bits on the wire.
    pub bits: u32,
    /// The step, of kinds that have one; 0 of others.
    pub step: f32,
    /// Unit.
    pub unit: String,
    /// `all`, `owner` or `birth`.
    pub to: String,
}

const KINDS: [&str; 7] = [
    "signed", "unsigned", "turn", "axis", "share", "count", "flag",
];
const AUDIENCES: [&str; 3] = ["all", "owner", "birth"];

fn position(names: &[&str], name: &str) -> usize {
    names
        .iter()
        .position(|known| *known == name)
        .expect("a name that WIRE.md knows")
}

impl Class {
    /// From `{"name": …, "fields": […]}`.
    pub fn from_json(class: &Value) -> Self {
        Self {
            name: text(&class["name"]),
            fields: Field::list(&class["fields"]),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Field {
    /// From a list of fields as the vectors have them.
    pub fn list(fields: &Value) -> Vec<Self> {
        fields
            .as_array()
            .into_iter()
            .flatten()
            .map(Self::from_json)
            .collect()
    }

    /// From `{"name": …, "kind": …, "bits": …, "step": …, "unit": …, "to": …}`.
    pub fn from_json(field: &Value) -> Self {
        Self {
            name: text(&field["name"]),
            kind: text(&field["kind"]),
            bits: field["bits"].as_u64().unwrap_or_default() as u32,
            step: field["step"].as_f64().unwrap_or_default() as f32,
            unit: text(&field["unit"]),
            to: text(&field["to"]),
        }
    }

    /// Least and greatest code (section 4).
    fn codes(&self) -> (i64, i64) {
        let all = 1i64 << self.bits;
        match self.kind.as_str() {
            "signed" => (1 - all / 2, all / 2 - 1),
            "axis" => (-127, 127),
            _ => (0, all - 1),
        }
    }

    /// The code of a raw value.
    fn code(&self, raw: u64) -> Result<i64, Refused> {
        let (least, greatest) = self.codes();
        let code = raw as i64 + least;
        if code > greatest {
            Err("out-of-range")
        } else {
            Ok(code)
        }
    }

    /// The value of a code.
    pub fn value(&self, code: i64) -> f32 {
        let (code, tau) = (code as f32, f32::from_bits(0x40C9_0FDB));
        match self.kind.as_str() {
            "signed" | "unsigned" => code * self.step,
            "turn" => code * (tau / (1u64 << self.bits) as f32),
            "axis" => code / 127.0,
            "share" => code / ((1u64 << self.bits) - 1) as f32,
            _ => code,
        }
    }

    /// The code for a value.
    pub fn nearest(&self, value: f64) -> i64 {
        let tau = f64::from(f32::from_bits(0x40C9_0FDB));
        let (least, greatest) = self.codes();
        if value.is_nan() || (self.kind == "turn" && value.is_infinite()) {
            return 0;
        }
        let codes = match self.kind.as_str() {
            "signed" | "unsigned" => value / f64::from(self.step),
            "turn" => value / tau * (1u64 << self.bits) as f64,
            "axis" => value * 127.0,
            "share" => value * ((1u64 << self.bits) - 1) as f64,
            _ => value,
        };
        let nearest = (codes.abs() + 0.5).floor().copysign(codes);
        match self.kind.as_str() {
            "turn" => nearest.rem_euclid((1u64 << self.bits) as f64) as i64,
            _ => nearest.clamp(least as f64, greatest as f64) as i64,
        }
    }
}

/// Section 5.
pub fn fingerprint(classes: &[Class]) -> u64 {
    let mut bytes = vec![classes.len() as u8];
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.push(text.len() as u8);
        bytes.extend(text.as_bytes());
    };
    for class in classes {
        text(&mut bytes, &class.name);
        bytes.push(class.fields.len() as u8);
        for field in &class.fields {
            text(&mut bytes, &field.name);
            bytes.extend([position(&KINDS, &field.kind) as u8, field.bits as u8]);
            bytes.extend(field.step.to_bits().to_le_bytes());
            text(&mut bytes, &field.unit);
            bytes.push(position(&AUDIENCES, &field.to) as u8);
        }
    }
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

/// Section 10: the bits of a class id.
pub fn class_bits(classes: usize) -> u32 {
    (0..)
        .find(|&bits| 1usize << bits >= classes)
        .expect("a power of two is greater")
}

/// Section 2: the number meant by its low bits.
pub fn meant(low: u64, near: u64, bits: u32) -> u64 {
    let span = 1i128 << bits;
    let candidates =
        [-1, 0, 1].map(|turn| (i128::from(near) / span + turn) * span + i128::from(low));
    let possible = candidates.into_iter().filter(|n| (0..1 << 64).contains(n));
    // The older comes first, and of equals the first is kept.
    let nearest = possible.min_by_key(|n| (n - i128::from(near)).abs());
    nearest.expect("one of three") as u64
}

/// Section 6: the sequence after this one.
pub fn next_sequence(sequence: u64) -> u64 {
    if (sequence + 1) & 0xFFFF == 0x4941 {
        sequence + 2
    } else {
        sequence + 1
    }
}

/// Bits in the order of section 1.
struct Stream<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Stream<'_> {
    fn left(&self) -> usize {
        self.bytes.len() * 8 - self.at
    }

    fn take(&mut self, bits: u32) -> Result<u64, Refused> {
        if self.left() < bits as usize {
            return Err("short");
        }
        let mut value = 0;
        for i in 0..bits {
            value |= u64::from(self.bytes[self.at / 8] >> (self.at % 8) & 1) << i;
            self.at += 1;
        }
        Ok(value)
    }

    fn flag(&mut self) -> Result<bool, Refused> {
        Ok(self.take(1)? == 1)
    }

    fn align(&mut self) -> Result<(), Refused> {
        while !self.at.is_multiple_of(8) {
            if self.flag()? {
                return Err("padding");
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Refused> {
        self.align()?;
        if self.left() > 0 {
            Err("trailing")
        } else {
            Ok(())
        }
    }

    /// Section 3.
    fn gap(&mut self) -> Result<u64, Refused> {
        let mut number = 0;
        for group in 0..6 {
            let part = self.take(3)?;
            let another = self.flag()?;
            number += part << (3 * group);
            if !another {
                return match part {
                    0 if group > 0 => Err("non-canonical"),
                    _ if number > 65_535 => Err("out-of-range"),
                    _ => Ok(number),
                };
            }
        }
        Err("non-canonical")
    }

    /// The fields of one audience; those of others stay as they are.
    fn part(&mut self, fields: &[Field], to: &str, record: &mut [Value]) -> Result<(), Refused> {
        for (field, code) in fields.iter().zip(record) {
            if field.to == to {
                *code = json!(field.code(self.take(field.bits)?)?);
            }
        }
        Ok(())
    }

    fn record(&mut self, fields: &[Field]) -> Result<Vec<Value>, Refused> {
        let mut record = vec![Value::Null; fields.len()];
        self.part(fields, "all", &mut record)?;
        Ok(record)
    }
}

/// Reads one gap that stands alone (section 3).
pub fn read_gap(bytes: &[u8]) -> Result<u64, Refused> {
    let mut s = Stream { bytes, at: 0 };
    let number = s.gap()?;
    s.end()?;
    Ok(number)
}

/// Reads one field that stands alone (section 4).
pub fn read_field(field: &Field, bytes: &[u8]) -> Result<i64, Refused> {
    let mut s = Stream { bytes, at: 0 };
    let code = field.code(s.take(field.bits)?)?;
    s.end()?;
    Ok(code)
}

fn hex(value: u64) -> String {
    format!("{value:#018x}")
}

/// Reads one frame whole (section 6).
pub fn read_frame(bytes: &[u8], known: &Known) -> Result<Value, Refused> {
    let mut s = Stream { bytes, at: 0 };
    if bytes.starts_with(&[0x41, 0x49]) {
        prefixed(&mut s, known)
    } else {
        packet(&mut s, known)
    }
}

/// Section 7.
fn prefixed(s: &mut Stream<'_>, known: &Known) -> Result<Value, Refused> {
    if s.take(16)? != 0x4941 {
        return Err("tag");
    }
    let (version, kind) = (s.take(8)?, s.take(8)?);
    if version != 1 && kind != 0x10 && kind != 0x13 {
        return Err("version");
    }
    if !matches!(kind, 0x10..=0x13 | 0x1F) {
        return Err("kind");
    }
    let token = hex(s.take(64)?);
    let in_range = |holds: bool| if holds { Ok(()) } else { Err("out-of-range") };
    let read = match kind {
        0x10 if version != 1 => {
            return Ok(json!({"frame": "hello", "version": version, "token": token}));
        }
        0x10 => {
            let [schema, actions, world] = [s.take(64)?, s.take(64)?, s.take(64)?].map(hex);
            let rate = s.take(16)?;
            in_range(rate > 0)?;
            json!({"frame": "hello", "version": 1, "token": token, "schema": schema,
                "actions": actions, "world": world, "rate": rate})
        }
        0x11 => json!({"frame": "challenge", "token": token}),
        0x12 => {
            let player = s.take(16)?;
            let slot = s.take(16)?;
            in_range((slot == 0xFFFF) == (player == 0))?;
            let life = s.take(8)?;
            in_range(player > 0 || life == 0)?;
            let tick = s.take(64)?;
            in_range(tick < 1 << 45)?;
            let rate = s.take(16)?;
            in_range((1..=128).contains(&rate))?;
            let first = s.take(16)?;
            in_range(first != 0x4941)?;
            json!({"frame": "welcome", "token": token, "player": player, "slot": slot, "life": life,
                "tick": hex(tick), "rate": rate, "first_sequence": first})
        }
        0x13 => {
            let reason = s.take(8)?;
            let in_list = (1..=9).contains(&reason);
            if version != 1 {
                let reason = if in_list { reason } else { 3 };
                return Ok(
                    json!({"frame": "refuse", "version": version, "token": token,
                    "reason": reason}),
                );
            }
            in_range(in_list)?;
            json!({"frame": "refuse", "version": 1, "token": token, "reason": reason})
        }
        _ => json!({"frame": "session", "token": token, "inner": packet(s, known)?}),
    };
    s.end()?;
    Ok(read)
}

/// Section 8.
fn packet(s: &mut Stream<'_>, known: &Known) -> Result<Value, Refused> {
    let sequence = s.take(16)?;
    if sequence == 0x4941 {
        return Err("tag");
    }
    let (heard, history) = (s.take(16)?, s.take(32)?);
    let body = match s.take(8)? {
        1 => {
            let (tick, record) = (s.take(32)?, s.record(&known.input)?);
            json!({"kind": "input", "tick": tick, "record": record, "drawn": drawn(s)?})
        }
        3 => snapshot(s, known)?,
        7 => {
            let (ack, newest, count) = (s.take(32)?, s.take(32)?, s.take(8)?);
            if count > 16 {
                return Err("count");
            }
            let records: Result<Vec<_>, _> = (0..count).map(|_| s.record(&known.input)).collect();
            json!({"kind": "inputs", "ack": ack, "newest": newest, "records": records?,
                "drawn": drawn(s)?})
        }
        0x14 => match s.take(8)? {
            reason @ 1..=7 => json!({"kind": "goodbye", "reason": reason}),
            _ => return Err("out-of-range"),
        },
        0x15 => json!({"kind": "ping", "stamp": s.take(32)?}),
        0x16 => json!({"kind": "pong", "stamp": s.take(32)?}),
        _ => return Err("kind"),
    };
    s.end()?;
    let history = format!("{history:#010x}");
    Ok(
        json!({"frame": "packet", "sequence": sequence, "heard": heard, "history": history,
        "body": body}),
    )
}

/// The end of section 9.
fn drawn(s: &mut Stream<'_>) -> Result<Value, Refused> {
    s.align()?;
    match s.left() / 8 {
        0 => Ok(Value::Null),
        5 => Ok(json!({"tick": s.take(32)?, "fraction": s.take(8)?})),
        _ => Err("trailing"),
    }
}

/// Section 10.
fn snapshot(s: &mut Stream<'_>, known: &Known) -> Result<Value, Refused> {
    let (tick, judged) = (s.take(32)?, s.take(32)?);
    let (low_water, depth, count) = (s.take(4)?, s.take(4)?, s.take(16)?);
    let (mut entries, mut slot) = (Vec::new(), None);
    for _ in 0..count {
        let (at, entry) = entry(s, slot, known)?;
        slot = Some(at);
        entries.push(entry);
    }
    s.align()?;
    let count = s.take(8)?;
    let first = if count > 0 {
        json!(s.take(16)?)
    } else {
        Value::Null
    };
    let mut events = Vec::new();
    for _ in 0..count {
        events.push(json!({"age": s.take(8)?, "record": s.record(&known.event)?}));
    }
    s.align()?;
    Ok(
        json!({"kind": "snapshot", "tick": tick, "judged": judged, "low_water": low_water,
        "depth": depth, "entries": entries, "first_event": first, "events": events}),
    )
}

fn entry(
    s: &mut Stream<'_>,
    previous: Option<u64>,
    known: &Known,
) -> Result<(u64, Value), Refused> {
    let gap = s.gap()?;
    if gap == 0 && previous.is_some() {
        return Err("non-canonical");
    }
    let slot = previous.unwrap_or(0) + gap;
    if slot > 65_535 {
        return Err("out-of-range");
    }
    if s.flag()? {
        return Ok((slot, json!({"slot": slot, "gone": s.take(8)?})));
    }
    let (birth, owner, moving) = (s.flag()?, s.flag()?, s.flag()?);
    let run = if moving { s.take(4)? } else { 0 };
    if moving && run == 0 {
        return Err("non-canonical");
    }
    let mut born = Value::Null;
    let class = if birth {
        let life = s.take(8)?;
        let class = s.take(class_bits(known.classes.len()))? as usize;
        born = json!({"life": life, "class": class});
        known.classes.get(class).ok_or("unknown-class")?
    } else {
        let occupant = known.occupants.iter().find(|occupant| occupant.0 == slot);
        &known.classes[occupant.ok_or("unknown-occupant")?.1]
    };
    let mut record = vec![Value::Null; class.fields.len()];
    for (to, there) in [("birth", birth), ("all", true), ("owner", owner)] {
        if there {
            s.part(&class.fields, to, &mut record)?;
        }
    }
    let mut entry = Map::new();
    entry.insert("slot".into(), json!(slot));
    entry.insert("birth".into(), born);
    entry.insert("owner".into(), json!(owner));
    entry.insert("run".into(), json!(run));
    entry.insert("record".into(), Value::Array(record));
    Ok((slot, Value::Object(entry)))
}
