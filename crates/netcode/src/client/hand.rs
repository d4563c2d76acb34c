//! What the player's hands hold, until a tick takes it.

use wire::{Instant, Micros};

use crate::client::config::MAX_INPUT_DELAY;
use crate::client::counters::ClientCounters;
use crate::game::Input;

/// One tick's command as it was made: the input, and what the screen showed then.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Made<I> {
    pub input: I,
    pub saw: Instant,
}

const LINE: usize = MAX_INPUT_DELAY as usize + 1;

/// What is held now, and what was held in the newest few ticks, from which a delayed input is taken.
#[derive(Clone, Debug)]
pub(super) struct Hand<I> {
    held: I,
    saw: Option<Instant>,
    /// When what is held was taken up; `None` once a tick has taken it.
    fresh: Option<Micros>,
    line: [(Made<I>, Option<Micros>); LINE],
    next: usize,
}

impl<I: Input> Default for Hand<I> {
    fn default() -> Self {
        Self {
            held: I::default(),
            saw: None,
            fresh: None,
            line: [(Made::default(), None); LINE],
            next: 0,
        }
    }
}

impl<I: Input> Hand<I> {
    /// Holds something else. The edges of what no tick took yet go with it: a press between two ticks is not lost.
    pub(super) fn hold(&mut self, now: Micros, input: I, saw: Option<Instant>) {
        let unseen = self.fresh.is_some();
        self.held = if unseen {
            input.fold_edges(self.held)
        } else {
            input
        };
        self.saw = saw;
        self.fresh = Some(self.fresh.unwrap_or(now));
    }

    /// What the tick at `at` runs: what was held `delay` ticks ago. `shows` is what the screen shows at the tick, for an input
    /// that was taken up earlier and is held still.
    pub(super) fn take(
        &mut self,
        at: Micros,
        delay: u8,
        shows: Instant,
        counters: &mut ClientCounters,
    ) -> Made<I> {
        let made = Made {
            input: self.held,
            saw: self.saw.take().unwrap_or(shows),
        };
        self.line[self.next] = (made, self.fresh.take());
        self.held = self.held.without_edges();
        let back = usize::from(delay.min(MAX_INPUT_DELAY));
        let (made, taken_up) = self.line[(self.next + LINE - back) % LINE];
        self.next = (self.next + 1) % LINE;
        if let Some(taken_up) = taken_up {
            counters.responses += 1;
            counters.response_time += at - taken_up;
        }
        made
    }
}
