//! What the panes draw: the scene's own marks, and over them what only a lab knows.

use netcode::Drawn;
use scenes::{Body, Mark, MarkKind, Scene, View};
use wire::SlotKey;

use super::seat::Traces;
use super::truth::WIDEST;
use super::{LabOf, OTHER, Pane, YOU};

/// A body that a screen draws, with what the scene says it is.
type Seen = (SlotKey, bool, Body);

impl<G: Scene> LabOf<G> {
    /// Every mark of a pane, the farthest down first.
    pub(super) fn pane(&self, pane: Pane) -> Vec<Mark> {
        let mut drawn = Drawn::default();
        match pane {
            Pane::You => self.draw(YOU, &mut drawn),
            Pane::Other => self.draw(OTHER, &mut drawn),
            Pane::Server => self.server.drawn(&mut drawn),
        }
        let you = self.seats[YOU].client.me();
        let mut marks = Vec::new();
        G::marks(
            &drawn,
            &View {
                you,
                without_walls: false,
            },
            &mut marks,
        );
        match pane {
            Pane::You => self.over_client(YOU, &drawn, &mut marks),
            Pane::Other => self.over_client(OTHER, &drawn, &mut marks),
            Pane::Server => self.shots(&self.traces, &mut marks),
        }
        marks
    }

    fn shots(&self, traces: &Traces, marks: &mut Vec<Mark>) {
        for trace in traces.shown(self.now) {
            trace.shot.marks(marks);
        }
    }

    /// What lies over a client's picture: samples, unjudged ticks, the truth, how far it is off, shots.
    fn over_client(&self, at: usize, drawn: &Drawn, marks: &mut Vec<Mark>) {
        let seat = &self.seats[at];
        let mut truth = Drawn::default();
        self.server.drawn(&mut truth);
        let bodies = bodies_of::<G>(drawn);
        for (key, mine, _) in bodies.iter().filter(|(_, _, body)| body.alive) {
            if *mine {
                self.unconfirmed(at, *key, marks);
            } else {
                self.samples(at, *key, drawn.others_at, marks);
            }
        }
        let truths = bodies_of::<G>(&truth);
        for (key, _, body) in truths.iter().filter(|(_, _, body)| body.alive) {
            let ring = Mark::new(MarkKind::Truth, body.place);
            marks.push(Mark {
                heading: body.heading,
                size: body.radius,
                key: Mark::key_of(*key),
                ..ring
            });
        }
        let others_ms = ((drawn.others_at - self.present()) * self.tick_ms()) as f32;
        for (key, mine, body) in bodies.iter().filter(|(_, _, body)| body.alive) {
            let Some((_, _, true_body)) =
                truths.iter().find(|(other, _, t)| other == key && t.alive)
            else {
                continue;
            };
            let ms = if *mine {
                self.ahead_of_server_ms(at, drawn.own_at)
            } else {
                others_ms
            };
            let [size, size2] = true_body.place;
            let label = Mark::new(MarkKind::Lag, body.place);
            marks.push(Mark {
                heading: ms,
                size,
                size2,
                key: Mark::key_of(*key),
                ..label
            });
        }
        self.shots(&seat.traces, marks);
        if let Some((_, place)) = seat
            .covered
            .filter(|(since, _)| self.now - *since <= super::seat::SHOWN)
        {
            marks.push(Mark {
                flags: Mark::BEHIND_COVER,
                key: drawn.mine.map_or(0, Mark::key_of),
                ..Mark::new(MarkKind::Verdict, place)
            });
        }
        if let Some((_, shot)) = seat
            .unjudged
            .filter(|(since, _)| self.now - *since <= super::seat::SHOWN)
        {
            let key = drawn.mine.map_or(0, Mark::key_of);
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

    /// How far the own character is drawn ahead of where the server stands with its commands, ms.
    pub(super) fn ahead_of_server_ms(&self, at: usize, own_at: f64) -> f32 {
        let judged = self
            .server
            .peer(netcode::PeerId(at as u32))
            .map_or(0, |peer| peer.judged.get());
        let part = self.present() - self.server.tick().get() as f64;
        ((own_at - judged as f64 - part) * self.tick_ms()) as f32
    }

    /// A point for each own tick that no answer has judged yet.
    fn unconfirmed(&self, at: usize, key: SlotKey, marks: &mut Vec<Mark>) {
        let client = &self.seats[at].client;
        let Some(judged) = client.judged() else {
            return;
        };
        let mut tick = judged.next();
        while tick <= client.tick() {
            if let Some(body) = client
                .predicted(tick)
                .and_then(|record| self.body(key, record))
            {
                let point = Mark::new(MarkKind::Unconfirmed, body.place);
                marks.push(Mark {
                    size: body.radius,
                    key: Mark::key_of(key),
                    ..point
                });
            }
            tick = tick.next();
        }
    }

    /// The newest sample before the instant that is drawn, and all after it.
    fn samples(&self, at: usize, key: SlotKey, others_at: f64, marks: &mut Vec<Mark>) {
        let mut before = None;
        for (tick, record) in self.seats[at].client.samples(key) {
            let sample = self.body(key, record).map(|body| Mark {
                key: Mark::key_of(key),
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

    /// What a record of a character says, by the class that the server has it in.
    fn body(&self, key: SlotKey, record: &[i32]) -> Option<Body> {
        let class = self.server.table().class(usize::from(key.slot))?;
        let shape = G::SCHEMA.class(class)?;
        let mut values = [0.0; WIDEST];
        let values = &mut values[..shape.width()];
        shape.decode(record.get(..shape.width())?, values);
        G::body(class, values)
    }
}

fn bodies_of<G: Scene>(drawn: &Drawn) -> Vec<Seen> {
    drawn
        .iter()
        .filter_map(|(body, values)| {
            let what = G::body(body.class, values).filter(|what| what.is_character)?;
            Some((body.key, body.mine, what))
        })
        .collect()
}
