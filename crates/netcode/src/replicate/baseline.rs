//! What one peer is known to hold, so that it is told the rest and only the rest.

use wire::{Seq, SlotKey, Tick};

use crate::bits::Bits;
use crate::replicate::recovery::{Flight, Recovery};
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
    /// That its occupant is gone, or not heard of any more.
    Gone {
        /// The life that the peer was told of last. The slot may have another by now that it does not hear of.
        life: u8,
    },
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
    /// When an end was last said, so that an older confirmation of the same occupant does not count.
    ended: Tick,
    /// The newest tick whose record is confirmed.
    confirmed: Tick,
    /// The packet in which either was said last.
    seq: Seq,
}

impl Known {
    /// Whether the peer is known to hold the table's occupant. By when it came as well: a life wraps after 256, and a game may
    /// turn an occupant into another class.
    fn holds(&self, table: &Table, slot: usize, key: SlotKey) -> bool {
        self.born && self.life == key.life && self.confirmed >= table.born(slot)
    }

    /// Whether the newest of the table's occupant was said, heard or not.
    fn was_said(&self, table: &Table, slot: usize, key: SlotKey) -> bool {
        self.may_hold
            && self.life == key.life
            && self.said > self.ended
            && self.said >= table.born(slot)
            && self.said >= table.changed(slot)
    }
}

/// Presence against what is *confirmed*, per entity (seed `001_545bc6c5b0a72338.txt`): what a peer is not known to hold is owed
/// to it, and said again as its [`Recovery`] has it until a packet that carried its newest value is acknowledged. It costs a
/// few words a slot: the table's versions say what changed, so no bytes are kept or compared.
///
/// Taken against what was merely sent, a body that moves through a burst of loss and then stops would stay wrong for ever.
///
/// A peer may hear of a part of the world only ([`hear`](Self::hear)): what leaves that part is gone for it, which is state like
/// any other, said until it is confirmed, and what enters is born.
#[derive(Clone, Debug)]
pub struct Baseline {
    known: Vec<Known>,
    /// Slots that may owe something: what changed, until it is confirmed. The others cost nothing.
    open: Bits,
    recovery: Recovery,
    flight: Flight,
    /// The packet that is being written.
    seq: Seq,
    /// What it hears of, if that is a part.
    hears: Bits,
    /// Whether it hears of a part only.
    partial: bool,
    /// What of that is told in this tick; `None`: all of it.
    now: Option<Bits>,
    /// Where the next look at a deaf peer's slots begins.
    cursor: usize,
}

/// How many slots are looked at in a snapshot for a peer that acknowledges nothing: all it could be told is forgotten before it
/// would count, and it would cost as much as everybody else for as long as it likes.
const DEAF_SLOTS: usize = 64;

impl Baseline {
    /// A peer that holds nothing, in a world of `slots` slots.
    pub fn new(slots: usize) -> Self {
        let mut open = Bits::new(slots);
        open.fill(slots);
        Self {
            known: vec![Known::default(); slots],
            open,
            recovery: Recovery::default(),
            flight: Flight::new(),
            seq: Seq::default(),
            hears: Bits::new(slots),
            partial: false,
            now: None,
            cursor: 0,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        let sets = [Some(&self.open), Some(&self.hears), self.now.as_ref()];
        let sets = sets.into_iter().flatten().map(Bits::heap);
        size_of_val(self.known.as_slice()) + sets.sum::<usize>()
    }

    /// Says what is not confirmed again in this way. It may change at any time; what was only sent is then looked at again.
    pub fn recover_by(&mut self, recovery: Recovery) {
        if std::mem::replace(&mut self.recovery, recovery) != recovery {
            self.open.fill(self.known.len());
        }
    }

    /// From now on the peer hears of these slots alone, or of all. What enters or leaves is looked at.
    pub fn hear(&mut self, hears: Option<&Bits>) {
        let Some(now) = hears else {
            if std::mem::take(&mut self.partial) {
                self.open.fill(self.known.len());
                self.hears.clear();
            }
            return;
        };
        if std::mem::replace(&mut self.partial, true) {
            let (open, before) = (&mut self.open, &self.hears);
            now.each_beyond(before, |slot| open.insert(slot));
            before.each_beyond(now, |slot| open.insert(slot));
        } else {
            self.open.fill(self.known.len());
        }
        self.hears.clone_from(now);
    }

    /// The part of the world that it hears of; empty where it hears of all, or was never told who it hears of.
    pub fn heard(&self) -> &Bits {
        &self.hears
    }

    /// Of what the peer hears of, only these slots are told until this is called again, or all. Births and ends are told in any
    /// case.
    pub fn tell(&mut self, now: Option<&Bits>) {
        match (&mut self.now, now) {
            (Some(before), Some(now)) => before.clone_from(now),
            (before, now) => *before = now.cloned(),
        }
    }

    /// Whether the peer hears of a slot.
    pub fn hears(&self, slot: usize) -> bool {
        !self.partial || self.hears.contains(slot)
    }

    /// Notes that a slot changed.
    pub fn touch(&mut self, slot: usize) {
        if self.hears(slot) {
            self.open.insert(slot);
        }
    }

    /// Notes that the slots of a set changed.
    pub fn touch_all(&mut self, news: &Bits) {
        if self.partial {
            self.open.union_of_both(news, &self.hears);
        } else {
            self.open.union(news);
        }
    }

    /// The slots that may owe something.
    pub(crate) fn open(&self) -> &Bits {
        &self.open
    }

    /// What a slot owes, by the table at its tick.
    pub fn due(&self, table: &Table, slot: usize) -> Due {
        let (known, hears) = (&self.known[slot], self.hears(slot));
        self.how(known, table, slot, hears).0
    }

    /// Whether the life of a slot's occupant has to be said with its record: the peer is not known to hold it.
    pub fn owes_birth(&self, table: &Table, slot: usize) -> bool {
        let key = table.key(slot);
        key.is_some_and(|key| !self.known[slot].holds(table, slot, key))
    }

    /// What a slot owes, and whether it is settled: nothing is owed until it changes.
    fn how(&self, known: &Known, table: &Table, slot: usize, hears: bool) -> (Due, bool) {
        let now = table.tick();
        let Some(key) = table.key(slot).filter(|_| hears) else {
            if !known.may_hold {
                return (Due::Nothing, true);
            }
            let waits = self.recovery == Recovery::Prompt
                && known.ended > known.said
                && !self.flight.is_lost(known.seq, known.ended, now);
            let gone = Due::Gone { life: known.life };
            return (if waits { Due::Nothing } else { gone }, false);
        };
        let birth = !known.holds(table, slot, key);
        if !birth && table.changed(slot) <= known.confirmed {
            return (Due::Nothing, true);
        }
        let said = known.was_said(table, slot, key);
        match self.recovery {
            Recovery::Naive if said => (Due::Nothing, true),
            Recovery::Prompt if said && !self.flight.is_lost(known.seq, known.said, now) => {
                (Due::Nothing, false)
            }
            _ => (Due::State { birth }, false),
        }
    }

    /// Calls `found(slot, due, share)` for every slot that owes something, ascending, with the share of its class. Slots found
    /// settled are not looked at again until they change. Of a peer that acknowledges nothing, only a few slots are looked at
    /// each time.
    pub fn each_due(&mut self, table: &Table, mut found: impl FnMut(usize, Due, u16)) {
        let deaf = self.flight.is_deaf(table.tick()) && self.recovery != Recovery::Naive;
        let from = if deaf { self.cursor } else { 0 };
        self.cursor = 0;
        let mut looked = 0;
        let mut open = std::mem::take(&mut self.open);
        open.retain(|slot| {
            if slot < from || self.cursor > 0 {
                return true;
            }
            looked += 1;
            if deaf && looked == DEAF_SLOTS {
                self.cursor = slot + 1;
            }
            let known = &self.known[slot];
            let (due, settled) = self.how(known, table, slot, self.hears(slot));
            let told = self.now.as_ref().is_none_or(|now| now.contains(slot));
            if due != Due::Nothing && (told || due != Due::State { birth: false }) {
                let share = table.class(slot).map_or(1, |class| {
                    table.schema().classes[usize::from(class.0)].share
                });
                found(slot, due, share);
            }
            !settled
        });
        self.open = open;
    }

    /// What is noted next as sent goes with this packet.
    pub fn begin(&mut self, seq: Seq) {
        self.seq = seq;
    }

    /// Notes that a slot was put into a packet that describes `tick`; returns what to remember with the packet.
    pub fn sent(&mut self, table: &Table, slot: usize, due: Due, tick: Tick) -> Carried {
        let seq = self.seq;
        let known = &mut self.known[slot];
        if let Due::Gone { life } = due {
            // Whoever enters again before this is confirmed is born again.
            (known.ended, known.born, known.seq) = (tick, false, seq);
            known.may_hold = self.recovery != Recovery::Naive;
            let slot = slot as u16;
            return Carried {
                key: SlotKey { slot, life },
                tick,
                gone: true,
            };
        }
        let key = table.last_key(slot);
        if known.life != key.life || !known.may_hold {
            *known = Known {
                life: key.life,
                ended: known.ended,
                ..Known::default()
            };
        }
        known.may_hold = true;
        (known.said, known.seq) = (tick, seq);
        Carried {
            key,
            tick,
            gone: false,
        }
    }

    /// Notes in tick `now` that packet `seq`, which carried this, was acknowledged.
    pub fn confirm(&mut self, seq: Seq, carried: Carried, now: Tick) {
        self.flight.acknowledged(seq, carried.tick, now);
        let Some(known) = self.known.get_mut(usize::from(carried.key.slot)) else {
            return;
        };
        if carried.gone {
            if carried.tick >= known.said {
                known.may_hold = false;
                known.born = false;
            }
        } else if known.may_hold && known.life == carried.key.life && carried.tick > known.ended {
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
        summary: None,
    };
    const KEY: SlotKey = SlotKey { slot: 0, life: 7 };

    fn tick(tick: u64) -> Tick {
        Tick::new(tick)
    }

    /// A peer that is told in every packet.
    fn every_packet() -> Baseline {
        let mut baseline = Baseline::new(1);
        baseline.recover_by(Recovery::Acknowledged);
        baseline
    }

    #[test]
    fn a_record_is_owed_until_a_packet_with_its_newest_value_is_confirmed() {
        let (mut table, mut baseline) = (Table::new(&SCHEMA, 1), every_packet());
        table.set(tick(1), KEY, ClassId(0), &at_x(1));
        let first = baseline.sent(&table, 0, baseline.due(&table, 0), tick(1));
        table.set(tick(2), KEY, ClassId(0), &at_x(2));
        assert_eq!(baseline.due(&table, 0), Due::State { birth: true });
        baseline.confirm(Seq::new(1), first, tick(3));
        assert_eq!(baseline.due(&table, 0), Due::State { birth: false });
        let second = baseline.sent(&table, 0, baseline.due(&table, 0), tick(2));
        baseline.confirm(Seq::new(2), second, tick(3));
        assert_eq!(baseline.due(&table, 0), Due::Nothing);
    }

    #[test]
    fn an_occupant_with_the_name_of_an_older_one_is_said_with_its_birth() {
        // 256 lives went by unsaid, or the occupant turned into something of another class.
        let (mut table, mut baseline) = (Table::new(&SCHEMA, 1), every_packet());
        table.set(tick(1), KEY, ClassId(0), &at_x(1));
        let old = baseline.sent(&table, 0, baseline.due(&table, 0), tick(1));
        baseline.confirm(Seq::new(1), old, tick(9));
        table.set(tick(9), KEY, ClassId(1), &at_x(1));
        assert_eq!(baseline.due(&table, 0), Due::State { birth: true });
        let new = baseline.sent(&table, 0, baseline.due(&table, 0), tick(9));
        baseline.confirm(Seq::new(1), old, tick(9));
        assert_eq!(baseline.due(&table, 0), Due::State { birth: true });
        baseline.confirm(Seq::new(1), new, tick(9));
        assert_eq!(baseline.due(&table, 0), Due::Nothing);
    }

    #[test]
    fn an_end_is_owed_until_confirmed_and_an_old_end_ends_nobody_new() {
        let (mut table, mut baseline) = (Table::new(&SCHEMA, 1), every_packet());
        let ended = Carried {
            key: KEY,
            tick: tick(3),
            gone: true,
        };
        table.set(tick(5), KEY, ClassId(0), &at_x(1));
        let said = baseline.sent(&table, 0, baseline.due(&table, 0), tick(5));
        baseline.confirm(Seq::new(1), ended, tick(9));
        baseline.confirm(Seq::new(1), said, tick(9));
        assert_eq!(baseline.due(&table, 0), Due::Nothing);
    }

    /// Somebody in the one slot at tick 1, told in packet 1.
    fn told_once(recovery: Recovery) -> (Table, Baseline, Carried) {
        let (mut table, mut baseline) = (Table::new(&SCHEMA, 1), Baseline::new(1));
        baseline.recover_by(recovery);
        table.set(tick(1), KEY, ClassId(0), &at_x(1));
        baseline.begin(Seq::new(1));
        let carried = baseline.sent(&table, 0, baseline.due(&table, 0), tick(1));
        (table, baseline, carried)
    }

    /// What is owed at a later tick in which nothing changed.
    fn owed(table: &mut Table, baseline: &Baseline, at: u64) -> Due {
        table.set(tick(at), KEY, ClassId(0), &at_x(1));
        baseline.due(table, 0)
    }

    #[test]
    fn what_is_under_way_is_said_again_when_it_is_likely_lost_or_always_or_never() {
        let birth = Due::State { birth: true };
        let (mut table, baseline, _) = told_once(Recovery::Prompt);
        assert_eq!(owed(&mut table, &baseline, 2), Due::Nothing);
        // Nothing was measured: a quarter of a second, and a tick.
        assert_eq!(owed(&mut table, &baseline, 18), Due::Nothing);
        assert_eq!(owed(&mut table, &baseline, 19), birth);
        let (mut table, baseline, _) = told_once(Recovery::Acknowledged);
        assert_eq!(owed(&mut table, &baseline, 2), birth);
        let (mut table, baseline, _) = told_once(Recovery::Naive);
        assert_eq!(owed(&mut table, &baseline, 1_000), Due::Nothing);
    }

    #[test]
    fn whoever_leaves_the_hearing_is_gone_and_is_born_again_when_it_enters() {
        let (table, mut baseline, carried) = told_once(Recovery::Acknowledged);
        baseline.confirm(Seq::new(1), carried, tick(2));
        let nobody = Bits::new(1);
        baseline.hear(Some(&nobody));
        let gone = Due::Gone { life: KEY.life };
        assert_eq!(baseline.due(&table, 0), gone);
        let end = baseline.sent(&table, 0, gone, tick(5));
        assert!(end.gone && end.key == KEY);
        // It enters before the end is confirmed, and what was confirmed before says nothing any more.
        baseline.hear(None);
        baseline.confirm(Seq::new(1), carried, tick(6));
        assert_eq!(baseline.due(&table, 0), Due::State { birth: true });
        let again = baseline.sent(&table, 0, baseline.due(&table, 0), tick(7));
        baseline.confirm(Seq::new(3), again, tick(9));
        baseline.confirm(Seq::new(2), end, tick(9));
        assert_eq!(baseline.due(&table, 0), Due::Nothing);
    }

    #[test]
    fn a_peer_that_never_acknowledges_is_told_a_few_slots_at_a_time_and_all_in_turn() {
        let slots = 1_000;
        let mut table = Table::new(&SCHEMA, slots);
        let mut baseline = every_packet_of(usize::from(slots));
        for slot in 0..slots {
            let key = SlotKey { slot, life: 1 };
            table.set(tick(1), key, ClassId(0), &at_x(1));
        }
        let mut look = |at| {
            table.set(tick(at), SlotKey { slot: 0, life: 1 }, ClassId(0), &at_x(1));
            let mut found = Vec::new();
            baseline.each_due(&table, |slot, _, _| found.push(slot));
            found
        };
        assert_eq!(look(2).len(), 1_000);
        let mut seen: Vec<_> = (200..220).flat_map(look).collect();
        assert!(seen.len() <= 20 * DEAF_SLOTS);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 1_000);
    }

    fn every_packet_of(slots: usize) -> Baseline {
        let mut baseline = Baseline::new(slots);
        baseline.recover_by(Recovery::Acknowledged);
        baseline
    }
}
