//! Bytes of any kind: an error or nothing, never a panic, and no more memory than was there before.

mod common;

use afterimage_netcode as netcode;
use common::{Legs, Pair, Walk, Weather};
use netcode::{ClientConfig, Drawn, Output, PeerId, ServerConfig};
use wire::Micros;

/// A pair in the middle of play, and packets that it really sent, each way.
fn playing() -> (Pair, Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let mut game = Walk::with_gate();
    for at in 0..12 {
        game.spawn(at * 900).expect("there is room");
    }
    let config = ServerConfig {
        first_seq: u16::MAX - 20,
        ..ServerConfig::default()
    };
    let mut pair = Pair::new(game, config, &[ClientConfig::default(); 2], Weather::STORM);
    pair.hands = |tick| Legs {
        lean: (tick % 200) as i32 - 100,
        jump: tick % 5 == 0,
    };
    pair.run_ms(2_000);
    let (mut up, mut down) = (Vec::new(), Vec::new());
    let mut buf = [0; 1200];
    for round in 0..40u64 {
        let soon = pair.now + Micros::new(15_625 * (round + 1));
        let mut copy = pair.clone();
        copy.server.advance(soon);
        copy.clients[0].advance(soon);
        while let Output::Transmit { len, .. } = copy.server.poll(&mut buf) {
            down.push(buf[..len].to_vec());
        }
        while let Output::Transmit { len, .. } = copy.clients[0].poll(&mut buf) {
            up.push(buf[..len].to_vec());
        }
        pair.run_ms(40);
    }
    assert!(up.len() > 20 && down.len() > 20);
    (pair, up, down)
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..1 + self.roll(4) {
            match self.roll(5) {
                0 if bytes.len() > 1 => bytes.truncate(1 + self.roll(bytes.len() - 1)),
                1 => bytes.push(self.roll(256) as u8),
                2 => {
                    let at = self.roll(bytes.len());
                    bytes[at] = self.roll(256) as u8;
                }
                3 => {
                    let at = self.roll(bytes.len());
                    bytes[at] = [0, 0xFF, 0x7F, 0x80][self.roll(4)];
                }
                _ => {
                    let at = self.roll(bytes.len());
                    bytes[at] ^= 1 << self.roll(8);
                }
            }
        }
    }
}

/// Gives bytes to copies of both machines, lets them run on, draws and sends. Returns whether each took them.
fn suffer(pair: &Pair, bytes: &[u8], drawn: &mut Drawn) -> (bool, bool) {
    let mut buf = [0; 1200];
    let mut client = pair.clients[0].clone();
    let client_took = client.handle(pair.now, bytes).is_ok();
    let soon = pair.now + Micros::new(20_000);
    client.advance(soon);
    client.drawn(soon, drawn);
    while !matches!(client.poll(&mut buf), Output::Wait { .. }) {}
    let mut server = pair.server.clone();
    let server_took = server.handle(pair.now, PeerId(0), bytes).is_ok();
    server.advance(soon);
    while !matches!(server.poll(&mut buf), Output::Wait { .. }) {}
    explain(pair, bytes, client_took, server_took);
    (client_took, server_took)
}

/// What a machine takes it can explain, to the last bit; and explaining panics no more than taking.
fn explain(pair: &Pair, bytes: &[u8], client_took: bool, server_took: bool) {
    let (mut down, mut up) = (Bits(0), Bits(0));
    let client = pair.clients[0].explain(bytes, &mut down).is_ok();
    let server = pair.server.explain(PeerId(0), bytes, &mut up).is_ok();
    assert!(client >= client_took && server >= server_took);
    if !wire::is_prefixed(bytes) {
        let whole = 8 * bytes.len() as u32;
        assert!(!client || down.0 == whole, "{} of {whole} bits", down.0);
        assert!(!server || up.0 == whole, "{} of {whole} bits", up.0);
    }
}

/// Adds up the bits that it is told of.
struct Bits(u32);

impl wire::FieldSink for Bits {
    fn field(&mut self, _: &'static str, at_bit: u32, bits: u32, _: u64) {
        assert_eq!(at_bit, self.0, "told in order, without a gap");
        self.0 += bits;
    }
}

#[test]
fn every_prefix_of_a_packet_is_refused_or_harmless() {
    let (pair, up, down) = playing();
    let mut drawn = Drawn::default();
    let mut tried = 0;
    for packet in up.iter().step_by(5).chain(down.iter().step_by(5)) {
        for len in 0..packet.len() {
            let (client, _) = suffer(&pair, &packet[..len], &mut drawn);
            assert!(
                !client || len == 0,
                "a client took a prefix of {len} of {} bytes",
                packet.len()
            );
            tried += 1;
        }
    }
    assert!(tried > 500);
}

#[test]
fn a_hundred_thousand_mutations_panic_nowhere() {
    let (pair, up, down) = playing();
    let mut dice = Dice(7);
    let mut drawn = Drawn::default();
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..100_000 {
        let packets = if dice.roll(2) == 0 { &up } else { &down };
        let mut bytes = packets[dice.roll(packets.len())].clone();
        dice.mutate(&mut bytes);
        let (client, server) = suffer(&pair, &bytes, &mut drawn);
        taken += u32::from(client) + u32::from(server);
        refused += u32::from(!client) + u32::from(!server);
    }
    // Both happen, or the mutations would not be worth their name.
    assert!(
        taken > 10_000 && refused > 10_000,
        "{taken} taken, {refused} refused"
    );
}

#[test]
fn a_stream_of_lies_does_not_move_a_clock_or_grow_a_queue() {
    let (mut pair, up, down) = playing();
    let mut dice = Dice(11);
    for _ in 0..3_000 {
        let mut bytes = down[dice.roll(down.len())].clone();
        dice.mutate(&mut bytes);
        let _ = pair.clients[0].handle(pair.now, &bytes);
        let mut bytes = up[dice.roll(up.len())].clone();
        dice.mutate(&mut bytes);
        let _ = pair.server.handle(pair.now, PeerId(0), &bytes);
        assert!((0.95..=1.05).contains(&pair.clients[0].bend()));
        assert!(pair.server.peer(PeerId(0)).expect("open").depth <= 64);
    }
    assert!(pair.server.peer(PeerId(0)).expect("open").counters.faults > 500);
}

#[test]
fn a_session_that_was_never_opened_is_a_named_fault() {
    let mut pair = Pair::plain(Weather::CLEAR);
    let fault = pair.server.handle(Micros::ZERO, PeerId(99), &[0; 40]);
    assert_eq!(fault, Err(netcode::Fault::UnknownPeer));
    let fault = pair.server.handle(Micros::ZERO, PeerId(0), &[0; 40]);
    assert_eq!(fault, Err(netcode::Fault::NotJoined));
}
