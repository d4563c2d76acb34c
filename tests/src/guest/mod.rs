//! A guest of a relay, as strangers write one: from the text of the protocol alone, over plain sockets, with every step
//! apart, so that a test can do each of them wrong.
//!
//! [`Door`] speaks the relay's HTTP, [`Carrier`] one WebSocket or WebTransport session, and [`Player`] plays a real
//! [`netcode::Client`] on one.

mod carrier;
mod door;
mod host;
mod player;
mod program;

pub use carrier::{Carrier, Said, Via};
pub use door::{Answer, Door, Ticket};
pub use host::Host;
pub use player::{Player, Seen, hello};
pub use program::Program;
