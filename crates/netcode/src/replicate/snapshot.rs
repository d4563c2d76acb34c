//! One snapshot for one peer: what goes into the packet, and its bytes.

use wire::{
    Audience, EntryHead, EventsHead, Schema, SlotKey, SnapshotHead, Summaries, Tick, What, Writer,
};

use crate::game::Event;
use crate::output::PeerId;
use crate::replicate::{
    Baseline, Budget, Carried, Due, EventQueue, MOST_PACKETS, SummaryList, Waiting,
};
use crate::table::Table;
use crate::traffic::{DownTraffic, Odometer};

/// The most that an entry's head takes beside its slot, bits: four flags, a run, a life.
const HEAD_BITS: u32 = 4 + 4 + 8;
/// Bytes of a snapshot around its entries: packet header, snapshot head, padding, count and number of the events.
const FRAME_BYTES: usize = 8 + 12 + 1 + 3;
/// Room kept for events beside the entries of a tick's first packet, bytes. Entities can wait a snapshot, events grow old.
const EVENT_BYTES: usize = 192;
/// The most bytes that an event may take: the room for events less the age before it.
pub const LARGEST_EVENT: usize = EVENT_BYTES - 1;

/// What a packet carried, to be confirmed with it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    Entity(Carried),
    /// Every event up to and including this number.
    Events(u64),
    /// The summaries of this round.
    Summaries(u32),
}

/// What one snapshot says beside the world.
pub(crate) struct Telling<'a> {
    /// Whom it is for.
    pub to: PeerId,
    pub table: &'a Table,
    /// The peer's own character: first in every snapshot, moved or not, since the peer holds its own prediction of it and not
    /// what it was told. `None` for one who watches.
    pub own: Option<SlotKey>,
    pub tick: Tick,
    pub max_packet: usize,
}

/// The choice of what goes into the packets of a snapshot. Reused from snapshot to snapshot; it holds nothing between them.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// Whose snapshot of which tick it is at, while packets of it are still to be written.
    of: Option<(PeerId, Tick)>,
    head: SnapshotHead,
    /// Packets of it that were written.
    packets: usize,
    waiting: Waiting<Due>,
    /// One past the highest slot that waits.
    span: u32,
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
    /// Its head without the slot, and what everybody is told.
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

/// The most bits that the slots of `count` entries below slot `span` take, each said as a gap. A gap has one group more for each
/// power of eight that it reaches, and no more than `span / 8^k` gaps reach the k-th.
fn slot_bits(count: u32, span: u32) -> u32 {
    4 * (1..6).fold(count, |sum, k| sum + count.min(span >> (3 * k)))
}

impl Selection {
    /// Begins the snapshot of a tick: asks who has something to tell. False if the budget does not hold what a snapshot has to say
    /// at least, the own character and one who waits; then there is none, and everybody waits for the next.
    pub(crate) fn begin(
        &mut self,
        telling: &Telling<'_>,
        head: SnapshotHead,
        baseline: &mut Baseline,
        budget: &mut Budget,
    ) -> bool {
        let Telling { table, own, .. } = telling;
        self.of = None;
        self.head = head;
        self.packets = 0;
        self.span = 0;
        self.waiting.clear();
        self.chosen.clear();
        if self.costs.is_empty() {
            self.costs.extend(Cost::of(table.schema()));
        }
        let own_slot = own.map(|own| usize::from(own.slot));
        baseline.each_due(table, |slot, due, share| {
            if Some(slot) != own_slot {
                self.span = self.span.max(slot as u32 + 1);
                self.waiting.push(budget, slot as u16, share, due);
            }
        });
        self.waiting.sort();
        if let Some(own) = own
            && table.key(usize::from(own.slot)) == Some(*own)
        {
            let birth = baseline.owes_birth(table, usize::from(own.slot));
            self.span = self.span.max(u32::from(own.slot) + 1);
            self.chosen.push((own.slot, Due::State { birth }));
        }
        if self.least(telling) > budget.left() {
            return false;
        }
        self.of = Some((telling.to, telling.tick));
        true
    }

    /// Whether a packet of that snapshot is still to be written. What was begun for somebody else meanwhile is forgotten, and those
    /// who were not told wait for the next snapshot.
    pub(crate) fn is_at(&self, to: PeerId, tick: Tick) -> bool {
        self.of == Some((to, tick))
    }

    /// Whether the packet written last was the snapshot's first.
    pub(crate) fn was_first(&self) -> bool {
        self.packets == 1
    }

    /// The most that an entry takes, but for its slot.
    fn bits(&self, telling: &Telling<'_>, slot: u16, due: Due) -> u32 {
        let owner = telling.own.is_some_and(|own| own.slot == slot);
        match telling.table.class(usize::from(slot)) {
            Some(class) => self.costs[usize::from(class.0)].bits(due, owner),
            None => HEAD_BITS,
        }
    }

    /// Writes the body of the next packet of the snapshot that was begun, behind a header already in `w`, and leaves in
    /// [`Selection::items`] what it carried and in [`Selection::parts`] what that took.
    ///
    /// The own character is in the first packet and never deferred, and so are the events. The others go by how long they have
    /// waited. What does not fit goes into another packet of the same tick, at most [`MOST_PACKETS`], or waits for the next
    /// snapshot; no packet passes its limit.
    pub(crate) fn write<E: Event>(
        &mut self,
        telling: &Telling<'_>,
        baseline: &mut Baseline,
        budget: &mut Budget,
        events: &mut EventQueue<E>,
        summaries: &mut SummaryList,
        w: &mut Writer<'_>,
    ) {
        self.items.clear();
        self.packets += 1;
        let say_events = self.packets == 1 && events.is_due(telling.tick);
        let room_for_events = if say_events {
            self.room_for_events(telling, budget)
        } else {
            0
        };
        let room_for_summaries =
            self.room_for_summaries(telling, budget, room_for_events, summaries);
        self.fill(telling, budget, room_for_events + room_for_summaries);
        SnapshotHead {
            count: self.chosen.len() as u16,
            ..self.head
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
        self.write_events(telling, room_for_events, events, w);
        if room_for_summaries > 0 {
            self.write_summaries(telling, summaries, w);
        }
        budget.spend(w.byte_len());
        self.chosen.clear();
        let more = self.packets < MOST_PACKETS
            && !self.waiting.is_empty()
            && self.least(telling) <= budget.left();
        self.of = self.of.filter(|_| more);
    }

    /// Bytes kept for events in a tick's first packet: at most half of what is left beside the own character and the first of
    /// those who wait, so that under a tight budget both go on.
    fn room_for_events(&self, telling: &Telling<'_>, budget: &Budget) -> usize {
        let limit = telling.max_packet.min(budget.left());
        let left = limit.saturating_sub(self.least(telling));
        EVENT_BYTES.min(if self.waiting.is_empty() {
            left
        } else {
            left / 2
        })
    }

    /// Bytes that the summaries take which are due, in a tick's first packet; 0 if they have to wait, because there are none or
    /// there is no room beside what has to be in it.
    fn room_for_summaries(
        &self,
        telling: &Telling<'_>,
        budget: &Budget,
        room_for_events: usize,
        summaries: &SummaryList,
    ) -> usize {
        let Some((class, (_, rows))) = telling.table.schema().summary.zip(summaries.due()) else {
            return 0;
        };
        let limit = telling.max_packet.min(budget.left());
        let left = limit.saturating_sub(self.least(telling) + room_for_events);
        // A byte more for the padding before them.
        let bytes = 1 + Summaries::bytes(class, rows.len() / class.width().max(1));
        if self.packets == 1 && bytes <= left {
            bytes
        } else {
            0
        }
    }

    fn write_summaries(
        &mut self,
        telling: &Telling<'_>,
        summaries: &mut SummaryList,
        w: &mut Writer<'_>,
    ) {
        if let Some((class, (round, rows))) = telling.table.schema().summary.zip(summaries.due()) {
            let mut odometer = Odometer::new(w);
            Summaries::write(class, rows, w);
            self.parts.summaries = odometer.read(w);
            self.items.push(Item::Summaries(round));
            summaries.sent();
        }
    }

    /// Bytes of a packet with whoever is in it already and the first of those who wait.
    fn least(&self, telling: &Telling<'_>) -> usize {
        let first = self.waiting.next();
        let least = self.chosen.first().into_iter().chain(first.as_ref());
        let bits: u32 = least
            .map(|&(slot, due)| self.bits(telling, slot, due) + slot_bits(1, self.span))
            .sum();
        FRAME_BYTES + bits.div_ceil(8) as usize
    }

    /// Chooses those who go into this packet beside whoever is in it, as many as there is room for, ascending.
    fn fill(&mut self, telling: &Telling<'_>, budget: &mut Budget, reserved: usize) {
        let limit = telling.max_packet.min(budget.left());
        let room = limit.saturating_sub(FRAME_BYTES + reserved) as u32 * 8;
        let mut taken: u32 = self
            .chosen
            .iter()
            .map(|&(slot, due)| self.bits(telling, slot, due))
            .sum();
        while let Some((slot, due)) = self.waiting.next() {
            let count = self.chosen.len() as u32 + 1;
            taken += self.bits(telling, slot, due);
            if taken + slot_bits(count, self.span) > room {
                if self.chosen.is_empty() && reserved == 0 {
                    // There is no packet that would hold it.
                    taken = 0;
                    self.waiting.pass();
                    continue;
                }
                break;
            }
            self.chosen.push((slot, due));
            self.waiting.tell(budget);
        }
        self.chosen.sort_unstable_by_key(|&(slot, _)| slot);
    }

    /// Events take the room that was kept for them: they are tried one by one and the first that does not fit waits.
    fn write_events<E: Event>(
        &mut self,
        telling: &Telling<'_>,
        room: usize,
        events: &EventQueue<E>,
        w: &mut Writer<'_>,
    ) {
        let mut scratch = [0u8; EVENT_BYTES];
        let (first, waiting) = events.waiting();
        let mut fits = 0u64;
        if room > 0 {
            let mut probe = Writer::new(&mut scratch[..room]);
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
