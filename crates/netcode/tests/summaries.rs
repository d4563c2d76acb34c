//! What is told in summary is what the server summed up, whatever the link does, and costs nothing while it stays the same.

mod common;

use afterimage_netcode as netcode;
use common::{HERD, Herd, Pair, Walk, Weather, herds_at};
use netcode::{ClientConfig, Drawn, PeerId, ServerConfig};
use wire::Tick;

/// The tick at which the herds come to rest: there are two then.
const REST: u64 = 900;

fn pair(server: ServerConfig, weather: Weather) -> Pair {
    let game = Walk {
        herds_until: REST,
        ..Walk::empty()
    };
    Pair::new(game, server, &[ClientConfig::default(); 2], weather)
}

fn bytes(pair: &Pair) -> u64 {
    let peer = pair.server.peer(PeerId(0)).expect("connected");
    peer.counters.down.summaries
}

#[test]
fn a_client_holds_the_newest_list_through_a_storm_and_then_it_is_quiet() {
    let mut pair = pair(ServerConfig::default(), Weather::STORM);
    let (mut newest, mut lists, mut seen) = (Tick::default(), 0, [false; 4]);
    while pair.server.tick() < Tick::new(REST + 64) {
        pair.run_ms(10);
        for client in &pair.clients {
            let game = client.game();
            let rows = herds_at(game.herds_at.get().min(REST));
            assert_eq!(game.herds, rows, "whole, and of that tick");
            seen[rows.len() / Herd::WIDTH] = true;
        }
        let heard = pair.clients[0].game().herds_at;
        assert!(heard >= newest, "an older list never replaces a newer one");
        lists += u32::from(heard > newest);
        newest = heard;
    }
    assert!(pair.lost > 100 && seen == [true; 4], "{seen:?}");
    assert!(
        (45..=100).contains(&lists),
        "eight a second, a third lost: {lists}"
    );

    let before = bytes(&pair);
    pair.run_ms(5_000);
    assert_eq!(bytes(&pair), before, "at rest it costs nothing");
    let mut drawn = Drawn::default();
    pair.clients[1].drawn(pair.now, &mut drawn);
    let mut values = [0.0; Herd::WIDTH];
    HERD.decode(&herds_at(REST), &mut values);
    assert_eq!(drawn.summaries().next(), Some(&values[..]));
    assert_eq!(drawn.summaries().count(), 2);
}

#[test]
fn who_comes_late_is_told_of_what_is_at_rest_and_who_left_nothing_is_none_the_wiser() {
    let mut pair = pair(ServerConfig::default(), Weather::CLEAR);
    pair.run_ms(20_000);
    pair.reopen(0);
    assert_eq!(pair.clients[0].game().herds, []);
    pair.run_ms(2_000);
    assert_eq!(pair.clients[0].game().herds, herds_at(REST));

    let mut without = Pair::of(1, Weather::CLEAR);
    without.run_ms(2_000);
    assert_eq!(bytes(&without), 0, "no list is as good as an empty one");
}

#[test]
fn a_list_rides_within_the_limit_of_a_packet_and_a_budget_holds_it_back_no_longer_than_others() {
    let server = ServerConfig {
        max_packet: 256,
        budget: 6_000,
        ..ServerConfig::default()
    };
    let mut game = Walk {
        herds_until: REST,
        ..Walk::empty()
    };
    for at in 0..30 {
        game.spawn(at * 1_000);
    }
    let mut pair = Pair::new(game, server, &[ClientConfig::default()], Weather::CLEAR);
    while pair.server.tick() < Tick::new(REST) {
        pair.run_ms(100);
        let heard = pair.clients[0].game().herds_at.get();
        let tick = pair.server.tick().get();
        assert!(
            tick < 128 || heard == 0 && tick < 200 || heard + 96 > tick,
            "{heard} at {tick}"
        );
    }
    assert!(pair.largest <= 256, "{}", pair.largest);
    assert!(bytes(&pair) > 300);
}
