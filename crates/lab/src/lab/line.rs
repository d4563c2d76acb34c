//! One direction between a seat and the server: the link, and what is known of the packets on it.

use netsim::{Carrier, Fate, Flight, Link, LinkConfig, Meddle, PacketId, Unmeddled};
use wire::{Micros, is_prefixed};

use super::view::relative;

/// Packets whose sending is remembered: eight seconds of 64 a second, longer than a stream stalls on any preset.
const KEPT: usize = 512;

/// What a packet carries, as far as a picture of the wire cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cargo {
    /// Commands.
    Inputs = 0,
    /// A snapshot.
    Snapshot = 1,
    /// A handshake, a ping.
    Other = 2,
}

impl Cargo {
    fn of(packet: &[u8]) -> Self {
        // The kind follows the eight bytes of the packet header.
        match packet.get(8) {
            _ if is_prefixed(packet) => Self::Other,
            Some(1 | 7) => Self::Inputs,
            Some(3) => Self::Snapshot,
            _ => Self::Other,
        }
    }
}

/// One direction of a seat's connection.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub link: Link,
    sent: Vec<(Micros, Cargo)>,
    /// Whether each of the newest packets was lost, the newest in the lowest bit.
    losses: u128,
}

/// A packet that has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Came {
    pub sent: Micros,
    pub cargo: Cargo,
    /// Something sent later came first, or it was sent again.
    pub late: bool,
}

/// A packet that will not come, and when it would have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    pub due: Micros,
    pub cargo: Cargo,
}

impl Line {
    pub(crate) fn new(seed: u64, config: LinkConfig) -> Self {
        let sent = vec![(Micros::ZERO, Cargo::Other); KEPT];
        Self {
            link: Link::new(seed, config),
            sent,
            losses: 0,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.link.heap() + size_of_val(self.sent.as_slice())
    }

    /// Changes what the link does to what is sent from now on.
    pub(crate) fn set(&mut self, now: Micros, config: LinkConfig) {
        if *self.link.config() != config {
            self.link.set_config(now, config);
        }
    }

    /// What is in flight, as [`crate::Instruments::flights`] lists it, on the line of that number.
    pub(crate) fn flights(&self, number: u8, now: Micros, out: &mut Vec<f32>) {
        for flight in self.link.in_flight().filter(|flight| flight.due >= now) {
            let whole = (flight.due - flight.sent).get().max(1) as f64;
            let gone = (now - flight.sent).get() as f64 / whole;
            let fate = match flight.fate {
                Fate::Delivered => 0.0,
                Fate::Lost => 1.0,
                Fate::Late => 2.0,
                Fate::Doubled => 3.0,
            };
            out.extend_from_slice(&[
                flight.id.get() as f32,
                f32::from(number),
                f32::from(self.cargo(flight.id) as u8),
                gone as f32,
                fate,
                relative(flight.sent, now),
                relative(flight.due, now),
                flight.len as f32,
            ]);
        }
    }

    /// Sends a packet; says so if the link loses it.
    pub(crate) fn send(&mut self, now: Micros, packet: &[u8]) -> Option<Loss> {
        let before = self.link.counters().lost;
        let id = self.link.send(now, packet);
        let cargo = Cargo::of(packet);
        self.sent[place(id)] = (now, cargo);
        let lost = self.link.counters().lost > before;
        self.losses = self.losses << 1 | u128::from(lost);
        if !lost {
            return None;
        }
        let flight = self
            .link
            .in_flight()
            .find(|flight| flight.id == id && flight.fate == Fate::Lost)?;
        Some(Loss {
            due: flight.due,
            cargo,
        })
    }

    /// Until when the socket of a stream takes nothing more, if it does not now. Datagrams are always taken: what does not fit
    /// is dropped on the way.
    pub(crate) fn stuffed_until(&self, now: Micros) -> Option<Micros> {
        let until = self.link.backed_up_until(now);
        until.filter(|_| self.link.config().carrier == Carrier::Ordered)
    }

    /// Takes a packet that is due.
    pub(crate) fn receive(&mut self, now: Micros, out: &mut Vec<u8>) -> Option<Came> {
        let before = self.link.counters().late;
        let id = self.link.receive(now, out)?;
        let (sent, cargo) = self.sent[place(id)];
        Some(Came {
            sent,
            cargo,
            late: self.link.counters().late > before,
        })
    }

    /// Does something to a packet in flight. The loss, if it is one now that nothing mends.
    pub(crate) fn meddle(
        &mut self,
        now: Micros,
        id: PacketId,
        what: Meddle,
    ) -> Result<Option<Flight>, Unmeddled> {
        let before = self.link.counters().lost;
        self.link.meddle(now, id, what)?;
        if self.link.counters().lost == before {
            return Ok(None);
        }
        let back = self.link.counters().sent - 1 - id.get();
        self.losses |= u32::try_from(back).map_or(0, |back| 1u128.checked_shl(back).unwrap_or(0));
        let lost = |flight: &Flight| flight.id == id && flight.fate == Fate::Lost;
        Ok(self.link.in_flight().find(lost))
    }

    /// What a packet in flight carries.
    pub(crate) fn cargo(&self, id: PacketId) -> Cargo {
        self.sent[place(id)].1
    }

    /// Whether a packet was lost; unknown of one that is not among the newest 128.
    pub(crate) fn was_lost(&self, id: PacketId) -> Option<bool> {
        let back = self.link.counters().sent.checked_sub(1 + id.get())?;
        let losses = self.losses.checked_shr(u32::try_from(back).ok()?)?;
        Some(losses & 1 == 1)
    }

    /// How many of the newest hundred packets were lost.
    pub(crate) fn lost_of_last_100(&self) -> u32 {
        (self.losses & ((1 << 100) - 1)).count_ones()
    }
}

fn place(id: PacketId) -> usize {
    (id.get() % KEPT as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_losses_and_says_when_they_would_have_come() {
        let config = LinkConfig {
            latency: Micros::from_millis(40),
            loss: 0.5,
            ..LinkConfig::default()
        };
        let mut line = Line::new(3, config);
        let mut lost = 0;
        for i in 0..100u64 {
            let now = Micros::from_millis(i * 16);
            if let Some(loss) = line.send(now, &[0, 0, 0, 0, 0, 0, 0, 0, 3]) {
                assert_eq!(
                    (loss.due, loss.cargo),
                    (now + Micros::from_millis(40), Cargo::Snapshot)
                );
                lost += 1;
            }
        }
        assert!((30..70).contains(&lost), "{lost}");
        assert_eq!(line.lost_of_last_100(), lost);
    }

    #[test]
    fn knows_what_a_packet_carries() {
        let session = |kind| Cargo::of(&[0, 0, 0, 0, 0, 0, 0, 0, kind]);
        assert_eq!(
            [1, 7, 3, 0x15].map(session),
            [Cargo::Inputs, Cargo::Inputs, Cargo::Snapshot, Cargo::Other]
        );
        assert_eq!(
            Cargo::of(&[0x41, 0x49, 1, 0x10, 0, 0, 0, 0, 3]),
            Cargo::Other
        );
        assert_eq!(Cargo::of(&[]), Cargo::Other);
    }
}
