//! What a link says about its packets.

use wire::Micros;

/// The number of a packet on its link, counted from 0 in the order of sending; both copies of a doubled packet have it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PacketId(u64);

impl PacketId {
    /// The packet of that number, sent or not.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number itself.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// What becomes of a packet, as far as is known.
///
/// A link knows it at once for losses and copies; `Late` appears when the packet that overtakes is sent, or when the
/// transmission is lost that the others wait for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fate {
    /// It arrives, in its turn.
    Delivered,
    /// It never arrives (Datagram). It stays listed, with its bytes, until it would have arrived, so that a picture can show
    /// where it died and what it said.
    Lost,
    /// It arrives after a packet sent later (Datagram), or it is sent again or waits behind one that is (Ordered).
    Late,
    /// The second copy of a packet (Datagram).
    Doubled,
}

/// A packet on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flight {
    /// Its number.
    pub id: PacketId,
    /// When it was sent.
    pub sent: Micros,
    /// When it will be handed out, or would have been, had it not been lost. On an ordered link this moves while a lost
    /// transmission is waited for: earlier when a later packet gives the loss away.
    pub due: Micros,
    /// Its length in bytes.
    pub len: usize,
    /// What becomes of it.
    pub fate: Fate,
}

/// Totals since the link was made. Every packet sent is in the end delivered, lost or refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LinkCounters {
    /// Packets given to [`crate::Link::send`].
    pub sent: u64,
    /// Packets handed out, second copies not counted.
    pub delivered: u64,
    /// Packets that never arrive, counted when they are sent or dropped by hand. An ordered link loses none.
    pub lost: u64,
    /// Those of the lost that found the queue before the rate full.
    pub dropped: u64,
    /// Packets handed out with [`Fate::Late`].
    pub late: u64,
    /// Second copies handed out.
    pub doubled: u64,
    /// Transmissions beyond the first that a delivered packet took (Ordered).
    pub resent: u64,
    /// Packets that found the link full and were dropped ([`crate::MAX_PACKETS`], [`crate::MAX_BYTES`]).
    pub refused: u64,
    /// Bytes of all packets sent.
    pub bytes: u64,
}
