//! What the experiments share: how a lab is set up, and a walk that any tick can be asked for.

use netcode::{Drawn, PeerCounters, PeerId};
use scenes::{Arena, BotStyle, Pad, Scene};

use crate::lab::{Driver, LabOf, LabSetup};
use crate::params::{self, Config, ParamId};

/// One direction's latency, jitter (ms) and loss (percent).
#[derive(Clone, Copy, Debug)]
pub(super) struct Weather {
    pub latency: f64,
    pub jitter: f64,
    pub loss: f64,
}

impl Weather {
    /// So many ms, evenly, and nothing lost.
    pub(super) const fn calm(latency: f64) -> Self {
        Self::uneven(latency, 0.0)
    }

    /// So many ms and up to so many more, and nothing lost.
    pub(super) const fn uneven(latency: f64, jitter: f64) -> Self {
        Self {
            latency,
            jitter,
            loss: 0.0,
        }
    }
}

/// The defaults, with the same weather both ways and some parameters set.
pub(super) fn config(weather: Weather, set: &[(ParamId, f64)]) -> Config {
    let Weather {
        latency,
        jitter,
        loss,
    } = weather;
    let link = [
        (params::LINK_UP_LATENCY, latency),
        (params::LINK_DOWN_LATENCY, latency),
        (params::LINK_UP_JITTER, jitter),
        (params::LINK_DOWN_JITTER, jitter),
        (params::LINK_UP_LOSS, loss),
        (params::LINK_DOWN_LOSS, loss),
    ];
    let mut config = Config::default();
    for &(id, value) in link.iter().chain(set) {
        config
            .set(id, value)
            .expect("an experiment sets what can be set");
    }
    config
}

/// A lab in which You walks a script and the other player stands still; nobody is hurt.
pub(super) fn alone(seed: u64, config: Config, driver: Driver) -> LabSetup {
    LabSetup {
        harmless: true,
        drivers: [driver, Driver::Bot(BotStyle::Still)],
        ..LabSetup::new(seed, config)
    }
}

/// Where the own character is drawn, m.
pub(super) fn own_place(drawn: &Drawn) -> Option<[f32; 2]> {
    let (body, values) = drawn.iter().find(|(body, _)| body.mine)?;
    Arena::body(body.class, values).map(|body| body.place)
}

/// A pad that walks straight to a place and stops there.
pub(super) fn walk_to(drawn: &Drawn, to: [f32; 2]) -> Pad {
    let Some(at) = own_place(drawn) else {
        return Pad::default();
    };
    let push = |axis: usize| ((to[axis] - at[axis]) * 2.0).clamp(-1.0, 1.0);
    Pad {
        x: push(0),
        y: push(1),
        ..Pad::default()
    }
}

/// A number from 0 up to 1 that looks like chance and depends on `n` alone, so that a script needs no memory.
pub(super) fn hashed(n: u64) -> f32 {
    let mut z = n.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z >> 40) as f32 / (1u32 << 24) as f32
}

/// What the server counted of a seat.
pub(super) fn peer(lab: &LabOf<Arena>, seat: usize) -> PeerCounters {
    lab.server()
        .peer(PeerId(seat as u32))
        .map(|peer| *peer.counters)
        .unwrap_or_default()
}

/// A percentage.
pub(super) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return f64::NAN;
    }
    part as f64 * 100.0 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::hashed;

    #[test]
    fn the_hash_spreads() {
        let mean = (0..1_000).map(hashed).sum::<f32>() / 1_000.0;
        assert!((0.47..0.53).contains(&mean), "{mean}");
        assert!((0..1_000).all(|n| (0.0..1.0).contains(&hashed(n))));
    }
}
