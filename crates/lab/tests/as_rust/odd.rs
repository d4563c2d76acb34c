// What is not said is as by default.
// Crates: afterimage-netcode, afterimage-netsim, afterimage-wire.

use netcode::interpolate::DelayPolicy;
use netcode::{ClientConfig, ServerConfig};
use netsim::{LinkConfig, Vary};
use wire::Micros;

/// The server.
pub fn server() -> ServerConfig {
    ServerConfig {
        // No shot reaches further back.
        rewind_cap: Micros::from_millis(500),
        ..ServerConfig::default()
    }
}

/// The client.
pub fn client() -> ClientConfig {
    ClientConfig {
        // Inputs that each packet carries until the server has them.
        redundancy: 3,
        // Ticks that input waits before it runs, on both ends.
        input_delay: 2,
        // How long the picture eases over a correction; zero snaps.
        smooth: Micros::ZERO,
        // How far in the past others are drawn.
        policy: DelayPolicy::Target { rate: 0.003 },
        // How long others go on past the newest sample.
        extrapolate: Micros::from_millis(50),
        ..ClientConfig::default()
    }
}

/// The link from the client to the server that this was tried on, for tests.
pub fn link_up() -> LinkConfig {
    LinkConfig {
        // One way.
        latency: Micros::new(12500),
        // Each packet takes up to this much longer.
        jitter: Micros::from_millis(50),
        // A share, 0 to 1.
        loss: 0.07,
        // Losses in a row, on average.
        burst: 3.0,
        // A share, 0 to 1.
        reorder: 0.03,
        // How the latency changes with time.
        vary: Vary::Wave {
            depth: Micros::from_millis(65),
            period: Micros::from_millis(7000),
        },
        // Both ways together.
        round_trip: Micros::new(532500),
        ..LinkConfig::default()
    }
}

/// The same from the server to the client.
pub fn link_down() -> LinkConfig {
    LinkConfig {
        // One way.
        latency: Micros::from_millis(520),
        // Each packet takes up to this much longer.
        jitter: Micros::from_millis(50),
        // A share, 0 to 1.
        loss: 0.07,
        // A share, 0 to 1.
        duplicate: 0.07,
        // Bytes a second.
        rate: 12000,
        // The longest that a packet waits for the rate.
        queue: Micros::from_millis(300),
        // How the latency changes with time.
        vary: Vary::Wave {
            depth: Micros::from_millis(65),
            period: Micros::from_millis(7000),
        },
        // Both ways together.
        round_trip: Micros::new(532500),
        ..LinkConfig::default()
    }
}
