//! The first reader: the crate `wire`, made to say what it reads in the words of the vectors, and
//! to write it again.

use serde_json::{Value, json};
use wire::{
    Audience, Blend, Class, ClassId, EntryHead, EventsHead, Field, Goodbye, Header, InputHead,
    InputsHead, Kind, Opening, Overflow, Ping, Pong, Quant, ReadError, Reader, Schema, Seating,
    Shown, SnapshotHead, Tick, VERSION, What, Writer, is_prefixed, read_drawn,
};

use crate::second_reader::{self as second, Known, Refused};

/// What a reader must know before it reads, in the types of `wire`.
#[derive(Clone, Debug)]
pub struct Setting {
    schema: Schema,
    input: Class,
    event: Class,
    /// Slot and class.
    occupants: Vec<(u16, ClassId)>,
}

impl Setting {
    /// The same as the second reader knows.
    pub fn new(known: &Known) -> Self {
        let occupant = |&(slot, class): &(u64, usize)| (slot as u16, ClassId(class as u8));
        Self {
            schema: schema(&known.classes),
            input: class("input", &known.input),
            event: class("event", &known.event),
            occupants: known.occupants.iter().map(occupant).collect(),
        }
    }
}

/// The quantizer of a field.
pub fn quant(field: &second::Field) -> Quant {
    let (bits, step) = (field.bits, field.step);
    let quant = match field.kind.as_str() {
        "signed" => Quant::Signed { bits, step },
        "unsigned" => Quant::Unsigned { bits, step },
        "turn" => Quant::Turn { bits },
        "axis" => Quant::Axis,
        "share" => Quant::Share { bits },
        "count" => Quant::Count { bits },
        "flag" => Quant::Flag,
        other => panic!("no such kind: {other}"),
    };
    assert!(quant.is_sound() && quant.bits() == bits, "{field:?}");
    quant
}

/// Classes are made once, in constants. Those of the vectors are few and small: they leak.
fn class(name: &str, fields: &[second::Field]) -> Class {
    let field = |field: &second::Field| Field {
        name: field.name.clone().leak(),
        quant: quant(field),
        unit: field.unit.clone().leak(),
        blend: Blend::Nearer,
        to: match field.to.as_str() {
            "all" => Audience::All,
            "owner" => Audience::Owner,
            _ => Audience::Birth,
        },
        place: false,
    };
    let fields: Vec<Field> = fields.iter().map(field).collect();
    Class {
        name: name.to_owned().leak(),
        fields: fields.leak(),
        shown: Shown::Interpolated,
        rewind: false,
        share: 1,
    }
}

/// The schema of those classes.
pub fn schema(classes: &[second::Class]) -> Schema {
    let classes: Vec<Class> = classes.iter().map(|c| class(&c.name, &c.fields)).collect();
    let schema = Schema {
        classes: classes.leak(),
        summary: None,
    };
    schema.check();
    schema
}

fn hex(number: u64) -> String {
    format!("{number:#018x}")
}

/// Reads one frame whole: what it says, and the bytes that `wire` writes for it.
pub fn read_frame(bytes: &[u8], setting: &Setting) -> Result<(Value, Vec<u8>), Refused> {
    let mut buf = [0; 4096];
    let mut copy = Copy {
        r: Reader::new(bytes),
        w: Writer::new(&mut buf),
        setting,
    };
    let means = if is_prefixed(bytes) {
        copy.opening()?
    } else {
        copy.packet()?
    };
    let len = copy.w.finish().map_err(|Overflow| "overflow")?;
    Ok((means, buf[..len].to_vec()))
}

fn name(e: ReadError) -> Refused {
    e.name()
}

/// Reads and writes side by side.
struct Copy<'a> {
    r: Reader<'a>,
    w: Writer<'a>,
    setting: &'a Setting,
}

impl Copy<'_> {
    fn opening(&mut self) -> Result<Value, Refused> {
        let opening = Opening::read(&mut self.r).map_err(name)?;
        opening.write(&mut self.w);
        Ok(match opening {
            Opening::Hello { token, hello } => json!({"frame": "hello", "version": VERSION,
                "token": hex(token), "schema": hex(hello.schema), "actions": hex(hello.actions),
                "world": hex(hello.world), "rate": hello.rate}),
            Opening::ForeignHello { version, token } => {
                json!({"frame": "hello", "version": version, "token": hex(token)})
            }
            Opening::Challenge { token } => json!({"frame": "challenge", "token": hex(token)}),
            Opening::Welcome { token, welcome } => {
                let (player, slot, life) = match welcome.seat {
                    Some(Seating { player, key }) => (player, key.slot, key.life),
                    None => (0, wire::NO_SLOT, 0),
                };
                json!({"frame": "welcome", "token": hex(token), "player": player, "slot": slot,
                    "life": life, "tick": hex(welcome.tick), "rate": welcome.rate,
                    "first_sequence": welcome.first})
            }
            Opening::Refuse { token, refusal } => {
                json!({"frame": "refuse", "token": hex(token), "reason": refusal.code()})
            }
            Opening::Session { token } => {
                json!({"frame": "session", "token": hex(token), "inner": self.packet()?})
            }
        })
    }

    fn packet(&mut self) -> Result<Value, Refused> {
        let header = Header::read(&mut self.r).map_err(name)?;
        header.write(&mut self.w);
        let body = match Kind::peek(&self.r).map_err(name)? {
            Kind::Snapshot => self.snapshot()?,
            kind => self.small(kind).map_err(name)?,
        };
        self.r.finish().map_err(name)?;
        let history = format!("{:#010x}", header.history);
        Ok(
            json!({"frame": "packet", "sequence": header.seq, "heard": header.heard,
            "history": history, "body": body}),
        )
    }

    /// The bodies that are read without a schema.
    fn small(&mut self, kind: Kind) -> Result<Value, ReadError> {
        let (r, w, input) = (&mut self.r, &mut self.w, &self.setting.input);
        Ok(match kind {
            Kind::Input => {
                let head = InputHead::read(r)?;
                head.write(w);
                let record = record(input, r, w)?;
                json!({"kind": "input", "tick": head.seq, "record": record, "drawn": drawn(r, w)?})
            }
            Kind::Inputs => {
                let head = InputsHead::read(r)?;
                head.write(w);
                let records: Result<Vec<_>, _> =
                    (0..head.count).map(|_| record(input, r, w)).collect();
                json!({"kind": "inputs", "ack": head.ack, "newest": head.newest,
                    "records": records?, "drawn": drawn(r, w)?})
            }
            Kind::Goodbye => {
                let goodbye = Goodbye::read(r)?;
                goodbye.write(w);
                json!({"kind": "goodbye", "reason": goodbye.code()})
            }
            Kind::Ping => {
                let ping = Ping::read(r)?;
                ping.write(w);
                json!({"kind": "ping", "stamp": ping.stamp})
            }
            Kind::Pong => {
                let pong = Pong::read(r)?;
                pong.write(w);
                json!({"kind": "pong", "stamp": pong.stamp})
            }
            Kind::Snapshot => unreachable!("read with its schema"),
        })
    }

    fn snapshot(&mut self) -> Result<Value, Refused> {
        let head = SnapshotHead::read(&mut self.r).map_err(name)?;
        head.write(&mut self.w);
        let (mut entries, mut previous) = (Vec::new(), 0);
        for i in 0..head.count {
            let class_bits = self.setting.schema.class_bits();
            let entry = EntryHead::read(previous, i == 0, class_bits, &mut self.r).map_err(name)?;
            entry.write(previous, i == 0, class_bits, &mut self.w);
            previous = entry.slot;
            entries.push(match entry.what {
                What::Gone { life } => json!({"slot": entry.slot, "gone": life}),
                What::State { birth, owner, run } => {
                    let record = self.state(entry.slot, birth, owner)?;
                    let birth = birth.map(|(life, id)| json!({"life": life, "class": id.0}));
                    json!({"slot": entry.slot, "birth": birth, "owner": owner, "run": run,
                        "record": record})
                }
            });
        }
        let events = EventsHead::read(&mut self.r).map_err(name)?;
        events.write(&mut self.w);
        let told: Result<Vec<_>, _> = (0..events.count).map(|_| self.event()).collect();
        let first_event = (events.count > 0).then_some(events.first);
        Ok(
            json!({"kind": "snapshot", "tick": head.tick, "judged": head.judged,
            "low_water": head.low_water, "depth": head.depth, "entries": entries,
            "first_event": first_event, "events": told.map_err(name)?}),
        )
    }

    /// The record of an entry, of which `None` is not told.
    fn state(
        &mut self,
        slot: u16,
        birth: Option<(u8, ClassId)>,
        owner: bool,
    ) -> Result<Vec<Option<i32>>, Refused> {
        let occupant = self
            .setting
            .occupants
            .iter()
            .find(|occupant| occupant.0 == slot);
        let known = birth
            .map(|birth| birth.1)
            .or_else(|| occupant.map(|occupant| occupant.1));
        let id = known.ok_or("unknown-occupant")?;
        let class = self.setting.schema.class(id).ok_or("unknown-class")?;
        let parts = [
            (Audience::Birth, birth.is_some()),
            (Audience::All, true),
            (Audience::Owner, owner),
        ];
        let mut codes = vec![0; class.width()];
        for (part, _) in parts.into_iter().filter(|part| part.1) {
            class.read(&mut codes, part, &mut self.r).map_err(name)?;
            class.write(&codes, part, &mut self.w);
        }
        let told = |field: &Field| parts.contains(&(field.to, true));
        let fields = class.fields.iter().zip(codes);
        Ok(fields
            .map(|(field, code)| told(field).then_some(code))
            .collect())
    }

    fn event(&mut self) -> Result<Value, ReadError> {
        let age = self.r.u8("age")?;
        self.w.u8("age", age);
        let record = record(&self.setting.event, &mut self.r, &mut self.w)?;
        Ok(json!({"age": age, "record": record}))
    }
}

/// A record of which everyone hears every field.
fn record(class: &Class, r: &mut Reader<'_>, w: &mut Writer<'_>) -> Result<Vec<i32>, ReadError> {
    let mut codes = vec![0; class.width()];
    class.read(&mut codes, Audience::All, r)?;
    class.write(&codes, Audience::All, w);
    Ok(codes)
}

fn drawn(r: &mut Reader<'_>, w: &mut Writer<'_>) -> Result<Value, ReadError> {
    let drawn = read_drawn(Tick::new(0), r)?;
    w.align();
    let Some(drawn) = drawn else {
        return Ok(Value::Null);
    };
    drawn.write(w);
    Ok(json!({"tick": drawn.tick.wire(), "fraction": drawn.frac}))
}
