//! The catalogue itself, top to bottom as the page shows it.

use super::{Choice, Group, Kind, Move, Pair, Param, ParamId};

/// The headings, in the page's order.
pub const GROUPS: &[Group] = &[
    Group {
        id: "link",
        label: "Link",
    },
    Group {
        id: "server",
        label: "Server",
    },
    Group {
        id: "input",
        label: "Input",
    },
    Group {
        id: "prediction",
        label: "Prediction",
    },
    Group {
        id: "interpolation",
        label: "Interpolation",
    },
    Group {
        id: "rewind",
        label: "Lag compensation",
    },
];

/// What a parameter is when nothing else is said of it.
const PLAIN: Param = Param {
    id: "",
    label: "",
    unit: "",
    kind: Kind::Toggle,
    default: 0.0,
    group: "",
    pair: None,
    requires: None,
    off: "",
    help: "",
    moves: &[],
    given: &[],
    restarts: false,
};

const fn range(min: f64, max: f64, step: f64) -> Kind {
    Kind::Range {
        min,
        max,
        step,
        whole: false,
    }
}

const fn whole(min: f64, max: f64) -> Kind {
    Kind::Range {
        min,
        max,
        step: 1.0,
        whole: true,
    }
}

const fn up(probe: &'static str) -> Move {
    Move { probe, up: true }
}

const fn down(probe: &'static str) -> Move {
    Move { probe, up: false }
}

/// Places of the choices of `link.carrier`, `interp.policy`.
pub(crate) const DATAGRAM: f64 = 1.0;
pub(crate) const FIXED: f64 = 0.0;
pub(crate) const TWO_SNAPSHOTS: f64 = 1.0;
pub(crate) const TARGET: f64 = 3.0;

/// A direction of the link is a row of the same group.
macro_rules! link {
    ($id:literal, $pair:ident, $($field:ident: $value:expr),+ $(,)?) => {
        Param { id: $id, group: "link", pair: Some(Pair::$pair), $($field: $value,)+ ..PLAIN }
    };
}

/// Every parameter. The defaults are the preset 4G with a delay that covers it with 24 ms to spare, so that the first
/// picture is whole, has holes in its packets, and shows a mechanism at work each second.
pub const CATALOGUE: &[Param] = &[
    link!("link.up.latency", Up, label: "Latency", unit: "ms", kind: range(0.0, 600.0, 1.0), default: 100.0,
        off: "Zero shows: prediction and truth coincide.",
        help: "One way, from you to the server. Prediction hides it from you, not from the others.",
        moves: &[up("clock.rtt")]),
    link!("link.down.latency", Down, label: "Latency", unit: "ms", kind: range(0.0, 600.0, 1.0), default: 100.0,
        off: "Zero shows: the server's present arrives as it happens.",
        help: "One way, from the server to you. It ages everything that you see of others.",
        moves: &[up("others.age")]),
    link!("link.up.jitter", Up, label: "Jitter", unit: "ms", kind: range(0.0, 200.0, 1.0), default: 20.0,
        off: "Zero shows: commands arrive evenly, and the server's queue can be shallow.",
        help: "Each packet takes up to this much longer, each its own share.",
        moves: &[up("input.depth")]),
    link!("link.down.jitter", Down, label: "Jitter", unit: "ms", kind: range(0.0, 200.0, 1.0), default: 20.0,
        off: "Zero shows: snapshots arrive evenly, and no spare delay is needed.",
        help: "Each packet takes up to this much longer, each its own share.",
        moves: &[up("clock.jitter"), up("others.starved")]),
    link!("link.up.loss", Up, label: "Loss", unit: "%", kind: range(0.0, 50.0, 1.0), default: 4.0,
        off: "Zero shows: repeating inputs buys nothing.",
        help: "On datagrams a lost packet is a hole; on WebSocket it is sent again, and what follows waits.",
        moves: &[up("packets.up.lost")]),
    link!("link.down.loss", Down, label: "Loss", unit: "%", kind: range(0.0, 50.0, 1.0), default: 4.0,
        off: "Zero shows: each snapshot arrives, and the delay need not bridge a hole.",
        help: "On datagrams a lost packet is a hole; on WebSocket it is sent again, and what follows waits.",
        moves: &[up("packets.down.lost")]),
    link!("link.up.reorder", Up, label: "Reorder", unit: "%", kind: range(0.0, 50.0, 1.0),
        off: "Zero shows: packets arrive as they were sent, but for jitter.",
        help: "This share is held back so that later packets pass. Datagrams only.",
        requires: Some(("link.carrier", DATAGRAM)), given: &[("link.up.jitter", "0")],
        moves: &[up("packets.up.late")]),
    link!("link.down.reorder", Down, label: "Reorder", unit: "%", kind: range(0.0, 50.0, 1.0),
        off: "Zero shows: packets arrive as they were sent, but for jitter.",
        help: "This share is held back so that later packets pass. Datagrams only.",
        requires: Some(("link.carrier", DATAGRAM)), given: &[("link.down.jitter", "0")],
        moves: &[up("packets.down.late")]),
    link!("link.up.duplicate", Up, label: "Duplicate", unit: "%", kind: range(0.0, 50.0, 1.0),
        off: "Zero shows: each packet arrives once.",
        help: "This share arrives twice. Datagrams only.",
        requires: Some(("link.carrier", DATAGRAM)),
        moves: &[up("packets.up.doubled")]),
    link!("link.down.duplicate", Down, label: "Duplicate", unit: "%", kind: range(0.0, 50.0, 1.0),
        off: "Zero shows: each packet arrives once.",
        help: "This share arrives twice. Datagrams only.",
        requires: Some(("link.carrier", DATAGRAM)),
        moves: &[up("packets.down.doubled")]),
    Param {
        id: "link.carrier",
        label: "Carrier",
        kind: Kind::Choice(&[
            Choice {
                id: "websocket",
                label: "WebSocket",
            },
            Choice {
                id: "datagram",
                label: "Datagrams",
            },
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
        id: "server.tick",
        label: "Tick rate",
        unit: "Hz",
        kind: whole(10.0, 128.0),
        default: 64.0,
        group: "server",
        off: "Low shows: coarse motion, and a key waits for the next tick.",
        help: "How often the rules run, on every end.",
        moves: &[down("input.response")],
        restarts: true,
        ..PLAIN
    },
    Param {
        id: "server.snapshots",
        label: "Snapshot rate",
        unit: "Hz",
        kind: whole(1.0, 64.0),
        default: 64.0,
        group: "server",
        off: "Low shows: a longer wait between samples, so more delay is needed.",
        help: "How often the server tells each player what changed. Never above the tick rate.",
        moves: &[up("bytes.down"), down("others.needs")],
        ..PLAIN
    },
    Param {
        id: "bots",
        label: "Bots",
        unit: "bots",
        kind: whole(0.0, 30.0),
        default: 8.0,
        group: "server",
        off: "Zero shows: you and the other player alone.",
        help: "Characters that the server itself drives.",
        moves: &[up("bytes.down")],
        restarts: true,
        ..PLAIN
    },
    Param {
        id: "input.redundancy",
        label: "Redundancy",
        unit: "inputs",
        kind: whole(1.0, 16.0),
        default: 12.0,
        group: "input",
        requires: Some(("link.carrier", DATAGRAM)),
        off: "One shows: each lost packet is a command lost, and a correction.",
        help: "How many of your newest inputs each packet carries until the server has them.",
        moves: &[down("input.lost"), up("bytes.up")],
        ..PLAIN
    },
    Param {
        id: "input.pacing",
        label: "Pacing",
        kind: Kind::Toggle,
        default: 1.0,
        group: "input",
        off: "Off shows: two clocks drift, and the server's queue of your commands overflows or runs dry.",
        help: "Your clock bends by at most 5 % so that the queue stays a command or two deep.",
        moves: &[down("input.repeated")],
        given: &[("clock.drift", "-3")],
        ..PLAIN
    },
    Param {
        id: "input.delay",
        label: "Input delay",
        unit: "ticks",
        kind: whole(0.0, 10.0),
        group: "input",
        off: "Zero shows: your own move is on your screen at once.",
        help: "Holds your input back before it runs, here and on the server.",
        moves: &[up("input.response")],
        ..PLAIN
    },
    Param {
        id: "clock.drift",
        label: "Clock drift",
        unit: "%",
        kind: range(-5.0, 5.0, 0.5),
        group: "input",
        off: "Zero shows: your clock and the server's run alike.",
        help: "How much faster than the server's your clock runs. Real ones stay under 0.02 %.",
        moves: &[down("clock.bend")],
        ..PLAIN
    },
    Param {
        id: "predict.on",
        label: "Predict own moves",
        kind: Kind::Toggle,
        default: 1.0,
        group: "prediction",
        off: "Off shows: you move one round trip late.",
        help: "Your character runs on your own input at once, by the server's rule.",
        moves: &[down("input.response")],
        ..PLAIN
    },
    Param {
        id: "predict.reconcile",
        label: "Reconcile",
        kind: Kind::Toggle,
        default: 1.0,
        group: "prediction",
        requires: Some(("predict.on", 1.0)),
        off: "Off shows: the first disagreement is never repaired.",
        help: "The server's answer stands, and your inputs since then run again from it.",
        moves: &[down("own.error")],
        ..PLAIN
    },
    Param {
        id: "predict.smooth",
        label: "Smooth corrections",
        kind: Kind::Toggle,
        default: 1.0,
        group: "prediction",
        requires: Some(("predict.reconcile", 1.0)),
        off: "Off shows: corrections snap.",
        help: "The picture eases to the corrected place over a sixth of a second; the simulation is there at once.",
        moves: &[down("own.jump")],
        ..PLAIN
    },
    Param {
        id: "interp.on",
        label: "Interpolate others",
        kind: Kind::Toggle,
        default: 1.0,
        group: "interpolation",
        off: "Off shows: others jump once a snapshot, whenever it comes.",
        help: "Others are drawn between two samples that the server gave, so a little in the past.",
        moves: &[down("others.judder")],
        ..PLAIN
    },
    Param {
        id: "interp.policy",
        label: "Delay rule",
        kind: Kind::Choice(&[
            Choice {
                id: "fixed",
                label: "Fixed",
            },
            Choice {
                id: "two-snapshots",
                label: "Two snapshots",
            },
            Choice {
                id: "measured",
                label: "Measured",
            },
            Choice {
                id: "target",
                label: "Target",
            },
        ]),
        default: FIXED,
        group: "interpolation",
        requires: Some(("interp.on", 1.0)),
        off: "Fixed shows: the delay that you choose, whatever the link does.",
        help: "Two snapshots suits an even link. Measured is an interval and twice the jitter, up to four intervals. \
               Target is the least that keeps starved frames under a rate.",
        moves: &[down("others.delay")],
        given: &[("interp.delay", "300")],
        ..PLAIN
    },
    Param {
        id: "interp.delay",
        label: "Delay",
        unit: "ms",
        kind: range(0.0, 600.0, 5.0),
        default: 160.0,
        group: "interpolation",
        requires: Some(("interp.policy", FIXED)),
        off: "Low shows: samples run out. High shows: older afterimages.",
        help: "How far behind the server's present others are drawn.",
        moves: &[up("others.delay"), down("others.starved")],
        ..PLAIN
    },
    Param {
        id: "interp.target",
        label: "Starved at most",
        unit: "%",
        kind: range(0.1, 10.0, 0.1),
        default: 0.5,
        group: "interpolation",
        requires: Some(("interp.policy", TARGET)),
        off: "Low shows: older afterimages. High shows: samples run out.",
        help: "The share of frames that may lack a sample. The delay goes up at once and comes down over seconds.",
        moves: &[down("others.delay"), up("others.starved")],
        given: &[("interp.policy", "target")],
        ..PLAIN
    },
    Param {
        id: "interp.extrapolate",
        label: "Extrapolate up to",
        unit: "ms",
        kind: range(0.0, 250.0, 10.0),
        group: "interpolation",
        requires: Some(("interp.on", 1.0)),
        off: "Zero shows: others freeze when samples run out. High shows: they walk through walls.",
        help: "Carries others on along their last motion when there is nothing to draw between.",
        moves: &[up("others.error")],
        given: &[("interp.delay", "100")],
        ..PLAIN
    },
    Param {
        id: "rewind.on",
        label: "Rewind for shots",
        kind: Kind::Toggle,
        default: 1.0,
        group: "rewind",
        off: "Off shows: you must lead a target by what you cannot see.",
        help: "The server judges a shot against what its shooter's screen showed.",
        moves: &[up("shots.granted")],
        ..PLAIN
    },
    Param {
        id: "rewind.cap",
        label: "Rewind limit",
        unit: "ms",
        kind: range(0.0, 1000.0, 10.0),
        default: 500.0,
        group: "rewind",
        requires: Some(("rewind.on", 1.0)),
        off: "Zero shows: no shot is granted. High shows: more hits behind cover.",
        help: "No shot reaches further back than this, whatever its shooter's link.",
        moves: &[up("shots.granted")],
        ..PLAIN
    },
];

macro_rules! ids {
    ($($name:ident = $id:literal),+ $(,)?) => {
        $(#[doc = concat!("`", $id, "`")] pub const $name: ParamId = ParamId::find($id);)+
    };
}

ids! {
    LINK_UP_LATENCY = "link.up.latency",
    LINK_UP_JITTER = "link.up.jitter",
    LINK_UP_LOSS = "link.up.loss",
    LINK_UP_REORDER = "link.up.reorder",
    LINK_UP_DUPLICATE = "link.up.duplicate",
    LINK_DOWN_LATENCY = "link.down.latency",
    LINK_DOWN_JITTER = "link.down.jitter",
    LINK_DOWN_LOSS = "link.down.loss",
    LINK_DOWN_REORDER = "link.down.reorder",
    LINK_DOWN_DUPLICATE = "link.down.duplicate",
    LINK_CARRIER = "link.carrier",
    CLOCK_DRIFT = "clock.drift",
    SERVER_TICK = "server.tick",
    SERVER_SNAPSHOTS = "server.snapshots",
    BOTS = "bots",
    INPUT_REDUNDANCY = "input.redundancy",
    INPUT_PACING = "input.pacing",
    INPUT_DELAY = "input.delay",
    PREDICT_ON = "predict.on",
    PREDICT_RECONCILE = "predict.reconcile",
    PREDICT_SMOOTH = "predict.smooth",
    INTERP_ON = "interp.on",
    INTERP_POLICY = "interp.policy",
    INTERP_DELAY = "interp.delay",
    INTERP_TARGET = "interp.target",
    INTERP_EXTRAPOLATE = "interp.extrapolate",
    REWIND_ON = "rewind.on",
    REWIND_CAP = "rewind.cap",
}
