//! Bots: what a person might do with the same screen. They see what is drawn and nothing else.

use netcode::Drawn;
use wire::SlotKey;

use super::Input;
use super::record::{FOE_CLASS, Foe, Hero};
use super::rules::{BOUNDS, NOVA_REACH, REPULSE_REACH};
use crate::bot::{BotMemory, BotStyle};
use crate::rng::Rng;
use crate::vec2::{Vec2, vec2};

/// How far a bot looks for enemies to keep away from, px.
const FEAR: f32 = 260.0;
/// How near to the edge it turns back, px.
const EDGE: f32 = 250.0;
/// Enemies in reach that are worth a nova, and a repulse.
const CROWD: u32 = 12;
const PRESS: u32 = 5;
/// How often it looks around, s.
const LOOK: f32 = 0.25;

/// A bot's command for the next tick. See [`crate::Scene::think`]. It looks around a few times a second; in between its hands
/// stay where they are.
pub(super) fn think(
    me: SlotKey,
    drawn: &Drawn,
    rng: &mut Rng,
    memory: &mut BotMemory,
    held: &mut Input,
) {
    let looks = memory.look == 0;
    memory.tick();
    held.repulse = false;
    held.nova = false;
    if memory.style == BotStyle::Still {
        *held = Input::default();
        return;
    }
    if !looks {
        return;
    }
    memory.look = memory.ticks(LOOK);
    let own = drawn.get(me).filter(|own| own.len() == Hero::WIDTH);
    let Some(own) = own.filter(|own| own[Hero::AT.hp] > 0.0) else {
        *held = Input::default();
        return;
    };
    let at = vec2(own[Hero::AT.x], own[Hero::AT.y]);
    let seen = Seen::around(at, drawn);
    let ready = |wait: usize| own[wait] == 0.0;
    // A runner is the target of an experiment: it only runs.
    let plays = memory.style == BotStyle::Duel;
    *held = Input {
        nova: plays && seen.in_nova >= CROWD && ready(Hero::AT.nova_wait),
        repulse: plays && seen.in_repulse >= PRESS && ready(Hero::AT.repulse_wait),
        ..Input::push(way(at, &seen, rng, memory))
    };
}

/// What is around a bot.
#[derive(Default)]
struct Seen {
    /// Away from everybody near, the nearer the stronger.
    away: Vec2,
    in_nova: u32,
    in_repulse: u32,
}

impl Seen {
    fn around(at: Vec2, drawn: &Drawn) -> Self {
        let mut seen = Self::default();
        for (body, values) in drawn.iter() {
            if body.class != FOE_CLASS || values[Foe::AT.mood] == Foe::DIES as f32 {
                continue;
            }
            let off = at - vec2(values[Foe::AT.x], values[Foe::AT.y]);
            let far = off.length();
            seen.in_nova += u32::from(far < NOVA_REACH as f32);
            seen.in_repulse += u32::from(far < REPULSE_REACH as f32 / 2.0);
            if far > 0.0 && far < FEAR {
                seen.away += off * ((FEAR - far) / (FEAR * far));
            }
        }
        seen
    }
}

/// Away from what is near, inward from the edge, and else along its own wide curve.
fn way(at: Vec2, seen: &Seen, rng: &mut Rng, memory: &mut BotMemory) -> Vec2 {
    if memory.swap == 0 {
        memory.swap = memory.ticks(rng.between(1.0, 3.0));
        memory.aim += 2.0 * rng.spread();
    }
    let mut way = Vec2::of_angle(memory.aim) + seen.away * 2.0;
    let [left, top, right, bottom] = BOUNDS;
    way.x += ((left + EDGE - at.x).max(0.0) - (at.x + EDGE - right).max(0.0)) / 50.0;
    way.y += ((top + EDGE - at.y).max(0.0) - (at.y + EDGE - bottom).max(0.0)) / 50.0;
    let way = way.unit();
    memory.aim = way.angle();
    way
}
