//! The relay: serves the page, and hosts the matches that people play on it.
//!
//! Pieces, each usable alone: [`Assets`] is the page in memory; [`Relay`] holds rooms, limits and figures, and knows no
//! socket; [`session`] plays one carrier's session in a room, whatever carries it, and [`transport`] are the carriers;
//! [`app`] answers HTTP for all of them; and [`run`] takes its sockets and its stop signal, so that a test needs neither
//! a port of its own choice nor a signal.

mod access;
mod address;
mod api;
mod app;
mod assets;
#[cfg(feature = "bots")]
pub mod bots;
pub mod cert;
mod config;
mod http;
mod limits;
mod listen;
mod metrics;
#[cfg(feature = "bots")]
pub mod native;
mod origin;
mod process;
mod relay;
pub mod rooms;
mod run;
pub mod session;
pub mod transport;

pub use access::{Access, peer};
pub use address::{Proxies, ProxyError, household, normal};
pub use app::{AppState, app};
pub use assets::{Asset, Assets, AssetsError};
pub use config::{LimitSettings, Place, RoomSettings, Settings};
pub use limits::{ConnectionPermit, LimitError, Limits};
pub use listen::{BindError, Listeners, bind};
pub use metrics::{Direction, Metrics};
pub use origin::{Origin, OriginError, Origins};
pub use relay::{Relay, WebTransport};
pub use run::{RunError, run};
