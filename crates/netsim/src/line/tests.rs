//! What the network does to packets in a row: bursts, the queue before a rate, what changes with time.

use std::sync::Arc;

use wire::Micros;

use crate::testing::{Arrival, digest, drain, fits, ms, plain, run, stamped};
use crate::{Carrier, Fate, Link, LinkConfig, OVERHEAD, Trace, Vary};

const GAP: Micros = Micros::new(15_625);

/// Bytes of a stamped packet on the line.
const PACKET: u32 = 100 + OVERHEAD;

fn lossy(loss: f64, burst: f64) -> LinkConfig {
    LinkConfig {
        loss,
        burst,
        jitter: ms(20),
        ..plain(Carrier::Datagram, 40)
    }
}

/// Which packets of a run arrive.
fn heard(seed: u64, config: LinkConfig, packets: u64) -> Vec<bool> {
    let mut heard = vec![false; packets as usize];
    for arrival in run(&mut Link::new(seed, config), packets, GAP) {
        heard[arrival.id as usize] = true;
    }
    heard
}

/// A link that lets a packet through in so many ms and queues as long as told.
fn capped(carrier: Carrier, each: u64, queue: u64) -> LinkConfig {
    LinkConfig {
        rate: PACKET * 1_000 / each as u32,
        queue: ms(queue),
        ..plain(carrier, 40)
    }
}

fn delays(arrivals: &[Arrival]) -> Vec<u64> {
    arrivals.iter().map(|a| a.delay().get() / 1_000).collect()
}

#[test]
fn bursts_are_as_long_as_told_and_lose_no_more() {
    const N: u64 = 100_000;
    for (seed, loss, burst) in [
        (1, 0.05, 3.0),
        (2, 0.02, 12.0),
        (3, 0.3, 6.0),
        (4, 0.5, 2.5),
    ] {
        let heard = heard(seed, lossy(loss, burst), N);
        let lost = heard.iter().filter(|&&heard| !heard).count() as f64;
        let runs = heard.windows(2).filter(|pair| pair[0] && !pair[1]).count() as f64;
        // A share is as uncertain as that of so many runs, and lengths spread as far as they are long.
        let off = 4.5 * (2.0 * burst * loss / N as f64).sqrt();
        assert!(
            (lost / N as f64 - loss).abs() < off,
            "{loss}, {burst}: {lost} lost"
        );
        let length = lost / runs;
        assert!(
            (length / burst - 1.0).abs() < 4.5 / runs.sqrt(),
            "{loss}, {burst}: {length} in a row"
        );
    }
}

#[test]
fn bursts_of_one_are_losses_each_on_its_own() {
    let alone = heard(7, lossy(0.3, 0.0), 5_000);
    assert!(fits(
        alone.iter().filter(|&&heard| !heard).count() as u64,
        5_000,
        0.3
    ));
    for burst in [1.0, 1.4, f64::NAN, -3.0] {
        assert_eq!(heard(7, lossy(0.3, burst), 5_000), alone, "{burst}");
    }
    assert_ne!(heard(7, lossy(0.3, 1.5), 5_000), alone);
}

#[test]
fn bursts_leave_the_other_draws_alone_and_end_with_the_loss() {
    let go = |burst| run(&mut Link::new(3, lossy(0.1, burst)), 2_000, ms(100));
    let alone: std::collections::BTreeMap<_, _> =
        go(1.0).iter().map(|a| (a.id, a.delay())).collect();
    let bursts = go(8.0);
    let both = bursts
        .iter()
        .filter_map(|a| Some((a.delay(), *alone.get(&a.id)?)));
    assert!(both.clone().count() > 1_000 && both.clone().all(|(one, other)| one == other));

    let mut link = Link::new(3, lossy(1.0, 8.0));
    link.send(ms(0), b"lost");
    link.set_config(ms(1), lossy(0.0, 8.0));
    link.send(ms(1), b"not");
    assert_eq!((link.counters().lost, link.in_flight().count()), (1, 2));
}

#[test]
fn a_stream_repairs_a_burst_as_any_loss() {
    let config = LinkConfig {
        carrier: Carrier::Ordered,
        ..lossy(0.1, 6.0)
    };
    let mut link = Link::new(5, config);
    let arrivals = run(&mut link, 3_000, GAP);
    assert!(arrivals.iter().map(|a| a.id).eq(0..3_000));
    // Each lost packet takes one transmission more, and one in nine of those another.
    assert!(
        (250..450).contains(&link.counters().resent),
        "{:?}",
        link.counters()
    );
}

#[test]
fn below_the_rate_a_packet_takes_its_own_time_and_no_more() {
    for carrier in [Carrier::Datagram, Carrier::Ordered] {
        let mut link = Link::new(1, capped(carrier, 10, 50));
        assert!(
            delays(&run(&mut link, 200, ms(10)))
                .iter()
                .all(|&delay| delay == 50)
        );
        assert_eq!(link.backed_up_until(ms(1_990)), None);
    }
}

#[test]
fn above_the_rate_the_delay_climbs_to_the_bound_and_then_packets_are_dropped() {
    let mut link = Link::new(1, capped(Carrier::Datagram, 10, 100));
    let arrivals = run(&mut link, 400, ms(5));
    let delays = delays(&arrivals);
    assert_eq!(delays[..5], [50, 55, 60, 65, 70], "5 ms more each");
    assert_eq!(
        delays.iter().max(),
        Some(&150),
        "the latency, the queue, and its own time"
    );
    let full = &delays[50..];
    assert!(full.iter().all(|&delay| delay >= 145), "it stays full");
    let told = link.counters();
    assert_eq!(
        (told.lost, told.dropped),
        (told.dropped, 400 - arrivals.len() as u64)
    );
    // Half of what is offered fits, once the queue is full.
    assert!((185..=195).contains(&told.dropped), "{told:?}");
    assert_eq!(link.backed_up_until(ms(2_200)), None);
}

#[test]
fn a_dropped_packet_is_a_loss_to_be_seen_and_takes_none_of_the_rate() {
    let mut link = Link::new(1, capped(Carrier::Datagram, 10, 0));
    for _ in 0..3 {
        link.send(ms(0), &stamped(ms(0)));
    }
    let lost = link.in_flight().filter(|flight| flight.fate == Fate::Lost);
    assert_eq!(
        lost.map(|flight| flight.id.get()).collect::<Vec<_>>(),
        [1, 2]
    );
    link.send(ms(10), &stamped(ms(10)));
    assert_eq!(delays(&drain(&mut link, Micros::MAX)), [50, 50]);
}

#[test]
fn a_stream_loses_nothing_to_the_rate_and_says_when_it_is_backed_up() {
    let mut link = Link::new(1, capped(Carrier::Ordered, 10, 100));
    for now in (0..=300).step_by(5).map(ms) {
        // Twice as much is sent as goes through, so as much time again is owed, and 100 ms of that may be.
        let until = (now > ms(100)).then(|| now * 2 - ms(100));
        assert_eq!(link.backed_up_until(now), until, "{now}");
        link.send(now, &stamped(now));
    }
    let delays = delays(&drain(&mut link, Micros::MAX));
    assert_eq!((delays.len(), delays.last()), (61, Some(&(50 + 300))));
    assert_eq!(link.counters().lost, 0);
}

#[test]
fn what_waits_on_a_stream_goes_at_the_new_rate() {
    let mut link = Link::new(1, capped(Carrier::Ordered, 100, 100));
    for _ in 0..5 {
        link.send(ms(0), &stamped(ms(0)));
    }
    // One is through, and half of the next; the other three and a half take a tenth of the time.
    link.set_config(ms(150), capped(Carrier::Ordered, 10, 100));
    link.send(ms(150), &stamped(ms(150)));
    assert_eq!(
        delays(&drain(&mut link, Micros::MAX)),
        [140, 195, 205, 215, 225, 85]
    );

    let mut link = Link::new(1, capped(Carrier::Ordered, 100, 100));
    link.drop_next();
    link.send(ms(0), &stamped(ms(0)));
    link.set_config(ms(50), plain(Carrier::Ordered, 40));
    assert_eq!(
        link.next_at(),
        Some(ms(50 + 280 + 40)),
        "the timer runs from when it left"
    );
}

#[test]
fn what_waits_meets_the_network_when_it_leaves_the_queue() {
    let vary = Vary::Ramp {
        depth: ms(100),
        period: ms(1_000),
    };
    let config = LinkConfig {
        vary,
        ..capped(Carrier::Datagram, 100, 1_000)
    };
    let mut link = Link::new(1, config);
    link.dark(ms(0), ms(150));
    for _ in 0..2 {
        link.send(ms(0), &stamped(ms(0)));
    }
    // One leaves at 100, in the dark, the other at 200.
    assert_eq!(delays(&drain(&mut link, Micros::MAX)), [200 + 40 + 20]);
    assert_eq!((link.counters().lost, link.counters().dropped), (1, 0));

    // A stream's round trip begins there too. The second leaves at 100 and is heard of at 180, which is long enough after the
    // first one left, at 50: it is sent again at once.
    let mut link = Link::new(1, capped(Carrier::Ordered, 50, 1_000));
    link.drop_next();
    for _ in 0..2 {
        link.send(ms(0), &stamped(ms(0)));
    }
    assert_eq!(link.next_at(), Some(ms(180 + 40)));
}

#[test]
fn what_the_network_remembers_is_part_of_the_digest() {
    let after = |before: LinkConfig, by_hand: bool, then: LinkConfig| {
        let mut link = Link::new(1, before);
        if by_hand {
            link.drop_next();
        }
        link.send(ms(0), &stamped(ms(0)));
        link.set_config(ms(1), then);
        digest(&link)
    };
    let bursts = lossy(0.1, 8.0);
    assert_ne!(
        after(lossy(1.0, 8.0), false, bursts),
        after(lossy(0.0, 8.0), true, bursts),
        "whether it is losing"
    );
    let slow = capped(Carrier::Datagram, 100, 200);
    assert_ne!(
        after(slow, false, slow),
        after(plain(Carrier::Datagram, 140), false, slow),
        "what is in the queue"
    );
}

#[test]
fn the_latency_follows_the_wave_at_the_instant_of_leaving() {
    let vary = Vary::Wave {
        depth: ms(100),
        period: ms(1_000),
    };
    for carrier in [Carrier::Datagram, Carrier::Ordered] {
        let mut link = Link::new(
            1,
            LinkConfig {
                vary,
                ..plain(carrier, 40)
            },
        );
        assert_eq!(delays(&run(&mut link, 5, ms(250))), [40, 90, 140, 90, 40]);
    }
}

#[test]
fn a_trace_is_played_over_and_over_on_top_of_the_link() {
    let trace = Trace::parse("0,0,0\n100,30,0\n200,0,1\n300,10,0")
        .map(Arc::new)
        .unwrap();
    let config = LinkConfig {
        vary: Vary::Trace,
        ..plain(Carrier::Datagram, 40)
    };
    let mut link = Link::new(1, config);
    assert_eq!(
        delays(&run(&mut link.clone(), 8, ms(100))),
        [40; 8],
        "there is none yet"
    );
    let without = digest(&link);
    link.set_trace(ms(0), Some(trace.clone()));
    assert_ne!(digest(&link), without);
    assert_eq!(
        delays(&run(&mut link, 8, ms(100))),
        [40, 70, 50, 40, 70, 50]
    );
    assert_eq!(link.counters().lost, 2);

    // On a stream what it loses is repaired.
    let mut link = Link::new(
        1,
        LinkConfig {
            carrier: Carrier::Ordered,
            ..config
        },
    );
    link.set_trace(ms(0), Some(trace));
    assert_eq!(run(&mut link, 8, ms(100)).len(), 8);
    assert!(link.counters().resent >= 2);
}
