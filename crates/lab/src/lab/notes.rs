//! The event feed: what happened, in sentences.

use std::collections::VecDeque;

use wire::Micros;

use super::line::{Cargo, Loss};
use super::mends::Mends;
use crate::json::number;
use crate::params::Pair;

/// Lines kept for a reader who does not come; the oldest go. At the worst link, two seconds of them.
const KEPT: usize = 256;

/// Losses are told together this often, or they would bury everything else. The sentence says it too.
const TOGETHER: Micros = Micros::from_millis(2_000);

/// Packets that waited on a stream are marked no nearer than this: a stall ends in a burst of them.
const MARKED: Micros = Micros::from_millis(50);

/// The least correction that is told, m: what one can see on a screen that shows the whole arena.
const SEEN: f64 = 0.01;
/// The same where the scene counts in pixels.
const SEEN_PIXELS: f64 = 1.0;

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
    /// One plain sentence without its full stop; empty for what is marked on the tape and told together with others.
    pub text: String,
}

/// The feed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    lines: VecDeque<FeedLine>,
    /// Losses up and down that are not told yet, made good and not; what waited behind one likewise; and since when.
    losses: [[u32; 2]; 2],
    held: [u32; 2],
    /// Losses up of which nobody tells what became of them.
    unjudged: u32,
    since: Option<Micros>,
    mends: Mends,
    /// When something that had waited was marked last.
    marked: Option<Micros>,
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

    /// A packet is lost on its way.
    pub(crate) fn lost(&mut self, now: Micros, way: Pair, loss: Loss) {
        match loss.cargo {
            Cargo::Inputs | Cargo::Snapshot => self.mends.lost(way, now, loss.due),
            Cargo::Other => self.push(now, "resent", String::new()),
        }
    }

    /// A packet up is lost, and nobody will tell whether the server had to do without.
    pub(crate) fn dropped(&mut self, now: Micros, loss: Loss) {
        if loss.cargo == Cargo::Inputs {
            self.unjudged += 1;
            self.since.get_or_insert(now);
        }
    }

    /// So many snapshots did not come; whether the screen had to do without is known.
    pub(crate) fn passed_over(&mut self, now: Micros, harmed: bool, count: u64) {
        let count = u32::try_from(count).unwrap_or(u32::MAX).min(KEPT as u32);
        self.judged(now, Pair::Down, harmed, count);
    }

    /// The server had to stand in for an input.
    pub(crate) fn stood_in(&mut self, now: Micros) {
        let missed = self.mends.did_without(Pair::Up, now);
        self.judged(now, Pair::Up, true, missed);
    }

    /// A snapshot came that was sent at `sent`.
    pub(crate) fn heard(&mut self, now: Micros, sent: Micros) {
        let bridged = self.mends.heard(sent);
        self.judged(now, Pair::Down, false, bridged);
    }

    /// Marks so many losses, and counts them for the sentence.
    fn judged(&mut self, now: Micros, way: Pair, harmed: bool, count: u32) {
        if count == 0 {
            return;
        }
        self.losses[usize::from(way == Pair::Down)][usize::from(harmed)] += count;
        self.since.get_or_insert(now);
        for _ in 0..count {
            self.push(now, if harmed { "lost" } else { "resent" }, String::new());
        }
    }

    /// A packet came after it had waited for one that was sent again.
    pub(crate) fn held(&mut self, now: Micros, way: Pair) {
        self.held[usize::from(way == Pair::Down)] += 1;
        self.since.get_or_insert(now);
        if self.marked.is_none_or(|before| now - before >= MARKED) {
            self.marked = Some(now);
            self.push(now, "late", String::new());
        }
    }

    /// The own character was moved by so many of the scene's unit.
    pub(crate) fn corrected(&mut self, now: Micros, by: f64, unit: &str) {
        let lately = self.corrected.is_some_and(|before| now - before < APART);
        let seen = if unit == "m" { SEEN } else { SEEN_PIXELS };
        if self.muted || lately || by < seen {
            return;
        }
        self.corrected = Some(now);
        let by = if unit == "m" && by < 1.0 {
            number(by * 100.0, 0) + " cm"
        } else {
            number(by, 1) + " " + unit
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
        self.lines.len() * size_of::<FeedLine>() + texts + self.mends.heap()
    }

    /// A frame was drawn.
    pub(crate) fn frame(&mut self, now: Micros, starved: bool, extrapolates: bool) {
        let mended = self.mends.passed(now);
        self.judged(now, Pair::Up, false, mended);
        if starved {
            let missed = self.mends.did_without(Pair::Down, now);
            self.judged(now, Pair::Down, true, missed);
        }
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
        let unjudged = std::mem::take(&mut self.unjudged);
        if self.muted {
            return;
        }
        let packets = |count: u32, what: &str| {
            let packets = if count == 1 { "packet" } else { "packets" };
            format!("{count} {what} {packets}")
        };
        if unjudged > 0 {
            let lost = packets(unjudged, "input");
            self.push(now, "losses", format!("{lost} lost in 2 s"));
        }
        for (way, what) in ["input", "snapshot"].into_iter().enumerate() {
            let [mended, harmed] = losses[way];
            let became = match (harmed, way) {
                (0, _) => "made good".to_owned(),
                (_, 0) => format!("the server stood in for {harmed}"),
                _ => format!("{harmed} left your screen without samples"),
            };
            if mended + harmed > 0 {
                let lost = packets(mended + harmed, what);
                self.push(now, "losses", format!("{lost} lost in 2 s: {became}"));
            }
            if held[way] > 0 {
                let late = packets(held[way], what);
                self.push(now, "stalls", format!("{late} held up by a loss in 2 s"));
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

    /// What is lost at `at` and would have come 100 ms later.
    const fn loss(at: u64, cargo: Cargo) -> Loss {
        Loss {
            due: ms(at + 100),
            cargo,
        }
    }

    #[test]
    fn losses_are_marked_one_by_one_and_told_together() {
        let mut notes = Notes::default();
        for at in [0, 20, 40] {
            notes.lost(ms(at), Pair::Down, loss(at, Cargo::Snapshot));
            notes.lost(ms(at), Pair::Up, loss(at, Cargo::Inputs));
        }
        notes.heard(ms(115), ms(10));
        notes.frame(ms(150), true, false);
        notes.stood_in(ms(130));
        notes.frame(ms(340), false, false);
        notes.held(ms(600), Pair::Down);
        notes.held(ms(610), Pair::Down);
        let kinds: Vec<_> = notes
            .drain()
            .map(|line| (line.kind, line.text.is_empty()))
            .collect();
        assert_eq!(
            kinds,
            ["resent", "lost", "lost", "lost", "lost", "resent", "late"].map(|kind| (kind, true))
        );
        notes.frame(ms(2_000), false, false);
        assert!(texts(&mut notes).is_empty());
        notes.frame(ms(2_115), false, false);
        assert_eq!(
            texts(&mut notes),
            [
                "3 input packets lost in 2 s: the server stood in for 2",
                "3 snapshot packets lost in 2 s: 2 left your screen without samples",
                "2 snapshot packets held up by a loss in 2 s",
            ]
        );
        notes.lost(ms(3_000), Pair::Up, loss(3_000, Cargo::Inputs));
        notes.frame(ms(3_300), false, false);
        notes.frame(ms(5_300), false, false);
        assert_eq!(
            texts(&mut notes),
            ["", "1 input packet lost in 2 s: made good"]
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
        for (at, by, unit) in [
            (0, 0.004, "m"),
            (16, 0.03, "m"),
            (32, 0.5, "m"),
            (500, 1.25, "m"),
            (1_000, 0.5, "px"),
            (1_500, 2.5, "px"),
        ] {
            notes.corrected(ms(at), by, unit);
        }
        assert_eq!(
            texts(&mut notes),
            [
                "the server's answer moved you by 3 cm",
                "the server's answer moved you by 1.3 m",
                "the server's answer moved you by 2.5 px"
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
        notes.corrected(ms(0), 0.5, "m");
        assert!(texts(&mut notes).is_empty());
    }
}
