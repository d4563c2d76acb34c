//! What one player saw of the match.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use netcode::client::ClientCounters;
use netcode::{Client, Game};
use wire::{Header, Kind, Micros, Pong, Reader, SnapshotHead, Tick};

/// A screen's frame: 60 Hz.
const FRAME: Micros = Micros::new(16_667);

/// How often what is smoothed already is read.
const READ_EVERY: Micros = Micros::from_millis(1_000);

/// Deliveries are held against the best of a room in the present and the last window of this length. Longer hides nothing
/// that lasts; a room whose ticks slipped once, which moves all that come later, is judged by its new times after two.
pub(super) const WINDOW: Micros = Micros::from_millis(5_000);

/// When all players measure.
#[derive(Debug)]
pub(super) struct Span {
    from: AtomicU64,
    until: AtomicU64,
}

impl Span {
    /// Not known yet.
    pub(super) fn unknown() -> Arc<Self> {
        Arc::new(Self {
            from: AtomicU64::new(u64::MAX),
            until: AtomicU64::new(u64::MAX),
        })
    }

    pub(super) fn set(&self, from: Micros, until: Micros) {
        self.until.store(until.get(), Ordering::Relaxed);
        self.from.store(from.get(), Ordering::Relaxed);
    }

    fn from(&self) -> Micros {
        Micros::new(self.from.load(Ordering::Relaxed))
    }

    fn until(&self) -> Micros {
        Micros::new(self.until.load(Ordering::Relaxed))
    }
}

/// The arrivals of a window, us: the earliest of them against its tick, and by how much each came later than that.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Arrivals {
    pub best: Option<i64>,
    pub later: Vec<u32>,
}

impl Arrivals {
    fn push(&mut self, against_tick: i64) {
        let best = *self.best.get_or_insert(against_tick);
        if against_tick < best {
            let earlier = over(best, against_tick);
            for later in &mut self.later {
                *later = later.saturating_add(earlier);
            }
            self.best = Some(against_tick);
        }
        self.later.push(over(against_tick, best.min(against_tick)));
    }
}

/// How far `a` lies over `b`, us; as far as 32 bits go.
pub(super) fn over(a: i64, b: i64) -> u32 {
    u32::try_from(a.saturating_sub(b)).unwrap_or(if a < b { 0 } else { u32::MAX })
}

/// Which ticks a snapshot came of.
#[derive(Clone, Copy, Debug, Default)]
struct Ticks {
    newest: Tick,
    /// Bit i: the tick `newest - i` was seen.
    seen: u64,
    count: u64,
}

impl Ticks {
    fn see(&mut self, tick: Tick) {
        let ahead = tick.since(self.newest);
        if ahead > 0 || self.seen == 0 {
            self.seen = self.seen.checked_shl(ahead.min(64) as u32).unwrap_or(0);
            self.newest = tick;
        }
        let bit = 1u64
            .checked_shl(self.newest.since(tick).min(64) as u32)
            .unwrap_or(0);
        // What is older than the mask is taken to be new: a snapshot that late came once.
        self.count += u64::from(bit == 0 || self.seen & bit == 0);
        self.seen |= bit;
    }
}

/// The instruments of one player. It looks and changes nothing.
#[derive(Debug)]
pub(super) struct Measure {
    span: Arc<Span>,
    begun: Option<(Micros, ClientCounters)>,
    ended: Option<(Micros, ClientCounters)>,
    rate_hz: u16,
    ticks: Ticks,
    next_frame: Micros,
    next_reading: Micros,
    frames: u64,
    starved: u64,
    rtt: Vec<u32>,
    jitter: Vec<u32>,
    late: Vec<u32>,
    windows: Vec<Arrivals>,
}

/// What one player saw in the time that was measured.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// How long, s.
    pub seconds: f64,
    /// Round trips of single pings, us.
    pub rtt: Vec<u32>,
    /// How far snapshots stray from when they are due, read once a second, us.
    pub jitter: Vec<u32>,
    /// How much later than asked for the own timers fired, us.
    pub late: Vec<u32>,
    /// Snapshots' arrivals against their ticks, by windows of 5 s.
    pub windows: Vec<Arrivals>,
    /// Ticks that a snapshot came of.
    pub snapshots: u64,
    /// Frames of a 60 Hz screen, and those of them that had run out of samples.
    pub frames: u64,
    pub starved: u64,
    /// Commands that were made.
    pub ticks: u64,
    /// Own ticks that never ran: this machine was too slow.
    pub slipped: u64,
    pub corrections: u64,
    pub corrected: f64,
    pub packets_heard: u64,
    pub packets_missed: u64,
    pub packets_sent: u64,
    pub bytes_up: u64,
    pub bytes_down: u64,
    pub inputs_lost: u64,
    pub faults: u64,
}

impl Measure {
    pub(super) fn new(span: Arc<Span>, rate_hz: u16) -> Self {
        Self {
            span,
            begun: None,
            ended: None,
            rate_hz,
            ticks: Ticks::default(),
            next_frame: Micros::ZERO,
            next_reading: Micros::ZERO,
            frames: 0,
            starved: 0,
            rtt: Vec::new(),
            jitter: Vec::new(),
            late: Vec::new(),
            windows: Vec::new(),
        }
    }

    fn measures(&self) -> bool {
        self.begun.is_some() && self.ended.is_none()
    }

    /// Frames that the screen has shown up to `now`, and what is read once a second. A client changes only when it is
    /// handed something, so what it showed at each instant since the last time can still be seen, exactly.
    pub(super) fn look<G: Game>(&mut self, client: &Client<G>, now: Micros) {
        if self.begun.is_none() && now >= self.span.from() {
            self.begun = Some((now, *client.counters()));
            self.next_frame = now;
            self.next_reading = now;
        }
        if !self.measures() {
            return;
        }
        while self.next_frame <= now {
            if let Some(showing) = client.showing(self.next_frame) {
                self.frames += 1;
                self.starved += u64::from(showing.is_starved());
            }
            self.next_frame += FRAME;
        }
        while self.next_reading <= now {
            let jitter = client.jitter().map(micros);
            self.jitter.extend(jitter);
            self.next_reading += READ_EVERY;
        }
        if now >= self.span.until() {
            self.ended = Some((now, *client.counters()));
        }
    }

    /// A tick that was due at `due` is run at `now`.
    pub(super) fn ticked(&mut self, due: Micros, now: Micros) {
        if self.measures() {
            self.late.push(micros(now - due));
        }
    }

    /// A frame came.
    pub(super) fn packet(&mut self, now: Micros, frame: &[u8]) {
        let mut r = Reader::new(frame);
        if wire::is_prefixed(frame) || Header::read(&mut r).is_err() {
            return;
        }
        match Kind::peek(&r) {
            Ok(Kind::Snapshot) => {
                if let Ok(head) = SnapshotHead::read(&mut r) {
                    self.snapshot(now, head.tick);
                }
            }
            Ok(Kind::Pong) if self.measures() => {
                if let Ok(Pong { stamp }) = Pong::read(&mut r) {
                    self.rtt.push((now.get() as u32).wrapping_sub(stamp));
                }
            }
            _ => {}
        }
    }

    fn snapshot(&mut self, now: Micros, tick: u32) {
        if self.ended.is_some() {
            return;
        }
        let tick = Tick::from_wire(tick, self.ticks.newest);
        let before = self.ticks.count;
        self.ticks.see(tick);
        if self.begun.is_none() {
            // What came before is known again, and not counted.
            self.ticks.count = 0;
            return;
        }
        // A second packet of a tick says nothing of when the tick was had first.
        if self.ticks.count == before {
            return;
        }
        let ran = (tick.get() as f64 * 1e6 / f64::from(self.rate_hz)) as i64;
        let window = ((now - self.span.from()).get() / WINDOW.get()) as usize;
        if self.windows.len() <= window {
            self.windows.resize(window + 1, Arrivals::default());
        }
        self.windows[window].push(now.get() as i64 - ran);
    }

    /// What was seen, up to the end of the span or, for a client that ended before, up to `now`.
    pub(super) fn finish<G: Game>(self, client: &Client<G>, now: Micros) -> Seen {
        let Some((from, before)) = self.begun else {
            return Seen::default();
        };
        let (until, after) = self.ended.unwrap_or_else(|| (now, *client.counters()));
        Seen {
            seconds: (until - from).as_secs_f64(),
            rtt: self.rtt,
            jitter: self.jitter,
            late: self.late,
            windows: self.windows,
            snapshots: self.ticks.count,
            frames: self.frames,
            starved: self.starved,
            ticks: after.ticks - before.ticks,
            slipped: after.slipped - before.slipped,
            corrections: after.corrections - before.corrections,
            corrected: after.corrected - before.corrected,
            packets_heard: after.packets_heard - before.packets_heard,
            packets_missed: after.packets_missed - before.packets_missed,
            packets_sent: after.packets_sent - before.packets_sent,
            bytes_up: after.bytes_up - before.bytes_up,
            bytes_down: after.bytes_down - before.bytes_down,
            inputs_lost: after.inputs_lost - before.inputs_lost,
            faults: after.faults - before.faults,
        }
    }
}

fn micros(time: Micros) -> u32 {
    u32::try_from(time.get()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_are_told_against_the_earliest_whenever_it_came() {
        let mut arrivals = Arrivals::default();
        for at in [1_000, 1_700, -500, 0] {
            arrivals.push(at);
        }
        assert_eq!(arrivals.best, Some(-500));
        assert_eq!(arrivals.later, [1_500, 2_200, 0, 500]);
    }

    #[test]
    fn distances_stay_within_their_bits() {
        assert_eq!(over(5, 3), 2);
        assert_eq!(over(3, 5), 0);
        assert_eq!(over(i64::MAX, i64::MIN), u32::MAX);
    }

    #[test]
    fn what_comes_before_and_after_the_span_is_not_counted() {
        use netcode::ClientConfig;
        use scenes::{Arena, Scene as _, Setup};
        use wire::{SnapshotHead, Writer};

        let at = Micros::from_millis;
        let world = Arena::new(&Setup::default()).empty();
        let client = Client::join(world, ClientConfig::default(), Micros::ZERO);
        let span = Span::unknown();
        let mut measure = Measure::new(Arc::clone(&span), 64);
        span.set(at(1_000), at(2_000));
        for ms in (0..3_000).step_by(125) {
            let mut frame = [0; 64];
            let mut w = Writer::new(&mut frame);
            let header = Header {
                seq: 1,
                heard: 0,
                history: 0,
            };
            header.write(&mut w);
            let head = SnapshotHead {
                tick: (ms * 64 / 1_000) as u32,
                judged: 0,
                low_water: 0,
                depth: 0,
                count: 0,
            };
            head.write(&mut w);
            let len = w.finish().unwrap();
            measure.look(&client, at(ms));
            measure.packet(at(ms), &frame[..len]);
        }
        let seen = measure.finish(&client, at(3_000));
        assert_eq!((seen.snapshots, seen.seconds), (8, 1.0));
        let later: Vec<_> = seen.windows.iter().map(|w| w.later.len()).collect();
        assert_eq!(later, [8]);
    }

    #[test]
    fn a_tick_counts_once_however_often_and_late_it_comes() {
        let mut ticks = Ticks::default();
        for tick in [100, 101, 101, 103, 102, 102, 200, 103] {
            ticks.see(Tick::new(tick));
        }
        // 103 comes again, but from before all that is remembered.
        assert_eq!((ticks.count, ticks.newest), (6, Tick::new(200)));
    }
}
