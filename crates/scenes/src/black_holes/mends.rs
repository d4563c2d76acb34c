//! Which pellets are set right next.

use netcode::Digest;

use super::Order;

/// The account of corrections: how many are due, and whose turn it is.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Mends {
    /// Part of a correction left over from the ticks before.
    left: f32,
    /// The pellet after the one that was set right last.
    next: usize,
    /// How much each was bent since it was last told, px/s; grows to the highest pellet.
    bent: Vec<f32>,
    chosen: Vec<usize>,
}

/// The chosen are scratch space: a copy starts without them.
impl Clone for Mends {
    fn clone(&self) -> Self {
        Self {
            bent: self.bent.clone(),
            chosen: Vec::new(),
            ..*self
        }
    }

    fn clone_from(&mut self, from: &Self) {
        self.bent.clone_from(&from.bent);
        (self.left, self.next) = (from.left, from.next);
    }
}

impl Mends {
    /// The field has bent a pellet's way by so much, px/s.
    pub(super) fn bend(&mut self, at: usize, by: f32) {
        if self.bent.len() <= at {
            self.bent.resize(at + 1, 0.0);
        }
        self.bent[at] += by;
    }

    /// A pellet was told.
    pub(super) fn forget(&mut self, at: usize) {
        if let Some(bent) = self.bent.get_mut(at) {
            *bent = 0.0;
        }
    }

    /// How many are due, where so many are on average; what is left over counts for the next time.
    pub(super) fn due(&mut self, on_average: f32) -> usize {
        self.left += on_average;
        let whole = self.left as usize;
        self.left -= whole as f32;
        whole
    }

    /// Chooses so many of `pellets`. They count as told.
    pub(super) fn choose(&mut self, order: Order, due: usize, pellets: usize) -> &[usize] {
        let due = due.min(pellets);
        self.bent.resize(pellets.max(self.bent.len()), 0.0);
        self.chosen.clear();
        for _ in 0..due {
            let at = match order {
                Order::RoundRobin => self.next % pellets,
                Order::WorstFirst => self.worst(pellets),
            };
            self.next = at + 1;
            self.chosen.push(at);
            // Below what any can be: it is not the worst again in this tick.
            self.bent[at] = -1.0;
        }
        for at in &self.chosen {
            self.bent[*at] = 0.0;
        }
        &self.chosen
    }

    /// The one that was bent the most; of equals the first, so that every machine chooses the same. A look at all for each that
    /// is due: there are a handful in a tick.
    fn worst(&self, pellets: usize) -> usize {
        let mut worst = 0;
        for at in 1..pellets {
            if self.bent[at] > self.bent[worst] {
                worst = at;
            }
        }
        worst
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(super) fn heap(&self) -> usize {
        size_of_val(self.bent.as_slice())
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.f32(self.left);
        digest.u64(self.next as u64);
        for bent in &self.bent {
            digest.f32(*bent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_due_as_were_asked_for_in_the_long_run() {
        let mut mends = Mends::default();
        let total: usize = (0..640).map(|_| mends.due(400.0 / 64.0)).sum();
        assert!((3_999..=4_000).contains(&total), "{total}");
    }

    #[test]
    fn in_turn_everyone_comes_before_anyone_comes_again() {
        let mut mends = Mends::default();
        assert_eq!(mends.choose(Order::RoundRobin, 2, 0), []);
        assert_eq!(mends.choose(Order::RoundRobin, 2, 5), [0, 1]);
        assert_eq!(mends.choose(Order::RoundRobin, 2, 5), [2, 3]);
        assert_eq!(mends.choose(Order::RoundRobin, 2, 5), [4, 0]);
        assert_eq!(mends.choose(Order::RoundRobin, 9, 5), [1, 2, 3, 4, 0]);
    }

    #[test]
    fn the_worst_come_first_and_are_then_as_good_as_new() {
        let mut mends = Mends::default();
        for (at, by) in [(0, 1.0), (1, 5.0), (2, 3.0), (3, 3.0), (4, 0.5)] {
            mends.bend(at, by);
        }
        assert_eq!(mends.choose(Order::WorstFirst, 2, 5), [1, 2]);
        assert_eq!(mends.choose(Order::WorstFirst, 2, 5), [3, 0]);
        mends.forget(4);
        mends.bend(2, 0.25);
        assert_eq!(mends.choose(Order::WorstFirst, 1, 5), [2]);
        assert_eq!(mends.choose(Order::WorstFirst, 7, 5), [0, 1, 2, 3, 4]);
        assert_eq!(mends.choose(Order::WorstFirst, 0, 5), []);
    }
}
