//! The frame that is measured: You's screen at a steady rate, held against the server.

use netcode::{Drawn, PeerId};
use scenes::Scene;
use wire::{ClassId, Micros};

use super::measure::Seen;
use super::mirror::is_watched;
use super::world::{LabOf, Watch};
use super::{YOU, setup};
use crate::params;
use crate::probe::{self, ProbeId};

impl<G: Scene> LabOf<G> {
    /// When the next frame is measured.
    pub(super) fn frame_at(&self) -> Micros {
        Micros::new(
            ((self.frames + 1) * 1_000_000).div_ceil(u64::from(self.setup.fps.clamp(1, 1_000))),
        )
    }

    /// Measures the frame that is due, if one is.
    pub(super) fn run_frame(&mut self) {
        if self.frame_at() > self.now {
            return;
        }
        self.frames += 1;
        self.take_totals();
        let corrected = self.take_corrections();
        let mut drawn = std::mem::take(&mut self.scratch);
        self.draw_of(YOU, G::has_characters, &mut drawn);
        let you = &self.seats[YOU];
        let clocks = you.screen.clocks(you.clock.own(self.now), self.tick_ms());
        if let Some(clocks) = &clocks {
            let extrapolates = self.setup.config.get(params::INTERP_EXTRAPOLATE) > 0.0;
            let notes = &mut self.watch.notes;
            notes.frame(self.now, clocks.starved, extrapolates);
        }
        let tick_ms = self.tick_ms();
        let seen = Seen {
            now: self.now,
            drawn: &drawn,
            clocks,
            past: &self.watch.truth,
            present: self.present(),
            tick_ms,
            needs_ms: setup::needs(&self.setup).iter().sum(),
            held_ms: self.setup.config.get(params::INPUT_DELAY) * tick_ms,
            corrected,
            predicted: self.seats[YOU].screen.predicted(&drawn),
        };
        self.watch.measure.frame(&seen);
        self.watch.measure.own(&seen);
        self.mirror(&mut drawn);
        self.scratch = drawn;
    }

    /// Measures what the screen holds, and where it has the crowd.
    fn mirror(&mut self, drawn: &mut Drawn) {
        let you = &self.seats[YOU];
        let client = &you.screen.client;
        let (shows, slots) = (client.config().shows, usize::from(G::SLOTS));
        let watched = |key, class| shows.simulates(G::SCHEMA, class) && is_watched(key, slots);
        client.drawn_of(you.clock.own(self.now), watched, drawn);
        let Watch {
            mirror, measure, ..
        } = &mut self.watch;
        mirror.frame(self.now, drawn, G::body);
        let newest = client.showing(you.clock.own(self.now));
        let compared = newest.and_then(|it| mirror.compare(it.newest, client.holds()));
        if let Some((phantom, missing)) = compared {
            let meters = &mut measure.meters;
            meters.sample(probe::MIRROR_PHANTOM, self.now, phantom as f64);
            meters.sample(probe::MIRROR_MISSING, self.now, missing as f64);
        }
    }

    /// Measures the corrections since the last frame; whether there were any.
    fn take_corrections(&mut self) -> bool {
        let counters = self.seats[YOU].screen.client.counters();
        let Watch { measure, notes, .. } = &mut self.watch;
        let (news, each) = measure.corrections(self.now, counters.corrections, counters.corrected);
        (0..news).for_each(|_| notes.corrected(self.now, each, G::UNIT));
        news > 0
    }

    fn take_totals(&mut self) {
        let seat = &self.seats[YOU];
        let client = seat.screen.client.counters();
        let peer = self
            .server
            .peer(PeerId(YOU as u32))
            .map(|peer| *peer.counters)
            .unwrap_or_default();
        let (up, down) = (seat.up.link.counters(), seat.down.link.counters());
        let totals: [(ProbeId, u64); 29] = [
            (probe::OWN_CORRECTIONS, client.corrections),
            (probe::OWN_ADJUSTMENTS, client.adjustments),
            (probe::OWN_REPLAYED, client.replayed),
            (probe::SIMULATED_TOLD, client.simulated_told),
            (probe::SIMULATED_CORRECTIONS, client.simulated_corrections),
            (probe::INPUT_LOST, peer.lost),
            (probe::INPUT_REPEATED, peer.repeated + peer.neutral),
            (probe::INPUT_SKIPPED, peer.skipped),
            (probe::INPUT_LATE, peer.late),
            (probe::BYTES_UP, client.bytes_up),
            (probe::BYTES_UP_INPUTS, client.up.inputs),
            (probe::BYTES_UP_HEADERS, client.up.headers),
            (probe::BYTES_UP_OTHER, client.up.other),
            (probe::BYTES_DOWN, peer.bytes_down),
            (probe::BYTES_DOWN_OWN, peer.down.own),
            (probe::BYTES_DOWN_OTHERS, peer.down.others),
            (probe::BYTES_DOWN_EVENTS, peer.down.events),
            (probe::BYTES_DOWN_SUMMARIES, peer.down.summaries),
            (probe::BYTES_DOWN_HEADERS, peer.down.headers),
            (probe::BYTES_DOWN_OTHER, peer.down.other),
            (probe::PACKETS_LOST, up.lost + down.lost),
            (probe::PACKETS_LATE, up.late + down.late),
            (probe::PACKETS_DOUBLED, up.doubled + down.doubled),
            (probe::PACKETS_UP_LOST, up.lost),
            (probe::PACKETS_UP_LATE, up.late),
            (probe::PACKETS_UP_DOUBLED, up.doubled),
            (probe::PACKETS_DOWN_LOST, down.lost),
            (probe::PACKETS_DOWN_LATE, down.late),
            (probe::PACKETS_DOWN_DOUBLED, down.doubled),
        ];
        self.watch.measure.totals(self.now, &totals);
    }

    /// What a seat's screen shows now.
    pub(crate) fn draw(&self, seat: usize, out: &mut Drawn) {
        self.draw_of(seat, |_| true, out);
    }

    /// The same of some classes alone.
    pub(super) fn draw_of(&self, seat: usize, wanted: impl Fn(ClassId) -> bool, out: &mut Drawn) {
        let seat = &self.seats[seat];
        seat.screen.draw_of(seat.clock.own(self.now), wanted, out);
    }

    /// Length of a tick, ms.
    pub(super) fn tick_ms(&self) -> f64 {
        1_000.0 / f64::from(setup::rate(&self.setup.config))
    }

    /// The server's present: its newest tick, and the part of the next that has gone.
    pub(super) fn present(&self) -> f64 {
        let left = (self.server.next_tick_at() - self.now).as_millis_f64() / self.tick_ms();
        self.server.tick().get() as f64 + (1.0 - left).clamp(0.0, 1.0)
    }
}
