//! A configuration as a file: what the page saves and the command line takes, and the other way round.
//!
//! ```json
//! { "afterimage": 1, "scene": "arena", "seed": 7, "config": { "interp.delay": 120 } }
//! ```
//!
//! What a file leaves out is as by default. A flat object of parameters is a file too.

use crate::json::{self, Json, Value};
use crate::params::{Config, ParamError, nearest};
use crate::scenes::{self, UnknownScene};

/// The version of the format. A later one may rename parameters; the number says by which names to read.
pub const VERSION: u64 = 1;

/// The largest seed of a file: what a page's address takes too.
pub const MOST_SEED: u64 = u32::MAX as u64;

/// The most bytes that are read. All parameters together take a twentieth of it.
pub const MOST_BYTES: usize = 64 * 1024;

const MEMBERS: [&str; 4] = ["afterimage", "scene", "seed", "config"];

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// The scene, where it names one.
    pub scene: Option<String>,
    /// Where all chance comes from, where it says.
    pub seed: Option<u64>,
    /// Every parameter of the scene.
    pub config: Config,
    /// Parameters that it says and the scene does not have: they do nothing.
    pub ignored: Vec<&'static str>,
}

/// Why a file was not taken. Nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// Longer than any configuration.
    #[error("a configuration has at most {MOST_BYTES} bytes; this has {0}")]
    Long(usize),
    /// Not the JSON that a configuration is.
    #[error("not a configuration: {0}")]
    Malformed(String),
    /// Written by another build.
    #[error("the file is of version {0}; this build reads version {VERSION}")]
    Version(String),
    /// Something that no file says.
    #[error(
        "a configuration has no \"{key}\"; the nearest is \"{nearest}\" of {}",
        MEMBERS.join(", ")
    )]
    Unknown {
        /// What it says.
        key: String,
        /// What was probably meant.
        nearest: &'static str,
    },
    /// The same thing said again.
    #[error("\"{0}\" stands there twice")]
    Twice(String),
    /// Settings where one value is expected, or the other way round.
    #[error("\"{key}\" takes {wanted}")]
    Shape {
        /// What it is the value of.
        key: String,
        /// What is expected.
        wanted: &'static str,
    },
    /// Not a seed.
    #[error("seed is a whole number from 0 to {MOST_SEED}; {0} is not")]
    Seed(String),
    /// There is no such scene.
    #[error(transparent)]
    Scene(#[from] UnknownScene),
    /// A parameter that there is not, or a value that it does not take.
    #[error(transparent)]
    Param(#[from] ParamError),
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn read(text: &str) -> Result<Self, FileError> {
        if text.len() > MOST_BYTES {
            return Err(FileError::Long(text.len()));
        }
        // An editor may have put a mark of the byte order before it.
        let text = text.trim_start_matches('\u{feff}');
        let members = json::members(text).map_err(FileError::Malformed)?;
        unique(&members)?;
        let mut file = Self::default();
        // The scene first, wherever it stands: it says which parameters there are.
        for (key, value) in &members {
            if let ("scene", Value::Plain(id)) = (key.as_str(), value) {
                let scene = scenes::named(id)?;
                file.scene = Some(scene.id.into());
                file.config = Config::of(scene.id);
            }
        }
        let whole = members
            .iter()
            .any(|(key, _)| key == "afterimage" || key == "config");
        for (key, value) in &members {
            match (key.as_str(), value) {
                ("afterimage", Value::Plain(version)) => {
                    if version.parse() != Ok(VERSION) {
                        return Err(FileError::Version(version.clone()));
                    }
                }
                ("scene", Value::Plain(_)) => {}
                ("seed", Value::Plain(seed)) => file.seed = Some(read_seed(seed)?),
                ("config", Value::Object(settings)) => {
                    unique(settings)?;
                    for (id, value) in settings {
                        file.set(id, value)?;
                    }
                }
                ("config", Value::Plain(_)) => {
                    return Err(shape(key, "an object of settings"));
                }
                (id, value) if !whole => file.set(id, value)?,
                ("afterimage" | "scene" | "seed", Value::Object(_)) => {
                    return Err(shape(key, "one value"));
                }
                _ => {
                    return Err(FileError::Unknown {
                        key: key.clone(),
                        nearest: nearest(key, MEMBERS).unwrap_or_default(),
                    });
                }
            }
        }
        Ok(file)
    }

    fn set(&mut self, id: &str, value: &Value) -> Result<(), FileError> {
        let Value::Plain(value) = value else {
            return Err(shape(id, "one value"));
        };
        self.ignored.extend(self.config.take_text(id, value)?);
        Ok(())
    }

    /// The file for another scene; see [`Config::to`].
    #[must_use]
    pub fn to(mut self, scene: &'static str) -> Self {
        self.ignored.extend(
            self.config
                .params()
                .filter(|id| self.config.get(*id) != Config::of(self.config.scene()).get(*id))
                .map(|id| id.param())
                .filter(|param| !param.is_of(scene))
                .map(|param| param.id),
        );
        self.scene = Some(scene.into());
        self.config = self.config.to(scene);
        self
    }

    /// Writes the file: every parameter, one a line, so that two of them can be compared and edited by hand.
    pub fn write(&self) -> String {
        let mut json = Json::new();
        json.object()
            .key("afterimage")
            .number(VERSION as f64)
            .key("scene")
            .text(self.config.scene());
        json.key("seed")
            .number(self.seed.unwrap_or_default() as f64);
        json.key("config");
        self.config.write(&mut json);
        json.end_object();
        laid_out(&json.finish())
    }
}

fn shape(key: &str, wanted: &'static str) -> FileError {
    FileError::Shape {
        key: key.into(),
        wanted,
    }
}

fn read_seed(text: &str) -> Result<u64, FileError> {
    match text.parse() {
        Ok(seed) if seed <= MOST_SEED => Ok(seed),
        _ => Err(FileError::Seed(text.into())),
    }
}

/// Two values under one name: neither is taken, for the reader meant one of them.
fn unique(members: &[(String, Value)]) -> Result<(), FileError> {
    let mut names: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(FileError::Twice(pair[0].into())),
        None => Ok(()),
    }
}

/// A member a line. No name and no value of ours has a bracket or a comma in it.
fn laid_out(json: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    for c in json.chars() {
        match c {
            '{' => {
                depth += 1;
                out.push(c);
                line(&mut out, depth);
            }
            '}' => {
                depth -= 1;
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => out.push(c),
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        File::read(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        for scene in scenes::SCENES {
            let name = scene.id;
            let seeded = format!(r#"{{"afterimage":1,"scene":"{name}","seed":4294967295}}"#);
            let mut file = File::read(&seeded).unwrap();
            assert_eq!(file.config, Config::of(name));
            for id in file.config.params() {
                file.config.set(id, id.param().ends().1).unwrap();
            }
            let text = file.write();
            assert_eq!(text.lines().count(), file.config.params().count() + 7);
            assert_eq!(File::read(&text), Ok(file));
            let begins = format!("{{\n  \"afterimage\": 1,\n  \"scene\": \"{name}\",\n");
            assert!(text.starts_with(&begins));
            assert!(text.len() * 10 < MOST_BYTES);
        }
    }

    #[test]
    fn what_another_scene_has_is_left_out_and_named_wherever_the_scene_stands() {
        let text = r#"{"config":{"horde.enemies":300,"bots":3},"scene":"horde"}"#;
        let file = File::read(text).unwrap();
        assert_eq!(file.ignored, ["bots"]);
        let there = file.to("arena");
        assert_eq!(there.ignored, ["bots", "horde.enemies"]);
        assert_eq!(there.config, Config::of("arena"));
        assert!(File::read(&text.replace("bots", "bot")).is_err());
    }

    #[test]
    fn what_is_left_out_is_the_default_and_a_flat_object_is_taken() {
        let flat = File::read("\u{feff}{\"interp.delay\": 120, \"seed\": 3}").unwrap();
        let whole = File::read(r#"{"config":{"interp.delay":120},"seed":3}"#).unwrap();
        assert_eq!(flat, whole);
        assert_eq!((flat.scene, flat.seed), (None, Some(3)));
        assert_eq!(File::read("{}").unwrap().config, Config::default());
    }

    #[test]
    fn each_fault_is_named_with_its_key_its_value_and_what_was_meant() {
        for (text, sentence) in [
            (
                r#"{"config":{"interp.dely":1}}"#,
                "there is no parameter \"interp.dely\"; the nearest is \"interp.delay\"",
            ),
            (
                r#"{"config":{"interp.delay":900}}"#,
                "interp.delay goes from 0 to 600 ms; 900 is outside",
            ),
            (
                r#"{"interp.policy":"measurd"}"#,
                "the nearest is \"measured\"",
            ),
            (
                r#"{"afterimage":2}"#,
                "the file is of version 2; this build reads version 1",
            ),
            (
                r#"{"afterimage":1,"seeds":3}"#,
                "a configuration has no \"seeds\"; the nearest is \"seed\"",
            ),
            (
                r#"{"scene":"arna","config":{}}"#,
                "there is no scene \"arna\"; the nearest is \"arena\"",
            ),
            (
                r#"{"seed":-1,"config":{}}"#,
                "seed is a whole number from 0 to 4294967295; -1 is not",
            ),
            (r#"{"seed":4294967296}"#, "4294967296 is not"),
            (
                r#"{"config":{"bots":1,"bots":2}}"#,
                "\"bots\" stands there twice",
            ),
            (r#"{"seed":1,"seed":1}"#, "\"seed\" stands there twice"),
            (r#"{"config":3}"#, "\"config\" takes an object of settings"),
            (r#"{"config":{},"seed":{}}"#, "\"seed\" takes one value"),
            (r#"{"config":{"bots":{}}}"#, "not a plain value"),
            ("nonsense", "not a configuration: `n` where `{` is expected"),
            ("", "not a configuration: the text ends"),
            (
                "{\"config\": {\n\"bots\": 3 \"interp.delay\": 3}}",
                "line 2: `\"` where `}` is expected",
            ),
        ] {
            assert!(wrong(text).contains(sentence), "{text}: {}", wrong(text));
        }
        assert!(wrong(&" ".repeat(MOST_BYTES + 1)).contains("at most 65536 bytes"));
    }

    #[test]
    fn no_text_makes_it_panic() {
        let good = File::read("{}").unwrap().write().trim_end().to_owned();
        for end in 0..good.len() {
            let cut = &good[..end];
            assert!(File::read(cut).is_err(), "{cut}");
            for odd in ["\u{0}", "{", "\"", "é", "}", "1e999", "\\"] {
                // Neither does anything put in the middle.
                let _ = File::read(&format!("{cut}{odd}{}", &good[end..]));
            }
        }
    }
}
