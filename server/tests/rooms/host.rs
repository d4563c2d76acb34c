//! What words do: the host's, and rounds.

use server::Relay;
use server::rooms::Ask;
use wire::Goodbye;

use crate::common::{Person, ask, join, make, ms, play_for, relay};

async fn two(relay: &Relay) -> (Person, Person) {
    let (code, host) = make(relay);
    let asked = Ask {
        host: Some(host),
        ..ask("Ada")
    };
    let (mut ada, mut bob) = (join(relay, code, asked), join(relay, code, ask("Bob")));
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    (ada, bob)
}

#[tokio::test(start_paused = true)]
async fn only_the_host_sets_and_everybody_sees_it() {
    let relay = relay(|_| ());
    let (mut ada, mut bob) = two(&relay).await;
    bob.say(r#"{"t":"set","id":"bots","value":3}"#);
    ada.say(r#"{"t":"set","id":"server.snapshots","value":16}"#);
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    assert_eq!(
        bob.words.last().unwrap()["sentence"],
        "Only the host can do this."
    );
    let settings = &bob.room["settings"];
    assert_eq!(
        (&settings["server.snapshots"], &settings["bots"]),
        (&16.into(), &0.into())
    );
    let before = bob.frames;
    play_for(&mut [&mut ada, &mut bob], ms(2_000)).await;
    let heard = bob.frames - before;
    assert!(
        (30..50).contains(&heard),
        "{heard} snapshots and pongs in two seconds at 16 Hz"
    );
    ada.say(r#"{"t":"set","id":"bots","value":99}"#);
    ada.say(r#"{"t":"public","on":false}"#);
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    assert_eq!(ada.words.last().unwrap()["t"], "wrong");
    assert_eq!(bob.room["public"], false);
    assert!(relay.rooms.list().is_empty());
}

#[tokio::test(start_paused = true)]
async fn bots_come_and_go_as_the_host_says() {
    let relay = relay(|_| ());
    let (mut ada, mut bob) = two(&relay).await;
    let bodies = |person: &Person| person.drawn().len();
    let without = bodies(&ada);
    ada.say(r#"{"t":"set","id":"bots","value":5}"#);
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    assert_eq!(bodies(&ada), without + 5);
    ada.say(r#"{"t":"set","id":"bots","value":1}"#);
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    assert_eq!(bodies(&ada), without + 1);
}

#[tokio::test(start_paused = true)]
async fn whoever_is_kicked_is_told_and_does_not_come_back() {
    let relay = relay(|_| ());
    let (mut ada, mut bob) = two(&relay).await;
    let code = ada.words[0]["room"].as_str().unwrap().parse().unwrap();
    let number = ada.row("Bob")["player"].clone();
    bob.say(&format!(
        r#"{{"t":"kick","player":{}}}"#,
        ada.row("Ada")["player"]
    ));
    ada.say(&format!(r#"{{"t":"kick","player":{number}}}"#));
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    assert_eq!(bob.goodbye(), Some(Goodbye::Kicked));
    assert!(bob.closed && ada.is_playing());
    assert!(ada.row("Bob").is_null());
    let again = Ask {
        resume: Some(bob.resume),
        ..ask("Bob")
    };
    assert_eq!(relay.rooms.join(code, again).unwrap_err().code(), "kicked");
}

#[tokio::test(start_paused = true)]
async fn a_room_that_its_host_closes_tells_everybody() {
    let relay = relay(|_| ());
    let (mut ada, mut bob) = two(&relay).await;
    ada.say(r#"{"t":"close"}"#);
    play_for(&mut [&mut ada, &mut bob], ms(500)).await;
    for person in [&ada, &bob] {
        assert_eq!(person.goodbye(), Some(Goodbye::RoomClosed));
        assert!(person.closed);
    }
    assert!(relay.rooms.is_empty());
    assert_eq!(relay.limits.connections(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_host_passes_on_when_the_host_is_gone_for_good_and_comes_back_with_the_secret() {
    let relay = relay(|_| ());
    let (code, host) = make(&relay);
    let asked = |name| Ask {
        host: Some(host),
        ..ask(name)
    };
    let (mut ada, mut bob) = (
        join(&relay, code, asked("Ada")),
        join(&relay, code, ask("Bob")),
    );
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    ada.hang_up();
    play_for(&mut [&mut bob], ms(5_000)).await;
    assert_eq!(bob.row("Ada")["host"], true, "may be back any moment");
    play_for(&mut [&mut bob], ms(60_000)).await;
    assert_eq!(bob.row("Bob")["host"], true);
    let mut again = join(&relay, code, asked("Ada"));
    play_for(&mut [&mut bob, &mut again], ms(1_000)).await;
    assert_eq!(bob.row("Ada")["host"], true);
    assert_eq!(bob.row("Bob")["host"], false);
}

#[tokio::test(start_paused = true)]
async fn a_round_ends_and_another_begins_when_all_who_are_here_want_it() {
    let relay = relay(|settings| settings.rooms.round = 3);
    let (mut ada, mut bob) = two(&relay).await;
    assert_eq!(bob.room["phase"], "playing");
    let left = bob.room["left_ms"].as_u64().unwrap();
    assert!((1_900..=3_000).contains(&left), "{left}");
    bob.say(r#"{"t":"rematch"}"#);
    play_for(&mut [&mut ada, &mut bob], ms(3_000)).await;
    assert_eq!(
        bob.words.last().unwrap()["sentence"],
        "The round is not over yet."
    );
    assert_eq!(
        (&bob.room["phase"], &bob.room["left_ms"]),
        (&"over".into(), &serde_json::Value::Null)
    );
    bob.say(r#"{"t":"rematch"}"#);
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    assert_eq!(
        (&ada.room["phase"], &ada.row("Bob")["rematch"]),
        (&"over".into(), &true.into())
    );
    ada.say(r#"{"t":"rematch"}"#);
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    assert_eq!(
        (&bob.room["phase"], &bob.room["round"]),
        (&"playing".into(), &2.into())
    );
    assert_eq!(bob.row("Bob")["rematch"], false);
}

#[tokio::test(start_paused = true)]
async fn what_clients_measure_is_shown_to_all() {
    let relay = relay(|_| ());
    let (mut ada, mut bob) = two(&relay).await;
    bob.say(r#"{"t":"net","ping":38,"loss":0.4,"stalls":2}"#);
    bob.say(r#"{"t":"hidden","on":true}"#);
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    let row = ada.row("Bob");
    assert_eq!(
        (row["ping"].as_f64(), row["stalls"].as_u64()),
        (Some(38.0), Some(2))
    );
    assert_eq!(row["hidden"], true);
}

#[tokio::test(start_paused = true)]
async fn a_kill_is_a_point_while_the_round_lasts() {
    let relay = relay(|settings| settings.rooms.round = 60);
    let (mut ada, mut bob) = two(&relay).await;
    ada.say(r#"{"t":"set","id":"bots","value":12}"#);
    ada.plays = true;
    play_for(&mut [&mut ada, &mut bob], ms(50_000)).await;
    let score = ada.row("Ada")["score"].as_u64().unwrap();
    assert!(score > 0, "nearly a minute among twelve bots");
    ada.hands_off();
    play_for(&mut [&mut ada, &mut bob], ms(60_000)).await;
    assert_eq!(ada.room["phase"], "over");
    ada.say(r#"{"t":"rematch"}"#);
    play_for(&mut [&mut ada, &mut bob], ms(1_000)).await;
    assert_eq!(
        (&ada.room["phase"], &ada.row("Ada")["score"]),
        (&"playing".into(), &0.into()),
        "the host alone may ask"
    );
}
