//! The own character now: what was predicted for each tick, and how a correction is shown.

mod offset;
mod predictor;

pub use offset::ErrorOffset;
pub use predictor::{Predictor, Verdict};
