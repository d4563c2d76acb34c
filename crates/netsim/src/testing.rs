//! What the tests of a link share: send, drain, look.

use wire::Micros;

use crate::{Carrier, Link, LinkConfig, LinkCounters};

/// A packet as it came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrival {
    pub(crate) id: u64,
    pub(crate) sent: Micros,
    pub(crate) at: Micros,
}

impl Arrival {
    pub(crate) fn delay(&self) -> Micros {
        self.at - self.sent
    }
}

pub(crate) const fn ms(millis: u64) -> Micros {
    Micros::from_millis(millis)
}

/// Latency alone.
pub(crate) fn plain(carrier: Carrier, latency: u64) -> LinkConfig {
    LinkConfig {
        latency: ms(latency),
        carrier,
        ..LinkConfig::default()
    }
}

/// A packet that says when it was sent.
pub(crate) fn stamped(now: Micros) -> [u8; 100] {
    let mut packet = [0; 100];
    packet[..8].copy_from_slice(&now.get().to_le_bytes());
    packet
}

/// Everything that arrives until `until`, each at its own instant.
pub(crate) fn drain(link: &mut Link, until: Micros) -> Vec<Arrival> {
    let (mut arrivals, mut packet) = (Vec::new(), Vec::new());
    let mut now = Micros::ZERO;
    while let Some(next) = link.next_at().filter(|&next| next <= until) {
        now = now.max(next);
        while let Some(id) = link.receive(now, &mut packet) {
            let sent = Micros::new(u64::from_le_bytes(packet[..8].try_into().expect("8 bytes")));
            assert_eq!(packet, stamped(sent), "the bytes of packet {id:?} changed");
            arrivals.push(Arrival {
                id: id.get(),
                sent,
                at: now,
            });
        }
    }
    arrivals
}

/// Sends `packets` from 0 on, one every `gap`, and takes everything out as it comes.
pub(crate) fn run(link: &mut Link, packets: u64, gap: Micros) -> Vec<Arrival> {
    run_from(link, Micros::ZERO, packets, gap)
}

/// The same from another instant on.
pub(crate) fn run_from(link: &mut Link, from: Micros, packets: u64, gap: Micros) -> Vec<Arrival> {
    let before = *link.counters();
    let mut arrivals = Vec::new();
    for n in 0..packets {
        let now = from + gap * n;
        arrivals.extend(drain(link, now));
        link.send(now, &stamped(now));
    }
    arrivals.extend(drain(link, Micros::MAX));
    let LinkCounters {
        sent,
        delivered,
        lost,
        refused,
        doubled,
        ..
    } = *link.counters();
    assert_eq!(
        sent,
        delivered + lost + refused,
        "a packet is unaccounted for"
    );
    assert_eq!(
        arrivals.len() as u64,
        delivered + doubled - before.delivered - before.doubled
    );
    arrivals
}

pub(crate) fn digest(link: &Link) -> Vec<u64> {
    let mut words = Vec::new();
    link.digest(&mut |word| words.push(word));
    words
}

/// Whether `hits` of `tries` is what chance gives at `share`: within 4.5 standard deviations, which a sound generator
/// leaves in seven of a million runs.
pub(crate) fn fits(hits: u64, tries: u64, share: f64) -> bool {
    let (mean, tries) = (tries as f64 * share, tries as f64);
    (hits as f64 - mean).abs() <= 4.5 * (tries * share * (1.0 - share)).sqrt()
}
