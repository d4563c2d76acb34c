//! The wasm module of the page: which compiler, the build, the glue, the optimiser.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;
use wasm_bindgen_cli_support::Bindgen;

use crate::run::{ask, cargo, command, node, root, run, say, target_dir, timed};
use crate::stamp::{Fingerprint, Stamp};
use crate::tools::{apt, can_apt};

const TARGET: &str = "wasm32-unknown-unknown";
/// Where the page imports it from.
const OUT: &str = "web/src/wasm";
/// What the page imports.
const NAME: &str = "afterimage";
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
/// times as long and make it neither smaller nor faster.
const OPTIMISE: [&str; 3] = ["-O1", "--strip-debug", "--strip-producers"];

/// Builds the module and its glue into `web/src/wasm`, unless they stand.
pub(crate) fn build(compiler: Compiler, mode: Mode) -> Result<()> {
    let module = compile(compiler, mode)?;
    let bytes = fs::read(&module).with_context(|| format!("reading {}", module.display()))?;
    let input = Fingerprint::new()
        .bytes(&bytes)
        .bytes(mode.profile().as_bytes())
        .bytes([&OPTIMISE[..], &FEATURES[..]].concat().concat().as_bytes())
        .path(&root(), "package-lock.json", &[])?;
    let out = root().join(OUT);
    let glued = format!("{NAME}_bg.wasm");
    let stamp = Stamp::new(&out, &[&glued, "afterimage.js", "afterimage.d.ts"]);
    if stamp.stands(input) {
        return Ok(());
    }
    stamp.clear();
    timed("writing the module's glue", || {
        Bindgen::new()
            .input_path(&module)
            .out_name(NAME)
            .web(true)?
            .typescript(true)
            // Without its default path the page's bundler finds no module to emit, and says nothing.
            .omit_default_module_path(false)
            .generate(&out)
    })?;
    if mode == Mode::Shipped {
        let wasm = out.join(&glued);
        timed("optimising the module", || optimise(&wasm))?;
    }
    stamp.write(input)
}

fn optimise(wasm: &Path) -> Result<()> {
    run(node("node_modules/binaryen/bin/wasm-opt")
        .args(OPTIMISE)
        .args(FEATURES)
        .args([wasm, Path::new("-o"), wasm]))
}

/// Compiles `afterimage-playground`; gives the path of the raw module.
fn compile(compiler: Compiler, mode: Mode) -> Result<PathBuf> {
    let mut cargo = cargo();
    cargo.args(["build", "--package", "afterimage-playground", "--lib"]);
    cargo.args(["--target", TARGET, "--profile", mode.profile()]);
    let folder = match choose(compiler)? {
        Chosen::Rustup => {
            say("building the wasm module (a minute the first time)");
            target_dir()
        }
        Chosen::Debian => {
            say("building the wasm module and std with Debian's compiler (minutes the first time)");
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
