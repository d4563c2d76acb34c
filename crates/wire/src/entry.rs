//! What a snapshot holds after its head: entries, ascending by slot, then events.

use crate::bits::{Mark, Meaning, ReadError, Reader, Writer, read_gap, write_gap};
use crate::key::ClassId;

/// The run that means "this long or longer, or unknown".
pub const MAX_RUN: u8 = 15;

/// What an entry says before its record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryHead {
    /// The entity's slot; more than that of the entry before.
    pub slot: u16,
    /// What has become of it.
    pub what: What,
}

/// What has become of an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The occupant of that life is no more.
    Gone {
        /// Its life.
        life: u8,
    },
    /// It is as the record says that follows: first the fields [`Birth`](crate::Audience::Birth) if
    /// there is a birth, then [`All`](crate::Audience::All), then [`Owner`](crate::Audience::Owner)
    /// if `owner`.
    State {
        /// Who it is and of which class, until its life is confirmed.
        birth: Option<(u8, ClassId)>,
        /// Whether the fields for its owner follow.
        owner: bool,
        /// For how many ticks it has been changing: 0 if it still stood at the tick before,
        /// [`MAX_RUN`] if longer than that or unknown.
        run: u8,
    },
}

impl EntryHead {
    /// Writes it after the entry of slot `previous` (0 for the first). `class_bits` as
    /// [`Schema::class_bits`](crate::Schema::class_bits) says. Slots that do not ascend are a
    /// mistake of the caller.
    pub fn write(&self, previous: u16, first: bool, class_bits: u32, w: &mut Writer<'_>) {
        debug_assert!(
            self.slot > previous || first && previous == 0,
            "slot {} after {previous}",
            self.slot
        );
        write_gap("slot", self.slot.saturating_sub(previous), w);
        match self.what {
            What::Gone { life } => {
                w.flag("gone", true);
                w.u8("life", life);
            }
            What::State { birth, owner, run } => {
                let (run, moving) = (run.min(MAX_RUN), run > 0);
                w.flag("gone", false);
                w.flag("birth", birth.is_some());
                w.flag("owner", owner);
                w.flag("moving", moving);
                if moving {
                    w.bits("run", run, 4);
                }
                if let Some((life, class)) = birth {
                    w.u8("life", life);
                    w.bits("class", class.0, class_bits);
                }
            }
        }
    }

    /// Reads it. That a class of that id exists is for the caller to check.
    pub fn read(
        previous: u16,
        first: bool,
        class_bits: u32,
        r: &mut Reader<'_>,
    ) -> Result<Self, ReadError> {
        let gap = read_gap("slot", r)?;
        if gap == 0 && !first {
            return Err(ReadError::NonCanonical { field: "slot" });
        }
        let slot = previous
            .checked_add(gap)
            .ok_or(ReadError::OutOfRange { field: "slot" })?;
        r.means(Meaning::Number(u64::from(slot)));
        if r.flag("gone")? {
            return Ok(Self {
                slot,
                what: What::Gone {
                    life: r.u8("life")?,
                },
            });
        }
        let (birth, owner, moving) = (r.flag("birth")?, r.flag("owner")?, r.flag("moving")?);
        let run = if moving { r.bits("run", 4)? as u8 } else { 0 };
        if moving && run == 0 {
            return Err(ReadError::NonCanonical { field: "run" });
        }
        let birth = match birth {
            true => Some((r.u8("life")?, ClassId(r.bits("class", class_bits)? as u8))),
            false => None,
        };
        Ok(Self {
            slot,
            what: What::State { birth, owner, run },
        })
    }
}

/// What stands before the events: padding | u8 count | u16 first id, if there is one. The events
/// follow, each 8 bits of age and its own bits; the ids count up from the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventsHead {
    /// How many.
    pub count: u8,
    /// The id of the first; 0 if there is none.
    pub first: u16,
}

impl EventsHead {
    /// Fills the byte, then writes the head. The mark is where the count stands, for
    /// [`Writer::rewrite`].
    pub fn write(&self, w: &mut Writer<'_>) -> Mark {
        w.align();
        let mark = w.mark();
        w.u8("events", self.count);
        if self.count > 0 {
            w.u16("first_event", self.first);
        }
        mark
    }

    /// Steps to the byte, then reads the head.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        r.align()?;
        match r.u8("events")? {
            0 => Ok(Self::default()),
            count => Ok(Self {
                count,
                first: r.u16("first_event")?,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_REST: What = What::State {
        birth: None,
        owner: false,
        run: 0,
    };

    fn written(heads: &[EntryHead]) -> (Vec<u8>, usize) {
        let mut buf = [0; 64];
        let mut w = Writer::new(&mut buf);
        let mut previous = 0;
        for (i, head) in heads.iter().enumerate() {
            head.write(previous, i == 0, 2, &mut w);
            previous = head.slot;
        }
        let bits = w.bit_len();
        let len = w.finish().unwrap();
        (buf[..len].to_vec(), bits)
    }

    #[test]
    fn heads_come_back_and_cost_what_they_say() {
        let moving = What::State {
            birth: None,
            owner: true,
            run: 3,
        };
        let born = What::State {
            birth: Some((255, ClassId(3))),
            owner: false,
            run: MAX_RUN,
        };
        let heads = [
            EntryHead {
                slot: 0,
                what: AT_REST,
            },
            EntryHead {
                slot: 7,
                what: moving,
            },
            EntryHead {
                slot: 15,
                what: born,
            },
            EntryHead {
                slot: u16::MAX,
                what: What::Gone { life: 9 },
            },
        ];
        let (bytes, bits) = written(&heads);
        assert_eq!(bits, (4 + 4) + (4 + 8) + (8 + 8 + 8 + 2) + (24 + 1 + 8));
        let mut r = Reader::new(&bytes);
        let mut previous = 0;
        for (i, head) in heads.iter().enumerate() {
            assert_eq!(EntryHead::read(previous, i == 0, 2, &mut r), Ok(*head));
            previous = head.slot;
        }
        assert_eq!(r.finish(), Ok(()));
    }

    #[test]
    fn a_run_longer_than_four_bits_is_said_as_unknown() {
        let what = What::State {
            birth: None,
            owner: false,
            run: 200,
        };
        let (bytes, _) = written(&[EntryHead { slot: 1, what }]);
        let read = EntryHead::read(0, true, 2, &mut Reader::new(&bytes)).unwrap();
        assert_eq!(
            read.what,
            What::State {
                birth: None,
                owner: false,
                run: MAX_RUN
            }
        );
    }

    #[test]
    fn slots_that_do_not_ascend_or_end_are_refused() {
        let (bytes, _) = written(&[EntryHead {
            slot: 0,
            what: AT_REST,
        }]);
        let again = EntryHead::read(5, false, 2, &mut Reader::new(&bytes));
        assert_eq!(again, Err(ReadError::NonCanonical { field: "slot" }));
        let (bytes, _) = written(&[EntryHead {
            slot: u16::MAX,
            what: AT_REST,
        }]);
        let beyond = EntryHead::read(1, false, 2, &mut Reader::new(&bytes));
        assert_eq!(beyond, Err(ReadError::OutOfRange { field: "slot" }));
    }

    #[test]
    fn a_run_of_zero_is_said_in_one_way_only() {
        // Gap 1, not gone, no birth, not owned, moving, run 0.
        let bytes = [0b1000_0001, 0b0000_0000];
        let read = EntryHead::read(0, true, 2, &mut Reader::new(&bytes));
        assert_eq!(read, Err(ReadError::NonCanonical { field: "run" }));
    }

    #[test]
    fn events_begin_at_a_byte_and_without_any_end_there() {
        for (head, len) in [
            (EventsHead { count: 0, first: 0 }, 2),
            (
                EventsHead {
                    count: 3,
                    first: 65_530,
                },
                4,
            ),
        ] {
            let mut buf = [0; 8];
            let mut w = Writer::new(&mut buf);
            w.flag("", true);
            let mark = head.write(&mut w);
            w.rewrite(mark, "events", head.count, 8);
            assert_eq!(w.finish(), Ok(len));
            let mut r = Reader::new(&buf[..len]);
            r.flag("").unwrap();
            assert_eq!(EventsHead::read(&mut r), Ok(head));
            assert_eq!(r.finish(), Ok(()));
        }
        let mut r = Reader::new(&[0b11, 0]);
        r.flag("").unwrap();
        assert_eq!(EventsHead::read(&mut r), Err(ReadError::Padding));
    }
}
