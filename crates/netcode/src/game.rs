//! What a game gives the toolkit: its rules as one `step`, its state as records, its commands.

use std::fmt::Debug;

use wire::{ClassId, Instant, ReadError, Reader, Schema, SlotKey, Tick, Writer};

use crate::bits::Bits;
use crate::digest::Digest;
use crate::rewind::History;

/// Whether the newest command of an inputs packet comes first or last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputOrder {
    /// Newest first, as in seed `002_fabecfc348b69077.txt`.
    NewestFirst,
    /// Oldest first, as in seed `000_0607df23ba563941.txt`.
    OldestFirst,
}

/// One tick of one player's input, already quantized: what is written is exactly what is simulated.
///
/// It has two kinds of parts. A *level* (a stick, a held key) is still true if one is lost; an *edge* (a press) is true
/// for one tick, and must happen once and only once whatever the link does.
pub trait Input: Copy + Default + PartialEq + Debug + Send + 'static {
    /// The actions by position; their order is part of what both ends compare when a player joins.
    const ACTIONS: &'static [&'static str];
    /// The order of commands in an inputs packet.
    const ORDER: InputOrder = InputOrder::NewestFirst;
    /// Writes the record.
    fn write(&self, w: &mut Writer<'_>);
    /// Reads what [`Input::write`] wrote; anything else is an error.
    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError>;
    /// The same input with every edge cleared, for a tick that repeats it.
    fn without_edges(self) -> Self;
    /// This input with the edges of an older, skipped one folded in.
    fn fold_edges(self, older: Self) -> Self;
}

/// Something that happens once and is told rather than kept as state: a shot, a verdict.
pub trait Event: Copy + Debug + PartialEq + Send + 'static {
    /// Writes the event, in at most [`LARGEST_EVENT`](crate::replicate::LARGEST_EVENT) bytes: a larger one is never told, and
    /// holds up those behind it until it is too old.
    fn write(&self, w: &mut Writer<'_>);
    /// Reads what [`Event::write`] wrote; anything else is an error.
    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError>;
}

/// Who drives a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// A person, here or at the other end of a session.
    Player,
    /// The process that decides: a bot.
    Bot,
}

/// A game. The same type runs on the server, on every client, in a replay and alone.
///
/// A game that *keeps* its records as its state (quantized integers) is closed under sending: what a client predicts can be
/// compared with the server's answer for equality. A game in free floats has to round inside [`Game::step`].
pub trait Game: Clone + Send + 'static {
    /// A player's input for one tick.
    type Input: Input;
    /// What the game announces.
    type Event: Event;
    /// The classes and fields of its entities.
    const SCHEMA: &'static Schema;
    /// One more than the largest slot it ever uses. No table grows past it, whatever a packet claims.
    const SLOTS: u16;

    /// Runs one tick. It moves only what [`Step::simulates`], and spawns, removes or hurts only where [`Step::decides`].
    fn step(&mut self, step: &mut Step<'_, Self>);
    /// One more than the largest occupied slot.
    fn slots(&self) -> usize;
    /// Who occupies a slot. Another occupant has another life, so that two of one name never follow each other closely.
    fn at(&self, slot: usize) -> Option<(SlotKey, ClassId)>;
    /// Writes an entity's record, [`wire::Class::width`] codes in the schema's order.
    fn save(&self, key: SlotKey, out: &mut [i32]);
    /// Puts an entity into the state of a record, creating it where it does not exist. Total: any codes inside the
    /// schema's ranges are accepted.
    fn load(&mut self, key: SlotKey, class: ClassId, record: &[i32]);
    /// Takes an entity away.
    fn remove(&mut self, key: SlotKey);
    /// Makes a character for a newcomer, or declines with `None`.
    fn join(&mut self, driver: Driver) -> Option<SlotKey>;
    /// Takes away what [`Game::join`] made.
    fn leave(&mut self, key: SlotKey);
    /// Puts the slots that the player of `viewer` hears of into `hears`, which is empty. What is not in it is not there for
    /// that player: leaving it is a removal, entering it a birth. Their own character is heard in any case. `before` is what
    /// they heard of the last time, so that a margin can keep what stands at the border from coming and going. False: they
    /// hear everything, which is the default.
    ///
    /// It is asked once a snapshot, between ticks, of the state alone: what it reads must be part of every copy.
    fn interest(&self, _viewer: SlotKey, _before: &Bits, _hears: &mut Bits) -> bool {
        false
    }
    /// Puts the slots that the player of `viewer` is told of in this very tick into `now`, which is empty: what is heard and not
    /// in it keeps its news until it is. Births and ends are told at once, and the own character always. False: everything
    /// that is heard, which is the default. [`interest::Rota`](crate::interest::Rota) has such ticks by distance.
    fn rota(&self, _viewer: SlotKey, _tick: Tick, _now: &mut Bits) -> bool {
        false
    }
    /// Appends what sums up for the player of `viewer` what they do not hear of one by one: rows of
    /// [`Schema::summary`]'s fields, at most [`wire::MAX_SUMMARIES`]. Asked a few times a second, see
    /// [`ServerConfig::summaries_hz`](crate::ServerConfig::summaries_hz). None by default.
    fn summarize(&self, _viewer: SlotKey, _rows: &mut Vec<i32>) {}
    /// Takes the rows that the server summed up after `tick`; they replace those before.
    fn hear_summaries(&mut self, _tick: Tick, _rows: &[i32]) {}
    /// Memory that a copy takes beyond the value itself, bytes.
    fn heap(&self) -> usize {
        0
    }
    /// Folds the whole state into a digest, hidden state too.
    fn digest(&self, digest: &mut Digest);
    /// A number that is equal where the static world is equal (a map's hash); 0 is compared with nothing.
    fn world(&self) -> u64 {
        0
    }
}

/// The command that drives one entity in one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driven<I> {
    /// The input to run.
    pub input: I,
    /// The instant that the player's screen showed when they made it, already clamped; `None` judges by the present.
    pub saw: Option<Instant>,
}

/// The commands of one tick, by slot.
#[derive(Clone, Debug)]
pub struct Commands<I> {
    by_slot: Vec<Option<Driven<I>>>,
}

impl<I: Copy> Commands<I> {
    /// No commands, for a game of `slots` slots.
    pub fn new(slots: u16) -> Self {
        Self {
            by_slot: vec![None; usize::from(slots)],
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.by_slot.as_slice())
    }

    /// Forgets every command.
    pub fn clear(&mut self) {
        self.by_slot.fill(None);
    }

    /// Sets the command of one entity. A slot past the bound is ignored.
    pub fn set(&mut self, key: SlotKey, driven: Driven<I>) {
        if let Some(at) = self.by_slot.get_mut(usize::from(key.slot)) {
            *at = Some(driven);
        }
    }

    fn get(&self, key: SlotKey) -> Option<&Driven<I>> {
        self.by_slot.get(usize::from(key.slot))?.as_ref()
    }
}

/// Whom an event is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Said<E> {
    /// `None`: everyone. Otherwise the player of that character alone.
    pub to: Option<SlotKey>,
    /// What happened.
    pub event: E,
}

/// What this end moves.
#[derive(Clone, Copy, Debug)]
pub enum Simulates<'a> {
    /// Everything: a server, or a game alone.
    All,
    /// These slots: a client.
    Only(&'a Bits),
}

/// One tick of the rules: what to run, and the five questions that make the same rule right on every end.
///
/// | question | server | offline | playing client | watching, joining, disconnected |
/// | --- | --- | --- | --- | --- |
/// | [`simulates`](Self::simulates) | all | all | its own, simulated classes | simulated classes, while watching |
/// | [`is_mine`](Self::is_mine) | none | its own | its own | none |
/// | [`command`](Self::command) | each player's | its own | its own | none |
/// | [`is_replaying`](Self::is_replaying) | never | never | while replaying | never |
/// | [`decides`](Self::decides) | yes | yes | no | no |
pub struct Step<'a, G: Game> {
    pub(crate) tick: Tick,
    pub(crate) dt: f32,
    pub(crate) simulates: Simulates<'a>,
    pub(crate) mine: Option<SlotKey>,
    pub(crate) replaying: bool,
    pub(crate) decides: bool,
    pub(crate) commands: &'a Commands<G::Input>,
    pub(crate) past: Option<&'a History>,
    /// Where what is announced goes; a client announces nothing.
    pub(crate) announced: Option<&'a mut Bits>,
    pub(crate) said: &'a mut Vec<Said<G::Event>>,
}

impl<'a, G: Game> Step<'a, G> {
    /// The server's number of the tick that runs. On a client it is exact while the server's queue neither skips nor
    /// repeats, so rules by tick number are safe only where [`Step::decides`].
    pub fn tick(&self) -> Tick {
        self.tick
    }

    /// The length of a tick, s. The same on every end; only the pace at which ticks are bought bends.
    pub fn dt(&self) -> f32 {
        self.dt
    }

    /// Whether this end moves the entity. Ask before writing anything that the world can see. On a client that is its own
    /// character and every entity of a class that is shown [`Simulated`](wire::Shown::Simulated), and in a replay only what
    /// was set right.
    pub fn simulates(&self, key: SlotKey) -> bool {
        match self.simulates {
            Simulates::All => true,
            Simulates::Only(set) => set.contains(usize::from(key.slot)),
        }
    }

    /// The slots that this end moves, ascending, whether or not anyone is there. A rule over thousands loops over these rather
    /// than asking of each: in a replay they are the few that were set right.
    pub fn simulated(&self) -> impl Iterator<Item = usize> + use<'a, G> {
        let (all, some) = match self.simulates {
            Simulates::All => (Some(0..usize::from(G::SLOTS)), None),
            Simulates::Only(set) => (None, Some(set.iter())),
        };
        all.into_iter().flatten().chain(some.into_iter().flatten())
    }

    /// Whether the entity is this screen's own character. The referee owns nothing.
    pub fn is_mine(&self, key: SlotKey) -> bool {
        self.mine == Some(key)
    }

    /// Whether a tick that already ran is run again after a correction. Ask before presenting anything.
    pub fn is_replaying(&self) -> bool {
        self.replaying
    }

    /// Whether this end may spawn, remove or hurt.
    pub fn decides(&self) -> bool {
        self.decides
    }

    /// The input that drives an entity in this tick; `None` if nobody drives it.
    pub fn command(&self, key: SlotKey) -> Option<&'a G::Input> {
        self.commands.get(key).map(|driven| &driven.input)
    }

    /// The past as the player of `by` saw it when they made the command that runs now; `None` judges by the present (a
    /// client, a game alone, a bot, or lag compensation switched off).
    pub fn rewound(&self, by: SlotKey) -> Option<Rewound<'a>> {
        let at = self.commands.get(by)?.saw?;
        Some(Rewound {
            history: self.past?,
            at,
            now: self.tick,
        })
    }

    /// Makes the state of an entity of a [`Simulated`](wire::Shown::Simulated) class news: a turn that no rule foresees, or a
    /// correction in its turn. That it moves is none, since every end moves it by the same rule; births and ends always are.
    /// Only an end that decides is heard.
    pub fn announce(&mut self, key: SlotKey) {
        if let Some(announced) = self.announced.as_deref_mut().filter(|_| self.decides) {
            announced.insert(usize::from(key.slot));
        }
    }

    /// Tells everyone of an event. Only an end that decides is heard.
    pub fn say(&mut self, event: G::Event) {
        if self.decides {
            self.said.push(Said { to: None, event });
        }
    }

    /// Tells the player of one character alone.
    pub fn say_to(&mut self, to: SlotKey, event: G::Event) {
        if self.decides {
            self.said.push(Said {
                to: Some(to),
                event,
            });
        }
    }
}

/// A read-only view of players' roots at a past instant, so that there is nothing to put back.
#[derive(Clone, Copy, Debug)]
pub struct Rewound<'a> {
    history: &'a History,
    at: Instant,
    now: Tick,
}

impl Rewound<'_> {
    /// The record of an entity at that instant, blended, in the units of its fields and in the schema's order. False if
    /// the entity was not there then, or its class is not kept.
    pub fn get(&self, schema: &Schema, key: SlotKey, out: &mut [f32]) -> bool {
        self.history.sample(schema, key, self.at, out)
    }

    /// The instant.
    pub fn at(&self) -> Instant {
        self.at
    }

    /// How many ticks before the tick that runs now.
    pub fn ticks_ago(&self) -> f64 {
        (self.now.get() as f64 - self.at.as_f64()).max(0.0)
    }
}
