//! What opens a session: hello, challenge, welcome, refuse.

use crate::bits::{ReadError, Reader, Writer};
use crate::frame::{Prefix, PrefixKind, TAG, VERSION};
use crate::key::SlotKey;
use crate::refusal::Refusal;

/// The fastest tick, in Hz: what the depths and windows that are counted in commands are made for.
/// Source: seed 001_545bc6c5b0a72338.txt.
pub const MAX_RATE: u16 = 128;
/// The latest tick that a welcome may name, 2^45 - 1: 8,700 years at 128 Hz, and with its fraction
/// in 256ths still exact in an `f64`.
pub const MAX_TICK: u64 = (1 << 45) - 1;

/// The body of a hello: what both ends must agree on. With its prefix 38 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hello {
    /// [`Schema::fingerprint`](crate::Schema::fingerprint).
    pub schema: u64,
    /// Fingerprint of the actions that an input names; 0 is compared against nothing.
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
        let rate = in_range("rate", r.u16("rate")?, |&rate| rate > 0)?;
        Ok(Self {
            schema,
            actions,
            world,
            rate,
        })
    }
}

/// Who plays, and as what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seating {
    /// Number of the player, from 1.
    pub player: u16,
    /// The entity that is the player's own. Its slot is below [`NO_SLOT`].
    pub key: SlotKey,
}

/// The slot that a welcome names to one who only watches. No entity has it.
pub const NO_SLOT: u16 = u16::MAX;

/// The body of a welcome. With its prefix 29 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Welcome {
    /// The seat; `None` for one who only watches.
    pub seat: Option<Seating>,
    /// The server's newest tick, at most [`MAX_TICK`].
    pub tick: u64,
    /// Ticks a second, 1..=[`MAX_RATE`].
    pub rate: u16,
    /// The first sequence of both directions. Never [`TAG`].
    pub first: u16,
}

impl Welcome {
    /// u16 player | u16 slot | u8 life | u64 tick | u16 rate | u16 first sequence. Player 0, slot [`NO_SLOT`] and life 0 say
    /// together that there is no seat.
    pub fn write(&self, w: &mut Writer<'_>) {
        let Seating { player, key } = self.seat.unwrap_or(NOBODY);
        w.u16("player", player);
        w.u16("slot", key.slot);
        w.u8("life", key.life);
        w.u64("tick", self.tick);
        w.u16("rate", self.rate);
        w.u16("first_sequence", self.first);
    }

    /// Reads it.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        let player = r.u16("player")?;
        let slot = in_range("slot", r.u16("slot")?, |&slot| {
            (slot == NO_SLOT) == (player == 0)
        })?;
        let life = in_range("life", r.u8("life")?, |&life| player > 0 || life == 0)?;
        let seating = Seating {
            player,
            key: SlotKey { slot, life },
        };
        let tick = in_range("tick", r.u64("tick")?, |&tick| tick <= MAX_TICK)?;
        let rate = in_range("rate", r.u16("rate")?, |rate| (1..=MAX_RATE).contains(rate))?;
        let first = in_range("first_sequence", r.u16("first_sequence")?, |&first| {
            first != TAG
        })?;
        Ok(Self {
            seat: (player > 0).then_some(seating),
            tick,
            rate,
            first,
        })
    }
}

/// How the wire says that there is no seat.
const NOBODY: Seating = Seating {
    player: 0,
    key: SlotKey::new(NO_SLOT, 0),
};

fn in_range<T>(field: &'static str, value: T, holds: impl Fn(&T) -> bool) -> Result<T, ReadError> {
    if holds(&value) {
        Ok(value)
    } else {
        Err(ReadError::OutOfRange { field })
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
    /// Reads prefix and body, and refuses what follows; after [`Opening::Session`] the reader
    /// stands at the header.
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

    /// Writes prefix and body; of [`Opening::Session`] and [`Opening::ForeignHello`] only the
    /// prefix.
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

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: Hello = Hello {
        schema: 1,
        actions: 2,
        world: 3,
        rate: 64,
    };
    const SEAT: Seating = Seating {
        player: 1,
        key: SlotKey::new(2, 3),
    };
    const WELCOME: Welcome = Welcome {
        seat: Some(SEAT),
        tick: MAX_TICK,
        rate: 128,
        first: 9,
    };

    fn written(opening: Opening) -> Vec<u8> {
        let mut buf = [0; 64];
        let mut w = Writer::new(&mut buf);
        opening.write(&mut w);
        let len = w.finish().unwrap();
        buf[..len].to_vec()
    }

    fn read(bytes: &[u8]) -> Result<Opening, ReadError> {
        Opening::read(&mut Reader::new(bytes))
    }

    #[test]
    fn each_comes_back_and_has_its_length() {
        let refusals = Refusal::ALL.map(|refusal| (Opening::Refuse { token: 4, refusal }, 13));
        let others = [
            (
                Opening::Hello {
                    token: 0,
                    hello: HELLO,
                },
                38,
            ),
            (Opening::Challenge { token: u64::MAX }, 12),
            (
                Opening::Welcome {
                    token: 5,
                    welcome: WELCOME,
                },
                29,
            ),
            (
                Opening::Welcome {
                    token: 5,
                    welcome: Welcome {
                        seat: None,
                        ..WELCOME
                    },
                },
                29,
            ),
            (Opening::Session { token: 6 }, 12),
        ];
        for (opening, len) in others.into_iter().chain(refusals) {
            let mut bytes = written(opening);
            assert_eq!((bytes.len(), read(&bytes)), (len, Ok(opening)));
            for cut in 0..len {
                assert!(matches!(read(&bytes[..cut]), Err(ReadError::Short { .. })));
            }
            bytes.push(0);
            let more = match opening {
                Opening::Session { .. } => Ok(opening),
                _ => Err(ReadError::Trailing { bytes: 1 }),
            };
            assert_eq!(read(&bytes), more);
        }
    }

    #[test]
    fn a_hello_of_another_version_is_told_apart_whatever_it_holds() {
        let mut bytes = written(Opening::Hello {
            token: 7,
            hello: HELLO,
        });
        bytes[2] = 9;
        assert_eq!(
            read(&bytes),
            Ok(Opening::ForeignHello {
                version: 9,
                token: 7
            })
        );
        assert_eq!(
            read(&bytes[..12]),
            Ok(Opening::ForeignHello {
                version: 9,
                token: 7
            })
        );
    }

    #[test]
    fn a_refusal_of_another_version_is_read_and_a_reason_of_its_own_is_the_version() {
        let mut bytes = written(Opening::Refuse {
            token: 7,
            refusal: Refusal::Full,
        });
        bytes[12] = 77;
        assert_eq!(read(&bytes), Err(ReadError::OutOfRange { field: "reason" }));
        bytes[2] = 9;
        assert_eq!(
            read(&bytes),
            Ok(Opening::Refuse {
                token: 7,
                refusal: Refusal::Version
            })
        );
        bytes[12] = 1;
        bytes.push(0xFF);
        assert_eq!(
            read(&bytes),
            Ok(Opening::Refuse {
                token: 7,
                refusal: Refusal::Full
            })
        );
    }

    #[test]
    fn numbers_that_no_session_can_have_are_refused() {
        let hello = Hello { rate: 0, ..HELLO };
        let out = |field| Err(ReadError::OutOfRange { field });
        assert_eq!(
            read(&written(Opening::Hello { token: 0, hello })),
            out("rate")
        );
        let seated = |seat| Welcome {
            seat: Some(seat),
            ..WELCOME
        };
        // Over the bound it is read, so that it can be refused by name.
        let hello = Hello {
            rate: u16::MAX,
            ..HELLO
        };
        assert!(read(&written(Opening::Hello { token: 0, hello })).is_ok());
        let refused = [
            (seated(Seating { player: 0, ..SEAT }), "slot"),
            (
                seated(Seating {
                    key: SlotKey::new(NO_SLOT, 3),
                    ..SEAT
                }),
                "slot",
            ),
            (
                seated(Seating {
                    player: 0,
                    key: SlotKey::new(NO_SLOT, 1),
                }),
                "life",
            ),
            (
                Welcome {
                    tick: MAX_TICK + 1,
                    ..WELCOME
                },
                "tick",
            ),
            (Welcome { rate: 0, ..WELCOME }, "rate"),
            (
                Welcome {
                    rate: MAX_RATE + 1,
                    ..WELCOME
                },
                "rate",
            ),
            (
                Welcome {
                    first: TAG,
                    ..WELCOME
                },
                "first_sequence",
            ),
        ];
        for (welcome, field) in refused {
            assert_eq!(
                read(&written(Opening::Welcome { token: 5, welcome })),
                out(field)
            );
        }
    }
}
