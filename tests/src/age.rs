//! How old what a client knows of the world is, measured in one way wherever it is heard: the lab's link, the kernel's
//! sockets, a browser.
//!
//! At a frame the age is the time since the moment that the newest snapshot heard describes. Frames come 60 times a
//! second, as the lab's own probe `others.age` takes them. Where the clocks of both ends are not known to be one, the
//! fastest snapshot of every few seconds is taken to have needed the link's latency and nothing else: that is true of
//! one that neither waited nor was lost, and takes off what both clocks and the machine add to all of them.

use wire::Micros;

/// The time between two frames at which an age is taken: a sixtieth of a second.
const FRAME: Micros = Micros::new(16_667);

/// How often the fastest snapshot is looked for anew. Long enough for one that nothing held up, short enough that a room
/// which had to let ticks slip on a busy machine is right again soon.
const WINDOW: Micros = Micros::new(3_000_000);

/// A snapshot that was heard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heard {
    /// When.
    pub at: Micros,
    /// The moment that it describes.
    pub of: Micros,
}

/// The moments that ticks describe, for snapshots heard as `(when, tick)` in the order of hearing, on a link whose
/// latency is known, from a server that ticks `rate_hz` times a second.
pub fn by_ticks(heard: &[(Micros, u64)], rate_hz: u16, latency: Micros) -> Vec<Heard> {
    let Some(&(_, first)) = heard.first() else {
        return Vec::new();
    };
    // Any origin will do: what it is wrong by is taken off again.
    let since =
        |tick: u64| Micros::new(tick.saturating_sub(first) * 1_000_000 / u64::from(rate_hz));
    let mut all = Vec::with_capacity(heard.len());
    let mut rest = heard;
    while let Some(&(began, _)) = rest.first() {
        let len = rest.partition_point(|(at, _)| *at < began + WINDOW);
        let (window, later) = rest.split_at(len);
        let took = |(at, tick): &(Micros, u64)| at.get() as i64 - since(*tick).get() as i64;
        let fastest = window.iter().map(took).min().unwrap_or(0);
        all.extend(window.iter().map(|heard| {
            let waited = Micros::new((took(heard) - fastest) as u64);
            Heard {
                at: heard.0,
                of: heard.0 - (latency + waited),
            }
        }));
        rest = later;
    }
    all
}

/// Ages at every frame, sorted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ages(Vec<Micros>);

impl Ages {
    /// Those at the frames of `from..until`, of snapshots in the order of hearing. Frames before the first are none.
    pub fn new(heard: &[Heard], from: Micros, until: Micros) -> Self {
        let (mut heard, mut newest) = (heard.iter().peekable(), None);
        let mut ages = Vec::new();
        let mut frame = from;
        while frame < until {
            while let Some(snapshot) = heard.next_if(|snapshot| snapshot.at <= frame) {
                newest = newest.max(Some(snapshot.of));
            }
            ages.extend(newest.map(|of| frame - of));
            frame += FRAME;
        }
        ages.sort_unstable();
        Self(ages)
    }

    /// Those of several clients as one.
    pub fn of_all(all: impl IntoIterator<Item = Self>) -> Self {
        let mut ages: Vec<_> = all.into_iter().flat_map(|ages| ages.0).collect();
        ages.sort_unstable();
        Self(ages)
    }

    /// What so many per cent of them do not exceed, ms; NaN where there are none.
    pub fn at(&self, percent: usize) -> f64 {
        let last = self.0.len().checked_sub(1);
        last.map_or(f64::NAN, |last| {
            self.0[last * percent / 100].as_millis_f64()
        })
    }
}

impl std::fmt::Display for Ages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [p50, p95, p99, max] = [50, 95, 99, 100].map(|percent| self.at(percent));
        write!(f, "{p50:.0} / {p95:.0} / {p99:.0} / {max:.0} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Micros {
        Micros::from_millis(ms)
    }

    #[test]
    fn a_stream_that_nothing_holds_up_is_as_old_as_its_way_and_half_a_gap() {
        let heard: Vec<_> = (0..640)
            .map(|tick| (ms(1_040) + Micros::new(tick * 15_625), tick))
            .collect();
        let heard = by_ticks(&heard, 64, ms(40));
        assert_eq!(
            heard[64],
            Heard {
                at: ms(2_040),
                of: ms(2_000)
            }
        );
        let ages = Ages::new(&heard, ms(2_000), ms(10_000));
        // 60 frames and 64 snapshots a second meet at every thousandth part of the gap.
        assert!(ages.at(0) < 41.1 && ages.at(100) > 54.5, "{ages}");
        assert!((ages.at(50) - 47.8).abs() < 1.0, "{ages}");
    }

    #[test]
    fn a_snapshot_that_waited_is_older_by_so_much_and_one_that_comes_late_changes_nothing() {
        let heard = [(ms(100), 7), (ms(180), 9), (ms(190), 8)];
        let heard = by_ticks(&heard, 100, ms(40));
        assert_eq!(
            heard[1],
            Heard {
                at: ms(180),
                of: ms(80)
            }
        );
        let ages = Ages::new(&heard, ms(190), ms(191));
        assert!((ages.at(50) - 110.0).abs() < 1e-9, "{ages}");
    }
}
