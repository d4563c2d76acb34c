//! How fast and how small it is: the native benches, the same lab in wasm under Node and in Chromium, the sizes.

use anyhow::Result;

use crate::count::Tally;
use crate::run::{cargo, node, run, say, succeeds, target_dir};
use crate::wasm::Compiler;
use crate::{sizes, tools, web};

/// Prints every table; whether the bounds that are promised hold.
pub(crate) fn run_all(compiler: Compiler) -> Result<bool> {
    tools::check_node()?;
    web::build(compiler)?;
    say("native");
    run(cargo().args(["bench", "--workspace", "--bench", "*"]))?;
    peers()?;
    say("wasm");
    let mut wasm = node("crates/xtask/js/bench.mjs");
    if let Ok(chromium) = tools::chromium() {
        wasm.env("CHROMIUM", chromium);
    }
    run(&mut wasm)?;
    say("sizes");
    let Tally { failed, .. } = sizes::check()?;
    Ok(failed == 0)
}

/// The same work beside other people's crates. They belong to no crate of ours, so whoever cannot fetch them goes without.
fn peers() -> Result<()> {
    say("beside other people's crates");
    let manifest = ["--manifest-path", "benches/Cargo.toml", "--locked"];
    if !succeeds(cargo().arg("fetch").args(manifest))? {
        say("skipped: they cannot be fetched");
        return Ok(());
    }
    let target = target_dir().join("peers");
    run(cargo()
        .args(["bench", "--bench", "peers"])
        .args(manifest)
        .arg("--target-dir")
        .arg(target))
}
