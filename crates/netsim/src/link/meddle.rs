//! One packet in flight, taken in hand: dropped, held up, sent twice.

use std::fmt;

use wire::Micros;

use super::Link;
use crate::datagram::Datagram;
use crate::{Fate, Flight, PacketId};

/// How far the copy of [`Meddle::Twice`] comes behind its packet: apart on a picture, and well inside a tick of 128 Hz. A
/// guess.
const BEHIND: Micros = Micros::from_millis(3);

/// What is done by hand to one packet in flight; see [`Link::meddle`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meddle {
    /// It does not arrive. A datagram leaves a hole; on a stream this transmission is lost, and repaired as any loss is.
    Drop,
    /// It arrives so much later. Datagrams sent after it may pass it; on a stream everything behind waits.
    Hold(Micros),
    /// A second copy of it arrives, 3 ms later. A stream throws such a copy away, so there it is refused.
    Twice,
}

/// Why nothing can be done to a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unmeddled {
    /// No packet has this number yet.
    Unsent,
    /// It is not in flight any more.
    Arrived,
    /// It arrived and waits for one before it (Ordered).
    Behind,
    /// It is lost (Datagram).
    Lost,
    /// It is lost and not sent again yet (Ordered).
    Unrepaired,
    /// A second copy of it is in flight, or was (Datagram).
    Doubled,
    /// A stream throws the second copy of a packet away (Ordered).
    Stream,
    /// The link is full ([`crate::MAX_PACKETS`], [`crate::MAX_BYTES`]).
    Full,
}

impl Unmeddled {
    /// As a plain sentence without its full stop.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Unsent => "it was not sent yet",
            Self::Arrived => "it has arrived",
            Self::Behind => "it has arrived and waits for one before it",
            Self::Lost => "it is lost",
            Self::Unrepaired => "it is lost, and not sent again yet",
            Self::Doubled => "it is doubled as it is",
            Self::Stream => "a stream throws a second copy away",
            Self::Full => "the link is full",
        }
    }
}

impl fmt::Display for Unmeddled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

impl std::error::Error for Unmeddled {}

/// Which carrier has a packet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Datagrams,
    Stream,
}

impl Link {
    /// Does something to a packet in flight, both copies of it where there are two. What it overtakes or is overtaken by
    /// from then on is late or is not, and is counted so. What a stream's sender has learnt of other losses by a packet
    /// that is dropped here stays learnt.
    ///
    /// # Errors
    /// Why it cannot be done; nothing changed. [`Link::may_meddle`] says the same beforehand.
    pub fn meddle(&mut self, now: Micros, id: PacketId, what: Meddle) -> Result<(), Unmeddled> {
        self.forget(now);
        match (self.place(now, id, what)?, what) {
            (On::Datagrams, Meddle::Drop) => self.lose(id),
            (On::Datagrams, Meddle::Hold(extra)) => self.datagrams.hold(id, extra),
            (On::Datagrams, Meddle::Twice) => self.double(id),
            (On::Stream, Meddle::Drop) => self.ordered.lose(now, &self.line, id),
            (On::Stream, Meddle::Hold(extra)) => self.ordered.hold(id, extra),
            (On::Stream, Meddle::Twice) => return Err(Unmeddled::Stream),
        }
        Ok(())
    }

    /// Whether [`Link::meddle`] would do it now.
    ///
    /// # Errors
    /// Why not.
    pub fn may_meddle(&self, now: Micros, id: PacketId, what: Meddle) -> Result<(), Unmeddled> {
        self.place(now, id, what).map(|_| ())
    }

    /// The bytes of a packet that is in flight, or that is lost and would be.
    pub fn bytes_of(&self, id: PacketId) -> Option<Vec<u8>> {
        let datagrams = self
            .datagrams
            .iter()
            .map(|packet| (packet.id, packet.stored));
        let segments = self
            .ordered
            .iter()
            .map(|segment| (segment.id, segment.stored));
        datagrams
            .chain(segments)
            .find(|(other, _)| *other == id)
            .map(|(_, stored)| self.arena.copy(stored))
            .or_else(|| self.lost.bytes_of(id))
    }

    /// Where the packet is, if this can be done to it there.
    fn place(&self, now: Micros, id: PacketId, what: Meddle) -> Result<On, Unmeddled> {
        if id.get() >= self.next_id {
            return Err(Unmeddled::Unsent);
        }
        if self.ordered.iter().any(|segment| segment.id == id) {
            self.ordered.may_meddle(now, &self.line, id)?;
            return match what {
                Meddle::Twice => Err(Unmeddled::Stream),
                Meddle::Drop | Meddle::Hold(_) => Ok(On::Stream),
            };
        }
        let copies = || self.datagrams.iter().filter(|packet| packet.id == id);
        let Some(packet) = copies().find(|packet| packet.due > now) else {
            let lost = self
                .lost
                .flights()
                .any(|lost| lost.id == id && lost.due > now);
            return Err(if lost {
                Unmeddled::Lost
            } else {
                Unmeddled::Arrived
            });
        };
        if what == Meddle::Twice {
            if copies().any(|packet| packet.fate == Fate::Doubled) {
                return Err(Unmeddled::Doubled);
            }
            if !self.has_room(packet.stored.len as usize) {
                return Err(Unmeddled::Full);
            }
        }
        Ok(On::Datagrams)
    }

    fn lose(&mut self, id: PacketId) {
        let mut listed = false;
        while let Some(packet) = self.datagrams.take(id) {
            let Datagram {
                sent,
                due,
                stored,
                fate,
                ..
            } = packet;
            let bytes = self.arena.copy(stored);
            self.arena.free(stored);
            self.held -= bytes.len();
            // A copy was never counted as a packet.
            self.counters.lost += u64::from(fate != Fate::Doubled);
            let (len, fate) = (bytes.len(), Fate::Lost);
            if !std::mem::replace(&mut listed, true) {
                self.lost.push(
                    Flight {
                        id,
                        sent,
                        due,
                        len,
                        fate,
                    },
                    &bytes,
                );
            }
        }
        self.datagrams.judge_again();
    }

    fn double(&mut self, id: PacketId) {
        let Some(&packet) = self.datagrams.iter().find(|packet| packet.id == id) else {
            return;
        };
        let bytes = self.arena.copy(packet.stored);
        let stored = self.store(&bytes);
        let due = packet.due + BEHIND;
        self.datagrams.push_copy(Datagram {
            due,
            stored,
            ..packet
        });
    }
}

#[cfg(test)]
mod tests;
