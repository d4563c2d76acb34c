//! What a packet to the client says, told field by field and not taken.

use wire::{FieldSink, Goodbye, Header, Kind, Opening, Pong, Reader, SnapshotHead, is_prefixed};

use super::Client;
use super::world::Parsed;
use crate::game::Game;
use crate::output::{Fault, finish};

impl<G: Game> Client<G> {
    /// Reads a packet of the server as [`Client::handle`] would now, and tells `sink` every field of it. Nothing is
    /// applied, marked or counted.
    ///
    /// # Errors
    /// Where it cannot be read on; the fields before are told.
    pub fn explain(&self, bytes: &[u8], sink: &mut dyn FieldSink) -> Result<(), Fault> {
        let mut r = Reader::new(bytes).with_sink(sink);
        if is_prefixed(bytes) {
            Opening::read(&mut r)?;
            return Ok(());
        }
        Header::read(&mut r)?;
        match Kind::peek(&r)? {
            Kind::Snapshot => {
                let head = SnapshotHead::read(&mut r)?;
                let playing = self.playing().ok_or(Fault::NotJoined)?;
                let tick = playing.snapshot_tick(&head);
                let mut parsed = Parsed::default();
                playing.world.parse::<G>(tick, &head, &mut r, &mut parsed)
            }
            Kind::Pong => {
                Pong::read(&mut r)?;
                finish(&r)
            }
            Kind::Goodbye => {
                Goodbye::read(&mut r)?;
                finish(&r)
            }
            kind @ (Kind::Input | Kind::Inputs | Kind::Ping) => {
                Err(Fault::WrongDirection { kind: kind.code() })
            }
        }
    }
}
