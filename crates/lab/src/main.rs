//! The lab on the command line.

mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use lab::LabSetup;
use lab::as_rust::as_rust;
use lab::file::File;
use lab::online::recording::Recording;
use lab::params::{Config, LINK_VARY};
use lab::probe::{PROBES, ProbeId};
use lab::run::columns;
use lab::sweep::Sweep;
use netsim::Trace;

/// Runs a match in virtual time: a server, two players, bots, and the links between them.
#[derive(Parser)]
#[command(name = "afterimage-lab", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs a scene and prints what was measured.
    Run {
        #[command(flatten)]
        what: What,
    },
    /// Runs a scene once for each value of one parameter, on one seed.
    Sweep {
        #[command(flatten)]
        what: What,
        /// A probe to show as a column, repeated; by default those that the parameter moves, and the usual ones.
        #[arg(long = "probe", value_name = "ID")]
        probes: Vec<String>,
    },
    /// Prints settings as a configuration file: what --config and the page take.
    Config {
        #[command(flatten)]
        settings: Settings,
    },
    /// Prints settings as Rust that sets up a server, a client and the link between them.
    Rust {
        #[command(flatten)]
        settings: Settings,
    },
    /// Lists every parameter.
    Params {
        /// Only those that this scene has, with its defaults.
        #[arg(long)]
        scene: Option<String>,
    },
    /// Lists every probe.
    Probes,
    /// Lists every scene.
    Scenes,
    /// Runs an experiment with a stated bound; `all` runs each. Exit code 1 if a bound does not hold.
    Experiment {
        /// Its name; without it the names are listed.
        name: Option<String>,
        /// Where all chance comes from.
        #[arg(long, default_value_t = lab::experiments::SEED)]
        seed: u64,
        /// Prints rows as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Lists the packets of a recording of a real match, as the page saves it, with every field in words.
    Recording {
        /// The file.
        file: PathBuf,
        /// One line a packet, without its fields.
        #[arg(long)]
        brief: bool,
    },
    /// Prints the hash of a scene with its defaults after every thousandth tick, the second half over the worst link, and last
    /// after all.
    Trace {
        /// The scene.
        #[arg(long, default_value = lab::scenes::SCENES[0].id)]
        scene: String,
        /// How many ticks.
        #[arg(long, default_value_t = 10_000)]
        ticks: u64,
    },
}

#[derive(Args)]
struct Settings {
    /// A configuration file, as the page saves it: scene, seed and parameters. What else is said here goes before it.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The scene; by default that of the file, or arena.
    #[arg(long)]
    scene: Option<String>,
    /// Where all chance comes from; by default 7.
    #[arg(long)]
    seed: Option<u64>,
    /// A link preset: latency, jitter and loss of both directions. Applied before every --set.
    #[arg(long, value_name = "PRESET")]
    link: Option<String>,
    /// A parameter, repeated. In a sweep one of them has a range (40..240:20) or a list (a,b,c).
    #[arg(long = "set", value_name = "ID=VALUE")]
    set: Vec<String>,
}

#[derive(Args)]
struct What {
    #[command(flatten)]
    settings: Settings,
    /// A trace for the link to play, both ways: CSV of time_ms,delay_ms,lost. Sets link.vary=trace.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Virtual seconds.
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// The virtual second that the probes begin at, when joining and settling are over.
    #[arg(long, default_value_t = 3.0)]
    from: f64,
    /// Frames a second at which the screen is measured. Drawing more often changes nothing else.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1000))]
    fps: u32,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// The seed where none is said.
const SEED: u64 = 7;

/// A mistake in what was asked for; it is said and the exit code is 2.
type Asked<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match act(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn act(command: Command) -> Asked<ExitCode> {
    match command {
        Command::Run { what } => {
            let (scene, setup) = what.setup(&what.settings.set)?;
            let report = lab::run::run(scene, setup, what.from()?, what.seconds()?)?;
            print!(
                "{}",
                if what.json {
                    report.json() + "\n"
                } else {
                    report.table()
                }
            );
        }
        Command::Sweep { what, probes } => sweep(&what, &probes)?,
        Command::Config { settings } => print!("{}", settings.file(&settings.set)?.write()),
        Command::Rust { settings } => {
            print!("{}", as_rust(&settings.file(&settings.set)?.config));
        }
        Command::Params { scene } => {
            let scene = scene.as_deref().map(lab::scenes::named).transpose()?;
            print!("{}", tables::params(scene.map(|scene| scene.id)));
        }
        Command::Probes => print!("{}", tables::probes()),
        Command::Scenes => {
            print!("{}", tables::scenes());
        }
        Command::Experiment { name, seed, json } => return experiment(name.as_deref(), seed, json),
        Command::Recording { file, brief } => print!("{}", recording(&file, brief)?),
        Command::Trace { scene, ticks } => print!("{}", lab::trace::trace(&scene, ticks)?),
    }
    Ok(ExitCode::SUCCESS)
}

impl Settings {
    /// What is asked for: the file, then the link's preset, then each setting of `set`.
    fn file(&self, set: &[String]) -> Asked<File> {
        let mut file = match &self.config {
            None => File::default(),
            Some(path) => {
                let said = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
                let text = std::fs::read_to_string(path).map_err(|error| said(&error))?;
                File::read(&text).map_err(|error| said(&error))?
            }
        };
        if let Some(scene) = &self.scene {
            file = file.to(lab::scenes::named(scene)?.id);
        }
        for id in &file.ignored {
            eprintln!("ignored: {} does not have {id}", file.config.scene());
        }
        if let Some(link) = &self.link {
            file.config.set_link(link)?;
        }
        for assignment in set {
            let (id, value) = split(assignment)?;
            file.config.set_text(id, value)?;
        }
        file.seed = Some(self.seed.or(file.seed).unwrap_or(SEED));
        Ok(file)
    }
}

impl What {
    fn setup(&self, set: &[String]) -> Asked<(&'static str, LabSetup)> {
        let mut file = self.settings.file(set)?;
        let setup = LabSetup {
            fps: self.fps,
            trace: self.trace(&mut file.config)?,
            ..LabSetup::new(file.seed.unwrap_or(SEED), file.config)
        };
        Ok((setup.config.scene(), setup))
    }

    /// The trace of --trace, which link.vary=trace plays and nothing else does.
    fn trace(&self, config: &mut Config) -> Asked<Option<Arc<Trace>>> {
        let vary = LINK_VARY.param();
        // What is swept has no value yet.
        let mut said = self
            .settings
            .set
            .iter()
            .filter_map(|set| set.split_once('='));
        let said = said.rfind(|(id, _)| id.trim() == vary.id);
        let said = said.map(|(_, values)| values.to_string());
        let now = said.unwrap_or_else(|| vary.text(config.get(LINK_VARY)));
        let plays = now.split(',').any(|value| value.trim() == "trace");
        let Some(file) = &self.trace else {
            return if plays {
                Err("link.vary=trace needs --trace FILE, a CSV of time_ms,delay_ms,lost".into())
            } else {
                Ok(None)
            };
        };
        if now == vary.text(vary.default) {
            config.set_text(vary.id, "trace")?;
        } else if !plays {
            return Err(format!(
                "--trace is played by link.vary=trace; link.vary={now} says otherwise"
            )
            .into());
        }
        let name = file.display();
        let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
        let trace = Trace::parse(&text).map_err(|error| format!("{name}: {error}"))?;
        Ok(Some(Arc::new(trace)))
    }

    fn seconds(&self) -> Asked<f64> {
        within("--seconds", self.seconds)
    }

    fn from(&self) -> Asked<f64> {
        within("--from", self.from)
    }
}

/// A recording as lines of text.
fn recording(file: &Path, brief: bool) -> Asked<String> {
    let said = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let bytes = std::fs::read(file).map_err(|error| said(&error))?;
    let recording = Recording::read(&bytes).map_err(|error| said(&error))?;
    let heard = lab::scenes::tell(&recording).map_err(|error| said(&error))?;
    Ok(tables::recording(&heard, brief))
}

/// A time of at most a day; what is no number is refused with the rest.
fn within(name: &str, seconds: f64) -> Asked<f64> {
    if (0.0..=86_400.0).contains(&seconds) {
        return Ok(seconds);
    }
    Err(format!("{name} goes from 0 to 86400; {seconds} is outside").into())
}

fn split(assignment: &str) -> Asked<(&str, &str)> {
    let (id, value) = assignment.split_once('=').ok_or_else(|| {
        format!("--set takes ID=VALUE, as in interp.delay=120; \"{assignment}\" has no =")
    })?;
    Ok((id.trim(), value.trim()))
}

fn sweep(what: &What, probes: &[String]) -> Asked<()> {
    let (swept, fixed): (Vec<_>, Vec<_>) = what
        .settings
        .set
        .iter()
        .cloned()
        .partition(|set| set.contains("..") || set.contains(','));
    let [swept] = &swept[..] else {
        return Err("a sweep takes exactly one --set with a range, as in interp.delay=40..240:20, or a list".into());
    };
    let sweep = Sweep::parse(swept)?;
    let probes = if probes.is_empty() {
        sweep.usual_probes()
    } else {
        probes_named(probes)?
    };
    let (scene, setup) = what.setup(&fixed)?;
    setup.config.has(sweep.id)?;
    let reports = sweep.run(scene, &setup, what.from()?, what.seconds()?)?;
    print!(
        "{}",
        if what.json {
            sweep.json(&reports) + "\n"
        } else {
            sweep.table(&reports, &probes)
        }
    );
    Ok(())
}

fn probes_named(names: &[String]) -> Asked<Vec<ProbeId>> {
    let named = |name: &String| {
        ProbeId::named(name).ok_or_else(|| {
            let near = lab::params::nearest(name, PROBES.iter().map(|probe| probe.id));
            format!(
                "there is no probe \"{name}\"; the nearest is \"{}\"",
                near.unwrap_or_default()
            )
            .into()
        })
    };
    names.iter().map(named).collect()
}

fn experiment(name: Option<&str>, seed: u64, json: bool) -> Asked<ExitCode> {
    use lab::experiments::{EXPERIMENTS, named};
    let Some(name) = name else {
        let rows = EXPERIMENTS
            .iter()
            .map(|e| vec![e.name.to_string(), e.question.to_string()]);
        print!("{}", columns(&rows.collect::<Vec<_>>(), 2));
        return Ok(ExitCode::SUCCESS);
    };
    let chosen = if name == "all" {
        EXPERIMENTS.iter().collect()
    } else {
        vec![named(name)?]
    };
    let mut holds = true;
    for experiment in chosen {
        let outcome = (experiment.run)(seed);
        holds &= outcome.holds();
        let text = if json {
            outcome.json(experiment) + "\n"
        } else {
            outcome.text(experiment)
        };
        print!("{text}");
    }
    Ok(if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
