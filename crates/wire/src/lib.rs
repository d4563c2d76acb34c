//! Values to bytes and back: the whole of what travels between two ends, and nothing of what it is
//! for.
//!
//! - Time as numbers: [`Micros`], [`Tick`], [`Seq`], [`Instant`]. Nothing here reads a clock.
//! - Names: [`SlotKey`], [`ClassId`].
//! - One bit stream each way: [`Writer`], [`Reader`], both with an optional [`FieldSink`] that is
//!   told every field, so that a packet can be explained bit by bit.
//! - What a field's bits mean: [`Quant`]; what a record is made of: [`Field`], [`Class`],
//!   [`Schema`]; a struct and its class from one list: [`record!`].
//! - The frame and its messages: [`Prefix`], [`Header`], [`Hello`], [`Welcome`], [`Refusal`],
//!   [`Goodbye`], [`InputsHead`], [`SnapshotHead`], [`EntryHead`].
//!
//! `WIRE.md` beside this crate states every byte. Reading hostile bytes gives a [`ReadError`],
//! never a panic, and nothing here allocates by what a packet claims.

mod bits;
mod class;
#[cfg(test)]
mod dice;
mod entry;
mod frame;
mod key;
mod message;
mod opening;
mod quant;
mod record;
mod refusal;
mod schema;
mod summary;
mod time;

pub use bits::{
    FieldSink, Mark, Meaning, Overflow, ReadError, Reader, Writer, read_gap, write_gap,
};
pub use class::{Audience, Blend, Class, Field, Shown};
pub use entry::{EntryHead, EventsHead, MAX_RUN, What};
pub use frame::{
    Header, Kind, MAX_PACKET, MAX_PACKET_WEBTRANSPORT, Prefix, PrefixKind, TAG, VERSION,
    is_prefixed,
};
pub use key::{ClassId, SlotKey};
pub use message::{InputHead, InputsHead, MAX_INPUTS, Ping, Pong, SnapshotHead, read_drawn};
pub use opening::{Hello, MAX_RATE, MAX_TICK, NO_SLOT, Opening, Seating, Welcome};
pub use quant::Quant;
pub use refusal::{Goodbye, Refusal};
pub use schema::Schema;
pub use summary::{MAX_SUMMARIES, Summaries};
pub use time::{Instant, Micros, Seq, Tick};
