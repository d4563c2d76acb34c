//! What the arena looks like, and what it says.

use netcode::Drawn;
use wire::{ClassId, SlotKey};

use super::map::{BOUNDS, Block, EDGE, WALLS};
use super::record::{FIGHTER_CLASS, Fighter, GATE_CLASS, Gate, PLACE};
use super::rules::{HEALTH, RADIUS};
use super::shot::{Target, judge};
use super::{Event, Judged};
use crate::mark::{Mark, MarkKind};
use crate::scene::{Body, Note, Unjudged, Verdict, View};
use crate::vec2::Vec2;

/// Where a character is, by its drawn fields.
pub(super) fn place(values: &[f32]) -> Vec2 {
    Vec2::from([values[Fighter::AT.x], values[Fighter::AT.y]])
}

/// The gate as a screen shows it; `None` before it was heard of.
pub(super) fn gate(drawn: &Drawn) -> Option<Block> {
    let (_, values) = drawn.iter().find(|(body, _)| body.class == GATE_CLASS)?;
    Some(Block::of_gate(Gate {
        y: PLACE.encode(values[Gate::AT.y]),
    }))
}

pub(super) fn body(class: ClassId, values: &[f32]) -> Option<Body> {
    match class {
        FIGHTER_CLASS => {
            let is = |at: usize, flag: u32| if values[at] > 0.5 { flag } else { 0 };
            let alive = values[Fighter::AT.hp] > 0.0;
            Some(Body {
                place: place(values).array(),
                heading: values[Fighter::AT.aim],
                radius: RADIUS,
                health: values[Fighter::AT.hp] / HEALTH as f32,
                alive,
                is_character: true,
                is_bot: values[Fighter::AT.bot] > 0.5,
                flags: is(Fighter::AT.dashing, Mark::DASHING)
                    | is(Fighter::AT.hurt, Mark::HURT)
                    | if alive { 0 } else { Mark::DEAD },
            })
        }
        GATE_CLASS => {
            let gate = Block::of_gate(Gate {
                y: PLACE.encode(values[Gate::AT.y]),
            });
            Some(Body {
                place: [gate.x, values[Gate::AT.y]],
                heading: 0.0,
                radius: 0.0,
                health: 1.0,
                alive: true,
                is_character: false,
                is_bot: false,
                flags: 0,
            })
        }
        _ => None,
    }
}

fn wall(kind: MarkKind, block: &Block) -> Mark {
    Mark {
        size: 2.0 * block.half_x,
        size2: 2.0 * block.half_y,
        ..Mark::new(kind, [block.x, block.y])
    }
}

/// The four sides of the outer wall.
fn edges() -> [Block; 4] {
    let [left, top, right, bottom] = BOUNDS;
    let (half_x, half_y, half) = ((right - left) / 2.0, (bottom - top) / 2.0, EDGE / 2.0);
    let (x, y) = (left + half_x, top + half_y);
    [
        Block {
            x,
            y: top + half,
            half_x,
            half_y: half,
        },
        Block {
            x,
            y: bottom - half,
            half_x,
            half_y: half,
        },
        Block {
            x: left + half,
            y,
            half_x: half,
            half_y,
        },
        Block {
            x: right - half,
            y,
            half_x: half,
            half_y,
        },
    ]
}

pub(super) fn marks(drawn: &Drawn, view: &View, out: &mut Vec<Mark>) {
    if !view.without_walls {
        out.extend(
            edges()
                .iter()
                .chain(&WALLS)
                .map(|block| wall(MarkKind::Wall, block)),
        );
    }
    let mut own = None;
    for (drawn, values) in drawn.iter() {
        let Some(body) = body(drawn.class, values) else {
            continue;
        };
        if !body.is_character {
            let y = body.place[1];
            let gate = Block::of_gate(Gate { y: 0 });
            out.push(wall(MarkKind::Gate, &Block { y, ..gate }));
            continue;
        }
        let kind = match () {
            () if view.you == Some(drawn.key) => MarkKind::You,
            () if body.is_bot => MarkKind::Bot,
            () => MarkKind::Other,
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
        // Whose screen it is lies on top.
        if drawn.mine {
            own = Some(mark);
        } else {
            out.push(mark);
        }
    }
    out.extend(own);
}

pub(super) fn unjudged(drawn: &Drawn) -> Option<Unjudged> {
    let values = drawn.own()?;
    let from = place(values);
    let way = Vec2::of_angle(values[Fighter::AT.aim]);
    let targets = drawn
        .iter()
        .filter(|(body, values)| {
            body.class == FIGHTER_CLASS && !body.mine && values[Fighter::AT.hp] > 0.0
        })
        .map(|(body, values)| Target {
            slot: usize::from(body.key.slot),
            now: place(values),
            then: None,
        });
    let outcome = judge(from, way, gate(drawn), targets, false);
    Some(Unjudged {
        number: values[Fighter::AT.shots] as u8,
        from: from.array(),
        to: (from + way * outcome.length).array(),
    })
}

/// What a character is called: a bot by the number of its slot, the one other player as such, and one of several by number.
fn name(key: SlotKey, drawn: &Drawn) -> String {
    let is_bot = |values: &[f32]| values[Fighter::AT.bot] > 0.5;
    let Some(values) = drawn
        .get(key)
        .filter(|values| values.len() == Fighter::WIDTH)
    else {
        return "somebody".to_owned();
    };
    if is_bot(values) {
        return format!("bot {}", key.slot);
    }
    let players = drawn.iter().filter(|(body, values)| {
        body.class == FIGHTER_CLASS && Some(body.key) != drawn.mine && !is_bot(values)
    });
    match players.count() {
        1 => "the other player".to_owned(),
        _ => format!("player {}", key.slot),
    }
}

pub(super) fn tell(event: &Event, viewer: SlotKey, drawn: &Drawn) -> Option<Note> {
    match event {
        Event::Shot(shot) if shot.by == viewer => Some(tell_own(shot, drawn)),
        Event::Shot(shot) => {
            let struck = shot.struck.filter(|struck| struck.key == viewer)?;
            if shot.verdict == Verdict::Denied {
                return None;
            }
            let by = name(shot.by, drawn);
            let did = if struck.fell {
                "put you out"
            } else {
                "hit you"
            };
            let granted = shot.verdict == Verdict::Granted;
            let how = if granted {
                format!(", {} ms ago", shot.rewound_ms)
            } else {
                String::new()
            };
            Some(Note {
                kind: "hurt",
                text: format!("{by} {did}{how}"),
            })
        }
        Event::BehindCover { by, ago_ms } => Some(Note {
            kind: "behind",
            text: format!(
                "hit behind cover: {} hit where you were {ago_ms} ms ago",
                name(*by, drawn)
            ),
        }),
    }
}

fn tell_own(shot: &Judged, drawn: &Drawn) -> Note {
    let whom = shot
        .struck
        .map(|struck| name(struck.key, drawn))
        .unwrap_or_default();
    let fell = shot.struck.is_some_and(|struck| struck.fell);
    let did = if fell { "put out" } else { "hit" };
    let back = shot.rewound_ms;
    let (kind, text) = match shot.verdict {
        Verdict::Hit => ("hit", format!("your shot {did} {whom}")),
        Verdict::Granted => (
            "granted",
            format!("your shot {did} {whom}, granted by rewinding {back} ms"),
        ),
        Verdict::Denied => (
            "denied",
            format!("your shot passed where {whom} was {back} ms ago, denied by the rewind"),
        ),
        Verdict::Miss => ("miss", "your shot missed".to_owned()),
    };
    Note { kind, text }
}
