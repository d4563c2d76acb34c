//! One parameter over a range of values, everything else the same.

use crate::json::{Json, number};
use crate::lab::LabSetup;
use crate::params::{ParamError, ParamId};
use crate::probe::{self, Headline, ProbeId, Summary};
use crate::run::{Report, columns, hex, run};
use crate::scenes::UnknownScene;

/// The most values of a sweep; more is a slip of the pen.
const MOST: usize = 1_000;

/// A parameter and the values to run it at.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Which.
    pub id: ParamId,
    /// Its values.
    pub values: Vec<f64>,
}

/// Why a sweep was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    /// It is neither a range nor a list.
    #[error(
        "\"{0}\" is neither a range (interp.delay=40..240:20) nor a list (link.carrier=websocket,datagram)"
    )]
    Shape(String),
    /// The step leads nowhere, or nearly.
    #[error("a range goes up by a step above 0, in at most 1000 values; \"{0}\" does not")]
    Step(String),
    /// A name or value is wrong.
    #[error(transparent)]
    Param(#[from] ParamError),
}

impl Sweep {
    /// Reads `id=first..last:step` (last included) or `id=value,value,…`.
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse(text: &str) -> Result<Self, SweepError> {
        let shape = || SweepError::Shape(text.into());
        let (id, values) = text.split_once('=').ok_or_else(shape)?;
        let id = ParamId::named(id.trim())?;
        let param = id.param();
        let Some((first, rest)) = values.split_once("..") else {
            let values = values
                .split(',')
                .map(|value| param.parse(value))
                .collect::<Result<_, _>>()?;
            return Ok(Self { id, values });
        };
        let (last, step) = rest.split_once(':').ok_or_else(shape)?;
        let step: f64 = step.trim().parse().map_err(|_| shape())?;
        let (first, last) = (param.parse(first)?, param.parse(last)?);
        let bad = || SweepError::Step(text.into());
        if !(step > 0.0 && last >= first && (last - first) / step < MOST as f64) {
            return Err(bad());
        }
        // A hair of slack, so that 0..1:0.1 has its last value.
        let count = ((last - first) / step + 1e-9) as usize + 1;
        let values = (0..count).map(|i| param.check((first + step * i as f64).min(last)));
        Ok(Self {
            id,
            values: values.collect::<Result<_, _>>()?,
        })
    }

    /// Runs each value on the same seed.
    ///
    /// # Errors
    /// [`UnknownScene`].
    pub fn run(
        &self,
        scene: &str,
        setup: &LabSetup,
        from: f64,
        seconds: f64,
    ) -> Result<Vec<Report>, UnknownScene> {
        let one = |&value: &f64| {
            let mut setup = setup.clone();
            setup
                .config
                .set(self.id, value)
                .expect("a sweep's values were checked when it was read");
            run(scene, setup, from, seconds)
        };
        self.values.iter().map(one).collect()
    }

    /// The probes that a table of it shows when none are named: those that the parameter must move, and the price.
    pub fn usual_probes(&self) -> Vec<ProbeId> {
        let moved = self
            .id
            .param()
            .moves
            .iter()
            .filter_map(|m| ProbeId::named(m.probe));
        let mut probes: Vec<ProbeId> = moved.collect();
        for id in [
            probe::OTHERS_DELAY,
            probe::OTHERS_STARVED,
            probe::OTHERS_ERROR,
            probe::OWN_ERROR,
            probe::OWN_CORRECTIONS,
            probe::INPUT_LOST,
            probe::BYTES_DOWN,
        ] {
            if !probes.contains(&id) {
                probes.push(id);
            }
        }
        probes
    }

    /// The rows as JSON.
    pub fn json(&self, reports: &[Report]) -> String {
        let param = self.id.param();
        let mut json = Json::new();
        json.object()
            .key("sweep")
            .text(param.id)
            .key("unit")
            .text(param.unit);
        if let Some(report) = reports.first() {
            json.key("scene")
                .text(report.scene)
                .key("seed")
                .number(report.seed as f64);
            json.key("seconds").number(report.seconds).key("config");
            report.config.write(&mut json);
        }
        json.key("rows").list();
        for (&value, report) in self.values.iter().zip(reports) {
            json.object().key("value");
            param.write_value(value, &mut json);
            json.key("probes");
            report.write_probes(&mut json);
            json.key("hash").text(&hex(report.hash)).end_object();
        }
        json.end_list().end_object();
        json.finish()
    }

    /// The rows as a table.
    pub fn table(&self, reports: &[Report], probes: &[ProbeId]) -> String {
        let param = self.id.param();
        let unit = reports.first().map_or("m", |report| report.unit);
        let mut head = vec![named(param.id, param.unit)];
        head.extend(probes.iter().map(|id| {
            let probe = id.probe();
            let what = match probe.headline {
                Headline::Mean => "mean ",
                Headline::Max => "max ",
                Headline::Total => "",
            };
            named(&format!("{what}{}", probe.id), probe.unit_in(unit))
        }));
        let mut rows = vec![head];
        for (&value, report) in self.values.iter().zip(reports) {
            let mut row = vec![param.text(value)];
            row.extend(probes.iter().map(|id| {
                let places = if id.probe().unit_in(unit) == "m" {
                    4
                } else {
                    1
                };
                number(headline(*id, report.probe(*id)), places)
            }));
            rows.push(row);
        }
        columns(&rows, 1)
    }
}

/// The figure of a summary that a sentence would quote.
pub fn headline(id: ProbeId, summary: &Summary) -> f64 {
    match id.probe().headline {
        Headline::Mean => summary.mean,
        Headline::Total => summary.total,
        Headline::Max => summary.max,
    }
}

fn named(name: &str, unit: &str) -> String {
    if unit.is_empty() {
        name.into()
    } else {
        format!("{name}, {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::INTERP_DELAY;

    #[test]
    fn reads_ranges_and_lists() {
        let range = Sweep::parse("interp.delay=40..240:20").unwrap();
        assert_eq!(
            (range.id, range.values.len(), range.values[10]),
            (INTERP_DELAY, 11, 240.0)
        );
        assert_eq!(
            Sweep::parse("link.carrier=websocket,datagram")
                .unwrap()
                .values,
            [0.0, 1.0]
        );
        assert_eq!(
            Sweep::parse("clock.drift=-1..1:0.1").unwrap().values.len(),
            21
        );
        // 0.3 / 0.1 is a hair below 3.
        let fine = Sweep::parse("interp.delay=0..0.3:0.1").unwrap();
        assert_eq!(fine.values.len(), 4);
        assert_eq!(
            Sweep::parse("interp.delay=0..50:20").unwrap().values,
            [0.0, 20.0, 40.0]
        );
    }

    #[test]
    fn says_what_it_did_not_understand() {
        for text in [
            "interp.delay",
            "interp.delay=40..240",
            "interp.delay=0..10:x",
        ] {
            assert!(
                matches!(Sweep::parse(text), Err(SweepError::Shape(_))),
                "{text}"
            );
        }
        for text in [
            "interp.delay=40..20:5",
            "interp.delay=0..10:0",
            "interp.delay=0..600:0.1",
        ] {
            assert!(
                matches!(Sweep::parse(text), Err(SweepError::Step(_))),
                "{text}"
            );
        }
        for text in [
            "interp.dely=0..10:5",
            "interp.delay=0..601:5",
            "bots=0..3:0.5",
        ] {
            assert!(
                matches!(Sweep::parse(text), Err(SweepError::Param(_))),
                "{text}"
            );
        }
    }
}
