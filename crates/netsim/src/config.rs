//! What a link is told to do.

use wire::Micros;

/// What the carrier does with a packet that the network loses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Carrier {
    /// A reliable stream (WebSocket over TCP): late but whole. What is lost is sent again, what is behind it waits, and
    /// then all of it arrives at once.
    Ordered,
    /// Single packets (WebTransport datagrams, UDP): what is lost is lost, and a later packet may overtake an earlier.
    #[default]
    Datagram,
}

/// The settings of one direction of a link. The default is a perfect datagram link: no delay, no faults.
///
/// The link takes any value: shares are clamped to `0..=1` with NaN read as 0, times saturate.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LinkConfig {
    /// The shortest time from one end to the other.
    pub latency: Micros,
    /// Added to the latency for each packet on its own: uniform from 0 to this, both included.
    ///
    /// Packets drawn apart by more than they were sent apart change places (Datagram) or wait for each other (Ordered).
    pub jitter: Micros,
    /// Share of transmissions that the network loses, `0..=1`, each on its own. On an ordered link it holds for every
    /// repeat too.
    pub loss: f64,
    /// Share of packets, `0..=1`, delayed by 1.25 to 3.25 usual gaps between sends, so that the next one to three pass.
    pub reorder: f64,
    /// Share of packets, `0..=1`, of which a second copy arrives, up to one usual gap after the first. An ordered carrier
    /// throws the copy away, so there it changes nothing.
    pub duplicate: f64,
    /// What becomes of a loss.
    pub carrier: Carrier,
    /// Latency of both directions together, which is how long an ordered sender waits to hear of a loss. 0, the default,
    /// stands for twice `latency`; set it where the two directions differ. Without effect on a datagram link.
    pub round_trip: Micros,
}

impl LinkConfig {
    /// The same settings with every share inside `0..=1`, never NaN nor -0.
    pub(crate) fn tidy(self) -> Self {
        Self {
            loss: share(self.loss),
            reorder: share(self.reorder),
            duplicate: share(self.duplicate),
            ..self
        }
    }

    /// Latency there and back: `round_trip`, or twice the latency where that is 0.
    pub(crate) fn there_and_back(&self) -> Micros {
        if self.round_trip == Micros::ZERO {
            self.latency * 2
        } else {
            self.round_trip
        }
    }
}

/// Something that happens to a link once, by hand; see [`crate::Link::shock`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shock {
    /// The next packet sent is lost. Two of them: the next two.
    DropNext,
    /// A queue on the way holds everything sent from now on for `extra` and then lets it go at once.
    Spike {
        /// How long the queue holds.
        extra: Micros,
    },
    /// No transmission gets through from now on for `length`. A datagram link loses what is sent meanwhile, an ordered
    /// one holds it. What was in flight before arrives.
    Dark {
        /// How long the link is dark.
        length: Micros,
    },
}

fn share(value: f64) -> f64 {
    // NaN fails the comparison and becomes 0, as -0 does.
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}
