//! A stream: what the carrier promises, and exactly when.

use super::*;
use crate::testing::{Arrival, drain, ms, plain, run, stamped};
use crate::{Carrier, Link, LinkConfig};

fn stream() -> LinkConfig {
    plain(Carrier::Ordered, 40)
}

/// Sends a packet every 16 ms from 0 to `last`, with nothing taken out.
fn send_until(link: &mut Link, last: u64) {
    for now in (0..=last).step_by(16).map(ms) {
        link.send(now, &stamped(now));
    }
}

fn times(arrivals: &[Arrival]) -> Vec<u64> {
    arrivals.iter().map(|a| a.at.get() / 1_000).collect()
}

#[test]
fn nothing_is_lost_doubled_or_out_of_order_whatever_the_network_does() {
    for seed in 0..6 {
        let config = LinkConfig {
            jitter: ms(50),
            loss: [0.05, 0.5][seed as usize % 2],
            reorder: 0.2,
            duplicate: 0.3,
            ..stream()
        };
        let mut link = Link::new(seed, config);
        let arrivals = run(&mut link, 3_000, ms(16));
        assert!(arrivals.iter().map(|a| a.id).eq(0..3_000));
        let told = link.counters();
        assert!(told.resent > 100 && told.late > 1_000);
        assert_eq!((told.lost, told.doubled, told.refused), (0, 0, 0));
    }
}

#[test]
fn jitter_makes_a_packet_wait_for_the_one_before_it() {
    let mut link = Link::new(
        1,
        LinkConfig {
            jitter: ms(40),
            ..stream()
        },
    );
    let arrivals = run(&mut link, 2_000, ms(4));
    assert!(arrivals.windows(2).all(|w| w[0].at <= w[1].at));
    assert!(arrivals.windows(2).any(|w| w[0].at == w[1].at));
    assert_eq!(link.counters().late, 0, "nothing was resent");
}

#[test]
fn a_loss_stalls_what_is_behind_and_then_all_of_it_comes_at_once() {
    let mut link = Link::new(1, stream());
    link.drop_next();
    send_until(&mut link, 160);
    let flights: Vec<_> = link.in_flight().map(|f| (f.due, f.fate)).collect();
    // The packet of 16 ms is heard of at 96. A round trip, a quarter of one and the timer's 10 ms after the loss the
    // sender is sure: resent at 110, there at 150. What was sent until 110 has arrived by then and waits.
    assert!(
        flights[..7].iter().all(|&f| f == (ms(150), Fate::Late)),
        "{flights:?}"
    );
    assert_eq!(flights[7], (ms(152), Fate::Delivered));
    let arrivals = drain(&mut link, Micros::MAX);
    assert_eq!(
        times(&arrivals),
        [150, 150, 150, 150, 150, 150, 150, 152, 168, 184, 200]
    );
    assert_eq!((link.counters().late, link.counters().resent), (7, 1));
}

#[test]
fn three_later_packets_end_the_wait() {
    let mut link = Link::new(1, stream());
    link.drop_next();
    for now in [0, 4, 8, 12].map(ms) {
        link.send(now, &stamped(now));
    }
    // The third is heard of at 92.
    assert_eq!(times(&drain(&mut link, Micros::MAX)), [132; 4]);
}

#[test]
fn a_lost_resend_is_noticed_by_what_is_sent_after_it() {
    let mut link = Link::new(1, stream());
    link.drop_next();
    send_until(&mut link, 96);
    // The resend of 110 falls into the dark, as do the packets of 112 and 128; that of 144 gets through and is heard of
    // at 224. Nobody waits for overtaken packets any more: all three are sent again at once.
    link.dark(ms(100), ms(40));
    for now in [112, 128, 144, 160].map(ms) {
        link.send(now, &stamped(now));
    }
    let arrivals = drain(&mut link, Micros::MAX);
    assert_eq!(times(&arrivals), [264; 11]);
    assert_eq!(link.counters().resent, 4);
}

#[test]
fn a_sender_that_repairs_does_not_wait() {
    let missing = |lost: [u64; 2]| {
        let mut link = Link::new(1, stream());
        for now in (0..=192).step_by(16) {
            if lost.contains(&now) {
                link.drop_next();
            }
            link.send(ms(now), &stamped(ms(now)));
        }
        times(&drain(&mut link, Micros::MAX))
    };
    // That of 0 is resent at 110. The packet of 48, heard of at 128, gives that of 32 away while the repair is under way.
    assert_eq!(missing([0, 32])[..7], [150, 150, 168, 168, 168, 168, 168]);
    // That of 96 was missing when the repair began, which lasts until it is there: given away at 192 by that of 112.
    assert_eq!(missing([0, 96])[..7], [150, 150, 150, 150, 150, 150, 232]);
}

#[test]
fn a_clone_knows_of_the_repair() {
    let mut link = Link::new(1, stream());
    link.drop_next();
    send_until(&mut link, 80);
    link.drop_next();
    link.send(ms(96), &stamped(ms(96)));
    // That of 0 was resent at 110, which is past when the next packet is sent.
    link.set_config(ms(111), stream());
    let mut clones = [link.clone(), Link::new(2, stream())];
    clones[1].clone_from(&link);
    for clone in &mut clones {
        clone.send(ms(112), &stamped(ms(112)));
        assert_eq!(times(&drain(clone, Micros::MAX))[6..], [232, 232]);
    }
}

#[test]
fn what_was_resent_before_a_change_arrives() {
    let mut link = Link::new(1, stream());
    link.drop_next();
    link.send(ms(0), &stamped(ms(0)));
    link.dark(ms(281), ms(1_000));
    assert_eq!(link.next_at(), Some(ms(320)));
    link.set_config(ms(282), plain(Carrier::Ordered, 400));
    assert_eq!(link.next_at(), Some(ms(320)));
}

#[test]
fn without_later_packets_a_timer_resends_and_backs_off() {
    let mut link = Link::new(1, stream());
    link.drop_next();
    link.send(ms(0), &stamped(ms(0)));
    // A round trip and 200 ms.
    assert_eq!(link.next_at(), Some(ms(280 + 40)));
    link.dark(ms(100), ms(200));
    // The resend of 280 is lost, the next comes twice as long after it.
    assert_eq!(link.next_at(), Some(ms(280 + 560 + 40)));
    link.dark(ms(100), ms(741));
    assert_eq!(link.next_at(), Some(ms(280 + 560 + 1120 + 40)));
}

#[test]
fn a_dark_stream_holds_and_goes_on_a_round_trip_after() {
    let mut link = Link::new(1, stream());
    link.dark(ms(0), ms(300));
    send_until(&mut link, 480);
    // The first packet after the dark, that of 304, is heard of at 384, and all that were lost are sent again.
    let arrivals = drain(&mut link, Micros::MAX);
    assert!(arrivals.iter().map(|a| a.id).eq(0..31));
    assert!(
        arrivals[..25].iter().all(|a| a.at == ms(424)),
        "{:?}",
        times(&arrivals)
    );
    assert_eq!(arrivals[25].at, ms(440));
}

#[test]
fn the_way_back_counts() {
    let due = |round_trip| {
        let mut link = Link::new(
            1,
            LinkConfig {
                round_trip,
                ..stream()
            },
        );
        link.drop_next();
        send_until(&mut link, 16);
        drain(&mut link, Micros::MAX)[0].at
    };
    assert_eq!(due(ms(0)), due(ms(80)));
    assert_eq!(due(ms(80)), ms(150));
    assert_eq!(due(ms(200)), ms(200 + 50 + 10 + 40));
}

#[test]
fn a_resend_goes_by_the_settings_of_its_time() {
    let mut link = Link::new(
        1,
        LinkConfig {
            loss: 1.0,
            ..stream()
        },
    );
    send_until(&mut link, 3_200);
    assert!(drain(&mut link, ms(3_200)).is_empty());
    // Out of the worst: the next packet gets through, gives the rest away, and a round trip later all is well.
    link.set_config(ms(3_210), stream());
    link.send(ms(3_216), &stamped(ms(3_216)));
    let arrivals = drain(&mut link, Micros::MAX);
    assert_eq!(arrivals.len(), 202);
    assert!(
        arrivals.iter().all(|a| a.at <= ms(3_216 + 120)),
        "{:?}",
        times(&arrivals)
    );
}

#[test]
fn a_stream_that_loses_everything_still_ends() {
    let mut link = Link::new(
        1,
        LinkConfig {
            loss: 1.0,
            ..stream()
        },
    );
    link.send(ms(0), &stamped(ms(0)));
    let arrivals = drain(&mut link, Micros::MAX);
    // Eight doublings from 280 ms, and then a minute each until the fifteenth resend.
    let doublings = 280 * (1 + 2 + 4 + 8 + 16 + 32 + 64 + 128);
    assert_eq!(times(&arrivals), [doublings + 7 * 60_000 + 40]);
    assert_eq!(link.counters().resent, 15);
}
