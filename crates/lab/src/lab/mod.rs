//! The lab: a server, two players and the links between them, in virtual time.

mod clock;
mod drive;
mod face;
mod frame;
pub(crate) mod line;
mod marks;
pub(crate) mod measure;
mod mends;
pub(crate) mod mirror;
pub(crate) mod notes;
mod own;
mod packet;
pub(crate) mod screen;
mod seat;
mod setup;
mod strips;
pub(crate) mod truth;
mod view;
mod world;

use std::sync::Arc;

use netcode::Role;
use netsim::{Meddle, PacketId, Shock, Trace};
use scenes::Pad;
use wire::{Micros, Tick};

pub use drive::{Driver, Script};
pub use notes::FeedLine;
pub use setup::{First, LabSetup, needs};
pub(crate) use setup::{client, link, server};
pub use strips::{Arrival, Depth, Frame, Snapshot, Strips, Traffic};
pub use view::{Standing, View};
pub use world::LabOf;

use crate::inspect::Inspected;
use crate::params::{Config, Pair, ParamId};
use crate::probe::{Meters, ProbeId};

/// The seat that the page and the probes are about.
pub const YOU: usize = 0;
/// The other player's seat.
pub const OTHER: usize = 1;

/// A screen of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// What You's client draws.
    You,
    /// What the server has.
    Server,
    /// What the other player's client draws.
    Other,
}

/// Which way of a link is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// To the server.
    Up,
    /// From the server.
    Down,
    /// Both.
    Both,
}

/// Something done to a lab. Plain and untyped, so that it can be kept in a list and done again.
#[derive(Clone, Debug)]
pub enum Action {
    /// Sets a parameter; the value must be in its range. One that restarts begins again at time zero.
    Set(ParamId, f64),
    /// Says who drives a seat.
    Drive(usize, Driver),
    /// A person's hands at a seat whose driver is [`Driver::Hands`].
    Pad(usize, Pad),
    /// Loads what `link.vary=trace` plays.
    Trace(Arc<Trace>),
    /// Shakes a seat's link once.
    Perturb {
        /// Whose link.
        seat: usize,
        /// Which way.
        side: Side,
        /// How.
        shock: Shock,
    },
    /// Does something to one packet in flight, once; where it cannot be done any more, nothing.
    Meddle {
        /// Whose link.
        seat: usize,
        /// Which way.
        side: Pair,
        /// Its number on that line.
        id: PacketId,
        /// What.
        what: Meddle,
    },
}

/// What a page shows of a match, be it a lab's or a real one.
pub trait Instruments {
    /// The time.
    fn now(&self) -> Micros;
    /// The server's newest tick; online as the client takes it to be.
    fn tick(&self) -> Tick;
    /// Every parameter.
    fn config(&self) -> &Config;
    /// What a pane shows, [`scenes::MARK_STRIDE`] floats a mark.
    fn marks(&self, pane: Pane, out: &mut Vec<f32>);
    /// Packets in flight, eight floats each: number, line (0 You up, 1 You down, 2 Other up, 3 Other down), cargo (0
    /// inputs, 1 snapshot, 2 other), way gone 0 to 1, fate (0 delivered, 1 lost, 2 late, 3 doubled), sent and due in ms
    /// relative to now, bytes.
    fn flights(&self, out: &mut Vec<f32>);
    /// What was measured.
    fn meters(&self) -> &Meters;
    /// What the instruments draw.
    fn strips(&self) -> &Strips;
    /// Whether a probe is measured here at all.
    fn knows(&self, probe: ProbeId) -> bool;
    /// The parts of the delay that the link needs: one way, jitter, variation, the time between two snapshots; ms.
    fn needs(&self) -> [f64; 4];
    /// What a client is; `None` of one that is not at hand.
    fn role(&self, seat: usize) -> Option<Role>;
    /// How far behind the server's present a seat's screen shows the others, ms.
    fn behind_ms(&self, seat: usize) -> Option<f64>;
    /// How far ahead of where the server stands with its commands a seat's own character is drawn, ms.
    fn ahead_ms(&self, seat: usize) -> Option<f64>;
    /// How many of the newest hundred packets from or to a seat were lost.
    fn lost_of_last_100(&self, seat: usize, side: Pair) -> u32;
}

/// A lab of any scene: what a timeline, a page and a command line work on.
pub trait Lab: Instruments + Send {
    /// The scene's name.
    fn scene(&self) -> &'static str;
    /// How it was set up, with the parameters as they are now.
    fn setup(&self) -> &LabSetup;
    /// When the server's next tick is due.
    fn next_tick_at(&self) -> Micros;
    /// Runs everything that is due at or before `to`. Cutting time into other pieces changes nothing.
    fn advance(&mut self, to: Micros);
    /// Does something at this instant.
    fn act(&mut self, action: Action);
    /// A hash of everything that what happens next depends on.
    fn digest(&self) -> u64;
    /// An exact copy that goes on by itself.
    fn fork(&self) -> Box<dyn Lab>;
    /// Memory that a copy takes, bytes.
    fn bytes(&self) -> usize;
    /// Whether an action would change anything at this instant. Doing again what is so already would not.
    fn changes(&self, action: &Action) -> bool;
    /// A packet of a seat's, explained as its receiver would read it now. Of one that is over, or was not sent yet, no more
    /// than that.
    fn inspect(&self, seat: usize, side: Pair, id: PacketId) -> Inspected;
    /// Forgets what the probes were told so far; what the instruments draw stays.
    fn measure_afresh(&mut self);
    /// Takes what happened since it was asked last.
    fn drain(&mut self) -> Vec<FeedLine>;
    /// Whether sentences for [`Lab::drain`] are written; a run without a reader needs none.
    fn set_told(&mut self, told: bool);
}
