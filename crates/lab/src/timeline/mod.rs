//! Time that can be turned back: key states of a lab, what was done to it, and re-runs between them.
//!
//! ```
//! use lab::timeline::{Bound, Timeline};
//! use lab::{LabSetup, params::Config, scenes};
//! use wire::Micros;
//!
//! let lab = scenes::open("arena", LabSetup::new(7, Config::default()))?;
//! let mut time = Timeline::new(lab, Bound::default());
//! time.advance(Micros::from_millis(3_000));
//! let then = time.shown().digest();
//!
//! time.seek(Micros::from_millis(1_000));
//! assert_ne!(time.shown().digest(), then);
//! time.advance(Micros::from_millis(3_000));
//! assert_eq!(time.shown().digest(), then, "it runs through what was");
//! # Ok::<(), lab::scenes::UnknownScene>(())
//! ```

mod feed;
mod keys;
mod log;

use wire::Micros;

use crate::lab::{Action, FeedLine, Lab, Standing};
use crate::params;
use feed::Feed;
use keys::Keys;
use log::Log;

/// How far apart key states are taken. Between two of them the arena re-runs in half a millisecond, a scene of three thousand
/// enemies in six.
const FINE: Micros = Micros::from_millis(250);

/// How far apart key states are at most, however little memory there is: a scene that runs twenty times as fast as time
/// still answers a seek within 100 ms.
const LONGEST: Micros = Micros::from_millis(2_000);

/// Actions kept at most: a minute of pads at 1 kHz. More of them cost the oldest past, not memory.
const MOST_ACTIONS: usize = 1 << 16;

/// What a timeline may take and what it must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Memory, bytes: the labs, the key states, the actions and the lines together.
    pub bytes: usize,
    /// How far back from live it reaches, where memory allows; what is older goes.
    pub span: Micros,
}

impl Default for Bound {
    /// 64 MiB and a minute.
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            span: Micros::from_millis(60_000),
        }
    }
}

/// A lab whose last minute can be looked at again, and played on from.
///
/// It is *live*, or it shows an instant of the past; [`shown`](Self::shown) is the lab at that instant, to the bit as it
/// was then. Time that goes on in the past runs through what was, until it is live again. What is done in the past makes
/// that instant the live one: what came after it is forgotten.
pub struct Timeline {
    live: Box<dyn Lab>,
    past: Option<Past>,
    keys: Keys,
    log: Log,
    feed: Feed,
    /// When the next key state is due.
    key_at: Micros,
    forks: u32,
    bound: Bound,
}

/// An instant that was.
struct Past {
    lab: Box<dyn Lab>,
    /// The number of the first action that was not yet done in it.
    next: u64,
}

impl Timeline {
    /// A timeline that begins where the lab is.
    pub fn new(lab: Box<dyn Lab>, bound: Bound) -> Self {
        let mut timeline = Self {
            key_at: lab.now(),
            live: lab,
            past: None,
            keys: Keys::default(),
            log: Log::default(),
            feed: Feed::default(),
            forks: 0,
            bound,
        };
        timeline.take_key();
        timeline
    }

    /// The lab at the instant that is looked at.
    pub fn shown(&self) -> &dyn Lab {
        self.past.as_ref().map_or(&*self.live, |past| &*past.lab)
    }

    /// Where that instant stands.
    pub fn standing(&self) -> Standing {
        let now = self.live.now();
        Standing {
            behind: now - self.shown().now(),
            kept: now - self.oldest(),
            forks: self.forks,
        }
    }

    /// The oldest instant that can be looked at.
    fn oldest(&self) -> Micros {
        match self.keys.oldest() {
            Some(key) => key.at(),
            None => self.live.now(),
        }
    }

    /// Runs on to `to`: in the past through what was, and from where it was live as it goes.
    pub fn advance(&mut self, to: Micros) {
        if to < self.live.now() {
            return self.replay(to);
        }
        self.past = None;
        // An instant that has run is not run again.
        if to == self.live.now() {
            return;
        }
        while self.key_at <= to {
            self.live.advance(self.key_at);
            self.take_key();
        }
        self.live.advance(to);
        self.feed.take(&mut *self.live, self.bound.span);
    }

    /// Does something at the instant that is shown; false where it would change nothing. In the past everything that came
    /// later is forgotten. A parameter that restarts begins a new timeline at zero.
    pub fn act(&mut self, action: Action) -> bool {
        if !self.shown().changes(&action) {
            return false;
        }
        if let Some(past) = self.past.take() {
            self.fork(past);
        }
        let restarts = matches!(action, Action::Set(id, _) if id.param().restarts);
        self.log.push(self.live.now(), action.clone());
        self.live.act(action);
        if restarts {
            self.begin();
        } else {
            self.feed.take(&mut *self.live, self.bound.span);
            self.make_room(0);
        }
        true
    }

    /// Makes an instant of the past the live one.
    fn fork(&mut self, past: Past) {
        let back = self.live.now() - past.lab.now();
        self.live = past.lab;
        let now = self.live.now();
        self.log.forget_from(past.next);
        self.keys.forget_after(now);
        self.feed.forget_after(now);
        self.key_at = now + FINE;
        self.forks = self.forks.saturating_add(1);
        self.feed.fork(now, back);
    }

    /// Forgets everything but the live lab.
    fn begin(&mut self) {
        (self.keys, self.log, self.feed) = Default::default();
        self.forks = 0;
        self.key_at = self.live.now();
        self.take_key();
    }

    /// Shows an instant, or the nearest that is kept. From the live one on time is live.
    pub fn seek(&mut self, at: Micros) {
        let now = self.live.now();
        let at = at.clamp(self.oldest(), now);
        let Some(key) = self.keys.before(at).filter(|_| at < now) else {
            self.past = None;
            return;
        };
        let on_the_way = |past: &Past| (key.at()..=at).contains(&past.lab.now());
        if !self.past.as_ref().is_some_and(on_the_way) {
            self.past = Some(Past {
                lab: key.lab.fork(),
                next: key.next,
            });
        }
        while self.shown().now() + FINE < at {
            self.replay(self.shown().now() + FINE);
            self.take_key_of_past();
        }
        self.replay(at);
    }

    /// Goes so many ticks of the server on, or back; back at most to the oldest instant that is kept.
    pub fn step(&mut self, ticks: i32) {
        for _ in 0..ticks {
            let shown = self.shown();
            // The first tick is due at the instant at which a lab begins, and no time has gone by then.
            self.advance(shown.next_tick_at().max(shown.now() + Micros::new(1)));
        }
        if ticks < 0 {
            self.step_back(u64::from(ticks.unsigned_abs()));
        }
    }

    fn step_back(&mut self, ticks: u64) {
        let shown = self.shown();
        let wanted = shown.tick().get().saturating_sub(ticks);
        // Half a period before the tick that is wanted.
        let period = 1e6 / shown.config().get(params::SERVER_TICK);
        let back = Micros::new(((ticks as f64 + 1.5) * period) as u64);
        self.seek(shown.next_tick_at().max(back) - back);
        let shown = self.shown();
        if shown.tick().get() < wanted {
            self.advance(shown.next_tick_at());
        }
    }

    /// Shows the live instant.
    pub fn live(&mut self) {
        self.past = None;
    }

    /// What happened since it was asked last, oldest first. A line is told once, when it happens; not when it is shown again.
    pub fn news(&mut self) -> impl Iterator<Item = &FeedLine> {
        self.feed.news()
    }

    /// Every line of the feed that is kept, oldest first, those later than the shown instant too.
    pub fn lines(&self) -> impl Iterator<Item = &FeedLine> {
        self.feed.lines()
    }

    /// Runs the past on to an instant through what was done then.
    fn replay(&mut self, to: Micros) {
        let Some(past) = &mut self.past else { return };
        while let Some((at, action)) = self.log.until(past.next, to) {
            // What an action made due within its instant waits for time to go on, as it did then.
            if *at > past.lab.now() {
                past.lab.advance(*at);
            }
            past.lab.act(action.clone());
            past.next += 1;
        }
        if to > past.lab.now() {
            past.lab.advance(to);
        }
        // Its lines were told when it was live.
        past.lab.drain();
    }

    /// Keeps a copy of the live lab, which has no line left to tell.
    fn take_key(&mut self) {
        self.feed.take(&mut *self.live, self.bound.span);
        self.key_at = self.live.now() + FINE;
        let size = self.live.bytes();
        self.make_room(size);
        if self.bytes() + size <= self.bound.bytes {
            self.keys.insert(self.live.fork(), self.log.next());
        }
    }

    /// Keeps a copy of the past, if there is room for it without forgetting any.
    fn take_key_of_past(&mut self) {
        let Some(past) = &self.past else { return };
        let (at, end, size) = (past.lab.now(), self.live.now(), past.lab.bytes());
        while self.bytes() + size > self.bound.bytes {
            if !self.keys.thin(at, end, LONGEST) {
                return;
            }
        }
        if let Some(past) = &self.past {
            self.keys.insert(past.lab.fork(), past.next);
        }
    }

    /// Forgets what is older than the span, and what the bound has no room for beside so many bytes more: first key states
    /// between others, then the oldest.
    fn make_room(&mut self, size: usize) {
        let now = self.live.now();
        while self
            .keys
            .second()
            .is_some_and(|key| now - key.at() >= self.bound.span)
        {
            self.keys.forget_oldest();
        }
        self.forget_done();
        while self.keys.oldest().is_some()
            && (self.bytes() + size > self.bound.bytes || self.log.len() > MOST_ACTIONS)
        {
            if self.log.len() > MOST_ACTIONS || !self.keys.thin(now, now, LONGEST) {
                self.keys.forget_oldest();
                self.forget_done();
            }
        }
    }

    /// Forgets the actions that no key state needs any more.
    fn forget_done(&mut self) {
        let oldest = self.keys.oldest();
        let needed = oldest.map_or_else(|| self.log.next(), |key| key.next);
        self.log.forget_before(needed);
    }

    /// Takes on another bound, at once, and is live.
    pub fn rebound(&mut self, bound: Bound) {
        self.past = None;
        self.bound = bound;
        self.make_room(0);
    }

    /// Memory taken, bytes.
    pub fn bytes(&self) -> usize {
        let past = self.past.as_ref().map_or(0, |past| past.lab.bytes());
        self.live.bytes() + past + self.keys.bytes() + self.log.bytes() + self.feed.bytes()
    }
}

#[cfg(test)]
mod tests;
