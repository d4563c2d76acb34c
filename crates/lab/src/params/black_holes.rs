//! What only the black holes have.

use super::catalogue::{PLAIN, choice, down, is, range, up, whole};
use super::{Kind, Param};

/// Places of the choices of `holes.mode`.
pub(crate) const FULL: f64 = 0.0;
pub(crate) const CULLED: f64 = 1.0;
pub(crate) const AGGREGATED: f64 = 2.0;

/// Place of the choice of `holes.order` that sets the worst right first.
pub(crate) const WORST_FIRST: f64 = 1.0;

const SCENES: &[&str] = &["black-holes"];

pub(super) const BLACK_HOLES: [Param; 6] = [
    Param {
        id: "holes.count",
        label: "Holes",
        unit: "holes",
        kind: whole(2.0, 64.0),
        default: 16.0,
        group: "scene",
        off: "Few shows: long, smooth ways, and little that can be wrong about them.",
        help: "What pulls. Each is told by its path, and again when it turns.",
        moves: &[up("bytes.down")],
        restarts: true,
        scenes: SCENES,
        ..PLAIN
    },
    Param {
        id: "holes.pellets",
        label: "Pellets",
        unit: "pellets",
        kind: whole(200.0, 6_000.0),
        default: 1_500.0,
        group: "scene",
        off: "Few shows: a world in which hardly anything has to be told.",
        help: "What is pulled. Both ends move each by the field that they know; one that falls in or is gathered comes back \
               elsewhere as another.",
        moves: &[up("bytes.down")],
        restarts: true,
        scenes: SCENES,
        ..PLAIN
    },
    Param {
        id: "holes.mode",
        label: "Which holes are told",
        kind: Kind::Choice(&[
            choice(
                "full",
                "All",
                "The field is the server's: ways are right without a correction.",
            ),
            choice(
                "culled",
                "The near ones",
                "A hole out of hearing still bends every way on the server, and none on your screen.",
            ),
            choice(
                "aggregated",
                "The near ones, and the far ones in summary",
                "A few stand-ins pull for the rest: nearly right, for fewer to compute with.",
            ),
        ]),
        default: FULL,
        group: "relevance",
        off: "Leaving holes out shows: what you compute with goes wrong, and corrections pull it back.",
        help: "What a client only draws may be left out. What it computes with may not: dropping it changes the result.",
        moves: &[up("own.corrections")],
        restarts: true,
        scenes: SCENES,
        ..PLAIN
    },
    Param {
        id: "holes.theta",
        label: "Opening angle",
        kind: range(0.0, 1.5, 0.05),
        default: 0.5,
        group: "relevance",
        requires: is("holes.mode", AGGREGATED),
        off: "Zero shows: every hole by itself, by the same way.",
        help: "A group of holes is summed up where its width over its distance is less. Past 1 it is worse than leaving them \
               out: the weight of a quarter of the sky hangs in one place nearby.",
        moves: &[up("own.corrections")],
        given: &[("holes.mode", "aggregated")],
        restarts: true,
        scenes: SCENES,
        ..PLAIN
    },
    Param {
        id: "holes.corrections",
        label: "Corrections",
        unit: "a second",
        kind: range(0.0, 4_000.0, 50.0),
        default: 400.0,
        group: "relevance",
        off: "Zero shows: what is wrong about a pellet's way stays wrong until it ends.",
        help: "Pellets that the server sets right in a second.",
        moves: &[up("bytes.down"), down("simulated.error")],
        given: &[("holes.mode", "culled")],
        restarts: true,
        scenes: SCENES,
        ..PLAIN
    },
    Param {
        id: "holes.order",
        label: "Corrected first",
        kind: Kind::Choice(&[
            choice(
                "round-robin",
                "In turn",
                "Everyone is set right as often, wherever it flies.",
            ),
            choice(
                "worst-first",
                "The most bent",
                "Those near a hole are set right often, those far out seldom.",
            ),
        ]),
        default: 0.0,
        group: "relevance",
        off: "In turn shows: those near a hole are wrong for longest.",
        help: "Which pellets the corrections go to.",
        moves: &[down("simulated.error")],
        restarts: true,
        scenes: SCENES,
        ..PLAIN
    },
];
