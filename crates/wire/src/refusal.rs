//! Why somebody may not join, or has left.

use thiserror::Error;

use crate::bits::{ReadError, Reader, Writer};
use crate::frame::Kind;

/// Why a join was refused: one byte after the prefix, the same in every version.
#[derive(Error, Clone, Copy, PartialEq, Eq, Debug)]
#[error("{}", self.sentence())]
pub enum Refusal {
    /// 1: every seat is taken.
    Full,
    /// 2: the game said no.
    Declined,
    /// 3: another version of the protocol.
    Version,
    /// 4: another schema.
    Schema,
    /// 5: another input record.
    Actions,
    /// 6: another world.
    World,
    /// 7: another tick rate.
    Rate,
    /// 8: a tick rate over [`MAX_RATE`](crate::MAX_RATE).
    RateTooHigh,
    /// 9: the hello could not be read.
    Malformed,
}

impl Refusal {
    /// All of them, in the order of their codes from 1.
    pub const ALL: [Self; 9] = [
        Self::Full,
        Self::Declined,
        Self::Version,
        Self::Schema,
        Self::Actions,
        Self::World,
        Self::Rate,
        Self::RateTooHigh,
        Self::Malformed,
    ];

    /// As the wire says it.
    pub const fn code(self) -> u8 {
        self as u8 + 1
    }

    /// The refusal of that code, if there is one.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }

    /// As logs, metrics and pages call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Declined => "declined",
            Self::Version => "version",
            Self::Schema => "schema",
            Self::Actions => "actions",
            Self::World => "world",
            Self::Rate => "rate",
            Self::RateTooHigh => "rate_too_high",
            Self::Malformed => "malformed",
        }
    }

    /// A sentence for the player.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Full => "The match is full.",
            Self::Declined => "The match takes no new players now.",
            Self::Version => "The server speaks another version of the protocol.",
            Self::Schema => {
                "The server runs another build: what it sends means something else here."
            }
            Self::Actions => "The server runs another build: it knows other actions.",
            Self::World => "The server plays another world.",
            Self::Rate => "The server ticks at another rate.",
            Self::RateTooHigh => "The tick rate is over 128 Hz, the most that a session allows.",
            Self::Malformed => "The server could not read the request to join.",
        }
    }

    /// u8 reason.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u8("reason", self.code());
    }

    /// Reads it.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Self::from_code(r.u8("reason")?).ok_or(ReadError::OutOfRange { field: "reason" })
    }
}

/// Why an end leaves a session: a body of its own, u8 kind | u8 reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goodbye {
    /// 1: by choice.
    Left,
    /// 2: put out.
    Kicked,
    /// 3: the same player has joined again.
    Replaced,
    /// 4: the room closes.
    RoomClosed,
    /// 5: nothing was heard for too long.
    Idle,
    /// 6: what was heard is not allowed.
    Misbehaved,
    /// 7: the server is started anew, and takes everyone back.
    Restarting,
}

impl Goodbye {
    /// All of them, in the order of their codes from 1.
    pub const ALL: [Self; 7] = [
        Self::Left,
        Self::Kicked,
        Self::Replaced,
        Self::RoomClosed,
        Self::Idle,
        Self::Misbehaved,
        Self::Restarting,
    ];

    /// As the wire says it.
    pub const fn code(self) -> u8 {
        self as u8 + 1
    }

    /// As logs, metrics and pages call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Kicked => "kicked",
            Self::Replaced => "replaced",
            Self::RoomClosed => "room_closed",
            Self::Idle => "idle",
            Self::Misbehaved => "misbehaved",
            Self::Restarting => "restarting",
        }
    }

    /// A sentence for the player.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Left => "The other end has left.",
            Self::Kicked => "You were removed from the match.",
            Self::Replaced => "You joined again elsewhere, and that one took the seat over.",
            Self::RoomClosed => "The match has ended.",
            Self::Idle => "Nothing was heard for too long.",
            Self::Misbehaved => "The connection sent what is not allowed.",
            Self::Restarting => "The relay is restarting.",
        }
    }

    /// Whether it is of no use to come back by oneself. After silence or a restart it is: the seat may still be there.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Idle | Self::Restarting)
    }

    /// Writes kind and reason.
    pub fn write(&self, w: &mut Writer<'_>) {
        Kind::Goodbye.write(w);
        w.u8("reason", self.code());
    }

    /// Reads kind and reason.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Kind::Goodbye.expect(r)?;
        let code = usize::from(r.u8("reason")?);
        let known = code.checked_sub(1).and_then(|at| Self::ALL.get(at));
        known
            .copied()
            .ok_or(ReadError::OutOfRange { field: "reason" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_code_and_a_sentence_of_its_own() {
        for (code, refusal) in (1..).zip(Refusal::ALL) {
            assert_eq!(
                (refusal.code(), Refusal::from_code(code)),
                (code, Some(refusal))
            );
            assert_eq!(refusal.to_string(), refusal.sentence());
        }
        assert_eq!([0, 10, 255].map(Refusal::from_code), [None; 3]);
        let mut sentences: Vec<_> = Refusal::ALL
            .iter()
            .map(|refusal| refusal.sentence())
            .collect();
        sentences.extend(Goodbye::ALL.iter().map(|goodbye| goodbye.sentence()));
        sentences.sort_unstable();
        sentences.dedup();
        assert_eq!(sentences.len(), 16);
    }

    #[test]
    fn a_goodbye_comes_back_with_its_reason() {
        for goodbye in Goodbye::ALL {
            let mut buf = [0; 2];
            let mut w = Writer::new(&mut buf);
            goodbye.write(&mut w);
            w.finish().unwrap();
            assert_eq!(Goodbye::read(&mut Reader::new(&buf)), Ok(goodbye));
        }
        for code in [0, 8] {
            let unknown = Goodbye::read(&mut Reader::new(&[0x14, code]));
            assert_eq!(unknown, Err(ReadError::OutOfRange { field: "reason" }));
        }
    }
}
