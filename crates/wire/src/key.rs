//! Names of things on the wire.

use std::fmt;

/// The name of an entity: its slot in the table, and which occupant of that slot is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct SlotKey {
    /// Place in the table; the same number on every end.
    pub slot: u16,
    /// Generation: counts up, wrapping at 256, each time the slot is given to somebody new.
    pub life: u8,
}

impl SlotKey {
    /// The occupant `life` of `slot`.
    pub const fn new(slot: u16, life: u8) -> Self {
        Self { slot, life }
    }

    /// One number for both: slot + 65536 * life. Exact in an `f32` too.
    pub const fn packed(self) -> u32 {
        self.slot as u32 | (self.life as u32) << 16
    }
}

impl fmt::Display for SlotKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.slot, self.life)
    }
}

/// A class of entities: its position in [`Schema::classes`](crate::Schema::classes).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct ClassId(pub u8);
