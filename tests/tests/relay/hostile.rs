//! Hostile bytes after each step of the way in, on each carrier: the match goes on, and whoever plays honestly sees
//! nothing of it.

use std::time::Duration;

use afterimage_tests::guest::{Carrier, Door, Host, Player, Via, hello};
use netsim::Rng;
use server::Settings;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{closes, join_word, opening, room, served, word};

/// How far an attacker comes before it turns.
#[derive(Clone, Copy, Debug)]
enum After {
    /// The TCP connection, on WebSocket alone.
    Connect,
    /// The carrier.
    Open,
    /// The token.
    Join,
    /// The hello.
    Hello,
    /// The welcome, and play for a while.
    Play,
}

const STEPS: [After; 5] = [
    After::Connect,
    After::Open,
    After::Join,
    After::Hello,
    After::Play,
];

/// Bytes that pass for something: of any length, the beginnings of real messages, numbers at their ends.
fn nonsense(rng: &mut Rng) -> Vec<u8> {
    let mut bytes = match rng.below(6) {
        0 => b"GET /ws HTTP/1.1\r\nupgrade: websocket\r\n".to_vec(),
        1 => vec![0x41, 0x49, rng.below(4) as u8, 0x10 + rng.below(4) as u8],
        2 => vec![
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            [1, 3, 7, 0x14, 0x15, 0x16][rng.below(6) as usize],
        ],
        3 => br#"{"t":"join","token":""#.to_vec(),
        4 => (rng.below(5_000) as u16).to_be_bytes().to_vec(),
        _ => Vec::new(),
    };
    for _ in 0..rng.below(200) {
        bytes.push(match rng.below(4) {
            0 => 0,
            1 => 0xFF,
            _ => rng.below(256) as u8,
        });
    }
    bytes
}

/// One attacker; whether it found itself put out. Whatever the relay does with it is right, as long as it does not harm
/// others.
async fn attack(
    door: Door,
    code: String,
    via: Via,
    after: After,
    seed: u64,
) -> Result<bool, String> {
    let mut rng = Rng::new(seed);
    if matches!(after, After::Connect) {
        let mut tcp = TcpStream::connect(door.at)
            .await
            .map_err(|error| error.to_string())?;
        for _ in 0..4 {
            tcp.write_all(&nonsense(&mut rng))
                .await
                .map_err(|error| error.to_string())?;
        }
        // Whatever it answers to that: it ends, and says nothing that nobody reads for ever.
        let mut answer = Vec::new();
        let reading = tcp.read_to_end(&mut answer);
        return Ok(tokio::time::timeout(Duration::from_secs(8), reading)
            .await
            .is_ok());
    }
    let ticket = door.seat(&code, "Eve").await;
    let mut carrier = Carrier::open(&door, via, None).await?;
    if !matches!(after, After::Open) {
        carrier.word(&join_word(&ticket.token)).await?;
        let _ = word(&mut carrier, "joined").await;
    }
    if matches!(after, After::Hello | After::Play) {
        carrier.frame(&hello(&ticket)).await?;
    }
    if matches!(after, After::Play) {
        let _ = opening(&mut carrier, 0x12).await;
    }
    let mut put_out = false;
    for _ in 0..30 {
        let bytes = nonsense(&mut rng);
        let sent = match rng.below(3) {
            0 => carrier.bytes(&bytes).await,
            1 => carrier.word(&String::from_utf8_lossy(&bytes)).await,
            _ => carrier.frame(&bytes).await,
        };
        put_out |= sent.is_err();
    }
    put_out |= closes(&mut carrier, Duration::from_millis(300)).await;
    // Half of them go without a word.
    if rng.below(2) == 0 {
        carrier.close().await;
    }
    Ok(put_out)
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_bytes_after_each_step_harm_nobody_else() {
    let mut settings = Settings::default();
    settings.limits.rooms_per_minute = 1_000;
    settings.limits.max_connections_per_address = 1_000;
    // A seat whose carrier broke without a goodbye is kept for its player; here there are none who come back.
    settings.rooms.resume = 1;
    let host = Host::start(settings).await;
    let (code, _) = room(&host.door, 16).await;
    let good = [
        Player::new(&host.door, &code, "Anna", Via::Ws).await,
        Player::new(&host.door, &code, "Ben", Via::Wt).await,
    ];
    for player in &good {
        player.plays().await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let began = good[0].now();
    let base = u64::from(std::process::id());
    let (mut came, mut out) = (0, 0);
    for round in 0..6 {
        let mut attackers = Vec::new();
        for (step, after) in STEPS.into_iter().enumerate() {
            for via in Via::ALL {
                let seed = base * 1_000 + round * 16 + step as u64 * 2 + via as u64;
                let attacker = attack(host.door.clone(), code.clone(), via, after, seed);
                attackers.push((after, via, seed, tokio::spawn(attacker)));
            }
        }
        let mut who = Vec::new();
        for (after, via, seed, attacker) in attackers {
            came += 1;
            // One whose carrier was not even opened was put out, too.
            out += u32::from(attacker.await.unwrap().unwrap_or(true));
            who.push((after, via, seed));
        }
        for player in &good {
            let ended = player.seen().ended;
            assert_eq!(ended, None, "after {who:?}");
        }
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    println!("seeds from {base}000: {came} attackers, {out} were put out");
    assert!(out > came / 2, "{out} of {came} attackers were put out");
    for player in good {
        let seen = player.seen();
        assert_eq!(seen.ended, None);
        served(&seen, began);
        player.leave().await;
    }
    // And the relay is as open as it was.
    Player::new(&host.door, &code, "Cora", Via::Wt)
        .await
        .plays()
        .await;
    host.stop().await;
}
