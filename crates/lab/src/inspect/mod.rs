//! One packet, explained: its header, every field with its bits and what they say, and what can still be done to it.
//!
//! The fields are those that the codec itself told while the packet's receiver read it ([`wire::FieldSink`]); nothing
//! here knows where a bit stands.

mod told;
mod values;
mod words;

pub use told::Told;
pub use words::{Meanings, Packet, explain};

use crate::json::Json;

/// A field of a packet, or a group of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// In plain words.
    pub name: String,
    /// How many bits; of a group all of them.
    pub bits: u32,
    /// What they say, with its unit. Of a group its gist; empty where there is none.
    pub value: String,
    /// The fields of a group, in the order of the wire; empty for a field.
    pub fields: Vec<Self>,
}

/// What has become of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// On its way, in its turn.
    Flight,
    /// On its way, and late.
    Late,
    /// Lost.
    Lost,
    /// Its second copy is on its way, perhaps with the first.
    Doubled,
    /// It arrived.
    Arrived,
    /// Its time is past, and more were sent since than are remembered: whether it came is not known any more.
    Forgotten,
    /// Not sent at this instant.
    Unsent,
}

impl Standing {
    const fn id(self) -> &'static str {
        match self {
            Self::Flight => "flight",
            Self::Late => "late",
            Self::Lost => "lost",
            Self::Doubled => "doubled",
            Self::Arrived => "arrived",
            Self::Forgotten => "forgotten",
            Self::Unsent => "unsent",
        }
    }
}

/// A packet, explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspected {
    /// What it is and its number on its line: "Input 2099".
    pub title: String,
    /// Bytes that the carrier was given; 0 where they are not to be had any more.
    pub bytes: usize,
    /// Bytes that the carrier and the network add, and which: "UDP/IP".
    pub overhead: (u32, &'static str),
    /// What has become of it.
    pub standing: Standing,
    /// The same in words: "in flight, due in 39 ms".
    pub says: String,
    /// Every bit of it; nothing where `bytes` is 0.
    pub fields: Vec<Field>,
    /// Why it cannot be dropped, held or sent twice, in this order; `None` where it can.
    pub refused: [Option<&'static str>; 3],
}

impl Inspected {
    /// Writes it as an object: title, bytes, bits, overhead, carrier, standing, says, fields (name, bits, value, and
    /// fields where it is a group), refused (drop, hold, twice; empty where it can be done).
    pub fn write(&self, json: &mut Json) {
        json.object().key("title").text(&self.title);
        json.key("bytes").number(self.bytes as f64);
        json.key("bits").number(self.bytes as f64 * 8.0);
        json.key("overhead").number(f64::from(self.overhead.0));
        json.key("carrier").text(self.overhead.1);
        json.key("standing").text(self.standing.id());
        json.key("says").text(&self.says);
        json.key("fields");
        write_fields(&self.fields, json);
        json.key("refused").object();
        for (key, why) in ["drop", "hold", "twice"].into_iter().zip(self.refused) {
            json.key(key).text(why.unwrap_or(""));
        }
        json.end_object().end_object();
    }
}

fn write_fields(fields: &[Field], json: &mut Json) {
    json.list();
    for field in fields {
        json.object().key("name").text(&field.name);
        json.key("bits").number(f64::from(field.bits));
        json.key("value").text(&field.value);
        if !field.fields.is_empty() {
            json.key("fields");
            write_fields(&field.fields, json);
        }
        json.end_object();
    }
    json.end_list();
}
