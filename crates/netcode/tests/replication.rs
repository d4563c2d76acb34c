//! What one end has, the other comes to have, whatever the link does.

mod common;

use afterimage_netcode as netcode;
use common::{Legs, Pair, Walk, Walker, Weather};
use netcode::{Client, ClientConfig, Drawn, Game, PeerId, Role, ServerConfig};
use wire::{Audience, Goodbye, Micros, SlotKey, Tick};

fn crowd(count: usize) -> Walk {
    let mut game = Walk::with_gate();
    for at in 0..count {
        game.spawn(at as i32 * 1000);
    }
    game
}

/// What everyone is told of a walker.
fn public(walker: Option<&Walker>) -> Option<Walker> {
    walker.map(|walker| Walker { rest: 0, ..*walker })
}

/// What is wrong in a client's world: slots whose occupant or public state differ.
fn differing(pair: &Pair, client: usize) -> Vec<usize> {
    let (truth, copy) = (pair.server.game(), pair.clients[client].game());
    let me = pair.clients[client].me().expect("seated");
    let differs = |slot: &usize| {
        let key = truth.at(*slot).map(|(key, _)| key);
        let same = key == copy.at(*slot).map(|(key, _)| key)
            && key.is_none_or(|key| public(truth.walker(key)) == public(copy.walker(key)));
        !same && usize::from(me.slot) != *slot
    };
    (0..truth.slots()).filter(differs).collect()
}

#[test]
fn a_world_converges_through_a_storm_and_then_goes_quiet() {
    let mut pair = Pair::new(
        crowd(20),
        ServerConfig::default(),
        &[ClientConfig::default(); 3],
        Weather::STORM,
    );
    pair.hands = |tick| Legs {
        lean: (tick % 255) as i32 - 127,
        jump: tick % 9 == 0,
    };
    let mut changed = 0;
    for round in 0..200u64 {
        // Bodies that nobody drives come, go, are hurt and teleport, several within one gap of the link.
        pair.run_ms(50);
        let mut bots: Vec<SlotKey> = Vec::new();
        if let Some(key) = pair.server.seat() {
            bots.push(key);
            pair.server.drive(
                key,
                Legs {
                    lean: 90,
                    jump: true,
                },
            );
            if round % 3 == 0 {
                pair.server.unseat(key);
            }
        }
        changed += bots.len();
    }
    assert!(changed > 20 && pair.lost > 1_000, "{changed} {}", pair.lost);
    pair.hands = |_| Legs::default();
    pair.weather = Weather::CLEAR;
    pair.run_ms(1_500);
    let others_still_drive = pair.server.game().walkers.iter().flatten().count();
    assert!(others_still_drive > 20);
    // Everyone whom this process drives keeps walking; stop them by taking them away.
    let keys: Vec<_> = (0..pair.server.game().slots())
        .filter_map(|slot| pair.server.game().at(slot))
        .collect();
    for (key, _) in keys {
        pair.server.unseat(key);
    }
    pair.run_ms(1_500);
    for client in 0..3 {
        assert_eq!(
            differing(&pair, client),
            Vec::<usize>::new(),
            "client {client}"
        );
    }
    // Quiet: a snapshot holds the own character, the gate that swings, and nothing else.
    let before = *pair.server.counters();
    pair.run_ms(1_000);
    let after = *pair.server.counters();
    let (entries, snapshots) = (
        after.entries - before.entries,
        after.snapshots - before.snapshots,
    );
    assert!(
        entries <= snapshots * 2,
        "{entries} entries in {snapshots} snapshots"
    );
    for client in 0..3u32 {
        let peer = pair.server.peer(PeerId(client)).expect("open").counters;
        assert_eq!(peer.down.total(), peer.bytes_down);
        assert!(peer.down.own > 0 && peer.down.others > 0 && peer.down.other > 0);
        let sent = pair.clients[client as usize].counters();
        assert_eq!(sent.up.total(), sent.bytes_up);
        assert!(sent.up.inputs > 0 && sent.up.headers > 0 && sent.up.other > 0);
    }
}

#[test]
fn a_body_that_stops_in_a_burst_of_loss_is_not_wrong_for_ever() {
    let mut pair = Pair::of(2, Weather::CLEAR);
    pair.hands = |_| Legs {
        lean: 127,
        jump: false,
    };
    pair.run_ms(3_000);
    pair.weather.loss_percent = 100;
    pair.run_ms(400);
    pair.hands = |_| Legs::default();
    pair.run_ms(1_000);
    pair.weather.loss_percent = 0;
    pair.run_ms(600);
    assert_eq!(differing(&pair, 0), Vec::<usize>::new());
    assert_eq!(differing(&pair, 1), Vec::<usize>::new());
}

#[test]
fn a_life_that_ends_and_a_slot_that_is_taken_again_meet_in_the_right_order() {
    for gap_ms in [0u64, 10, 30, 100, 400] {
        let mut pair = Pair::new(
            crowd(1),
            ServerConfig::default(),
            &[ClientConfig::default()],
            Weather::STORM,
        );
        pair.run_ms(1_000);
        for _ in 0..30 {
            let key = pair.server.seat().expect("there is room");
            pair.run_ms(gap_ms);
            pair.server.unseat(key);
            pair.run_ms(gap_ms / 2);
        }
        let last = pair.server.seat().expect("there is room");
        pair.weather = Weather::CLEAR;
        pair.run_ms(1_000);
        assert_eq!(
            pair.clients[0]
                .game()
                .at(usize::from(last.slot))
                .map(|(key, _)| key),
            Some(last),
            "{gap_ms}"
        );
        assert_eq!(differing(&pair, 0), Vec::<usize>::new());
    }
}

/// A world of 36 bots that walk, and jump or not, at each tick, so that everything is news all the time, and one client. The most
/// snapshots that any bot was not heard of, after a second, and the bytes that the client was sent meanwhile.
fn crowded(config: ServerConfig, weather: Weather, jump: bool) -> (Pair, u64, u64) {
    let config = ServerConfig {
        max_players: 40,
        ..config
    };
    let mut pair = Pair::new(crowd(0), config, &[ClientConfig::default()], weather);
    pair.run_ms(500);
    let bots: Vec<_> = (0..36)
        .map(|_| pair.server.seat().expect("there is room"))
        .collect();
    let mut longest = 0;
    let mut unheard = vec![0u64; bots.len()];
    let mut seen: Vec<Option<Walker>> = vec![None; bots.len()];
    let mut before = 0;
    for round in 0..400 {
        for bot in &bots {
            pair.server.drive(*bot, Legs { lean: 3, jump });
        }
        let next = pair.server.next_tick_at();
        while pair.now < next {
            pair.step(next);
        }
        if round == 64 {
            before = pair
                .server
                .peer(PeerId(0))
                .expect("open")
                .counters
                .bytes_down;
            unheard.fill(0);
        }
        for (at, bot) in bots.iter().enumerate() {
            let now = pair.clients[0].game().walker(*bot).copied();
            unheard[at] = if now == seen[at] { unheard[at] + 1 } else { 0 };
            seen[at] = now;
            longest = longest.max(if round > 64 { unheard[at] } else { 0 });
        }
    }
    assert!(seen.iter().all(Option::is_some), "somebody was never told");
    let bytes = pair
        .server
        .peer(PeerId(0))
        .expect("open")
        .counters
        .bytes_down
        - before;
    (pair, longest, bytes)
}

#[test]
fn no_packet_passes_its_limit_and_a_tick_too_large_for_one_is_several() {
    let record = u64::from(common::WALKER_CLASS.bits(Audience::All) + 12);
    for max_packet in [256, 270] {
        assert!(record * 36 > (max_packet as u64 - 36) * 8);
        let config = ServerConfig {
            max_packet,
            ..ServerConfig::default()
        };
        let (pair, longest, _) = crowded(config, Weather::CLEAR, true);
        assert!(
            (max_packet * 9 / 10..=max_packet).contains(&pair.largest),
            "{}",
            pair.largest
        );
        // Everybody is told in each tick, in as many packets as it takes.
        assert_eq!(longest, 0, "one was not heard of for {longest} snapshots");
        let peer = pair.server.peer(PeerId(0)).expect("open").counters;
        let packets = pair.clients[0].counters().packets_heard;
        assert!(packets > peer.snapshots * 3 / 2, "{packets}");
    }
}

#[test]
fn each_packet_of_a_tick_is_of_use_without_the_others() {
    let config = ServerConfig {
        max_packet: 256,
        ..ServerConfig::default()
    };
    let weather = Weather {
        loss_percent: 40,
        jitter_ms: 30,
        ..Weather::CLEAR
    };
    let (mut pair, longest, _) = crowded(config, weather, true);
    // Were a lost packet the loss of its tick, the longest hole would be of all packets in a row.
    assert!((1..20).contains(&longest), "{longest}");
    let own = pair.clients[0].counters().corrections;
    assert!(own < 400, "{own} corrections");
    pair.weather = Weather {
        loss_percent: 1,
        ..Weather::CLEAR
    };
    let keys: Vec<_> = (0..pair.server.game().slots())
        .filter_map(|slot| pair.server.game().at(slot))
        .collect();
    for (key, _) in keys {
        pair.server.unseat(key);
    }
    pair.run_ms(1_000);
    assert_eq!(differing(&pair, 0), [0usize; 0]);
}

#[test]
fn a_budget_is_kept_and_what_waits_gets_its_turn() {
    // Entries of a dozen bytes at the most, and what a snapshot takes beside them.
    let (waiting, around) = (36 * 12, 24 + 12);
    for budget in [4_000u32, 8_000, 16_000] {
        let config = ServerConfig {
            budget,
            ..ServerConfig::default()
        };
        let (_, longest, bytes) = crowded(config, Weather::CLEAR, false);
        let most = u64::from(budget) * 336 / 64;
        assert!(
            (most * 8 / 10..=most + 2_000).contains(&bytes),
            "{bytes} of {most} bytes"
        );
        let share = u64::from(budget) / 64 - around;
        let bound = (waiting as u64).div_ceil(share) + 2;
        assert!(
            (1..=bound).contains(&longest),
            "one was not heard of for {longest} snapshots of {bound}"
        );
        // Events take their part, and stop nobody.
        let (pair, longest, bytes) = crowded(config, Weather::CLEAR, true);
        assert!(bytes <= most + 2_000 && longest <= 3 * bound, "{longest}");
        assert!(pair.said[0].len() > 20, "{} events", pair.said[0].len());
    }
}

#[test]
fn own_fields_go_to_the_owner_alone() {
    let mut pair = Pair::of(2, Weather::CLEAR);
    pair.hands = |_| Legs {
        lean: 0,
        jump: true,
    };
    pair.run_ms(2_000);
    let (mine, other) = (
        pair.clients[0].me().expect("seated"),
        pair.clients[1].me().expect("seated"),
    );
    let seen = |client: usize, key| pair.clients[client].game().walker(key).expect("told").rest;
    let rests = |key| pair.server.game().walker(key).expect("alive").rest > 0 || seen(0, mine) > 0;
    assert!(rests(mine) && rests(other));
    assert_eq!(seen(0, other), 0);
    assert_eq!(seen(1, mine), 0);
}

#[test]
fn others_are_drawn_in_the_past_and_never_across_a_teleport() {
    let mut pair = Pair::of(2, Weather::CLEAR);
    pair.hands = |_| Legs {
        lean: 127,
        jump: false,
    };
    pair.run_ms(3_000);
    let other = pair.clients[1].me().expect("seated");
    let mut drawn = Drawn::default();
    let showing = pair.clients[0].showing(pair.now).expect("snapshots came");
    pair.clients[0].drawn(pair.now, &mut drawn);
    let x = drawn.get(other).expect("drawn")[0];
    let truth = pair.server.game().walker(other).expect("alive").x as f32 / 1000.0;
    let ticks_behind = pair.server.tick().get() as f64 - showing.others_at;
    assert!(ticks_behind > 5.0);
    // It walks 0.1 m a tick.
    assert!(
        (truth - x - ticks_behind as f32 * 0.1).abs() < 0.002,
        "{truth} {x} {ticks_behind}"
    );
}

#[test]
fn a_body_at_rest_that_starts_is_held_still_until_it_did() {
    // The other one stands for seconds, then walks. A blend from the last sample, seconds old, would glide.
    let mut pair = Pair::of(2, Weather::CLEAR);
    pair.run_ms(4_000);
    let other = pair.clients[1].me().expect("seated");
    pair.hands = |_| Legs {
        lean: 127,
        jump: false,
    };
    let mut truth: Vec<(u64, f32)> = Vec::new();
    let mut worst = 0.0f32;
    let mut drawn = Drawn::default();
    for _ in 0..400 {
        let next = pair.now + Micros::new(4_000);
        while pair.now < next {
            pair.step(next);
        }
        let at = pair.server.game().walker(other).expect("alive").x as f32 / 1000.0;
        truth.push((pair.server.tick().get(), at));
        truth.dedup_by_key(|(tick, _)| *tick);
        pair.clients[0].drawn(pair.now, &mut drawn);
        let whole = drawn.others_at as u64;
        let find = |tick| truth.iter().find(|(at, _)| *at == tick).map(|(_, x)| *x);
        if let (Some(a), Some(b)) = (find(whole), find(whole + 1)) {
            let there = a + (b - a) * (drawn.others_at - whole as f64) as f32;
            worst = worst.max((drawn.get(other).expect("drawn")[0] - there).abs());
        }
    }
    assert!(truth.last().expect("ran").1 > 5.0);
    assert!(worst < 0.002, "off by {worst} m");
}

/// Somebody comes or goes, in one of the ways that there are.
fn disturb(pair: &mut Pair, bots: &mut Vec<SlotKey>) {
    let at = pair.roll(pair.clients.len() as u64) as usize;
    let id = PeerId(at as u32);
    match pair.roll(8) {
        0 | 1 => bots.extend(pair.server.seat()),
        2 if !bots.is_empty() => {
            let bot = bots.swap_remove(pair.roll(bots.len() as u64) as usize);
            pair.server.unseat(bot);
        }
        3 => pair.clients[at].leave(),
        4 => pair.server.dismiss(id, Goodbye::Kicked),
        5 => pair.reopen(at),
        6 if matches!(pair.clients[at].role(), Role::Disconnected(_)) => {
            // Again in the same session of the carrier, whatever is still under way in it.
            pair.clients[at] = Client::join(Walk::empty(), ClientConfig::default(), pair.now);
        }
        _ => {
            pair.weather = Weather {
                latency_ms: pair.roll(80),
                jitter_ms: pair.roll(80),
                loss_percent: 1 + pair.roll(60),
                doubled_percent: pair.roll(30),
            }
        }
    }
    for bot in bots {
        let lean = pair.roll(255) as i32 - 127;
        pair.server.drive(*bot, Legs { lean, jump: true });
    }
}

#[test]
fn whoever_comes_and_goes_the_worlds_are_equal_in_the_end() {
    for seed in 0..SEEDS {
        let config = ServerConfig {
            first_tick: Tick::new((1 << 32) - 200),
            first_seq: u16::MAX - 60,
            max_packet: 256,
            ..ServerConfig::default()
        };
        let clients = [ClientConfig::default(); 3];
        let mut pair = Pair::new(crowd(6), config, &clients, Weather::STORM);
        pair.hands = |tick| Legs {
            lean: (tick % 255) as i32 - 127,
            jump: tick % 9 == 0,
        };
        (0..seed).for_each(|_| {
            pair.roll(100);
        });
        let mut bots = Vec::new();
        for _ in 0..80 {
            disturb(&mut pair, &mut bots);
            let pause = pair.roll(120);
            pair.run_ms(pause);
        }
        for bot in &bots {
            pair.server.drive(*bot, Legs::default());
        }
        pair.hands = |_| Legs::default();
        pair.weather = Weather {
            loss_percent: 1,
            ..Weather::CLEAR
        };
        // Who was put out while nothing came through is told, or notices.
        pair.run_ms(12_000);
        for at in 0..pair.clients.len() {
            match pair.clients[at].role() {
                Role::Playing => assert_eq!(differing(&pair, at), [0usize; 0], "seed {seed}"),
                role => assert!(
                    matches!(role, Role::Disconnected(_)),
                    "seed {seed}: {role:?}"
                ),
            }
            let seat = pair.server.peer(PeerId(at as u32)).expect("open").key;
            let me = pair.clients[at].me();
            let plays = pair.clients[at].role() == Role::Playing;
            assert_eq!(seat, me.filter(|_| plays), "seed {seed}");
        }
    }
}

/// Different courses of events that are tried.
const SEEDS: u64 = 60;
