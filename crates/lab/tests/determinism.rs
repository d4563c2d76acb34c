//! Equal inputs give equal bytes, however time is cut and whoever looks.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::sync::Arc;

use lab::params::{Config, INTERP_DELAY, LINK_CARRIER, PREDICT_ON};
use lab::probe::{BYTES_DOWN, INPUT_LOST, OTHERS_ERROR, OWN_ERROR, PACKETS_LOST};
use lab::scenes::open;
use lab::{Action, Driver, First, Lab, LabSetup, Pane, Side, Standing, View, YOU};
use netsim::{Shock, Trace};
use scenes::Pad;
use wire::Micros;

const fn ms(ms: u64) -> Micros {
    Micros::from_millis(ms)
}

fn setup(seed: u64) -> LabSetup {
    LabSetup::new(seed, Config::default())
}

fn lab(seed: u64) -> Box<dyn Lab> {
    open("arena", setup(seed)).unwrap()
}

#[test]
fn time_may_be_cut_into_any_pieces() {
    let mut whole = lab(3);
    whole.advance(ms(8_000));
    for piece in [1_000u64, 16_667, 7, 999_999].map(Micros::new) {
        let mut cut = lab(3);
        // Seven microseconds at a time take long; a second of it is enough to go through every kind of event.
        let end = if piece < Micros::new(100) {
            ms(1_000)
        } else {
            ms(8_000)
        };
        while cut.now() < end {
            cut.advance((cut.now() + piece).min(end));
        }
        cut.advance(ms(8_000));
        assert_eq!(cut.digest(), whole.digest(), "{piece}");
    }
    assert_ne!(lab(4).digest(), lab(3).digest(), "the seed counts");
}

#[test]
fn a_link_that_remembers_is_exact_too() {
    let mut setup = setup(9);
    for (id, text) in [
        ("link.up.burst", "5"),
        ("link.down.burst", "5"),
        ("link.up.rate", "6"),
        ("link.down.rate", "8"),
        ("link.vary", "trace"),
    ] {
        setup.config.set_text(id, text).unwrap();
    }
    let trace = |csv| Some(Arc::new(Trace::parse(csv).unwrap()));
    setup.trace = trace("0,0,0\n400,80,0\n700,20,1\n760,0,0");
    for carrier in ["datagram", "websocket"] {
        setup.config.set_text("link.carrier", carrier).unwrap();
        let mut whole = open("arena", setup.clone()).unwrap();
        whole.advance(ms(6_000));
        let mut cut = open("arena", setup.clone()).unwrap();
        for at in 1..=600 {
            cut.advance(ms(at * 7));
            if at % 100 == 0 {
                cut = cut.fork();
            }
        }
        cut.advance(ms(6_000));
        assert_eq!(cut.digest(), whole.digest(), "{carrier}");
        // The trace counts by what is in it.
        let with = |trace| {
            open(
                "arena",
                LabSetup {
                    trace,
                    ..setup.clone()
                },
            )
            .unwrap()
            .digest()
        };
        assert_eq!(with(trace("5,9,0")), with(trace("0,9,0")));
        assert_ne!(with(trace("0,9,0")), with(trace("0,9,1")));
        assert_ne!(with(trace("0,9,0")), with(None));
    }
}

#[test]
fn looking_changes_nothing() {
    let mut unseen = lab(5);
    unseen.set_told(false);
    let mut seen = open(
        "arena",
        LabSetup {
            fps: 144,
            ..setup(5)
        },
    )
    .unwrap();
    let mut view = View::default();
    let mut marks = Vec::new();
    for frame in 1..=500 {
        seen.advance(ms(frame * 16));
        view.fill(&*seen, Standing::default());
        seen.marks(Pane::Other, &mut marks);
        seen.drain();
    }
    unseen.advance(ms(8_000));
    assert_eq!(seen.digest(), unseen.digest());
    assert!(!view.floats().is_empty() && !marks.is_empty());
}

#[test]
fn a_fork_goes_on_as_the_original_does_until_one_is_acted_on() {
    let mut original = lab(6);
    original.advance(ms(4_000));
    let mut fork = original.fork();
    assert_eq!(fork.digest(), original.digest());
    fork.advance(ms(9_000));
    original.advance(ms(9_000));
    assert_eq!(fork.digest(), original.digest());
    let measured = |lab: &dyn Lab| lab.meters().summary(BYTES_DOWN, lab.now()).total;
    assert_eq!(measured(&*fork), measured(&*original));

    fork.act(Action::Set(INTERP_DELAY, 300.0));
    assert_ne!(
        fork.digest(),
        original.digest(),
        "a parameter counts at once"
    );
    original.act(Action::Perturb {
        seat: YOU,
        side: Side::Up,
        shock: Shock::DropNext,
    });
    let before = original.fork().digest();
    original.act(Action::Perturb {
        seat: YOU,
        side: Side::Both,
        shock: Shock::Dark { length: ms(200) },
    });
    assert_ne!(original.digest(), before, "a shock counts at once");
}

/// The same actions at the same instants, on two labs.
fn played(mut lab: Box<dyn Lab>) -> u64 {
    lab.advance(ms(2_000));
    lab.act(Action::Drive(YOU, Driver::Hands));
    lab.act(Action::Pad(
        YOU,
        Pad {
            x: 1.0,
            buttons: 1,
            ..Pad::default()
        },
    ));
    lab.advance(ms(2_500));
    lab.act(Action::Set(PREDICT_ON, 0.0));
    lab.act(Action::Pad(
        YOU,
        Pad {
            aim_x: 3.0,
            aim_y: 0.0,
            ..Pad::default()
        },
    ));
    lab.advance(ms(5_000));
    lab.digest()
}

#[test]
fn what_is_done_twice_comes_out_twice() {
    assert_eq!(played(lab(8)), played(lab(8)));
    let mut websocket = setup(8);
    websocket.config.set(LINK_CARRIER, 0.0).unwrap();
    let open = || open("arena", websocket.clone()).unwrap();
    assert_eq!(played(open()), played(open()));
    assert_ne!(played(open()), played(lab(8)));
}

#[test]
fn a_trace_is_equal_twice_and_ends_with_its_hash() {
    for scene in lab::scenes::here() {
        let trace = lab::trace::trace(scene, 2_000).unwrap();
        assert_eq!(trace, lab::trace::trace(scene, 2_000).unwrap(), "{scene}");
        let lines: Vec<_> = trace.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1].strip_prefix("2000 "), Some(lines[2]));
    }
    assert!(lab::trace::trace("arna", 1).is_err());
}

#[test]
fn a_match_goes_on_across_every_wrap() {
    for (tick, seq) in [
        ((1 << 16) - 10, u16::MAX - 9),
        ((1 << 32) - 10, 0x4941 - 10),
    ] {
        let player = u16::MAX;
        let first = First { tick, seq, player };
        let mut lab = open("arena", LabSetup { first, ..setup(7) }).unwrap();
        lab.advance(ms(3_000));
        lab.measure_afresh();
        lab.advance(ms(13_000));
        assert_eq!(
            lab.tick().get(),
            tick + 13 * 64 + 1,
            "the first tick is at zero"
        );
        let of = |probe| lab.meters().summary(probe, lab.now());
        assert!(
            of(BYTES_DOWN).mean > 5_000.0 && of(PACKETS_LOST).count > 10,
            "{first:?}"
        );
        assert_eq!(
            (of(OWN_ERROR).p50, of(INPUT_LOST).count),
            (0.0, 0),
            "{first:?}"
        );
        assert!(
            of(OTHERS_ERROR).p50 < 0.001 && of(OTHERS_ERROR).count > 500,
            "{first:?}"
        );
    }
}
