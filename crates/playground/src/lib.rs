//! The lab's face in the browser: names and types that JavaScript knows, and nothing else. What each call does stands at
//! [`lab::page::Page`].

mod online;

use lab::page::{Page, catalogue, settings};
use scenes::Pad;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};
use wire::Micros;

/// A lab that a page looks at and plays in.
#[wasm_bindgen]
pub struct Bench {
    page: Page,
}

#[wasm_bindgen]
impl Bench {
    /// Opens a scene; throws an error with a sentence where the scene or the configuration is wrong.
    #[wasm_bindgen(constructor)]
    pub fn new(scene: &str, seed: f64, config: &str) -> Result<Self, JsError> {
        // A number of JavaScript holds whole numbers to 2^53; what is none becomes 0.
        Page::open(scene, seed as u64, config)
            .map(|page| Self { page })
            .map_err(|error| JsError::new(&error))
    }

    /// The catalogue of scenes, parameters, presets and probes, JSON.
    pub fn catalogue() -> String {
        catalogue()
    }

    /// Every parameter's value, JSON.
    pub fn config(&self) -> String {
        self.page.config()
    }

    /// Sets a parameter; empty, or the sentence of what was wrong.
    pub fn set(&mut self, id: &str, value: &str) -> String {
        sentence(self.page.set(id, value))
    }

    /// Puts the link to a preset; empty, or the sentence of what was wrong.
    pub fn preset(&mut self, id: &str) -> String {
        sentence(self.page.preset(id))
    }

    /// Loads a trace from its CSV; empty, or the sentence of what was wrong.
    pub fn trace(&mut self, csv: &str) -> String {
        sentence(self.page.set_trace(csv))
    }

    /// Takes over the trace that another bench has loaded.
    pub fn carry_trace(&mut self, from: &Self) {
        self.page.carry_trace(&from.page);
    }

    /// The loaded trace in a few words, or nothing.
    pub fn about_trace(&self) -> String {
        self.page.trace()
    }

    /// Somebody's hands: axes −1 to 1, y down; where the pointer is, m (NaN: nowhere); buttons by bit.
    pub fn pad(&mut self, seat: u32, x: f32, y: f32, aim_x: f32, aim_y: f32, buttons: u32) {
        self.page.pad(
            seat,
            Pad {
                x,
                y,
                aim_x,
                aim_y,
                buttons,
                pressed: 0,
            },
        );
    }

    /// Whether a bot drives You.
    pub fn autopilot(&mut self, on: bool) {
        self.page.autopilot(on);
    }

    /// Shakes the link once; empty, or the sentence of what was wrong.
    pub fn perturb(&mut self, what: &str, direction: &str, ms: f64) -> String {
        sentence(self.page.perturb(what, direction, ms))
    }

    /// A packet in flight, explained, JSON; empty where there is no such line.
    pub fn inspect(&self, line: u32, number: f64) -> String {
        self.page.inspect(line, number)
    }

    /// Does `drop`, `hold` (for `ms`) or `twice` to one packet in flight; empty, or the sentence of what was wrong.
    pub fn meddle(&mut self, line: u32, number: f64, what: &str, ms: f64) -> String {
        sentence(self.page.meddle(line, number, what, ms))
    }

    /// Runs on by so many microseconds of virtual time, at most eight ticks' worth; returns how many.
    pub fn advance(&mut self, us: f64) -> f64 {
        self.page.advance(Micros::new(us as u64)).get() as f64
    }

    /// Runs on by so many ticks of the server, at most eight; below zero, back.
    pub fn step(&mut self, ticks: i32) {
        self.page.step(ticks);
    }

    /// Shows the instant so many ms before live, or the nearest that is kept.
    pub fn seek(&mut self, behind_ms: f64) {
        self.page.seek(behind_ms);
    }

    /// Shows the live instant.
    pub fn live(&mut self) {
        self.page.live();
    }

    /// Writes the view; returns its length in floats. The width of the picture changes nothing yet.
    pub fn view(&mut self, _width_hint: f64) -> usize {
        self.page.view().len()
    }

    /// Where the view stands in the module's memory. It moves when the view grows: ask after each [`Bench::view`].
    pub fn view_ptr(&self) -> *const f32 {
        self.page.last_view().as_ptr()
    }

    /// The figures behind the page's text, JSON.
    pub fn readings(&self) -> String {
        self.page.readings()
    }

    /// What happened since it was asked last, JSON. Behind live nothing happens anew.
    pub fn events(&mut self) -> String {
        self.page.events()
    }

    /// What happened in the last minute before live, JSON.
    pub fn history(&self) -> String {
        self.page.history()
    }

    /// Bounds what the world and its past may take, bytes; with none there is no past.
    pub fn remember(&mut self, bytes: f64) {
        self.page.remember(bytes as usize);
    }

    /// Memory that the world and its past take, bytes.
    pub fn bytes(&self) -> f64 {
        self.page.bytes() as f64
    }

    /// The hash of the whole lab, hexadecimal.
    pub fn hash(&self) -> String {
        self.page.hash()
    }
}

fn sentence<E: std::fmt::Display>(result: Result<(), E>) -> String {
    result.map_or_else(|error| error.to_string(), |()| String::new())
}

/// Settings as a configuration file; throws an error with a sentence where they are wrong.
#[wasm_bindgen]
pub fn settings_file(scene: &str, seed: f64, config: &str) -> Result<String, JsError> {
    settings::as_file(scene, seed as u64, config).map_err(|error| JsError::new(&error))
}

/// Settings as Rust; throws an error with a sentence where they are wrong.
#[wasm_bindgen]
pub fn settings_rust(scene: &str, config: &str) -> Result<String, JsError> {
    settings::as_rust(scene, config).map_err(|error| JsError::new(&error))
}

/// What a configuration file says, JSON; throws an error with a sentence where it is wrong.
#[wasm_bindgen]
pub fn read_settings(text: &str) -> Result<String, JsError> {
    settings::read(text).map_err(|error| JsError::new(&error))
}

/// The determinism trace: a line for every thousandth tick of the scene with its defaults, and last the hash; throws an error with a
/// sentence where its code is not in this module.
#[wasm_bindgen]
pub fn trace(scene: &str, ticks: u32) -> Result<String, JsError> {
    lab::trace::trace(scene, u64::from(ticks)).map_err(|error| JsError::new(&error.to_string()))
}
