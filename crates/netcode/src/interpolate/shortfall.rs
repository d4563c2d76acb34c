//! How far behind the front the newest sample lies: the distribution of the delay that would just have sufficed.

use crate::digest::Digest;

/// The distribution, over the last seconds, of the delay that would just have sufficed.
///
/// At any instant a screen needs a delay of at least the front less the newest sample: that *shortfall* grows as time
/// passes and drops with each sample. Every microsecond counts, not every sample, so that a pause weighs as long as it
/// lasted; the least delay that starves a share of the time is then a quantile, whatever jitter and loss look like.
/// Source: none, the rule is made here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shortfall {
    /// Remembered time in each [bin](bin), by its weight.
    spent: [f32; BINS],
    /// The sum of it.
    total: f32,
    /// What a microsecond weighs now. It grows instead of everything older shrinking, which would touch every bin each time.
    unit: f32,
}

impl Shortfall {
    /// The most that a microsecond weighs, which is reached a few times in each memory.
    const HEAVIEST: f32 = 4.0;

    /// Nothing seen.
    pub(super) fn new() -> Self {
        Self {
            spent: [0.0; BINS],
            total: 0.0,
            unit: 1.0,
        }
    }

    /// So much time has passed without a newer sample, us, and at its end the front was `short` past the newest. What is
    /// older than `memory` weighs less than 1/e from here on.
    pub(super) fn pass(&mut self, span: f64, short: f64, memory: f64) {
        self.unit *= ((memory + span) / memory) as f32;
        if self.unit > Self::HEAVIEST {
            self.lighten();
        }
        self.spread(short - span, short);
        self.total += span as f32 * self.unit;
    }

    /// Makes a microsecond weigh one again, so that no sum loses its small parts.
    fn lighten(&mut self) {
        for spent in &mut self.spent {
            *spent /= self.unit;
        }
        self.total = self.spent.iter().sum();
        self.unit = 1.0;
    }

    /// Counts the time in which the shortfall grew from one to the other, a microsecond each microsecond.
    fn spread(&mut self, from: f64, to: f64) {
        // A sample that comes before it is due asks for no delay.
        let mut at = from.max(0.0);
        self.spent[0] += (to.min(0.0) - from.min(0.0)) as f32 * self.unit;
        let mut place = bin(at);
        while at < to && place < BINS {
            // The last one has no end.
            let end = if place + 1 == BINS {
                to
            } else {
                start(place + 1).min(to)
            };
            self.spent[place] += (end - at) as f32 * self.unit;
            at = end;
            place += 1;
        }
    }

    /// How much time is remembered, us.
    pub(super) fn seen(&self) -> f64 {
        f64::from(self.total / self.unit)
    }

    /// The shortfall that was exceeded in `share` of the time, us; 0 when nothing was seen.
    pub(super) fn exceeded(&self, share: f64) -> f64 {
        // From the top: there is little above.
        let mut above = share * f64::from(self.total);
        for place in (0..BINS).rev() {
            let here = f64::from(self.spent[place]);
            if here > above {
                let width = start(place + 1) - start(place);
                return start(place + 1) - width * above / here;
            }
            above -= here;
        }
        0.0
    }

    /// By how much the holes that were longer than `level` exceeded it on average, us; 0 when none was. A hole spends as long at
    /// each shortfall up to its end, so that the time at the level counts them.
    pub(super) fn excess(&self, level: f64) -> f64 {
        let place = bin(level);
        let holes = f64::from(self.spent[place]) / (start(place + 1) - start(place));
        let above: f64 = self.spent[place..].iter().copied().map(f64::from).sum();
        if holes > 0.0 { above / holes } else { 0.0 }
    }

    /// Everything that what it answers depends on.
    pub(super) fn digest(&self, digest: &mut Digest) {
        for weight in self.spent.iter().chain([&self.total, &self.unit]) {
            digest.f32(*weight);
        }
    }
}

/// Bins are half a millisecond wide up to 64 ms and then twice as wide with each doubling, up to 4.096 s: as fine as it matters.
const BINS: usize = EVEN + HALF * 6;
const EVEN: usize = 128;
const HALF: usize = EVEN / 2;
/// The width of the narrowest, us.
const WIDTH: f64 = 500.0;

/// Where a bin starts, us; that after the last is where the last ends.
fn start(place: usize) -> f64 {
    if place < EVEN {
        return place as f64 * WIDTH;
    }
    let (octave, step) = ((place - EVEN) / HALF, (place - EVEN) % HALF);
    ((HALF + step) << (octave + 1)) as f64 * WIDTH
}

/// The bin of a shortfall, us; the last has all that is longer.
fn bin(short: f64) -> usize {
    let steps = (short / WIDTH) as u64;
    if steps < EVEN as u64 {
        return steps as usize;
    }
    let octave = (steps / EVEN as u64).ilog2() as usize;
    let step = (steps >> (octave + 1)) as usize - HALF;
    (EVEN + octave * HALF + step).min(BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: f64 = 15_625.0;
    const MEMORY: f64 = 30e6;

    #[test]
    fn a_bin_begins_where_the_one_before_it_ends() {
        for place in 0..BINS {
            assert!(start(place) < start(place + 1), "{place}");
            assert_eq!(bin(start(place)), place);
            assert_eq!(bin(start(place + 1) - 1.0), place);
        }
        assert_eq!(
            (start(128), start(192), start(BINS)),
            (64e3, 128e3, 4_096e3)
        );
        assert_eq!((bin(-1.0), bin(1e12)), (0, BINS - 1));
    }

    #[test]
    fn it_knows_what_was_exceeded_in_any_share_of_the_time() {
        // One sample in 20 is lost, so for an interval in 20 two are needed: 5 % of the time, evenly from one to two.
        let mut shortfall = Shortfall::new();
        assert_eq!(shortfall.exceeded(0.01), 0.0);
        for n in 0..8_000 {
            shortfall.pass(INTERVAL, INTERVAL, MEMORY);
            if n % 19 == 0 {
                shortfall.pass(INTERVAL, INTERVAL * 2.0, MEMORY);
            }
        }
        for (share, short) in [(0.001, 30.9), (0.02, 25.0), (0.04, 18.75), (0.525, 7.8)] {
            let exceeded = shortfall.exceeded(share) / 1e3;
            assert!((exceeded - short).abs() < 0.25, "{share}: {exceeded}");
        }
        assert!((shortfall.seen() / MEMORY - 1.0).abs() < 0.02);
    }

    #[test]
    fn it_knows_by_how_much_holes_exceed_a_level() {
        let mut shortfall = Shortfall::new();
        assert_eq!(shortfall.excess(0.0), 0.0);
        // One hole of five intervals for each of two.
        for _ in 0..50 {
            for short in [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 5.0] {
                shortfall.pass(INTERVAL, INTERVAL * short, MEMORY);
            }
        }
        for (level, excess) in [(1.0, 2.5), (1.5, 2.0), (3.0, 2.0), (4.5, 0.5), (6.0, 0.0)] {
            let seen = shortfall.excess(INTERVAL * level) / INTERVAL;
            assert!((seen - excess).abs() < 0.1, "{level}: {seen}");
        }
    }

    #[test]
    fn what_is_older_than_its_memory_counts_for_little() {
        let mut shortfall = Shortfall::new();
        shortfall.pass(10e6, 10e6, MEMORY);
        let second = |shortfall: &mut Shortfall, memory| {
            (0..64).for_each(|_| shortfall.pass(INTERVAL, INTERVAL, memory));
            shortfall.exceeded(0.05)
        };
        let after = (0..90).map(|_| second(&mut shortfall, MEMORY)).last();
        assert!(after < Some(20e3), "{after:?}");
        let mut brief = Shortfall::new();
        brief.pass(10e6, 10e6, MEMORY);
        let seconds = (0..).take_while(|_| second(&mut brief, 5e6) > 20e3).count();
        assert!((12..20).contains(&seconds), "{seconds} s");
    }

    #[test]
    fn a_sample_before_it_is_due_asks_for_nothing() {
        let mut shortfall = Shortfall::new();
        (0..1_000).for_each(|_| shortfall.pass(INTERVAL, -5_000.0, MEMORY));
        assert!((shortfall.total - shortfall.spent[0]).abs() < shortfall.unit);
        assert!(shortfall.exceeded(0.01) <= 500.0);
    }
}
