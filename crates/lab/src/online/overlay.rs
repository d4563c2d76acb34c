//! The simulated link laid over the real one.

use wire::{Kind, Micros, is_prefixed};

use crate::lab::line::{Came, Line, Loss};
use crate::lab::link;
use crate::params::{Config, Pair};

/// Two simulated ways between the client and its carrier. Where they do nothing, what is sent can be received at the same
/// instant.
#[derive(Clone, Debug)]
pub(super) struct Overlay {
    pub up: Line,
    pub down: Line,
}

impl Overlay {
    pub(super) fn new(seed: u64, config: &Config) -> Self {
        let line =
            |lane, way| Line::new(seed.wrapping_mul(2).wrapping_add(lane), link(config, way));
        Self {
            up: line(0, Pair::Up),
            down: line(1, Pair::Down),
        }
    }

    /// The settings have changed.
    pub(super) fn set(&mut self, now: Micros, config: &Config) {
        self.up.set(now, link(config, Pair::Up));
        self.down.set(now, link(config, Pair::Down));
    }

    /// When something that it holds is due.
    pub(super) fn next_at(&self) -> Micros {
        let next = |line: &Line| line.link.next_at().unwrap_or(Micros::MAX);
        next(&self.up).min(next(&self.down))
    }

    /// Takes a packet from the carrier; says so if it is lost.
    pub(super) fn hear(&mut self, now: Micros, packet: &[u8]) -> Option<Loss> {
        self.down.send(now, packet)
    }

    /// Hands out a packet for the client that is due.
    pub(super) fn heard(&mut self, now: Micros, out: &mut Vec<u8>) -> Option<Came> {
        self.down.receive(now, out)
    }
}

/// Whether a frame ends the session. It goes past the simulated link: whoever is gone cannot say it again.
pub(super) fn is_goodbye(frame: &[u8]) -> bool {
    // The kind follows the eight bytes of the packet header.
    !is_prefixed(frame) && frame.get(8) == Some(&Kind::Goodbye.code())
}

/// Whether a frame must not be lost: what joins and what leaves.
pub(super) fn keep(frame: &[u8]) -> bool {
    is_prefixed(frame) || is_goodbye(frame)
}
