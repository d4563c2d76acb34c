//! Parameters as the machines take them.

use std::sync::Arc;

use netcode::client::ClientConfig;
use netcode::interpolate::DelayPolicy;
use netcode::replicate::Recovery;
use netcode::{Delivery, ServerConfig, Shows};
use netsim::{Carrier, LinkConfig, Preset, Trace, Vary};
use scenes::BotStyle;
use wire::{ClassId, Micros, Shown};

use super::drive::Driver;
use crate::params::{self, Config, Pair, ParamId};

/// How a lab is set up. Equal set-ups make equal labs.
#[derive(Clone, Debug)]
pub struct LabSetup {
    /// Where all chance comes from: the world, the bots, the links.
    pub seed: u64,
    /// Every parameter.
    pub config: Config,
    /// What `link.vary=trace` plays on both directions of You's link; without one it does nothing.
    pub trace: Option<Arc<Trace>>,
    /// Frames a second at which You's screen is measured, 1 to 1000; drawing changes nothing but the measurement.
    pub fps: u32,
    /// Whether hits neither hurt nor push; see [`scenes::Setup::harmless`].
    pub harmless: bool,
    /// Who drives You and the other player.
    pub drivers: [Driver; 2],
    /// Where the counters begin.
    pub first: First,
}

/// Where the counters of a match begin; tests begin near the wraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First {
    /// The tick before the server's first.
    pub tick: u64,
    /// The sequence of the first packets, and the number of the first event.
    pub seq: u16,
    /// The number of the first player.
    pub player: u16,
}

impl Default for First {
    fn default() -> Self {
        Self {
            tick: 0,
            seq: 1,
            player: 1,
        }
    }
}

impl LabSetup {
    /// A lab that bots play.
    pub fn new(seed: u64, config: Config) -> Self {
        let bot = Driver::Bot(BotStyle::Duel);
        Self {
            seed,
            config,
            trace: None,
            fps: 60,
            harmless: false,
            drivers: [bot; 2],
            first: First::default(),
        }
    }

    /// What the scene is told.
    pub(crate) fn scene(&self) -> scenes::Setup {
        scenes::Setup {
            seed: self.seed,
            rate_hz: rate(&self.config),
            harmless: self.harmless,
            hears: self
                .config
                .on(params::INTEREST_ON)
                .then(|| self.config.get(params::INTEREST_RADIUS) as u16),
            horde: scenes::horde::Options {
                enemies: self.config.get(params::HORDE_ENEMIES) as u16,
            },
            black_holes: self.black_holes(),
        }
    }

    fn black_holes(&self) -> scenes::black_holes::Options {
        use scenes::black_holes::{Mode, Options, Order};

        let get = |id| self.config.get(id);
        let mode = get(params::HOLES_MODE);
        Options {
            holes: get(params::HOLES_COUNT) as u16,
            pellets: get(params::HOLES_PELLETS) as u16,
            mode: if mode == params::AGGREGATED {
                let theta = (get(params::HOLES_THETA) * 100.0 + 0.5) as u16;
                Mode::Aggregated { theta }
            } else if mode == params::CULLED {
                Mode::Culled
            } else {
                Mode::Full
            },
            corrections: get(params::HOLES_CORRECTIONS) as u16,
            order: if get(params::HOLES_ORDER) == params::WORST_FIRST {
                Order::WorstFirst
            } else {
                Order::RoundRobin
            },
        }
    }

    /// How many characters the server drives itself.
    pub(crate) fn bots(&self) -> usize {
        let ids = [params::BOTS, params::HORDE_PLAYERS];
        let own = ids.into_iter().find(|id| self.config.has(*id).is_ok());
        own.map_or(0, |id| self.config.get(id) as usize)
    }
}

/// Ticks a second.
pub(crate) fn rate(config: &Config) -> u16 {
    config.get(params::SERVER_TICK) as u16
}

fn micros(ms: f64) -> Micros {
    Micros::new((ms * 1_000.0 + 0.5) as u64)
}

/// How You's carrier delivers.
pub(crate) fn delivery(config: &Config) -> Delivery {
    match carrier(config) {
        Carrier::Ordered => Delivery::Ordered,
        Carrier::Datagram => Delivery::Datagram,
    }
}

fn carrier(config: &Config) -> Carrier {
    if config.get(params::LINK_CARRIER) == params::DATAGRAM {
        Carrier::Datagram
    } else {
        Carrier::Ordered
    }
}

/// One direction of You's link.
pub(crate) fn link(config: &Config, direction: Pair) -> LinkConfig {
    let [
        latency,
        jitter,
        loss,
        burst,
        rate,
        queue,
        reorder,
        duplicate,
    ] = params::way(direction).map(|id| config.get(id));
    LinkConfig {
        latency: micros(latency),
        jitter: micros(jitter),
        loss: loss / 100.0,
        burst,
        rate: rate as u32 * 1_000,
        // Nothing waits where there is no rate to wait for.
        queue: micros(if rate > 0.0 { queue } else { 0.0 }),
        reorder: reorder / 100.0,
        duplicate: duplicate / 100.0,
        vary: vary(config),
        carrier: carrier(config),
        round_trip: micros(
            config.get(params::LINK_UP_LATENCY) + config.get(params::LINK_DOWN_LATENCY),
        ),
    }
}

/// How You's link changes with time, both ways.
fn vary(config: &Config) -> Vary {
    let depth = micros(config.get(params::LINK_VARY_DEPTH));
    let period = micros(config.get(params::LINK_VARY_PERIOD) * 1_000.0);
    match config.get(params::LINK_VARY) {
        params::WAVE => Vary::Wave { depth, period },
        params::RAMP => Vary::Ramp { depth, period },
        params::TRACE => Vary::Trace,
        _ => Vary::Still,
    }
}

/// The other player's link, either direction: decent and fixed, so that what You's does stands out.
pub(crate) fn other_link() -> LinkConfig {
    Preset::find("cable").map_or_else(LinkConfig::default, |preset| {
        preset.config(Carrier::Datagram)
    })
}

/// What the server is told.
pub(crate) fn server(setup: &LabSetup) -> ServerConfig {
    let (config, plain) = (&setup.config, ServerConfig::default());
    ServerConfig {
        rate_hz: rate(config),
        snapshots_hz: config.get(params::SERVER_SNAPSHOTS) as u16,
        rewind: config.on(params::REWIND_ON),
        rewind_cap: micros(config.get(params::REWIND_CAP)),
        first_tick: wire::Tick::new(setup.first.tick),
        first_seq: setup.first.seq,
        first_player: setup.first.player,
        shows: shows(config),
        max_players: most_players(config),
        recovery: match config.get(params::REPLICATE_RECOVERY) {
            params::NAIVE => Recovery::Naive,
            params::ACKNOWLEDGED => Recovery::Acknowledged,
            _ => Recovery::Prompt,
        },
        ..plain
    }
}

/// How many players the scene has room for.
fn most_players(config: &Config) -> u16 {
    let plain = ServerConfig::default().max_players;
    crate::scenes::named(config.scene()).map_or(plain, |scene| scene.players)
}

/// What You's client is told.
pub(crate) fn client(config: &Config) -> ClientConfig {
    let plain = ClientConfig::default();
    ClientConfig {
        rate_hz: rate(config),
        delivery: delivery(config),
        redundancy: config.get(params::INPUT_REDUNDANCY) as usize,
        pacing: config.on(params::INPUT_PACING),
        input_delay: config.get(params::INPUT_DELAY) as u8,
        predict: config.on(params::PREDICT_ON),
        reconcile: config.on(params::PREDICT_RECONCILE),
        smooth: if config.on(params::PREDICT_SMOOTH) {
            plain.smooth
        } else {
            Micros::ZERO
        },
        interpolate: config.on(params::INTERP_ON),
        policy: policy(config),
        extrapolate: micros(config.get(params::INTERP_EXTRAPOLATE)),
        shows: shows(config),
        ..plain
    }
}

/// What the other player's client is told: everything on, and the delay that its link needs.
pub(crate) fn other_client(config: &Config) -> ClientConfig {
    ClientConfig {
        rate_hz: rate(config),
        shows: shows(config),
        ..ClientConfig::default()
    }
}

/// How the classes of the scene are shown, where a parameter `show.CLASS` says: at every end alike.
fn shows(config: &Config) -> Shows {
    let mut shows = Shows::default();
    let Ok(scene) = crate::scenes::named(config.scene()) else {
        return shows;
    };
    for (id, class) in (0..).map(ClassId).zip(scene.schema.classes) {
        let param = ParamId::all().find(|id| {
            let name = id.param().id.strip_prefix("show.");
            name == Some(class.name) && id.param().is_of(scene.id)
        });
        let Some(param) = param else { continue };
        let shown = match param.param().text(config.get(param)).as_str() {
            "simulated" => Shown::Simulated,
            "dead-reckoned" => Shown::DeadReckoned,
            _ => Shown::Interpolated,
        };
        if shown != class.shown {
            shows = shows.with(id, shown);
        }
    }
    shows
}

fn policy(config: &Config) -> DelayPolicy {
    match config.get(params::INTERP_POLICY) {
        params::FIXED => DelayPolicy::Fixed(micros(config.get(params::INTERP_DELAY))),
        params::TWO_SNAPSHOTS => DelayPolicy::TwoSnapshots,
        params::TARGET => DelayPolicy::Target {
            rate: config.get(params::INTERP_TARGET) / 100.0,
        },
        _ => DelayPolicy::Measured,
    }
}

/// The parts of the delay that a link without losses needs: one way, the most jitter, the most that a variation adds, the
/// longest time between two snapshots; ms. On a jittering link a client that knows all this only by measuring it is wrong by
/// a few milliseconds.
pub fn needs(setup: &LabSetup) -> [f64; 4] {
    let config = &setup.config;
    let most = f64::from(netcode::clock::SendClock::MOST);
    let tick = config.get(params::SERVER_TICK);
    let hz = config.get(params::SERVER_SNAPSHOTS).min(tick).min(most);
    // Snapshots go with ticks: 20 of 64 a second are three ticks apart, and four now and then.
    let interval = (tick / hz).ceil() / tick * 1_000.0;
    let variation = match vary(config) {
        Vary::Still => 0.0,
        Vary::Wave { depth, .. } | Vary::Ramp { depth, .. } => depth.as_millis_f64(),
        Vary::Trace => setup
            .trace
            .as_ref()
            .map_or(0.0, |trace| trace.slowest().as_millis_f64()),
    };
    [
        config.get(params::LINK_DOWN_LATENCY),
        config.get(params::LINK_DOWN_JITTER),
        variation,
        interval,
    ]
}
