//! How much of the starved time that is allowed was used, and the share to aim at from here on.

use crate::digest::Digest;

/// The account of starved time against a chosen share.
///
/// A quantile alone keeps to a share in the long run only; in one minute chance makes it half as much again. So what was
/// really starved is set against what was allowed: a *debt* is paid back by aiming lower, what was saved is spent by aiming
/// higher. Chance that is over cannot be taken back, hence the aim lies below the share by [`SPARE`](Self::SPARE). Source: an
/// integral controller on a quantile, as adaptive conformal inference has it (Gibbs and Candès, 2021); the sizes are ours,
/// found over a hundred seeds each of seven links, and over eighty each of two that lose in bursts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Budget {
    /// Starved time beyond what the aim allowed, us; what was saved is below zero.
    debt: f64,
    /// Whether the time counted last was starved at its end.
    starving: bool,
}

/// What the account is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Terms {
    /// The share of time that may be starved, from 0 to 1.
    pub rate: f64,
    /// The time between two snapshots, us.
    pub interval: f64,
    /// How long holes are beyond what is usual, us: less than an interval where losses stand alone.
    pub hole: f64,
}

impl Budget {
    /// A share is promised over so long, us.
    const MINUTE: f64 = 60e6;
    /// What chance may do to a minute, in snapshot intervals of starved time: about two deviations. It does not depend on
    /// the share, so a small share keeps more of itself in hand: 0.5 % aims at 0.4, 2 % at 1.9.
    const SPARE: f64 = 5.0;
    /// What chance may do beyond that where losses come in bursts, in the same, times the square of a hole in intervals less one:
    /// one hole may take a minute's share there, and those that decide are too rare to be known. Less keeps to the share in
    /// fewer minutes, more costs delay.
    const BURST: f64 = 22.0;
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
    pub(super) fn count(&mut self, span: f64, starved: f64, terms: Terms) {
        let begins = starved > 0.0 && !self.starving;
        self.starving = starved > 0.0;
        let starved = if begins {
            starved.max(Self::LEAST)
        } else {
            starved
        };
        let stiff = Self::STIFF * terms.interval;
        let debt = self.debt + starved - Self::even(terms) * span;
        // Not by `clamp`: bounds that could be wrong bring 20 kB of float formatting into the page's module.
        self.debt = debt.max(-Self::SAVED * stiff).min(Self::MOST * stiff);
    }

    /// The share to aim at when nothing is owed.
    fn even(terms: Terms) -> f64 {
        let Terms { rate, interval, .. } = terms;
        let hole = (terms.hole / interval).max(1.0);
        let spare = Self::SPARE + Self::BURST * (hole * hole - 1.0);
        let allowed = rate * Self::MINUTE;
        rate * allowed / (allowed + spare * interval)
    }

    /// The share to aim at now.
    pub(super) fn aim(&self, terms: Terms) -> f64 {
        let owed = self.debt / (Self::STIFF * terms.interval);
        let bend = 1.0 + owed.abs();
        Self::even(terms) * if owed > 0.0 { 1.0 / bend } else { bend }
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
    /// Half a percent, and losses that stand alone.
    const TERMS: Terms = Terms {
        rate: 0.005,
        interval: INTERVAL,
        hole: 0.0,
    };

    fn aim(budget: Budget) -> f64 {
        budget.aim(TERMS) * 100.0
    }

    /// In percent, owing nothing.
    fn even(terms: Terms) -> f64 {
        Budget::default().aim(terms) * 100.0
    }

    #[test]
    fn it_aims_below_the_share_by_what_chance_may_do_to_a_minute() {
        let aims = [0.002, 0.005, 0.02].map(|rate| even(Terms { rate, ..TERMS }));
        for (aim, expected) in aims.into_iter().zip([0.121, 0.397, 1.878]) {
            assert!((aim - expected).abs() < 1e-3, "{aims:?}");
        }
        assert_eq!(even(Terms { rate: 0.0, ..TERMS }), 0.0);
    }

    #[test]
    fn it_aims_lower_where_losses_come_in_bursts_and_the_same_where_they_stand_alone() {
        let aims = [0.5, 1.0, 2.0, 4.0].map(|intervals| {
            even(Terms {
                hole: intervals * INTERVAL,
                ..TERMS
            })
        });
        for (aim, expected) in aims.into_iter().zip([0.397, 0.397, 0.106, 0.027]) {
            assert!((aim - expected).abs() < 1e-3, "{aims:?}");
        }
    }

    #[test]
    fn a_debt_halves_the_aim_and_what_is_saved_doubles_it() {
        let even = even(TERMS);
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
        budget.count(10e6, 10e6, TERMS);
        assert!((aim(budget) - aim(Budget::default()) / 4.0).abs() < 1e-9);
        budget.count(1e9, 0.0, TERMS);
        assert!((aim(budget) - aim(Budget::default()) * 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_hole_counts_a_millisecond_at_least_and_once() {
        let mut budget = Budget::default();
        for starved in [10.0, 0.0, 10.0, 10.0] {
            budget.count(100.0, starved, Terms { rate: 0.0, ..TERMS });
        }
        assert_eq!(budget.debt, 2_010.0);
    }
}
