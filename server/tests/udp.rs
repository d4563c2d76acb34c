//! Bare UDP by real sockets: a native client's whole way in, and what a flood of others is worth.

#![allow(clippy::unwrap_used, reason = "the helpers of a test are of the test")]

mod rig;

use std::time::Duration;

use netcode::session::Role;
use netcode::{Client, ClientConfig, Delivery, Output};
use rig::{Rig, soon};
use scenes::{Arena, Scene as _, Setup};
use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout};
use wire::{Micros, Opening, Prefix, PrefixKind, Reader, Writer, is_prefixed};

async fn rig() -> Rig {
    Rig::new(|settings| settings.place.udp = Some(0)).await
}

async fn socket(rig: &Rig) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket
        .connect(rig.udp.expect("it was asked for"))
        .await
        .unwrap();
    socket
}

fn client() -> Client<Arena> {
    let setup = Setup {
        seed: 0,
        rate_hz: 64,
        ..Setup::default()
    };
    let config = ClientConfig {
        rate_hz: 64,
        delivery: Delivery::Datagram,
        ..ClientConfig::default()
    };
    Client::join(Arena::new(&setup).empty(), config, Micros::ZERO)
}

/// Plays until `done` says so; the frames of the session that were heard.
async fn play(
    socket: &UdpSocket,
    client: &mut Client<Arena>,
    done: impl Fn(&Client<Arena>, usize) -> bool,
) -> usize {
    let (start, mut heard, mut buffer) = (Instant::now(), 0, [0; 1500]);
    while !done(client, heard) {
        let now = Micros::new(start.elapsed().as_micros() as u64);
        if let Ok(Ok(len)) = timeout(Duration::from_millis(4), socket.recv(&mut buffer)).await {
            let mut reader = Reader::new(&buffer[..len]);
            let frame = match Opening::read(&mut reader).expect("the relay says what can be read") {
                Opening::Session { token } => {
                    assert_eq!(token, client.token());
                    heard += 1;
                    &buffer[Prefix::LEN..len]
                }
                _ => &buffer[..len],
            };
            client
                .handle(now, frame)
                .expect("nor anything out of place");
        }
        client.advance(now);
        let mut frame = [0; 1200];
        loop {
            let len = match client.poll(&mut frame) {
                Output::Transmit { len, .. } => len,
                Output::Event(_) => continue,
                Output::Wait { .. } => break,
            };
            let mut bytes = Vec::new();
            if !is_prefixed(&frame[..len]) {
                bytes = prefix(PrefixKind::Session, client.token());
            }
            bytes.extend(&frame[..len]);
            socket.send(&bytes).await.unwrap();
        }
    }
    heard
}

fn prefix(kind: PrefixKind, token: u64) -> Vec<u8> {
    let mut bytes = vec![0; Prefix::LEN];
    let mut writer = Writer::new(&mut bytes);
    Prefix::new(kind, token).write(&mut writer);
    assert_eq!(writer.finish(), Ok(Prefix::LEN));
    bytes
}

#[tokio::test]
async fn a_native_client_is_challenged_seated_and_plays_in_a_public_room() {
    let rig = rig().await;
    let (first, second) = (socket(&rig).await, socket(&rig).await);
    let (mut ada, mut bob) = (client(), client());
    let playing = |client: &Client<Arena>, heard| client.role() == Role::Playing && heard > 30;
    soon(async {
        tokio::join!(
            play(&first, &mut ada, playing),
            play(&second, &mut bob, playing)
        )
    })
    .await;
    assert_ne!(ada.me(), None);
    assert_ne!(ada.me(), bob.me(), "each has a character of their own");
    let rooms = rig.relay.rooms.list();
    assert_eq!(rooms.len(), 1, "and they share a room");
    // The relay ends: both hear why.
    let told = |client: &Client<Arena>, _| matches!(client.role(), Role::Disconnected(_));
    let (ended, ..) = soon(async {
        tokio::join!(
            rig.stop(),
            play(&first, &mut ada, told),
            play(&second, &mut bob, told)
        )
    })
    .await;
    ended.unwrap();
}

#[tokio::test]
async fn a_flood_of_hellos_that_prove_nothing_leaves_nothing_behind() {
    let rig = rig().await;
    let flood = socket(&rig).await;
    let mut hello = prefix(PrefixKind::Hello, 0);
    hello.resize(40, 0xAA);
    let mut guess = prefix(PrefixKind::Hello, 0x1234_5678_9abc_def0);
    guess.resize(40, 0xAA);
    let mut buffer = [0; 1500];
    for _ in 0..2000 {
        for bytes in [&hello, &guess, &prefix(PrefixKind::Session, 7)] {
            flood.send(bytes).await.unwrap();
        }
        while let Ok(len) = flood.try_recv(&mut buffer) {
            assert_eq!(len, Prefix::LEN, "a challenge and no more");
        }
    }
    assert_eq!(rig.relay.limits.connections(), 0);
    assert_eq!(rig.relay.rooms.list().len(), 0);
    // And crowds out nobody.
    let player = socket(&rig).await;
    let playing = |client: &Client<Arena>, _| client.role() == Role::Playing;
    soon(play(&player, &mut client(), playing)).await;
}

#[tokio::test]
async fn who_falls_silent_is_let_go() {
    let rig = Rig::new(|settings| {
        settings.place.udp = Some(0);
        settings.limits.idle = 1;
    })
    .await;
    let player = socket(&rig).await;
    let playing = |client: &Client<Arena>, _| client.role() == Role::Playing;
    soon(play(&player, &mut client(), playing)).await;
    assert_eq!(rig.relay.limits.connections(), 1);
    rig.empty().await;
}
