//! What a screen draws: a flat list of marks.

use wire::SlotKey;

/// Floats of one mark in a flat buffer: kind, x, y, heading, size, size2, flags, key.
pub const MARK_STRIDE: usize = 8;

/// What a mark is; the number is what the page reads. The same mark means the same thing wherever it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum MarkKind {
    /// The character whose seat the page holds: a disc.
    You = 0,
    /// Another player: a square.
    Other = 1,
    /// A bot: a triangle.
    Bot = 2,
    /// Where the server has a body now: a hollow ring.
    Truth = 3,
    /// A place that no answer has confirmed yet.
    Unconfirmed = 4,
    /// A sample that the screen draws between.
    Sample = 5,
    /// Where a body was put back to for one shot; `heading` is how far back, ms.
    Rewound = 6,
    /// A wall: x, y is its centre, `size` its width, `size2` its height.
    Wall = 7,
    /// A moving wall, measured as a wall.
    Gate = 8,
    /// A shot: from x, y to `size`, `size2`. Flags: 0 nobody judged it yet, 1 the server did.
    Shot = 9,
    /// The end of a shot. Flags: 0 pending, 1 hit, 2 granted by the rewind, 3 denied by the rewind, 4 miss, 5 behind
    /// cover.
    Verdict = 10,
    /// How far a drawn body is from the truth: at x, y; the truth at `size`, `size2`; `heading` is ms, signed.
    Lag = 11,
    /// An enemy: a body of the crowd.
    Enemy = 12,
    /// A stand-in for many bodies too far away to be heard: `size` is a radius, `size2` the logarithm of how many they are,
    /// flags how many.
    StandIn = 13,
    /// What pulls everything: `size` is a radius.
    Hole = 14,
    /// A body that is pulled.
    Pellet = 15,
    /// What a viewer hears: a circle of radius `size`.
    Hears = 16,
    /// What a body does all around it: a circle of radius `size`. Flags: 1 a repulse, 2 a nova.
    Ring = 17,
}

/// One mark, lengths in the scene's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// What it is.
    pub kind: MarkKind,
    /// Right.
    pub x: f32,
    /// Down.
    pub y: f32,
    /// Where it looks, rad, from right to down.
    pub heading: f32,
    /// Radius of a body; otherwise as its kind says.
    pub size: f32,
    /// Health of a body, 0 to 1; otherwise as its kind says.
    pub size2: f32,
    /// [`Mark::DEAD`] and its neighbours for bodies; otherwise as its kind says.
    pub flags: u32,
    /// Whose mark it is: [`wire::SlotKey::packed`], at most 2^24 - 1, so it is exact as a float.
    pub key: u32,
}

impl Mark {
    /// Flag of a body: out of the game until it comes back.
    pub const DEAD: u32 = 1;
    /// Flag of a body: in a dash.
    pub const DASHING: u32 = 1 << 1;
    /// Flag of a body: the screen has no sample left to draw it between.
    pub const STARVED: u32 = 1 << 2;
    /// Flag of a body: was hit a moment ago.
    pub const HURT: u32 = 1 << 3;
    /// Flags of a verdict: who is looked at was hit here, behind cover on their own screen.
    pub const BEHIND_COVER: u32 = 5;

    /// A mark at a place, everything else zero.
    pub const fn new(kind: MarkKind, [x, y]: [f32; 2]) -> Self {
        Self {
            kind,
            x,
            y,
            heading: 0.0,
            size: 0.0,
            size2: 0.0,
            flags: 0,
            key: 0,
        }
    }

    /// The key of a slot's occupant as a mark's key.
    pub const fn key_of(key: SlotKey) -> u32 {
        key.packed()
    }

    /// Appends its [`MARK_STRIDE`] floats.
    pub fn write(&self, out: &mut Vec<f32>) {
        out.extend_from_slice(&[
            f32::from(self.kind as u8),
            self.x,
            self.y,
            self.heading,
            self.size,
            self.size2,
            self.flags as f32,
            self.key as f32,
        ]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_key_is_exact_as_a_float() {
        let mut mark = Mark::new(MarkKind::Lag, [1.0, 2.0]);
        mark.key = Mark::key_of(SlotKey {
            slot: u16::MAX,
            life: u8::MAX,
        });
        let mut out = Vec::new();
        mark.write(&mut out);
        assert_eq!(out.len(), MARK_STRIDE);
        assert_eq!((out[0], out[1], out[2]), (11.0, 1.0, 2.0));
        assert_eq!(out[7] as u32, (1 << 24) - 1);
    }
}
