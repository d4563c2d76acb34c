//! Which packets came: what the return path says.

use wire::{Header, Seq};

/// The newest packet taken and which of the 64 before it were. 10 bytes on a wire that says 16 bits of the sequence.
///
/// Source: seed `003_6a8f128b2e325724.txt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckWindow {
    /// The newest packet taken.
    pub newest: Seq,
    /// Bit `n` is the packet `n + 1` before it.
    pub history: u64,
}

impl AckWindow {
    /// A window that knows of one packet.
    pub const fn new(newest: Seq) -> Self {
        Self { newest, history: 0 }
    }

    /// What a packet's header acknowledges, 32 before the newest; `near` is a packet sent about then.
    pub const fn from_header(header: &Header, near: Seq) -> Self {
        Self {
            newest: Seq::from_wire(header.heard, near),
            history: header.history as u64,
        }
    }

    /// Notes a packet as taken. One that is 65 or more before the newest is beyond telling.
    pub fn mark(&mut self, seq: Seq) {
        match seq.distance(self.newest) {
            ahead @ 1.. => {
                // The former newest becomes the bit that it is behind.
                let shifted = self.history.checked_shl(ahead.min(64) as u32).unwrap_or(0);
                let former = if ahead <= 64 { 1 << (ahead - 1) } else { 0 };
                *self = Self {
                    newest: seq,
                    history: shifted | former,
                };
            }
            0 => {}
            behind => {
                if behind >= -64 {
                    self.history |= 1 << (-behind - 1);
                }
            }
        }
    }

    /// Whether it tells of a packet at all: taken or not.
    pub const fn reaches(&self, seq: Seq) -> bool {
        self.newest.distance(seq) <= 64
    }

    /// Whether it says that a packet was taken.
    pub fn contains(&self, seq: Seq) -> bool {
        match self.newest.distance(seq) {
            0 => true,
            behind @ 1..=64 => self.history >> (behind - 1) & 1 == 1,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::input::fixture::Dice;

    #[test]
    fn it_says_exactly_what_was_taken_of_the_newest_sixty_five() {
        let seed = 9;
        let mut dice = Dice(seed);
        let mut window = AckWindow::new(Seq::new(1_000));
        let mut taken = BTreeSet::from([1_000]);
        let mut newest = 1_000u64;
        for _ in 0..5_000 {
            let at = (newest + dice.below(90)).saturating_sub([5, 40, 88][dice.below(3) as usize]);
            let told = at + 64 >= newest;
            newest = newest.max(at);
            window.mark(Seq::new(at));
            if told {
                taken.insert(at);
            }
            for seq in newest - 80..newest + 3 {
                let expected = taken.contains(&seq) && seq + 64 >= newest;
                assert_eq!(
                    window.contains(Seq::new(seq)),
                    expected,
                    "seed {seed}: {seq} of {newest}"
                );
            }
        }
    }

    #[test]
    fn a_packets_header_is_one() {
        let header = Header {
            seq: 0,
            heard: 3,
            history: 0b101,
        };
        let window = AckWindow::from_header(&header, Seq::new(65_540));
        let taken: Vec<_> = (65_530..65_545)
            .filter(|n| window.contains(Seq::new(*n)))
            .collect();
        assert_eq!(taken, [65_536, 65_538, 65_539]);
    }
}
