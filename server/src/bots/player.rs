//! A bot: a real client whose hands are moved by [`Scene::think`], on what its own screen shows.

use std::sync::Arc;

use netcode::client::HeardEvent;
use netcode::session::Role;
use netcode::{Client, Drawn};
use scenes::{BotMemory, BotStyle, Rng, Scene};
use serde::Deserialize;
use tokio::sync::mpsc;
use wire::Micros;

use super::measure::{Measure, Seen, Span};
use crate::native::Hands;

/// Ticks from one decision of a bot to the next: at 64 Hz it looks at its screen 16 times a second, which is quicker than
/// people do. Between them it holds what it holds, and sends that with every tick like everybody.
const THINK: u16 = 4;

/// How often a client tells the relay what its link is like.
const TELL_EVERY: Micros = Micros::from_millis(1_000);

/// The words of the relay that a bot heeds.
#[derive(Deserialize)]
#[serde(tag = "t", rename_all = "lowercase")]
enum Word {
    Refused {
        error: String,
    },
    Room {
        #[serde(default)]
        settings: Settings,
    },
    #[serde(other)]
    Other,
}

#[derive(Default, Deserialize)]
struct Settings {
    #[serde(rename = "server.snapshots")]
    snapshots: Option<f64>,
}

/// A bot's hands and eyes.
pub(super) struct Player<G: Scene> {
    rng: Rng,
    memory: BotMemory,
    held: G::Input,
    drawn: Drawn,
    rate_hz: u16,
    /// Ticks until it decides again.
    decides_in: u16,
    measure: Measure,
    /// Told once that the player is in.
    arrived: Option<mpsc::UnboundedSender<bool>>,
    /// Snapshots that the room sends a second.
    snapshots_hz: f64,
    next_word: Micros,
    stalls: u64,
}

impl<G: Scene> Player<G> {
    /// A bot that measures in `span` and tells `arrived` when it plays.
    pub(super) fn new(
        rng: Rng,
        rate_hz: u16,
        span: Arc<Span>,
        arrived: mpsc::UnboundedSender<bool>,
    ) -> Self {
        Self {
            rng,
            memory: BotMemory::new(BotStyle::Duel, (rate_hz / THINK).max(1)),
            held: G::Input::default(),
            drawn: Drawn::default(),
            rate_hz,
            decides_in: 0,
            measure: Measure::new(span, rate_hz),
            arrived: Some(arrived),
            snapshots_hz: f64::from(rate_hz.min(64)),
            next_word: Micros::ZERO,
            stalls: 0,
        }
    }

    /// Whether it was ever in.
    pub(super) fn has_arrived(&self) -> bool {
        self.arrived.is_none()
    }

    /// What it saw, and how many snapshots a second it should have seen.
    pub(super) fn finish(self, client: &Client<G>, now: Micros) -> (Seen, f64) {
        (self.measure.finish(client, now), self.snapshots_hz)
    }
}

/// Whether a client was let in, to play or to watch.
fn is_in(role: Role) -> bool {
    matches!(role, Role::Playing | Role::Watching)
}

impl<G: Scene> Hands<G> for Player<G> {
    fn look(&mut self, client: &Client<G>, now: Micros) {
        self.measure.look(client, now);
        if is_in(client.role())
            && let Some(arrived) = self.arrived.take()
        {
            // Nobody waits any more: it came too late.
            let _ = arrived.send(true);
        }
    }

    fn decide(&mut self, client: &Client<G>, now: Micros) -> Option<G::Input> {
        self.measure.ticked(client.next_tick_at(), now);
        if self.decides_in > 0 {
            self.decides_in -= 1;
            return None;
        }
        self.decides_in = THINK - 1;
        client.drawn(now, &mut self.drawn);
        let me = self.drawn.mine.filter(|_| self.drawn.own().is_some())?;
        let Self { rng, memory, .. } = self;
        G::think(me, &self.drawn, rng, memory, &mut self.held);
        Some(self.held)
    }

    fn packet(&mut self, _client: &Client<G>, now: Micros, frame: &[u8]) {
        self.measure.packet(now, frame);
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        match serde_json::from_str(word) {
            Ok(Word::Refused { error }) => return Err(error),
            Ok(Word::Room { settings }) => {
                if let Some(snapshots_hz) = settings.snapshots {
                    let most = f64::from(self.rate_hz.min(64));
                    self.snapshots_hz = snapshots_hz.clamp(1.0, most);
                }
            }
            Ok(Word::Other) | Err(_) => {}
        }
        Ok(())
    }

    fn say(&mut self, client: &Client<G>, now: Micros) -> Option<String> {
        if !is_in(client.role()) || now < self.next_word {
            return None;
        }
        self.next_word = now + TELL_EVERY;
        self.stalls += u64::from(client.showing(now).is_some_and(|s| s.is_starved()));
        let counters = client.counters();
        let expected = counters.packets_heard + counters.packets_missed;
        let loss = 100.0 * counters.packets_missed as f64 / expected.max(1) as f64;
        let word = serde_json::json!({
            "t": "net",
            "ping": client.rtt().map(|rtt| rtt.as_millis_f64().round()),
            "loss": (loss * 10.0).round() / 10.0,
            "stalls": self.stalls,
        });
        Some(word.to_string())
    }

    fn event(&mut self, _event: &HeardEvent<G::Event>) {}
}
