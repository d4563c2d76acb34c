//! What the black holes look like.

use netcode::Drawn;
use wire::ClassId;

use super::record::{FarHoles, HOLE_CLASS, Hole, PELLET_CLASS, Pellet, SHIP_CLASS, Ship};
use super::rules::{self, HALF, SHIP_RADIUS};
use crate::mark::{Mark, MarkKind};
use crate::scene::{Body, View};
use crate::vec2::{Vec2, vec2};

/// Radius of a pellet, px.
const PELLET_RADIUS: f32 = 3.0;
/// Width of the arena's edge, px.
const EDGE: f32 = 8.0;

pub(super) fn body(class: ClassId, values: &[f32]) -> Option<Body> {
    let plain = Body {
        place: [0.0; 2],
        heading: 0.0,
        radius: PELLET_RADIUS,
        health: 1.0,
        alive: true,
        is_character: false,
        is_bot: false,
        flags: 0,
    };
    match class {
        SHIP_CLASS => Some(Body {
            place: [values[Ship::AT.x], values[Ship::AT.y]],
            heading: values[Ship::AT.aim],
            radius: SHIP_RADIUS,
            is_character: true,
            is_bot: values[Ship::AT.bot] > 0.5,
            flags: if values[Ship::AT.boosting] > 0.5 {
                Mark::DASHING
            } else {
                0
            },
            ..plain
        }),
        HOLE_CLASS => Some(Body {
            place: [values[Hole::AT.x], values[Hole::AT.y]],
            radius: rules::radius(values[Hole::AT.mass]),
            ..plain
        }),
        PELLET_CLASS => Some(Body {
            place: [values[Pellet::AT.x], values[Pellet::AT.y]],
            heading: vec2(values[Pellet::AT.vx], values[Pellet::AT.vy]).angle(),
            ..plain
        }),
        _ => None,
    }
}

/// The four sides of the edge, outside of what can be flown.
fn edges(out: &mut Vec<Mark>) {
    let (far, long) = (HALF + EDGE / 2.0, 2.0 * HALF + 2.0 * EDGE);
    for way in [[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]] {
        let upright = way[1] == 0.0;
        let sizes = if upright { [EDGE, long] } else { [long, EDGE] };
        out.push(Mark {
            size: sizes[0],
            size2: sizes[1],
            ..Mark::new(MarkKind::Wall, (Vec2::from(way) * far).array())
        });
    }
}

pub(super) fn marks(drawn: &Drawn, view: &View, out: &mut Vec<Mark>) {
    if !view.without_walls {
        edges(out);
    }
    for far in drawn.summaries() {
        let count = far[FarHoles::AT.count];
        out.push(Mark {
            size: rules::radius(far[FarHoles::AT.mass]),
            size2: libm::logf(count.max(1.0)),
            flags: count as u32,
            ..Mark::new(
                MarkKind::StandIn,
                [far[FarHoles::AT.x], far[FarHoles::AT.y]],
            )
        });
    }
    // Pellets lie under the holes, ships above both, and whose screen it is on top.
    for layer in [PELLET_CLASS, HOLE_CLASS, SHIP_CLASS] {
        let mut own = None;
        for (drawn, values) in drawn.iter().filter(|(drawn, _)| drawn.class == layer) {
            let Some(body) = body(drawn.class, values) else {
                continue;
            };
            let kind = match layer {
                PELLET_CLASS => MarkKind::Pellet,
                HOLE_CLASS => MarkKind::Hole,
                _ if view.you == Some(drawn.key) => MarkKind::You,
                _ if body.is_bot => MarkKind::Bot,
                _ => MarkKind::Other,
            };
            let starved = if drawn.starved { Mark::STARVED } else { 0 };
            let mark = Mark {
                heading: body.heading,
                size: body.radius,
                size2: body.health,
                flags: body.flags | starved,
                key: Mark::key_of(drawn.key),
                ..Mark::new(kind, body.place)
            };
            if drawn.mine {
                own = Some(mark);
            } else {
                out.push(mark);
            }
        }
        out.extend(own);
    }
}
