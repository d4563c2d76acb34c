//! A room's time: its beat, a stall, sleep, and the end.

use std::time::Duration;

use tokio::time::Instant;
use wire::Goodbye;

use crate::common::{Down, ask, join, make, ms, play_for, relay};

fn figure(relay: &server::Relay, name: &str) -> u64 {
    let text = relay.metrics.text();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let value = line.unwrap_or_else(|| panic!("no {name} in {text}"));
    value.parse().expect("a whole number")
}

#[tokio::test(start_paused = true)]
async fn a_room_keeps_its_beat() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    let mut ada = join(&relay, code, ask("Ada"));
    play_for(&mut [&mut ada], ms(1_000)).await;
    let before = figure(&relay, "afterimage_ticks_total");
    play_for(&mut [&mut ada], ms(10_000)).await;
    let ticks = figure(&relay, "afterimage_ticks_total") - before;
    assert!(
        (639..=641).contains(&ticks),
        "{ticks} ticks in ten seconds at 64 Hz"
    );
    assert_eq!(figure(&relay, "afterimage_ticks_slipped_total"), 0);
}

#[tokio::test(start_paused = true)]
async fn after_a_stall_four_ticks_are_made_up_for_and_one_snapshot_is_sent() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    let mut ada = join(&relay, code, ask("Ada"));
    play_for(&mut [&mut ada], ms(1_000)).await;
    let (ticks, slipped) = ("afterimage_ticks_total", "afterimage_ticks_slipped_total");
    let before = figure(&relay, ticks);
    tokio::time::advance(ms(1_000)).await;
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert_eq!(figure(&relay, ticks) - before, 4);
    assert!(
        (58..=61).contains(&figure(&relay, slipped)),
        "{}",
        figure(&relay, slipped)
    );
    let mut frames = 0;
    while let Ok(down) = ada.line.down.try_recv() {
        frames += u32::from(matches!(down, Down::Packet { .. }));
    }
    assert_eq!(frames, 1);
}

#[tokio::test(start_paused = true)]
async fn an_empty_room_sleeps_and_closes_after_two_minutes() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    let mut ada = join(&relay, code, ask("Ada"));
    play_for(&mut [&mut ada], ms(1_000)).await;
    ada.client.leave();
    play_for(&mut [&mut ada], ms(500)).await;
    let before = figure(&relay, "afterimage_ticks_total");
    tokio::time::sleep(Duration::from_secs(110)).await;
    assert_eq!(figure(&relay, "afterimage_ticks_total"), before, "asleep");
    let mut bob = join(&relay, code, ask("Bob"));
    play_for(&mut [&mut bob], ms(1_000)).await;
    assert!(bob.is_playing());
    assert_eq!(
        figure(&relay, "afterimage_ticks_slipped_total"),
        0,
        "sleep is no stall"
    );
    bob.client.leave();
    play_for(&mut [&mut bob], ms(500)).await;
    tokio::time::sleep(Duration::from_secs(119)).await;
    assert_eq!(relay.rooms.len(), 1);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(relay.rooms.is_empty());
    assert_eq!(
        relay.rooms.join(code, ask("Ada")).unwrap_err().code(),
        "no_room"
    );
}

#[tokio::test(start_paused = true)]
async fn a_relay_that_stops_tells_everybody_and_everything_ends_at_once() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    let mut ada = join(&relay, code, ask("Ada"));
    let mut bob = join(&relay, code, ask("Bob"));
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    let invited = relay.rooms.join(code, ask("Cleo")).unwrap();
    let open = || crate::common::Line::open(&relay, server::session::Transport::WebSocket);
    let mut silent = open();
    tokio::time::sleep(ms(1)).await;
    let before = Instant::now();
    relay.stop();
    while relay.limits.connections() > 0 {
        tokio::time::sleep(ms(1)).await;
    }
    assert!(before.elapsed() < ms(100));
    assert_eq!(silent.next_word().await.unwrap()["error"], "restarting");
    play_for(&mut [&mut ada, &mut bob], ms(100)).await;
    for person in [&ada, &bob] {
        assert_eq!(person.goodbye(), Some(Goodbye::Restarting));
    }
    assert_eq!(
        relay.rooms.join(code, ask("Dan")).unwrap_err().code(),
        "restarting"
    );
    let mut cleo = open();
    cleo.word(&format!(r#"{{"t":"join","token":"{}"}}"#, invited.token));
    assert_eq!(cleo.next_word().await.unwrap()["error"], "restarting");
    assert!(relay.rooms.is_empty());
}
