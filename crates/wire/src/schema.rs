//! The classes of a game, and the number that says that two ends mean the same by them.

use std::fmt::Write as _;

use crate::class::{Audience, Class, Field};
use crate::key::ClassId;
use crate::quant::Quant;

/// The classes of a game, in the order of their ids.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Schema {
    /// At most 255. A [`ClassId`] is a position here.
    pub classes: &'static [Class],
    /// What a group of entities looks like to who is told of it in summary; `None`: nobody is. All of its fields are
    /// for everyone. It is no class that an entity has.
    pub summary: Option<&'static Class>,
}

impl Schema {
    /// The class of that id, if there is one.
    pub fn class(&self, id: ClassId) -> Option<&'static Class> {
        self.classes.get(usize::from(id.0))
    }

    /// The width of the widest class.
    pub const fn width(&self) -> usize {
        let (mut widest, mut i) = (0, 0);
        while i < self.classes.len() {
            if self.classes[i].width() > widest {
                widest = self.classes[i].width();
            }
            i += 1;
        }
        widest
    }

    /// Bits of a class id on the wire: as many as the greatest id needs, none for a single class.
    pub const fn class_bits(&self) -> u32 {
        match self.classes.len() {
            0 => 0,
            n => usize::BITS - (n - 1).leading_zeros(),
        }
    }

    /// Refuses, when it is compiled, a schema that cannot be written: more than 255 classes, or one
    /// that fails [`Class::check`].
    pub const fn check(&self) {
        assert!(
            self.classes.len() <= 255,
            "a schema has at most 255 classes"
        );
        let mut i = 0;
        while i < self.classes.len() {
            self.classes[i].check();
            i += 1;
        }
        if let Some(summary) = self.summary {
            summary.check();
        }
    }

    /// A number that two ends have in common only if every bit means the same to both: FNV-1a, 64
    /// bits, over the structure (order, names, kinds, widths, steps, units, audiences), byte by
    /// byte as WIRE.md says. How a class is shown or blended does not count: it changes no meaning.
    pub const fn fingerprint(&self) -> u64 {
        let mut hash = Fnv::new().byte(self.classes.len() as u8);
        let mut c = 0;
        while c < self.classes.len() {
            hash = hash.class(&self.classes[c]);
            c += 1;
        }
        if let Some(summary) = self.summary {
            hash = hash.class(summary);
        }
        hash.0
    }

    /// What the fingerprint covers, one line a field, for people: two ends that differ print this
    /// and compare.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        let classes = self.classes.iter().map(|class| ("class", class));
        for (what, class) in classes.chain(self.summary.map(|class| ("summary", class))) {
            let _ = writeln!(text, "{what} {}", class.name);
            for field in class.fields {
                let (kind, to) = (kind_name(field.quant), audience_name(field.to));
                let _ = write!(
                    text,
                    "{}.{}: {kind}, {} bits",
                    class.name,
                    field.name,
                    field.quant.bits()
                );
                if let Quant::Signed { step, .. } | Quant::Unsigned { step, .. } = field.quant {
                    let _ = write!(text, ", step {step}");
                }
                let _ = writeln!(text, ", unit \"{}\", to {to}", field.unit);
            }
        }
        text
    }

    /// The first line in which two descriptions differ, as one sentence; nothing if they are equal.
    pub fn difference(ours: &str, theirs: &str) -> Option<String> {
        let (mut ours, mut theirs) = (ours.lines(), theirs.lines());
        loop {
            match (ours.next(), theirs.next()) {
                (None, None) => return None,
                (a, b) if a == b => {}
                (a, b) => {
                    let say = |line: Option<&str>| {
                        line.map_or_else(|| "nothing more".to_owned(), |l| format!("`{l}`"))
                    };
                    return Some(format!("here {}, there {}", say(a), say(b)));
                }
            }
        }
    }
}

const fn kind_name(quant: Quant) -> &'static str {
    match quant {
        Quant::Signed { .. } => "signed",
        Quant::Unsigned { .. } => "unsigned",
        Quant::Turn { .. } => "turn",
        Quant::Axis => "axis",
        Quant::Share { .. } => "share",
        Quant::Count { .. } => "count",
        Quant::Flag => "flag",
    }
}

const fn audience_name(to: Audience) -> &'static str {
    match to {
        Audience::All => "all",
        Audience::Owner => "owner",
        Audience::Birth => "birth",
    }
}

/// FNV-1a, 64 bits.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    const fn byte(self, byte: u8) -> Self {
        Self((self.0 ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3))
    }

    const fn bytes(mut self, bytes: &[u8]) -> Self {
        let mut i = 0;
        while i < bytes.len() {
            self = self.byte(bytes[i]);
            i += 1;
        }
        self
    }

    /// Length in a byte, then the text.
    const fn text(self, text: &str) -> Self {
        self.byte(text.len() as u8).bytes(text.as_bytes())
    }

    const fn class(self, class: &Class) -> Self {
        let mut hash = self.text(class.name).byte(class.fields.len() as u8);
        let mut f = 0;
        while f < class.fields.len() {
            hash = hash.field(&class.fields[f]);
            f += 1;
        }
        hash
    }

    const fn field(self, field: &Field) -> Self {
        let (kind, step) = match field.quant {
            Quant::Signed { step, .. } => (0, step),
            Quant::Unsigned { step, .. } => (1, step),
            Quant::Turn { .. } => (2, 0.0),
            Quant::Axis => (3, 0.0),
            Quant::Share { .. } => (4, 0.0),
            Quant::Count { .. } => (5, 0.0),
            Quant::Flag => (6, 0.0),
        };
        let to = match field.to {
            Audience::All => 0,
            Audience::Owner => 1,
            Audience::Birth => 2,
        };
        self.text(field.name)
            .byte(kind)
            .byte(field.quant.bits() as u8)
            .bytes(&step.to_bits().to_le_bytes())
            .text(field.unit)
            .byte(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::{Blend, Shown};

    const X: Field = Field {
        name: "x",
        quant: Quant::Signed {
            bits: 17,
            step: 0.001,
        },
        unit: "m",
        blend: Blend::Linear,
        to: Audience::All,
        place: true,
    };
    const HP: Field = Field {
        name: "hp",
        quant: Quant::Count { bits: 7 },
        place: false,
        ..X
    };
    const BODY: Class = Class {
        name: "body",
        fields: &[X, HP],
        shown: Shown::Interpolated,
        rewind: true,
        share: 1,
    };

    /// A schema of one class with those fields.
    fn schema(fields: Vec<Field>) -> Schema {
        Schema {
            classes: vec![Class {
                fields: fields.leak(),
                ..BODY
            }]
            .leak(),
            summary: None,
        }
    }

    #[test]
    fn an_empty_schema_hashes_its_count_alone() {
        // FNV-1a of the one byte 0, a published value.
        assert_eq!(
            Schema {
                classes: &[],
                summary: None
            }
            .fingerprint(),
            0xaf63_bd4c_8601_b7df
        );
    }

    #[test]
    fn whatever_a_bit_means_is_in_the_fingerprint_and_in_the_description() {
        let ours = schema(vec![X, HP]);
        let others = [
            vec![HP, X],
            vec![X],
            vec![Field { name: "y", ..X }, HP],
            vec![
                Field {
                    quant: Quant::Signed {
                        bits: 18,
                        step: 0.001,
                    },
                    ..X
                },
                HP,
            ],
            vec![
                Field {
                    quant: Quant::Signed {
                        bits: 17,
                        step: 0.002,
                    },
                    ..X
                },
                HP,
            ],
            vec![
                Field {
                    quant: Quant::Unsigned {
                        bits: 17,
                        step: 0.001,
                    },
                    ..X
                },
                HP,
            ],
            vec![Field { unit: "cm", ..X }, HP],
            vec![
                X,
                Field {
                    to: Audience::Owner,
                    ..HP
                },
            ],
            vec![
                X,
                Field {
                    to: Audience::Birth,
                    ..HP
                },
            ],
        ];
        for other in others.map(schema) {
            assert_ne!(
                other.fingerprint(),
                ours.fingerprint(),
                "{}",
                other.describe()
            );
            let (ours, theirs) = (ours.describe(), other.describe());
            assert!(Schema::difference(&ours, &theirs).is_some(), "{theirs}");
        }
    }

    #[test]
    fn a_class_by_another_name_is_another() {
        let [ours, theirs] = ["body", "gate"].map(|name| Schema {
            classes: vec![Class { name, ..BODY }].leak(),
            summary: None,
        });
        assert_ne!(ours.fingerprint(), theirs.fingerprint());
        assert!(Schema::difference(&ours.describe(), &theirs.describe()).is_some());
    }

    #[test]
    fn what_changes_no_meaning_is_not_in_the_fingerprint() {
        let drawn = Field {
            blend: Blend::Nearer,
            place: false,
            ..X
        };
        let class = Class {
            fields: vec![drawn, HP].leak(),
            share: 9,
            rewind: false,
            ..BODY
        };
        let other = Schema {
            classes: vec![class].leak(),
            summary: None,
        };
        assert_eq!(other.fingerprint(), schema(vec![X, HP]).fingerprint());
        assert_eq!(other.describe(), schema(vec![X, HP]).describe());
    }

    #[test]
    fn the_first_difference_is_told_with_both_lines() {
        let ours = schema(vec![X, HP]).describe();
        let other = Field {
            quant: Quant::Count { bits: 8 },
            ..HP
        };
        let theirs = schema(vec![X, other]).describe();
        assert_eq!(Schema::difference(&ours, &ours), None);
        assert_eq!(
            Schema::difference(&ours, &theirs).unwrap(),
            "here `body.hp: count, 7 bits, unit \"m\", to all`, \
             there `body.hp: count, 8 bits, unit \"m\", to all`"
        );
        let longer = format!("{ours}class gate\n");
        assert_eq!(
            Schema::difference(&ours, &longer).unwrap(),
            "here nothing more, there `class gate`"
        );
    }

    #[test]
    fn what_a_summary_says_is_in_both_too_and_is_no_class() {
        static GROUP: Class = Class {
            name: "group",
            ..BODY
        };
        let plain = schema(vec![X, HP]);
        let summed = Schema {
            summary: Some(&GROUP),
            ..plain
        };
        assert_ne!(plain.fingerprint(), summed.fingerprint());
        let difference = Schema::difference(&plain.describe(), &summed.describe());
        assert!(difference.is_some_and(|said| said.contains("summary group")));
        assert_eq!(summed.class(ClassId(1)), None);
    }

    #[test]
    fn a_class_id_takes_as_many_bits_as_the_greatest_needs() {
        let bits = |classes| {
            Schema {
                classes: vec![BODY; classes].leak(),
                summary: None,
            }
            .class_bits()
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 255].map(bits), [0, 0, 1, 2, 2, 3, 8]);
        let schema = Schema {
            classes: &[BODY],
            summary: None,
        };
        assert_eq!((schema.width(), schema.class(ClassId(0))), (2, Some(&BODY)));
        assert_eq!(schema.class(ClassId(1)), None);
        schema.check();
    }
}
