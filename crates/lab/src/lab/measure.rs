//! The measuring: one screen's frames held against what the server had.

use std::collections::VecDeque;

use netcode::Drawn;
use scenes::{Body, Verdict};
use wire::{Blend, Class, ClassId, Micros, Schema, Shown, SlotKey, Tick};

use super::own::{Known, OwnTruth};
use super::strips::{Depth, Frame, KINDS, Strips};
use super::truth::{Past, WIDEST};
use crate::probe::{self, Meters, ProbeId};

/// Says what a class's fields mean; [`scenes::Scene::body`].
pub(crate) type BodyOf = fn(ClassId, &[f32]) -> Option<Body>;

/// One screen at one frame, with what it is held against. Times of ticks are the server's.
pub(crate) struct Seen<'a> {
    pub now: Micros,
    pub drawn: &'a Drawn,
    /// What the screen knows about its own picture; `None` before it plays.
    pub clocks: Option<Clocks>,
    /// What is known of the others as they were.
    pub past: &'a dyn Past,
    /// The server's present, whole tick and fraction.
    pub present: f64,
    /// Length of a tick, ms.
    pub tick_ms: f64,
    /// The delay that an even link would need, ms.
    pub needs_ms: f64,
    /// Own input held back before it runs, ms.
    pub held_ms: f64,
    /// Whether the screen has a correction that the last frame had not.
    pub corrected: bool,
    /// Where the own character would be drawn if nothing had to ease.
    pub predicted: Option<[f32; 2]>,
}

/// What a client says about its clocks, ticks of the server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clocks {
    /// The newest snapshot heard.
    pub newest: f64,
    /// What it would draw if samples never ran out.
    pub wanted: f64,
    /// The delay that its rule asks for, behind the server's present, ms.
    pub asked_ms: f64,
    /// Its idea of the server's present.
    pub present: f64,
    /// Whether it draws others between two samples; where it does not there is no delay, and nothing runs out.
    pub interpolates: bool,
    pub starved: bool,
    /// Its round trip, ms.
    pub rtt_ms: Option<f64>,
    /// Its jitter, ms.
    pub jitter_ms: f64,
    /// How fast it buys ticks; 1 is true.
    pub bend: f64,
}

/// Everything measured about one seat. It looks and changes nothing.
#[derive(Clone, Debug)]
pub(crate) struct Measure {
    pub meters: Meters,
    pub strips: Strips,
    schema: &'static Schema,
    own: OwnTruth,
    body_of: BodyOf,
    /// When each of the seat's commands was made, by its tick.
    made: Vec<(Tick, Micros)>,
    waiting_own: VecDeque<WaitingOwn>,
    waiting_others: Vec<WaitingOther>,
    /// The error of the own character in the last frame that could be judged.
    off: Option<[f32; 2]>,
    steps: Vec<Steps>,
    /// Totals of counters when they were looked at last.
    before: [u64; probe::PROBES.len()],
    /// Corrections that were taken, and how far they moved the character in all.
    corrections: (u64, f64),
}

/// The own character as a frame drew it, until the server has run that command.
#[derive(Clone, Copy, Debug)]
struct WaitingOwn {
    frame: u64,
    at: f64,
    class: ClassId,
    place: [f32; 2],
    corrected: bool,
    now: Micros,
}

/// Another's character as a frame drew it later than anything is known of, until it is.
#[derive(Clone, Copy, Debug)]
struct WaitingOther {
    frame: u64,
    at: f64,
    key: SlotKey,
    place: [f32; 2],
    now: Micros,
}

/// Where one body was drawn in the two frames before.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    key: SlotKey,
    /// How many of the two are known.
    known: u8,
    places: [[f32; 2]; 2],
    /// Its teleport counter, where its class has one.
    cut: f32,
}

/// Commands whose time of making is kept.
const MADE: usize = 256;
/// Frames of the own character that wait at most: 1.7 s at 144 Hz.
const WAITING: usize = 256;
/// Others that wait at most: 31 of them for 2 s at 60 Hz.
const WAITING_OTHERS: usize = 4_096;

/// Slots whose steps are kept, the first ones: of thousands, characters come first.
const STEPS: usize = 256;

/// Traffic by kind, in the order of [`Traffic`](super::Traffic); what comes in summary is of the others too.
const TRAFFIC: [ProbeId; KINDS] = [
    probe::BYTES_UP_INPUTS,
    probe::BYTES_UP_HEADERS,
    probe::BYTES_UP_OTHER,
    probe::BYTES_DOWN_OWN,
    probe::BYTES_DOWN_OTHERS,
    probe::BYTES_DOWN_EVENTS,
    probe::BYTES_DOWN_HEADERS,
    probe::BYTES_DOWN_OTHER,
];

impl Measure {
    pub(crate) fn since(
        from: Micros,
        schema: &'static Schema,
        slots: u16,
        body_of: BodyOf,
    ) -> Self {
        Self {
            meters: Meters::new(from),
            strips: Strips::default(),
            schema,
            own: OwnTruth::new(schema.width()),
            body_of,
            made: vec![(Tick::default(), Micros::ZERO); MADE],
            waiting_own: VecDeque::with_capacity(WAITING),
            waiting_others: Vec::new(),
            off: None,
            steps: vec![Steps::default(); STEPS.min(usize::from(slots))],
            before: [0; probe::PROBES.len()],
            corrections: (0, 0.0),
        }
    }

    /// Another session begins: what was waited for does not come any more. What was measured stays.
    pub(crate) fn rejoin(&mut self) {
        self.own = OwnTruth::new(self.schema.width());
        self.made.fill((Tick::default(), Micros::ZERO));
        self.waiting_own.clear();
        self.waiting_others.clear();
        self.off = None;
        self.steps.fill(Steps::default());
        self.corrections = (0, 0.0);
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.meters.heap()
            + self.strips.heap()
            + self.own.heap()
            + size_of_val(self.made.as_slice())
            + self.waiting_own.len() * size_of::<WaitingOwn>()
            + size_of_val(self.waiting_others.as_slice())
            + size_of_val(self.steps.as_slice())
    }

    /// The seat made the command of a tick.
    pub(crate) fn made(&mut self, tick: Tick, now: Micros) {
        self.made[(tick.get() % MADE as u64) as usize] = (tick, now);
    }

    /// The server stands at the command `judged` of the seat and has this record of its character.
    pub(crate) fn answered(&mut self, judged: Tick, record: &[i32]) {
        self.own.push(judged, record);
    }

    /// More is known of the past than before.
    pub(crate) fn judge(&mut self, past: &dyn Past) {
        self.judge_own();
        self.judge_others(past);
    }

    /// Measures the corrections since it was asked last, of so many in all that moved the character so far in all; how many
    /// there were, and how far each went. Some within a frame share what they did.
    pub(crate) fn corrections(&mut self, now: Micros, count: u64, by: f64) -> (u64, f64) {
        let (before, moved) = std::mem::replace(&mut self.corrections, (count, by));
        let news = count - before;
        let each = if news > 0 {
            (by - moved) / news as f64
        } else {
            0.0
        };
        for _ in 0..news {
            self.sample(probe::OWN_CORRECTED, now, each);
        }
        (news, each)
    }

    /// Counts a shot of the seat's that was judged.
    pub(crate) fn shot(&mut self, now: Micros, verdict: Verdict) {
        let became = match verdict {
            Verdict::Hit => probe::SHOTS_HIT,
            Verdict::Granted => probe::SHOTS_GRANTED,
            Verdict::Denied => probe::SHOTS_DENIED,
            Verdict::Miss => probe::SHOTS_MISS,
        };
        for id in [probe::SHOTS_FIRED, became] {
            self.meters.count(id, now, 1);
        }
    }

    /// Commands waiting at the server, as its tick found them.
    pub(crate) fn found(&mut self, depth: Depth) {
        self.sample(probe::INPUT_DEPTH, depth.at, f64::from(depth.depth));
        self.strips.push_depth(depth);
    }

    /// Takes the totals of counters and counts what is new.
    pub(crate) fn totals(&mut self, now: Micros, totals: &[(ProbeId, u64)]) {
        // What is new now belongs to the tenth of a second that has begun.
        let traffic = TRAFFIC.map(|id| {
            let summed = if id == probe::BYTES_DOWN_OTHERS {
                self.before[probe::BYTES_DOWN_SUMMARIES.index()]
            } else {
                0
            };
            self.before[id.index()] + summed
        });
        self.strips.push_totals(now, traffic);
        for &(id, total) in totals {
            let before = std::mem::replace(&mut self.before[id.index()], total);
            self.meters.count(id, now, total.saturating_sub(before));
        }
    }

    /// Measures a frame, the own character's place aside: that is for [`Measure::own`].
    pub(crate) fn frame(&mut self, seen: &Seen<'_>) {
        let Some(clocks) = seen.clocks else { return };
        let ms = |ticks: f64| ticks * seen.tick_ms;
        let age = ms(seen.present - clocks.newest);
        let [spare, asked, needs] = if clocks.interpolates {
            let spare = ms(clocks.newest - clocks.wanted);
            [spare, clocks.asked_ms, seen.needs_ms]
        } else {
            [f64::NAN; 3]
        };
        let frame = Frame {
            at: seen.now,
            spare: spare as f32,
            delay: asked as f32,
            age: age as f32,
            needs: needs as f32,
            own: f32::NAN,
            others: f32::NAN,
            own_naive: f32::NAN,
            others_naive: f32::NAN,
        };
        let number = self.strips.push_frame(frame);

        self.sample(probe::OTHERS_AGE, seen.now, age);
        if clocks.interpolates {
            let delay = ms(seen.present - seen.drawn.others_at);
            self.sample(probe::OTHERS_DELAY, seen.now, delay);
            self.sample(probe::OTHERS_NEEDS, seen.now, needs);
            self.sample(probe::OTHERS_SPARE, seen.now, spare);
            let starved = u64::from(clocks.starved);
            self.meters.count(probe::OTHERS_STARVED, seen.now, starved);
        }
        if let Some(rtt_ms) = clocks.rtt_ms {
            self.sample(probe::CLOCK_RTT, seen.now, rtt_ms);
        }
        self.sample(probe::CLOCK_JITTER, seen.now, clocks.jitter_ms);
        self.sample(probe::CLOCK_BEND, seen.now, (clocks.bend - 1.0) * 100.0);
        self.sample(
            probe::CLOCK_OFFSET,
            seen.now,
            ms(clocks.present - seen.present),
        );
        self.response(seen);
        self.others(seen, number);
    }

    fn sample(&mut self, id: ProbeId, now: Micros, value: f64) {
        self.meters.sample(id, now, value);
    }

    /// How long ago the command was made that the own character is drawn at.
    fn response(&mut self, seen: &Seen<'_>) {
        let (tick, part) = super::truth::split(seen.drawn.own_at);
        let made = |tick: Tick| {
            let (kept, at) = self.made[(tick.get() % MADE as u64) as usize];
            (kept == tick).then_some(at.as_millis_f64())
        };
        if let (Some(before), Some(after)) = (made(tick), made(tick.next()).or_else(|| made(tick)))
        {
            let shown = before + (after - before) * f64::from(part);
            let response = seen.now.as_millis_f64() - shown + seen.held_ms;
            self.sample(probe::INPUT_RESPONSE, seen.now, response);
        }
    }

    fn others(&mut self, seen: &Seen<'_>, number: u64) {
        let present = seen.past.present();
        let (mut honest, mut naive, mut judder) =
            (Mean::default(), Mean::default(), Mean::default());
        let mut out = [0.0; WIDEST];
        for (body, values) in seen.drawn.iter().filter(|(body, _)| !body.mine) {
            let at = match body.shown {
                Shown::Interpolated | Shown::Aggregated => seen.drawn.others_at,
                Shown::DeadReckoned => seen.drawn.reckoned_at,
                // Thousands of them: the mirror holds some of these against the truth.
                Shown::Simulated => continue,
            };
            // Past the newest tick there is nothing to hold it against yet.
            let early = at > seen.past.newest().get() as f64;
            let Some(drawn) = (self.body_of)(body.class, values) else {
                continue;
            };
            if !drawn.is_character || !drawn.alive {
                continue;
            }
            judder.extend(self.step(body.key, body.class, values, drawn.place));
            if let Some(now) = present
                && let Some(true_now) = self.place(seen.past, now.get() as f64, body.key, &mut out)
            {
                naive.add(apart(drawn.place, true_now));
            }
            if early && self.waiting_others.len() < WAITING_OTHERS {
                let place = drawn.place;
                self.waiting_others.push(WaitingOther {
                    frame: number,
                    at,
                    key: body.key,
                    place,
                    now: seen.now,
                });
            } else if early {
                // So many wait that no news has come for seconds.
            } else if let Some(then) = self.place(seen.past, at, body.key, &mut out) {
                honest.add(apart(drawn.place, then));
            }
        }
        for (id, mean) in [
            (probe::OTHERS_ERROR, honest),
            (probe::OTHERS_ERROR_NAIVE, naive),
            (probe::OTHERS_JUDDER, judder),
        ] {
            if let Some(value) = mean.get() {
                self.sample(id, seen.now, value);
            }
        }
        if let Some(frame) = self.strips.frame_mut(number) {
            frame.others = honest.get().map_or(f32::NAN, |v| v as f32);
            frame.others_naive = naive.get().map_or(f32::NAN, |v| v as f32);
        }
    }

    fn shape(&self, class: ClassId) -> &'static Class {
        &self.schema.classes[usize::from(class.0)]
    }

    /// Where there was a living character at an instant.
    fn place(
        &self,
        past: &dyn Past,
        at: f64,
        key: SlotKey,
        out: &mut [f32; WIDEST],
    ) -> Option<[f32; 2]> {
        let class = past.at(at, key, out)?;
        let body = (self.body_of)(class, &out[..self.shape(class).width()])?;
        body.alive.then_some(body.place)
    }

    /// How much a body's step changed since the last frame; `None` where it stood still or was put elsewhere.
    fn step(
        &mut self,
        key: SlotKey,
        class: ClassId,
        values: &[f32],
        place: [f32; 2],
    ) -> Option<f64> {
        let fields = self.shape(class).fields;
        let cut = fields
            .iter()
            .position(|f| f.blend == Blend::Cut)
            .map_or(0.0, |at| values[at]);
        let steps = self.steps.get_mut(usize::from(key.slot))?;
        if steps.key != key || steps.cut != cut {
            *steps = Steps {
                key,
                cut,
                ..Steps::default()
            };
        }
        let [before, last] = steps.places;
        let known = steps.known;
        steps.places = [last, place];
        steps.known = (known + 1).min(2);
        if known < 2 || (place == last && last == before) {
            return None;
        }
        let bend = |axis: usize| place[axis] - 2.0 * last[axis] + before[axis];
        Some(f64::from(bend(0) * bend(0) + bend(1) * bend(1)).sqrt())
    }

    /// Measures the own character as it is drawn now. It belongs to the frame before.
    pub(crate) fn own(&mut self, seen: &Seen<'_>) {
        if seen.clocks.is_none() {
            return;
        }
        let number = self.strips.newest_frame();
        let Some((body, values)) = seen.drawn.iter().find(|(body, _)| body.mine) else {
            return;
        };
        let Some(drawn) = (self.body_of)(body.class, values) else {
            return;
        };
        if !drawn.alive {
            self.off = None;
            return;
        }
        if let Some(predicted) = seen.predicted {
            self.sample(probe::OWN_OFFSET, seen.now, apart(drawn.place, predicted));
        }
        let mut out = [0.0; WIDEST];
        if let Some(now) = seen.past.present()
            && let Some(now) = self.place(seen.past, now.get() as f64, body.key, &mut out)
        {
            let naive = apart(drawn.place, now);
            self.sample(probe::OWN_ERROR_NAIVE, seen.now, naive);
            if let Some(frame) = self.strips.frame_mut(number) {
                frame.own_naive = naive as f32;
            }
        }
        if self.waiting_own.len() == WAITING {
            self.waiting_own.pop_front();
        }
        self.waiting_own.push_back(WaitingOwn {
            frame: number,
            at: seen.drawn.own_at,
            class: body.class,
            place: drawn.place,
            corrected: seen.corrected,
            now: seen.now,
        });
        self.judge_own();
    }

    fn judge_own(&mut self) {
        let mut out = [0.0; WIDEST];
        while let Some(&waiting) = self.waiting_own.front() {
            let class = self.shape(waiting.class);
            let known = self.own.at(waiting.at, class, &mut out);
            if known == Known::NotYet {
                break;
            }
            self.waiting_own.pop_front();
            let body = (self.body_of)(waiting.class, &out[..class.width()]);
            let Some(truth) = body.filter(|body| known == Known::Yes && body.alive) else {
                self.off = None;
                continue;
            };
            let off = [
                waiting.place[0] - truth.place[0],
                waiting.place[1] - truth.place[1],
            ];
            let error = apart(waiting.place, truth.place);
            self.sample(probe::OWN_ERROR, waiting.now, error);
            if let Some(frame) = self.strips.frame_mut(waiting.frame) {
                frame.own = error as f32;
            }
            if let Some(before) = self.off.replace(off).filter(|_| waiting.corrected) {
                self.sample(probe::OWN_JUMP, waiting.now, apart(before, off));
            }
        }
    }

    fn judge_others(&mut self, past: &dyn Past) {
        let known = past.newest().get() as f64;
        let waits = |one: &WaitingOther| one.at > known;
        let ready = self.waiting_others.iter().position(waits);
        let ready = ready.unwrap_or(self.waiting_others.len());
        if ready == 0 {
            return;
        }
        let mut waiting = std::mem::take(&mut self.waiting_others);
        let mut out = [0.0; WIDEST];
        for of_frame in waiting[..ready].chunk_by(|a, b| a.frame == b.frame) {
            let mut mean = Mean::default();
            for one in of_frame {
                if let Some(then) = self.place(past, one.at, one.key, &mut out) {
                    mean.add(apart(one.place, then));
                }
            }
            if let Some(value) = mean.get() {
                self.sample(probe::OTHERS_ERROR, of_frame[0].now, value);
                if let Some(frame) = self.strips.frame_mut(of_frame[0].frame) {
                    frame.others = value as f32;
                }
            }
        }
        // Its memory is kept for the next time.
        waiting.drain(..ready);
        self.waiting_others = waiting;
    }
}

#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn extend(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.add(value);
        }
    }

    fn get(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// The distance of two places, m.
pub(crate) fn apart(a: [f32; 2], b: [f32; 2]) -> f64 {
    let [x, y] = [
        f64::from(a[0]) - f64::from(b[0]),
        f64::from(a[1]) - f64::from(b[1]),
    ];
    (x * x + y * y).sqrt()
}
