//! What a replicated thing is made of: fields in order, each with its bits, its blend and who hears
//! of it.

use std::f32::consts::TAU;

use crate::bits::{ReadError, Reader, Writer};
use crate::quant::Quant;

/// How a field is drawn between two samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blend {
    /// In proportion, between the decoded values.
    Linear,
    /// The short way round. For [`Quant::Turn`] only.
    Turn,
    /// As the nearer of the two says; half-way, as the later.
    Nearer,
    /// Where the two differ in such a field nothing is drawn between them: the whole record is the
    /// older one until the later one's own instant. A counter of teleports is such a field.
    Cut,
}

/// Who hears of a field, and so which part of an entry carries it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// Everyone, in every entry.
    All,
    /// The player whose entity it is: what a replay needs and nobody sees.
    Owner,
    /// Everyone, but only until the entity's life is confirmed: what never changes within one.
    Birth,
}

/// How a client shows entities of a class that are not its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// In the past, between two samples.
    Interpolated,
    /// By the rule that both ends run, from an announced state.
    Simulated,
    /// Carried on from the last state heard.
    DeadReckoned,
    /// As part of a summary.
    Aggregated,
}

/// One field of a record.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Field {
    /// Its name; unique in its class, at most 255 bytes.
    pub name: &'static str,
    /// What its bits mean.
    pub quant: Quant,
    /// Unit of the decoded value, at most 255 bytes.
    pub unit: &'static str,
    /// How it is drawn between two samples.
    pub blend: Blend,
    /// Who hears of it.
    pub to: Audience,
    /// Whether it is part of the position, in world units: error is measured over these.
    pub place: bool,
}

/// A class of entities: the layout of its records, and how they are handled.
///
/// A record is a slice of codes, one for each field in order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Class {
    /// Its name, at most 255 bytes.
    pub name: &'static str,
    /// Its fields, in the order of the record and of the wire; at most 255.
    pub fields: &'static [Field],
    /// How a client shows it.
    pub shown: Shown,
    /// Whether lag compensation may put it back to an earlier moment.
    pub rewind: bool,
    /// Priority gained for each snapshot waited.
    pub share: u16,
}

impl Class {
    /// Fields, and so codes in a record.
    pub const fn width(&self) -> usize {
        self.fields.len()
    }

    /// Bits of the fields of that part.
    pub const fn bits(&self, part: Audience) -> u32 {
        let (mut sum, mut i) = (0, 0);
        while i < self.fields.len() {
            if self.fields[i].to as u8 == part as u8 {
                sum += self.fields[i].quant.bits();
            }
            i += 1;
        }
        sum
    }

    /// Writes the fields of that part, in order. Codes out of range are clamped.
    pub fn write(&self, rec: &[i32], part: Audience, w: &mut Writer<'_>) {
        for (field, &code) in self.fields.iter().zip(rec) {
            if field.to == part {
                field.quant.write(field.name, code, w);
            }
        }
    }

    /// Reads the fields of that part, and leaves the others as they are. After an error `rec` is
    /// partly read.
    pub fn read(
        &self,
        rec: &mut [i32],
        part: Audience,
        r: &mut Reader<'_>,
    ) -> Result<(), ReadError> {
        for (field, code) in self.fields.iter().zip(rec) {
            if field.to == part {
                *code = field.quant.read(field.name, r)?;
            }
        }
        Ok(())
    }

    /// Brings every code into its range; turns wrap.
    pub fn clamp(&self, rec: &mut [i32]) {
        for (field, code) in self.fields.iter().zip(rec) {
            *code = field.quant.clamp(*code);
        }
    }

    /// How far apart the places of two records are, in world units: Euclid over the place fields.
    pub fn distance(&self, a: &[i32], b: &[i32]) -> f32 {
        let mut sum = 0.0;
        for ((field, &a), &b) in self.fields.iter().zip(a).zip(b) {
            if field.place {
                // The difference of codes is exact where that of decoded values far out is not.
                let apart = (i64::from(a) - i64::from(b)) as f32 * field.quant.step();
                sum += apart * apart;
            }
        }
        sum.sqrt()
    }

    /// The largest step of the place fields, in world units; zero if there is none.
    pub const fn place_step(&self) -> f32 {
        let (mut largest, mut i) = (0.0, 0);
        while i < self.fields.len() {
            let step = self.fields[i].quant.step();
            if self.fields[i].place && step > largest {
                largest = step;
            }
            i += 1;
        }
        largest
    }

    /// Every field in its unit.
    pub fn decode(&self, rec: &[i32], out: &mut [f32]) {
        for ((field, &code), out) in self.fields.iter().zip(rec).zip(out) {
            *out = field.quant.decode(code);
        }
    }

    /// Every field in its unit, `t` of the way from `a` (0) to `b` (1), as its [`Blend`] says. `t`
    /// is clamped to 0..=1 and both ends are exact; NaN is 0.
    pub fn blend(&self, a: &[i32], b: &[i32], t: f32, out: &mut [f32]) {
        if t >= 1.0 {
            return self.decode(b, out);
        }
        let cut = |((field, a), b): ((&Field, &i32), &i32)| field.blend == Blend::Cut && a != b;
        if t.is_nan() || t <= 0.0 || self.fields.iter().zip(a).zip(b).any(cut) {
            return self.decode(a, out);
        }
        for (((field, &a), &b), out) in self.fields.iter().zip(a).zip(b).zip(out) {
            *out = match field.blend {
                Blend::Linear => {
                    let (from, to) = (field.quant.decode(a), field.quant.decode(b));
                    from + (to - from) * t
                }
                Blend::Turn => blend_turn(field.quant, a, b, t),
                Blend::Nearer | Blend::Cut => field.quant.decode(if t < 0.5 { a } else { b }),
            };
        }
    }

    /// Refuses, when it is compiled, a class that cannot be written: widths and steps out of
    /// bounds, a turn blended that is none, too many fields or too long names. `record!` calls it.
    pub const fn check(&self) {
        assert!(self.fields.len() <= 255, "a class has at most 255 fields");
        assert!(
            self.name.len() <= 255,
            "a class's name has at most 255 bytes"
        );
        let mut i = 0;
        while i < self.fields.len() {
            let field = &self.fields[i];
            assert!(
                field.quant.is_sound(),
                "a field's width or step is out of bounds"
            );
            assert!(
                field.name.len() <= 255 && field.unit.len() <= 255,
                "a field's name and unit have at most 255 bytes"
            );
            assert!(
                !matches!(field.blend, Blend::Turn) || matches!(field.quant, Quant::Turn { .. }),
                "only a turn is blended as a turn"
            );
            i += 1;
        }
    }
}

/// The short way round from `a` to `b`, in 0..TAU. Exactly opposite: by way of the smaller angles.
fn blend_turn(quant: Quant, a: i32, b: i32, t: f32) -> f32 {
    let full = quant.max() + 1;
    let mut apart = b - a;
    if apart > full / 2 {
        apart -= full;
    } else if apart < -(full / 2) {
        apart += full;
    }
    let mut angle = (a as f32 + apart as f32 * t) * quant.step();
    if angle < 0.0 {
        angle += TAU;
    }
    // Also where a hair below zero has rounded up to the whole turn.
    if angle >= TAU { angle - TAU } else { angle }
}
