//! What a client that plays sends.

use wire::{Goodbye, InputHead, InputsHead, MAX_INPUTS, Micros, Ping, Tick, Writer};

use super::Playing;
use crate::client::config::ClientConfig;
use crate::game::{Game, Input, InputOrder};
use crate::output::Delivery;
use crate::traffic::UpTraffic;

/// The round trip is measured this often.
const PING_EVERY: Micros = Micros::from_millis(250);

/// One who watches says nothing but pings, so those acknowledge. Each tells of 33 packets: at 64 snapshots a second any four of
/// five may be lost.
const PING_WATCHING: Micros = Micros::from_millis(100);

impl<G: Game> Playing<G> {
    /// The next packet that is owed, written into `w`.
    pub(in crate::client) fn say(
        &mut self,
        now: Micros,
        config: &ClientConfig,
        mut w: Writer<'_>,
        traffic: &mut UpTraffic,
    ) -> Option<usize> {
        if now >= self.next_ping {
            let every = self.me.map_or(PING_WATCHING, |_| PING_EVERY);
            self.next_ping = now + every;
            self.received.header(self.sent.next()).write(&mut w);
            Ping {
                stamp: now.get() as u32,
            }
            .write(&mut w);
            self.sent.push(self.newest_tick, []);
            let len = w.finish().ok()?;
            traffic.other += len as u64;
            return Some(len);
        }
        if !std::mem::take(&mut self.owes_inputs) {
            return None;
        }
        let one_by_one = config.single_input || config.delivery == Delivery::Ordered;
        let (redundancy, most) = if one_by_one {
            (0, 1)
        } else {
            (config.redundancy, usize::from(MAX_INPUTS))
        };
        self.inputs.select(redundancy, most, &mut self.picked);
        let (newest, made) = self.picked.last().copied()?;
        self.received.header(self.sent.next()).write(&mut w);
        let head = self.write_inputs(newest, config, &mut w);
        made.saw.write(&mut w);
        self.inputs.sent(newest);
        self.sent.push(self.newest_tick, [newest]);
        // With one command a frame, a stutter's worth goes out as several.
        self.owes_inputs = one_by_one && self.inputs.has_unsent();
        let len = w.finish().ok()?;
        traffic.headers += head as u64;
        traffic.inputs += (len - head) as u64;
        Some(len)
    }

    /// Writes the commands that were picked; gives how long the packet is before the first.
    fn write_inputs(&self, newest: Tick, config: &ClientConfig, w: &mut Writer<'_>) -> usize {
        let ack = self.newest.map_or(0, Tick::wire);
        if let [(tick, made)] = self.picked[..]
            && (config.single_input || self.newest.is_none())
        {
            InputHead { seq: tick.wire() }.write(w);
            let head = w.byte_len();
            write_input(&made.input, w);
            w.align();
            return head;
        }
        InputsHead {
            ack,
            newest: newest.wire(),
            count: self.picked.len() as u8,
        }
        .write(w);
        let head = w.byte_len();
        match G::Input::ORDER {
            InputOrder::NewestFirst => self
                .picked
                .iter()
                .rev()
                .for_each(|(_, made)| write_input(&made.input, w)),
            InputOrder::OldestFirst => self
                .picked
                .iter()
                .for_each(|(_, made)| write_input(&made.input, w)),
        }
        w.align();
        head
    }

    pub(in crate::client) fn write_goodbye(&mut self, w: &mut Writer<'_>) {
        self.received.header(self.sent.next()).write(w);
        Goodbye::Left.write(w);
        self.sent.push(self.newest_tick, []);
    }
}

fn write_input(input: &impl Input, w: &mut Writer<'_>) {
    w.open("input");
    input.write(w);
    w.close();
}
