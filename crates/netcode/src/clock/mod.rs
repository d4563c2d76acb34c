//! Time: how far away the other end is, how fast ticks are bought, when packets go, and which moment is drawn.

mod pacing;
#[cfg(test)]
mod pacing_loop;
mod playback;
mod rtt;
mod send;
mod ticker;

pub use pacing::Pacing;
pub use playback::Playback;
pub use rtt::RttEstimate;
pub use send::SendClock;
pub use ticker::{MAX_TICKS, Ticker};
