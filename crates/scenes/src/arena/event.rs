//! What the arena tells: shots with their verdicts, and hits behind cover.

use wire::{Quant, ReadError, Reader, SlotKey, Writer};

use super::SLOTS;
use super::record::PLACE;
use super::rules::RADIUS;
use crate::scene::{FieldWords, Shot, Verdict};

/// Bits of a slot: [`SLOTS`] of them.
const SLOT_BITS: u32 = 6;
/// Bits of an age in ms. The rewind reaches 1,000 ms back at most.
const AGE: Quant = Quant::Count { bits: 10 };

/// Whom a shot is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Struck {
    /// The character.
    pub key: SlotKey,
    /// Where it was put back to, mm; where it is if nobody was put back.
    pub then: [i32; 2],
    /// Whether the shot put it out of the game.
    pub fell: bool,
}

/// A shot that the server judged. 91 bits for a miss, 136 otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Who shot.
    pub by: SlotKey,
    /// The shooter's count of shots, modulo 16.
    pub number: u8,
    /// From where, mm.
    pub from: [i32; 2],
    /// Where it ended, mm.
    pub to: [i32; 2],
    /// How far back it was judged, ms, at most 1,023; 0: by the present alone.
    pub rewound_ms: u16,
    /// What became of it.
    pub verdict: Verdict,
    /// Whom it hit or, denied, would have hit in the present. `None` exactly for a miss.
    pub struck: Option<Struck>,
}

/// What happens once and is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A shot, to everyone.
    Shot(Judged),
    /// To a victim alone: the shot that hit them was aimed at where they were, and by now a wall is between.
    BehindCover {
        /// Who shot.
        by: SlotKey,
        /// How long ago they were where the shot hit them, ms, at most 1,023.
        ago_ms: u16,
    },
}

fn write_key(names: [&'static str; 2], key: SlotKey, w: &mut Writer<'_>) {
    w.bits(names[0], key.slot, SLOT_BITS);
    w.u8(names[1], key.life);
}

fn read_key(names: [&'static str; 2], r: &mut Reader<'_>) -> Result<SlotKey, ReadError> {
    let slot = r.bits(names[0], SLOT_BITS)? as u16;
    if slot >= SLOTS {
        return Err(ReadError::OutOfRange { field: names[0] });
    }
    Ok(SlotKey {
        slot,
        life: r.u8(names[1])?,
    })
}

fn write_place(names: [&'static str; 2], place: [i32; 2], w: &mut Writer<'_>) {
    PLACE.write(names[0], place[0], w);
    PLACE.write(names[1], place[1], w);
}

fn read_place(names: [&'static str; 2], r: &mut Reader<'_>) -> Result<[i32; 2], ReadError> {
    Ok([PLACE.read(names[0], r)?, PLACE.read(names[1], r)?])
}

const BY: [&str; 2] = ["by-slot", "by-life"];
const FROM: [&str; 2] = ["from-x", "from-y"];
const TO: [&str; 2] = ["to-x", "to-y"];
const STRUCK: [&str; 2] = ["struck-slot", "struck-life"];
const THEN: [&str; 2] = ["then-x", "then-y"];

impl netcode::Event for Event {
    fn write(&self, w: &mut Writer<'_>) {
        match *self {
            Self::Shot(shot) => {
                w.flag("behind-cover", false);
                write_key(BY, shot.by, w);
                w.bits("number", shot.number, 4);
                write_place(FROM, shot.from, w);
                write_place(TO, shot.to, w);
                AGE.write("rewound", i32::from(shot.rewound_ms), w);
                let verdict = match shot.verdict {
                    Verdict::Hit => 0u32,
                    Verdict::Granted => 1,
                    Verdict::Denied => 2,
                    Verdict::Miss => 3,
                };
                w.bits("verdict", verdict, 2);
                // A miss has no victim and everything else has one, so no bit says which.
                if let Some(struck) = shot.struck {
                    write_key(STRUCK, struck.key, w);
                    write_place(THEN, struck.then, w);
                    w.flag("fell", struck.fell);
                }
            }
            Self::BehindCover { by, ago_ms } => {
                w.flag("behind-cover", true);
                write_key(BY, by, w);
                AGE.write("ago", i32::from(ago_ms), w);
            }
        }
    }

    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        if r.flag("behind-cover")? {
            let by = read_key(BY, r)?;
            return Ok(Self::BehindCover {
                by,
                ago_ms: AGE.read("ago", r)? as u16,
            });
        }
        let by = read_key(BY, r)?;
        let number = r.bits("number", 4)? as u8;
        let from = read_place(FROM, r)?;
        let to = read_place(TO, r)?;
        let rewound_ms = AGE.read("rewound", r)? as u16;
        let verdict = match r.bits("verdict", 2)? {
            0 => Verdict::Hit,
            1 => Verdict::Granted,
            2 => Verdict::Denied,
            _ => Verdict::Miss,
        };
        let struck = if verdict == Verdict::Miss {
            None
        } else {
            let key = read_key(STRUCK, r)?;
            let then = read_place(THEN, r)?;
            Some(Struck {
                key,
                then,
                fell: r.flag("fell")?,
            })
        };
        Ok(Self::Shot(Judged {
            by,
            number,
            from,
            to,
            rewound_ms,
            verdict,
            struck,
        }))
    }
}

impl Judged {
    /// The shot in the units of the world.
    pub fn shot(&self) -> Shot {
        let metres = |[x, y]: [i32; 2]| [PLACE.decode(x), PLACE.decode(y)];
        Shot {
            by: self.by,
            number: self.number,
            from: metres(self.from),
            to: metres(self.to),
            verdict: self.verdict,
            victim: self.struck.map(|struck| struck.key),
            then: self.struck.map_or([0.0, 0.0], |struck| metres(struck.then)),
            radius: RADIUS,
            rewound_ms: self.rewound_ms,
            fell: self.struck.is_some_and(|struck| struck.fell),
        }
    }
}

/// How the fields of inputs and events read; directions and pushes say it by their quantizer.
pub(super) fn field_words(name: &str) -> FieldWords {
    match name {
        "verdict" => FieldWords::Codes(&["hit", "granted", "denied", "miss"]),
        "rewound" | "ago" => FieldWords::Unit("ms"),
        _ if [FROM, TO, THEN].iter().any(|place| place.contains(&name)) => FieldWords::Unit("m"),
        _ => FieldWords::Unit(""),
    }
}

/// An age in ms that fits its field.
pub(super) fn age_ms(seconds: f64) -> u16 {
    (seconds * 1000.0 + 0.5).clamp(0.0, f64::from(AGE.max())) as u16
}

#[cfg(test)]
mod tests {
    use netcode::Event as _;

    use super::*;

    const BOB: SlotKey = SlotKey {
        slot: SLOTS - 1,
        life: 255,
    };

    fn shot(verdict: Verdict) -> Judged {
        let struck = Struck {
            key: BOB,
            then: [-16_383, 5],
            fell: true,
        };
        Judged {
            by: SlotKey { slot: 1, life: 0 },
            number: 15,
            from: [16_000, -12_000],
            to: [0, 1],
            rewound_ms: 1_023,
            verdict,
            struck: (verdict != Verdict::Miss).then_some(struck),
        }
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let mut buf = [0; 32];
        for event in [
            Event::Shot(shot(Verdict::Hit)),
            Event::Shot(shot(Verdict::Granted)),
            Event::Shot(shot(Verdict::Denied)),
            Event::Shot(shot(Verdict::Miss)),
            Event::BehindCover {
                by: BOB,
                ago_ms: 180,
            },
        ] {
            let mut w = Writer::new(&mut buf);
            event.write(&mut w);
            let bits = match event {
                Event::Shot(shot) if shot.verdict == Verdict::Miss => 91,
                Event::Shot(_) => 136,
                Event::BehindCover { .. } => 25,
            };
            assert_eq!(w.bit_len(), bits);
            let len = w.finish().unwrap();
            assert_eq!(Event::read(&mut Reader::new(&buf[..len])), Ok(event));
            for short in 0..len - 1 {
                assert!(
                    Event::read(&mut Reader::new(&buf[..short])).is_err(),
                    "{short} of {len}"
                );
            }
        }
    }

    #[test]
    fn a_slot_that_there_is_not_is_refused() {
        let mut buf = [0; 32];
        let mut w = Writer::new(&mut buf);
        w.flag("behind-cover", true);
        w.bits("by-slot", u32::from(SLOTS), SLOT_BITS);
        w.bits("rest", 0u32, 18);
        let len = w.finish().unwrap();
        assert_eq!(
            Event::read(&mut Reader::new(&buf[..len])),
            Err(ReadError::OutOfRange { field: "by-slot" })
        );
    }

    #[test]
    fn an_age_is_clamped_to_its_field() {
        assert_eq!((age_ms(0.1804), age_ms(9.0), age_ms(-1.0)), (180, 1_023, 0));
    }
}
