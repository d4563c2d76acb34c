//! One packet on a line: looked at, and taken in hand.

use netcode::PeerId;
use netsim::{Carrier, Fate, Flight, Meddle, PacketId, Unmeddled};
use scenes::Scene;
use wire::Micros;

use super::YOU;
use super::line::{Cargo, Line, Loss};
use super::strips::{Arrival, Snapshot};
use super::world::LabOf;
use crate::inspect::{Inspected, Meanings, Standing, Told, explain};
use crate::json::number;
use crate::params::Pair;

/// UDP's header and IPv4's.
const UDP_IP: u32 = 8 + 20;
/// TCP's header and IPv4's, without options.
const TCP_IP: u32 = 20 + 20;
/// A frame of WebSocket from this length on says its length in two bytes more (RFC 6455, 5.2).
const LONG_FRAME: usize = 126;
/// What a browser masks its frames with (RFC 6455, 5.3).
const MASK: u32 = 4;

/// Why nothing can be done to a packet of which nothing else is known any more.
const PAST: &str = "its time is past";

/// Any length: whether a packet can be held does not depend on it.
const SOME: Micros = Micros::new(1);

impl<G: Scene> LabOf<G> {
    /// A seat's line, one way.
    pub(super) fn line(&self, seat: usize, way: Pair) -> &Line {
        let seat = &self.seats[seat];
        match way {
            Pair::Up => &seat.up,
            Pair::Down => &seat.down,
        }
    }

    /// What stands in [`crate::Lab::inspect`].
    pub(super) fn inspect_packet(&self, seat: usize, way: Pair, id: PacketId) -> Inspected {
        let line = self.line(seat, way);
        let link = &line.link;
        let was_lost = line.was_lost(id);
        // The link forgets a packet whose time is past.
        let known = |why| match why {
            Unmeddled::Arrived if was_lost == Some(true) => Unmeddled::Lost,
            _ => why,
        };
        let may = |what| link.may_meddle(self.now, id, what).err().map(known);
        let refused = [Meddle::Drop, Meddle::Hold(SOME), Meddle::Twice].map(may);
        let flights = link.in_flight();
        let flight = flights
            .filter(|flight| flight.id == id && flight.due >= self.now)
            .min_by_key(|flight| flight.due);
        let bytes = link.bytes_of(id).filter(|_| flight.is_some());
        let bytes = bytes.unwrap_or_default();
        let carrier = link.config().carrier;
        let packet = self.explain_packet(seat, way, &bytes);
        let (standing, says) = self.standing(flight, refused[0], was_lost);
        Inspected {
            title: format!("{} {}", packet.kind, id.get()),
            bytes: bytes.len(),
            overhead: overhead(carrier, way, bytes.len()),
            standing,
            says,
            fields: packet.fields,
            refused: refused.map(|why| match why {
                Some(Unmeddled::Arrived) if was_lost.is_none() => Some(PAST),
                why => why.map(Unmeddled::sentence),
            }),
        }
    }

    /// The packet as its receiver would read it now.
    fn explain_packet(&self, seat: usize, way: Pair, bytes: &[u8]) -> crate::inspect::Packet {
        let mut told = Told::default();
        let read = match way {
            _ if bytes.is_empty() => Ok(()),
            Pair::Up => self.server.explain(PeerId(seat as u32), bytes, &mut told),
            Pair::Down => self.seats[seat].screen.client.explain(bytes, &mut told),
        };
        let fault = read.err().map(|fault| fault.to_string());
        explain(told, bytes.len(), fault, &Meanings::of::<G>())
    }

    fn standing(
        &self,
        flight: Option<Flight>,
        refused: Option<Unmeddled>,
        was_lost: Option<bool>,
    ) -> (Standing, String) {
        let Some(Flight { due, fate, .. }) = flight else {
            let (standing, how) = match refused {
                Some(Unmeddled::Unsent) => (Standing::Unsent, "not sent yet"),
                Some(Unmeddled::Lost) => (Standing::Lost, "lost"),
                _ if was_lost.is_none() => (
                    Standing::Forgotten,
                    "over; whether it came is no longer known",
                ),
                _ => (Standing::Arrived, "arrived"),
            };
            return (standing, how.to_owned());
        };
        let ms = number((due - self.now).as_millis_f64(), 0);
        let (standing, how) = match (fate, refused) {
            (Fate::Lost, _) => (Standing::Lost, "lost, was due in"),
            (_, Some(Unmeddled::Unrepaired)) => {
                (Standing::Late, "lost and to be sent again, due in")
            }
            (_, Some(Unmeddled::Behind)) => {
                (Standing::Late, "arrived, waits for one before it, due in")
            }
            (Fate::Late, _) => (Standing::Late, "late, due in"),
            (Fate::Doubled, _) => (Standing::Doubled, "second copy, due in"),
            (Fate::Delivered, _) => (Standing::Flight, "in flight, due in"),
        };
        (standing, format!("{how} {ms} ms"))
    }

    /// Does something to one packet; nothing, where it cannot be done.
    pub(super) fn meddle(&mut self, seat: usize, way: Pair, id: PacketId, what: Meddle) {
        let now = self.now;
        let places = &mut self.seats[seat];
        let line = match way {
            Pair::Up => &mut places.up,
            Pair::Down => &mut places.down,
        };
        let (cargo, carrier) = (line.cargo(id), line.link.config().carrier);
        let Ok(lost) = line.meddle(now, id, what) else {
            return;
        };
        if let Some(lost) = lost.filter(|_| seat == YOU) {
            self.miss(way, cargo, lost);
        }
        let whose = if seat == YOU {
            ""
        } else {
            "the other player's "
        };
        let cargo = match cargo {
            Cargo::Inputs => "input",
            Cargo::Snapshot => "snapshot",
            Cargo::Other => "other",
        };
        let (kind, done) = match what {
            Meddle::Drop if lost.is_some() => ("losses", "dropped by hand".to_owned()),
            Meddle::Drop if carrier == Carrier::Datagram => {
                ("losses", "came, its second copy dropped by hand".to_owned())
            }
            Meddle::Drop => ("stalls", "dropped by hand, to be sent again".to_owned()),
            Meddle::Hold(extra) => (
                "stalls",
                format!("held by hand for {} ms", number(extra.as_millis_f64(), 0)),
            ),
            Meddle::Twice => ("doubled", "sent twice by hand".to_owned()),
        };
        self.watch.notes.push(
            now,
            kind,
            format!("{whose}{cargo} packet {} {done}", id.get()),
        );
    }

    /// A packet of You's is lost that was on its way: it is looked for as any loss is, and stands among the snapshots.
    fn miss(&mut self, way: Pair, cargo: Cargo, lost: Flight) {
        let Flight { sent, due, .. } = lost;
        if cargo != Cargo::Other {
            self.watch.notes.lost(sent, way, Loss { due, cargo });
        }
        if way == Pair::Down && cargo == Cargo::Snapshot {
            let age = (due - sent).as_millis_f64() as f32;
            let arrival = Arrival::Lost;
            let lost = Snapshot {
                at: due,
                age,
                arrival,
            };
            self.watch.measure.strips.push_snapshot(lost);
        }
    }
}

fn overhead(carrier: Carrier, way: Pair, len: usize) -> (u32, &'static str) {
    match carrier {
        Carrier::Datagram => (UDP_IP, "UDP/IP"),
        Carrier::Ordered => {
            let head = if len < LONG_FRAME { 2 } else { 4 };
            let mask = if way == Pair::Up { MASK } else { 0 };
            (head + mask + TCP_IP, "WebSocket, TCP/IP")
        }
    }
}
