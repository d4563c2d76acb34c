//! Where the bytes of packets in flight are: one flat block, so that a clone is a copy and a steady stream allocates
//! nothing.

/// Bytes a chunk. A snapshot of a few hundred bytes takes two or three, an input packet one; half a chunk is wasted on
/// average for each packet. A guess that nothing depends on.
const CHUNK: usize = 128;

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// The bytes of one packet in an [`Arena`]; whoever stores keeps it, and frees it exactly once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stored {
    head: u32,
    /// Length in bytes.
    pub(crate) len: u32,
}

/// Packets cut into chunks, each a link of a chain; freed chunks are used again, in any order of freeing.
///
/// It grows to the most that was ever in flight and stays there; the owner bounds what it stores.
#[derive(Debug)]
pub(crate) struct Arena {
    bytes: Vec<u8>,
    /// For each chunk the next of its chain, or of the free list.
    next: Vec<u32>,
    free: u32,
}

impl Arena {
    pub(crate) const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            next: Vec::new(),
            free: NONE,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.bytes.len() + size_of_val(self.next.as_slice())
    }

    /// Keeps a copy of `bytes`, which are fewer than 2^32.
    pub(crate) fn store(&mut self, bytes: &[u8]) -> Stored {
        let mut head = NONE;
        // From the last chunk to the first, so that each knows its successor when it is made.
        for part in bytes.chunks(CHUNK).rev() {
            let chunk = self.take();
            let at = chunk as usize * CHUNK;
            self.bytes[at..at + part.len()].copy_from_slice(part);
            self.next[chunk as usize] = head;
            head = chunk;
        }
        Stored {
            head,
            len: bytes.len() as u32,
        }
    }

    /// The bytes of a packet, a chunk at a time.
    pub(crate) fn parts(&self, stored: Stored) -> impl Iterator<Item = &[u8]> {
        let (mut chunk, mut left) = (stored.head, stored.len as usize);
        std::iter::from_fn(move || {
            if chunk == NONE {
                return None;
            }
            let (at, len) = (chunk as usize * CHUNK, left.min(CHUNK));
            chunk = self.next[chunk as usize];
            left -= len;
            Some(&self.bytes[at..at + len])
        })
    }

    /// The bytes of a packet in one piece.
    pub(crate) fn copy(&self, stored: Stored) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(stored.len as usize);
        self.parts(stored)
            .for_each(|part| bytes.extend_from_slice(part));
        bytes
    }

    /// Gives the chunks of a packet back.
    pub(crate) fn free(&mut self, stored: Stored) {
        let mut chunk = stored.head;
        while chunk != NONE {
            let next = self.next[chunk as usize];
            self.next[chunk as usize] = self.free;
            self.free = chunk;
            chunk = next;
        }
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity() + self.next.capacity() * size_of::<u32>()
    }

    /// Where the block stands: a new place means a new allocation.
    #[cfg(test)]
    pub(crate) fn bytes_at(&self) -> *const u8 {
        self.bytes.as_ptr()
    }

    fn take(&mut self) -> u32 {
        if self.free == NONE {
            let chunk = self.next.len() as u32;
            self.next.push(NONE);
            self.bytes.resize(self.bytes.len() + CHUNK, 0);
            return chunk;
        }
        let chunk = self.free;
        self.free = self.next[chunk as usize];
        chunk
    }
}

impl Clone for Arena {
    fn clone(&self) -> Self {
        Self {
            bytes: self.bytes.clone(),
            next: self.next.clone(),
            free: self.free,
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.bytes.clone_from(&source.bytes);
        self.next.clone_from(&source.next);
        self.free = source.free;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arena: &Arena, stored: Stored) -> Vec<u8> {
        arena.parts(stored).flatten().copied().collect()
    }

    #[test]
    fn packets_of_every_length_come_back_whole_while_others_come_and_go() {
        let mut arena = Arena::new();
        let packet = |n: usize| (0..n).map(|i| (i * 31 + n) as u8).collect::<Vec<_>>();
        let mut held = Vec::new();
        for n in 0..600 {
            held.push((n, arena.store(&packet(n))));
            if n % 3 == 0 {
                let (_, gone) = held.remove(held.len() / 2);
                arena.free(gone);
            }
            if n % 50 == 0 {
                assert!(
                    held.iter()
                        .all(|&(n, stored)| read(&arena, stored) == packet(n))
                );
            }
        }
        assert!(
            held.iter()
                .all(|&(n, stored)| read(&arena, stored) == packet(n))
        );
    }

    #[test]
    fn freed_chunks_are_used_again() {
        let mut arena = Arena::new();
        for n in 0..10_000usize {
            let stored = arena.store(&[0; 300][..n % 300]);
            arena.free(stored);
        }
        assert_eq!(arena.next.len(), 3);
    }
}
