//! A lab run from beginning to end, and what came of it.

use wire::Micros;

use crate::json::{Json, number};
use crate::lab::LabSetup;
use crate::params::Config;
use crate::probe::{Kind, ProbeId, Summary};
use crate::scenes::{UnknownScene, named, open};

/// The result of a run. Equal arguments give equal results, to the byte.
#[derive(Clone, Debug)]
pub struct Report {
    /// The scene's name.
    pub scene: &'static str,
    /// The unit of the scene's lengths.
    pub unit: &'static str,
    /// Where all chance came from.
    pub seed: u64,
    /// Virtual seconds.
    pub seconds: f64,
    /// The virtual second that the probes began at.
    pub from: f64,
    /// Every parameter.
    pub config: Config,
    /// The hash of the trace that the link played, where there is one.
    pub trace: Option<u64>,
    /// A summary for each probe, in the catalogue's order.
    pub probes: Vec<Summary>,
    /// The hash of the whole lab at the end.
    pub hash: u64,
}

/// Runs a scene for so many virtual seconds; the probes begin at second `from`, when joining and settling are over.
///
/// # Errors
/// [`UnknownScene`].
pub fn run(scene: &str, setup: LabSetup, from: f64, seconds: f64) -> Result<Report, UnknownScene> {
    let (seed, config) = (setup.seed, setup.config);
    let trace = setup.trace.as_ref().map(|trace| trace.hash());
    let scene = named(scene)?;
    let mut lab = open(scene.id, setup)?;
    lab.set_told(false);
    let from = from.min(seconds);
    lab.advance(Micros::from_secs_f64(from));
    lab.measure_afresh();
    lab.advance(Micros::from_secs_f64(seconds));
    let probes = ProbeId::all()
        .map(|id| lab.meters().summary(id, lab.now()))
        .collect();
    Ok(Report {
        scene: scene.id,
        unit: scene.unit,
        seed,
        seconds,
        from,
        config: config.to(scene.id),
        trace,
        probes,
        hash: lab.digest(),
    })
}

impl Report {
    /// A probe's summary.
    pub fn probe(&self, id: ProbeId) -> &Summary {
        &self.probes[id.index()]
    }

    /// As one JSON object.
    pub fn json(&self) -> String {
        let mut json = Json::new();
        json.object()
            .key("scene")
            .text(self.scene)
            .key("seed")
            .number(self.seed as f64);
        json.key("seconds")
            .number(self.seconds)
            .key("from")
            .number(self.from)
            .key("config");
        self.config.write(&mut json);
        if let Some(trace) = self.trace {
            json.key("trace").text(&hex(trace));
        }
        json.key("probes");
        self.write_probes(&mut json);
        json.key("hash").text(&hex(self.hash)).end_object();
        json.finish()
    }

    /// The probes as a JSON object.
    pub fn write_probes(&self, json: &mut Json) {
        json.object();
        for id in ProbeId::all() {
            json.key(id.probe().id);
            write_summary(self.probe(id), id.probe().unit_in(self.unit), json);
        }
        json.end_object();
    }

    /// As a table for a terminal.
    pub fn table(&self) -> String {
        let mut rows = vec![
            ["probe", "unit", "mean", "p50", "p95", "p99", "max", "total"]
                .map(String::from)
                .to_vec(),
        ];
        for id in ProbeId::all() {
            let (probe, s) = (id.probe(), self.probe(id));
            let unit = probe.unit_in(self.unit);
            let places = if unit == "m" { 4 } else { 2 };
            let mut row = vec![probe.id.to_string(), unit.to_string()];
            row.extend([s.mean, s.p50, s.p95, s.p99, s.max, s.total].map(|v| number(v, places)));
            if matches!(probe.kind, Kind::Counted) {
                row[2].push_str("/s");
                row[6].push_str("/s");
            }
            rows.push(row);
        }
        format!("{}\nhash {}\n", columns(&rows, 2), hex(self.hash))
    }
}

/// Writes one summary.
pub fn write_summary(s: &Summary, unit: &str, json: &mut Json) {
    json.object();
    for (key, value) in [
        ("mean", s.mean),
        ("p50", s.p50),
        ("p95", s.p95),
        ("p99", s.p99),
        ("max", s.max),
        ("total", s.total),
        ("count", s.count as f64),
    ] {
        json.key(key).number(value);
    }
    json.key("unit").text(unit).end_object();
}

/// A hash as 16 hexadecimal digits.
pub fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

/// Lays rows out in columns: the first `left` flush left, the others flush right, two spaces between.
pub fn columns(rows: &[Vec<String>], left: usize) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[column] - cell.chars().count());
            if column < left {
                line.push_str(cell);
                line.push_str(&pad);
            } else {
                line.push_str(&pad);
                line.push_str(cell);
            }
            line.push_str("  ");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
