//! How many players a core of the relay holds: the relay on one core, native players on the others.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::relay;
use crate::run::{Kept, ask, command, output_within, say, seconds, target_dir};

/// Ticks a second of every room.
const RATE: f64 = 64.0;
/// A tick, ms.
const TICK: f64 = 1e3 / RATE;
/// Players a room.
const A_ROOM: usize = 8;
/// The longest that a row may take beside what it measures: hundreds join by turns, and whoever is late is not waited for.
const BESIDE: Duration = Duration::from_secs(45);
/// Of what was sent, percent that must arrive, both ways, for a row to count as served in full. What is under way at both
/// ends of a measurement is a packet or two of each player's 640.
const IN_FULL: f64 = 99.0;
/// Of their own cores, percent from which on a row is about the players' machine.
const BUSY: f64 = 95.0;

/// What is tried where nothing is asked for; the first is the gate's own, half on each.
const ROWS: [(&str, usize); 12] = [
    ("mixed", 200),
    ("ws", 50),
    ("ws", 100),
    ("ws", 200),
    ("ws", 400),
    ("ws", 600),
    ("ws", 800),
    ("wt", 50),
    ("wt", 100),
    ("wt", 200),
    ("wt", 400),
    ("udp", 200),
];

/// Carriers and players of a row, as in `ws:800`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    carriers: String,
    players: usize,
}

impl Asked {
    fn new(carriers: &str, players: usize) -> Self {
        let carriers = carriers.to_owned();
        Self { carriers, players }
    }
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let asked = text.split_once(':').and_then(|(carriers, players)| {
            let known = ["ws", "wt", "udp", "mixed"].contains(&carriers);
            let players = players.parse().ok().filter(|players| *players > 0)?;
            known.then(|| Self::new(carriers, players))
        });
        asked.ok_or_else(|| {
            "a row is ws, wt, udp or mixed and how many players, as in ws:800".to_owned()
        })
    }
}

/// Prints a row for each that is asked for, or the whole table; whether each had its figures. What they are it does not
/// judge beyond a word in each row: how much a core does depends on the core, and on who else uses it.
pub(crate) fn run(asked: Vec<Asked>, length: u32) -> Result<bool> {
    let [relay, bots] = relay::build_with_bots()?;
    let several = available_parallelism().is_ok_and(|cores| cores.get() > 1);
    let bench = Bench {
        relay,
        bots,
        page: empty_page()?,
        pinned: several && ask(command("taskset").arg("--version")).is_some(),
        length,
    };
    if bench.pinned {
        say("the relay has core 0, the players have the others");
    } else {
        say("relay and players share all cores: `taskset` is missing here, or there is one core");
    }
    let asked = match asked.is_empty() {
        true => ROWS.map(|(on, players)| Asked::new(on, players)).into(),
        false => asked,
    };
    let start = Instant::now();
    println!("{}", Row::HEAD);
    let mut rows = Vec::new();
    for asked in asked {
        match bench.measure(&asked) {
            Ok(report) => {
                let row = Row { asked, report };
                println!("{}", row.line());
                rows.push(Some(row));
            }
            Err(error) => {
                let Asked { carriers, players } = asked;
                println!("{carriers:<6}{players:>4}  no figures: {error:#}");
                rows.push(None);
            }
        }
    }
    let whole = rows.iter().all(Option::is_some);
    let rows: Vec<_> = rows.into_iter().flatten().collect();
    if let Some(memory) = memory(&rows) {
        println!("{memory}");
    }
    println!("{}", LEGEND.join("\n"));
    say(format!("all of it took {}", seconds(start.elapsed())));
    Ok(whole)
}

const LEGEND: [&str; 7] = [
    "us: of the relay's core for one player's tick. cpu: of that core.",
    "delivery: how much later than the luckiest of the room a snapshot was in hand, counted from its tick.",
    "late: by how much 99 % of the relay's ticks ran late at most, the bound of a histogram's bucket.",
    "missed: snapshots that were due and did not come. heard: of the packets that players sent, those that the relay took.",
    "theirs: of the players' own cores, and how late their own timers were at p99.",
    "gate: all are in, delivery p99 is under two ticks (31.3 ms), late is at most one (15.6 ms), 99 % arrives both ways. Where it",
    "fails and the players' cores were full, the row is about them and not about the relay: `players` says so.",
];

/// A page for a relay that is not there to be looked at.
fn empty_page() -> Result<PathBuf> {
    let folder = target_dir().join("bench-page");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("index.html"), "<!doctype html>")?;
    Ok(folder)
}

fn free_udp() -> Result<u16> {
    let socket = std::net::UdpSocket::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
    Ok(socket.local_addr()?.port())
}

/// What every row needs.
struct Bench {
    relay: PathBuf,
    bots: PathBuf,
    page: PathBuf,
    /// Relay and players have cores of their own.
    pinned: bool,
    /// Seconds that each row measures.
    length: u32,
}

impl Bench {
    /// The report of the players on a relay that has nobody else.
    fn measure(&self, asked: &Asked) -> Result<Value> {
        let Asked { carriers, players } = asked;
        let udp = if carriers == "udp" { free_udp()? } else { 0 };
        let (_relay, url) = self.serve(udp)?;
        let cores = available_parallelism().map_or(1, usize::from);
        let mut playing = self.on_cores(&self.bots, &format!("1-{}", cores - 1));
        playing.args(["--url", &url, "--transport", carriers, "--json"]);
        playing.args(["--players", &players.to_string()]);
        playing.args(["--rooms", &players.div_ceil(A_ROOM).to_string()]);
        playing.args(["--seconds", &self.length.to_string()]);
        if udp > 0 {
            playing.args(["--udp", &udp.to_string()]);
        }
        let limit = BESIDE + Duration::from_secs(self.length.into());
        // Players that could not come in fail the program; the row says how many.
        let Some(output) = output_within(playing.stderr(Stdio::inherit()), limit)? else {
            bail!("the players were not done after {}", seconds(limit));
        };
        serde_json::from_slice(&output).context("the players told no report")
    }

    /// A relay that lets in as many from one address as the bench has; its address.
    fn serve(&self, udp: u16) -> Result<(Kept, String)> {
        let mut relay = self.on_cores(&self.relay, "0");
        relay
            .args(["--host", "localhost", "--port", "0", "--dist"])
            .arg(&self.page);
        if udp > 0 {
            relay.args(["--udp", &udp.to_string()]);
        }
        for flag in [
            "--max-rooms",
            "--rooms-per-minute",
            "--max-connections",
            "--max-connections-per-address",
        ] {
            relay.args([flag, "4000"]);
        }
        relay.env("RUST_LOG", "error");
        relay::beside(&mut relay)
    }

    fn on_cores(&self, program: &Path, cores: &str) -> Command {
        if !self.pinned {
            return command(program);
        }
        let mut pinned = command("taskset");
        pinned.args(["-c", cores]).arg(program);
        pinned
    }
}

/// One row of the table.
#[derive(Debug)]
struct Row {
    asked: Asked,
    report: Value,
}

impl Row {
    const HEAD: &str = "on     all   in     us   cpu  delivery p50 / p99  late ms  missed   heard  up B/s  down B/s  RSS MB    theirs ms      gate";

    fn at(&self, path: &str) -> Option<f64> {
        self.report.pointer(path)?.as_f64()
    }

    fn all(&self, what: &str) -> Option<f64> {
        self.at(&format!("/transports/all/{what}"))
    }

    fn line(&self) -> String {
        let Asked { carriers, players } = &self.asked;
        let said = |value: Option<f64>, digits: usize| match value {
            Some(value) => format!("{value:.digits$}"),
            None => "-".to_owned(),
        };
        let relay = |what: &str| self.at(&format!("/relay/{what}"));
        format!(
            "{carriers:<6}{players:>4} {:>4} {:>6} {:>3} % {:>8} / {:<8} {:>7} {:>5} % {:>5} % {:>7} {:>9} {:>7} {:>3} % {:>5}      {}",
            said(self.at("/joins/joined"), 0),
            said(relay("cpu_us_per_player_tick"), 1),
            said(relay("cpu_percent"), 0),
            said(self.all("delivery_ms/p50"), 1),
            said(self.all("delivery_ms/p99"), 1),
            said(relay("lateness_p99_ms"), 1),
            said(self.all("snapshots_missed_percent"), 2),
            said(self.heard_percent(), 1),
            said(self.all("bytes_up_per_second"), 0),
            said(self.all("bytes_down_per_second"), 0),
            said(relay("resident_mb"), 1),
            said(self.at("/own/cpu_percent"), 0),
            said(self.at("/own/late_ms/p99"), 1),
            self.gate(),
        )
    }

    /// Of the packets that players sent, those that the relay heard.
    fn heard_percent(&self) -> Option<f64> {
        let heard = self.report.pointer("/relay/packets_heard_per_second")?;
        let heard: f64 = heard.as_object()?.values().filter_map(Value::as_f64).sum();
        let sent = self.all("packets_up_per_second")? * self.all("players")?;
        (sent > 0.0).then(|| 100.0 * heard / sent)
    }

    /// Whether everybody was served in time and in full, or what was not so; a figure that is missing counts against it.
    fn gate(&self) -> String {
        let least = |value: Option<f64>, least: f64| value.is_some_and(|value| value >= least);
        let most = |value: Option<f64>, most: f64| value.is_some_and(|value| value <= most);
        let all = self.asked.players as f64;
        let held = [
            ("joins", least(self.at("/joins/joined"), all)),
            ("delivery", most(self.all("delivery_ms/p99"), 2.0 * TICK)),
            ("late", most(self.at("/relay/lateness_p99_ms"), TICK)),
            (
                "down",
                most(self.all("snapshots_missed_percent"), 100.0 - IN_FULL),
            ),
            ("up", least(self.heard_percent(), IN_FULL)),
        ];
        let mut missed: Vec<_> = held
            .iter()
            .filter(|(_, held)| !held)
            .map(|(what, _)| *what)
            .collect();
        if missed.is_empty() {
            return "held".to_owned();
        }
        if least(self.at("/own/cpu_percent"), BUSY) || least(self.at("/own/late_ms/p99"), TICK) {
            missed.push("(players)");
        }
        format!("not: {}", missed.join(" "))
    }
}

/// What a player more takes of memory, by the rows of each carrier: from the fewest to the most.
fn memory(rows: &[Row]) -> Option<String> {
    let slope = |carriers: &str| {
        let of = || rows.iter().filter(|row| row.asked.carriers == carriers);
        let fewest = of().min_by_key(|row| row.asked.players)?;
        let most = of().max_by_key(|row| row.asked.players)?;
        let more = most.asked.players - fewest.asked.players;
        let grown = most.at("/relay/resident_mb")? - fewest.at("/relay/resident_mb")?;
        (more > 0).then(|| format!("{:.0} kB on {carriers}", 1e3 * grown / more as f64))
    };
    let said: Vec<_> = ["ws", "wt"].into_iter().filter_map(slope).collect();
    let memory = format!("memory that a player more takes: {}", said.join(", "));
    (!said.is_empty()).then_some(memory)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(carriers: &str, players: usize, resident_mb: f64) -> Row {
        let report = json!({
            "joins": { "joined": players },
            "transports": { "all": {
                "players": players,
                "delivery_ms": { "p50": 1.0, "p99": 15.6 },
                "snapshots_missed_percent": 0.2,
                "packets_up_per_second": 68.0,
            } },
            "own": { "cpu_percent": 40.0, "late_ms": { "p99": 1.5 } },
            "relay": {
                "resident_mb": resident_mb,
                "lateness_p99_ms": 15.625,
                "packets_heard_per_second": { "ws": 67.9 * players as f64 },
            },
        });
        Row {
            asked: Asked::new(carriers, players),
            report,
        }
    }

    fn with(path: &str, value: Value) -> Row {
        let mut row = row("ws", 50, 20.0);
        *row.report.pointer_mut(path).expect("it is there") = value;
        row
    }

    #[test]
    fn a_row_says_its_figures_and_what_it_does_not_know() {
        let line = row("ws", 50, 20.0).line();
        assert!(line.starts_with("ws      50   50      -   - %"), "{line}");
        assert!(line.contains(" 99.9 %"), "{line}");
        assert!(line.ends_with(" held"), "{line}");
    }

    #[test]
    fn the_gate_names_what_was_not_held() {
        let gate = |path, value| with(path, value).gate();
        let late = "/relay/lateness_p99_ms";
        assert_eq!(gate("/joins/joined", json!(49)), "not: joins");
        assert_eq!(gate(late, json!(20.0)), "not: late");
        assert_eq!(gate(late, Value::Null), "not: late");
        let delivery = "/transports/all/delivery_ms/p99";
        assert_eq!(gate(delivery, json!(31.3)), "not: delivery");
        let missed = "/transports/all/snapshots_missed_percent";
        assert_eq!(gate(missed, json!(1.1)), "not: down");
        let heard = "/relay/packets_heard_per_second/ws";
        assert_eq!(gate(heard, json!(50.0 * 67.0)), "not: up");
    }

    #[test]
    fn a_row_that_the_players_machine_bounds_says_so() {
        let mut full = with("/transports/all/delivery_ms/p99", json!(90.0));
        full.report["own"]["cpu_percent"] = json!(99.0);
        assert_eq!(full.gate(), "not: delivery (players)");
        let mut late = with("/transports/all/delivery_ms/p99", json!(90.0));
        late.report["own"]["late_ms"]["p99"] = json!(16.0);
        assert_eq!(late.gate(), "not: delivery (players)");
        assert_eq!(with("/own/cpu_percent", json!(99.0)).gate(), "held");
    }

    #[test]
    fn rows_are_asked_for_by_carrier_and_players() {
        assert_eq!("ws:800".parse(), Ok(Asked::new("ws", 800)));
        assert_eq!("mixed:200".parse(), Ok(Asked::new("mixed", 200)));
        for wrong in ["ws", "ws:", "ws:0", "ws:-1", "tcp:10", ":7"] {
            let error = wrong.parse::<Asked>().unwrap_err();
            assert!(error.contains("as in ws:800"), "{wrong}: {error}");
        }
    }

    #[test]
    fn memory_is_told_by_how_it_grows() {
        let rows = [
            row("ws", 450, 30.0),
            row("ws", 50, 20.0),
            row("wt", 50, 20.0),
        ];
        let told = "memory that a player more takes: 25 kB on ws";
        assert_eq!(memory(&rows).as_deref(), Some(told));
        assert_eq!(memory(&rows[1..]), None);
    }
}
