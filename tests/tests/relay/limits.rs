//! Every limit and refusal of the relay, as whoever meets it sees it.

use std::time::{Duration, Instant};

use afterimage_tests::guest::{Carrier, Door, Host, Player, Ticket, Via, hello};
use serde_json::{Value, json};
use server::Settings;

use super::{SOON, closes, goodbye, join_word, opening, room, word};

/// Reasons of a goodbye.
const KICKED: u8 = 2;
const MISBEHAVED: u8 = 6;

/// Joins with a token on a new carrier; what the relay refuses it for, or nothing.
async fn refused(door: &Door, via: Via, token: &str) -> Option<Value> {
    let mut carrier = Carrier::open(door, via, None).await.unwrap();
    carrier.word(&join_word(token)).await.unwrap();
    let refused = word(&mut carrier, "refused").await?;
    assert!(
        closes(&mut carrier, SOON).await,
        "{via:?} stays open after {refused}"
    );
    let sentence = refused["sentence"].as_str().unwrap();
    assert!(sentence.ends_with('.') && sentence.len() > 15, "{refused}");
    Some(refused["error"].clone())
}

/// Comes as far as the welcome, and does nothing more.
async fn welcomed(door: &Door, via: Via, ticket: &Ticket) -> Carrier {
    let mut carrier = Carrier::open(door, via, None).await.unwrap();
    carrier.word(&join_word(&ticket.token)).await.unwrap();
    carrier.frame(&hello(ticket)).await.unwrap();
    assert!(word(&mut carrier, "joined").await.is_some());
    assert!(
        opening(&mut carrier, 0x12).await.is_some(),
        "a welcome on {via:?}"
    );
    carrier
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_good_once_and_a_full_room_is_full_by_every_way_in() {
    let host = Host::start(Settings::default()).await;
    let door = &host.door;
    let (code, _) = room(door, 1).await;
    // Both were promised while the seat was free; one of them gets it.
    let (first, second) = (
        door.seat(&code, "Anna").await,
        door.seat(&code, "Ben").await,
    );
    let player = Player::enter(door, &first, Via::Ws).await.unwrap();
    player.plays().await;
    for via in Via::ALL {
        assert_eq!(
            refused(door, via, &first.token).await.unwrap(),
            "token",
            "used twice"
        );
        assert_eq!(
            refused(door, via, &"0".repeat(32)).await.unwrap(),
            "token",
            "made up"
        );
        assert_eq!(refused(door, via, "0").await.unwrap(), "token", "no token");
    }
    assert_eq!(refused(door, Via::Wt, &second.token).await.unwrap(), "full");
    let late = door
        .join(&code, &json!({ "name": "Cora" }))
        .await
        .unwrap_err();
    assert_eq!((late.status, late.error()), (409, "full".to_owned()));
    // Who leaves makes room at once.
    player.leave().await;
    let after = door.seat(&code, "Cora").await;
    Player::enter(door, &after, Via::Wt)
        .await
        .unwrap()
        .plays()
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_http_refuses_has_a_code_a_status_and_a_sentence() {
    let mut settings = Settings::default();
    settings.limits.max_guesses = 5;
    settings.limits.max_rooms = 2;
    let host = Host::start(settings).await;
    let door = &host.door;
    let (code, _) = room(door, 2).await;
    let (status, error) = {
        let answer = door
            .post("/api/rooms", &json!({ "scene": "no such scene" }))
            .await;
        (answer.status, answer.error())
    };
    assert_eq!((status / 100, error.as_str()), (4, "no_scene"));
    let _second = room(door, 2).await;
    let third = door.post("/api/rooms", &json!({})).await;
    assert_eq!((third.status, third.error().as_str()), (429, "rooms"));

    let join = format!("/api/rooms/{code}/join");
    for name in ["", "   ", "a\u{202e}b", "a\nb", "\u{200b}", &"x".repeat(21)] {
        let answer = door.post(&join, &json!({ "name": name })).await;
        assert_eq!(
            (answer.status, answer.error().as_str()),
            (400, "name"),
            "{name:?}"
        );
        assert!(answer.json()["sentence"].as_str().unwrap().ends_with('.'));
    }
    for name in ["Änne", "李雷", "x", "Jo Ann"] {
        assert_eq!(
            door.post(&join, &json!({ "name": name })).await.status,
            200,
            "{name}"
        );
    }
    for body in [
        "",
        "{",
        "[]",
        r#"{"name":7}"#,
        r#"{"name":"a","admin":true}"#,
    ] {
        let answer = door.ask("POST", &join, &[], Some(body)).await.unwrap();
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
    }
    let long = format!(r#"{{"name":"{}"}}"#, "x".repeat(100_000));
    let answer = door.ask("POST", &join, &[], Some(&long)).await;
    assert!(answer.is_err() || answer.is_ok_and(|answer| answer.status == 413));

    // As the code is shown, and as somebody types it.
    let shown = format!("{}-{}", &code[..3], &code[3..]).to_lowercase();
    assert!(
        door.join(&shown, &json!({ "name": "Anna" })).await.is_ok(),
        "{shown}"
    );
    let tried = ["BCDFGH", "ZZZZZZ", "aeiou!", "B", "BCDFGHJ"];
    for wrong in tried.iter().filter(|wrong| **wrong != code) {
        let answer = door
            .join(wrong, &json!({ "name": "Anna" }))
            .await
            .unwrap_err();
        assert_eq!(
            (answer.status, answer.error().as_str()),
            (404, "no_room"),
            "{wrong}"
        );
    }
    let answer = door
        .join(&code, &json!({ "name": "Anna" }))
        .await
        .unwrap_err();
    assert_eq!(
        (answer.status, answer.error().as_str()),
        (429, "guesses"),
        "even a right one"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_from_elsewhere_may_neither_ask_nor_connect() {
    let mut settings = Settings::default();
    settings.place.allow_native = Some(false);
    settings.place.origin = vec!["https://play.example".to_owned()];
    let host = Host::start(settings).await;
    let door = &host.door;
    let port = door.at.port();
    let own = [
        format!("http://localhost:{port}"),
        "https://play.example".to_owned(),
    ];
    let strange = [
        "http://evil.example".to_owned(),
        format!("https://localhost:{port}"),
        format!("http://localhost:{}", port ^ 1),
        "http://play.example".to_owned(),
        "https://play.example.evil.example".to_owned(),
        "null".to_owned(),
    ];
    let make = async |origin: Option<&str>| {
        let headers: Vec<_> = origin
            .map(|origin| ("origin", origin))
            .into_iter()
            .collect();
        door.ask("POST", "/api/rooms", &headers, Some("{}"))
            .await
            .unwrap()
    };
    // The list of its own origin may be replaced by `--origin`; what is named there is let in.
    assert_eq!(make(Some(&own[1])).await.status, 201);
    for origin in strange
        .iter()
        .map(|origin| Some(origin.as_str()))
        .chain([None])
    {
        let answer = make(origin).await;
        assert_eq!(
            (answer.status, answer.error().as_str()),
            (403, "origin"),
            "{origin:?}"
        );
        for via in Via::ALL {
            assert!(
                Carrier::open(door, via, origin).await.is_err(),
                "{via:?} from {origin:?}"
            );
        }
    }
    for via in Via::ALL {
        assert!(
            Carrier::open(door, via, Some(&own[1])).await.is_ok(),
            "{via:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_has_so_many_connections_and_gets_them_back() {
    let mut settings = Settings::default();
    settings.limits.max_connections_per_address = 3;
    settings.limits.hello = 60;
    let host = Host::start(settings).await;
    let door = &host.door;
    let mut held = Vec::new();
    for via in [Via::Ws, Via::Wt, Via::Ws] {
        held.push(Carrier::open(door, via, None).await.unwrap());
    }
    for via in Via::ALL {
        let more = Carrier::open(door, via, None).await;
        let refused = match more {
            Err(_) => true,
            Ok(mut carrier) => closes(&mut carrier, SOON).await,
        };
        assert!(refused, "a fourth, on {via:?}");
    }
    // HTTP is no carrier: the page still loads.
    assert_eq!(door.get("/healthz").await.status, 200);
    held.pop().unwrap().close().await;
    let began = Instant::now();
    while Carrier::open(door, Via::Ws, None).await.is_err() {
        assert!(began.elapsed() < SOON, "the place is not given back");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_silent_is_let_go() {
    let mut settings = Settings::default();
    settings.limits.hello = 1;
    settings.limits.idle = 2;
    settings.rooms.resume = 0;
    let host = Host::start(settings).await;
    let door = &host.door;
    let (code, _) = room(door, 4).await;
    for via in Via::ALL {
        // Says nothing at all, or the token and no hello.
        for says in [false, true] {
            let ticket = door.seat(&code, "Anna").await;
            let mut carrier = Carrier::open(door, via, None).await.unwrap();
            if says {
                carrier.word(&join_word(&ticket.token)).await.unwrap();
            }
            let began = Instant::now();
            assert!(
                closes(&mut carrier, Duration::from_secs(4)).await,
                "{via:?}, {says}"
            );
            assert!(
                began.elapsed() > Duration::from_millis(500),
                "{via:?}, {says}"
            );
        }
        // Hello, and then nothing: the carrier answers pings, and the player is idle all the same.
        let ticket = door.seat(&code, "Anna").await;
        let mut carrier = welcomed(door, via, &ticket).await;
        let began = Instant::now();
        assert!(
            closes(&mut carrier, Duration::from_secs(8)).await,
            "{via:?}"
        );
        assert!(began.elapsed() > Duration::from_secs(1), "{via:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn too_large_too_many_and_too_wrong_end_a_session() {
    let mut settings = Settings::default();
    settings.limits.max_packets = 64;
    settings.limits.max_faults = 20;
    let host = Host::start(settings).await;
    let door = &host.door;
    let (code, _) = room(door, 16).await;
    for via in Via::ALL {
        // A message that is too large.
        let mut carrier = welcomed(door, via, &door.seat(&code, "Large").await).await;
        let large = match via {
            Via::Ws => vec![0; 5_000],
            // A frame of the stream that says that 65,535 bytes follow.
            Via::Wt => vec![0xFF; 6_000],
        };
        let _ = carrier.bytes(&large).await;
        assert!(
            closes(&mut carrier, SOON).await,
            "{via:?} with a large message"
        );

        // Packets of the right kind, but a thousand of them at once: a ping, behind a header that repeats itself.
        let mut carrier = welcomed(door, via, &door.seat(&code, "Many").await).await;
        let flood = async {
            for number in 0..4_000_u16 {
                let mut ping = number.to_le_bytes().to_vec();
                ping.extend([0, 0, 0, 0, 0, 0, 0x15, 1, 2, 3, 4]);
                if carrier.frame(&ping).await.is_err() {
                    return;
                }
                if number % 64 == 0 {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
        };
        flood.await;
        let reason = goodbye(&mut carrier, SOON).await;
        assert_eq!(reason, Some(MISBEHAVED), "{via:?} with many packets");

        // Packets that are none, a few a second.
        let mut carrier = welcomed(door, via, &door.seat(&code, "Wrong").await).await;
        for _ in 0..60 {
            let _ = carrier.frame(&[7; 40]).await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let reason = goodbye(&mut carrier, SOON).await;
        assert_eq!(reason, Some(MISBEHAVED), "{via:?} with what are no packets");

        // Words that are none.
        let mut carrier = welcomed(door, via, &door.seat(&code, "Words").await).await;
        carrier.word("{}").await.unwrap();
        let wrong = word(&mut carrier, "wrong").await.expect("it is told");
        assert!(wrong["sentence"].as_str().unwrap().len() > 10, "{wrong}");
        for _ in 0..200 {
            if carrier.word(r#"{"t":"dance"}"#).await.is_err() {
                break;
            }
        }
        assert!(closes(&mut carrier, SOON).await, "{via:?} with wrong words");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_kicks_and_closes_and_nobody_else_does() {
    let host = Host::start(Settings::default()).await;
    let door = &host.door;
    let (code, secret) = room(door, 4).await;
    let ticket = door
        .join(&code, &json!({ "name": "Host", "host": secret }))
        .await
        .unwrap();
    let mut owner = welcomed(door, Via::Ws, &ticket).await;
    for via in Via::ALL {
        let ticket = door.seat(&code, "Ben").await;
        let mut guest = welcomed(door, via, &ticket).await;
        let listed = |said: &afterimage_tests::guest::Said| match said {
            afterimage_tests::guest::Said::Word(word) if word["t"] == "room" => {
                let players = word["players"].as_array()?;
                players.iter().find(|player| player["name"] == "Ben")?["player"].as_u64()
            }
            _ => None,
        };
        let number = owner.until(SOON, listed).await.expect("the host sees Ben");
        // A guest may not.
        guest
            .word(&json!({ "t": "kick", "player": 1 }).to_string())
            .await
            .unwrap();
        assert!(word(&mut guest, "wrong").await.is_some(), "{via:?}");
        owner
            .word(&json!({ "t": "kick", "player": number }).to_string())
            .await
            .unwrap();
        assert_eq!(goodbye(&mut guest, SOON).await, Some(KICKED), "{via:?}");
        assert!(closes(&mut guest, SOON).await);
        // The seat's own secret is remembered, so that reloading the page is no way back.
        let back = door
            .join(&code, &json!({ "name": "Ben", "resume": ticket.resume }))
            .await;
        let back = back.expect_err("kicked");
        assert_eq!((back.status, back.error().as_str()), (403, "kicked"));
    }
    let mut guest = welcomed(door, Via::Wt, &door.seat(&code, "Cora").await).await;
    owner.word(r#"{"t":"close"}"#).await.unwrap();
    assert_eq!(goodbye(&mut guest, SOON).await, Some(4));
    let gone = door
        .join(&code, &json!({ "name": "Cora" }))
        .await
        .unwrap_err();
    assert_eq!(gone.error(), "no_room");
}
