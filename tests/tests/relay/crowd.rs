//! Many at once, and many that do nothing: what they cost those who play.

use std::time::{Duration, Instant};

use afterimage_tests::guest::{Carrier, Host, Player, Via, hello};
use serde_json::json;
use server::Settings;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::{SOON, join_word, room, served};

/// A relay that lets everybody in from one address.
async fn roomy() -> Host {
    let mut settings = Settings::default();
    settings.limits.max_connections_per_address = 10_000;
    settings.limits.rooms_per_minute = 10_000;
    settings.limits.max_rooms = 1_000;
    Host::start(settings).await
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_connects_and_kills_leave_the_relay_as_it_was() {
    let host = roomy().await;
    let door = &host.door;
    let (code, _) = room(door, 8).await;
    // One plays on and watches.
    let witness = Player::new(door, &code, "Anna", Via::Ws).await;
    witness.plays().await;
    let began = witness.now();
    for cycle in 0..200 {
        // A fifth on WebTransport, whose handshake costs more than the rest together.
        let via = if cycle % 5 == 0 { Via::Wt } else { Via::Ws };
        // The seat of one that went without a word is kept: the next comes back to it, or to a room of its own.
        let (code, _) = if cycle % 2 == 0 {
            (code.clone(), String::new())
        } else {
            room(door, 2).await
        };
        let Ok(ticket) = door.join(&code, &json!({ "name": "Ben" })).await else {
            continue;
        };
        let Ok(mut carrier) = Carrier::open(door, via, None).await else {
            panic!("cycle {cycle} is not let in");
        };
        let _ = carrier.word(&join_word(&ticket.token)).await;
        if cycle % 3 > 0 {
            let _ = carrier.frame(&hello(&ticket)).await;
        }
        // Killed at any step: the sockets are gone with it.
    }
    let (newcomers, _) = room(door, 4).await;
    for via in Via::ALL {
        let came = Instant::now();
        let ticket = door.seat(&newcomers, "Cora").await;
        let player = Player::enter(door, &ticket, via).await.unwrap();
        player.plays().await;
        let took = came.elapsed();
        assert!(took < Duration::from_secs(1), "{took:?} on {via:?}");
    }
    let seen = witness.seen();
    assert_eq!(seen.ended, None);
    served(&seen, began);
    // Nothing of them is held once nobody answers any more: ten seconds idle, and some to notice.
    let end = Instant::now() + Duration::from_secs(16);
    while host.relay.limits.connections() > 1 {
        assert!(
            Instant::now() < end,
            "{} are held",
            host.relay.limits.connections()
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    witness.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_hold_no_place_for_long() {
    let mut settings = Settings::default();
    settings.limits.max_connections = 60;
    settings.limits.max_connections_per_address = 60;
    let host = Host::start(settings).await;
    let door = &host.door;
    let (code, _) = room(door, 4).await;
    let mut silent = Vec::new();
    let mut raw = Vec::new();
    // As many as there may be, some of them on WebTransport, and beside them some who do not even ask for a carrier.
    for number in 0..60 {
        let via = if number % 10 == 9 { Via::Wt } else { Via::Ws };
        silent.push(Carrier::open(door, via, None).await.unwrap());
        if number % 3 == 0 {
            raw.push(TcpStream::connect(door.at).await.unwrap());
        }
    }
    assert_eq!(host.relay.limits.connections(), 60);
    let began = Instant::now();
    let player = loop {
        let entered = async {
            let ticket = door.join(&code, &json!({ "name": "Anna" })).await.ok()?;
            Player::enter(door, &ticket, Via::Ws).await.ok()
        };
        if let Some(player) = entered.await
            && player
                .has(Duration::from_millis(500), |seen| seen.playing.is_some())
                .await
        {
            break player;
        }
        assert!(began.elapsed() < Duration::from_secs(6), "nobody comes in");
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    println!("in after {:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(6));
    player.plays().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_slow_handshake_delays_nobody() {
    let host = roomy().await;
    let door = &host.door;
    let (code, _) = room(door, 8).await;
    // Half a request, and then a byte now and then.
    let mut slow = Vec::new();
    for _ in 0..20 {
        let mut tcp = TcpStream::connect(door.at).await.unwrap();
        tcp.write_all(b"GET /ws HTTP/1.1\r\nhost: x\r\n")
            .await
            .unwrap();
        slow.push(tcp);
    }
    // The first packet of a QUIC handshake that never goes on, as far as the relay can tell.
    let udp = tokio::net::UdpSocket::bind(("127.0.0.1", 0)).await.unwrap();
    udp.connect(door.at).await.unwrap();
    let mut initial = vec![0; 1_200];
    initial[..14].copy_from_slice(&[0xC0, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8]);
    for _ in 0..20 {
        let _ = udp.send(&initial).await;
    }
    for via in Via::ALL {
        let began = Instant::now();
        let ticket = door.seat(&code, "Anna").await;
        Player::enter(door, &ticket, via)
            .await
            .unwrap()
            .plays()
            .await;
        assert!(
            began.elapsed() < Duration::from_secs(1),
            "{:?} on {via:?}",
            began.elapsed()
        );
    }
    drop(slow);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_is_taken_over_by_its_own_player_and_by_nobody_else() {
    let host = roomy().await;
    let door = &host.door;
    let (code, _) = room(door, 2).await;
    let ticket = door.seat(&code, "Anna").await;
    let first = Player::enter(door, &ticket, Via::Ws).await.unwrap();
    first.plays().await;
    let other = Player::new(door, &code, "Ben", Via::Ws).await;
    other.plays().await;
    // The same player again, by another carrier, while the room is full.
    let again = door
        .join(&code, &json!({ "name": "Anna", "resume": ticket.resume }))
        .await
        .unwrap();
    let second = Player::enter(door, &again, Via::Wt).await.unwrap();
    second.plays().await;
    assert!(
        first.has(SOON, |seen| seen.ended.is_some()).await,
        "the older is told"
    );
    let said = first.seen().ended.unwrap();
    assert!(
        said.contains("another") || said.contains("replaced") || said.contains("else"),
        "{said}"
    );
    // What the old connection's end still does never touches the new one.
    drop(first);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let before = second.seen().snapshots.len();
    assert!(
        second
            .has(SOON, |seen| seen.snapshots.len() > before + 20)
            .await
    );
    assert_eq!(second.seen().ended, None);
    // Lost without a goodbye: the seat is kept, and given back with the secret.
    drop(second);
    let late = door
        .join(&code, &json!({ "name": "Anna", "resume": ticket.resume }))
        .await
        .unwrap();
    Player::enter(door, &late, Via::Ws)
        .await
        .unwrap()
        .plays()
        .await;
}
