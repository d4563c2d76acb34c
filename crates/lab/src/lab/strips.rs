//! What the instruments draw: a row for each frame and each snapshot of the last seconds.

use std::collections::VecDeque;

use wire::Micros;

/// How long rows are kept.
const KEPT: Micros = Micros::from_millis(6_000);

/// How far back the instruments other than the error plot look.
const SHORT: Micros = Micros::from_millis(3_000);

/// The most rows of frames: [`KEPT`] at 144 Hz is 864.
const MOST: usize = 1_024;

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

/// The rows of the last seconds.
#[derive(Clone, Debug, Default)]
pub struct Strips {
    frames: VecDeque<Frame>,
    /// The number of the oldest row, counted from the first frame ever.
    first: u64,
    snapshots: VecDeque<Snapshot>,
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
            strips.push_snapshot(Snapshot {
                at: Micros::from_millis(i),
                age: 0.0,
                arrival: Arrival::Heard,
            });
        }
        assert!(strips.frames.len() <= MOST && strips.snapshots.len() <= LAGOMETER);
        assert!(strips.recent(Micros::from_millis(5_000)).count() <= LAGOMETER);
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
