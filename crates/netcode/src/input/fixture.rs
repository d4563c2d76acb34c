//! An input for tests, and dice.

use wire::{ReadError, Reader, Writer};

use crate::game::Input;

/// A stick (a level) and presses (edges, one bit each).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pad {
    pub(crate) stick: u8,
    pub(crate) presses: u8,
}

impl Input for Pad {
    const ACTIONS: &'static [&'static str] = &["move", "press"];

    fn write(&self, w: &mut Writer<'_>) {
        w.u8("stick", self.stick);
        w.u8("presses", self.presses);
    }

    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            stick: r.u8("stick")?,
            presses: r.u8("presses")?,
        })
    }

    fn without_edges(self) -> Self {
        Self { presses: 0, ..self }
    }

    fn fold_edges(self, older: Self) -> Self {
        Self {
            presses: self.presses | older.presses,
            ..self
        }
    }
}

/// Seeded dice (splitmix64), so that a test runs the same on every machine.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Evenly between 0 and 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Evenly among 0 to `below - 1`.
    pub(crate) fn below(&mut self, below: u64) -> u64 {
        self.next() % below
    }
}
