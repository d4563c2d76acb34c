//! Where everyone was in each of the newest ticks.

use wire::{ClassId, Instant, Schema, SlotKey, Tick};

use crate::table::Table;

/// The records of all entities of rewound classes in the newest [`CAPACITY`](Self::CAPACITY) ticks of the server, and a read
/// of any instant among them.
///
/// A player aims at what the screen shows, which is a moment already past. The client says which instant it drew, and
/// the server judges the shot by that one. Reading needs `&self` only, so there is nothing to put back afterwards.
///
/// Memory: flat arrays of 64 times the most entities that a tick had, rounded up to a power of two (or to all slots). Source: seed
/// `001_545bc6c5b0a72338.txt` (64 ticks, players' roots alone, the clamp).
#[derive(Debug)]
pub struct History {
    width: usize,
    /// The most rows that a tick can have.
    slots: usize,
    /// Rows that each tick has room for.
    room: usize,
    /// By tick modulo the capacity.
    ticks: [Option<Kept>; SPAN],
    /// `room` for each tick, ascending by slot.
    rows: Vec<Row>,
    values: Vec<i32>,
    newest: Option<Tick>,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    tick: Tick,
    rows: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    key: SlotKey,
    class: ClassId,
}

impl History {
    /// Ticks kept: a second at 64 Hz, half a second at 128 Hz. How far back a shot may reach follows from the rate.
    pub const CAPACITY: usize = SPAN;

    /// Nothing remembered, in a game of these classes and of slots below `slots`.
    pub fn new(schema: &Schema, slots: u16) -> Self {
        Self {
            width: schema.width(),
            slots: usize::from(slots),
            room: 0,
            ticks: [None; SPAN],
            rows: Vec::new(),
            values: Vec::new(),
            newest: None,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.rows.as_slice()) + size_of_val(self.values.as_slice())
    }

    /// Remembers the entities of rewound classes in a table, as of `tick`.
    pub fn push(&mut self, tick: Tick, table: &Table) {
        let schema = table.schema();
        let rows = (0..table.slots()).filter_map(|slot| {
            let (key, class) = (table.key(slot)?, table.class(slot)?);
            let rewound = schema.classes[usize::from(class.0)].rewind;
            rewound.then(|| (key, class, table.record(slot)))
        });
        self.push_rows(tick, rows);
    }

    /// Remembers these entities at a tick. They come ascending by slot, each slot once.
    ///
    /// # Panics
    /// Where there are more of them than slots.
    pub fn push_rows<'a>(
        &mut self,
        tick: Tick,
        rows: impl IntoIterator<Item = (SlotKey, ClassId, &'a [i32])>,
    ) {
        let ring = at(tick);
        let mut count = 0;
        self.ticks[ring] = None;
        for (key, class, record) in rows {
            if count == self.room {
                self.grow();
            }
            let place = ring * self.room + count;
            self.rows[place] = Row { key, class };
            self.values[place * self.width..][..record.len()].copy_from_slice(record);
            count += 1;
        }
        self.ticks[ring] = Some(Kept { tick, rows: count });
        self.newest = self.newest.max(Some(tick));
    }

    /// The fields of an entity at an instant, in units and in the order of its class: blended between the two ticks around it,
    /// or as the one says that has it. False if neither has that very entity.
    pub fn sample(&self, schema: &Schema, key: SlotKey, at: Instant, out: &mut [f32]) -> bool {
        let older = self.find(at.tick, key);
        let newer = if at.frac == 0 {
            None
        } else {
            self.find(at.tick.next(), key)
        };
        match (older, newer) {
            (Some((class, a)), Some((_, b))) => {
                let class = &schema.classes[usize::from(class.0)];
                class.blend(a, b, f32::from(at.frac) / 256.0, out);
            }
            (Some((class, only)), None) | (None, Some((class, only))) => {
                schema.classes[usize::from(class.0)].decode(only, out);
            }
            (None, None) => return false,
        }
        true
    }

    /// Holds a claimed instant to what may be judged by: not before the oldest tick kept, not more than `reach` ticks before
    /// the newest, and never the future. With nothing remembered, as claimed.
    pub fn clamp(&self, at: Instant, reach: f64) -> Instant {
        let (Some(oldest), Some(newest)) = (self.oldest(), self.newest) else {
            return at;
        };
        let [oldest, newest] = [oldest, newest].map(|tick| Instant { tick, frac: 0 });
        let reached = Instant::from_f64(newest.as_f64() - reach.max(0.0));
        at.max(reached).max(oldest).min(newest)
    }

    /// The newest tick remembered.
    pub fn newest(&self) -> Option<Tick> {
        self.newest
    }

    /// The oldest tick from which on every one is remembered.
    pub fn oldest(&self) -> Option<Tick> {
        let mut oldest = self.newest?;
        while oldest.get() > 0 && self.has(oldest - 1) {
            oldest = oldest - 1;
        }
        Some(oldest)
    }

    fn has(&self, tick: Tick) -> bool {
        self.ticks[at(tick)].is_some_and(|kept| kept.tick == tick)
    }

    fn find(&self, tick: Tick, key: SlotKey) -> Option<(ClassId, &[i32])> {
        let ring = at(tick);
        let kept = self.ticks[ring].filter(|kept| kept.tick == tick)?;
        let first = ring * self.room;
        let rows = &self.rows[first..first + kept.rows];
        let index = rows
            .binary_search_by_key(&key.slot, |row| row.key.slot)
            .ok()?;
        let place = (first + index) * self.width;
        (rows[index].key == key)
            .then(|| (rows[index].class, &self.values[place..place + self.width]))
    }

    /// Makes room for twice as many entities a tick.
    fn grow(&mut self) {
        let (old, room) = (self.room, (self.room * 2).max(8).min(self.slots));
        let mut rows = vec![Row::default(); SPAN * room];
        let mut values = vec![0; SPAN * room * self.width];
        for ring in 0..SPAN {
            rows[ring * room..][..old].copy_from_slice(&self.rows[ring * old..][..old]);
            values[ring * room * self.width..][..old * self.width]
                .copy_from_slice(&self.values[ring * old * self.width..][..old * self.width]);
        }
        (self.room, self.rows, self.values) = (room, rows, values);
    }
}

impl Clone for History {
    fn clone(&self) -> Self {
        Self {
            rows: self.rows.clone(),
            values: self.values.clone(),
            ..*self
        }
    }

    /// Into the memory that `self` has, which a derived one would not use.
    fn clone_from(&mut self, source: &Self) {
        self.width = source.width;
        self.slots = source.slots;
        self.room = source.room;
        self.ticks = source.ticks;
        self.rows.clone_from(&source.rows);
        self.values.clone_from(&source.values);
        self.newest = source.newest;
    }
}

fn at(tick: Tick) -> usize {
    (tick.get() % SPAN as u64) as usize
}

const SPAN: usize = 64;

#[cfg(test)]
mod tests {
    use wire::Class;

    use super::*;
    use crate::interpolate::fixture::{BODY, Body, STEP, at_x};

    const SCHEMA: Schema = Schema {
        classes: &[
            Class {
                rewind: false,
                ..BODY
            },
            BODY,
        ],
        summary: None,
    };
    const CLASS: ClassId = ClassId(1);
    const RUNNER: SlotKey = SlotKey { slot: 4, life: 1 };

    fn instant(tick: u64, frac: u8) -> Instant {
        Instant {
            tick: Tick::new(tick),
            frac,
        }
    }

    /// A runner 64 steps a tick, from tick `from` to `to`.
    fn run(from: u64, to: u64) -> History {
        let mut history = History::new(&SCHEMA, 32);
        for tick in from..=to {
            let record = at_x((tick - from) as i32 * 64);
            history.push_rows(Tick::new(tick), [(RUNNER, CLASS, &record[..])]);
        }
        history
    }

    /// How many steps along an entity was.
    fn x(history: &History, key: SlotKey, at: Instant) -> Option<f32> {
        let mut out = [0.0; Body::WIDTH];
        history
            .sample(&SCHEMA, key, at, &mut out)
            .then(|| out[Body::AT.x] / STEP)
    }

    #[test]
    fn an_instant_is_blended_between_its_two_ticks() {
        let history = run(100, 110);
        assert_eq!(x(&history, RUNNER, instant(103, 0)), Some(192.0));
        assert_eq!(x(&history, RUNNER, instant(103, 64)), Some(208.0));
        assert_eq!(x(&history, RUNNER, instant(110, 0)), Some(640.0));
        // Past the newest tick there is nothing to blend with: what that one says.
        assert_eq!(x(&history, RUNNER, instant(110, 200)), Some(640.0));
        assert_eq!(x(&history, RUNNER, instant(111, 0)), None);
    }

    #[test]
    fn a_shot_is_judged_by_what_a_screen_showed() {
        // One blend for both: what a client draws between two snapshots is what the server's past says of that instant.
        let history = run(100, 110);
        let mut screen = crate::interpolate::SnapshotBuffer::new(32, Body::WIDTH);
        for tick in 100..=110 {
            let record = at_x((tick - 100) * 64);
            screen.insert(
                usize::from(RUNNER.slot),
                Tick::new(tick as u64),
                15,
                &record,
            );
        }
        for frac in (0..=u8::MAX).step_by(17) {
            let at = instant(104, frac);
            let (mut drawn, mut judged) = ([0.0; Body::WIDTH], [1.0; Body::WIDTH]);
            screen.sample(
                usize::from(RUNNER.slot),
                &BODY,
                at.as_f64(),
                0.0,
                &mut drawn,
            );
            assert!(history.sample(&SCHEMA, RUNNER, at, &mut judged));
            assert_eq!(drawn, judged);
        }
    }

    #[test]
    fn a_teleport_is_not_blended() {
        let mut history = run(100, 100);
        let mut record = at_x(9_000);
        record[Body::AT.jump] = 1;
        history.push_rows(Tick::new(101), [(RUNNER, CLASS, &record[..])]);
        assert_eq!(x(&history, RUNNER, instant(100, 255)), Some(0.0));
        assert_eq!(x(&history, RUNNER, instant(101, 0)), Some(9_000.0));
    }

    #[test]
    fn another_life_in_the_slot_is_another_entity() {
        let mut history = run(100, 105);
        let heir = SlotKey { life: 2, ..RUNNER };
        history.push_rows(Tick::new(106), [(heir, CLASS, &at_x(7)[..])]);
        assert_eq!(x(&history, heir, instant(105, 0)), None);
        assert_eq!(x(&history, heir, instant(105, 128)), Some(7.0));
        assert_eq!(x(&history, RUNNER, instant(105, 128)), Some(320.0));
        assert_eq!(x(&history, RUNNER, instant(106, 0)), None);
        assert_eq!(
            x(&history, SlotKey { slot: 5, life: 1 }, instant(103, 0)),
            None
        );
    }

    #[test]
    fn sixty_four_ticks_are_remembered() {
        let history = run(0, 100);
        assert_eq!(
            (history.oldest(), history.newest()),
            (Some(Tick::new(37)), Some(Tick::new(100)))
        );
        assert_eq!(x(&history, RUNNER, instant(37, 0)), Some(37.0 * 64.0));
        assert_eq!(x(&history, RUNNER, instant(36, 0)), None);
    }

    #[test]
    fn a_claim_is_held_to_what_is_remembered_and_never_the_future() {
        let history = run(0, 100);
        assert_eq!(history.clamp(instant(90, 7), 64.0), instant(90, 7));
        assert_eq!(history.clamp(instant(20, 7), 1e9), instant(37, 0));
        assert_eq!(history.clamp(instant(0, 0), f64::MAX), instant(37, 0));
        assert_eq!(history.clamp(instant(100, 1), 64.0), instant(100, 0));
        assert_eq!(
            history.clamp(instant(u64::MAX >> 8, 255), 64.0),
            instant(100, 0)
        );
    }

    #[test]
    fn a_cap_holds_it_nearer_whole_or_fraction() {
        let history = run(0, 100);
        assert_eq!(history.clamp(instant(50, 0), 12.0), instant(88, 0));
        assert_eq!(history.clamp(instant(50, 0), 12.75), instant(87, 64));
        assert_eq!(history.clamp(instant(99, 0), 0.0), instant(100, 0));
        assert_eq!(history.clamp(instant(99, 0), -5.0), instant(100, 0));
    }

    #[test]
    fn an_empty_one_has_nothing_to_hold_a_claim_to() {
        let history = History::new(&SCHEMA, 32);
        assert_eq!(history.clamp(instant(5, 9), 1.0), instant(5, 9));
        assert_eq!(
            (history.oldest(), x(&history, RUNNER, instant(5, 0))),
            (None, None)
        );
    }

    #[test]
    fn a_gap_ends_what_is_remembered() {
        let mut history = run(0, 20);
        history.push_rows(Tick::new(30), [(RUNNER, CLASS, &at_x(1)[..])]);
        assert_eq!(history.oldest(), Some(Tick::new(30)));
        assert_eq!(history.clamp(instant(15, 0), 64.0), instant(30, 0));
    }

    #[test]
    fn it_grows_with_the_entities_and_forgets_nothing_by_it() {
        let mut history = run(0, 10);
        let crowd: Vec<_> = (0..32u16)
            .map(|slot| (SlotKey { slot, life: 1 }, at_x(i32::from(slot) * 10)))
            .collect();
        for tick in 11..=20 {
            let rows = crowd.iter().map(|(key, record)| (*key, CLASS, &record[..]));
            history.push_rows(Tick::new(tick), rows);
        }
        assert_eq!(x(&history, RUNNER, instant(10, 0)), Some(640.0));
        assert_eq!(x(&history, RUNNER, instant(10, 128)), Some(340.0));
        for (key, record) in &crowd {
            assert_eq!(
                x(&history, *key, instant(15, 0)),
                Some(record[Body::AT.x] as f32)
            );
        }
        let memory = history.values.as_ptr();
        for tick in 21..=200 {
            let rows = crowd.iter().map(|(key, record)| (*key, CLASS, &record[..]));
            history.push_rows(Tick::new(tick), rows);
        }
        assert_eq!(history.values.as_ptr(), memory);
        let mut copy = history.clone();
        let memory = copy.values.as_ptr();
        history.push_rows(Tick::new(201), [(RUNNER, CLASS, &at_x(3)[..])]);
        copy.clone_from(&history);
        assert_eq!(
            (copy.values.as_ptr(), copy.newest()),
            (memory, history.newest())
        );
    }
}
