//! A real match as a page shows it.

use netcode::{Drawn, Role};
use scenes::{Mark, Scene, View};
use wire::{Micros, Tick};

use super::OnlineOf;
use super::glance::{is_on, needs, tick_ms};
use super::watch::knows;
use crate::lab::measure::Clocks;
use crate::lab::{Instruments, Pane, Strips, YOU};
use crate::params::{Config, Pair};
use crate::probe::{Meters, ProbeId};

impl<G: Scene> Instruments for OnlineOf<G> {
    fn now(&self) -> Micros {
        self.clock.now()
    }

    fn tick(&self) -> Tick {
        let newest = self.screen.client.showing(self.clock.now());
        match self.clocks() {
            Some(clocks) => Tick::new(clocks.present as u64),
            // Of a match that is over, the last that was heard.
            None => newest.map_or_else(Tick::default, |showing| showing.newest),
        }
    }

    fn config(&self) -> &Config {
        &self.setup.config
    }

    /// You alone: of the other panes nothing is at hand.
    fn marks(&self, pane: Pane, out: &mut Vec<f32>) {
        if pane != Pane::You {
            return;
        }
        let mut drawn = Drawn::default();
        self.picture(&mut drawn);
        let view = View {
            you: drawn.mine,
            without_walls: false,
        };
        let mut marks: Vec<Mark> = Vec::new();
        G::marks(&drawn, &view, &mut marks);
        self.screen.held(&drawn, &mut marks);
        self.screen.over(self.clock.now(), &mut marks);
        marks.iter().for_each(|mark| mark.write(out));
    }

    /// Only what the simulated link holds: nobody sees into the real one.
    fn flights(&self, out: &mut Vec<f32>) {
        let now = self.clock.now();
        self.overlay.up.flights(0, now, out);
        self.overlay.down.flights(1, now, out);
    }

    fn meters(&self) -> &Meters {
        &self.watch.measure.meters
    }

    fn strips(&self) -> &Strips {
        &self.watch.measure.strips
    }

    fn knows(&self, probe: ProbeId) -> bool {
        knows(probe)
    }

    /// As the client measures them; nothing before the first snapshot.
    fn needs(&self) -> [f64; 4] {
        let showing = self.screen.client.showing(self.clock.now());
        showing.map_or([0.0; 4], |showing| needs(&showing))
    }

    fn role(&self, seat: usize) -> Option<Role> {
        (seat == YOU).then(|| self.screen.client.role())
    }

    fn behind_ms(&self, seat: usize) -> Option<f64> {
        let showing = self.screen.client.showing(self.clock.now())?;
        let clocks = self.clocks()?;
        (seat == YOU).then(|| (clocks.present - showing.others_at) * self.tick_ms())
    }

    /// Where the server stands is taken from its newest word, and the time since.
    fn ahead_ms(&self, seat: usize) -> Option<f64> {
        let clocks = self.clocks()?;
        let judged = self.screen.client.judged()?.get() as f64;
        let mut drawn = Drawn::default();
        self.screen.draw(self.clock.now(), &mut drawn);
        let stands = judged + (clocks.present - clocks.newest);
        (seat == YOU && drawn.mine.is_some()).then(|| (drawn.own_at - stands) * self.tick_ms())
    }

    /// Up, those that the simulated link lost; down, all that are missing.
    fn lost_of_last_100(&self, seat: usize, side: Pair) -> u32 {
        match side {
            _ if seat != YOU => 0,
            Pair::Up => self.overlay.up.lost_of_last_100(),
            Pair::Down => self.watch.lost_of_last_100(),
        }
    }
}

impl<G: Scene> OnlineOf<G> {
    /// What the client says about its clocks while they go.
    fn clocks(&self) -> Option<Clocks> {
        let clocks = self.screen.clocks(self.clock.now(), self.tick_ms());
        clocks.filter(|_| is_on(&self.screen.client))
    }

    fn tick_ms(&self) -> f64 {
        tick_ms(self.setup.world.rate_hz)
    }
}
