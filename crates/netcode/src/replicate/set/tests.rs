//! The stream over links that lose, double and reorder; and the four things that it stands on.

use std::collections::BTreeSet;

use wire::{Micros, Seq, SlotKey};

use super::*;
use crate::bits::Bits;
use crate::input::fixture::Dice;
use crate::replicate::{Recovery, SlotAllocator};

const SLOTS: usize = 200;
const BOTH: [Recovery; 2] = [Recovery::Acknowledged, Recovery::Prompt];
/// Between packets.
const STEP: u64 = 20_000;
const PATIENCE: Micros = Micros::from_millis(200);

/// A server's world, one subscriber, and both ends of the stream.
struct Pair {
    world: SlotAllocator,
    visible: Bits,
    baseline: DeltaBaseline,
    mirror: DeltaMirror,
    seq: Seq,
    now: Micros,
    /// What the mirror has changed so far.
    entered: usize,
    left: usize,
}

impl Pair {
    fn new(recovery: Recovery) -> Self {
        Self {
            world: SlotAllocator::new(SLOTS as u16),
            visible: Bits::new(SLOTS),
            baseline: DeltaBaseline::new(SLOTS, recovery),
            mirror: DeltaMirror::new(SLOTS),
            seq: Seq::new(100),
            now: Micros::ZERO,
            entered: 0,
            left: 0,
        }
    }

    fn spawn(&mut self) -> SlotKey {
        let key = self.world.take().expect("there is room");
        self.visible.insert(usize::from(key.slot));
        key
    }

    fn kill(&mut self, key: SlotKey) {
        assert!(self.world.free(key));
        self.visible.remove(usize::from(key.slot));
    }

    /// The next packet.
    fn plan(&mut self) -> DeltaPlan {
        let mut plan = DeltaPlan::default();
        self.seq = self.seq.next();
        self.now += Micros::new(STEP);
        let lives = self.world.lives();
        self.baseline.plan(
            self.seq,
            self.now,
            PATIENCE,
            &self.visible,
            lives,
            &mut plan,
        );
        plan
    }

    fn take(&mut self, plan: &DeltaPlan) -> Result<Applied, Unfit> {
        let applied = self.mirror.apply(plan, |_| {})?;
        self.entered += applied.entered;
        self.left += applied.left;
        Ok(applied)
    }

    fn ack(&mut self) -> Observed {
        let ack = self.mirror.ack().expect("a packet was taken");
        self.baseline.acknowledge(&ack)
    }

    /// A packet that comes and is answered.
    fn round(&mut self) -> DeltaPlan {
        let plan = self.plan();
        self.take(&plan).expect("it comes in order");
        self.ack();
        plan
    }

    fn truth(&self) -> BTreeSet<SlotKey> {
        let key = |slot| self.world.key(slot).expect("only the living are seen");
        self.visible.iter().map(key).collect()
    }

    fn held(&self) -> BTreeSet<SlotKey> {
        let key = |slot| self.mirror.key(slot).expect("it is held");
        self.mirror.held().iter().map(key).collect()
    }
}

/// What a minute over a bad link showed.
#[derive(Debug, Default)]
struct Storm {
    lost: u32,
    unfit: u32,
    in_step: u32,
    keys: usize,
    births: usize,
    entered: usize,
    left: usize,
    phantoms: usize,
    missing: usize,
    rebuilds: u64,
}

/// Births, deaths and walks in and out of sight, over a link that loses, doubles and reorders both ways; then a calm second in
/// which the link goes on as before.
fn storm(recovery: Recovery, seed: u64, loss: u64) -> Storm {
    let mut dice = Dice(seed);
    let mut pair = Pair::new(recovery);
    let mut found = Storm::default();
    let (mut down, mut up) = (Vec::new(), Vec::new());
    let mut alive: Vec<SlotKey> = Vec::new();
    let mut sets = std::collections::BTreeMap::new();
    for tick in 0..1_050u64 {
        if tick < 1_000 {
            for _ in 0..dice.below(4) {
                if alive.len() < 150 {
                    alive.push(pair.spawn());
                    found.births += 1;
                }
            }
            for _ in 0..dice.below(4) {
                if !alive.is_empty() {
                    let at = dice.below(alive.len() as u64) as usize;
                    pair.kill(alive.swap_remove(at));
                }
            }
            for key in &alive {
                match dice.below(40) {
                    0 => pair.visible.remove(usize::from(key.slot)),
                    1 | 2 => pair.visible.insert(usize::from(key.slot)),
                    _ => {}
                }
            }
        }
        let plan = pair.plan();
        found.keys += plan.entered.len() + plan.left.len();
        sets.insert(plan.seq, pair.truth());
        let copies = 1 + usize::from(dice.below(10) == 0);
        for _ in 0..copies {
            let late = 2 + dice.below(3) + 10 * u64::from(dice.below(12) == 0);
            if dice.below(100) < loss {
                found.lost += 1;
            } else {
                down.push((tick + late, plan.clone()));
            }
        }
        down.retain(|(due, plan)| {
            if *due > tick {
                return true;
            }
            match pair.take(plan) {
                Err(_) => found.unfit += 1,
                Ok(_) => {
                    if recovery == Recovery::Acknowledged {
                        assert_eq!(pair.held(), sets[&plan.seq], "seed {seed}, tick {tick}");
                    }
                    if dice.below(100) >= loss {
                        let ack = pair.mirror.ack().expect("one was taken");
                        up.push((tick + 2 + dice.below(4), ack));
                    }
                }
            }
            false
        });
        up.retain(|(due, ack)| {
            if *due > tick {
                return true;
            }
            match pair.baseline.acknowledge(ack) {
                Observed::InStep => found.in_step += 1,
                Observed::Nothing => {}
                drift => panic!("seed {seed}, tick {tick}: {drift:?} though nothing went wrong"),
            }
            false
        });
    }
    found.phantoms = pair.held().difference(&pair.truth()).count();
    found.missing = pair.truth().difference(&pair.held()).count();
    (found.entered, found.left) = (pair.entered, pair.left);
    found.rebuilds = pair.baseline.rebuilds();
    assert_eq!(
        found.entered - found.left,
        pair.held().len(),
        "changes add up"
    );
    found
}

#[test]
fn a_calm_second_after_a_storm_both_hold_the_same() {
    for recovery in BOTH {
        for (loss, seeds) in [(0, 2), (5, 4), (25, 8), (50, 4)] {
            for seed in 0..seeds {
                let found = storm(recovery, seed, loss);
                assert_eq!(
                    (found.phantoms, found.missing),
                    (0, 0),
                    "{recovery:?} {seed} {found:?}"
                );
                assert!(found.lost > 0 || loss == 0, "{found:?}");
                assert!(found.unfit > 0 && found.in_step > 10, "{found:?}");
                // The same is said again and again, and counts once.
                assert!(found.entered <= found.births * 4, "{found:?}");
            }
        }
    }
}

#[test]
fn naive_never_mends_what_one_lost_packet_said_and_prompt_does_for_little_more() {
    let mut sums = [[0; 2]; 3];
    for (recovery, sum) in [Recovery::Naive, Recovery::Acknowledged, Recovery::Prompt]
        .into_iter()
        .zip(&mut sums)
    {
        for seed in 0..6 {
            let found = storm(recovery, seed, 25);
            *sum = [sum[0] + found.keys, sum[1] + found.phantoms + found.missing];
        }
    }
    let [naive, acknowledged, prompt] = sums;
    assert!(naive[1] > 100, "{sums:?}");
    assert_eq!((acknowledged[1], prompt[1]), (0, 0), "{sums:?}");
    assert!(acknowledged[0] > naive[0] * 2, "{sums:?}");
    assert!(prompt[0] * 4 < naive[0] * 7, "{sums:?}");
}

#[test]
fn the_next_packet_does_not_make_up_for_a_lost_one() {
    // The frontier is the newest acknowledgement with nothing missing before it, and not the newest.
    let mut pair = Pair::new(Recovery::Prompt);
    pair.round();
    let first = pair.spawn();
    let lost = pair.plan();
    assert_eq!(lost.entered, [first]);
    let second = pair.spawn();
    let next = pair.round();
    assert_eq!(next.entered, [second], "the first may still be on its way");
    assert!(!pair.mirror.holds(first));
    let again = pair.round();
    assert_eq!(again.entered, [first]);
    assert_eq!(pair.ack(), Observed::InStep);
}

#[test]
fn a_retraction_names_the_one_that_is_held_and_not_whoever_has_its_slot_now() {
    for recovery in BOTH {
        let mut pair = Pair::new(recovery);
        let old = pair.spawn();
        pair.round();
        assert!(pair.mirror.holds(old));
        // It dies, its end is lost, its slot is given to another, out of sight, who dies as well.
        pair.kill(old);
        let lost = pair.plan();
        assert_eq!(lost.left, [old]);
        let heir = loop {
            let key = pair.world.take().expect("there is room");
            if key.slot == old.slot {
                break key;
            }
            pair.world.free(key);
        };
        assert_ne!(heir.life, old.life);
        for _ in 0..4 {
            let plan = pair.plan();
            pair.take(&plan).expect("it comes in order");
            // Drift would mend it too; here nobody may need that.
            assert_eq!(pair.ack(), Observed::InStep, "{recovery:?}");
        }
        assert!(!pair.mirror.holds(old), "{recovery:?}: a phantom for ever");
        assert!(pair.held().is_empty());
        assert_eq!(pair.left, 1);
    }
}

#[test]
fn what_is_sent_assumes_the_least_and_what_is_retracted_the_most() {
    for recovery in BOTH {
        // Held, then out of sight in a packet that may have come, then in sight again: it has to be said again.
        let mut pair = Pair::new(recovery);
        let key = pair.spawn();
        pair.round();
        let slot = usize::from(key.slot);
        pair.visible.remove(slot);
        let gone = pair.plan();
        pair.take(&gone).expect("it comes");
        pair.visible.insert(slot);
        let back = pair.plan();
        assert_eq!(back.entered, [key], "{recovery:?}: it was taken for held");
        pair.take(&back).expect("it comes");
        assert!(pair.mirror.holds(key));

        // In sight in one packet that comes, gone by the next: in neither the frontier's set nor the present one.
        let mut pair = Pair::new(recovery);
        pair.round();
        let brief = pair.spawn();
        let seen = pair.plan();
        pair.take(&seen).expect("it comes");
        assert!(pair.mirror.holds(brief));
        pair.kill(brief);
        let after = pair.plan();
        assert_eq!(
            after.left,
            [brief],
            "{recovery:?}: it was taken for never held"
        );
        pair.take(&after).expect("it comes");
        assert!(pair.held().is_empty());
    }
}

#[test]
fn before_the_first_acknowledgement_nothing_is_taken_for_held() {
    for recovery in BOTH {
        let mut pair = Pair::new(recovery);
        let keys: Vec<_> = (0..5).map(|_| pair.spawn()).collect();
        assert!(pair.plan().is_whole());
        let sixth = pair.spawn();
        // The first was lost. What follows says all of it, or can tell that it needs it.
        let mut taken = 0;
        for _ in 0..20 {
            let plan = pair.plan();
            match pair.take(&plan) {
                Ok(_) => taken += 1,
                Err(unfit) => assert_eq!(unfit, Unfit::Baseless),
            }
            if taken > 0 {
                pair.ack();
                assert!(
                    keys.iter()
                        .chain([&sixth])
                        .all(|key| pair.mirror.holds(*key))
                );
            }
        }
        assert!(taken > 10, "{recovery:?}: {taken}");
        // A difference that comes before anything whole is of no use, and is not acknowledged.
        let mut pair = Pair::new(Recovery::Prompt);
        pair.spawn();
        pair.plan();
        let second = pair.plan();
        assert_eq!(pair.take(&second), Err(Unfit::Baseless));
        assert_eq!(pair.mirror.ack(), None);
    }
}

#[test]
fn another_subscriber_starts_from_nothing() {
    let mut pair = Pair::new(Recovery::Prompt);
    let keys: Vec<_> = (0..5).map(|_| pair.spawn()).collect();
    pair.round();
    pair.baseline.restart();
    pair.mirror = DeltaMirror::new(SLOTS);
    assert!(pair.round().is_whole());
    assert!(keys.iter().all(|key| pair.mirror.holds(*key)));
}

#[test]
fn drift_is_found_named_and_mended_a_part_at_a_time() {
    let mut pair = Pair::new(Recovery::Prompt);
    let keys: Vec<_> = (0..100).map(|_| pair.spawn()).collect();
    pair.round();
    pair.round();
    assert_eq!(pair.ack(), Observed::InStep);
    // A mistake of the game's: one is dropped, one made up, one mistaken for another life.
    let (gone, made_up) = (keys[10], SlotKey::new(150, 7));
    let (right, wrong) = (keys[42], SlotKey::new(keys[42].slot, 9));
    let mut ignored = |_| {};
    let false_word = DeltaPlan {
        seq: pair.seq,
        base: None,
        left: vec![gone],
        entered: vec![made_up, wrong],
        ..DeltaPlan::default()
    };
    let window = pair.mirror.ack().expect("one was taken").window;
    pair.mirror = {
        let mut mirror = DeltaMirror::new(SLOTS);
        let whole = DeltaPlan {
            seq: pair.seq - 1,
            reset: Buckets::ALL,
            entered: keys.clone(),
            ..DeltaPlan::default()
        };
        mirror.apply(&whole, &mut ignored).expect("it is whole");
        mirror.apply(&false_word, &mut ignored).expect("it is next");
        mirror
    };
    assert_eq!(
        pair.mirror.ack().expect("as before").window.newest,
        window.newest
    );

    assert_eq!(pair.ack(), Observed::Drift);
    let asks = pair.plan();
    assert!(asks.ask && asks.entered.is_empty());
    pair.take(&asks).expect("it comes");
    let [a, b, c] = [gone, made_up, right].map(|key| 1 << (key.slot % 32));
    assert_eq!(pair.ack(), Observed::DriftIn(Buckets(a | b | c)));
    // The packet that mends it is lost: it is found again.
    assert!(!pair.plan().reset.is_empty());
    let mut named = BTreeSet::new();
    let mut mended = 0;
    for _ in 0..5 {
        let plan = pair.plan();
        let said = plan.entered.len();
        pair.mirror
            .apply(&plan, |change| {
                let (Change::Entered(key) | Change::Left(key)) = change;
                named.insert(key);
            })
            .expect("it comes");
        pair.ack();
        mended = mended.max(said);
    }
    assert!(
        (1..=15).contains(&mended),
        "three parts of 32, and not all: {mended}"
    );
    assert_eq!(named, BTreeSet::from([gone, made_up, right, wrong]));
    assert_eq!(pair.held(), pair.truth());
    assert_eq!(pair.ack(), Observed::InStep);
}

#[test]
fn a_mirror_that_was_cleared_is_filled_again() {
    for recovery in BOTH {
        let mut pair = Pair::new(recovery);
        (0..50).for_each(|_| _ = pair.spawn());
        pair.round();
        pair.mirror.clear();
        for _ in 0..4 {
            pair.round();
        }
        assert_eq!(pair.held(), pair.truth());
        assert_eq!(pair.ack(), Observed::InStep);
    }
}

#[test]
fn one_who_is_silent_is_begun_anew_in_bounded_memory_and_recovers() {
    for recovery in BOTH {
        let mut pair = Pair::new(recovery);
        let mut alive: Vec<_> = (0..150).map(|_| pair.spawn()).collect();
        pair.round();
        let mut most = 0;
        for n in 0..5_000usize {
            for at in 0..3 {
                let key = alive.swap_remove((n * 7 + at) % alive.len());
                pair.kill(key);
                alive.push(pair.spawn());
            }
            pair.plan();
            most = most.max(pair.baseline.heap());
        }
        let bound =
            SLOTS * (12 + 16 * (DeltaBaseline::MOST_SAID + 1)) + DeltaBaseline::HISTORY * 256;
        assert!(most <= bound, "{recovery:?}: {most} of {bound} bytes");
        assert!(pair.baseline.rebuilds() > 10);
        assert!(pair.baseline.unconfirmed() <= DeltaBaseline::HISTORY);
        for _ in 0..20 {
            let plan = pair.plan();
            if pair.take(&plan).is_ok() {
                pair.ack();
            }
        }
        assert_eq!(pair.held(), pair.truth(), "{recovery:?}");
    }
}

#[test]
fn what_a_liar_acknowledges_changes_nothing() {
    let mut pair = Pair::new(Recovery::Prompt);
    pair.spawn();
    let never = Ack {
        window: AckWindow {
            newest: Seq::new(u64::MAX),
            history: u64::MAX,
        },
        digest: 0,
        parts: Some([7; SetDigest::BUCKETS]),
    };
    assert_eq!(pair.baseline.acknowledge(&never), Observed::Nothing);
    pair.round();
    pair.spawn();
    pair.plan();
    assert_eq!(pair.baseline.acknowledge(&never), Observed::Nothing);
    let far = DeltaPlan {
        seq: pair.seq.next(),
        entered: vec![SlotKey::new(u16::MAX, 0)],
        ..DeltaPlan::default()
    };
    assert_eq!(pair.take(&far), Ok(Applied::default()));
}

#[test]
fn a_warm_stream_allocates_nothing() {
    for recovery in BOTH {
        let mut pair = Pair::new(recovery);
        let mut alive: Vec<_> = (0..150).map(|_| pair.spawn()).collect();
        let mut plan = DeltaPlan::default();
        let mut warm = 0;
        for n in 0..2_000usize {
            for at in 0..3 {
                let key = alive.swap_remove((n * 7 + at) % alive.len());
                pair.kill(key);
                alive.push(pair.spawn());
            }
            pair.seq = pair.seq.next();
            pair.now += Micros::new(STEP);
            let (seq, now, lives) = (pair.seq, pair.now, pair.world.lives());
            let seen = &pair.visible;
            pair.baseline
                .plan(seq, now, PATIENCE, seen, lives, &mut plan);
            if n % 4 != 1 {
                pair.take(&plan).expect("it comes in order");
            }
            if n % 3 == 0 && n > 4 {
                pair.ack();
            }
            let heap = pair.baseline.heap() + plan.entered.capacity() + plan.left.capacity();
            if n == 500 {
                warm = heap;
            }
            assert!(n < 500 || heap == warm, "{recovery:?}: {heap} after {warm}");
        }
    }
}
