//! Settings as Rust, for a game of one's own: what the lab's machines were told, written so that it compiles.
//!
//! It is written from the very values that a [`crate::Lab`] runs on, and says only what differs from the defaults.

use std::fmt::{Display, Write as _};

use netcode::interpolate::DelayPolicy;
use netcode::replicate::Recovery;
use netcode::{ClientConfig, Delivery, ServerConfig, Shows};
use netsim::{Carrier, LinkConfig, Vary};
use wire::{ClassId, Micros, Shown};

use crate::json::number;
use crate::lab::{LabSetup, client, link, server};
use crate::params::{Config, Pair};

/// What the machines of a lab are told: the server, the client of You, and the two ways between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// The server.
    pub server: ServerConfig,
    /// The client.
    pub client: ClientConfig,
    /// From the client to the server.
    pub up: LinkConfig,
    /// From the server to the client.
    pub down: LinkConfig,
}

impl Told {
    /// What these settings tell them.
    pub fn by(config: &Config) -> Self {
        Self {
            server: server(&LabSetup::new(0, *config)),
            client: client(config),
            up: link(config, Pair::Up),
            down: link(config, Pair::Down),
        }
    }
}

const HEAD: &str = "\
// What is not said is as by default.
// Crates: afterimage-netcode, afterimage-netsim, afterimage-wire.

";

/// The settings as a Rust module: four functions, `server`, `client`, `link_up` and `link_down`, which need the crates
/// `netcode`, `netsim` and `wire`. Formatted as rustfmt does.
pub fn as_rust(config: &Config) -> String {
    let told = Told::by(config);
    let functions = [
        Fields::server(&told.server).function("server", "The server."),
        Fields::client(&told.client).function("client", "The client."),
        Fields::link(&told.up).function(
            "link_up",
            "The link from the client to the server that this was tried on, for tests.",
        ),
        Fields::link(&told.down).function("link_down", "The same from the server to the client."),
    ]
    .concat();
    let mut out = String::from(HEAD);
    out.push_str(&tried(config));
    out.push_str(&imports(&functions));
    out.push_str(&functions);
    out
}

/// The world that these settings were tried on, where it is not as it comes: no setting of a game's machines.
fn tried(config: &Config) -> String {
    let plain = Config::of(config.scene());
    let own: String = config
        .params()
        .filter(|id| matches!(id.param().group, "scene" | "relevance"))
        .filter(|id| config.get(*id) != plain.get(*id))
        .map(|id| {
            let (param, value) = (id.param(), config.get(id));
            format!("// {} = {}\n", param.id, param.text(value))
        })
        .collect();
    if own.is_empty() && plain.scene() == Config::default().scene() {
        return own;
    }
    let scene = config.scene();
    format!("// Tried in the scene {scene}.\n{own}\n")
}

/// Only the names that are used, in rustfmt's order.
fn imports(body: &str) -> String {
    let mut out = String::new();
    let mut line = |from: &str, names: &[&str]| {
        let used: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| {
                ["::", " {", "("]
                    .iter()
                    .any(|after| body.contains(&format!("{name}{after}")))
            })
            .collect();
        // Writing into a string does not fail.
        let _ = match used[..] {
            [] => Ok(()),
            [one] => writeln!(out, "use {from}::{one};"),
            _ => writeln!(out, "use {from}::{{{}}};", used.join(", ")),
        };
    };
    line("netcode::interpolate", &["DelayPolicy"]);
    line("netcode::replicate", &["Recovery"]);
    line(
        "netcode",
        &["ClientConfig", "Delivery", "ServerConfig", "Shows"],
    );
    line("netsim", &["Carrier", "LinkConfig", "Vary"]);
    line("wire", &["ClassId", "Micros", "Shown", "Tick"]);
    out
}

/// A structure's fields, each with how it is written and what it says where it is not as by default. All of them: a field
/// that is added to the structure does not compile before it stands here.
macro_rules! written {
    ($of:ident, $value:ident; $($name:ident: $text:expr, $why:literal;)+) => {{
        let $of { $($name),+ } = *$value;
        let plain = $of::default();
        let mut to = Fields::new(stringify!($of));
        $(to.field(stringify!($name), ($name, plain.$name), $text, $why);)+
        to
    }};
}

/// The fields of a structure that differ from its default.
struct Fields {
    of: &'static str,
    lines: String,
    /// Whether a field is as by default.
    left: bool,
}

impl Fields {
    const fn new(of: &'static str) -> Self {
        Self {
            of,
            lines: String::new(),
            left: false,
        }
    }

    /// A field, unless it is as by default; `why` says its unit and what it is.
    fn field<T: PartialEq>(
        &mut self,
        name: &str,
        (value, plain): (T, T),
        text: impl FnOnce(T) -> String,
        why: &str,
    ) {
        if value == plain {
            self.left = true;
            return;
        }
        let _ = writeln!(
            self.lines,
            "        // {why}\n        {name}: {},",
            text(value)
        );
    }

    fn server(server: &ServerConfig) -> Self {
        written! { ServerConfig, server;
            rate_hz: shown, "Ticks a second.";
            snapshots_hz: shown, "Snapshots a second, at most one a tick.";
            rewind: shown, "Shots are judged against the present.";
            rewind_cap: micros, "No shot reaches further back.";
            max_packet: shown, "Bytes.";
            budget: shown, "Bytes a second a player, 0 for no limit.";
            summaries_hz: shown, "Lists of summaries a second, where a game has them.";
            recovery: of_recovery, "When what is not confirmed is said again.";
            shows: of_shows, "How classes are shown; the client's are the same.";
            max_players: shown, "Players, characters that the server drives included.";
            resume: micros, "How long a seat is kept for a player who is gone.";
            catch_up: shown, "Ticks that are made up for after a stall.";
            first_tick: |tick| format!("Tick::new({})", tick.get()), "The number before the first tick.";
            first_seq: shown, "The sequence of the first packets.";
            first_player: shown, "The number of the first player.";
        }
    }

    fn client(client: &ClientConfig) -> Self {
        written! { ClientConfig, client;
            rate_hz: shown, "Ticks a second, as the server's.";
            delivery: of_delivery, "A stream: late but whole.";
            single_input: shown, "Each command is sent once and alone.";
            redundancy: shown, "Inputs that each packet carries until the server has them.";
            pacing: shown, "The clock does not bend to keep the server's queue at its target.";
            input_delay: shown, "Ticks that input waits before it runs, on both ends.";
            predict: shown, "The own character moves when the server says.";
            reconcile: shown, "A prediction is never corrected.";
            smooth: micros, "How long the picture eases over a correction; zero snaps.";
            interpolate: shown, "Others stand where they were last heard to be.";
            policy: of_policy, "How far in the past others are drawn.";
            extrapolate: micros, "How long others go on past the newest sample.";
            shows: of_shows, "How classes are shown; the server's are the same.";
            max_packet: shown, "Bytes.";
        }
    }

    fn link(link: &LinkConfig) -> Self {
        written! { LinkConfig, link;
            latency: micros, "One way.";
            jitter: micros, "Each packet takes up to this much longer.";
            loss: float, "A share, 0 to 1.";
            burst: float, "Losses in a row, on average.";
            reorder: float, "A share, 0 to 1.";
            duplicate: float, "A share, 0 to 1.";
            rate: shown, "Bytes a second.";
            queue: micros, "The longest that a packet waits for the rate.";
            vary: of_vary, "How the latency changes with time.";
            carrier: of_carrier, "A stream: what is lost is sent again, and what follows waits.";
            round_trip: micros, "Both ways together.";
        }
    }

    fn function(self, name: &str, what: &str) -> String {
        let Self { of, lines, left } = self;
        let body = match (lines.is_empty(), left) {
            (true, _) => format!("{of}::default()"),
            (false, true) => format!("{of} {{\n{lines}        ..{of}::default()\n    }}"),
            (false, false) => format!("{of} {{\n{lines}    }}"),
        };
        format!("\n/// {what}\npub fn {name}() -> {of} {{\n    {body}\n}}\n")
    }
}

fn shown(value: impl Display) -> String {
    value.to_string()
}

/// Whole milliseconds where they are, else the microseconds.
fn micros(time: Micros) -> String {
    match time.get() {
        0 => "Micros::ZERO".into(),
        us if us % 1_000 == 0 => format!("Micros::from_millis({})", us / 1_000),
        us => format!("Micros::new({us})"),
    }
}

/// The shortest text that reads back as the same number. The formatting of floats in std would weigh 20 kB in the page's
/// module.
fn float(value: f64) -> String {
    let mut texts = (0..=9).map(|places| number(value, places));
    match texts.find(|text| text.parse() == Ok(value)) {
        Some(text) if text.contains('.') => text,
        Some(text) => text + ".0",
        None => format!("f64::from_bits({:#x})", value.to_bits()),
    }
}

fn of_delivery(delivery: Delivery) -> String {
    match delivery {
        Delivery::Ordered => "Delivery::Ordered".into(),
        Delivery::Datagram => "Delivery::Datagram".into(),
    }
}

fn of_recovery(recovery: Recovery) -> String {
    match recovery {
        Recovery::Naive => "Recovery::Naive".into(),
        Recovery::Acknowledged => "Recovery::Acknowledged".into(),
        Recovery::Prompt => "Recovery::Prompt".into(),
    }
}

fn of_shows(shows: Shows) -> String {
    let class = |(class, shown): (ClassId, Shown)| {
        let shown = match shown {
            Shown::Interpolated => "Interpolated",
            Shown::Simulated => "Simulated",
            Shown::DeadReckoned => "DeadReckoned",
            Shown::Aggregated => "Aggregated",
        };
        format!(".with(ClassId({}), Shown::{shown})", class.0)
    };
    let classes: String = shows.set().map(class).collect();
    format!("Shows::default(){classes}")
}

fn of_carrier(carrier: Carrier) -> String {
    match carrier {
        Carrier::Ordered => "Carrier::Ordered".into(),
        Carrier::Datagram => "Carrier::Datagram".into(),
    }
}

fn of_vary(vary: Vary) -> String {
    let of = |name, depth, period| {
        let (depth, period) = (micros(depth), micros(period));
        format!(
            "Vary::{name} {{\n            depth: {depth},\n            period: {period},\n        }}"
        )
    };
    match vary {
        Vary::Still => "Vary::Still".into(),
        Vary::Wave { depth, period } => of("Wave", depth, period),
        Vary::Ramp { depth, period } => of("Ramp", depth, period),
        Vary::Trace => "Vary::Trace".into(),
    }
}

fn of_policy(policy: DelayPolicy) -> String {
    match policy {
        DelayPolicy::Fixed(delay) => format!("DelayPolicy::Fixed({})", micros(delay)),
        DelayPolicy::TwoSnapshots => "DelayPolicy::TwoSnapshots".into(),
        DelayPolicy::Measured => "DelayPolicy::Measured".into(),
        DelayPolicy::Target { rate } => format!("DelayPolicy::Target {{ rate: {} }}", float(rate)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_reads_back_as_itself() {
        for (value, text) in [
            (0.0, "0.0"),
            (64.0, "64.0"),
            (0.04, "0.04"),
            (-2.5, "-2.5"),
            (1.0 / 3.0, "f64::from_bits(0x3fd5555555555555)"),
        ] {
            assert_eq!(float(value), text);
        }
    }
}
