//! What waits between a room and a connection. Both ways are bounded, and neither end ever waits for the other's socket.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;
use wire::Tick;

use super::words::Word;
use crate::session::{Shortcut, Tried};

/// What a client said, on its way to the room.
#[derive(Debug)]
pub(super) enum Said {
    Packet(Bytes),
    Word(Word),
}

/// Packets of one client that may wait for its room. A second of the quickest sender, so that a room that was held up
/// loses none; past it they are dropped, as a network drops.
const WAITING: usize = 256;

/// From one connection to its room.
#[derive(Debug)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    room: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Waiting {
    said: VecDeque<Said>,
    gone: Option<Gone>,
    misbehaved: bool,
    dropped: u64,
}

/// What else an inbox tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// It sent what is not allowed.
    pub misbehaved: bool,
    /// How it ended, if it has.
    pub gone: Option<Gone>,
    /// What was dropped since it was last asked.
    pub dropped: u64,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gone {
    /// By itself: the player may be back.
    Lost,
    /// Our own fault: what was at work for it is in pieces.
    Broken,
}

impl Inbox {
    pub(super) fn new(room: Arc<Notify>) -> Self {
        Self {
            waiting: Mutex::default(),
            room,
        }
    }

    /// Puts something in. `urgent`: it cannot wait for the next tick.
    pub(super) fn put(&self, said: Said, urgent: bool) {
        let mut waiting = lock(&self.waiting);
        if waiting.said.len() >= WAITING {
            waiting.dropped += 1;
            return;
        }
        waiting.said.push_back(said);
        // What a stream held back comes all at once, and is taken before it is too much.
        let filling = waiting.said.len() == WAITING / 2;
        drop(waiting);
        if urgent || filling {
            self.room.notify_one();
        }
    }

    /// The connection sent what is not allowed, and is still there to be told so.
    pub(super) fn misbehaved(&self) {
        lock(&self.waiting).misbehaved = true;
        self.room.notify_one();
    }

    /// The connection is over.
    pub(super) fn end(&self, gone: Gone) {
        lock(&self.waiting).gone = Some(gone);
        self.room.notify_one();
    }

    /// Moves what waits into `said`, and tells the rest.
    pub(super) fn take(&self, said: &mut VecDeque<Said>) -> Taken {
        let mut waiting = lock(&self.waiting);
        said.append(&mut waiting.said);
        Taken {
            misbehaved: waiting.misbehaved,
            gone: waiting.gone,
            dropped: std::mem::take(&mut waiting.dropped),
        }
    }
}

/// What a connection is to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Out {
    /// A word.
    Word(String),
    /// A netcode frame.
    Packet {
        /// Its bytes.
        bytes: Bytes,
        /// It must not be lost.
        keep: bool,
    },
    /// Nothing new, but what went by the shortcut is not wholly out.
    Flush,
}

impl Out {
    fn len(&self) -> usize {
        match self {
            Self::Word(text) => text.len(),
            Self::Packet { bytes, .. } => bytes.len(),
            Self::Flush => 0,
        }
    }
}

/// From a room to one connection: a bounded queue for what must be said, and one place each for the newest snapshot and
/// the newest state of the room, where a newer one takes the place of one that is still there.
///
/// A snapshot that finds nothing before it and a carrier that takes it at once does not wait here at all.
#[derive(Debug)]
pub struct Outbox {
    going: Mutex<Going>,
    most: usize,
    pump: Notify,
}

#[derive(Default)]
struct Going {
    queue: VecDeque<Out>,
    queued: usize,
    state: Option<String>,
    /// A snapshot's packets: a tick that is too large for one is several.
    snapshot: VecDeque<Bytes>,
    of: Tick,
    closed: bool,
    shortcut: Option<Arc<dyn Shortcut>>,
    /// The pump has sent all that it took, and waits.
    idle: bool,
    /// The shortcut has begun what the pump has to end.
    begun: bool,
}

impl fmt::Debug for Going {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Going")
            .field("queue", &self.queue)
            .field("snapshot", &self.snapshot)
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

/// What became of a snapshot's packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Put {
    /// It went by the shortcut.
    Sent,
    /// It waits for the pump, in the place of so many that were never sent.
    Waits { replaced: u64 },
}

/// Whoever does not read what must be read has no place here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overflow;

impl Outbox {
    pub(super) fn new(most: usize) -> Self {
        Self {
            going: Mutex::default(),
            most,
            pump: Notify::new(),
        }
    }

    /// The next thing to send; `None` once the room has closed it and everything is out. Dropping the future loses nothing.
    pub async fn next(&self) -> Option<Out> {
        loop {
            if let Some(out) = self.take() {
                return out;
            }
            self.pump.notified().await;
        }
    }

    fn take(&self) -> Option<Option<Out>> {
        let mut going = lock(&self.going);
        let taken = going.take();
        going.idle = taken.is_none();
        taken
    }

    /// From now on snapshots may take this way.
    pub(super) fn take_shortcut(&self, shortcut: Arc<dyn Shortcut>) {
        lock(&self.going).shortcut = Some(shortcut);
    }

    /// Queues what must be said.
    pub(super) fn say(&self, out: Out) -> Result<(), Overflow> {
        let mut going = lock(&self.going);
        if going.closed {
            return Ok(());
        }
        if going.queued + out.len() > self.most {
            return Err(Overflow);
        }
        going.queued += out.len();
        going.queue.push_back(out);
        self.pump.notify_one();
        Ok(())
    }

    /// The room as it is now, in the place of how it was.
    pub(super) fn show(&self, state: String) {
        let mut going = lock(&self.going);
        if !going.closed {
            going.state = Some(state);
            self.pump.notify_one();
        }
    }

    /// A packet of the snapshot of a tick, by the shortcut or else in the place of an older tick's.
    pub(super) fn snapshot(&self, of: Tick, bytes: Bytes) -> Put {
        let mut going = lock(&self.going);
        match going.try_shortcut(&bytes) {
            Tried::Sent => return Put::Sent,
            Tried::Begun => {
                going.begun = true;
                going.idle = false;
                self.pump.notify_one();
                return Put::Sent;
            }
            Tried::Not => {}
        }
        let mut replaced = 0;
        if going.of != of {
            replaced = going.snapshot.len() as u64;
            going.snapshot.clear();
            going.of = of;
        }
        if !going.closed {
            going.snapshot.push_back(bytes);
            self.pump.notify_one();
        }
        Put::Waits { replaced }
    }

    /// Whether no snapshot waits.
    pub(super) fn is_free(&self) -> bool {
        lock(&self.going).snapshot.is_empty()
    }

    /// Nothing more is put in; what is queued still goes out.
    pub(super) fn close(&self) {
        lock(&self.going).closed = true;
        self.pump.notify_one();
    }
}

impl Going {
    fn take(&mut self) -> Option<Option<Out>> {
        if std::mem::take(&mut self.begun) {
            return Some(Some(Out::Flush));
        }
        if let Some(out) = self.queue.pop_front() {
            self.queued -= out.len();
            return Some(Some(out));
        }
        if self.closed {
            return Some(None);
        }
        if let Some(state) = self.state.take() {
            return Some(Some(Out::Word(state)));
        }
        let bytes = self.snapshot.pop_front()?;
        Some(Some(Out::Packet { bytes, keep: false }))
    }

    fn try_shortcut(&self, bytes: &Bytes) -> Tried {
        let waits = !self.queue.is_empty() || self.state.is_some() || !self.snapshot.is_empty();
        match &self.shortcut {
            Some(shortcut) if self.idle && !self.closed && !waits => shortcut.try_packet(bytes),
            _ => Tried::Not,
        }
    }
}

/// Nothing is done under these locks that could leave their content half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(text: &'static str) -> Bytes {
        Bytes::from_static(text.as_bytes())
    }

    fn taken(outbox: &Outbox) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(Some(out)) = outbox.take() {
            all.push(match out {
                Out::Word(text) => text,
                Out::Packet { bytes, .. } => String::from_utf8_lossy(&bytes).into_owned(),
                Out::Flush => "flush".into(),
            });
        }
        all
    }

    #[test]
    fn a_newer_snapshot_takes_the_place_of_one_that_was_not_sent() {
        let outbox = Outbox::new(100);
        let put = |tick, text| outbox.snapshot(Tick::new(tick), packet(text));
        assert_eq!(put(1, "1a"), Put::Waits { replaced: 0 });
        assert_eq!(put(1, "1b"), Put::Waits { replaced: 0 });
        assert_eq!(put(2, "2"), Put::Waits { replaced: 2 });
        outbox.show("old".into());
        outbox.show("new".into());
        outbox.say(Out::Word("word".into())).unwrap();
        assert_eq!(taken(&outbox), ["word", "new", "2"]);
    }

    /// A carrier that answers as the test wants.
    struct Fake {
        tried: Mutex<Tried>,
        sent: Mutex<Vec<Bytes>>,
    }

    impl Shortcut for Fake {
        fn try_packet(&self, frame: &Bytes) -> Tried {
            let tried = *lock(&self.tried);
            if tried != Tried::Not {
                lock(&self.sent).push(frame.clone());
            }
            tried
        }
    }

    #[test]
    fn a_snapshot_passes_a_pump_that_waits_and_overtakes_nothing() {
        let outbox = Outbox::new(100);
        let carrier = Arc::new(Fake {
            tried: Mutex::new(Tried::Sent),
            sent: Mutex::default(),
        });
        outbox.take_shortcut(carrier.clone());
        let put = |tick, text| outbox.snapshot(Tick::new(tick), packet(text));
        assert_eq!(put(1, "1"), Put::Waits { replaced: 0 }, "no pump yet");
        assert_eq!(taken(&outbox), ["1"]);
        assert_eq!(put(2, "2"), Put::Sent);
        outbox.say(Out::Word("word".into())).unwrap();
        assert_eq!(put(3, "3"), Put::Waits { replaced: 0 }, "behind a word");
        assert!(outbox.take().is_some(), "the pump sends the word");
        assert_eq!(put(4, "4"), Put::Waits { replaced: 1 }, "meanwhile");
        assert_eq!(taken(&outbox), ["4"]);
        *lock(&carrier.tried) = Tried::Begun;
        assert_eq!(put(5, "5"), Put::Sent);
        assert_eq!(put(6, "6"), Put::Waits { replaced: 0 }, "half is out");
        assert_eq!(taken(&outbox), ["flush", "6"]);
        *lock(&carrier.tried) = Tried::Not;
        assert_eq!(put(7, "7a"), Put::Waits { replaced: 0 });
        *lock(&carrier.tried) = Tried::Sent;
        assert_eq!(put(7, "7b"), Put::Waits { replaced: 0 }, "in their order");
        assert_eq!(taken(&outbox), ["7a", "7b"]);
        assert_eq!(*lock(&carrier.sent), [packet("2"), packet("5")]);
        outbox.close();
        assert_eq!(put(8, "8"), Put::Waits { replaced: 0 }, "closed");
        assert_eq!(outbox.take(), Some(None));
    }

    #[test]
    fn what_must_be_said_is_bounded_in_bytes() {
        let outbox = Outbox::new(10);
        for _ in 0..2 {
            outbox.say(Out::Word("12345".into())).unwrap();
        }
        assert_eq!(outbox.say(Out::Word("6".into())), Err(Overflow));
        assert_eq!(taken(&outbox).len(), 2);
        outbox.say(Out::Word("1234567890".into())).unwrap();
    }

    #[tokio::test]
    async fn what_is_queued_still_goes_out_of_a_closed_outbox() {
        let outbox = Outbox::new(100);
        outbox.say(Out::Word("goodbye".into())).unwrap();
        outbox.snapshot(Tick::new(1), packet("1"));
        outbox.close();
        outbox.say(Out::Word("late".into())).unwrap();
        assert_eq!(outbox.next().await, Some(Out::Word("goodbye".into())));
        assert_eq!(outbox.next().await, None);
        assert_eq!(outbox.next().await, None);
    }

    #[test]
    fn an_inbox_that_is_full_drops_and_counts() {
        let inbox = Inbox::new(Arc::default());
        for _ in 0..WAITING + 3 {
            inbox.put(Said::Packet(packet("x")), false);
        }
        let mut said = VecDeque::new();
        assert_eq!(inbox.take(&mut said).dropped, 3);
        assert_eq!(said.len(), WAITING);
        inbox.misbehaved();
        inbox.end(Gone::Lost);
        let taken = inbox.take(&mut said);
        assert!(taken.misbehaved && taken.gone == Some(Gone::Lost) && taken.dropped == 0);
    }
}
