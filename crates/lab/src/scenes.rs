//! The scenes that there are.
//!
//! Each has a feature of its name, and a line in [`SCENES`] and in `BUILT`. A build has the code of those whose features are on:
//! natively all of them, in a module of the page one.

use ::scenes::{Arena, BlackHoles, Horde, Scene};
use wire::{Micros, Schema};

use crate::lab::{Lab, LabOf, LabSetup};
#[cfg(feature = "cli")]
use crate::online::recording::{Heard, Recording, replay};
use crate::online::{Online, OnlineOf, OnlineSetup};
use crate::params::nearest;

#[cfg(not(any(feature = "arena", feature = "horde", feature = "black-holes")))]
compile_error!("the lab needs a scene: switch on its feature");

/// What is known of a scene without its code: each of the page's modules knows it of all scenes.
#[derive(Clone, Copy, Debug)]
pub struct SceneInfo {
    /// Its name in configurations.
    pub id: &'static str,
    /// Its name on the page.
    pub label: &'static str,
    /// The buttons of its pad, by bit.
    pub buttons: &'static [&'static str],
    /// The unit of its lengths: `m` or `px`.
    pub unit: &'static str,
    /// Characters at most.
    pub players: u16,
    /// The classes of its entities and their fields.
    pub schema: &'static Schema,
    /// The whole world: left, top, right, bottom, in the unit.
    pub bounds: fn() -> [f32; 4],
}

const fn info<G: Scene>() -> SceneInfo {
    SceneInfo {
        id: G::NAME,
        label: G::LABEL,
        buttons: G::BUTTONS,
        unit: G::UNIT,
        players: G::PLAYERS,
        schema: G::SCHEMA,
        bounds: G::bounds,
    }
}

/// Every scene, in the page's order.
pub const SCENES: &[SceneInfo] = &[info::<Arena>(), info::<Horde>(), info::<BlackHoles>()];

/// A scene whose code is in this build.
struct Built {
    id: &'static str,
    open: fn(LabSetup) -> Box<dyn Lab>,
    open_online: fn(OnlineSetup, Micros) -> Box<dyn Online>,
    #[cfg(feature = "cli")]
    replay: fn(&Recording) -> Vec<Heard>,
}

const fn built<G: Scene>() -> Built {
    Built {
        id: G::NAME,
        open: |setup| Box::new(LabOf::<G>::new(setup)),
        open_online: |setup, now| Box::new(OnlineOf::<G>::new(setup, now)),
        #[cfg(feature = "cli")]
        replay: replay::<G>,
    }
}

/// Of those, the ones whose features are on.
const BUILT: &[Built] = &[
    #[cfg(feature = "arena")]
    built::<Arena>(),
    #[cfg(feature = "horde")]
    built::<Horde>(),
    #[cfg(feature = "black-holes")]
    built::<BlackHoles>(),
];

/// The names of the scenes whose code is in this build.
pub fn here() -> impl Iterator<Item = &'static str> {
    BUILT.iter().map(|scene| scene.id)
}

/// There is no such scene, or not here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownScene {
    /// There is none of that name.
    #[error("there is no scene \"{id}\"; the nearest is \"{nearest}\"")]
    Nowhere {
        /// What was asked for.
        id: String,
        /// What was probably meant.
        nearest: &'static str,
    },
    /// This build was made without its code.
    #[error("this build is without the scene \"{0}\"")]
    Elsewhere(&'static str),
}

/// What is known of a scene by its name.
///
/// # Errors
/// [`UnknownScene::Nowhere`] with the nearest name.
pub fn named(id: &str) -> Result<&'static SceneInfo, UnknownScene> {
    SCENES
        .iter()
        .find(|scene| scene.id == id)
        .ok_or_else(|| UnknownScene::Nowhere {
            id: id.into(),
            nearest: nearest(id, SCENES.iter().map(|scene| scene.id)).unwrap_or_default(),
        })
}

fn built_named(id: &str) -> Result<&'static Built, UnknownScene> {
    let SceneInfo { id, .. } = *named(id)?;
    BUILT
        .iter()
        .find(|scene| scene.id == id)
        .ok_or(UnknownScene::Elsewhere(id))
}

/// A lab of a scene by its name.
///
/// # Errors
/// [`UnknownScene`].
pub fn open(id: &str, setup: LabSetup) -> Result<Box<dyn Lab>, UnknownScene> {
    Ok((built_named(id)?.open)(setup))
}

/// The client of a real match of a scene by its name, which begins to ask to be let in at `now`.
///
/// # Errors
/// [`UnknownScene`].
pub fn open_online(
    id: &str,
    setup: OnlineSetup,
    now: Micros,
) -> Result<Box<dyn Online>, UnknownScene> {
    Ok((built_named(id)?.open_online)(setup, now))
}

/// A recording of a real match in words.
///
/// # Errors
/// [`UnknownScene`] where this build does not have its scene.
#[cfg(feature = "cli")]
pub fn tell(recording: &Recording) -> Result<Vec<Heard>, UnknownScene> {
    Ok((built_named(&recording.scene)?.replay)(recording))
}
