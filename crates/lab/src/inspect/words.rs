//! What was told of a packet, in words.

use netcode::{Game, Input, InputOrder};
use scenes::{FieldWords, Scene};
use wire::{Class, ClassId, Goodbye, Meaning, Refusal, Schema};

use super::Field;
use super::told::{Item, Told};
use super::values::{hex, in_unit, mask, ticks, with_unit, yes};
use crate::json::number;

/// What a game's fields are called where the wire does not say it.
#[derive(Clone, Copy, Debug)]
pub struct Meanings {
    schema: &'static Schema,
    order: InputOrder,
    words: fn(&str) -> FieldWords,
}

impl Meanings {
    /// Those of a scene.
    pub fn of<G: Scene>() -> Self {
        Self {
            schema: G::SCHEMA,
            order: <G as Game>::Input::ORDER,
            words: G::field_words,
        }
    }
}

/// A packet in words: what it is, and its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// "Input", "Snapshot", "Ping"; "Packet" where not even that could be read.
    pub kind: &'static str,
    /// Every bit of it.
    pub fields: Vec<Field>,
}

/// Puts a packet of `len` bytes into words. `fault`: why its receiver could not read it to the end; what was not read is
/// then a field of that name.
pub fn explain(told: Told, len: usize, fault: Option<String>, meanings: &Meanings) -> Packet {
    let (items, bits) = told.finish();
    let mut said = Said {
        meanings,
        kind: None,
        newest: 0,
        count: 0,
        groups: 0,
        first_event: 0,
    };
    let mut fields: Vec<Field> = items.iter().map(|item| said.top(item)).collect();
    let unread = (len as u32 * 8).saturating_sub(bits);
    if unread > 0 {
        let value = fault.unwrap_or_else(|| "it says no more".to_owned());
        fields.push(leaf("not read", unread, value));
    }
    Packet {
        kind: said.kind.map_or("Packet", kind_name),
        fields,
    }
}

/// What was said so far that later fields refer to.
struct Said<'a> {
    meanings: &'a Meanings,
    kind: Option<u64>,
    /// The tick of the newest input, and how many there are.
    newest: u64,
    count: u64,
    /// Inputs or events so far.
    groups: u64,
    first_event: u64,
}

impl Said<'_> {
    fn top(&mut self, item: &Item) -> Field {
        match item {
            Item::Field {
                name, bits, raw, ..
            } => {
                match *name {
                    "kind" => self.kind = Some(*raw),
                    "newest" | "seq" => self.newest = *raw,
                    "count" => self.count = *raw,
                    "first_event" => self.first_event = *raw,
                    _ => {}
                }
                let (name, value) = self.head(name, *raw);
                leaf(name, *bits, value)
            }
            Item::Group {
                name: "entry",
                items,
            } => self.entry(items),
            Item::Group { name, items } => {
                let fields: Vec<Field> = items.iter().map(|item| self.scenes_own(item)).collect();
                let at = self.groups;
                self.groups += 1;
                let (title, gist) = match *name {
                    "input" => (format!("input {}", self.input_tick(at)), gist(&fields)),
                    "event" => (format!("event {}", self.first_event + at), String::new()),
                    other => (plain(other), String::new()),
                };
                group(title, gist, fields)
            }
        }
    }

    /// The tick of the input that stands at place `at` of the packet.
    fn input_tick(&self, at: u64) -> u64 {
        let back = match self.meanings.order {
            InputOrder::NewestFirst => at,
            InputOrder::OldestFirst => self.count.saturating_sub(at + 1),
        };
        self.newest.saturating_sub(back)
    }

    /// A field outside all groups: of a prefix, a header, a message.
    fn head(&self, name: &'static str, raw: u64) -> (&'static str, String) {
        let inputs = || number(raw as f64, 0) + if raw == 1 { " input" } else { " inputs" };
        let snapshot = self.kind == Some(3);
        match name {
            "sequence" => ("packet sequence", raw.to_string()),
            "newest_heard" => ("newest packet heard", raw.to_string()),
            "history" => ("heard of the 32 before it", mask(raw, 32)),
            "kind" => (
                "kind",
                format!("{raw}, {}", kind_name(raw).to_ascii_lowercase()),
            ),
            "ack" => ("newest snapshot seen", format!("tick {raw}")),
            "newest" | "seq" => ("newest input", format!("tick {raw}")),
            "count" if snapshot => ("entities", raw.to_string()),
            "count" => ("inputs", raw.to_string()),
            "tick" => ("server tick", raw.to_string()),
            "judged" => ("input executed", format!("tick {raw}")),
            "low_water" => ("input queue, fewest", inputs()),
            "depth" => ("input queue, now", inputs()),
            "drawn_tick" => ("drawn tick, for rewind", raw.to_string()),
            "drawn_fraction" => ("and part of a tick", number(raw as f64 / 256.0, 3)),
            "events" => ("events", raw.to_string()),
            "first_event" => ("number of the first", raw.to_string()),
            "stamp" => ("sender's clock, low 32 bits", format!("{raw} µs")),
            "tag" => (
                "tag",
                String::from_utf8_lossy(&(raw as u16).to_le_bytes()).into_owned(),
            ),
            "version" => ("version of the protocol", raw.to_string()),
            "token" => ("session token", hex(raw)),
            "schema" => ("schema fingerprint", hex(raw)),
            "actions" => ("actions fingerprint", hex(raw)),
            "world" => ("world fingerprint", hex(raw)),
            "rate" => ("tick rate", format!("{raw} Hz")),
            "player" => ("player", raw.to_string()),
            "slot" => ("own entity", raw.to_string()),
            "life" => ("its life", raw.to_string()),
            "first_sequence" => ("first sequence", raw.to_string()),
            "reason" => ("reason", self.reason(raw)),
            "padding" => ("padding", String::new()),
            other => (other, raw.to_string()),
        }
    }

    fn reason(&self, raw: u64) -> String {
        let sentence = if self.kind == Some(0x13) {
            Refusal::from_code(raw as u8).map(Refusal::sentence)
        } else {
            let known = usize::try_from(raw)
                .ok()
                .and_then(|code| code.checked_sub(1));
            known
                .and_then(|at| Goodbye::ALL.get(at))
                .map(|reason| reason.sentence())
        };
        sentence.map_or_else(|| raw.to_string(), str::to_owned)
    }

    /// An entity of a snapshot: what its entry says, and its record.
    fn entry(&self, items: &[Item]) -> Field {
        let (mut fields, mut title, mut owner) = (Vec::new(), "entity".to_owned(), false);
        let mut value = String::new();
        for item in items {
            match item {
                Item::Field {
                    name,
                    bits,
                    raw,
                    meaning,
                } => {
                    let (label, says) = self.entry_field(name, *raw, *meaning);
                    match *name {
                        "slot" => title = format!("entity {says}"),
                        "owner" => owner = *raw == 1,
                        "gone" if *raw == 1 => value = "gone".to_owned(),
                        _ => {}
                    }
                    fields.push(leaf(label, *bits, says));
                }
                Item::Group { name, items } => {
                    title += ", ";
                    title += name;
                    let class = self
                        .meanings
                        .schema
                        .classes
                        .iter()
                        .find(|class| class.name == *name);
                    let record: Vec<Field> =
                        items.iter().map(|item| record_field(class, item)).collect();
                    value = gist(&record);
                    fields.extend(record);
                }
            }
        }
        if owner {
            title += ", its own";
        }
        group(title, value, fields)
    }

    fn entry_field(
        &self,
        name: &'static str,
        raw: u64,
        meaning: Option<Meaning>,
    ) -> (&'static str, String) {
        match (name, meaning) {
            ("slot", Some(Meaning::Number(slot))) => ("slot, as a gap", slot.to_string()),
            ("gone", _) => ("is gone", yes(raw)),
            ("birth", _) => ("tells its birth", yes(raw)),
            ("owner", _) => ("tells its owner's fields", yes(raw)),
            ("moving", _) => ("was changing before", yes(raw)),
            ("run", _) if raw >= u64::from(wire::MAX_RUN) => {
                ("for", format!("{raw} ticks or more"))
            }
            ("run", _) => ("for", ticks(raw)),
            ("class", _) => {
                let class = self.meanings.schema.class(ClassId(raw as u8));
                (
                    "class",
                    class.map_or_else(|| raw.to_string(), |class| class.name.to_owned()),
                )
            }
            _ => (name, raw.to_string()),
        }
    }

    /// A field of an input or an event, which the scene knows more of than the wire.
    fn scenes_own(&self, item: &Item) -> Field {
        match item {
            Item::Field {
                name: "age",
                bits,
                raw,
                ..
            } => leaf("age", *bits, ticks(*raw)),
            Item::Field {
                name,
                bits,
                raw,
                meaning,
            } => {
                let value = match ((self.meanings.words)(name), meaning) {
                    (FieldWords::Codes(words), _) => {
                        let word = usize::try_from(*raw).ok().and_then(|code| words.get(code));
                        word.map_or_else(|| raw.to_string(), |word| (*word).to_owned())
                    }
                    (FieldWords::Unit(unit), &Some(Meaning::Code { quant, code })) => {
                        in_unit(quant, code, unit)
                    }
                    (FieldWords::Unit(_), _) if *bits == 1 => yes(*raw),
                    (FieldWords::Unit(unit), _) => with_unit(raw.to_string(), unit),
                };
                leaf(&plain(name), *bits, value)
            }
            Item::Group { name, items } => group(
                plain(name),
                String::new(),
                items.iter().map(|item| self.scenes_own(item)).collect(),
            ),
        }
    }
}

fn record_field(class: Option<&Class>, item: &Item) -> Field {
    match item {
        Item::Field {
            name,
            bits,
            raw,
            meaning,
        } => {
            let field =
                class.and_then(|class| class.fields.iter().find(|field| field.name == *name));
            let value = match meaning {
                &Some(Meaning::Code { quant, code }) => {
                    in_unit(quant, code, field.map_or("", |field| field.unit))
                }
                _ => raw.to_string(),
            };
            leaf(&plain(name), *bits, value)
        }
        Item::Group { name, items } => group(
            plain(name),
            String::new(),
            items.iter().map(|item| record_field(class, item)).collect(),
        ),
    }
}

fn leaf(name: &str, bits: u32, value: String) -> Field {
    Field {
        name: name.to_owned(),
        bits,
        value,
        fields: Vec::new(),
    }
}

fn group(name: String, value: String, fields: Vec<Field>) -> Field {
    let bits = fields.iter().map(|field| field.bits).sum();
    Field {
        name,
        bits,
        value,
        fields,
    }
}

/// What a group is about in one line: its first two measures, be they a place or a push.
fn gist(fields: &[Field]) -> String {
    let measures = fields.iter().filter(|field| field.bits > 1);
    let two: Vec<String> = measures
        .take(2)
        .map(|field| format!("{} {}", field.name, field.value))
        .collect();
    two.join(", ")
}

/// A name of the wire as words.
fn plain(name: &str) -> String {
    name.replace(['-', '_'], " ")
}

/// What a packet of this kind is called; session and opening kinds share no number.
const fn kind_name(kind: u64) -> &'static str {
    match kind {
        1 | 7 => "Input",
        3 => "Snapshot",
        0x10 => "Hello",
        0x11 => "Challenge",
        0x12 => "Welcome",
        0x13 => "Refusal",
        0x14 => "Goodbye",
        0x15 => "Ping",
        0x16 => "Pong",
        _ => "Packet",
    }
}
