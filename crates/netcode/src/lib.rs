//! Everything between a key pressed and what each screen shows, as state machines without I/O.
//!
//! Two machines do the work, and every driver treats them alike: give them what arrived, let them run to
//! `now`, then **drain [`Output`] until it says `Wait`**:
//!
//! ```text
//! machine.handle(now, peer, bytes)?;            // for everything that arrived
//! machine.advance(now);                         // run the ticks that are due
//! loop { match machine.poll(&mut buf) {
//!     Output::Transmit { to, len, .. } => carrier.send(to, &buf[..len]),
//!     Output::Event(event) => game_says(event),
//!     Output::Wait { until } => break sleep_until(until),
//! } }
//! ```
//!
//! - [`Server`] decides. It runs one command of each player a tick and tells each what changed.
//! - [`Client`] predicts its own character with the same [`Game::step`], shows everyone else in the past, and is
//!   set right by the server. One may also only watch.
//!
//! Who a carrier's session is, its driver says ([`Claim`]); where the carrier proves no address, [`session::Gate`] stands
//! before the server.
//!
//! The idea behind both is one predicate, [`Step::simulates`] (seed `001_545bc6c5b0a72338.txt`): yes to everything on a
//! server and offline, and on a client to what it owns and to the classes that both ends move by the same rule.

#![warn(missing_docs)]

pub mod bits;
pub mod client;
pub mod clock;
pub mod digest;
pub mod drawn;
pub mod game;
pub mod input;
pub mod interest;
pub mod interpolate;
pub mod output;
pub mod predict;
pub mod replicate;
pub mod rewind;
pub mod server;
pub mod session;
mod shows;
pub mod table;
mod traffic;

pub use bits::Bits;
pub use client::{Client, ClientConfig, ClientCounters};
pub use digest::Digest;
pub use drawn::{Drawn, DrawnBody};
pub use game::{Driver, Event, Game, Input, InputOrder, Rewound, Step};
pub use output::{Delivery, Fault, Output, PeerId};
pub use server::{PeerCounters, PeerView, Server, ServerConfig, ServerCounters};
pub use session::{Claim, Role};
pub use shows::Shows;
pub use table::Table;
pub use traffic::{DownTraffic, UpTraffic};
