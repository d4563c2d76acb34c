//! An online client's screen at an instant, as the instruments take it.

use netcode::client::Showing;
use netcode::{Client, Drawn, Role};
use scenes::Scene;
use wire::{ClassId, Micros, SlotKey, Tick};

use crate::lab::measure::{Clocks, Seen};
use crate::lab::screen::Screen;
use crate::lab::truth::{Past, WIDEST};

/// How much later than a tick what is told of it may still change, ticks: an eighth of a second at 64 Hz. A guess; more than
/// a reordered packet is late by, and less than the samples that a client holds.
const SETTLED: u64 = 8;

/// Whether a match is on: what was told of one that is over is no news of anything.
pub(super) fn is_on<G: Scene>(client: &Client<G>) -> bool {
    matches!(client.role(), Role::Playing | Role::Watching)
}

/// A screen with its clocks at an instant.
pub(super) struct Glance<'a, G: Scene> {
    now: Micros,
    pub clocks: Clocks,
    needs_ms: f64,
    tick_ms: f64,
    past: Told<'a, G>,
}

impl<'a, G: Scene> Glance<'a, G> {
    pub(super) fn of(now: Micros, screen: &'a Screen<G>) -> Option<Self> {
        let tick_ms = tick_ms(screen.client.config().rate_hz);
        let showing = screen.client.showing(now)?;
        if !is_on(&screen.client) {
            return None;
        }
        Some(Self {
            now,
            clocks: screen.clocks(now, tick_ms)?,
            needs_ms: needs(&showing).iter().sum(),
            tick_ms,
            past: Told {
                client: &screen.client,
                newest: showing.newest,
            },
        })
    }

    pub(super) fn seen<'b>(&'b self, drawn: &'b Drawn, screen: &Screen<G>) -> Seen<'b> {
        let config = screen.client.config();
        Seen {
            now: self.now,
            drawn,
            clocks: Some(self.clocks),
            past: &self.past,
            present: self.clocks.present,
            tick_ms: self.tick_ms,
            needs_ms: self.needs_ms,
            held_ms: f64::from(config.input_delay) * self.tick_ms,
            corrected: false,
            predicted: screen.predicted(drawn),
        }
    }
}

/// What the snapshots told of the others.
pub(super) struct Told<'a, G: Scene> {
    pub client: &'a Client<G>,
    pub newest: Tick,
}

impl<G: Scene> Past for Told<'_, G> {
    fn present(&self) -> Option<Tick> {
        None
    }

    fn newest(&self) -> Tick {
        self.newest - SETTLED
    }

    fn at(&self, at: f64, key: SlotKey, out: &mut [f32; WIDEST]) -> Option<ClassId> {
        self.client.told(key, at, out)
    }
}

/// The parts of the delay that a link needs as its client measures it; ms.
pub(super) fn needs(showing: &Showing) -> [f64; 4] {
    let ms = Micros::as_millis_f64;
    [
        ms(showing.one_way),
        ms(showing.jitter * 2),
        0.0,
        ms(showing.interval),
    ]
}

/// How old a snapshot is that comes now: what the way takes, and how much later it comes than the mean.
pub(super) fn age_ms(showing: &Showing, tick: Tick, tick_ms: f64) -> f32 {
    let late = showing.front - tick.get() as f64;
    (showing.one_way.as_millis_f64() + late * tick_ms).max(0.0) as f32
}

/// Length of a tick, ms.
pub(super) fn tick_ms(rate_hz: u16) -> f64 {
    1_000.0 / f64::from(rate_hz.max(1))
}
