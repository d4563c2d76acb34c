//! One direction of a link.

use std::sync::Arc;

use wire::Micros;

use crate::arena::{Arena, Stored};
use crate::datagram::{Datagram, Datagrams};
use crate::line::Line;
use crate::losses::Losses;
use crate::ordered::Ordered;
use crate::{Carrier, Fate, Flight, LinkConfig, LinkCounters, PacketId, Shock, Trace};

/// The most packets in flight: a minute of 64 a second, which is what a stream has to hold that is dark for a minute.
pub const MAX_PACKETS: usize = 4096;

/// The most bytes in flight: a kibibyte for each of [`MAX_PACKETS`].
pub const MAX_BYTES: usize = MAX_PACKETS * 1024;

/// One direction of a link, from [`Link::send`] to [`Link::receive`].
///
/// `now` is any clock of the caller's that never goes back. Asking more or less often changes nothing: what is handed
/// out, and when, depends on what was sent and set alone. A full link ([`MAX_PACKETS`], [`MAX_BYTES`]) drops the newest
/// packet and counts it as refused, on either carrier. Once it has held as much as it will, it allocates nothing.
#[derive(Debug)]
pub struct Link {
    line: Line,
    next_id: u64,
    arena: Arena,
    datagrams: Datagrams,
    ordered: Ordered,
    lost: Losses,
    /// Bytes of what will arrive.
    held: usize,
    counters: LinkCounters,
}

impl Link {
    /// A link with nothing in flight. Links of equal seed and settings do the same with the same packets.
    pub fn new(seed: u64, config: LinkConfig) -> Self {
        Self {
            line: Line::new(seed, config),
            next_id: 0,
            arena: Arena::new(),
            datagrams: Datagrams::default(),
            ordered: Ordered::default(),
            lost: Losses::new(),
            held: 0,
            counters: LinkCounters::default(),
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        self.arena.heap() + self.datagrams.heap() + self.ordered.heap() + self.lost.heap()
    }

    /// The settings as the link reads them: shares within `0..=1`.
    pub fn config(&self) -> &LinkConfig {
        &self.line.config
    }

    /// Changes the settings for what is sent from now on; what is in flight arrives when it would have. The resends of
    /// an ordered link are sent from now on, too, and go by the new settings, and what waits there for the rate goes at the
    /// new one. After a change of carrier what is in flight stays what it was.
    pub fn set_config(&mut self, now: Micros, config: LinkConfig) {
        if config.rate != self.line.config.rate && config.carrier == Carrier::Ordered {
            self.ordered.settle(now, &self.line);
            let moved = self.line.moved(now, config.rate);
            self.line.busy_until = moved(self.line.busy_until);
            self.ordered.requeue(moved);
        }
        self.change(now, |line| line.config = config.tidy());
    }

    /// Loads what [`crate::Vary::Trace`] plays, for what is sent from now on, or takes it out.
    pub fn set_trace(&mut self, now: Micros, trace: Option<Arc<Trace>>) {
        self.change(now, |line| line.trace = trace);
    }

    /// Until when what is sent would wait longer than [`LinkConfig::queue`] for its turn, if it would now. On a stream that
    /// means that the socket's buffer is full: whoever may send something newer instead waits until it is not.
    pub fn backed_up_until(&self, now: Micros) -> Option<Micros> {
        let over = self.line.backlog(now) - self.line.config.queue;
        (over > Micros::ZERO).then(|| now + over)
    }

    /// Sends a packet. Its number comes back whatever becomes of it.
    pub fn send(&mut self, now: Micros, bytes: &[u8]) -> PacketId {
        let id = PacketId::new(self.next_id);
        self.next_id += 1;
        self.counters.sent += 1;
        self.counters.bytes += bytes.len() as u64;
        self.forget(now);

        let trip = self.line.first(id.get(), now, bytes.len());
        let carrier = self.line.config.carrier;
        if trip.lost && carrier == Carrier::Datagram {
            self.counters.lost += 1;
            self.counters.dropped += u64::from(trip.dropped);
            let lost = Flight {
                id,
                sent: now,
                due: trip.at,
                len: bytes.len(),
                fate: Fate::Lost,
            };
            self.lost.push(lost, bytes);
            return id;
        }
        if !self.has_room(bytes.len()) {
            self.counters.refused += 1;
            return id;
        }
        let stored = self.store(bytes);
        match carrier {
            Carrier::Ordered => self.ordered.push(now, &self.line, id, trip, stored),
            Carrier::Datagram => {
                let packet = Datagram {
                    id,
                    sent: now,
                    due: trip.at,
                    stored,
                    fate: Fate::Delivered,
                };
                self.datagrams.push(packet);
                if let Some(due) = trip.copy.filter(|_| self.has_room(bytes.len())) {
                    let stored = self.store(bytes);
                    self.datagrams.push_copy(Datagram {
                        due,
                        stored,
                        ..packet
                    });
                }
            }
        }
        id
    }

    /// When the next packet can be received; an instant that is past where one waits. A later send may bring it forward
    /// on either carrier, so ask again after sending.
    pub fn next_at(&self) -> Option<Micros> {
        let datagram = self.datagrams.first().map(|packet| packet.due);
        let segment = self.ordered.first().map(|segment| segment.arrives);
        datagram.into_iter().chain(segment).min()
    }

    /// Takes one packet that is due at or before `now`, in the order of due times and then of numbers, and puts its bytes
    /// in `out` in place of what is there. Call it until there is none.
    pub fn receive(&mut self, now: Micros, out: &mut Vec<u8>) -> Option<PacketId> {
        self.forget(now);
        let datagram = self.datagrams.first().map(|packet| (packet.due, packet.id));
        let segment = self
            .ordered
            .first()
            .map(|segment| (segment.arrives, segment.id));
        let (due, _) = datagram.into_iter().chain(segment).min()?;
        if due > now {
            return None;
        }
        let ordered_first = match (segment, datagram) {
            (Some(segment), Some(datagram)) => segment < datagram,
            (segment, _) => segment.is_some(),
        };
        let (id, stored, fate) = if ordered_first {
            let (segment, fate) = self.ordered.pop()?;
            self.counters.resent += u64::from(segment.resends);
            (segment.id, segment.stored, fate)
        } else {
            let packet = self.datagrams.pop()?;
            (packet.id, packet.stored, packet.fate)
        };
        match fate {
            Fate::Doubled => self.counters.doubled += 1,
            Fate::Late => {
                self.counters.late += 1;
                self.counters.delivered += 1;
            }
            Fate::Delivered | Fate::Lost => self.counters.delivered += 1,
        }
        out.clear();
        self.arena
            .parts(stored)
            .for_each(|part| out.extend_from_slice(part));
        self.arena.free(stored);
        self.held -= stored.len as usize;
        Some(id)
    }

    /// Lets a [`Shock`] happen now.
    pub fn shock(&mut self, now: Micros, shock: Shock) {
        match shock {
            Shock::DropNext => self.drop_next(),
            Shock::Spike { extra } => self.spike(now, extra),
            Shock::Dark { length } => self.dark(now, length),
        }
    }

    /// See [`Shock::DropNext`].
    pub fn drop_next(&mut self) {
        self.line.drop_next();
    }

    /// See [`Shock::Spike`].
    pub fn spike(&mut self, now: Micros, extra: Micros) {
        self.change(now, |line| line.spike(now + extra));
    }

    /// See [`Shock::Dark`].
    pub fn dark(&mut self, now: Micros, length: Micros) {
        self.change(now, |line| line.dark(now + length));
    }

    /// What is on its way, and what was lost and would be: first the stream in order, then the datagrams by due time,
    /// then the losses. A loss is dropped from the list at the first send or receive after its time.
    pub fn in_flight(&self) -> impl Iterator<Item = Flight> {
        self.ordered
            .flights()
            .chain(self.datagrams.flights())
            .chain(self.lost.flights())
    }

    /// Totals since the link was made.
    pub fn counters(&self) -> &LinkCounters {
        &self.counters
    }

    /// Feeds everything that a later delivery or total depends on to `put`. Two links that were sent, set and asked for
    /// the same give the same numbers, however often they were asked in vain.
    pub fn digest(&self, put: &mut impl FnMut(u64)) {
        self.line.digest(put);
        put(self.next_id);
        put(self.datagrams.newest_out().map_or(u64::MAX, PacketId::get));
        put(self.datagrams.len() as u64);
        for packet in self.datagrams.iter() {
            put(packet.id.get());
            put(packet.due.get());
            put(packet.fate as u64);
            self.digest_bytes(packet.stored, put);
        }
        put(self.ordered.len() as u64);
        self.ordered.digest(put);
        for segment in self.ordered.iter() {
            put(segment.id.get());
            self.digest_bytes(segment.stored, put);
        }
        let LinkCounters {
            sent,
            delivered,
            lost,
            dropped,
            late,
            doubled,
            resent,
            refused,
            bytes,
        } = self.counters;
        let lost = [lost, dropped];
        for total in [sent, delivered, late, doubled, resent, refused, bytes]
            .into_iter()
            .chain(lost)
        {
            put(total);
        }
    }

    fn digest_bytes(&self, stored: Stored, put: &mut impl FnMut(u64)) {
        put(u64::from(stored.len));
        for word in self.arena.parts(stored).flat_map(|part| part.chunks(8)) {
            let mut bytes = [0; 8];
            bytes[..word.len()].copy_from_slice(word);
            put(u64::from_le_bytes(bytes));
        }
    }

    fn change(&mut self, now: Micros, change: impl FnOnce(&mut Line)) {
        self.ordered.settle(now, &self.line);
        change(&mut self.line);
        self.ordered.foresee(&self.line);
    }

    /// Lets go of what is over by `now`.
    fn forget(&mut self, now: Micros) {
        self.ordered.settle(now, &self.line);
        self.lost.forget(now);
    }

    fn store(&mut self, bytes: &[u8]) -> Stored {
        self.held += bytes.len();
        self.arena.store(bytes)
    }

    /// Bytes reserved by each part.
    #[cfg(test)]
    fn capacity(&self) -> [usize; 4] {
        [
            self.arena.capacity(),
            self.datagrams.capacity(),
            self.ordered.capacity(),
            self.lost.capacity(),
        ]
    }

    fn has_room(&self, len: usize) -> bool {
        self.datagrams.len() + self.ordered.len() < MAX_PACKETS && len <= MAX_BYTES - self.held
    }
}

impl Clone for Link {
    fn clone(&self) -> Self {
        Self {
            line: self.line.clone(),
            next_id: self.next_id,
            arena: self.arena.clone(),
            datagrams: self.datagrams.clone(),
            ordered: self.ordered.clone(),
            lost: self.lost.clone(),
            held: self.held,
            counters: self.counters,
        }
    }

    /// Reuses what `self` has allocated.
    fn clone_from(&mut self, source: &Self) {
        self.line.clone_from(&source.line);
        self.next_id = source.next_id;
        self.arena.clone_from(&source.arena);
        self.datagrams.clone_from(&source.datagrams);
        self.ordered.clone_from(&source.ordered);
        self.lost.clone_from(&source.lost);
        self.held = source.held;
        self.counters = source.counters;
    }
}

mod meddle;
#[cfg(test)]
mod tests;

pub use meddle::{Meddle, Unmeddled};
