//! The page: npm's packages, the bundle, and the server that watches while somebody edits.

use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::run::{Kept, command, node, root, run, say, timed};
use crate::stamp::{Fingerprint, Stamp};
use crate::tools::NPM;
use crate::wasm::{self, Compiler, Mode};

/// Where the bundle lies.
pub(crate) const DIST: &str = "web/dist";
const VITE: &str = "node_modules/vite/bin/vite.js";

/// The packages of package-lock.json, unless they are there.
pub(crate) fn install() -> Result<()> {
    let input = Fingerprint::new()
        .path(&root(), "package.json", &[])?
        .path(&root(), "package-lock.json", &[])?;
    let stamp = Stamp::new(root().join("node_modules"), &[".package-lock.json"]);
    if stamp.stands(input) {
        return Ok(());
    }
    stamp.clear();
    timed("installing the page's packages: `npm ci`", || {
        run(command(NPM).args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]))
    })?;
    stamp.write(input)
}

/// The bundle in `web/dist`, unless it stands for what is in `web`.
pub(crate) fn bundle() -> Result<()> {
    let input = Fingerprint::new()
        .path(&root(), "web", &["dist", "node_modules"])?
        .path(&root(), "package-lock.json", &[])?;
    let stamp = Stamp::new(root().join(DIST), &["index.html"]);
    if stamp.stands(input) {
        return Ok(());
    }
    stamp.clear();
    timed("building the page", || {
        run(node(VITE).args(["build", "web", "--logLevel", "warn"]))
    })?;
    stamp.write(input)
}

/// Everything that the relay serves.
pub(crate) fn build(compiler: Compiler) -> Result<()> {
    install()?;
    wasm::build(compiler, Mode::Shipped)?;
    bundle()
}

/// Vite's own server, and the module built anew whenever the Rust below `crates` changes.
pub(crate) fn dev(compiler: Compiler, host: &str, port: u16) -> Result<()> {
    install()?;
    wasm::build(compiler, Mode::Quick)?;
    let mut vite = node(VITE);
    vite.args([
        "web",
        "--host",
        host,
        "--port",
        &port.to_string(),
        "--strictPort",
    ]);
    let mut vite = Kept(vite.spawn()?);
    let sources = || Fingerprint::new().path(&root(), "crates", &["xtask", "benches", "tests"]);
    let mut built = sources()?;
    say("watching crates/ and web/; Ctrl-C ends it");
    loop {
        thread::sleep(Duration::from_millis(500));
        if let Some(status) = vite.0.try_wait()? {
            bail!("the page's server ended ({status})");
        }
        let now = sources()?;
        if now != built {
            built = now;
            if let Err(error) = wasm::build(compiler, Mode::Quick) {
                say(format!("not built: {error:#}"));
            }
        }
    }
}
