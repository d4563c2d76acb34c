//! How many players a core of the relay holds: the relay on one core, native players on the others.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::relay;
use crate::run::{Kept, ask, command, say, target_dir};

/// Ticks a second of every room.
const RATE: f64 = 64.0;
/// Seconds that each row measures.
const SECONDS: u32 = 10;
/// Players a room.
const A_ROOM: usize = 8;

/// What is tried: the carriers and how many players. The first is the gate's own: half on each.
const ROWS: [(&str, usize); 11] = [
    ("mixed", 200),
    ("ws", 50),
    ("ws", 100),
    ("ws", 200),
    ("ws", 400),
    ("ws", 800),
    ("wt", 50),
    ("wt", 100),
    ("wt", 200),
    ("wt", 400),
    ("udp", 200),
];

/// Prints the table. It judges nothing: how much a core does depends on the core, and on who else uses it.
pub(crate) fn run() -> Result<()> {
    let [relay, bots] = relay::build_with_bots()?;
    let page = empty_page()?;
    let pinned = ask(command("taskset").arg("--version")).is_some()
        && available_parallelism().is_ok_and(|cores| cores.get() > 1);
    if pinned {
        say("the relay has core 0, the players have the others");
    } else {
        say("relay and players share all cores: `taskset` is missing here, or there is one core");
    }
    println!("{}", Row::HEAD);
    let mut rows = Vec::new();
    for (carriers, players) in ROWS {
        let row = measure(&relay, &bots, &page, pinned, carriers, players)?;
        println!("{}", row.line());
        rows.push(row);
    }
    println!("{}", memory(&rows));
    println!(
        "us: of the relay's core for one player's tick. delivery: how much later than the luckiest of the room a \
         snapshot was in hand, counted from its tick; two ticks are 31.3 ms. late: by how much 99 % of the ticks ran \
         late at most, the bound of a histogram's bucket; one tick is 15.6 ms. heard: of what was sent, what arrived. own late: how late the players' \
         own timers were at p99, ms; where that is a tick, a row is about the players' machine and not about the relay."
    );
    Ok(())
}

/// A page for a relay that is not there to be looked at.
fn empty_page() -> Result<std::path::PathBuf> {
    let folder = target_dir().join("bench-page");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("index.html"), "<!doctype html>")?;
    Ok(folder)
}

fn on_core(program: &Path, cores: Option<&str>) -> Command {
    match cores {
        Some(cores) => {
            let mut pinned = command("taskset");
            pinned.args(["-c", cores]).arg(program);
            pinned
        }
        None => command(program),
    }
}

fn measure(
    relay: &Path,
    bots: &Path,
    page: &Path,
    pinned: bool,
    carriers: &'static str,
    players: usize,
) -> Result<Row> {
    let cores = available_parallelism().map_or(1, usize::from);
    let others = format!("1-{}", cores - 1);
    let (relay_core, bots_cores) = match pinned {
        true => (Some("0"), Some(others.as_str())),
        false => (None, None),
    };
    let udp = if carriers == "udp" { free_udp()? } else { 0 };
    let (_relay, url) = serve(on_core(relay, relay_core), page, udp)?;
    let mut playing = on_core(bots, bots_cores);
    let rooms = players.div_ceil(A_ROOM);
    playing.args(["--url", &url, "--transport", carriers, "--json"]);
    playing.args([
        "--players",
        &players.to_string(),
        "--rooms",
        &rooms.to_string(),
    ]);
    playing.args(["--seconds", &SECONDS.to_string()]);
    if udp > 0 {
        playing.args(["--udp", &udp.to_string()]);
    }
    // Players that could not come in fail the program; the row says how many.
    let output = playing.stderr(Stdio::inherit()).output()?;
    let report = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("the bots said no report at {players} {carriers}"))?;
    Ok(Row {
        carriers,
        players,
        report,
    })
}

fn free_udp() -> Result<u16> {
    let socket = std::net::UdpSocket::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
    Ok(socket.local_addr()?.port())
}

/// A relay that lets in as many from one address as the bench has; its address.
fn serve(mut relay: Command, page: &Path, udp: u16) -> Result<(Kept, String)> {
    relay
        .args(["--host", "localhost", "--port", "0", "--dist"])
        .arg(page);
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

/// One row of the table.
#[derive(Debug)]
struct Row {
    carriers: &'static str,
    players: usize,
    report: Value,
}

impl Row {
    const HEAD: &str = "on     players  in    relay CPU     us   delivery p50 / p99 ms   (of 2 ticks)  late p99 ms  (of 1 tick)  \
        missed   heard   up B/s  down B/s   RSS MB  own late";

    fn at(&self, path: &str) -> Option<f64> {
        self.report.pointer(path)?.as_f64()
    }

    fn line(&self) -> String {
        let Self {
            carriers, players, ..
        } = self;
        let said = |value: Option<f64>, digits: usize| match value {
            Some(value) => format!("{value:.digits$}"),
            None => "-".to_owned(),
        };
        let all = |what: &str| self.at(&format!("/transports/all/{what}"));
        let relay = |what: &str| self.at(&format!("/relay/{what}"));
        let (p99, late) = (all("delivery_ms/p99"), relay("lateness_p99_ms"));
        let tick = 1e3 / RATE;
        format!(
            "{carriers:<6} {players:>7} {:>4} {:>10} % {:>6} {:>14} / {:<8} {:>12} {:>12} {:>12} {:>8} % {:>6} % {:>8} {:>9} {:>8} {:>9}",
            said(self.at("/joins/joined"), 0),
            said(relay("cpu_percent"), 0),
            said(relay("cpu_us_per_player_tick"), 1),
            said(all("delivery_ms/p50"), 1),
            said(p99, 1),
            said(p99.map(|p99| p99 / (2.0 * tick)), 2),
            said(late, 1),
            said(late.map(|late| late / tick), 2),
            said(all("snapshots_missed_percent"), 2),
            said(self.heard_percent(), 1),
            said(all("bytes_up_per_second"), 0),
            said(all("bytes_down_per_second"), 0),
            said(relay("resident_mb"), 1),
            said(self.at("/own/late_ms/p99"), 1),
        )
    }

    /// Of the packets that players sent, those that the relay heard.
    fn heard_percent(&self) -> Option<f64> {
        let heard = self.report.pointer("/relay/packets_heard_per_second")?;
        let heard: f64 = heard.as_object()?.values().filter_map(Value::as_f64).sum();
        let a_player = self.at("/transports/all/packets_up_per_second")?;
        let sent = a_player * self.at("/transports/all/players")?;
        (sent > 0.0).then(|| 100.0 * heard / sent)
    }
}

/// What a player more takes of memory, by the rows of each carrier: from the fewest to the most.
fn memory(rows: &[Row]) -> String {
    let slope = |carriers: &str| {
        let mut of = rows.iter().filter(|row| row.carriers == carriers);
        let (fewest, most) = (of.next()?, of.next_back()?);
        let grown = most.at("/relay/resident_mb")? - fewest.at("/relay/resident_mb")?;
        let players = (most.players - fewest.players) as f64;
        Some(format!("{:.0} kB on {carriers}", 1e3 * grown / players))
    };
    let said: Vec<_> = ["ws", "wt"].into_iter().filter_map(slope).collect();
    format!("memory that a player more takes: {}", said.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(carriers: &'static str, players: usize, resident_mb: f64) -> Row {
        let report = json!({
            "joins": { "joined": players },
            "transports": { "all": {
                "players": players,
                "delivery_ms": { "p50": 1.0, "p99": 15.625 },
                "packets_up_per_second": 68.0,
            } },
            "relay": {
                "resident_mb": resident_mb,
                "lateness_p99_ms": null,
                "packets_heard_per_second": { "ws": 34.0 * players as f64 },
            },
        });
        Row {
            carriers,
            players,
            report,
        }
    }

    #[test]
    fn a_row_says_its_ratios_and_what_it_does_not_know() {
        let line = row("ws", 50, 20.0).line();
        assert!(line.contains(" 0.50 "), "half of two ticks: {line}");
        assert!(line.contains("50.0 %"), "half was heard: {line}");
        assert!(line.contains(" - "), "no lateness: {line}");
    }

    #[test]
    fn memory_is_told_by_how_it_grows() {
        let rows = [
            row("ws", 50, 20.0),
            row("ws", 450, 30.0),
            row("wt", 50, 20.0),
        ];
        assert_eq!(
            memory(&rows),
            "memory that a player more takes: 25 kB on ws"
        );
    }
}
