//! When snapshots come, against when they were due.

use wire::{Micros, Tick};

/// What the arrival times of snapshots say: which tick is due now, and how much arrivals jitter.
///
/// The *front* is the tick that the mean snapshot brings at an instant, a smooth line through the steps in which news
/// comes; it follows the drift of the two clocks as well as their distance. The *jitter* is how far each arrival strays
/// from when the ticks between it and the one before say it was due. A lost snapshot is not jitter, since the ticks
/// between count; drift cancels, since only neighbours are compared.
///
/// Give it every snapshot once, late ones too: those are the jitter. Source: seed `001_545bc6c5b0a72338.txt`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrivals {
    /// Ticks a microsecond.
    rate: f64,
    seen: Option<Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    at: Micros,
    tick: Tick,
    newest: Tick,
    /// The front at `at`, less `rate * at`: ticks between the two clocks.
    offset: f64,
    /// How fast that grows, ticks a microsecond: the drift.
    drift: f64,
    /// us.
    jitter: f64,
    /// The ticks by which a snapshot brings the newest one on, in the mean, us. Every arrival weighs as much as that: by the
    /// ticks since its neighbour, early ones would weigh more than late ones wherever the order changes.
    spacing: f64,
}

impl Arrivals {
    /// The jitter is smoothed as the pacing smooths its readings, us.
    const JITTER_OVER: f64 = 1e6 / 6.0;
    /// The front is smoothed over this long, us: short enough to follow a link whose latency changed within a second,
    /// long enough that 45 ms of jitter moves it by a few milliseconds only.
    const FRONT_OVER: f64 = 500_000.0;
    /// Of the correction of the front, what goes to the drift: little, so that the drift is learnt over seconds.
    const DRIFT_SHARE: f64 = 0.25;
    /// The most that one clock may be faster than the other, as a share: twice what the pacing can bend.
    const MOST_DRIFT: f64 = 0.10;

    /// Nothing seen, in a game of `rate_hz` ticks a second.
    pub fn new(rate_hz: u16) -> Self {
        Self {
            rate: f64::from(rate_hz.max(1)) / 1e6,
            seen: None,
        }
    }

    /// The snapshot of `tick` has come. A second packet of the tick seen last changes nothing.
    pub fn observe(&mut self, now: Micros, tick: Tick) {
        let offset = tick.get() as f64 - self.rate * now.get() as f64;
        let Some(mut s) = self.seen else {
            self.seen = Some(Seen {
                at: now,
                tick,
                newest: tick,
                offset,
                drift: 0.0,
                jitter: 0.0,
                spacing: 0.0,
            });
            return;
        };
        let ticks = tick.distance(s.tick);
        if ticks == 0 {
            return;
        }
        let due_after = ticks as f64 / self.rate;
        let came_after = (now - s.at).get() as f64;
        let brought = tick.since(s.newest) as f64 / self.rate;
        if s.spacing == 0.0 {
            s.spacing = brought;
        }
        s.spacing += (brought - s.spacing) / 16.0;

        let weight = share(s.spacing, Self::JITTER_OVER);
        s.jitter += weight * ((came_after - due_after).abs() - s.jitter);

        let weight = share(s.spacing, Self::FRONT_OVER);
        s.offset += s.drift * came_after;
        let off = offset - s.offset;
        s.offset += weight * off;
        if s.spacing > 0.0 {
            let drift = s.drift + Self::DRIFT_SHARE * weight * weight * off / s.spacing;
            let most = Self::MOST_DRIFT * self.rate;
            s.drift = drift.clamp(-most, most);
        }

        s.at = now;
        s.tick = tick;
        s.newest = s.newest.max(tick);
        self.seen = Some(s);
    }

    /// The tick that is due to arrive at `now`, whole and fraction; 0 before the first snapshot.
    pub fn front(&self, now: Micros) -> f64 {
        self.seen.map_or(0.0, |s| {
            let since = (now - s.at).get() as f64;
            self.rate * now.get() as f64 + s.offset + s.drift * since
        })
    }

    /// How many seconds of the server pass in a second here: the front moves on at this pace.
    pub fn pace(&self) -> f64 {
        self.seen.map_or(1.0, |s| 1.0 + s.drift / self.rate)
    }

    /// The smoothed distance of arrivals from when they were due.
    pub fn jitter(&self) -> Micros {
        self.seen
            .map_or(Micros::ZERO, |s| Micros::new(s.jitter as u64))
    }

    /// The newest tick that has come.
    pub fn newest(&self) -> Option<Tick> {
        self.seen.map(|s| s.newest)
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.seen = None;
    }
}

/// The weight of a reading that stands for `span` in a mean over `over`: at most a half, so that no one reading decides.
fn share(span: f64, over: f64) -> f64 {
    let span = span.min(over);
    span / (span + over)
}
