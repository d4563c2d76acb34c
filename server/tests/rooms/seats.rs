//! Who has which seat, and for how long.

use std::time::Duration;

use server::rooms::Ask;
use server::session::Transport;
use wire::Goodbye;

use crate::common::{Line, PANIC, Person, ask, join, make, ms, play_for, relay};

#[tokio::test(start_paused = true)]
async fn two_people_on_two_carriers_play_in_one_room() {
    let relay = relay(|_| ());
    let (code, host) = make(&relay);
    let mut ada = join(
        &relay,
        code,
        Ask {
            host: Some(host),
            ..ask("Ada")
        },
    );
    let invited = relay.rooms.join(code, ask("Bob")).unwrap();
    let mut bob = Person::arrive(&relay, &invited, Transport::WebTransport, false);
    play_for(&mut [&mut ada, &mut bob], ms(2_000)).await;
    assert!(ada.is_playing() && bob.is_playing());
    assert_eq!(ada.words[0]["t"], "joined");
    assert_eq!(ada.words[0]["host"], true);
    assert_eq!(bob.words[0]["host"], false);
    assert_eq!(bob.room["phase"], "playing");
    let (a, b) = (bob.row("Ada"), bob.row("Bob"));
    assert_eq!(
        (&a["host"], &a["you"], &a["via"]),
        (&true.into(), &false.into(), &"ws".into())
    );
    assert_eq!(
        (&b["host"], &b["you"], &b["via"]),
        (&false.into(), &true.into(), &"wt".into())
    );
    let me = bob.client.me().unwrap();
    assert_eq!(
        (b["slot"].as_u64(), b["life"].as_u64()),
        (Some(me.slot.into()), Some(me.life.into()))
    );
    assert!(bob.frames > 100, "{} snapshots in two seconds", bob.frames);
    let listed = &relay.rooms.list()[0];
    assert_eq!((listed.players, listed.seats), (2, 8));
}

#[tokio::test(start_paused = true)]
async fn a_token_is_good_once() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    let invited = relay.rooms.join(code, ask("Ada")).unwrap();
    let mut ada = Person::arrive(&relay, &invited, Transport::WebSocket, false);
    play_for(&mut [&mut ada], ms(500)).await;
    assert!(ada.is_playing());
    let mut thief = Line::open(&relay, Transport::WebSocket);
    thief.word(&format!(r#"{{"t":"join","token":"{}"}}"#, invited.token));
    let word = thief.next_word().await.unwrap();
    assert_eq!(
        (&word["t"], &word["error"]),
        (&"refused".into(), &"token".into())
    );
    assert_eq!(thief.next_word().await, None, "and closed");
    play_for(&mut [&mut ada], ms(500)).await;
    assert!(ada.is_playing());
}

#[tokio::test(start_paused = true)]
async fn a_token_lives_for_half_a_minute() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    let invited = relay.rooms.join(code, ask("Ada")).unwrap();
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert!(relay.rooms.redeem(invited.token).is_err());
}

#[tokio::test(start_paused = true)]
async fn whoever_drops_out_keeps_seat_score_and_place_for_a_minute() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    let mut ada = join(&relay, code, ask("Ada"));
    let mut bob = join(&relay, code, ask("Bob"));
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    let (seat, me) = (ada.row("Bob")["player"].clone(), bob.client.me());
    bob.hang_up();
    play_for(&mut [&mut ada], ms(50_000)).await;
    assert_eq!(ada.row("Bob")["away"], true);
    let mut again = join(
        &relay,
        code,
        Ask {
            resume: Some(bob.resume),
            ..ask("Bobby")
        },
    );
    play_for(&mut [&mut ada, &mut again], ms(1_000)).await;
    assert_eq!(again.client.me(), me, "the same character");
    assert_eq!(ada.row("Bobby")["player"], seat);
    assert_eq!(ada.row("Bobby")["away"], false);
    again.hang_up();
    play_for(&mut [&mut ada], ms(62_000)).await;
    assert_eq!(
        ada.room["players"].as_array().unwrap().len(),
        1,
        "nobody waits longer"
    );
}

#[tokio::test(start_paused = true)]
async fn a_newer_connection_of_a_player_takes_the_seat_over_and_the_older_is_told() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    let mut old = join(&relay, code, ask("Ada"));
    play_for(&mut [&mut old], ms(1_000)).await;
    let me = old.client.me();
    let mut new = join(
        &relay,
        code,
        Ask {
            resume: Some(old.resume),
            ..ask("Ada")
        },
    );
    play_for(&mut [&mut old, &mut new], ms(1_000)).await;
    assert_eq!(old.goodbye(), Some(Goodbye::Replaced));
    assert!(old.closed);
    assert_eq!(new.client.me(), me);
    // Whatever the older one's end still does, it does not touch the newer one.
    old.hang_up();
    play_for(&mut [&mut new], ms(2_000)).await;
    assert!(new.is_playing());
    assert_eq!(new.room["players"].as_array().unwrap().len(), 1);
    assert_eq!(new.row("Ada")["away"], false);
}

#[tokio::test(start_paused = true)]
async fn whoever_says_goodbye_is_gone_at_once() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    let mut ada = join(&relay, code, ask("Ada"));
    let mut bob = join(&relay, code, ask("Bob"));
    let mut cleo = join(&relay, code, ask("Cleo"));
    play_for(&mut [&mut ada, &mut bob, &mut cleo], ms(1_000)).await;
    ada.client.leave();
    bob.say(r#"{"t":"leave"}"#);
    play_for(&mut [&mut ada, &mut bob, &mut cleo], ms(1_000)).await;
    assert!(ada.closed && bob.closed);
    assert_eq!(cleo.room["players"].as_array().unwrap().len(), 1);
    assert_eq!(cleo.row("Cleo")["host"], true, "the room passes on");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_panics_frees_its_seat_and_the_room_plays_on() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    let mut ada = join(&relay, code, ask("Ada"));
    let mut bob = join(&relay, code, ask("Bob"));
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    bob.say(PANIC);
    play_for(&mut [&mut ada], ms(1_000)).await;
    assert!(bob.line.session.is_finished());
    assert_eq!(ada.room["players"].as_array().unwrap().len(), 1);
    let before = ada.frames;
    play_for(&mut [&mut ada], ms(1_000)).await;
    assert!(ada.frames > before + 50);
    assert_eq!(relay.limits.connections(), 1, "the permit is back");
    let figures = relay.metrics.text();
    assert!(
        figures.contains(r#"panics_total{place="session"} 1"#),
        "{figures}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_newcomer_takes_the_place_of_whoever_is_away_longest_where_all_are_taken() {
    let relay = relay(|settings| settings.limits.max_players = 2);
    let (code, _) = make(&relay);
    let mut ada = join(&relay, code, ask("Ada"));
    let mut bob = join(&relay, code, ask("Bob"));
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    let full = relay.rooms.join(code, ask("Cleo")).unwrap_err();
    assert_eq!(full.code(), "full");
    bob.hang_up();
    play_for(&mut [&mut ada], ms(500)).await;
    let mut cleo = join(&relay, code, ask("Cleo"));
    play_for(&mut [&mut ada, &mut cleo], ms(1_000)).await;
    assert!(cleo.is_playing() && ada.is_playing());
    assert!(ada.row("Bob").is_null());
}

#[tokio::test(start_paused = true)]
async fn after_hundreds_of_broken_connections_a_newcomer_is_in_within_a_second() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    for _ in 0..200 {
        let mut person = join(&relay, code, ask("Killed"));
        play_for(&mut [&mut person], ms(200)).await;
        person.hang_up();
    }
    let mut ada = join(&relay, code, ask("Ada"));
    play_for(&mut [&mut ada], ms(1_000)).await;
    assert!(ada.is_playing());
    assert_eq!(relay.limits.connections(), 1);
}

#[tokio::test(start_paused = true)]
async fn anybody_may_watch_and_takes_no_seat() {
    let relay = relay(|settings| settings.limits.max_watchers = 1);
    let (code, _) = make(&relay);
    let watch = |name| Ask {
        watch: true,
        ..ask(name)
    };
    let mut ada = join(&relay, code, ask("Ada"));
    let mut eve = join(&relay, code, watch("Eve"));
    play_for(&mut [&mut ada, &mut eve], ms(12_000)).await;
    assert_eq!(eve.words[0]["watch"], true);
    assert_eq!(eve.client.role(), netcode::session::Role::Watching);
    assert_eq!(
        (
            &ada.room["watching"],
            ada.room["players"].as_array().unwrap().len()
        ),
        (&1.into(), 1)
    );
    assert!(eve.frames > 300, "{} snapshots", eve.frames);
    eve.say(r#"{"t":"rematch"}"#);
    play_for(&mut [&mut ada, &mut eve], ms(500)).await;
    assert_eq!(eve.words.last().unwrap()["t"], "wrong");
    assert_eq!(
        relay.rooms.join(code, watch("Ivy")).unwrap_err().code(),
        "full"
    );
}

#[tokio::test(start_paused = true)]
async fn a_client_of_another_build_is_refused_in_a_sentence_and_takes_no_seat() {
    let relay = relay(|_| ());
    let (code, _) = make(&relay);
    let mut invited = relay.rooms.join(code, ask("Ada")).unwrap();
    invited.rate = 32;
    let mut ada = Person::arrive(&relay, &invited, Transport::WebSocket, false);
    play_for(&mut [&mut ada], ms(500)).await;
    let refused = netcode::session::Why::Refused(wire::Refusal::Rate);
    assert_eq!(
        ada.client.role(),
        netcode::session::Role::Disconnected(refused)
    );
    assert!(ada.closed);
    assert_eq!(relay.rooms.list()[0].players, 0);
    let figures = relay.metrics.text();
    assert!(
        figures.contains(r#"refusals_total{reason="rate"} 1"#),
        "{figures}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_said_before_the_token_is_refused_where_nothing_overtakes() {
    let relay = relay(|_| ());
    for (transport, error) in [
        (Transport::WebSocket, "bad_request"),
        (Transport::WebTransport, "token"),
    ] {
        let mut line = Line::open(&relay, transport);
        line.packet(&[0; 20]);
        line.word(r#"{"t":"join","token":"0123"}"#);
        assert_eq!(line.next_word().await.unwrap()["error"], error);
        assert_eq!(line.next_word().await, None);
    }
    assert_eq!(relay.limits.connections(), 0);
}
