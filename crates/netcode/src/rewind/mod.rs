//! Lag compensation: where players were when another one's screen showed them.

mod history;

pub use history::History;
