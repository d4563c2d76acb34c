//! A link that does to packets what it is told to, and nothing else: one direction, seeded, in virtual time.
//!
//! A [`Link`] takes packets at one end and gives them out at the other, late, out of order, twice or never, as its
//! [`LinkConfig`] says. It reads no clock and no random device: `now` is an argument and every draw is a function of
//! the seed and the packet's number, so that equal calls give equal deliveries on every machine, and moving one
//! setting leaves the draws of all the others as they were.
//!
//! A packet goes through a bottleneck first, where a rate is set: it waits in a queue for those before it, or finds the
//! queue full. Then the network loses it or not, alone or in bursts, and takes its time, which may change as time goes by.
//!
//! What the carrier does with a loss is a value, [`Carrier`]: a datagram that is lost leaves a hole; on an ordered
//! stream it is sent again, everything behind it waits, and then all of it comes at once. The rules of the stream
//! stand in `recovery.rs` with their reasons.
//!
//! ```
//! use afterimage_netsim::{Carrier, Link, LinkConfig};
//! use wire::Micros;
//!
//! let config = LinkConfig { latency: Micros::from_millis(40), ..LinkConfig::default() };
//! let mut link = Link::new(7, config);
//! link.send(Micros::ZERO, b"hello");
//! let mut packet = Vec::new();
//! assert!(link.receive(Micros::from_millis(39), &mut packet).is_none());
//! assert_eq!(link.next_at(), Some(Micros::from_millis(40)));
//! assert!(link.receive(Micros::from_millis(40), &mut packet).is_some());
//! assert_eq!(packet, b"hello");
//! assert_eq!(config.carrier, Carrier::Datagram);
//! ```

mod arena;
mod config;
mod datagram;
mod flight;
mod line;
mod link;
mod losses;
mod ordered;
mod preset;
mod recovery;
mod rng;
#[cfg(test)]
mod shape;
#[cfg(test)]
mod testing;
mod trace;

pub use config::{Carrier, LinkConfig, OVERHEAD, Shock, Vary};
pub use flight::{Fate, Flight, LinkCounters, PacketId};
pub use link::{Link, MAX_BYTES, MAX_PACKETS, Meddle, Unmeddled};
pub use preset::{PRESETS, Preset};
pub use rng::Rng;
pub use trace::{MAX_ROWS, Trace, TraceError, Wrong};
