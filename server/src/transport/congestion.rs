//! How much a game may have under way.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use wtransport::quinn::congestion::{Controller, ControllerFactory};

/// Bytes that may be under way. A player who is sent 1024 bytes 64 times a second over a round trip of 200 ms has 13 KiB
/// under way, so this never holds a game back; what it bounds is the burst after a stall. A guess.
const WINDOW: u64 = 64 << 10;
/// Bytes that may be under way where nothing at all arrives any more: enough to find out whether something does again.
const LEAST: u64 = 4 * 1200;

/// A window that loss does not shrink.
///
/// A game sends what its tick makes, never all that fits, so a lost packet says nothing about how much it should send;
/// the controllers of bulk transfer halve their rate at every twentieth packet lost and let datagrams wait until they
/// are of no use. This one only yields while everything is lost, which is a link that is gone, until the first packet is
/// acknowledged again.
#[derive(Clone, Debug)]
pub struct FixedWindow {
    window: u64,
}

impl Default for FixedWindow {
    fn default() -> Self {
        Self { window: WINDOW }
    }
}

impl Controller for FixedWindow {
    fn on_end_acks(
        &mut self,
        _now: Instant,
        _in_flight: u64,
        _app_limited: bool,
        _largest_packet_num_acked: Option<u64>,
    ) {
        self.window = WINDOW;
    }

    fn on_congestion_event(
        &mut self,
        _now: Instant,
        _sent: Instant,
        is_persistent_congestion: bool,
        _lost_bytes: u64,
    ) {
        if is_persistent_congestion {
            self.window = LEAST;
        }
    }

    fn on_mtu_update(&mut self, _new_mtu: u16) {}

    fn window(&self) -> u64 {
        self.window
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        WINDOW
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Makes a [`FixedWindow`] for each connection.
#[derive(Clone, Copy, Default, Debug)]
pub struct FixedWindows;

impl ControllerFactory for FixedWindows {
    fn build(self: Arc<Self>, _now: Instant, _current_mtu: u16) -> Box<dyn Controller> {
        Box::new(FixedWindow::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_costs_nothing_a_dead_link_everything_and_the_first_acknowledgement_brings_it_back() {
        let now = Instant::now();
        let mut window = FixedWindow::default();
        for _ in 0..1000 {
            window.on_congestion_event(now, now, false, 1200);
        }
        assert_eq!(window.window(), WINDOW);
        window.on_congestion_event(now, now, true, 12_000);
        assert_eq!(window.window(), LEAST);
        window.on_end_acks(now, 0, false, Some(1));
        assert_eq!(window.window(), WINDOW);
    }
}
