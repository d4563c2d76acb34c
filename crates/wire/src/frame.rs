//! How a frame begins: with the prefix of what opens a session, or the packet header of what
//! belongs to one.

use crate::bits::{ReadError, Reader, Writer};

/// The first two bytes of a prefixed frame, 0x41 0x49 ("AI"), as a little-endian number. No packet
/// has this sequence.
pub const TAG: u16 = 0x4941;
/// The version of the protocol.
pub const VERSION: u8 = 1;
/// The most bytes of a packet in the lab and on UDP: below every path's limit. Never fragmented.
pub const MAX_PACKET: usize = 1200;
/// The most bytes of a packet on WebTransport, below what browsers send as one datagram.
pub const MAX_PACKET_WEBTRANSPORT: usize = 1024;
/// Whether these bytes begin with a prefix; if not they are a session frame.
pub fn is_prefixed(bytes: &[u8]) -> bool {
    bytes.starts_with(&TAG.to_le_bytes())
}

/// What a prefixed frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrefixKind {
    /// A client asks for a seat.
    Hello,
    /// The token that proves that a client hears.
    Challenge,
    /// The seat.
    Welcome,
    /// No seat, and why.
    Refuse,
    /// A session frame follows; where the carrier has no sessions of its own (UDP).
    Session,
}

impl PrefixKind {
    /// As the wire says it.
    pub const fn code(self) -> u8 {
        match self {
            Self::Hello => 0x10,
            Self::Challenge => 0x11,
            Self::Welcome => 0x12,
            Self::Refuse => 0x13,
            Self::Session => 0x1F,
        }
    }

    const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0x10 => Self::Hello,
            0x11 => Self::Challenge,
            0x12 => Self::Welcome,
            0x13 => Self::Refuse,
            0x1F => Self::Session,
            _ => return None,
        })
    }
}

/// The twelve bytes that are the same in every version: u16 tag | u8 version | u8 kind | u64 token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix {
    /// The sender's version of the protocol.
    pub version: u8,
    /// What follows.
    pub kind: PrefixKind,
    /// The session's; 0 until one was given.
    pub token: u64,
}

impl Prefix {
    /// Bytes.
    pub const LEN: usize = 12;

    /// Of our version.
    pub const fn new(kind: PrefixKind, token: u64) -> Self {
        Self {
            version: VERSION,
            kind,
            token,
        }
    }

    /// Writes it.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u16("tag", TAG);
        w.u8("version", self.version);
        w.u8("kind", self.kind.code());
        w.u64("token", self.token);
    }

    /// Reads it. Of another version only hello and refuse are read; the rest is
    /// [`ReadError::Version`].
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        if r.u16("tag")? != TAG {
            return Err(ReadError::Tag);
        }
        let version = r.u8("version")?;
        let code = r.u8("kind")?;
        let kind = PrefixKind::from_code(code);
        if version != VERSION && !matches!(kind, Some(PrefixKind::Hello | PrefixKind::Refuse)) {
            return Err(ReadError::Version { got: version });
        }
        let kind = kind.ok_or(ReadError::Kind { got: code })?;
        let token = r.u64("token")?;
        Ok(Self {
            version,
            kind,
            token,
        })
    }
}

/// The eight bytes that begin every session frame: u16 sequence | u16 newest heard | u32 history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// This packet's, low 16 bits; never [`TAG`].
    pub seq: u16,
    /// The newest sequence heard from the other end. Before anything was heard: the first sequence
    /// less one, which is never sent.
    pub heard: u16,
    /// Bit i: `heard - 1 - i` was heard too.
    pub history: u32,
}

impl Header {
    /// Bytes.
    pub const LEN: usize = 8;

    /// Writes it.
    pub fn write(&self, w: &mut Writer<'_>) {
        debug_assert!(self.seq != TAG, "no packet has the tag as its sequence");
        w.u16("sequence", self.seq);
        w.u16("newest_heard", self.heard);
        w.u32("history", self.history);
    }

    /// Reads it; a sequence that is the tag is [`ReadError::Tag`].
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        let seq = r.u16("sequence")?;
        if seq == TAG {
            return Err(ReadError::Tag);
        }
        Ok(Self {
            seq,
            heard: r.u16("newest_heard")?,
            history: r.u32("history")?,
        })
    }

    /// Whether this header says that the packet of that sequence was heard.
    pub const fn has_heard(&self, seq: u16) -> bool {
        match self.heard.wrapping_sub(seq) {
            0 => true,
            back @ 1..=32 => self.history >> (back - 1) & 1 == 1,
            _ => false,
        }
    }
}

/// What the body of a session frame is; its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One input: [`InputHead`](crate::InputHead) and its record.
    Input,
    /// The world at a tick: [`SnapshotHead`](crate::SnapshotHead) and its entries.
    Snapshot,
    /// Several inputs: [`InputsHead`](crate::InputsHead) and their records.
    Inputs,
    /// The sender leaves: [`Goodbye`](crate::Goodbye).
    Goodbye,
    /// To be answered: [`Ping`](crate::Ping).
    Ping,
    /// The answer: [`Pong`](crate::Pong).
    Pong,
}

impl Kind {
    /// As the wire says it. The first three are those of seed 002_fabecfc348b69077.txt.
    pub const fn code(self) -> u8 {
        match self {
            Self::Input => 1,
            Self::Snapshot => 3,
            Self::Inputs => 7,
            Self::Goodbye => 0x14,
            Self::Ping => 0x15,
            Self::Pong => 0x16,
        }
    }

    /// The kind of the body that comes next, left where it is: every body's `read` begins with its
    /// kind.
    pub fn peek(r: &Reader<'_>) -> Result<Self, ReadError> {
        let code = r.peek_u8().ok_or(ReadError::Short { field: "kind" })?;
        Ok(match code {
            1 => Self::Input,
            3 => Self::Snapshot,
            7 => Self::Inputs,
            0x14 => Self::Goodbye,
            0x15 => Self::Ping,
            0x16 => Self::Pong,
            got => return Err(ReadError::Kind { got }),
        })
    }

    pub(crate) fn write(self, w: &mut Writer<'_>) {
        w.u8("kind", self.code());
    }

    /// Steps over the kind; refuses another one.
    pub(crate) fn expect(self, r: &mut Reader<'_>) -> Result<(), ReadError> {
        match r.u8("kind")? {
            got if got == self.code() => Ok(()),
            got => Err(ReadError::Kind { got }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hello_and_refuse_are_read_of_another_version() {
        for kind in [0x10, 0x11, 0x12, 0x13, 0x1F, 0x20] {
            let bytes = [0x41, 0x49, 2, kind, 1, 0, 0, 0, 0, 0, 0, 0];
            let read = Prefix::read(&mut Reader::new(&bytes));
            match PrefixKind::from_code(kind) {
                Some(kind @ (PrefixKind::Hello | PrefixKind::Refuse)) => {
                    assert_eq!(
                        read,
                        Ok(Prefix {
                            version: 2,
                            kind,
                            token: 1
                        })
                    );
                }
                _ => assert_eq!(read, Err(ReadError::Version { got: 2 })),
            }
        }
    }

    #[test]
    fn a_prefix_begins_with_the_tag() {
        let mut buf = [0; Prefix::LEN];
        let mut w = Writer::new(&mut buf);
        Prefix::new(PrefixKind::Challenge, 0).write(&mut w);
        assert_eq!(w.finish(), Ok(Prefix::LEN));
        assert!(is_prefixed(&buf));
        buf[1] = 0x4A;
        assert_eq!(Prefix::read(&mut Reader::new(&buf)), Err(ReadError::Tag));
    }

    #[test]
    fn a_sequence_that_is_the_tag_is_no_header() {
        let bytes = [0x41, 0x49, 0, 0, 0, 0, 0, 0];
        assert!(is_prefixed(&bytes));
        assert_eq!(Header::read(&mut Reader::new(&bytes)), Err(ReadError::Tag));
        assert!(!is_prefixed(&[0x41]));
    }

    #[test]
    fn a_header_says_what_was_heard_across_the_wrap() {
        let header = Header {
            seq: 0,
            heard: 2,
            history: 0b1000_0000_0000_0000_0000_0000_0000_0101,
        };
        let heard: Vec<u16> = (0..=u16::MAX)
            .filter(|&seq| header.has_heard(seq))
            .collect();
        assert_eq!(heard, [1, 2, 65_506, 65_535]);
    }

    #[test]
    fn a_kind_is_looked_at_without_being_taken() {
        for kind in [
            Kind::Input,
            Kind::Snapshot,
            Kind::Inputs,
            Kind::Goodbye,
            Kind::Ping,
            Kind::Pong,
        ] {
            let bytes = [kind.code()];
            let mut r = Reader::new(&bytes);
            assert_eq!(Kind::peek(&r), Ok(kind));
            assert_eq!(kind.expect(&mut r), Ok(()));
        }
        assert_eq!(
            Kind::peek(&Reader::new(&[2])),
            Err(ReadError::Kind { got: 2 })
        );
        assert_eq!(
            Kind::peek(&Reader::new(&[])),
            Err(ReadError::Short { field: "kind" })
        );
        let mut other = Reader::new(&[7]);
        assert_eq!(
            Kind::Ping.expect(&mut other),
            Err(ReadError::Kind { got: 7 })
        );
    }
}
