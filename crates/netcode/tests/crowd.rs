//! Entities that both ends move by one rule, announced over links that lose; who hears of them; and what is said again.

mod common;

use std::collections::BTreeMap;

use afterimage_netcode::replicate::Recovery;
use afterimage_netcode::{Claim, ClientConfig, Drawn, Role, ServerConfig, Shows};
use common::{DRONES, Drone, Legs, PILOTS, Pair, Plan, Swarm, Weather};
use wire::{ClassId, Shown};

const LOSSY: Weather = Weather {
    latency_ms: 50,
    jitter_ms: 30,
    loss_percent: 25,
    doubled_percent: 5,
};

type Drones = Vec<Option<(u8, Drone)>>;

fn pair(plan: Plan, recovery: Recovery, weather: Weather) -> Pair<Swarm> {
    let server = ServerConfig {
        recovery,
        ..ServerConfig::default()
    };
    let clients = [ClientConfig::default(); 2];
    let mut pair = Pair::new(Swarm::of(DRONES, plan), server, &clients, weather);
    pair.hands = |tick| Legs {
        lean: if tick / 200 % 2 == 0 { 127 } else { -127 },
        jump: false,
    };
    pair
}

/// Runs for so long, with what the server had after each tick.
fn watched(pair: &mut Pair<Swarm>, millis: u64) -> BTreeMap<u64, Drones> {
    let mut truth = BTreeMap::new();
    for _ in 0..millis {
        pair.run_ms(1);
        truth.insert(pair.server.tick().get(), pair.server.game().drones());
    }
    truth
}

/// The server's tick that a client's drones stand after.
fn lives_in(pair: &Pair<Swarm>, client: usize) -> u64 {
    let mut drawn = Drawn::default();
    // Just before the next tick all of the newest is drawn.
    pair.clients[client].drawn(pair.clients[client].next_tick_at(), &mut drawn);
    drawn.simulated_at.round() as u64
}

/// Drones that a client has and the server has not, and the other way round.
fn differ(pair: &Pair<Swarm>, client: usize) -> (usize, usize) {
    let truth = pair.server.game().drones();
    let holds = pair.clients[client].game().drones();
    let lives = truth.iter().zip(&holds);
    let life = |drone: &Option<(u8, Drone)>| drone.map(|(life, _)| life);
    let count = |a: fn(&(Option<u8>, Option<u8>)) -> bool| {
        lives
            .clone()
            .map(|(truth, holds)| (life(truth), life(holds)))
            .filter(a)
            .count()
    };
    (
        count(|(truth, holds)| holds.is_some() && truth != holds),
        count(|(truth, holds)| truth.is_some() && truth != holds),
    )
}

#[test]
fn what_nothing_disturbs_is_never_corrected_and_stands_where_the_server_will_have_it() {
    let plan = Plan {
        robin: 4,
        ..Plan::default()
    };
    let mut pair = pair(plan, Recovery::Prompt, Weather::CLEAR);
    pair.run_ms(2_000);
    let ahead = lives_in(&pair, 0);
    let now = pair.server.tick().get();
    assert!(
        ahead > now + 4,
        "{ahead} and {now}: half a round trip ahead"
    );
    let expected = pair.clients[0].game().drones();
    assert!(expected.iter().flatten().count() == DRONES);
    let truth = watched(&mut pair, 500);
    assert_eq!(truth[&ahead], expected);
    pair.run_ms(20_000);
    let counters = pair.clients[0].counters();
    assert!(counters.simulated_told > 4_000, "{counters:?}");
    assert_eq!(counters.simulated_corrections, 0);
}

#[test]
fn that_they_move_is_no_news() {
    let mut pair = pair(Plan::default(), Recovery::Prompt, Weather::CLEAR);
    pair.run_ms(3_000);
    let before = pair.server.counters().entries;
    pair.run_ms(10_000);
    let entries = pair.server.counters().entries - before;
    // The two pilots, each to each, and nothing of 120 drones.
    assert!(entries <= 2 * 2 * 640 + 8, "{entries}");
}

#[test]
fn a_turn_is_news_and_only_what_turned_runs_again() {
    let plan = Plan {
        turns: 1,
        ..Plan::default()
    };
    let mut pair = pair(plan, Recovery::Prompt, LOSSY);
    pair.run_ms(10_000);
    let counters = *pair.clients[0].counters();
    assert!(counters.simulated_corrections > 300, "{counters:?}");
    assert_eq!(counters.corrections, 0, "the own character stands");
    let ticks = counters.simulated_replayed as f64 / counters.snapshots as f64;
    assert!((2.0..40.0).contains(&ticks), "{ticks} ticks a snapshot");
}

#[test]
fn births_and_ends_come_through_any_loss_but_not_by_luck() {
    let plan = Plan {
        churn: 3,
        turns: 1,
        until: 20 * 64,
        ..Plan::default()
    };
    for loss_percent in [25, 50] {
        for recovery in [Recovery::Naive, Recovery::Acknowledged, Recovery::Prompt] {
            let weather = Weather {
                loss_percent,
                ..LOSSY
            };
            let mut pair = pair(plan, recovery, weather);
            pair.run_ms(20_000);
            assert!(pair.lost > 500);
            pair.weather.loss_percent = 0;
            pair.run_ms(1_000);
            let (phantoms, missing) = differ(&pair, 0);
            let what = format!("{recovery:?} at {loss_percent} %: {phantoms} and {missing}");
            match recovery {
                Recovery::Naive => assert!(phantoms > 0 && missing > 0, "{what}"),
                _ => assert_eq!((phantoms, missing), (0, 0), "{what}"),
            }
        }
    }
}

#[test]
fn what_is_counted_from_the_stream_are_changes_and_not_what_is_said() {
    let plan = Plan {
        churn: 1,
        robin: 8,
        until: 10 * 64,
        ..Plan::default()
    };
    for recovery in [Recovery::Acknowledged, Recovery::Prompt] {
        let mut pair = pair(plan, recovery, LOSSY);
        pair.run_ms(12_000);
        let counters = pair.clients[0].counters();
        let held = pair.clients[0].holds().count() as u64;
        assert_eq!(counters.births - counters.ends, held, "{recovery:?}");
        let deaths = pair.server.game().deaths;
        assert!(deaths > 100, "{deaths}");
        // Two lives in one slot may pass between two packets that come through: never more ends than deaths.
        let ends = deaths - counters.ends;
        assert!(counters.ends <= deaths, "{recovery:?}");
        assert!(ends < deaths / 10, "{ends} of {deaths}: {recovery:?}");
        assert!(counters.simulated_told > 4 * counters.births);
        // Each death since it joined is told as an event as well, and none twice.
        let said = pair.said[0].len() as u64;
        assert!(said <= deaths && said + 30 > deaths, "{said} of {deaths}");
    }
}

#[test]
fn what_leaves_a_pilots_hearing_is_gone_for_it_and_what_enters_is_born() {
    let plan = Plan {
        churn: 1,
        turns: 1,
        robin: 1,
        radius: 500,
        until: 20 * 64,
        ..Plan::default()
    };
    for loss_percent in [5, 25, 50] {
        let weather = Weather {
            loss_percent,
            ..LOSSY
        };
        let mut pair = pair(plan, Recovery::Prompt, weather);
        pair.run_ms(20_000);
        let counters = *pair.clients[0].counters();
        assert!(counters.births > 300 && counters.ends > 250, "{counters:?}");
        // Drones go on coming and going by themselves: they are held against each other at the tick that was told last.
        pair.weather.jitter_ms = 0;
        pair.run_ms(500);
        pair.weather.loss_percent = 0;
        pair.run_ms(1_000);
        let mut heard = BTreeMap::new();
        let mut equal = 0;
        for _ in 0..1_500 {
            pair.run_ms(1);
            let told = pair
                .server
                .hears(afterimage_netcode::PeerId(0))
                .collect::<Vec<_>>();
            heard.insert(pair.server.tick(), told);
            let newest = pair.clients[0].showing(pair.now).expect("told").newest;
            if heard.contains_key(&newest) {
                let holds: Vec<_> = pair.clients[0].holds().collect();
                assert_eq!(holds, heard[&newest], "{loss_percent} %");
                equal += 1;
            }
        }
        assert!(equal > 500, "{equal}");
        let all = pair.server.table().occupied().count();
        let held = pair.clients[0].holds().count();
        assert!(held * 2 < all, "{held} of {all}");
    }
}

#[test]
fn what_is_not_told_in_this_tick_is_told_in_its_own_and_ends_are_told_at_once() {
    let plan = Plan {
        robin: DRONES / 4,
        ..Plan::default()
    };
    let told = |seldom| {
        let plan = Plan { seldom, ..plan };
        let mut pair = pair(plan, Recovery::Prompt, Weather::CLEAR);
        pair.run_ms(10_000);
        assert_eq!(differ(&pair, 0), (0, 0));
        pair.clients[0].counters().simulated_told
    };
    let (always, seldom) = (told(0), told(12));
    assert!(seldom > 0 && seldom * 2 < always, "{seldom} of {always}");
}

#[test]
fn a_class_may_be_shown_in_another_way_than_it_says() {
    let plan = Plan {
        churn: 1,
        ..Plan::default()
    };
    for shown in [Shown::Interpolated, Shown::DeadReckoned, Shown::Simulated] {
        let shows = Shows::default().with(ClassId(1), shown);
        let server = ServerConfig {
            shows,
            ..ServerConfig::default()
        };
        let client = ClientConfig {
            shows,
            ..ClientConfig::default()
        };
        let mut pair = Pair::new(Swarm::of(DRONES, plan), server, &[client], Weather::CLEAR);
        pair.run_ms(3_000);
        let mut drawn = Drawn::default();
        pair.clients[0].drawn(pair.now, &mut drawn);
        let drones = drawn.iter().map(|(body, _)| *body);
        let drones: Vec<_> = drones.filter(|body| body.class == ClassId(1)).collect();
        assert!(drones.len() > 60);
        assert!(drones.iter().all(|body| body.shown == shown));
        let at = match shown {
            Shown::Simulated => drawn.simulated_at,
            Shown::DeadReckoned => drawn.reckoned_at,
            _ => drawn.others_at,
        };
        let ahead = at - pair.server.tick().get() as f64;
        match shown {
            Shown::Simulated => assert!(ahead > 3.0, "{ahead}"),
            Shown::DeadReckoned => assert!(ahead.abs() < 2.0, "{ahead}"),
            _ => assert!(ahead < -4.0, "{ahead}"),
        }
        let moved = pair.clients[0].game().moved;
        assert_eq!(moved > 0, shown == Shown::Simulated);
    }
}

#[test]
fn a_choice_of_how_a_class_is_shown_may_change_in_the_middle() {
    let mut pair = pair(Plan::default(), Recovery::Prompt, Weather::CLEAR);
    for shown in [Shown::Interpolated, Shown::Simulated, Shown::Interpolated] {
        pair.run_ms(2_000);
        let shows = Shows::default().with(ClassId(1), shown);
        let server = ServerConfig {
            shows,
            ..*pair.server.config()
        };
        pair.server.reconfigure(server);
        let client = ClientConfig {
            shows,
            ..*pair.clients[0].config()
        };
        pair.clients[0].reconfigure(client);
    }
    pair.run_ms(2_000);
    let mut drawn = Drawn::default();
    pair.clients[0].drawn(pair.now, &mut drawn);
    let samples = pair.clients[0]
        .samples(pair.server.game().key(PILOTS + 7))
        .count();
    assert!(samples > 20, "{samples}");
    assert_eq!(drawn.len(), DRONES + 2);
}

#[test]
fn who_watches_has_the_crowd_at_the_newest_tick_that_is_due() {
    let plan = Plan {
        turns: 1,
        churn: 1,
        ..Plan::default()
    };
    let mut pair = pair(plan, Recovery::Prompt, Weather::CLEAR);
    pair.open(0, Claim::Watch);
    pair.run_ms(3_000);
    assert_eq!(pair.clients[0].role(), Role::Watching);
    let behind = pair.server.tick().get() as i64 - lives_in(&pair, 0) as i64;
    assert!((2..=7).contains(&behind), "75 ms are 5 ticks: {behind}");
    let tick = lives_in(&pair, 0);
    let held = pair.clients[0].game().drones();
    // It stood so at the server then.
    let mut again = pair.clone();
    again.run_ms(1);
    let truth = watched(&mut pair, 200);
    let later = pair.clients[0].game().drones();
    let at = lives_in(&pair, 0);
    assert!(at > tick && held != later);
    assert_eq!(truth[&at], later);
}

#[test]
fn a_picture_of_what_was_set_right_eases_and_one_between_two_ticks_glides() {
    let plan = Plan {
        turns: 2,
        ..Plan::default()
    };
    let steps = |smooth| {
        let client = ClientConfig {
            smooth,
            ..ClientConfig::default()
        };
        let server = ServerConfig::default();
        let mut pair = Pair::new(Swarm::of(DRONES, plan), server, &[client], Weather::CLEAR);
        pair.run_ms(2_000);
        let mut worst = 0.0f32;
        let (mut before, mut now) = (Drawn::default(), Drawn::default());
        pair.clients[0].drawn(pair.now, &mut before);
        for _ in 0..1_000 {
            pair.run_ms(1);
            pair.clients[0].drawn(pair.now, &mut now);
            for ((_, a), (_, b)) in before.iter().zip(now.iter()) {
                worst = worst.max((a[0] - b[0]).abs());
            }
            std::mem::swap(&mut before, &mut now);
        }
        worst
    };
    let (eased, snapped) = (
        steps(ClientConfig::default().smooth),
        steps(wire::Micros::ZERO),
    );
    // 15 px a tick are 1 px a millisecond; a turn that is heard 11 ticks later moves by up to 300 px.
    assert!(snapped > 100.0, "{snapped}");
    assert!(eased < 25.0, "{eased}");
}

#[test]
fn what_stands_still_while_every_number_wraps_stands_there_still() {
    let server = ServerConfig {
        first_tick: wire::Tick::new(u64::from(u32::MAX) - 500),
        first_seq: 65_000,
        ..ServerConfig::default()
    };
    let still = Plan::default();
    let clients = [ClientConfig::default()];
    let mut pair = Pair::new(Swarm::of(0, still), server, &clients, Weather::CLEAR);
    pair.server.seat().expect("a bot that does nothing");
    pair.run_ms(1_000);
    let before = pair.clients[0].holds().collect::<Vec<_>>();
    assert_eq!(before.len(), 2);
    // Three times 65,536 packets and commands, at 128 ticks a second as at 64.
    pair.run_ms(3 * 65_536 * 1_000 / 64 + 2_000);
    assert!(pair.server.counters().snapshots > 3 * 65_536);
    assert_eq!(pair.clients[0].holds().collect::<Vec<_>>(), before);
    assert_eq!(differ(&pair, 0), (0, 0));
    let counters = pair.clients[0].counters();
    assert_eq!((counters.births, counters.ends), (2, 0));
    // It was told once, and then no more: the entries since are the own character's.
    assert!(counters.entries < counters.snapshots + 60, "{counters:?}");
}

#[test]
fn no_bytes_about_a_crowd_do_more_than_be_refused_or_be_believed() {
    let plan = Plan {
        churn: 2,
        turns: 2,
        robin: 4,
        ..Plan::default()
    };
    let mut pair = pair(plan, Recovery::Prompt, LOSSY);
    let (mut refused, mut believed) = (0, 0);
    let mut drawn = Drawn::default();
    for _ in 0..40 {
        pair.run_ms(70);
        for packet in pair.under_way(0) {
            for _ in 0..12 {
                let mut bytes = packet.clone();
                for _ in 0..1 + pair.roll(4) {
                    let at = pair.roll(bytes.len() as u64) as usize;
                    bytes[at] ^= 1 << pair.roll(8);
                }
                bytes.truncate(bytes.len() - (pair.roll(8) / 7) as usize);
                let mut client = pair.clients[0].clone();
                match client.handle(pair.now, &bytes) {
                    Ok(()) => believed += 1,
                    Err(_) => refused += 1,
                }
                for ms in [0, 16, 300, 9_000] {
                    let later = pair.now + wire::Micros::from_millis(ms);
                    client.advance(later);
                    client.drawn(later, &mut drawn);
                }
            }
        }
    }
    assert!(refused > 300 && believed > 300, "{refused} and {believed}");
}
