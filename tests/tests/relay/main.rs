//! A whole relay, seen by strangers over real sockets: every limit and refusal, hostile bytes, crowds.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

mod crowd;
mod hello;
mod hostile;
mod limits;
mod pem;

use std::time::Duration;

use afterimage_tests::guest::{Carrier, Door, Said, Seen};
use serde_json::{Value, json};
use wire::Micros;

/// Longer than anything takes that is answered at once, on a machine that is busy with something else.
const SOON: Duration = Duration::from_secs(3);

/// A room of the arena as a test needs it, without bots.
async fn room(door: &Door, seats: u16) -> (String, String) {
    door.room(&json!({ "scene": "arena", "seats": seats, "bots": 0 }))
        .await
}

/// The word that uses a ticket.
fn join_word(token: &str) -> String {
    json!({ "t": "join", "token": token }).to_string()
}

/// The first word of this kind that the carrier says.
async fn word(carrier: &mut Carrier, kind: &str) -> Option<Value> {
    let wanted = |said: &Said| match said {
        Said::Word(word) if word["t"] == kind => Some(word.clone()),
        _ => None,
    };
    carrier.until(SOON, wanted).await
}

/// The first prefixed frame of this kind that the carrier says.
async fn opening(carrier: &mut Carrier, kind: u8) -> Option<Vec<u8>> {
    let wanted = |said: &Said| match said {
        Said::Frame(frame) if wire::is_prefixed(frame) && frame.get(3) == Some(&kind) => {
            Some(frame.clone())
        }
        _ => None,
    };
    carrier.until(SOON, wanted).await
}

/// The reason of the first goodbye within so long.
async fn goodbye(carrier: &mut Carrier, wait: Duration) -> Option<u8> {
    let wanted = |said: &Said| match said {
        Said::Frame(frame) if !wire::is_prefixed(frame) && frame.get(8) == Some(&0x14) => {
            frame.get(9).copied()
        }
        _ => None,
    };
    carrier.until(wait, wanted).await
}

/// Whether the carrier is closed within so long.
async fn closes(carrier: &mut Carrier, wait: Duration) -> bool {
    let closed = |said: &Said| matches!(said, Said::Closed(_)).then_some(());
    carrier.until(wait, closed).await.is_some()
}

/// Whoever plays honestly was served from `since` on: a room that was held up would have missed a good part of its
/// snapshots, or been still for as long as whatever held it up is waited for. A machine that is busy with something else
/// is late now and then, so the bounds are no tighter.
fn served(seen: &Seen, since: Micros) {
    let (share, gap) = seen.served(since, 64.0);
    println!(
        "{:.0} % of the snapshots, none for {gap:?} at worst",
        share * 100.0
    );
    assert!(share > 0.7, "{share} of the snapshots");
    assert!(gap < Micros::from_millis(2_000), "none for {gap:?}");
}
