//! How far behind the front the newest sample lies, and the least delay that covers all but a chosen share of it.

use wire::Micros;

/// The distribution of the delay that would just have sufficed, over the last seconds, and the delay that follows from it.
///
/// At any instant a screen needs a delay of at least the front less the newest sample: that *shortfall* grows as time
/// passes and drops with each sample. Every microsecond counts, not every sample, so that a pause weighs as long as it
/// lasted; the least delay that starves a share of the time is then a quantile, whatever jitter and loss look like. What is
/// old is forgotten over twelve seconds.
///
/// The delay goes up to that quantile at once and comes down to it slowly: what is needed again soon is not given up
/// between. It takes the quantile of three quarters of the share, since the seconds to come are not those that were seen.
///
/// **Call [`pass`](Self::pass) before each sample is counted** and with each tick, then [`settle`](Self::settle); in between
/// [`delay`](Self::delay) is constant, so drawing changes nothing. Source: none, the rule is made here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shortfall {
    /// Remembered time in each [bin](bin), by its weight.
    spent: [f32; BINS],
    /// The sum of it.
    total: f32,
    /// What a microsecond weighs now. It grows instead of everything older shrinking, which would touch every bin each time.
    unit: f32,
    /// Up to when time was counted.
    passed: Option<Micros>,
    /// The delay in force, us, and when it was settled; `None` until it is asked for.
    settled: Option<(Micros, f64)>,
}

impl Default for Shortfall {
    fn default() -> Self {
        Self::new()
    }
}

impl Shortfall {
    /// What is older weighs less than 1/e, us: long enough to hold several of the rare holes that decide, short enough that a
    /// link that became good is believed within half a minute.
    const MEMORY: f64 = 12e6;
    /// A delay that is more than is needed comes down over this long, us.
    const EASE: f64 = 1.5e6;
    /// Of the chosen share, what is aimed at.
    const SPARE: f64 = 0.75;
    /// With less than this seen, two snapshots are the least, us.
    const ENOUGH: f32 = 2e6;
    /// The most that a microsecond weighs: it is reached every 17 s.
    const HEAVIEST: f32 = 4.0;
    /// The most delay, unless four snapshots are longer: beyond it a pause is better than a world that is always old. It is as
    /// much as a server rewinds by default.
    pub const MOST: Micros = Micros::from_millis(500);

    /// Nothing seen.
    pub fn new() -> Self {
        Self {
            spent: [0.0; BINS],
            total: 0.0,
            unit: 1.0,
            passed: None,
            settled: None,
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
        self.unit *= ((Self::MEMORY + span) / Self::MEMORY) as f32;
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

    /// Settles the delay that starves `rate` of the time, a share, on a link that brings a sample each `interval`.
    pub fn settle(&mut self, now: Micros, rate: f64, interval: Micros) {
        let interval = interval.get() as f64;
        let mut needed = self.covering(1.0 - Self::SPARE * rate);
        if self.total < Self::ENOUGH * self.unit {
            needed = needed.max(interval * 2.0);
        }
        let needed = needed.min((interval * 4.0).max(Self::MOST.get() as f64));
        let delay = match self.settled {
            Some((before, delay)) if delay > needed => {
                let span = (now - before).get() as f64;
                needed + (delay - needed) * (Self::EASE / (Self::EASE + span))
            }
            _ => needed,
        };
        self.settled = Some((now, delay));
    }

    /// The shortfall that was not exceeded in `share` of the time, us; 0 when nothing was seen.
    fn covering(&self, share: f64) -> f64 {
        // From the top: there is little above.
        let mut above = (1.0 - share).max(0.0) * f64::from(self.total);
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

    /// The delay behind the front in force. Zero before the first [`settle`](Self::settle).
    pub fn delay(&self) -> Micros {
        self.settled
            .map_or(Micros::ZERO, |(_, delay)| Micros::new(delay as u64))
    }

    /// Another rule decides from here on. What was seen stays known, and more may be added.
    pub fn rest(&mut self) {
        self.settled = None;
    }
}

/// Bins are 1 ms wide up to 64 ms and then twice as wide with each doubling, up to 4.096 s: as fine as it matters.
const BINS: usize = EVEN + HALF * 6;
const EVEN: usize = 64;
const HALF: usize = EVEN / 2;
/// The width of the narrowest, us.
const WIDTH: f64 = 1_000.0;

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

    const INTERVAL: Micros = Micros::new(15_625);
    const HALF_A_PERCENT: f64 = 0.005;

    /// A link whose samples come on the beat, but for those that are lost.
    struct Beat {
        shortfall: Shortfall,
        now: u64,
    }

    impl Beat {
        fn new() -> Self {
            Self {
                shortfall: Shortfall::new(),
                now: 0,
            }
        }

        /// `beats` in a row fail to come, the one after them does, and time is counted at each.
        fn after(&mut self, lost: u64) -> f64 {
            for beat in 1..=lost + 1 {
                self.now += INTERVAL.get();
                let short = (beat * INTERVAL.get()) as f64;
                self.shortfall.pass(Micros::new(self.now), short);
                self.settle(HALF_A_PERCENT);
            }
            self.delay()
        }

        fn settle(&mut self, rate: f64) {
            self.shortfall.settle(Micros::new(self.now), rate, INTERVAL);
        }

        fn delay(&self) -> f64 {
            self.shortfall.delay().as_millis_f64()
        }

        fn even(&mut self, seconds: u64) -> f64 {
            (0..seconds * 64).for_each(|_| {
                self.after(0);
            });
            self.delay()
        }
    }

    #[test]
    fn a_bin_begins_where_the_one_before_it_ends() {
        for place in 0..BINS {
            assert!(start(place) < start(place + 1), "{place}");
            assert_eq!(bin(start(place)), place);
            assert_eq!(bin(start(place + 1) - 1.0), place);
        }
        assert_eq!((start(64), start(96), start(BINS)), (64e3, 128e3, 4_096e3));
        assert_eq!((bin(-1.0), bin(1e12)), (0, BINS - 1));
    }

    #[test]
    fn it_begins_with_two_snapshots_and_comes_down_to_one_on_an_even_link() {
        let mut beat = Beat::new();
        assert_eq!(beat.delay(), 0.0);
        assert_eq!(beat.even(1), 31.25);
        let settled = beat.even(20);
        assert!((15.0..16.1).contains(&settled), "{settled}");
    }

    #[test]
    fn it_covers_all_but_the_chosen_share() {
        // One sample in 20 is lost, so for an interval in 20 two are needed: 5 % of the time, evenly from one to two.
        let mut beat = Beat::new();
        for n in 0..4_000 {
            beat.after(u64::from(n % 19 == 0));
        }
        for (rate, least, most) in [(0.001, 30.5, 31.5), (0.02, 26.0, 27.0), (0.06, 16.6, 17.8)] {
            beat.shortfall.rest();
            beat.settle(rate);
            let delay = beat.delay();
            assert!((least..most).contains(&delay), "{rate}: {delay}");
        }
    }

    #[test]
    fn it_goes_up_within_a_hole_and_comes_down_over_seconds() {
        let mut beat = Beat::new();
        let even = beat.even(20);
        let up = beat.after(20);
        assert!(up > 250.0, "{up}");
        let second = beat.even(1);
        assert!(second > up * 0.9, "{second} of {up}");
        let mut last = second;
        for _ in 0..60 {
            let now = beat.even(1);
            assert!(now <= last, "{now} after {last}");
            last = now;
        }
        assert!(last < even + 1.0, "{last}");
    }

    #[test]
    fn it_never_asks_for_more_than_half_a_second_unless_snapshots_are_rare() {
        let mut beat = Beat::new();
        assert_eq!(beat.after(300), 500.0);
        beat.shortfall.rest();
        let each = Micros::from_millis(1_000);
        beat.shortfall.settle(Micros::new(beat.now), 0.005, each);
        assert_eq!(beat.delay(), 4_000.0);
    }

    #[test]
    fn a_sample_before_it_is_due_asks_for_nothing() {
        let mut shortfall = Shortfall::new();
        for n in 0..1_000 {
            shortfall.pass(Micros::new(n * 15_625), -5_000.0);
        }
        assert!((shortfall.total - shortfall.spent[0]).abs() < 1.0);
        assert!(shortfall.covering(0.99) <= 1_000.0);
    }
}
