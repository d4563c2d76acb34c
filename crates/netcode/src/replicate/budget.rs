//! How much a peer is told, and who goes first where that is less than there is to tell.

use wire::Micros;

/// What may be saved up while there is little to tell: this part of a second's bytes, or two of the largest packets if that is
/// more, so that any packet can be saved up for.
const SAVED: i64 = 8;
const SAVED_BYTES: i64 = 2 * wire::MAX_PACKET as i64;
/// Fractions of a byte that are counted: a rate of so many bytes a second gives as many of them a microsecond.
const FINE: i64 = 1_000_000;

/// Bytes a second for one peer, and how long each slot has waited for its share of them.
///
/// Time is an argument: [`refill`](Self::refill) first, then [`left`](Self::left) says what a snapshot may take and
/// [`spend`](Self::spend) takes it. Who goes first is for [`Waiting`] to say, which asks here how long a slot has waited: that
/// grows with each snapshot in which it had something to tell and was not told, and only being told ends it. So nothing waits
/// longer than `ceil(waiting bytes / bytes a snapshot) + 2` snapshots, whatever else is news.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Fractions of a byte saved up; `None` before the first [`refill`](Self::refill), and where there is no limit.
    saved: Option<i64>,
    at: Micros,
    waited: Vec<u16>,
}

impl Budget {
    /// Without a limit so far, in a world of `slots` slots.
    pub fn new(slots: usize) -> Self {
        Self {
            saved: None,
            at: Micros::ZERO,
            waited: vec![0; slots],
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.waited.as_slice())
    }

    /// Time has passed at so many bytes a second; 0 is no limit. A limit begins with all that may be saved.
    pub fn refill(&mut self, now: Micros, bytes_per_second: u32) {
        let passed = (now - self.at).get().min(FINE as u64) as i64;
        self.at = self.at.max(now);
        let rate = i64::from(bytes_per_second);
        let most = (rate * FINE / SAVED).max(SAVED_BYTES * FINE);
        self.saved = (rate > 0).then(|| match self.saved {
            Some(saved) => (saved + passed * rate).min(most),
            None => most,
        });
    }

    /// Bytes that may be sent now.
    pub fn left(&self) -> usize {
        self.saved
            .map_or(usize::MAX, |saved| saved.max(0) as usize / FINE as usize)
    }

    /// So many bytes were sent. What was more than there was is owed, and paid first.
    pub fn spend(&mut self, bytes: usize) {
        if let Some(saved) = &mut self.saved {
            *saved -= bytes as i64 * FINE;
        }
    }

    /// How many snapshots a slot has waited.
    pub fn waited(&self, slot: usize) -> u16 {
        self.waited[slot]
    }
}

/// Those who have something to tell in one snapshot, in the order in which they go: who has waited longest, of those the class
/// with the greater share, of those the lower slot. Reused from snapshot to snapshot.
#[derive(Clone, Debug)]
pub struct Waiting<T> {
    list: Vec<(u32, u16, T)>,
    told: usize,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            told: 0,
        }
    }
}

impl<T: Copy> Waiting<T> {
    /// Nobody.
    pub fn clear(&mut self) {
        self.list.clear();
        self.told = 0;
    }

    /// A slot has something to tell, and waits from now on.
    pub fn push(&mut self, budget: &mut Budget, slot: u16, share: u16, what: T) {
        let waited = &mut budget.waited[usize::from(slot)];
        let rank = u32::from(*waited) << 16 | u32::from(share);
        *waited = waited.saturating_add(1);
        self.list.push((rank, slot, what));
    }

    /// Puts them in their order, once all are here.
    pub fn sort(&mut self) {
        self.list
            .sort_unstable_by_key(|&(rank, slot, _)| (u32::MAX - rank, slot));
    }

    /// Whose turn it is.
    pub fn next(&self) -> Option<(u16, T)> {
        self.list
            .get(self.told)
            .map(|&(_, slot, what)| (slot, what))
    }

    /// The one whose turn it is has been told, and waits no more.
    pub fn tell(&mut self, budget: &mut Budget) {
        if let Some(&(_, slot, _)) = self.list.get(self.told) {
            budget.waited[usize::from(slot)] = 0;
            self.told += 1;
        }
    }

    /// The one whose turn it is cannot be told, and goes on waiting.
    pub fn pass(&mut self) {
        self.told += 1;
    }

    /// How many still wait for their turn.
    pub fn len(&self) -> usize {
        self.list.len() - self.told
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::fixture::Dice;

    const SLOTS: usize = 60;

    /// One run: everything is news in every snapshot with a chance, `rate` bytes a second, entries of up to `largest` bytes.
    /// The longest that one waited beyond what the bound allows it, and the bytes that went out.
    fn run(seed: u64, rate: u32, hz: u64, largest: u64, news: u64) -> (i64, u64) {
        let mut dice = Dice(seed);
        let sizes: Vec<u64> = (0..SLOTS).map(|_| 1 + dice.below(largest)).collect();
        let shares: Vec<u16> = (0..SLOTS).map(|_| dice.below(9) as u16).collect();
        let mut budget = Budget::new(SLOTS);
        budget.refill(Micros::ZERO, rate);
        budget.spend(budget.left());
        let mut waiting = Waiting::default();
        let mut dirty = [true; SLOTS];
        let (mut worst, mut sent) = (i64::MIN, 0);
        for snapshot in 1..600u64 {
            budget.refill(Micros::new(snapshot * 1_000_000 / hz), rate);
            waiting.clear();
            let mut bytes = 0;
            for slot in 0..SLOTS {
                dirty[slot] |= dice.below(100) < news;
                if dirty[slot] {
                    bytes += sizes[slot];
                    waiting.push(&mut budget, slot as u16, shares[slot], ());
                }
            }
            waiting.sort();
            // The most that ever waits is what the bound is about: what is news now may have come after.
            let all: u64 = sizes.iter().sum();
            assert!(bytes <= all);
            let bound = (all * hz).div_ceil(u64::from(rate)) as i64 + 2;
            while let Some((slot, ())) = waiting.next() {
                let size = sizes[usize::from(slot)];
                if size as usize > budget.left() {
                    break;
                }
                worst = worst.max(i64::from(budget.waited(usize::from(slot))) - 1 - bound);
                budget.spend(size as usize);
                sent += size;
                waiting.tell(&mut budget);
                dirty[usize::from(slot)] = false;
            }
        }
        (worst, sent)
    }

    #[test]
    fn nothing_waits_longer_than_what_waits_takes_and_two() {
        let mut dice = Dice(3);
        for seed in 0..300 {
            let (rate, hz) = (400 + dice.below(8_000) as u32, 1 + dice.below(64));
            let (largest, news) = (1 + dice.below(120), 1 + dice.below(100));
            let (worst, sent) = run(seed, rate, hz, largest, news);
            assert!(
                worst <= 0,
                "seed {seed}: {worst} snapshots too long at {rate} B/s and {hz} Hz"
            );
            let most = u64::from(rate) * 600 / hz + SAVED_BYTES as u64;
            assert!(
                0 < sent && sent <= most,
                "seed {seed}: {sent} of {most} bytes"
            );
        }
    }

    #[test]
    fn a_greater_share_goes_first_among_those_who_waited_equally_long_and_never_before_one_who_waited_longer()
     {
        let mut budget = Budget::new(4);
        let mut waiting = Waiting::default();
        let mut order = |told: usize| {
            waiting.clear();
            for (slot, share) in [(0, 1), (1, 1), (2, 500), (3, 7)] {
                waiting.push(&mut budget, slot, share, ());
            }
            waiting.sort();
            let mut order = Vec::new();
            for _ in 0..told {
                order.push(waiting.next().expect("four wait").0);
                waiting.tell(&mut budget);
            }
            order
        };
        assert_eq!(order(2), [2, 3]);
        assert_eq!(order(3), [0, 1, 2]);
        assert_eq!(order(4), [3, 2, 0, 1]);
    }

    #[test]
    fn what_is_saved_has_a_bound_and_what_is_overspent_is_paid_first() {
        let mut budget = Budget::new(1);
        assert_eq!(budget.left(), usize::MAX);
        budget.refill(Micros::ZERO, 64_000);
        budget.refill(Micros::from_millis(60_000), 64_000);
        assert_eq!(budget.left(), 8_000);
        budget.spend(8_500);
        assert_eq!(budget.left(), 0);
        budget.refill(Micros::from_millis(60_010), 64_000);
        assert_eq!(budget.left(), 140);
        budget.refill(Micros::from_millis(60_010), 0);
        assert_eq!(budget.left(), usize::MAX);
    }
}
