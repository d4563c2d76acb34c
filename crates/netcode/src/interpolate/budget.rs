//! How much of the starved time that is allowed was used, and the share to aim at from here on.

use crate::digest::Digest;

/// The account of starved time against a chosen share.
///
/// A quantile alone keeps to a share in the long run only; in one minute chance makes it half as much again. So what was
/// really starved is set against what was allowed: a *debt* is paid back by aiming lower, what was saved is spent by aiming
/// higher. Chance that is over cannot be taken back, hence the aim lies below the share by [`SPARE`](Self::SPARE). Source: an
/// integral controller on a quantile, as adaptive conformal inference has it (Gibbs and Candès, 2021); the sizes are ours,
/// found over a hundred seeds each of seven links.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Budget {
    /// Starved time beyond what the aim allowed, us; what was saved is below zero.
    debt: f64,
    /// Whether the time counted last was starved at its end.
    starving: bool,
}

impl Budget {
    /// A share is promised over so long, us.
    const MINUTE: f64 = 60e6;
    /// What chance may do to a minute, in snapshot intervals of starved time: about two deviations. It does not depend on
    /// the share, so a small share keeps more of itself in hand: 0.5 % aims at 0.4, 2 % at 1.9.
    const SPARE: f64 = 5.0;
    /// A debt of so many snapshot intervals halves the aim, as much saved doubles it. Less would chase every hole, more would
    /// pay back too late.
    const STIFF: f64 = 5.0;
    /// The most debt, in those: what a long pause took is not paid for with minutes of an old world.
    const MOST: f64 = 3.0;
    /// The most that is saved, in those.
    const SAVED: f64 = 1.0;
    /// A hole counts at least so much, us. Frames, ticks and arrivals may lock, and then a moment that is shorter than a frame
    /// may be in every one.
    const LEAST: f64 = 1e3;

    /// Counts time that passed, of which so much was starved at its end, us.
    pub(super) fn count(&mut self, span: f64, starved: f64, rate: f64, interval: f64) {
        let begins = starved > 0.0 && !self.starving;
        self.starving = starved > 0.0;
        let starved = if begins {
            starved.max(Self::LEAST)
        } else {
            starved
        };
        let stiff = Self::STIFF * interval;
        let debt = self.debt + starved - Self::even(rate, interval) * span;
        // Not by `clamp`: bounds that could be wrong bring 20 kB of float formatting into the page's module.
        self.debt = debt.max(-Self::SAVED * stiff).min(Self::MOST * stiff);
    }

    /// The share to aim at when nothing is owed.
    fn even(rate: f64, interval: f64) -> f64 {
        let allowed = rate * Self::MINUTE;
        rate * allowed / (allowed + Self::SPARE * interval)
    }

    /// The share to aim at now.
    pub(super) fn aim(&self, rate: f64, interval: f64) -> f64 {
        let owed = self.debt / (Self::STIFF * interval);
        let bend = 1.0 + owed.abs();
        Self::even(rate, interval) * if owed > 0.0 { 1.0 / bend } else { bend }
    }

    /// Everything that what it answers depends on.
    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.f64(self.debt);
        digest.u64(u64::from(self.starving));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: f64 = 15_625.0;
    const RATE: f64 = 0.005;

    fn aim(budget: Budget) -> f64 {
        budget.aim(RATE, INTERVAL) * 100.0
    }

    #[test]
    fn it_aims_below_the_share_by_what_chance_may_do_to_a_minute() {
        let aims = [0.002, 0.005, 0.02].map(|rate| Budget::default().aim(rate, INTERVAL) * 100.0);
        for (aim, expected) in aims.into_iter().zip([0.121, 0.397, 1.878]) {
            assert!((aim - expected).abs() < 1e-3, "{aims:?}");
        }
        assert_eq!(Budget::default().aim(0.0, INTERVAL), 0.0);
    }

    #[test]
    fn a_debt_halves_the_aim_and_what_is_saved_doubles_it() {
        let even = aim(Budget::default());
        let stiff = Budget::STIFF * INTERVAL;
        let owing = |debt| Budget {
            debt,
            starving: false,
        };
        assert!((aim(owing(stiff)) - even / 2.0).abs() < 1e-9);
        assert!((aim(owing(-stiff)) - even * 2.0).abs() < 1e-9);
    }

    #[test]
    fn neither_a_long_pause_nor_a_long_calm_counts_without_end() {
        let mut budget = Budget::default();
        budget.count(10e6, 10e6, RATE, INTERVAL);
        assert!((aim(budget) - aim(Budget::default()) / 4.0).abs() < 1e-9);
        budget.count(1e9, 0.0, RATE, INTERVAL);
        assert!((aim(budget) - aim(Budget::default()) * 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_hole_counts_a_millisecond_at_least_and_once() {
        let mut budget = Budget::default();
        for starved in [10.0, 0.0, 10.0, 10.0] {
            budget.count(100.0, starved, 0.0, INTERVAL);
        }
        assert_eq!(budget.debt, 2_010.0);
    }
}
