//! What the panes are given to draw.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use lab::params::{Config, INTERP_DELAY, LINK_DOWN_LATENCY, LINK_UP_LATENCY, REWIND_CAP};
use lab::scenes::open;
use lab::{Lab, LabSetup, Pane};
use scenes::{MARK_STRIDE, MarkKind};
use wire::Micros;

/// One mark as a page reads it.
#[derive(Clone, Copy, Debug)]
struct Mark {
    kind: f32,
    place: [f32; 2],
    heading: f32,
    size: [f32; 2],
    flags: f32,
    key: f32,
}

fn marks(lab: &dyn Lab, pane: Pane) -> Vec<Mark> {
    let mut out = Vec::new();
    lab.marks(pane, &mut out);
    let read = |m: &[f32]| Mark {
        kind: m[0],
        place: [m[1], m[2]],
        heading: m[3],
        size: [m[4], m[5]],
        flags: m[6],
        key: m[7],
    };
    out.chunks_exact(MARK_STRIDE).map(read).collect()
}

fn of(marks: &[Mark], kind: MarkKind) -> Vec<Mark> {
    marks
        .iter()
        .filter(|mark| mark.kind == f32::from(kind as u8))
        .copied()
        .collect()
}

fn lab() -> Box<dyn Lab> {
    let mut lab = open("arena", LabSetup::new(7, Config::default())).unwrap();
    lab.advance(Micros::from_millis(3_000));
    lab
}

#[test]
fn every_pane_has_the_same_characters_and_walls() {
    let lab = lab();
    let panes = [Pane::You, Pane::Server, Pane::Other].map(|pane| marks(&*lab, pane));
    for pane in &panes {
        let counts = [
            MarkKind::You,
            MarkKind::Other,
            MarkKind::Bot,
            MarkKind::Gate,
        ]
        .map(|kind| of(pane, kind).len());
        assert_eq!(counts, [1, 1, 8, 1]);
        assert_eq!(
            of(pane, MarkKind::Wall).len(),
            of(&panes[0], MarkKind::Wall).len()
        );
        assert_eq!(
            of(pane, MarkKind::You)[0].key,
            of(&panes[1], MarkKind::You)[0].key
        );
    }
    // What only a client lacks is shown over clients alone.
    for kind in [
        MarkKind::Truth,
        MarkKind::Lag,
        MarkKind::Sample,
        MarkKind::Unconfirmed,
    ] {
        assert!(of(&panes[1], kind).is_empty(), "{kind:?}");
        assert!(
            !of(&panes[0], kind).is_empty() && !of(&panes[2], kind).is_empty(),
            "{kind:?}"
        );
    }
}

#[test]
fn lag_labels_say_how_far_behind_and_ahead() {
    let lab = lab();
    let delay = lab.config().get(INTERP_DELAY) as f32;
    let panes = [Pane::You, Pane::Server].map(|pane| marks(&*lab, pane));
    let you = of(&panes[0], MarkKind::You)[0];
    for label in of(&panes[0], MarkKind::Lag) {
        let truth = of(&panes[0], MarkKind::Truth)
            .into_iter()
            .find(|ring| ring.key == label.key)
            .unwrap();
        assert_eq!(label.size, truth.place, "it ends at the truth");
        if label.key == you.key {
            assert_eq!(label.place, you.place);
            // A one way of 100 to 120 ms, and a queue two or three deep.
            assert!(
                (100.0..220.0).contains(&label.heading),
                "{} ms ahead",
                label.heading
            );
        } else {
            assert!(
                (label.heading + delay).abs() < 30.0,
                "{} ms for a delay of {delay}",
                label.heading
            );
        }
    }
}

#[test]
fn others_are_drawn_between_the_first_two_of_their_samples() {
    let mut lab = lab();
    let mut between = 0;
    for _ in 0..60 {
        lab.advance(lab.now() + Micros::from_millis(16));
        let pane = marks(&*lab, Pane::You);
        for bot in of(&pane, MarkKind::Bot) {
            let samples = of(&pane, MarkKind::Sample);
            let mut own = samples.iter().filter(|sample| sample.key == bot.key);
            let (Some(before), Some(after)) = (own.next(), own.next()) else {
                continue;
            };
            let apart = |a: [f32; 2], b: [f32; 2]| {
                let [x, y] = [a[0] - b[0], a[1] - b[1]];
                (x * x + y * y).sqrt()
            };
            let way = apart(before.place, after.place);
            let detour = apart(before.place, bot.place) + apart(bot.place, after.place) - way;
            assert!(detour < 0.002, "{detour} m beside the way of {way} m");
            between += usize::from(way > 0.05);
        }
    }
    assert!(between > 100, "they moved: {between}");
}

#[test]
fn unconfirmed_ticks_lead_from_the_server_to_you() {
    let lab = lab();
    let pane = marks(&*lab, Pane::You);
    let trail = of(&pane, MarkKind::Unconfirmed);
    // A round trip of 200 to 240 ms and the queue.
    assert!((12..24).contains(&trail.len()), "{}", trail.len());
    for pair in trail.windows(2) {
        let [x, y] = [0, 1].map(|axis| pair[1].place[axis] - pair[0].place[axis]);
        assert!((x * x + y * y).sqrt() < 0.5, "one tick of a dash at most");
    }
}

#[test]
fn shots_are_drawn_for_a_second_and_judged() {
    let mut lab = lab();
    let mut seen = [0; 6];
    let mut rewound = 0;
    for _ in 0..600 {
        lab.advance(lab.now() + Micros::from_millis(50));
        for pane in [Pane::You, Pane::Server] {
            let marks = marks(&*lab, pane);
            for verdict in of(&marks, MarkKind::Verdict) {
                seen[verdict.flags as usize] += 1;
            }
            rewound += of(&marks, MarkKind::Rewound)
                .iter()
                .filter(|mark| mark.heading > 0.0)
                .count();
            assert!(of(&marks, MarkKind::Shot).len() >= of(&marks, MarkKind::Verdict).len());
        }
    }
    let [pending, hit, granted, _, miss, _] = seen;
    assert!(
        pending > 0 && hit > 0 && granted > 0 && miss > 0 && rewound > 0,
        "{seen:?} {rewound}"
    );
}

#[test]
fn who_is_hit_behind_cover_sees_where_for_a_second() {
    let mut config = Config::default();
    for (id, value) in [
        (LINK_UP_LATENCY, 300.0),
        (LINK_DOWN_LATENCY, 300.0),
        (REWIND_CAP, 1_000.0),
    ] {
        config.set(id, value).unwrap();
    }
    let mut lab = open("arena", LabSetup::new(11, config)).unwrap();
    let behind = |lab: &dyn Lab| {
        let mut verdicts = of(&marks(lab, Pane::You), MarkKind::Verdict);
        verdicts.retain(|mark| mark.flags == 5.0);
        verdicts
    };
    while !lab.drain().iter().any(|line| line.kind == "behind") {
        assert!(lab.now() < Micros::from_millis(180_000), "it happened");
        lab.advance(lab.now() + Micros::from_millis(10));
    }
    let shown = behind(&*lab);
    assert_eq!(shown.len(), 1);
    let you = of(&marks(&*lab, Pane::You), MarkKind::You)[0];
    let apart = [0, 1].map(|axis| (you.place[axis] - shown[0].place[axis]).abs());
    assert!(apart.iter().all(|apart| *apart < 1.0), "{apart:?}");
    lab.advance(lab.now() + Micros::from_millis(990));
    assert_eq!(behind(&*lab).len(), 1);
    lab.advance(lab.now() + Micros::from_millis(20));
    assert!(behind(&*lab).is_empty());
}

#[test]
fn packets_are_on_their_way_from_one_end_to_the_other() {
    let lab = lab();
    let mut flights = Vec::new();
    lab.flights(&mut flights);
    let mut lines = [0; 4];
    for flight in flights.chunks_exact(8) {
        let [_, line, cargo, gone, fate, sent, due, bytes] = flight.try_into().unwrap();
        lines[line as usize] += 1;
        assert!((0.0..=1.0).contains(&gone) && sent < due && fate <= 3.0 && bytes > 0.0);
        assert!(sent <= 0.0 && due >= 0.0);
        // Snapshots go down and inputs up; a ping goes either way.
        assert!(
            cargo == 2.0 || (cargo == 1.0) == (line as u32 % 2 == 1),
            "{cargo} on {line}"
        );
    }
    // 64 a second for 100 to 120 ms, and for 25 to 30 ms.
    assert!(
        (5..=9).contains(&lines[0]) && (5..=9).contains(&lines[1]),
        "{lines:?}"
    );
    assert!(
        (1..=3).contains(&lines[2]) && (1..=3).contains(&lines[3]),
        "{lines:?}"
    );
}

#[test]
fn what_a_viewer_hears_of_is_a_circle_about_where_the_server_has_them() {
    let open = |config: &str| {
        let config = Config::from_json("horde", config).unwrap();
        let mut lab = open("horde", LabSetup::new(7, config)).unwrap();
        lab.advance(Micros::from_millis(2_000));
        lab
    };
    let few = "{\"horde.enemies\":200,\"interest.radius\":400";
    let lab = open(&format!("{few}}}"));
    let server = marks(&*lab, Pane::Server);
    let you = of(&server, MarkKind::You)[0];
    for pane in [Pane::You, Pane::Server] {
        let heard = of(&marks(&*lab, pane), MarkKind::Hears);
        assert_eq!(heard.len(), 1);
        assert_eq!((heard[0].place, heard[0].size[0]), (you.place, 400.0));
    }
    let other = of(&marks(&*lab, Pane::Other), MarkKind::Hears);
    assert_ne!(other[0].place, you.place, "theirs");
    // Those far out are on the server and on no screen.
    let far = |pane: &[Mark]| {
        let off = |enemy: &&Mark| {
            let [dx, dy] = [0, 1].map(|i| enemy.place[i] - you.place[i]);
            dx * dx + dy * dy > 600.0 * 600.0
        };
        of(pane, MarkKind::Enemy).iter().filter(off).count()
    };
    assert!(far(&server) > 20 && far(&marks(&*lab, Pane::You)) == 0);
    let all = open(&format!("{few},\"interest.on\":false}}"));
    assert!(of(&marks(&*all, Pane::You), MarkKind::Hears).is_empty());
    assert!(far(&marks(&*all, Pane::You)) > 20);
}
