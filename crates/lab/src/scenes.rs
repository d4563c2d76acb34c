//! The scenes that there are.

use ::scenes::{Arena, Scene};

use crate::lab::{Lab, LabOf, LabSetup};
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
    /// What to show: left, top, right, bottom, m.
    pub bounds: fn() -> [f32; 4],
    open: fn(LabSetup) -> Box<dyn Lab>,
}

const fn info<G: Scene>() -> SceneInfo {
    SceneInfo {
        id: G::NAME,
        label: G::LABEL,
        buttons: G::BUTTONS,
        bounds: G::bounds,
        open: |setup| Box::new(LabOf::<G>::new(setup)),
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
