//! Bytes of any kind: an error or nothing, never a panic, and no more memory than was there before.

mod common;

use afterimage_netcode as netcode;
use common::{Legs, Pair, Walk, Weather};
use netcode::session::{Cookie, Gate, LONGEST_REPLY, Passage, seal};
use netcode::{Claim, Client, ClientConfig, Drawn, Output, PeerId, Server, ServerConfig};
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

/// What a session says from its hello on, and what it is told, whoever it is.
fn session(claim: Claim, server: &mut Server<Walk>) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (id, config, begin) = (PeerId(77), ClientConfig::default(), server.next_tick_at());
    server.connect(begin, id, config.delivery, claim);
    let mut client = match claim {
        Claim::Watch => Client::watch(Walk::empty(), config, begin),
        _ => Client::join(Walk::empty(), config, begin),
    };
    let (mut up, mut down, mut buf) = (Vec::new(), Vec::new(), [0; 1200]);
    for step in 0..60 {
        let now = begin + Micros::from_millis(10 * step);
        if step == 55 {
            client.leave();
        }
        client.advance(now);
        while let Output::Transmit { len, .. } = client.poll(&mut buf) {
            up.push(buf[..len].to_vec());
            let _ = server.handle(now, id, &buf[..len]);
        }
        server.advance(now);
        loop {
            match server.poll(&mut buf) {
                Output::Transmit { to, len, .. } if to == id => {
                    down.push(buf[..len].to_vec());
                    let _ = client.handle(now, &buf[..len]);
                }
                Output::Transmit { .. } | Output::Event(_) => {}
                Output::Wait { .. } => break,
            }
        }
    }
    assert!(up.len() > 6 && down.len() > 20, "{claim:?}");
    (up, down)
}

#[test]
fn sessions_that_come_go_watch_and_come_back_with_lies_between_leave_the_books_right() {
    let config = ServerConfig {
        max_players: 3,
        resume: Micros::from_millis(3_000),
        first_player: u16::MAX - 3,
        ..ServerConfig::default()
    };
    let mut fresh = Server::new(Walk::empty(), config, Micros::ZERO);
    let mut packets = Vec::new();
    for claim in [Claim::Seat, Claim::Watch, Claim::Resume { player: 9 }] {
        packets.extend(session(claim, &mut fresh).0);
    }
    let mut server = Server::new(Walk::empty(), config, Micros::ZERO);
    let (mut dice, mut now, mut buf) = (Dice(23), Micros::ZERO, [0; 1200]);
    let (mut seated, mut waited_for, mut watched, mut full) = (0, 0, 0, 0);
    for _ in 0..60_000 {
        let id = PeerId(dice.roll(9) as u32);
        match dice.roll(40) {
            0 => {
                let player = [u16::MAX, 1, 2, 3][dice.roll(4)];
                let claims = [Claim::Seat, Claim::Watch, Claim::Resume { player }];
                server.connect(now, id, netcode::Delivery::Datagram, claims[dice.roll(3)]);
            }
            1 => server.disconnect(now, id),
            2 => server.suspend(now, id),
            3 => server.dismiss(id, wire::Goodbye::ALL[dice.roll(7)]),
            4 => server.forget(dice.roll(9) as u16),
            5 => server.set_writable(id, dice.roll(2) == 0),
            6..12 => {
                now += Micros::from_millis(dice.roll(200) as u64);
                // A call out of order, and now and then a clock that was turned back.
                let off = Micros::from_millis(dice.roll(3_000) as u64);
                server.advance(if dice.roll(4) == 0 { now - off } else { now });
                while !matches!(server.poll(&mut buf), Output::Wait { .. }) {}
            }
            _ => {
                // Every third a hello, which is what they all begin with.
                let at = [0, dice.roll(packets.len()), dice.roll(packets.len())];
                let mut bytes = packets[at[dice.roll(3)]].clone();
                if dice.roll(3) == 0 {
                    dice.mutate(&mut bytes);
                }
                let _ = server.handle(now, id, &bytes);
            }
        }
        let mut numbers: Vec<u16> = server.suspended().collect();
        waited_for += numbers.len();
        for id in 0..9 {
            if let Some(peer) = server.peer(PeerId(id)) {
                assert_eq!(peer.player.is_some(), peer.key.is_some());
                assert!(!(peer.watching && peer.player.is_some()));
                watched += usize::from(peer.watching);
                full += usize::from(peer.refused == Some(netcode::session::Refusal::Full));
                numbers.extend(peer.player);
            }
        }
        seated += numbers.len();
        let held = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), held, "a number that two have");
        assert!(held <= 3 && !numbers.contains(&0));
        for player in numbers {
            let key = server.character(player).expect("held");
            assert!(server.game().walker(key).is_some(), "no character");
        }
        let walkers = server.game().walkers.iter().flatten().count();
        assert_eq!(walkers, held, "characters nobody has");
    }
    // All of it happened, or this would show nothing.
    let happened = [seated, waited_for, watched, full];
    assert!(happened.iter().all(|times| *times > 1_000), "{happened:?}");
}

#[test]
fn who_watches_or_joins_takes_any_bytes_and_any_time() {
    let mut server = Server::new(Walk::with_gate(), ServerConfig::default(), Micros::ZERO);
    let mut packets = session(Claim::Seat, &mut server).1;
    packets.extend(session(Claim::Watch, &mut server).1);
    let mut dice = Dice(41);
    let (mut drawn, mut buf) = (Drawn::default(), [0; 1200]);
    let mut roles = std::collections::BTreeSet::new();
    for _ in 0..600 {
        let watches = dice.roll(2) == 0;
        let ask = if watches { Client::watch } else { Client::join };
        let mut now = Micros::from_millis(dice.roll(10_000) as u64);
        let mut client = ask(Walk::empty(), ClientConfig::default(), now);
        for _ in 0..60 {
            let mut bytes = packets[dice.roll(packets.len())].clone();
            if dice.roll(3) == 0 {
                dice.mutate(&mut bytes);
            }
            let _ = client.handle(now, &bytes);
            now = match dice.roll(12) {
                0 => Micros::new(now.get() ^ 1 << dice.roll(64)),
                1 => now - Micros::from_millis(5_000),
                2..5 => now + Micros::from_millis(1_900),
                _ => now + Micros::from_millis(dice.roll(40) as u64),
            };
            let ticks = client.counters().ticks;
            client.advance(now);
            assert!(client.counters().ticks - ticks <= 8);
            client.drawn(now, &mut drawn);
            let _ = (client.showing(now), client.rtt(), client.next_tick_at());
            while !matches!(client.poll(&mut buf), Output::Wait { .. }) {}
            assert!((0.95..=1.05).contains(&client.bend()));
            assert!(!watches || client.me().is_none());
            roles.insert(format!("{:?}", client.role()).replace(['(', ')'], " "));
        }
    }
    let seen = |role: &str| roles.iter().any(|seen| seen.starts_with(role));
    for role in ["Joining", "Playing", "Watching", "Disconnected Silence"] {
        assert!(seen(role), "{role}: {roles:?}");
    }
}

#[test]
fn a_gate_lets_no_mutation_past_that_does_not_carry_the_token() {
    let gate = Gate::new(Cookie::new([3; 16]));
    let mut server = Server::new(Walk::empty(), ServerConfig::default(), Micros::ZERO);
    let packets = session(Claim::Seat, &mut server).0;
    let (mut dice, mut reply) = (Dice(5), [0; LONGEST_REPLY]);
    let address = b"192.0.2.7:4000";
    let now = Micros::from_millis(4_000);
    let token = Cookie::new([3; 16]).challenge(now, address);
    let mut asked = packets[0].clone();
    asked[4..12].copy_from_slice(&token.to_le_bytes());
    let Passage::Open(ticket) = gate.judge(now, address, None, &asked, &mut reply) else {
        panic!("proven");
    };
    let (mut passed, mut dropped) = (0, 0);
    for _ in 0..100_000 {
        let packet = &packets[dice.roll(packets.len())];
        let mut sealed = [0; 1300];
        let len = seal(token, packet, &mut sealed).expect("room");
        let mut bytes = sealed[..len].to_vec();
        dice.mutate(&mut bytes);
        let mut ticket = ticket;
        match gate.judge(now, address, Some(&mut ticket), &bytes, &mut reply) {
            Passage::Pass(inner) => {
                assert_eq!(bytes[4..12], token.to_le_bytes());
                assert!(inner.len() == bytes.len() || inner.len() + 12 == bytes.len());
                let _ = server.handle(now, PeerId(77), inner);
                passed += 1;
            }
            Passage::Reply(len) => assert!(len <= bytes.len()),
            Passage::Open(_) => panic!("there is a session already"),
            Passage::Drop => dropped += 1,
        }
        assert_eq!(ticket.token(), token);
    }
    assert!(passed > 10_000 && dropped > 10_000, "{passed}, {dropped}");
}
