//! What one peer is known to hold, so that it is told the rest and only the rest.

use wire::{SlotKey, Tick};

use crate::bits::Bits;
use crate::table::Table;

/// One thing that a packet carried, to be confirmed when the packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Whose record, or who is gone.
    pub key: SlotKey,
    /// The tick that the packet described.
    pub tick: Tick,
    /// Whether it said that the occupant is gone.
    pub gone: bool,
}

/// What one slot owes a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Nothing: what it holds is confirmed to be the newest.
    Nothing,
    /// That its occupant is gone.
    Gone,
    /// The occupant's record, with what it is (`birth`) until that is confirmed.
    State {
        /// Whether the life itself has to be said.
        birth: bool,
    },
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The occupant that was last said to this peer.
    life: u8,
    /// Whether the peer may hold an occupant here: something was said and its end is not confirmed.
    may_hold: bool,
    /// Whether the peer is known to hold that occupant.
    born: bool,
    /// When an occupant was last said, so that an older confirmation of an end does not count.
    said: Tick,
    /// The newest tick whose record is confirmed.
    confirmed: Tick,
    waited: u16,
}

/// Presence against what is *confirmed*, per entity (seed `001_545bc6c5b0a72338.txt`): a record travels in every snapshot until a
/// packet that carried its newest value is acknowledged, and then no more. It costs a few words a slot: the table's versions say
/// what changed, so no bytes are kept or compared.
///
/// Taken against what was merely sent, a body that moves through a burst of loss and then stops would stay wrong for ever.
#[derive(Clone, Debug)]
pub struct Baseline {
    known: Vec<Known>,
    /// Slots that may owe something: what changed, until it is confirmed.
    open: Bits,
}

impl Baseline {
    /// A peer that holds nothing, in a world of `slots` slots.
    pub fn new(slots: usize) -> Self {
        let mut open = Bits::new(slots);
        open.fill(slots);
        Self {
            known: vec![Known::default(); slots],
            open,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.known.as_slice()) + self.open.heap()
    }

    /// Notes that a slot changed.
    pub fn touch(&mut self, slot: usize) {
        self.open.insert(slot);
    }

    /// What a slot owes, by the table.
    pub fn due(&self, table: &Table, slot: usize) -> Due {
        let known = &self.known[slot];
        match table.key(slot) {
            Some(key) => {
                // By when it came as well: a life wraps after 256, and a game may turn an occupant into another class.
                let held = known.born && known.confirmed >= table.born(slot);
                let birth = !(held && known.life == key.life);
                if birth || table.changed(slot) > known.confirmed {
                    Due::State { birth }
                } else {
                    Due::Nothing
                }
            }
            None if known.may_hold => Due::Gone,
            None => Due::Nothing,
        }
    }

    /// Calls `found(slot, due, priority)` for every slot that owes something, ascending. The priority is the class's share for
    /// each snapshot that the slot has waited, and one. Slots found settled are not looked at again until they change.
    pub fn each_due(&mut self, table: &Table, mut found: impl FnMut(usize, Due, u32)) {
        let mut settled: [usize; 64] = [0; 64];
        let mut count = 0;
        for slot in self.open.iter() {
            match self.due(table, slot) {
                Due::Nothing if count < settled.len() => {
                    settled[count] = slot;
                    count += 1;
                }
                Due::Nothing => {}
                due => {
                    let share = table.class(slot).map_or(1, |class| {
                        table.schema().classes[usize::from(class.0)].share
                    });
                    found(
                        slot,
                        due,
                        u32::from(share) * (u32::from(self.known[slot].waited) + 1),
                    );
                }
            }
        }
        for slot in &settled[..count] {
            self.open.remove(*slot);
        }
    }

    /// Notes that a slot was put into a packet that describes `tick`; returns what to remember with the packet.
    pub fn sent(&mut self, table: &Table, slot: usize, due: Due, tick: Tick) -> Carried {
        let key = table.last_key(slot);
        let known = &mut self.known[slot];
        known.waited = 0;
        let gone = due == Due::Gone;
        if !gone {
            if known.life != key.life || !known.may_hold {
                *known = Known {
                    life: key.life,
                    ..Known::default()
                };
            }
            known.may_hold = true;
            known.said = tick;
        }
        Carried { key, tick, gone }
    }

    /// Notes that a slot owed something and was left out for want of room.
    pub fn waited(&mut self, slot: usize) {
        self.known[slot].waited = self.known[slot].waited.saturating_add(1);
    }

    /// Notes that a packet which carried this was acknowledged.
    pub fn confirm(&mut self, carried: Carried) {
        let Some(known) = self.known.get_mut(usize::from(carried.key.slot)) else {
            return;
        };
        if carried.gone {
            if carried.tick >= known.said {
                known.may_hold = false;
                known.born = false;
            }
        } else if known.may_hold && known.life == carried.key.life {
            known.born = true;
            known.confirmed = known.confirmed.max(carried.tick);
        }
    }
}

#[cfg(test)]
mod tests {
    use wire::{ClassId, Schema};

    use super::*;
    use crate::interpolate::fixture::{BODY, at_x};

    static SCHEMA: Schema = Schema {
        classes: &[BODY, BODY],
    };
    const KEY: SlotKey = SlotKey { slot: 0, life: 7 };

    fn tick(tick: u64) -> Tick {
        Tick::new(tick)
    }

    #[test]
    fn a_record_is_owed_until_a_packet_with_its_newest_value_is_confirmed() {
        let (mut table, mut baseline) = (Table::new(&SCHEMA, 1), Baseline::new(1));
        table.set(tick(1), KEY, ClassId(0), &at_x(1));
        let first = baseline.sent(&table, 0, baseline.due(&table, 0), tick(1));
        table.set(tick(2), KEY, ClassId(0), &at_x(2));
        assert_eq!(baseline.due(&table, 0), Due::State { birth: true });
        baseline.confirm(first);
        assert_eq!(baseline.due(&table, 0), Due::State { birth: false });
        let second = baseline.sent(&table, 0, baseline.due(&table, 0), tick(2));
        baseline.confirm(second);
        assert_eq!(baseline.due(&table, 0), Due::Nothing);
    }

    #[test]
    fn an_occupant_with_the_name_of_an_older_one_is_said_with_its_birth() {
        // 256 lives went by unsaid, or the occupant turned into something of another class.
        let (mut table, mut baseline) = (Table::new(&SCHEMA, 1), Baseline::new(1));
        table.set(tick(1), KEY, ClassId(0), &at_x(1));
        let old = baseline.sent(&table, 0, baseline.due(&table, 0), tick(1));
        baseline.confirm(old);
        table.set(tick(9), KEY, ClassId(1), &at_x(1));
        assert_eq!(baseline.due(&table, 0), Due::State { birth: true });
        let new = baseline.sent(&table, 0, baseline.due(&table, 0), tick(9));
        baseline.confirm(old);
        assert_eq!(baseline.due(&table, 0), Due::State { birth: true });
        baseline.confirm(new);
        assert_eq!(baseline.due(&table, 0), Due::Nothing);
    }

    #[test]
    fn an_end_is_owed_until_confirmed_and_an_old_end_ends_nobody_new() {
        let (mut table, mut baseline) = (Table::new(&SCHEMA, 1), Baseline::new(1));
        let ended = Carried {
            key: KEY,
            tick: tick(3),
            gone: true,
        };
        table.set(tick(5), KEY, ClassId(0), &at_x(1));
        let said = baseline.sent(&table, 0, baseline.due(&table, 0), tick(5));
        baseline.confirm(ended);
        baseline.confirm(said);
        assert_eq!(baseline.due(&table, 0), Due::Nothing);
    }
}
