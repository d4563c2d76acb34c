//! A client's screen: the client, the hands at it, and what lies over its picture.

use std::collections::VecDeque;

use netcode::client::HeardEvent;
use netcode::{Client, Digest, Drawn};
use scenes::{Body, Mark, MarkKind, Pad, Scene, Shot, ShotTally, Unjudged};
use wire::{ClassId, Micros, SlotKey};

use super::measure::Clocks;
use super::truth::{WIDEST, split};

/// How long the trace of a shot is shown.
const SHOWN: Micros = Micros::from_millis(1_000);

/// Traces kept at most; the lab's characters together shoot at most 80 times a second.
const TRACES: usize = 96;

/// A shot as a pane shows it for a while.
#[derive(Clone, Copy, Debug)]
struct Trace {
    at: Micros,
    shot: Shot,
}

/// The traces of a pane, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces(VecDeque<Trace>);

impl Traces {
    pub(crate) fn push(&mut self, at: Micros, shot: Shot) {
        while self.0.len() >= TRACES || self.0.front().is_some_and(|old| at - old.at > SHOWN) {
            self.0.pop_front();
        }
        self.0.push_back(Trace { at, shot });
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.0.len() * size_of::<Trace>()
    }

    pub(crate) fn marks(&self, now: Micros, marks: &mut Vec<Mark>) {
        let shown = self.0.iter().filter(|trace| now - trace.at <= SHOWN);
        shown.for_each(|trace| trace.shot.marks(marks));
    }
}

/// A body that a screen draws, with what the scene says it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub key: SlotKey,
    pub class: ClassId,
    pub mine: bool,
    pub body: Body,
}

/// The characters of a picture that are in the game.
pub(crate) fn seen<G: Scene>(drawn: &Drawn) -> impl Iterator<Item = Seen> {
    drawn.iter().filter_map(|(drawn, values)| {
        let body = G::body(drawn.class, values)?;
        (body.is_character && body.alive).then_some(Seen {
            key: drawn.key,
            class: drawn.class,
            mine: drawn.mine,
            body,
        })
    })
}

/// A client's screen. Its times are those of whoever looks at it, not the client's own.
#[derive(Clone, Debug)]
pub(crate) struct Screen<G: Scene> {
    pub client: Client<G>,
    pad: Pad,
    /// What it showed when it last made a command.
    pub drawn: Drawn,
    traces: Traces,
    /// When and where on it its player was hit behind cover, last.
    covered: Option<(Micros, [f32; 2])>,
    /// An own shot that nobody has judged yet, and the number of the newest.
    unjudged: Option<(Micros, Unjudged)>,
    newest_shot: Option<u8>,
}

impl<G: Scene> Screen<G> {
    pub(crate) fn new(client: Client<G>) -> Self {
        Self {
            client,
            pad: Pad::default(),
            drawn: Drawn::default(),
            traces: Traces::default(),
            covered: None,
            unjudged: None,
            newest_shot: None,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.client.heap() + self.drawn.heap() + self.traces.heap()
    }

    /// Somebody's hands are on the pad.
    pub(crate) fn set_pad(&mut self, pad: Pad) {
        let unseen = self.pad.pressed;
        self.pad = pad.after(&self.pad);
        // A press stays until a tick has taken it, however often the pad is read in between.
        self.pad.pressed |= unseen;
    }

    /// The pad as it is.
    pub(crate) fn pad(&self) -> Pad {
        self.pad
    }

    /// Whether a pad differs from the one that is on. One that is pressed once more does.
    pub(crate) fn is_news(&self, pad: &Pad) -> bool {
        let bits = |pad: &Pad| [pad.x, pad.y, pad.aim_x, pad.aim_y].map(f32::to_bits);
        let same = bits(pad) == bits(&self.pad) && pad.buttons == self.pad.buttons;
        !same || pad.pressed & !self.pad.pressed != 0
    }

    /// Takes a pad as the command of a tick; what was pressed is taken with it.
    pub(crate) fn play(&mut self, pad: Pad) -> G::Input {
        self.pad = Pad { pressed: 0, ..pad };
        G::input(&pad, self.own_place())
    }

    fn own_place(&self) -> Option<[f32; 2]> {
        let (body, values) = self.drawn.iter().find(|(body, _)| body.mine)?;
        G::body(body.class, values).map(|body| body.place)
    }

    /// Looks at the picture before a command is made, at all of it or at the characters. `own`: what the client's clock shows.
    pub(crate) fn look(&mut self, now: Micros, own: Micros, all: bool) {
        let mut drawn = std::mem::take(&mut self.drawn);
        self.draw_of(own, |class| all || G::has_characters(class), &mut drawn);
        self.drawn = drawn;
        let Some(shot) = G::unjudged(&self.drawn) else {
            return;
        };
        if self
            .newest_shot
            .replace(shot.number)
            .is_some_and(|before| before != shot.number)
        {
            self.unjudged = Some((now, shot));
        }
    }

    /// The client heard an event.
    pub(crate) fn hear(&mut self, now: Micros, event: &HeardEvent<G::Event>) {
        if let Some(shot) = G::shot(&event.event) {
            self.traces.push(now, shot);
            let own = Some(shot.by) == self.client.me();
            if own
                && self
                    .unjudged
                    .is_some_and(|(_, open)| open.number == shot.number)
            {
                self.unjudged = None;
            }
        }
        let mut tally = ShotTally::default();
        G::tally(&event.event, &mut tally);
        if tally.behind_cover > 0 {
            self.covered = self.own_place().map(|place| (now, place));
        }
    }

    /// The picture as it is drawn at `own` by the client's clock.
    pub(crate) fn draw(&self, own: Micros, out: &mut Drawn) {
        self.draw_of(own, |_| true, out);
    }

    /// The same of some classes alone.
    pub(crate) fn draw_of(&self, own: Micros, wanted: impl Fn(ClassId) -> bool, out: &mut Drawn) {
        self.client.drawn_of(own, |_, class| wanted(class), out);
        if !self.client.config().predict
            && let Some(judged) = self.client.judged()
        {
            // The server's word is shown as it is, so it is as old as the command that it stands for.
            out.own_at = judged.get() as f64;
        }
    }

    /// What the client says about its clocks; `None` before it plays. `own`: what its clock shows.
    pub(crate) fn clocks(&self, own: Micros, tick_ms: f64) -> Option<Clocks> {
        let showing = self.client.showing(own)?;
        let interpolates = self.client.config().interpolate;
        Some(Clocks {
            newest: showing.newest.get() as f64,
            wanted: showing.wanted,
            asked_ms: showing.delay.as_millis_f64(),
            present: showing.front + showing.one_way.as_millis_f64() / tick_ms,
            interpolates,
            starved: interpolates && showing.is_starved(),
            rtt_ms: self.client.rtt().map(Micros::as_millis_f64),
            jitter_ms: showing.jitter.as_millis_f64(),
            bend: self.client.bend(),
        })
    }

    /// Where the own character is drawn but for what still eases.
    pub(crate) fn predicted(&self, drawn: &Drawn) -> Option<[f32; 2]> {
        let (body, values) = drawn.iter().find(|(body, _)| body.mine)?;
        let (tick, part) = split(drawn.own_at);
        let before = self.client.predicted(tick)?;
        let after = if part > 0.0 {
            self.client.predicted(tick.next())?
        } else {
            before
        };
        let shape = G::SCHEMA.class(body.class)?;
        let mut out = [0.0; WIDEST];
        let out = &mut out[..values.len()];
        shape.blend(before.get(..out.len())?, after.get(..out.len())?, part, out);
        G::body(body.class, out).map(|body| body.place)
    }

    /// What the client holds of a picture's characters: the samples around what is drawn, and own ticks not judged yet.
    pub(crate) fn held(&self, drawn: &Drawn, marks: &mut Vec<Mark>) {
        for seen in seen::<G>(drawn) {
            if seen.mine {
                self.unconfirmed(&seen, marks);
            } else {
                self.samples(&seen, drawn.others_at, marks);
            }
        }
    }

    /// A point for each own tick that no answer has judged yet.
    fn unconfirmed(&self, own: &Seen, marks: &mut Vec<Mark>) {
        let Some(judged) = self.client.judged() else {
            return;
        };
        let mut tick = judged.next();
        while tick <= self.client.tick() {
            let record = self.client.predicted(tick);
            if let Some(body) = record.and_then(|record| body::<G>(own.class, record)) {
                let point = Mark::new(MarkKind::Unconfirmed, body.place);
                marks.push(Mark {
                    size: body.radius,
                    key: Mark::key_of(own.key),
                    ..point
                });
            }
            tick = tick.next();
        }
    }

    /// The newest sample before the instant that is drawn, and all after it.
    fn samples(&self, of: &Seen, others_at: f64, marks: &mut Vec<Mark>) {
        let mut before = None;
        for (tick, record) in self.client.samples(of.key) {
            let sample = body::<G>(of.class, record).map(|body| Mark {
                key: Mark::key_of(of.key),
                ..Mark::new(MarkKind::Sample, body.place)
            });
            if tick.get() as f64 <= others_at {
                before = sample;
            } else {
                marks.extend(before.take());
                marks.extend(sample);
            }
        }
        marks.extend(before);
    }

    /// What lies over everything: shots, where its player was hit behind cover, an own shot that nobody has judged yet.
    pub(crate) fn over(&self, now: Micros, marks: &mut Vec<Mark>) {
        self.traces.marks(now, marks);
        let key = self.client.me().map_or(0, Mark::key_of);
        if let Some((_, place)) = self.covered.filter(|(since, _)| now - *since <= SHOWN) {
            marks.push(Mark {
                flags: Mark::BEHIND_COVER,
                key,
                ..Mark::new(MarkKind::Verdict, place)
            });
        }
        if let Some((_, shot)) = self.unjudged.filter(|(since, _)| now - *since <= SHOWN) {
            let line = Mark::new(MarkKind::Shot, shot.from);
            marks.push(Mark {
                size: shot.to[0],
                size2: shot.to[1],
                key,
                ..line
            });
            marks.push(Mark {
                key,
                ..Mark::new(MarkKind::Verdict, shot.to)
            });
        }
    }

    /// Everything that what happens here next depends on.
    pub(crate) fn digest_pad(&self, digest: &mut Digest) {
        digest.u64(u64::from(self.pad.buttons) << 32 | u64::from(self.pad.pressed));
        for value in [self.pad.x, self.pad.y, self.pad.aim_x, self.pad.aim_y] {
            // No pointer is NaN, which has many forms; and rest has two.
            digest.u64(if value.is_nan() {
                u64::MAX
            } else {
                u64::from((value + 0.0).to_bits())
            });
        }
    }
}

/// What a record of a class says.
fn body<G: Scene>(class: ClassId, record: &[i32]) -> Option<Body> {
    let shape = G::SCHEMA.class(class)?;
    let mut values = [0.0; WIDEST];
    let values = &mut values[..shape.width()];
    shape.decode(record.get(..shape.width())?, values);
    G::body(class, values)
}
