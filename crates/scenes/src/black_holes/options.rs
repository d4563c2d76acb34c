//! What can be chosen of this scene alone.

use netcode::Digest;

use super::{HOLES, PELLETS};

/// Which holes a client hears of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// All of them.
    #[default]
    Full,
    /// Those as near as pellets are heard of, see [`Setup::hears`](crate::Setup::hears).
    Culled,
    /// All of them: the near ones by themselves, the far ones in summary.
    Aggregated {
        /// The opening angle, hundredths: a group is summed up where its cell's width over its distance is less.
        theta: u16,
    },
}

/// In which order pellets are set right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// One after the other.
    #[default]
    RoundRobin,
    /// Those first that the field has bent the most since they were last told.
    WorstFirst,
}

/// What a set-up says of this scene alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Holes, 2 to 64.
    pub holes: u16,
    /// Pellets, 200 to 6,000.
    pub pellets: u16,
    /// Which holes a client hears of.
    pub mode: Mode,
    /// Pellets that are set right in a second, 0 to 4,000.
    pub corrections: u16,
    /// In which order.
    pub order: Order,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            holes: 16,
            pellets: 1_500,
            mode: Mode::Full,
            corrections: 400,
            order: Order::RoundRobin,
        }
    }
}

impl Options {
    /// With everything in its range.
    pub(super) fn sane(self) -> Self {
        Self {
            holes: self.holes.clamp(2, HOLES),
            pellets: self.pellets.clamp(200, PELLETS),
            corrections: self.corrections.min(4_000),
            ..self
        }
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        let Self {
            holes,
            pellets,
            mode,
            corrections,
            order,
        } = *self;
        let mode = match mode {
            Mode::Full => 0,
            Mode::Culled => 1,
            Mode::Aggregated { theta } => 2 + u64::from(theta),
        };
        digest.u64(mode);
        for option in [holes, pellets, corrections, order as u16] {
            digest.u64(u64::from(option));
        }
    }
}
