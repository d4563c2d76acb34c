//! What a screen of the horde shows.

use netcode::Drawn;
use wire::ClassId;

use super::event::Event;
use super::record::{FOE_CLASS, Foe, HERO_CLASS, Hero};
use super::rules::{HEALTH, NOVA_REACH, RADIUS, REPULSE_REACH, SIZES};
use crate::mark::{Mark, MarkKind};
use crate::scene::{Body, Note, View};

pub(super) fn body(class: ClassId, values: &[f32]) -> Option<Body> {
    match class {
        HERO_CLASS if values.len() == Hero::WIDTH => Some(hero(values)),
        FOE_CLASS if values.len() == Foe::WIDTH => Some(foe(values)),
        _ => None,
    }
}

fn hero(values: &[f32]) -> Body {
    let alive = values[Hero::AT.hp] > 0.0;
    Body {
        place: [values[Hero::AT.x], values[Hero::AT.y]],
        heading: values[Hero::AT.face],
        radius: RADIUS as f32,
        health: values[Hero::AT.hp] / HEALTH as f32,
        alive,
        is_character: true,
        is_bot: values[Hero::AT.bot] > 0.5,
        flags: if alive { 0 } else { Mark::DEAD },
    }
}

fn foe(values: &[f32]) -> Body {
    let kind = (values[Foe::AT.kind] as usize).min(SIZES.len() - 1);
    let alive = values[Foe::AT.mood] != Foe::DIES as f32;
    Body {
        place: [values[Foe::AT.x], values[Foe::AT.y]],
        heading: values[Foe::AT.way],
        radius: SIZES[kind] as f32,
        health: f32::from(u8::from(alive)),
        alive,
        is_character: false,
        is_bot: false,
        flags: if alive { 0 } else { Mark::DEAD },
    }
}

/// Whether nothing is left of an enemy: it has died, and only the word that it is gone is still under way.
pub(super) fn is_gone(values: &[f32]) -> bool {
    values[Foe::AT.mood] == Foe::DIES as f32 && values[Foe::AT.wait] <= 0.0
}

pub(super) fn marks(drawn: &Drawn, view: &View, out: &mut Vec<Mark>) {
    let mut own = None;
    // Players over enemies, whose slots come after theirs.
    let players = out.len();
    for (drawn, values) in drawn.iter() {
        let Some(body) = body(drawn.class, values) else {
            continue;
        };
        if !body.is_character {
            if !is_gone(values) {
                out.push(mark(MarkKind::Enemy, &body, drawn));
            }
            continue;
        }
        let reach = match values[Hero::AT.ring] as i32 {
            1 => REPULSE_REACH,
            2 => NOVA_REACH,
            _ => 0,
        };
        if reach > 0 {
            out.push(Mark {
                size: reach as f32,
                flags: values[Hero::AT.ring] as u32,
                key: Mark::key_of(drawn.key),
                ..Mark::new(MarkKind::Ring, body.place)
            });
        }
        let kind = match () {
            () if view.you == Some(drawn.key) => MarkKind::You,
            () if body.is_bot => MarkKind::Bot,
            () => MarkKind::Other,
        };
        let mark = mark(kind, &body, drawn);
        // Whose screen it is lies on top.
        if drawn.mine {
            own = Some(mark);
        } else {
            out.push(mark);
        }
    }
    out[players..].sort_by_key(|mark| mark.kind != MarkKind::Enemy);
    out.extend(own);
}

fn mark(kind: MarkKind, body: &Body, drawn: &netcode::DrawnBody) -> Mark {
    let starved = if drawn.starved { Mark::STARVED } else { 0 };
    Mark {
        heading: body.heading,
        size: body.radius,
        size2: body.health,
        flags: body.flags | starved,
        key: Mark::key_of(drawn.key),
        ..Mark::new(kind, body.place)
    }
}

pub(super) fn tell(event: &Event) -> Option<Note> {
    Some(match event {
        Event::Nova { killed: 0 } => Note {
            kind: "miss",
            text: "your nova killed nobody".to_owned(),
        },
        Event::Nova { killed: 1 } => Note {
            kind: "hit",
            text: "your nova killed 1 enemy".to_owned(),
        },
        Event::Nova { killed } => Note {
            kind: "hit",
            text: format!("your nova killed {killed} enemies"),
        },
        Event::Fell => Note {
            kind: "hurt",
            text: "the horde put you out".to_owned(),
        },
    })
}
