//! What happens when a game itself breaks: only that can be no client's doing, so the game here is one that breaks.

use std::time::Duration;

use bytes::Bytes;
use netcode::session::Claim;
use netcode::{Client, ClientConfig, Delivery, Fault, Output, PeerId, ServerCounters};
use scenes::{Arena, Scene as _, Setup};
use tokio::time::{Instant, sleep};
use wire::{Goodbye, Micros, SlotKey, Tick};

use super::playing::{Doing, Playing, SceneInfo, Standing};
use super::*;
use crate::session::Transport;

/// The arena, which panics at its hundredth tick and in whatever touches the match afterwards.
struct Fragile {
    inner: Box<dyn Playing>,
    broken: bool,
}

/// When it breaks.
const BREAKS: u64 = 100;

impl Playing for Fragile {
    fn connect(&mut self, now: Micros, id: PeerId, delivery: Delivery, claim: Claim) {
        self.inner.connect(now, id, delivery, claim);
    }

    fn disconnect(&mut self, now: Micros, id: PeerId) {
        self.inner.disconnect(now, id);
    }

    fn suspend(&mut self, now: Micros, id: PeerId) {
        self.inner.suspend(now, id);
    }

    fn dismiss(&mut self, id: PeerId, why: Goodbye) {
        self.inner.dismiss(id, why);
        assert!(!self.broken, "in pieces");
    }

    fn forget(&mut self, player: u16) {
        self.inner.forget(player);
    }

    fn is_suspended(&self, player: u16) -> bool {
        self.inner.is_suspended(player)
    }

    fn character(&self, player: u16) -> Option<SlotKey> {
        self.inner.character(player)
    }

    fn set_writable(&mut self, id: PeerId, writable: bool) {
        self.inner.set_writable(id, writable);
    }

    fn handle(&mut self, now: Micros, id: PeerId, bytes: &[u8]) -> Result<(), Fault> {
        self.inner.handle(now, id, bytes)
    }

    fn advance(&mut self, now: Micros) {
        self.inner.advance(now);
        self.broken = self.inner.counters().ticks >= BREAKS;
        assert!(!self.broken, "a fault of the game's");
    }

    fn poll(&mut self, buf: &mut [u8]) -> Doing {
        self.inner.poll(buf)
    }

    fn peer(&self, id: PeerId) -> Option<Standing> {
        self.inner.peer(id)
    }

    fn tick(&self) -> Tick {
        self.inner.tick()
    }

    fn next_tick_at(&self) -> Micros {
        self.inner.next_tick_at()
    }

    fn counters(&self) -> ServerCounters {
        self.inner.counters()
    }

    fn set_rules(&mut self, rules: &Rules) {
        self.inner.set_rules(rules);
    }

    fn describe(&self, id: PeerId) -> (String, String) {
        self.inner.describe(id)
    }
}

const TWO: &[SceneInfo] = &[
    SceneInfo::of::<Arena>(),
    SceneInfo {
        id: "fragile",
        open: |making, rules| {
            let inner = (SceneInfo::of::<Arena>().open)(making, rules);
            let broken = false;
            Box::new(Fragile { inner, broken })
        },
        setup: SceneInfo::of::<Arena>().setup,
    },
];

/// Somebody in a room, without a carrier in between.
struct Guest {
    member: Member,
    client: Client<Arena>,
    start: Instant,
    closed: bool,
}

impl Guest {
    async fn new(rooms: &Rooms, code: Code) -> Self {
        let ask = Ask {
            name: "Ada".into(),
            watch: false,
            resume: None,
            host: None,
        };
        let token = rooms.join(code, ask).unwrap().token;
        let pass = rooms.redeem(token).unwrap();
        let by = Instant::now() + Duration::from_secs(5);
        let member = pass.enter(Transport::WebSocket, by).await.unwrap();
        let world = Arena::new(&Setup::default()).empty();
        let config = ClientConfig {
            delivery: Delivery::Ordered,
            ..ClientConfig::default()
        };
        Self {
            member,
            client: Client::join(world, config, Micros::ZERO),
            start: Instant::now(),
            closed: false,
        }
    }

    async fn play(&mut self, time: Duration) {
        let end = Instant::now() + time;
        let mut buf = [0; wire::MAX_PACKET];
        while Instant::now() < end {
            let now = Micros::new(self.start.elapsed().as_micros() as u64);
            while let Ok(out) = tokio::time::timeout(Duration::ZERO, self.member.next()).await {
                match out {
                    Some(Out::Packet { bytes, .. }) => _ = self.client.handle(now, &bytes),
                    Some(Out::Word(_) | Out::Flush) => {}
                    None => {
                        self.closed = true;
                        return;
                    }
                }
            }
            self.client.advance(now);
            loop {
                match self.client.poll(&mut buf) {
                    Output::Transmit { len, .. } => {
                        self.member.packet(Bytes::copy_from_slice(&buf[..len]));
                    }
                    Output::Event(_) => {}
                    Output::Wait { .. } => break,
                }
            }
            sleep(Duration::from_millis(4)).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_that_panics_ends_its_room_and_no_other() {
    let (_stop, stopping) = watch::channel(false);
    let metrics = Metrics::new();
    let rooms = Rooms::playing(TWO, Arc::default(), metrics.clone(), stopping);
    let open = |scene: &str| {
        let wish = Wish {
            scene: Some(scene.into()),
            bots: Some(0),
            ..Wish::default()
        };
        rooms.create(&wish).unwrap().0
    };
    let (sound, fragile) = (open("arena"), open("fragile"));
    let mut ada = Guest::new(&rooms, sound).await;
    let mut bob = Guest::new(&rooms, fragile).await;
    let second = Duration::from_secs(1);
    tokio::join!(ada.play(second), bob.play(second));
    assert!(ada.client.me().is_some() && bob.client.me().is_some());
    tokio::join!(ada.play(second), bob.play(second));
    assert_eq!(
        bob.client.role(),
        netcode::Role::Disconnected(netcode::session::Why::Goodbye(Goodbye::RoomClosed))
    );
    assert!(bob.closed && !ada.closed);
    assert_eq!(ada.client.role(), netcode::Role::Playing);
    assert_eq!(rooms.len(), 1);
    assert!(lock(&rooms.0.rooms).contains_key(&sound));
    let figures = metrics.text();
    assert!(
        figures.contains(r#"panics_total{place="room"} 1"#),
        "{figures}"
    );
}

#[tokio::test(start_paused = true)]
async fn somebody_who_cannot_ask_is_put_into_the_fullest_public_room() {
    let (_stop, stopping) = watch::channel(false);
    let rooms = Rooms::new(Arc::default(), Metrics::new(), stopping);
    let first = rooms.quick().unwrap().room.0.code;
    assert_eq!(rooms.len(), 1, "there was none");
    let public = Wish {
        public: true,
        ..Wish::default()
    };
    let (other, _) = rooms.create(&public).unwrap();
    let mut ada = Guest::new(&rooms, other).await;
    ada.play(Duration::from_secs(1)).await;
    assert!(ada.client.me().is_some());
    assert_ne!(first, other);
    assert_eq!(rooms.quick().unwrap().room.0.code, other);
}

#[test]
fn a_name_is_trimmed_short_and_seen() {
    assert_eq!(name("  Ada ", 20), Some("Ada".into()));
    assert_eq!(name("Zoë 日本 🙂", 20), Some("Zoë 日本 🙂".into()));
    let long = "x".repeat(20);
    assert_eq!(name(&long, 20), Some(long.clone()));
    for wrong in [
        "",
        "   ",
        &format!("{long}x"),
        "a\nb",
        "a\u{202e}b",
        "\u{2066}a",
        "\u{200b}",
        "a\u{0}",
        "\u{feff}x",
    ] {
        assert_eq!(name(wrong, 20), None, "{wrong:?}");
    }
}
