//! The least delay that keeps starved time under a chosen share.

use wire::Micros;

use super::budget::{Budget, Terms};
use super::shortfall::Shortfall;
use crate::digest::Digest;

/// The delay of [`DelayPolicy::Target`](super::DelayPolicy::Target): the least that leaves a screen starved no more than a
/// chosen share of any minute.
///
/// It is the shortfall that was exceeded in a share of the last half minute, and that share is what a budget leaves: below
/// the chosen one as long as more was starved than was meant, above it while there is something saved. So chance is made good
/// within the minute, in both directions. **Quick up**: a hole that is longer than what was known raises the delay while it
/// lasts. **Slow down**: the delay comes down no faster than by 1/e in half a second, and what was needed is remembered for
/// half a minute; only when nothing came near the delay for so long that the past is plainly over is it forgotten in
/// seconds. **No oscillation**: between holes the delay only falls, by less than a tick a second.
///
/// **Call [`pass`](Self::pass) before each sample is counted** and with each tick, then [`settle`](Self::settle); in between
/// [`delay`](Self::delay) is constant, so drawing changes nothing. No memory is allocated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastDelay {
    shortfall: Shortfall,
    budget: Budget,
    /// Up to when time was counted.
    passed: Option<Micros>,
    /// For how long nothing came near the delay, us.
    quiet: f64,
    /// `None` until a delay is asked for.
    ruling: Option<Ruling>,
}

/// The delay in force, and what it is to keep to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ruling {
    /// When it was settled.
    at: Micros,
    /// us.
    delay: f64,
    terms: Terms,
}

impl Default for LeastDelay {
    fn default() -> Self {
        Self::new()
    }
}

impl LeastDelay {
    /// What is older weighs less than 1/e, us: long enough to hold a dozen of the rare holes that decide.
    const MEMORY: f64 = 30e6;
    /// The same once the past is over, us: a link that became good is believed within half a minute.
    const BRIEF: f64 = 4e6;
    /// The past is over when the share allowed this many snapshot intervals of starved time and nothing came near it: about
    /// ten times as long as between two holes that do.
    const OVER: f64 = 3.0;
    /// Of the delay, from where on a shortfall is near it.
    const NEAR: f64 = 0.9;
    /// Of the delay, from where on a hole is not usual: high enough that it is not every interval, low enough that many are
    /// remembered.
    const UNUSUAL: f64 = 0.5;
    /// A delay that is more than is needed comes down over this long, us: about as fast as the playback clock can follow.
    const EASE: f64 = 0.5e6;
    /// With less than this seen, two snapshots are the least and nothing is held against the budget, us.
    const ENOUGH: f64 = 3e6;
    /// The most delay, unless four snapshots are longer: beyond it a pause is better than a world that is always old. It is as
    /// much as a server rewinds by default.
    pub const MOST: Micros = Micros::from_millis(500);

    /// Nothing seen.
    pub fn new() -> Self {
        Self {
            shortfall: Shortfall::new(),
            budget: Budget::default(),
            passed: None,
            quiet: 0.0,
            ruling: None,
        }
    }

    /// Time has passed up to `now` without a newer sample, and at its end the front was `short` microseconds past the newest.
    pub fn pass(&mut self, now: Micros, short: f64) {
        let before = *self.passed.get_or_insert(now);
        // A tick may be run for an instant before the newest arrival: that time is counted.
        if now <= before {
            return;
        }
        self.passed = Some(now);
        let span = (now - before).get() as f64;
        let mut memory = Self::MEMORY;
        if let Some(ruling) = self.ruling
            && self.shortfall.seen() >= Self::ENOUGH
        {
            let starved = (short - ruling.delay).clamp(0.0, span);
            self.budget.count(span, starved, ruling.terms);
            self.quiet += span;
            if short > ruling.delay * Self::NEAR {
                self.quiet = 0.0;
            }
            if self.is_over(ruling.terms) {
                memory = Self::BRIEF;
            }
        }
        self.shortfall.pass(span, short, memory);
    }

    /// Whether nothing came near the delay for so long that what was is no guide.
    fn is_over(&self, terms: Terms) -> bool {
        self.quiet * terms.rate > Self::OVER * terms.interval
    }

    /// Settles the delay that starves `rate` of the time, a share, on a link that brings a sample each `interval`.
    pub fn settle(&mut self, now: Micros, rate: f64, interval: Micros) {
        // What is no number is no share.
        let rate = if rate > 0.0 { rate.min(1.0) } else { 0.0 };
        let interval = interval.get().max(1) as f64;
        let usual = self.ruling.map_or(0.0, |ruling| ruling.delay) * Self::UNUSUAL;
        let mut terms = Terms {
            rate,
            interval,
            hole: 0.0,
        };
        // One long pause is no burst: when it is over it keeps the delay up no longer than anything else.
        if !self.is_over(terms) {
            terms.hole = self.shortfall.excess(usual);
        }
        let mut needed = self.shortfall.exceeded(self.budget.aim(terms));
        if self.shortfall.seen() < Self::ENOUGH {
            needed = needed.max(interval * 2.0);
        }
        let needed = needed.min((interval * 4.0).max(Self::MOST.get() as f64));
        let delay = match self.ruling {
            Some(Ruling { at, delay, .. }) if delay > needed => {
                let span = (now - at).get() as f64;
                needed + (delay - needed) * (Self::EASE / (Self::EASE + span))
            }
            _ => needed,
        };
        self.ruling = Some(Ruling {
            at: now,
            delay,
            terms,
        });
    }

    /// The delay behind the front in force. Zero before the first [`settle`](Self::settle).
    pub fn delay(&self) -> Micros {
        self.ruling
            .map_or(Micros::ZERO, |ruling| Micros::new(ruling.delay as u64))
    }

    /// Another rule decides from here on. What was seen stays known, and more may be added; what was owed is forgotten.
    pub fn rest(&mut self) {
        self.ruling = None;
        self.budget = Budget::default();
    }

    /// Everything that what it answers depends on.
    pub(crate) fn digest(&self, digest: &mut Digest) {
        self.shortfall.digest(digest);
        self.budget.digest(digest);
        digest.u64(self.passed.map_or(0, Micros::get));
        digest.f64(self.quiet);
        if let Some(ruling) = self.ruling {
            digest.u64(ruling.at.get());
            digest.f64(ruling.delay);
            digest.f64(ruling.terms.hole);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::fixture::Dice;

    const INTERVAL: Micros = Micros::new(15_625);
    const HALF_A_PERCENT: f64 = 0.005;

    /// A link whose samples come on the beat, but for those that are lost.
    struct Beat {
        least: LeastDelay,
        now: u64,
        dice: Dice,
    }

    impl Beat {
        fn new() -> Self {
            Self {
                least: LeastDelay::new(),
                now: 0,
                dice: Dice(1),
            }
        }

        /// `beats` in a row fail to come, the one after them does, and time is counted at each.
        fn after(&mut self, lost: u64) -> f64 {
            for beat in 1..=lost + 1 {
                self.now += INTERVAL.get();
                let short = (beat * INTERVAL.get()) as f64;
                self.least.pass(Micros::new(self.now), short);
                let now = Micros::new(self.now);
                self.least.settle(now, HALF_A_PERCENT, INTERVAL);
            }
            self.delay()
        }

        fn delay(&self) -> f64 {
            self.least.delay().as_millis_f64()
        }

        fn even(&mut self, seconds: u64) -> f64 {
            (0..seconds * 64).for_each(|_| {
                self.after(0);
            });
            self.delay()
        }

        /// So long on a link that loses this share; the delay at the end of each second.
        fn losing(&mut self, share: f64, seconds: u64) -> Vec<f64> {
            let second = |beat: &mut Self| {
                let end = beat.now + 1_000_000;
                while beat.now < end {
                    let mut lost = 0;
                    while beat.dice.unit() < share {
                        lost += 1;
                    }
                    beat.after(lost);
                }
                beat.delay()
            };
            (0..seconds).map(|_| second(self)).collect()
        }
    }

    #[test]
    fn it_begins_with_two_snapshots_and_comes_down_to_one_on_an_even_link() {
        let mut beat = Beat::new();
        assert_eq!(beat.delay(), 0.0);
        assert_eq!(beat.even(1), 31.25);
        let settled = beat.even(6);
        assert!((15.0..16.1).contains(&settled), "{settled}");
    }

    #[test]
    fn it_is_up_within_three_seconds_and_down_within_half_a_minute_and_in_between_it_rests() {
        let mut beat = Beat::new();
        let even = beat.even(20);
        let worse = beat.losing(0.1, 60);
        let settled = worse[20..].iter().sum::<f64>() / 40.0;
        // Two losses in a row are needed for 0.9 % of the time, evenly from two intervals to three.
        assert!((36.0..48.0).contains(&settled), "{worse:?}");
        assert!(worse[2] > 31.25, "{worse:?}");
        let most = worse[20..].iter().copied().fold(0.0, f64::max);
        assert!(most < settled + 16.0, "{worse:?}");
        let mut better = vec![beat.delay()];
        better.extend((0..40).map(|_| beat.even(1)));
        assert!(better.is_sorted_by(|a, b| a >= b), "{better:?}");
        assert!(better[2] > 31.25, "{better:?}");
        assert!(better[30] < even + 1.0, "{better:?}");
    }

    #[test]
    fn it_goes_up_within_a_hole() {
        let mut beat = Beat::new();
        beat.even(20);
        let up = beat.after(20);
        assert!(up > 250.0, "{up}");
    }

    #[test]
    fn one_long_pause_is_no_burst_and_is_forgotten_as_soon() {
        let mut beat = Beat::new();
        beat.even(40);
        beat.after(60);
        let after = beat.even(32);
        assert!(after < 20.0, "{after}");
    }

    #[test]
    fn what_was_starved_while_another_rule_decided_is_not_owed() {
        let mut beat = Beat::new();
        beat.even(20);
        beat.after(20);
        let owing = beat.least.budget;
        beat.least.rest();
        let forgotten = beat.least.budget;
        assert!(owing != forgotten && forgotten == Budget::default());
    }

    #[test]
    fn it_never_asks_for_more_than_half_a_second_unless_snapshots_are_rare() {
        let mut beat = Beat::new();
        assert_eq!(beat.after(300), 500.0);
        beat.least.rest();
        let each = Micros::from_millis(1_000);
        beat.least.settle(Micros::new(beat.now), 0.005, each);
        assert_eq!(beat.delay(), 4_000.0);
    }

    #[test]
    fn a_share_that_is_none_is_taken_for_the_next() {
        let mut beat = Beat::new();
        beat.losing(0.1, 20);
        let mut asked = |rate: f64| {
            beat.least.rest();
            beat.least.settle(Micros::new(beat.now), rate, INTERVAL);
            beat.delay()
        };
        assert_eq!(asked(f64::NAN), asked(0.0));
        assert_eq!(asked(-3.0), asked(0.0));
        assert_eq!(asked(7.0), asked(1.0));
        assert!(asked(0.0) > asked(0.01));
    }
}
