//! How a session gets its seat: the server's half of the handshake.

use wire::{Goodbye, Micros, Opening, Reader, Refusal};

use super::Server;
use super::peer::{Peer, Seat};
use crate::game::{Driver, Game};
use crate::output::Fault;
use crate::session::hello_of;

/// A hello takes the place of a player of the same session who was not heard for this long. It is longer than packets are
/// late, so that no hello of the player's own does it, and shorter than a person waits.
const REJOIN_AFTER: Micros = Micros::from_millis(1_000);

impl<G: Game> Server<G> {
    pub(super) fn handle_opening(&mut self, at: usize, bytes: &[u8]) -> Result<(), Fault> {
        let (token, version, hello) = match Opening::read(&mut Reader::new(bytes))? {
            Opening::Hello { token, hello } => (token, wire::VERSION, Some(hello)),
            Opening::ForeignHello { version, token } => (token, version, None),
            _ => return Err(Fault::WrongDirection { kind: bytes[3] }),
        };
        let ours = hello_of(&self.game, self.config.rate_hz);
        let peer = &mut self.peers[at];
        peer.token = token;
        if let Some(seat) = &mut peer.seat {
            if !seat.heard_command {
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
            self.release(at, Some(Goodbye::Replaced));
        }
        let misfit = match &hello {
            Some(theirs) => Peer::<G>::compare(&ours, version, theirs),
            None => Some(Refusal::Version),
        };
        let refusal = misfit.or_else(|| self.take_in(at).err());
        self.peers[at].refusal = refusal;
        self.counters.refusals += u64::from(refusal.is_some());
        Ok(())
    }

    fn take_in(&mut self, at: usize) -> Result<(), Refusal> {
        if self.seated() >= usize::from(self.config.max_players) {
            return Err(Refusal::Full);
        }
        let key = self.game.join(Driver::Player).ok_or(Refusal::Declined)?;
        let player = self.free_player();
        let peer = &mut self.peers[at];
        peer.seat = Some(Box::new(Seat::new(key, player, self.tick, peer.first)));
        peer.left = false;
        peer.heard_at = self.now;
        self.counters.joins += 1;
        Ok(())
    }

    /// Numbers count up from 1 and wrap past those still held.
    fn free_player(&mut self) -> u16 {
        loop {
            self.next_player = self.next_player.wrapping_add(1).max(1);
            let held = self
                .peers
                .iter()
                .filter_map(|peer| peer.seat.as_ref())
                .any(|seat| seat.player == self.next_player);
            if !held {
                return self.next_player;
            }
        }
    }

    pub(super) fn seated(&self) -> usize {
        self.driven.len() + self.peers.iter().filter(|peer| peer.seat.is_some()).count()
    }
}
