//! How much a newcomer's browser has to fetch before the page runs.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::count::Tally;
use crate::run::root;
use crate::web::DIST;

/// Bytes gzipped, at most, of any one wasm module: a second on a 2 Mbit/s line.
const MODULE: usize = 250 * 1024;
/// Bytes gzipped, at most, of all JavaScript and CSS together.
const SCRIPT_AND_STYLE: usize = 80 * 1024;

/// A file of the bundle: its name, and its bytes gzipped.
type Sized = (String, usize);

/// Prints the sizes and holds them against the bounds.
pub(crate) fn check() -> Result<Tally> {
    let mut files = Vec::new();
    weigh(&root().join(DIST), &mut files)?;
    files.sort();
    for (name, bytes) in &files {
        println!("{:>8.1} KiB  {name}", kib(*bytes));
    }
    Ok(judge(&files))
}

/// One verdict a bound; a bundle without a module or without a script is not a small one.
fn judge(files: &[Sized]) -> Tally {
    let of = |ends: &[&str]| -> Vec<usize> {
        let fits = |name: &str| ends.iter().any(|end| name.ends_with(end));
        files
            .iter()
            .filter(|(name, _)| fits(name))
            .map(|(_, bytes)| *bytes)
            .collect()
    };
    let module = of(&[".wasm"]).into_iter().max().unwrap_or(0);
    let script = of(&[".js", ".css"]).into_iter().sum();
    let bounds = [
        ("the largest wasm module", module, MODULE),
        ("JavaScript and CSS together", script, SCRIPT_AND_STYLE),
    ];
    let verdict = |(what, bytes, most): (&str, usize, usize)| {
        let held = (1..=most).contains(&bytes);
        let word = if held { "holds" } else { "DOES NOT HOLD" };
        println!(
            "{what}, gzipped: {:.1} KiB of {:.0} KiB: {word}",
            kib(bytes),
            kib(most)
        );
        Tally::one(held)
    };
    bounds
        .into_iter()
        .map(verdict)
        .fold(Tally::default(), Tally::and)
}

fn kib(bytes: usize) -> f64 {
    bytes as f64 / 1024.0
}

fn weigh(folder: &Path, into: &mut Vec<Sized>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            weigh(&path, into)?;
        } else if !name.starts_with('.') {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
            gzip.write_all(&fs::read(&path)?)?;
            into.push((name, gzip.finish()?.len()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(files: &[(&str, usize)]) -> Tally {
        judge(
            &files
                .iter()
                .map(|(name, bytes)| ((*name).to_owned(), *bytes))
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn each_bound_is_met_or_broken_on_its_own() {
        let met = Tally {
            passed: 2,
            failed: 0,
        };
        let one = Tally {
            passed: 1,
            failed: 1,
        };
        assert_eq!(
            judged(&[("a.wasm", MODULE), ("b.js", 40 << 10), ("c.css", 40 << 10)]),
            met
        );
        assert_eq!(judged(&[("a.wasm", MODULE + 1), ("b.js", 1)]), one);
        assert_eq!(
            judged(&[("a.wasm", 1), ("b.js", 40 << 10), ("c.css", (40 << 10) + 1)]),
            one
        );
    }

    #[test]
    fn a_bundle_without_its_module_is_not_small() {
        assert_eq!(
            judged(&[("b.js", 1)]),
            Tally {
                passed: 1,
                failed: 1
            }
        );
        assert_eq!(
            judged(&[]),
            Tally {
                passed: 0,
                failed: 2
            }
        );
    }
}
