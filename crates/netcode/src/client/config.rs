//! How a client is set up.

use wire::Micros;

use crate::interpolate::DelayPolicy;
use crate::output::Delivery;
use crate::shows::Shows;

/// The most ticks that own input may be held back.
pub const MAX_INPUT_DELAY: u8 = 10;

/// The set-up of a client. `rate_hz` and `delivery` hold for its life; the rest may be changed while it plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClientConfig {
    /// Ticks a second; must be the server's. Default 64.
    pub rate_hz: u16,
    /// What the carrier does with what it is given. Default [`Delivery::Datagram`].
    pub delivery: Delivery,
    /// How many of the newest unacknowledged commands each packet repeats, on a carrier that loses. Default 12.
    pub redundancy: usize,
    /// Whether each command is sent once and alone, in the frame of older clients, whatever the carrier. Default no.
    pub single_input: bool,
    /// Whether the clock bends to keep the server's queue at its target. Default yes.
    pub pacing: bool,
    /// Ticks that own input is held back before it runs, to spend less on prediction. Default 0, at most 10.
    pub input_delay: u8,
    /// Whether the own character moves at once, by the shared rules. Default yes; without, it moves when the server says.
    pub predict: bool,
    /// Whether the server's answer corrects a prediction. Default yes.
    pub reconcile: bool,
    /// How long the picture takes to ease over a correction; zero snaps. Default 1/6 s.
    pub smooth: Micros,
    /// Whether others are drawn between two samples. Default yes; without, they stand where they were last heard to be.
    pub interpolate: bool,
    /// How far in the past others are drawn.
    pub policy: DelayPolicy,
    /// How long others go on in a straight line past the newest sample. Default zero: they hold.
    pub extrapolate: Micros,
    /// How classes are shown; must be as the server has it. Default as each class says.
    pub shows: Shows,
    /// The most bytes a packet may have. Default [`wire::MAX_PACKET`].
    pub max_packet: usize,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            rate_hz: 64,
            delivery: Delivery::Datagram,
            redundancy: 12,
            single_input: false,
            pacing: true,
            input_delay: 0,
            predict: true,
            reconcile: true,
            smooth: Micros::new(166_667),
            interpolate: true,
            policy: DelayPolicy::Measured,
            extrapolate: Micros::ZERO,
            shows: Shows::default(),
            max_packet: wire::MAX_PACKET,
        }
    }
}

impl ClientConfig {
    /// The configuration with every figure inside its bounds.
    pub(crate) fn sane(self) -> Self {
        Self {
            rate_hz: self.rate_hz.clamp(1, wire::MAX_RATE),
            redundancy: self.redundancy.clamp(1, usize::from(wire::MAX_INPUTS)),
            input_delay: self.input_delay.min(MAX_INPUT_DELAY),
            max_packet: self.max_packet.clamp(256, wire::MAX_PACKET),
            ..self
        }
    }

    /// How far past the newest sample those go on who are dead-reckoned, ticks: a quarter of a second. A guess: longer than most
    /// are ever without news while they move, and short enough that nobody walks off.
    pub(crate) fn reckon_ticks(&self) -> f64 {
        f64::from(self.rate_hz) / 4.0
    }

    /// How far past the newest sample others may go on, ticks.
    pub(crate) fn extrapolate_ticks(&self) -> f64 {
        self.extrapolate.as_secs_f64() * f64::from(self.rate_hz)
    }
}
