//! What the two machines hand to their driver.

use wire::{Micros, ReadError, Reader};

/// Names one carrier session at a server: a socket, a datagram session, a link of the lab. The driver chooses it and never
/// reuses it while the session lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerId(pub u32);

/// What the carrier does with what it is given. It changes how often an input is repeated and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Late but whole and in order (WebSocket): each input travels once.
    Ordered,
    /// Loses, reorders and doubles (WebTransport datagrams, UDP): each packet repeats the inputs not yet acknowledged.
    Datagram,
}

/// What a machine wants done next. Drain until [`Output::Wait`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output<P, E> {
    /// The first `len` bytes of the buffer go to `to`.
    Transmit {
        /// The receiver; `()` for a client, which has one.
        to: P,
        /// Bytes written into the buffer.
        len: usize,
        /// False for a snapshot that a newer one may replace while it still waits for the carrier.
        keep: bool,
    },
    /// Something happened that the game wants said.
    Event(E),
    /// Nothing to do before `until`, unless bytes arrive.
    Wait {
        /// When the machine next has something to do.
        until: Micros,
    },
}

/// Why bytes of a peer were refused. Whatever the fault, nothing of the frame was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The bytes do not follow WIRE.md.
    #[error("malformed frame: {0}")]
    Malformed(#[from] ReadError),
    /// A frame from a session that was never opened, or was closed.
    #[error("no such session")]
    UnknownPeer,
    /// A session frame before the handshake was done.
    #[error("a session frame before the welcome")]
    NotJoined,
    /// A message that only the other end may send.
    #[error("message kind {kind:#04x} does not go in this direction")]
    WrongDirection {
        /// The kind that was received.
        kind: u8,
    },
    /// A command from one who only watches.
    #[error("a command from one who only watches")]
    Watching,
    /// A seat for a client that only wants to watch.
    #[error("a seat for one who only watches")]
    SeatNotAsked,
    /// A frame that does not carry the session's token: said to somebody else, or by somebody else.
    #[error("a frame with another token")]
    Token,
    /// An entry about an entity that the receiver cannot know the shape of. The packet is dropped and not acknowledged,
    /// so that the sender says it again.
    #[error("entry for slot {slot} whose occupant is unknown")]
    UnknownOccupant {
        /// The slot named.
        slot: u16,
    },
    /// A slot at or past the game's bound.
    #[error("slot {slot} is past the game's {slots}")]
    SlotRange {
        /// The slot named.
        slot: u16,
        /// The bound, exclusive.
        slots: u16,
    },
    /// A class that the schema does not have.
    #[error("class {class} does not exist")]
    UnknownClass {
        /// The class named.
        class: u8,
    },
}

/// Refuses bytes behind a message.
pub(crate) fn finish(r: &Reader<'_>) -> Result<(), Fault> {
    match r.remaining_bits() / 8 {
        0 => Ok(()),
        bytes => Err(Fault::Malformed(wire::ReadError::Trailing {
            bytes: bytes as u32,
        })),
    }
}
