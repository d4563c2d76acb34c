//! What becomes of a probe's values: a summary of the whole run and a reading of the last seconds.

use wire::Micros;

use super::window::Window;
use super::{Kind, PROBES, ProbeId};

/// A probe over the whole run. What has no meaning for its kind is not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Mean value; of counted things, mean a second.
    pub mean: f64,
    /// Half of the values are at most this. Values are held apart to the probe's grain below 64 grains and to a
    /// thirty-second of themselves above; the same holds of the next two.
    pub p50: f64,
    /// 95 of 100 values are at most this.
    pub p95: f64,
    /// 99 of 100 values are at most this.
    pub p99: f64,
    /// Largest value; of counted things, the busiest second's.
    pub max: f64,
    /// Sum of the values, where a sum has a meaning.
    pub total: f64,
    /// How many values there were.
    pub count: u64,
}

/// A probe over the last three seconds. Not a number where nothing was measured in them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Newest value; of counted things, those of the last second, which ends at a whole tenth.
    pub now: f64,
    /// Mean; of counted things, mean a second.
    pub mean: f64,
    /// Largest; of counted things, the busiest second.
    pub max: f64,
}

/// Every probe's values, in bounded memory: windows, and one flat list of histogram counts.
#[derive(Clone, Debug)]
pub struct Meters {
    meters: Vec<Meter>,
    counts: Vec<u32>,
    /// When measuring began.
    from: Micros,
}

#[derive(Clone, Copy, Debug)]
struct Meter {
    window: Window,
    last: f64,
    sum: f64,
    count: u64,
    max: f64,
    /// The second that `in_second` is of, for counted things.
    second: u64,
    in_second: f64,
}

impl Meters {
    /// Nothing measured yet.
    pub fn new(from: Micros) -> Self {
        let meter = Meter {
            window: Window::new(),
            last: f64::NAN,
            sum: 0.0,
            count: 0,
            max: f64::NEG_INFINITY,
            second: 0,
            in_second: 0.0,
        };
        let probes = PROBES.len();
        Self {
            meters: vec![meter; probes],
            counts: vec![0; ROWS[probes]],
            from,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.meters.as_slice()) + size_of_val(self.counts.as_slice())
    }

    /// Takes a value of a sampled probe.
    pub fn sample(&mut self, id: ProbeId, now: Micros, value: f64) {
        let (Kind::Sampled { grain } | Kind::Event { grain }) = id.probe().kind else {
            debug_assert!(false, "{} is counted", id.probe().id);
            return;
        };
        let meter = &mut self.meters[id.index()];
        meter.window.add(now, value);
        meter.last = value;
        meter.sum += value;
        meter.count += 1;
        meter.max = meter.max.max(value);
        let row = &mut self.counts[ROWS[id.index()]..ROWS[id.index() + 1]];
        let count = &mut row[bucket(value, grain, id.probe().signed)];
        *count = count.saturating_add(1);
    }

    /// Counts things.
    pub fn count(&mut self, id: ProbeId, now: Micros, things: u64) {
        if things == 0 {
            return;
        }
        let (meter, value) = (&mut self.meters[id.index()], things as f64);
        meter.window.add(now, value);
        let second = (now - self.from).get() / 1_000_000;
        if second != meter.second {
            meter.second = second;
            meter.in_second = 0.0;
        }
        meter.in_second += value;
        meter.max = meter.max.max(meter.in_second);
        meter.sum += value;
        meter.count += things;
    }

    /// The whole run so far.
    pub fn summary(&self, id: ProbeId, now: Micros) -> Summary {
        let meter = &self.meters[id.index()];
        let seconds = (now - self.from).as_secs_f64();
        match id.probe().kind {
            Kind::Counted => Summary {
                mean: if seconds > 0.0 {
                    meter.sum / seconds
                } else {
                    0.0
                },
                p50: f64::NAN,
                p95: f64::NAN,
                p99: f64::NAN,
                max: meter.max.max(0.0),
                total: meter.sum,
                count: meter.count,
            },
            kind @ (Kind::Sampled { grain } | Kind::Event { grain }) => Summary {
                mean: if meter.count > 0 {
                    meter.sum / meter.count as f64
                } else {
                    f64::NAN
                },
                p50: self.percentile(id, grain, 50),
                p95: self.percentile(id, grain, 95),
                p99: self.percentile(id, grain, 99),
                max: meter.max,
                total: if matches!(kind, Kind::Event { .. }) {
                    meter.sum
                } else {
                    f64::NAN
                },
                count: meter.count,
            },
        }
    }

    /// The last three seconds.
    pub fn reading(&self, id: ProbeId, now: Micros) -> Reading {
        let meter = &self.meters[id.index()];
        let mut window = meter.window;
        window.roll(now);
        let (sum, count, max) = window.whole();
        match id.probe().kind {
            Kind::Counted => {
                let seconds = (now - window.begins().max(self.from)).as_secs_f64();
                let mean = if seconds > 0.0 { sum / seconds } else { 0.0 };
                Reading {
                    now: window.second(),
                    mean,
                    max: window.busiest_second(),
                }
            }
            Kind::Sampled { .. } | Kind::Event { .. } => {
                let mean = if count > 0 {
                    sum / count as f64
                } else {
                    f64::NAN
                };
                let some = |value| if count > 0 { value } else { f64::NAN };
                Reading {
                    now: some(meter.last),
                    mean,
                    max: some(max),
                }
            }
        }
    }

    fn percentile(&self, id: ProbeId, grain: f64, percent: u64) -> f64 {
        let meter = &self.meters[id.index()];
        let rank = (meter.count * percent).div_ceil(100);
        let mut below = 0;
        let row = &self.counts[ROWS[id.index()]..ROWS[id.index() + 1]];
        for (bucket, &count) in row.iter().enumerate() {
            below += u64::from(count);
            if count > 0 && below >= rank {
                return value_of(bucket, grain, id.probe().signed).min(meter.max);
            }
        }
        f64::NAN
    }
}

/// Values below this many grains have a bucket each; above, each doubling has half as many.
const EXACT: u64 = 64;
/// Doublings above [`EXACT`]; what is larger shares the last bucket.
const DOUBLINGS: u32 = 12;
/// Buckets of each doubling.
const HALF: usize = EXACT as usize / 2;
/// Buckets of one sign.
const SIDE: usize = EXACT as usize + DOUBLINGS as usize * HALF;
/// Where each probe's buckets begin, and the end of all: none for counted things, both sides for signed values.
const ROWS: [usize; PROBES.len() + 1] = {
    let mut rows = [0; PROBES.len() + 1];
    let mut at = 0;
    while at < PROBES.len() {
        let room = match PROBES[at].kind {
            Kind::Counted => 0,
            _ if PROBES[at].signed => 2 * SIDE - 1,
            _ => SIDE,
        };
        rows[at + 1] = rows[at] + room;
        at += 1;
    }
    rows
};

/// Where zero is in a row: its start, or its middle where there are two sides.
const fn zero(signed: bool) -> usize {
    if signed { SIDE - 1 } else { 0 }
}

fn bucket(value: f64, grain: f64, signed: bool) -> usize {
    let size = (value.abs() / grain + 0.5) as u64;
    let side = if size < EXACT {
        size as usize
    } else {
        let doubling = size.ilog2() - EXACT.ilog2();
        let within = (size >> (doubling + 1)) as usize - HALF;
        (EXACT as usize + doubling as usize * HALF + within).min(SIDE - 1)
    };
    match value < 0.0 {
        true if signed => zero(signed) - side,
        true => 0,
        false => zero(signed) + side,
    }
}

/// The middle of a bucket.
fn value_of(bucket: usize, grain: f64, signed: bool) -> f64 {
    let side = bucket.abs_diff(zero(signed));
    let size = if side < EXACT as usize {
        side as f64
    } else {
        let (doubling, within) = (
            (side - EXACT as usize) / HALF,
            (side - EXACT as usize) % HALF,
        );
        let width = (2u64 << doubling) as f64;
        (HALF + within) as f64 * width + (width - 1.0) / 2.0
    };
    if bucket < zero(signed) {
        -size * grain
    } else {
        size * grain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::{CLOCK_OFFSET, INPUT_LOST, OTHERS_AGE, OWN_CORRECTED};

    #[test]
    fn percentiles_are_those_of_the_sorted_values() {
        let mut meters = Meters::new(Micros::ZERO);
        let mut values: Vec<f64> = (0..5_000u64)
            .map(|i| (i * i % 7_919) as f64 / 10.0)
            .collect();
        for value in &values {
            meters.sample(OTHERS_AGE, Micros::ZERO, *value);
        }
        values.sort_by(f64::total_cmp);
        let got = meters.summary(OTHERS_AGE, Micros::ZERO);
        for (percent, got) in [(50, got.p50), (95, got.p95), (99, got.p99)] {
            let exact = values[values.len() * percent / 100 - 1];
            assert!(
                (got - exact).abs() <= exact / 64.0 + 0.05,
                "p{percent}: {got} for {exact}"
            );
        }
        assert_eq!((got.count, got.max), (5_000, values[4_999]));
        assert!((got.mean - values.iter().sum::<f64>() / 5_000.0).abs() < 1e-9);
        assert!(got.total.is_nan(), "a sum of ages says nothing");
    }

    #[test]
    fn small_values_are_exact_and_signs_are_kept_apart() {
        let mut meters = Meters::new(Micros::ZERO);
        for value in [-3.0, -1.5, 0.0, 0.1, 2.5] {
            meters.sample(CLOCK_OFFSET, Micros::ZERO, value);
        }
        let got = meters.summary(CLOCK_OFFSET, Micros::ZERO);
        assert_eq!((got.p50, got.p95), (0.0, 2.5));
        for value in [
            -1e9, -81.9, -6.4, -6.3, -0.1, 0.0, 0.1, 6.3, 6.4, 6.5, 12.7, 12.8, 102.3, 1e9,
        ] {
            let back = value_of(bucket(value, 0.1, true), 0.1, true);
            let near = (back - value).abs() <= value.abs() / 32.0 + 1e-9;
            assert!(near || value.abs() > 1e6, "{value} came back as {back}");
        }
    }

    #[test]
    fn buckets_rise_with_values() {
        let mut before = 0;
        for value in -300_000i32..300_000 {
            let at = bucket(f64::from(value), 1.0, true);
            assert!(at >= before && at < 2 * SIDE - 1, "{value}");
            before = at;
        }
    }

    #[test]
    fn counters_speak_of_seconds() {
        let mut meters = Meters::new(Micros::ZERO);
        for (ms, things) in [(100, 2), (900, 3), (1_100, 1), (2_900, 1)] {
            meters.count(INPUT_LOST, Micros::from_millis(ms), things);
        }
        let now = Micros::from_millis(3_000);
        let all = meters.summary(INPUT_LOST, now);
        assert_eq!((all.total, all.count, all.max), (7.0, 7, 5.0));
        assert!((all.mean - 7.0 / 3.0).abs() < 1e-12);
        let late = meters.reading(INPUT_LOST, now);
        assert_eq!((late.now, late.max), (1.0, 5.0));
    }

    #[test]
    fn a_reading_is_of_the_window_and_a_summary_of_the_run() {
        let mut meters = Meters::new(Micros::ZERO);
        meters.sample(OWN_CORRECTED, Micros::ZERO, 9.0);
        meters.sample(OWN_CORRECTED, Micros::from_millis(5_000), 1.0);
        let now = Micros::from_millis(5_100);
        assert_eq!(
            meters.reading(OWN_CORRECTED, now),
            Reading {
                now: 1.0,
                mean: 1.0,
                max: 1.0
            }
        );
        assert_eq!(meters.summary(OWN_CORRECTED, now).total, 10.0);
        assert!(
            meters.reading(OTHERS_AGE, now).mean.is_nan(),
            "nothing measured is not zero"
        );
    }
}
