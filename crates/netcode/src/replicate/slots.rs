//! Names for what is born.

use std::collections::VecDeque;

use wire::SlotKey;

use crate::bits::Bits;

/// Gives every new entity a slot and a life, and knows who is alive.
///
/// A slot that falls free rests: it is given out again when [`REST`](Self::REST) others rest behind it, or when there is no
/// other. So slots stay low and close together, which makes entries short, and a name comes back only after 256 lives of a slot,
/// no less than 256 × 64 births where there is room. A peer that still holds an older one of the same name by then has been
/// silent longer than any session may be.
///
/// Source: seed `003_6a8f128b2e325724.txt` (the keys carry generations).
#[derive(Clone, Debug)]
pub struct SlotAllocator {
    lives: Vec<u8>,
    occupied: Bits,
    /// Free again, longest first.
    resting: VecDeque<u16>,
    /// Slots from here on were never given out.
    fresh: usize,
}

impl SlotAllocator {
    /// How many slots rest before the first of them is given out again.
    pub const REST: usize = 64;

    /// Nobody, in `slots` slots.
    pub fn new(slots: u16) -> Self {
        let slots = usize::from(slots);
        Self {
            lives: vec![0; slots],
            occupied: Bits::new(slots),
            resting: VecDeque::with_capacity(slots),
            fresh: 0,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        self.lives.len() + self.occupied.heap() + self.resting.len() * size_of::<u16>()
    }

    /// A name for somebody new; `None` where every slot is taken.
    pub fn take(&mut self) -> Option<SlotKey> {
        let full = self.fresh == self.lives.len();
        let slot = if self.resting.len() > Self::REST || full {
            let slot = self.resting.pop_front()?;
            let life = &mut self.lives[usize::from(slot)];
            *life = life.wrapping_add(1);
            slot
        } else {
            self.fresh += 1;
            (self.fresh - 1) as u16
        };
        self.occupied.insert(usize::from(slot));
        Some(SlotKey::new(slot, self.lives[usize::from(slot)]))
    }

    /// Takes a name back; false if nobody has it.
    pub fn free(&mut self, key: SlotKey) -> bool {
        let alive = self.is_alive(key);
        if alive {
            self.occupied.remove(usize::from(key.slot));
            self.resting.push_back(key.slot);
        }
        alive
    }

    /// Whether somebody has this name: the slot and the life.
    pub fn is_alive(&self, key: SlotKey) -> bool {
        let slot = usize::from(key.slot);
        self.occupied.contains(slot) && self.lives[slot] == key.life
    }

    /// The occupant of a slot.
    pub fn key(&self, slot: usize) -> Option<SlotKey> {
        let there = self.occupied.contains(slot);
        there.then(|| SlotKey::new(slot as u16, self.lives[slot]))
    }

    /// The slots that are taken.
    pub fn occupied(&self) -> &Bits {
        &self.occupied
    }

    /// The life of each slot: of its occupant, or of the last one.
    pub fn lives(&self) -> &[u8] {
        &self.lives
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::input::fixture::Dice;

    #[test]
    fn no_two_have_one_name_and_a_name_is_long_in_coming_back() {
        let seed = 3;
        let mut dice = Dice(seed);
        let mut slots = SlotAllocator::new(500);
        let (mut alive, mut buried) = (Vec::new(), BTreeMap::new());
        let mut births = 0u64;
        for _ in 0..200_000 {
            if dice.below(2) == 0 && alive.len() < 400 {
                let key = slots.take().expect("there is room");
                births += 1;
                assert!(!alive.contains(&key), "seed {seed}: {key} twice");
                let since = buried
                    .insert(key, births)
                    .map_or(u64::MAX, |then| births - then);
                assert!(since >= 256 * 64, "seed {seed}: {key} after {since} births");
                alive.push(key);
            } else if !alive.is_empty() {
                let key = alive.swap_remove(dice.below(alive.len() as u64) as usize);
                assert!(slots.is_alive(key) && slots.free(key));
                assert!(!slots.is_alive(key) && !slots.free(key));
            }
        }
        assert_eq!(slots.occupied().count(), alive.len());
        assert!(births > 256 * 64);
    }

    #[test]
    fn slots_stay_low_and_none_is_left_unused() {
        let mut slots = SlotAllocator::new(300);
        for _ in 0..5_000 {
            let key = slots.take().expect("one at a time");
            assert!(usize::from(key.slot) <= SlotAllocator::REST);
            slots.free(key);
        }
        let all: Vec<_> = std::iter::from_fn(|| slots.take()).collect();
        assert_eq!(all.len(), 300);
        assert!(slots.free(all[7]));
        let heir = slots.take().expect("one is free");
        assert_eq!((heir.slot, heir.life), (all[7].slot, all[7].life + 1));
    }
}
