//! Snapshots of a real match, on a real relay, at real clients on both carriers at once; and of the same match in the lab.

use std::sync::Arc;
use std::time::Duration;

use afterimage_tests::age::{Ages, by_ticks};
use afterimage_tests::guest::{Host, Player, Via};
use afterimage_tests::impair::{Bridge, End, Lateness, NEAR, hurry, measured};
use lab::params::{self, Config};
use lab::{Instruments as _, LabOf, LabSetup, probe};
use scenes::Arena;
use serde_json::json;
use server::Settings;
use tokio::runtime::{Builder, Runtime};
use wire::Micros;

/// Each way.
const LATENCY_MS: u64 = 40;
const LOSS_PERCENT: f64 = 5.0;
/// Clients on each carrier, and for how long: some 300 losses each.
const CLIENTS: usize = 4;
const LENGTH: Duration = Duration::from_secs(24);
/// How often that is played, all taken together, where it does not show what it shows in the long run: the oldest of a
/// hundred are of a few stalls.
const RUNS: usize = 3;

/// As late as a machine may be that is to tell stalls of 200 ms from those of 250.
const FIT: Lateness = Lateness {
    p50: Duration::from_millis(2),
    p99: Duration::from_millis(30),
    worst: Duration::from_millis(500),
};

/// Threads that live at one end.
fn runtime(bridge: &Arc<Bridge>, end: End) -> Runtime {
    let bridge = Arc::clone(bridge);
    let threads = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .on_thread_start(move || {
            bridge.enter(end);
            hurry();
        })
        .build();
    threads.unwrap()
}

/// Plays on a relay at the near end with clients at the far one. Ages on each carrier, or who was lost.
fn real(bridge: &Arc<Bridge>) -> Result<[Ages; 2], String> {
    let (near, far) = (runtime(bridge, End::Near), runtime(bridge, End::Far));
    let mut settings = Settings::default();
    settings.place.host = NEAR.to_string();
    settings.place.allow_native = Some(true);
    // Whoever waits on a runtime is none of its threads, so the work is spawned on them.
    let host = near.block_on(async { tokio::spawn(Host::start(settings)).await.unwrap() });
    let door = host.door.clone();
    bridge.weather(LATENCY_MS, 0.0);
    let link = Arc::clone(bridge);
    let play = async move {
        let seats = 2 * CLIENTS;
        let (code, _) = door.room(&json!({ "seats": seats, "bots": 4 })).await;
        let mut players = Vec::new();
        for number in 0..CLIENTS {
            for via in Via::ALL {
                let player = Player::new(&door, &code, &format!("Player {number}"), via).await;
                player.plays().await;
                players.push((via, player));
            }
        }
        link.weather(LATENCY_MS, LOSS_PERCENT / 100.0);
        tokio::time::sleep(LENGTH).await;
        let ages = |via: Via| -> Result<Ages, String> {
            let of_one = |player: &Player| {
                let seen = player.seen();
                if let Some(why) = seen.ended {
                    return Err(format!("a player on {via:?} was lost: {why}"));
                }
                let rate = 64;
                let heard = by_ticks(&seen.snapshots, rate, Micros::from_millis(LATENCY_MS));
                let until = player.now();
                // The first two seconds of the weather are not yet what it is like.
                let length = Micros::new(LENGTH.as_micros() as u64) - Micros::from_millis(2_000);
                Ok(Ages::new(&heard, until - length, until))
            };
            let players = players.iter().filter(|(on, _)| *on == via);
            let ages: Result<Vec<_>, _> = players.map(|(_, player)| of_one(player)).collect();
            Ok(Ages::of_all(ages?))
        };
        let [ws, wt] = Via::ALL.map(ages);
        for (_, player) in players {
            player.leave().await;
        }
        Ok([ws?, wt?])
    };
    let ages = far.block_on(async { tokio::spawn(play).await.unwrap() });
    near.block_on(async { tokio::spawn(host.stop()).await.unwrap() });
    ages
}

/// The same in the lab: the median and the 99th of a hundred, in the middle one of five matches. Of one alone the latter is
/// what a few stalls made of it.
fn simulated(carrier: &str) -> [f64; 2] {
    let matches = [7, 8, 9, 10, 11].map(|seed| simulated_once(carrier, seed));
    [0, 1].map(|figure| {
        let mut figures = matches.map(|of_one| of_one[figure]);
        figures.sort_unstable_by(f64::total_cmp);
        figures[figures.len() / 2]
    })
}

fn simulated_once(carrier: &str, seed: u64) -> [f64; 2] {
    let mut config = Config::default();
    config.set_text("link.carrier", carrier).unwrap();
    for (id, value) in [
        (params::LINK_UP_LATENCY, LATENCY_MS as f64),
        (params::LINK_DOWN_LATENCY, LATENCY_MS as f64),
        (params::LINK_UP_LOSS, LOSS_PERCENT),
        (params::LINK_DOWN_LOSS, LOSS_PERCENT),
        (params::LINK_UP_JITTER, 0.0),
        (params::LINK_DOWN_JITTER, 0.0),
    ] {
        config.set(id, value).unwrap();
    }
    let mut lab = LabOf::<Arena>::new(LabSetup::new(seed, config));
    let end = Micros::from_millis(120_000);
    lab.run_to(end);
    let age = lab.meters().summary(probe::OTHERS_AGE, end);
    [age.p50, age.p99]
}

/// What is not within 15 % at the median and 25 % at the 99th of a hundred, in words.
fn misfit(real: &[Ages; 2], lab: &[[f64; 2]; 2], bbr: bool) -> Option<String> {
    for (via, (real, lab)) in Via::ALL.into_iter().zip(real.iter().zip(lab)) {
        if via == Via::Ws && !bbr {
            continue;
        }
        for (percent, within, lab) in [(50, 0.15, lab[0]), (99, 0.25, lab[1])] {
            let real = real.at(percent);
            let off = (lab / real - 1.0).abs();
            // Where nothing was heard there is no figure, and none is within anything.
            if off.is_nan() || off >= within {
                return Some(format!(
                    "{via:?} at {percent} %: {real:.1} ms, in the lab {lab:.1}"
                ));
            }
        }
    }
    // What the carriers are for: the stream stalls, datagrams do not.
    let [stream, datagrams] = real;
    (stream.at(99) <= 1.8 * datagrams.at(99))
        .then(|| format!("the stream does not stall: {stream} and {datagrams}"))
}

/// Plays until it is as the lab has it, a few times at most, or what is not.
fn agrees(bridge: &Arc<Bridge>, lab: &[[f64; 2]; 2], bbr: bool) -> Result<(), String> {
    let mut ages: [Ages; 2] = Default::default();
    let mut found = None;
    for _ in 0..RUNS {
        let before = bridge.counters()[0].lost;
        for (all, more) in ages.iter_mut().zip(real(bridge)?) {
            *all = Ages::of_all([std::mem::take(all), more]);
        }
        let lost = bridge.counters()[0].lost - before;
        println!(
            "{lost} packets were lost, the bridge late by {:?}",
            bridge.lateness()
        );
        for (via, (real, lab)) in Via::ALL.into_iter().zip(ages.iter().zip(lab)) {
            println!(
                "{via:?}: age {real}; the lab's {:.0} and {:.0} ms",
                lab[0], lab[1]
            );
        }
        if lost <= 300 {
            return Err(format!("{lost} lost are too few to tell"));
        }
        found = misfit(&ages, lab, bbr);
        if found.is_none() {
            break;
        }
    }
    found.map_or(Ok(()), Err)
}

#[test]
fn a_match_is_as_old_as_the_labs_on_either_carrier() {
    let what = "a match over a real link";
    let Some(bridge) = Bridge::or_skip(what, 11) else {
        return;
    };
    // The relay takes the control that suits it by itself; what the machine's owner chose is not to matter.
    let bbr = bridge.congestion("bbr");
    bridge.congestion("reno");
    if !bbr {
        println!(
            "not compared on WebSocket: the kernel has no BBR, whose stream is the one that the lab shows"
        );
    }
    let bridge = Arc::new(bridge);
    let lab = ["websocket", "datagram"].map(simulated);
    measured(what, &FIT, || agrees(&bridge, &lab, bbr));
}
