//! Determinism: the same ticks of each scene, native and in the page's module, to the last bit.

use anyhow::{Result, bail};

use crate::count::Tally;
use crate::run::{cargo, node, tee};
use crate::wasm;

/// Long enough that every mechanism of a match has run many times.
const TICKS: &str = "10000";

/// Runs both, scene by scene, and compares them line by line.
pub(crate) fn check() -> Result<Tally> {
    let mut all = Tally::default();
    for scene in wasm::scenes()? {
        all = all.and(check_scene(&scene)?);
    }
    Ok(all)
}

fn check_scene(scene: &str) -> Result<Tally> {
    let mut native = cargo();
    native.args([
        "run",
        "--quiet",
        "--package",
        "afterimage-lab",
        "--",
        "trace",
        "--scene",
        scene,
        "--ticks",
        TICKS,
    ]);
    println!("{scene}, native:");
    let native = lines(&mut native)?;
    println!("{scene}, wasm, in Node:");
    let wasm = lines(node("crates/xtask/js/trace.mjs").args([scene, TICKS]))?;
    match first_difference(&native, &wasm) {
        None => println!("equal: {} lines", native.len()),
        Some(line) => println!(
            "line {} differs:\n  native {}\n  wasm   {}",
            line + 1,
            native.get(line).map_or("(none)", String::as_str),
            wasm.get(line).map_or("(none)", String::as_str)
        ),
    }
    Ok(Tally::one(native == wasm))
}

fn lines(command: &mut std::process::Command) -> Result<Vec<String>> {
    let (held, text) = tee(command)?;
    if !held || text.trim().is_empty() {
        bail!("the trace was not made");
    }
    Ok(text
        .lines()
        .map(|line| line.trim_end().to_owned())
        .filter(|line| !line.is_empty())
        .collect())
}

fn first_difference(a: &[String], b: &[String]) -> Option<usize> {
    (0..a.len().max(b.len())).find(|&line| a.get(line) != b.get(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_trace_differs_where_it_ends() {
        let of = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(first_difference(&of("a b c"), &of("a b c")), None);
        assert_eq!(first_difference(&of("a b c"), &of("a x c")), Some(1));
        assert_eq!(first_difference(&of("a b"), &of("a b c")), Some(2));
    }
}
