//! A game of one's own: pucks on a lane, pushed by their players. `cargo run -p afterimage-netcode --example shuffle`.
//! The state is kept as it travels, in whole numbers, so that what a client predicts is what the server answers, exactly.

use afterimage_netcode::{
    Claim, Client, ClientConfig, Digest, Drawn, Driver, Event, Game, Input, Output, PeerId, Server,
    ServerConfig, Step,
};
use netsim::{Carrier, Link, Preset};
use wire::{ClassId, Micros, Quant, ReadError, Reader, Schema, SlotKey, Writer, record};

record! {
    /// Where a puck is, is everybody's business; how fast, only its player's, who predicts it.
    struct Puck as PUCK ("puck", shown: Interpolated, rewind: false, share: 1) {
        x: Quant::Signed { bits: 16, step: 0.001 }, "m", Linear, All, place;
        v: Quant::Signed { bits: 12, step: 0.001 }, "m/tick", Linear, Owner;
    }
}

/// A level: true as long as it is held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Push(i32);
impl Input for Push {
    const ACTIONS: &'static [&'static str] = &["push"];
    fn write(&self, w: &mut Writer<'_>) {
        Quant::Axis.write("push", self.0, w);
    }
    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self(Quant::Axis.read("push", r)?))
    }
    fn without_edges(self) -> Self {
        self
    }
    fn fold_edges(self, _older: Self) -> Self {
        self
    }
}

/// A puck came home, to the middle of the lane.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Home;
impl Event for Home {
    fn write(&self, _w: &mut Writer<'_>) {}
    fn read(_r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self)
    }
}

#[derive(Clone, Default)]
struct Shuffle {
    pucks: [Option<(SlotKey, Puck)>; 8],
    lives: u8,
}
impl Game for Shuffle {
    type Input = Push;
    type Event = Home;
    const SCHEMA: &'static Schema = &Schema {
        classes: &[PUCK],
        summary: None,
    };
    const SLOTS: u16 = 8;
    fn step(&mut self, step: &mut Step<'_, Self>) {
        let simulated = |(key, _): &&mut (SlotKey, Puck)| step.simulates(*key);
        let mut homes = 0;
        for (key, puck) in self.pucks.iter_mut().flatten().filter(simulated) {
            let push = step.command(*key).map_or(0, |push| push.0);
            puck.v = (puck.v + push / 16) * 63 / 64;
            let next = (puck.x + puck.v).clamp(-30_000, 30_000);
            homes += u32::from(next.signum() != puck.x.signum());
            puck.x = next;
        }
        (0..homes).for_each(|_| step.say(Home));
    }
    fn slots(&self) -> usize {
        self.pucks.len()
    }
    fn at(&self, slot: usize) -> Option<(SlotKey, ClassId)> {
        self.pucks[slot].map(|(key, _)| (key, ClassId(0)))
    }
    fn save(&self, key: SlotKey, out: &mut [i32]) {
        if let Some((_, puck)) = &self.pucks[usize::from(key.slot)] {
            puck.save(out);
        }
    }
    fn load(&mut self, key: SlotKey, _class: ClassId, record: &[i32]) {
        self.pucks[usize::from(key.slot)] = Some((key, Puck::load(record)));
    }
    fn remove(&mut self, key: SlotKey) {
        self.pucks[usize::from(key.slot)] = None;
    }
    fn join(&mut self, _driver: Driver) -> Option<SlotKey> {
        let slot = self.pucks.iter().position(Option::is_none)?;
        self.lives = self.lives.wrapping_add(1);
        let puck = (
            SlotKey::new(slot as u16, self.lives),
            Puck { x: 9_000, v: 0 },
        );
        Some(self.pucks[slot].insert(puck).0)
    }
    fn leave(&mut self, key: SlotKey) {
        self.remove(key);
    }
    fn digest(&self, digest: &mut Digest) {
        for (key, puck) in self.pucks.iter().flatten() {
            digest.codes(&[key.packed() as i32, puck.x, puck.v]);
        }
    }
}

pub(crate) fn main() {
    let config = ClientConfig::default();
    let mut client = Client::join(Shuffle::default(), config, Micros::ZERO);
    let mut server = Server::new(Shuffle::default(), ServerConfig::default(), Micros::ZERO);
    server.connect(Micros::ZERO, PeerId(1), config.delivery, Claim::Seat);
    let link = Preset::find("4g")
        .expect("a preset")
        .config(Carrier::Datagram);
    let (mut up, mut down) = (Link::new(1, link), Link::new(2, link));
    let (mut buf, mut bytes, mut homes) = ([0; wire::MAX_PACKET], Vec::new(), 0);
    let mut drawn = Drawn::default();
    for now in (0..8_000).map(Micros::from_millis) {
        while up.receive(now, &mut bytes).is_some() {
            server.handle(now, PeerId(1), &bytes).expect("it is honest");
        }
        server.advance(now);
        loop {
            match server.poll(&mut buf) {
                Output::Transmit { len, .. } => _ = down.send(now, &buf[..len]),
                Output::Event(_said) => {}
                Output::Wait { .. } => break,
            }
        }
        while down.receive(now, &mut bytes).is_some() {
            client.handle(now, &bytes).expect("it is honest");
        }
        client.drawn(now, &mut drawn);
        let push = drawn.own().map_or(0.0, |own| -own[0] * 40.0); // to the middle
        client.hold(now, Push(push.clamp(-127.0, 127.0) as i32));
        client.advance(now);
        loop {
            match client.poll(&mut buf) {
                Output::Transmit { len, .. } => _ = up.send(now, &buf[..len]),
                Output::Event(_heard) => homes += 1,
                Output::Wait { .. } => break,
            }
        }
    }
    println!("home {homes} times, {:?}", client.counters());
    assert!(homes > 0 && client.counters().corrections == 0);
}
