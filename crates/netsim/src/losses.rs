//! What a datagram link lost, until it would have arrived. It is there to be looked at: no delivery depends on it.

use std::collections::VecDeque;

use wire::Micros;

use crate::arena::{Arena, Stored};
use crate::link::{MAX_BYTES, MAX_PACKETS};
use crate::{Flight, PacketId};

/// Losses in the order in which they were lost, with their bytes. At most [`MAX_PACKETS`] of them and [`MAX_BYTES`]
/// together; past that the oldest is forgotten first.
#[derive(Debug)]
pub(crate) struct Losses {
    queue: VecDeque<(Flight, Stored)>,
    arena: Arena,
    held: usize,
}

impl Losses {
    pub(crate) const fn new() -> Self {
        Self {
            queue: VecDeque::new(),
            arena: Arena::new(),
            held: 0,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.queue.len() * size_of::<(Flight, Stored)>() + self.arena.heap()
    }

    /// A packet is lost. One that is too long for all the room there is goes unlisted.
    pub(crate) fn push(&mut self, packet: Flight, bytes: &[u8]) {
        if bytes.len() > MAX_BYTES {
            return;
        }
        while self.queue.len() == MAX_PACKETS || self.held > MAX_BYTES - bytes.len() {
            let Some((_, stored)) = self.queue.pop_front() else {
                break;
            };
            self.held -= stored.len as usize;
            self.arena.free(stored);
        }
        self.held += bytes.len();
        self.queue.push_back((packet, self.arena.store(bytes)));
    }

    /// Lets go of what would have arrived by `now`.
    pub(crate) fn forget(&mut self, now: Micros) {
        let (arena, held) = (&mut self.arena, &mut self.held);
        self.queue.retain(|&(packet, stored)| {
            let waits = packet.due > now;
            if !waits {
                *held -= stored.len as usize;
                arena.free(stored);
            }
            waits
        });
    }

    pub(crate) fn flights(&self) -> impl Iterator<Item = Flight> {
        self.queue.iter().map(|&(packet, _)| packet)
    }

    pub(crate) fn bytes_of(&self, id: PacketId) -> Option<Vec<u8>> {
        let (_, stored) = self.queue.iter().find(|(packet, _)| packet.id == id)?;
        Some(self.arena.copy(*stored))
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.queue.capacity() * size_of::<(Flight, Stored)>() + self.arena.capacity()
    }
}

impl Clone for Losses {
    fn clone(&self) -> Self {
        Self {
            queue: self.queue.clone(),
            arena: self.arena.clone(),
            held: self.held,
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.queue.clone_from(&source.queue);
        self.arena.clone_from(&source.arena);
        self.held = source.held;
    }
}
