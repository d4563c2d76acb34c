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

#[cfg(test)]
mod tests {
    use super::*;

    /// How many packets go in ten seconds of `frames_hz` calls a second.
    fn sent(rate_hz: u16, frames_hz: u64) -> usize {
        let mut clock = SendClock::new(rate_hz, Micros::ZERO);
        (0..frames_hz * 10)
            .filter(|frame| clock.due(Micros::new(frame * SECOND / frames_hz)))
            .count()
    }

    #[test]
    fn the_rate_holds_whatever_the_frame_rate() {
        for frames_hz in [64, 100, 144, 240, 1_000, 6_400] {
            assert!(
                sent(64, frames_hz).abs_diff(640) <= 1,
                "{frames_hz}: {}",
                sent(64, frames_hz)
            );
            assert!(
                sent(60, frames_hz).abs_diff(600) <= 1,
                "{frames_hz}: {}",
                sent(60, frames_hz)
            );
            assert!(
                sent(7, frames_hz).abs_diff(70) <= 1,
                "{frames_hz}: {}",
                sent(7, frames_hz)
            );
        }
    }

    #[test]
    fn sixty_four_is_the_most_and_a_slow_frame_rate_the_bound() {
        assert!(sent(128, 1_000).abs_diff(640) <= 1);
        assert_eq!(sent(64, 20), 200);
        assert_eq!(sent(64, 1), 10);
        assert_eq!(SendClock::new(0, Micros::ZERO).rate_hz(), 1);
    }

    #[test]
    fn what_a_frame_overran_is_carried() {
        let mut clock = SendClock::new(64, Micros::ZERO);
        assert!(clock.due(Micros::ZERO));
        assert!(!clock.due(Micros::new(15_624)));
        assert!(clock.due(Micros::new(25_000)));
        assert_eq!(clock.next_at(), Micros::new(31_250));
    }

    #[test]
    fn after_a_stall_one_packet_goes_and_not_the_burst() {
        let mut clock = SendClock::new(64, Micros::ZERO);
        clock.due(Micros::ZERO);
        let now = Micros::from_millis(5_000);
        assert!(clock.due(now));
        assert!(!clock.due(now));
        assert_eq!(clock.next_at(), now + clock.interval());
    }

    #[test]
    fn nothing_goes_before_the_first_is_due() {
        let mut clock = SendClock::new(64, Micros::from_millis(40));
        assert!(!clock.due(Micros::from_millis(39)));
        assert!(clock.due(Micros::from_millis(40)));
    }

    #[test]
    fn a_changed_rate_holds_from_the_next_packet_on() {
        let mut clock = SendClock::new(64, Micros::ZERO);
        clock.due(Micros::ZERO);
        clock.set_rate(10);
        assert_eq!(clock.next_at(), Micros::new(15_625));
        assert!(clock.due(Micros::new(15_625)));
        assert_eq!(clock.next_at(), Micros::new(115_625));
    }
}
