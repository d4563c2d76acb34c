//! The enemies: who is where, and which slots are free.

use std::collections::VecDeque;

use netcode::Digest;
use wire::SlotKey;

use super::PLAYERS;
use super::record::Foe;

/// An enemy's slot. The life stays when the enemy is gone, so that the next one's differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seat {
    pub taken: bool,
    life: u8,
    pub foe: Foe,
    /// The tick at which it dies of itself. Only the end that decides knows.
    pub dies: u64,
}

/// The enemies, by slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Crowd {
    seats: Vec<Seat>,
    /// One more than the last taken seat.
    top: usize,
    taken: usize,
    /// Free seats, the longest free first: a name comes again only after every other seat was somebody's, 256 times over.
    free: VecDeque<u16>,
}

impl Crowd {
    /// An empty crowd of so many seats.
    pub(super) fn new(seats: u16) -> Self {
        Self {
            seats: vec![Seat::default(); usize::from(seats)],
            top: 0,
            taken: 0,
            free: (0..seats).collect(),
        }
    }

    /// The same with nobody in it and nobody to come: what a client starts from.
    pub(super) fn empty(&self) -> Self {
        Self {
            seats: vec![Seat::default(); self.seats.len()],
            top: 0,
            taken: 0,
            free: VecDeque::new(),
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(super) fn heap(&self) -> usize {
        size_of_val(self.seats.as_slice()) + self.free.len() * size_of::<u16>()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.taken
    }

    /// One more than the last taken seat.
    pub(super) fn top(&self) -> usize {
        self.top
    }

    /// A seat as it is, taken or not.
    pub(super) fn seat(&self, index: usize) -> Option<&Seat> {
        self.seats.get(index)
    }

    /// A taken seat.
    pub(super) fn at_mut(&mut self, index: usize) -> Option<&mut Seat> {
        self.seats.get_mut(index).filter(|seat| seat.taken)
    }

    /// The taken seats, in order.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, &Seat)> {
        let seats = self.seats[..self.top].iter().enumerate();
        seats.filter(|(_, seat)| seat.taken)
    }

    /// Whoever has a seat.
    pub(super) fn key(&self, index: usize) -> SlotKey {
        SlotKey {
            slot: PLAYERS + index as u16,
            life: self.seats[index].life,
        }
    }

    /// An enemy by its key.
    pub(super) fn get(&self, key: SlotKey) -> Option<&Foe> {
        let seat = self.seats.get(index_of(key)?)?;
        (seat.taken && seat.life == key.life).then_some(&seat.foe)
    }

    /// Gives an enemy the seat that was free for the longest; none where all are taken.
    pub(super) fn spawn(&mut self, foe: Foe, dies: u64) -> Option<SlotKey> {
        let index = usize::from(self.free.pop_front()?);
        let life = self.seats[index].life.wrapping_add(1);
        self.put(index, life, foe);
        self.seats[index].dies = dies;
        Some(self.key(index))
    }

    /// Frees a taken seat, for a later one to have.
    pub(super) fn free(&mut self, index: usize) {
        self.clear(index);
        self.free.push_back(index as u16);
    }

    /// Puts an enemy where it was heard to be.
    pub(super) fn load(&mut self, key: SlotKey, foe: Foe) {
        let Some(index) = index_of(key) else { return };
        if index >= self.seats.len() {
            self.seats.resize(index + 1, Seat::default());
        }
        self.put(index, key.life, foe);
    }

    /// Takes away one that was heard to be gone.
    pub(super) fn remove(&mut self, key: SlotKey) {
        if let Some(index) = index_of(key).filter(|_| self.get(key).is_some()) {
            self.clear(index);
        }
    }

    fn put(&mut self, index: usize, life: u8, foe: Foe) {
        let seat = &mut self.seats[index];
        self.taken += usize::from(!seat.taken);
        *seat = Seat {
            taken: true,
            life,
            foe,
            dies: u64::MAX,
        };
        self.top = self.top.max(index + 1);
    }

    fn clear(&mut self, index: usize) {
        self.seats[index].taken = false;
        self.taken -= 1;
        while self.top > 0 && !self.seats[self.top - 1].taken {
            self.top -= 1;
        }
    }

    /// Folds all of it into a digest: the lives and the order of free seats decide later names.
    pub(super) fn digest(&self, digest: &mut Digest) {
        let mut codes = [0; Foe::WIDTH];
        digest.u64(self.top as u64);
        for seat in &self.seats {
            digest.u64(u64::from(seat.taken) << 8 | u64::from(seat.life));
            if seat.taken {
                seat.foe.save(&mut codes);
                digest.codes(&codes);
                digest.u64(seat.dies);
            }
        }
        for index in &self.free {
            digest.u64(u64::from(*index));
        }
    }
}

/// The seat that a key names; none for a player's.
fn index_of(key: SlotKey) -> Option<usize> {
    key.slot.checked_sub(PLAYERS).map(usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_comes_again_soon() {
        let mut crowd = Crowd::new(8);
        let mut names = Vec::new();
        for _ in 0..8 * 255 {
            let key = crowd.spawn(Foe::default(), 0).unwrap();
            assert!(!names.contains(&key), "{key:?}");
            names.push(key);
            crowd.free(index_of(key).unwrap());
        }
    }

    #[test]
    fn a_full_crowd_takes_nobody_and_the_top_comes_down() {
        let mut crowd = Crowd::new(3);
        let keys = [(); 3].map(|()| crowd.spawn(Foe::default(), 0).unwrap());
        assert_eq!(crowd.spawn(Foe::default(), 0), None);
        crowd.free(1);
        assert_eq!((crowd.top(), crowd.count()), (3, 2));
        assert_eq!(
            (crowd.get(keys[1]), crowd.get(keys[2])),
            (None, Some(&Foe::default()))
        );
        crowd.free(2);
        assert_eq!(crowd.top(), 1);
    }

    #[test]
    fn what_was_heard_is_taken_by_its_life() {
        let mut crowd = Crowd::new(2).empty();
        let key = |slot, life| SlotKey { slot, life };
        crowd.load(key(PLAYERS + 7, 3), Foe::default());
        crowd.load(key(5, 0), Foe::default());
        assert_eq!((crowd.top(), crowd.count()), (8, 1));
        crowd.remove(key(PLAYERS + 7, 2));
        assert_eq!(crowd.count(), 1, "another was meant");
        crowd.load(key(PLAYERS + 7, 4), Foe::default());
        crowd.remove(key(PLAYERS + 7, 4));
        assert_eq!((crowd.top(), crowd.count()), (0, 0));
    }
}
