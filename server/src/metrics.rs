//! What Prometheus reads: plain counters, cheap enough for every packet.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use netcode::Fault;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::process::Process;
use crate::session::Transport;

/// Every figure of a relay. Cheap to clone.
#[derive(Clone)]
pub struct Metrics(Arc<Inner>);

struct Inner {
    registry: Registry,
    /// What every process tells, by names that are not ours.
    process: Registry,
    rooms: Gauge,
    watchers: Gauge,
    players: [Gauge; 3],
    connections: [Gauge; 3],
    opened: [Counter; 3],
    joins: [Counter; 3],
    resumes: [Counter; 3],
    /// By transport, up before down.
    packets: [[Counter; 2]; 3],
    bytes: [[Counter; 2]; 3],
    replaced: [Counter; 3],
    dropped: [Counter; 3],
    refusals: Family<Reason, Counter>,
    faults: Family<Reason, Counter>,
    endings: Family<Reason, Counter>,
    panics: Family<Place, Counter>,
    ticks: Counter,
    slipped: Counter,
    lateness: Histogram,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Carrier {
    transport: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Way {
    transport: &'static str,
    direction: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Place {
    place: &'static str,
}

/// Which way a packet went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a client.
    Up,
    /// To a client.
    Down,
}

/// Upper ends of the lateness histogram's buckets, s: a tick at 64 Hz is 0.015625 s.
const LATENESS: [f64; 11] = [
    0.0005, 0.001, 0.002, 0.004, 0.008, 0.012, 0.015_625, 0.02, 0.031_25, 0.062_5, 0.25,
];

impl Metrics {
    /// All at zero.
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("afterimage");
        let by_carrier = Family::<Carrier, Gauge>::default;
        let (players, connections) = (by_carrier(), by_carrier());
        let count = Family::<Carrier, Counter>::default;
        let (opened, joins, resumes) = (count(), count(), count());
        let (replaced, dropped) = (count(), count());
        let (packets, bytes) = (Family::<Way, Counter>::default(), Family::default());
        let inner = Inner {
            rooms: Gauge::default(),
            watchers: Gauge::default(),
            players: each(&players),
            connections: each(&connections),
            opened: each(&opened),
            joins: each(&joins),
            resumes: each(&resumes),
            packets: ways(&packets),
            bytes: ways(&bytes),
            replaced: each(&replaced),
            dropped: each(&dropped),
            refusals: Family::default(),
            faults: Family::default(),
            endings: Family::default(),
            panics: Family::default(),
            ticks: Counter::default(),
            slipped: Counter::default(),
            lateness: Histogram::new(LATENESS),
            registry: Registry::default(),
            process: Registry::default(),
        };
        for place in ["room", "session"] {
            // A figure that is never nought is missed when it first appears.
            drop(inner.panics.get_or_create(&Place { place }));
        }
        let r = &mut registry;
        r.register("rooms", "Rooms open now", inner.rooms.clone());
        r.register(
            "players",
            "Players seated now, those away included",
            players,
        );
        r.register("watchers", "People who watch now", inner.watchers.clone());
        r.register("connections", "Connections open now", connections);
        r.register("connections_opened", "Connections opened", opened);
        r.register("joins", "Players seated afresh", joins);
        r.register("resumes", "Players who took their seat again", resumes);
        r.register(
            "refusals",
            "Requests, connections and hellos refused",
            inner.refusals.clone(),
        );
        r.register(
            "sessions_ended",
            "Sessions ended, by how",
            inner.endings.clone(),
        );
        r.register("packets", "Netcode frames carried", packets);
        r.register_with_unit(
            "carried",
            "Bytes of netcode frames carried",
            Unit::Bytes,
            bytes,
        );
        r.register(
            "snapshots_replaced",
            "Snapshot packets that a newer one replaced before they were sent",
            replaced,
        );
        r.register(
            "inputs_dropped",
            "Packets and words dropped because their room did not keep up",
            dropped,
        );
        r.register(
            "faults",
            "Packets that the protocol does not allow",
            inner.faults.clone(),
        );
        r.register("panics", "Panics caught", inner.panics.clone());
        r.register("ticks", "Ticks run", inner.ticks.clone());
        r.register(
            "ticks_slipped",
            "Ticks that were due and never ran",
            inner.slipped.clone(),
        );
        r.register_with_unit(
            "tick_lateness",
            "How long after it was due a tick ran",
            Unit::Seconds,
            inner.lateness.clone(),
        );
        let mut process = Registry::default();
        process.register_collector(Box::new(Process));
        Self(Arc::new(Inner {
            registry,
            process,
            ..inner
        }))
    }

    /// Everything, as OpenMetrics text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let registries = [&self.0.registry, &self.0.process];
        let written = registries
            .into_iter()
            .try_for_each(|registry| text::encode_registry(&mut out, registry))
            .and_then(|()| text::encode_eof(&mut out));
        written.expect("a String takes all that is written");
        out
    }

    /// One more connection, until the guard is dropped.
    pub(crate) fn connected(&self, transport: Transport) -> Connected {
        let at = transport.index();
        self.0.opened[at].inc();
        let gauge = self.0.connections[at].clone();
        gauge.inc();
        Connected(gauge)
    }

    /// A frame went up or down.
    pub(crate) fn carried(&self, transport: Transport, way: Direction, bytes: usize) {
        let (at, way) = (transport.index(), way as usize);
        self.0.packets[at][way].inc();
        self.0.bytes[at][way].inc_by(bytes as u64);
    }

    /// Something was refused: a request, a connection, a hello.
    pub fn refused(&self, reason: &'static str) {
        self.0.refusals.get_or_create(&Reason { reason }).inc();
    }

    /// A session ended.
    pub(crate) fn ended(&self, reason: &'static str) {
        self.0.endings.get_or_create(&Reason { reason }).inc();
    }

    /// Bytes of a client did not follow the protocol.
    pub(crate) fn fault(&self, fault: &Fault) {
        let reason = match fault {
            Fault::Malformed(_) => "malformed",
            Fault::UnknownPeer => "unknown_peer",
            Fault::NotJoined => "not_joined",
            Fault::WrongDirection { .. } => "wrong_direction",
            _ => "other",
        };
        self.0.faults.get_or_create(&Reason { reason }).inc();
    }

    /// A panic was caught in a `room` or a `session`.
    pub(crate) fn panicked(&self, place: &'static str) {
        self.0.panics.get_or_create(&Place { place }).inc();
    }

    /// Somebody has a seat: afresh, or the one from before.
    pub(crate) fn seated(&self, transport: Transport, resumed: bool) {
        let counters = if resumed {
            &self.0.resumes
        } else {
            &self.0.joins
        };
        counters[transport.index()].inc();
    }

    /// Snapshot packets were replaced unsent.
    pub(crate) fn replaced(&self, transport: Transport, packets: u64) {
        self.0.replaced[transport.index()].inc_by(packets);
    }

    /// A full inbox dropped what came.
    pub(crate) fn dropped(&self, transport: Transport, count: u64) {
        self.0.dropped[transport.index()].inc_by(count);
    }

    /// Ticks ran, the first of them so long after it was due; others never will.
    pub(crate) fn ticked(&self, late: Duration, ticks: u64, slipped: u64) {
        self.0.lateness.observe(late.as_secs_f64());
        self.0.ticks.inc_by(ticks);
        self.0.slipped.inc_by(slipped);
    }

    /// A room's share of the gauges, which is taken back when it is dropped.
    pub(crate) fn room(&self) -> RoomGauges {
        self.0.rooms.inc();
        RoomGauges {
            metrics: self.clone(),
            players: [0; 3],
            watchers: 0,
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

/// A connection that is open.
#[derive(Debug)]
pub(crate) struct Connected(Gauge);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// What one room adds to the gauges of all.
#[derive(Debug)]
pub(crate) struct RoomGauges {
    metrics: Metrics,
    players: [i64; 3],
    watchers: i64,
}

impl RoomGauges {
    /// Who is in the room now: players by transport, and watchers.
    pub(crate) fn set(&mut self, players: [i64; 3], watchers: i64) {
        for (at, gauge) in self.metrics.0.players.iter().enumerate() {
            gauge.inc_by(players[at] - self.players[at]);
        }
        self.metrics.0.watchers.inc_by(watchers - self.watchers);
        (self.players, self.watchers) = (players, watchers);
    }
}

impl Drop for RoomGauges {
    fn drop(&mut self) {
        self.set([0; 3], 0);
        self.metrics.0.rooms.dec();
    }
}

fn each<M: Clone + Default>(family: &Family<Carrier, M>) -> [M; 3] {
    Transport::ALL.map(|transport| {
        let transport = transport.name();
        family.get_or_create(&Carrier { transport }).clone()
    })
}

fn ways(family: &Family<Way, Counter>) -> [[Counter; 2]; 3] {
    Transport::ALL.map(|transport| {
        let transport = transport.name();
        ["up", "down"].map(|direction| {
            let way = Way {
                transport,
                direction,
            };
            family.get_or_create(&way).clone()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(metrics: &Metrics, line: &str) -> Option<f64> {
        let text = metrics.text();
        let found = text.lines().find_map(|read| read.strip_prefix(line))?;
        found.trim().parse().ok()
    }

    #[test]
    fn what_is_counted_can_be_read() {
        let metrics = Metrics::new();
        metrics.carried(Transport::WebTransport, Direction::Down, 300);
        metrics.refused("full");
        metrics.ticked(Duration::from_millis(3), 4, 60);
        let open = metrics.connected(Transport::WebSocket);
        let wt = r#"{transport="wt",direction="down"}"#;
        assert_eq!(
            value(&metrics, &format!("afterimage_packets_total{wt}")),
            Some(1.0)
        );
        assert_eq!(
            value(&metrics, &format!("afterimage_carried_bytes_total{wt}")),
            Some(300.0)
        );
        assert_eq!(
            value(&metrics, r#"afterimage_refusals_total{reason="full"}"#),
            Some(1.0)
        );
        assert_eq!(
            value(&metrics, "afterimage_ticks_slipped_total"),
            Some(60.0)
        );
        assert_eq!(
            value(
                &metrics,
                r#"afterimage_tick_lateness_seconds_bucket{le="0.004"}"#
            ),
            Some(1.0)
        );
        let ws = r#"afterimage_connections{transport="ws"}"#;
        assert_eq!(value(&metrics, ws), Some(1.0));
        drop(open);
        assert_eq!(value(&metrics, ws), Some(0.0));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_process_is_told_by_the_names_that_all_processes_have() {
        let metrics = Metrics::new();
        let [cpu, memory] = ["process_cpu_seconds_total", "process_resident_memory_bytes"]
            .map(|name| value(&metrics, name));
        assert!(cpu.is_some(), "{}", metrics.text());
        assert!(
            memory.is_some_and(|bytes| bytes > 1e6),
            "{}",
            metrics.text()
        );
        assert_eq!(metrics.text().matches("# EOF").count(), 1);
    }

    #[test]
    fn a_room_takes_its_share_with_it() {
        let metrics = Metrics::new();
        let mut room = metrics.room();
        room.set([2, 1, 0], 3);
        room.set([1, 1, 0], 3);
        let wt = r#"afterimage_players{transport="wt"}"#;
        assert_eq!(value(&metrics, wt), Some(1.0));
        drop(room);
        assert_eq!(value(&metrics, wt), Some(0.0));
        assert_eq!(value(&metrics, "afterimage_watchers"), Some(0.0));
        assert_eq!(value(&metrics, "afterimage_rooms"), Some(0.0));
    }
}
