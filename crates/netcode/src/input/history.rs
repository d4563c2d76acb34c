//! What a client still has of its own commands, and which of them its next packet carries.

use wire::Tick;

/// The newest commands of a client, one a tick in an unbroken run.
///
/// Each packet repeats what the server has not yet said it has, because an edge (a press) is true in one command alone and
/// cannot be asked for again in time. A command stays after it was acknowledged, for replays, until a newer one takes
/// its place; one that is evicted before it was acknowledged counts as [`lost`](Self::lost).
///
/// Memory: [`CAPACITY`](Self::CAPACITY) commands inside the struct, never more. Source: seed `000_0607df23ba563941.txt`
/// (64 kept, forgotten by acknowledgement) and seed `001_545bc6c5b0a72338.txt` (the window and the never-sent rule).
#[derive(Clone, Debug)]
pub struct InputHistory<I> {
    /// By tick modulo the capacity.
    ring: [Option<I>; SPAN],
    oldest: Tick,
    len: u64,
    /// The first tick that the server has not acknowledged; never past `unsent`.
    unacknowledged: Tick,
    /// The first tick that no packet has carried.
    unsent: Tick,
    lost: u64,
}

impl<I: Copy> InputHistory<I> {
    /// Commands kept: half a second at 128 Hz, as long as a predicted state is kept, so that whatever can be compared
    /// can also be replayed.
    pub const CAPACITY: usize = SPAN;

    /// An empty history.
    pub fn new() -> Self {
        Self {
            ring: [None; SPAN],
            oldest: Tick::new(0),
            len: 0,
            unacknowledged: Tick::new(0),
            unsent: Tick::new(0),
            lost: 0,
        }
    }

    /// Keeps the command of a tick; gives back the tick of one that had to go before it was acknowledged.
    ///
    /// A tick that does not follow the newest one begins a new run: the client's clock was moved, and what the server
    /// had not acknowledged of the old run counts as lost.
    pub fn push(&mut self, tick: Tick, input: I) -> Option<Tick> {
        if self.newest().map(Tick::next) != Some(tick) {
            self.lost += self.unacknowledged_len();
            self.oldest = tick;
            self.len = 0;
            self.unacknowledged = tick;
            self.unsent = tick;
        }
        let mut evicted = None;
        if self.len == SPAN as u64 {
            if self.oldest >= self.unacknowledged {
                evicted = Some(self.oldest);
                self.lost += 1;
            }
            self.oldest = self.oldest.next();
            self.len -= 1;
        }
        self.ring[at(tick)] = Some(input);
        self.len += 1;
        evicted
    }

    /// The server has every command up to and with `upto`. A tick that no packet has carried cannot be acknowledged: a
    /// server may claim any number, and must not stop a client from sending.
    pub fn acknowledge(&mut self, upto: Tick) {
        if upto >= self.unacknowledged {
            self.unacknowledged = upto.next().min(self.unsent);
        }
    }

    /// The command of a tick, if it is still kept.
    pub fn get(&self, tick: Tick) -> Option<&I> {
        let kept = tick >= self.oldest && tick.since(self.oldest) < self.len;
        if kept {
            self.ring[at(tick)].as_ref()
        } else {
            None
        }
    }

    /// The newest tick that has a command.
    pub fn newest(&self) -> Option<Tick> {
        (self.len > 0).then(|| self.oldest + (self.len - 1))
    }

    /// The commands from `tick` on, ascending: what a replay runs again.
    pub fn iter_from(&self, tick: Tick) -> impl Iterator<Item = (Tick, &I)> + '_ {
        let end = self.oldest + self.len;
        let from = tick.max(self.oldest).min(end);
        (from.get()..end.get())
            .map(Tick::new)
            .filter_map(|tick| Some((tick, self.ring[at(tick)].as_ref()?)))
    }

    /// Fills `out` with what the next packet carries, oldest first and without a hole: the unacknowledged ones among the
    /// newest `redundancy`, and before them whatever no packet has carried, however old. Where that is more than `max`,
    /// the oldest of it, so that the rest goes out with the next packet.
    ///
    /// The window slides with the newest command and not with what comes back, so a command is repeated for
    /// `redundancy` ticks and no longer. A `redundancy` of 0 sends each command once, which suits a carrier that
    /// loses nothing. Call [`sent`](Self::sent) with the last tick of `out` once the packet is written.
    pub fn select(&self, redundancy: usize, max: usize, out: &mut Vec<(Tick, I)>) {
        out.clear();
        let end = self.oldest + self.len;
        let window = (end - redundancy as u64).max(self.unacknowledged);
        let from = window.min(self.unsent).max(self.oldest);
        out.extend(
            self.iter_from(from)
                .take(max)
                .map(|(tick, input)| (tick, *input)),
        );
    }

    /// A packet has carried every command up to and with `upto`.
    pub fn sent(&mut self, upto: Tick) {
        let end = self.oldest + self.len;
        self.unsent = self.unsent.max(upto.next().min(end));
    }

    /// Whether there is a command that no packet has carried.
    pub fn has_unsent(&self) -> bool {
        self.unsent < self.oldest + self.len
    }

    /// How many commands were evicted, or left behind by a moved clock, before the server had acknowledged them.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    fn unacknowledged_len(&self) -> u64 {
        (self.oldest + self.len).since(self.unacknowledged.max(self.oldest))
    }
}

impl<I: Copy> Default for InputHistory<I> {
    fn default() -> Self {
        Self::new()
    }
}

fn at(tick: Tick) -> usize {
    (tick.get() % SPAN as u64) as usize
}

const SPAN: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    /// Ticks `from` to `to`, each with its own number as the command; nothing sent, nothing acknowledged.
    fn filled(from: u64, to: u64) -> InputHistory<u64> {
        let mut history = InputHistory::new();
        for tick in from..=to {
            assert_eq!(history.push(Tick::new(tick), tick), None);
        }
        history
    }

    fn selected(history: &InputHistory<u64>, redundancy: usize, max: usize) -> Vec<u64> {
        let mut out = vec![(Tick::new(7), 7)];
        history.select(redundancy, max, &mut out);
        out.iter()
            .for_each(|(tick, input)| assert_eq!(tick.get(), *input));
        out.iter().map(|(tick, _)| tick.get()).collect()
    }

    #[test]
    fn a_packet_repeats_the_newest_twelve_that_are_not_acknowledged() {
        let mut history = filled(100, 140);
        history.sent(Tick::new(140));
        assert_eq!(selected(&history, 12, 16), (129..=140).collect::<Vec<_>>());
        history.acknowledge(Tick::new(133));
        assert_eq!(selected(&history, 12, 16), (134..=140).collect::<Vec<_>>());
        history.acknowledge(Tick::new(140));
        assert_eq!(selected(&history, 12, 16), []);
        history.push(Tick::new(141), 141);
        assert_eq!(selected(&history, 12, 16), [141]);
    }

    #[test]
    fn the_window_slides_with_the_newest_and_not_with_what_comes_back() {
        let mut history = filled(100, 140);
        history.sent(Tick::new(140));
        history.acknowledge(Tick::new(110));
        assert_eq!(selected(&history, 12, 16), (129..=140).collect::<Vec<_>>());
    }

    #[test]
    fn what_no_packet_carried_goes_however_old_and_the_rest_with_the_next() {
        let mut history = filled(100, 110);
        history.sent(Tick::new(110));
        history.acknowledge(Tick::new(108));
        for tick in 111..=150 {
            history.push(Tick::new(tick), tick);
        }
        let first = selected(&history, 12, 16);
        assert_eq!(first, (111..=126).collect::<Vec<_>>());
        history.sent(Tick::new(126));
        assert_eq!(selected(&history, 12, 16), (127..=142).collect::<Vec<_>>());
        history.sent(Tick::new(142));
        assert_eq!(selected(&history, 12, 16), (139..=150).collect::<Vec<_>>());
    }

    #[test]
    fn a_redundancy_of_nought_sends_each_command_once() {
        let mut history = filled(1, 3);
        assert!(history.has_unsent());
        assert_eq!(selected(&history, 0, 1), [1]);
        history.sent(Tick::new(1));
        assert_eq!(selected(&history, 0, 16), [2, 3]);
        history.sent(Tick::new(3));
        assert!(!history.has_unsent());
        assert_eq!(selected(&history, 0, 16), []);
    }

    #[test]
    fn sixty_four_are_kept_and_an_unacknowledged_one_that_goes_is_lost() {
        let mut history = filled(0, 63);
        history.sent(Tick::new(63));
        history.acknowledge(Tick::new(1));
        assert_eq!(history.push(Tick::new(64), 64), None);
        assert_eq!(history.push(Tick::new(65), 65), None);
        assert_eq!(history.push(Tick::new(66), 66), Some(Tick::new(2)));
        assert_eq!(history.lost(), 1);
        assert_eq!(
            (history.get(Tick::new(2)), history.get(Tick::new(3))),
            (None, Some(&3))
        );
        assert_eq!(
            (history.get(Tick::new(66)), history.get(Tick::new(67))),
            (Some(&66), None)
        );
        assert_eq!(history.newest(), Some(Tick::new(66)));
    }

    #[test]
    fn an_unsent_one_that_goes_is_lost_too_and_the_packet_begins_behind_it() {
        let mut history = filled(0, 63);
        assert_eq!(history.push(Tick::new(64), 64), Some(Tick::new(0)));
        assert_eq!(selected(&history, 12, 3), [1, 2, 3]);
        assert_eq!(history.lost(), 1);
    }

    #[test]
    fn acknowledged_ones_stay_for_replays() {
        let mut history = filled(10, 20);
        history.sent(Tick::new(20));
        history.acknowledge(Tick::new(20));
        let replay: Vec<_> = history
            .iter_from(Tick::new(18))
            .map(|(_, input)| *input)
            .collect();
        assert_eq!(replay, [18, 19, 20]);
        assert_eq!(history.iter_from(Tick::new(0)).count(), 11);
        assert_eq!(history.iter_from(Tick::new(21)).count(), 0);
    }

    #[test]
    fn what_was_never_sent_cannot_be_acknowledged() {
        let mut history = filled(0, 9);
        history.sent(Tick::new(4));
        history.acknowledge(Tick::new(u64::MAX));
        assert_eq!(selected(&history, 12, 16), [5, 6, 7, 8, 9]);
        history.acknowledge(Tick::new(2));
        assert_eq!(selected(&history, 12, 16), [5, 6, 7, 8, 9]);
        history.sent(Tick::new(9));
        assert_eq!(selected(&history, 12, 16), [5, 6, 7, 8, 9]);
    }

    #[test]
    fn what_was_not_made_cannot_have_been_sent() {
        let mut history = filled(0, 9);
        history.sent(Tick::new(500));
        history.push(Tick::new(10), 10);
        assert_eq!(selected(&history, 0, 16), [10]);
    }

    #[test]
    fn a_moved_clock_begins_a_new_run() {
        let mut history = filled(0, 9);
        history.sent(Tick::new(9));
        history.acknowledge(Tick::new(6));
        assert_eq!(history.push(Tick::new(500), 500), None);
        assert_eq!(history.lost(), 3);
        assert_eq!(selected(&history, 12, 16), [500]);
        assert_eq!(
            (
                history.get(Tick::new(9)),
                history.iter_from(Tick::new(0)).count()
            ),
            (None, 1)
        );
    }

    #[test]
    fn an_empty_one_has_nothing() {
        let history = InputHistory::<u64>::new();
        assert_eq!(
            (history.newest(), history.lost(), history.has_unsent()),
            (None, 0, false)
        );
        assert_eq!(selected(&history, 12, 16), []);
        assert_eq!(history.get(Tick::new(0)), None);
    }

    #[test]
    fn nothing_happens_at_a_wrap_of_the_wire() {
        for near in [1u64 << 16, 1 << 32] {
            let mut history = filled(near - 10, near + 10);
            history.sent(Tick::new(near + 10));
            history.acknowledge(Tick::new(near - 2));
            assert_eq!(
                selected(&history, 12, 16),
                (near - 1..=near + 10).collect::<Vec<_>>()
            );
        }
    }
}
