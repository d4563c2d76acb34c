//! Who may come in, and what a client is while it waits.

mod cookie;
mod gate;
mod greeting;

pub use cookie::{Cookie, WINDOW};
pub use gate::{Gate, LINGER, LONGEST_REPLY, Passage, Ticket, seal, unseal};
pub use greeting::{Greeting, Holding};
pub use wire::Refusal;
use wire::{Hello, Seq};

use crate::digest::Digest;
use crate::game::{Game, Input};

/// What a client is to the world it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Alone: simulates and decides everything.
    Offline,
    /// Saying hello until it is answered. Simulates and decides nothing.
    Joining,
    /// Predicts its own character, shows the rest.
    Playing,
    /// Has no character: decides nothing, predicts nothing, shows all in the past.
    Watching,
    /// Told by nobody any more: decides nothing, holds still, and knows why. Never Offline, which would decide everything.
    Disconnected(Why),
}

/// Who the user of a carrier's session is, as its driver knows it: a packet never says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Somebody new: a seat and a character, if there is room.
    Seat,
    /// The player of that number, who was here before: their character, wherever their seat is held. A session that holds it is
    /// told [`Goodbye::Replaced`](wire::Goodbye::Replaced), and whatever it does from then on is for nothing. If the seat is
    /// gone, one as somebody new.
    Resume {
        /// The number that they had.
        player: u16,
    },
    /// Somebody who watches: no character, and no seat is taken.
    Watch,
}

/// Why a client is disconnected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The join was refused.
    #[error("{}", .0.sentence())]
    Refused(Refusal),
    /// The server said goodbye.
    #[error("{}", .0.sentence())]
    Goodbye(wire::Goodbye),
    /// Nothing was heard for too long.
    #[error("the server has not been heard for {} s", crate::client::SILENCE.get() / 1_000_000)]
    Silence,
    /// The player left.
    #[error("you left the match")]
    Left,
}

impl Why {
    /// Whether it is of no use to come back by oneself. A session that ended without a word, by silence or by a restart may be
    /// taken up again.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Refused(_) | Self::Left => true,
            Self::Goodbye(goodbye) => goodbye.is_final(),
            Self::Silence => false,
        }
    }
}

/// What this end holds, as a hello says it: the schema, the actions, the world, the tick rate.
pub fn hello_of<G: Game>(game: &G, rate_hz: u16) -> Hello {
    Hello {
        schema: G::SCHEMA.fingerprint(),
        actions: actions_fingerprint::<G::Input>(),
        world: game.world(),
        rate: rate_hz,
    }
}

/// The actions by position, as one number: the same actions in another order are another game. 0, which is compared with
/// nothing, where there are none.
fn actions_fingerprint<I: Input>() -> u64 {
    if I::ACTIONS.is_empty() {
        return 0;
    }
    let mut digest = Digest::new();
    for action in I::ACTIONS {
        digest.bytes(action.as_bytes());
    }
    digest.u64(I::ORDER as u64);
    digest.get()
}

/// The first sequence of both directions, away from zero so that the number before it exists.
pub(crate) fn first_sequence(on_wire: u16) -> Seq {
    Seq::new(0x1_0000 + u64::from(on_wire)).sendable()
}
