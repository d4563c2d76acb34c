//! What each packet carried, until it is acknowledged or forgotten.

use std::collections::VecDeque;

use wire::{Header, Seq, Tick};

/// Ticks whose packets are remembered. At 64 a second that is two seconds, more than the round trip of a 2G link.
const TICKS: u64 = 128;
/// The most packets that one tick may take.
pub const MOST_PACKETS: usize = 8;
/// The most packets remembered, whatever they are.
const PACKETS: usize = TICKS as usize * MOST_PACKETS;

#[derive(Clone, Copy, Debug)]
struct Packet {
    seq: Seq,
    tick: Tick,
    items: usize,
    acknowledged: bool,
}

/// The packets that the newest 128 ticks sent, however many each, and the things of type `T` that each packet carried. One flat
/// queue holds the things of all packets, so that nothing is allocated once it is warm.
#[derive(Clone, Debug)]
pub struct SentPackets<T> {
    next: Seq,
    packets: VecDeque<Packet>,
    items: VecDeque<T>,
}

impl<T: Copy> SentPackets<T> {
    /// Nothing sent; the first packet will be `first`.
    pub fn new(first: Seq) -> Self {
        Self {
            next: first,
            packets: VecDeque::with_capacity(TICKS as usize),
            items: VecDeque::new(),
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.packets.len() * size_of::<Packet>() + self.items.len() * size_of::<T>()
    }

    /// The sequence of the next packet.
    pub fn next(&self) -> Seq {
        self.next
    }

    /// Notes the next packet as sent in tick `tick`, with what it carried.
    pub fn push(&mut self, tick: Tick, carried: impl IntoIterator<Item = T>) {
        while let Some(oldest) = self.packets.front().copied()
            && (self.packets.len() == PACKETS || oldest.tick + TICKS <= tick)
        {
            self.packets.pop_front();
            self.items.drain(..oldest.items);
        }
        let before = self.items.len();
        self.items.extend(carried);
        let items = self.items.len() - before;
        self.packets.push_back(Packet {
            seq: self.next,
            tick,
            items,
            acknowledged: false,
        });
        self.next = self.next.next();
    }

    /// Takes the acknowledgements of a header and calls `confirmed` for each thing that was carried by a packet acknowledged
    /// for the first time. What was never sent, or is forgotten, is ignored: a sender writes this field itself.
    pub fn acknowledge(&mut self, header: &Header, mut confirmed: impl FnMut(Seq, T)) {
        let heard = Seq::from_wire(header.heard, self.next);
        // Sequences ascend, and a header tells of 33 at most: what is older need not be looked at.
        let mut recent = self.packets.len();
        let mut first = self.items.len();
        while let Some(packet) = recent.checked_sub(1).map(|at| self.packets[at])
            && heard.distance(packet.seq) <= 32
        {
            recent -= 1;
            first -= packet.items;
        }
        for packet in self.packets.range_mut(recent..) {
            let items = first..first + packet.items;
            first = items.end;
            let behind = heard.distance(packet.seq);
            let told = behind == 0
                || ((1..=32).contains(&behind) && header.history >> (behind - 1) & 1 == 1);
            if told && !packet.acknowledged {
                packet.acknowledged = true;
                for at in items {
                    confirmed(packet.seq, self.items[at]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(heard: u64, history: u32) -> Header {
        Header {
            seq: 0,
            heard: Seq::new(heard).wire(),
            history,
        }
    }

    fn confirmed(sent: &mut SentPackets<u32>, header: &Header) -> Vec<u32> {
        let mut out = Vec::new();
        sent.acknowledge(header, |_, item| out.push(item));
        out
    }

    #[test]
    fn each_thing_is_confirmed_once_and_only_if_its_packet_was_heard() {
        let mut sent = SentPackets::new(Seq::new(65_530));
        for n in 0..12 {
            sent.push(Tick::new(9), [n * 10, n * 10 + 1]);
        }
        // 65530 + 7 was heard, and of those before it the second and the fifth back.
        assert_eq!(
            confirmed(&mut sent, &header(65_537, 0b1_0010)),
            [20, 21, 50, 51, 70, 71]
        );
        assert_eq!(confirmed(&mut sent, &header(65_537, 0b1_0011)), [60, 61]);
    }

    #[test]
    fn acknowledging_what_was_never_sent_confirms_nothing() {
        let mut sent = SentPackets::new(Seq::new(65_530));
        sent.push(Tick::new(9), [1]);
        assert!(confirmed(&mut sent, &header(65_529, 0)).is_empty());
        assert!(confirmed(&mut sent, &header(65_531, 0)).is_empty());
        assert_eq!(confirmed(&mut sent, &header(65_531, 1)), [1]);
    }

    #[test]
    fn forgets_the_oldest_ticks_with_their_things_however_many_packets_they_took() {
        for packets in [1, 3, MOST_PACKETS as u32] {
            let mut sent = SentPackets::new(Seq::new(65_536));
            for n in 0..(TICKS as u32 + 5) * packets {
                sent.push(Tick::new(u64::from(n / packets)), [n; 3]);
            }
            assert_eq!(sent.packets.len(), (TICKS as u32 * packets) as usize);
            assert_eq!(sent.items.len(), sent.packets.len() * 3);
            let oldest = 5 * packets;
            let before = header(65_536 + u64::from(oldest) - 1, u32::MAX);
            assert!(confirmed(&mut sent, &before).is_empty());
            assert_eq!(
                confirmed(&mut sent, &header(65_536 + u64::from(oldest), 0)),
                [oldest; 3]
            );
        }
    }
}
