//! Native players on a relay of flesh and blood: real sockets, real time, a few seconds of it.

#![cfg(feature = "bots")]

mod rig;

use clap::Parser as _;
use rig::Rig;
use scenes::Arena;
use server::bots::{BotsError, Figures, Options, Report, run};

async fn play(rig: &Rig, words: &str) -> Report {
    let report = run::<Arena>(&options(rig, words)).await;
    report.expect("the relay is there")
}

fn options(rig: &Rig, words: &str) -> Options {
    let url = format!("http://{}", rig.at);
    let words = ["bots", "--url", &url]
        .into_iter()
        .chain(words.split_whitespace());
    Options::try_parse_from(words).expect("these are its flags")
}

/// What must hold of a few players on this machine, however busy it is.
fn makes_sense(figures: &Figures, players: usize) {
    let said = format!("{figures:?}");
    assert_eq!(figures.players, players, "{said}");
    let rtt = figures.rtt_ms.expect("pings were answered");
    assert!(rtt.count >= 4 * players && rtt.p50 < 200.0, "{said}");
    let delivery = figures.delivery_ms.expect("snapshots came");
    assert!(
        delivery.p50 <= delivery.p99 && delivery.p99 < 1_000.0,
        "{said}"
    );
    assert!(
        (32.0..=65.0).contains(&figures.snapshots_per_second),
        "{said}"
    );
    assert!(
        (32.0..=72.0).contains(&figures.commands_per_second),
        "{said}"
    );
    // Two players' worth of the arena, and their commands.
    assert!(
        (300.0..6_000.0).contains(&figures.bytes_up_per_second),
        "{said}"
    );
    assert!(
        (800.0..40_000.0).contains(&figures.bytes_down_per_second),
        "{said}"
    );
    assert_eq!(figures.faults, 0, "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_on_every_carrier_see_the_match_and_tell_of_it() {
    let rig = Rig::new(|settings| settings.place.udp = Some(0)).await;
    let udp = rig.udp.expect("it was asked for").port();
    let words =
        format!("--transport mixed --udp {udp} --players 6 --rooms 2 --seconds 2 --watch 1");
    let report = play(&rig, &words).await;
    assert!(report.is_whole(), "{report}");
    assert_eq!(
        (report.joins.asked, report.joins.joined),
        (7, 7),
        "{report}"
    );
    for carrier in ["ws", "wt", "udp"] {
        let figures = report.transports.get(carrier);
        let players = figures.map_or(0, |figures| figures.players);
        // The one who watches sits on one of them.
        assert!((2..=3).contains(&players), "{carrier}: {report}");
    }
    makes_sense(&report.transports["udp"], 2);
    let relay = report.relay.as_ref().expect("the relay tells of itself");
    for carrier in ["ws", "wt", "udp"] {
        let heard = relay.packets_heard_per_second.get(carrier).copied();
        assert!(
            heard.is_some_and(|heard| heard > 60.0),
            "{carrier}: {relay:?}"
        );
    }
    if cfg!(target_os = "linux") {
        let own = report.own.cpu_percent;
        assert!(own.is_some_and(|cpu| cpu > 0.0 && cpu <= 110.0), "{own:?}");
    }
    let json = serde_json::to_value(&report).unwrap();
    assert!(
        json["transports"]["all"]["delivery_ms"]["p99"].is_number(),
        "{json}"
    );
    rig.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn older_bots_and_ugly_clients_leave_the_others_their_match() {
    let rig = Rig::new(|_| {}).await;
    let words = "--transport mixed --players 4 --rooms 1 --seconds 4 --single-input --ugly";
    let report = play(&rig, words).await;
    assert!(report.is_whole(), "{report}");
    makes_sense(&report.transports["all"], 4);
    // Header, kind, tick, command and what was drawn: far below a packet that repeats a dozen.
    assert!(
        report.transports["wt"].bytes_up_per_second < 3_000.0,
        "{report}"
    );
    let kinds: Vec<_> = report.ugly.keys().copied().collect();
    assert_eq!(kinds.len(), 5, "{kinds:?}");
    assert!(
        report.ugly.values().all(|ugly| ugly.sessions > 0),
        "{report}"
    );
    assert!(report.ugly["reconnects"].sessions > 3, "{report}");
    rig.stop().await.unwrap();
}

#[tokio::test]
async fn players_who_cannot_come_in_are_counted_by_their_reason() {
    let rig = Rig::new(|settings| settings.limits.max_players = 2).await;
    let code = server::native::Api::new(
        &format!("http://{}", rig.at),
        server::native::trust(None).unwrap(),
    )
    .unwrap()
    .create(&server::native::NewRoom {
        scene: "arena",
        public: false,
        seats: 2,
        bots: 0,
    })
    .await
    .unwrap()
    .code;
    let report = play(&rig, &format!("--players 3 --seconds 1 --room {code}")).await;
    assert_eq!((report.joins.joined, report.is_whole()), (2, false));
    // By its answer to the join, or by the one to the hello where two asked for the last seat at once.
    let reasons: Vec<_> = report.joins.failed.keys().collect();
    assert!(
        reasons.len() == 1 && reasons[0].ends_with("full"),
        "{reasons:?}"
    );
    let nowhere = play(&rig, "--players 1 --seconds 1 --room BCDFGH").await;
    assert_eq!(nowhere.joins.failed, [("no_room".to_owned(), 1)].into());
    rig.stop().await.unwrap();
}

#[tokio::test]
async fn without_a_relay_there_is_no_report() {
    let rig = Rig::new(|_| {}).await;
    let options = options(&rig, "--players 1 --seconds 1");
    rig.stop().await.unwrap();
    let error = run::<Arena>(&options).await.unwrap_err();
    assert!(matches!(error, BotsError::Api(_)), "{error}");
    assert!(error.to_string().contains("no relay answers"), "{error}");
}
