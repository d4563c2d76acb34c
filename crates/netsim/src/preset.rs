//! Links with a name.

use wire::Micros;

use crate::{Carrier, LinkConfig};

/// A link that people recognise. The figures hold for each direction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Preset {
    /// What the command line and the address of a page call it.
    pub id: &'static str,
    /// What a reader sees.
    pub label: &'static str,
    /// One way, milliseconds.
    pub latency_ms: u32,
    /// Uniform from 0 to this, milliseconds.
    pub jitter_ms: u32,
    /// Percent of packets.
    pub loss_percent: f64,
    /// Losses in a row, on average; 1 is what chance makes.
    pub burst: u32,
    /// 1000 bytes a second that fit through; 0 is no cap.
    pub rate_kb: u32,
    /// The longest wait for the rate, milliseconds.
    pub queue_ms: u32,
    /// Where the figures are from.
    pub source: &'static str,
}

impl Preset {
    /// The preset with this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.id == id)
    }

    /// The settings of one direction; no reordering beyond what the jitter does, no copies, and the same at all times.
    pub fn config(&self, carrier: Carrier) -> LinkConfig {
        LinkConfig {
            latency: Micros::from_millis(u64::from(self.latency_ms)),
            jitter: Micros::from_millis(u64::from(self.jitter_ms)),
            loss: self.loss_percent / 100.0,
            burst: f64::from(self.burst),
            rate: self.rate_kb * 1_000,
            queue: Micros::from_millis(u64::from(self.queue_ms)),
            carrier,
            ..LinkConfig::default()
        }
    }
}

/// The queue before a rate where nothing else is said: a fifth of a second, which is what a home router keeps when nobody has
/// looked at it. A guess.
const QUEUE_MS: u32 = 200;

/// From the best link to the worst, and then those of one kind of trouble.
pub const PRESETS: &[Preset] = &[
    preset("lan", "LAN", 1, 0, 0.0, OWN),
    preset(
        "fibre",
        "Fibre",
        10,
        1,
        0.0,
        "Unity Multiplayer Tools, Network Simulator: HomeOptical",
    ),
    preset(
        "cable",
        "Cable",
        25,
        5,
        0.0,
        "Unity Multiplayer Tools, Network Simulator: HomeCable",
    ),
    preset(
        "dsl",
        "DSL",
        30,
        10,
        0.0,
        "Unity Multiplayer Tools, Network Simulator: HomeDSL",
    ),
    preset("satellite", "Satellite", 100, 10, 0.0, SATELLITE),
    preset("congested", "Congested home", 50, 50, 1.0, CONGESTED),
    preset(
        "5g",
        "5G",
        30,
        20,
        4.0,
        "Unity Multiplayer Tools, Network Simulator: Mobile5G",
    ),
    preset(
        "4g",
        "4G",
        100,
        20,
        4.0,
        "Unity Multiplayer Tools, Network Simulator: Mobile4G",
    ),
    preset(
        "3g",
        "3G",
        360,
        30,
        7.0,
        "Unity Multiplayer Tools, Network Simulator: Mobile3G",
    ),
    preset(
        "2g",
        "2G",
        520,
        50,
        7.0,
        "Unity Multiplayer Tools, Network Simulator: Mobile2G",
    ),
    preset("average", "Average", 30, 30, 1.0, AVERAGE),
    preset("bad", "Bad", 100, 100, 5.0, BAD),
    Preset {
        burst: 6,
        ..preset("wifi", "Wi-Fi bursts", 20, 10, 3.0, WIFI)
    },
    Preset {
        rate_kb: 8,
        queue_ms: 500,
        ..preset("bufferbloat", "Bufferbloat", 25, 5, 0.0, BLOAT)
    },
];

const OWN: &str = "a switched wire in one house; our own figure";
const SATELLITE: &str =
    "Unity Multiplayer Tools, Network Simulator: HomeSatellite (low Earth orbit)";
const CONGESTED: &str = "Unity Multiplayer Tools, Network Simulator: HomeCongestedNetwork";
const AVERAGE: &str = "30 to 60 ms one way and 1 %: latency is the low end, jitter reaches the high one; our own figure";
const BAD: &str = "100 to 200 ms one way and 5 %: latency is the low end, jitter reaches the high one; our own figure";
const WIFI: &str = "20 to 30 ms one way, as on the bursty link that the carriers were measured on; how much is lost, and how \
                    long at a time, are our own figures";
const BLOAT: &str = "Unity Multiplayer Tools, Network Simulator: HomeCable, with less left of it than a match sends; rate and \
                     queue are our own figures";

const fn preset(
    id: &'static str,
    label: &'static str,
    latency_ms: u32,
    jitter_ms: u32,
    loss_percent: f64,
    source: &'static str,
) -> Preset {
    Preset {
        id,
        label,
        latency_ms,
        jitter_ms,
        loss_percent,
        burst: 1,
        rate_kb: 0,
        queue_ms: QUEUE_MS,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_sources() {
        let table: Vec<_> = PRESETS
            .iter()
            .map(|p| (p.id, p.latency_ms, p.jitter_ms, p.loss_percent))
            .collect();
        assert_eq!(
            table,
            [
                ("lan", 1, 0, 0.0),
                ("fibre", 10, 1, 0.0),
                ("cable", 25, 5, 0.0),
                ("dsl", 30, 10, 0.0),
                ("satellite", 100, 10, 0.0),
                ("congested", 50, 50, 1.0),
                ("5g", 30, 20, 4.0),
                ("4g", 100, 20, 4.0),
                ("3g", 360, 30, 7.0),
                ("2g", 520, 50, 7.0),
                ("average", 30, 30, 1.0),
                ("bad", 100, 100, 5.0),
                ("wifi", 20, 10, 3.0),
                ("bufferbloat", 25, 5, 0.0),
            ]
        );
        assert!(
            PRESETS
                .iter()
                .all(|p| !p.label.is_empty() && !p.source.is_empty())
        );
    }

    #[test]
    fn a_preset_becomes_a_link() {
        let config = Preset::find("4g")
            .expect("it is in the table")
            .config(Carrier::Ordered);
        assert_eq!(config.latency, Micros::from_millis(100));
        assert_eq!(config.jitter, Micros::from_millis(20));
        assert_eq!(config.loss, 0.04);
        assert_eq!(config.carrier, Carrier::Ordered);
        assert_eq!((config.rate, config.burst), (0, 1.0));
        let bloat = Preset::find("bufferbloat").expect("it is in the table");
        let bloat = bloat.config(Carrier::Datagram);
        assert_eq!((bloat.rate, bloat.queue), (8_000, Micros::from_millis(500)));
        assert!(Preset::find("5G").is_none());
    }
}
