//! The last few seconds of a probe.

use wire::Micros;

/// How far back a reading looks.
const WINDOW: Micros = Micros::from_millis(3_000);

/// Length of a bin: short enough that a window slides smoothly at the page's 8 readings a second.
pub(crate) const BIN: Micros = Micros::from_millis(100);

const BINS: usize = (WINDOW.get() / BIN.get()) as usize;

/// How many bins make the second that a counter's `now` is over.
const SECOND: u64 = 1_000_000 / BIN.get();

/// Sums and maxima of the last [`WINDOW`], in bins. Fixed size, so cloning it is a copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    bins: [Bin; BINS],
    /// The number of the newest bin, counted from time zero.
    newest: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Bin {
    sum: f64,
    count: u64,
    max: f64,
}

const EMPTY: Bin = Bin {
    sum: 0.0,
    count: 0,
    max: f64::NEG_INFINITY,
};

impl Window {
    pub(super) fn new() -> Self {
        Self {
            bins: [EMPTY; BINS],
            newest: 0,
        }
    }

    pub(super) fn add(&mut self, now: Micros, value: f64) {
        self.roll(now);
        let bin = &mut self.bins[(self.newest % BINS as u64) as usize];
        bin.sum += value;
        bin.count += 1;
        bin.max = bin.max.max(value);
    }

    /// Empties the bins between the newest and `now`.
    pub(super) fn roll(&mut self, now: Micros) {
        let at = now.get() / BIN.get();
        while self.newest < at {
            // Past a whole window every bin is empty anyway.
            self.newest = (self.newest + 1).max(at.saturating_sub(BINS as u64));
            self.bins[(self.newest % BINS as u64) as usize] = EMPTY;
        }
    }

    /// Sum, count and maximum over the whole window. Call [`Window::roll`] first.
    pub(super) fn whole(&self) -> (f64, u64, f64) {
        let mut all = EMPTY;
        for bin in &self.bins {
            all.sum += bin.sum;
            all.count += bin.count;
            all.max = all.max.max(bin.max);
        }
        (all.sum, all.count, all.max)
    }

    /// When the window begins. Call [`Window::roll`] first.
    pub(super) fn begins(&self) -> Micros {
        BIN * (self.newest + 1).saturating_sub(BINS as u64)
    }

    /// Sum over the last second. The bin that is still being filled is left out, or the sum would swing by a tenth.
    pub(super) fn second(&self) -> f64 {
        self.second_before(self.newest)
    }

    /// The largest sum over a second, of those that lie in the window whole.
    pub(super) fn busiest_second(&self) -> f64 {
        let oldest = (self.newest + 1).saturating_sub(BINS as u64);
        let ends = (oldest + SECOND).min(self.newest)..=self.newest;
        ends.map(|end| self.second_before(end)).fold(0.0, f64::max)
    }

    /// Sum of the second's bins before one.
    fn second_before(&self, end: u64) -> f64 {
        let bins = end.saturating_sub(SECOND)..end;
        bins.map(|at| self.bins[(at % BINS as u64) as usize].sum)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_what_is_older_than_the_window() {
        let mut window = Window::new();
        window.add(Micros::from_millis(0), 5.0);
        window.add(Micros::from_millis(2_950), 1.0);
        assert_eq!(window.whole(), (6.0, 2, 5.0));
        window.roll(Micros::from_millis(3_000));
        assert_eq!(window.whole(), (1.0, 1, 1.0));
        assert_eq!(window.second(), 1.0);
        window.roll(Micros::from_millis(60_000));
        assert_eq!(window.whole().1, 0);
    }

    #[test]
    fn a_second_is_ten_whole_bins() {
        let mut window = Window::new();
        for ms in (0..2_900).step_by(100) {
            window.add(Micros::from_millis(ms), 1.0);
        }
        window.add(Micros::from_millis(2_950), 99.0);
        assert_eq!(window.second(), 10.0, "what is being filled does not count");
        window.roll(Micros::from_millis(3_000));
        assert_eq!((window.second(), window.busiest_second()), (108.0, 108.0));
        window.roll(Micros::from_millis(4_500));
        assert_eq!((window.second(), window.busiest_second()), (0.0, 108.0));
        assert_eq!(window.begins(), Micros::from_millis(1_600));
    }
}
