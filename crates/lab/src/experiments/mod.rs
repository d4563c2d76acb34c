//! Experiments with a stated bound: each answers one question with a table, and says whether the bound holds.

mod bench;
mod bufferbloat;
mod bursts;
mod carriers;
mod corrections;
mod delay;
mod delay_step;
mod drawn_error;
mod horde;
mod offline;
mod pacing;
mod redundancy;
mod rewind;
mod roles;

use crate::json::{Json, number};
use crate::params::nearest;
use crate::run::columns;

/// One experiment.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it asks.
    pub question: &'static str,
    /// Runs it from a seed. Equal every time; the bounds hold for every seed, the figures differ.
    pub run: fn(seed: u64) -> Outcome,
}

/// The seed of an experiment when none is said.
pub const SEED: u64 = 7;

/// Every experiment.
pub const EXPERIMENTS: &[Experiment] = &[
    corrections::OWN_CORRECTIONS,
    redundancy::REDUNDANCY,
    carriers::CARRIERS,
    bursts::BURSTS,
    bufferbloat::BUFFERBLOAT,
    delay::DELAY_POLICIES,
    delay_step::DELAY_STEP,
    pacing::PACING,
    rewind::REWIND,
    drawn_error::ERROR,
    roles::ROLES,
    offline::OFFLINE,
    horde::RECOVERY,
    horde::RELEVANCE,
];

/// There is no such experiment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no experiment \"{name}\"; the nearest is \"{nearest}\"")]
pub struct UnknownExperiment {
    /// What was asked for.
    pub name: String,
    /// What was probably meant.
    pub nearest: &'static str,
}

/// The experiment of a name.
///
/// # Errors
/// [`UnknownExperiment`] with the nearest name.
pub fn named(name: &str) -> Result<&'static Experiment, UnknownExperiment> {
    EXPERIMENTS
        .iter()
        .find(|e| e.name == name)
        .ok_or_else(|| UnknownExperiment {
            name: name.into(),
            nearest: nearest(name, EXPERIMENTS.iter().map(|e| e.name)).unwrap_or_default(),
        })
}

/// A table and what it was to show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Names of the columns.
    pub columns: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// The bounds, in words, and whether each holds.
    pub bounds: Vec<(String, bool)>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A figure.
    Number(f64),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Number(value as f64)
    }
}

impl Outcome {
    /// A table without rows.
    pub fn new(columns: &[&'static str]) -> Self {
        Self {
            columns: columns.to_vec(),
            ..Self::default()
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// States a bound and whether it holds.
    pub fn bound(&mut self, text: impl Into<String>, holds: bool) {
        self.bounds.push((text.into(), holds));
    }

    /// Whether every bound holds.
    pub fn holds(&self) -> bool {
        self.bounds.iter().all(|(_, holds)| *holds)
    }

    /// As a table for a terminal.
    pub fn text(&self, of: &Experiment) -> String {
        let mut rows = vec![
            self.columns
                .iter()
                .map(|name| (*name).to_string())
                .collect(),
        ];
        rows.extend(self.rows.iter().map(|row| {
            let cell = |cell: &Cell| match cell {
                Cell::Text(text) => text.clone(),
                Cell::Number(value) => number(*value, 4),
            };
            row.iter().map(cell).collect()
        }));
        let mut out = format!("{}: {}\n{}", of.name, of.question, columns(&rows, 1));
        for (text, holds) in &self.bounds {
            out.push_str(if *holds { "holds: " } else { "DOES NOT HOLD: " });
            out.push_str(text);
            out.push('\n');
        }
        out.push('\n');
        out
    }

    /// As one JSON object.
    pub fn json(&self, of: &Experiment) -> String {
        let mut json = Json::new();
        json.object()
            .key("experiment")
            .text(of.name)
            .key("question")
            .text(of.question);
        json.key("rows").list();
        for row in &self.rows {
            json.object();
            for (name, cell) in self.columns.iter().zip(row) {
                json.key(name);
                match cell {
                    Cell::Text(text) => json.text(text),
                    Cell::Number(value) => json.number(*value),
                };
            }
            json.end_object();
        }
        json.end_list().key("bounds").list();
        for (text, holds) in &self.bounds {
            json.object()
                .key("text")
                .text(text)
                .key("holds")
                .flag(*holds)
                .end_object();
        }
        json.end_list().end_object();
        json.finish()
    }
}
