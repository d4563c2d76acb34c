//! The figures behind a page's text.

use netcode::Role;

use crate::json::Json;
use crate::lab::{Instruments, OTHER, YOU};
use crate::params::{self, Pair};
use crate::probe::{self, ProbeId};
use crate::scenes::named;

/// The figures behind a page's text, as a JSON object. What is not known is null.
pub(super) fn readings(of: &dyn Instruments) -> String {
    let now = of.now();
    let mut json = Json::new();
    json.object().key("now_ms").number(now.as_millis_f64());
    json.key("tick").number(of.tick().get() as f64);
    let unit = named(of.config().scene()).map_or("m", |scene| scene.unit);
    json.key("probes").object();
    for id in ProbeId::all() {
        let reading = of.meters().reading(id, now);
        let summary = of.meters().summary(id, now);
        json.key(id.probe().id).object();
        for (key, value) in [
            ("now", reading.now),
            ("mean", reading.mean),
            ("max", reading.max),
            ("p95", summary.p95),
            ("total", summary.total),
            ("count", summary.count as f64),
        ] {
            let value = if of.knows(id) { value } else { f64::NAN };
            json.key(key).number(value);
        }
        json.key("unit").text(id.probe().unit_in(unit)).end_object();
    }
    json.end_object();
    write_needs(of, &mut json);
    json.key("roles").object();
    for (key, seat) in [("you", YOU), ("other", OTHER)] {
        json.key(key);
        match of.role(seat) {
            Some(seat) => json.text(&role(seat)),
            None => json.null(),
        };
    }
    json.end_object().key("panes").object();
    let or_null = |value: Option<f64>| value.unwrap_or(f64::NAN);
    json.key("you")
        .object()
        .key("others_ms")
        .number(or_null(of.behind_ms(YOU)));
    json.key("ahead_ms")
        .number(or_null(of.ahead_ms(YOU)))
        .end_object();
    json.key("server")
        .object()
        .key("tick")
        .number(of.tick().get() as f64)
        .end_object();
    // The other sees you where the server had you a while ago, and you are ahead of the server.
    let you = of
        .behind_ms(OTHER)
        .zip(of.ahead_ms(YOU))
        .map(|(behind, ahead)| behind + ahead);
    json.key("other")
        .object()
        .key("you_ms")
        .number(or_null(you))
        .end_object()
        .end_object();
    write_link(of, &mut json);
    json.end_object();
    json.finish()
}

fn write_needs(of: &dyn Instruments, json: &mut Json) {
    let config = of.config();
    let [one_way, jitter, variation, interval] = of.needs();
    let total = one_way + jitter + variation + interval;
    let ruled = !config.applies(params::INTERP_DELAY);
    let delay = if ruled {
        of.meters().reading(probe::OTHERS_DELAY, of.now()).mean
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

fn write_link(of: &dyn Instruments, json: &mut Json) {
    let mut flights = Vec::new();
    of.flights(&mut flights);
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
            .number(f64::from(of.lost_of_last_100(YOU, side)));
    }
    let preset = of.config().link();
    json.key("label")
        .text(preset.map_or("Custom", |preset| preset.label));
    json.end_object();
}

fn role(role: Role) -> String {
    match role {
        Role::Offline => "offline".into(),
        Role::Joining => "joining".into(),
        Role::Playing => "playing".into(),
        Role::Watching => "watching".into(),
        Role::Disconnected(why) => format!("disconnected: {why}"),
    }
}
