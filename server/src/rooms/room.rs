//! A room at work: one task that owns one match.
//!
//! It waits for the next tick, for somebody at the door, and for its bell, which rings when something was heard that
//! cannot wait. Whatever wakes it, it takes what was heard, runs what is due, and puts what there is to say into
//! outboxes. It never waits for a socket, and an empty room waits for nothing but its end.

mod obey;
mod settle;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use netcode::session::Claim;
use netcode::{PeerId, ServerCounters};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use wire::{Goodbye, Micros, is_prefixed};

use super::connection::{Clock, Connection, Stage};
use super::member::{Enter, Member, Pass};
use super::playing::{Doing, Lane, Playing, Rules};
use super::post::{Gone, Inbox, Out, Outbox, Put, Said};
use super::roster::Roster;
use super::rounds::Rounds;
use super::state::{Scene, Showing};
use super::{Shared, lock};
use crate::config::Settings;
use crate::limits::Bucket;
use crate::metrics::{Direction, Metrics, RoomGauges};
use crate::session::Transport;

/// Bytes of snapshots that are allocated at once: those of a full room's tick. They are used again once all have gone.
const SNAPSHOTS: usize = 4096;
/// Snapshots in a row that were replaced unsent until no more are written for a carrier that takes none.
const STUCK: u32 = 8;

/// A room and everybody in it.
pub(super) struct Room {
    shared: Arc<Shared>,
    settings: Arc<Settings>,
    metrics: Metrics,
    gauges: RoomGauges,
    game: Box<dyn Playing>,
    rules: Rules,
    shown_rules: Value,
    connections: Vec<Connection>,
    next_id: u32,
    roster: Roster,
    rounds: Rounds,
    showing: Showing,
    /// Who is here, or how, is not as those outside were last told.
    moved: bool,
    clock: Clock,
    counters: ServerCounters,
    said: VecDeque<Said>,
    /// What snapshots are cut from.
    bytes: BytesMut,
    over: bool,
}

impl Room {
    pub(super) fn new(
        shared: Arc<Shared>,
        settings: Arc<Settings>,
        metrics: Metrics,
        game: Box<dyn Playing>,
        rules: Rules,
    ) -> Self {
        let length = u64::from(settings.rooms.round) * 1_000;
        let length = (length > 0).then(|| Micros::from_millis(length));
        Self {
            gauges: metrics.room(),
            shown_rules: rules.shown(),
            rounds: Rounds::new(length, Micros::ZERO),
            counters: game.counters(),
            shared,
            settings,
            metrics,
            game,
            rules,
            connections: Vec::new(),
            next_id: 0,
            roster: Roster::default(),
            showing: Showing::default(),
            moved: false,
            clock: Clock::new(),
            said: VecDeque::new(),
            bytes: BytesMut::new(),
            over: false,
        }
    }

    /// Plays until the room closes, everybody was away for too long, or the relay stops.
    pub(super) async fn run(
        mut self,
        mut door: mpsc::Receiver<Enter>,
        mut stopping: watch::Receiver<bool>,
    ) {
        tracing::info!(scene = self.shared.scene, "opened");
        let bell = Arc::clone(&self.shared.bell);
        while !self.over {
            tokio::select! {
                entered = door.recv() => match entered {
                    Some(enter) => self.guard(|room| room.let_in(enter)),
                    None => break,
                },
                () = bell.notified() => {}
                () = sleep_until(self.wake_at()) => {}
                _ = stopping.wait_for(|stopping| *stopping) => self.close(Goodbye::Restarting),
            }
            self.guard(Self::turn);
        }
    }

    /// Runs what belongs to the game. What panics there ends this room and no other.
    fn guard(&mut self, work: impl FnOnce(&mut Self)) {
        if !self.over && catch_unwind(AssertUnwindSafe(|| work(self))).is_err() {
            tracing::error!("the match panicked: this room closes");
            self.metrics.panicked("room");
            self.close(Goodbye::RoomClosed);
        }
    }

    fn wake_at(&self) -> Instant {
        match self.clock.asleep() {
            Some(since) => since + Duration::from_secs(self.settings.rooms.empty.into()),
            None => self.clock.instant(self.game.next_tick_at()),
        }
    }

    fn turn(&mut self) {
        if self.clock.asleep().is_some() {
            self.over = self.wake_at() <= Instant::now();
            return;
        }
        let now = self.clock.now();
        for at in 0..self.connections.len() {
            self.hear(at, now);
        }
        self.tick(now);
        self.flush();
        self.settle(now);
        self.show(now);
        self.connections
            .retain(|connection| connection.stage != Stage::Gone);
        if self.connections.is_empty() && self.roster.len() == 0 {
            self.rounds = self.rounds.afresh(now);
            self.clock.sleep();
        }
    }

    fn let_in(&mut self, enter: Enter) {
        let Enter {
            pass,
            transport,
            hello_by,
            span,
            reply,
        } = enter;
        if let Err(error) = self.shared.admits(pass.secret, pass.watch) {
            // Who is not there to hear it has lost nothing.
            let _ = reply.send(Err(error));
            return;
        }
        self.clock.wake();
        let now = self.clock.now();
        // Of two connections of one player that have said nothing yet, the newer one counts.
        for connection in &mut self.connections {
            if connection.stage == Stage::New && connection.secret == pass.secret {
                connection.leave(now);
            }
        }
        let claim = match self.roster.of(pass.secret) {
            _ if pass.watch => Claim::Watch,
            Some(player) => Claim::Resume {
                player: player.number,
            },
            None => Claim::Seat,
        };
        let id = PeerId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        self.game.connect(now, id, transport.delivery(), claim);
        let inbox = Arc::new(Inbox::new(Arc::clone(&self.shared.bell)));
        let outbox = Arc::new(Outbox::new(self.settings.limits.max_queued));
        let nobody = self
            .connections
            .iter()
            .all(|other| other.watch || other.stage.is_over());
        let first = nobody && self.roster.len() == 0;
        let Pass {
            name,
            secret,
            watch,
            host,
            ..
        } = pass;
        let host_now = self.roster.of(secret).map(|player| player.number) == self.roster.host();
        let member = Member {
            code: self.shared.code,
            watch,
            host: !watch && (host || first || (self.roster.host().is_some() && host_now)),
            inbox: Arc::clone(&inbox),
            outbox: Arc::clone(&outbox),
            metrics: self.metrics.clone(),
        };
        let faults = f64::from(self.settings.limits.max_faults);
        self.connections.push(Connection {
            id,
            secret,
            name,
            watch,
            host,
            transport,
            inbox,
            outbox,
            hello_by,
            span,
            stage: Stage::New,
            faults: Bucket::new(faults, faults / 60.0, Instant::now()),
            stuck: 0,
        });
        // Whoever is gone already dropped the member with the answer, which ends the connection.
        let _ = reply.send(Ok(member));
    }

    /// Takes what a connection heard.
    fn hear(&mut self, at: usize, now: Micros) {
        if self.connections[at].stage == Stage::Gone {
            return;
        }
        let mut said = std::mem::take(&mut self.said);
        let taken = self.connections[at].inbox.take(&mut said);
        for said in said.drain(..) {
            match said {
                Said::Packet(bytes) => self.hear_packet(at, now, &bytes),
                Said::Word(word) => self.hear_word(at, now, word),
            }
        }
        self.said = said;
        let connection = &self.connections[at];
        if taken.dropped > 0 {
            self.metrics.dropped(connection.transport, taken.dropped);
        }
        if taken.misbehaved && !connection.stage.is_over() {
            self.send_away(at, now, Goodbye::Misbehaved);
        }
        if let Some(gone) = taken.gone {
            self.part(at, now, gone);
        }
    }

    fn hear_packet(&mut self, at: usize, now: Micros, bytes: &[u8]) {
        let connection = &self.connections[at];
        let id = connection.id;
        if is_prefixed(bytes) && connection.stage == Stage::New && !connection.watch {
            self.make_room(connection.secret);
        }
        if let Err(fault) = self.game.handle(now, id, bytes) {
            self.metrics.fault(&fault);
            self.offence(at, now);
        }
    }

    /// What the protocol does not allow is forgiven so many times a minute.
    fn offence(&mut self, at: usize, now: Micros) {
        let connection = &mut self.connections[at];
        let forgiven = connection.faults.take(1.0, Instant::now());
        if !forgiven && !connection.stage.is_over() {
            self.send_away(at, now, Goodbye::Misbehaved);
        }
    }

    fn tick(&mut self, now: Micros) {
        let due = self.game.next_tick_at();
        if due > now {
            return;
        }
        self.game.advance(now);
        let before = std::mem::replace(&mut self.counters, self.game.counters());
        let (ticks, slipped) = (
            self.counters.ticks - before.ticks,
            self.counters.slipped - before.slipped,
        );
        let late = Duration::from_micros((now - due).get());
        self.metrics.ticked(late, ticks, slipped);
        if self.rounds.advance(now) {
            tracing::info!(round = self.rounds.number(), "the round is over");
            self.change();
        }
        for connection in &mut self.connections {
            if connection.stuck >= STUCK && connection.outbox.is_free() {
                connection.stuck = 0;
                self.game.set_writable(connection.id, true);
            }
        }
    }

    /// Takes everything that the match has to say.
    fn flush(&mut self) {
        let mut buf = [0; wire::MAX_PACKET];
        let tick = self.game.tick();
        let now = self.clock.now();
        loop {
            match self.game.poll(&mut buf) {
                Doing::Send { to, len, lane } => {
                    let Some(at) = self.connections.iter().position(|c| c.id == to) else {
                        continue;
                    };
                    let keep = match lane {
                        Lane::Snapshot => {
                            self.put_snapshot(at, tick, &buf[..len]);
                            continue;
                        }
                        Lane::Sure => true,
                        Lane::Loose => false,
                    };
                    let bytes = Bytes::copy_from_slice(&buf[..len]);
                    self.say(at, now, Out::Packet { bytes, keep });
                }
                Doing::Fell { by } => {
                    if self.rounds.is_playing() && self.roster.scored(by) {
                        self.showing.change();
                    }
                }
                Doing::Wait => break,
            }
        }
    }

    fn put_snapshot(&mut self, at: usize, tick: wire::Tick, frame: &[u8]) {
        if self.bytes.capacity() < frame.len() {
            self.bytes.reserve(SNAPSHOTS);
        }
        self.bytes.extend_from_slice(frame);
        let bytes = self.bytes.split().freeze();
        let connection = &mut self.connections[at];
        let replaced = match connection.outbox.snapshot(tick, bytes) {
            Put::Sent => {
                self.metrics
                    .carried(connection.transport, Direction::Down, frame.len());
                0
            }
            Put::Waits { replaced } => replaced,
        };
        if replaced == 0 {
            connection.stuck = 0;
            return;
        }
        self.metrics.replaced(connection.transport, replaced);
        connection.stuck += 1;
        if connection.stuck >= STUCK {
            self.game.set_writable(connection.id, false);
        }
    }

    /// Queues what must be said. Whoever does not take it is let go: it cannot be told anything, not even why.
    fn say(&mut self, at: usize, now: Micros, out: Out) {
        let connection = &mut self.connections[at];
        if connection.outbox.say(out).is_err() {
            connection
                .span
                .in_scope(|| tracing::info!("takes nothing: let go"));
            self.part(at, now, Gone::Lost);
        }
    }

    fn show(&mut self, now: Micros) {
        if !self.showing.due(now) {
            return;
        }
        let scene = Scene {
            rounds: &self.rounds,
            roster: &self.roster,
            public: lock(&self.shared.face).public,
            settings: &self.shown_rules,
            watching: self.watching(),
        };
        for connection in &self.connections {
            if matches!(connection.stage, Stage::Playing(_) | Stage::Watching)
                && connection.transport != Transport::Udp
            {
                connection.outbox.show(scene.for_peer(now, connection.id));
            }
        }
    }

    /// Tells everybody why, and ends. After a panic the match may be in pieces, so each step stands alone.
    fn close(&mut self, why: Goodbye) {
        self.over = true;
        for at in 0..self.connections.len() {
            let id = self.connections[at].id;
            let game = &mut self.game;
            let _ = catch_unwind(AssertUnwindSafe(|| {
                game.set_writable(id, false);
                game.dismiss(id, why);
            }));
            if !self.connections[at].stage.is_over() {
                self.metrics.ended(why.name());
            }
        }
        let _ = catch_unwind(AssertUnwindSafe(|| self.flush()));
        for connection in &self.connections {
            connection.outbox.close();
        }
    }
}
