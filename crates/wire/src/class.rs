//! What a replicated thing is made of: fields in order, each with its bits, its blend and who hears
//! of it.

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
            assert!(
                !(field.place && matches!(field.quant, Quant::Turn { .. })),
                "a turn is no part of a position"
            );
            i += 1;
        }
    }
}

/// The short way round from `a` to `b`, in 0..TAU. From exactly opposite it counts up.
fn blend_turn(quant: Quant, a: i32, b: i32, t: f32) -> f32 {
    let full = quant.max() + 1;
    let mut apart = quant.clamp(b.wrapping_sub(a));
    if apart > full / 2 {
        apart -= full;
    }
    // Wrapped while it still counts codes, which is exact at both ends.
    let mut at = quant.clamp(a) as f32 + apart as f32 * t;
    if at < 0.0 {
        at += full as f32;
    }
    // Also where a hair below zero has rounded up to the whole turn.
    if at >= full as f32 {
        at -= full as f32;
    }
    at * quant.step()
}

#[cfg(test)]
mod tests {
    use std::f32::consts::TAU;

    use super::*;
    use crate::record;

    record! {
        /// Of everything something.
        struct Body as BODY ("body", shown: Interpolated, rewind: true, share: 1) {
            x: Quant::Signed { bits: 17, step: 0.001 }, "m", Linear, All, place;
            y: Quant::Unsigned { bits: 10, step: 0.25 }, "m", Linear, All, place;
            heading: Quant::Turn { bits: 10 }, "rad", Turn, All;
            stance: Quant::Count { bits: 3 }, "", Nearer, All;
            teleports: Quant::Count { bits: 4 }, "", Cut, All;
            cooldown: Quant::Count { bits: 6 }, "ticks", Nearer, Owner;
            skin: Quant::Count { bits: 5 }, "", Nearer, Birth;
        }
    }

    const AT_REST: Body = Body {
        x: 0,
        y: 0,
        heading: 0,
        stance: 0,
        teleports: 0,
        cooldown: 0,
        skin: 0,
    };

    fn codes(body: Body) -> [i32; Body::WIDTH] {
        let mut codes = [0; Body::WIDTH];
        body.save(&mut codes);
        codes
    }

    fn blend(a: Body, b: Body, t: f32) -> [f32; Body::WIDTH] {
        let mut out = [f32::NAN; Body::WIDTH];
        BODY.blend(&codes(a), &codes(b), t, &mut out);
        out
    }

    #[test]
    fn a_part_holds_its_fields_alone_and_in_order() {
        let parts = [Audience::Birth, Audience::All, Audience::Owner];
        assert_eq!(
            parts.map(|part| BODY.bits(part)),
            [5, 17 + 10 + 10 + 3 + 4, 6]
        );
        let body = Body {
            x: -1,
            y: 2,
            heading: 3,
            stance: 4,
            teleports: 5,
            cooldown: 6,
            skin: 7,
        };
        let mut buf = [0; 16];
        let mut w = Writer::new(&mut buf);
        parts
            .iter()
            .for_each(|&part| BODY.write(&codes(body), part, &mut w));
        assert_eq!(w.bit_len(), 55);
        let len = w.finish().unwrap();

        let mut r = Reader::new(&buf[..len]);
        let mut read = codes(AT_REST);
        BODY.read(&mut read, Audience::Birth, &mut r).unwrap();
        assert_eq!(Body::load(&read), Body { skin: 7, ..AT_REST });
        BODY.read(&mut read, Audience::All, &mut r).unwrap();
        assert_eq!(
            Body::load(&read),
            Body {
                cooldown: 0,
                ..body
            }
        );
        BODY.read(&mut read, Audience::Owner, &mut r).unwrap();
        assert_eq!(Body::load(&read), body);
        assert_eq!(
            BODY.read(&mut read, Audience::Birth, &mut r),
            Err(ReadError::Short { field: "skin" })
        );
    }

    #[test]
    fn clamping_brings_every_code_into_range() {
        let wild = Body {
            x: i32::MIN,
            y: -1,
            heading: 1025,
            stance: 9,
            ..AT_REST
        };
        let mut tame = codes(wild);
        BODY.clamp(&mut tame);
        assert_eq!(tame, codes(wild.clamped()));
        let expected = Body {
            x: -65_535,
            y: 0,
            heading: 1,
            stance: 7,
            ..AT_REST
        };
        assert_eq!(Body::load(&tame), expected);
    }

    #[test]
    fn distance_is_over_the_places_alone_and_in_their_units() {
        let (a, b) = (
            AT_REST,
            Body {
                x: 3000,
                y: 16,
                heading: 512,
                stance: 7,
                ..AT_REST
            },
        );
        assert_eq!(BODY.distance(&codes(a), &codes(b)), 5.0);
        let [far, near] = [65_535, 65_534].map(|x| codes(Body { x, ..AT_REST }));
        assert_eq!(BODY.distance(&far, &near), 0.001);
        assert_eq!(BODY.place_step(), 0.25);
    }

    #[test]
    fn between_two_samples_each_field_is_drawn_in_its_way() {
        let a = Body {
            x: -1000,
            heading: 1000,
            stance: 1,
            ..AT_REST
        };
        let b = Body {
            x: 3000,
            heading: 40,
            stance: 2,
            ..AT_REST
        };
        let at = Body::AT;
        let drawn = blend(a, b, 0.25);
        assert!((drawn[at.x] - 0.0).abs() < 1e-6);
        assert_eq!(drawn[at.heading], 1016.0 * TAU / 1024.0);
        assert_eq!(drawn[at.stance], 1.0);
        let drawn = blend(a, b, 0.5);
        assert_eq!(drawn[at.heading], 8.0 * TAU / 1024.0);
        assert_eq!(drawn[at.stance], 2.0);
    }

    #[test]
    fn both_ends_are_exact_and_nothing_is_beyond_them() {
        let a = Body {
            x: 7,
            y: 1,
            heading: 1023,
            ..AT_REST
        };
        let b = Body {
            x: 999,
            y: 1000,
            heading: 3,
            ..AT_REST
        };
        let [mut first, mut last] = [[0.0; Body::WIDTH]; 2];
        BODY.decode(&codes(a), &mut first);
        BODY.decode(&codes(b), &mut last);
        for t in [0.0, -0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
            assert_eq!(blend(a, b, t), first);
        }
        for t in [1.0, 1.5, f32::INFINITY] {
            assert_eq!(blend(a, b, t), last);
        }
    }

    #[test]
    fn a_turn_never_leaves_its_range_and_never_takes_the_long_way() {
        for (a, b) in [
            (0, 511),
            (0, 513),
            (0, 512),
            (1023, 0),
            (0, 1023),
            (300, 800),
            (7, 7),
        ] {
            for step in 0..=64 {
                let t = step as f32 / 64.0;
                let (from, to) = (
                    Body {
                        heading: a,
                        ..AT_REST
                    },
                    Body {
                        heading: b,
                        ..AT_REST
                    },
                );
                let angle = blend(from, to, t)[Body::AT.heading];
                assert!((0.0..TAU).contains(&angle), "{a} {b} {t}");
                let turned = (angle / TAU * 1024.0 - a as f32 + 1024.0 + 512.0) % 1024.0 - 512.0;
                let way = ((b - a + 1024 + 512) % 1024 - 512) as f32;
                assert!(
                    (turned.abs() - way.abs() * t).abs() < 0.01,
                    "{a} {b} {t}: {turned}"
                );
            }
        }
    }

    #[test]
    fn across_a_cut_the_whole_record_is_the_older_one_until_the_newer_ones_instant() {
        let a = Body {
            x: 1000,
            heading: 5,
            stance: 1,
            ..AT_REST
        };
        let b = Body {
            x: 9000,
            heading: 9,
            stance: 2,
            teleports: 1,
            ..AT_REST
        };
        let mut first = [0.0; Body::WIDTH];
        BODY.decode(&codes(a), &mut first);
        assert_eq!(blend(a, b, 0.999), first);
        assert_eq!(blend(a, b, 1.0)[Body::AT.teleports], 1.0);
        // Nothing but the cut made the difference.
        assert_ne!(blend(a, Body { teleports: 0, ..b }, 0.999), first);
    }
}
