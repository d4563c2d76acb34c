//! In its steady state neither machine allocates. One test in this file: the allocator counts for all threads.

mod support;

use support::counting::{Counting, so_far};
use support::drive::{Call, Match, Nobody, Watch};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations by call.
#[derive(Default)]
struct Counts([u64; 6]);

impl Watch for Counts {
    fn around<T>(&mut self, call: Call, run: impl FnOnce() -> T) -> T {
        let (before, _) = so_far();
        let result = run();
        self.0[call as usize] += so_far().0 - before;
        result
    }
}

#[test]
fn advance_and_poll_allocate_nothing_from_tick_640_to_6400() {
    let mut game = Match::new();
    for _ in 0..640 {
        game.tick(&mut Nobody);
    }
    let mut counts = Counts::default();
    let before = *game.server.counters();
    for _ in 640..6_400 {
        game.tick(&mut counts);
    }
    let after = *game.server.counters();
    assert!(
        after.snapshots - before.snapshots > 10_000,
        "two clients were told of every tick"
    );
    assert!(
        game.clients
            .iter()
            .all(|client| client.counters().snapshots > 5_000)
    );
    for call in [
        Call::ServerHandle,
        Call::ServerAdvance,
        Call::ServerPoll,
        Call::ClientHandle,
        Call::ClientAdvance,
        Call::ClientPoll,
    ] {
        assert_eq!(counts.0[call as usize], 0, "{call:?}");
    }
}
