//! Two hours of one room, from counters just below their wraps.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use lab::params::{
    BOTS, CLOCK_DRIFT, Config, LINK_DOWN_JITTER, LINK_DOWN_LATENCY, LINK_DOWN_LOSS, LINK_UP_JITTER,
    LINK_UP_LATENCY, LINK_UP_LOSS,
};
use lab::probe::{CLOCK_JITTER, CLOCK_OFFSET, CLOCK_RTT, ProbeId};
use lab::{Action, Driver, First, Instruments, Lab, LabOf, LabSetup, OTHER, YOU};
use netcode::{Drawn, Game, PeerId};
use scenes::{Arena, BotStyle, Pad};
use wire::{Micros, SlotKey};

const SECOND: Micros = Micros::from_millis(1_000);
const MINUTE: Micros = Micros::from_millis(60_000);
/// In this time the sequence of the server's packets wraps three times: 64 snapshots and 4 pongs a second.
const THREE_WRAPS: Micros = Micros::from_millis(3 * 65_536_000 / 64);

/// You stand still, the other player shoots at you, and nobody is hurt or pushed.
fn room() -> LabOf<Arena> {
    let mut config = Config::default();
    for (id, value) in [
        (BOTS, 0.0),
        (LINK_UP_LATENCY, 30.0),
        (LINK_DOWN_LATENCY, 30.0),
        (LINK_UP_JITTER, 10.0),
        (LINK_DOWN_JITTER, 10.0),
        (LINK_UP_LOSS, 1.0),
        (LINK_DOWN_LOSS, 1.0),
        (CLOCK_DRIFT, 0.02),
    ] {
        config.set(id, value).unwrap();
    }
    LabOf::new(LabSetup {
        // The tick wraps on the wire a quarter of a minute in, the sequences and the numbers of events after a second.
        first: First {
            tick: (1 << 32) - 1_000,
            seq: u16::MAX - 64,
            player: u16::MAX,
        },
        harmless: true,
        drivers: [Driver::Hands, Driver::Bot(BotStyle::Duel)],
        fps: 1,
        ..LabSetup::new(5, config)
    })
}

fn run(lab: &mut LabOf<Arena>, time: Micros) {
    lab.run_to(lab.now() + time);
}

/// The 99th percentile over a minute of what a probe shows, without its sign.
fn p99(lab: &mut LabOf<Arena>) -> [f64; 3] {
    let probes: [ProbeId; 3] = [CLOCK_RTT, CLOCK_JITTER, CLOCK_OFFSET];
    let mut seen: [Vec<f64>; 3] = Default::default();
    let end = lab.now() + MINUTE;
    while lab.now() < end {
        run(lab, Micros::from_millis(100));
        for (probe, seen) in probes.into_iter().zip(&mut seen) {
            let value = lab.meters().reading(probe, lab.now()).now;
            seen.extend((!value.is_nan()).then_some(value.abs()));
        }
    }
    seen.map(|mut seen| {
        assert!(seen.len() > 100, "{} readings in a minute", seen.len());
        seen.sort_by(f64::total_cmp);
        seen[seen.len() * 99 / 100]
    })
}

/// Where You stand by the server, and on the other player's screen.
fn places(lab: &LabOf<Arena>, you: SlotKey) -> [[f32; 2]; 2] {
    let fields = Arena::SCHEMA.classes[0].fields;
    let x = fields
        .iter()
        .position(|field| field.place)
        .expect("a place");
    let place = |drawn: &Drawn| {
        let values = drawn.get(you).expect("there");
        [values[x], values[x + 1]]
    };
    let (mut truth, mut shown) = (Drawn::default(), Drawn::default());
    lab.server().drawn(&mut truth);
    let other = lab.client(OTHER);
    // The other player's clock began elsewhere; a moment after all that it was told.
    other.drawn(other.next_tick_at(), &mut shown);
    [place(&truth), place(&shown)]
}

fn apart(a: [f32; 2], b: [f32; 2]) -> f32 {
    let [x, y] = [a[0] - b[0], a[1] - b[1]];
    (x * x + y * y).sqrt()
}

/// You walk for a second, and everyone sees it.
fn walk(lab: &mut LabOf<Arena>, you: SlotKey, x: f32) {
    let before = places(lab, you);
    assert_eq!(
        before[0], before[1],
        "after a long rest all agree to the bit"
    );
    lab.act(Action::Pad(
        YOU,
        Pad {
            x,
            ..Pad::default()
        },
    ));
    run(lab, SECOND);
    let [truth, shown] = places(lab, you);
    assert!(apart(truth, before[0]) > 1.0, "{before:?} {truth:?}");
    let behind = apart(truth, shown);
    assert!(behind < 1.5, "{behind} m behind on the other's screen");
    lab.act(Action::Pad(YOU, Pad::default()));
    run(lab, SECOND);
    let [truth, shown] = places(lab, you);
    assert_eq!(truth, shown);
}

#[test]
fn two_hours_wear_nothing_out() {
    let mut lab = room();
    run(&mut lab, SECOND * 5);
    let you = lab.client(YOU).me().expect("in");
    let players = [0, 1].map(|id| lab.server().peer(PeerId(id)).unwrap().player);
    // The other player's link is the shorter.
    assert_eq!(players, [Some(1), Some(u16::MAX)]);
    let first = p99(&mut lab);

    run(&mut lab, THREE_WRAPS);
    walk(&mut lab, you, 1.0);
    let left = SECOND * (2 * 3_600 - 60) - lab.now();
    run(&mut lab, left);
    let before = (
        *lab.client(YOU).counters(),
        *lab.server().peer(PeerId(0)).unwrap().counters,
    );
    let last = p99(&mut lab);
    walk(&mut lab, you, -1.0);

    println!("p99 of round trip, jitter and offset, ms: {first:.2?} at first, {last:.2?} at last");
    for (first, last) in first.into_iter().zip(last) {
        assert!(
            last <= first * 1.1,
            "{last} ms, {first} ms in the first minute"
        );
    }
    let (client, peer) = (
        lab.client(YOU).counters(),
        lab.server().peer(PeerId(0)).unwrap(),
    );
    assert_eq!((client.faults, peer.counters.faults), (0, 0));
    // It is the match of two hours ago: nobody joined anew, and next to nothing is corrected, repeated or skipped.
    assert_eq!(
        (lab.server().counters().joins, lab.client(YOU).me()),
        (2, Some(you))
    );
    let count = |of: &netcode::PeerCounters| of.repeated + of.skipped + of.late;
    let astray = count(peer.counters) - count(&before.1);
    assert!(astray < 40, "{astray} of 3,840 ticks");
    let corrected = client.corrections - before.0.corrections;
    assert!(corrected <= astray, "{corrected} corrections");
    assert!(lab.server().tick().get() > (1 << 32) + 64 * 7_100);
    // Events have passed their wrap too: there were more than 64 of them, of 30 bytes at most.
    assert!(peer.counters.down.events > 64 * 30, "{:?}", peer.counters);
    assert!(client.snapshots > 6 * 65_536, "{}", client.snapshots);
}
