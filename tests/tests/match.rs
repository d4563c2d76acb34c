//! A match of the arena under bytes of any kind: an error or nothing, never a panic, and no memory that a packet asks for.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

#[path = "../../crates/lab/tests/support/counting.rs"]
mod counting;

use counting::{Counting, so_far};
use lab::params::Config;
use lab::{First, LabOf, LabSetup, YOU};
use netcode::{
    Claim, Client, ClientConfig, Delivery, Drawn, Output, PeerId, Role, Server, ServerConfig,
};
use netsim::Rng;
use scenes::{Arena, Scene, Setup};
use wire::{MAX_PACKET, Micros};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most that one packet may make a machine ask for, bytes: lists of what a packet of 1200 bytes can really hold.
/// A claim of 65,535 entries would be a hundred times as much.
const MOST_FOR_A_PACKET: u64 = 32 * 1024;

/// Where the numbers of ticks and packets begin: shortly before both wrap.
const FIRST: First = First {
    tick: (1 << 32) - 300,
    seq: u16::MAX - 200,
    player: 1,
};

/// Machines in the middle of play, and packets that they really said.
struct Scenario {
    server: Server<Arena>,
    client: Client<Arena>,
    /// A client that still says hello.
    joining: Client<Arena>,
    /// By whom they were said: what a server hears, and what a client hears.
    up: Vec<Vec<u8>>,
    down: Vec<Vec<u8>>,
}

impl Scenario {
    fn new() -> Self {
        let setup = LabSetup {
            first: FIRST,
            ..LabSetup::new(7, Config::default())
        };
        let mut lab = LabOf::<Arena>::new(setup);
        lab.run_to(Micros::from_millis(4_000));
        let (mut up, mut down) = opening();
        for step in 0..80 {
            lab.run_to(Micros::from_millis(4_000 + step * 37));
            let (mut server, mut client) = (lab.server().clone(), lab.client(YOU).clone());
            let due = server.next_tick_at();
            server.advance(due);
            said(&mut |buf| length(server.poll(buf)), &mut down);
            let due = client.next_tick_at();
            client.advance(due);
            said(&mut |buf| length(client.poll(buf)), &mut up);
        }
        assert!(
            up.len() > 60 && down.len() > 100,
            "{}, {}",
            up.len(),
            down.len()
        );
        assert!(
            down.iter().any(|packet| packet.len() > 150),
            "no snapshot is large"
        );
        Self {
            server: lab.server().clone(),
            client: lab.client(YOU).clone(),
            joining: joining(),
            up,
            down,
        }
    }

    /// Gives bytes to copies of the machines, lets them run on, draw and send. Whether each took them.
    fn suffer(&self, bytes: &[u8], drawn: &mut Drawn) -> [bool; 3] {
        let mut server = self.server.clone();
        let due = server.next_tick_at();
        let took = [
            modest(|| server.handle(due, PeerId(0), bytes).is_ok()),
            suffer(&self.client, bytes, drawn),
            suffer(&self.joining, bytes, drawn),
        ];
        server.advance(due);
        server.drawn(drawn);
        said(&mut |buf| length(server.poll(buf)), &mut Vec::new());
        took
    }
}

fn suffer(client: &Client<Arena>, bytes: &[u8], drawn: &mut Drawn) -> bool {
    let mut client = client.clone();
    let now = match client.next_tick_at() {
        Micros::MAX => Micros::from_millis(50),
        due => due,
    };
    let took = modest(|| client.handle(now, bytes).is_ok());
    client.advance(now);
    client.drawn(now, drawn);
    said(&mut |buf| length(client.poll(buf)), &mut Vec::new());
    took
}

/// Runs something that must not ask for much memory.
fn modest<T>(run: impl FnOnce() -> T) -> T {
    let (_, before) = so_far();
    let result = run();
    let asked = so_far().1 - before;
    assert!(asked <= MOST_FOR_A_PACKET, "{asked} bytes for a packet");
    result
}

/// The length of what is to be sent; `None` once there is nothing more to do, 0 for anything else.
fn length<P, E>(output: Output<P, E>) -> Option<usize> {
    match output {
        Output::Transmit { len, .. } => Some(len),
        Output::Event(_) => Some(0),
        Output::Wait { .. } => None,
    }
}

/// Drains a machine.
fn said(poll: &mut dyn FnMut(&mut [u8]) -> Option<usize>, out: &mut Vec<Vec<u8>>) {
    let mut buf = [0; MAX_PACKET];
    while let Some(len) = poll(&mut buf) {
        if len > 0 {
            out.push(buf[..len].to_vec());
        }
    }
}

fn joining() -> Client<Arena> {
    let empty = Arena::new(&Setup::default()).empty();
    let client = Client::join(empty, ClientConfig::default(), Micros::ZERO);
    assert_eq!(client.role(), Role::Joining);
    client
}

/// The frames of a handshake: what a server hears, and what a client hears.
fn opening() -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (mut up, mut down) = (Vec::new(), Vec::new());
    let mut client = joining();
    said(&mut |buf| length(client.poll(buf)), &mut up);
    let hello = up[0].clone();
    for max_players in [4, 0] {
        let config = ServerConfig {
            max_players,
            ..ServerConfig::default()
        };
        let mut server = Server::new(Arena::new(&Setup::default()), config, Micros::ZERO);
        server.connect(Micros::ZERO, PeerId(0), Delivery::Datagram, Claim::Seat);
        server.handle(Micros::ZERO, PeerId(0), &hello).unwrap();
        said(&mut |buf| length(server.poll(buf)), &mut down);
    }
    assert_eq!(down.len(), 2, "a welcome and a refusal");
    (up, down)
}

fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.below(3) {
        let at = rng.below(bytes.len() as u64) as usize;
        match rng.below(6) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes.push(rng.below(256) as u8),
            2 => bytes[at] = rng.below(256) as u8,
            3 => bytes[at] = [0, 0xFF, 0x7F, 0x80][rng.below(4) as usize],
            4 => bytes.insert(at, rng.below(256) as u8),
            _ => bytes[at] ^= 1 << rng.below(8),
        }
    }
}

/// One test: the allocator counts for every thread.
#[test]
fn prefixes_and_mutations_are_refused_or_harmless_and_cost_little() {
    let scenario = Scenario::new();
    let mut drawn = Drawn::default();
    for packet in scenario.up.iter().chain(&scenario.down) {
        for len in 0..packet.len() {
            let [server, client, joining] = scenario.suffer(&packet[..len], &mut drawn);
            // Commands without the instant that their player saw are whole all the same.
            let whole = len + 5 == packet.len();
            assert!(
                !client && !joining && (!server || whole),
                "{len} of {packet:?}"
            );
        }
    }

    let mut rng = Rng::new(7);
    let (mut taken, mut refused) = ([0u32; 3], [0u32; 3]);
    for _ in 0..100_000 {
        let packets = [&scenario.up, &scenario.down][rng.below(2) as usize];
        let mut bytes = packets[rng.below(packets.len() as u64) as usize].clone();
        mutate(&mut rng, &mut bytes);
        let took = scenario.suffer(&bytes, &mut drawn);
        for (machine, took) in took.into_iter().enumerate() {
            taken[machine] += u32::from(took);
            refused[machine] += u32::from(!took);
        }
    }
    // Both happen to all, or the mutations would not be worth their name. One who joins takes the fewest: a frame with another
    // token is not said to them.
    assert!(
        taken.iter().all(|count| *count > 20) && refused.iter().all(|count| *count > 10_000),
        "{taken:?} taken, {refused:?} refused"
    );
}
