//! How sessions end, begin again, and change while they run.

mod common;

use afterimage_netcode as netcode;
use common::{Legs, Pair, Walk, Weather, drive_bounded};
use netcode::session::Why;
use netcode::{Client, ClientConfig, Fault, Game, Output, PeerId, Role, ServerConfig};
use wire::{
    Goodbye, Header, InputsHead, Kind, Micros, Opening, Reader, Refusal, Seating, SlotKey, Welcome,
    Writer,
};

const FIRST: PeerId = PeerId(0);

fn playing(weather: Weather) -> Pair {
    let mut pair = Pair::plain(weather);
    drive_bounded(&mut pair, 5, |pair| {
        pair.clients[0].predicted(pair.clients[0].tick()).is_some()
    });
    pair
}

#[test]
fn a_player_leaves_the_game_once() {
    // Each of these takes the player away; the slot has somebody else by the second.
    type Away = fn(&mut Pair);
    let ways: [Away; 2] = [
        |pair| pair.server.dismiss(FIRST, Goodbye::Kicked),
        |pair| pair.server.disconnect(pair.now, FIRST),
    ];
    for second in ways {
        let mut pair = playing(Weather::CLEAR);
        let gone = pair.clients[0].me().expect("seated");
        pair.server.dismiss(FIRST, Goodbye::Kicked);
        let next = pair.server.seat().expect("there is room");
        assert_eq!(next.slot, gone.slot);
        second(&mut pair);
        assert!(pair.server.game().walker(next).is_some());
    }
}

#[test]
fn a_player_who_was_dismissed_drives_nobody() {
    let mut pair = playing(Weather::CLEAR);
    pair.hands = |_| Legs {
        lean: 127,
        jump: false,
    };
    pair.run_ms(1_000);
    pair.server.dismiss(FIRST, Goodbye::Kicked);
    let next = pair.server.seat().expect("there is room");
    pair.server.advance(pair.now + Micros::from_millis(100));
    assert_eq!(pair.server.game().walker(next).expect("seated").x, 0);
}

#[test]
fn prediction_switched_on_goes_on_from_what_the_server_said() {
    let still = ClientConfig {
        predict: false,
        ..ClientConfig::default()
    };
    let mut pair = Pair::new(
        Walk::empty(),
        ServerConfig::default(),
        &[still],
        Weather::CLEAR,
    );
    pair.hands = |_| Legs {
        lean: 100,
        jump: false,
    };
    pair.run_ms(3_000);
    pair.clients[0].reconfigure(ClientConfig::default());
    pair.run_ms(3_000);
    let counters = pair.clients[0].counters();
    assert!(counters.replayed > 5, "{counters:?}");
    assert_eq!(counters.corrections, 0);
}

#[test]
fn a_carrier_that_loses_nothing_carries_one_command_a_frame() {
    let mut pair = Pair::new(
        Walk::empty(),
        ServerConfig::default(),
        &[Pair::ordered()],
        Weather::CLEAR,
    );
    pair.run_ms(2_000);
    let client = &mut pair.clients[0];
    let before = client.tick();
    client.advance(pair.now + Micros::from_millis(100));
    let made = client.tick().since(before);
    assert!(made >= 6);
    let (mut buf, mut said) = ([0; 1200], 0);
    while let Output::Transmit { len, .. } = client.poll(&mut buf) {
        let mut r = Reader::new(&buf[..len]);
        Header::read(&mut r).expect("our own");
        if Kind::peek(&r) == Ok(Kind::Inputs) {
            assert_eq!(InputsHead::read(&mut r).expect("our own").count, 1);
            said += 1;
        }
    }
    assert_eq!(said, made);
}

#[test]
fn what_is_under_way_from_before_does_not_reach_the_next_player_of_a_session() {
    for seed in 0..20 {
        let mut pair = playing(Weather {
            latency_ms: 40,
            jitter_ms: 80,
            loss_percent: 1,
            doubled_percent: 50,
        });
        pair.hands = |_| Legs {
            lean: 100,
            jump: false,
        };
        (0..seed).for_each(|_| {
            pair.roll(100);
        });
        pair.run_ms(1_000);
        pair.clients[0].leave();
        pair.run_ms(1);
        pair.clients[0] = Client::join(Walk::empty(), ClientConfig::default(), pair.now);
        pair.run_ms(3_000);
        assert_eq!(pair.clients[0].role(), Role::Playing, "seed {seed}");
        let peer = pair.server.peer(FIRST).expect("open");
        assert_eq!(peer.key, pair.clients[0].me(), "seed {seed}");
        let before = *pair.clients[0].counters();
        pair.run_ms(1_000);
        let lost = pair.clients[0].counters().inputs_lost - before.inputs_lost;
        assert_eq!(lost, 0, "seed {seed}: the server acknowledges nothing");
    }
}

#[test]
fn a_goodbye_that_was_lost_is_said_again() {
    let mut pair = playing(Weather::CLEAR);
    pair.server.dismiss(FIRST, Goodbye::Kicked);
    pair.weather.loss_percent = 100;
    pair.run_ms(5);
    pair.weather.loss_percent = 0;
    pair.run_ms(400);
    let why = Why::Goodbye(Goodbye::Kicked);
    assert_eq!(pair.clients[0].role(), Role::Disconnected(why));
}

#[test]
fn a_game_alone_whose_events_nobody_takes_keeps_the_newest() {
    let config = ClientConfig::default();
    let mut client = Client::offline(Walk::empty(), config, Default::default(), Micros::ZERO);
    for _ in 0..2_000 {
        let now = client.next_tick_at();
        client.hold(
            now,
            Legs {
                lean: 0,
                jump: true,
            },
        );
        client.advance(now);
    }
    let mut buf = [0; 1200];
    let mut heard = 0;
    while let Output::Event(event) = client.poll(&mut buf) {
        assert!(client.tick().since(event.tick) < 1_000);
        heard += 1;
    }
    assert_eq!(heard, 256);
}

#[test]
fn every_tick_rate_plays_without_a_correction_or_a_repeat() {
    for rate_hz in [10, 20, 30, 60, 128] {
        let server = ServerConfig {
            rate_hz,
            ..ServerConfig::default()
        };
        let client = ClientConfig {
            rate_hz,
            ..ClientConfig::default()
        };
        let mut pair = Pair::new(Walk::empty(), server, &[client], Weather::CLEAR);
        pair.hands = |tick| Legs {
            lean: if tick % 64 < 32 { 127 } else { -127 },
            jump: tick % 9 == 0,
        };
        pair.run_ms(20_000);
        let (client, peer) = (
            pair.clients[0].counters(),
            pair.server.peer(FIRST).expect("open").counters,
        );
        assert!(peer.ran > u64::from(rate_hz) * 18, "{rate_hz} Hz: {peer:?}");
        let wrong = (peer.repeated, peer.skipped, peer.late, client.corrections);
        assert_eq!(wrong, (0, 0, 0, 0), "{rate_hz} Hz");
        assert_eq!(client.faults + peer.faults, 0, "{rate_hz} Hz");
    }
}

#[test]
fn a_client_that_stopped_for_a_while_goes_on() {
    let mut pair = playing(Weather::CLEAR);
    pair.hands = |_| Legs {
        lean: 30,
        jump: false,
    };
    pair.run_ms(2_000);
    let asleep = pair.clients[0].clone();
    pair.weather.loss_percent = 100;
    pair.run_ms(6_000);
    pair.weather.loss_percent = 0;
    pair.clients[0] = asleep;
    pair.run_ms(3_000);
    assert!(pair.clients[0].counters().slipped > 300);
    let count = |pair: &Pair| {
        let peer = pair.server.peer(FIRST).expect("open").counters;
        let client = pair.clients[0].counters();
        let server = [peer.repeated, peer.neutral, peer.skipped, peer.late];
        (server, [client.corrections, client.inputs_lost])
    };
    let before = count(&pair);
    pair.run_ms(5_000);
    assert_eq!(count(&pair), before);
}

#[test]
fn settings_that_change_while_it_plays_leave_nothing_behind() {
    let mut pair = playing(Weather {
        latency_ms: 40,
        jitter_ms: 10,
        loss_percent: 5,
        doubled_percent: 2,
    });
    pair.hands = |tick| Legs {
        lean: if tick % 64 < 32 { 127 } else { -127 },
        jump: tick % 9 == 0,
    };
    for _ in 0..60 {
        let on = |pair: &mut Pair| pair.roll(2) == 0;
        let config = ClientConfig {
            predict: on(&mut pair),
            reconcile: on(&mut pair),
            interpolate: on(&mut pair),
            pacing: on(&mut pair),
            input_delay: pair.roll(11) as u8,
            redundancy: 1 + pair.roll(16) as usize,
            smooth: Micros::from_millis(pair.roll(2) * 200),
            ..ClientConfig::default()
        };
        pair.clients[0].reconfigure(config);
        let config = ServerConfig {
            snapshots_hz: 1 + pair.roll(64) as u16,
            rewind: on(&mut pair),
            ..ServerConfig::default()
        };
        pair.server.reconfigure(config);
        pair.run_ms(300);
    }
    pair.clients[0].reconfigure(ClientConfig::default());
    pair.server.reconfigure(ServerConfig::default());
    pair.weather = Weather::CLEAR;
    pair.run_ms(5_000);
    let before = *pair.clients[0].counters();
    let repeated = |pair: &Pair| pair.server.peer(FIRST).expect("open").counters.repeated;
    let dry = repeated(&pair);
    pair.run_ms(5_000);
    let after = pair.clients[0].counters();
    assert_eq!(after.corrections, before.corrections);
    assert_eq!(after.adjustments, before.adjustments);
    assert_eq!(repeated(&pair), dry);
}

#[test]
fn a_player_whose_goodbye_was_lost_can_join_again() {
    let mut pair = playing(Weather::CLEAR);
    let before = pair.clients[0].me();
    pair.run_ms(1_000);
    pair.weather.loss_percent = 100;
    pair.clients[0].leave();
    pair.run_ms(5);
    // Not nought: what is under way from before is refused by one who has only said hello.
    pair.weather.loss_percent = 1;
    pair.clients[0] = Client::join(Walk::empty(), ClientConfig::default(), pair.now);
    drive_bounded(&mut pair, 2, |pair| pair.clients[0].role() == Role::Playing);
    pair.run_ms(1_000);
    assert_ne!(pair.clients[0].me(), before);
    assert_eq!(pair.server.game().walkers.iter().flatten().count(), 1);
}

/// What a client says to a welcome, and what it is then.
fn welcomed(rate: u16, slot: u16) -> (Result<(), Fault>, Role) {
    let mut client = Client::join(Walk::empty(), ClientConfig::default(), Micros::ZERO);
    let mut buf = [0; 64];
    let mut w = Writer::new(&mut buf);
    let welcome = Welcome {
        seat: Some(Seating {
            player: 1,
            key: SlotKey { slot, life: 1 },
        }),
        tick: 5,
        rate,
        first: 1,
    };
    Opening::Welcome { token: 0, welcome }.write(&mut w);
    let len = w.finish().expect("it fits");
    let said = client.handle(Micros::new(9), &buf[..len]);
    (said, client.role())
}

#[test]
fn a_welcome_to_another_game_is_not_taken() {
    let slots = Walk::SLOTS;
    assert_eq!(welcomed(64, slots - 1), (Ok(()), Role::Playing));
    let slot = slots;
    let fault = Fault::SlotRange { slot, slots };
    assert_eq!(welcomed(64, slot), (Err(fault), Role::Joining));
    let why = Why::Refused(Refusal::Rate);
    assert_eq!(welcomed(60, 0), (Ok(()), Role::Disconnected(why)));
}

#[test]
fn a_client_whose_socket_is_full_says_nothing_and_then_what_is_left() {
    for (full_ms, loses) in [(500, false), (2_000, true)] {
        let mut pair = Pair::new(
            Walk::empty(),
            ServerConfig::default(),
            &[Pair::ordered()],
            Weather::CLEAR,
        );
        pair.run_ms(2_000);
        let before = *pair.clients[0].counters();
        pair.clients[0].set_writable(false);
        pair.run_ms(full_ms);
        assert_eq!(pair.clients[0].counters().packets_sent, before.packets_sent);
        pair.clients[0].set_writable(true);
        pair.run_ms(1);
        let after = *pair.clients[0].counters();
        let (said, lost) = (
            after.packets_sent - before.packets_sent,
            after.inputs_lost - before.inputs_lost,
        );
        let made = after.ticks - before.ticks;
        // Each command went out in a frame of its own, or fell out of the history; and a ping was due.
        assert_eq!(said + lost, made + 1, "{full_ms} ms");
        assert_eq!(lost > 0, loses, "{lost} lost");
        assert!(said < 70, "{said} packets at once");
    }
}
