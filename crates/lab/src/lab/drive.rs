//! Who drives a seat.

use netcode::{Digest, Drawn};
use scenes::{BotMemory, BotStyle, Pad, Rng, Scene};
use wire::SlotKey;

/// Who drives a seat.
#[derive(Clone, Copy, Debug)]
pub enum Driver {
    /// A bot.
    Bot(BotStyle),
    /// A person's hands: the pad that was set last.
    Hands,
    /// A script: what the pad is at a tick of the seat's, counted from its first.
    Script(Script),
}

impl Driver {
    /// Whether both drive alike.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bot(a), Self::Bot(b)) => a == b,
            (Self::Hands, Self::Hands) => true,
            // Equal scripts may stand at several places; that two of them are then taken for different does no harm.
            (Self::Script(a), Self::Script(b)) => std::ptr::fn_addr_eq(*a, *b),
            _ => false,
        }
    }
}

/// A recorded person: the pad at each tick, given what the screen shows.
pub type Script = fn(u64, &Drawn) -> Pad;

/// A bot with its chance, its memory and what it holds.
#[derive(Clone, Debug)]
pub(crate) struct Bot<G: Scene> {
    pub key: SlotKey,
    pub rng: Rng,
    pub memory: BotMemory,
    pub held: G::Input,
}

impl<G: Scene> Bot<G> {
    pub(crate) fn new(key: SlotKey, style: BotStyle, rate_hz: u16, seed: u64, index: u64) -> Self {
        Self {
            key,
            rng: Rng::fork(seed, index),
            memory: BotMemory::new(style, rate_hz),
            held: G::Input::default(),
        }
    }

    /// What it does in the next tick, from what its screen shows.
    pub(crate) fn think(&mut self, drawn: &Drawn) -> G::Input {
        G::think(
            self.key,
            drawn,
            &mut self.rng,
            &mut self.memory,
            &mut self.held,
        );
        self.held
    }

    /// Its chance; what it remembers shows in what it does.
    pub(crate) fn digest(&self, digest: &mut Digest) {
        digest.u64(self.rng.clone().next_u64());
        digest.u64(
            u64::from(self.memory.look) << 32
                | u64::from(self.memory.pause) << 16
                | u64::from(self.memory.rest),
        );
    }
}
