//! The network under the carrier: what happens to one transmission.

use wire::Micros;

use crate::LinkConfig;
use crate::rng::{Rng, scale, unit};

/// The gap between sends that is assumed before two were seen: 64 packets a second, rounded.
const FIRST_GAP: Micros = Micros::new(16_000);

/// The longest gap that counts as a gap; beyond it the sender paused, and a packet "overtaken by the next" would be held
/// for seconds. A guess.
const LONGEST_GAP: Micros = Micros::new(250_000);

/// A lane of draws for the first transmission of a packet; resend k has lane k.
const FIRST: u64 = 0;

/// Settings, seed and the shocks that last. All of it is plain values: whatever is drawn is a function of the seed and
/// the packet's number alone.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Line {
    seed: u64,
    pub(crate) config: LinkConfig,
    /// How many of the next packets are lost by hand.
    drops: u32,
    /// What departs before this instant waits for it: a spike.
    held_until: Micros,
    /// What departs before this instant is lost.
    dark_until: Micros,
    last_sent: Option<Micros>,
    /// The usual time between two instants of sending: how far a packet must fall back to be overtaken.
    gap: Micros,
}

/// What the network does with the first transmission of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Trip {
    /// When it arrives, or would have.
    pub(crate) at: Micros,
    /// It does not arrive.
    pub(crate) lost: bool,
    /// When a second copy of it arrives.
    pub(crate) copy: Option<Micros>,
}

impl Line {
    pub(crate) fn new(seed: u64, config: LinkConfig) -> Self {
        Self {
            seed,
            config: config.tidy(),
            drops: 0,
            held_until: Micros::ZERO,
            dark_until: Micros::ZERO,
            last_sent: None,
            gap: FIRST_GAP,
        }
    }

    pub(crate) fn drop_next(&mut self) {
        self.drops = self.drops.saturating_add(1);
    }

    pub(crate) fn spike(&mut self, until: Micros) {
        self.held_until = self.held_until.max(until);
    }

    pub(crate) fn dark(&mut self, until: Micros) {
        self.dark_until = self.dark_until.max(until);
    }

    /// Sends packet `id` for the first time.
    pub(crate) fn first(&mut self, id: u64, now: Micros) -> Trip {
        self.pace(now);
        // Every draw is made whatever the settings, in this order for good: a recorded run depends on it.
        let mut rng = Rng::keyed(self.seed, id, FIRST);
        let loss = rng.unit_f64();
        let jitter = rng.next_u64();
        let reorder = rng.unit_f64();
        let behind = rng.next_u64();
        let duplicate = rng.unit_f64();
        let copy = rng.next_u64();

        let dropped = self.drops > 0;
        self.drops = self.drops.saturating_sub(1);
        let lost = dropped || now < self.dark_until || loss < self.config.loss;
        let mut at = self.arrival(now, jitter);
        if reorder < self.config.reorder {
            at = at + self.gap + self.gap / 4 + within(behind, self.gap * 2);
        }
        let copied = !lost && duplicate < self.config.duplicate;
        Trip {
            at,
            lost,
            copy: copied.then(|| at + within(copy, self.gap)),
        }
    }

    /// Sends packet `id` for the `resend`th time again, at `when`: the arrival, or `None` where that is lost too.
    pub(crate) fn again(&self, id: u64, resend: u32, when: Micros) -> Option<Micros> {
        let mut rng = Rng::keyed(self.seed, id, FIRST + u64::from(resend));
        let (loss, jitter) = (unit(rng.next_u64()), rng.next_u64());
        let lost = when < self.dark_until || loss < self.config.loss;
        (!lost).then(|| self.arrival(when, jitter))
    }

    /// How long after an arrival the sender hears of it.
    pub(crate) fn reverse(&self) -> Micros {
        // `Sub` saturates: a round trip set below the latency leaves an instant way back.
        self.config.there_and_back() - self.config.latency
    }

    /// Everything that a later delivery depends on.
    pub(crate) fn digest(&self, put: &mut impl FnMut(u64)) {
        let LinkConfig {
            latency,
            jitter,
            loss,
            reorder,
            duplicate,
            carrier,
            round_trip,
        } = self.config;
        put(self.seed);
        put(latency.get());
        put(jitter.get());
        put(loss.to_bits());
        put(reorder.to_bits());
        put(duplicate.to_bits());
        put(carrier as u64);
        put(round_trip.get());
        put(u64::from(self.drops));
        put(self.held_until.get());
        put(self.dark_until.get());
        put(self.last_sent.map_or(u64::MAX, Micros::get));
        put(self.gap.get());
    }

    fn arrival(&self, departs: Micros, jitter: u64) -> Micros {
        departs.max(self.held_until) + self.config.latency + within(jitter, self.config.jitter)
    }

    /// Learns how often packets are sent; several at one instant are one send.
    fn pace(&mut self, now: Micros) {
        let Some(last) = self.last_sent else {
            self.last_sent = Some(now);
            return;
        };
        if now > last {
            // An eighth of the way, the weight that RFC 6298 gives a round trip.
            self.gap = (self.gap * 7 + (now - last).min(LONGEST_GAP)) / 8;
            self.last_sent = Some(now);
        }
    }
}

/// Uniform from 0 to `longest`, both included.
fn within(draw: u64, longest: Micros) -> Micros {
    Micros::new(scale(draw, longest.get().saturating_add(1)))
}
