//! What the server told of an instant, once it lies in the past.

use wire::{ClassId, SlotKey};

use super::Client;
use crate::game::Game;
use crate::interpolate::Sampled;

impl<G: Game> Client<G> {
    /// An entity's fields at a server tick, whole and fraction, as everything that has come by now tells them, in world
    /// units into `out`. Between two snapshots that is a straight line. `None` of an instant later than the newest
    /// snapshot or earlier than the samples that are held, and of an entity that is not there any more.
    ///
    /// What the screen drew of that instant may differ: it had no more than what had come by then.
    pub fn told(&self, key: SlotKey, at: f64, out: &mut [f32]) -> Option<ClassId> {
        let playing = self.playing()?;
        let slot = usize::from(key.slot);
        let (occupant, class, _) = playing.world.get(slot)?;
        if occupant != key || playing.newest.is_none_or(|newest| at > newest.get() as f64) {
            return None;
        }
        let shape = &G::SCHEMA.classes[usize::from(class.0)];
        let samples = playing.world.samples();
        match samples.sample(slot, shape, at, 0.0, &mut out[..shape.width()])? {
            // What no snapshot mentioned since has not changed.
            Sampled::Between | Sampled::After => Some(class),
            Sampled::Before | Sampled::Extrapolated => None,
        }
    }
}
