//! An online client against a real server, in virtual time.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

#[path = "support/room.rs"]
mod room;

use lab::inspect::{Meanings, Told, explain};
use lab::json::Json;
use lab::online::recording::{Recording, What};
use lab::online::{Online, OnlineOf, OnlineSetup, plain};
use lab::params::{Config, ParamId};
use lab::probe::{self, ProbeId};
use lab::scenes::open;
use lab::{Action, Driver, Instruments, LabSetup, Pane, Standing, View, YOU};
use netcode::{Delivery, Role};
use room::{Room, SEED, hands, world};
use scenes::{Arena, MARK_STRIDE, MarkKind};
use wire::{Goodbye, Micros};

const fn ms(ms: u64) -> Micros {
    Micros::from_millis(ms)
}

fn config(settings: &[(&str, &str)]) -> Config {
    let mut config = plain("arena");
    for (id, value) in settings {
        config.set_text(id, value).unwrap();
    }
    config
}

/// A room with a player on that link, and settings of their own.
fn room(delivery: Delivery, real: &[(&str, &str)], own: &[(&str, &str)]) -> Room {
    let setup = OnlineSetup {
        config: config(own),
        ..OnlineSetup::new(world(), delivery)
    };
    Room::new(setup, &config(real))
}

const LINK: [(&str, &str); 6] = [
    ("link.up.latency", "45"),
    ("link.down.latency", "45"),
    ("link.up.jitter", "15"),
    ("link.down.jitter", "15"),
    ("link.up.loss", "3"),
    ("link.down.loss", "3"),
];

fn status(room: &Room) -> String {
    let mut json = Json::new();
    room.online.status().write(&mut json);
    json.finish()
}

fn kinds(online: &dyn Online, pane: Pane) -> Vec<u8> {
    let mut marks = Vec::new();
    online.marks(pane, &mut marks);
    marks
        .chunks(MARK_STRIDE)
        .map(|mark| mark[0] as u8)
        .collect()
}

#[test]
fn it_plays_and_shows_what_a_bench_shows() {
    let mut room = room(Delivery::Datagram, &LINK, &[]);
    room.run(ms(5_000));
    let online = &room.online;
    assert_eq!(online.status().role, Role::Playing);
    let you = kinds(online, Pane::You);
    let bodies = you
        .iter()
        .filter(|kind| **kind == MarkKind::Bot as u8)
        .count();
    assert_eq!(bodies, 8, "{you:?}");
    for kind in [MarkKind::You, MarkKind::Sample, MarkKind::Unconfirmed] {
        assert!(you.contains(&(kind as u8)), "{kind:?}");
    }
    // What nobody here can know is not drawn.
    assert!(!you.contains(&(MarkKind::Truth as u8)));
    assert!(kinds(online, Pane::Server).is_empty() && kinds(online, Pane::Other).is_empty());
    let mut view = View::default();
    view.fill(online, Standing::default());
    let floats = view.floats();
    let rows: Vec<usize> = (0..10).map(|at| floats[8 + 3 * at + 1] as usize).collect();
    assert_eq!((floats[0], floats[4]), (2.0, 10.0));
    assert_eq!(
        (rows[1], rows[2], rows[3]),
        (0, 0, 0),
        "other panes, and the lane"
    );
    assert!(
        rows[4] > 150 && rows[5] > 150 && rows[8] > 250 && rows[9] > 10,
        "{rows:?}"
    );
    assert!(
        room.events
            .iter()
            .any(|line| line.text.contains("your shot"))
    );
}

/// A figure of the online client's and the bench's, and how far apart they may be.
struct Beside(ProbeId, f64);

/// What the instruments say of a link beside what the bench says of it: the link is real, or laid over one that does nothing.
fn beside_the_bench(delivery: Delivery, overlaid: bool, host: &[(&str, &str)], bounds: &[Beside]) {
    let carrier = match delivery {
        Delivery::Ordered => ("link.carrier", "websocket"),
        Delivery::Datagram => ("link.carrier", "datagram"),
    };
    let bench: Vec<_> = LINK.iter().chain(host).chain([&carrier]).copied().collect();
    let bench = config(&bench);
    let (real, own) = if overlaid {
        (config(host), config(&LINK))
    } else {
        (bench, plain("arena"))
    };
    let rate_hz = bench.get(lab::params::SERVER_TICK) as u16;
    let world = scenes::Setup { rate_hz, ..world() };
    let setup = OnlineSetup {
        config: own,
        ..OnlineSetup::new(world, delivery)
    };
    let mut room = Room::new(setup, &real);
    room.run(ms(33_000));

    let mut lab = open("arena", LabSetup::new(SEED, bench)).unwrap();
    lab.act(Action::Drive(YOU, Driver::Script(hands)));
    lab.advance(ms(33_000));
    let mut wrong = Vec::new();
    for Beside(id, within) in bounds {
        let mean = |of: &dyn Instruments| of.meters().summary(*id, of.now()).mean;
        let (online, bench) = (mean(&room.online), mean(&*lab));
        let agree = (online - bench).abs() <= *within;
        if !agree {
            let id = id.probe().id;
            wrong.push(format!("{id}: {online} online, {bench} on the bench"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn on_datagrams_the_instruments_agree_with_the_bench() {
    beside_the_bench(Delivery::Datagram, false, &[], &DATAGRAMS);
}

#[test]
fn a_link_laid_over_adds_what_it_says() {
    beside_the_bench(Delivery::Datagram, true, &[], &DATAGRAMS);
}

#[test]
fn on_a_stream_the_instruments_agree_with_the_bench() {
    beside_the_bench(Delivery::Ordered, false, &[], &STREAM);
}

#[test]
fn at_other_rates_the_instruments_agree_with_the_bench() {
    let host = [("server.tick", "30"), ("server.snapshots", "10")];
    beside_the_bench(Delivery::Datagram, false, &host, &SELDOM);
}

/// With three ticks to a snapshot the depth is the least of three, and the bench's is of each.
const SELDOM: [Beside; 9] = [
    Beside(probe::CLOCK_RTT, 6.0),
    Beside(probe::OTHERS_AGE, 8.0),
    Beside(probe::OTHERS_DELAY, 10.0),
    Beside(probe::OTHERS_STARVED, 1.5),
    Beside(probe::INPUT_DEPTH, 1.0),
    Beside(probe::INPUT_RESPONSE, 6.0),
    Beside(probe::OWN_ERROR, 0.015),
    Beside(probe::OWN_CORRECTIONS, 0.5),
    Beside(probe::BYTES_UP, 200.0),
];

const DATAGRAMS: [Beside; 11] = [
    Beside(probe::CLOCK_RTT, 5.0),
    Beside(probe::CLOCK_JITTER, 2.0),
    Beside(probe::OTHERS_AGE, 5.0),
    Beside(probe::OTHERS_DELAY, 6.0),
    Beside(probe::OTHERS_STARVED, 1.5),
    Beside(probe::INPUT_DEPTH, 0.4),
    Beside(probe::INPUT_RESPONSE, 4.0),
    Beside(probe::OWN_ERROR, 0.01),
    Beside(probe::OWN_CORRECTIONS, 0.5),
    Beside(probe::PACKETS_DOWN_LOST, 0.8),
    Beside(probe::BYTES_UP, 200.0),
];

const STREAM: [Beside; 7] = [
    Beside(probe::CLOCK_RTT, 8.0),
    Beside(probe::OTHERS_AGE, 8.0),
    Beside(probe::OTHERS_DELAY, 10.0),
    Beside(probe::INPUT_DEPTH, 0.8),
    Beside(probe::OWN_ERROR, 0.02),
    Beside(probe::PACKETS_DOWN_LOST, 0.0),
    Beside(probe::BYTES_UP, 200.0),
];

#[test]
fn bytes_down_are_told_apart_as_the_server_tells_them() {
    let mut room = room(Delivery::Datagram, &[], &[]);
    room.run(ms(10_000));
    let server = room.server.peer(room.peer).unwrap().counters.down;
    let total = |id| {
        let meters = room.online.meters();
        meters.summary(id, room.online.now()).total
    };
    let told = [
        (probe::BYTES_DOWN_OWN, server.own),
        (probe::BYTES_DOWN_OTHERS, server.others),
        (probe::BYTES_DOWN_EVENTS, server.events),
        (probe::BYTES_DOWN_HEADERS, server.headers),
        (probe::BYTES_DOWN_OTHER, server.other),
    ];
    for (id, bytes) in told {
        // The last frame was measured up to a frame ago.
        let (got, wanted) = (total(id), bytes as f64);
        assert!(
            got <= wanted && got >= wanted * 0.98,
            "{}: {got}, {wanted}",
            id.probe().id
        );
    }
}

#[test]
fn a_link_that_does_nothing_adds_nothing() {
    let mut room = room(Delivery::Ordered, &[], &[]);
    room.run(ms(3_000));
    let rtt = room.online.client().rtt().unwrap();
    assert!(rtt <= ms(1), "{rtt}");
    let mut flights = Vec::new();
    room.online.flights(&mut flights);
    assert!(flights.is_empty());
    room.online.set("link.down.latency", "200").unwrap();
    room.run(ms(1_000));
    room.online.flights(&mut flights);
    assert!(flights.len() / 8 > 10 && flights.chunks(8).all(|flight| flight[1] == 1.0));
}

#[test]
fn another_carrier_keeps_settings_instruments_and_picture() {
    let mut room = room(Delivery::Datagram, &LINK, &[("interp.delay", "120")]);
    room.run(ms(4_000));
    room.online.set("link.up.latency", "30").unwrap();
    let samples = |room: &Room| {
        let meters = room.online.meters();
        meters.summary(probe::OTHERS_AGE, room.online.now()).count
    };
    let bytes = |room: &Room| {
        let meters = room.online.meters();
        meters.summary(probe::BYTES_DOWN, room.online.now()).total
    };
    let before = (samples(&room), bytes(&room));
    room.reconnect(Delivery::Ordered);
    assert_eq!(room.online.status().role, Role::Joining);
    assert!(
        kinds(&room.online, Pane::You).contains(&(MarkKind::You as u8)),
        "the last picture"
    );
    room.run(ms(3_000));
    assert_eq!(room.online.status().role, Role::Playing);
    let get = |id: &str| room.online.config().get(ParamId::named(id).unwrap());
    assert_eq!(
        (
            get("interp.delay"),
            get("link.up.latency"),
            get("link.carrier")
        ),
        (120.0, 30.0, 0.0)
    );
    assert!(samples(&room) > before.0 + 120);
    let (more, rate) = (bytes(&room) - before.1, before.1 / 4.0);
    assert!(
        (rate * 1.5..rate * 4.0).contains(&more),
        "{more} B in 3 s, {rate} a second before"
    );
    let mut view = View::default();
    view.fill(&room.online, Standing::default());
    assert!(view.floats().iter().all(|value| !value.is_infinite()));
}

#[test]
fn back_from_sleep_it_is_in_control_within_a_second_and_a_round_trip() {
    // The clock goes on while the machine sleeps; or it stands still.
    for counts in [true, false] {
        for asleep in [ms(700), ms(4_000), ms(9_000)] {
            for delivery in [Delivery::Ordered, Delivery::Datagram] {
                let mut room = room(delivery, &LINK, &[]);
                room.run(ms(3_000));
                let ticks = room.online.client().counters().ticks;
                room.sleep(asleep, counts);
                room.run(ms(16));
                let ran = room.online.client().counters().ticks - ticks;
                assert!(ran <= 10, "{ran} ticks at once");
                room.run(ms(1_120 - 16));
                let behind = room.behind_ms();
                assert!(
                    (50.0..400.0).contains(&behind),
                    "{behind} ms behind, {asleep} asleep"
                );
                let moved = room.answers_to_hands();
                assert!(
                    moved,
                    "{asleep} asleep, the clock counts: {counts}, {delivery:?}"
                );
            }
        }
    }
}

#[test]
fn a_sleep_longer_than_the_session_ends_it_at_once_and_another_begins() {
    let mut room = room(Delivery::Datagram, &LINK, &[]);
    room.run(ms(3_000));
    room.sleep(ms(60_000), true);
    room.run(ms(20));
    // What was said before the machine woke is heard first.
    let json = status(&room);
    assert!(
        json.contains("\"why\":\"idle\"") && json.contains("\"final\":false"),
        "{json}"
    );
    room.reconnect(Delivery::Datagram);
    room.run(ms(1_120));
    assert_eq!(room.online.status().role, Role::Playing);
    assert!(room.answers_to_hands());
}

#[test]
fn one_who_watches_sees_everybody_and_is_nobody() {
    let setup = OnlineSetup {
        watch: true,
        ..OnlineSetup::new(world(), Delivery::Datagram)
    };
    let mut room = Room::new(setup, &config(&LINK));
    room.run(ms(3_000));
    let status = room.online.status();
    assert_eq!((status.role(), status.key), ("watching", None));
    let you = kinds(&room.online, Pane::You);
    assert_eq!(
        you.iter()
            .filter(|kind| **kind == MarkKind::Bot as u8)
            .count(),
        8
    );
    let reading = room
        .online
        .meters()
        .reading(probe::OTHERS_DELAY, room.online.now());
    assert!(reading.mean > 45.0, "{reading:?}");
}

#[test]
fn leaving_is_said_and_being_put_out_is_heard() {
    let mut room = room(Delivery::Datagram, &[], &[("link.up.latency", "300")]);
    room.run(ms(2_000));
    room.online.leave();
    room.run(ms(3));
    let peer = room.server.peer(room.peer).unwrap();
    assert!(peer.said_goodbye, "past the simulated link");
    assert_eq!(room.online.status().role(), "gone");
    // The last picture stays, and nothing grows old any more.
    let measured = |room: &Room| {
        let meters = room.online.meters();
        meters.summary(probe::OTHERS_AGE, room.online.now()).count
    };
    let (before, tick) = (measured(&room), room.online.tick());
    room.run(ms(2_000));
    assert_eq!((measured(&room), room.online.tick()), (before, tick));
    assert_eq!(room.online.behind_ms(YOU), None);
    assert!(kinds(&room.online, Pane::You).contains(&(MarkKind::You as u8)));

    let mut other = self::room(Delivery::Datagram, &[], &[("link.down.loss", "50")]);
    other.run(ms(2_000));
    other.server.dismiss(other.peer, Goodbye::Kicked);
    other.run(ms(20));
    let json = status(&other);
    assert!(
        json.contains("\"why\":\"kicked\"") && json.contains("\"final\":true"),
        "{json}"
    );
}

#[test]
fn a_recording_is_put_into_the_words_that_the_inspector_had() {
    let mut room = Room::new(
        OnlineSetup::new(world(), Delivery::Datagram),
        &config(&LINK),
    );
    room.online.record(true);
    let meanings = Meanings::of::<Arena>();
    let mut said = Vec::new();
    room.run_with(ms(3_000), |online: &OnlineOf<Arena>, bytes| {
        let mut told = Told::default();
        let read = online.client().explain(bytes, &mut told);
        let fault = read.err().map(|fault| fault.to_string());
        said.push(explain(told, bytes.len(), fault, &meanings));
    });
    room.online.record(false);
    let recording = Recording::read(room.online.recording()).unwrap();
    assert_eq!(
        (recording.scene.as_str(), recording.world),
        ("arena", world())
    );
    let heard = lab::scenes::tell(&recording).unwrap();
    let down: Vec<_> = heard
        .iter()
        .filter(|heard| heard.what == What::Down)
        .collect();
    assert_eq!(down.len(), said.len());
    for (heard, said) in down.iter().zip(&said) {
        assert_eq!((heard.title, &heard.fields), (said.kind, &said.fields));
    }
    let whole = |heard: &&lab::online::recording::Heard| {
        heard.fields.iter().all(|field| field.name != "not read")
    };
    assert!(
        heard
            .iter()
            .filter(|heard| heard.what != What::Session)
            .all(|heard| whole(&heard))
    );
    for title in ["Hello", "Welcome", "Snapshot", "Input", "Ping", "Pong"] {
        assert!(heard.iter().any(|heard| heard.title == title), "{title}");
    }
    let times: Vec<_> = heard.iter().map(|heard| heard.at).collect();
    assert!(times.is_sorted() && times.last().unwrap() > &ms(2_900));
}

#[test]
fn hostile_bytes_change_nothing() {
    let mut room = room(Delivery::Datagram, &LINK, &[]);
    let mut twin = self::room(Delivery::Datagram, &LINK, &[]);
    let mut dice = scenes::Rng::fork(3, 1);
    let mut last = Vec::new();
    for _ in 0..300 {
        room.run_with(ms(10), |_, bytes| last = bytes.to_vec());
        twin.run(ms(10));
        let mut junk = last.clone();
        match dice.next_u64() % 3 {
            0 => junk.truncate(dice.next_u64() as usize % (junk.len() + 1)),
            1 => junk
                .iter_mut()
                .for_each(|byte| *byte = dice.next_u64() as u8),
            // A session that never was.
            _ => junk = vec![0; 40],
        }
        room.online.handle(room.now, &junk);
    }
    let place = |room: &Room| {
        let mut marks = Vec::new();
        room.online.marks(Pane::You, &mut marks);
        marks
    };
    assert!(room.online.client().counters().faults > 50);
    assert_eq!(room.online.status(), twin.online.status());
    assert_eq!(place(&room), place(&twin));
    room.online.handle(room.now, &[]);
    room.online.handle(Micros::ZERO, &[0x41; 5_000]);
    room.online.advance(Micros::MAX);
    room.online.advance(Micros::ZERO);
}

#[test]
fn what_is_not_the_own_sides_to_set_is_said() {
    let mut room = room(Delivery::Datagram, &[], &[]);
    for (id, value, word) in [
        ("server.snapshots", "20", "host"),
        ("server.tick", "20", "room"),
        ("link.carrier", "websocket", "connected"),
        ("clock.drift", "1", "clock"),
        ("link.vary", "trace", "bench"),
        ("interp.delay", "9999", "outside"),
        ("interp.dely", "9", "nearest"),
    ] {
        let said = room.online.set(id, value).unwrap_err().to_string();
        assert!(said.contains(word), "{id}: {said}");
    }
    room.online.set("predict.on", "false").unwrap();
    assert!(!room.online.client().config().predict);
}

#[test]
fn it_can_be_left_alone_for_as_long_as_it_says() {
    let mut room = room(Delivery::Datagram, &LINK, &[("link.down.jitter", "20")]);
    room.as_asked = true;
    room.run(ms(10_000));
    let client = room.online.client().counters();
    assert!(
        (590..=640).contains(&client.ticks) && client.slipped == 0,
        "{client:?}"
    );
    // Ticks, frames, packets up to the carrier and down from both links; not each millisecond.
    assert!(
        (1_000..5_000).contains(&room.woken),
        "woken {} times",
        room.woken
    );
    let age = room
        .online
        .meters()
        .summary(probe::OTHERS_AGE, room.online.now());
    assert!(age.count > 500, "{age:?}");
    room.online.leave();
    room.run(ms(1_000));
    assert!(
        room.online.wait(room.now) > ms(1_000),
        "nothing to do any more"
    );
}

#[test]
fn a_carrier_that_takes_nothing_is_not_asked_without_end() {
    let mut room = room(Delivery::Ordered, &[], &[]);
    room.run(ms(1_000));
    room.online.set_writable(false);
    room.as_asked = true;
    let woken = room.woken;
    let sent = room.online.client().counters().packets_sent;
    room.run(ms(1_000));
    assert_eq!(room.online.client().counters().packets_sent, sent);
    assert!(
        room.woken - woken < 500,
        "woken {} times",
        room.woken - woken
    );
    room.online.set_writable(true);
    room.run(ms(1_000));
    assert!(room.online.client().counters().packets_sent > sent + 50);
}

#[test]
fn what_carrying_on_straight_got_wrong_is_found_out_later() {
    let error = |own: &[(&str, &str)]| {
        let mut room = room(Delivery::Datagram, &LINK, own);
        room.run(ms(20_000));
        let meters = room.online.meters();
        meters.summary(probe::OTHERS_ERROR, room.online.now())
    };
    let fixed = [("interp.policy", "fixed"), ("interp.delay", "60")];
    let straight = [fixed[0], fixed[1], ("interp.extrapolate", "200")];
    let (held, carried) = (error(&fixed), error(&straight));
    // What stands still is drawn at the newest sample: late, and right.
    assert!(held.count > 1_000 && held.mean < 0.001, "{held:?}");
    assert!(carried.mean > 0.0005, "{carried:?}");
}

#[test]
fn whatever_is_done_in_whatever_order_it_goes_on() {
    for seed in 0..12 {
        let mut dice = scenes::Rng::fork(seed, 5);
        let mut room = room(Delivery::Datagram, &LINK, &[]);
        let mut heard = vec![Vec::new()];
        for step in 0..300 {
            let delivery = [Delivery::Ordered, Delivery::Datagram][dice.next_u64() as usize % 2];
            let any = dice.next_u64() as usize;
            match dice.next_u64() % 16 {
                0 => room.reconnect(delivery),
                1 if step % 7 == 0 => room.online.leave(),
                2 => room.sleep(ms(2 + dice.next_u64() % 3_000), any.is_multiple_of(2)),
                3 => room.online.set_writable(any.is_multiple_of(3)),
                4 => room.online.record(any.is_multiple_of(2)),
                // Packets of another time, or of another session.
                5 => room.online.handle(room.now, &heard[any % heard.len()]),
                6 => {
                    let ids: Vec<_> = ParamId::all().collect();
                    let param = ids[any % ids.len()].param();
                    let (first, last) = param.ends();
                    let value = if any.is_multiple_of(2) { first } else { last };
                    let _ = room.online.set(param.id, &param.text(value));
                }
                _ => room.run_with(ms(dice.next_u64() % 150), |_, bytes| {
                    heard.truncate(40);
                    heard.insert(0, bytes.to_vec());
                }),
            }
            let mut view = View::default();
            view.fill(&room.online, Standing::default());
            let infinite = view.floats().iter().position(|value| value.is_infinite());
            assert_eq!(infinite, None, "seed {seed}, step {step}");
        }
        room.online.set_writable(true);
        room.reconnect(Delivery::Ordered);
        room.run(ms(3_000));
        assert_eq!(room.online.status().role, Role::Playing, "seed {seed}");
    }
}
