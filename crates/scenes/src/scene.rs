//! What the workbench needs of a game beyond its rules: to make one, to drive it, to draw it and to measure it.

use netcode::{Drawn, Game};
use wire::{ClassId, SlotKey};

use crate::bot::BotMemory;
use crate::mark::{Mark, MarkKind};
use crate::rng::Rng;

/// How a world is made. Equal set-ups make equal worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Where all chance comes from.
    pub seed: u64,
    /// Ticks a second, 10 to 128, by default 64. Rules take the length of a tick from their step.
    pub rate_hz: u16,
    /// Hits are judged and told but neither hurt nor push, so that a measurement of 500 shots is not a measurement of
    /// deaths. By default false.
    pub harmless: bool,
    /// How far a player is told of others, in the scene's unit; `None`: everywhere. Scenes no larger than a screen pass it
    /// over. By default everywhere.
    pub hears: Option<u16>,
    /// What only the horde has.
    pub horde: crate::horde::Options,
    /// What it says of the black holes alone.
    pub black_holes: crate::black_holes::Options,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            seed: 1,
            rate_hz: 64,
            harmless: false,
            hears: None,
            horde: crate::horde::Options::default(),
            black_holes: crate::black_holes::Options::default(),
        }
    }
}

/// What a person's hands do, whatever the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pad {
    /// Right, -1 to 1.
    pub x: f32,
    /// Down, -1 to 1.
    pub y: f32,
    /// Where the pointer is in the world, in the scene's unit; NaN: no pointer.
    pub aim_x: f32,
    /// As `aim_x`.
    pub aim_y: f32,
    /// Buttons held, bit i is [`Scene::BUTTONS`]`[i]`.
    pub buttons: u32,
    /// Buttons that went down since the pad before, by the same bits. See [`Pad::after`].
    pub pressed: u32,
}

impl Default for Pad {
    /// Hands off.
    fn default() -> Self {
        Self {
            x: 0.0,
            y: 0.0,
            aim_x: f32::NAN,
            aim_y: f32::NAN,
            buttons: 0,
            pressed: 0,
        }
    }
}

impl Pad {
    /// The same pad with what went down since `before` as pressed.
    pub fn after(mut self, before: &Self) -> Self {
        self.pressed |= self.buttons & !before.buttons;
        self
    }

    /// Whether a button is held.
    pub fn holds(&self, button: u32) -> bool {
        self.buttons >> button & 1 == 1
    }

    /// Whether a button went down.
    pub fn pressed(&self, button: u32) -> bool {
        self.pressed >> button & 1 == 1
    }
}

/// A drawn or true body as the workbench measures it: the same for every scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Where its middle is, in the scene's unit.
    pub place: [f32; 2],
    /// Where it looks, rad.
    pub heading: f32,
    /// In the scene's unit; 0 for what is not round.
    pub radius: f32,
    /// 0 to 1.
    pub health: f32,
    /// In the game, not waiting to come back.
    pub alive: bool,
    /// Somebody's character, a player's or a bot's: what errors are measured on.
    pub is_character: bool,
    /// Driven by a bot.
    pub is_bot: bool,
    /// [`Mark::DEAD`] and its neighbours, as far as the record knows.
    pub flags: u32,
}

/// For whom a picture is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The character that is You on the page: a disc in every pane.
    pub you: Option<SlotKey>,
    /// Leaves out what never moves.
    pub without_walls: bool,
}

/// What became of a shot that was judged in the present and in the past that the shooter saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It hits, in the past as in the present, or was judged by the present alone.
    Hit,
    /// It hits in the past alone: the rewind granted it.
    Granted,
    /// It hits in the present alone: the rewind denied it.
    Denied,
    /// It hits in neither.
    Miss,
}

/// A judged shot, in the units of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    /// Who shot.
    pub by: SlotKey,
    /// Which of their shots, 0 to 15; pairs with [`Unjudged::number`].
    pub number: u8,
    /// From where, m.
    pub from: [f32; 2],
    /// Where it ended, m.
    pub to: [f32; 2],
    /// What became of it.
    pub verdict: Verdict,
    /// Whom it hit, or for [`Verdict::Denied`] would have hit in the present.
    pub victim: Option<SlotKey>,
    /// Where the victim was put back to, m.
    pub then: [f32; 2],
    /// How far off the line it still hits, m: the radius of a character.
    pub radius: f32,
    /// How far back it was judged, ms; 0: by the present alone.
    pub rewound_ms: u16,
    /// Whether it put the victim out of the game.
    pub fell: bool,
}

impl Shot {
    /// The shot's line and its verdict, and where its victim was put back to if anyone was.
    pub fn marks(&self, out: &mut Vec<Mark>) {
        let line = Mark::new(MarkKind::Shot, self.from);
        out.push(Mark {
            size: self.to[0],
            size2: self.to[1],
            flags: 1,
            key: Mark::key_of(self.by),
            ..line
        });
        let flags = match self.verdict {
            Verdict::Hit => 1,
            Verdict::Granted => 2,
            Verdict::Denied => 3,
            Verdict::Miss => 4,
        };
        let key = self.victim.map_or(0, Mark::key_of);
        out.push(Mark {
            flags,
            key,
            ..Mark::new(MarkKind::Verdict, self.to)
        });
        if self.victim.is_some() && self.rewound_ms > 0 {
            let rewound = Mark::new(MarkKind::Rewound, self.then);
            let heading = f32::from(self.rewound_ms);
            out.push(Mark {
                heading,
                size: self.radius,
                key,
                ..rewound
            });
        }
    }
}

/// A shot that the own screen shows before anyone judged it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unjudged {
    /// The newest of the own shots, 0 to 15, wrapping: a new number is a new shot.
    pub number: u8,
    /// From where, m.
    pub from: [f32; 2],
    /// Where it ends on this screen, m.
    pub to: [f32; 2],
}

/// A ledger of shots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShotTally {
    /// [`Verdict::Hit`].
    pub hit: u64,
    /// [`Verdict::Granted`].
    pub granted: u64,
    /// [`Verdict::Denied`].
    pub denied: u64,
    /// [`Verdict::Miss`].
    pub miss: u64,
    /// Hits on someone who was behind cover by the time that they were judged.
    pub behind_cover: u64,
}

impl ShotTally {
    /// Counts one shot.
    pub fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Hit => self.hit += 1,
            Verdict::Granted => self.granted += 1,
            Verdict::Denied => self.denied += 1,
            Verdict::Miss => self.miss += 1,
        }
    }

    /// Shots in all.
    pub fn shots(&self) -> u64 {
        self.hit + self.granted + self.denied + self.miss
    }
}

/// A line of the event feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Which glyph and row it gets: `hit`, `granted`, `denied`, `miss`, `behind`, `hurt`.
    pub kind: &'static str,
    /// One plain sentence without its full stop.
    pub text: String,
}

/// How a field of an input or an event reads, of which the wire says no unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldWords {
    /// As a number in this unit, which may be empty.
    Unit(&'static str),
    /// As one of these, by its number on the wire.
    Codes(&'static [&'static str]),
}

/// A game that the workbench can show. All of it is static but the world itself, so there is nothing to keep in step.
pub trait Scene: Game {
    /// What it is called in a link and on the command line.
    const NAME: &'static str;
    /// What it is called on the page.
    const LABEL: &'static str;
    /// The unit of its lengths: `m` or `px`.
    const UNIT: &'static str;
    /// Characters at most, bots included.
    const PLAYERS: u16;
    /// The buttons of its [`Pad`], by bit.
    const BUTTONS: &'static [&'static str];

    /// A world that waits for its bots and then for players.
    fn new(setup: &Setup) -> Self;
    /// The same world with nobody and nothing in it but what never moves: what a client starts from.
    fn empty(&self) -> Self;
    /// The whole world: left, top, right, bottom, in the scene's unit.
    fn bounds() -> [f32; 4];
    /// A pad as a command. `me` is where the own character is drawn; without it the pointer says nothing.
    fn input(pad: &Pad, me: Option<[f32; 2]>) -> Self::Input;
    /// Whether entities of a class are somebody's characters: what errors are measured on. By default all may be.
    fn has_characters(_class: ClassId) -> bool {
        true
    }
    /// Whether a bot looks at others in its next tick. Where it does not, the picture that it is given may show characters alone or be an older one: of
    /// thousands, a picture costs more than the rules.
    fn looks(_memory: &BotMemory) -> bool {
        true
    }
    /// A bot's command for the next tick, from what its screen shows and from nothing else. Call it once a tick. `held`
    /// is what it held last and becomes what it holds now, edges included.
    fn think(
        me: SlotKey,
        drawn: &Drawn,
        rng: &mut Rng,
        memory: &mut BotMemory,
        held: &mut Self::Input,
    );
    /// What a class's fields, in world units, say about the body that they describe. `None`: nothing to measure or draw.
    fn body(class: ClassId, values: &[f32]) -> Option<Body>;
    /// What to draw of a screen, the farthest down first.
    fn marks(drawn: &Drawn, view: &View, out: &mut Vec<Mark>);
    /// The own shot that the screen shows before it is judged; `None` for a screen without a character.
    fn unjudged(drawn: &Drawn) -> Option<Unjudged>;
    /// The judged shot that an event tells of.
    fn shot(event: &Self::Event) -> Option<Shot>;
    /// Counts an event. Give it the events of one client, or of the server, only once each.
    fn tally(event: &Self::Event, out: &mut ShotTally);
    /// How a field of an input or an event reads, by its name on the wire. Fields of records say it in the schema.
    fn field_words(name: &str) -> FieldWords;
    /// An event as a sentence for one player; `None`: it is nothing to them. Names come from what the screen shows.
    fn tell(event: &Self::Event, viewer: SlotKey, drawn: &Drawn) -> Option<Note>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_is_pressed_once_however_long_it_is_held() {
        let up = Pad::default();
        let down = Pad {
            buttons: 0b10,
            ..Pad::default()
        };
        let first = down.after(&up);
        assert!(first.pressed(1) && first.holds(1) && !first.pressed(0));
        assert!(
            !down.after(&first).pressed(1),
            "still held, not pressed again"
        );
        assert_eq!(up.after(&first).pressed, 0, "letting go is no press");
    }

    #[test]
    fn a_granted_shot_is_drawn_with_the_place_that_its_victim_was_put_back_to() {
        let victim = Some(SlotKey { slot: 3, life: 1 });
        let shot = Shot {
            by: SlotKey { slot: 1, life: 0 },
            number: 0,
            from: [0.0, 0.0],
            to: [4.0, 0.0],
            verdict: Verdict::Granted,
            victim,
            then: [4.5, 0.0],
            radius: 0.5,
            rewound_ms: 260,
            fell: false,
        };
        let mut out = Vec::new();
        shot.marks(&mut out);
        let kinds: Vec<_> = out.iter().map(|mark| mark.kind).collect();
        assert_eq!(
            kinds,
            [MarkKind::Shot, MarkKind::Verdict, MarkKind::Rewound]
        );
        assert_eq!((out[1].flags, out[2].x, out[2].heading), (2, 4.5, 260.0));
    }
}
