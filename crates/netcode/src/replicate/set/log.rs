//! What was said and may still be on its way.

use std::collections::VecDeque;

use wire::{Micros, Seq};

use super::window::AckWindow;

/// What one packet said of one slot.
#[derive(Clone, Copy, Debug)]
struct Event {
    slot: u16,
    /// Who came; `None` where it was vacated.
    life: Option<u8>,
    /// How many events ago the slot was spoken of before; 0 for never, as far as is remembered.
    back: u32,
}

#[derive(Clone, Copy, Debug)]
struct Packet {
    seq: Seq,
    at: Micros,
    events: usize,
    /// It says the whole set: what was held before it is no more.
    whole: bool,
    /// What it said last of a slot was said again since.
    given_up: bool,
}

/// What became of something that was said.
pub(super) enum Settled {
    /// A whole packet was taken: what follows is all that is held.
    Whole,
    /// The slot has this occupant now.
    Held { slot: usize, life: Option<u8> },
    /// Nobody will ever hear it, and it was the newest word of its slot: it has to be said again.
    Unsaid { slot: usize },
    /// Nothing more of this slot is on its way.
    Closed { slot: usize },
}

/// Packets later than the newest that was acknowledged, and what they said, in one flat queue; the events of one slot are a
/// chain.
#[derive(Clone, Debug)]
pub(super) struct Log {
    /// The number of the oldest event kept.
    first: u64,
    events: VecDeque<Event>,
    /// By slot the number after that of its newest event; 0 for none ever.
    last: Vec<u64>,
    packets: VecDeque<Packet>,
    /// Events that belong to the packet to come.
    pending: usize,
}

impl Log {
    pub(super) fn new(slots: usize) -> Self {
        Self {
            first: 0,
            events: VecDeque::new(),
            last: vec![0; slots],
            packets: VecDeque::new(),
            pending: 0,
        }
    }

    pub(super) fn heap(&self) -> usize {
        self.events.capacity() * size_of::<Event>()
            + size_of_val(self.last.as_slice())
            + self.packets.capacity() * size_of::<Packet>()
    }

    pub(super) fn clear(&mut self) {
        self.first += self.events.len() as u64;
        self.events.clear();
        self.packets.clear();
        self.pending = 0;
    }

    pub(super) fn packets(&self) -> usize {
        self.packets.len()
    }

    pub(super) fn events(&self) -> usize {
        self.events.len()
    }

    /// The next packet will say who is in a slot.
    pub(super) fn say(&mut self, slot: usize, life: Option<u8>) {
        let number = self.first + self.events.len() as u64;
        let last = &mut self.last[slot];
        // A chain that is not kept any more has ended.
        let back = if *last > self.first {
            (number + 1 - *last) as u32
        } else {
            0
        };
        *last = number + 1;
        self.events.push_back(Event {
            slot: slot as u16,
            life,
            back,
        });
        self.pending += 1;
    }

    /// A packet goes out with all that [`say`](Self::say) was told since the one before.
    pub(super) fn send(&mut self, seq: Seq, at: Micros, whole: bool) {
        self.packets.push_back(Packet {
            seq,
            at,
            events: std::mem::take(&mut self.pending),
            whole,
            given_up: false,
        });
    }

    /// Who may have come to a slot by a packet in the log, newest first; the same one more than once at times.
    pub(super) fn entered(&self, slot: usize) -> impl Iterator<Item = u8> + '_ {
        let mut next = self.last[slot];
        std::iter::from_fn(move || {
            // Numbers are one up here.
            let event = self
                .events
                .get(next.checked_sub(self.first + 1)? as usize)?;
            next = match event.back {
                0 => 0,
                back => next - u64::from(back),
            };
            Some(event)
        })
        .filter_map(|event| event.life)
    }

    /// Gives up what went out so long before `now` and was not heard of since; calls `unsaid` for each slot of which that was the
    /// newest word.
    pub(super) fn give_up(&mut self, now: Micros, patience: Micros, mut unsaid: impl FnMut(usize)) {
        let mut number = self.first;
        for packet in &mut self.packets {
            if packet.at + patience > now {
                break;
            }
            let given_up = std::mem::replace(&mut packet.given_up, true);
            for _ in 0..packet.events {
                let slot = usize::from(self.events[(number - self.first) as usize].slot);
                number += 1;
                if !given_up && self.last[slot] == number {
                    unsaid(slot);
                }
            }
        }
    }

    /// Whether a packet is in the log.
    pub(super) fn contains(&self, seq: Seq) -> bool {
        self.packets
            .binary_search_by_key(&seq, |packet| packet.seq)
            .is_ok()
    }

    /// Whether the window reaches back to the oldest packet here: whether of each up to the newest it says taken or not.
    pub(super) fn is_told(&self, window: &AckWindow) -> bool {
        let oldest = self.packets.front();
        oldest.is_none_or(|packet| window.reaches(packet.seq))
    }

    /// Forgets every packet up to the window's newest, and says of each thing that they said what became of it. A packet that is
    /// not in the window was not taken before the newest was, and so never will be. With `each_is_all`, every packet says
    /// again what those before it said, and the newest alone counts.
    pub(super) fn settle(
        &mut self,
        window: &AckWindow,
        each_is_all: bool,
        mut became: impl FnMut(Settled),
    ) {
        while let Some(packet) = self
            .packets
            .front()
            .filter(|packet| packet.seq <= window.newest)
        {
            let taken = each_is_all || window.contains(packet.seq);
            if packet.whole && taken {
                became(Settled::Whole);
            }
            for event in self.events.drain(..packet.events) {
                self.first += 1;
                let slot = usize::from(event.slot);
                let newest = self.last[slot] == self.first;
                if taken {
                    let life = event.life;
                    became(Settled::Held { slot, life });
                } else if newest {
                    became(Settled::Unsaid { slot });
                }
                if newest {
                    became(Settled::Closed { slot });
                }
            }
            self.packets.pop_front();
        }
    }
}
