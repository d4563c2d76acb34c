// What is not said is as by default.
// Crates: afterimage-netcode, afterimage-netsim, afterimage-wire.

use netcode::interpolate::DelayPolicy;
use netcode::{ClientConfig, ServerConfig};
use netsim::LinkConfig;
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
        // How far in the past others are drawn.
        policy: DelayPolicy::Fixed(Micros::from_millis(160)),
        ..ClientConfig::default()
    }
}

/// The link from the client to the server that this was tried on, for tests.
pub fn link_up() -> LinkConfig {
    LinkConfig {
        // One way.
        latency: Micros::from_millis(100),
        // Each packet takes up to this much longer.
        jitter: Micros::from_millis(20),
        // A share, 0 to 1.
        loss: 0.04,
        // Both ways together.
        round_trip: Micros::from_millis(200),
        ..LinkConfig::default()
    }
}

/// The same from the server to the client.
pub fn link_down() -> LinkConfig {
    LinkConfig {
        // One way.
        latency: Micros::from_millis(100),
        // Each packet takes up to this much longer.
        jitter: Micros::from_millis(20),
        // A share, 0 to 1.
        loss: 0.04,
        // Both ways together.
        round_trip: Micros::from_millis(200),
        ..LinkConfig::default()
    }
}
