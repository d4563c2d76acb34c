//! Entities that both ends move by one rule, announced over links that lose; who hears of them; and what is said again.

mod common;

use std::collections::BTreeMap;

use afterimage_netcode::replicate::Recovery;
use afterimage_netcode::{ClientConfig, Drawn, ServerConfig};
use common::{DRONES, Drone, Legs, Pair, Plan, Swarm, Weather};

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
