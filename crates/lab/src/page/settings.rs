//! Settings as a page takes them away and brings them back, as text. None of it needs a lab that runs.

use crate::as_rust;
use crate::file::{File, VERSION};
use crate::json::Json;
use crate::params::Config;
use crate::scenes;

/// The settings as a configuration file; see [`File::write`]. `config` is a flat JSON object.
///
/// # Errors
/// A sentence.
pub fn as_file(scene: &str, seed: u64, config: &str) -> Result<String, String> {
    let config = read_config(scene, config)?;
    let file = File {
        scene: Some(config.scene().into()),
        seed: Some(seed),
        config,
        ignored: Vec::new(),
    };
    Ok(file.write())
}

/// The settings as Rust; see [`as_rust::as_rust`].
///
/// # Errors
/// A sentence.
pub fn as_rust(scene: &str, config: &str) -> Result<String, String> {
    Ok(as_rust::as_rust(&read_config(scene, config)?))
}

/// A scene's settings from a flat JSON object; those of other scenes are passed over.
pub(super) fn read_config(scene: &str, config: &str) -> Result<Config, String> {
    let scene = scenes::named(scene).map_err(|error| error.to_string())?;
    Config::from_json(scene.id, config).map_err(|error| error.to_string())
}

/// What a configuration file says, as a JSON object of `scene` (where it says), `seed` (where it says), `config` (every
/// parameter of the scene) and `ignored` (parameters that it sets and the scene does not have).
///
/// # Errors
/// A sentence; see [`crate::file::FileError`].
pub fn read(text: &str) -> Result<String, String> {
    let file = File::read(text).map_err(|error| error.to_string())?;
    let mut json = Json::new();
    json.object().key("afterimage").number(VERSION as f64);
    if let Some(scene) = &file.scene {
        json.key("scene").text(scene);
    }
    if let Some(seed) = file.seed {
        json.key("seed").number(seed as f64);
    }
    json.key("config");
    file.config.write(&mut json);
    json.key("ignored").list();
    for id in &file.ignored {
        json.text(id);
    }
    json.end_list().end_object();
    Ok(json.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_takes_away_it_can_bring_back() {
        let file = as_file("arena", 9, "{\"interp.delay\":120}").unwrap();
        let back = read(&file).unwrap();
        assert!(
            back.starts_with("{\"afterimage\":1,\"scene\":\"arena\",\"seed\":9,\"config\":{\"link")
        );
        assert!(back.contains("\"interp.delay\":120,"));
        assert!(!read("{\"bots\":1}").unwrap().contains("seed"));
        assert!(
            as_rust("arena", "{\"interp.delay\":120}")
                .unwrap()
                .contains("from_millis(120)")
        );
    }

    #[test]
    fn what_is_wrong_is_a_sentence() {
        assert!(
            read("{\"bots\":31}")
                .unwrap_err()
                .contains("bots goes from 0 to 30")
        );
        assert!(as_file("arena", 9, "{\"bot\":1}").is_err() && as_rust("arena", "[]").is_err());
    }
}
