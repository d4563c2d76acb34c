//! What a relay says of itself, by its `/metrics`.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::session::Transport;

/// Lateness of ticks, a histogram in seconds.
const LATENESS: &str = "afterimage_tick_lateness_seconds_bucket";
/// Netcode frames carried, by transport and direction.
const PACKETS: &str = "afterimage_packets_total";

/// The figures of a relay at one time: the series of each name and labels.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading(BTreeMap<String, f64>);

impl Reading {
    /// Reads Prometheus' text; lines that are none are passed over.
    pub(super) fn parse(text: &str) -> Self {
        let series = text.lines().filter(|line| !line.starts_with('#'));
        let pairs = series.filter_map(|line| {
            let (name, value) = line.rsplit_once(' ')?;
            Some((name.trim().to_owned(), value.parse().ok()?))
        });
        Self(pairs.collect())
    }

    /// The sum over all labels of a name; `None` where there is none of it.
    fn sum(&self, name: &str) -> Option<f64> {
        let of_name = self.0.iter().filter(|(series, _)| {
            let rest = series.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('{'))
        });
        of_name
            .map(|(_, value)| *value)
            .fold(None, |sum: Option<f64>, value| {
                Some(sum.unwrap_or(0.0) + value)
            })
    }

    /// The one series of a name with these labels.
    fn one(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let mut of_name = self.0.iter().filter(|(series, _)| {
            let rest = series.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with('{'))
        });
        let has = |series: &str, (name, value): &(&str, &str)| {
            series.contains(&format!("{name}=\"{value}\""))
        };
        of_name
            .find(|(series, _)| labels.iter().all(|label| has(series, label)))
            .map(|(_, value)| *value)
    }

    /// The buckets of a histogram: upper bounds in order, with how many lie at or below each.
    fn buckets(&self, name: &str) -> Vec<(f64, f64)> {
        let mut buckets = BTreeMap::new();
        for (series, value) in &self.0 {
            let bound = series
                .strip_prefix(name)
                .and_then(|labels| labels.split_once("le=\""))
                .and_then(|(_, rest)| rest.split_once('"'))
                .and_then(|(bound, _)| match bound {
                    "+Inf" => Some(f64::INFINITY),
                    bound => bound.parse().ok(),
                });
            if let Some(bound) = bound {
                // Bounds are positive, so their bits are in their order.
                let sum = buckets.entry(f64::to_bits(bound)).or_insert(0.0);
                *sum += value;
            }
        }
        let ordered = buckets.into_iter();
        ordered
            .map(|(bits, count)| (f64::from_bits(bits), count))
            .collect()
    }
}

/// What a relay did between two readings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RelayFigures {
    /// Of one core, percent.
    pub cpu_percent: Option<f64>,
    /// Processor time for one player's tick, us.
    pub cpu_us_per_player_tick: Option<f64>,
    /// Memory that was in use at the end, MB.
    pub resident_mb: Option<f64>,
    /// How late 99 % of the ticks were at most, ms: the bound of the histogram's bucket, so it is rather too high.
    pub lateness_p99_ms: Option<f64>,
    /// Ticks that were due and never ran.
    pub slipped_ticks: Option<f64>,
    /// Packets that came to it in a second, by transport: what the players sent should be there.
    pub packets_heard_per_second: BTreeMap<&'static str, f64>,
}

impl RelayFigures {
    /// Between two readings `seconds` apart, with so many players at `rate_hz` ticks a second.
    pub(super) fn between(
        before: &Reading,
        after: &Reading,
        seconds: f64,
        players: usize,
        rate_hz: u16,
    ) -> Self {
        let difference = |name: &str| Some(after.sum(name)? - before.sum(name)?);
        let cpu = difference("process_cpu_seconds_total");
        let heard = Transport::ALL
            .map(Transport::name)
            .into_iter()
            .filter_map(|name| {
                let labels = [("transport", name), ("direction", "up")];
                let [after, before] = [after, before].map(|reading| reading.one(PACKETS, &labels));
                Some((name, (after? - before?) / seconds))
            });
        let ticks = players as f64 * f64::from(rate_hz) * seconds;
        Self {
            cpu_percent: cpu.map(|cpu| 100.0 * cpu / seconds),
            cpu_us_per_player_tick: cpu.filter(|_| ticks > 0.0).map(|cpu| cpu * 1e6 / ticks),
            resident_mb: after
                .sum("process_resident_memory_bytes")
                .map(|bytes| bytes / 1e6),
            lateness_p99_ms: p99(&before.buckets(LATENESS), &after.buckets(LATENESS)),
            slipped_ticks: difference("afterimage_ticks_slipped_total"),
            packets_heard_per_second: heard.filter(|(_, heard)| *heard > 0.0).collect(),
        }
    }
}

/// The bound at or below which 99 % of what came between two readings of a histogram lie, ms. The open bucket has none:
/// then it is the last bound that there is, which is too low.
fn p99(before: &[(f64, f64)], after: &[(f64, f64)]) -> Option<f64> {
    let earlier = |bound: f64| {
        let same = before.iter().find(|(other, _)| *other == bound);
        same.map_or(0.0, |(_, count)| *count)
    };
    let new: Vec<_> = after
        .iter()
        .map(|(bound, count)| (*bound, count - earlier(*bound)))
        .collect();
    let all = new.last().filter(|(_, count)| *count > 0.0)?.1;
    let reached = new.iter().find(|(_, count)| *count >= 0.99 * all)?.0;
    let last = new.iter().rev().find(|(bound, _)| bound.is_finite())?.0;
    Some(1e3 * reached.min(last))
}

impl fmt::Display for RelayFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |value: Option<f64>, unit: &str| match value {
            Some(value) => format!("{value:.1}{unit}"),
            None => "-".to_owned(),
        };
        write!(
            f,
            "relay: {} of a core, {} a player's tick, {}, ticks late by {} at p99, {} slipped",
            said(self.cpu_percent, " %"),
            said(self.cpu_us_per_player_tick, " us"),
            said(self.resident_mb, " MB"),
            said(self.lateness_p99_ms, " ms"),
            said(self.slipped_ticks, ""),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "# HELP process_cpu_seconds_total Time.\n\
        process_cpu_seconds_total 10\n\
        afterimage_ticks_slipped_total{room=\"a\"} 3\n\
        afterimage_ticks_slipped_total{room=\"b\"} 4\n\
        afterimage_packets_total{direction=\"up\",transport=\"ws\"} 50\n\
        afterimage_packets_total{direction=\"down\",transport=\"ws\"} 7\n\
        afterimage_tick_lateness_seconds_bucket{le=\"0.001\"} 100\n\
        afterimage_tick_lateness_seconds_bucket{le=\"0.004\"} 100\n\
        afterimage_tick_lateness_seconds_bucket{le=\"+Inf\"} 100\n";
    const AFTER: &str = "process_cpu_seconds_total 12.5\n\
        process_resident_memory_bytes 5e7\n\
        afterimage_ticks_slipped_total{room=\"a\"} 3\n\
        afterimage_ticks_slipped_total{room=\"b\"} 9\n\
        afterimage_ticks_slipped_totally 1000\n\
        afterimage_packets_total{direction=\"up\",transport=\"ws\"} 650\n\
        afterimage_packets_total{direction=\"down\",transport=\"ws\"} 7\n\
        afterimage_tick_lateness_seconds_bucket{le=\"0.001\"} 1080\n\
        afterimage_tick_lateness_seconds_bucket{le=\"0.004\"} 1095\n\
        afterimage_tick_lateness_seconds_bucket{le=\"+Inf\"} 1100\n";

    #[test]
    fn what_a_relay_did_is_the_difference_of_two_readings() {
        let [before, after] = [BEFORE, AFTER].map(Reading::parse);
        let figures = RelayFigures::between(&before, &after, 10.0, 100, 64);
        assert_eq!(figures.cpu_percent, Some(25.0));
        assert_eq!(figures.cpu_us_per_player_tick, Some(2.5e6 / 64_000.0));
        assert_eq!(figures.resident_mb, Some(50.0));
        assert_eq!(figures.slipped_ticks, Some(5.0));
        assert_eq!(figures.lateness_p99_ms, Some(4.0));
        assert_eq!(figures.packets_heard_per_second, [("ws", 60.0)].into());
    }

    #[test]
    fn what_is_not_said_is_not_made_up() {
        let nothing = Reading::parse("hello, world\n\nnot a number at all\n");
        let figures = RelayFigures::between(&nothing, &nothing, 10.0, 100, 64);
        assert_eq!((figures.cpu_percent, figures.lateness_p99_ms), (None, None));
        assert!(figures.to_string().contains("- of a core"));
    }
}
