//! Bots: fly after pellets and keep clear of the holes, by what their screen shows.

use netcode::Drawn;
use wire::SlotKey;

use super::Input;
use super::record::{HOLE_CLASS, Hole, PELLET_CLASS, Pellet, Ship};
use super::rules;
use crate::bot::{BotMemory, BotStyle};
use crate::rng::Rng;
use crate::vec2::{Vec2, vec2};

/// How far a bot looks for a pellet, px.
const SIGHT: f32 = 500.0;
/// A hole is kept clear of by this much beyond its radius, px.
const CLEAR: f32 = 110.0;
/// The middle of the ring that a runner flies, and its radius, px.
const RING: f32 = 600.0;

/// A bot's command for the next tick. See [`crate::Scene::think`].
pub(super) fn think(
    me: SlotKey,
    drawn: &Drawn,
    rng: &mut Rng,
    memory: &mut BotMemory,
    held: &mut Input,
) {
    memory.tick();
    let own = drawn.get(me).filter(|own| own.len() == Ship::WIDTH);
    let Some(own) = own else {
        *memory = BotMemory::new(memory.style, memory.rate_hz);
        *held = Input::default();
        return;
    };
    let at = vec2(own[Ship::AT.x], own[Ship::AT.y]);
    *held = match memory.style {
        BotStyle::Duel => gather(at, drawn, rng, memory),
        BotStyle::Runner | BotStyle::Aimer => ring(at),
        BotStyle::Still => Input::default(),
    };
    memory.was = at.array();
}

/// Round the middle of the arena.
fn ring(at: Vec2) -> Input {
    let ahead = if at == Vec2::ZERO {
        Vec2::of_angle(0.0)
    } else {
        at.unit()
    };
    let back = ((RING - at.length()) * 0.01).clamp(-1.0, 1.0);
    Input::push(ahead.across() * 0.8 + ahead * back)
}

/// The nearest pellet of its kind of a few seen at a time; away from any hole first.
fn gather(at: Vec2, drawn: &Drawn, rng: &mut Rng, memory: &mut BotMemory) -> Input {
    if let Some(away) = danger(at, drawn) {
        // Out of the deepest of it with all there is.
        let boost = away.length() > 0.8;
        return Input {
            boost,
            ..Input::push(away.unit())
        };
    }
    let lost = memory.target.is_none_or(|key| drawn.get(key).is_none());
    if memory.look == 0 || lost {
        memory.look = memory.ticks(rng.between(0.3, 0.7));
        memory.target = nearest(at, drawn);
    }
    let goal = memory.target.and_then(|key| drawn.get(key));
    let Some(goal) = goal.filter(|values| values.len() == Pellet::WIDTH) else {
        return ring(at);
    };
    let place = vec2(goal[Pellet::AT.x], goal[Pellet::AT.y]);
    let speed = vec2(goal[Pellet::AT.vx], goal[Pellet::AT.vy]);
    // Where it will be by the time that one is there.
    let lead = ((place - at).length() / 450.0).min(1.0);
    let way = place + speed * lead - at;
    Input {
        boost: rng.below(u32::from(memory.rate_hz.max(1)) * 6) == 0,
        ..Input::push(way.unit())
    }
}

/// Which way is out of what is too near, and how pressing it is, 0 to 1; nothing where all is clear.
fn danger(at: Vec2, drawn: &Drawn) -> Option<Vec2> {
    let mut away = Vec2::ZERO;
    for (_, values) in drawn.iter().filter(|(body, _)| body.class == HOLE_CLASS) {
        let apart = at - vec2(values[Hole::AT.x], values[Hole::AT.y]);
        let room = apart.length() - rules::radius(values[Hole::AT.mass]);
        if room < CLEAR {
            away += apart.unit() * (1.0 - room.max(0.0) / CLEAR);
        }
    }
    (away != Vec2::ZERO).then(|| away.at_most(1.0))
}

fn nearest(at: Vec2, drawn: &Drawn) -> Option<SlotKey> {
    let mut best = (SIGHT * SIGHT, None);
    for (body, values) in drawn.iter().filter(|(body, _)| body.class == PELLET_CLASS) {
        let apart = vec2(values[Pellet::AT.x], values[Pellet::AT.y]) - at;
        let far = apart.dot(apart);
        if far < best.0 {
            best = (far, Some(body.key));
        }
    }
    best.1
}
