//! Who has which seat: the roster, kept in line with the match while connections come and go.

use netcode::PeerId;
use tokio::time::Instant;
use wire::{Goodbye, Micros};

use crate::rooms::code::Secret;
use crate::rooms::connection::{Connection, Stage};
use crate::rooms::post::Gone;
use crate::rooms::roster::{Net, Player};
use crate::rooms::{JoinError, lock};

use super::Room;

impl Room {
    /// Brings the roster in line with the match: who was seated, refused, replaced, let go.
    pub(super) fn settle(&mut self, now: Micros) {
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
            let refused_here = || tracing::warn!(%refusal, ours, theirs, "refused");
            connection.span.in_scope(refused_here);
            self.metrics.refused(refusal.name());
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
            self.metrics.ended(why.name());
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

    /// A connection is over. Its player is expected back, unless a goodbye was said or the fault is ours.
    pub(super) fn part(&mut self, at: usize, now: Micros, gone: Gone) {
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
    pub(super) fn leave_seat(&mut self, number: u16, id: PeerId) {
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

    pub(super) fn lose(&mut self, number: u16) {
        self.roster.remove(number);
        self.change();
    }

    /// Where every seat is taken, somebody who is away gives way to somebody who is here: the one who is away longest.
    pub(super) fn make_room(&mut self, newcomer: Secret) {
        let full = self.roster.len() >= usize::from(self.shared.seats);
        if !full || self.roster.of(newcomer).is_some() {
            return;
        }
        if let Some(number) = self.roster.longest_away() {
            self.game.forget(number);
            self.lose(number);
        }
    }

    /// Says goodbye to a connection, which is then over.
    pub(super) fn send_away(&mut self, at: usize, now: Micros, why: Goodbye) {
        let connection = &mut self.connections[at];
        let (id, stage) = (connection.id, connection.stage);
        self.game.dismiss(id, why);
        self.metrics.ended(why.name());
        connection.leave(now);
        if let Stage::Playing(number) = stage {
            self.leave_seat(number, id);
        }
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

    pub(super) fn watching(&self) -> u16 {
        let watching = |connection: &&Connection| connection.stage == Stage::Watching;
        self.connections.iter().filter(watching).count() as u16
    }

    pub(super) fn change(&mut self) {
        self.moved = true;
        self.showing.change();
    }
}
