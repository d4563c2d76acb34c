//! The lines of a timeline's feed.

use std::collections::VecDeque;

use wire::Micros;

use crate::json::number;
use crate::lab::{FeedLine, Lab};

/// Lines kept at most: three minutes of the twenty a second that ten characters and the worst link come to.
const MOST: usize = 4_096;

/// What happened lately, in sentences: each line is taken once, from the live lab, and told once.
#[derive(Debug, Default)]
pub(super) struct Feed {
    lines: VecDeque<FeedLine>,
    /// How many of the newest lines nobody was told of.
    untold: usize,
}

impl Feed {
    /// Takes what a lab has to say, and forgets what is older than `span`.
    pub(super) fn take(&mut self, lab: &mut dyn Lab, span: Micros) {
        for line in lab.drain() {
            self.lines.push_back(line);
            self.untold += 1;
        }
        let now = lab.now();
        while self.lines.len() > MOST || self.lines.front().is_some_and(|line| now - line.at > span)
        {
            self.lines.pop_front();
        }
        self.untold = self.untold.min(self.lines.len());
    }

    /// Forgets what was said after an instant.
    pub(super) fn forget_after(&mut self, at: Micros) {
        while self.lines.back().is_some_and(|line| line.at > at) {
            self.lines.pop_back();
            self.untold = self.untold.saturating_sub(1);
        }
    }

    /// Says that somebody acted at an instant so far before what was live: a reader that was told of what came later takes
    /// it back.
    pub(super) fn fork(&mut self, at: Micros, back: Micros) {
        let places = if back < Micros::from_millis(1_000) {
            2
        } else {
            1
        };
        let seconds = number(back.as_millis_f64() / 1_000.0, places);
        self.lines.push_back(FeedLine {
            at,
            kind: "fork",
            text: format!("you acted {seconds} s back: what came after it is gone"),
        });
        self.untold += 1;
    }

    /// The lines that nobody was told of, oldest first; now somebody was.
    pub(super) fn news(&mut self) -> impl Iterator<Item = &FeedLine> {
        let untold = std::mem::take(&mut self.untold);
        self.lines.iter().skip(self.lines.len() - untold)
    }

    /// All lines, oldest first.
    pub(super) fn lines(&self) -> impl Iterator<Item = &FeedLine> {
        self.lines.iter()
    }

    /// Memory taken.
    pub(super) fn bytes(&self) -> usize {
        let texts: usize = self.lines.iter().map(|line| line.text.capacity()).sum();
        self.lines.capacity() * size_of::<FeedLine>() + texts
    }
}
