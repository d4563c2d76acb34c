//! A person's hands: when a key that goes down is seen, on each of the three panes.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use lab::params::{
    BOTS, Config, INTERP_DELAY, LINK_DOWN_JITTER, LINK_DOWN_LATENCY, LINK_DOWN_LOSS,
    LINK_UP_JITTER, LINK_UP_LATENCY, LINK_UP_LOSS,
};
use lab::scenes::open;
use lab::{Action, Driver, Lab, LabSetup, OTHER, Pane, YOU};
use scenes::{BotStyle, MARK_STRIDE, MarkKind, Pad};
use wire::Micros;

const TICK: Micros = Micros::new(15_625);

/// Where a pane draws You, m.
fn you(lab: &dyn Lab, pane: Pane) -> [f32; 2] {
    let mut marks = Vec::new();
    lab.marks(pane, &mut marks);
    let of_you = |mark: &&[f32]| mark[0] == f32::from(MarkKind::You as u8);
    let mark = marks
        .chunks(MARK_STRIDE)
        .find(of_you)
        .expect("you are drawn");
    [mark[1], mark[2]]
}

/// A match of two that stand still, on a link without chance.
fn still(latency: f64) -> Box<dyn Lab> {
    let mut config = Config::default();
    for (id, value) in [
        (BOTS, 0.0),
        (LINK_UP_LATENCY, latency),
        (LINK_DOWN_LATENCY, latency),
        (LINK_UP_JITTER, 0.0),
        (LINK_DOWN_JITTER, 0.0),
        (LINK_UP_LOSS, 0.0),
        (LINK_DOWN_LOSS, 0.0),
        (INTERP_DELAY, 160.0),
    ] {
        config.set(id, value).unwrap();
    }
    let drivers = [Driver::Hands, Driver::Bot(BotStyle::Still)];
    let mut lab = open(
        "arena",
        LabSetup {
            drivers,
            ..LabSetup::new(7, config)
        },
    )
    .unwrap();
    lab.advance(Micros::from_millis(5_000));
    lab
}

/// How long after a key goes down each pane first draws You elsewhere.
fn seen_after(lab: &mut dyn Lab) -> [Micros; 3] {
    let panes = [Pane::You, Pane::Server, Pane::Other];
    let before = panes.map(|pane| you(lab, pane));
    let pressed = lab.now();
    lab.act(Action::Pad(
        YOU,
        Pad {
            x: -1.0,
            ..Pad::default()
        },
    ));
    let mut seen = [None; 3];
    while seen.contains(&None) {
        lab.advance(lab.now() + Micros::from_millis(1));
        assert!(lab.now() - pressed < Micros::from_millis(2_000), "{seen:?}");
        for (at, pane) in panes.into_iter().enumerate() {
            if seen[at].is_none() && you(lab, pane) != before[at] {
                seen[at] = Some(lab.now() - pressed);
            }
        }
    }
    seen.map(Option::unwrap)
}

#[test]
fn a_key_is_seen_at_once_then_by_the_server_then_by_the_other() {
    for latency in [20.0, 100.0] {
        let mut lab = still(latency);
        let one_way = Micros::from_millis(latency as u64);
        let [on_yours, on_the_server, on_the_others] = seen_after(&mut *lab);
        // The next tick takes the key; what it did shows a moment later.
        assert!(on_yours <= TICK + TICK, "{on_yours}");
        // On the way, then in the queue that pacing keeps two or three deep, then the tick.
        let waits = on_the_server - one_way;
        assert!(
            on_the_server > one_way && waits <= TICK * 5,
            "{on_the_server}"
        );
        // As old as the other's screen shows the world, which is one way and its interpolation delay.
        let behind = Micros::from_secs_f64(lab.behind_ms(OTHER).unwrap() / 1_000.0);
        let on_top = on_the_others - on_the_server;
        let apart = (on_top - behind).max(behind - on_top);
        assert!(
            apart <= TICK,
            "{on_top} after the server, {behind} behind it"
        );
    }
}

#[test]
fn without_prediction_a_key_is_seen_a_round_trip_later() {
    let mut lab = still(100.0);
    lab.act(Action::Set(lab::params::PREDICT_ON, 0.0));
    lab.advance(Micros::from_millis(6_000));
    let [on_yours, on_the_server, _] = seen_after(&mut *lab);
    let back = on_yours - on_the_server;
    assert!(
        back >= Micros::from_millis(100) && back <= Micros::from_millis(100) + TICK * 2,
        "{back}"
    );
}

#[test]
fn a_tap_between_two_ticks_is_one_shot() {
    let mut lab = still(20.0);
    let fired = |lab: &dyn Lab| {
        lab.meters()
            .summary(lab::probe::SHOTS_FIRED, lab.now())
            .count
    };
    for taps in 1..=3 {
        lab.act(Action::Pad(
            YOU,
            Pad {
                buttons: 1,
                ..Pad::default()
            },
        ));
        lab.act(Action::Pad(YOU, Pad::default()));
        lab.advance(lab.now() + Micros::from_millis(1_000));
        assert_eq!(fired(&*lab), taps);
    }
}

#[test]
fn a_restart_keeps_silent_what_was_silent() {
    for told in [true, false] {
        let mut lab = open("arena", LabSetup::new(7, Config::default())).expect("a scene");
        lab.set_told(told);
        lab.act(Action::Set(BOTS, 9.0));
        assert_eq!(lab.now(), Micros::ZERO, "it began again");
        lab.advance(Micros::from_millis(20_000));
        assert_eq!(!lab.drain().is_empty(), told);
    }
}
