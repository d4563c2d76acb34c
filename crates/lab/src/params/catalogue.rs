//! The catalogue itself, top to bottom as the page shows it.

use super::black_holes::BLACK_HOLES;
use super::link::{DATAGRAM, LINK};
use super::{Choice, Group, Kind, Move, Need, Param, ParamId, Requires};

/// The headings, in the page's order.
pub const GROUPS: &[Group] = &[
    Group {
        id: "link",
        label: "Link",
    },
    Group {
        id: "scene",
        label: "Scene",
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
    Group {
        id: "replication",
        label: "Replication",
    },
    Group {
        id: "relevance",
        label: "Relevance",
    },
];

/// What a parameter is when nothing else is said of it.
pub(super) const PLAIN: Param = Param {
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
    scenes: &[],
    defaults: &[],
};

pub(super) const fn range(min: f64, max: f64, step: f64) -> Kind {
    Kind::Range {
        min,
        max,
        step,
        whole: false,
    }
}

pub(super) const fn whole(min: f64, max: f64) -> Kind {
    Kind::Range {
        min,
        max,
        step: 1.0,
        whole: true,
    }
}

pub(super) const fn up(probe: &'static str) -> Move {
    Move { probe, up: true }
}

pub(super) const fn down(probe: &'static str) -> Move {
    Move { probe, up: false }
}

pub(super) const fn is(id: &'static str, value: f64) -> Option<Requires> {
    Some((id, Need::Is(value)))
}

/// A choice and what one sees under it.
pub(super) const fn choice(id: &'static str, label: &'static str, shows: &'static str) -> Choice {
    Choice {
        id,
        label,
        shows,
        needs: "",
    }
}

/// Places of the choices of `interp.policy`.
pub(crate) const FIXED: f64 = 0.0;
pub(crate) const TWO_SNAPSHOTS: f64 = 1.0;
pub(crate) const MEASURED: f64 = 2.0;
pub(crate) const TARGET: f64 = 3.0;

/// Places of the choices of `replicate.recovery`.
pub(crate) const NAIVE: f64 = 0.0;
pub(crate) const ACKNOWLEDGED: f64 = 1.0;
pub(crate) const PROMPT: f64 = 2.0;

/// Every parameter. The defaults are the preset 4G with a delay that covers it with 24 ms to spare, so that the first
/// picture is whole, has holes in its packets, and shows a mechanism at work each second.
pub const CATALOGUE: &[Param] = &joined::<{ LINK.len() + BLACK_HOLES.len() + REST.len() }>();

const REST: [Param; 23] = [
    Param {
        id: "horde.enemies",
        label: "Enemies",
        unit: "enemies",
        kind: whole(200.0, 8_000.0),
        default: 3_000.0,
        group: "scene",
        off: "Few shows: a world in which hardly anything has to be told.",
        help: "How many there are at a time. They come and die in bursts, and both ends move them by the same rule.",
        moves: &[up("bytes.down")],
        restarts: true,
        scenes: &["horde"],
        ..PLAIN
    },
    Param {
        id: "horde.players",
        label: "Other players",
        unit: "players",
        kind: whole(0.0, 126.0),
        default: 6.0,
        group: "scene",
        off: "Zero shows: you and the other player alone.",
        help: "Players whom the server itself drives. Enemies go for whoever is nearest.",
        moves: &[up("bytes.down")],
        restarts: true,
        scenes: &["horde"],
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
        scenes: &["arena", "black-holes"],
        ..PLAIN
    },
    Param {
        id: "input.redundancy",
        label: "Redundancy",
        unit: "inputs",
        kind: whole(1.0, 16.0),
        default: 12.0,
        group: "input",
        requires: is("link.carrier", DATAGRAM),
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
        requires: is("predict.on", 1.0),
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
        requires: is("predict.reconcile", 1.0),
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
            choice(
                "fixed",
                "Fixed",
                "The delay that you choose, whatever the link does.",
            ),
            choice(
                "two-snapshots",
                "Two snapshots",
                "Two send intervals: enough for an even link.",
            ),
            choice(
                "measured",
                "Measured",
                "An interval and twice the jitter, up to four intervals.",
            ),
            choice(
                "target",
                "Target",
                "The least that keeps starved frames under a rate.",
            ),
        ]),
        default: FIXED,
        group: "interpolation",
        requires: is("interp.on", 1.0),
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
        requires: is("interp.policy", FIXED),
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
        requires: is("interp.policy", TARGET),
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
        requires: is("interp.on", 1.0),
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
        scenes: &["arena"],
        ..PLAIN
    },
    Param {
        id: "rewind.cap",
        label: "Rewind limit",
        unit: "ms",
        kind: range(0.0, 1000.0, 10.0),
        default: 500.0,
        group: "rewind",
        requires: is("rewind.on", 1.0),
        off: "Zero shows: no shot is granted. High shows: more hits behind cover.",
        help: "No shot reaches further back than this, whatever its shooter's link.",
        moves: &[up("shots.granted")],
        scenes: &["arena"],
        ..PLAIN
    },
    Param {
        id: "replicate.recovery",
        label: "What is lost is said again",
        kind: Kind::Choice(&[
            choice(
                "naive",
                "Never",
                "What was sent counts as known. One lost packet, and what rested in it stays wrong.",
            ),
            choice(
                "acknowledged",
                "Until confirmed",
                "In every packet until the player confirms it: right at once, at a round trip's worth of bytes.",
            ),
            choice(
                "prompt",
                "Once it is lost",
                "Again as soon as a packet is known to be lost, or a round trip has passed without a word.",
            ),
        ]),
        default: PROMPT,
        group: "replication",
        off: "Never shows: bodies that nobody sees any more, and others that are missing.",
        help: "How the server makes good what a lost packet carried.",
        moves: &[up("bytes.down")],
        given: &[("link.down.loss", "25")],
        ..PLAIN
    },
    Param {
        id: "interest.on",
        label: "Hear what is near",
        kind: Kind::Toggle,
        default: 1.0,
        group: "relevance",
        off: "Off shows: everybody is told of everything, most of it far out of sight.",
        help: "A player is told of what is within a radius, and of what leaves it a little later. Leaving is an end, entering a \
               birth.",
        moves: &[down("bytes.down")],
        restarts: true,
        scenes: &["horde", "black-holes"],
        ..PLAIN
    },
    Param {
        id: "interest.radius",
        label: "Radius",
        unit: "px",
        kind: range(200.0, 2_000.0, 20.0),
        default: 620.0,
        group: "relevance",
        requires: is("interest.on", 1.0),
        off: "Low shows: enemies appear in the middle of the screen.",
        help: "How far a player hears.",
        moves: &[up("bytes.down")],
        restarts: true,
        scenes: &["horde", "black-holes"],
        ..PLAIN
    },
    Param {
        id: "show.enemy",
        label: "How enemies are shown",
        kind: Kind::Choice(&[
            choice(
                "simulated",
                "Simulated",
                "Your end moves them by the same rule, now; a turn is news, a step is not.",
            ),
            choice(
                "dead-reckoned",
                "Dead-reckoned",
                "Carried on along their last motion to the server's present; every step is news.",
            ),
            choice(
                "interpolated",
                "Interpolated",
                "Between two samples, in the past like other players; every step is news.",
            ),
        ]),
        group: "relevance",
        off: "Simulated shows: thousands for the bytes of a few.",
        help: "Both ends are set alike: what your end moves by itself, the server does not tell it.",
        moves: &[up("bytes.down")],
        restarts: true,
        scenes: &["horde"],
        ..PLAIN
    },
];

const fn joined<const N: usize>() -> [Param; N] {
    let mut all = [PLAIN; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < LINK.len() {
            LINK[at]
        } else if at < LINK.len() + BLACK_HOLES.len() {
            BLACK_HOLES[at - LINK.len()]
        } else {
            REST[at - LINK.len() - BLACK_HOLES.len()]
        };
        at += 1;
    }
    all
}

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
    LINK_UP_BURST = "link.up.burst",
    LINK_UP_RATE = "link.up.rate",
    LINK_UP_QUEUE = "link.up.queue",
    LINK_DOWN_BURST = "link.down.burst",
    LINK_DOWN_RATE = "link.down.rate",
    LINK_DOWN_QUEUE = "link.down.queue",
    LINK_VARY = "link.vary",
    LINK_VARY_PERIOD = "link.vary.period",
    LINK_VARY_DEPTH = "link.vary.depth",
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
    HOLES_COUNT = "holes.count",
    HOLES_PELLETS = "holes.pellets",
    HOLES_MODE = "holes.mode",
    HOLES_THETA = "holes.theta",
    HOLES_CORRECTIONS = "holes.corrections",
    HOLES_ORDER = "holes.order",
    HORDE_ENEMIES = "horde.enemies",
    HORDE_PLAYERS = "horde.players",
    REPLICATE_RECOVERY = "replicate.recovery",
    INTEREST_ON = "interest.on",
    INTEREST_RADIUS = "interest.radius",
}
