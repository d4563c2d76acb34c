//! A carrier without sessions that proves no address: hello, challenge, hello, welcome, over links that lose.

mod common;

use std::collections::BTreeMap;

use afterimage_netcode as netcode;
use common::Walk;
use netcode::session::{Cookie, Gate, LINGER, LONGEST_REPLY, Passage, Ticket, seal, unseal};
use netcode::{Claim, Client, ClientConfig, Delivery, Output, PeerId, Role, Server, ServerConfig};
use wire::{Hello, Micros, Opening, Writer};

/// The far end's address.
type Address = u32;

/// What a driver of UDP keeps: a session and its ticket for each address that has proven itself, and nothing of the others.
struct Port {
    gate: Gate,
    server: Server<Walk>,
    sessions: BTreeMap<Address, (PeerId, Ticket)>,
    opened: u32,
}

impl Port {
    fn new(config: ServerConfig) -> Self {
        Self {
            gate: Gate::new(Cookie::new([0x5A; 16])),
            server: Server::new(Walk::empty(), config, Micros::ZERO),
            sessions: BTreeMap::new(),
            opened: 0,
        }
    }

    /// Takes a frame from an address; what it is answered at once.
    fn hear(&mut self, now: Micros, from: Address, frame: &[u8]) -> Option<Vec<u8>> {
        let mut reply = [0; LONGEST_REPLY];
        let session = self.sessions.get_mut(&from);
        let (id, ticket) = match session {
            Some((id, ticket)) => (Some(*id), Some(ticket)),
            None => (None, None),
        };
        match (
            self.gate
                .judge(now, &from.to_le_bytes(), ticket, frame, &mut reply),
            id,
        ) {
            (Passage::Reply(len), _) => return Some(reply[..len].to_vec()),
            (Passage::Open(ticket), _) => {
                let id = PeerId(self.opened);
                self.opened += 1;
                self.server
                    .connect(now, id, Delivery::Datagram, Claim::Seat);
                self.sessions.insert(from, (id, ticket));
                self.server.handle(now, id, frame).expect("a hello");
            }
            (Passage::Pass(inner), Some(id)) => {
                self.server.handle(now, id, inner).expect("honest");
            }
            (Passage::Pass(_) | Passage::Drop, _) => {}
        }
        None
    }

    /// Everything that is to be sent now.
    fn say(&mut self, now: Micros) -> Vec<(Address, Vec<u8>)> {
        self.server.advance(now);
        let (mut said, mut buf, mut sealed) = (Vec::new(), [0; 1200], [0; 1212]);
        loop {
            match self.server.poll(&mut buf) {
                Output::Transmit { to, len, .. } => {
                    let of = |(_, (id, _)): &(&Address, &(PeerId, Ticket))| *id == to;
                    let (address, (_, ticket)) = self.sessions.iter().find(of).expect("open");
                    let len = seal(ticket.token(), &buf[..len], &mut sealed).expect("room");
                    said.push((*address, sealed[..len].to_vec()));
                }
                Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
        said
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 33) % below
    }
}

/// One client at a port, over a link that loses half each way and reorders, from `begin` on.
struct Line {
    port: Port,
    client: Client<Walk>,
    now: Micros,
    dice: Dice,
    lost: u64,
    flying: BTreeMap<(Micros, u64), (bool, Vec<u8>)>,
    sent: u64,
}

const HOME: Address = 7;

impl Line {
    fn new(begin: Micros, seed: u64) -> Self {
        Self {
            port: Port::new(ServerConfig::default()),
            client: Client::join(Walk::empty(), ClientConfig::default(), begin),
            now: begin,
            dice: Dice(seed),
            lost: 50,
            flying: BTreeMap::new(),
            sent: 0,
        }
    }

    fn send(&mut self, down: bool, bytes: Vec<u8>) {
        self.sent += 1;
        if self.dice.below(100) >= self.lost {
            let due = self.now + Micros::from_millis(20 + self.dice.below(40));
            self.flying.insert((due, self.sent), (down, bytes));
        }
    }

    fn step(&mut self) {
        self.now += Micros::from_millis(2);
        let now = self.now;
        while let Some(entry) = self
            .flying
            .first_entry()
            .filter(|entry| entry.key().0 <= now)
        {
            let (down, bytes) = entry.remove();
            if down {
                // What carries another token was said before the one that is held now.
                if let Ok(frame) = unseal(self.client.token(), &bytes) {
                    let _ = self.client.handle(now, frame);
                }
            } else if let Some(reply) = self.port.hear(now, HOME, &bytes) {
                self.send(true, reply);
            }
        }
        self.client.advance(now);
        let (mut buf, mut sealed) = ([0; 1200], [0; 1212]);
        loop {
            match self.client.poll(&mut buf) {
                Output::Transmit { len, .. } => {
                    let len = seal(self.client.token(), &buf[..len], &mut sealed).expect("room");
                    self.send(false, sealed[..len].to_vec());
                }
                Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
        for (_, frame) in self.port.say(now) {
            self.send(true, frame);
        }
    }

    fn run_ms(&mut self, millis: u64) {
        let end = self.now + Micros::from_millis(millis);
        while self.now < end {
            self.step();
        }
    }

    fn is_in(&self) -> bool {
        let began = |id: u32| {
            self.port
                .server
                .peer(PeerId(id))
                .is_some_and(|peer| peer.began)
        };
        self.client.role() == Role::Playing && (0..self.port.opened).any(began)
    }
}

/// How long joins take that begin `before` a window's turn.
fn joins(before: u64, seeds: std::ops::Range<u64>) -> Vec<Micros> {
    let mut took: Vec<_> = seeds
        .map(|seed| {
            let begin = Micros::from_millis(10_000 - before + seed % 37);
            let mut line = Line::new(begin, seed);
            while !line.is_in() {
                line.step();
                assert!(line.now < begin + Micros::from_millis(2_000), "seed {seed}");
            }
            // And it goes on, in one seat.
            let took = line.now - begin;
            line.lost = 5;
            line.run_ms(300);
            assert_eq!(line.port.server.counters().joins, 1, "seed {seed}");
            let snapshots = line.client.counters().snapshots;
            line.run_ms(300);
            assert!(line.client.counters().snapshots > snapshots + 10);
            took
        })
        .collect();
    took.sort_unstable();
    took
}

#[test]
fn joins_through_a_challenge_succeed_within_two_seconds_though_half_is_lost_each_way() {
    // Far from the turn of a window, and across it.
    for (before, seeds) in [(5_000, 0..200), (150, 1_000..1_300)] {
        let took = joins(before, seeds);
        let (middle, last) = (took[took.len() / 2], took[took.len() - 1]);
        println!("{before} ms before the turn: p50 {middle}, p100 {last}");
    }
}

fn forged(token: u64) -> Vec<u8> {
    let hello = Hello {
        schema: token,
        actions: 0,
        world: 0,
        rate: 64,
    };
    let mut buf = [0; 64];
    let mut w = Writer::new(&mut buf);
    Opening::Hello { token, hello }.write(&mut w);
    let len = w.finish().expect("it fits");
    buf[..len].to_vec()
}

#[test]
fn a_flood_of_forged_hellos_crowds_out_nobody_and_leaves_nothing_behind() {
    let mut line = Line::new(Micros::from_millis(1), 3);
    line.lost = 0;
    line.port = Port::new(ServerConfig {
        max_players: 1,
        ..ServerConfig::default()
    });
    let heap = line.port.server.heap();
    for from in 0..1_000_000u32 {
        let reply = line
            .port
            .hear(line.now, from + 100, &forged(u64::from(from)));
        assert_eq!(reply.map(|reply| reply.len()), Some(12));
    }
    assert_eq!(line.port.sessions.len(), 0);
    assert_eq!(line.port.server.heap(), heap);
    assert_eq!(line.port.server.counters().refusals, 0);
    // The one seat there is goes to who hears: two round trips, of 40 to 120 ms each, and a command.
    let begin = line.now;
    while !line.is_in() {
        line.step();
    }
    assert!(line.now - begin < Micros::from_millis(300), "{}", line.now);
}

#[test]
fn a_forged_frame_neither_ends_a_session_nor_confirms_what_was_not_heard() {
    let mut line = Line::new(Micros::from_millis(1), 9);
    line.lost = 0;
    while !line.is_in() {
        line.step();
    }
    line.run_ms(500);
    let (id, token) = (PeerId(0), line.client.token());
    let heard = line.port.server.peer(id).expect("open").counters.packets;
    for wrong in [0, token ^ 1, token.wrapping_add(1), u64::MAX] {
        // A goodbye, and a ping numbered far ahead that claims to have heard all.
        for frame in [
            [9u8, 0x30, 0, 0, 0, 0, 0, 0, 0x14, 1].as_slice(),
            &[
                9, 0x60, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x15, 0, 0, 0, 0,
            ],
        ] {
            let mut sealed = [0; 64];
            let len = seal(wrong, frame, &mut sealed).expect("room");
            assert_eq!(line.port.hear(line.now, HOME, &sealed[..len]), None);
            // Nor bare, nor from elsewhere with the right token.
            assert_eq!(line.port.hear(line.now, HOME, frame), None);
            let len = seal(token, frame, &mut sealed).expect("room");
            assert_eq!(line.port.hear(line.now, HOME + 1, &sealed[..len]), None);
        }
    }
    assert_eq!(
        line.port.server.peer(id).expect("open").counters.packets,
        heard
    );
    line.run_ms(500);
    assert_eq!(line.client.role(), Role::Playing);
    assert_eq!(line.client.counters().inputs_lost, 0);
}

#[test]
fn a_hello_doubled_on_its_way_finds_the_session_that_is_over_and_seats_no_ghost() {
    let mut line = Line::new(Micros::from_millis(1), 4);
    line.lost = 0;
    while !line.is_in() {
        line.step();
    }
    let asked = {
        let mut hello = forged(line.client.token());
        let ours = line.port.server.hello();
        hello[12..20].copy_from_slice(&ours.schema.to_le_bytes());
        hello[20..28].copy_from_slice(&ours.actions.to_le_bytes());
        hello
    };
    let over = |line: &Line| line.port.server.peer(PeerId(0)).expect("kept").said_goodbye;
    line.client.leave();
    while !over(&line) {
        line.step();
    }
    line.port.hear(line.now, HOME, &asked);
    assert_eq!(line.port.server.peer(PeerId(0)).expect("kept").player, None);
    line.now += LINGER;
    line.port.hear(line.now, HOME, &asked);
    assert_eq!(line.port.server.peer(PeerId(0)).expect("kept").player, None);
}
