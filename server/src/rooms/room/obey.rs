//! What words do.

use wire::{Goodbye, Micros};

use crate::rooms::connection::{Connection, Stage};
use crate::rooms::lock;
use crate::rooms::playing::CHARACTERS;
use crate::rooms::post::Out;
use crate::rooms::roster::Net;
use crate::rooms::words::{Answer, Word};

use super::Room;

impl Room {
    pub(super) fn hear_word(&mut self, at: usize, now: Micros, word: Word) {
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
}
