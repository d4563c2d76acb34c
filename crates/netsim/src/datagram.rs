//! Single packets in flight: holes, overtaking, copies.

use std::collections::VecDeque;

use wire::Micros;

use crate::arena::Stored;
use crate::{Fate, Flight, PacketId};

/// A packet that will arrive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Datagram {
    pub(crate) id: PacketId,
    pub(crate) sent: Micros,
    pub(crate) due: Micros,
    pub(crate) stored: Stored,
    pub(crate) fate: Fate,
}

/// Packets in the order of their arrival: by due time, then number, the first copy before the second.
#[derive(Debug, Default)]
pub(crate) struct Datagrams {
    queue: VecDeque<Datagram>,
    /// The greatest number that was handed out: what is smaller comes late.
    newest_out: Option<PacketId>,
}

impl Datagrams {
    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.queue.len() * size_of::<Datagram>()
    }

    /// Adds the newest packet. Those that it overtakes are late from now on.
    pub(crate) fn push(&mut self, packet: Datagram) {
        let at = self.place(packet.due, packet.id);
        // Everything behind was sent earlier, and what was sent at an equal due time stands before.
        for overtaken in self.queue.range_mut(at..) {
            if overtaken.fate == Fate::Delivered {
                overtaken.fate = Fate::Late;
            }
        }
        self.queue.insert(at, packet);
    }

    /// Adds the second copy of a packet, which overtakes nobody that the first did not.
    pub(crate) fn push_copy(&mut self, packet: Datagram) {
        let at = self.place(packet.due, packet.id);
        self.queue.insert(
            at,
            Datagram {
                fate: Fate::Doubled,
                ..packet
            },
        );
    }

    pub(crate) fn first(&self) -> Option<&Datagram> {
        self.queue.front()
    }

    pub(crate) fn pop(&mut self) -> Option<Datagram> {
        let packet = self.queue.pop_front();
        self.newest_out = self.newest_out.max(packet.map(|packet| packet.id));
        packet
    }

    pub(crate) fn newest_out(&self) -> Option<PacketId> {
        self.newest_out
    }

    /// Takes the first copy of a packet out by hand; [`Self::judge_again`] is due then.
    pub(crate) fn take(&mut self, id: PacketId) -> Option<Datagram> {
        let at = self.queue.iter().position(|packet| packet.id == id)?;
        self.queue.remove(at)
    }

    /// Makes a packet, both copies of it, due so much later.
    pub(crate) fn hold(&mut self, id: PacketId, extra: Micros) {
        let held = [self.take(id), self.take(id)];
        for packet in held.into_iter().flatten() {
            let due = packet.due + extra;
            let at = self.place(due, id);
            self.queue.insert(at, Datagram { due, ..packet });
        }
        self.judge_again();
    }

    /// Says anew of each packet whether one sent later comes before it.
    pub(crate) fn judge_again(&mut self) {
        let mut newest = self.newest_out;
        for packet in &mut self.queue {
            if packet.fate != Fate::Doubled {
                let overtaken = newest > Some(packet.id);
                packet.fate = if overtaken {
                    Fate::Late
                } else {
                    Fate::Delivered
                };
            }
            newest = newest.max(Some(packet.id));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Datagram> {
        self.queue.iter()
    }

    pub(crate) fn flights(&self) -> impl Iterator<Item = Flight> {
        self.queue.iter().map(
            |&Datagram {
                 id,
                 sent,
                 due,
                 stored,
                 fate,
             }| Flight {
                id,
                sent,
                due,
                len: stored.len as usize,
                fate,
            },
        )
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.queue.capacity() * size_of::<Datagram>()
    }

    /// Behind everything that is due earlier, or at the same time with an equal or smaller number.
    fn place(&self, due: Micros, id: PacketId) -> usize {
        self.queue
            .partition_point(|other| (other.due, other.id) <= (due, id))
    }
}

impl Clone for Datagrams {
    fn clone(&self) -> Self {
        Self {
            queue: self.queue.clone(),
            newest_out: self.newest_out,
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.queue.clone_from(&source.queue);
        self.newest_out = source.newest_out;
    }
}
