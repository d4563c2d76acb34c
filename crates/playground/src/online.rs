//! A real match's face. What each call does stands at [`lab::page::OnlinePage`].

use lab::page::OnlinePage;
use scenes::Pad;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use super::sentence;

/// The client of a real match. Whoever has the socket gives it what was heard and sends what it polls; times are
/// microseconds of any one clock.
#[wasm_bindgen]
pub struct Online {
    page: OnlinePage,
}

#[wasm_bindgen]
impl Online {
    /// Begins to ask to be let in; throws an error with a sentence where something is wrong. `setup` is the relay's, JSON;
    /// `delivery` is `ordered` or `datagram`.
    #[wasm_bindgen(constructor)]
    pub fn new(
        scene: &str,
        setup: &str,
        rate: f64,
        delivery: &str,
        watch: bool,
        config: &str,
        now_us: f64,
    ) -> Result<Self, JsError> {
        OnlinePage::open(scene, setup, rate as u32, delivery, watch, config, now_us)
            .map(|page| Self { page })
            .map_err(|error| JsError::new(&error))
    }

    /// A frame that came from the relay.
    pub fn handle(&mut self, bytes: &[u8], now_us: f64) {
        self.page.handle(bytes, now_us);
    }

    /// Runs what is due, a bounded number of ticks.
    pub fn advance(&mut self, now_us: f64) {
        self.page.advance(now_us);
    }

    /// The length of the next frame to send, 0 where there is none now. To be asked until then after `handle` and `advance`.
    pub fn poll(&mut self, now_us: f64) -> usize {
        self.page.poll(now_us).len()
    }

    /// Where that frame stands in the module's memory, until the next call.
    pub fn out_ptr(&self) -> *const u8 {
        self.page.out().as_ptr()
    }

    /// Whether it must not be lost.
    pub fn out_keep(&self) -> bool {
        self.page.out_keep()
    }

    /// How long until it wants to be asked again, at most a second.
    pub fn wait_us(&self, now_us: f64) -> f64 {
        self.page.wait_us(now_us)
    }

    /// Whether the carrier takes bytes; it does unless this says otherwise.
    pub fn set_writable(&mut self, on: bool) {
        self.page.set_writable(on);
    }

    /// Joins afresh on another carrier; empty, or the sentence of what was wrong. Settings, instruments and picture stay.
    pub fn reconnect(&mut self, delivery: &str, now_us: f64) -> String {
        sentence(self.page.reconnect(delivery, now_us))
    }

    /// The player's hands, as at `Bench.pad`.
    pub fn pad(&mut self, x: f32, y: f32, aim_x: f32, aim_y: f32, buttons: u32) {
        self.page.pad(Pad {
            x,
            y,
            aim_x,
            aim_y,
            buttons,
            pressed: 0,
        });
    }

    /// Sets a parameter of the own side; empty, or the sentence of what was wrong or whose it is.
    pub fn set(&mut self, id: &str, value: &str) -> String {
        sentence(self.page.set(id, value))
    }

    /// Every parameter's value, JSON.
    pub fn config(&self) -> String {
        self.page.config()
    }

    /// Leaves, and says so.
    pub fn leave(&mut self) {
        self.page.leave();
    }

    /// What it is, JSON: role, why, sentence, refused, final, key.
    pub fn status(&self) -> String {
        self.page.status()
    }

    /// What it holds, as one line for the console: of a refused join the relay logs the other line, and the two show what
    /// differs.
    pub fn describe(&self) -> String {
        self.page.describe()
    }

    /// Writes the view, laid out as the bench's; returns its length in floats.
    pub fn view(&mut self, _width_hint: f64) -> usize {
        self.page.view().len()
    }

    /// Where the view stands in the module's memory. It moves when the view grows: ask after each [`Online::view`].
    pub fn view_ptr(&self) -> *const f32 {
        self.page.last_view().as_ptr()
    }

    /// The figures behind the page's text, JSON, as the bench's; what a client cannot know is null.
    pub fn readings(&self) -> String {
        self.page.readings()
    }

    /// What happened since it was asked last, JSON.
    pub fn events(&mut self) -> String {
        self.page.events()
    }

    /// Starts recording raw packets afresh, or stops.
    pub fn record(&mut self, on: bool) {
        self.page.record(on);
    }

    /// What was recorded last, a file that `lab recording` reads.
    pub fn recording(&self) -> Vec<u8> {
        self.page.recording().to_vec()
    }
}
