//! The stand-ins that a peer is told of instead of what is far: a list that is replaced as a whole.

use wire::Tick;

/// What a peer is told in summary, and what of it is known to have arrived.
///
/// A list is made anew a few times a second and says all that there is in summary, so one that is lost is made good by the
/// next. **A list that the peer is known to hold is not sent again**: a crowd at rest costs nothing, and neither does a game
/// without summaries. Call [`offer`](Self::offer) once a tick, and [`sent`](Self::sent) when what is [`due`](Self::due) was
/// written.
#[derive(Debug)]
pub struct SummaryList {
    /// The newest list, and the number of its round.
    rows: Vec<i32>,
    round: u32,
    due: bool,
    /// The tick of the next round.
    next: Tick,
    /// What the peer holds, as long as that is known: it begins with an empty list.
    held: Vec<i32>,
    known: bool,
}

impl Default for SummaryList {
    fn default() -> Self {
        Self::new()
    }
}

/// By hand, so that a copy into an old one takes its memory over.
impl Clone for SummaryList {
    fn clone(&self) -> Self {
        Self {
            rows: self.rows.clone(),
            held: self.held.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, from: &Self) {
        let Self {
            rows,
            round,
            due,
            next,
            held,
            known,
        } = from;
        self.rows.clone_from(rows);
        self.held.clone_from(held);
        (self.round, self.due, self.next, self.known) = (*round, *due, *next, *known);
    }
}

impl SummaryList {
    /// Nothing told, to a peer that holds nothing.
    pub const fn new() -> Self {
        Self {
            rows: Vec::new(),
            round: 0,
            due: false,
            next: Tick::new(0),
            held: Vec::new(),
            known: true,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.rows.as_slice()) + size_of_val(self.held.as_slice())
    }

    /// Makes the list anew if `every` ticks have passed since the last time. `fill` appends the rows.
    pub fn offer(&mut self, tick: Tick, every: u64, fill: impl FnOnce(&mut Vec<i32>)) {
        if tick < self.next {
            return;
        }
        self.next = tick + every.max(1);
        self.rows.clear();
        fill(&mut self.rows);
        self.round = self.round.wrapping_add(1);
        self.due = !self.known || self.rows != self.held;
    }

    /// The list that is to be written now, and the number of its round for [`confirm`](Self::confirm).
    pub fn due(&self) -> Option<(u32, &[i32])> {
        self.due.then_some((self.round, self.rows.as_slice()))
    }

    /// What was due is on its way. Until it is confirmed nobody knows which of two lists the peer holds.
    pub fn sent(&mut self) {
        self.due = false;
        self.known = false;
    }

    /// A packet with the list of that round has arrived. An older one than the last that was sent says nothing.
    pub fn confirm(&mut self, round: u32) {
        if round == self.round && !self.due {
            self.held.clone_from(&self.rows);
            self.known = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One round: whether something was due, and its number.
    fn round(list: &mut SummaryList, tick: u64, rows: &[i32]) -> Option<u32> {
        list.offer(Tick::new(tick), 8, |out| out.extend_from_slice(rows));
        let due = list.due().map(|(round, due)| {
            assert_eq!(due, rows);
            round
        });
        if due.is_some() {
            list.sent();
        }
        due
    }

    #[test]
    fn what_is_known_to_be_held_is_not_sent_again_and_what_is_not_is() {
        let mut list = SummaryList::new();
        assert_eq!(round(&mut list, 8, &[]), None, "nothing is held by itself");
        let first = round(&mut list, 16, &[1, 2]).expect("something new");
        assert!(round(&mut list, 24, &[1, 2]).is_some(), "nobody knows");
        list.confirm(first);
        let third = round(&mut list, 32, &[1, 2]).expect("that was an older round");
        list.confirm(third);
        assert_eq!(round(&mut list, 40, &[1, 2]), None);
        assert!(round(&mut list, 48, &[]).is_some(), "an end is news too");
    }

    #[test]
    fn a_list_that_may_have_been_replaced_is_sent_again_even_if_it_was_held_once() {
        let mut list = SummaryList::new();
        let first = round(&mut list, 8, &[1]).expect("something new");
        list.confirm(first);
        assert!(round(&mut list, 16, &[2]).is_some());
        // The peer may hold the second by now: the first is news again.
        assert!(round(&mut list, 24, &[1]).is_some());
    }

    #[test]
    fn a_round_comes_when_its_time_is_up_and_a_confirmation_of_one_that_waits_says_nothing() {
        let mut list = SummaryList::new();
        assert!(round(&mut list, 100, &[1]).is_some());
        list.offer(Tick::new(107), 8, |_| panic!("too early"));
        list.offer(Tick::new(108), 8, |out| out.push(3));
        let (waits, _) = list.due().expect("something new");
        list.confirm(waits);
        assert!(list.due().is_some(), "it was not sent yet");
    }
}
