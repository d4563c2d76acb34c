//! One carrier's session with the relay, from its first word to its end, whatever carries it.
//!
//! A carrier is a [`Source`] and a [`Sink`]: thin, and without a rule of its own. [`play`] is the rules: who they are, which
//! room, how much they may send, and what is given back when they are gone.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use netcode::Delivery;

use crate::limits::ConnectionPermit;

/// What carries a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Late but whole and in order.
    WebSocket,
    /// Datagrams, and one stream for what must not be lost.
    WebTransport,
    /// Datagrams and nothing else: no words.
    Udp,
}

impl Transport {
    /// All of them, in the order of [`Transport::index`].
    pub const ALL: [Self; 3] = [Self::WebSocket, Self::WebTransport, Self::Udp];

    /// As words and metrics call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WebSocket => "ws",
            Self::WebTransport => "wt",
            Self::Udp => "udp",
        }
    }

    /// Its place in [`Transport::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// What it does with frames.
    pub const fn delivery(self) -> Delivery {
        match self {
            Self::WebSocket => Delivery::Ordered,
            Self::WebTransport | Self::Udp => Delivery::Datagram,
        }
    }
}

/// What a carrier heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// JSON, as yet unread.
    Word(String),
    /// A netcode frame, as yet unread.
    Packet(Bytes),
}

/// Why a carrier carries no longer; each says what the peer did.
#[derive(Debug, thiserror::Error)]
pub enum CarrierError {
    /// It closed the carrier, or its machine did.
    #[error("the carrier was closed")]
    Closed,
    /// It sent more in one piece than is taken.
    #[error("a message of {bytes} bytes; at most {most} are taken")]
    TooLarge {
        /// How many came, as far as is known.
        bytes: usize,
        /// How many are taken.
        most: usize,
    },
    /// It sent what this carrier does not carry.
    #[error("not what this carrier carries: {what}")]
    Malformed {
        /// What was wrong.
        what: &'static str,
    },
    /// It said nothing, or took nothing, for too long.
    #[error("nothing came or went for {0:?}")]
    Silent(Duration),
    /// The system's word.
    #[error("the carrier failed: {0}")]
    Io(#[from] io::Error),
}

/// The half of a carrier that is heard.
pub trait Source: Send {
    /// What comes next. Dropping the future loses nothing: the next call goes on.
    fn next(&mut self) -> impl Future<Output = Result<Heard, CarrierError>> + Send;
}

/// The half of a carrier that is spoken to. A future that is dropped half-way may leave a piece of a message behind; after
/// that only [`close`](Self::close) is called.
pub trait Sink: Send {
    /// Says a word. A carrier without words says nothing and is content.
    fn word(&mut self, text: String) -> impl Future<Output = Result<(), CarrierError>> + Send;
    /// Sends a netcode frame; `keep`: it must not be lost.
    fn packet(
        &mut self,
        bytes: Bytes,
        keep: bool,
    ) -> impl Future<Output = Result<(), CarrierError>> + Send;
    /// Closes the carrier after what was said, within a second.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
}

/// Somebody whose carrier stands, and who has said nothing yet.
#[derive(Debug)]
pub struct Guest {
    /// Where they are, by whoever is trusted to say so.
    pub address: IpAddr,
    /// What carries them.
    pub transport: Transport,
    /// Their place among the relay's connections; given back when the session ends.
    pub permit: ConnectionPermit,
}
