//! Which packets of the relay do not come.

use std::collections::VecDeque;

use wire::Micros;

/// A packet that was passed over is given so long to come all the same.
pub(super) const SETTLES: Micros = Micros::from_millis(500);

/// Packets that were passed over, and what became of them.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Packets passed over that may still come, by when they were.
    passed: VecDeque<(Micros, u64)>,
    /// Packets that were lost, in all sessions.
    lost: u64,
    /// Whether each of the newest packets is missing, the newest in the lowest bit.
    missing: u128,
}

impl Losses {
    /// A packet came in its turn, but for so many before it.
    pub(super) fn came(&mut self, now: Micros, missed: u64) {
        if missed > 0 {
            self.passed.push_back((now, missed));
        }
        let bits = u32::try_from(missed)
            .unwrap_or(u32::MAX)
            .min(u128::BITS - 1);
        // A one for each that is missing, and a zero for the one that came.
        let ones = ((1 << bits) - 1) << 1;
        self.missing = self.missing.checked_shl(bits + 1).unwrap_or(0) | ones;
    }

    /// One that had been passed over has come.
    pub(super) fn came_late(&mut self) {
        if let Some((_, count)) = self.passed.front_mut() {
            *count -= 1;
            if *count == 0 {
                self.passed.pop_front();
            }
        }
        // Which one it was is not known; the newest of those that are missing is as good as any.
        self.missing &= self.missing.wrapping_sub(1);
    }

    /// How many are lost for good that were not when it was asked last.
    pub(super) fn settle(&mut self, now: Micros) -> u64 {
        let mut lost = 0;
        while let Some(&(at, count)) = self.passed.front()
            && now - at >= SETTLES
        {
            lost += count;
            self.passed.pop_front();
        }
        self.lost += lost;
        lost
    }

    /// Another session begins: what was passed over does not come any more.
    pub(super) fn rejoin(&mut self) {
        self.passed.clear();
        self.missing = 0;
    }

    /// Packets that were lost, in all sessions.
    pub(super) fn total(&self) -> u64 {
        self.lost
    }

    /// How many of the newest hundred packets are missing.
    pub(super) fn of_last_100(&self) -> u32 {
        (self.missing & ((1 << 100) - 1)).count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_passed_over_is_missing_and_in_half_a_second_lost() {
        let ms = Micros::from_millis;
        let mut losses = Losses::default();
        losses.came(ms(0), 0);
        losses.came(ms(10), 3);
        assert_eq!((losses.of_last_100(), losses.settle(ms(400))), (3, 0));
        losses.came_late();
        losses.came(ms(420), 1);
        assert_eq!((losses.settle(ms(510)), losses.total()), (2, 2));
        assert_eq!(losses.settle(ms(510)), 0, "once");
        assert_eq!(losses.of_last_100(), 3);
        (0..97).for_each(|_| losses.came(ms(900), 0));
        assert_eq!(
            losses.of_last_100(),
            1,
            "the others are older than a hundred"
        );
        losses.came(ms(910), u64::MAX);
        assert_eq!(losses.of_last_100(), 99);
        losses.rejoin();
        assert_eq!((losses.of_last_100(), losses.settle(ms(5_000))), (0, 0));
        losses.came_late();
        assert_eq!(losses.total(), 2);
    }
}
