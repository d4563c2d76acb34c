//! How a server is set up.

use wire::{Micros, Tick};

use crate::clock::{MAX_TICKS, SendClock};
use crate::replicate::Recovery;
use crate::shows::Shows;

/// The set-up of a server. `rate_hz` and the firsts hold for its life, the rest may be changed while it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServerConfig {
    /// Ticks a second, 1 to [`wire::MAX_RATE`]. Default 64.
    pub rate_hz: u16,
    /// Snapshots a second to each player, at most the tick rate and [`SendClock::MOST`]. Default 64.
    pub snapshots_hz: u16,
    /// Whether shots are judged against the past that the shooter saw. Default yes.
    pub rewind: bool,
    /// How far back a shot may reach, beside the 64 ticks that are kept. Default 1 s.
    pub rewind_cap: Micros,
    /// The most bytes a packet may have. Default [`wire::MAX_PACKET`]. A tick with more to tell takes several packets, up to
    /// [`MOST_PACKETS`](crate::replicate::MOST_PACKETS).
    pub max_packet: usize,
    /// The most bytes a second that a player is sent, 0 for no limit, which is the default. Where it is tight, fewer entities are
    /// told in a snapshot, those who have waited longest first, and then fewer snapshots.
    pub budget: u32,
    /// How often a second a player is told anew what sums up what they do not hear of, 1 to the snapshot rate. Default 8.
    pub summaries_hz: u16,
    /// When what is not confirmed is said again. Default [`Recovery::Prompt`].
    pub recovery: Recovery,
    /// How classes are shown; clients must be set up alike. Default as each class says.
    pub shows: Shows,
    /// How many players it takes, characters driven by this process included. Default 32.
    pub max_players: u16,
    /// How long a seat is kept for a player whose carrier is gone, or who was not heard for long. Default 60 s.
    pub resume: Micros,
    /// Ticks that one call of [`Server::advance`](super::Server::advance) runs at most, 1 to [`MAX_TICKS`], which is the default;
    /// what is due beyond them slips.
    pub catch_up: u32,
    /// The number before its first tick. Default 0; tests begin near a wrap.
    pub first_tick: Tick,
    /// The sequence of the first packet in each direction. Default 1; tests begin near a wrap.
    pub first_seq: u16,
    /// The number of its first player, 1 or more. Default 1; tests begin near the wrap.
    pub first_player: u16,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            rate_hz: 64,
            snapshots_hz: 64,
            rewind: true,
            rewind_cap: Micros::from_millis(1000),
            max_packet: wire::MAX_PACKET,
            budget: 0,
            summaries_hz: 8,
            recovery: Recovery::default(),
            shows: Shows::default(),
            max_players: 32,
            resume: Micros::from_millis(60_000),
            catch_up: MAX_TICKS,
            first_tick: Tick::new(0),
            first_seq: 1,
            first_player: 1,
        }
    }
}

impl ServerConfig {
    /// The configuration with every figure inside its bounds.
    pub(crate) fn sane(self) -> Self {
        let rate_hz = self.rate_hz.clamp(1, wire::MAX_RATE);
        let snapshots_hz = self.snapshots_hz.clamp(1, rate_hz.min(SendClock::MOST));
        Self {
            rate_hz,
            snapshots_hz,
            summaries_hz: self.summaries_hz.clamp(1, snapshots_hz),
            catch_up: self.catch_up.clamp(1, MAX_TICKS),
            max_packet: self.max_packet.clamp(256, wire::MAX_PACKET),
            first_player: self.first_player.max(1),
            ..self
        }
    }
}
