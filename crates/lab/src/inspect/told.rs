//! What the codec tells of a packet, kept in order and in its groups.

use wire::{FieldSink, Meaning};

/// A field or a group as it was told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Field {
        name: &'static str,
        bits: u32,
        /// As on the wire.
        raw: u64,
        meaning: Option<Meaning>,
    },
    Group {
        name: &'static str,
        items: Vec<Self>,
    },
}

/// Hears a reader out.
#[derive(Debug, Default)]
pub struct Told {
    items: Vec<Item>,
    /// The groups that are open, outermost first, with what stood before each.
    open: Vec<(&'static str, Vec<Item>)>,
    bits: u32,
}

impl Told {
    /// What was told, and how many bits it had. Groups that a fault left open end where it stands.
    pub(super) fn finish(mut self) -> (Vec<Item>, u32) {
        while !self.open.is_empty() {
            self.close();
        }
        (self.items, self.bits)
    }
}

impl FieldSink for Told {
    fn field(&mut self, name: &'static str, _at_bit: u32, bits: u32, raw: u64) {
        self.bits += bits;
        let meaning = None;
        self.items.push(Item::Field {
            name,
            bits,
            raw,
            meaning,
        });
    }

    fn means(&mut self, says: Meaning) {
        if let Some(Item::Field { meaning, .. }) = self.items.last_mut() {
            *meaning = Some(says);
        }
    }

    fn open(&mut self, name: &'static str) {
        let before = std::mem::take(&mut self.items);
        self.open.push((name, before));
    }

    fn close(&mut self) {
        if let Some((name, before)) = self.open.pop() {
            let items = std::mem::replace(&mut self.items, before);
            self.items.push(Item::Group { name, items });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn field(name: &'static str, bits: u32, raw: u64) -> Item {
        let meaning = None;
        Item::Field {
            name,
            bits,
            raw,
            meaning,
        }
    }

    #[test]
    fn groups_hold_what_was_told_in_them_and_a_cut_packet_closes_them() {
        let mut told = Told::default();
        told.field("a", 0, 3, 1);
        told.open("outer");
        told.field("b", 3, 4, 2);
        told.means(Meaning::Number(7));
        told.open("inner");
        told.field("c", 7, 5, 3);
        let b = Item::Field {
            name: "b",
            bits: 4,
            raw: 2,
            meaning: Some(Meaning::Number(7)),
        };
        let items = vec![field("c", 5, 3)];
        let inner = Item::Group {
            name: "inner",
            items,
        };
        let outer = Item::Group {
            name: "outer",
            items: vec![b, inner],
        };
        assert_eq!(told.finish(), (vec![field("a", 3, 1), outer], 12));
    }
}
