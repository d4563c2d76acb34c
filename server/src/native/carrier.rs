//! What carries a native client's frames.

use netcode::Delivery;
use wire::{Header, Kind, Reader, is_prefixed};

use super::udp::Udp;
use super::ws::Ws;
use super::wt::Wt;
use crate::session::{CarrierError, Heard};

/// One carrier's session with a relay.
pub trait Carrier: Send {
    /// What it does with what it is given.
    fn delivery(&self) -> Delivery;

    /// The most bytes that a frame may have.
    fn max_packet(&self) -> usize;

    /// The next that the relay says. May be dropped while it waits, and nothing is lost.
    fn next(&mut self) -> impl Future<Output = Result<Heard, CarrierError>> + Send;

    /// Says a line of JSON. A carrier without words takes it and says nothing.
    fn word(&mut self, text: &str) -> impl Future<Output = Result<(), CarrierError>> + Send;

    /// Says a netcode frame.
    fn packet(&mut self, bytes: &[u8]) -> impl Future<Output = Result<(), CarrierError>> + Send;

    /// Ends it in order, within a second.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
}

/// Whether a frame must not be lost: what opens a session and what ends it.
pub fn must_arrive(frame: &[u8]) -> bool {
    if is_prefixed(frame) {
        return true;
    }
    let mut r = Reader::new(frame);
    Header::read(&mut r).is_ok() && Kind::peek(&r) == Ok(Kind::Goodbye)
}

/// Whichever carrier it is.
#[derive(Debug)]
pub enum AnyCarrier {
    /// A WebSocket.
    Ws(Box<Ws>),
    /// A WebTransport session.
    Wt(Box<Wt>),
    /// A UDP socket.
    Udp(Udp),
}

macro_rules! each {
    ($any:expr, $one:ident => $what:expr) => {
        match $any {
            AnyCarrier::Ws($one) => $what,
            AnyCarrier::Wt($one) => $what,
            AnyCarrier::Udp($one) => $what,
        }
    };
}

impl Carrier for AnyCarrier {
    fn delivery(&self) -> Delivery {
        each!(self, one => one.delivery())
    }

    fn max_packet(&self) -> usize {
        each!(self, one => one.max_packet())
    }

    async fn next(&mut self) -> Result<Heard, CarrierError> {
        each!(self, one => one.next().await)
    }

    async fn word(&mut self, text: &str) -> Result<(), CarrierError> {
        each!(self, one => one.word(text).await)
    }

    async fn packet(&mut self, bytes: &[u8]) -> Result<(), CarrierError> {
        each!(self, one => one.packet(bytes).await)
    }

    async fn close(&mut self) {
        each!(self, one => one.close().await);
    }
}
