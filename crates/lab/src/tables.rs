//! What the command line lists.

use lab::inspect::Field;
use lab::json::number;
use lab::online::recording::{Heard, What};
use lab::params::{CATALOGUE, Kind, Need, Param};
use lab::probe::{Headline, PROBES};
use lab::run::columns;
use lab::scenes::{SCENES, SceneInfo};

/// Every scene, and what it is measured in.
pub(crate) fn scenes() -> String {
    let row = |scene: &SceneInfo| {
        let [left, top, right, bottom] = (scene.bounds)().map(f64::from);
        let size = [right - left, bottom - top].map(|length| number(length, 0));
        vec![
            scene.id.into(),
            scene.label.into(),
            format!("{} x {} {}", size[0], size[1], scene.unit),
            format!("{} players", scene.players),
        ]
    };
    columns(&SCENES.iter().map(row).collect::<Vec<_>>(), 4)
}

/// Every parameter, or those of a scene, and every preset of the link.
pub(crate) fn params(scene: Option<&str>) -> String {
    let mut rows = vec![
        ["parameter", "values", "default", "what it is"]
            .map(String::from)
            .to_vec(),
    ];
    let asked = |param: &&Param| scene.is_none_or(|scene| param.is_of(scene));
    for param in CATALOGUE.iter().filter(asked) {
        let values = match param.kind {
            Kind::Range { min, max, .. } => {
                format!("{} to {} {}", number(min, 3), number(max, 3), param.unit)
            }
            Kind::Choice(choices) => choices.iter().map(|c| c.id).collect::<Vec<_>>().join(", "),
            Kind::Toggle => "true, false".into(),
        };
        let mut help = param.help.to_string();
        if let Some((other, need)) = param.requires
            && let Ok(id) = lab::params::ParamId::named(other)
        {
            let text = |value: &f64| id.param().text(*value);
            let what = match need {
                Need::Is(value) => format!("={}", text(&value)),
                Need::Among(values) => {
                    format!(
                        "={}",
                        values.iter().map(text).collect::<Vec<_>>().join(" or ")
                    )
                }
                Need::Above(least) => format!(" above {}", text(&least)),
            };
            help.push_str(&format!(" Needs {other}{what}."));
        }
        if scene.is_none() && !param.scenes.is_empty() {
            help.push_str(&format!(" For {} only.", param.scenes.join(" and ")));
        }
        let mut default = param.text(scene.map_or(param.default, |scene| param.default_in(scene)));
        for (other, value) in param.defaults.iter().filter(|_| scene.is_none()) {
            default.push_str(&format!(", {other} {}", param.text(*value)));
        }
        rows.push(vec![
            param.id.into(),
            values.trim_end().into(),
            default,
            help,
        ]);
    }
    let presets = netsim::PRESETS.iter().map(|p| {
        let mut figures = format!(
            "{} / {} ms, {} %",
            p.latency_ms,
            p.jitter_ms,
            number(p.loss_percent, 1)
        );
        if p.burst > 1 {
            figures.push_str(&format!(" in bursts of {}", p.burst));
        }
        if p.rate_kb > 0 {
            figures.push_str(&format!(
                ", {} kB/s behind a queue of {} ms",
                p.rate_kb, p.queue_ms
            ));
        }
        vec![p.id.to_string(), figures, p.source.to_string()]
    });
    let mut links = vec![
        ["link preset", "latency / jitter, loss", "source"]
            .map(String::from)
            .to_vec(),
    ];
    links.extend(presets);
    format!("{}\n{}", columns(&rows, 4), columns(&links, 3))
}

/// Every probe.
pub(crate) fn probes() -> String {
    let mut rows = vec![
        ["probe", "unit", "quoted", "what it says"]
            .map(String::from)
            .to_vec(),
    ];
    rows.extend(PROBES.iter().map(|probe| {
        let quoted = match probe.headline {
            Headline::Mean => "mean",
            Headline::Total => "total",
            Headline::Max => "max",
        };
        [probe.id, probe.unit, quoted, probe.help]
            .map(String::from)
            .to_vec()
    }));
    columns(&rows, 4)
}

/// The packets of a recording, oldest first: when, which way, how long, what, and unless `brief` every field below it.
pub(crate) fn recording(heard: &[Heard], brief: bool) -> String {
    let mut out = String::new();
    for heard in heard {
        let way = match heard.what {
            What::Up => "up",
            What::Down => "down",
            What::Session | What::Full => "",
        };
        let bytes = match heard.what {
            What::Up | What::Down => format!("{} B", heard.bytes),
            What::Session | What::Full => String::new(),
        };
        let ms = heard.at.to_string();
        out += format!("{ms:>16}  {way:<4}  {bytes:>6}  {}", heard.title).trim_end();
        out.push('\n');
        if !brief {
            fields(&heard.fields, 34, &mut out);
        }
    }
    out
}

fn fields(of: &[Field], indent: usize, out: &mut String) {
    for field in of {
        let line = format!("{:indent$}{}: {}", "", field.name, field.value);
        *out += line.trim_end();
        out.push('\n');
        fields(&field.fields, indent + 2, out);
    }
}
