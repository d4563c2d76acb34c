//! Drawing others between two states that the server really gave: the samples, when they come, and how far behind to draw.

mod arrivals;
mod budget;
mod buffer;
#[cfg(test)]
mod delay_loop;
#[cfg(test)]
pub(crate) mod fixture;
mod interval;
mod least;
mod policy;
mod shortfall;

pub use arrivals::Arrivals;
pub use buffer::{Insert, Sampled, SnapshotBuffer};
pub use interval::Interval;
pub use least::LeastDelay;
pub use policy::{DelayPolicy, Learnt};
