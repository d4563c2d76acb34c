//! One connection as its room sees it, and the room's time.

use std::sync::Arc;
use std::time::Duration;

use netcode::PeerId;
use netcode::session::LINGER;
use tokio::time::Instant;
use tracing::Span;
use wire::Micros;

use super::code::Secret;
use super::post::{Inbox, Outbox};
use crate::limits::Bucket;
use crate::session::Transport;

/// One connection in the room: a player's, a watcher's, or one that has not said hello.
pub(super) struct Connection {
    /// Never used twice, so whatever an old connection's end still does, it does to itself.
    pub id: PeerId,
    pub secret: Secret,
    pub name: String,
    pub watch: bool,
    /// They know the host's secret.
    pub host: bool,
    pub transport: Transport,
    pub inbox: Arc<Inbox>,
    pub outbox: Arc<Outbox>,
    pub hello_by: Instant,
    /// The session's, for the log.
    pub span: Span,
    pub stage: Stage,
    pub faults: Bucket,
    /// Snapshots in a row that nobody took.
    pub stuck: u32,
}

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Its hello is awaited.
    New,
    /// It plays for this player.
    Playing(u16),
    Watching,
    /// It has had its goodbye, and its outbox closes at this time.
    Leaving(Micros),
    /// Its outbox is closed.
    Left,
    /// The carrier is gone.
    Gone,
}

impl Stage {
    /// Whether it had its goodbye.
    pub(super) fn is_over(self) -> bool {
        matches!(self, Self::Leaving(_) | Self::Left | Self::Gone)
    }
}

impl Connection {
    /// It has had its goodbye.
    pub(super) fn leave(&mut self, now: Micros) {
        let lossy = self.transport == Transport::Udp;
        self.stage = Stage::Leaving(if lossy { now + LINGER } else { now });
    }

    /// Closes the outbox once the goodbye had its time.
    pub(super) fn close_in_time(&mut self, now: Micros) {
        if matches!(self.stage, Stage::Leaving(until) if until <= now) {
            self.outbox.close();
            self.stage = Stage::Left;
        }
    }
}

/// The room's time, which stands still while the room sleeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    start: Instant,
    asleep: Option<Instant>,
}

impl Clock {
    /// It begins asleep, at zero.
    pub(super) fn new() -> Self {
        let start = Instant::now();
        Self {
            start,
            asleep: Some(start),
        }
    }

    /// What it shows.
    pub(super) fn now(&self) -> Micros {
        let until = self.asleep.unwrap_or_else(Instant::now);
        let gone = until.saturating_duration_since(self.start);
        // Enough for 585,000 years.
        Micros::new(gone.as_micros() as u64)
    }

    /// When it will show this, if it stays awake.
    pub(super) fn instant(&self, at: Micros) -> Instant {
        self.start + Duration::from_micros(at.get())
    }

    /// Since when it sleeps.
    pub(super) fn asleep(&self) -> Option<Instant> {
        self.asleep
    }

    /// Stops.
    pub(super) fn sleep(&mut self) {
        self.asleep.get_or_insert_with(Instant::now);
    }

    /// Goes on from where it stopped.
    pub(super) fn wake(&mut self) {
        if let Some(since) = self.asleep.take() {
            self.start += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_clock_stands_still_while_the_room_sleeps() {
        let second = Duration::from_secs(1);
        let mut clock = Clock::new();
        tokio::time::sleep(second).await;
        assert_eq!(clock.now(), Micros::ZERO);
        clock.wake();
        tokio::time::sleep(second).await;
        clock.sleep();
        tokio::time::sleep(second).await;
        clock.sleep();
        tokio::time::sleep(second).await;
        assert_eq!(clock.now(), Micros::from_millis(1_000));
        clock.wake();
        assert_eq!(clock.now(), Micros::from_millis(1_000));
        assert_eq!(clock.instant(clock.now()), Instant::now());
    }
}
