//! How much is taken of one and of all, and what becomes of whoever sends more.

use bytes::Bytes;
use server::rooms::Wish;
use server::session::{CarrierError, Heard, Transport};
use wire::Goodbye;

use crate::common::{Line, Person, ask, join, make, ms, play_for, relay};

/// Two people of whom the second is about to do what is not allowed.
async fn two(relay: &server::Relay) -> (Person, Person) {
    let (code, _) = make(relay);
    let (mut ada, mut bob) = (join(relay, code, ask("Ada")), join(relay, code, ask("Bob")));
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    (ada, bob)
}

/// Bob was told that he misbehaved, is gone for good, and Ada has noticed nothing else.
async fn put_out(ada: &mut Person, bob: &mut Person) {
    play_for(&mut [ada, bob], ms(1_000)).await;
    assert_eq!(bob.goodbye(), Some(Goodbye::Misbehaved));
    assert!(bob.closed && ada.is_playing());
    assert!(ada.row("Bob").is_null());
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_too_large_ends_the_session() {
    let relay = relay(|_| ());
    let (mut ada, mut bob) = two(&relay).await;
    let (bytes, most) = (5_000, 4_096);
    bob.line.put(Err(CarrierError::TooLarge { bytes, most }));
    put_out(&mut ada, &mut bob).await;
}

#[tokio::test(start_paused = true)]
async fn a_burst_is_forgiven_and_a_flood_is_not() {
    let relay = relay(|_| ());
    let (mut ada, mut bob) = two(&relay).await;
    let ping = |bob: &Person, count: usize| {
        for _ in 0..count {
            bob.line.put(Ok(Heard::Packet(Bytes::from_static(&[0; 9]))));
        }
    };
    // The relay takes 256 a second, and four seconds of them at once. What is sent is not read: that is another limit's.
    let relaxed = relay_of_faults();
    let (mut cleo, mut dan) = two(&relaxed).await;
    ping(&dan, 900);
    play_for(&mut [&mut cleo, &mut dan], ms(1_000)).await;
    assert!(dan.is_playing());
    for _ in 0..6 {
        ping(&dan, 300);
        play_for(&mut [&mut cleo, &mut dan], ms(200)).await;
    }
    put_out(&mut cleo, &mut dan).await;
    ping(&bob, 70);
    put_out(&mut ada, &mut bob).await;
    let figures = relay.metrics.text();
    assert!(figures.contains("afterimage_faults_total"), "{figures}");
}

fn relay_of_faults() -> server::Relay {
    relay(|settings| settings.limits.max_faults = 100_000)
}

#[tokio::test(start_paused = true)]
async fn words_that_are_not_understood_are_answered_until_it_is_too_much() {
    let relay = relay(|_| ());
    let (mut ada, mut bob) = two(&relay).await;
    bob.say("dance");
    play_for(&mut [&mut ada, &mut bob], ms(100)).await;
    assert_eq!(bob.words.last().unwrap()["t"], "wrong");
    for _ in 0..60 {
        bob.say("dance");
    }
    put_out(&mut ada, &mut bob).await;
}

#[tokio::test(start_paused = true)]
async fn whoever_says_nothing_is_gone_after_the_hello_time_and_a_player_gets_the_place() {
    let relay = relay(|settings| settings.limits.max_connections = 3);
    let (code, _) = make(&relay);
    let silent: Vec<_> = (0..2)
        .map(|_| Line::open(&relay, Transport::WebSocket))
        .collect();
    let invited = relay.rooms.join(code, ask("Mute")).unwrap();
    // The third says its token, and no hello.
    let token = Line::open(&relay, Transport::WebTransport);
    token.word(&format!(r#"{{"t":"join","token":"{}"}}"#, invited.token));
    assert!(relay.limits.connection([198, 51, 100, 7].into()).is_err());
    tokio::time::sleep(ms(4_500)).await;
    assert_eq!(relay.limits.connections(), 3);
    tokio::time::sleep(ms(800)).await;
    assert_eq!(relay.limits.connections(), 0);
    let mut ada = join(&relay, code, ask("Ada"));
    play_for(&mut [&mut ada], ms(700)).await;
    assert!(ada.is_playing(), "within six seconds");
    for mut line in silent {
        assert_eq!(line.next_word().await.unwrap()["error"], "silent");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_is_silent_for_ten_seconds_is_away() {
    let relay = relay(|_| ());
    let (mut ada, bob) = two(&relay).await;
    play_for(&mut [&mut ada], ms(9_000)).await;
    assert_eq!(ada.row("Bob")["away"], false);
    play_for(&mut [&mut ada], ms(3_000)).await;
    assert_eq!(ada.row("Bob")["away"], true, "{:?}", ada.room);
    assert!(bob.line.session.is_finished());
}

#[tokio::test(start_paused = true)]
async fn whoever_never_reads_costs_the_others_nothing_and_is_let_go() {
    let relay = relay(|_| ());
    let (mut ada, bob) = two(&relay).await;
    // Bob's end sends what keeps a session alive, and reads nothing.
    let stuck = async {
        for n in 0..60u64 {
            bob.line.packet(&[0; 9]);
            tokio::time::sleep(ms(200)).await;
            if n == 20 {
                let waits = relay.metrics.text();
                let replaced = r#"snapshots_replaced_total{transport="ws"}"#;
                let count = waits.split(replaced).nth(1).unwrap().trim_start();
                let count: u64 = count.split_whitespace().next().unwrap().parse().unwrap();
                assert!(
                    count > 0 && count < 20,
                    "{count}: no more are written for one that is stuck"
                );
            }
        }
    };
    let mut least = u64::MAX;
    let plays = async {
        for _ in 0..11 {
            let before = ada.frames;
            play_for(&mut [&mut ada], ms(1_000)).await;
            least = least.min(ada.frames - before);
        }
    };
    tokio::join!(stuck, plays);
    assert!(least >= 60, "{least} frames in a second");
    assert!(bob.line.session.is_finished());
}

#[tokio::test(start_paused = true)]
async fn what_must_be_said_is_queued_up_to_a_limit() {
    let relay = relay(|settings| settings.limits.max_queued = 4_000);
    let (mut ada, bob) = two(&relay).await;
    // Answers that nobody takes: what the carrier holds, and then the queue.
    for _ in 0..30 {
        for _ in 0..4 {
            bob.line.word("x");
        }
        play_for(&mut [&mut ada], ms(700)).await;
    }
    assert!(bob.line.session.is_finished());
    assert!(ada.is_playing() && ada.row("Bob").is_null());
}

#[tokio::test(start_paused = true)]
async fn there_are_so_many_rooms_and_no_more() {
    let relay = relay(|settings| settings.limits.max_rooms = 2);
    let wish = Wish::default();
    assert!(relay.rooms.create(&wish).is_ok());
    assert!(relay.rooms.create(&wish).is_ok());
    assert_eq!(relay.rooms.create(&wish).unwrap_err().code(), "rooms");
}

#[tokio::test(start_paused = true)]
async fn a_room_may_ask_for_fewer_players_and_not_for_more() {
    let relay = relay(|settings| settings.limits.max_players = 4);
    let seats = |seats| {
        let wish = Wish {
            seats: Some(seats),
            ..Wish::default()
        };
        let (code, _) = relay.rooms.create(&wish).unwrap();
        relay.rooms.join(code, ask("Ada")).unwrap().seats
    };
    assert_eq!([seats(0), seats(2), seats(500)], [1, 2, 4]);
}
