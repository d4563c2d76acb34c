//! The page's wasm modules, one a scene: which compiler, the build, the glue, the optimiser.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;
use serde_json::Value;
use wasm_bindgen_cli_support::Bindgen;

use crate::run::{ask, cargo, command, node, root, run, say, target_dir, timed};
use crate::stamp::{Fingerprint, Stamp};
use crate::tools::{apt, can_apt};

const TARGET: &str = "wasm32-unknown-unknown";
/// Where the page imports them from, each from a folder with its scene's name.
const OUT: &str = "web/src/wasm";
/// The crate that they are made of.
const PACKAGE: &str = "afterimage-playground";
/// Debian's compiler for the web, its sources of std, and its linker.
const DEBIAN: [&str; 3] = ["rustc-web", "rust-web-src", "lld-22"];
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LINKER: &str = "wasm-ld-22";

/// Which compiler builds the module.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum Compiler {
    /// rustup's where its target is there or can be added, else Debian's.
    #[default]
    Auto,
    /// rustup's, with its target wasm32-unknown-unknown.
    Rustup,
    /// Debian's packages rustc-web, rust-web-src, lld-22; std is built with the module.
    Debian,
}

/// How well the module is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// For people and checks: everything that makes it fast and small.
    Shipped,
    /// While somebody edits: what builds fastest.
    Quick,
}

impl Mode {
    const fn profile(self) -> &'static str {
        match self {
            Self::Shipped => "wasm",
            Self::Quick => "wasm-dev",
        }
    }
}

/// What of WebAssembly the compiler may have used: what every browser since 2023 has.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-mutable-globals",
    "--enable-sign-ext",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// What wasm-opt does. Of the compiler's output -O1 makes a module a fifteenth smaller; -O2 and -O3 take two to three
/// times as long and make it neither smaller nor faster, while the three passes after it take a fiftieth off in no time.
const OPTIMISE: [&str; 6] = [
    "-O1",
    "--dae-optimizing",
    "--duplicate-function-elimination",
    "--code-folding",
    "--strip-debug",
    "--strip-producers",
];

/// Builds each scene's module and its glue into `web/src/wasm`, unless they stand.
pub(crate) fn build(compiler: Compiler, mode: Mode) -> Result<()> {
    let compiler = choose(compiler)?;
    let scenes = scenes()?;
    clear_others(&scenes)?;
    for scene in &scenes {
        module(&compiler, mode, scene)?;
    }
    Ok(())
}

/// The scenes that there are: a feature each of the playground, in the order of the alphabet.
pub(crate) fn scenes() -> Result<Vec<String>> {
    let told = ask(cargo().args(["metadata", "--no-deps", "--format-version=1", "--quiet"]))
        .context("`cargo metadata` says nothing")?;
    let scenes = features(&serde_json::from_str(&told)?);
    if scenes.is_empty() {
        bail!("{PACKAGE} has no feature that is a scene");
    }
    Ok(scenes)
}

fn features(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array();
    let ours = packages.and_then(|all| all.iter().find(|package| package["name"] == PACKAGE));
    let features = ours.and_then(|package| package["features"].as_object());
    features
        .into_iter()
        .flat_map(|features| features.keys())
        .filter(|name| *name != "default")
        .cloned()
        .collect()
}

/// A scene that is no more must not be bundled.
fn clear_others(scenes: &[String]) -> Result<()> {
    let Ok(entries) = fs::read_dir(root().join(OUT)) else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry?;
        if scenes.iter().any(|scene| entry.file_name() == **scene) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn module(compiler: &Chosen, mode: Mode, scene: &str) -> Result<()> {
    let module = compile(compiler, mode, scene)?;
    let bytes = fs::read(&module).with_context(|| format!("reading {}", module.display()))?;
    let input = Fingerprint::new()
        .bytes(&bytes)
        .bytes(mode.profile().as_bytes())
        .bytes([&OPTIMISE[..], &FEATURES[..]].concat().concat().as_bytes())
        .path(&root(), "package-lock.json", &[])?;
    let out = root().join(OUT).join(scene);
    let [glued, script, types] = ["_bg.wasm", ".js", ".d.ts"].map(|end| format!("{scene}{end}"));
    let stamp = Stamp::new(&out, &[&glued, &script, &types]);
    if stamp.stands(input) {
        return Ok(());
    }
    stamp.clear();
    timed(&format!("writing the glue of {scene}"), || {
        Bindgen::new()
            .input_path(&module)
            .out_name(scene)
            .web(true)?
            .typescript(true)
            // Without its default path the page's bundler finds no module to emit, and says nothing.
            .omit_default_module_path(false)
            .generate(&out)
    })?;
    if mode == Mode::Shipped {
        let wasm = out.join(&glued);
        timed(&format!("optimising {scene}"), || optimise(&wasm))?;
    }
    stamp.write(input)
}

fn optimise(wasm: &Path) -> Result<()> {
    run(node("node_modules/binaryen/bin/wasm-opt")
        .args(OPTIMISE)
        .args(FEATURES)
        .args([wasm, Path::new("-o"), wasm]))
}

/// Compiles the playground with one scene; gives the path of the raw module, where the next one will be. What does not depend on the
/// scene is built once.
fn compile(compiler: &Chosen, mode: Mode, scene: &str) -> Result<PathBuf> {
    let mut cargo = cargo();
    cargo.args(["build", "--package", PACKAGE, "--lib"]);
    cargo.args(["--no-default-features", "--features", scene]);
    cargo.args(["--target", TARGET, "--profile", mode.profile()]);
    let folder = match compiler {
        Chosen::Rustup => {
            say(format!(
                "building the wasm module of {scene} (a minute the first time)"
            ));
            target_dir()
        }
        Chosen::Debian => {
            say(format!(
                "building the wasm module of {scene} and std with Debian's compiler (minutes the first time)"
            ));
            // A folder of its own, or the two compilers would build everything anew for one another in turn.
            let folder = target_dir().join("debian");
            cargo
                .arg("-Zbuild-std=std,panic_abort")
                .env("RUSTC", DEBIAN_RUSTC)
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER)
                .env("CARGO_TARGET_DIR", &folder)
                // `cargo run` pointed it at rustup's libraries.
                .env_remove("LD_LIBRARY_PATH");
            folder
        }
    };
    run(&mut cargo)?;
    let made = folder.join(TARGET).join(mode.profile());
    Ok(made.join("playground.wasm"))
}

enum Chosen {
    Rustup,
    Debian,
}

/// The compiler that can do it, set up.
fn choose(compiler: Compiler) -> Result<Chosen> {
    match compiler {
        Compiler::Debian => debian().map(|()| Chosen::Debian),
        Compiler::Rustup => rustup().map(|()| Chosen::Rustup),
        Compiler::Auto => match rustup() {
            Ok(()) => Ok(Chosen::Rustup),
            Err(why) => match debian() {
                Ok(()) => Ok(Chosen::Debian),
                Err(why_not) => bail!("{why}. {why_not}"),
            },
        },
    }
}

fn rustup() -> Result<()> {
    if rustup_has_target() {
        return Ok(());
    }
    say(format!(
        "the target {TARGET} is missing: `rustup target add {TARGET}`"
    ));
    let _ = run(command("rustup").args(["target", "add", TARGET]));
    if !rustup_has_target() {
        bail!(
            "the Rust target {TARGET} is missing and rustup cannot add it; get it with `rustup target add {TARGET}` \
             (rustup: https://rustup.rs)"
        );
    }
    Ok(())
}

fn rustup_has_target() -> bool {
    let libraries = ask(command("rustc").args(["--print", "target-libdir", "--target", TARGET]));
    libraries.is_some_and(|dir| Path::new(dir.trim()).is_dir())
}

fn debian() -> Result<()> {
    if debian_is_there() {
        return Ok(());
    }
    if !can_apt() {
        bail!(
            "On Debian, as root, `apt-get install {}` does instead",
            DEBIAN.join(" ")
        );
    }
    apt(&DEBIAN)?;
    if !debian_is_there() {
        bail!(
            "Debian's packages {} were installed but bring no compiler for {TARGET}",
            DEBIAN.join(", ")
        );
    }
    Ok(())
}

/// The compiler, the sources that std is built from, and the linker.
fn debian_is_there() -> bool {
    let sysroot = ask(command(DEBIAN_RUSTC)
        .env_remove("LD_LIBRARY_PATH")
        .args(["--print", "sysroot"]));
    let sources = sysroot.is_some_and(|root| {
        Path::new(root.trim())
            .join("lib/rustlib/src/rust/library/std/Cargo.toml")
            .is_file()
    });
    sources && ask(command(DEBIAN_LINKER).arg("--version")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scenes_are_the_features_of_the_playground_and_its_default_has_all() {
        let told = r#"{"packages":[{"name":"other","features":{"x":[]}},
            {"name":"afterimage-playground","features":{"b":[],"default":["a"],"a":[]}}]}"#;
        assert_eq!(features(&serde_json::from_str(told).unwrap()), ["a", "b"]);
        assert!(features(&Value::Null).is_empty());
        let told = ask(cargo().args(["metadata", "--no-deps", "--format-version=1"])).unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        let packages = told["packages"].as_array().unwrap();
        let default = |name: &str| {
            let package = packages.iter().find(|package| package["name"] == name);
            let default = package.unwrap()["features"]["default"].as_array().unwrap();
            let mut default: Vec<_> = default.iter().filter_map(Value::as_str).collect();
            default.sort_unstable();
            default.retain(|feature| *feature != "cli");
            default
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let scenes = scenes().unwrap();
        assert_eq!(default(PACKAGE), scenes, "of the playground");
        assert_eq!(default("afterimage-lab"), scenes, "of the lab");
    }
}
