//! A class of entities for tests, with a field of every blend.

use wire::{Quant, record};

/// A step of its place, m: about a millimetre, and exact in binary.
pub(crate) const STEP: f32 = 1.0 / 1024.0;

record! {
    /// A body on a floor.
    pub(crate) struct Body as BODY ("body", shown: Interpolated, rewind: true, share: 1) {
        /// Along one wall.
        x: Quant::Signed { bits: 20, step: STEP }, "m", Linear, All, place;
        /// Along the other.
        y: Quant::Signed { bits: 20, step: STEP }, "m", Linear, All, place;
        /// Where it looks.
        facing: Quant::Turn { bits: 8 }, "rad", Turn, All;
        /// Of a spring.
        charge: Quant::Share { bits: 8 }, "", Linear, All;
        /// What is left.
        hp: Quant::Count { bits: 7 }, "hp", Nearer, All;
        /// Counts teleports.
        jump: Quant::Count { bits: 2 }, "", Cut, All;
    }
}

/// A body so many steps along.
pub(crate) fn at_x(x: i32) -> [i32; Body::WIDTH] {
    let mut record = [0; Body::WIDTH];
    Body {
        x,
        ..Body::default()
    }
    .save(&mut record);
    record
}
