//! What tests and benches of the machines share.

pub(crate) mod counting;
pub(crate) mod drive;
