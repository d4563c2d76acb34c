//! Everything that is measured: one catalogue for the command line, the page and the tests. All of it is about the seat
//! "you"; the other player is there to be looked at.

mod catalogue;
mod meter;
mod window;

pub use catalogue::*;
pub use meter::{Meters, Reading, Summary};
pub(crate) use window::BIN;

/// How a probe's values come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A value for each drawn frame or each tick. Its total says nothing.
    Sampled {
        /// What two values must differ by to count as different in a percentile, in the probe's unit.
        grain: f64,
    },
    /// A value now and then, when something happens; its total says something too.
    Event {
        /// As for [`Kind::Sampled`].
        grain: f64,
    },
    /// Things counted; its mean and maximum are a second's.
    Counted,
}

/// The figure of a summary that a sentence would quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headline {
    /// The mean.
    Mean,
    /// The total.
    Total,
    /// The largest.
    Max,
}

/// One probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Its name in results.
    pub id: &'static str,
    /// Its name on the page.
    pub label: &'static str,
    /// Its unit. `m` is a length in the scene's own unit: see [`Probe::unit_in`].
    pub unit: &'static str,
    /// What it says, in a sentence.
    pub help: &'static str,
    /// How its values come.
    pub kind: Kind,
    /// Whether its values may lie below zero; those of another count as zero in a percentile.
    pub signed: bool,
    /// What a sentence would quote.
    pub headline: Headline,
}

impl Probe {
    /// Its unit where lengths are in `scene`, a scene's own unit.
    pub fn unit_in(&self, scene: &'static str) -> &'static str {
        if self.unit == "m" { scene } else { self.unit }
    }
}

/// A probe's place in [`PROBES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProbeId(u8);

impl ProbeId {
    /// Every probe, in the catalogue's order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..PROBES.len() as u8).map(Self)
    }

    /// The probe of a name.
    pub fn named(id: &str) -> Option<Self> {
        Self::all().find(|at| at.probe().id == id)
    }

    /// What the catalogue says of it.
    pub fn probe(self) -> &'static Probe {
        &PROBES[usize::from(self.0)]
    }

    /// Its place.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The probe of a name that is known to exist; a name that is not does not compile.
    const fn find(id: &str) -> Self {
        let mut at = 0;
        while at < PROBES.len() {
            if crate::same(PROBES[at].id.as_bytes(), id.as_bytes()) {
                return Self(at as u8);
            }
            at += 1;
        }
        panic!("no probe of that name")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_moves_a_probe_that_exists() {
        for param in crate::params::CATALOGUE {
            for moved in param.moves {
                assert!(
                    ProbeId::named(moved.probe).is_some(),
                    "{} moves {}",
                    param.id,
                    moved.probe
                );
            }
        }
    }

    #[test]
    fn names_are_said_once_and_explained() {
        for (at, probe) in PROBES.iter().enumerate() {
            assert_eq!(
                ProbeId::named(probe.id).map(ProbeId::index),
                Some(at),
                "{}",
                probe.id
            );
            assert!(!probe.label.is_empty() && !probe.unit.is_empty() && !probe.help.is_empty());
        }
    }
}
