//! A server with bots, one online client, and a link between them that is taken for a real one.

use lab::FeedLine;
use lab::online::{Online, OnlineOf, OnlineSetup};
use lab::params::Config;
use netcode::{Claim, Delivery, Drawn, Output, PeerId, Server};
use netsim::{Carrier, Link, LinkConfig};
use scenes::{Arena, BotMemory, BotStyle, Pad, Rng, Scene, Setup};
use wire::{MAX_PACKET, Micros, SlotKey};

/// Where all chance comes from.
pub(crate) const SEED: u64 = 7;

const BOTS: u64 = 8;

/// How often the client's driver looks at the time: a page's timers are no finer.
const STEP: Micros = Micros::from_millis(1);

/// How the room's world is made.
pub(crate) fn world() -> Setup {
    Setup {
        seed: SEED,
        ..Setup::default()
    }
}

/// What the player does at a tick: circles, and shoots every second at somebody who is drawn.
pub(crate) fn hands(tick: u64, drawn: &Drawn) -> Pad {
    let (x, y) = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][tick as usize / 40 % 4];
    let other = drawn.iter().find_map(|(body, values)| {
        let seen = Arena::body(body.class, values)?;
        (seen.is_character && !body.mine).then_some(seen.place)
    });
    let [aim_x, aim_y] = other.unwrap_or([f32::NAN; 2]);
    Pad {
        x,
        y,
        aim_x,
        aim_y,
        buttons: u32::from(tick.is_multiple_of(64)),
        pressed: 0,
    }
}

struct Bot {
    key: SlotKey,
    rng: Rng,
    memory: BotMemory,
    held: <Arena as netcode::Game>::Input,
}

/// A match with one who is online.
pub(crate) struct Room {
    pub(crate) server: Server<Arena>,
    pub(crate) online: OnlineOf<Arena>,
    pub(crate) peer: PeerId,
    pub(crate) now: Micros,
    pub(crate) events: Vec<FeedLine>,
    watch: bool,
    link: LinkConfig,
    lines: [Link; 2],
    bots: Vec<Bot>,
    /// How far the player's clock is behind because it stood still.
    behind: Micros,
    wakes: Micros,
    /// Whether the player's driver sleeps as long as it is told to, and not a millisecond each time.
    pub(crate) as_asked: bool,
    /// How often it was woken.
    pub(crate) woken: u64,
    still: bool,
}

impl Room {
    /// A room whose player begins to ask. Of `real` the server's own counts, and the link up, both ways.
    pub(crate) fn new(setup: OnlineSetup, real: &Config) -> Self {
        let told = lab::as_rust::Told::by(real);
        let mut server = Server::new(Arena::new(&setup.world), told.server, Micros::ZERO);
        let bots = (0..BOTS).map(|index| Bot {
            key: server.seat().unwrap(),
            rng: Rng::fork(SEED, index + 2),
            memory: BotMemory::new(BotStyle::Duel, setup.world.rate_hz),
            held: Default::default(),
        });
        let bots = bots.collect();
        let (peer, watch) = (PeerId(0), setup.watch);
        let link = LinkConfig {
            carrier: carrier(setup.delivery),
            ..told.up
        };
        server.connect(Micros::ZERO, peer, setup.delivery, claim(watch));
        Self {
            server,
            online: OnlineOf::new(setup, Micros::ZERO),
            peer,
            now: Micros::ZERO,
            events: Vec::new(),
            watch,
            link,
            lines: [Link::new(SEED * 8, link), Link::new(SEED * 8 + 1, link)],
            bots,
            behind: Micros::ZERO,
            wakes: Micros::ZERO,
            as_asked: false,
            woken: 0,
            still: false,
        }
    }

    /// Runs on.
    pub(crate) fn run(&mut self, time: Micros) {
        self.run_with(time, |_, _| {});
    }

    /// Runs on and shows each packet down before the client takes it.
    pub(crate) fn run_with(&mut self, time: Micros, mut look: impl FnMut(&OnlineOf<Arena>, &[u8])) {
        let end = self.now + time;
        let mut packet = Vec::new();
        while self.now < end {
            self.now += STEP;
            while self.lines[0].receive(self.now, &mut packet).is_some() {
                let _ = self.server.handle(self.now, self.peer, &packet);
            }
            self.serve();
            let heard = self.lines[1].next_at().is_some_and(|due| due <= self.now);
            if self.now >= self.wakes || self.as_asked && heard {
                self.play(&mut look);
            }
        }
    }

    fn serve(&mut self) {
        if self.server.next_tick_at() <= self.now {
            let mut drawn = Drawn::default();
            self.server.drawn(&mut drawn);
            for bot in &mut self.bots {
                Arena::think(
                    bot.key,
                    &drawn,
                    &mut bot.rng,
                    &mut bot.memory,
                    &mut bot.held,
                );
                self.server.drive(bot.key, bot.held);
            }
        }
        self.server.advance(self.now);
        let mut buf = [0; MAX_PACKET];
        loop {
            match self.server.poll(&mut buf) {
                Output::Transmit { to, len, .. } if to == self.peer => {
                    self.lines[1].send(self.now, &buf[..len]);
                }
                Output::Wait { .. } => break,
                Output::Transmit { .. } | Output::Event(_) => {}
            }
        }
    }

    fn play(&mut self, look: &mut impl FnMut(&OnlineOf<Arena>, &[u8])) {
        let own = self.now - self.behind;
        let mut packet = Vec::new();
        while self.lines[1].receive(self.now, &mut packet).is_some() {
            look(&self.online, &packet);
            self.online.handle(own, &packet);
        }
        let client = self.online.client();
        if client.next_tick_at() <= own {
            let mut drawn = Drawn::default();
            client.drawn(own, &mut drawn);
            let pad = if self.still {
                Pad::default()
            } else {
                hands(client.tick().next().get(), &drawn)
            };
            self.online.pad(pad);
        }
        self.online.advance(own);
        while self.online.poll(own, &mut packet).is_some() {
            self.lines[0].send(self.now, &packet);
        }
        self.events.append(&mut self.online.drain());
        self.woken += 1;
        if self.as_asked {
            self.wakes = self.now + self.online.wait(own);
        }
    }

    /// The player's machine sleeps; the rest goes on. Where the clock does not count the sleep, it goes on from where it was.
    pub(crate) fn sleep(&mut self, time: Micros, counts: bool) {
        self.wakes = self.now + time;
        self.run(time - STEP);
        if !counts {
            self.behind += time - STEP;
        }
    }

    /// How far behind the server's present the player's screen really shows the others, ms.
    pub(crate) fn behind_ms(&self) -> f64 {
        let showing = self
            .online
            .client()
            .showing(self.now - self.behind)
            .unwrap();
        (self.server.tick().get() as f64 - showing.others_at) * 1_000.0 / 64.0
    }

    /// Another carrier to the same room.
    pub(crate) fn reconnect(&mut self, delivery: Delivery) {
        self.server.disconnect(self.now, self.peer);
        self.peer = PeerId(self.peer.0 + 1);
        self.server
            .connect(self.now, self.peer, delivery, claim(self.watch));
        self.link.carrier = carrier(delivery);
        self.lines = [Link::new(1, self.link), Link::new(2, self.link)];
        self.online.reconnect(self.now - self.behind, delivery);
    }

    /// Whether the server's character does what the player's hands do, within a round trip: it stands still when they rest, and
    /// walks when they push.
    pub(crate) fn answers_to_hands(&mut self) -> bool {
        let moves = |room: &mut Self| {
            let place = |room: &Self| {
                let key = room.server.peer(room.peer)?.key?;
                let mut drawn = Drawn::default();
                room.server.drawn(&mut drawn);
                let values = drawn.get(key)?.to_vec();
                Arena::body(scenes::arena::FIGHTER_CLASS, &values).map(|body| body.place)
            };
            let before = place(room);
            room.run(Micros::from_millis(60));
            before.zip(place(room)).is_some_and(|(a, b)| a != b)
        };
        let mut seen = [false; 2];
        for (at, still) in [true, false].into_iter().enumerate() {
            self.still = still;
            self.run(Micros::from_millis(350));
            seen[at] = moves(self);
        }
        seen == [false, true]
    }
}

fn carrier(delivery: Delivery) -> Carrier {
    match delivery {
        Delivery::Ordered => Carrier::Ordered,
        Delivery::Datagram => Carrier::Datagram,
    }
}

fn claim(watch: bool) -> Claim {
    if watch { Claim::Watch } else { Claim::Seat }
}
