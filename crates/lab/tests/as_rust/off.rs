// What is not said is as by default.
// Crates: afterimage-netcode, afterimage-netsim, afterimage-wire.

use netcode::interpolate::DelayPolicy;
use netcode::{ClientConfig, Delivery, ServerConfig};
use netsim::{Carrier, LinkConfig};
use wire::Micros;

/// The server.
pub fn server() -> ServerConfig {
    ServerConfig {
        // Ticks a second.
        rate_hz: 30,
        // Snapshots a second, at most one a tick.
        snapshots_hz: 20,
        // Shots are judged against the present.
        rewind: false,
        // No shot reaches further back.
        rewind_cap: Micros::from_millis(250),
        ..ServerConfig::default()
    }
}

/// The client.
pub fn client() -> ClientConfig {
    ClientConfig {
        // Ticks a second, as the server's.
        rate_hz: 30,
        // A stream: late but whole.
        delivery: Delivery::Ordered,
        // The clock does not bend to keep the server's queue at its target.
        pacing: false,
        // The own character moves when the server says.
        predict: false,
        // A prediction is never corrected.
        reconcile: false,
        // How long the picture eases over a correction; zero snaps.
        smooth: Micros::ZERO,
        // Others stand where they were last heard to be.
        interpolate: false,
        // How far in the past others are drawn.
        policy: DelayPolicy::Fixed(Micros::from_millis(160)),
        ..ClientConfig::default()
    }
}

/// The link from the client to the server that this was tried on, for tests.
pub fn link_up() -> LinkConfig {
    LinkConfig {
        // One way.
        latency: Micros::from_millis(1),
        // A stream: what is lost is sent again, and what follows waits.
        carrier: Carrier::Ordered,
        // Both ways together.
        round_trip: Micros::from_millis(2),
        ..LinkConfig::default()
    }
}

/// The same from the server to the client.
pub fn link_down() -> LinkConfig {
    LinkConfig {
        // One way.
        latency: Micros::from_millis(1),
        // A stream: what is lost is sent again, and what follows waits.
        carrier: Carrier::Ordered,
        // Both ways together.
        round_trip: Micros::from_millis(2),
        ..LinkConfig::default()
    }
}
