//! What the instruments draw: a row for each frame, each snapshot, each tick of the server and each tenth of a second, of
//! the last seconds.

use std::collections::VecDeque;

use wire::Micros;

/// How long rows are kept.
const KEPT: Micros = Micros::from_millis(6_000);

/// How far back the instruments other than the error plot look.
const SHORT: Micros = Micros::from_millis(3_000);

/// The most rows of frames: [`KEPT`] at 144 Hz is 864. And of ticks: at the highest rate it is 768.
const MOST: usize = 1_024;

/// How far apart rows of traffic are. As the bins of the probes, so that both say the same.
const TENTH: Micros = crate::probe::BIN;

/// How many of them make the second that a rate is over.
const SECOND: usize = (1_000_000 / TENTH.get()) as usize;

/// Rows of traffic: [`KEPT`], and a second before it to take the difference to.
const TENTHS: usize = (KEPT.get() / TENTH.get()) as usize + SECOND + 1;

/// Kinds of traffic.
pub(crate) const KINDS: usize = 8;

/// The most rows that the lagometer is given.
const LAGOMETER: usize = 512;

/// One frame as it was drawn. Times in ms, errors in m; what is not known (yet) is not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// When.
    pub at: Micros,
    /// How long samples would have lasted, below zero: how long they had run out.
    pub spare: f32,
    /// How far behind the server's present the delay rule asks others to be drawn.
    pub delay: f32,
    /// How far the newest sample lies behind the server's present.
    pub age: f32,
    /// The delay that an even link would need.
    pub needs: f32,
    /// Own character at the drawn instant; known once the server ran that command.
    pub own: f32,
    /// Others at the drawn instant.
    pub others: f32,
    /// Own character against the newest truth.
    pub own_naive: f32,
    /// Others against the newest truth.
    pub others_naive: f32,
}

/// What became of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It came in its turn.
    Heard = 0,
    /// It was lost.
    Lost = 1,
    /// It came after a newer one, or was sent again.
    Late = 2,
}

/// One snapshot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snapshot {
    /// When it came, or would have.
    pub at: Micros,
    /// Its age then, ms.
    pub age: f32,
    /// What became of it.
    pub arrival: Arrival,
}

/// Commands waiting at the server, as one of its ticks found them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depth {
    /// When.
    pub at: Micros,
    /// How many, the one that the tick took included.
    pub depth: f32,
    /// How many the pacing aims at; not a number where nothing paces.
    pub target: f32,
    /// How much faster than its own clock the client buys ticks, %.
    pub bend: f32,
}

/// What went over the wire in a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    /// The end of that second, a whole tenth.
    pub at: Micros,
    /// B/s: up inputs, headers, other; down own, others, events, headers, other.
    pub rates: [f32; 8],
}

/// The rows of the last seconds.
#[derive(Clone, Debug, Default)]
pub struct Strips {
    frames: VecDeque<Frame>,
    /// The number of the oldest row, counted from the first frame ever.
    first: u64,
    snapshots: VecDeque<Snapshot>,
    depths: VecDeque<Depth>,
    /// Bytes by kind since the beginning, at the end of each tenth of a second.
    totals: VecDeque<(Micros, [u64; KINDS])>,
}

impl Strips {
    /// Adds a frame; returns its number.
    pub(crate) fn push_frame(&mut self, frame: Frame) -> u64 {
        while self.frames.len() >= MOST
            || self
                .frames
                .front()
                .is_some_and(|old| frame.at - old.at > KEPT)
        {
            self.frames.pop_front();
            self.first += 1;
        }
        self.frames.push_back(frame);
        self.first + self.frames.len() as u64 - 1
    }

    /// The number of the newest frame; of one that is not there before the first.
    pub(crate) fn newest_frame(&self) -> u64 {
        (self.first + self.frames.len() as u64).wrapping_sub(1)
    }

    /// A frame by its number, if it is still there.
    pub(crate) fn frame_mut(&mut self, number: u64) -> Option<&mut Frame> {
        self.frames
            .get_mut(number.checked_sub(self.first)? as usize)
    }

    /// Adds a snapshot.
    pub(crate) fn push_snapshot(&mut self, snapshot: Snapshot) {
        while self
            .snapshots
            .front()
            .is_some_and(|old| snapshot.at - old.at > KEPT)
        {
            self.snapshots.pop_front();
        }
        if self.snapshots.len() < LAGOMETER {
            self.snapshots.push_back(snapshot);
        }
    }

    /// Adds a tick of the server.
    pub(crate) fn push_depth(&mut self, depth: Depth) {
        while self.depths.len() >= MOST
            || self
                .depths
                .front()
                .is_some_and(|old| depth.at - old.at > KEPT)
        {
            self.depths.pop_front();
        }
        self.depths.push_back(depth);
    }

    /// Takes what was sent so far, by kind, at the end of the tenth of a second before `now`; once for each.
    pub(crate) fn push_totals(&mut self, now: Micros, totals: [u64; KINDS]) {
        let at = TENTH * (now.get() / TENTH.get());
        if self.totals.back().is_some_and(|(last, _)| *last >= at) {
            return;
        }
        if self.totals.len() == TENTHS {
            self.totals.pop_front();
        }
        self.totals.push_back((at, totals));
    }

    /// Ticks of the server of the last six seconds, oldest first.
    pub fn depths(&self) -> impl Iterator<Item = &Depth> {
        self.depths.iter()
    }

    /// What went over the wire in each second that ended in the last six, oldest first.
    pub fn traffic(&self, now: Micros) -> impl Iterator<Item = Traffic> {
        let rows = self.totals.iter().zip(self.totals.iter().skip(SECOND));
        rows.filter(move |(_, (at, _))| now - *at <= KEPT)
            .map(|((from, before), (at, totals))| {
                let seconds = (*at - *from).as_secs_f64();
                let rate = |kind: usize| ((totals[kind] - before[kind]) as f64 / seconds) as f32;
                Traffic {
                    at: *at,
                    rates: std::array::from_fn(rate),
                }
            })
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.frames.len() * size_of::<Frame>()
            + self.snapshots.len() * size_of::<Snapshot>()
            + self.depths.len() * size_of::<Depth>()
            + self.totals.len() * size_of::<(Micros, [u64; KINDS])>()
    }

    /// All rows, oldest first.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter()
    }

    /// Snapshots of the last three seconds, oldest first. Losses are listed once they would have come.
    pub fn snapshots(&self, now: Micros) -> impl Iterator<Item = &Snapshot> {
        self.snapshots
            .iter()
            .filter(move |s| s.at <= now && now - s.at <= SHORT)
    }

    /// Frames of the last three seconds, oldest first, at most as many as a lagometer has room for.
    pub fn recent(&self, now: Micros) -> impl Iterator<Item = &Frame> {
        let recent = self
            .frames
            .iter()
            .rev()
            .take_while(|frame| now - frame.at <= SHORT)
            .count();
        self.frames
            .iter()
            .skip(self.frames.len() - recent.min(LAGOMETER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(ms: u64) -> Frame {
        let nan = f32::NAN;
        Frame {
            at: Micros::from_millis(ms),
            spare: 0.0,
            delay: 0.0,
            age: 0.0,
            needs: 0.0,
            own: nan,
            others: nan,
            own_naive: nan,
            others_naive: nan,
        }
    }

    #[test]
    fn rows_go_when_they_are_old_and_keep_their_numbers() {
        let mut strips = Strips::default();
        let first = strips.push_frame(frame(0));
        let second = strips.push_frame(frame(5_000));
        strips.frame_mut(first).unwrap().own = 1.0;
        strips.push_frame(frame(7_000));
        assert!(strips.frame_mut(first).is_none());
        assert_eq!(
            strips.frame_mut(second).map(|f| f.at),
            Some(Micros::from_millis(5_000))
        );
        assert_eq!(strips.recent(Micros::from_millis(7_500)).count(), 2);
        assert_eq!(strips.recent(Micros::from_millis(9_000)).count(), 1);
    }

    #[test]
    fn memory_is_bounded_at_any_rate() {
        let mut strips = Strips::default();
        for i in 0..5_000 {
            strips.push_frame(frame(i));
            strips.push_depth(Depth {
                at: Micros::from_millis(i),
                depth: 2.0,
                target: 2.0,
                bend: 0.0,
            });
            strips.push_snapshot(Snapshot {
                at: Micros::from_millis(i),
                age: 0.0,
                arrival: Arrival::Heard,
            });
        }
        assert!(strips.frames.len() <= MOST && strips.snapshots.len() <= LAGOMETER);
        assert_eq!(strips.depths().count(), MOST);
        assert!(strips.recent(Micros::from_millis(5_000)).count() <= LAGOMETER);
    }

    #[test]
    fn traffic_is_over_whole_seconds_and_bounded() {
        let mut strips = Strips::default();
        // A kind that sends a byte a millisecond, seen every 16 ms.
        for now in (0..20_000).step_by(16) {
            let sent = now / 100 * 100;
            strips.push_totals(Micros::from_millis(now), [sent; KINDS]);
        }
        let now = Micros::from_millis(20_000);
        let rows: Vec<_> = strips.traffic(now).collect();
        assert!(rows.iter().all(|row| row.rates == [1_000.0; KINDS]));
        assert_eq!(
            rows.last().map(|row| row.at),
            Some(Micros::from_millis(19_900))
        );
        assert!(rows.len() >= 59 && strips.totals.len() <= TENTHS);
    }

    #[test]
    fn a_loss_shows_when_it_would_have_come() {
        let mut strips = Strips::default();
        let at = Micros::from_millis(100);
        strips.push_snapshot(Snapshot {
            at,
            age: 90.0,
            arrival: Arrival::Lost,
        });
        assert_eq!(strips.snapshots(Micros::from_millis(99)).count(), 0);
        assert_eq!(strips.snapshots(at).count(), 1);
    }
}
