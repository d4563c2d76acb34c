//! Events: said in order, each once, over a carrier that loses.

use std::collections::VecDeque;

use wire::Tick;

/// Events waiting for one peer. Past this the oldest is dropped: an event tells of the present.
const WAITING: usize = 64;
/// An event older than this many ticks is no longer told; its age on the wire ends at 255.
const OLDEST: u64 = 255;
/// Unconfirmed events are said again in every so many snapshots, or at once with a new one.
const AGAIN: u8 = 4;

/// The events that one peer has not confirmed, with consecutive numbers of that peer's own.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    first: u64,
    waiting: VecDeque<(Tick, E)>,
    /// Snapshots since they were last said.
    quiet: u8,
    fresh: bool,
}

impl<E: Copy> EventQueue<E> {
    /// Nothing waiting; the first event will have the number `first`.
    pub fn new(first: u64) -> Self {
        Self {
            first,
            waiting: VecDeque::with_capacity(WAITING),
            quiet: 0,
            fresh: false,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.waiting.len() * size_of::<(Tick, E)>()
    }

    /// Adds an event of a tick.
    pub fn push(&mut self, tick: Tick, event: E) {
        if self.waiting.len() == WAITING {
            self.drop_first();
        }
        self.waiting.push_back((tick, event));
        self.fresh = true;
    }

    fn drop_first(&mut self) {
        if self.waiting.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// Whether the next snapshot should carry them. Counts the snapshot.
    pub fn is_due(&mut self, now: Tick) -> bool {
        while self
            .waiting
            .front()
            .is_some_and(|(tick, _)| now.since(*tick) > OLDEST)
        {
            self.drop_first();
        }
        self.quiet = self.quiet.saturating_add(1);
        let due = !self.waiting.is_empty() && (self.fresh || self.quiet >= AGAIN);
        if due {
            self.quiet = 0;
            self.fresh = false;
        }
        due
    }

    /// The number of the first waiting one, and all of them, oldest first.
    pub fn waiting(&self) -> (u64, impl Iterator<Item = (Tick, E)> + '_) {
        (self.first, self.waiting.iter().copied())
    }

    /// Says that a packet which carried everything up to and including number `last` was acknowledged.
    pub fn confirm(&mut self, last: u64) {
        while self.first <= last && !self.waiting.is_empty() {
            self.drop_first();
        }
    }
}

/// The receiving half: lets each event through once, in order.
#[derive(Clone, Copy, Debug)]
pub struct EventInbox {
    next: u64,
}

impl EventInbox {
    /// Expects `first`.
    pub fn new(first: u64) -> Self {
        Self { next: first }
    }

    /// The whole number of the first event of a packet.
    pub fn unwrap(&self, on_wire: u16) -> u64 {
        let ahead = on_wire.wrapping_sub(self.next as u16) as i16;
        self.next.saturating_add_signed(i64::from(ahead))
    }

    /// Whether the event of this number is new. One that is passed over was too old to be told.
    pub fn accept(&mut self, number: u64) -> bool {
        let new = number >= self.next;
        if new {
            self.next = number + 1;
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_is_taken_once_across_the_wrap() {
        let mut queue = EventQueue::new(65_534);
        let mut inbox = EventInbox::new(65_534);
        let mut got = Vec::new();
        for n in 0..5u32 {
            queue.push(Tick::new(u64::from(n)), n);
            // Every packet repeats all that wait, and none is confirmed.
            let (first, events) = queue.waiting();
            let first = inbox.unwrap(first as u16);
            for (at, (_, event)) in events.enumerate() {
                if inbox.accept(first + at as u64) {
                    got.push(event);
                }
            }
        }
        assert_eq!(got, [0, 1, 2, 3, 4]);
        queue.confirm(65_536);
        assert_eq!(queue.waiting().0, 65_537);
        assert_eq!(queue.waiting().1.count(), 2);
    }

    #[test]
    fn what_is_old_or_too_many_is_dropped() {
        let mut queue = EventQueue::new(0);
        for n in 0..100u64 {
            queue.push(Tick::new(n), n);
        }
        assert_eq!(queue.waiting().0, 36);
        assert!(!queue.is_due(Tick::new(99 + 256)));
        assert_eq!(queue.waiting().1.count(), 0);
    }

    #[test]
    fn unconfirmed_events_are_said_again_now_and_then() {
        let mut queue = EventQueue::new(0);
        queue.push(Tick::new(1), ());
        let said: Vec<bool> = (0..9).map(|_| queue.is_due(Tick::new(2))).collect();
        assert_eq!(
            said,
            [true, false, false, false, true, false, false, false, true]
        );
    }
}
