//! One command a tick from a key to the rules: what a client keeps and repeats, and the queue that a server runs.

#[cfg(test)]
pub(crate) mod fixture;
mod history;
mod queue;

pub use history::InputHistory;
pub use queue::{CommandQueue, Offer, Taken, What};
