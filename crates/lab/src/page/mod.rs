//! The lab as a page holds it: catalogue, settings, hands, readings, all as text, and one flat view.

mod catalogue;
mod online;
mod packet;
mod readings;
pub mod settings;

use std::sync::Arc;

use netsim::{Shock, Trace, TraceError};
use scenes::{BotStyle, Pad};
use wire::Micros;

use crate::json::{Json, number};
use crate::lab::{Action, Driver, FeedLine, Lab, LabSetup, OTHER, Side, Standing, View, YOU};
use crate::params::{self, ParamError, ParamId};
use crate::run::hex;
use crate::scenes::open;
use crate::timeline::{Bound, Timeline};

pub use catalogue::catalogue;
pub use online::OnlinePage;

/// The most ticks that one [`Page::advance`] runs: a page that was hidden does not owe them all.
pub const MOST_TICKS: u64 = 8;

/// The longest shock that can be asked for, ms.
const LONGEST_SHOCK: f64 = 60_000.0;

/// A lab with its view, for a page that speaks in text and numbers.
pub struct Page {
    time: Timeline,
    view: View,
    /// What was loaded last; a lab of a time before does not have it.
    trace: Option<Arc<Trace>>,
}

impl Page {
    /// Opens a scene. `config` is a flat JSON object; what it leaves out is as by default, and what is another scene's is
    /// passed over.
    ///
    /// # Errors
    /// A sentence.
    pub fn open(scene: &str, seed: u64, config: &str) -> Result<Self, String> {
        let config = settings::read_config(scene, config)?;
        let lab = open(scene, LabSetup::new(seed, config)).map_err(|error| error.to_string())?;
        Ok(Self {
            time: Timeline::new(lab, Bound::default()),
            view: View::default(),
            trace: None,
        })
    }

    /// The lab at the instant that is shown.
    fn lab(&self) -> &dyn Lab {
        self.time.shown()
    }

    /// Every parameter as a JSON object.
    pub fn config(&self) -> String {
        let mut json = Json::new();
        self.lab().config().write(&mut json);
        json.finish()
    }

    /// Sets a parameter, live. One that restarts begins again at time zero.
    ///
    /// # Errors
    /// A sentence; nothing was set.
    pub fn set(&mut self, id: &str, value: &str) -> Result<(), ParamError> {
        let mut config = *self.lab().config();
        let id = config.set_text(id, value)?;
        if id == params::LINK_VARY && config.get(id) == params::TRACE {
            self.give_trace();
        }
        self.apply(id, config.get(id));
        Ok(())
    }

    /// Loads a trace from its CSV, for `link.vary=trace` to play.
    ///
    /// # Errors
    /// A sentence with line and column; what was loaded before stays.
    pub fn set_trace(&mut self, csv: &str) -> Result<(), TraceError> {
        let trace = Arc::new(Trace::parse(csv)?);
        self.time.act(Action::Trace(trace.clone()));
        self.trace = Some(trace);
        Ok(())
    }

    /// Takes over the trace that another page has loaded: a world that begins anew is on the same link.
    pub fn carry_trace(&mut self, from: &Self) {
        self.trace.clone_from(&from.trace);
        self.give_trace();
    }

    /// Loads the trace into a lab of a time before it was loaded.
    fn give_trace(&mut self) {
        if let Some(trace) = &self.trace {
            self.time.act(Action::Trace(trace.clone()));
        }
    }

    /// The loaded trace in a few words, or nothing.
    pub fn trace(&self) -> String {
        let Some(trace) = &self.trace else {
            return String::new();
        };
        let rows = match trace.rows() {
            1 => "1 row".into(),
            rows => format!("{rows} rows"),
        };
        format!(
            "{rows}, {} s, up to {} ms, {} % lost",
            number(trace.length().as_secs_f64(), 1),
            number(trace.slowest().as_millis_f64(), 0),
            number(trace.loss() * 100.0, 1)
        )
    }

    /// Puts both directions of the link to a preset.
    ///
    /// # Errors
    /// A sentence; nothing was set.
    pub fn preset(&mut self, id: &str) -> Result<(), ParamError> {
        let mut config = *self.lab().config();
        config.set_link(id)?;
        for id in config.params() {
            self.apply(id, config.get(id));
        }
        Ok(())
    }

    fn apply(&mut self, id: ParamId, value: f64) {
        self.time.act(Action::Set(id, value));
    }

    /// Somebody's hands at a seat that no bot drives. A seat that there is not is ignored.
    pub fn pad(&mut self, seat: u32, pad: Pad) {
        if seat as usize <= OTHER {
            self.time.act(Action::Pad(seat as usize, pad));
        }
    }

    /// Whether a bot drives You.
    pub fn autopilot(&mut self, on: bool) {
        let driver = if on {
            Driver::Bot(BotStyle::Duel)
        } else {
            Driver::Hands
        };
        self.time.act(Action::Pad(YOU, Pad::default()));
        self.time.act(Action::Drive(YOU, driver));
    }

    /// Shakes You's link once: `drop` loses the next packet, `spike` holds what is sent for `ms` more, `dark` loses
    /// everything for `ms`; `up`, `down` or `both`.
    ///
    /// # Errors
    /// A sentence; nothing happened.
    pub fn perturb(&mut self, what: &str, direction: &str, ms: f64) -> Result<(), String> {
        if !(0.0..=LONGEST_SHOCK).contains(&ms) {
            return Err(format!(
                "a shock lasts from 0 to {} ms; {} is outside",
                number(LONGEST_SHOCK, 0),
                number(ms, 3)
            ));
        }
        let length = Micros::new((ms * 1_000.0) as u64);
        let shock = match what {
            "drop" => Shock::DropNext,
            "spike" => Shock::Spike { extra: length },
            "dark" => Shock::Dark { length },
            _ => {
                return Err(format!(
                    "a shock is drop, spike or dark; \"{what}\" is none"
                ));
            }
        };
        let side = match direction {
            "up" => Side::Up,
            "down" => Side::Down,
            "both" => Side::Both,
            _ => {
                return Err(format!(
                    "a direction is up, down or both; \"{direction}\" is none"
                ));
            }
        };
        self.time.act(Action::Perturb {
            seat: YOU,
            side,
            shock,
        });
        Ok(())
    }

    /// A packet in flight, explained, as a JSON object ([`crate::inspect::Inspected::write`]); empty where there is no such
    /// line. Lines are numbered as in the view: 0 You up, 1 You down, 2 the other player up, 3 down.
    pub fn inspect(&self, line: u32, number: f64) -> String {
        packet::inspect(self.lab(), line, number)
    }

    /// Does something to one packet in flight: `drop` it, `hold` it for `ms` more, send it `twice`.
    ///
    /// # Errors
    /// A sentence; nothing happened.
    pub fn meddle(&mut self, line: u32, number: f64, what: &str, ms: f64) -> Result<(), String> {
        let action = packet::meddle(self.lab(), line, number, what, ms)?;
        self.time.act(action);
        Ok(())
    }

    /// Runs on by so much virtual time, at most [`MOST_TICKS`] ticks of it; returns how much. Behind live that is through
    /// what was.
    pub fn advance(&mut self, time: Micros) -> Micros {
        let tick = Micros::new((1e6 / self.lab().config().get(params::SERVER_TICK)) as u64);
        let time = time.min(tick * MOST_TICKS);
        self.time.advance(self.lab().now() + time);
        time
    }

    /// Runs on to exactly the next tick of the server, so many times and at most [`MOST_TICKS`]; below zero, back to
    /// earlier ones.
    pub fn step(&mut self, ticks: i32) {
        self.time.step(ticks.min(MOST_TICKS as i32));
    }

    /// Shows the instant so many ms before live, or the nearest that is kept. What is no number is none.
    pub fn seek(&mut self, behind_ms: f64) {
        let Standing { behind, .. } = self.time.standing();
        let live = self.lab().now() + behind;
        self.time
            .seek(live - Micros::new((behind_ms * 1_000.0) as u64));
    }

    /// Shows the live instant.
    pub fn live(&mut self) {
        self.time.live();
    }

    /// Bounds what the world and its past may take, bytes. With none there is no past: a run that nobody turns back needs no
    /// memory for it.
    pub fn remember(&mut self, bytes: usize) {
        self.time.rebound(Bound {
            bytes,
            ..Bound::default()
        });
    }

    /// Memory that the world and its past take, bytes.
    pub fn bytes(&self) -> usize {
        self.time.bytes()
    }

    /// Writes the view and hands it out; see [`View`].
    pub fn view(&mut self) -> &[f32] {
        self.view.fill(self.time.shown(), self.time.standing());
        self.view.floats()
    }

    /// The view as it was written last.
    pub fn last_view(&self) -> &[f32] {
        self.view.floats()
    }

    /// The figures behind a page's text, as a JSON object.
    pub fn readings(&self) -> String {
        readings::readings(self.lab())
    }

    /// The hash of the whole lab.
    pub fn hash(&self) -> String {
        hex(self.lab().digest())
    }

    /// What happened since it was asked last, as a JSON list: each line once, when it happens.
    pub fn events(&mut self) -> String {
        lines(self.time.news())
    }

    /// What happened in the last minute before live, as a JSON list: what is later than the shown instant is there too,
    /// what a fork has undone is not.
    pub fn history(&self) -> String {
        lines(self.time.lines())
    }
}

fn lines<'a>(lines: impl Iterator<Item = &'a FeedLine>) -> String {
    let mut json = Json::new();
    json.list();
    for line in lines {
        json.object().key("t_ms").number(line.at.as_millis_f64());
        json.key("kind")
            .text(line.kind)
            .key("text")
            .text(&line.text)
            .end_object();
    }
    json.end_list();
    json.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::flat_object;

    fn page() -> Page {
        Page::open("arena", 7, "{}").unwrap()
    }

    #[test]
    fn what_cannot_be_opened_is_said() {
        let wrong = |scene, config| Page::open(scene, 1, config).err().unwrap();
        assert_eq!(
            wrong("arna", "{}"),
            "there is no scene \"arna\"; the nearest is \"arena\""
        );
        assert!(wrong("arena", "{\"interp.dely\":5}").contains("the nearest is \"interp.delay\""));
        assert!(wrong("arena", "nonsense").starts_with("not a configuration"));
    }

    #[test]
    fn the_configuration_goes_out_and_in() {
        let mut page = page();
        page.set("interp.delay", "120").unwrap();
        page.set("predict.on", "false").unwrap();
        let again = Page::open("arena", 7, &page.config()).unwrap();
        assert_eq!(again.config(), page.config());
        assert!(
            flat_object(&page.config())
                .unwrap()
                .contains(&("interp.delay".into(), "120".into()))
        );
        page.preset("2g").unwrap();
        assert!(page.readings().contains("\"label\":\"2G\""));
        assert!(page.preset("6g").is_err() && page.set("bots", "31").is_err());
    }

    #[test]
    fn a_trace_is_loaded_described_and_carried_over() {
        let mut page = page();
        assert_eq!(page.trace(), "");
        page.set("link.vary", "trace").unwrap();
        let without = page.hash();
        page.set_trace("0,20,0\n500,120,0\n1000,0,1\n1250,0,0")
            .unwrap();
        let about = "4 rows, 1.5 s, up to 120 ms, 16.7 % lost";
        assert_eq!(page.trace(), about);
        assert_ne!(page.hash(), without);
        let error = page.set_trace("0,20").unwrap_err().to_string();
        assert!(error.starts_with("line 1, column 3"), "{error}");
        assert_eq!(page.trace(), about, "what was loaded stays");
        assert!(page.readings().contains("\"variation_ms\":120,"));
        for _ in 0..4 {
            page.advance(Micros::from_millis(100));
        }
        page.set_trace("0,33,0").unwrap();
        page.seek(200.0);
        page.set("link.vary", "none").unwrap();
        page.set("link.vary", "trace").unwrap();
        assert_eq!(
            page.lab().setup().trace,
            page.trace,
            "the newest, in a past that had another"
        );
        page.set("bots", "3").unwrap();
        assert_eq!(
            page.trace(),
            "1 row, 1 s, up to 33 ms, 0 % lost",
            "a restart keeps it"
        );

        let mut next = Page::open("arena", 7, &page.config()).unwrap();
        next.carry_trace(&page);
        page.advance(Micros::from_millis(100));
        next.advance(Micros::from_millis(100));
        assert_eq!(next.hash(), page.hash());
    }

    #[test]
    fn advance_is_bounded_and_step_is_a_tick() {
        let mut page = page();
        assert_eq!(
            page.advance(Micros::from_millis(10)),
            Micros::from_millis(10)
        );
        assert_eq!(
            page.advance(Micros::from_millis(10_000)),
            Micros::new(125_000)
        );
        let tick = page.lab().tick();
        page.step(1);
        assert_eq!(page.lab().tick(), tick.next());
    }

    #[test]
    fn the_past_is_found_by_how_far_it_lies_behind() {
        let mut page = page();
        for _ in 0..50 {
            page.advance(Micros::from_millis(100));
        }
        let (live, told) = (page.hash(), page.events());
        for (behind_ms, at_ms) in [
            (1_234.5, 3_765_500),
            (0.0, 5_000_000),
            (4_999.0, 1_000),
            (1e300, 0),
            (-5.0, 5_000_000),
            (f64::INFINITY, 0),
            (f64::NAN, 5_000_000),
        ] {
            page.seek(behind_ms);
            assert_eq!(page.lab().now(), Micros::new(at_ms), "{behind_ms}");
        }
        page.seek(3_000.0);
        page.step(-1);
        page.step(i32::MAX);
        assert_ne!(page.hash(), live);
        assert_eq!(page.events(), "[]", "nothing happens anew");
        assert_eq!(page.history(), told);
        page.live();
        assert_eq!(page.hash(), live);
        page.remember(0);
        page.seek(3_000.0);
        assert_eq!(page.hash(), live);
    }

    #[test]
    fn a_restart_begins_again_and_equals_a_fresh_start() {
        let mut page = page();
        page.advance(Micros::from_millis(100));
        page.set("bots", "3").unwrap();
        assert_eq!(page.lab().now(), Micros::ZERO);
        let mut fresh = Page::open("arena", 7, "{\"bots\":3}").unwrap();
        page.advance(Micros::from_millis(100));
        fresh.advance(Micros::from_millis(100));
        assert_eq!(page.hash(), fresh.hash());
    }

    #[test]
    fn the_view_says_where_everything_is() {
        let mut page = page();
        for _ in 0..40 {
            page.advance(Micros::from_millis(100));
        }
        let view = page.view().to_vec();
        assert_eq!(
            view[..8],
            [2.0, 4.0, 0.0, view[3], 10.0, 0.0, 4_000.0, 0.0],
            "live, all of it kept"
        );
        let mut end = 8 + 3 * 10;
        for section in 0..10 {
            let [offset, count, stride] = [0, 1, 2].map(|i| view[8 + section * 3 + i] as usize);
            assert_eq!(offset, end, "section {section} follows the one before");
            assert!(count > 0, "section {section} is empty");
            end = offset + count * stride;
        }
        assert_eq!(end, view.len());
    }

    #[test]
    fn shocks_are_checked() {
        let mut page = page();
        assert!(page.perturb("drop", "both", 0.0).is_ok());
        assert!(page.perturb("dark", "down", 500.0).is_ok());
        for (what, direction, ms) in [
            ("burn", "up", 1.0),
            ("drop", "left", 1.0),
            ("dark", "up", -1.0),
        ] {
            assert!(page.perturb(what, direction, ms).is_err());
        }
        assert!(page.perturb("dark", "up", f64::NAN).is_err());
    }
}
