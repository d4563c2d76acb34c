//! The lab of a scene as a lab of any scene.

use netcode::{Drawn, Role};
use netsim::PacketId;
use scenes::Scene;
use wire::{Micros, Tick};

use super::notes::FeedLine;
use super::setup::{LabSetup, needs};
use super::strips::Strips;
use super::world::LabOf;
use super::{Action, Instruments, Lab, Pane};
use crate::inspect::Inspected;
use crate::params::{Config, Pair};
use crate::probe::{Meters, ProbeId};

impl<G: Scene> Instruments for LabOf<G> {
    fn now(&self) -> Micros {
        self.now
    }

    fn tick(&self) -> Tick {
        self.server.tick()
    }

    fn config(&self) -> &Config {
        &self.setup.config
    }

    fn marks(&self, pane: Pane, out: &mut Vec<f32>) {
        for mark in self.pane(pane) {
            mark.write(out);
        }
    }

    fn flights(&self, out: &mut Vec<f32>) {
        let lines = self.seats.iter().flat_map(|seat| [&seat.up, &seat.down]);
        for (number, line) in (0..).zip(lines) {
            line.flights(number, self.now, out);
        }
    }

    fn meters(&self) -> &Meters {
        &self.watch.measure.meters
    }

    fn strips(&self) -> &Strips {
        &self.watch.measure.strips
    }

    fn knows(&self, _probe: ProbeId) -> bool {
        true
    }

    fn needs(&self) -> [f64; 4] {
        needs(&self.setup)
    }

    fn role(&self, seat: usize) -> Option<Role> {
        Some(self.seats[seat].screen.client.role())
    }

    fn behind_ms(&self, seat: usize) -> Option<f64> {
        let own = self.seats[seat].clock.own(self.now);
        let showing = self.seats[seat].screen.client.showing(own)?;
        Some((self.present() - showing.others_at) * self.tick_ms())
    }

    fn ahead_ms(&self, seat: usize) -> Option<f64> {
        let mut drawn = Drawn::default();
        self.draw_of(seat, G::has_characters, &mut drawn);
        drawn
            .mine
            .map(|_| f64::from(self.ahead_of_server_ms(seat, drawn.own_at)))
    }

    fn lost_of_last_100(&self, seat: usize, side: Pair) -> u32 {
        self.line(seat, side).lost_of_last_100()
    }
}

impl<G: Scene> Lab for LabOf<G> {
    fn scene(&self) -> &'static str {
        G::NAME
    }

    fn setup(&self) -> &LabSetup {
        &self.setup
    }

    fn next_tick_at(&self) -> Micros {
        self.server.next_tick_at()
    }

    fn advance(&mut self, to: Micros) {
        self.run_to(to);
    }

    fn act(&mut self, action: Action) {
        self.act_on(action);
    }

    fn digest(&self) -> u64 {
        self.digest_all()
    }

    fn fork(&self) -> Box<dyn Lab> {
        Box::new(self.clone())
    }

    fn bytes(&self) -> usize {
        self.size()
    }

    fn changes(&self, action: &Action) -> bool {
        self.is_news(action)
    }

    fn inspect(&self, seat: usize, side: Pair, id: PacketId) -> Inspected {
        self.inspect_packet(seat, side, id)
    }

    fn measure_afresh(&mut self) {
        self.watch.measure.meters = Meters::new(self.now);
    }

    fn drain(&mut self) -> Vec<FeedLine> {
        self.watch.notes.drain().collect()
    }

    fn set_told(&mut self, told: bool) {
        self.watch.notes.mute(!told);
    }
}
