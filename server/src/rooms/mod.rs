//! Rooms: which there are, who may enter, and what happens inside.

mod code;
mod connection;
mod member;
mod playing;
mod post;
mod room;
mod roster;
mod rounds;
mod state;
mod words;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scenes::Arena;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;
use tracing::Instrument as _;
use wire::Micros;

pub use code::{Code, NoCode, NoSecret, Secret};
pub use member::{Member, Pass};
pub use post::{Out, Outbox};
pub(crate) use words::{Answer, Word};

use crate::config::Settings;
use crate::metrics::Metrics;
use member::Enter;
use playing::{CHARACTERS, Making, Rules, SceneInfo};
use room::Room;

/// Every scene that a room can play.
const SCENES: &[SceneInfo] = &[SceneInfo::of::<Arena>()];
/// Seats of a room whose maker does not say how many.
const SEATS: u16 = 8;
/// Joins that were promised and not yet used, at most: each costs a hundred bytes and ends after some seconds.
const PROMISED: usize = 10_000;
/// People at one room's door.
const AT_THE_DOOR: usize = 64;

/// Why there is no place in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// No room has this code.
    #[error("There is no room with this code: it may have closed.")]
    NoRoom,
    /// There is no such scene.
    #[error("This relay has no such scene.")]
    NoScene,
    /// Every seat, or every place to watch from, is taken.
    #[error("The room is full.")]
    Full,
    /// The host put this player out.
    #[error("The host has removed you from this room.")]
    Kicked,
    /// The name cannot be shown.
    #[error("Choose a short name, of letters that everybody can see.")]
    Name,
    /// The token is not known: used, too old, or made up.
    #[error("This way in was used already or is too old. Join again.")]
    Token,
    /// Too many codes that do not exist were tried.
    #[error("Too many wrong codes were tried from here. Wait a minute.")]
    Guesses,
    /// Too many rooms: of all, or lately of one address.
    #[error("There are as many rooms as there may be. Join one, or try again in a minute.")]
    Rooms,
    /// The relay has more to do than it takes.
    #[error("The relay is full. Try again in a minute.")]
    Busy,
    /// The relay ends.
    #[error("The relay is restarting. Try again in a moment.")]
    Restarting,
    /// What was said cannot be read.
    #[error("The relay does not understand this.")]
    BadRequest,
    /// Nothing was said in time.
    #[error("The connection said nothing for too long.")]
    Silent,
}

impl JoinError {
    /// As answers and metrics call it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::NoRoom => "no_room",
            Self::NoScene => "no_scene",
            Self::Full => "full",
            Self::Kicked => "kicked",
            Self::Name => "name",
            Self::Token => "token",
            Self::Guesses => "guesses",
            Self::Rooms => "rooms",
            Self::Busy => "busy",
            Self::Restarting => "restarting",
            Self::BadRequest => "bad_request",
            Self::Silent => "silent",
        }
    }
}

/// What a room is to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Which scene; the first there is unless said.
    pub scene: Option<String>,
    /// Whether it is listed. Default: no.
    pub public: bool,
    /// Players at most.
    pub seats: Option<u16>,
    /// Characters that the relay drives.
    pub bots: Option<u16>,
}

/// How somebody wants to be in a room.
#[derive(Clone, Debug)]
pub struct Ask {
    /// What they are called, as it was said.
    pub name: String,
    /// Whether they only watch.
    pub watch: bool,
    /// What they were given when they were here before.
    pub resume: Option<Secret>,
    /// What the room's maker was given.
    pub host: Option<Secret>,
}

/// A way into a room, for one connection within a short time.
#[derive(Clone, Debug)]
pub struct Invitation {
    /// What the connection says first.
    pub token: Secret,
    /// What makes them the same player when they come again.
    pub resume: Secret,
    /// The scene.
    pub scene: &'static str,
    /// Ticks a second.
    pub rate: u16,
    /// Players at most.
    pub seats: u16,
    /// What a client makes the same world by.
    pub setup: Value,
}

/// A room in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// Its code.
    pub code: String,
    /// Its scene.
    pub scene: &'static str,
    /// Who plays.
    pub players: u16,
    /// Players at most.
    pub seats: u16,
    /// Who watches.
    pub watching: u16,
    /// Ticks a second.
    pub rate: u16,
    /// `playing` or `over`.
    pub phase: &'static str,
}

/// Every room, and every promise of a place in one. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Rooms(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: Arc<Settings>,
    metrics: Metrics,
    stopping: watch::Receiver<bool>,
    scenes: &'static [SceneInfo],
    rooms: Mutex<HashMap<Code, RoomHandle>>,
    promised: Mutex<HashMap<Secret, Promise>>,
}

#[derive(Debug)]
struct Promise {
    pass: Pass,
    until: Instant,
}

/// One room, from outside. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct RoomHandle(Arc<Shared>);

/// What a room shows to those outside.
#[derive(Debug)]
struct Shared {
    code: Code,
    scene: &'static str,
    rate: u16,
    seats: u16,
    watchers: u16,
    host: Secret,
    setup: Value,
    commands: mpsc::Sender<Enter>,
    /// Wakes the room.
    bell: Arc<Notify>,
    face: Mutex<Face>,
}

/// How a room stands, as far as the list and a join need to know.
#[derive(Debug, Default)]
struct Face {
    public: bool,
    /// Players who are here. Those who are away make room for a newcomer.
    present: u16,
    players: u16,
    watching: u16,
    over: bool,
    kicked: HashSet<Secret>,
    seated: HashSet<Secret>,
}

impl Rooms {
    /// None yet. When `stopping` turns true every room says goodbye and ends.
    pub(crate) fn new(
        settings: Arc<Settings>,
        metrics: Metrics,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        Self::playing(SCENES, settings, metrics, stopping)
    }

    fn playing(
        scenes: &'static [SceneInfo],
        settings: Arc<Settings>,
        metrics: Metrics,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        Self(Arc::new(Inner {
            settings,
            metrics,
            stopping,
            scenes,
            rooms: Mutex::default(),
            promised: Mutex::default(),
        }))
    }

    /// Makes a room: its code, and what its maker alone knows.
    ///
    /// # Errors
    /// [`JoinError::Restarting`], [`JoinError::NoScene`], [`JoinError::Rooms`].
    pub fn create(&self, wish: &Wish) -> Result<(Code, Secret), JoinError> {
        let handle = self.open(wish)?;
        Ok((handle.0.code, handle.0.host))
    }

    /// The rooms that may be listed, by their codes.
    pub fn list(&self) -> Vec<Listed> {
        let rooms = lock(&self.0.rooms);
        let mut list: Vec<_> = rooms.values().filter_map(RoomHandle::listed).collect();
        list.sort_by(|a, b| a.code.cmp(&b.code));
        list
    }

    /// How many rooms there are.
    pub fn len(&self) -> usize {
        lock(&self.0.rooms).len()
    }

    /// Whether there is no room.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Promises somebody a place in a room.
    ///
    /// # Errors
    /// Why there is none for them.
    pub fn join(&self, code: Code, ask: Ask) -> Result<Invitation, JoinError> {
        if *self.0.stopping.borrow() {
            return Err(JoinError::Restarting);
        }
        let room = lock(&self.0.rooms).get(&code).cloned();
        let room = room.ok_or(JoinError::NoRoom)?;
        let name = name(&ask.name, self.0.settings.limits.max_name).ok_or(JoinError::Name)?;
        let resume = ask.resume.unwrap_or_else(Secret::random);
        let shared = Arc::clone(&room.0);
        shared.admits(resume, ask.watch)?;
        let pass = Pass {
            name,
            secret: resume,
            watch: ask.watch,
            host: ask.host == Some(shared.host),
            room,
        };
        let token = self.promise(pass)?;
        Ok(Invitation {
            token,
            resume,
            scene: shared.scene,
            rate: shared.rate,
            seats: shared.seats,
            setup: shared.setup.clone(),
        })
    }

    /// Takes a promise up. A token is good once and for a short time.
    ///
    /// # Errors
    /// [`JoinError::Token`].
    pub fn redeem(&self, token: Secret) -> Result<Pass, JoinError> {
        let promise = lock(&self.0.promised).remove(&token);
        promise
            .filter(|promise| Instant::now() < promise.until)
            .map(|promise| promise.pass)
            .ok_or(JoinError::Token)
    }

    /// A place for somebody who cannot ask: in the fullest public room of the first scene with a free seat, and where
    /// there is none in a new one.
    ///
    /// # Errors
    /// As for [`create`](Self::create).
    pub fn quick(&self) -> Result<Pass, JoinError> {
        let scene = self.0.scenes[0].id;
        let free = |room: &&RoomHandle| {
            let face = lock(&room.0.face);
            room.0.scene == scene && face.public && face.present < room.0.seats
        };
        let fullest = lock(&self.0.rooms)
            .values()
            .filter(free)
            .max_by_key(|room| lock(&room.0.face).present)
            .cloned();
        let room = match fullest {
            Some(room) => room,
            None => self.open(&Wish {
                public: true,
                ..Wish::default()
            })?,
        };
        Ok(Pass {
            room,
            name: String::from("Native"),
            secret: Secret::random(),
            watch: false,
            host: false,
        })
    }

    fn promise(&self, pass: Pass) -> Result<Secret, JoinError> {
        let now = Instant::now();
        let mut promised = lock(&self.0.promised);
        if promised.len() >= promised.capacity().min(PROMISED) {
            // Before it grows: what was never taken up goes.
            promised.retain(|_, promise| now < promise.until);
        }
        if promised.len() >= PROMISED {
            return Err(JoinError::Busy);
        }
        let token = Secret::random();
        let until = now + self.0.settings.limits.token();
        promised.insert(token, Promise { pass, until });
        Ok(token)
    }

    fn open(&self, wish: &Wish) -> Result<RoomHandle, JoinError> {
        let Inner {
            settings, scenes, ..
        } = &*self.0;
        let wanted = wish.scene.as_deref().unwrap_or(scenes[0].id);
        let scene = scenes.iter().find(|scene| scene.id == wanted);
        let scene = scene.ok_or(JoinError::NoScene)?;
        let seats = wish.seats.unwrap_or(SEATS);
        let seats = seats.clamp(1, settings.limits.max_players.min(CHARACTERS));
        let bots = wish.bots.unwrap_or(settings.rooms.bots);
        let rules = Rules {
            bots: bots.min(CHARACTERS - seats),
            ..Rules::of_rate(settings.rooms.rate)
        };
        let making = Making {
            // As many bits as a number of JavaScript keeps.
            seed: u64::from_le_bytes(code::chance()) >> 11,
            rate: settings.rooms.rate,
            seats,
            resume: Micros::from_millis(u64::from(settings.rooms.resume) * 1_000),
        };
        let (commands, entering) = mpsc::channel(AT_THE_DOOR);
        let mut rooms = lock(&self.0.rooms);
        if *self.0.stopping.borrow() {
            return Err(JoinError::Restarting);
        }
        if rooms.len() >= settings.limits.max_rooms {
            return Err(JoinError::Rooms);
        }
        let code = std::iter::repeat_with(Code::random)
            .find(|code| !rooms.contains_key(code))
            .ok_or(JoinError::Rooms)?;
        let handle = RoomHandle(Arc::new(Shared {
            code,
            scene: scene.id,
            rate: making.rate,
            seats,
            watchers: settings.limits.max_watchers,
            host: Secret::random(),
            setup: (scene.setup)(&making),
            commands,
            bell: Arc::default(),
            face: Mutex::new(Face {
                public: wish.public,
                ..Face::default()
            }),
        }));
        rooms.insert(code, handle.clone());
        drop(rooms);
        let game = (scene.open)(&making, &rules);
        let room = Room::new(
            Arc::clone(&handle.0),
            Arc::clone(settings),
            self.0.metrics.clone(),
            game,
            rules,
        );
        self.look_after(code, room, entering);
        Ok(handle)
    }

    /// Runs a room, and forgets it when it ends, however it ends.
    fn look_after(&self, code: Code, room: Room, entering: mpsc::Receiver<Enter>) {
        let span = tracing::info_span!(parent: None, "room", room = %code);
        let playing = room.run(entering, self.0.stopping.clone());
        let playing = tokio::spawn(playing.instrument(span.clone()));
        let rooms = self.clone();
        tokio::spawn(async move {
            if playing.await.is_err() {
                // What the room itself catches does not come here.
                rooms.0.metrics.panicked("room");
            }
            lock(&rooms.0.rooms).remove(&code);
            span.in_scope(|| tracing::info!("closed"));
        });
    }
}

impl RoomHandle {
    fn listed(&self) -> Option<Listed> {
        let face = lock(&self.0.face);
        face.public.then(|| Listed {
            code: self.0.code.to_string(),
            scene: self.0.scene,
            players: face.players,
            seats: self.0.seats,
            watching: face.watching,
            rate: self.0.rate,
            phase: if face.over { "over" } else { "playing" },
        })
    }
}

impl Shared {
    /// Whether somebody may try; the room itself has the last word.
    fn admits(&self, secret: Secret, watch: bool) -> Result<(), JoinError> {
        let face = lock(&self.face);
        let full = if watch {
            face.watching >= self.watchers
        } else {
            face.present >= self.seats && !face.seated.contains(&secret)
        };
        match () {
            () if face.kicked.contains(&secret) => Err(JoinError::Kicked),
            () if full => Err(JoinError::Full),
            () => Ok(()),
        }
    }
}

/// A name as everybody may see it: trimmed, of 1 to `most` characters, none of which is invisible or turns the others
/// around.
fn name(said: &str, most: u16) -> Option<String> {
    let name = said.trim();
    let unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}')
            // Zero widths, directions, separators; what formats, and what overrides.
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            || matches!(c, '\u{fff0}'..='\u{ffff}' | '\u{e0000}'..='\u{e0fff}')
    };
    let length = name.chars().count();
    let fits = (1..=usize::from(most)).contains(&length) && !name.chars().any(unseen);
    fits.then(|| name.to_owned())
}

/// Nothing is done under these locks that could leave their content half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
