//! What tests and benches of the machines share.

pub mod counting;
pub mod drive;
