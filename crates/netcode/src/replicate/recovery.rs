//! What is said again, and when, to a peer that may not have heard it.

use wire::{Seq, Tick};

/// When something that was sent and is not confirmed is sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recovery {
    /// Never: what was sent counts as held. One lost packet and a body stays wrong until it changes again, or for ever; kept
    /// because the failure is worth seeing (seed `003_6a8f128b2e325724.txt`).
    Naive,
    /// In every packet until one that carried it is acknowledged. Right whatever happens, for a round trip's worth of copies.
    Acknowledged,
    /// Once, and again as soon as it is likely lost: packets sent after it are acknowledged, or a round trip and its jitter
    /// have passed. As right, for little more than what is lost.
    #[default]
    Prompt,
}

/// The round trip of a peer's acknowledgements, in ticks: when a packet that is not acknowledged is overdue, and what has been
/// acknowledged at all.
///
/// The mean and the mean deviation are those of RFC 6298, in sixteenths of a tick, so that both ends of a replay agree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    /// The newest packet known to have arrived.
    heard: Option<Seq>,
    /// The tick in which that was learnt, or in which the peer began.
    heard_at: Option<Tick>,
    mean: u32,
    deviation: u32,
    sampled: bool,
}

/// So many packets sent later are acknowledged before one that is not is taken to be lost: by fewer, one that was merely
/// overtaken would be sent again.
const OVERTAKEN: u64 = 3;
/// Before anything was measured a round trip is taken to be this long, sixteenths of a tick: 16 ticks, a quarter of a second at
/// 64 a second. A guess: said twice rather than waited for.
const UNMEASURED: u32 = 16 * 16;
/// The longest that is waited, ticks: half of what is remembered of packets sent.
const LONGEST: u64 = 64;
/// A peer that acknowledged nothing for so many ticks is not listening: by then what was in its packets is forgotten.
const DEAF: u64 = 128;

impl Flight {
    pub(crate) const fn new() -> Self {
        Self {
            heard: None,
            heard_at: None,
            mean: UNMEASURED,
            deviation: 0,
            sampled: false,
        }
    }

    /// A packet that described `sent` is acknowledged, and that is learnt in tick `now`.
    pub(crate) fn acknowledged(&mut self, seq: Seq, sent: Tick, now: Tick) {
        self.heard_at = Some(now);
        if self.heard.is_some_and(|heard| seq <= heard) {
            return;
        }
        self.heard = Some(seq);
        let sample = now.since(sent).min(LONGEST) as u32 * 16;
        if self.sampled {
            self.deviation = (self.deviation * 3 + self.mean.abs_diff(sample)) / 4;
            self.mean = (self.mean * 7 + sample) / 8;
        } else {
            (self.mean, self.deviation, self.sampled) = (sample, sample / 2, true);
        }
    }

    /// Whether a packet is likely lost that described `sent` and is not acknowledged by tick `now`.
    pub(crate) fn is_lost(&self, seq: Seq, sent: Tick, now: Tick) -> bool {
        let overtaken = self
            .heard
            .is_some_and(|heard| heard.distance(seq) >= OVERTAKEN as i64);
        overtaken || now.since(sent) > self.patience()
    }

    /// How long a packet's acknowledgement is waited for, ticks: the round trip, four deviations, and the tick in which it is
    /// looked at.
    fn patience(&self) -> u64 {
        u64::from((self.mean + 4 * self.deviation).div_ceil(16) + 1).min(LONGEST)
    }

    /// Whether nothing was acknowledged for so long that nothing said then can be. The time runs from the first call.
    pub(crate) fn is_deaf(&mut self, now: Tick) -> bool {
        now.since(*self.heard_at.get_or_insert(now)) > DEAF
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(round_trips: &[u64]) -> Flight {
        let mut flight = Flight::new();
        for (at, taken) in round_trips.iter().enumerate() {
            let sent = 1_000 + at as u64;
            flight.acknowledged(
                Seq::new(70_000 + at as u64),
                Tick::new(sent),
                Tick::new(sent + taken),
            );
        }
        flight
    }

    #[test]
    fn a_steady_round_trip_is_waited_for_and_a_tick_more() {
        let flight = measured(&[10; 60]);
        assert_eq!(flight.patience(), 11);
        let (seq, sent) = (Seq::new(70_060), Tick::new(1_060));
        assert!(!flight.is_lost(seq, sent, Tick::new(1_071)));
        assert!(flight.is_lost(seq, sent, Tick::new(1_072)));
    }

    #[test]
    fn one_that_varies_is_waited_for_longer() {
        let varied: Vec<u64> = (0..60).map(|at| 10 + at % 5).collect();
        let patience = measured(&varied).patience();
        assert!((15..=20).contains(&patience), "{patience}");
    }

    #[test]
    fn one_that_was_overtaken_by_three_is_lost_and_by_two_is_not() {
        let flight = measured(&[10; 60]);
        let (newest, now) = (70_059, Tick::new(1_070));
        assert!(!flight.is_lost(Seq::new(newest - 2), Tick::new(1_069), now));
        assert!(flight.is_lost(Seq::new(newest - 3), Tick::new(1_069), now));
    }

    #[test]
    fn a_peer_that_acknowledges_nothing_for_two_seconds_is_deaf() {
        let mut flight = Flight::new();
        assert!(!flight.is_deaf(Tick::new(5_000)));
        assert!(!flight.is_deaf(Tick::new(5_128)));
        assert!(flight.is_deaf(Tick::new(5_129)));
        flight.acknowledged(Seq::new(1), Tick::new(5_100), Tick::new(5_130));
        assert!(!flight.is_deaf(Tick::new(5_131)));
    }
}
