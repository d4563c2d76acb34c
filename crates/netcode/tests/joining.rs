//! Who is let in, as whom, and what becomes of the others.

mod common;

use afterimage_netcode as netcode;
use common::{Legs, Pair, Walk, Weather, drive_bounded};
use netcode::client::SILENCE;
use netcode::session::Why;
use netcode::{
    Claim, Client, ClientConfig, Delivery, Fault, Output, PeerId, Role, Server, ServerConfig,
};
use wire::{Goodbye, Hello, Micros, Opening, Reader, Refusal, VERSION, Writer};

const FIRST: PeerId = PeerId(0);

fn frame(opening: Opening) -> Vec<u8> {
    let mut buf = [0; 64];
    let mut w = Writer::new(&mut buf);
    opening.write(&mut w);
    let len = w.finish().expect("it fits");
    buf[..len].to_vec()
}

fn hello(hello: Hello) -> Vec<u8> {
    frame(Opening::Hello { token: 0, hello })
}

/// The next packet of a server.
fn said(server: &mut Server<Walk>) -> Option<Vec<u8>> {
    let mut buf = [0; 1200];
    loop {
        match server.poll(&mut buf) {
            Output::Transmit { len, .. } => return Some(buf[..len].to_vec()),
            Output::Event(_) => {}
            Output::Wait { .. } => return None,
        }
    }
}

fn server(game: Walk, config: ServerConfig) -> Server<Walk> {
    let mut server = Server::new(game, config, Micros::ZERO);
    server.connect(Micros::ZERO, FIRST, Delivery::Datagram, Claim::Seat);
    server
}

fn joining() -> Client<Walk> {
    Client::join(Walk::empty(), ClientConfig::default(), Micros::ZERO)
}

fn mapped() -> Walk {
    Walk {
        print: 77,
        ..Walk::empty()
    }
}

/// What a client is after a server has answered `asked`, and whether the server took it.
fn answered(server: &mut Server<Walk>, asked: &[u8]) -> (Role, Result<(), Fault>) {
    let taken = server.handle(Micros::ZERO, FIRST, asked);
    let mut client = joining();
    if let Some(answer) = said(server) {
        assert!(answer.len() <= asked.len().max(13), "no larger than asked");
        client.handle(Micros::ZERO, &answer).expect("an answer");
    }
    assert_eq!(said(server), None, "one answer to one hello");
    (client.role(), taken)
}

#[test]
fn each_way_not_to_fit_is_refused_by_its_name() {
    let ours = server(mapped(), ServerConfig::default()).hello();
    let with = |change: fn(&mut Hello)| {
        let mut theirs = ours;
        change(&mut theirs);
        hello(theirs)
    };
    let mut foreign = hello(ours);
    foreign[2] = VERSION + 1;
    let mut longer = foreign.clone();
    longer.extend([1, 2, 3]);
    let roomy = ServerConfig::default();
    let full = ServerConfig {
        max_players: 0,
        ..roomy
    };
    let cases = [
        (roomy, with(|hello| hello.schema ^= 1), Refusal::Schema),
        (roomy, with(|hello| hello.actions ^= 1), Refusal::Actions),
        (roomy, with(|hello| hello.world ^= 1), Refusal::World),
        (roomy, with(|hello| hello.rate = 60), Refusal::Rate),
        (roomy, with(|hello| hello.rate = 129), Refusal::RateTooHigh),
        (roomy, foreign[..13].to_vec(), Refusal::Version),
        (roomy, foreign, Refusal::Version),
        (roomy, longer, Refusal::Version),
        (full, hello(ours), Refusal::Full),
    ];
    for (config, asked, refusal) in cases {
        let mut server = server(mapped(), config);
        let (role, taken) = answered(&mut server, &asked);
        assert_eq!(role, Role::Disconnected(Why::Refused(refusal)));
        assert_eq!(taken, Ok(()), "{refusal:?}");
        let peer = server.peer(FIRST).expect("open");
        assert_eq!((peer.refused, peer.player), (Some(refusal), None));
        assert_eq!(server.counters().refusals, 1);
        assert!(Why::Refused(refusal).is_final());
        assert!(Why::Refused(refusal).to_string().ends_with('.'));
    }
}

#[test]
fn a_game_that_takes_nobody_now_declines() {
    let mut game = mapped();
    while game.spawn(0).is_some() {}
    let config = ServerConfig {
        max_players: 1_000,
        ..ServerConfig::default()
    };
    let mut server = server(game, config);
    let asked = hello(server.hello());
    let (role, _) = answered(&mut server, &asked);
    let why = Why::Refused(Refusal::Declined);
    assert_eq!(role, Role::Disconnected(why));
}

#[test]
fn a_hello_that_cannot_be_read_is_answered_too_and_a_player_is_not_unseated_by_one() {
    let mut server = server(mapped(), ServerConfig::default());
    let whole = hello(server.hello());
    let (role, taken) = answered(&mut server, &whole[..30]);
    assert!(matches!(taken, Err(Fault::Malformed(_))));
    assert_eq!(role, Role::Disconnected(Why::Refused(Refusal::Malformed)));
    let (_, taken) = answered(&mut server, &whole);
    assert_eq!(taken, Ok(()));
    assert!(server.handle(Micros::ZERO, FIRST, &whole[..30]).is_err());
    assert_eq!(said(&mut server), None);
    let peer = server.peer(FIRST).expect("open");
    assert_eq!((peer.player, peer.refused), (Some(1), None));
}

#[test]
fn a_print_of_zero_is_compared_with_nothing_on_either_side() {
    for (game, theirs) in [(Walk::empty(), 5), (mapped(), 0), (mapped(), 77)] {
        let mut server = server(game, ServerConfig::default());
        let mut asked = server.hello();
        asked.world = theirs;
        server
            .handle(Micros::ZERO, FIRST, &hello(asked))
            .expect("a hello");
        assert_eq!(server.peer(FIRST).expect("open").player, Some(1));
    }
    let mut server = server(mapped(), ServerConfig::default());
    let mut asked = server.hello();
    asked.actions = 0;
    server
        .handle(Micros::ZERO, FIRST, &hello(asked))
        .expect("a hello");
    assert_eq!(server.peer(FIRST).expect("open").player, Some(1));
}

#[test]
fn a_client_takes_a_refusal_of_another_version() {
    for (reason, refusal) in [
        (1, Refusal::Full),
        (3, Refusal::Version),
        (200, Refusal::Version),
    ] {
        let mut client = joining();
        let mut refuse = frame(Opening::Refuse {
            token: 0,
            refusal: Refusal::Full,
        });
        (refuse[2], refuse[12]) = (VERSION + 1, reason);
        refuse.extend([9; 20]);
        assert_eq!(client.handle(Micros::ZERO, &refuse), Ok(()));
        assert_eq!(client.role(), Role::Disconnected(Why::Refused(refusal)));
    }
}

#[test]
fn two_lines_show_what_differs() {
    let mut server = server(mapped(), ServerConfig::default());
    let client = Client::join(
        Walk {
            print: 78,
            ..Walk::empty()
        },
        ClientConfig::default(),
        Micros::ZERO,
    );
    let (ours, theirs) = (server.describe().to_string(), client.describe().to_string());
    let lines = [&ours, &theirs];
    assert!(lines.iter().all(|line| !line.contains('\n')), "{lines:?}");
    for held in [
        "version 1,",
        "64 Hz",
        "lean, jump",
        "walker.x: signed, 22 bits",
    ] {
        assert!(
            lines.iter().all(|line| line.contains(held)),
            "{held}: {ours}"
        );
    }
    let world = |line: &str| line.split(", ").nth(3).map(str::to_owned);
    assert_eq!(world(&ours).as_deref(), Some("world 0x000000000000004d"));
    assert_eq!(ours.replace("4d, 64", "4e, 64"), theirs);
    // What the server knows of the other end is the same line as far as a hello says it.
    let mut asked = server.hello();
    asked.world = 78;
    server
        .handle(Micros::ZERO, FIRST, &hello(asked))
        .expect("a hello");
    let heard = server.peer(FIRST).expect("open").greeting.expect("heard");
    assert!(theirs.starts_with(&heard.to_string()), "{heard}");
}

#[test]
fn hello_is_said_at_the_command_rate_until_nobody_answers_for_long() {
    let mut client = joining();
    let (mut now, mut said) = (Micros::ZERO, 0);
    let mut buf = [0; 1200];
    loop {
        client.advance(now);
        if client.role() != Role::Joining {
            break;
        }
        match client.poll(&mut buf) {
            Output::Transmit { len, .. } => {
                assert!(matches!(
                    Opening::read(&mut Reader::new(&buf[..len])),
                    Ok(Opening::Hello { token: 0, .. })
                ));
                said += 1;
            }
            Output::Event(_) => {}
            Output::Wait { until } => now = until,
        }
    }
    assert_eq!((now, said), (SILENCE, 640));
    assert_eq!(client.role(), Role::Disconnected(Why::Silence));
    assert!(!Why::Silence.is_final());
}

#[test]
fn who_leaves_over_a_carrier_that_loses_says_so_more_than_once_and_then_no_more() {
    for (config, times) in [(ClientConfig::default(), 5), (Pair::ordered(), 1)] {
        let mut pair = Pair::new(
            Walk::empty(),
            ServerConfig::default(),
            &[config],
            Weather::CLEAR,
        );
        drive_bounded(&mut pair, 2, |pair| pair.clients[0].role() == Role::Playing);
        let client = &mut pair.clients[0];
        client.leave();
        let (mut now, mut said, mut buf) = (pair.now, Vec::new(), [0; 1200]);
        while now < Micros::MAX {
            match client.poll(&mut buf) {
                Output::Transmit { len, .. } => said.push(buf[..len].to_vec()),
                Output::Event(_) => {}
                Output::Wait { until } => now = until,
            }
            client.advance(now);
        }
        assert_eq!(said.len(), times);
        // The last alone is enough.
        let last = said.last().expect("said");
        pair.server.handle(pair.now, FIRST, last).expect("goodbye");
        let peer = pair.server.peer(FIRST).expect("open");
        assert_eq!((peer.said_goodbye, peer.player), (true, None));
    }
}

#[test]
fn a_hello_doubled_on_its_way_seats_no_ghost_after_the_goodbye() {
    let mut pair = Pair::plain(Weather::CLEAR);
    let asked = hello(pair.server.hello());
    drive_bounded(&mut pair, 2, |pair| pair.clients[0].role() == Role::Playing);
    pair.clients[0].leave();
    drive_bounded(&mut pair, 1, |pair| {
        pair.server.peer(FIRST).expect("open").said_goodbye
    });
    let gone = pair.now;
    pair.server.handle(gone, FIRST, &asked).expect("a hello");
    let late = gone + Micros::from_millis(999);
    pair.server.handle(late, FIRST, &asked).expect("a hello");
    assert_eq!(pair.server.game().walkers.iter().flatten().count(), 0);
    // Where a link is one session for ever, they may come back over it.
    let back = gone + Micros::from_millis(1_000);
    pair.server.handle(back, FIRST, &asked).expect("a hello");
    let peer = pair.server.peer(FIRST).expect("open");
    assert_eq!((peer.said_goodbye, peer.player), (false, Some(2)));
}

#[test]
fn numbers_of_players_count_from_one_skip_none_and_the_held_at_the_wrap() {
    let config = ServerConfig {
        first_player: 65_530,
        ..ServerConfig::default()
    };
    let mut server = Server::new(Walk::empty(), config, Micros::ZERO);
    let asked = hello(server.hello());
    let join = |server: &mut Server<Walk>, id: u32| {
        server.connect(Micros::ZERO, PeerId(id), Delivery::Ordered, Claim::Seat);
        server
            .handle(Micros::ZERO, PeerId(id), &asked)
            .expect("a hello");
        server
            .peer(PeerId(id))
            .expect("open")
            .player
            .expect("seated")
    };
    // One stays seated, one is waited for, the others come and go.
    assert_eq!(join(&mut server, 0), 65_530);
    assert_eq!(join(&mut server, 1), 65_531);
    begin(&mut server, PeerId(1));
    server.suspend(Micros::ZERO, PeerId(1));
    assert_eq!(server.suspended().collect::<Vec<_>>(), [65_531]);
    let mut expected = (65_532..=65_535).chain(1..=65_529).chain(65_532..=65_535);
    for _ in 0..65_535 + 2 {
        assert_eq!(Some(join(&mut server, 2)), expected.next());
        server.disconnect(Micros::ZERO, PeerId(2));
    }
    assert_eq!(expected.next(), None);
    let config = ServerConfig::default();
    let mut first = Server::new(Walk::empty(), config, Micros::ZERO);
    assert_eq!(join(&mut first, 0), 1);
    // A join that is declined takes none.
    let mut refused = first.hello();
    refused.schema ^= 1;
    first.connect(Micros::ZERO, PeerId(1), Delivery::Ordered, Claim::Seat);
    first
        .handle(Micros::ZERO, PeerId(1), &hello(refused))
        .expect("a hello");
    assert_eq!(join(&mut first, 2), 2);
}

/// Says the first command of a session that was just welcomed.
fn begin(server: &mut Server<Walk>, id: PeerId) {
    let mut client = joining();
    while let Some(packet) = said(server) {
        let _ = client.handle(Micros::ZERO, &packet);
    }
    let (mut now, mut buf) = (Micros::ZERO, [0; 1200]);
    while !server.peer(id).expect("open").began {
        now += Micros::from_millis(16);
        client.advance(now);
        while let Output::Transmit { len, .. } = client.poll(&mut buf) {
            server.handle(Micros::ZERO, id, &buf[..len]).expect("ours");
        }
    }
}

#[test]
fn joins_succeed_within_two_seconds_though_half_is_lost_each_way() {
    let mut took = Vec::new();
    for seed in 0..500 {
        let mut pair = Pair::plain(Weather {
            latency_ms: 40,
            jitter_ms: 20,
            loss_percent: 50,
            doubled_percent: 10,
        });
        for _ in 0..seed {
            pair.roll(100);
        }
        // In: the welcome has come, and the server knows that it has.
        drive_bounded(&mut pair, 2, |pair| {
            pair.clients[0].role() == Role::Playing && pair.server.peer(FIRST).expect("open").began
        });
        took.push(pair.now);
        assert!(pair.lost > 0 || pair.now < Micros::from_millis(300));
        assert_eq!(pair.server.counters().joins, 1, "seed {seed}");
    }
    took.sort_unstable();
    println!("joins at 50 %: p50 {}, p100 {}", took[250], took[499]);
    assert!(took[499] < Micros::from_millis(2_000));
}

#[test]
fn who_watches_sees_all_takes_no_seat_and_drives_nothing() {
    let server = ServerConfig {
        max_players: 1,
        ..ServerConfig::default()
    };
    let clients = [ClientConfig::default(); 2];
    let mut pair = Pair::new(Walk::empty(), server, &clients, Weather::CLEAR);
    pair.open(1, Claim::Watch);
    pair.hands = |tick| Legs {
        lean: if tick < 200 { 100 } else { 0 },
        jump: tick % 20 == 1 && tick < 200,
    };
    pair.run_ms(2_500);
    let (player, watcher) = (&pair.clients[0], &pair.clients[1]);
    assert_eq!(
        (player.role(), watcher.role()),
        (Role::Playing, Role::Watching)
    );
    assert_eq!((watcher.me(), watcher.depth_target()), (None, None));
    let peer = pair.server.peer(PeerId(1)).expect("open");
    assert!(peer.watching && peer.player.is_none() && peer.key.is_none());
    let mut drawn = netcode::Drawn::default();
    watcher.drawn(pair.now, &mut drawn);
    assert_eq!((drawn.len(), drawn.mine), (1, None));
    let me = player.me().expect("seated");
    let (shown, truth) = (
        drawn.get(me).expect("shown")[0],
        pair.server.game().walker(me).expect("there").x as f32 * 0.001,
    );
    assert!(
        shown > 3.0 && shown < truth,
        "{shown} of {truth}: in the past"
    );
    assert!(pair.said[1].len() > 3, "events are heard");

    // What it holds is confirmed by its pings: once the world is still, so is the wire.
    pair.run_ms(4_000);
    let bytes = |pair: &Pair| {
        let peer = pair.server.peer(PeerId(1)).expect("open").counters;
        (peer.down.own + peer.down.others, peer.snapshots)
    };
    let before = bytes(&pair);
    pair.run_ms(2_000);
    let after = bytes(&pair);
    assert_eq!(after.0, before.0, "a world at rest is told of once");
    assert!(after.1 > before.1 + 100, "and heartbeats go on");
    assert_eq!(pair.clients[1].counters().faults, 0);
}

#[test]
fn who_watches_is_told_nothing_before_its_first_ping_and_may_command_nothing() {
    let mut server = server(Walk::empty(), ServerConfig::default());
    server.connect(Micros::ZERO, FIRST, Delivery::Datagram, Claim::Watch);
    let asked = hello(server.hello());
    server.handle(Micros::ZERO, FIRST, &asked).expect("a hello");
    let welcome = said(&mut server).expect("welcome");
    let mut client = Client::watch(Walk::empty(), ClientConfig::default(), Micros::ZERO);
    client.handle(Micros::ZERO, &welcome).expect("welcome");
    server.advance(Micros::from_millis(500));
    assert_eq!(said(&mut server), None);
    let mut buf = [0; 1200];
    let Output::Transmit { len, .. } = client.poll(&mut buf) else {
        panic!("a ping is due");
    };
    let now = Micros::from_millis(500);
    server.handle(now, FIRST, &buf[..len]).expect("a ping");
    server.advance(Micros::from_millis(600));
    assert_eq!(said(&mut server).map(|pong| pong.len()), Some(13));
    assert!(said(&mut server).is_some_and(|snapshot| snapshot[8] == 3));
    // A command: u16 sequence, acknowledgements, kind 1, a tick and an input.
    let mut command = vec![9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 127, 0];
    let fault = server.handle(now, FIRST, &command);
    assert_eq!(fault, Err(Fault::Watching));
    // An acknowledgement alone is none.
    command.splice(8.., [7, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(server.handle(now, FIRST, &command), Ok(()));
}

#[test]
fn a_seat_is_not_taken_by_who_only_wants_to_watch() {
    let mut pair = Pair::plain(Weather {
        loss_percent: 1,
        ..Weather::CLEAR
    });
    pair.clients[0] = Client::watch(Walk::empty(), ClientConfig::default(), Micros::ZERO);
    pair.run_ms(1_000);
    assert_eq!(pair.clients[0].role(), Role::Joining);
    assert!(pair.clients[0].counters().faults > 0);
}

#[test]
fn a_frame_that_is_not_written_is_the_newest_once_the_carrier_takes_one() {
    let mut pair = Pair::plain(Weather::CLEAR);
    pair.run_ms(1_000);
    let snapshots = |pair: &Pair| pair.server.peer(FIRST).expect("open").counters.snapshots;
    pair.server.set_writable(FIRST, false);
    let before = snapshots(&pair);
    let heard = pair.clients[0].counters().packets_heard;
    pair.run_ms(2_000);
    assert_eq!(snapshots(&pair), before);
    assert!(
        pair.clients[0].counters().packets_heard > heard + 5,
        "pongs are words"
    );
    pair.server.set_writable(FIRST, true);
    pair.run_ms(1);
    assert_eq!(snapshots(&pair), before + 1);
    let tick = pair.server.tick();
    pair.run_ms(76);
    let newest = pair.clients[0].showing(pair.now).expect("heard").newest;
    assert!(newest >= tick, "{newest:?} of {tick:?}");
}

#[test]
fn a_refusal_by_the_relay_restarting_is_no_end() {
    let finals = [
        (Goodbye::Kicked, true),
        (Goodbye::Replaced, true),
        (Goodbye::RoomClosed, true),
        (Goodbye::Misbehaved, true),
        (Goodbye::Idle, false),
        (Goodbye::Restarting, false),
    ];
    for (goodbye, is_final) in finals {
        let mut pair = Pair::plain(Weather::CLEAR);
        drive_bounded(&mut pair, 2, |pair| pair.clients[0].role() == Role::Playing);
        pair.server.dismiss(FIRST, goodbye);
        assert_eq!(
            pair.server.peer(FIRST).expect("open").dismissed,
            Some(goodbye)
        );
        drive_bounded(&mut pair, 1, |pair| pair.clients[0].role() != Role::Playing);
        let why = Why::Goodbye(goodbye);
        assert_eq!(pair.clients[0].role(), Role::Disconnected(why));
        assert_eq!(why.is_final(), is_final);
    }
}
