//! A server, to look at: everything that changes nothing, and the set-up.

use wire::{ClassId, Goodbye, Hello, Micros, SlotKey, Tick};

use super::{Peer, PeerCounters, Server, ServerConfig, ServerCounters};
use crate::digest::Digest;
use crate::drawn::Drawn;
use crate::game::Game;
use crate::output::{Delivery, PeerId};
use crate::session::{Greeting, Holding, Refusal, hello_of};
use crate::table::{MAX_WIDTH, Table};

/// One peer, to look at.
#[derive(Clone, Copy, Debug)]
pub struct PeerView<'a> {
    /// What happened with it.
    pub counters: &'a PeerCounters,
    /// Its player's number, once seated.
    pub player: Option<u16>,
    /// Whether it was let in to watch.
    pub watching: bool,
    /// Whether it is known to have heard its welcome: snapshots are sent.
    pub began: bool,
    /// Why its newest hello got no seat.
    pub refused: Option<Refusal>,
    /// What its newest hello said. With [`Server::hello`] beside it, the log line of a refusal.
    pub greeting: Option<Greeting>,
    /// Whether its player left by their own word. The session is over, and its driver closes it.
    pub said_goodbye: bool,
    /// What this end said goodbye for, if it did.
    pub dismissed: Option<Goodbye>,
    /// Its character, once seated.
    pub key: Option<SlotKey>,
    /// The newest of its ticks that the server has stood for.
    pub judged: Tick,
    /// Commands that wait now.
    pub depth: usize,
    /// Commands that the newest tick found waiting, the one that it took included: what [`Client::depth_target`] aims at.
    ///
    /// [`Client::depth_target`]: crate::Client::depth_target
    pub found: usize,
}

impl<G: Game> Server<G> {
    /// The truth at the newest tick, in the units of its fields.
    pub fn drawn(&self, out: &mut Drawn) {
        self.drawn_of(|_| true, out);
    }

    /// The same of some classes alone: a picture of thousands costs more than their rules.
    pub fn drawn_of(&self, wanted: impl Fn(ClassId) -> bool, out: &mut Drawn) {
        out.clear();
        out.others_at = self.tick.get() as f64;
        let mut fresh = [0; MAX_WIDTH];
        for slot in self.table.occupied().iter() {
            let (Some(key), Some(class)) = (self.table.key(slot), self.table.class(slot)) else {
                continue;
            };
            if !wanted(class) {
                continue;
            }
            let shape = &G::SCHEMA.classes[usize::from(class.0)];
            let values = out.push(key, class, shape.width(), false, false);
            if self.config.shows.simulates(G::SCHEMA, class) {
                // The table has it as it was announced; the game as it is.
                self.game.save(key, &mut fresh);
                shape.decode(&fresh[..shape.width()], values);
            } else {
                shape.decode(self.table.record(slot), values);
            }
        }
    }

    /// Whom a player or one who watches hears of after the newest tick, by slot. What was asked of the game last counts.
    pub fn hears(&self, id: PeerId) -> impl Iterator<Item = SlotKey> + '_ {
        let seat = self.seat_of(id);
        seat.into_iter().flat_map(|seat| {
            let occupied = self.table.occupied().iter();
            occupied
                .filter(|slot| seat.baseline.hears(*slot))
                .filter_map(|slot| self.table.key(slot))
        })
    }

    /// The records after the newest tick: of a class that both ends simulate, as they were announced or sent last.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The game's state after the newest tick.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The newest tick that ran.
    pub fn tick(&self) -> Tick {
        self.tick
    }

    /// When the next tick is due.
    pub fn next_tick_at(&self) -> Micros {
        self.ticker.next_at()
    }

    /// The configuration.
    pub fn config(&self) -> &ServerConfig {
        &self.config
    }

    /// Changes what may be changed while it runs: snapshots a second, lag compensation, limits. The tick rate and the first
    /// numbers stay.
    pub fn reconfigure(&mut self, config: ServerConfig) {
        let fixed = ServerConfig {
            rate_hz: self.config.rate_hz,
            first_tick: self.config.first_tick,
            first_seq: self.config.first_seq,
            first_player: self.config.first_player,
            ..config
        };
        self.config = fixed.sane();
        self.sends.set_rate(self.config.snapshots_hz);
    }

    /// What it did.
    pub fn counters(&self) -> &ServerCounters {
        &self.counters
    }

    /// One session.
    pub fn peer(&self, id: PeerId) -> Option<PeerView<'_>> {
        let peer = self.peers.iter().find(|peer| peer.id == id)?;
        let seat = peer.seat.as_ref();
        let play = peer.play();
        Some(PeerView {
            counters: &peer.counters,
            player: play.map(|play| play.seating.player),
            watching: seat.is_some() && play.is_none(),
            began: seat.is_some_and(|seat| seat.began),
            refused: peer.refused,
            greeting: peer.greeting,
            said_goodbye: peer.said_goodbye,
            dismissed: peer.farewell.map(|farewell| farewell.goodbye),
            key: play.map(|play| play.seating.key),
            judged: play.map_or_else(Tick::default, |play| play.judged),
            depth: play.map_or(0, |play| usize::from(play.queue.depth())),
            found: play.map_or(0, |play| usize::from(play.found)),
        })
    }

    /// What this end holds, as its hello would say it.
    pub fn hello(&self) -> Hello {
        hello_of(&self.game, self.config.rate_hz)
    }

    /// What this end holds, as one line for a log.
    pub fn describe(&self) -> Holding {
        Holding::of(&self.game, self.config.rate_hz)
    }

    /// How the carrier of a session delivers.
    pub fn delivery(&self, id: PeerId) -> Option<Delivery> {
        self.peers
            .iter()
            .find(|peer| peer.id == id)
            .map(|peer| peer.delivery)
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        self.game.heap()
            + self.table.heap()
            + self.history.heap()
            + self.commands.heap()
            + self.news.heap()
            + size_of_val(self.driven.as_slice())
            + size_of_val(self.said.as_slice())
            + size_of_val(self.peers.as_slice())
            + size_of_val(self.suspended.as_slice())
            + self.peers.iter().map(Peer::heap).sum::<usize>()
    }

    /// Folds in the game, and of each peer the bytes it was sent, its seat and where its commands stand.
    pub fn digest(&self, digest: &mut Digest) {
        digest.u64(self.tick.get());
        self.game.digest(digest);
        for peer in &self.peers {
            digest.u64(u64::from(peer.id.0));
            digest.u64(peer.counters.bytes_up);
            digest.u64(peer.counters.bytes_down);
            if let Some(play) = peer.play() {
                digest.u64(u64::from(play.seating.key.packed()));
                digest.u64(play.judged.get());
                digest.u64(u64::from(play.queue.depth()));
            }
        }
        for kept in &self.suspended {
            digest.u64(u64::from(kept.seating.key.packed()));
            digest.u64(kept.until.get());
        }
    }
}
