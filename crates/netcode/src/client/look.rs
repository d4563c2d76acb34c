//! A client, to look at: everything that changes nothing, and the set-up.

use wire::{Micros, SlotKey, Tick};

use super::playing::Playing;
use super::{Client, ClientConfig, ClientCounters, HeardEvent, State};
use crate::digest::Digest;
use crate::game::Game;
use crate::session::{Holding, Role};

impl<G: Game> Client<G> {
    /// What it is.
    pub fn role(&self) -> Role {
        match &self.state {
            State::Offline { .. } => Role::Offline,
            State::Joining { .. } => Role::Joining,
            State::Playing(playing) if playing.me.is_none() => Role::Watching,
            State::Playing(_) => Role::Playing,
            State::Disconnected { why, .. } => Role::Disconnected(*why),
        }
    }

    /// Its own character.
    pub fn me(&self) -> Option<SlotKey> {
        match &self.state {
            State::Offline { me } => *me,
            State::Playing(playing) => playing.me,
            State::Disconnected { last, .. } => last.as_ref()?.me,
            State::Joining { .. } => None,
        }
    }

    pub(super) fn playing(&self) -> Option<&Playing<G>> {
        match &self.state {
            State::Playing(playing) => Some(playing),
            State::Disconnected { last, .. } => last.as_deref(),
            State::Offline { .. } | State::Joining { .. } => None,
        }
    }

    /// The session's token, which a carrier without sessions of its own (UDP) puts before every frame. 0 where there is none.
    pub fn token(&self) -> u64 {
        self.token
    }

    /// What this end holds, as one line for a log.
    pub fn describe(&self) -> Holding {
        Holding::of(&self.game, self.config.rate_hz)
    }

    /// The number of the newest tick that ran.
    pub fn tick(&self) -> Tick {
        self.tick
    }

    /// When its next tick is due; a joining or disconnected client has none, one who watches follows the others by it.
    pub fn next_tick_at(&self) -> Micros {
        match self.state {
            State::Offline { .. } | State::Playing(_) => self.clock.theirs(self.ticker.next_at()),
            State::Joining { .. } | State::Disconnected { .. } => Micros::MAX,
        }
    }

    /// The record of the own character as it was predicted for a tick, if that is still kept.
    pub fn predicted(&self, tick: Tick) -> Option<&[i32]> {
        self.playing()?.predicted(tick)
    }

    /// The newest of its ticks that the server is known to have stood for.
    pub fn judged(&self) -> Option<Tick> {
        self.playing()?.judged()
    }

    /// The round trip, once one was measured.
    pub fn rtt(&self) -> Option<Micros> {
        self.playing()?.rtt()
    }

    /// How far arrivals of snapshots stray from when they are due.
    pub fn jitter(&self) -> Option<Micros> {
        self.playing().map(|playing| playing.arrivals.jitter())
    }

    /// How much faster than the wall its clock runs: 0.95 to 1.05, and exactly 1 unless it is playing.
    pub fn bend(&self) -> f64 {
        match &self.state {
            State::Playing(playing) if self.config.pacing => playing.bend(),
            _ => 1.0,
        }
    }

    /// How deep the pacing means to keep the server's queue, commands.
    pub fn depth_target(&self) -> Option<f64> {
        self.playing()?.depth_target()
    }

    /// The configuration.
    pub fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// Changes what may be changed while it plays. The tick rate and the carrier stay.
    pub fn reconfigure(&mut self, config: ClientConfig) {
        let fixed = ClientConfig {
            rate_hz: self.config.rate_hz,
            delivery: self.config.delivery,
            ..config
        };
        let shows = self.config.shows;
        self.config = fixed.sane();
        if self.config.shows != shows
            && let State::Playing(playing) = &mut self.state
        {
            playing.show(&self.config.shows, &mut self.game);
        }
    }

    /// The game as this end has it: others as newest heard, the own character as predicted.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// What it did.
    pub fn counters(&self) -> &ClientCounters {
        &self.counters
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        let playing = match &self.state {
            State::Playing(playing) => Some(playing),
            State::Disconnected { last, .. } => last.as_ref(),
            State::Offline { .. } | State::Joining { .. } => None,
        };
        self.game.heap()
            + self.commands.heap()
            + self.events.len() * size_of::<HeardEvent<G::Event>>()
            + playing.map_or(0, |playing| size_of_val(&**playing) + playing.heap())
    }

    /// Folds in its clock, the game, what it counted and what it was told: what differs elsewhere shows there within a round trip.
    pub fn digest(&self, digest: &mut Digest) {
        digest.u64(self.tick.get());
        digest.u64(self.ticker.next_at().get());
        self.game.digest(digest);
        self.counters.digest(digest);
        if let Some(playing) = self.playing() {
            playing.digest(digest);
        }
    }
}
