//! A match of any scene, as its room sees it: what is sent, who fell, who is seated.

use netcode::session::Claim;
use netcode::{Delivery, Drawn, Fault, Output, PeerId, Server, ServerConfig, ServerCounters};
use scenes::{BotMemory, BotStyle, Rng, Scene, Setup};
use serde_json::{Value, json};
use wire::{Goodbye, Header, Kind, Micros, Reader, Refusal, SlotKey, Tick, is_prefixed};

/// Characters of a match, bots included: what the arena has room for, and what one datagram can tell of.
pub(super) const CHARACTERS: u16 = 32;

/// What the host of a room may set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rules {
    /// Snapshots a second to each player.
    pub snapshots: u16,
    /// Whether shots are judged against what their shooter saw.
    pub rewind: bool,
    /// How far back at most, ms.
    pub cap_ms: u16,
    /// Characters that the relay drives.
    pub bots: u16,
}

/// What a room is made of, beside its rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct Making {
    pub seed: u64,
    pub rate: u16,
    /// Players at most, bots not counted.
    pub seats: u16,
    /// How long the seat of a player who is away is kept.
    pub resume: Micros,
}

/// What a match wants done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Doing {
    /// The first `len` bytes of the buffer go to a peer.
    Send { to: PeerId, len: usize, lane: Lane },
    /// A character put another out of the game.
    Fell { by: SlotKey },
    /// Nothing before the next tick, unless something is heard.
    Wait,
}

/// How a frame travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// It must not be lost.
    Sure,
    /// It may be lost, and nothing replaces it.
    Loose,
    /// A newer one replaces it.
    Snapshot,
}

/// What a room looks at of one session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    pub player: Option<u16>,
    pub watching: bool,
    pub refused: Option<Refusal>,
    pub said_goodbye: bool,
    /// What the match said goodbye for, if it did.
    pub dismissed: Option<Goodbye>,
}

/// A match of any scene. Drain [`poll`](Self::poll) after every call that takes `now`.
pub(super) trait Playing: Send {
    fn connect(&mut self, now: Micros, id: PeerId, delivery: Delivery, claim: Claim);
    fn disconnect(&mut self, now: Micros, id: PeerId);
    fn suspend(&mut self, now: Micros, id: PeerId);
    fn dismiss(&mut self, id: PeerId, why: Goodbye);
    fn forget(&mut self, player: u16);
    fn is_suspended(&self, player: u16) -> bool;
    fn character(&self, player: u16) -> Option<SlotKey>;
    fn set_writable(&mut self, id: PeerId, writable: bool);
    fn handle(&mut self, now: Micros, id: PeerId, bytes: &[u8]) -> Result<(), Fault>;
    /// Lets the bots think, and runs the ticks that are due.
    fn advance(&mut self, now: Micros);
    fn poll(&mut self, buf: &mut [u8]) -> Doing;
    fn peer(&self, id: PeerId) -> Option<Standing>;
    fn tick(&self) -> Tick;
    fn next_tick_at(&self) -> Micros;
    fn counters(&self) -> ServerCounters;
    fn set_rules(&mut self, rules: &Rules);
    /// What both ends hold, for the log of a refusal: the match, and the hello of a peer.
    fn describe(&self, id: PeerId) -> (String, String);
}

/// What a scene's matches are made by, and by what a client makes the same world.
#[derive(Clone, Copy, Debug)]
pub(super) struct SceneInfo {
    pub id: &'static str,
    pub open: fn(&Making, &Rules) -> Box<dyn Playing>,
    pub setup: fn(&Making) -> Value,
}

impl SceneInfo {
    /// Of a scene.
    pub(super) const fn of<G: Scene + Send + 'static>() -> Self
    where
        G::Input: Send,
        G::Event: Send,
    {
        Self {
            id: G::NAME,
            open: |making, rules| Box::new(Match::<G>::new(making, rules)),
            setup: |making| json!({ "seed": making.seed, "harmless": false }),
        }
    }
}

struct Match<G: Scene> {
    server: Server<G>,
    bots: Vec<Bot<G>>,
    seats: u16,
    seed: u64,
    drawn: Drawn,
}

struct Bot<G: Scene> {
    key: SlotKey,
    rng: Rng,
    memory: BotMemory,
    held: G::Input,
}

impl<G: Scene> Match<G> {
    fn new(making: &Making, rules: &Rules) -> Self {
        let setup = Setup {
            seed: making.seed,
            rate_hz: making.rate,
            ..Setup::default()
        };
        let config = ServerConfig {
            rate_hz: making.rate,
            max_packet: wire::MAX_PACKET_WEBTRANSPORT,
            resume: making.resume,
            catch_up: CATCH_UP,
            ..ServerConfig::default()
        };
        let mut this = Self {
            server: Server::new(G::new(&setup), config, Micros::ZERO),
            bots: Vec::new(),
            seats: making.seats,
            seed: making.seed,
            drawn: Drawn::default(),
        };
        this.set_rules(rules);
        this
    }
}

/// Ticks that a stall is made good for, at most: more would be a stall of their own.
const CATCH_UP: u32 = 4;

impl<G: Scene + Send> Playing for Match<G>
where
    G::Input: Send,
    G::Event: Send,
{
    fn connect(&mut self, now: Micros, id: PeerId, delivery: Delivery, claim: Claim) {
        self.server.connect(now, id, delivery, claim);
    }

    fn disconnect(&mut self, now: Micros, id: PeerId) {
        self.server.disconnect(now, id);
    }

    fn suspend(&mut self, now: Micros, id: PeerId) {
        self.server.suspend(now, id);
    }

    fn dismiss(&mut self, id: PeerId, why: Goodbye) {
        self.server.dismiss(id, why);
    }

    fn forget(&mut self, player: u16) {
        self.server.forget(player);
    }

    fn is_suspended(&self, player: u16) -> bool {
        self.server.suspended().any(|kept| kept == player)
    }

    fn character(&self, player: u16) -> Option<SlotKey> {
        self.server.character(player)
    }

    fn set_writable(&mut self, id: PeerId, writable: bool) {
        self.server.set_writable(id, writable);
    }

    fn handle(&mut self, now: Micros, id: PeerId, bytes: &[u8]) -> Result<(), Fault> {
        self.server.handle(now, id, bytes)
    }

    fn advance(&mut self, now: Micros) {
        if self.server.next_tick_at() <= now && !self.bots.is_empty() {
            self.server.drawn(&mut self.drawn);
            for bot in &mut self.bots {
                G::think(
                    bot.key,
                    &self.drawn,
                    &mut bot.rng,
                    &mut bot.memory,
                    &mut bot.held,
                );
                self.server.drive(bot.key, bot.held);
            }
        }
        self.server.advance(now);
    }

    fn poll(&mut self, buf: &mut [u8]) -> Doing {
        loop {
            match self.server.poll(buf) {
                Output::Transmit { to, len, keep } => {
                    let lane = match keep {
                        false => Lane::Snapshot,
                        true if is_sure(&buf[..len]) => Lane::Sure,
                        true => Lane::Loose,
                    };
                    return Doing::Send { to, len, lane };
                }
                Output::Event(said) => {
                    // Who puts themselves out has beaten nobody.
                    let shot = G::shot(&said.event).filter(|shot| shot.fell);
                    if let Some(shot) = shot.filter(|shot| shot.victim != Some(shot.by)) {
                        return Doing::Fell { by: shot.by };
                    }
                }
                Output::Wait { .. } => return Doing::Wait,
            }
        }
    }

    fn peer(&self, id: PeerId) -> Option<Standing> {
        let peer = self.server.peer(id)?;
        Some(Standing {
            player: peer.player,
            watching: peer.watching,
            refused: peer.refused,
            said_goodbye: peer.said_goodbye,
            dismissed: peer.dismissed,
        })
    }

    fn tick(&self) -> Tick {
        self.server.tick()
    }

    fn next_tick_at(&self) -> Micros {
        self.server.next_tick_at()
    }

    fn counters(&self) -> ServerCounters {
        *self.server.counters()
    }

    fn set_rules(&mut self, rules: &Rules) {
        let wanted = rules.bots.min(CHARACTERS - self.seats.min(CHARACTERS));
        self.server.reconfigure(ServerConfig {
            snapshots_hz: rules.snapshots,
            rewind: rules.rewind,
            rewind_cap: Micros::from_millis(rules.cap_ms.into()),
            max_players: self.seats + wanted,
            ..*self.server.config()
        });
        while self.bots.len() > usize::from(wanted) {
            if let Some(bot) = self.bots.pop() {
                self.server.unseat(bot.key);
            }
        }
        while self.bots.len() < usize::from(wanted) {
            let Some(key) = self.server.seat() else { break };
            self.bots.push(Bot {
                key,
                rng: Rng::fork(self.seed, self.bots.len() as u64),
                memory: BotMemory::new(BotStyle::Duel, self.server.config().rate_hz),
                held: G::Input::default(),
            });
        }
    }

    fn describe(&self, id: PeerId) -> (String, String) {
        let peer = self.server.peer(id).and_then(|peer| peer.greeting);
        let theirs = peer.map_or_else(|| String::from("nothing"), |greeting| greeting.to_string());
        (self.server.describe().to_string(), theirs)
    }
}

/// Whether a frame must not be lost: what opens and ends a session. A pong may be.
fn is_sure(bytes: &[u8]) -> bool {
    is_prefixed(bytes) || kind(bytes) == Some(Kind::Goodbye)
}

/// Whether a client's frame cannot wait for the next tick: it asks for an answer, or ends its session.
pub(super) fn is_urgent(bytes: &[u8]) -> bool {
    is_prefixed(bytes) || matches!(kind(bytes), Some(Kind::Ping | Kind::Goodbye))
}

fn kind(bytes: &[u8]) -> Option<Kind> {
    let mut r = Reader::new(bytes);
    Header::read(&mut r).ok()?;
    Kind::peek(&r).ok()
}
