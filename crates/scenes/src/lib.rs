//! The games, each behind [`netcode::Game`], and what the workbench needs to show, drive and measure any of them: [`Scene`].
//!
//! A game's folder holds its rules, its map, its bots and its picture, and nothing else: no socket, no clock, no page.
//! What both ends run uses `+ - * /` and square roots on floats, or the `libm` crate, so that native and wasm agree
//! to the last bit.

#![warn(missing_docs)]

pub mod arena;
pub mod black_holes;
pub mod bot;
pub mod horde;
pub mod mark;
pub mod rng;
pub mod scene;
mod vec2;

pub use arena::Arena;
pub use black_holes::BlackHoles;
pub use bot::{BotMemory, BotStyle};
pub use horde::Horde;
pub use mark::{MARK_STRIDE, Mark, MarkKind};
pub use rng::Rng;
pub use scene::{
    Body, FieldWords, Note, Pad, Scene, Setup, Shot, ShotTally, Unjudged, Verdict, View,
};
