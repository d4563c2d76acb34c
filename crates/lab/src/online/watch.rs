//! What an online client knows of itself, in the bench's instruments.

use netcode::client::{ClientCounters, Showing};
use netcode::{Client, DownTraffic, Drawn};
use scenes::{Scene, ShotTally};
use wire::{Header, Kind, Micros, Reader, SnapshotHead, Tick};

use super::glance::{Glance, Told, age_ms, tick_ms};
use super::kinds::Kinds;
use super::losses::{Losses, SETTLES};
use super::overlay::Overlay;
use crate::lab::measure::{Measure, Seen};
use crate::lab::notes::Notes;
use crate::lab::screen::Screen;
use crate::lab::{Arrival, Depth, Snapshot};
use crate::probe::{self, ProbeId};

/// Frames a second that are measured, as in the bench.
const FRAME: Micros = Micros::new(16_667);

/// Counters of one session, in the order of [`COUNTED`].
type Totals = [u64; COUNTED.len()];

const COUNTED: [ProbeId; 17] = [
    probe::OWN_CORRECTIONS,
    probe::OWN_ADJUSTMENTS,
    probe::OWN_REPLAYED,
    probe::INPUT_LOST,
    probe::BYTES_UP,
    probe::BYTES_UP_INPUTS,
    probe::BYTES_UP_HEADERS,
    probe::BYTES_UP_OTHER,
    probe::BYTES_DOWN,
    probe::PACKETS_LATE,
    probe::PACKETS_DOUBLED,
    probe::PACKETS_UP_LOST,
    probe::PACKETS_UP_LATE,
    probe::PACKETS_UP_DOUBLED,
    probe::PACKETS_DOWN_LATE,
    probe::PACKETS_DOWN_DOUBLED,
    probe::PACKETS_LOST,
];

/// The instruments of an online client. They look and change nothing.
#[derive(Debug)]
pub(super) struct Watch {
    pub measure: Measure,
    pub notes: Notes,
    /// What was counted in the sessions before this one.
    base: Totals,
    down: DownTraffic,
    losses: Losses,
    /// When the screen was last without samples.
    starved: Option<Micros>,
    /// Whether the character was corrected since it was measured last.
    corrected: bool,
    next_frame: Micros,
}

impl Watch {
    pub(super) fn new<G: Scene>(now: Micros) -> Self {
        Self {
            measure: Measure::since(now, G::SCHEMA, G::SLOTS, G::body),
            notes: Notes::default(),
            base: [0; COUNTED.len()],
            down: DownTraffic::default(),
            losses: Losses::default(),
            starved: None,
            corrected: false,
            next_frame: now,
        }
    }

    /// Another session begins; `counters` and `overlay` are those of the one before.
    pub(super) fn rejoin(&mut self, counters: &ClientCounters, overlay: &Overlay) {
        self.base = self.totals(counters, overlay);
        self.measure.rejoin();
        self.losses.rejoin();
        self.corrected = false;
    }

    fn totals(&self, counters: &ClientCounters, overlay: &Overlay) -> Totals {
        let up = overlay.up.link.counters();
        let now: Totals = [
            counters.corrections,
            counters.adjustments,
            counters.replayed,
            counters.inputs_lost,
            counters.bytes_up,
            counters.up.inputs,
            counters.up.headers,
            counters.up.other,
            counters.bytes_down,
            counters.packets_late + up.late,
            counters.packets_doubled + up.doubled,
            up.lost,
            up.late,
            up.doubled,
            counters.packets_late,
            counters.packets_doubled,
            up.lost,
        ];
        std::array::from_fn(|at| self.base[at] + now[at])
    }

    fn take_totals(&mut self, now: Micros, counters: &ClientCounters, overlay: &Overlay) {
        let mut totals = self.totals(counters, overlay);
        // The last of them is of both ways.
        totals[COUNTED.len() - 1] += self.losses.total();
        self.measure.totals(
            now,
            &std::array::from_fn::<_, { COUNTED.len() }, _>(|at| (COUNTED[at], totals[at])),
        );
        let down = self.down;
        self.measure.totals(
            now,
            &[
                (probe::PACKETS_DOWN_LOST, self.losses.total()),
                (probe::BYTES_DOWN_OWN, down.own),
                (probe::BYTES_DOWN_OTHERS, down.others),
                (probe::BYTES_DOWN_EVENTS, down.events),
                (probe::BYTES_DOWN_SUMMARIES, down.summaries),
                (probe::BYTES_DOWN_HEADERS, down.headers),
                (probe::BYTES_DOWN_OTHER, down.other),
            ],
        );
    }

    /// The client takes a packet.
    pub(super) fn hear<G: Scene>(&mut self, now: Micros, bytes: &[u8], screen: &mut Screen<G>) {
        let client = &mut screen.client;
        let tick_ms = tick_ms(client.config().rate_hz);
        let mut kinds = Kinds::new(client.me().map(|me| me.slot));
        // What cannot be read is refused below, by the same reader.
        let _ = client.explain(bytes, &mut kinds);
        let before = *client.counters();
        let _ = client.handle(now, bytes);
        let after = *client.counters();

        if after.snapshots == before.snapshots {
            self.down.other += bytes.len() as u64;
        } else {
            self.add(kinds.snapshot(bytes.len()));
        }
        let late = after.packets_late > before.packets_late;
        let missed = after.packets_missed - before.packets_missed;
        let showing = client.showing(now);
        if late {
            self.losses.came_late();
        } else if missed > 0 || after.snapshots > before.snapshots {
            self.losses.came(now, missed);
        }
        if let Some(showing) = &showing {
            self.list_missing(now, missed, showing, tick_ms);
        }
        let Some(showing) = showing.filter(|_| after.snapshots > before.snapshots) else {
            return;
        };
        let Some(head) = head_of(bytes) else { return };
        let tick = Tick::from_wire(head.tick, showing.newest);
        let arrival = if late { Arrival::Late } else { Arrival::Heard };
        let age = age_ms(&showing, tick, tick_ms);
        let at = now;
        self.measure
            .strips
            .push_snapshot(Snapshot { at, age, arrival });
        if tick == showing.newest {
            self.answered(now, &head, tick, client);
        }
        let past = Told {
            client,
            newest: showing.newest,
        };
        self.measure.judge(&past);
    }

    fn add(&mut self, more: DownTraffic) {
        self.down.own += more.own;
        self.down.others += more.others;
        self.down.events += more.events;
        self.down.summaries += more.summaries;
        self.down.headers += more.headers;
    }

    /// Lists packets that were passed over by one that came now.
    fn list_missing(&mut self, now: Micros, count: u64, showing: &Showing, tick_ms: f64) {
        // They would have come as the mean does, one interval apart.
        for back in (1..=count.min(LISTED)).rev() {
            let at = now - showing.interval * back;
            let age = age_ms(showing, showing.newest, tick_ms);
            let arrival = Arrival::Lost;
            self.measure
                .strips
                .push_snapshot(Snapshot { at, age, arrival });
        }
    }

    /// Tells what was lost for good by now.
    fn settle(&mut self, now: Micros) {
        let lost = self.losses.settle(now);
        let harmed = self.starved.is_some_and(|at| now - at <= SETTLES * 2);
        self.notes.passed_over(now, harmed, lost);
    }

    /// The newest snapshot has come: what the server says of the own character, and of the commands that wait there.
    fn answered<G: Scene>(
        &mut self,
        now: Micros,
        head: &SnapshotHead,
        tick: Tick,
        client: &Client<G>,
    ) {
        let Some(me) = client.me() else { return };
        if let Some(judged) = client.judged()
            && let Some((of, record)) = client.samples(me).last()
            && of == tick
        {
            self.measure.answered(judged, record);
        }
        let target = client.depth_target().filter(|_| client.config().pacing);
        self.measure.found(Depth {
            at: now,
            depth: f32::from(head.low_water),
            target: target.map_or(f32::NAN, |target| target as f32),
            bend: ((client.bend() - 1.0) * 100.0) as f32,
        });
    }

    /// The client tells of an event.
    pub(super) fn event<G: Scene>(&mut self, now: Micros, event: &G::Event, screen: &Screen<G>) {
        let Some(me) = screen.client.me() else { return };
        if let Some(note) = G::tell(event, me, &screen.drawn) {
            self.notes.push(now, note.kind, note.text);
        }
        if let Some(shot) = G::shot(event).filter(|shot| shot.by == me) {
            self.measure.shot(now, shot.verdict);
        }
        let mut tally = ShotTally::default();
        G::tally(event, &mut tally);
        // It is told to whom it happened, and to nobody else.
        if tally.behind_cover > 0 {
            let id = probe::SHOTS_BEHIND_COVER;
            self.measure.meters.count(id, now, 1);
        }
    }

    /// The corrections of the last [`Client::advance`], in the scene's unit.
    pub(super) fn take_corrections(&mut self, now: Micros, counters: &ClientCounters, unit: &str) {
        let (news, each) = self
            .measure
            .corrections(now, counters.corrections, counters.corrected);
        (0..news).for_each(|_| self.notes.corrected(now, each, unit));
        self.corrected |= news > 0;
    }

    /// Measures the own character as its screen shows it when the next command is made: at exactly a tick of its own.
    pub(super) fn own<G: Scene>(&mut self, now: Micros, screen: &Screen<G>) {
        let Some(seen) = Glance::of(now, screen) else {
            return;
        };
        let corrected = std::mem::take(&mut self.corrected);
        self.measure.own(&Seen {
            corrected,
            ..seen.seen(&screen.drawn, screen)
        });
    }

    /// When the next frame is measured.
    pub(super) fn frame_at(&self) -> Micros {
        self.next_frame
    }

    /// Measures the frame that is due, if one is. `drawn` is scratch.
    pub(super) fn frame<G: Scene>(
        &mut self,
        now: Micros,
        screen: &Screen<G>,
        overlay: &Overlay,
        drawn: &mut Drawn,
    ) {
        if now < self.next_frame {
            return;
        }
        // Frames that were missed are not made up for.
        self.next_frame = (self.next_frame + FRAME).max(now);
        self.settle(now);
        self.take_totals(now, screen.client.counters(), overlay);
        screen.draw(now, drawn);
        let Some(glance) = Glance::of(now, screen) else {
            return;
        };
        let starved = glance.clocks.starved;
        if starved {
            self.starved = Some(now);
        }
        let extrapolates = screen.client.config().extrapolate > Micros::ZERO;
        self.notes.frame(now, starved, extrapolates);
        self.measure.frame(&glance.seen(drawn, screen));
    }

    /// How many of the newest hundred packets down are missing.
    pub(super) fn lost_of_last_100(&self) -> u32 {
        self.losses.of_last_100()
    }
}

/// Snapshots that are listed as lost at most when one comes after a long silence.
const LISTED: u64 = 64;

/// Whether an online client can know what a probe says.
pub(super) fn knows(id: ProbeId) -> bool {
    !matches!(
        id,
        probe::OWN_ERROR_NAIVE
            | probe::OTHERS_ERROR_NAIVE
            | probe::INPUT_REPEATED
            | probe::INPUT_SKIPPED
            | probe::INPUT_LATE
            | probe::CLOCK_OFFSET
    )
}

/// The head of a snapshot that was taken.
fn head_of(bytes: &[u8]) -> Option<SnapshotHead> {
    let mut r = Reader::new(bytes);
    Header::read(&mut r).ok()?;
    let kind = Kind::peek(&r).ok()?;
    (kind == Kind::Snapshot).then(|| SnapshotHead::read(&mut r).ok())?
}
