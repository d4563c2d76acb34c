//! Join, predict, be corrected, see the others: two machines over a link.

mod common;

use afterimage_netcode as netcode;
use common::{Legs, Pair, Walk, Weather, drive_bounded};
use netcode::session::Why;
use netcode::{Client, ClientConfig, Delivery, Drawn, Game, PeerId, Role, ServerConfig};
use wire::{Micros, Refusal, Tick};

fn walk_and_jump(tick: u64) -> Legs {
    Legs {
        lean: if tick % 200 < 100 { 127 } else { -90 },
        jump: tick % 40 == 7,
    }
}

#[test]
fn a_join_survives_half_of_everything_lost() {
    for seed in 0..20u64 {
        let mut pair = Pair::plain(Weather {
            latency_ms: 50,
            jitter_ms: 0,
            loss_percent: 50,
            doubled_percent: 0,
        });
        for _ in 0..seed * 3 {
            pair.roll(100);
        }
        drive_bounded(&mut pair, 2, |pair| pair.clients[0].role() == Role::Playing);
        drive_bounded(&mut pair, 2, |pair| {
            pair.clients[0].predicted(pair.clients[0].tick()).is_some()
        });
    }
}

#[test]
fn the_own_character_needs_no_correction_while_nobody_hits_it() {
    let mut pair = Pair::plain(Weather::CLEAR);
    pair.hands = walk_and_jump;
    pair.run_ms(3_000);
    let before = *pair.clients[0].counters();
    pair.run_ms(60_000);
    let after = pair.clients[0].counters();
    assert_eq!(after.corrections - before.corrections, 0);
    assert_eq!(after.adjustments - before.adjustments, 0);
    assert_eq!(after.replayed - before.replayed, 0);
    let me = pair.clients[0].me().expect("seated");
    assert!(pair.server.game().walker(me).expect("alive").jumps > 50);
}

#[test]
fn commands_that_go_one_by_one_are_all_taken_on_either_carrier() {
    for delivery in [Delivery::Datagram, Delivery::Ordered] {
        let config = ClientConfig {
            delivery,
            single_input: true,
            ..ClientConfig::default()
        };
        let server = ServerConfig::default();
        let mut pair = Pair::new(Walk::empty(), server, &[config], Weather::CLEAR);
        pair.hands = walk_and_jump;
        pair.run_ms(10_000);
        let peer = pair.server.peer(PeerId(0)).expect("open").counters;
        assert!(peer.ran > 600, "{peer:?}");
        assert_eq!((peer.repeated, peer.skipped), (0, 0), "{delivery:?}");
        let up = pair.clients[0].counters();
        assert_eq!((up.corrections, up.inputs_lost), (0, 0));
        // Header, kind and tick are 13 bytes; with an acknowledgement and a count before the commands they are 18.
        let heads = up.up.headers;
        assert_eq!(heads % 13, 0, "{delivery:?}: {heads} bytes");
        assert!((600..=640).contains(&(heads / 13)), "{heads}");
    }
}

#[test]
fn the_round_trip_is_known_from_the_welcome_on() {
    // Hello is said sixty-four times a second; the welcome answers the first of them, not the last.
    let mut pair = Pair::plain(Weather::CLEAR);
    drive_bounded(&mut pair, 2, |pair| pair.clients[0].role() == Role::Playing);
    for _ in 0..100 {
        let rtt = pair.clients[0].rtt().expect("it plays").as_millis_f64();
        assert!((150.0..152.0).contains(&rtt), "{rtt} ms");
        pair.run_ms(50);
    }
}

#[test]
fn no_first_step_is_taken_on_a_repeat() {
    // The first commands wait until enough of them are there; the early and the late of them would run dry otherwise.
    for jitter_ms in [0, 15] {
        for seed in 0..20 {
            let mut pair = Pair::plain(Weather {
                jitter_ms,
                ..Weather::CLEAR
            });
            pair.hands = walk_and_jump;
            (0..seed).for_each(|_| {
                pair.roll(100);
            });
            pair.run_ms(seed * 7);
            pair.run_ms(5_000);
            let peer = pair.server.peer(PeerId(0)).expect("open").counters;
            assert!(peer.ran > 250, "{peer:?}");
            assert_eq!(
                (peer.repeated, peer.skipped),
                (0, 0),
                "{jitter_ms} ms, seed {seed}"
            );
            let counters = pair.clients[0].counters();
            assert_eq!((counters.corrections, counters.adjustments), (0, 0));
        }
    }
}

#[test]
fn the_own_character_appears_where_it_is() {
    // It comes in 9 m from the middle: nothing eases there from the origin.
    let mut game = Walk::empty();
    game.waiting = game.spawn(9_000);
    let clients = &[ClientConfig::default()];
    let mut pair = Pair::new(game, ServerConfig::default(), clients, Weather::CLEAR);
    let mut drawn = Drawn::default();
    drive_bounded(&mut pair, 2, |pair| {
        pair.clients[0].drawn(pair.now, &mut drawn);
        drawn.own().is_some()
    });
    assert_eq!(drawn.own().expect("drawn")[0], 9.0);
}

#[test]
fn a_fixed_delay_is_the_chosen_one_from_the_first_second_on() {
    // Hello was said a dozen times by the time of the welcome: which one it answers is not known.
    for latency_ms in [10, 100] {
        let delay = netcode::interpolate::DelayPolicy::Fixed(Micros::from_millis(160));
        let config = ClientConfig {
            policy: delay,
            ..ClientConfig::default()
        };
        // Far from tick 0, before which nothing can be shown.
        let server = ServerConfig {
            first_tick: Tick::new(1_000),
            ..ServerConfig::default()
        };
        let weather = Weather {
            latency_ms,
            ..Weather::CLEAR
        };
        let mut pair = Pair::new(Walk::empty(), server, &[config], weather);
        drive_bounded(&mut pair, 2, |pair| {
            pair.clients[0].showing(pair.now).is_some()
        });
        pair.run_ms(latency_ms * 2 + 100);
        let showing = pair.clients[0].showing(pair.now).expect("snapshots came");
        let behind = (pair.server.tick().get() as f64 - showing.others_at) * 15.625;
        assert!(
            (140.0..=165.0).contains(&behind),
            "{behind} ms behind at {latency_ms} ms"
        );
    }
}

#[test]
fn a_gate_that_is_not_predicted_corrects_exactly() {
    let mut pair = Pair::new(
        Walk::with_gate(),
        ServerConfig::default(),
        &[ClientConfig::default()],
        Weather::CLEAR,
    );
    pair.hands = |_| Legs {
        lean: 127,
        jump: false,
    };
    pair.run_ms(20_000);
    let counters = pair.clients[0].counters();
    assert!(
        counters.corrections > 20,
        "the gate never got in the way: {counters:?}"
    );
    // Everyone lets go; what is predicted is then what the server has, to the bit.
    pair.hands = |_| Legs::default();
    pair.run_ms(3_000);
    let client = &pair.clients[0];
    let me = client.me().expect("seated");
    assert_eq!(client.game().walker(me), pair.server.game().walker(me));
}

#[test]
fn a_round_trip_longer_than_what_is_kept_is_still_set_right() {
    // 70 ticks and more there and back, where 64 are kept.
    let weather = Weather {
        latency_ms: 560,
        ..Weather::CLEAR
    };
    let clients = &[ClientConfig::default()];
    let mut pair = Pair::new(Walk::with_gate(), ServerConfig::default(), clients, weather);
    pair.hands = |tick| Legs {
        lean: if tick % 300 < 150 { 127 } else { -127 },
        jump: false,
    };
    pair.run_ms(30_000);
    let me = pair.clients[0].me().expect("seated");
    assert!(
        pair.clients[0].counters().corrections > 3,
        "{:?}",
        pair.clients[0].counters()
    );
    pair.hands = |_| Legs::default();
    pair.run_ms(4_000);
    assert_eq!(
        pair.clients[0].game().walker(me),
        pair.server.game().walker(me)
    );
}

#[test]
fn a_press_runs_once_whatever_the_link_does() {
    let mut pair = Pair::plain(Weather {
        latency_ms: 30,
        jitter_ms: 20,
        loss_percent: 20,
        doubled_percent: 20,
    });
    // A press each half second, so that each has the time to be told.
    pair.hands = |tick| Legs {
        lean: 0,
        jump: tick % 32 == 0,
    };
    pair.run_ms(30_000);
    let first = pair.clients[0].tick();
    let me = pair.clients[0].me().expect("seated");
    let before = pair.server.game().walker(me).expect("alive").jumps;
    pair.run_ms(32_000);
    let pressed = pair.clients[0].tick().get() / 32 - first.get() / 32;
    pair.hands = |_| Legs::default();
    pair.run_ms(2_000);
    let jumped = pair.server.game().walker(me).expect("alive").jumps - before;
    assert!(pair.lost > 500);
    assert!(
        (jumped as u64).abs_diff(pressed) <= 1,
        "{jumped} jumps for {pressed} presses"
    );
}

#[test]
fn events_arrive_once_and_in_order_through_loss() {
    let mut pair = Pair::of(
        2,
        Weather {
            latency_ms: 30,
            jitter_ms: 30,
            loss_percent: 25,
            doubled_percent: 10,
        },
    );
    pair.run_ms(2_000);
    let jumps = |pair: &Pair| -> u64 {
        let keys = pair.clients.iter().filter_map(Client::me);
        keys.filter_map(|key| pair.server.game().walker(key))
            .map(|walker| walker.jumps as u64)
            .sum()
    };
    let before = jumps(&pair);
    pair.said.iter_mut().for_each(Vec::clear);
    pair.hands = walk_and_jump;
    pair.run_ms(20_000);
    pair.hands = |_| Legs::default();
    pair.run_ms(2_000);
    let happened = jumps(&pair) - before;
    assert!(happened > 30);
    assert_eq!(pair.said[0].len() as u64, happened);
    assert_eq!(pair.said[0], pair.said[1]);
}

#[test]
fn advance_in_two_calls_is_advance_in_one() {
    let mut one = Pair::plain(Weather::CLEAR);
    one.hands = walk_and_jump;
    one.run_ms(2_000);
    let mut two = one.clone();
    let end = one.now + Micros::new(93_750);
    one.clients[0].advance(end);
    one.server.advance(end);
    for part in [10_000, 31_250, 31_251, 70_000, 93_750] {
        two.clients[0].advance(two.now + Micros::new(part));
        two.server.advance(two.now + Micros::new(part));
    }
    let digest = |pair: &Pair| {
        let mut digest = netcode::Digest::new();
        pair.clients[0].digest(&mut digest);
        pair.server.digest(&mut digest);
        digest.get()
    };
    assert_eq!(digest(&one), digest(&two));
}

#[test]
fn drawing_changes_nothing() {
    let run = |draws: u32| {
        let mut pair = Pair::plain(Weather::STORM);
        pair.hands = walk_and_jump;
        let mut drawn = Drawn::default();
        let mut digest = netcode::Digest::new();
        for _ in 0..600 {
            let end = pair.now + Micros::from_millis(16);
            pair.run_ms(16);
            for at in 0..draws {
                pair.clients[0].drawn(end + Micros::new(u64::from(at) * 997), &mut drawn);
            }
        }
        pair.clients[0].digest(&mut digest);
        pair.server.digest(&mut digest);
        digest.get()
    };
    assert_eq!(run(0), run(5));
}

#[test]
fn counters_near_their_wraps_change_nothing() {
    let run = |first_tick: u64, first_seq: u16| {
        let config = ServerConfig {
            first_tick: Tick::new(first_tick),
            first_seq,
            ..ServerConfig::default()
        };
        let mut pair = Pair::new(
            Walk::empty(),
            config,
            &[ClientConfig::default(); 2],
            Weather::STORM,
        );
        pair.hands = |tick| Legs {
            lean: 60,
            jump: tick % 16 == 0,
        };
        pair.run_ms(20_000);
        let counters = *pair.clients[0].counters();
        (
            counters,
            pair.clients[0].tick().get() - first_tick,
            pair.server.tick().get() - first_tick,
        )
    };
    // The gate's phase and the hands go by the tick, so the wraps are reached at multiples of their periods.
    let plain = run(1 << 20, 1);
    assert_eq!(run((1 << 32) - 128, 1), plain);
    assert_eq!(run((1 << 16) - 128, 1), plain);
    let (wrapped, ..) = run(1 << 20, u16::MAX - 9);
    assert_eq!(wrapped, plain.0);
    assert!(plain.0.snapshots > 500);
}

#[test]
fn each_misfit_is_refused_by_name_and_nobody_plays_alone_for_it() {
    let join = |server: ServerConfig, client: ClientConfig| {
        let mut pair = Pair::new(Walk::empty(), server, &[client], Weather::CLEAR);
        pair.run_ms(1_000);
        (
            pair.clients[0].role(),
            pair.server.game().walkers.iter().flatten().count(),
        )
    };
    let refused = |why| (Role::Disconnected(Why::Refused(why)), 0);
    let full = ServerConfig {
        max_players: 0,
        ..ServerConfig::default()
    };
    assert_eq!(join(full, ClientConfig::default()), refused(Refusal::Full));
    let slow = ServerConfig {
        rate_hz: 30,
        ..ServerConfig::default()
    };
    assert_eq!(join(slow, ClientConfig::default()), refused(Refusal::Rate));
    assert_eq!(
        join(ServerConfig::default(), ClientConfig::default()),
        (Role::Playing, 1)
    );
}

#[test]
fn a_lost_connection_leaves_the_world_holding_still() {
    let mut pair = Pair::of(2, Weather::CLEAR);
    pair.hands = walk_and_jump;
    pair.run_ms(5_000);
    pair.weather.loss_percent = 100;
    pair.run_ms(12_000);
    assert_eq!(pair.clients[0].role(), Role::Disconnected(Why::Silence));
    let (mut early, mut late) = (Drawn::default(), Drawn::default());
    pair.clients[0].drawn(pair.now, &mut early);
    let digest = |client: &Client<Walk>| {
        let mut digest = netcode::Digest::new();
        client.digest(&mut digest);
        digest.get()
    };
    let before = digest(&pair.clients[0]);
    pair.run_ms(3_000);
    pair.clients[0].drawn(pair.now, &mut late);
    assert_eq!(early.len(), 2);
    assert_eq!(early, late);
    assert_eq!(before, digest(&pair.clients[0]));
    // The server waits for both, and in the end lets them go.
    assert_eq!(pair.server.suspended().count(), 2);
    assert_eq!(pair.server.game().walkers.iter().flatten().count(), 2);
    pair.run_ms(60_000);
    assert_eq!(pair.server.suspended().count(), 0);
    assert_eq!(pair.server.game().walkers.iter().flatten().count(), 0);
}

#[test]
fn leaving_says_goodbye_and_frees_the_seat() {
    let mut pair = Pair::plain(Weather::CLEAR);
    pair.run_ms(1_000);
    assert_eq!(pair.server.game().walkers.iter().flatten().count(), 1);
    pair.clients[0].leave();
    pair.run_ms(500);
    assert_eq!(pair.clients[0].role(), Role::Disconnected(Why::Left));
    assert_eq!(pair.server.game().walkers.iter().flatten().count(), 0);
    assert!(
        pair.server
            .peer(PeerId(0))
            .expect("the carrier is still open")
            .key
            .is_none()
    );
}

#[test]
fn the_five_questions_have_these_answers_in_the_four_roles() {
    let legs = Legs {
        lean: 1,
        jump: false,
    };
    let now = Micros::from_millis(100);
    // Offline: everything is simulated and decided, one character is mine and driven.
    let mut game = Walk::empty();
    game.spawn(5_000);
    let mut offline = Client::offline(game, ClientConfig::default(), Tick::default(), Micros::ZERO);
    offline.hold(now, legs);
    offline.advance(now);
    let asked = offline.game().asked;
    assert_eq!(
        (
            asked.simulates,
            asked.mine,
            asked.driven,
            asked.replaying,
            asked.decides
        ),
        (40, 1, 1, false, true)
    );

    // Joining: no tick runs at all.
    let mut joining = Client::join(Walk::empty(), ClientConfig::default(), Micros::ZERO);
    joining.hold(now, legs);
    joining.advance(now);
    assert_eq!(
        (joining.role(), joining.game().asked, joining.tick()),
        (Role::Joining, Default::default(), Tick::default())
    );

    // Playing and the server.
    let mut pair = Pair::new(
        Walk::with_gate(),
        ServerConfig::default(),
        &[ClientConfig::default(); 2],
        Weather::CLEAR,
    );
    pair.hands = |_| Legs {
        lean: 127,
        jump: false,
    };
    pair.run_ms(3_000);
    let asked = pair.server.game().asked;
    assert_eq!(
        (
            asked.simulates,
            asked.mine,
            asked.driven,
            asked.replaying,
            asked.decides
        ),
        (40, 0, 2, false, true)
    );
    let asked = pair.clients[0].game().asked;
    assert_eq!(
        (asked.simulates, asked.mine, asked.driven, asked.decides),
        (1, 1, 1, false)
    );

    // Disconnected: decides nothing, runs nothing.
    pair.clients[0].leave();
    let tick = pair.clients[0].tick();
    pair.run_ms(1_000);
    assert_eq!(pair.clients[0].tick(), tick);
}

#[test]
fn a_game_alone_has_the_servers_hash() {
    // The server gets one command a tick, in order, from a client with nothing between them.
    let mut pair = Pair::new(
        Walk::with_gate(),
        ServerConfig::default(),
        &[ClientConfig {
            delivery: Delivery::Ordered,
            pacing: false,
            ..ClientConfig::default()
        }],
        Weather {
            latency_ms: 0,
            jitter_ms: 0,
            loss_percent: 0,
            doubled_percent: 0,
        },
    );
    pair.hands = walk_and_jump;
    drive_bounded(&mut pair, 5, |pair| {
        pair.server
            .peer(PeerId(0))
            .is_some_and(|peer| peer.counters.ran > 0)
    });
    let peer = pair.server.peer(PeerId(0)).expect("open");
    let (start, judged) = (pair.server.tick(), peer.judged);
    let mut game = pair.server.game().clone();
    game.waiting = pair.clients[0].me();
    let mut alone = Client::offline(game, ClientConfig::default(), start, Micros::ZERO);
    assert_eq!(alone.me(), pair.clients[0].me());
    pair.run_ms(5_000);
    let peer = pair.server.peer(PeerId(0)).expect("open");
    assert_eq!(peer.counters.repeated + peer.counters.skipped, 0);
    let ticks = pair.server.tick().since(start);
    for at in 0..ticks {
        alone.hold(alone.next_tick_at(), walk_and_jump(judged.get() + 1 + at));
        alone.advance(alone.next_tick_at());
    }
    let hash = |game: &Walk| {
        let mut digest = netcode::Digest::new();
        game.digest(&mut digest);
        digest.get()
    };
    assert_eq!(alone.tick(), pair.server.tick());
    assert_eq!(hash(alone.game()), hash(pair.server.game()));
}
