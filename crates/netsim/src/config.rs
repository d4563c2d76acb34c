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
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LinkConfig {
    /// The shortest time from one end to the other.
    pub latency: Micros,
    /// Added to the latency for each packet on its own: uniform from 0 to this, both included.
    ///
    /// Packets drawn apart by more than they were sent apart change places (Datagram) or wait for each other (Ordered).
    pub jitter: Micros,
    /// Share of transmissions that the network loses, `0..=1`, in runs as [`Self::burst`] says. On an ordered link it holds
    /// for every repeat too.
    pub loss: f64,
    /// Losses in a row, on average: the two states of Gilbert and Elliott, of which the bad one loses everything. Chance
    /// alone makes runs of 1 / (1 - `loss`), and below that, so at 0 and 1, each packet is lost on its own; `loss` stays
    /// the share that is lost. A repeat on an ordered link comes a round trip later and is lost on its own.
    pub burst: f64,
    /// Share of packets, `0..=1`, delayed by 1.25 to 3.25 usual gaps between sends, so that the next one to three pass.
    pub reorder: f64,
    /// Share of packets, `0..=1`, of which a second copy arrives, up to one usual gap after the first. An ordered carrier
    /// throws the copy away, so there it changes nothing.
    pub duplicate: f64,
    /// Bytes a second that fit through, each packet with [`OVERHEAD`] of its own; 0 is no cap. What does not fit waits in
    /// a queue before the latency begins.
    pub rate: u32,
    /// The longest that a packet waits in that queue: a datagram that would wait longer is dropped at its end and counts
    /// as lost. A stream's sender is slowed to the rate instead and loses nothing, so there what does not fit waits with
    /// the sender, without this bound; see [`crate::Link::backed_up_until`].
    pub queue: Micros,
    /// How the latency changes with time.
    pub vary: Vary,
    /// What becomes of a loss.
    pub carrier: Carrier,
    /// Latency of both directions together, which is how long an ordered sender waits to hear of a loss. 0, the default,
    /// stands for twice `latency`; set it where the two directions differ. Without effect on a datagram link.
    pub round_trip: Micros,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            latency: Micros::ZERO,
            jitter: Micros::ZERO,
            loss: 0.0,
            burst: 1.0,
            reorder: 0.0,
            duplicate: 0.0,
            rate: 0,
            queue: Micros::ZERO,
            vary: Vary::Still,
            carrier: Carrier::Datagram,
            round_trip: Micros::ZERO,
        }
    }
}

/// Bytes that a packet takes of the rate beside its own: the headers of IPv4 (20) and UDP (8). TCP's are 12 more, TLS and
/// WebSocket take theirs; a byte count that wants those adds them.
pub const OVERHEAD: u32 = 28;

/// How the latency of a link changes with time. All of it is a function of the instant of sending, so that nothing about
/// it has to be remembered; each is at its start at instant 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Vary {
    /// It does not.
    #[default]
    Still,
    /// Up by `depth` and down again in straight lines, once in a period: a cell that fills and empties.
    Wave {
        /// The most that it adds.
        depth: Micros,
        /// Up and down again; 0 stands for [`Vary::Still`].
        period: Micros,
    },
    /// Up by `depth` over a period and then back at once: a queue that fills and is thrown away, a handover. What is sent
    /// after the fall overtakes what was sent before it (Datagram).
    Ramp {
        /// The most that it adds.
        depth: Micros,
        /// From one fall to the next; 0 stands for [`Vary::Still`].
        period: Micros,
    },
    /// As the link's [`crate::Trace`] says, over and over; without one, not at all. Its delays come on top of the latency
    /// and jitter, its losses on top of the loss.
    Trace,
}

impl Vary {
    /// What is added to the latency of a packet that leaves at `at`, a trace's share aside.
    pub(crate) fn extra(self, at: Micros) -> Micros {
        let (depth, period, wave) = match self {
            Self::Still | Self::Trace => return Micros::ZERO,
            Self::Wave { depth, period } => (depth, period, true),
            Self::Ramp { depth, period } => (depth, period, false),
        };
        let Some(into) = at.get().checked_rem(period.get()) else {
            return Micros::ZERO;
        };
        let up = if wave {
            2 * into.min(period.get() - into)
        } else {
            into
        };
        // 64 bits times 64 bits fit 128; the quotient is at most the depth.
        Micros::new((u128::from(depth.get()) * u128::from(up) / u128::from(period.get())) as u64)
    }
}

impl LinkConfig {
    /// The same settings with every share inside `0..=1`, never NaN nor -0.
    pub(crate) fn tidy(self) -> Self {
        Self {
            loss: share(self.loss),
            // NaN too becomes 0.
            burst: self.burst.max(0.0) + 0.0,
            reorder: share(self.reorder),
            duplicate: share(self.duplicate),
            ..self
        }
    }

    /// How long the rate takes to let a packet of so many bytes through.
    pub(crate) fn serialised(&self, len: usize) -> Micros {
        let bytes = (len as u64).saturating_add(u64::from(OVERHEAD));
        // Without a cap there is nothing to divide by, and it takes no time.
        Micros::new(
            (bytes.saturating_mul(1_000_000))
                .checked_div(u64::from(self.rate))
                .unwrap_or(0),
        )
    }

    /// The chance that the network loses a packet after one that it lost, or did not.
    pub(crate) fn loss_after(&self, lost: bool) -> f64 {
        let Self { loss, burst, .. } = *self;
        // Chance alone makes runs as long, or there is nothing to make runs of.
        if burst * (1.0 - loss) <= 1.0 || loss <= 0.0 {
            return loss;
        }
        // A run of mean length b ends with chance 1/b; the share then says how often one begins.
        if lost {
            1.0 - 1.0 / burst
        } else {
            loss / (1.0 - loss) / burst
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

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Micros {
        Micros::from_millis(ms)
    }

    #[test]
    fn a_wave_goes_up_and_down_and_a_ramp_falls() {
        let (depth, period) = (ms(100), ms(1_000));
        let at = |vary: Vary| {
            [0, 250, 500, 750, 999, 1_000, 1_250].map(|t| vary.extra(ms(t)).get() / 1_000)
        };
        assert_eq!(at(Vary::Wave { depth, period }), [0, 50, 100, 50, 0, 0, 50]);
        assert_eq!(at(Vary::Ramp { depth, period }), [0, 25, 50, 75, 99, 0, 25]);
        assert_eq!(at(Vary::Still), [0; 7]);
        let endless = Vary::Wave {
            depth,
            period: Micros::ZERO,
        };
        assert_eq!(at(endless), [0; 7]);
        let most = Vary::Wave {
            depth: Micros::MAX,
            period: Micros::MAX,
        };
        assert!(most.extra(Micros::MAX) < ms(1));
    }
}
