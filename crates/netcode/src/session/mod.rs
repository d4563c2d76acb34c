//! Who may come in, and what a client is while it waits.

pub use wire::Refusal;

/// What a client is to the world it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Alone: simulates and decides everything.
    Offline,
    /// Saying hello until it is answered. Simulates and decides nothing.
    Joining,
    /// Predicts its own character, shows the rest.
    Playing,
    /// Told by nobody any more: decides nothing, holds still, and knows why. Never Offline, which would decide everything.
    Disconnected(Why),
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
    #[error("the server has not been heard for {} s", crate::client::SILENCE.as_secs_f64())]
    Silence,
    /// The player left.
    #[error("you left the match")]
    Left,
}
