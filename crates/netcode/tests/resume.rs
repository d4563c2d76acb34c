//! A player whose carrier dropped, whose tab was reloaded, or whose machine slept.

mod common;

use afterimage_netcode as netcode;
use common::{Legs, Pair, Walk, Weather, drive_bounded};
use netcode::session::Why;
use netcode::{Claim, Client, ClientConfig, Delivery, Output, PeerId, Role, ServerConfig};
use wire::{Goodbye, Micros, SlotKey};

const FIRST: PeerId = PeerId(0);
const SECOND: PeerId = PeerId(1);
const SECOND_OF_TIME: u64 = 1_000;
/// Not nought: what is under way to a session that is over is refused.
const BRIGHT: Weather = Weather {
    loss_percent: 1,
    ..Weather::CLEAR
};

/// A match of so many in which everyone walks, a second in, and the character of the first with its player's number.
fn walking(clients: usize, weather: Weather) -> (Pair, SlotKey, u16) {
    let mut pair = Pair::of(clients, weather);
    pair.hands = |tick| Legs {
        lean: 60 - (tick / 64 % 2) as i32 * 30,
        jump: tick % 30 == 0,
    };
    drive_bounded(&mut pair, 3, |pair| {
        pair.clients
            .iter()
            .all(|client| client.predicted(client.tick()).is_some())
    });
    pair.run_ms(1_000);
    let peer = pair.server.peer(FIRST).expect("open");
    let (key, player) = (peer.key.expect("seated"), peer.player.expect("seated"));
    (pair, key, player)
}

fn place(pair: &Pair, key: SlotKey) -> Option<i32> {
    pair.server.game().walker(key).map(|walker| walker.x)
}

/// Whether the first client moves its own character now, and the server the same.
fn in_control(pair: &mut Pair, key: SlotKey) -> bool {
    let before = (place(pair, key), *pair.clients[0].counters());
    let ran = pair.server.peer(FIRST).expect("open").counters.ran;
    pair.run_ms(500);
    let client = &pair.clients[0];
    let now = *client.counters();
    let ran = pair.server.peer(FIRST).expect("open").counters.ran - ran;
    client.me() == Some(key)
        && client.predicted(client.tick()).is_some()
        && place(pair, key) > before.0
        && now.corrections == before.1.corrections
        && ran > 28
}

#[test]
fn who_dropped_finds_the_character_where_it_stood() {
    let (mut pair, key, player) = walking(2, BRIGHT);
    pair.server.suspend(pair.now, FIRST);
    assert!(pair.server.peer(FIRST).is_none());
    assert_eq!(pair.server.suspended().collect::<Vec<_>>(), [player]);
    assert_eq!(pair.server.character(player), Some(key));
    pair.clients[0] = Client::offline(
        Walk::empty(),
        ClientConfig::default(),
        Default::default(),
        pair.now,
    );
    pair.run_ms(100);
    let stood = place(&pair, key).expect("it stays");
    pair.run_ms(50_000);
    assert_eq!(place(&pair, key), Some(stood), "nobody drives it");

    pair.open(0, Claim::Resume { player });
    drive_bounded(&mut pair, 2, |pair| {
        pair.clients[0].predicted(pair.clients[0].tick()).is_some()
    });
    assert_eq!(pair.clients[0].me(), Some(key));
    assert_eq!(pair.server.peer(FIRST).expect("open").player, Some(player));
    assert_eq!(pair.server.suspended().count(), 0);
    assert!(in_control(&mut pair, key));
    assert!(place(&pair, key) > Some(stood));
    pair.run_ms(60_000);
    assert_eq!(pair.clients[0].me(), Some(key), "and it is not taken away");
}

#[test]
fn a_seat_is_kept_for_a_minute_and_counts_as_taken() {
    let config = ServerConfig {
        max_players: 1,
        ..ServerConfig::default()
    };
    let clients = [ClientConfig::default(); 2];
    let mut pair = Pair::new(Walk::empty(), config, &clients, BRIGHT);
    pair.server.disconnect(Micros::ZERO, SECOND);
    pair.clients[1].leave();
    pair.run_ms(1_000);
    let player = pair.server.peer(FIRST).expect("open").player.expect("in");
    let key = pair.clients[0].me().expect("in");
    pair.server.suspend(pair.now, FIRST);
    pair.clients[0].leave();
    pair.open(1, Claim::Seat);
    pair.run_ms(1_000);
    let full = Why::Refused(netcode::session::Refusal::Full);
    assert_eq!(pair.clients[1].role(), Role::Disconnected(full));
    pair.run_ms(58_900);
    assert!(place(&pair, key).is_some());
    pair.run_ms(200);
    assert!(place(&pair, key).is_none());
    // Who comes back later than that is somebody new.
    pair.open(0, Claim::Resume { player });
    pair.run_ms(1_000);
    let peer = pair.server.peer(FIRST).expect("open");
    assert_eq!(peer.player, Some(player + 1));
    assert_eq!(peer.key, pair.clients[0].me());
}

#[test]
fn who_is_waited_for_no_longer_leaves_at_once_and_so_does_who_never_played() {
    let (mut pair, key, player) = walking(1, Weather::CLEAR);
    pair.server.suspend(pair.now, FIRST);
    pair.server.forget(player + 1);
    assert!(place(&pair, key).is_some());
    pair.server.forget(player);
    assert!(place(&pair, key).is_none());
    assert_eq!(pair.server.character(player), None);

    // A hello that was forged or doubled, and nothing after it: no seat is kept for that.
    pair.open(0, Claim::Seat);
    drive_bounded(&mut pair, 1, |pair| {
        pair.server.peer(FIRST).expect("open").key.is_some()
    });
    pair.server.suspend(pair.now, FIRST);
    assert_eq!(pair.server.game().walkers.iter().flatten().count(), 0);
}

#[test]
fn a_newer_session_of_a_player_takes_the_seat_over_and_the_older_touches_it_no_more() {
    let (mut pair, key, player) = walking(1, BRIGHT);
    pair.clients.push(Client::offline(
        Walk::empty(),
        ClientConfig::default(),
        Default::default(),
        pair.now,
    ));
    pair.said.push(Vec::new());
    pair.open(1, Claim::Resume { player });
    drive_bounded(&mut pair, 2, |pair| pair.clients[1].role() == Role::Playing);
    drive_bounded(&mut pair, 1, |pair| pair.clients[0].role() != Role::Playing);
    let replaced = Why::Goodbye(Goodbye::Replaced);
    assert_eq!(pair.clients[0].role(), Role::Disconnected(replaced));
    assert!(replaced.is_final());
    assert_eq!(pair.clients[1].me(), Some(key));
    let seated = |pair: &Pair| pair.server.peer(SECOND).expect("open").player;
    assert_eq!(seated(&pair), Some(player));

    // Whatever its end still does: says hello again, falls silent, drops, closes.
    pair.clients[0] = Client::join(Walk::empty(), ClientConfig::default(), pair.now);
    pair.run_ms(3_000);
    assert_eq!(pair.clients[0].role(), Role::Joining);
    pair.server.suspend(pair.now, FIRST);
    pair.server.disconnect(pair.now, FIRST);
    assert_eq!(seated(&pair), Some(player));
    let before = place(&pair, key);
    pair.run_ms(1_000);
    assert!(place(&pair, key) > before);
    assert_eq!(pair.server.game().walkers.iter().flatten().count(), 1);
}

#[test]
fn who_was_silent_for_long_is_told_and_takes_the_seat_up_again_over_the_same_session() {
    let (mut pair, key, player) = walking(1, Weather::CLEAR);
    pair.weather.loss_percent = 100;
    pair.run_ms(11_000);
    pair.weather.loss_percent = 1;
    assert_eq!(pair.server.suspended().collect::<Vec<_>>(), [player]);
    let peer = pair.server.peer(FIRST).expect("open");
    assert_eq!(peer.dismissed, Some(Goodbye::Idle));
    pair.clients[0] = Client::join(Walk::empty(), ClientConfig::default(), pair.now);
    pair.run_ms(1_500);
    assert_eq!(pair.clients[0].me(), Some(key));
    assert!(in_control(&mut pair, key));
}

/// The first client sleeps: nothing of it runs, what is sent to it piles up or is lost. The others go on.
fn sleep(pair: &mut Pair, millis: u64, piles_up: bool) -> Vec<Vec<u8>> {
    let asleep = pair.clients[0].clone();
    let (mut pile, mut buf) = (Vec::new(), [0; 1200]);
    let end = pair.now + Micros::from_millis(millis);
    while pair.now < end {
        pair.now += Micros::from_millis(5);
        pair.server.advance(pair.now);
        loop {
            match pair.server.poll(&mut buf) {
                Output::Transmit { len, .. } if piles_up => pile.push(buf[..len].to_vec()),
                Output::Transmit { .. } | Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
    }
    pair.clients[0] = asleep;
    pile
}

#[test]
fn after_a_sleep_that_the_server_waited_for_it_is_in_control_within_a_second_and_a_round_trip() {
    for delivery in [Delivery::Ordered, Delivery::Datagram] {
        for piles_up in [true, false] {
            for slept in [2_500, 6_000, 9_500] {
                let (mut pair, key, _) = walking(1, Weather::CLEAR);
                if delivery == Delivery::Ordered {
                    let config = Pair::ordered();
                    pair = Pair::new(
                        Walk::empty(),
                        ServerConfig::default(),
                        &[config],
                        Weather::CLEAR,
                    );
                    pair.hands = |_| Legs {
                        lean: 40,
                        jump: false,
                    };
                    pair.run_ms(3_000);
                }
                let about = format!("{delivery:?}, piles up: {piles_up}, {slept} ms");
                let pile = sleep(&mut pair, slept, piles_up);
                let ticks = pair.clients[0].counters().ticks;
                for packet in &pile {
                    let heard = pair.clients[0].handle(pair.now, packet);
                    assert_eq!(heard, Ok(()), "{about}");
                }
                pair.clients[0].advance(pair.now);
                let ran = pair.clients[0].counters().ticks - ticks;
                assert!(ran <= 8, "{about}: {ran} ticks in one call");
                pair.run_ms(SECOND_OF_TIME + 150);
                assert_eq!(pair.clients[0].role(), Role::Playing, "{about}");
                assert_newest_is_near(&pair, &about);
                assert!(in_control(&mut pair, key), "{about}");
            }
        }
    }
}

/// The screen shows the present, less its delay: it took the server's tick.
fn assert_newest_is_near(pair: &Pair, about: &str) {
    let showing = pair.clients[0].showing(pair.now).expect("it hears");
    let server = pair.server.tick().get() as f64;
    let behind = server - showing.others_at;
    assert!(
        (4.0..16.0).contains(&behind),
        "{about}: {behind} ticks behind; jitter {}",
        showing.jitter
    );
    let rtt = pair.clients[0].rtt().expect("measured");
    assert!(rtt < Micros::from_millis(200), "{about}: round trip {rtt}");
    assert!(showing.jitter < Micros::from_millis(5), "{about}");
}

#[test]
fn after_a_sleep_of_minutes_the_seat_is_taken_up_again_if_it_is_kept_and_a_new_one_if_not() {
    for (slept, kept) in [(40_000, true), (180_000, false)] {
        let (mut pair, key, player) = walking(1, Weather::CLEAR);
        let pile = sleep(&mut pair, slept, true);
        for packet in &pile {
            let _ = pair.clients[0].handle(pair.now, packet);
        }
        pair.clients[0].advance(pair.now);
        let idle = Why::Goodbye(Goodbye::Idle);
        assert_eq!(pair.clients[0].role(), Role::Disconnected(idle));
        assert!(!idle.is_final());
        pair.server.disconnect(pair.now, FIRST);
        pair.open(0, Claim::Resume { player });
        pair.run_ms(SECOND_OF_TIME + 150);
        let me = pair.clients[0].me().expect("in again");
        assert_eq!(me == key, kept, "{slept} ms");
        assert_newest_is_near(&pair, "rejoined");
        assert!(in_control(&mut pair, me));
    }
}

#[test]
fn after_a_sleep_with_nothing_heard_it_gives_up_in_time_and_not_at_once() {
    let (mut pair, ..) = walking(1, Weather::CLEAR);
    let woke = pair.now + Micros::from_millis(300_000);
    let client = &mut pair.clients[0];
    client.advance(woke);
    assert_eq!(client.role(), Role::Playing, "it has not listened yet");
    let mut now = woke;
    while client.role() == Role::Playing {
        now += Micros::from_millis(15);
        client.advance(now);
        assert!(now < woke + Micros::from_millis(10_100));
    }
    assert!(now > woke + Micros::from_millis(9_000));
    assert_eq!(client.role(), Role::Disconnected(Why::Silence));
}

#[test]
fn a_clock_that_is_set_costs_no_more_than_a_second() {
    // Forward and back, by little and by much: the client's clock is that far from everybody's.
    for set in [-3_600_000i64, -30_000, -700, 1_500, 30_000, 3_600_000] {
        let (mut pair, key, _) = walking(1, Weather::CLEAR);
        // Far enough from zero to be turned back from.
        let base = 10_000_000;
        let about = format!("set by {set} ms");
        let read =
            |now: Micros, set: i64| Micros::new((now.get() as i64 + (base + set) * 1_000) as u64);
        // A client of its own clock, in a session of its own.
        let mut client = Client::join(Walk::empty(), ClientConfig::default(), read(pair.now, 0));
        pair.server.disconnect(pair.now, FIRST);
        pair.server
            .connect(pair.now, SECOND, Delivery::Datagram, Claim::Seat);
        pair.clients.clear();
        let end = pair.now + Micros::from_millis(6_000);
        let turned = pair.now + Micros::from_millis(3_000);
        let (mut ran, mut buf) = (0, [0; 1200]);
        while pair.now < end {
            pair.now += Micros::from_millis(5);
            let now = read(pair.now, if pair.now < turned { 0 } else { set });
            let ticks = client.counters().ticks;
            client.hold(
                now,
                Legs {
                    lean: 50,
                    jump: false,
                },
            );
            client.advance(now);
            assert!(client.counters().ticks - ticks <= 8, "{about}");
            loop {
                match client.poll(&mut buf) {
                    Output::Transmit { len, .. } => {
                        pair.server
                            .handle(pair.now, SECOND, &buf[..len])
                            .expect("honest");
                    }
                    Output::Event(_) => {}
                    Output::Wait { until } => {
                        let soon = now + Micros::from_millis(1_100);
                        assert!(until <= soon, "{about}: waits for {until} at {now}");
                        break;
                    }
                }
            }
            pair.server.advance(pair.now);
            loop {
                match pair.server.poll(&mut buf) {
                    Output::Transmit { len, .. } => {
                        client.handle(now, &buf[..len]).expect("honest");
                    }
                    Output::Event(_) => {}
                    Output::Wait { .. } => break,
                }
            }
            if pair.now == turned + Micros::from_millis(1_150) {
                ran = pair.server.peer(SECOND).expect("open").counters.ran;
                let rtt = client.rtt().expect("measured");
                assert!(rtt < Micros::from_millis(50), "{about}: round trip {rtt}");
            }
        }
        assert_ne!(client.me(), None, "{about}");
        let peer = pair.server.peer(SECOND).expect("open");
        let missing = 64 * 1_850 / 1_000 - (peer.counters.ran - ran) as i64;
        assert!(missing.abs() <= 4, "{about}: {missing} commands missing");
        let now = read(pair.now, set);
        let showing = client.showing(now).expect("it hears");
        let behind = pair.server.tick().get() as f64 - showing.others_at;
        assert!((0.0..8.0).contains(&behind), "{about}: {behind} behind");
        let _ = key;
    }
}
