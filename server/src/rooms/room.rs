//! A room at work: one task that owns one match.
//!
//! It waits for the next tick, for somebody at the door, and for its bell, which rings when something was heard that
//! cannot wait. Whatever wakes it, it takes what was heard, runs what is due, and puts what there is to say into
//! outboxes. It never waits for a socket, and an empty room waits for nothing but its end.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use netcode::session::Claim;
use netcode::{PeerId, ServerCounters};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use wire::{Goodbye, Micros, Refusal, is_prefixed};

use super::code::Secret;
use super::connection::{Clock, Connection, Stage};
use super::member::{Enter, Member, Pass};
use super::playing::{CHARACTERS, Doing, Lane, Playing, Rules};
use super::post::{Gone, Inbox, Out, Outbox, Said};
use super::roster::{Net, Player, Roster};
use super::rounds::Rounds;
use super::state::{Scene, Showing};
use super::words::{Answer, Word};
use super::{JoinError, Shared, lock};
use crate::config::Settings;
use crate::limits::Bucket;
use crate::metrics::{Metrics, RoomGauges};
use crate::session::Transport;

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

    /// Where every seat is taken, somebody who is away gives way to somebody who is here: the one who is away longest.
    fn make_room(&mut self, newcomer: Secret) {
        let full = self.roster.len() >= usize::from(self.shared.seats);
        if !full || self.roster.of(newcomer).is_some() {
            return;
        }
        if let Some(number) = self.roster.longest_away() {
            self.game.forget(number);
            self.lose(number);
        }
    }

    fn hear_word(&mut self, at: usize, now: Micros, word: Word) {
        let number = match self.connections[at].stage {
            Stage::Playing(number) => Some(number),
            Stage::New | Stage::Watching => None,
            Stage::Leaving(_) | Stage::Left | Stage::Gone => return,
        };
        if let Err(sentence) = self.obey(at, now, number, word) {
            let answer = Answer::Wrong {
                sentence: &sentence,
            };
            self.say(at, now, Out::Word(answer.text()));
            self.offence(at, now);
        }
    }

    fn obey(
        &mut self,
        at: usize,
        now: Micros,
        number: Option<u16>,
        word: Word,
    ) -> Result<(), String> {
        if matches!(word, Word::Leave {}) {
            self.send_away(at, now, Goodbye::Left);
            return Ok(());
        }
        let host = number.is_some() && self.roster.host() == number;
        let Some(player) = number.and_then(|number| self.roster.get_mut(number)) else {
            // What a watcher, or a player before the hello, says of itself is of no interest.
            return match word {
                Word::Net { .. } | Word::Hidden { .. } => Ok(()),
                _ => Err("Only players can do this.".into()),
            };
        };
        match word {
            Word::Net { ping, loss, stalls } => player.net = Net::sane(ping, loss, stalls),
            Word::Hidden { on } => player.hidden = on,
            Word::Rematch {} => {
                if self.rounds.is_playing() {
                    return Err("The round is not over yet.".into());
                }
                player.rematch = true;
            }
            Word::Join { .. } => return Err("You are in a room already.".into()),
            Word::Leave {} => {}
            Word::Kick { .. } | Word::Close {} | Word::Set { .. } | Word::Public { .. } => {
                if !host {
                    return Err("Only the host can do this.".into());
                }
                self.obey_host(now, word)?;
            }
        }
        if !self.rounds.is_playing() {
            let host_wants = host
                && self
                    .roster
                    .iter()
                    .any(|p| Some(p.number) == number && p.rematch);
            if host_wants || self.roster.all_want_again() {
                self.roster.start_over();
                self.rounds.again(now);
                tracing::info!(round = self.rounds.number(), "another round");
                self.moved = true;
            }
        }
        self.showing.change();
        Ok(())
    }

    fn obey_host(&mut self, now: Micros, word: Word) -> Result<(), String> {
        match word {
            Word::Kick { player } => {
                if self.roster.host() == Some(player) {
                    return Err("The host cannot be put out.".into());
                }
                let kicked = self.roster.get(player).ok_or("There is no such player.")?;
                lock(&self.shared.face).kicked.insert(kicked.secret);
                tracing::info!(player, "kicked");
                let playing = |connection: &Connection| connection.stage == Stage::Playing(player);
                match self.connections.iter().position(playing) {
                    Some(at) => self.send_away(at, now, Goodbye::Kicked),
                    None => {
                        self.game.forget(player);
                        self.lose(player);
                    }
                }
            }
            Word::Close {} => {
                tracing::info!("closed by its host");
                self.close(Goodbye::RoomClosed);
            }
            Word::Set { id, value } => {
                let most = CHARACTERS - self.shared.seats;
                self.rules.set(&id, &value, most)?;
                self.game.set_rules(&self.rules);
                self.shown_rules = self.rules.shown();
            }
            Word::Public { on } => lock(&self.shared.face).public = on,
            _ => {}
        }
        Ok(())
    }

    /// A connection is over. Its player is expected back, unless a goodbye was said or the fault is ours.
    fn part(&mut self, at: usize, now: Micros, gone: Gone) {
        let connection = &mut self.connections[at];
        let (id, stage) = (connection.id, connection.stage);
        connection.outbox.close();
        connection.stage = Stage::Gone;
        let said_goodbye = self.game.peer(id).is_some_and(|peer| peer.said_goodbye);
        if !stage.is_over() {
            self.metrics.ended(match gone {
                _ if said_goodbye => "left",
                Gone::Lost => "lost",
                Gone::Broken => "broken",
            });
        }
        if gone == Gone::Broken || said_goodbye {
            self.game.disconnect(now, id);
        } else {
            self.game.suspend(now, id);
        }
        if let Stage::Playing(number) = stage {
            self.leave_seat(number, id);
        }
        self.change();
    }

    /// The player whose connection `id` was is away now, or gone where the match does not wait for them.
    fn leave_seat(&mut self, number: u16, id: PeerId) {
        let waits = self.game.is_suspended(number);
        let Some(player) = self
            .roster
            .get_mut(number)
            .filter(|player| player.peer == Some(id))
        else {
            // A newer connection plays for them.
            return;
        };
        if waits {
            self.roster.set_away(number);
            self.change();
        } else {
            tracing::info!(player = player.number, "gone for good");
            self.lose(number);
        }
    }

    fn lose(&mut self, number: u16) {
        self.roster.remove(number);
        self.change();
    }

    fn change(&mut self) {
        self.moved = true;
        self.showing.change();
    }

    /// Says goodbye to a connection, which is then over.
    fn send_away(&mut self, at: usize, now: Micros, why: Goodbye) {
        let connection = &mut self.connections[at];
        let (id, stage) = (connection.id, connection.stage);
        self.game.dismiss(id, why);
        self.metrics.ended(ending(why));
        connection.leave(now);
        if let Stage::Playing(number) = stage {
            self.leave_seat(number, id);
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
                    let bytes = Bytes::copy_from_slice(&buf[..len]);
                    match lane {
                        Lane::Snapshot => self.put_snapshot(at, tick, bytes),
                        Lane::Sure => self.say(at, now, Out::Packet { bytes, keep: true }),
                        Lane::Loose => self.say(at, now, Out::Packet { bytes, keep: false }),
                    }
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

    fn put_snapshot(&mut self, at: usize, tick: wire::Tick, bytes: Bytes) {
        let connection = &mut self.connections[at];
        let replaced = connection.outbox.snapshot(tick, bytes);
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

    /// Brings the roster in line with the match: who was seated, refused, replaced, let go.
    fn settle(&mut self, now: Micros) {
        for at in 0..self.connections.len() {
            self.welcome(at, now);
        }
        for at in 0..self.connections.len() {
            self.dismissed(at, now);
        }
        let absent = |player: &Player| player.peer.is_none();
        let given_up = self
            .roster
            .iter()
            .find(|player| absent(player) && !self.game.is_suspended(player.number));
        if let Some(number) = given_up.map(|player| player.number) {
            tracing::info!(player = number, "did not come back");
            self.lose(number);
        }
        self.show_outside();
    }

    /// Whether a new connection has its seat now, or is refused one.
    fn welcome(&mut self, at: usize, now: Micros) {
        let connection = &mut self.connections[at];
        if connection.stage != Stage::New {
            return;
        }
        let id = connection.id;
        let Some(peer) = self.game.peer(id) else {
            return;
        };
        if peer.watching {
            connection.stage = Stage::Watching;
            self.change();
        } else if let Some(number) = peer.player {
            self.seat(at, number);
        } else if let Some(refusal) = peer.refused {
            let (ours, theirs) = self.game.describe(id);
            let _in = connection.span.enter();
            tracing::warn!(%refusal, ours, theirs, "refused");
            self.metrics.refused(refused(refusal));
            connection.leave(now);
        } else if connection.hello_by <= Instant::now() {
            self.metrics.refused(JoinError::Silent.code());
            connection.leave(now);
        }
    }

    fn seat(&mut self, at: usize, number: u16) {
        let Some(key) = self.game.character(number) else {
            return;
        };
        let connection = &mut self.connections[at];
        connection.stage = Stage::Playing(number);
        let resumed = self.roster.get(number).is_some();
        match self.roster.get_mut(number) {
            Some(player) => {
                player.peer = Some(connection.id);
                player.transport = connection.transport;
                player.name.clone_from(&connection.name);
                player.hidden = false;
                player.net = Net::default();
            }
            None => {
                // Their seat of before is gone, and this one is another.
                let before = self
                    .roster
                    .of(connection.secret)
                    .map(|player| player.number);
                before.map(|number| self.roster.remove(number));
                self.roster.add(Player {
                    number,
                    secret: connection.secret,
                    name: connection.name.clone(),
                    key,
                    peer: Some(connection.id),
                    transport: connection.transport,
                    score: 0,
                    net: Net::default(),
                    hidden: false,
                    rematch: false,
                });
            }
        }
        if connection.host {
            self.roster.make_host(number);
        }
        self.metrics.seated(connection.transport, resumed);
        connection.span.record("player", number);
        connection
            .span
            .in_scope(|| tracing::info!(resumed, "seated"));
        self.change();
    }

    /// Whether a connection that had a place has it no more: its player left, or plays elsewhere, or was silent.
    fn dismissed(&mut self, at: usize, now: Micros) {
        let connection = &mut self.connections[at];
        let id = connection.id;
        connection.close_in_time(now);
        let Some(peer) = self.game.peer(id) else {
            return;
        };
        let place = match connection.stage {
            Stage::Playing(number) => peer.player == Some(number),
            Stage::Watching => peer.watching,
            Stage::New => !peer.said_goodbye,
            Stage::Leaving(_) | Stage::Left | Stage::Gone => return,
        };
        if place {
            return;
        }
        let stage = connection.stage;
        let again = peer.player.filter(|_| stage != Stage::New);
        if again.is_none() {
            let why = peer.dismissed.unwrap_or(Goodbye::Left);
            connection.span.in_scope(|| tracing::info!(?why, "over"));
            self.metrics.ended(ending(why));
            connection.leave(now);
        }
        if let Stage::Playing(number) = stage {
            self.leave_seat(number, id);
        }
        if let Some(number) = again {
            // It left and came back within one session, to a seat of its own.
            self.seat(at, number);
        }
        self.change();
    }

    /// Lets the list, the gauges and those who want to join see how the room stands.
    fn show_outside(&mut self) {
        if !std::mem::take(&mut self.moved) {
            return;
        }
        let watching = self.watching();
        let mut players = [0; 3];
        for player in self.roster.iter() {
            players[player.transport.index()] += 1;
        }
        self.gauges.set(players, watching.into());
        let mut face = lock(&self.shared.face);
        face.present = self.roster.present() as u16;
        face.players = self.roster.len() as u16;
        face.watching = watching;
        face.over = !self.rounds.is_playing();
        face.seated.clear();
        face.seated
            .extend(self.roster.iter().map(|player| player.secret));
    }

    fn watching(&self) -> u16 {
        let watching = |connection: &&Connection| connection.stage == Stage::Watching;
        self.connections.iter().filter(watching).count() as u16
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
                self.metrics.ended(ending(why));
            }
        }
        let _ = catch_unwind(AssertUnwindSafe(|| self.flush()));
        for connection in &self.connections {
            connection.outbox.close();
        }
    }
}

/// As metrics call a goodbye of ours.
fn ending(why: Goodbye) -> &'static str {
    match why {
        Goodbye::Left => "left",
        Goodbye::Kicked => "kicked",
        Goodbye::Replaced => "replaced",
        Goodbye::RoomClosed => "room_closed",
        Goodbye::Idle => "idle",
        Goodbye::Misbehaved => "misbehaved",
        Goodbye::Restarting => "restarting",
    }
}

/// As metrics call the refusal of a hello.
fn refused(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Full => "full",
        Refusal::Declined => "declined",
        Refusal::Version => "version",
        Refusal::Schema => "schema",
        Refusal::Actions => "actions",
        Refusal::World => "world",
        Refusal::Rate => "rate",
        Refusal::RateTooHigh => "rate_too_high",
        Refusal::Malformed => "malformed",
    }
}
