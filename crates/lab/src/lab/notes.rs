//! The event feed: what happened, in sentences.

use std::collections::VecDeque;

use wire::Micros;

use crate::json::number;
use crate::params::Pair;

/// Sentences kept for a reader who does not come; the oldest go.
const KEPT: usize = 64;

/// Losses are told together once a second, or they would bury everything else.
const TOGETHER: Micros = Micros::from_millis(1_000);

/// The least correction that is told, m: what one can see on a screen that shows the whole arena.
const SEEN: f64 = 0.01;

/// Corrections nearer than this to the one before are not told: while a link stalls there is one a tick.
const APART: Micros = Micros::from_millis(250);

/// Frames without samples that are worth a sentence.
const RUN: u32 = 2;

/// A run without samples that lasts longer is told before it ends, once.
const LONG: Micros = Micros::from_millis(1_000);

/// One line of the feed.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedLine {
    /// When.
    pub at: Micros,
    /// Which glyph and row it gets.
    pub kind: &'static str,
    /// One plain sentence without its full stop.
    pub text: String,
}

/// The feed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    lines: VecDeque<FeedLine>,
    /// Losses up and down that are not told yet, what waited behind one likewise, and since when.
    losses: [u32; 2],
    held: [u32; 2],
    since: Option<Micros>,
    starved: Option<Starved>,
    /// When a correction was told last.
    corrected: Option<Micros>,
    /// Nobody reads: sentences are not written.
    muted: bool,
}

/// A run of frames without samples.
#[derive(Clone, Copy, Debug)]
struct Starved {
    since: Micros,
    frames: u32,
    /// Whether it was told that it goes on.
    told: bool,
}

impl Notes {
    /// Stops or starts the writing of sentences. A run without a reader needs none.
    pub(crate) fn mute(&mut self, muted: bool) {
        self.muted = muted;
    }

    /// Whether no sentences are written.
    pub(crate) fn is_muted(&self) -> bool {
        self.muted
    }

    pub(crate) fn push(&mut self, at: Micros, kind: &'static str, text: String) {
        if self.muted {
            return;
        }
        if self.lines.len() == KEPT {
            self.lines.pop_front();
        }
        self.lines.push_back(FeedLine { at, kind, text });
    }

    pub(crate) fn lost(&mut self, now: Micros, way: Pair) {
        self.losses[usize::from(way == Pair::Down)] += 1;
        self.since.get_or_insert(now);
    }

    /// A packet came after it had waited for one that was sent again.
    pub(crate) fn held(&mut self, now: Micros, way: Pair) {
        self.held[usize::from(way == Pair::Down)] += 1;
        self.since.get_or_insert(now);
    }

    /// The own character was moved by so many metres.
    pub(crate) fn corrected(&mut self, now: Micros, by: f64) {
        let lately = self.corrected.is_some_and(|before| now - before < APART);
        if self.muted || lately || by < SEEN {
            return;
        }
        self.corrected = Some(now);
        let by = if by < 1.0 {
            number(by * 100.0, 0) + " cm"
        } else {
            number(by, 1) + " m"
        };
        self.push(
            now,
            "correction",
            format!("the server's answer moved you by {by}"),
        );
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        let texts: usize = self.lines.iter().map(|line| line.text.len()).sum();
        self.lines.len() * size_of::<FeedLine>() + texts
    }

    /// A frame was drawn.
    pub(crate) fn frame(&mut self, now: Micros, starved: bool, extrapolates: bool) {
        if self.since.is_some_and(|since| now - since >= TOGETHER) {
            self.tell_losses(now);
        }
        if !starved {
            if let Some(run) = self.starved.take().filter(|run| run.frames >= RUN) {
                let how = if extrapolates {
                    "carried on straight"
                } else {
                    "stood still"
                };
                let ms = number((now - run.since).as_millis_f64(), 0);
                let text = format!("samples ran out for {ms} ms, others {how}");
                self.push(now, "starved", text);
            }
            return;
        }
        let run = self.starved.get_or_insert(Starved {
            since: now,
            frames: 0,
            told: false,
        });
        run.frames += 1;
        if now - run.since >= LONG && !std::mem::replace(&mut run.told, true) {
            let how = if extrapolates {
                "carry on straight"
            } else {
                "stand still"
            };
            let text = format!("no samples for a second and none yet, others {how}");
            self.push(now, "starved", text);
        }
    }

    fn tell_losses(&mut self, now: Micros) {
        self.since = None;
        let losses = std::mem::take(&mut self.losses);
        let held = std::mem::take(&mut self.held);
        for (way, what) in ["input", "snapshot"].into_iter().enumerate() {
            for (count, kind, told) in [
                (losses[way], "lost", "lost in a second"),
                (held[way], "late", "held up by a loss in a second"),
            ] {
                if count > 0 && !self.muted {
                    let packets = if count == 1 { "packet" } else { "packets" };
                    self.push(now, kind, format!("{count} {what} {packets} {told}"));
                }
            }
        }
    }

    /// Takes the lines out, oldest first.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = FeedLine> + '_ {
        self.lines.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Micros {
        Micros::from_millis(ms)
    }

    fn texts(notes: &mut Notes) -> Vec<String> {
        notes.drain().map(|line| line.text).collect()
    }

    #[test]
    fn losses_are_told_together() {
        let mut notes = Notes::default();
        for i in 0..3 {
            notes.lost(ms(i * 100), Pair::Down);
        }
        notes.lost(ms(500), Pair::Up);
        notes.held(ms(600), Pair::Down);
        notes.held(ms(600), Pair::Down);
        notes.frame(ms(900), false, false);
        assert!(texts(&mut notes).is_empty());
        notes.frame(ms(1_000), false, false);
        assert_eq!(
            texts(&mut notes),
            [
                "1 input packet lost in a second",
                "3 snapshot packets lost in a second",
                "2 snapshot packets held up by a loss in a second",
            ]
        );
    }

    #[test]
    fn a_run_without_samples_is_told_when_it_ends() {
        let mut notes = Notes::default();
        for (at, starved) in [
            (0, true),
            (16, false),
            (32, true),
            (48, true),
            (64, true),
            (80, false),
        ] {
            notes.frame(ms(at), starved, false);
        }
        assert_eq!(
            texts(&mut notes),
            ["samples ran out for 48 ms, others stood still"]
        );
    }

    #[test]
    fn a_run_that_lasts_is_told_before_it_ends_and_once() {
        let mut notes = Notes::default();
        for at in 0..=150 {
            notes.frame(ms(at * 10), true, false);
        }
        assert_eq!(
            texts(&mut notes),
            ["no samples for a second and none yet, others stand still"]
        );
        notes.frame(ms(1_510), false, false);
        assert_eq!(
            texts(&mut notes),
            ["samples ran out for 1510 ms, others stood still"]
        );
    }

    #[test]
    fn corrections_are_told_if_they_can_be_seen_and_not_all_of_a_burst() {
        let mut notes = Notes::default();
        for (at, by) in [(0, 0.004), (16, 0.03), (32, 0.5), (500, 1.25)] {
            notes.corrected(ms(at), by);
        }
        assert_eq!(
            texts(&mut notes),
            [
                "the server's answer moved you by 3 cm",
                "the server's answer moved you by 1.3 m"
            ]
        );
    }

    #[test]
    fn keeps_a_bounded_number_of_lines() {
        let mut notes = Notes::default();
        for i in 0..1_000 {
            notes.push(ms(i), "miss", String::new());
        }
        assert_eq!(texts(&mut notes).len(), KEPT);
        notes.mute(true);
        notes.corrected(ms(0), 0.5);
        assert!(texts(&mut notes).is_empty());
    }
}
