//! Every edge of the queue.

use super::*;
use crate::input::fixture::{Dice, Pad};

/// A command whose stick tells its tick, with these presses.
fn pad(tick: u64, presses: u8) -> Pad {
    Pad {
        stick: tick as u8,
        presses,
    }
}

struct Line {
    queue: CommandQueue<Pad>,
}

impl Line {
    /// Commands of these ticks have arrived, without presses.
    fn with(ticks: impl IntoIterator<Item = u64>) -> Self {
        let mut line = Self {
            queue: CommandQueue::new(),
        };
        ticks
            .into_iter()
            .for_each(|tick| assert_eq!(line.offer(tick, 0), Offer::Queued));
        line
    }

    fn offer(&mut self, tick: u64, presses: u8) -> Offer {
        self.queue
            .offer(Tick::new(tick), pad(tick, presses), None::<Instant>)
    }

    /// Where the next tick's input comes from, the client tick it stands for, its stick and its presses.
    fn take(&mut self) -> (What, u64, u8, u8) {
        let taken = self.queue.take();
        let tick = taken.tick.map_or(u64::MAX, Tick::get);
        (taken.what, tick, taken.input.stick, taken.input.presses)
    }
}

#[test]
fn one_command_a_tick_in_order_whatever_the_order_of_arrival() {
    let mut line = Line::with([5, 8, 6, 7]);
    for tick in 5..=8 {
        assert_eq!(line.take(), (What::Ran, tick, tick as u8, 0));
    }
}

#[test]
fn before_the_first_command_nothing_is_claimed() {
    let mut line = Line::with([]);
    for _ in 0..100 {
        assert_eq!(line.take(), (What::Idle, u64::MAX, 0, 0));
    }
    assert_eq!(
        (
            line.queue.depth(),
            line.queue.low_water(),
            line.queue.judged()
        ),
        (0, 0, None)
    );
    line.offer(7, 1);
    assert_eq!(line.take(), (What::Ran, 7, 7, 1));
}

#[test]
fn the_first_value_of_a_tick_wins() {
    let mut line = Line::with([5]);
    assert_eq!(line.offer(5, 1), Offer::Duplicate);
    assert_eq!(line.take(), (What::Ran, 5, 5, 0));
    assert_eq!(line.offer(5, 1), Offer::Duplicate);
    line.offer(6, 0);
    assert_eq!(line.take(), (What::Ran, 6, 6, 0));
}

#[test]
fn a_dry_queue_repeats_without_edges_and_claims_the_moment() {
    let mut line = Line::with([]);
    line.offer(5, 0b11);
    assert_eq!(line.take(), (What::Ran, 5, 5, 0b11));
    for claimed in 6..=15 {
        assert_eq!(line.take(), (What::Repeated, claimed, 5, 0));
    }
}

#[test]
fn after_ten_dry_ticks_it_is_neutral_and_claims_nothing() {
    let mut line = Line::with([5]);
    line.take();
    for _ in 0..CommandQueue::<Pad>::REPEAT_TICKS {
        line.take();
    }
    for _ in 0..100 {
        assert_eq!(line.take(), (What::Neutral, 15, 0, 0));
    }
    assert_eq!(line.offer(16, 0), Offer::Queued);
    assert_eq!(line.take(), (What::Ran, 16, 16, 0));
    assert_eq!(line.take(), (What::Repeated, 17, 16, 0));
}

#[test]
fn the_real_command_of_a_claimed_moment_is_discarded_and_its_edges_run_with_the_next() {
    let mut line = Line::with([5]);
    line.take();
    assert_eq!(line.take().0, What::Repeated);
    assert_eq!(line.offer(6, 0b01), Offer::Late);
    // Not with a repeat: a repeat presses nothing.
    assert_eq!(line.take(), (What::Repeated, 7, 5, 0));
    assert_eq!(line.offer(7, 0b10), Offer::Late);
    line.offer(8, 0b100);
    assert_eq!(line.take(), (What::Ran, 8, 8, 0b111));
    line.offer(9, 0);
    assert_eq!(line.take(), (What::Ran, 9, 9, 0));
}

#[test]
fn a_late_command_is_folded_once() {
    let mut line = Line::with([5]);
    line.take();
    line.take();
    assert_eq!(line.offer(6, 1), Offer::Late);
    line.offer(7, 0);
    assert_eq!(line.take(), (What::Ran, 7, 7, 1));
    assert_eq!(line.offer(6, 1), Offer::Duplicate);
    line.offer(8, 0);
    assert_eq!(line.take(), (What::Ran, 8, 8, 0));
}

#[test]
fn a_backlog_is_skipped_down_to_ten_and_its_edges_run() {
    let mut line = Line::with([]);
    for tick in 1..=14 {
        line.offer(tick, if tick == 2 || tick == 4 { 1 << tick } else { 0 });
    }
    assert_eq!(line.queue.depth(), 14);
    let taken = line.queue.take();
    assert_eq!((taken.skipped, taken.what), (4, What::Ran));
    assert_eq!(
        (taken.tick, taken.input),
        (Some(Tick::new(5)), pad(5, 0b10100))
    );
    assert_eq!(line.queue.depth(), 9);
    assert_eq!(line.queue.take().skipped, 0);
}

#[test]
fn ten_waiting_are_left_alone() {
    let mut line = Line::with(1..=10);
    assert_eq!(line.take(), (What::Ran, 1, 1, 0));
}

#[test]
fn skipped_commands_that_come_again_are_duplicates() {
    let mut line = Line::with(1..=14);
    line.take();
    assert_eq!(line.offer(2, 1), Offer::Duplicate);
}

#[test]
fn a_hole_is_claimed_so_that_later_commands_keep_their_moments() {
    let mut line = Line::with([1, 3, 4]);
    assert_eq!(line.take(), (What::Ran, 1, 1, 0));
    assert_eq!(line.take(), (What::Repeated, 2, 1, 0));
    assert_eq!(line.take(), (What::Ran, 3, 3, 0));
    assert_eq!(line.take(), (What::Ran, 4, 4, 0));
}

#[test]
fn a_hole_counts_as_lost_once_it_is_past_memory_and_a_late_command_never() {
    let mut line = Line::with([1, 3]);
    let mut lost = 0;
    for tick in 1..200 {
        line.offer(tick + 3, 0);
        if tick == 6 {
            assert_eq!(line.offer(2, 0), Offer::Late);
        }
        lost += line.queue.take().lost;
    }
    assert_eq!(lost, 0);

    let mut line = Line::with([1, 3]);
    let mut seen = Vec::new();
    for tick in 1..200 {
        line.offer(tick + 3, 0);
        if line.queue.take().lost == 1 {
            seen.push(tick);
        }
    }
    assert_eq!(seen, [2 + 64]);
}

#[test]
fn too_old_and_too_far_change_nothing() {
    let mut line = Line::with(100..=200u64 - 37);
    for tick in 100..=163 {
        line.offer(tick, 0);
    }
    assert_eq!(line.offer(164, 0), Offer::TooFar);
    assert_eq!(line.queue.newest(), Some(Tick::new(163)));
    line.take();
    assert_eq!(line.queue.judged(), Some(Tick::new(154)));
    assert_eq!(line.offer(154 - 63, 1), Offer::Duplicate);
    assert_eq!(line.offer(154 - 64, 1), Offer::TooOld);
    assert_eq!(line.offer(0, 1), Offer::TooOld);
    assert_eq!(line.offer(u64::MAX, 1), Offer::TooFar);
    assert_eq!(line.take(), (What::Ran, 155, 155, 0));
}

#[test]
fn after_a_silence_it_goes_on_where_the_player_is() {
    let mut line = Line::with([1]);
    for _ in 0..50 {
        line.take();
    }
    // Eleven were claimed or run; 12 to 29 never came.
    assert_eq!(line.offer(30, 0), Offer::Queued);
    assert_eq!(line.queue.depth(), 1);
    assert_eq!(line.take(), (What::Ran, 30, 30, 0));
    let lost: u32 = (31..130)
        .map(|tick| (line.offer(tick, 0), line.queue.take().lost).1)
        .sum();
    assert_eq!(lost, 28);
}

#[test]
fn a_client_that_moved_its_clock_is_followed_after_a_silence_and_not_before() {
    let mut line = Line::with([1]);
    line.take();
    assert_eq!(line.offer(10_000, 0), Offer::TooFar);
    for _ in 0..CommandQueue::<Pad>::REPEAT_TICKS {
        line.take();
    }
    assert_eq!(line.offer(10_000, 0), Offer::Queued);
    let taken = line.queue.take();
    assert_eq!(
        (taken.what, taken.tick),
        (What::Ran, Some(Tick::new(10_000)))
    );
    // The ten claimed moments have had their chance; what lies between was never made.
    assert_eq!(taken.lost, 10);
    assert_eq!(line.offer(9_999, 0), Offer::Duplicate);
}

#[test]
fn the_low_water_is_the_least_depth_before_a_take() {
    let mut line = Line::with(1..=5);
    assert_eq!(line.queue.low_water(), 5);
    line.take();
    line.take();
    assert_eq!(line.queue.low_water(), 4);
    line.offer(6, 0);
    assert_eq!(line.queue.take_low_water(), 4);
    line.take();
    assert_eq!(line.queue.take_low_water(), 4);
    assert_eq!(line.queue.low_water(), 3);
    (0..4).for_each(|_| _ = line.take());
    assert_eq!(line.queue.take_low_water(), 0);
}

#[test]
fn what_was_drawn_goes_with_the_command_and_on_with_a_repeat() {
    let mut queue = CommandQueue::<Pad>::new();
    let drawn = |tick: u64| Instant {
        tick: Tick::new(tick),
        frac: 128,
    };
    queue.offer(Tick::new(10), pad(10, 0), drawn(300));
    queue.offer(Tick::new(11), pad(11, 0), Some(drawn(305)));
    queue.offer(Tick::new(12), pad(12, 0), None);
    assert_eq!(queue.take().drawn, Some(drawn(300)));
    assert_eq!(queue.take().drawn, Some(drawn(305)));
    assert_eq!(queue.take().drawn, Some(drawn(306)));
    assert_eq!(queue.take().drawn, Some(drawn(307)));
}

#[test]
fn no_moment_moves_twice_and_no_press_is_lost_at_any_wrap() {
    for near in [100, 1 << 16, 1 << 32] {
        let mut seen = Storm::default();
        for seed in 0..20 {
            let storm = storm(near - 60, seed);
            assert_eq!(storm.pressed, storm.ran, "{near}, {seed}");
            seen.late += storm.late;
            seen.skipped += storm.skipped;
            seen.pressed += storm.pressed;
        }
        assert!(
            seen.late > 100 && seen.skipped > 50 && seen.pressed > 1_500,
            "{seen:?}"
        );
    }
}

#[derive(Debug, Default)]
struct Storm {
    late: u32,
    skipped: u32,
    /// Presses that arrived, and that ran.
    pressed: u32,
    ran: u32,
}

/// 400 commands from tick `first` on over a link that delays by up to 12 ticks, doubles half and now and then stalls.
/// Each fourth presses one of eight buttons in turn, so that no two presses of a button can be folded into one.
fn storm(first: u64, seed: u64) -> Storm {
    const COMMANDS: u64 = 400;
    let mut dice = Dice(seed);
    let mut queue = CommandQueue::<Pad>::new();
    let mut due: Vec<(u64, u64)> = Vec::new();
    let mut judged = None;
    let mut storm = Storm::default();
    let mut stalled_until = 0;
    for now in 0..COMMANDS + 80 {
        if now < COMMANDS {
            if dice.below(40) == 0 {
                stalled_until = now + 16;
            }
            for _ in 0..1 + dice.below(2) {
                due.push(((now + dice.below(12)).max(stalled_until), now));
            }
        }
        due.sort();
        let come = due.partition_point(|(at, _)| *at <= now);
        for (_, made) in due.drain(..come) {
            let press = made % 4 == 0 && made < COMMANDS - 40;
            let presses = if press { 1 << (made / 4 % 8) } else { 0 };
            let offer = queue.offer(Tick::new(first + made), pad(made, presses), None);
            if matches!(offer, Offer::Queued | Offer::Late) {
                storm.pressed += u32::from(press);
            }
            storm.late += u32::from(offer == Offer::Late);
        }
        let taken = queue.take();
        storm.skipped += taken.skipped;
        match taken.what {
            What::Ran | What::Repeated => assert!(taken.tick > judged, "{taken:?}"),
            What::Neutral | What::Idle => assert_eq!(taken.tick, judged),
        }
        judged = taken.tick;
        assert!(
            taken.what == What::Ran || taken.input.presses == 0,
            "{taken:?}"
        );
        storm.ran += taken.input.presses.count_ones();
    }
    storm
}
