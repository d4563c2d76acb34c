//! What each delay costs and saves, on a link in virtual time: arrivals, policy and playback together.

use wire::{Micros, Tick};

use super::{Arrivals, DelayPolicy, Learnt, LeastDelay};
use crate::clock::Playback;
use crate::input::fixture::Dice;

/// A minute of 64 snapshots a second, drawn at 144 frames a second.
#[derive(Clone, Copy, Debug)]
struct Minute {
    rate_hz: u16,
    jitter_ms: f64,
    loss: f64,
    /// How much faster than the server's the client's clock is.
    drift: f64,
    policy: DelayPolicy,
    seed: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    frames: u32,
    /// Frames in which the world stood still.
    stalled: u32,
    /// Frames for which the delay asked for what had not come.
    starved: u32,
    /// The mean delay that the policy chose, in snapshots.
    delay: f64,
    /// The mean distance of what was drawn from the server's present, ms.
    age_ms: f64,
}

const ONE_WAY_MS: f64 = 50.0;
const SNAPSHOT: Micros = Micros::new(15_625);

impl Minute {
    fn run(self) -> Count {
        let rate = f64::from(self.rate_hz);
        let ticks_each = u64::from(self.rate_hz) / 64;
        let mut dice = Dice(self.seed);
        let mut arrivals = Arrivals::new(self.rate_hz);
        let mut least = LeastDelay::new();
        let mut playback = Playback::new(self.rate_hz);
        let mut count = Count::default();
        let mut on_the_way = Vec::new();
        let (mut sent, mut frame) = (0u64, 0u64);
        let local = |us: u64| Micros::new((us as f64 * (1.0 + self.drift)) as u64);
        // Two seconds to find out, then the minute.
        while frame < 62 * 144 {
            let at = frame * 1_000_000 / 144;
            frame += 1;
            while sent * SNAPSHOT.get() <= at {
                let delay = ONE_WAY_MS + dice.unit() * self.jitter_ms;
                if dice.unit() >= self.loss {
                    let due = sent * SNAPSHOT.get() + (delay * 1e3) as u64;
                    on_the_way.push((due, Tick::new(1_000 + sent * ticks_each)));
                }
                sent += 1;
            }
            on_the_way.sort();
            let come = on_the_way.partition_point(|(due, _)| *due <= at);
            for (due, tick) in on_the_way.drain(..come) {
                self.pass(&mut least, &arrivals, local(due));
                arrivals.observe(local(due), tick);
                self.steer(&mut playback, &mut least, &arrivals, local(due));
            }
            // As a client does: with each snapshot, and with each tick of its own.
            self.pass(&mut least, &arrivals, local(at));
            self.steer(&mut playback, &mut least, &arrivals, local(at));
            if frame > 2 * 144 {
                let link = self.learnt(&arrivals, &least);
                let delay = self.policy.delay(&link);
                let wanted = self
                    .policy
                    .target(arrivals.front(local(at)), self.rate_hz, &link);
                let newest = arrivals.newest().map_or(0.0, |tick| tick.get() as f64);
                count.starved += u32::from(wanted > newest);
                count.frames += 1;
                count.stalled += u32::from(playback.is_starved(local(at)));
                count.delay += delay.as_secs_f64() * 64.0;
                let present = 1_000.0 + at as f64 / 1e6 * rate;
                count.age_ms += (present - playback.at(local(at))) / rate * 1e3;
            }
        }
        count.delay /= f64::from(count.frames);
        count.age_ms /= f64::from(count.frames);
        count
    }

    fn pass(&self, least: &mut LeastDelay, arrivals: &Arrivals, now: Micros) {
        let Some(newest) = arrivals.newest() else {
            return;
        };
        let short = arrivals.front(now) - newest.get() as f64;
        least.pass(now, short / f64::from(self.rate_hz) * 1e6);
    }

    fn learnt(&self, arrivals: &Arrivals, least: &LeastDelay) -> Learnt {
        Learnt {
            interval: SNAPSHOT,
            jitter: arrivals.jitter(),
            one_way: Micros::from_secs_f64((ONE_WAY_MS + self.jitter_ms / 2.0) / 1e3),
            covering: least.delay(),
        }
    }

    fn steer(
        &self,
        playback: &mut Playback,
        least: &mut LeastDelay,
        arrivals: &Arrivals,
        now: Micros,
    ) {
        let Some(newest) = arrivals.newest() else {
            return;
        };
        if let DelayPolicy::Target { rate } = self.policy {
            least.settle(now, rate, SNAPSHOT);
        }
        let link = self.learnt(arrivals, least);
        let target = self.policy.target(arrivals.front(now), self.rate_hz, &link);
        playback.set_pace(arrivals.pace());
        playback.steer(now, target, newest);
    }
}

/// The link on which the seed counted: 45 ms of jitter, a snapshot in ten lost.
fn rough(rate_hz: u16, policy: DelayPolicy, seed: u64) -> Minute {
    Minute {
        rate_hz,
        jitter_ms: 45.0,
        loss: 0.1,
        drift: 0.0,
        policy,
        seed,
    }
}

#[test]
fn the_measured_delay_starves_a_quarter_as_often_as_two_snapshots() {
    for rate_hz in [64, 128] {
        for seed in 0..5 {
            let two = rough(rate_hz, DelayPolicy::TwoSnapshots, seed).run();
            let measured = rough(rate_hz, DelayPolicy::Measured, seed).run();
            assert_eq!(two.frames, 8_640);
            assert!(two.stalled > 20, "{two:?}");
            assert!(measured.stalled * 4 <= two.stalled, "{two:?}, {measured:?}");
            assert!(
                measured.delay > 2.5 && measured.delay <= 4.0,
                "{measured:?}"
            );
        }
    }
}

#[test]
fn fifteen_milliseconds_keep_two_snapshots_and_pay_nothing() {
    for seed in 0..5 {
        let calm = Minute {
            jitter_ms: 15.0,
            loss: 0.0,
            ..rough(64, DelayPolicy::Measured, seed)
        };
        let measured = calm.run();
        assert_eq!(measured.stalled, 0, "{measured:?}");
        assert!(measured.delay < 2.01, "{measured:?}");
    }
}

#[test]
fn neither_loss_nor_drift_is_jitter() {
    for drift in [-0.05, 0.0, 0.05] {
        let policy = DelayPolicy::Measured;
        let case = Minute {
            jitter_ms: 0.0,
            loss: 0.3,
            drift,
            ..rough(64, policy, 1)
        };
        let count = case.run();
        assert_eq!(count.delay, 2.0, "{drift}: {count:?}");
    }
}

#[test]
fn a_fixed_delay_is_that_much_behind_the_present_whatever_the_clocks_do() {
    for drift in [-0.05, 0.0, 0.05] {
        let policy = DelayPolicy::Fixed(Micros::from_millis(160));
        let count = Minute {
            drift,
            ..rough(64, policy, 1)
        }
        .run();
        assert_eq!(count.stalled, 0, "{count:?}");
        assert!((count.age_ms - 160.0).abs() < 1.5, "{drift}: {count:?}");
    }
}

#[test]
fn the_target_keeps_to_its_rate_whatever_the_link_does() {
    for rate in [0.005, 0.02, 0.1] {
        for (jitter_ms, loss) in [
            (0.0, 0.0),
            (15.0, 0.0),
            (0.0, 0.1),
            (15.0, 0.1),
            (45.0, 0.1),
        ] {
            for seed in 0..5 {
                let case = Minute {
                    jitter_ms,
                    loss,
                    ..rough(64, DelayPolicy::Target { rate }, seed)
                };
                let count = case.run();
                let starved = f64::from(count.starved) / f64::from(count.frames);
                assert!(starved <= rate, "{case:?}: {count:?}");
            }
        }
    }
}
