//! How fast and how small it is: the native benches, the same lab in wasm under Node and in Chromium, the sizes.

use anyhow::Result;

use crate::count::Tally;
use crate::run::{cargo, node, run, say};
use crate::wasm::Compiler;
use crate::{sizes, tools, web};

/// Prints every table; whether the bounds that are promised hold.
pub(crate) fn run_all(compiler: Compiler) -> Result<bool> {
    tools::check_node()?;
    web::build(compiler)?;
    say("native");
    run(cargo().args(["bench", "--workspace", "--bench", "*"]))?;
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
