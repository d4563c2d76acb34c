//! The queue in which a server keeps one player's commands until their ticks come.

use wire::{Instant, Tick};

use crate::game::Input;

/// One player's commands at the server: one runs in each tick, in the order they were made, and none twice.
///
/// Commands are not addressed by the server's tick, since the two ends count on clocks of their own. The queue walks along
/// the *client's* ticks instead, one for each tick of the server, and says with every [`take`](Self::take) which one it
/// stood at, so that the client knows which of its predictions was judged.
///
/// - **A backlog** past [`MAX_DEPTH`](Self::MAX_DEPTH) is latency that every later command waits through: the oldest are
///   skipped down to it in one take. A stick can be skipped, a press cannot: the edges of what was skipped are folded
///   into the command that runs.
/// - **A dry queue** repeats the last command without its edges and *claims* the client tick that it stood for: a tick
///   of movement happens either way. The real command for that moment is discarded when it comes, its edges folded
///   into the next that runs, so that one moment never moves twice. After [`REPEAT_TICKS`](Self::REPEAT_TICKS) dry
///   ticks the input is neutral and claims nothing more: a server that ran ahead of all that a slow client will
///   ever send would discard all of it.
/// - **A hole** (a command that no packet brought, with later ones waiting) is claimed by a repeat as well, so that the
///   later ones keep their moments.
///
/// Memory: [`AHEAD`](Self::AHEAD) commands inside the struct, whatever a peer sends. Source: seed
/// `001_545bc6c5b0a72338.txt`.
#[derive(Clone, Debug)]
pub struct CommandQueue<I> {
    /// By client tick modulo the span; only ticks from `next` on are there.
    waiting: [Option<Waiting<I>>; SPAN],
    /// The client tick that the next take stands for; `None` before the first command.
    next: Option<Tick>,
    /// The newest client tick that arrived.
    newest: Option<Tick>,
    /// Bit `i`: the real command of client tick `next - 1 - i` came, sooner or later.
    came: u64,
    /// Takes since the last that found something waiting.
    dry: u8,
    /// The edges of skipped and of discarded commands, until one runs.
    owed: Option<I>,
    last: I,
    /// The client tick and the drawn instant of the newest command that ran and named one.
    saw: Option<(Tick, Instant)>,
    /// Commands found out to be lost since the last take.
    lost: u32,
    low_water: Option<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting<I> {
    input: I,
    saw: Option<Instant>,
}

/// What became of a command that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// It waits for its tick.
    Queued,
    /// Its tick was claimed by a repeat. It is discarded, and its edges go to the next command that runs.
    Late,
    /// A command for its tick came before. The first one counts, whatever the second says.
    Duplicate,
    /// Its tick is past memory. Nothing of it counts.
    TooOld,
    /// Its tick is [`CommandQueue::AHEAD`] or more past the next one to run.
    TooFar,
}

/// Where the input of a tick came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The player's command for it.
    Ran,
    /// The last command without its edges, in place of one that is late or lost. It claims its client tick.
    Repeated,
    /// Nothing pressed and no stick moved: the player has not been heard for long. It claims nothing.
    Neutral,
    /// Nothing pressed: the player's first command has not come yet.
    Idle,
}

/// The input of one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken<I> {
    /// What to run.
    pub input: I,
    /// The newest client tick judged, this one included; `None` before the first command.
    pub tick: Option<Tick>,
    /// What the player's screen showed when they made it; a repeat goes on from the last by one tick a tick. A claim by
    /// the client: clamp it before use.
    pub drawn: Option<Instant>,
    /// Where it came from.
    pub what: What,
    /// Commands passed over by this take because the queue was too deep.
    pub skipped: u32,
    /// Commands now known never to have come, although later ones did. One is known to be lost when it is 64 client
    /// ticks old.
    pub lost: u32,
}

impl<I: Input> CommandQueue<I> {
    /// The most ticks that may wait, the one about to run included. It stands above the pacing's deepest cushion (half
    /// of it) by as much again as the jitter that the cushion is for, so that jitter alone is never trimmed.
    pub const MAX_DEPTH: u8 = 10;
    /// The most ticks in a row that repeats claim. As far dry as the queue may be deep: past it the client is not late
    /// but slower than the server.
    pub const REPEAT_TICKS: u8 = 10;
    /// How far past the next tick a command may be, exclusive: as many as a client keeps of its own.
    pub const AHEAD: u64 = SPAN as u64;

    /// An empty queue.
    pub fn new() -> Self {
        Self {
            waiting: [None; SPAN],
            next: None,
            newest: None,
            came: u64::MAX,
            dry: 0,
            owed: None,
            last: I::default(),
            saw: None,
            lost: 0,
            low_water: None,
        }
    }

    /// A command arrived. Offer those of one packet **oldest first**: the first ever heard is where the run begins.
    ///
    /// `drawn` is the instant that the player's screen showed when they made *this* command. A packet names it for its
    /// newest command; the caller takes one tick off for each command before that.
    pub fn offer(&mut self, tick: Tick, input: I, drawn: impl Into<Option<Instant>>) -> Offer {
        let next = *self.next.get_or_insert(tick);
        if tick < next {
            return self.offer_late(next.since(tick) - 1, input);
        }
        let next = if self.is_waiting() {
            self.resume_at(next, tick)
        } else {
            next
        };
        if tick.since(next) >= Self::AHEAD {
            return Offer::TooFar;
        }
        let place = &mut self.waiting[at(tick)];
        if place.is_some() {
            return Offer::Duplicate;
        }
        *place = Some(Waiting {
            input,
            saw: drawn.into(),
        });
        self.newest = self.newest.max(Some(tick));
        Offer::Queued
    }

    /// The input of the next tick of the server. Call it once a tick.
    pub fn take(&mut self) -> Taken<I> {
        let Some(mut next) = self.next else {
            return self.taken(I::default(), What::Idle, 0);
        };
        let depth = self.depth();
        self.low_water = Some(self.low_water.unwrap_or(u8::MAX).min(depth));

        let mut skipped = 0;
        for _ in Self::MAX_DEPTH..depth {
            let passed = self.waiting[at(next)].take();
            if let Some(passed) = passed {
                self.owe(passed.input);
                skipped += 1;
            }
            next = self.pass(next, passed.is_some());
        }

        if let Some(command) = self.waiting[at(next)].take() {
            self.dry = 0;
            self.pass(next, true);
            self.last = match self.owed.take() {
                Some(owed) => command.input.fold_edges(owed),
                None => command.input,
            };
            if let Some(saw) = command.saw {
                self.saw = Some((next, saw));
            }
            return self.taken(self.last, What::Ran, skipped);
        }
        if depth == 0 {
            if self.dry == Self::REPEAT_TICKS {
                return self.taken(I::default(), What::Neutral, 0);
            }
            self.dry += 1;
        }
        self.pass(next, false);
        self.taken(self.last.without_edges(), What::Repeated, skipped)
    }

    /// How many ticks wait: from the next one to run to the newest that arrived. A hole in between counts, because it
    /// is waited through like the rest.
    pub fn depth(&self) -> u8 {
        match (self.next, self.newest) {
            (Some(next), Some(newest)) if newest >= next => (newest.since(next) + 1) as u8,
            _ => 0,
        }
    }

    /// The fewest ticks that waited at any take since [`take_low_water`](Self::take_low_water), counted before the take.
    /// Before the first take, what waits now.
    pub fn low_water(&self) -> u8 {
        self.low_water.unwrap_or_else(|| self.depth())
    }

    /// The low water, which begins afresh.
    pub fn take_low_water(&mut self) -> u8 {
        let low = self.low_water();
        self.low_water = None;
        low
    }

    /// The newest client tick that arrived.
    pub fn newest(&self) -> Option<Tick> {
        self.newest
    }

    /// The newest client tick that was judged: run, skipped, or claimed by a repeat. Before the first take, the one before
    /// the first command, which was never made.
    pub fn judged(&self) -> Option<Tick> {
        self.next.filter(|next| next.get() > 0).map(|next| next - 1)
    }

    fn offer_late(&mut self, age: u64, input: I) -> Offer {
        if age >= SPAN as u64 {
            return Offer::TooOld;
        }
        let bit = 1 << age;
        if self.came & bit != 0 {
            return Offer::Duplicate;
        }
        self.came |= bit;
        self.owe(input);
        Offer::Late
    }

    /// Whether the queue has run dry for so long that it stands still until the player is heard again.
    fn is_waiting(&self) -> bool {
        self.dry == Self::REPEAT_TICKS && self.depth() == 0
    }

    /// Goes on at the tick of the first command heard after a silence: what lies between was lost on the way. A jump past
    /// memory is a client whose clock was moved, and it made no commands in between.
    fn resume_at(&mut self, next: Tick, tick: Tick) -> Tick {
        if tick.since(next) < Self::AHEAD {
            let mut at = next;
            while at < tick {
                at = self.pass(at, false);
            }
        } else {
            self.lost += self.came.count_zeros();
            self.came = u64::MAX;
        }
        self.next = Some(tick);
        tick
    }

    /// Judges one client tick and gives the one after it.
    fn pass(&mut self, tick: Tick, came: bool) -> Tick {
        self.lost += u32::from(self.came >> (SPAN - 1) == 0);
        self.came = self.came << 1 | u64::from(came);
        let next = tick.next();
        self.next = Some(next);
        next
    }

    fn owe(&mut self, edges_of: I) {
        self.owed = Some(match self.owed {
            Some(older) => edges_of.fold_edges(older),
            None => edges_of,
        });
    }

    fn taken(&mut self, input: I, what: What, skipped: u32) -> Taken<I> {
        let tick = self.judged();
        let drawn = self.saw.zip(tick).map(|((then, saw), tick)| Instant {
            tick: saw.tick + tick.since(then),
            frac: saw.frac,
        });
        let lost = std::mem::take(&mut self.lost);
        Taken {
            input,
            tick,
            drawn,
            what,
            skipped,
            lost,
        }
    }
}

impl<I: Input> Default for CommandQueue<I> {
    fn default() -> Self {
        Self::new()
    }
}

fn at(tick: Tick) -> usize {
    (tick.get() % SPAN as u64) as usize
}

const SPAN: usize = 64;

#[cfg(test)]
mod tests;
