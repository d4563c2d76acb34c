//! Raw packets with their times, as a file.
//!
//! All numbers are little-endian. The file begins with
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `AFTIMREC` |
//! | 1 | version of this layout, 1 |
//! | 1 | 1: one who watches, 0: a player |
//! | 2 | ticks a second |
//! | 8 | seed of the world |
//! | 1 | length of the scene's name |
//! | … | the scene's name, UTF-8 |
//!
//! and goes on with entries to its end:
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | 0: a packet up, to the relay; 1: a packet down; 2: a session begins; 3: there was no more room |
//! | 8 | when, µs since the recording began |
//! | 2 | length of what follows |
//! | … | the packet as the carrier was given it or gave it; of a session one byte, 0 for a stream and 1 for datagrams |
//!
//! The first entry is a session. A recording that was begun in the middle of one lists its packets all the same, but a
//! snapshot that says only what changed cannot be read without those before it.

use netcode::Delivery;
use wire::Micros;

use super::OnlineSetup;

const MAGIC: &[u8; 8] = b"AFTIMREC";
const VERSION: u8 = 1;

/// The most bytes of a recording: six minutes and more of 64 packets a second each way. What comes after is not kept, since
/// nothing is worth much without the beginning.
const MOST: usize = 8 << 20;

/// Bytes before what an entry holds.
const HEAD: usize = 1 + 8 + 2;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A packet to the relay.
    Up = 0,
    /// A packet from the relay.
    Down = 1,
    /// A session begins.
    Session = 2,
    /// There was no more room.
    Full = 3,
}

impl What {
    fn of(code: u8) -> Option<Self> {
        [Self::Up, Self::Down, Self::Session, Self::Full]
            .into_iter()
            .find(|what| *what as u8 == code)
    }
}

/// Writes a recording.
#[derive(Debug)]
pub(super) struct Recorder {
    head: Vec<u8>,
    bytes: Vec<u8>,
    /// When it began; `None` while it does not record.
    since: Option<Micros>,
}

impl Recorder {
    pub(super) fn new(scene: &str, setup: &OnlineSetup) -> Self {
        let mut head = MAGIC.to_vec();
        head.extend_from_slice(&[VERSION, u8::from(setup.watch)]);
        head.extend_from_slice(&setup.world.rate_hz.to_le_bytes());
        head.extend_from_slice(&setup.world.seed.to_le_bytes());
        // Names of scenes are short words.
        head.push(scene.len() as u8);
        head.extend_from_slice(scene.as_bytes());
        Self {
            head,
            bytes: Vec::new(),
            since: None,
        }
    }

    /// Begins afresh.
    pub(super) fn start(&mut self, now: Micros, delivery: Delivery) {
        self.bytes.clone_from(&self.head);
        self.since = Some(now);
        self.session(now, delivery);
    }

    pub(super) fn stop(&mut self) {
        self.since = None;
    }

    pub(super) fn session(&mut self, now: Micros, delivery: Delivery) {
        self.packet(
            now,
            What::Session,
            &[u8::from(delivery == Delivery::Datagram)],
        );
    }

    pub(super) fn packet(&mut self, now: Micros, what: What, bytes: &[u8]) {
        let Some(since) = self.since else { return };
        // No carrier gives more than a length of two bytes can say.
        let bytes = &bytes[..bytes.len().min(usize::from(u16::MAX))];
        let full = self.bytes.len() + 2 * HEAD + bytes.len() > MOST;
        let (what, bytes) = if full {
            (What::Full, &[][..])
        } else {
            (what, bytes)
        };
        self.bytes.push(what as u8);
        self.bytes
            .extend_from_slice(&(now - since).get().to_le_bytes());
        self.bytes
            .extend_from_slice(&(bytes.len() as u16).to_le_bytes());
        self.bytes.extend_from_slice(bytes);
        if full {
            self.since = None;
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// One entry of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub what: What,
    /// When, since the recording began.
    pub at: Micros,
    /// The packet; of a session its carrier's byte.
    pub bytes: Vec<u8>,
}

/// A recording that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The scene's name.
    pub scene: String,
    /// How its world was made.
    pub world: scenes::Setup,
    /// Whether it is of one who watched.
    pub watch: bool,
    /// What was recorded, in order.
    pub entries: Vec<Entry>,
}

/// Why a file is no recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    /// It begins otherwise.
    #[error("this is no recording: it does not begin with AFTIMREC")]
    Magic,
    /// Another layout.
    #[error("a recording of layout {0}; this reads layout 1")]
    Version(u8),
    /// It ends in the middle.
    #[error("the recording ends in the middle, after {0} entries")]
    Short(usize),
    /// An entry of a kind that there is not.
    #[error("entry {at} is of kind {code}, which there is not")]
    What {
        /// Which one, from 0.
        at: usize,
        /// Its kind.
        code: u8,
    },
}

impl Recording {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordingError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(RecordingError::Magic)?;
        let short = RecordingError::Short(0);
        let [version, watch] = take(&mut rest).ok_or(short)?;
        if version != VERSION {
            return Err(RecordingError::Version(version));
        }
        let rate_hz = u16::from_le_bytes(take(&mut rest).ok_or(short)?);
        let seed = u64::from_le_bytes(take(&mut rest).ok_or(short)?);
        let [length] = take(&mut rest).ok_or(short)?;
        let (name, mut rest) = rest.split_at_checked(usize::from(length)).ok_or(short)?;
        let mut entries = Vec::new();
        while !rest.is_empty() {
            let at = entries.len();
            let short = RecordingError::Short(at);
            let [code] = take(&mut rest).ok_or(short)?;
            let what = What::of(code).ok_or(RecordingError::What { at, code })?;
            let micros = u64::from_le_bytes(take(&mut rest).ok_or(short)?);
            let length = u16::from_le_bytes(take(&mut rest).ok_or(short)?);
            let (bytes, after) = rest.split_at_checked(usize::from(length)).ok_or(short)?;
            rest = after;
            entries.push(Entry {
                what,
                at: Micros::new(micros),
                bytes: bytes.to_vec(),
            });
        }
        Ok(Self {
            scene: String::from_utf8_lossy(name).into_owned(),
            world: scenes::Setup {
                seed,
                rate_hz,
                ..scenes::Setup::default()
            },
            watch: watch == 1,
            entries,
        })
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*taken)
}

#[cfg(feature = "cli")]
mod replay;
#[cfg(feature = "cli")]
pub use replay::{Heard, replay};

#[cfg(test)]
mod tests {
    use super::*;

    fn recorder() -> Recorder {
        let world = scenes::Setup {
            seed: 9,
            rate_hz: 30,
            ..scenes::Setup::default()
        };
        Recorder::new("arena", &OnlineSetup::new(world, Delivery::Datagram))
    }

    #[test]
    fn what_is_recorded_can_be_read() {
        let mut recorder = recorder();
        recorder.packet(Micros::new(1), What::Up, b"not yet");
        recorder.start(Micros::new(100), Delivery::Datagram);
        recorder.packet(Micros::new(170), What::Up, b"hello");
        recorder.packet(Micros::new(180), What::Down, b"");
        recorder.stop();
        recorder.packet(Micros::new(190), What::Up, b"no more");
        let read = Recording::read(recorder.bytes()).unwrap();
        assert_eq!(
            (&*read.scene, read.world.rate_hz, read.world.seed),
            ("arena", 30, 9)
        );
        let entries: Vec<_> = read
            .entries
            .iter()
            .map(|entry| (entry.what, entry.at.get(), &entry.bytes[..]))
            .collect();
        assert_eq!(
            entries,
            [
                (What::Session, 0, &[1u8][..]),
                (What::Up, 70, b"hello"),
                (What::Down, 80, b""),
            ]
        );
    }

    #[test]
    fn memory_is_bounded_and_the_beginning_is_kept() {
        let mut recorder = recorder();
        recorder.start(Micros::ZERO, Delivery::Ordered);
        for _ in 0..20_000 {
            recorder.packet(Micros::ZERO, What::Down, &[7; 1_000]);
        }
        assert!(recorder.bytes().len() <= MOST);
        let read = Recording::read(recorder.bytes()).unwrap();
        let kinds: Vec<_> = read.entries.iter().map(|entry| entry.what).collect();
        assert_eq!((kinds[0], kinds[1]), (What::Session, What::Down));
        assert_eq!(kinds.iter().filter(|what| **what == What::Full).count(), 1);
        assert_eq!(kinds.last(), Some(&What::Full));
    }

    #[test]
    fn what_is_no_recording_is_said() {
        let mut recorder = recorder();
        recorder.start(Micros::ZERO, Delivery::Ordered);
        recorder.packet(Micros::ZERO, What::Up, b"abc");
        let whole = recorder.bytes().to_vec();
        assert_eq!(Recording::read(b"GIF89a"), Err(RecordingError::Magic));
        for cut in 8..whole.len() {
            match Recording::read(&whole[..cut]) {
                Err(RecordingError::Short(_)) => {}
                Ok(read) => assert!(read.entries.len() < 2, "{cut}"),
                other => panic!("{cut}: {other:?}"),
            }
        }
        let mut wrong = whole.clone();
        wrong[8] = 2;
        assert_eq!(Recording::read(&wrong), Err(RecordingError::Version(2)));
        let kind = whole.len() - 3 - HEAD;
        wrong = whole;
        wrong[kind] = 9;
        let error = RecordingError::What { at: 1, code: 9 };
        assert_eq!(Recording::read(&wrong), Err(error));
    }
}
