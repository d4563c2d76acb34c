//! What was done to a lab, and when.

use std::collections::VecDeque;

use wire::Micros;

use crate::lab::Action;

/// The actions since the oldest key state, numbered from the first ever. Those of one instant stand in the order in which
/// they were done.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The number of the oldest that is kept.
    first: u64,
    done: VecDeque<(Micros, Action)>,
    /// Memory that they hold beyond themselves.
    held: usize,
}

/// Memory that an action holds beyond itself. A trace may be shared; what is counted twice is not too much.
fn held((_, action): &(Micros, Action)) -> usize {
    match action {
        Action::Trace(trace) => trace.bytes(),
        _ => 0,
    }
}

impl Log {
    /// The number that the next action gets.
    pub(super) fn next(&self) -> u64 {
        self.first + self.done.len() as u64
    }

    pub(super) fn len(&self) -> usize {
        self.done.len()
    }

    pub(super) fn push(&mut self, at: Micros, action: Action) {
        let done = (at, action);
        self.held += held(&done);
        self.done.push_back(done);
    }

    /// The action of a number, if it was done at or before `to`.
    pub(super) fn until(&self, number: u64, to: Micros) -> Option<&(Micros, Action)> {
        let at = number.checked_sub(self.first)?;
        self.done.get(at as usize).filter(|(at, _)| *at <= to)
    }

    /// Forgets the actions below a number.
    pub(super) fn forget_before(&mut self, number: u64) {
        let gone = number.saturating_sub(self.first) as usize;
        let gone = self.done.drain(..gone.min(self.done.len()));
        self.held -= gone.map(|done| held(&done)).sum::<usize>();
        self.first = self.first.max(number);
        self.shrink();
    }

    /// Forgets the actions from a number on.
    pub(super) fn forget_from(&mut self, number: u64) {
        let kept = number.saturating_sub(self.first) as usize;
        let gone = self.done.drain(kept.min(self.done.len())..);
        self.held -= gone.map(|done| held(&done)).sum::<usize>();
        self.shrink();
    }

    /// Gives back what a flood took, once it is over.
    fn shrink(&mut self) {
        if self.done.capacity() > 4 * (self.done.len() + 64) {
            self.done.shrink_to(2 * self.done.len());
        }
    }

    /// Memory taken.
    pub(super) fn bytes(&self) -> usize {
        self.done.capacity() * size_of::<(Micros, Action)>() + self.held
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use netsim::Trace;

    use super::*;

    fn log() -> Log {
        let mut log = Log::default();
        for at in 0..1_000 {
            log.push(Micros::new(at), Action::Pad(0, scenes::Pad::default()));
        }
        log
    }

    #[test]
    fn numbers_stay_whatever_is_forgotten() {
        let mut log = log();
        log.forget_before(400);
        let at = |log: &Log, number| log.until(number, Micros::MAX).map(|(at, _)| at.get());
        assert_eq!(
            [399, 400, 999, 1_000].map(|n| at(&log, n)),
            [None, Some(400), Some(999), None]
        );
        assert!(
            log.until(500, Micros::new(499)).is_none(),
            "it was done later"
        );
        log.forget_from(500);
        assert_eq!(
            (log.next(), log.len(), at(&log, 499)),
            (500, 100, Some(499))
        );
        log.forget_before(500);
        assert_eq!((log.next(), log.len()), (500, 0));
    }

    #[test]
    fn what_an_action_holds_is_counted() {
        let rows: String = (0..5_000).map(|at| format!("{at},20,0\n")).collect();
        let trace = Arc::new(Trace::parse(&rows).unwrap());
        let (mut log, empty) = (Log::default(), Log::default().bytes());
        for at in 0..4 {
            log.push(Micros::new(at), Action::Trace(trace.clone()));
        }
        assert!(log.bytes() > 4 * 5_000 * 16);
        log.forget_before(1);
        log.forget_from(2);
        assert!(log.bytes() > 5_000 * 16 && log.bytes() < 2 * 5_000 * 24);
        log.forget_before(2);
        assert!(log.bytes() < empty + 5_000);
    }

    #[test]
    fn a_flood_gives_its_memory_back() {
        let mut log = log();
        let flooded = log.bytes();
        log.forget_before(990);
        assert!(log.bytes() * 10 < flooded);
    }
}
