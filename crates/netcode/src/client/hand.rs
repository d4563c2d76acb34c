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

/// A command that no tick has run yet, and when its input was taken up, if that is news.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting<I> {
    made: Made<I>,
    taken_up: Option<Micros>,
}

/// As many as the longest delay holds back, and the newest.
const LINE: usize = MAX_INPUT_DELAY as usize + 1;

/// What is held now, and the commands that an input delay holds back.
///
/// The delay may change at any tick: a longer one is filled by the last command without its edges, a shorter one passes
/// commands over and folds their edges into the one that runs. A press happens once either way.
#[derive(Clone, Debug)]
pub(super) struct Hand<I> {
    held: I,
    saw: Option<Instant>,
    /// When what is held was taken up; `None` once a tick has taken it.
    fresh: Option<Micros>,
    /// The first `waiting` of these, oldest first.
    line: [Waiting<I>; LINE],
    waiting: usize,
    last: Made<I>,
}

impl<I: Input> Default for Hand<I> {
    fn default() -> Self {
        Self {
            held: I::default(),
            saw: None,
            fresh: None,
            line: [Waiting::default(); LINE],
            waiting: 0,
            last: Made::default(),
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

    /// Begins at `now` with what is held. What was pressed before there was a game to press it in happens never.
    pub(super) fn begin(&mut self, now: Micros) {
        *self = Self {
            held: self.held.without_edges(),
            fresh: self.fresh.map(|_| now),
            ..Self::default()
        };
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
        self.line[self.waiting] = Waiting {
            made: Made {
                input: self.held,
                saw: self.saw.take().unwrap_or(shows),
            },
            taken_up: self.fresh.take(),
        };
        self.waiting += 1;
        self.held = self.held.without_edges();
        self.last.input = self.last.input.without_edges();
        let run = self.waiting.saturating_sub(usize::from(delay));
        for (passed_over, Waiting { made, taken_up }) in self.line[..run].iter().enumerate() {
            let input = match passed_over {
                0 => made.input,
                _ => made.input.fold_edges(self.last.input),
            };
            self.last = Made { input, ..*made };
            if let Some(taken_up) = taken_up {
                counters.responses += 1;
                counters.response_time += at - *taken_up;
            }
        }
        self.line.copy_within(run..self.waiting, 0);
        self.waiting -= run;
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::fixture::Pad;

    /// Presses `1 << n` before tick `pressed[n]`, with the delay that `delay` gives for each tick; what each tick ran.
    fn ran(ticks: u64, pressed: &[u64], delay: impl Fn(u64) -> u8) -> Vec<u8> {
        let mut hand = Hand::<Pad>::default();
        let mut counters = ClientCounters::default();
        let made = (0..ticks).map(|tick| {
            if let Some(press) = pressed.iter().position(|pressed| *pressed == tick) {
                let input = Pad {
                    stick: 5,
                    presses: 1 << press,
                };
                hand.hold(Micros::new(tick * 10), input, None);
            }
            let made = hand.take(
                Micros::new(tick * 10),
                delay(tick),
                Instant::default(),
                &mut counters,
            );
            made.input.presses
        });
        made.collect()
    }

    #[test]
    fn an_input_waits_as_many_ticks_as_the_delay() {
        assert_eq!(ran(6, &[1], |_| 0), [0, 1, 0, 0, 0, 0]);
        assert_eq!(ran(6, &[1], |_| 3), [0, 0, 0, 0, 1, 0]);
    }

    #[test]
    fn a_press_runs_once_though_the_delay_grows() {
        assert_eq!(
            ran(8, &[1], |tick| if tick < 2 { 0 } else { 3 }),
            [0, 1, 0, 0, 0, 0, 0, 0]
        );
        assert_eq!(
            ran(8, &[1, 2], |tick| if tick < 2 { 0 } else { 3 }),
            [0, 1, 0, 0, 0, 2, 0, 0]
        );
    }

    #[test]
    fn a_press_runs_once_though_the_delay_shrinks() {
        assert_eq!(
            ran(8, &[1, 2], |tick| if tick < 3 { 10 } else { 0 }),
            [0, 0, 0, 3, 0, 0, 0, 0]
        );
    }

    #[test]
    fn what_was_pressed_before_the_game_began_is_not_run_in_it() {
        let mut hand = Hand::<Pad>::default();
        let mut counters = ClientCounters::default();
        let input = Pad {
            stick: 5,
            presses: 1,
        };
        hand.hold(Micros::ZERO, input, None);
        hand.begin(Micros::new(9_000));
        let at = Micros::new(9_100);
        let made = hand.take(at, 0, Instant::default(), &mut counters);
        assert_eq!(made.input, input.without_edges());
        assert_eq!(counters.response_time, Micros::new(100));
    }
}
