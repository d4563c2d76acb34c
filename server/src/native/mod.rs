//! A player's end of the relay for native programs: joining over HTTP, then one carrier that a real
//! [`netcode::Client`] is driven over.
//!
//! [`Api`] asks for a place, [`Doors`] opens the carrier that the place is taken on, and [`play`] is the third driver of a
//! client, after the lab's and the page's: it carries bytes and knows the time, and decides nothing.

mod api;
mod carrier;
mod doors;
mod drive;
mod tls;
mod udp;
mod ws;
mod wt;

pub use api::{Api, ApiError, Certificate, Created, JoinRequest, NewRoom, RoomLine, Ticket, World};
pub use carrier::{AnyCarrier, Carrier, must_arrive};
pub use doors::{Doors, OpenError};
pub use drive::{Clock, Ended, Hands, play};
pub use tls::{TlsError, trust};
pub use udp::Udp;
pub use ws::Ws;
pub use wt::{Wt, WtDoor};
