//! The way into a room, and a connection's place in it.

use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tracing::Span;

use super::code::{Code, Secret};
use super::playing::is_urgent;
use super::post::{Gone, Inbox, Out, Outbox, Said};
use super::words::{Answer, Word};
use super::{JoinError, RoomHandle};
use crate::metrics::Metrics;
use crate::session::{Shortcut, Transport};

/// Leave to enter a room once, as one player or watcher.
#[derive(Debug)]
pub struct Pass {
    pub(super) room: RoomHandle,
    pub(super) name: String,
    /// Who they are: whoever knows it is the same player.
    pub(super) secret: Secret,
    pub(super) watch: bool,
    /// They know the host's secret.
    pub(super) host: bool,
}

impl Pass {
    /// Enters. The hello must then be heard before `hello_by`.
    ///
    /// # Errors
    /// Why the room takes nobody, or not them.
    pub async fn enter(self, transport: Transport, hello_by: Instant) -> Result<Member, JoinError> {
        let (reply, entered) = oneshot::channel();
        let commands = self.room.0.commands.clone();
        let enter = Enter {
            pass: self,
            transport,
            hello_by,
            span: Span::current(),
            reply,
        };
        // A room that is gone takes nobody.
        commands.send(enter).await.map_err(|_| JoinError::NoRoom)?;
        entered.await.unwrap_or(Err(JoinError::NoRoom))
    }
}

/// Somebody at a room's door.
pub(super) struct Enter {
    pub pass: Pass,
    pub transport: Transport,
    pub hello_by: Instant,
    /// Where what happens to the session is logged.
    pub span: Span,
    pub reply: oneshot::Sender<Result<Member, JoinError>>,
}

/// A connection's place in a room. Dropping it is how the connection ends: the seat is kept for the player to come back,
/// unless a goodbye was said; after a panic it is free at once.
#[derive(Debug)]
pub struct Member {
    pub(super) code: Code,
    pub(super) watch: bool,
    pub(super) host: bool,
    pub(super) inbox: Arc<Inbox>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) metrics: Metrics,
}

impl Member {
    /// The room.
    pub fn room(&self) -> Code {
        self.code
    }

    /// Whether they watch.
    pub(crate) fn watches(&self) -> bool {
        self.watch
    }

    /// Whether they know the host's secret, or are host by being first.
    pub(crate) fn is_host(&self) -> bool {
        self.host
    }

    /// A netcode frame was heard.
    pub fn packet(&self, bytes: Bytes) {
        let urgent = is_urgent(&bytes);
        self.inbox.put(Said::Packet(bytes), urgent);
    }

    /// A word was heard.
    pub(crate) fn word(&self, word: Word) {
        self.inbox.put(Said::Word(word), true);
    }

    /// Answers a word that the room need not see. Where the answer finds no room, what is queued is more than one takes in.
    pub(crate) fn answer(&self, answer: &Answer<'_>) {
        if self.outbox.say(Out::Word(answer.text())).is_err() {
            self.misbehaved();
        }
    }

    /// The connection sent what is not allowed: the room says goodbye, and nobody is expected back.
    pub fn misbehaved(&self) {
        self.inbox.misbehaved();
    }

    /// From now on snapshots may pass the pump by.
    pub(crate) fn take_shortcut(&self, shortcut: Arc<dyn Shortcut>) {
        self.outbox.take_shortcut(shortcut);
    }

    /// The next thing to send; `None` once the room has said its last. Dropping the future loses nothing.
    pub async fn next(&self) -> Option<Out> {
        self.outbox.next().await
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        if thread::panicking() {
            self.metrics.panicked("session");
            self.inbox.end(Gone::Broken);
        } else {
            self.inbox.end(Gone::Lost);
        }
    }
}
