//! A real match: a client driven by real time and real bytes, with the bench's instruments.
//!
//! [`OnlineOf`] is the third driver of a [`netcode::Client`], beside the lab and the relay's bots. It reads no clock and
//! opens no socket: whoever holds one drives it by the loop below, whatever the carrier.
//!
//! ```
//! # fn drive(online: &mut dyn lab::online::Online, now: wire::Micros, heard: &[&[u8]], send: &mut dyn FnMut(&[u8], bool)) {
//! for bytes in heard {
//!     online.handle(now, bytes);
//! }
//! online.advance(now);
//! let mut packet = Vec::new();
//! while let Some(keep) = online.poll(now, &mut packet) {
//!     send(&packet, keep);
//! }
//! let sleep = online.wait(now);
//! # let _ = sleep;
//! # }
//! ```
//!
//! What is measured is what the bench measures, as far as a client alone can know it:
//!
//! - The server's present is the client's idea of it: the tick that is due to arrive and half of the round trip.
//! - `own.error` holds the own character as it was drawn at a tick of its own against the server's answer for that tick.
//!   Ticks that no snapshot answers for are passed over. With every snapshot heard that is the bench's figure.
//! - `others.error` holds others as they were drawn against what all snapshots together told of that instant a little
//!   later: what a late snapshot would have shown, and what carrying on straight got wrong. What no snapshot ever told,
//!   because it was lost, nobody here can know; the bench does.
//! - Naive figures, and what the server did with inputs, are not known ([`Instruments::knows`]).
//! - A packet counts as lost once a later one has come and it has not come for half a second more; the lagometer lists it at
//!   once, as the snapshot that most packets are.

mod clock;
mod face;
mod glance;
mod kinds;
mod losses;
mod overlay;
mod params;
pub mod recording;
mod session;
mod status;
mod watch;

use netcode::Delivery;
use scenes::Pad;
use wire::Micros;

pub use params::{plain, read, whose};
pub use session::OnlineOf;
pub use status::Status;

use crate::json::{Value, members};
use crate::lab::{FeedLine, Instruments};
use crate::params::{Config, ParamError};
use crate::scenes::SCENES;

/// How a match is entered.
#[derive(Clone, Debug, PartialEq)]
pub struct OnlineSetup {
    /// How the room's world is made.
    pub world: scenes::Setup,
    /// What the carrier does with what it is given.
    pub delivery: Delivery,
    /// Whether only to look on.
    pub watch: bool,
    /// The parameters; those that are not the own side's ([`whose`]) say what the room is thought to have.
    pub config: Config,
}

impl OnlineSetup {
    /// A player's, with own settings as by default and nothing laid over the link.
    pub fn new(world: scenes::Setup, delivery: Delivery) -> Self {
        Self {
            world,
            delivery,
            watch: false,
            config: plain(SCENES[0].id),
        }
    }

    /// How a world is made as the relay tells it: a JSON object of which `seed` and `harmless` count. What a newer relay
    /// tells beyond is passed over: whether both ends hold the same world is for the hello to say.
    ///
    /// # Errors
    /// A sentence.
    pub fn world(setup: &str, rate_hz: u16) -> Result<scenes::Setup, String> {
        let mut world = scenes::Setup {
            rate_hz,
            ..scenes::Setup::default()
        };
        for (key, value) in members(setup)? {
            let Value::Plain(value) = value else { continue };
            let wrong = || format!("the relay's \"{key}\" cannot be {value}");
            match key.as_str() {
                "seed" => world.seed = value.parse().map_err(|_| wrong())?,
                "harmless" => world.harmless = value.parse().map_err(|_| wrong())?,
                _ => {}
            }
        }
        Ok(world)
    }
}

/// A match of any scene: what a page works on. Times are of any clock of the driver's; one that stands still, jumps or goes
/// back does no harm.
pub trait Online: Instruments {
    /// The scene's name.
    fn scene(&self) -> &'static str;
    /// Takes a frame that came from the relay. Whatever it is, it does not panic.
    fn handle(&mut self, now: Micros, bytes: &[u8]);
    /// Runs what is due, a bounded number of ticks.
    fn advance(&mut self, now: Micros);
    /// Writes the next frame to send into `out`, if there is one; whether it must not be lost. **To be asked until there is
    /// none after every call of the above.**
    fn poll(&mut self, now: Micros, out: &mut Vec<u8>) -> Option<bool>;
    /// How long until it wants to be asked again.
    fn wait(&self, now: Micros) -> Micros;
    /// Whether the carrier takes bytes; it does unless this says otherwise.
    fn set_writable(&mut self, writable: bool);
    /// Joins afresh on another carrier. Settings, instruments and the last picture stay.
    fn reconnect(&mut self, now: Micros, delivery: Delivery);
    /// The player's hands.
    fn pad(&mut self, pad: Pad);
    /// Sets a parameter of the own side.
    ///
    /// # Errors
    /// A sentence: what is wrong with the value, or who else it is for to change it.
    fn set(&mut self, id: &str, value: &str) -> Result<(), SetError>;
    /// Leaves, and says so.
    fn leave(&mut self);
    /// What it is.
    fn status(&self) -> Status;
    /// What it holds, as one line for a log: beside the relay's line of a refusal it shows what differs.
    fn describe(&self) -> String;
    /// Takes what happened since it was asked last.
    fn drain(&mut self) -> Vec<FeedLine>;
    /// Starts recording packets afresh, or stops.
    fn record(&mut self, on: bool);
    /// What was recorded last, see [`recording`]; empty where nothing was.
    fn recording(&self) -> &[u8];
}

/// Why a parameter was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// The value, or the name.
    #[error(transparent)]
    Wrong(#[from] ParamError),
    /// It is not for this end to set.
    #[error("{0}")]
    NotOurs(&'static str),
}
