//! What all players saw together: as a table for people, as one JSON object for programs.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::measure::{Arrivals, Seen, over};
use super::relay::RelayFigures;

/// How something was spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Half lie at or below it.
    pub p50: f64,
    /// 95 % do.
    pub p95: f64,
    /// 99 % do.
    pub p99: f64,
    /// All do.
    pub max: f64,
    /// How many there are.
    pub count: usize,
}

impl Spread {
    /// Of microseconds, in milliseconds. Nearest rank: each percentile is a value that occurred.
    pub fn of_micros(mut values: Vec<u32>) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        values.sort_unstable();
        let count = values.len();
        let at = |share: f64| {
            let rank = (share * count as f64).ceil() as usize;
            f64::from(values[rank.clamp(1, count) - 1]) / 1e3
        };
        Some(Self {
            p50: at(0.50),
            p95: at(0.95),
            p99: at(0.99),
            max: at(1.0),
            count,
        })
    }
}

/// What the players on one transport saw.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// Players that measured.
    pub players: usize,
    /// Round trips of single pings, ms.
    pub rtt_ms: Option<Spread>,
    /// How much later than the room's best a snapshot was in hand, counted from its tick, ms.
    pub delivery_ms: Option<Spread>,
    /// How far snapshots strayed from when they were due, by each client's own account once a second, ms.
    pub jitter_ms: Option<Spread>,
    /// Ticks of which a snapshot came, a second a player.
    pub snapshots_per_second: f64,
    /// Those that should have come and did not.
    pub snapshots_missed_percent: f64,
    /// Commands that were made, a second a player.
    pub commands_per_second: f64,
    /// Packets of the relay that were lost, or overtaken.
    pub packets_lost_percent: f64,
    /// Corrections that moved the own character, a minute a player.
    pub corrections_per_minute: f64,
    /// How far one moved it in the mean, units of the scene.
    pub correction_mean: f64,
    /// Frames of a 60 Hz screen that had run out of samples.
    pub starved_percent: f64,
    /// Bytes of frames a second a player, without what the carrier puts around them.
    pub bytes_up_per_second: f64,
    /// The same of what came.
    pub bytes_down_per_second: f64,
    /// Packets sent, a second a player.
    pub packets_up_per_second: f64,
    /// Packets heard, a second a player.
    pub packets_down_per_second: f64,
    /// Commands that were forgotten before the relay had acknowledged them.
    pub inputs_lost: u64,
    /// Frames of the relay that no client could take.
    pub faults: u64,
}

/// How well this machine could play at all: where it is late itself, the figures are about it and not about the relay.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Own {
    /// Of the cores that this process may use, percent; `None` where the system does not say.
    pub cpu_percent: Option<f64>,
    /// How much later than asked for the players' timers fired, ms.
    pub late_ms: Option<Spread>,
    /// Ticks of players that never ran.
    pub slipped_ticks: u64,
}

/// How many asked, and what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Joins {
    /// Players and watchers that wanted in.
    pub asked: usize,
    /// That were in when the measurement began.
    pub joined: usize,
    /// Why others were not, by reason.
    pub failed: BTreeMap<String, usize>,
    /// Why some did not stay to the end, by reason.
    pub lost: BTreeMap<String, usize>,
}

/// A clients' bad manners, and what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ugly {
    /// Sessions that were begun.
    pub sessions: u64,
    /// How they ended, by reason.
    pub ended: BTreeMap<String, u64>,
}

/// All of it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The relay's address.
    pub url: String,
    /// How long was measured, s.
    pub seconds: f64,
    /// Ticks a second.
    pub rate: u16,
    /// Rooms that were made or named; 0 where the relay chose.
    pub rooms: usize,
    /// Where the players' chance came from.
    pub seed: u64,
    /// Who came in.
    pub joins: Joins,
    /// What was seen, by transport, and by `all` of them.
    pub transports: BTreeMap<&'static str, Figures>,
    /// How well this machine kept up.
    pub own: Own,
    /// What the relay says of itself, over the same time; `null` where it does not say.
    pub relay: Option<RelayFigures>,
    /// Clients of bad manners, by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ugly: BTreeMap<&'static str, Ugly>,
}

impl Report {
    /// Where they played, in words.
    fn places(&self) -> String {
        match self.rooms {
            0 => "rooms of its choice".to_owned(),
            1 => "one room".to_owned(),
            rooms => format!("{rooms} rooms"),
        }
    }

    /// Whether everybody came in and stayed.
    pub fn is_whole(&self) -> bool {
        self.joins.joined == self.joins.asked && self.joins.lost.is_empty()
    }
}

/// One player's place and what was seen from it.
#[derive(Debug)]
pub(super) struct Place {
    pub transport: &'static str,
    /// Who shares the ticks of a room shares its best; `None`: which room it is was not told.
    pub room: Option<usize>,
    /// Ticks a second.
    pub rate_hz: u16,
    pub snapshots_hz: f64,
    pub seen: Seen,
}

/// How late each snapshot was, us, by place: against the best of the room in its window and the one before.
///
/// Ticks are the relay's and arrivals are this process', so the two clocks' distance is not known; the best arrival stands
/// for it. What remains is what a player had to wait longer than the luckiest of the same room.
pub(super) fn deliveries(places: &[Place]) -> Vec<Vec<u32>> {
    let group = |at: usize| places[at].room.map_or((1, at), |room| (0, room));
    let mut best: BTreeMap<((u8, usize), usize), i64> = BTreeMap::new();
    for (at, place) in places.iter().enumerate() {
        for (window, arrivals) in place.seen.windows.iter().enumerate() {
            let Some(earliest) = arrivals.best else {
                continue;
            };
            for window in [window, window + 1] {
                let best = best.entry((group(at), window)).or_insert(earliest);
                *best = earliest.min(*best);
            }
        }
    }
    let late = |at: usize, window: usize, arrivals: &Arrivals| {
        let base = arrivals.best.map_or(0, |own| {
            over(own, best.get(&(group(at), window)).copied().unwrap_or(own))
        });
        let later = arrivals.later.iter();
        later
            .map(|later| later.saturating_add(base))
            .collect::<Vec<_>>()
    };
    let of_place = |(at, place): (usize, &Place)| {
        let windows = place.seen.windows.iter().enumerate();
        windows
            .flat_map(|(window, arrivals)| late(at, window, arrivals))
            .collect()
    };
    places.iter().enumerate().map(of_place).collect()
}

/// What the places of one transport, or of all, saw.
pub(super) fn figures(places: &[Place], late: &[Vec<u32>], of: Option<&str>) -> Figures {
    let chosen: Vec<_> = places
        .iter()
        .zip(late)
        .filter(|(place, _)| of.is_none_or(|of| place.transport == of))
        .filter(|(place, _)| place.seen.seconds > 0.0)
        .collect();
    let seen = || chosen.iter().map(|(place, _)| &place.seen);
    let pool = |of: fn(&Seen) -> &[u32]| seen().flat_map(of).copied().collect::<Vec<_>>();
    let sum = |of: fn(&Seen) -> u64| seen().map(of).sum::<u64>() as f64;
    let seconds: f64 = seen().map(|seen| seen.seconds).sum();
    let expected: f64 = chosen
        .iter()
        .map(|(place, _)| place.seen.seconds * place.snapshots_hz)
        .sum();
    let share = |part: f64, whole: f64| {
        let share = if whole > 0.0 { part / whole } else { 0.0 };
        100.0 * share.max(0.0)
    };
    let rate = |of: fn(&Seen) -> u64| {
        if seconds > 0.0 {
            sum(of) / seconds
        } else {
            0.0
        }
    };
    let corrections = sum(|seen| seen.corrections);
    Figures {
        players: chosen.len(),
        rtt_ms: Spread::of_micros(pool(|seen| &seen.rtt)),
        delivery_ms: Spread::of_micros(
            chosen.iter().flat_map(|(_, late)| *late).copied().collect(),
        ),
        jitter_ms: Spread::of_micros(pool(|seen| &seen.jitter)),
        snapshots_per_second: rate(|seen| seen.snapshots),
        snapshots_missed_percent: share(expected - sum(|seen| seen.snapshots), expected),
        commands_per_second: rate(|seen| seen.ticks),
        packets_lost_percent: share(
            sum(|seen| seen.packets_missed),
            sum(|seen| seen.packets_missed + seen.packets_heard),
        ),
        corrections_per_minute: 60.0 * rate(|seen| seen.corrections),
        correction_mean: seen().map(|seen| seen.corrected).sum::<f64>() / corrections.max(1.0),
        starved_percent: share(sum(|seen| seen.starved), sum(|seen| seen.frames)),
        bytes_up_per_second: rate(|seen| seen.bytes_up),
        bytes_down_per_second: rate(|seen| seen.bytes_down),
        packets_up_per_second: rate(|seen| seen.packets_sent),
        packets_down_per_second: rate(|seen| seen.packets_heard),
        inputs_lost: sum(|seen| seen.inputs_lost) as u64,
        faults: sum(|seen| seen.faults) as u64,
    }
}

/// Figures of a table's row.
type Cell = fn(&Figures) -> String;

fn spread(spread: Option<Spread>) -> String {
    match spread {
        Some(Spread { p50, p95, p99, .. }) => format!("{p50:.1} / {p95:.1} / {p99:.1}"),
        None => "-".to_owned(),
    }
}

const ROWS: [(&str, Cell); 14] = [
    ("players", |f| f.players.to_string()),
    ("round trip, ms p50 / p95 / p99", |f| spread(f.rtt_ms)),
    ("delivery, ms p50 / p95 / p99", |f| spread(f.delivery_ms)),
    ("jitter, ms p50 / p95 / p99", |f| spread(f.jitter_ms)),
    ("snapshots a second", |f| {
        format!("{:.1}", f.snapshots_per_second)
    }),
    ("  of them missed", |f| {
        format!("{:.2} %", f.snapshots_missed_percent)
    }),
    ("commands a second", |f| {
        format!("{:.1}", f.commands_per_second)
    }),
    ("packets lost", |f| {
        format!("{:.2} %", f.packets_lost_percent)
    }),
    ("corrections a minute", |f| {
        format!("{:.1}", f.corrections_per_minute)
    }),
    ("starved frames", |f| format!("{:.2} %", f.starved_percent)),
    ("bytes up a second", |f| {
        format!("{:.0}", f.bytes_up_per_second)
    }),
    ("bytes down a second", |f| {
        format!("{:.0}", f.bytes_down_per_second)
    }),
    ("commands lost", |f| f.inputs_lost.to_string()),
    ("frames refused", |f| f.faults.to_string()),
];

impl fmt::Display for Report {
    /// A table with a column for each transport.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Joins {
            asked,
            joined,
            failed,
            lost,
        } = &self.joins;
        writeln!(
            f,
            "{joined} of {asked} in {} of {} for {:.0} s at {} Hz",
            self.places(),
            self.url,
            self.seconds,
            self.rate
        )?;
        for (what, reasons) in [("not in", failed), ("lost", lost)] {
            for (reason, count) in reasons {
                writeln!(f, "  {what}: {count} ({reason})")?;
            }
        }
        write!(f, "\n{:<32}", "")?;
        for name in self.transports.keys() {
            write!(f, "{name:>24}")?;
        }
        writeln!(f)?;
        for (name, cell) in ROWS {
            write!(f, "{name:<32}")?;
            for figures in self.transports.values() {
                write!(f, "{:>24}", cell(figures))?;
            }
            writeln!(f)?;
        }
        if let Some(relay) = &self.relay {
            writeln!(f, "\n{relay}")?;
        }
        writeln!(
            f,
            "this machine: {} of its cores, timers late by {} ms p50 / p95 / p99, {} ticks slipped",
            self.own
                .cpu_percent
                .map_or_else(|| "-".to_owned(), |cpu| format!("{cpu:.0} %")),
            spread(self.own.late_ms),
            self.own.slipped_ticks
        )?;
        for (kind, Ugly { sessions, ended }) in &self.ugly {
            let ended: Vec<_> = ended
                .iter()
                .map(|(how, count)| format!("{count} {how}"))
                .collect();
            writeln!(
                f,
                "{kind}: {sessions} sessions, ended: {}",
                ended.join(", ")
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(transport: &'static str, room: Option<usize>, windows: &[(i64, &[u32])]) -> Place {
        let windows = windows.iter().map(|(best, later)| Arrivals {
            best: Some(*best),
            later: later.to_vec(),
        });
        Place {
            transport,
            room,
            rate_hz: 64,
            snapshots_hz: 64.0,
            seen: Seen {
                seconds: 10.0,
                windows: windows.collect(),
                snapshots: 320,
                ..Seen::default()
            },
        }
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let spread = Spread::of_micros((1..=100).map(|ms| ms * 1_000).rev().collect());
        let expected = Spread {
            p50: 50.0,
            p95: 95.0,
            p99: 99.0,
            max: 100.0,
            count: 100,
        };
        assert_eq!(spread, Some(expected));
        let one = Spread::of_micros(vec![7_000]).unwrap();
        assert_eq!((one.p50, one.p99, one.max), (7.0, 7.0, 7.0));
        assert_eq!(Spread::of_micros(Vec::new()), None);
    }

    #[test]
    fn a_delivery_is_held_against_the_luckiest_of_its_room() {
        let places = [
            place("ws", Some(0), &[(1_000, &[0, 500])]),
            place("wt", Some(0), &[(400, &[0])]),
            place("ws", Some(1), &[(9_000, &[0, 20])]),
            place("udp", None, &[(50_000, &[0, 7])]),
        ];
        let late = deliveries(&places);
        assert_eq!(late, [vec![600, 1_100], vec![0], vec![0, 20], vec![0, 7]]);
    }

    #[test]
    fn a_best_time_holds_for_one_more_window() {
        // The second window is 3 ms late throughout: it shows. In the third that is how the room is.
        let windows: [(i64, &[u32]); 3] = [(0, &[0]), (3_000, &[0, 100]), (3_000, &[0])];
        let late = deliveries(&[place("ws", Some(0), &windows)]);
        assert_eq!(late, [vec![0, 3_000, 3_100, 0]]);
    }

    #[test]
    fn what_did_not_come_is_counted_against_the_time() {
        let places = [place("ws", Some(0), &[]), place("wt", Some(0), &[])];
        let late = deliveries(&places);
        let ws = figures(&places, &late, Some("ws"));
        assert_eq!((ws.players, ws.snapshots_per_second), (1, 32.0));
        assert_eq!(ws.snapshots_missed_percent, 50.0);
        assert_eq!(figures(&places, &late, None).players, 2);
        let none = figures(&places, &late, Some("udp"));
        assert_eq!((none.players, none.snapshots_missed_percent), (0, 0.0));
        assert_eq!((none.rtt_ms, none.delivery_ms), (None, None));
    }
}
