//! What the network does: the parameters of the link.

use super::catalogue::{PLAIN, choice, down, is, range, up, whole};
use super::*;

/// Places of the choices of `link.carrier` and `link.vary`.
pub(crate) const DATAGRAM: f64 = 1.0;
pub(super) const NONE: f64 = 0.0;
pub(crate) const WAVE: f64 = 1.0;
pub(crate) const RAMP: f64 = 2.0;
pub(crate) const TRACE: f64 = 3.0;

/// A direction of the link is a row of the same group.
macro_rules! way {
    ($id:literal, $pair:ident, $($field:ident: $value:expr),+ $(,)?) => {
        Param { id: $id, group: "link", pair: Some(Pair::$pair), $($field: $value,)+ ..PLAIN }
    };
}

/// What both directions have, in the order of the arguments of a preset.
pub(crate) fn way(way: Pair) -> [ParamId; 8] {
    match way {
        Pair::Up => [
            LINK_UP_LATENCY,
            LINK_UP_JITTER,
            LINK_UP_LOSS,
            LINK_UP_BURST,
            LINK_UP_RATE,
            LINK_UP_QUEUE,
            LINK_UP_REORDER,
            LINK_UP_DUPLICATE,
        ],
        Pair::Down => [
            LINK_DOWN_LATENCY,
            LINK_DOWN_JITTER,
            LINK_DOWN_LOSS,
            LINK_DOWN_BURST,
            LINK_DOWN_RATE,
            LINK_DOWN_QUEUE,
            LINK_DOWN_REORDER,
            LINK_DOWN_DUPLICATE,
        ],
    }
}

const LOSS: &str =
    "On datagrams a lost packet is a hole; on WebSocket it is sent again, and what follows waits.";
const BURST: &str =
    "How many packets a loss takes in a row, on average. The share that is lost stays what it is.";
const RATE: &str =
    "How much fits through, with 28 bytes more for each packet. Where more is sent, a queue fills.";
const QUEUE: &str = "The longest that a packet waits for the rate. What would wait longer is dropped; on WebSocket it is \
                     not written until there is room.";
const REORDER: &str = "This share is held back so that later packets pass. Datagrams only.";
const DUPLICATE: &str = "This share arrives twice. Datagrams only.";
const NO_REORDER: &str = "Zero shows: packets arrive as they were sent, but for jitter.";
const NO_BURST: &str = "One shows: losses stand alone.";
const NO_RATE: &str = "Zero shows: no cap, and nothing queues.";
const NO_QUEUE: &str = "Low shows: packets are dropped. High shows: they come too late.";

const fn above_zero(id: &'static str) -> Option<Requires> {
    Some((id, Need::Above(0.0)))
}

const MOVING: Option<Requires> = Some(("link.vary", Need::Among(&[WAVE, RAMP])));

/// The link's, in the page's order.
pub(super) const LINK: [Param; 20] = [
    way!("link.up.latency", Up, label: "Latency", unit: "ms", kind: range(0.0, 600.0, 1.0), default: 100.0,
        off: "Zero shows: prediction and truth coincide.",
        help: "One way, from you to the server. Prediction hides it from you, not from the others.",
        moves: &[up("clock.rtt")]),
    way!("link.down.latency", Down, label: "Latency", unit: "ms", kind: range(0.0, 600.0, 1.0), default: 100.0,
        off: "Zero shows: the server's present arrives as it happens.",
        help: "One way, from the server to you. It ages everything that you see of others.",
        moves: &[up("others.age")]),
    way!("link.up.jitter", Up, label: "Jitter", unit: "ms", kind: range(0.0, 200.0, 1.0), default: 20.0,
        off: "Zero shows: commands arrive evenly, and the server's queue can be shallow.",
        help: "Each packet takes up to this much longer, each its own share.",
        moves: &[up("input.depth")]),
    way!("link.down.jitter", Down, label: "Jitter", unit: "ms", kind: range(0.0, 200.0, 1.0), default: 20.0,
        off: "Zero shows: snapshots arrive evenly, and no spare delay is needed.",
        help: "Each packet takes up to this much longer, each its own share.",
        moves: &[up("clock.jitter"), up("others.starved")]),
    way!("link.up.loss", Up, label: "Loss", unit: "%", kind: range(0.0, 50.0, 1.0), default: 4.0,
        off: "Zero shows: repeating inputs buys nothing.", help: LOSS,
        moves: &[up("packets.up.lost")]),
    way!("link.down.loss", Down, label: "Loss", unit: "%", kind: range(0.0, 50.0, 1.0), default: 4.0,
        off: "Zero shows: each snapshot arrives, and the delay need not bridge a hole.", help: LOSS,
        moves: &[up("packets.down.lost")]),
    way!("link.up.burst", Up, label: "Burst", unit: "packets", kind: whole(1.0, 20.0), default: 1.0,
        off: NO_BURST, help: BURST, requires: above_zero("link.up.loss"),
        moves: &[up("input.lost")], given: &[("link.up.loss", "10")]),
    way!("link.down.burst", Down, label: "Burst", unit: "packets", kind: whole(1.0, 20.0), default: 1.0,
        off: NO_BURST, help: BURST, requires: above_zero("link.down.loss"),
        moves: &[up("others.starved")], given: &[("link.down.loss", "10"), ("interp.delay", "200")]),
    way!("link.up.rate", Up, label: "Rate", unit: "kB/s", kind: whole(0.0, 128.0),
        off: NO_RATE, help: RATE,
        moves: &[up("clock.rtt")], given: &[("link.up.jitter", "0"), ("link.down.jitter", "0")]),
    way!("link.down.rate", Down, label: "Rate", unit: "kB/s", kind: whole(0.0, 128.0),
        off: NO_RATE, help: RATE,
        moves: &[up("others.age")]),
    way!("link.up.queue", Up, label: "Queue", unit: "ms", kind: range(0.0, 1000.0, 10.0), default: 200.0,
        off: NO_QUEUE, help: QUEUE, requires: above_zero("link.up.rate"),
        moves: &[up("clock.rtt")], given: &[("link.up.rate", "5")]),
    way!("link.down.queue", Down, label: "Queue", unit: "ms", kind: range(0.0, 1000.0, 10.0), default: 200.0,
        off: NO_QUEUE, help: QUEUE, requires: above_zero("link.down.rate"),
        moves: &[up("others.age")], given: &[("link.down.rate", "8")]),
    way!("link.up.reorder", Up, label: "Reorder", unit: "%", kind: range(0.0, 50.0, 1.0),
        off: NO_REORDER, help: REORDER, requires: is("link.carrier", DATAGRAM),
        moves: &[up("packets.up.late")], given: &[("link.up.jitter", "0")]),
    way!("link.down.reorder", Down, label: "Reorder", unit: "%", kind: range(0.0, 50.0, 1.0),
        off: NO_REORDER, help: REORDER, requires: is("link.carrier", DATAGRAM),
        moves: &[up("packets.down.late")], given: &[("link.down.jitter", "0")]),
    way!("link.up.duplicate", Up, label: "Duplicate", unit: "%", kind: range(0.0, 50.0, 1.0),
        off: "Zero shows: each packet arrives once.", help: DUPLICATE, requires: is("link.carrier", DATAGRAM),
        moves: &[up("packets.up.doubled")]),
    way!("link.down.duplicate", Down, label: "Duplicate", unit: "%", kind: range(0.0, 50.0, 1.0),
        off: "Zero shows: each packet arrives once.", help: DUPLICATE, requires: is("link.carrier", DATAGRAM),
        moves: &[up("packets.down.doubled")]),
    Param {
        id: "link.carrier",
        label: "Transport",
        kind: Kind::Choice(&[
            choice(
                "websocket",
                "WebSocket",
                "Loss is a stall: it is sent again, what follows waits, and then all of it comes at once.",
            ),
            choice(
                "datagram",
                "WebTransport",
                "Loss is a hole: datagrams, and nothing waits.",
            ),
        ]),
        default: DATAGRAM,
        group: "link",
        off: "WebSocket shows: a loss is a stall and then a burst.",
        help: "WebSocket is late but whole and in order. Datagrams (WebTransport) leave holes, and nothing waits.",
        moves: &[down("others.starved"), up("packets.down.lost")],
        restarts: true,
        ..PLAIN
    },
    Param {
        id: "link.vary",
        label: "Variation",
        kind: Kind::Choice(&[
            choice("none", "None", "The same link at all times."),
            choice("wave", "Wave", "Latency rises and falls, both ways."),
            choice(
                "ramp",
                "Ramp",
                "Latency rises and drops back at once, both ways.",
            ),
            Choice {
                needs: "a trace: load a CSV",
                ..choice(
                    "trace",
                    "Trace",
                    "What a link once did, over and over, on top of latency, jitter and loss.",
                )
            },
        ]),
        default: NONE,
        group: "link",
        off: "None shows: the same link at all times.",
        help: "How the link changes with time, both ways, on top of everything else. A trace is a CSV of \
               time_ms,delay_ms,lost.",
        moves: &[up("others.age"), up("others.starved")],
        ..PLAIN
    },
    Param {
        id: "link.vary.period",
        label: "Period",
        unit: "s",
        kind: whole(1.0, 60.0),
        default: 10.0,
        group: "link",
        requires: MOVING,
        off: "Short shows: jitter under another name. Long shows: a delay that was enough a while ago.",
        help: "From one trough of the wave, or one drop of the ramp, to the next.",
        moves: &[down("clock.jitter")],
        given: &[("link.vary", "wave"), ("link.vary.depth", "300")],
        ..PLAIN
    },
    Param {
        id: "link.vary.depth",
        label: "Depth",
        unit: "ms",
        kind: range(0.0, 500.0, 5.0),
        default: 100.0,
        group: "link",
        requires: MOVING,
        off: "Zero shows: the same link at all times.",
        help: "The most that the wave or the ramp adds to the latency, each way.",
        moves: &[up("others.age")],
        given: &[("link.vary", "wave")],
        ..PLAIN
    },
];
