//! How a link behaved once, to be played again.

use wire::Micros;

use crate::rng::mix;

/// The most rows of a trace: half an hour of 50 a second, in 2.4 MB.
pub const MAX_ROWS: usize = 100_000;

/// The latest instant of a trace, ms: a day.
const LONGEST_MS: f64 = 86_400_000.0;

/// The longest delay of a row, ms; nobody plays on a link that is worse.
const SLOWEST_MS: f64 = 10_000.0;

/// What stands above the columns, if anything does.
const COLUMNS: [&str; 3] = ["time_ms", "delay_ms", "lost"];

/// How long a trace of a single row lasts until it begins again; it makes no difference.
const ONE_ROW: Micros = Micros::new(1_000_000);

/// A link's delays and losses over time. A row holds from its time until that of the next, the last one as long as the one
/// before it, and then the trace begins again. Times count from the first row's.
///
/// As text it is CSV, `time_ms,delay_ms,lost`, with or without that header: times that rise, delays of 0 to 10000 ms, and 0
/// or 1. Empty lines are passed over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    rows: Vec<Row>,
    length: Micros,
    slowest: Micros,
    hash: u64,
}

/// What the link does from `at` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Row {
    at: Micros,
    delay: Micros,
    lost: bool,
}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    /// The first thing wrong, with its line and column and what would be right.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let mut rows: Vec<Row> = Vec::new();
        let mut first = None;
        let mut headed = false;
        for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let at = |column: usize, wrong| TraceError {
                line: number + 1,
                column: column + 1,
                wrong,
            };
            if line.trim().is_empty() {
                continue;
            }
            let fields = split(line).map_err(|(column, wrong)| at(column, wrong))?;
            if !headed && first.is_none() && is_header(fields) {
                check_header(fields).map_err(|(column, wrong)| at(column, wrong))?;
                headed = true;
                continue;
            }
            if rows.len() == MAX_ROWS {
                return Err(at(0, Wrong::TooMany));
            }
            let time = number_of(fields[0], LONGEST_MS).map_err(|wrong| at(0, wrong))?;
            let time = time - *first.get_or_insert(time);
            // A time before the first is cut off at it, and so is none after the row before.
            if rows.last().is_some_and(|last| time <= last.at) {
                return Err(at(0, Wrong::Order(fields[0].into())));
            }
            rows.push(Row {
                at: time,
                delay: number_of(fields[1], SLOWEST_MS).map_err(|wrong| at(1, wrong))?,
                lost: match fields[2] {
                    "0" | "false" => false,
                    "1" | "true" => true,
                    other => return Err(at(2, Wrong::Lost(other.into()))),
                },
            });
        }
        Self::of(rows).ok_or(TraceError {
            line: 1,
            column: 1,
            wrong: Wrong::Empty,
        })
    }

    fn of(rows: Vec<Row>) -> Option<Self> {
        let last = rows.last()?.at;
        let before = rows.len().checked_sub(2).map(|at| rows[at].at);
        let length = before.map_or(ONE_ROW, |before| last + (last - before));
        let hash = rows.iter().fold(mix(rows.len() as u64), |hash, row| {
            let delay = row.delay.get() << 1 | u64::from(row.lost);
            mix(mix(hash ^ row.at.get()).wrapping_add(delay))
        });
        let slowest = rows.iter().map(|row| row.delay).max()?;
        Some(Self {
            rows,
            length,
            slowest,
            hash,
        })
    }

    /// What is added to the latency of a packet that leaves at `at`, and whether it is lost.
    pub(crate) fn at(&self, at: Micros) -> (Micros, bool) {
        let into = Micros::new(at.get() % self.length.get().max(1));
        let after = self.rows.partition_point(|row| row.at <= into);
        // The first row is at 0, so one is always in force.
        let row = &self.rows[after.max(1) - 1];
        (row.delay, row.lost)
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Memory that it takes, bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(self.rows.as_slice())
    }

    /// After how long it begins again.
    pub fn length(&self) -> Micros {
        self.length
    }

    /// The longest delay of any row.
    pub fn slowest(&self) -> Micros {
        self.slowest
    }

    /// The share of the time at which packets are lost, `0..=1`.
    pub fn loss(&self) -> f64 {
        let ends = self
            .rows
            .iter()
            .skip(1)
            .map(|row| row.at)
            .chain([self.length]);
        let lost = self.rows.iter().zip(ends).filter(|(row, _)| row.lost);
        let lost: u64 = lost.map(|(row, end)| (end - row.at).get()).sum();
        lost as f64 / self.length.get().max(1) as f64
    }

    /// A hash of its rows: equal traces have equal ones.
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

/// Why a text is no trace.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}{}: {wrong}", named(*.column))]
pub struct TraceError {
    /// The line, from 1.
    pub line: usize,
    /// The column, counted in commas from 1.
    pub column: usize,
    /// What is wrong there.
    pub wrong: Wrong,
}

/// What is wrong with a field of a trace.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Wrong {
    /// Not three columns.
    #[error("a row has three columns, time_ms,delay_ms,lost; this one has {0}")]
    Columns(usize),
    /// A header that names something else.
    #[error("the header says \"{found}\" where \"{wanted}\" belongs")]
    Header {
        /// What stands there.
        found: String,
        /// What belongs there.
        wanted: &'static str,
    },
    /// Not a number, or outside of the range.
    #[error("\"{text}\" is not a number from 0 to {most}")]
    Number {
        /// What stands there.
        text: String,
        /// The largest number allowed.
        most: u32,
    },
    /// A time that is not after the one before it.
    #[error("the time {0} is not after the one before it; times rise from row to row")]
    Order(String),
    /// Neither lost nor not.
    #[error("\"{0}\" is neither 0 (arrives) nor 1 (lost)")]
    Lost(String),
    /// Too long.
    #[error("a trace has at most {MAX_ROWS} rows")]
    TooMany,
    /// No row at all.
    #[error("there is no row; one is as in \"20,35.5,0\"")]
    Empty,
}

/// The name of a column, to be said beside its number.
fn named(column: usize) -> String {
    let name = column.checked_sub(1).and_then(|at| COLUMNS.get(at));
    name.map_or_else(String::new, |name| format!(" ({name})"))
}

/// The three fields of a line, or the column at which there is one too few or too many.
fn split(line: &str) -> Result<[&str; 3], (usize, Wrong)> {
    let mut fields = [""; 3];
    let mut count = 0;
    for field in line.split(',') {
        if let Some(place) = fields.get_mut(count) {
            *place = field.trim();
        }
        count += 1;
    }
    if count == fields.len() {
        Ok(fields)
    } else {
        Err((count.min(fields.len()), Wrong::Columns(count)))
    }
}

/// Whether the first line is no row: it begins with a letter.
fn is_header(fields: [&str; 3]) -> bool {
    fields[0].starts_with(|first: char| first.is_alphabetic())
}

fn check_header(fields: [&str; 3]) -> Result<(), (usize, Wrong)> {
    let wrong = fields
        .iter()
        .zip(COLUMNS)
        .position(|(found, wanted)| !found.eq_ignore_ascii_case(wanted));
    wrong.map_or(Ok(()), |column| {
        let (found, wanted) = (fields[column].into(), COLUMNS[column]);
        Err((column, Wrong::Header { found, wanted }))
    })
}

/// A number of milliseconds.
fn number_of(text: &str, most: f64) -> Result<Micros, Wrong> {
    match text.parse::<f64>() {
        // What is no number fails the comparison as well.
        Ok(ms) if (0.0..=most).contains(&ms) => Ok(Micros::new((ms * 1_000.0 + 0.5) as u64)),
        _ => Err(Wrong::Number {
            text: text.into(),
            most: most as u32,
        }),
    }
}

#[cfg(test)]
mod tests;
