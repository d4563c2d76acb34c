//! How a frame begins: the prefix of what opens a session, and the packet header of what belongs to one.

use crate::bits::{ReadError, Reader, Writer};
use crate::key::SlotKey;
use crate::refusal::Refusal;

/// The first two bytes of a prefixed frame, 0x41 0x49 ("AI"), as a little-endian number. No packet has this sequence.
pub const TAG: u16 = 0x4941;
/// The version of the protocol.
pub const VERSION: u8 = 1;
/// The most bytes of a packet in the lab and on UDP: below every path's limit. Never fragmented.
pub const MAX_PACKET: usize = 1200;
/// The most bytes of a packet on WebTransport, below what browsers send as one datagram.
pub const MAX_PACKET_WEBTRANSPORT: usize = 1024;
/// The fastest tick, in Hz: what the depths and windows that are counted in commands are made for.
/// Source: seed 001_545bc6c5b0a72338.txt.
pub const MAX_RATE: u16 = 128;
/// The latest tick that a welcome may name, 2^45 - 1: 8,700 years at 128 Hz, and with its fraction in 256ths still
/// exact in an `f64`.
pub const MAX_TICK: u64 = (1 << 45) - 1;

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

    /// Reads it. Of another version only hello and refuse are read; the rest is [`ReadError::Version`].
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        if r.u16("tag")? != TAG {
            return Err(ReadError::Tag);
        }
        let version = r.u8("version")?;
        let code = r.u8("kind")?;
        let token = r.u64("token")?;
        let kind = PrefixKind::from_code(code);
        if version != VERSION && !matches!(kind, Some(PrefixKind::Hello | PrefixKind::Refuse)) {
            return Err(ReadError::Version { got: version });
        }
        let kind = kind.ok_or(ReadError::Kind { got: code })?;
        Ok(Self {
            version,
            kind,
            token,
        })
    }
}

/// The body of a hello: what both ends must agree on. With its prefix 38 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hello {
    /// [`Schema::fingerprint`](crate::Schema::fingerprint).
    pub schema: u64,
    /// Fingerprint of the input record.
    pub actions: u64,
    /// Fingerprint of the world; 0 is compared against nothing.
    pub world: u64,
    /// Ticks a second, 1 or more. Over [`MAX_RATE`] it is read, and refused by name.
    pub rate: u16,
}

impl Hello {
    /// u64 schema | u64 actions | u64 world | u16 rate.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u64("schema", self.schema);
        w.u64("actions", self.actions);
        w.u64("world", self.world);
        w.u16("rate", self.rate);
    }

    /// Reads it.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        let (schema, actions, world) = (r.u64("schema")?, r.u64("actions")?, r.u64("world")?);
        let rate = r.u16("rate")?;
        if rate == 0 {
            return Err(ReadError::OutOfRange { field: "rate" });
        }
        Ok(Self {
            schema,
            actions,
            world,
            rate,
        })
    }
}

/// The body of a welcome: the seat. With its prefix 29 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Welcome {
    /// Number of the player, from 1.
    pub player: u16,
    /// The entity that is the player's own.
    pub key: SlotKey,
    /// The server's newest tick, at most [`MAX_TICK`].
    pub tick: u64,
    /// Ticks a second, 1..=[`MAX_RATE`].
    pub rate: u16,
    /// The first sequence of both directions. Never [`TAG`].
    pub first: u16,
}

impl Welcome {
    /// u16 player | u16 slot | u8 life | u64 tick | u16 rate | u16 first sequence.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u16("player", self.player);
        w.u16("slot", self.key.slot);
        w.u8("life", self.key.life);
        w.u64("tick", self.tick);
        w.u16("rate", self.rate);
        w.u16("first_sequence", self.first);
    }

    /// Reads it.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        let player = r.u16("player")?;
        let key = SlotKey {
            slot: r.u16("slot")?,
            life: r.u8("life")?,
        };
        let (tick, rate, first) = (r.u64("tick")?, r.u16("rate")?, r.u16("first_sequence")?);
        let refuse = |field| Err(ReadError::OutOfRange { field });
        match () {
            () if player == 0 => refuse("player"),
            () if tick > MAX_TICK => refuse("tick"),
            () if rate == 0 || rate > MAX_RATE => refuse("rate"),
            () if first == TAG => refuse("first_sequence"),
            () => Ok(Self {
                player,
                key,
                tick,
                rate,
                first,
            }),
        }
    }
}

/// A whole prefixed frame, as far as this version can read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// A client asks for a seat.
    Hello {
        /// 0, or the challenge's.
        token: u64,
        /// What it holds.
        hello: Hello,
    },
    /// The same of another version: to be refused as [`Refusal::Version`], its body unread.
    ForeignHello {
        /// Its version.
        version: u8,
        /// Its token.
        token: u64,
    },
    /// Say hello again with this token.
    Challenge {
        /// The token.
        token: u64,
    },
    /// The seat.
    Welcome {
        /// The session's token from now on.
        token: u64,
        /// The seat.
        welcome: Welcome,
    },
    /// No seat. Of another version too, where a reason that we do not know is [`Refusal::Version`].
    Refuse {
        /// The token of the hello that is answered.
        token: u64,
        /// Why.
        refusal: Refusal,
    },
    /// The rest of the bytes is a session frame; it is left in the reader.
    Session {
        /// The session's token.
        token: u64,
    },
}

impl Opening {
    /// Reads prefix and body, and refuses what follows; after [`Opening::Session`] the reader stands at the header.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        let Prefix {
            version,
            kind,
            token,
        } = Prefix::read(r)?;
        let opening = match kind {
            PrefixKind::Hello if version != VERSION => {
                return Ok(Self::ForeignHello { version, token });
            }
            PrefixKind::Refuse if version != VERSION => {
                let refusal = Refusal::from_code(r.u8("reason")?).unwrap_or(Refusal::Version);
                return Ok(Self::Refuse { token, refusal });
            }
            PrefixKind::Session => return Ok(Self::Session { token }),
            PrefixKind::Hello => Self::Hello {
                token,
                hello: Hello::read(r)?,
            },
            PrefixKind::Challenge => Self::Challenge { token },
            PrefixKind::Welcome => Self::Welcome {
                token,
                welcome: Welcome::read(r)?,
            },
            PrefixKind::Refuse => Self::Refuse {
                token,
                refusal: Refusal::read(r)?,
            },
        };
        match r.remaining_bits() / 8 {
            0 => Ok(opening),
            bytes => Err(ReadError::Trailing {
                bytes: bytes as u32,
            }),
        }
    }

    /// Writes prefix and body; of [`Opening::Session`] and [`Opening::ForeignHello`] only the prefix.
    pub fn write(&self, w: &mut Writer<'_>) {
        match self {
            Self::Hello { token, hello } => {
                Prefix::new(PrefixKind::Hello, *token).write(w);
                hello.write(w);
            }
            Self::ForeignHello { version, token } => {
                Prefix {
                    version: *version,
                    kind: PrefixKind::Hello,
                    token: *token,
                }
                .write(w);
            }
            Self::Challenge { token } => Prefix::new(PrefixKind::Challenge, *token).write(w),
            Self::Welcome { token, welcome } => {
                Prefix::new(PrefixKind::Welcome, *token).write(w);
                welcome.write(w);
            }
            Self::Refuse { token, refusal } => {
                Prefix::new(PrefixKind::Refuse, *token).write(w);
                refusal.write(w);
            }
            Self::Session { token } => Prefix::new(PrefixKind::Session, *token).write(w),
        }
    }
}

/// The eight bytes that begin every session frame: u16 sequence | u16 newest heard | u32 history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// This packet's, low 16 bits; never [`TAG`].
    pub seq: u16,
    /// The newest sequence heard from the other end. Before anything was heard: the first sequence less one, which is
    /// never sent.
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

    /// The kind of the body that comes next, left where it is: every body's `read` begins with its kind.
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
