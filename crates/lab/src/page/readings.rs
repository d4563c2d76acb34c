//! The figures behind a page's text.

use netcode::Role;

use super::Page;
use crate::json::Json;
use crate::lab::{OTHER, YOU, needs};
use crate::params::{self, Pair};
use crate::probe::{self, ProbeId};

impl Page {
    /// The figures behind a page's text, as a JSON object.
    pub fn readings(&self) -> String {
        let (lab, now) = (self.lab(), self.lab().now());
        let mut json = Json::new();
        json.object().key("now_ms").number(now.as_millis_f64());
        json.key("tick").number(lab.tick().get() as f64);
        json.key("probes").object();
        for id in ProbeId::all() {
            let reading = lab.meters().reading(id, now);
            let summary = lab.meters().summary(id, now);
            json.key(id.probe().id).object();
            for (key, value) in [
                ("now", reading.now),
                ("mean", reading.mean),
                ("max", reading.max),
                ("p95", summary.p95),
                ("total", summary.total),
                ("count", summary.count as f64),
            ] {
                json.key(key).number(value);
            }
            json.key("unit").text(id.probe().unit).end_object();
        }
        json.end_object();
        self.write_needs(&mut json);
        json.key("roles").object();
        for (key, seat) in [("you", YOU), ("other", OTHER)] {
            json.key(key).text(&role(lab.role(seat)));
        }
        json.end_object().key("panes").object();
        let or_null = |value: Option<f64>| value.unwrap_or(f64::NAN);
        json.key("you")
            .object()
            .key("others_ms")
            .number(or_null(lab.behind_ms(YOU)));
        json.key("ahead_ms")
            .number(or_null(lab.ahead_ms(YOU)))
            .end_object();
        json.key("server")
            .object()
            .key("tick")
            .number(lab.tick().get() as f64)
            .end_object();
        // The other sees you where the server had you a while ago, and you are ahead of the server.
        let you = lab
            .behind_ms(OTHER)
            .zip(lab.ahead_ms(YOU))
            .map(|(behind, ahead)| behind + ahead);
        json.key("other")
            .object()
            .key("you_ms")
            .number(or_null(you))
            .end_object()
            .end_object();
        self.write_link(&mut json);
        json.end_object();
        json.finish()
    }

    fn write_needs(&self, json: &mut Json) {
        let config = self.lab().config();
        let [one_way, jitter, variation, interval] = needs(self.lab().setup());
        let total = one_way + jitter + variation + interval;
        let ruled = !config.applies(params::INTERP_DELAY);
        let delay = if ruled {
            self.lab()
                .meters()
                .reading(probe::OTHERS_DELAY, self.lab().now())
                .mean
        } else {
            config.get(params::INTERP_DELAY)
        };
        json.key("needs").object();
        for (key, value) in [
            ("total_ms", total),
            ("one_way_ms", one_way),
            ("jitter_ms", jitter),
            ("variation_ms", variation),
            ("interval_ms", interval),
            ("spare_ms", delay - total),
        ] {
            json.key(key).number(value);
        }
        json.key("ruled").flag(ruled).end_object();
    }

    fn write_link(&self, json: &mut Json) {
        let mut flights = Vec::new();
        self.lab().flights(&mut flights);
        let on = |line: f32| flights.chunks(8).filter(|flight| flight[1] == line).count() as f64;
        json.key("link")
            .object()
            .key("up_in_flight")
            .number(on(0.0));
        json.key("down_in_flight").number(on(1.0));
        for (key, side) in [
            ("lost_of_last_100", Pair::Down),
            ("lost_up_of_last_100", Pair::Up),
        ] {
            json.key(key)
                .number(f64::from(self.lab().lost_of_last_100(YOU, side)));
        }
        json.key("label").text(
            self.lab()
                .config()
                .link()
                .map_or("Custom", |preset| preset.label),
        );
        json.end_object();
    }
}

fn role(role: Role) -> String {
    match role {
        Role::Offline => "offline".into(),
        Role::Joining => "joining".into(),
        Role::Playing => "playing".into(),
        Role::Disconnected(why) => format!("disconnected: {why}"),
    }
}
