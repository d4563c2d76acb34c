//! What a datagram link did against what it was told, and what holds on either carrier.

use std::collections::BTreeMap;

use super::*;
use crate::testing::{Arrival, digest, drain, fits, ms, plain, run, run_from, stamped};
use crate::{PRESETS, Vary};

const N: u64 = 20_000;
const GAP: Micros = Micros::new(15_625);

fn datagram() -> LinkConfig {
    plain(Carrier::Datagram, 40)
}

fn stream() -> LinkConfig {
    plain(Carrier::Ordered, 40)
}

/// Everything at once.
fn storm(carrier: Carrier) -> LinkConfig {
    LinkConfig {
        jitter: ms(45),
        loss: 0.1,
        burst: 4.0,
        reorder: 0.05,
        duplicate: 0.05,
        rate: 12_000,
        queue: ms(60),
        vary: Vary::Wave {
            depth: ms(20),
            period: ms(700),
        },
        ..plain(carrier, 40)
    }
}

/// First copies by number.
fn delays(arrivals: &[Arrival]) -> BTreeMap<u64, Micros> {
    let mut delays = BTreeMap::new();
    for arrival in arrivals {
        delays.entry(arrival.id).or_insert_with(|| arrival.delay());
    }
    delays
}

#[test]
fn a_perfect_link_takes_the_latency_and_nothing_else() {
    for config in [datagram(), stream()] {
        let arrivals = run(&mut Link::new(1, config), 1_000, GAP);
        assert_eq!(arrivals.len(), 1_000);
        assert!(
            arrivals
                .iter()
                .zip(0..)
                .all(|(a, n)| a.id == n && a.delay() == ms(40))
        );
    }
}

#[test]
fn losses_are_as_many_as_told_and_each_on_its_own() {
    for (seed, loss) in [(1, 0.01), (2, 0.05), (3, 0.3), (4, 0.5)] {
        let mut link = Link::new(seed, LinkConfig { loss, ..datagram() });
        let arrivals = delays(&run(&mut link, N, GAP));
        assert!(
            fits(link.counters().lost, N, loss),
            "{loss}: {:?}",
            link.counters()
        );
        let lost = |id: u64| !arrivals.contains_key(&id);
        let pairs = (1..N).filter(|&id| lost(id - 1) && lost(id)).count() as u64;
        assert!(
            fits(pairs, link.counters().lost, loss),
            "{loss}: {pairs} after another"
        );
    }
}

#[test]
fn a_link_that_loses_all_delivers_nothing_and_one_that_loses_none_everything() {
    let mut link = Link::new(
        1,
        LinkConfig {
            loss: 1.0,
            ..datagram()
        },
    );
    assert!(run(&mut link, 1_000, GAP).is_empty());
    let mut link = Link::new(
        1,
        LinkConfig {
            loss: f64::NAN,
            ..datagram()
        },
    );
    assert_eq!(run(&mut link, 1_000, GAP).len(), 1_000);
}

#[test]
fn copies_are_as_many_as_told_and_follow_their_first() {
    let mut link = Link::new(
        5,
        LinkConfig {
            duplicate: 0.1,
            ..datagram()
        },
    );
    let arrivals = run(&mut link, N, GAP);
    assert!(
        fits(link.counters().doubled, N, 0.1),
        "{:?}",
        link.counters()
    );
    assert_eq!(link.counters().delivered, N);
    let first = delays(&arrivals);
    assert!(first.values().all(|&delay| delay == ms(40)));
    let copies = arrivals.iter().filter(|a| a.delay() > ms(40)).count() as u64;
    // All but those drawn to follow at once come later, and none by more than a gap.
    assert!(copies > link.counters().doubled * 9 / 10);
    assert!(arrivals.iter().any(|a| a.delay() > ms(40) + GAP * 9 / 10));
    assert!(arrivals.iter().all(|a| a.delay() <= ms(40) + GAP));
}

#[test]
fn what_is_lost_and_what_is_copied_are_drawn_apart() {
    let config = LinkConfig {
        loss: 0.2,
        duplicate: 0.3,
        reorder: 0.3,
        ..datagram()
    };
    let mut link = Link::new(5, config);
    let arrivals = delays(&run(&mut link, N, ms(100)));
    let told = *link.counters();
    assert!(
        fits(told.lost, N, 0.2) && fits(told.doubled, told.delivered, 0.3),
        "{told:?}"
    );
    let held = arrivals.values().filter(|&&delay| delay > ms(40)).count() as u64;
    assert!(fits(held, told.delivered, 0.3), "{held}");
}

#[test]
fn settings_out_of_range_are_brought_in() {
    let wild = LinkConfig {
        loss: f64::NAN,
        reorder: -0.0,
        duplicate: 7.0,
        ..datagram()
    };
    let mut link = Link::new(1, wild);
    let tame = LinkConfig {
        duplicate: 1.0,
        ..datagram()
    };
    assert_eq!(*link.config(), tame);
    assert!(
        link.config().reorder.is_sign_positive(),
        "-0 would reach a hash"
    );
    link.set_config(ms(1), LinkConfig { loss: -1.0, ..wild });
    assert_eq!(*link.config(), tame);
}

#[test]
fn reordered_packets_are_as_many_as_told_and_passed_by_one_to_three() {
    let mut link = Link::new(
        6,
        LinkConfig {
            reorder: 0.05,
            ..datagram()
        },
    );
    let arrivals = run(&mut link, N, GAP);
    assert_eq!(arrivals.len() as u64, N);
    let held: Vec<_> = arrivals.iter().filter(|a| a.delay() > ms(40)).collect();
    assert!(fits(held.len() as u64, N, 0.05), "{}", held.len());
    assert!(
        held.iter()
            .all(|a| (GAP * 5 / 4..=GAP * 13 / 4 + Micros::new(9)).contains(&(a.delay() - ms(40))))
    );
    // Late is what a later packet arrived before, by the order in which they came out.
    let mut newest = 0;
    let mut late = 0;
    for arrival in &arrivals {
        late += u64::from(arrival.id < newest);
        newest = newest.max(arrival.id);
    }
    assert_eq!(link.counters().late, late);
    // A held packet is late unless what passes it was held longer, or it was the last.
    assert!(
        late > held.len() as u64 * 9 / 10,
        "{late} of {}",
        held.len()
    );
}

#[test]
fn the_gap_of_reordering_is_that_of_the_sender() {
    for gap in [ms(4), ms(50)] {
        let mut link = Link::new(
            6,
            LinkConfig {
                reorder: 0.05,
                ..datagram()
            },
        );
        run(&mut link, 4_000, gap);
        assert!(link.counters().late > 150, "{gap}: {:?}", link.counters());
    }
}

#[test]
fn jitter_is_uniform_over_its_whole_range() {
    for (seed, jitter) in [(7, ms(5)), (8, ms(50))] {
        let mut link = Link::new(
            seed,
            LinkConfig {
                jitter,
                ..datagram()
            },
        );
        let arrivals = run(&mut link, N, ms(100));
        let mut drawn: Vec<u64> = arrivals
            .iter()
            .map(|a| (a.delay() - ms(40)).get())
            .collect();
        let span = jitter.get();
        let mean = drawn.iter().sum::<u64>() as f64 / N as f64;
        // The deviation of a mean of uniform draws is span / sqrt(12 n).
        let deviation = span as f64 / (12.0 * N as f64).sqrt();
        assert!(
            (mean - span as f64 / 2.0).abs() < 4.5 * deviation,
            "mean {mean} of {span}"
        );
        let apart = drawn.windows(2).map(|w| w[0].abs_diff(w[1])).sum::<u64>() as f64;
        // Two neighbours that know nothing of each other are a third of the range apart on average.
        assert!((apart / (N - 1) as f64 / span as f64 - 1.0 / 3.0).abs() < 0.01);
        drawn.sort_unstable();
        assert!(drawn[0] < span / 1_000 && drawn[N as usize - 1] > span - span / 1_000);
        assert!(drawn[N as usize - 1] <= span);
        // Kolmogorov and Smirnov: one sound run in a thousand is farther off than 1.95 / sqrt(n).
        let farthest = drawn
            .iter()
            .zip(0..)
            .map(|(&x, n)| (f64::from(n) / N as f64 - x as f64 / span as f64).abs())
            .fold(0.0, f64::max);
        assert!(farthest < 1.95 / (N as f64).sqrt(), "{farthest}");
    }
}

#[test]
fn what_comes_out_is_in_order_of_time_and_then_of_number() {
    for preset in PRESETS {
        let mut link = Link::new(9, preset.config(Carrier::Datagram));
        let arrivals = run(&mut link, 2_000, GAP);
        assert!(
            arrivals
                .windows(2)
                .all(|w| (w[0].at, w[0].id) < (w[1].at, w[1].id))
        );
    }
    // Several of one instant keep their order, on a link that was told nothing of jitter.
    let mut link = Link::new(9, datagram());
    (0..50).for_each(|_| {
        link.send(Micros::ZERO, &stamped(Micros::ZERO));
    });
    let ids: Vec<_> = drain(&mut link, ms(40)).iter().map(|a| a.id).collect();
    assert_eq!(ids, (0..50).collect::<Vec<_>>());
}

#[test]
fn equal_seeds_do_the_same_and_other_seeds_do_not() {
    for carrier in [Carrier::Datagram, Carrier::Ordered] {
        let go = |seed| run(&mut Link::new(seed, storm(carrier)), 1_000, GAP);
        assert_eq!(go(1), go(1));
        assert_ne!(go(1), go(2));
    }
}

#[test]
fn moving_one_setting_leaves_the_draws_of_the_others() {
    let calm = LinkConfig {
        jitter: ms(30),
        duplicate: 0.2,
        ..datagram()
    };
    let go = |config: LinkConfig| {
        let mut link = Link::new(3, calm);
        let mut arrivals = Vec::new();
        for n in 0..2_000 {
            let now = GAP * n;
            if n == 500 {
                link.set_config(now, config);
            }
            arrivals.extend(drain(&mut link, now));
            link.send(now, &stamped(now));
        }
        arrivals.extend(drain(&mut link, Micros::MAX));
        (delays(&arrivals), arrivals.len())
    };
    let (before, all) = go(calm);
    let (lossy, fewer) = go(LinkConfig { loss: 0.05, ..calm });
    assert!(fewer < all && lossy.len() < before.len());
    assert!(lossy.iter().all(|(id, delay)| before[id] == *delay));
    // And the other way round: which packets are lost does not depend on the jitter, nor on the copies.
    let (still, _) = go(LinkConfig {
        loss: 0.05,
        jitter: ms(0),
        duplicate: 0.0,
        ..calm
    });
    assert!(still.keys().eq(lossy.keys()));
    let (swapped, _) = go(LinkConfig {
        loss: 0.05,
        reorder: 0.1,
        ..calm
    });
    assert!(swapped.keys().eq(lossy.keys()));
    let moved = swapped
        .iter()
        .filter(|(id, delay)| lossy[*id] != **delay)
        .count() as u64;
    assert!(
        fits(moved, 1_500 * 95 / 100, 0.1),
        "{moved} packets took another time"
    );
}

#[test]
fn new_settings_do_not_touch_what_is_in_flight() {
    let mut link = Link::new(1, datagram());
    link.send(ms(0), &stamped(ms(0)));
    link.set_config(ms(10), plain(Carrier::Datagram, 5));
    link.send(ms(10), &stamped(ms(10)));
    let arrivals = drain(&mut link, Micros::MAX);
    let times: Vec<_> = arrivals.iter().map(|a| (a.id, a.at)).collect();
    assert_eq!(times, [(1, ms(15)), (0, ms(40))]);
    assert_eq!(link.counters().late, 1);
}

#[test]
fn a_change_of_carrier_leaves_each_packet_on_its_own() {
    let mut link = Link::new(1, datagram());
    link.send(ms(0), &stamped(ms(0)));
    link.set_config(ms(1), plain(Carrier::Ordered, 10));
    link.drop_next();
    link.send(ms(1), &stamped(ms(1)));
    link.set_config(ms(2), plain(Carrier::Datagram, 10));
    link.send(ms(2), &stamped(ms(2)));
    let order: Vec<_> = drain(&mut link, Micros::MAX).iter().map(|a| a.id).collect();
    assert_eq!(
        order,
        [2, 0, 1],
        "the stream's packet is resent, and the datagrams do not wait"
    );
    assert_eq!((link.counters().lost, link.counters().resent), (0, 1));
}

#[test]
fn a_clone_goes_on_like_its_original() {
    for carrier in [Carrier::Datagram, Carrier::Ordered] {
        let mut link = Link::new(4, storm(carrier));
        for n in 0..200 {
            link.send(GAP * n, &stamped(GAP * n));
            drain(&mut link, GAP * n);
        }
        link.drop_next();
        link.send(GAP * 199, &stamped(GAP * 199));
        let mut slot = Link::new(99, datagram());
        run(&mut slot, 500, ms(1));
        let reused = slot.arena.bytes_at();
        slot.clone_from(&link);
        assert_eq!(slot.arena.bytes_at(), reused, "clone_from allocated");
        let mut fresh = link.clone();
        assert!(link.in_flight().eq(slot.in_flight()) && link.in_flight().eq(fresh.in_flight()));
        let go = |link: &mut Link| {
            for n in 200..400 {
                link.send(GAP * n, &stamped(GAP * n));
            }
            (digest(link), drain(link, Micros::MAX), digest(link))
        };
        let expected = go(&mut link);
        assert_eq!(go(&mut fresh), expected);
        assert_eq!(go(&mut slot), expected);
    }
}

#[test]
fn asking_in_vain_changes_nothing() {
    for carrier in [Carrier::Datagram, Carrier::Ordered] {
        let mut asked = Link::new(4, storm(carrier));
        let mut left = asked.clone();
        let mut packet = Vec::new();
        let (mut out_asked, mut out_left) = (Vec::new(), Vec::new());
        for n in 0..4_000 {
            let now = ms(n);
            out_asked.extend(std::iter::from_fn(|| asked.receive(now, &mut packet)));
            if n % 16 == 0 {
                asked.send(now, &stamped(now));
                left.send(now, &stamped(now));
            }
            if n % 333 == 0 {
                out_left.extend(std::iter::from_fn(|| left.receive(now, &mut packet)));
                assert_eq!(digest(&asked), digest(&left), "at {now}");
            }
        }
        assert!(!out_left.is_empty() && out_asked.starts_with(&out_left));
    }
}

#[test]
fn fates_are_told_while_packets_fly() {
    let fates = |link: &Link| -> Vec<_> {
        link.in_flight()
            .map(|flight| (flight.id.get(), flight.due, flight.fate))
            .collect()
    };
    let mut link = Link::new(1, datagram());
    link.drop_next();
    link.send(ms(0), b"lost");
    link.spike(ms(1), ms(30));
    link.send(ms(1), b"held");
    link.set_config(
        ms(2),
        LinkConfig {
            duplicate: 1.0,
            ..plain(Carrier::Datagram, 5)
        },
    );
    assert_eq!(
        fates(&link),
        [(1, ms(71), Fate::Delivered), (0, ms(40), Fate::Lost)]
    );
    link.send(ms(32), b"twice");
    let told = fates(&link);
    assert_eq!(told[0], (2, ms(37), Fate::Delivered));
    assert_eq!((told[1].0, told[1].2), (2, Fate::Doubled));
    assert_eq!(
        told[2..],
        [(1, ms(71), Fate::Late), (0, ms(40), Fate::Lost)]
    );
    assert_eq!(
        link.in_flight()
            .map(|flight| flight.len)
            .collect::<Vec<_>>(),
        [5, 5, 4, 4]
    );
    let mut packet = Vec::new();
    link.receive(ms(40), &mut packet);
    assert!(
        link.in_flight().all(|flight| flight.fate != Fate::Lost),
        "it is over at its time"
    );
    while link.receive(ms(71), &mut packet).is_some() {}
    let told = *link.counters();
    assert_eq!(
        (
            told.delivered,
            told.lost,
            told.late,
            told.doubled,
            told.bytes
        ),
        (2, 1, 1, 1, 13)
    );
}

#[test]
fn a_lost_packet_wakes_nobody() {
    let mut link = Link::new(1, datagram());
    link.shock(ms(0), Shock::DropNext);
    link.shock(ms(0), Shock::DropNext);
    link.send(ms(0), b"one");
    link.send(ms(0), b"two");
    assert_eq!(link.next_at(), None);
    link.send(ms(0), b"three");
    assert_eq!(link.next_at(), Some(ms(40)));
}

#[test]
fn a_spike_holds_and_then_lets_go_at_once() {
    for config in [datagram(), stream()] {
        let mut link = Link::new(1, config);
        link.send(ms(0), &stamped(ms(0)));
        link.shock(ms(1), Shock::Spike { extra: ms(50) });
        for now in [ms(2), ms(16), ms(50), ms(51), ms(64)] {
            link.send(now, &stamped(now));
        }
        let times: Vec<_> = drain(&mut link, Micros::MAX).iter().map(|a| a.at).collect();
        assert_eq!(times, [ms(40), ms(91), ms(91), ms(91), ms(91), ms(104)]);
        assert_eq!(link.counters().late, 0);
    }
}

#[test]
fn a_dark_datagram_link_loses_what_is_sent_meanwhile() {
    let mut link = Link::new(1, datagram());
    link.send(ms(0), &stamped(ms(0)));
    link.shock(ms(10), Shock::Dark { length: ms(300) });
    for n in 1..20 {
        link.send(ms(n * 20), &stamped(ms(n * 20)));
    }
    let sent: Vec<_> = drain(&mut link, Micros::MAX)
        .iter()
        .map(|a| a.sent)
        .collect();
    assert_eq!(sent, [ms(0), ms(320), ms(340), ms(360), ms(380)]);
    assert_eq!(link.counters().lost, 15);
}

#[test]
fn a_full_link_drops_the_newest_and_counts_it() {
    for carrier in [Carrier::Datagram, Carrier::Ordered] {
        let mut link = Link::new(
            1,
            LinkConfig {
                duplicate: 0.5,
                ..plain(carrier, 40)
            },
        );
        for _ in 0..MAX_PACKETS * 2 {
            link.send(Micros::ZERO, &stamped(Micros::ZERO));
        }
        let listed: Vec<_> = link.in_flight().collect();
        assert_eq!(listed.len(), MAX_PACKETS);
        let taken = listed
            .iter()
            .filter(|flight| flight.fate != Fate::Doubled)
            .count() as u64;
        assert_eq!(link.counters().refused, MAX_PACKETS as u64 * 2 - taken);
        assert!(listed.iter().all(|flight| flight.id.get() < taken));
        assert_eq!(drain(&mut link, Micros::MAX).len(), MAX_PACKETS);
        // There is room again.
        let refused = link.counters().refused;
        link.send(ms(1_000), b"after");
        assert_eq!(link.counters().refused, refused);
    }
}

#[test]
fn bytes_in_flight_are_bounded() {
    let mut link = Link::new(1, datagram());
    let packet = vec![7; MAX_BYTES / 4];
    (0..6).for_each(|_| {
        link.send(Micros::ZERO, &packet);
    });
    assert_eq!(link.counters().refused, 2);
    link.send(Micros::ZERO, &vec![0; MAX_BYTES + 1]);
    assert_eq!(link.counters().refused, 3);
    link.send(Micros::ZERO, &[]);
    assert_eq!(link.counters().refused, 3);
    let mut out = Vec::new();
    assert!(link.receive(ms(40), &mut out).is_some() && out == packet);
    link.send(ms(40), &packet);
    assert_eq!(link.counters().refused, 3);
}

#[test]
fn losses_listed_are_bounded() {
    let mut link = Link::new(
        1,
        LinkConfig {
            loss: 1.0,
            ..datagram()
        },
    );
    (0..MAX_PACKETS * 2).for_each(|_| {
        link.send(Micros::ZERO, b"lost");
    });
    assert_eq!(link.in_flight().count(), MAX_PACKETS);
    link.send(ms(41), b"lost");
    assert_eq!(link.in_flight().count(), 1);
}

#[test]
fn a_warm_link_allocates_nothing() {
    for carrier in [Carrier::Datagram, Carrier::Ordered] {
        let mut link = Link::new(1, storm(carrier));
        run(&mut link, N * 2, GAP);
        let warm = link.capacity();
        run_from(&mut link, GAP * N * 4, N, GAP);
        assert_eq!(link.capacity(), warm);
        // The reserve stays near what flew at once: hundreds of packets of one chunk in the worst stall.
        assert!(warm.iter().sum::<usize>() < 256 * 1024, "{warm:?}");
    }
}

#[test]
fn times_at_the_end_of_time_do_no_harm() {
    for carrier in [Carrier::Datagram, Carrier::Ordered] {
        let all = LinkConfig {
            latency: Micros::MAX,
            jitter: Micros::MAX,
            round_trip: Micros::new(1),
            ..storm(carrier)
        };
        let mut link = Link::new(1, all);
        let mut packet = Vec::new();
        for now in [ms(0), ms(1), Micros::MAX, Micros::MAX] {
            link.shock(now, Shock::Spike { extra: Micros::MAX });
            link.send(now, b"late");
            link.receive(now, &mut packet);
        }
        assert!(link.counters().sent == 4 && link.in_flight().count() <= 8);
    }
}
