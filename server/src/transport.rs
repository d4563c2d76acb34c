//! What carries a session: thin pumps, each a [`Source`](crate::session::Source) and a
//! [`Sink`](crate::session::Sink) for [`play`](crate::session::play), without a rule of the game in them.

pub mod congestion;
pub mod stream;

/// Bytes that a message of a client may have on WebSocket and on the stream of a WebTransport session: a hello with its
/// schema in words fits four times.
pub const MESSAGE: usize = 4096;
