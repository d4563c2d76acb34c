//! A set that many watch, streamed over a link that loses a quarter: `cargo run -p afterimage-netcode --example acknowledged_set`.
//!
//! Enemies are born and die; a subscriber is told who is there. What was only sent and counts as held (naive) goes wrong and
//! stays wrong: phantoms that nobody will ever take away, and others who are never seen. Diffed against what is
//! acknowledged it comes right, at little cost where things are said again only when they were lost (prompt).

use afterimage_netcode::replicate::{
    Ack, AckWindow, Buckets, DeltaBaseline, DeltaMirror, DeltaPlan, Recovery, SlotAllocator,
};
use netsim::{Link, LinkConfig};
use wire::{Micros, Seq, SlotKey};

const SLOTS: u16 = 2_000;
const ROUND: u64 = 50;

pub(crate) fn main() {
    println!("policy        phantoms  missing  B/s");
    let rows = [Recovery::Naive, Recovery::Acknowledged, Recovery::Prompt].map(|recovery| {
        let (phantoms, missing, bytes) = watch(recovery);
        println!(
            "{:<13} {phantoms:8} {missing:8} {bytes:6}",
            format!("{recovery:?}")
        );
        (phantoms + missing, bytes)
    });
    let [naive, acknowledged, prompt] = rows;
    assert!(naive.0 > 20, "the link did harm");
    assert_eq!((acknowledged.0, prompt.0), (0, 0));
    assert!(prompt.1 < acknowledged.1);
}

/// A minute of births and deaths and a second of calm: phantoms, missing, bytes a second down.
fn watch(recovery: Recovery) -> (usize, usize, u64) {
    let lossy = LinkConfig {
        latency: Micros::from_millis(40),
        jitter: Micros::from_millis(20),
        loss: 0.25,
        ..LinkConfig::default()
    };
    let (mut down, mut up) = (Link::new(1, lossy), Link::new(2, lossy));
    let mut world = SlotAllocator::new(SLOTS);
    let mut alive: Vec<SlotKey> = Vec::new();
    let mut baseline = DeltaBaseline::new(usize::from(SLOTS), recovery);
    let mut mirror = DeltaMirror::new(usize::from(SLOTS));
    let (mut plan, mut heard, mut packet) =
        (DeltaPlan::default(), DeltaPlan::default(), Vec::new());
    let (mut dice, mut bytes) = (5u64, 0);
    for round in 0..61_000 / ROUND {
        let now = Micros::from_millis(round * ROUND);
        for _ in 0..if round < 60_000 / ROUND { 6 } else { 0 } {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (dice >> 33) as usize;
            if at.is_multiple_of(2) && alive.len() < 400 {
                alive.push(world.take().expect("there is room"));
            } else if !alive.is_empty() {
                world.free(alive.swap_remove(at % alive.len()));
            }
        }
        let (seq, patience) = (Seq::new(round + 1), Micros::from_millis(200));
        baseline.plan(
            seq,
            now,
            patience,
            world.occupied(),
            world.lives(),
            &mut plan,
        );
        packet.clear();
        write(&plan, &mut packet);
        bytes += packet.len() as u64;
        down.send(now, &packet);
        while down.receive(now, &mut packet).is_some() {
            read(&packet, &mut heard);
            // Late ones, and those that build on what never came, are not taken, and so not acknowledged.
            if mirror.apply(&heard, |_| {}).is_ok() {
                let ack = mirror.ack().expect("one was taken");
                let mut answer = ack.window.newest.get().to_le_bytes().to_vec();
                answer.extend(ack.window.history.to_le_bytes());
                answer.extend(ack.digest.to_le_bytes());
                up.send(now, &answer);
            }
        }
        while up.receive(now, &mut packet).is_some() {
            let [newest, history, digest] = [0, 8, 16].map(|at| number(&packet[at..]));
            baseline.acknowledge(&Ack {
                window: AckWindow {
                    newest: Seq::new(newest),
                    history,
                },
                digest,
                parts: None,
            });
        }
    }
    let missing = alive.iter().filter(|key| !mirror.holds(**key)).count();
    let phantoms = mirror.held().count() + missing - alive.len();
    (phantoms, missing, bytes / 61)
}

/// A codec of one's own; the stream does not care.
fn write(plan: &DeltaPlan, out: &mut Vec<u8>) {
    out.extend(plan.seq.get().to_le_bytes());
    out.extend(plan.base.map_or(0, Seq::get).to_le_bytes());
    out.extend(plan.reset.0.to_le_bytes());
    for keys in [&plan.entered, &plan.left] {
        out.extend((keys.len() as u16).to_le_bytes());
        for key in keys {
            out.extend(key.slot.to_le_bytes());
            out.push(key.life);
        }
    }
}

fn read(bytes: &[u8], plan: &mut DeltaPlan) {
    plan.seq = Seq::new(number(bytes));
    plan.base = Some(number(&bytes[8..]))
        .filter(|base| *base > 0)
        .map(Seq::new);
    plan.reset = Buckets(number(&bytes[16..]) as u32);
    let mut rest = &bytes[20..];
    for keys in [&mut plan.entered, &mut plan.left] {
        let (count, keyed) = rest.split_at(2);
        let (keyed, behind) =
            keyed.split_at(3 * usize::from(u16::from_le_bytes([count[0], count[1]])));
        keys.clear();
        keys.extend(
            keyed
                .chunks(3)
                .map(|b| SlotKey::new(u16::from_le_bytes([b[0], b[1]]), b[2])),
        );
        rest = behind;
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .take(8)
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
