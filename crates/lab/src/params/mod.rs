//! Everything that can be set: one catalogue for the command line, the page and the links that people share.

mod black_holes;
mod catalogue;
mod link;
mod nearest;

use netsim::PRESETS;

use crate::json::{self, Json};
use crate::scenes::SCENES;

pub(crate) use black_holes::{AGGREGATED, CULLED, WORST_FIRST};
pub use catalogue::*;
pub(crate) use link::{DATAGRAM, RAMP, TRACE, WAVE, way};
pub use nearest::nearest;

/// The shape of a parameter's values. Every value is held as a number: a choice by its position, a toggle as 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A quantity, in the parameter's unit.
    Range {
        /// Smallest value allowed.
        min: f64,
        /// Largest value allowed.
        max: f64,
        /// What a slider moves by.
        step: f64,
        /// Whether a fraction makes no sense.
        whole: bool,
    },
    /// One of a few.
    Choice(&'static [Choice]),
    /// On or off.
    Toggle,
}

/// One value of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name in configurations.
    pub id: &'static str,
    /// Its name on the page.
    pub label: &'static str,
    /// What one sees under it.
    pub shows: &'static str,
    /// What has to be there beside the settings before it does anything, or empty.
    pub needs: &'static str,
}

/// A heading under which parameters stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name in the catalogue.
    pub id: &'static str,
    /// Its name on the page.
    pub label: &'static str,
}

/// The direction of a parameter that exists for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// From the player to the server.
    Up,
    /// From the server to the player.
    Down,
}

/// A probe that a parameter must move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The probe's id.
    pub probe: &'static str,
    /// Whether it rises while the parameter goes from its first value to its last.
    pub up: bool,
}

/// What a parameter needs another one to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Need {
    /// Exactly this.
    Is(f64),
    /// One of these.
    Among(&'static [f64]),
    /// More than this.
    Above(f64),
}

impl Need {
    /// Whether a value will do.
    pub fn met(self, value: f64) -> bool {
        match self {
            Self::Is(wanted) => value == wanted,
            Self::Among(wanted) => wanted.contains(&value),
            Self::Above(least) => value > least,
        }
    }
}

/// The id of another parameter, and what that has to be.
pub type Requires = (&'static str, Need);

/// One parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Its name in configurations.
    pub id: &'static str,
    /// Its name on the page.
    pub label: &'static str,
    /// Unit of a quantity, or empty.
    pub unit: &'static str,
    /// The shape of its values.
    pub kind: Kind,
    /// Its value when nothing is said.
    pub default: f64,
    /// The id of its group.
    pub group: &'static str,
    /// The direction it is for, where its twin is for the other.
    pub pair: Option<Pair>,
    /// What another parameter must be, or this one has no effect.
    pub requires: Option<Requires>,
    /// What one sees without it, or at its smallest.
    pub off: &'static str,
    /// What it is, in one or two sentences.
    pub help: &'static str,
    /// The probes that it must move.
    pub moves: &'static [Move],
    /// Settings under which [`Param::moves`] is shown, where the defaults hide it.
    pub given: &'static [(&'static str, &'static str)],
    /// Whether setting it begins the match again.
    pub restarts: bool,
    /// The names of the scenes that have it; empty: every scene.
    pub scenes: &'static [&'static str],
    /// Scenes with another default than [`Param::default`], and theirs.
    pub defaults: &'static [(&'static str, f64)],
}

/// A parameter's place in [`CATALOGUE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParamId(u8);

impl ParamId {
    /// Every parameter, in the catalogue's order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CATALOGUE.len() as u8).map(Self)
    }

    /// The parameter of a name.
    ///
    /// # Errors
    /// [`ParamError::Unknown`] with the nearest name.
    pub fn named(id: &str) -> Result<Self, ParamError> {
        Self::all()
            .find(|at| at.param().id == id)
            .ok_or_else(|| ParamError::Unknown {
                id: id.into(),
                nearest: nearest(id, CATALOGUE.iter().map(|p| p.id)).unwrap_or_default(),
            })
    }

    /// What the catalogue says of it.
    pub fn param(self) -> &'static Param {
        &CATALOGUE[usize::from(self.0)]
    }

    /// Its place.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The parameter of a name that is known to exist; a name that is not does not compile.
    const fn find(id: &str) -> Self {
        let mut at = 0;
        while at < CATALOGUE.len() {
            if crate::same(CATALOGUE[at].id.as_bytes(), id.as_bytes()) {
                return Self(at as u8);
            }
            at += 1;
        }
        panic!("no parameter of that name")
    }
}

impl Param {
    /// Whether a scene has it.
    pub fn is_of(&self, scene: &str) -> bool {
        self.scenes.is_empty() || self.scenes.contains(&scene)
    }

    /// Its value in a scene when nothing is said.
    pub fn default_in(&self, scene: &str) -> f64 {
        let own = self.defaults.iter().find(|(id, _)| *id == scene);
        own.map_or(self.default, |(_, value)| *value)
    }

    /// A value as it is written: a number, a choice's id, `true` or `false`.
    pub fn text(&self, value: f64) -> String {
        match self.kind {
            Kind::Range { .. } => json::number(value, 6),
            Kind::Choice(choices) => choices[value as usize].id.into(),
            Kind::Toggle => (value != 0.0).to_string(),
        }
    }

    /// Reads a value.
    ///
    /// # Errors
    /// What is wrong with it, with the range or the nearest choice.
    pub fn parse(&self, text: &str) -> Result<f64, ParamError> {
        let text = text.trim();
        match self.kind {
            Kind::Range { .. } => {
                let value = text.parse().map_err(|_| ParamError::NotANumber {
                    id: self.id,
                    text: text.into(),
                })?;
                self.check(value)
            }
            Kind::Choice(choices) => match choices.iter().position(|c| c.id == text) {
                Some(at) => Ok(at as f64),
                None => Err(ParamError::Choice {
                    id: self.id,
                    text: text.into(),
                    all: choices.iter().map(|c| c.id).collect::<Vec<_>>().join(", "),
                    nearest: nearest(text, choices.iter().map(|c| c.id)).unwrap_or_default(),
                }),
            },
            Kind::Toggle => match text {
                "true" | "on" | "1" => Ok(1.0),
                "false" | "off" | "0" => Ok(0.0),
                _ => Err(ParamError::NotAToggle {
                    id: self.id,
                    text: text.into(),
                }),
            },
        }
    }

    /// Holds a value against the parameter's range.
    ///
    /// # Errors
    /// The range that it is outside of.
    pub fn check(&self, value: f64) -> Result<f64, ParamError> {
        let (min, max, whole) = match self.kind {
            Kind::Range {
                min, max, whole, ..
            } => (min, max, whole),
            Kind::Choice(choices) => (0.0, choices.len() as f64 - 1.0, true),
            Kind::Toggle => (0.0, 1.0, true),
        };
        // Not a number is outside too.
        if !(value >= min && value <= max) {
            return Err(ParamError::Range {
                id: self.id,
                value: json::number(value, 6),
                min: json::number(min, 6),
                max: json::number(max, 6),
                unit: self.unit,
            });
        }
        if whole && value != f64::from(value as i32) {
            return Err(ParamError::NotWhole {
                id: self.id,
                value: json::number(value, 6),
            });
        }
        // No −0 reaches a hash.
        Ok(value + 0.0)
    }

    /// Its first and last value that need nothing beside the settings.
    pub fn ends(&self) -> (f64, f64) {
        match self.kind {
            Kind::Range { min, max, .. } => (min, max),
            Kind::Choice(choices) => {
                let last = choices.iter().rposition(|choice| choice.needs.is_empty());
                (0.0, last.unwrap_or(0) as f64)
            }
            Kind::Toggle => (0.0, 1.0),
        }
    }
}

/// Why a parameter was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// There is no such parameter.
    #[error("there is no parameter \"{id}\"; the nearest is \"{nearest}\"")]
    Unknown {
        /// What was asked for.
        id: String,
        /// What was probably meant.
        nearest: &'static str,
    },
    /// Another scene has it, this one does not.
    #[error("{id} is for the scene {scenes}; {scene} does not have it")]
    Elsewhere {
        /// The parameter.
        id: &'static str,
        /// The scenes that have it.
        scenes: String,
        /// The scene that was set up.
        scene: &'static str,
    },
    /// There is no such preset of the link.
    #[error("there is no link preset \"{id}\"; the nearest is \"{nearest}\" of {all}")]
    UnknownPreset {
        /// What was asked for.
        id: String,
        /// What was probably meant.
        nearest: &'static str,
        /// All there are.
        all: String,
    },
    /// Out of range.
    #[error("{id} goes from {min} to {max}{}{unit}; {value} is outside", if unit.is_empty() { "" } else { " " })]
    Range {
        /// The parameter.
        id: &'static str,
        /// The value refused.
        value: String,
        /// Its smallest value.
        min: String,
        /// Its largest value.
        max: String,
        /// Its unit.
        unit: &'static str,
    },
    /// A fraction of something that comes in wholes.
    #[error("{id} takes whole numbers; {value} is not one")]
    NotWhole {
        /// The parameter.
        id: &'static str,
        /// The value refused.
        value: String,
    },
    /// Not a number.
    #[error("{id} takes a number; \"{text}\" is not one")]
    NotANumber {
        /// The parameter.
        id: &'static str,
        /// The text refused.
        text: String,
    },
    /// Neither on nor off.
    #[error("{id} is true or false; \"{text}\" is neither")]
    NotAToggle {
        /// The parameter.
        id: &'static str,
        /// The text refused.
        text: String,
    },
    /// Not one of the choices.
    #[error("{id} is one of {all}; \"{text}\" is not, the nearest is \"{nearest}\"")]
    Choice {
        /// The parameter.
        id: &'static str,
        /// The text refused.
        text: String,
        /// All there are.
        all: String,
        /// What was probably meant.
        nearest: &'static str,
    },
    /// The text is not a flat object.
    #[error("not a configuration: {0}")]
    Malformed(String),
}

/// A value for every parameter of a scene. One that the scene does not have is as by default and cannot be set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    scene: &'static str,
    values: [f64; CATALOGUE.len()],
}

impl Default for Config {
    /// The first scene's.
    fn default() -> Self {
        Self::of(SCENES[0].id)
    }
}

impl Config {
    /// The defaults of a scene, by its name.
    pub fn of(scene: &'static str) -> Self {
        let mut values = [0.0; CATALOGUE.len()];
        for (value, param) in values.iter_mut().zip(CATALOGUE) {
            *value = param.default_in(scene);
        }
        Self { scene, values }
    }

    /// The scene that it is for, by its name.
    pub fn scene(&self) -> &'static str {
        self.scene
    }

    /// The same settings in a scene: what is as by default is as by that one's, and what it does not have is left out.
    pub fn to(self, scene: &'static str) -> Self {
        if scene == self.scene {
            return self;
        }
        let (plain, mut to) = (Self::of(self.scene), Self::of(scene));
        for id in ParamId::all().filter(|id| id.param().is_of(scene)) {
            if self.get(id) != plain.get(id) {
                to.values[id.index()] = self.get(id);
            }
        }
        to
    }

    /// The parameters that the scene has, in the catalogue's order.
    pub fn params(&self) -> impl Iterator<Item = ParamId> + use<> {
        let scene = self.scene;
        ParamId::all().filter(move |id| id.param().is_of(scene))
    }

    /// A parameter's value.
    pub fn get(&self, id: ParamId) -> f64 {
        self.values[id.index()]
    }

    /// Whether a toggle is on and everything that it requires is as it requires.
    pub fn on(&self, id: ParamId) -> bool {
        self.get(id) != 0.0 && self.applies(id)
    }

    /// Whether what a parameter requires is given, and what that requires in turn.
    pub fn applies(&self, id: ParamId) -> bool {
        match id.param().requires {
            None => true,
            Some((other, need)) => ParamId::all()
                .find(|at| at.param().id == other)
                .is_some_and(|other| need.met(self.get(other)) && self.applies(other)),
        }
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// The range that the value is outside of, or the scenes that have the parameter.
    pub fn set(&mut self, id: ParamId, value: f64) -> Result<(), ParamError> {
        self.has(id)?;
        self.values[id.index()] = id.param().check(value)?;
        Ok(())
    }

    /// Whether the scene has a parameter.
    ///
    /// # Errors
    /// [`ParamError::Elsewhere`] with the scenes that do.
    pub fn has(&self, id: ParamId) -> Result<(), ParamError> {
        let param = id.param();
        if param.is_of(self.scene) {
            return Ok(());
        }
        Err(ParamError::Elsewhere {
            id: param.id,
            scenes: param.scenes.join(" or "),
            scene: self.scene,
        })
    }

    /// Sets a parameter by name and text.
    ///
    /// # Errors
    /// What is wrong, with the nearest name, the range, or the scenes that have it.
    pub fn set_text(&mut self, id: &str, text: &str) -> Result<ParamId, ParamError> {
        let id = ParamId::named(id)?;
        self.has(id)?;
        self.values[id.index()] = id.param().parse(text)?;
        Ok(id)
    }

    /// Puts everything about both directions of the link to what a preset says, the carrier and a variation's shape aside.
    ///
    /// # Errors
    /// The nearest name.
    pub fn set_link(&mut self, preset: &str) -> Result<(), ParamError> {
        let found =
            PRESETS
                .iter()
                .find(|p| p.id == preset)
                .ok_or_else(|| ParamError::UnknownPreset {
                    id: preset.into(),
                    nearest: nearest(preset, PRESETS.iter().map(|p| p.id)).unwrap_or_default(),
                    all: PRESETS.iter().map(|p| p.id).collect::<Vec<_>>().join(", "),
                })?;
        for (id, value) in preset_values(found) {
            self.set(id, value)?;
        }
        Ok(())
    }

    /// The preset whose numbers both directions have now.
    pub fn link(&self) -> Option<&'static netsim::Preset> {
        PRESETS
            .iter()
            .find(|p| preset_values(p).all(|(id, value)| self.get(id) == value))
    }

    /// A scene's defaults with the members of a flat JSON object set. Parameters of other scenes are passed over.
    ///
    /// # Errors
    /// The first thing wrong.
    pub fn from_json(scene: &'static str, text: &str) -> Result<Self, ParamError> {
        let mut config = Self::of(scene);
        for (id, value) in json::flat_object(text).map_err(ParamError::Malformed)? {
            config.take_text(&id, &value)?;
        }
        Ok(config)
    }

    /// Sets a parameter by name and text as a link or a file says it: one that the scene does not have is passed over. Its
    /// name, where it was.
    ///
    /// # Errors
    /// What is wrong, with the nearest name or the range.
    pub fn take_text(&mut self, id: &str, text: &str) -> Result<Option<&'static str>, ParamError> {
        match self.set_text(id, text) {
            Ok(_) => Ok(None),
            Err(ParamError::Elsewhere { id, .. }) => Ok(Some(id)),
            Err(error) => Err(error),
        }
    }

    /// Writes every value as a JSON object.
    pub fn write(&self, json: &mut Json) {
        json.object();
        for id in self.params() {
            self.member(id, json);
        }
        json.end_object();
    }

    /// Writes the values that are not the defaults as a JSON object: what a shared link carries.
    pub fn write_differences(&self, json: &mut Json) {
        let plain = Self::of(self.scene);
        json.object();
        for id in self.params().filter(|id| self.get(*id) != plain.get(*id)) {
            self.member(id, json);
        }
        json.end_object();
    }

    fn member(&self, id: ParamId, json: &mut Json) {
        let (param, value) = (id.param(), self.get(id));
        json.key(param.id);
        param.write_value(value, json);
    }
}

impl Param {
    /// Writes a value the way JSON has it: a number, a string or a truth value.
    pub fn write_value(&self, value: f64, json: &mut Json) {
        match self.kind {
            Kind::Range { .. } => json.number(value),
            Kind::Choice(choices) => json.text(choices[value as usize].id),
            Kind::Toggle => json.flag(value != 0.0),
        };
    }
}

/// What a preset sets: everything that the network does in both directions, so that nothing of the link before is left.
pub fn preset_values(preset: &netsim::Preset) -> impl Iterator<Item = (ParamId, f64)> {
    let values = [
        f64::from(preset.latency_ms),
        f64::from(preset.jitter_ms),
        preset.loss_percent,
        f64::from(preset.burst),
        f64::from(preset.rate_kb),
        f64::from(preset.queue_ms),
        0.0,
        0.0,
    ];
    let ways = [Pair::Up, Pair::Down].into_iter();
    ways.flat_map(move |way| link::way(way).into_iter().zip(values))
        .chain([(LINK_VARY, link::NONE)])
}

#[cfg(test)]
mod tests;
