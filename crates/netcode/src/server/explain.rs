//! What a packet to the server says, told field by field and not taken.

use wire::{FieldSink, Header, Opening, Reader, is_prefixed};

use super::Server;
use super::peer::{Peer, Play};
use super::uplink::Uplink;
use crate::game::Game;
use crate::output::{Fault, PeerId};

impl<G: Game> Server<G> {
    /// Reads a packet of a peer as [`Server::handle`] would now, and tells `sink` every field of it. Nothing is applied,
    /// marked or counted.
    ///
    /// # Errors
    /// Where it cannot be read on; the fields before are told.
    pub fn explain(&self, id: PeerId, bytes: &[u8], sink: &mut dyn FieldSink) -> Result<(), Fault> {
        let mut r = Reader::new(bytes).with_sink(sink);
        if is_prefixed(bytes) {
            Opening::read(&mut r)?;
            return Ok(());
        }
        Header::read(&mut r)?;
        let peer = self.peers.iter().find(|peer| peer.id == id);
        let play = peer.and_then(Peer::play);
        let near = play.map_or(self.tick, Play::near);
        Uplink::<G::Input>::read(&mut r, near, self.tick)?;
        Ok(())
    }
}
