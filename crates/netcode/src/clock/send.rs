//! When the next packet goes.

use wire::Micros;

/// Paces packets by wall clock: at most [`MOST`](Self::MOST) a second whatever the frame rate, and never two at once.
///
/// What a late frame overran is carried, so that the rate does not drift slow; after a stall of more than an interval one
/// packet goes and not the burst that was owed, since a stall should not be answered by a flood. Source: seed
/// `001_545bc6c5b0a72338.txt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendClock {
    rate_hz: u16,
    /// The start of the present schedule, and how many packets it has seen: the next is due at `start + sent / rate`,
    /// so that a third of a microsecond is not lost each time.
    start: Micros,
    sent: u64,
}

impl SendClock {
    /// The most packets a second. A receiver draws between samples, so more of them costs bytes and shows nothing.
    pub const MOST: u16 = 64;

    /// A clock for the smaller of `rate_hz` (packets wanted a second, or ticks a second; at least 1) and
    /// [`MOST`](Self::MOST). The first packet is due at `first`.
    pub fn new(rate_hz: u16, first: Micros) -> Self {
        Self {
            rate_hz: rate_hz.clamp(1, Self::MOST),
            start: first,
            sent: 0,
        }
    }

    /// Changes the rate, from the next packet on.
    pub fn set_rate(&mut self, rate_hz: u16) {
        *self = Self::new(rate_hz, self.next_at());
    }

    /// Packets a second.
    pub fn rate_hz(&self) -> u16 {
        self.rate_hz
    }

    /// The time between two packets.
    pub fn interval(&self) -> Micros {
        Micros::new(SECOND / u64::from(self.rate_hz))
    }

    /// When the next packet is due.
    pub fn next_at(&self) -> Micros {
        self.start + Micros::new(self.sent * SECOND / u64::from(self.rate_hz))
    }

    /// Whether a packet goes now. A yes counts it as gone.
    pub fn due(&mut self, now: Micros) -> bool {
        if now < self.next_at() {
            return false;
        }
        self.sent += 1;
        if self.next_at() <= now {
            self.start = now;
            self.sent = 1;
        } else if self.sent == u64::from(self.rate_hz) {
            self.start += Micros::new(SECOND);
            self.sent = 0;
        }
        true
    }
}

const SECOND: u64 = 1_000_000;
