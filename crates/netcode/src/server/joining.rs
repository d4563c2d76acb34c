//! How a session gets its seat: the server's half of the handshake.

use wire::{Goodbye, Micros, Opening, Prefix, PrefixKind, Reader, Refusal, Seating};

use super::Server;
use super::peer::{Peer, REJOIN_AFTER, Seat};
use crate::game::{Driver, Game};
use crate::output::Fault;
use crate::session::{Claim, Greeting, hello_of};

/// A player whose carrier is gone, and who is expected back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspended {
    pub seating: Seating,
    pub until: Micros,
}

impl<G: Game> Server<G> {
    pub(super) fn handle_opening(&mut self, at: usize, bytes: &[u8]) -> Result<(), Fault> {
        let opening = match Opening::read(&mut Reader::new(bytes)) {
            Ok(opening) => opening,
            Err(error) => {
                self.refuse_unreadable(at, bytes);
                return Err(error.into());
            }
        };
        let (token, greeting) = match opening {
            Opening::Hello { token, hello } => (token, Greeting::of(hello)),
            Opening::ForeignHello { version, token } => (token, Greeting::foreign(version)),
            _ => return Err(Fault::WrongDirection { kind: bytes[3] }),
        };
        if self.now < self.peers[at].open_from {
            // Said by one who is gone, and late or doubled on its way: it must not seat a ghost.
            return Ok(());
        }
        let ours = hello_of(&self.game, self.config.rate_hz);
        let peer = &mut self.peers[at];
        peer.token = token;
        peer.greeting = Some(greeting);
        if let Some(seat) = &mut peer.seat {
            if !seat.began {
                // The welcome was lost, or has not arrived yet: it is said again.
                seat.owes_welcome = true;
                peer.heard_at = self.now;
                return Ok(());
            }
            if self.now - peer.heard_at < REJOIN_AFTER {
                // Of those that were said before the welcome arrived.
                return Ok(());
            }
            // They left, the goodbye was lost, and they are back.
            let keep = peer.claim != Claim::Seat;
            self.let_go(at, Some(Goodbye::Replaced), keep);
        }
        let misfit = match &greeting.hello {
            Some(theirs) => Peer::<G>::compare(&ours, theirs),
            None => Some(Refusal::Version),
        };
        if let Some(refusal) = misfit.or_else(|| self.take_in(at).err()) {
            self.peers[at].refuse(refusal);
            self.counters.refusals += 1;
        }
        Ok(())
    }

    /// A hello of our version that cannot be read is refused all the same: whoever wrote it learns that it arrived.
    fn refuse_unreadable(&mut self, at: usize, bytes: &[u8]) {
        let peer = &mut self.peers[at];
        if let Ok(prefix) = Prefix::read(&mut Reader::new(bytes))
            && prefix.kind == PrefixKind::Hello
            && peer.seat.is_none()
            && self.now >= peer.open_from
        {
            peer.token = prefix.token;
            peer.refuse(Refusal::Malformed);
            self.counters.refusals += 1;
        }
    }

    fn take_in(&mut self, at: usize) -> Result<(), Refusal> {
        let seating = match self.peers[at].claim {
            Claim::Watch => None,
            Claim::Seat => Some(self.seat_newcomer()?),
            Claim::Resume { player } => Some(match self.take_back(at, player) {
                Some(seating) => seating,
                None => self.seat_newcomer()?,
            }),
        };
        let peer = &mut self.peers[at];
        peer.seat = Some(Box::new(Seat::new(seating, self.tick, peer.first)));
        peer.left = false;
        peer.said_goodbye = false;
        peer.refused = None;
        peer.owes_refusal = false;
        peer.farewell = None;
        peer.heard_at = self.now;
        self.counters.joins += 1;
        Ok(())
    }

    fn seat_newcomer(&mut self) -> Result<Seating, Refusal> {
        if self.seated() >= usize::from(self.config.max_players) {
            return Err(Refusal::Full);
        }
        let key = self.game.join(Driver::Player).ok_or(Refusal::Declined)?;
        let player = self.free_player();
        Ok(Seating { player, key })
    }

    /// The seat of a player who is back, from wherever it is held: kept for them, or still in an older session of theirs, which
    /// is then over for good.
    fn take_back(&mut self, at: usize, player: u16) -> Option<Seating> {
        let kept = |suspended: &Suspended| suspended.seating.player == player;
        if let Some(kept) = self.suspended.iter().position(kept) {
            return Some(self.suspended.remove(kept).seating);
        }
        let holds = |peer: &Peer<G>| {
            peer.play()
                .is_some_and(|play| play.seating.player == player)
        };
        let older = self
            .peers
            .iter()
            .position(holds)
            .filter(|&older| older != at)?;
        let seating = self.peers[older].release(self.now, Some(Goodbye::Replaced));
        self.peers[older].open_from = Micros::MAX;
        seating
    }

    /// Ends what a session holds. The character is kept for its player, or leaves the game.
    pub(super) fn let_go(&mut self, at: usize, why: Option<Goodbye>, keep: bool) {
        let now = self.now;
        let Some(seating) = self.peers[at].release(now, why) else {
            return;
        };
        let until = now + self.config.resume;
        if keep && until > now {
            self.suspended.push(Suspended { seating, until });
        } else {
            self.game.leave(seating.key);
        }
    }

    /// Lets go of the players who did not come back in time.
    pub(super) fn let_go_of_the_absent(&mut self) {
        let now = self.now;
        while let Some(at) = self.suspended.iter().position(|kept| kept.until <= now) {
            let kept = self.suspended.remove(at);
            self.game.leave(kept.seating.key);
        }
    }

    /// Numbers count up from 1 and wrap past those still held.
    fn free_player(&mut self) -> u16 {
        loop {
            let player = self.next_player;
            self.next_player = player.checked_add(1).unwrap_or(1);
            if self.character(player).is_none() {
                return player;
            }
        }
    }

    pub(super) fn seated(&self) -> usize {
        let playing = self.peers.iter().filter(|peer| peer.play().is_some());
        self.driven.len() + self.suspended.len() + playing.count()
    }
}
