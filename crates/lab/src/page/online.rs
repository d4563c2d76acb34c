//! A real match as a page holds it: bytes in and out, everything else as text, and one flat view.

use netcode::Delivery;
use scenes::Pad;
use wire::Micros;

use super::{lines, readings};
use crate::json::Json;
use crate::lab::{Standing, View};
use crate::online::{self, Online, OnlineSetup, SetError};
use crate::scenes::{named, open_online};

/// The longest that a page may sleep before it asks again.
const LONGEST_WAIT: Micros = Micros::from_millis(1_000);

/// A real match with its view, for a page that speaks in text, numbers and bytes. Times are µs of a clock of the page's.
pub struct OnlinePage {
    online: Box<dyn Online>,
    view: View,
    out: Vec<u8>,
    keep: bool,
}

impl OnlinePage {
    /// Begins to ask to be let in. `setup` is what the relay told of the room's world, JSON; `delivery` is `ordered` or
    /// `datagram`; of `config`, a flat JSON object, what is the own side's counts, and what it leaves out is as by default,
    /// with nothing laid over the link.
    ///
    /// # Errors
    /// A sentence.
    pub fn open(
        scene: &str,
        setup: &str,
        rate_hz: u32,
        delivery: &str,
        watch: bool,
        config: &str,
        now_us: f64,
    ) -> Result<Self, String> {
        // A rate that is none is one that no relay accepts, and the relay says so.
        let rate_hz = u16::try_from(rate_hz).unwrap_or(u16::MAX);
        let own = named(scene).map_err(|error| error.to_string())?.id;
        let setup = OnlineSetup {
            world: OnlineSetup::world(setup, rate_hz)?,
            delivery: delivery_of(delivery)?,
            watch,
            config: online::read(own, config).map_err(|error| error.to_string())?,
        };
        let online =
            open_online(scene, setup, micros(now_us)).map_err(|error| error.to_string())?;
        Ok(Self {
            online,
            view: View::default(),
            out: Vec::new(),
            keep: false,
        })
    }

    /// A frame that came from the relay.
    pub fn handle(&mut self, bytes: &[u8], now_us: f64) {
        self.online.handle(micros(now_us), bytes);
    }

    /// Runs what is due.
    pub fn advance(&mut self, now_us: f64) {
        self.online.advance(micros(now_us));
    }

    /// The next frame to send; empty where there is none now. **To be asked until it is empty after each of the above.**
    pub fn poll(&mut self, now_us: f64) -> &[u8] {
        match self.online.poll(micros(now_us), &mut self.out) {
            Some(keep) => self.keep = keep,
            None => self.out.clear(),
        }
        &self.out
    }

    /// The frame that was polled last.
    pub fn out(&self) -> &[u8] {
        &self.out
    }

    /// Whether that must not be lost.
    pub fn out_keep(&self) -> bool {
        self.keep
    }

    /// µs until it wants to be asked again, at most a second.
    pub fn wait_us(&self, now_us: f64) -> f64 {
        self.online.wait(micros(now_us)).min(LONGEST_WAIT).get() as f64
    }

    /// Whether the carrier takes bytes.
    pub fn set_writable(&mut self, writable: bool) {
        self.online.set_writable(writable);
    }

    /// Joins afresh on another carrier.
    ///
    /// # Errors
    /// A sentence; nothing happened.
    pub fn reconnect(&mut self, delivery: &str, now_us: f64) -> Result<(), String> {
        let delivery = delivery_of(delivery)?;
        self.online.reconnect(micros(now_us), delivery);
        Ok(())
    }

    /// The player's hands.
    pub fn pad(&mut self, pad: Pad) {
        self.online.pad(pad);
    }

    /// Sets a parameter of the own side.
    ///
    /// # Errors
    /// A sentence; nothing was set.
    pub fn set(&mut self, id: &str, value: &str) -> Result<(), SetError> {
        self.online.set(id, value)
    }

    /// Every parameter as a JSON object; what is the room's to say is as by default.
    pub fn config(&self) -> String {
        let mut json = Json::new();
        self.online.config().write(&mut json);
        json.finish()
    }

    /// Leaves, and says so.
    pub fn leave(&mut self) {
        self.online.leave();
    }

    /// What it is, as a JSON object; see [`crate::online::Status::write`].
    pub fn status(&self) -> String {
        let mut json = Json::new();
        self.online.status().write(&mut json);
        json.finish()
    }

    /// What it holds, as one line for a log.
    pub fn describe(&self) -> String {
        self.online.describe()
    }

    /// Writes the view and hands it out; see [`View`].
    pub fn view(&mut self) -> &[f32] {
        self.view.fill(&*self.online, Standing::default());
        self.view.floats()
    }

    /// The view as it was written last.
    pub fn last_view(&self) -> &[f32] {
        self.view.floats()
    }

    /// The figures behind a page's text, as a JSON object.
    pub fn readings(&self) -> String {
        readings::readings(&*self.online)
    }

    /// What happened since it was asked last, as a JSON list.
    pub fn events(&mut self) -> String {
        lines(self.online.drain().iter())
    }

    /// Starts recording packets afresh, or stops.
    pub fn record(&mut self, on: bool) {
        self.online.record(on);
    }

    /// What was recorded last; see [`crate::online::recording`].
    pub fn recording(&self) -> &[u8] {
        self.online.recording()
    }
}

/// A time of a page's; what is no number is zero.
fn micros(us: f64) -> Micros {
    Micros::new(us as u64)
}

fn delivery_of(text: &str) -> Result<Delivery, String> {
    match text {
        "ordered" => Ok(Delivery::Ordered),
        "datagram" => Ok(Delivery::Datagram),
        _ => Err(format!(
            "a carrier is ordered or datagram; \"{text}\" is none"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(scene: &str, setup: &str, delivery: &str, config: &str) -> Result<OnlinePage, String> {
        OnlinePage::open(scene, setup, 64, delivery, false, config, 5e6)
    }

    #[test]
    fn what_cannot_be_opened_is_said() {
        let wrong = |scene, setup, delivery, config| {
            open(scene, setup, delivery, config)
                .err()
                .unwrap_or_default()
        };
        let cases = [
            wrong("arna", "{}", "ordered", "{}"),
            wrong("arena", "{\"seed\":-1}", "ordered", "{}"),
            wrong("arena", "nonsense", "ordered", "{}"),
            wrong("arena", "{}", "pigeon", "{}"),
            wrong("arena", "{}", "ordered", "{\"interp.dely\":1}"),
        ];
        let words = [
            "nearest is \"arena\"",
            "cannot be -1",
            "`n`",
            "pigeon",
            "interp.delay",
        ];
        for (said, word) in cases.iter().zip(words) {
            assert!(said.contains(word), "{word}: {said}");
        }
        assert!(open("arena", "{\"seed\":7,\"new\":{\"a\":1}}", "datagram", "{}").is_ok());
    }

    #[test]
    fn it_says_hello_and_what_it_is() {
        let mut page = open("arena", "{\"seed\":7}", "ordered", "{}").unwrap();
        page.advance(5e6);
        assert!(!page.poll(5e6).is_empty() && page.out_keep());
        assert!(page.poll(5e6).is_empty() && page.out().is_empty());
        assert!((1.0..=1e6).contains(&page.wait_us(5e6)));
        assert!(
            page.status()
                .starts_with("{\"role\":\"joining\",\"why\":null")
        );
        let held = page.describe();
        for wanted in ["version ", "64 Hz; actions: ", "world 0x"] {
            assert!(held.contains(wanted) && !held.contains('\n'), "{held}");
        }
        let readings = page.readings();
        for wanted in [
            "\"own.error_naive\":{\"now\":null,\"mean\":null",
            "\"roles\":{\"you\":\"joining\",\"other\":null}",
            "\"up_in_flight\":0",
        ] {
            assert!(readings.contains(wanted), "{wanted}: {readings}");
        }
        assert_eq!(page.view()[..1], [2.0]);
        assert_eq!(page.events(), "[]");
        let rate = page.set("server.snapshots", "20").unwrap_err().to_string();
        assert!(rate.contains("host"), "{rate}");
        assert!(page.set("interp.delay", "-3").is_err());
        page.set("interp.delay", "90").unwrap();
        page.reconnect("datagram", 6e6).unwrap();
        assert!(page.reconnect("pigeon", 6e6).is_err());
        let config = page.config();
        assert!(
            config.contains("\"interp.delay\":90,")
                && config.contains("\"link.carrier\":\"datagram\"")
        );
        page.leave();
        assert!(page.status().contains("\"why\":\"left\""));
        assert!(page.recording().is_empty());
        page.record(true);
        assert!(page.recording().starts_with(b"AFTIMREC"));
    }
}
