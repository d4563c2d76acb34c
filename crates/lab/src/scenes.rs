//! The scenes that there are.

use ::scenes::{Arena, Scene};
use wire::{Micros, Schema};

use crate::lab::{Lab, LabOf, LabSetup};
#[cfg(feature = "cli")]
use crate::online::recording::{Heard, Recording, replay};
use crate::online::{Online, OnlineOf, OnlineSetup};
use crate::params::nearest;

/// What is known of a scene without opening it.
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
    open: fn(LabSetup) -> Box<dyn Lab>,
    open_online: fn(OnlineSetup, Micros) -> Box<dyn Online>,
    #[cfg(feature = "cli")]
    replay: fn(&Recording) -> Vec<Heard>,
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
        open: |setup| Box::new(LabOf::<G>::new(setup)),
        open_online: |setup, now| Box::new(OnlineOf::<G>::new(setup, now)),
        #[cfg(feature = "cli")]
        replay: replay::<G>,
    }
}

/// Every scene, in the page's order.
pub const SCENES: &[SceneInfo] = &[info::<Arena>()];

/// There is no such scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no scene \"{id}\"; the nearest is \"{nearest}\"")]
pub struct UnknownScene {
    /// What was asked for.
    pub id: String,
    /// What was probably meant.
    pub nearest: &'static str,
}

/// What is known of a scene by its name.
///
/// # Errors
/// [`UnknownScene`] with the nearest name.
pub fn named(id: &str) -> Result<&'static SceneInfo, UnknownScene> {
    SCENES
        .iter()
        .find(|scene| scene.id == id)
        .ok_or_else(|| UnknownScene {
            id: id.into(),
            nearest: nearest(id, SCENES.iter().map(|scene| scene.id)).unwrap_or_default(),
        })
}

/// A lab of a scene by its name.
///
/// # Errors
/// [`UnknownScene`] with the nearest name.
pub fn open(id: &str, setup: LabSetup) -> Result<Box<dyn Lab>, UnknownScene> {
    Ok((named(id)?.open)(setup))
}

/// The client of a real match of a scene by its name, which begins to ask to be let in at `now`.
///
/// # Errors
/// [`UnknownScene`] with the nearest name.
pub fn open_online(
    id: &str,
    setup: OnlineSetup,
    now: Micros,
) -> Result<Box<dyn Online>, UnknownScene> {
    Ok((named(id)?.open_online)(setup, now))
}

/// A recording of a real match in words.
///
/// # Errors
/// [`UnknownScene`] where this build does not have its scene.
#[cfg(feature = "cli")]
pub fn tell(recording: &Recording) -> Result<Vec<Heard>, UnknownScene> {
    Ok((named(&recording.scene)?.replay)(recording))
}
