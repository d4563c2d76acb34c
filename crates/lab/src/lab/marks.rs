//! What the panes draw: the scene's own marks, and over them what only a lab knows.

use netcode::Drawn;
use scenes::{Mark, MarkKind, Scene, View};

use super::screen::seen;
use super::{LabOf, OTHER, Pane, YOU};
use crate::params;

impl<G: Scene> LabOf<G> {
    /// Every mark of a pane, the farthest down first.
    pub(super) fn pane(&self, pane: Pane) -> Vec<Mark> {
        let mut drawn = Drawn::default();
        match pane {
            Pane::You => self.draw(YOU, &mut drawn),
            Pane::Other => self.draw(OTHER, &mut drawn),
            Pane::Server => self.server.drawn(&mut drawn),
        }
        let you = self.seats[YOU].screen.client.me();
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
            Pane::Server => self.traces.marks(self.now, &mut marks),
        }
        self.hears(pane, &mut marks);
        marks
    }

    /// How far the viewer of a pane hears, about where the server has them: it goes by its own.
    fn hears(&self, pane: Pane, marks: &mut Vec<Mark>) {
        let (viewer, kind) = match pane {
            Pane::You => (YOU, MarkKind::Truth),
            Pane::Server => (YOU, MarkKind::You),
            Pane::Other => (OTHER, MarkKind::Truth),
        };
        let tells = self.setup.config.has(params::INTEREST_ON).is_ok();
        let Some(radius) = self.setup.scene().hears.filter(|_| tells) else {
            return;
        };
        let Some(key) = self.seats[viewer].screen.client.me().map(Mark::key_of) else {
            return;
        };
        let own = marks
            .iter()
            .find(|mark| mark.kind == kind && mark.key == key);
        if let Some(&Mark { x, y, .. }) = own {
            marks.push(Mark {
                size: f32::from(radius),
                key,
                ..Mark::new(MarkKind::Hears, [x, y])
            });
        }
    }

    /// What lies over a client's picture: samples, unjudged ticks, the truth, how far it is off, shots.
    fn over_client(&self, at: usize, drawn: &Drawn, marks: &mut Vec<Mark>) {
        let screen = &self.seats[at].screen;
        screen.held(drawn, marks);
        let mut truth = Drawn::default();
        self.server.drawn_of(G::has_characters, &mut truth);
        let truths: Vec<_> = seen::<G>(&truth).collect();
        for one in &truths {
            let ring = Mark::new(MarkKind::Truth, one.body.place);
            marks.push(Mark {
                heading: one.body.heading,
                size: one.body.radius,
                key: Mark::key_of(one.key),
                ..ring
            });
        }
        let others_ms = ((drawn.others_at - self.present()) * self.tick_ms()) as f32;
        for one in seen::<G>(drawn) {
            let Some(truth) = truths.iter().find(|truth| truth.key == one.key) else {
                continue;
            };
            let ms = if one.mine {
                self.ahead_of_server_ms(at, drawn.own_at)
            } else {
                others_ms
            };
            let [size, size2] = truth.body.place;
            let label = Mark::new(MarkKind::Lag, one.body.place);
            marks.push(Mark {
                heading: ms,
                size,
                size2,
                key: Mark::key_of(one.key),
                ..label
            });
        }
        screen.over(self.now, marks);
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
}
