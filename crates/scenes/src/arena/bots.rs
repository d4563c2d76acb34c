//! Bots: what a person might do with the same screen. They know the walls; of everything else they see what is drawn.

use netcode::Drawn;
use wire::SlotKey;

use super::Input;
use super::map::{self, Block, GATE_X};
use super::marks::{gate, place};
use super::nav::{self, GATE_SIDES, PLACES, RING, YARD};
use super::record::{FIGHTER_CLASS, Fighter};
use super::rules::{FIRE_WAIT, WALK};
use crate::bot::{BotMemory, BotStyle};
use crate::rng::Rng;
use crate::vec2::Vec2;

/// How far a bot looks, m.
const SIGHT: f32 = 15.0;
/// How far its hand is off at most, rad; half of the time less than a third of it.
const OFF: f32 = 0.26;
/// How fast it turns, rad/s.
const TURN: f32 = 9.0;
/// The distance that it likes to fight at, m.
const NEAR: f32 = 6.0;
/// Close enough to a place that it walks to, m.
const THERE: f32 = 0.5;

/// A bot's command for the next tick. See [`crate::Scene::think`].
pub(super) fn think(
    me: SlotKey,
    drawn: &Drawn,
    rng: &mut Rng,
    memory: &mut BotMemory,
    held: &mut Input,
) {
    memory.tick();
    let own = drawn.get(me).filter(|own| own.len() == Fighter::WIDTH);
    let Some(own) = own.filter(|own| own[Fighter::AT.hp] > 0.0) else {
        *memory = BotMemory::new(memory.style, memory.rate_hz);
        *held = Input::default();
        return;
    };
    let eyes = Eyes {
        me,
        own,
        at: place(own),
        gate: gate(drawn),
        drawn,
    };
    *held = match memory.style {
        BotStyle::Duel => duel(&eyes, rng, memory, *held),
        BotStyle::Runner => run(&eyes, memory),
        BotStyle::Aimer => aim(&eyes, rng, memory),
        BotStyle::Still => Input::default(),
    };
    memory.was = eyes.at.array();
}

/// What a bot has before it in one tick.
struct Eyes<'a> {
    me: SlotKey,
    own: &'a [f32],
    at: Vec2,
    gate: Option<Block>,
    drawn: &'a Drawn,
}

impl Eyes<'_> {
    /// The others in the game.
    fn others(&self) -> impl Iterator<Item = (SlotKey, Vec2)> {
        self.drawn
            .iter()
            .filter(|(body, values)| {
                body.class == FIGHTER_CLASS && body.key != self.me && values[Fighter::AT.hp] > 0.0
            })
            .map(|(body, values)| (body.key, place(values)))
    }

    fn sees(&self, other: Vec2) -> bool {
        map::sees(self.at, other, self.gate)
    }

    /// The nearest one in sight.
    fn nearest(&self) -> Option<SlotKey> {
        let mut best: Option<(f32, SlotKey)> = None;
        for (key, other) in self.others() {
            let far = (other - self.at).length();
            // The walls last: they cost the most.
            if far < best.map_or(SIGHT, |(far, _)| far) && self.sees(other) {
                best = Some((far, key));
            }
        }
        best.map(|(_, key)| key)
    }

    /// Where somebody is, as long as they are in the game and in sight.
    fn find(&self, key: SlotKey) -> Option<Vec2> {
        self.others()
            .find(|(other, _)| *other == key)
            .map(|(_, at)| at)
            .filter(|at| self.sees(*at))
    }
}

/// Walks from cover to cover, looks around, fights whom it sees: side-steps, short bursts, a breath between them.
fn duel(eyes: &Eyes<'_>, rng: &mut Rng, memory: &mut BotMemory, held: Input) -> Input {
    look(eyes, rng, memory);
    let foe = memory.target.and_then(|key| eyes.find(key));
    let way = match foe {
        Some(foe) if memory.rest == 0 || memory.burst > 0 => sidestep(foe - eyes.at, rng, memory),
        _ => walk(eyes, rng, memory),
    };
    let mut hands = Input::toward(way);

    let to = foe.map_or(way, |foe| foe - eyes.at);
    if memory.settle == 0 {
        memory.settle = memory.ticks(rng.between(0.15, 0.4));
        memory.off = OFF * rng.spread();
    }
    let wanted = if to == Vec2::ZERO {
        memory.aim
    } else {
        to.angle() + memory.off
    };
    let gap = turn_to(memory, wanted);
    hands = hands.looking(memory.aim);

    if memory.burst == 0 && memory.rest == 0 {
        memory.burst = 2 + rng.below(3) as u8;
    }
    if foe.is_some() && memory.react == 0 && memory.rest == 0 && gap < 0.05 {
        hands.fire = true;
        memory.burst = memory.burst.saturating_sub(1);
        // Between shots a little longer than it must; between bursts a breath.
        let pause = if memory.burst > 0 {
            FIRE_WAIT + 0.1 * rng.unit()
        } else {
            rng.between(1.4, 3.0)
        };
        memory.rest = memory.ticks(pause);
    }
    // Away from a hit, and now and then for the joy of it.
    let hurt = eyes.own[Fighter::AT.hurt] > 0.5 && !held.dash;
    let odds = u32::from(memory.rate_hz) * if hurt { 1 } else { 8 } / 2;
    hands.dash =
        eyes.own[Fighter::AT.dash_wait] == 0.0 && way != Vec2::ZERO && rng.below(odds.max(1)) == 0;
    hands
}

/// Chooses whom to fight, a few times a second.
fn look(eyes: &Eyes<'_>, rng: &mut Rng, memory: &mut BotMemory) {
    if memory.look > 0 {
        return;
    }
    memory.look = memory.ticks(rng.between(0.12, 0.25));
    let seen = eyes.nearest();
    if seen != memory.target {
        memory.target = seen;
        memory.react = memory.ticks(rng.between(0.25, 0.55));
    }
}

/// Across the line to a foe, in and out of cover, and nearer or farther as it likes.
fn sidestep(to: Vec2, rng: &mut Rng, memory: &mut BotMemory) -> Vec2 {
    if memory.swap == 0 {
        memory.swap = memory.ticks(rng.between(0.35, 0.9));
        memory.side = if rng.below(2) == 0 { 1 } else { -1 };
    }
    let ahead = to.unit();
    let closer = ((to.length() - NEAR) * 0.2).clamp(-0.8, 0.8);
    ahead.across() * f32::from(memory.side) + ahead * closer
}

/// Toward its goal by way of the places between; a new goal when it is there, after a look around, or gets nowhere.
fn walk(eyes: &Eyes<'_>, rng: &mut Rng, memory: &mut BotMemory) -> Vec2 {
    if memory.pause > 0 {
        return Vec2::ZERO;
    }
    let moved = (eyes.at - memory.was.into()).length();
    let slow = moved < 0.3 * WALK / f32::from(memory.rate_hz.max(1));
    memory.stuck = if slow {
        memory.stuck.saturating_add(1)
    } else {
        0
    };
    if !memory.going || memory.stuck > memory.ticks(0.9) {
        // One way in four leads through the gate.
        let goal = match rng.below(4) {
            0 if eyes.at.x < GATE_X => GATE_SIDES[1],
            0 => GATE_SIDES[0],
            _ => rng.below(PLACES.len() as u32) as u8,
        };
        choose(eyes.at, goal, memory);
    }
    match step_to_goal(eyes.at, memory) {
        Some(way) => way,
        None => {
            memory.going = false;
            memory.pause = memory.ticks(rng.between(0.05, 0.9));
            Vec2::ZERO
        }
    }
}

fn choose(at: Vec2, goal: u8, memory: &mut BotMemory) {
    memory.goal = goal;
    memory.hop = nav::entry(at);
    memory.going = true;
    memory.stuck = 0;
}

/// The way to the next place, `None` at the goal.
fn step_to_goal(at: Vec2, memory: &mut BotMemory) -> Option<Vec2> {
    let to = |hop: u8| PLACES[usize::from(hop) % PLACES.len()] - at;
    if to(memory.hop).length() < THERE {
        if memory.hop == memory.goal {
            return None;
        }
        memory.hop = nav::next(memory.hop, memory.goal);
    }
    Some(to(memory.hop))
}

/// Turns the hand toward an angle as fast as it goes. Gives how far it still is off, rad.
fn turn_to(memory: &mut BotMemory, wanted: f32) -> f32 {
    use std::f32::consts::{PI, TAU};

    let mut gap = wanted - memory.aim;
    while gap > PI {
        gap -= TAU;
    }
    while gap < -PI {
        gap += TAU;
    }
    let most = TURN / f32::from(memory.rate_hz.max(1));
    memory.aim += gap.clamp(-most, most);
    if memory.aim > PI {
        memory.aim -= TAU;
    } else if memory.aim < -PI {
        memory.aim += TAU;
    }
    (gap.abs() - most).max(0.0)
}

/// Goes to the yard; true once nothing is between it and the yard's middle.
fn in_yard(eyes: &Eyes<'_>, memory: &mut BotMemory) -> Result<(), Vec2> {
    let yard = Vec2::from(YARD);
    if (eyes.at - yard).length() < RING + 1.0 && nav::walks(eyes.at, yard) {
        memory.going = false;
        return Ok(());
    }
    if !memory.going {
        choose(eyes.at, 0, memory);
    }
    Err(step_to_goal(eyes.at, memory).unwrap_or(yard - eyes.at))
}

/// Runs the ring, always at full push and so at exactly walking speed.
fn run(eyes: &Eyes<'_>, memory: &mut BotMemory) -> Input {
    if let Err(way) = in_yard(eyes, memory) {
        return Input::toward(way);
    }
    let out = eyes.at - YARD.into();
    let ahead = if out == Vec2::ZERO {
        Vec2::of_angle(0.0)
    } else {
        out.unit()
    };
    // Along the tangent, and back toward the ring as far as it is off.
    Input::toward(ahead.across() + ahead * ((RING - out.length()) * 1.5).clamp(-1.0, 1.0))
}

/// Stands in the middle of the yard and shoots at exactly where its screen shows someone on the ring.
fn aim(eyes: &Eyes<'_>, rng: &mut Rng, memory: &mut BotMemory) -> Input {
    if let Err(way) = in_yard(eyes, memory) {
        return Input::toward(way);
    }
    let yard = Vec2::from(YARD);
    let back = yard - eyes.at;
    if back.length() > THERE {
        return Input::toward(back);
    }
    let on_ring = |at: Vec2| ((at - yard).length() - RING).abs() < 1.0;
    let Some((_, foe)) = eyes.others().find(|(_, at)| on_ring(*at)) else {
        return Input::default();
    };
    let mut hands = Input::default().looking((foe - eyes.at).angle());
    if memory.rest == 0 {
        hands.fire = true;
        // Not in step with anything: neither with snapshots nor with the ring.
        memory.rest = memory.ticks(FIRE_WAIT + 0.2 * rng.unit()) + 1;
    }
    hands
}
