//! What carries a session: thin pumps, each a [`Source`](crate::session::Source) and a
//! [`Sink`](crate::session::Sink) for [`play`](crate::session::play), without a rule of the game in them.

pub mod congestion;
pub mod datagrams;
pub mod socket;
pub mod stream;
pub mod udp;
pub mod ws;
pub mod wt;

use std::time::Duration;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

/// Bytes that a message of a client may have on WebSocket and on the stream of a WebTransport session: a hello with its
/// schema in words fits four times.
pub const MESSAGE: usize = 4096;

/// Bytes that a frame may have in a datagram, both ways: what every path and browser carries.
pub const DATAGRAM: usize = 1024;

/// How long the other end may take to hear our last words.
const CLOSE: Duration = Duration::from_secs(1);

/// A request that gets no carrier, in the words that every refusal over HTTP has.
fn refusal(status: StatusCode, error: &str, sentence: &str) -> Response {
    let body = serde_json::json!({ "error": error, "sentence": sentence }).to_string();
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
