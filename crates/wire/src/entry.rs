//! What a snapshot holds after its head: entries, ascending by slot, then events.

use crate::bits::{Mark, ReadError, Reader, Writer, read_gap, write_gap};
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
