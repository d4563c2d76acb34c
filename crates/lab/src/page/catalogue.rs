//! The catalogue as JSON: what a page builds itself from.

use netsim::PRESETS;
use wire::Shown;

use crate::json::Json;
use crate::params::{self, CATALOGUE, GROUPS, Kind, Need, Pair, Param, ParamId};
use crate::probe::{self, Headline, PROBES};
use crate::scenes::SCENES;

/// Layout of [`catalogue`].
const CATALOGUE_VERSION: f64 = 1.0;

/// Everything that a page builds itself from, as a JSON object.
pub fn catalogue() -> String {
    let mut json = Json::new();
    json.object().key("version").number(CATALOGUE_VERSION);
    json.key("build").text(env!("CARGO_PKG_VERSION"));
    json.key("scenes").list();
    for scene in SCENES {
        json.object()
            .key("id")
            .text(scene.id)
            .key("label")
            .text(scene.label)
            .key("unit")
            .text(scene.unit)
            .key("players")
            .number(f64::from(scene.players));
        json.key("classes").list();
        for class in scene.schema.classes {
            let shown = match class.shown {
                Shown::Interpolated => "interpolated",
                Shown::Simulated => "simulated",
                Shown::DeadReckoned => "dead-reckoned",
                Shown::Aggregated => "aggregated",
            };
            json.object()
                .key("name")
                .text(class.name)
                .key("shown")
                .text(shown)
                .end_object();
        }
        json.end_list().key("buttons").list();
        for button in scene.buttons {
            json.text(button);
        }
        json.end_list().key("bounds").list();
        for edge in (scene.bounds)() {
            json.number(f64::from(edge));
        }
        json.end_list().end_object();
    }
    json.end_list().key("groups").list();
    for group in GROUPS {
        json.object()
            .key("id")
            .text(group.id)
            .key("label")
            .text(group.label)
            .end_object();
    }
    json.end_list().key("params").list();
    for param in CATALOGUE {
        write_param(param, &mut json);
    }
    json.end_list().key("presets").list();
    for preset in PRESETS {
        json.object()
            .key("id")
            .text(preset.id)
            .key("label")
            .text(preset.label);
        json.key("group")
            .text("link")
            .key("source")
            .text(preset.source)
            .key("set")
            .object();
        for (id, value) in params::preset_values(preset) {
            json.key(id.param().id);
            id.param().write_value(value, &mut json);
        }
        json.end_object().end_object();
    }
    json.end_list().key("probes").list();
    for probe in PROBES {
        json.object()
            .key("id")
            .text(probe.id)
            .key("label")
            .text(probe.label);
        json.key("unit")
            .text(probe.unit)
            .key("help")
            .text(probe.help);
        json.key("kind").text(match probe.kind {
            probe::Kind::Sampled { .. } => "sampled",
            probe::Kind::Event { .. } => "event",
            probe::Kind::Counted => "counted",
        });
        json.key("headline").text(match probe.headline {
            Headline::Mean => "mean",
            Headline::Total => "total",
            Headline::Max => "max",
        });
        json.end_object();
    }
    json.end_list().end_object();
    json.finish()
}

fn write_param(param: &Param, json: &mut Json) {
    json.object()
        .key("id")
        .text(param.id)
        .key("label")
        .text(param.label);
    json.key("unit").text(param.unit).key("kind");
    match param.kind {
        Kind::Range {
            min,
            max,
            step,
            whole,
        } => {
            json.text("range")
                .key("min")
                .number(min)
                .key("max")
                .number(max);
            json.key("step").number(step).key("whole").flag(whole);
        }
        Kind::Choice(choices) => {
            json.text("choice").key("choices").list();
            for choice in choices {
                json.object()
                    .key("id")
                    .text(choice.id)
                    .key("label")
                    .text(choice.label)
                    .key("shows")
                    .text(choice.shows)
                    .key("needs")
                    .text(choice.needs)
                    .end_object();
            }
            json.end_list();
        }
        Kind::Toggle => {
            json.text("toggle");
        }
    }
    json.key("default");
    param.write_value(param.default, json);
    json.key("scenes").list();
    for scene in param.scenes {
        json.text(scene);
    }
    json.end_list().key("defaults").object();
    for (scene, value) in param.defaults {
        json.key(scene);
        param.write_value(*value, json);
    }
    json.end_object().key("group").text(param.group);
    match param.pair {
        Some(Pair::Up) => json.key("pair").text("up"),
        Some(Pair::Down) => json.key("pair").text("down"),
        None => json.key("pair").null(),
    };
    write_requires(param, json);
    json.key("off")
        .text(param.off)
        .key("help")
        .text(param.help)
        .key("moves")
        .list();
    for moved in param.moves {
        let direction = if moved.up { "up" } else { "down" };
        json.object()
            .key("probe")
            .text(moved.probe)
            .key("direction")
            .text(direction)
            .end_object();
    }
    json.end_list().key("given").object();
    for (id, text) in param.given {
        if let Ok(id) = ParamId::named(id)
            && let Ok(value) = id.param().parse(text)
        {
            json.key(id.param().id);
            id.param().write_value(value, json);
        }
    }
    json.end_object()
        .key("restarts")
        .flag(param.restarts)
        .end_object();
}

/// `{"id","values"}` where the other parameter must have one of those, `{"id","above"}` where it must be more.
fn write_requires(param: &Param, json: &mut Json) {
    json.key("requires");
    let requires = param
        .requires
        .and_then(|(id, need)| Some((ParamId::named(id).ok()?, need)));
    let Some((id, need)) = requires else {
        json.null();
        return;
    };
    json.object().key("id").text(id.param().id);
    match need {
        Need::Above(least) => {
            json.key("above").number(least);
        }
        Need::Is(value) => write_values(id, &[value], json),
        Need::Among(values) => write_values(id, values, json),
    }
    json.end_object();
}

fn write_values(id: ParamId, values: &[f64], json: &mut Json) {
    json.key("values").list();
    for &value in values {
        id.param().write_value(value, json);
    }
    json.end_list();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_whole() {
        let text = catalogue();
        for param in CATALOGUE {
            assert!(
                text.contains(&format!("{{\"id\":\"{}\"", param.id)),
                "{}",
                param.id
            );
        }
        for probe in PROBES {
            assert!(
                text.contains(&format!("{{\"id\":\"{}\"", probe.id)),
                "{}",
                probe.id
            );
        }
        assert_eq!(
            text.matches(['{', '[']).count(),
            text.matches(['}', ']']).count()
        );
    }
}
