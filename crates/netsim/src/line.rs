//! The network under the carrier: what happens to one transmission.

use std::sync::Arc;

use wire::Micros;

use crate::rng::{Rng, scale, unit};
use crate::{Carrier, LinkConfig, Trace, Vary};

/// The gap between sends that is assumed before two were seen: 64 packets a second, rounded.
const FIRST_GAP: Micros = Micros::new(16_000);

/// The longest gap that counts as a gap; beyond it the sender paused, and a packet "overtaken by the next" would be held
/// for seconds. A guess.
const LONGEST_GAP: Micros = Micros::new(250_000);

/// A lane of draws for the first transmission of a packet; resend k has lane k.
const FIRST: u64 = 0;

/// Settings, seed, the shocks that last, and what the network remembers. Whatever is drawn is a function of the seed and the
/// packet's number alone; what is remembered changes with what is sent and never with what is asked.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Line {
    seed: u64,
    pub(crate) config: LinkConfig,
    /// What [`Vary::Trace`] plays.
    pub(crate) trace: Option<Arc<Trace>>,
    /// How many of the next packets are lost by hand.
    drops: u32,
    /// What departs before this instant waits for it: a spike.
    held_until: Micros,
    /// What departs before this instant is lost.
    dark_until: Micros,
    /// Until when the rate is taken by what was sent: the end of the queue.
    pub(crate) busy_until: Micros,
    /// Whether the network lost the newest packet: the state of Gilbert and Elliott.
    losing: bool,
    last_sent: Option<Micros>,
    /// The usual time between two instants of sending: how far a packet must fall back to be overtaken.
    gap: Micros,
}

/// What the network does with the first transmission of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Trip {
    /// When it has left the queue, and the network takes it.
    pub(crate) departs: Micros,
    /// When it arrives, or would have.
    pub(crate) at: Micros,
    /// It does not arrive.
    pub(crate) lost: bool,
    /// It does not, because the queue was full.
    pub(crate) dropped: bool,
    /// When a second copy of it arrives.
    pub(crate) copy: Option<Micros>,
}

impl Line {
    pub(crate) fn new(seed: u64, config: LinkConfig) -> Self {
        Self {
            seed,
            config: config.tidy(),
            trace: None,
            drops: 0,
            held_until: Micros::ZERO,
            dark_until: Micros::ZERO,
            busy_until: Micros::ZERO,
            losing: false,
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

    /// Sends packet `id` of `len` bytes for the first time.
    pub(crate) fn first(&mut self, id: u64, now: Micros, len: usize) -> Trip {
        self.pace(now);
        // Every draw is made whatever the settings, in this order for good: a recorded run depends on it.
        let mut rng = Rng::keyed(self.seed, id, FIRST);
        let loss = rng.unit_f64();
        let jitter = rng.next_u64();
        let reorder = rng.unit_f64();
        let behind = rng.next_u64();
        let duplicate = rng.unit_f64();
        let copy = rng.next_u64();

        let by_hand = self.drops > 0;
        self.drops = self.drops.saturating_sub(1);
        self.losing = loss < self.config.loss_after(self.losing);
        let (departs, dropped) = self.queue(now, len);
        let (extra, gone) = self.variation(departs);
        let lost = dropped || by_hand || self.losing || gone || departs < self.dark_until;
        let mut at = self.arrival(departs, jitter) + extra;
        if reorder < self.config.reorder {
            at = at + self.gap + self.gap / 4 + within(behind, self.gap * 2);
        }
        let copied = !lost && duplicate < self.config.duplicate;
        Trip {
            departs,
            at,
            lost,
            dropped,
            copy: copied.then(|| at + within(copy, self.gap)),
        }
    }

    /// Sends packet `id` for the `resend`th time again, at `when`: the arrival, or `None` where that is lost too. It takes
    /// none of the rate: how much of that is left then is not known before.
    pub(crate) fn again(&self, id: u64, resend: u32, when: Micros) -> Option<Micros> {
        let mut rng = Rng::keyed(self.seed, id, FIRST + u64::from(resend));
        let (loss, jitter) = (unit(rng.next_u64()), rng.next_u64());
        let (extra, gone) = self.variation(when);
        let lost = gone || when < self.dark_until || loss < self.config.loss;
        (!lost).then(|| self.arrival(when, jitter) + extra)
    }

    /// How long what is sent at `now` waits for the rate before its own bytes go.
    pub(crate) fn backlog(&self, now: Micros) -> Micros {
        if self.config.rate == 0 {
            return Micros::ZERO;
        }
        self.busy_until - now
    }

    /// How an instant at which something leaves the queue moves when the rate becomes `rate` at `now`.
    pub(crate) fn moved(&self, now: Micros, rate: u32) -> impl Fn(Micros) -> Micros + use<> {
        let before = u128::from(self.config.rate);
        move |leaves| {
            let waits = u128::from((leaves - now).get());
            let waits = (waits * before).checked_div(u128::from(rate)).unwrap_or(0);
            leaves.min(now) + Micros::new(u64::try_from(waits).unwrap_or(u64::MAX))
        }
    }

    /// When a packet has gone through the bottleneck, and whether it finds the queue full and does not.
    fn queue(&mut self, now: Micros, len: usize) -> (Micros, bool) {
        let backlog = self.backlog(now);
        let departs = now + backlog + self.config.serialised(len);
        let dropped = self.config.carrier == Carrier::Datagram && backlog > self.config.queue;
        if self.config.rate > 0 && !dropped {
            self.busy_until = departs;
        }
        (departs, dropped)
    }

    /// What the trace and the wave add to a packet that leaves at `departs`, and whether the trace loses it.
    fn variation(&self, departs: Micros) -> (Micros, bool) {
        match (&self.trace, self.config.vary) {
            (Some(trace), Vary::Trace) => trace.at(departs),
            (_, vary) => (vary.extra(departs), false),
        }
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
            burst,
            reorder,
            duplicate,
            rate,
            queue,
            vary,
            carrier,
            round_trip,
        } = self.config;
        put(self.seed);
        put(latency.get());
        put(jitter.get());
        put(loss.to_bits());
        put(burst.to_bits());
        put(reorder.to_bits());
        put(duplicate.to_bits());
        put(u64::from(rate));
        put(queue.get());
        let (kind, depth, period) = match vary {
            Vary::Still => (0, Micros::ZERO, Micros::ZERO),
            Vary::Wave { depth, period } => (1, depth, period),
            Vary::Ramp { depth, period } => (2, depth, period),
            Vary::Trace => (3, Micros::ZERO, Micros::ZERO),
        };
        put(kind);
        put(depth.get());
        put(period.get());
        put(self.trace.as_ref().map_or(0, |trace| trace.hash()));
        put(carrier as u64);
        put(round_trip.get());
        put(u64::from(self.drops));
        put(self.held_until.get());
        put(self.dark_until.get());
        put(self.busy_until.get());
        put(u64::from(self.losing));
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

#[cfg(test)]
mod tests;
