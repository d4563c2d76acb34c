use wire::Micros;

use super::*;
use crate::testing::{Arrival, digest, drain, ms, plain, stamped};
use crate::{Carrier, LinkConfig, LinkCounters};

const LATENCY: u64 = 40;
const GAP: u64 = 10;

/// Five packets, 10 ms apart, 40 ms on the way each; it is 45 ms, and packet 0 has come out.
fn flying(carrier: Carrier) -> (Link, Vec<Arrival>) {
    let mut link = Link::new(1, plain(carrier, LATENCY));
    for n in 0..5 {
        link.send(ms(n * GAP), &stamped(ms(n * GAP)));
    }
    let arrivals = drain(&mut link, ms(45));
    assert_eq!(arrivals.len(), 1);
    (link, arrivals)
}

const fn id(number: u64) -> PacketId {
    PacketId::new(number)
}

fn fate(link: &Link, number: u64) -> Option<Fate> {
    let mut flights = link.in_flight();
    flights
        .find(|flight| flight.id == id(number))
        .map(|flight| flight.fate)
}

/// Number and ms of each arrival still to come.
fn rest(link: &mut Link) -> Vec<(u64, u64)> {
    let rest = drain(link, Micros::MAX);
    rest.iter()
        .map(|came| (came.id, came.at.get() / 1000))
        .collect()
}

fn even(told: LinkCounters) -> bool {
    told.sent == told.delivered + told.lost + told.refused
}

#[test]
fn a_datagram_dropped_is_lost_and_can_still_be_read() {
    let (mut link, _) = flying(Carrier::Datagram);
    assert_eq!(link.meddle(ms(45), id(2), Meddle::Drop), Ok(()));
    assert_eq!(fate(&link, 2), Some(Fate::Lost));
    assert_eq!(link.bytes_of(id(2)), Some(stamped(ms(20)).to_vec()));
    for what in [Meddle::Drop, Meddle::Hold(ms(9)), Meddle::Twice] {
        assert_eq!(link.meddle(ms(50), id(2), what), Err(Unmeddled::Lost));
    }
    assert_eq!(rest(&mut link), [(1, 50), (3, 70), (4, 80)]);
    assert!(link.counters().lost == 1 && even(*link.counters()));
    assert_eq!(link.bytes_of(id(2)), None);
    assert_eq!(
        link.meddle(ms(99), id(2), Meddle::Drop),
        Err(Unmeddled::Arrived)
    );
}

#[test]
fn a_datagram_held_is_passed_and_no_longer_late_once_the_passer_is_dropped() {
    let (mut link, _) = flying(Carrier::Datagram);
    link.meddle(ms(45), id(2), Meddle::Hold(ms(15))).unwrap();
    assert_eq!(
        (fate(&link, 2), fate(&link, 3)),
        (Some(Fate::Late), Some(Fate::Delivered))
    );
    let mut copy = link.clone();
    assert_eq!(rest(&mut copy), [(1, 50), (3, 70), (2, 75), (4, 80)]);
    assert_eq!(copy.counters().late, 1);
    link.meddle(ms(46), id(3), Meddle::Drop).unwrap();
    assert_eq!(fate(&link, 2), Some(Fate::Delivered));
    // What has come out before it makes it late for good.
    link.meddle(ms(46), id(1), Meddle::Hold(ms(40))).unwrap();
    drain(&mut link, ms(76));
    link.meddle(ms(77), id(4), Meddle::Drop).unwrap();
    assert_eq!(fate(&link, 1), Some(Fate::Late));
    assert_eq!(rest(&mut link), [(1, 90)]);
    assert!(even(*link.counters()));
}

#[test]
fn a_datagram_sent_twice_comes_twice_and_both_go_together() {
    let (mut link, _) = flying(Carrier::Datagram);
    link.meddle(ms(45), id(1), Meddle::Twice).unwrap();
    assert_eq!(
        link.meddle(ms(45), id(1), Meddle::Twice),
        Err(Unmeddled::Doubled)
    );
    let mut dropped = link.clone();
    assert_eq!(
        rest(&mut link),
        [(1, 50), (1, 53), (2, 60), (3, 70), (4, 80)]
    );
    assert_eq!((link.counters().doubled, link.counters().delivered), (1, 5));
    dropped.meddle(ms(45), id(1), Meddle::Drop).unwrap();
    assert_eq!(
        dropped
            .in_flight()
            .filter(|flight| flight.id == id(1))
            .count(),
        1
    );
    assert_eq!(rest(&mut dropped), [(2, 60), (3, 70), (4, 80)]);
    assert!(dropped.counters().lost == 1 && even(*dropped.counters()));
}

#[test]
fn the_copy_alone_is_dropped_without_a_loss() {
    let (mut link, _) = flying(Carrier::Datagram);
    link.meddle(ms(45), id(1), Meddle::Twice).unwrap();
    drain(&mut link, ms(51));
    link.meddle(ms(51), id(1), Meddle::Drop).unwrap();
    assert_eq!(rest(&mut link), [(2, 60), (3, 70), (4, 80)]);
    assert!(link.counters().lost == 0 && even(*link.counters()));
}

/// As `recovery.rs` has it: the third later packet that arrives gives a loss away, one round trip after its sending.
#[test]
fn a_packet_of_a_stream_dropped_is_repaired_as_if_the_network_had_lost_it() {
    let mut lost = Link::new(1, plain(Carrier::Ordered, LATENCY));
    for n in 0..5 {
        if n == 1 {
            lost.drop_next();
        }
        lost.send(ms(n * GAP), &stamped(ms(n * GAP)));
    }
    drain(&mut lost, ms(45));
    let (mut link, _) = flying(Carrier::Ordered);
    link.meddle(ms(45), id(1), Meddle::Drop).unwrap();
    assert_eq!(
        link.meddle(ms(45), id(1), Meddle::Drop),
        Err(Unmeddled::Unrepaired)
    );
    assert_eq!(fate(&link, 1), Some(Fate::Late));
    assert_eq!(link.bytes_of(id(1)), Some(stamped(ms(10)).to_vec()));
    let expected = rest(&mut lost);
    assert!(expected[0].0 == 1 && expected[0].1 > 140, "{expected:?}");
    assert_eq!(rest(&mut link), expected);
    assert_eq!((link.counters().resent, link.counters().late), (1, 4));
    assert!(even(*link.counters()));
}

#[test]
fn a_resend_dropped_is_sent_again() {
    let (mut link, _) = flying(Carrier::Ordered);
    link.meddle(ms(45), id(1), Meddle::Drop).unwrap();
    let due = link.in_flight().next().unwrap().due;
    let now = due - ms(1);
    link.meddle(now, id(1), Meddle::Drop).unwrap();
    let came = rest(&mut link);
    assert!(
        came[0].0 == 1 && came[0].1 > due.get() / 1000 + 200,
        "{came:?}"
    );
    assert_eq!(link.counters().resent, 2);
}

#[test]
fn a_packet_of_a_stream_held_holds_up_what_is_behind_it() {
    let (mut link, _) = flying(Carrier::Ordered);
    link.meddle(ms(45), id(2), Meddle::Hold(ms(15))).unwrap();
    assert_eq!(
        link.meddle(ms(45), id(2), Meddle::Twice),
        Err(Unmeddled::Stream)
    );
    assert_eq!(
        (fate(&link, 1), fate(&link, 3)),
        (Some(Fate::Delivered), Some(Fate::Late))
    );
    drain(&mut link, ms(72));
    assert_eq!(
        link.meddle(ms(72), id(3), Meddle::Drop),
        Err(Unmeddled::Behind)
    );
    assert_eq!(rest(&mut link), [(2, 75), (3, 75), (4, 80)]);
    assert_eq!(link.counters().late, 2);
}

#[test]
fn what_was_not_sent_or_has_come_is_let_be() {
    for carrier in [Carrier::Datagram, Carrier::Ordered] {
        let (mut link, _) = flying(carrier);
        let before = digest(&link);
        for (number, why) in [
            (0, Unmeddled::Arrived),
            (5, Unmeddled::Unsent),
            (u64::MAX, Unmeddled::Unsent),
        ] {
            assert_eq!(link.meddle(ms(45), id(number), Meddle::Drop), Err(why));
            assert_eq!(link.bytes_of(id(number)), None);
        }
        assert_eq!(digest(&link), before);
    }
}

/// Everything at random, and still a copy goes on as the original does, cut as finely as one likes.
#[test]
fn whatever_is_done_a_link_counts_right_and_a_copy_does_the_same() {
    for carrier in [Carrier::Datagram, Carrier::Ordered] {
        let config = LinkConfig {
            jitter: ms(30),
            loss: 0.1,
            duplicate: 0.1,
            ..plain(carrier, LATENCY)
        };
        let mut link = Link::new(9, config);
        let mut rng = crate::Rng::keyed(1, 2, 3);
        let mut done = 0;
        for n in 0..2_000u64 {
            let now = ms(n * GAP);
            drain(&mut link, now);
            link.send(now, &stamped(now));
            let what = match rng.next_u64() % 3 {
                0 => Meddle::Drop,
                1 => Meddle::Hold(Micros::new(rng.next_u64() % 300_000)),
                _ => Meddle::Twice,
            };
            let target = id(n.saturating_sub(rng.next_u64() % 8));
            let may = link.may_meddle(now, target, what);
            let (before, mut copy) = (digest(&link), link.clone());
            assert_eq!(link.meddle(now, target, what), may);
            assert_eq!(may.is_err(), digest(&link) == before, "{what:?}");
            copy.meddle(now, target, what).ok();
            assert_eq!(digest(&copy), digest(&link));
            done += u64::from(may.is_ok());
        }
        assert!(done > 400, "{done}");
        drain(&mut link, Micros::MAX);
        assert!(even(*link.counters()) && link.counters().late > 100);
        assert_eq!(
            (
                link.in_flight()
                    .filter(|flight| flight.fate != Fate::Lost)
                    .count(),
                link.held
            ),
            (0, 0)
        );
    }
}
