//! One snapshot for one peer: what goes into the packet, and its bytes.

use wire::{Audience, EntryHead, EventsHead, Schema, SlotKey, SnapshotHead, Tick, What, Writer};

use crate::game::Event;
use crate::replicate::{Baseline, Carried, Due, EventQueue};
use crate::table::Table;
use crate::traffic::{DownTraffic, Odometer};

/// The most that an entry's head takes, bits: the widest gap, four flags, a run, a life.
const HEAD_BITS: u32 = 24 + 4 + 4 + 8;
/// Bytes of a snapshot around its entries: packet header, snapshot head, padding, count and number of the events.
const FRAME_BYTES: usize = 8 + 12 + 1 + 3;
/// Room kept for events beside the entries, bytes. Entities can wait a snapshot, events grow old.
const EVENT_BYTES: usize = 192;
/// The most bytes that an event may take: the room for events less the age before it.
pub const LARGEST_EVENT: usize = EVENT_BYTES - 1;

/// What a packet carried, to be confirmed with it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    Entity(Carried),
    /// Every event up to and including this number.
    Events(u64),
}

/// What one snapshot says beside the world.
pub(crate) struct Telling<'a> {
    pub table: &'a Table,
    /// The peer's own character: first in every snapshot, moved or not, since the peer holds its own prediction of it and not
    /// what it was told. `None` for one who watches.
    pub own: Option<SlotKey>,
    pub head: SnapshotHead,
    pub tick: Tick,
    pub max_packet: usize,
}

/// The choice of what goes into a packet. Reused from snapshot to snapshot; it holds nothing between them.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    due: Vec<(u32, u16, Due)>,
    chosen: Vec<(u16, Due)>,
    /// Bits of each class's parts, added up once.
    costs: Vec<Cost>,
    pub items: Vec<Item>,
    /// Bytes of what was written last, by what they say; the caller knows what the whole packet took.
    pub parts: DownTraffic,
}

/// The most that an entry of a class takes, bits.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// Its head, and what everybody is told.
    all: u32,
    /// And what is told with its birth.
    birth: u32,
    /// And what its owner alone is told.
    owner: u32,
}

impl Cost {
    fn of(schema: &Schema) -> impl Iterator<Item = Self> {
        let head = HEAD_BITS + schema.class_bits();
        schema.classes.iter().map(move |class| Self {
            all: head + class.bits(Audience::All),
            birth: class.bits(Audience::Birth),
            owner: class.bits(Audience::Owner),
        })
    }

    fn bits(self, due: Due, owner: bool) -> u32 {
        let birth = due == Due::State { birth: true };
        self.all + if birth { self.birth } else { 0 } + if owner { self.owner } else { 0 }
    }
}

/// Scratch space is not state: a copy starts empty.
impl Clone for Selection {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Selection {
    /// Writes the body of a snapshot behind a header already in `w`, and leaves in [`Selection::items`] what it carried and in
    /// [`Selection::parts`] what that took.
    ///
    /// The own character is chosen first and never deferred. Then by priority, which grows while an entity waits, ties by
    /// slot. What does not fit waits; no packet passes its limit.
    pub(crate) fn write<E: Event>(
        &mut self,
        telling: &Telling<'_>,
        baseline: &mut Baseline,
        events: &mut EventQueue<E>,
        w: &mut Writer<'_>,
    ) {
        self.items.clear();
        let say_events = events.is_due(telling.tick);
        let reserved = FRAME_BYTES + if say_events { EVENT_BYTES } else { 0 };
        let room = telling.max_packet.saturating_sub(reserved) as u32 * 8;
        self.choose(telling, baseline, room);

        SnapshotHead {
            count: self.chosen.len() as u16,
            ..telling.head
        }
        .write(w);
        let mut previous = 0;
        let mut odometer = Odometer::new(w);
        self.parts = DownTraffic::default();
        for at in 0..self.chosen.len() {
            let (slot, due) = self.chosen[at];
            write_entry(telling, slot, due, previous, at == 0, w);
            previous = slot;
            if telling.own.is_some_and(|own| own.slot == slot) {
                self.parts.own += odometer.read(w);
            } else {
                self.parts.others += odometer.read(w);
            }
            self.items.push(Item::Entity(baseline.sent(
                telling.table,
                usize::from(slot),
                due,
                telling.tick,
            )));
        }
        self.write_events(telling, say_events, events, w);
    }

    fn choose(&mut self, telling: &Telling<'_>, baseline: &mut Baseline, room: u32) {
        let Telling { table, own, .. } = telling;
        self.due.clear();
        self.chosen.clear();
        if self.costs.is_empty() {
            self.costs.extend(Cost::of(table.schema()));
        }
        let bits = |slot: u16, due, owner| match table.class(usize::from(slot)) {
            Some(class) => self.costs[usize::from(class.0)].bits(due, owner),
            None => HEAD_BITS,
        };
        let own_slot = own.map(|own| usize::from(own.slot));
        baseline.each_due(table, |slot, due, priority| {
            if Some(slot) != own_slot {
                self.due.push((priority, slot as u16, due));
            }
        });
        let mut left = room;
        if let Some(own) = own
            && table.key(usize::from(own.slot)) == Some(*own)
        {
            let birth = baseline.owes_birth(table, usize::from(own.slot));
            let own_due = Due::State { birth };
            left = left.saturating_sub(bits(own.slot, own_due, true));
            self.chosen.push((own.slot, own_due));
        }
        self.due
            .sort_unstable_by_key(|&(priority, slot, _)| (u32::MAX - priority, slot));
        for &(_, slot, due) in &self.due {
            let cost = bits(slot, due, false);
            if cost <= left {
                left -= cost;
                self.chosen.push((slot, due));
            } else {
                baseline.waited(usize::from(slot));
            }
        }
        self.chosen.sort_unstable_by_key(|&(slot, _)| slot);
    }

    /// Events fill what is left of the packet: they are tried one by one and the first that does not fit waits.
    fn write_events<E: Event>(
        &mut self,
        telling: &Telling<'_>,
        say: bool,
        events: &EventQueue<E>,
        w: &mut Writer<'_>,
    ) {
        let mut scratch = [0u8; EVENT_BYTES];
        let (first, waiting) = events.waiting();
        let mut fits = 0u64;
        if say {
            let mut probe = Writer::new(&mut scratch);
            for (tick, event) in waiting.take(usize::from(u8::MAX)) {
                write_event(telling.tick, tick, &event, &mut probe);
                if probe.is_full() {
                    break;
                }
                fits += 1;
            }
        }
        EventsHead {
            count: fits as u8,
            first: first as u16,
        }
        .write(w);
        if fits == 0 {
            return;
        }
        let mut odometer = Odometer::new(w);
        for (tick, event) in events.waiting().1.take(fits as usize) {
            write_event(telling.tick, tick, &event, w);
        }
        self.parts.events = odometer.read(w);
        self.items.push(Item::Events(first + fits - 1));
    }
}

fn write_event<E: Event>(now: Tick, tick: Tick, event: &E, w: &mut Writer<'_>) {
    w.open("event");
    w.u8("age", now.since(tick).min(255) as u8);
    event.write(w);
    w.close();
}

fn write_entry(
    telling: &Telling<'_>,
    slot: u16,
    due: Due,
    previous: u16,
    first: bool,
    w: &mut Writer<'_>,
) {
    let Telling { table, own, .. } = telling;
    let at = usize::from(slot);
    let class_bits = table.schema().class_bits();
    w.open("entry");
    match (due, table.class(at)) {
        (Due::State { birth }, Some(class)) => {
            let key = table.last_key(at);
            let owner = Some(key) == *own;
            let what = What::State {
                birth: birth.then_some((key.life, class)),
                owner,
                run: table.run(at),
            };
            EntryHead { slot, what }.write(previous, first, class_bits, w);
            let record = table.record(at);
            let class = &table.schema().classes[usize::from(class.0)];
            w.open(class.name);
            if birth {
                class.write(record, Audience::Birth, w);
            }
            class.write(record, Audience::All, w);
            if owner {
                class.write(record, Audience::Owner, w);
            }
            w.close();
        }
        (Due::Gone { life }, _) => EntryHead {
            slot,
            what: What::Gone { life },
        }
        .write(previous, first, class_bits, w),
        (Due::State { .. }, None) | (Due::Nothing, _) => {
            unreachable!("what is chosen is there, or owes its end")
        }
    }
    w.close();
}
