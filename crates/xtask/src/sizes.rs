//! How much a newcomer's browser has to fetch before the page runs.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::count::Tally;
use crate::run::root;
use crate::wasm;
use crate::web::DIST;

/// Bytes gzipped, at most, of any one wasm module: a second on a 2 Mbit/s line.
const MODULE: usize = 250 * 1024;
/// Bytes gzipped, at most, of all JavaScript and CSS that a page needs before it runs: with the script of one module.
const FIRST_LOAD: usize = 80 * 1024;
/// Bytes gzipped, at most, of what comes later, when it is first asked for: of each piece, which is a word's wait.
const LATER: usize = 24 * 1024;

/// A file of the bundle.
#[derive(Clone, Debug)]
struct Sized {
    name: String,
    /// Bytes gzipped.
    bytes: usize,
    /// What it says, where that is text: it names what it needs.
    text: String,
}

impl Sized {
    fn is_script_or_style(&self) -> bool {
        self.name.ends_with(".js") || self.name.ends_with(".css")
    }

    /// Whether it cannot run, or does not look right, before that one is there: it is a page and names it, imports it, or starts it
    /// as a worker. What is imported in the middle of the code comes when that code runs.
    fn needs(&self, other: &str) -> bool {
        if self.name.ends_with(".html") {
            return self.text.contains(other);
        }
        self.text.match_indices(other).any(|(at, _)| {
            let before = self.text[..at].trim_end_matches(['.', '/']);
            let before = before.strip_suffix("assets").unwrap_or(before);
            let before = before
                .trim_end_matches(['.', '/', '"', '\'', '`'])
                .trim_end();
            ["from", "import", "new URL("]
                .iter()
                .any(|word| before.ends_with(word))
        })
    }
}

/// Prints the sizes and holds them against the bounds.
pub(crate) fn check() -> Result<Tally> {
    let mut files = Vec::new();
    weigh(&root().join(DIST), &mut files)?;
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let first = first_load(&files, &wasm::scenes()?);
    for Sized { name, bytes, .. } in &files {
        let when = if first.contains(name) {
            "first"
        } else {
            "later"
        };
        println!("{:>8.1} KiB  {when}  {name}", kib(*bytes));
    }
    Ok(judge(&files, &first))
}

/// The names of what must be there before the page runs: `index.html`, whatever that needs, and the script of one scene's module, the
/// largest.
fn first_load(files: &[Sized], scenes: &[String]) -> BTreeSet<String> {
    let glue = |file: &&Sized| {
        let of = |scene: &String| file.name.starts_with(&format!("{scene}-"));
        file.name.ends_with(".js") && scenes.iter().any(of)
    };
    let glue = files.iter().filter(glue).max_by_key(|file| file.bytes);
    let page = files.iter().find(|file| file.name == "index.html");
    let mut due: Vec<_> = page.into_iter().chain(glue).collect();
    let mut first = BTreeSet::new();
    while let Some(file) = due.pop() {
        if first.insert(file.name.clone()) {
            let needed = |other: &&Sized| other.is_script_or_style() && file.needs(&other.name);
            due.extend(files.iter().filter(needed));
        }
    }
    first
}

/// One verdict a bound; a bundle without a module or without a script is not a small one.
fn judge(files: &[Sized], first: &BTreeSet<String>) -> Tally {
    let largest = |of: &dyn Fn(&Sized) -> bool| {
        let of = files.iter().filter(|file| of(file));
        of.map(|file| file.bytes).max().unwrap_or(0)
    };
    let together = files
        .iter()
        .filter(|file| file.is_script_or_style() && first.contains(&file.name))
        .map(|file| file.bytes)
        .sum();
    let module = largest(&|file| file.name.ends_with(".wasm"));
    let later = largest(&|file| file.is_script_or_style() && !first.contains(&file.name));
    let mut bounds = vec![
        ("the largest wasm module", module, MODULE),
        ("JavaScript and CSS of the first load", together, FIRST_LOAD),
    ];
    if later > 0 {
        bounds.push(("the largest piece that comes later", later, LATER));
    }
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
            let raw = fs::read(&path)?;
            let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
            gzip.write_all(&raw)?;
            into.push(Sized {
                name,
                bytes: gzip.finish()?.len(),
                text: String::from_utf8(raw).unwrap_or_default(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bundle of one page with its script, style, worker and two scenes, and a piece that comes later; with these sizes.
    fn judged(module: usize, script: usize, glue: usize, later: usize) -> Tally {
        let file = |name: &str, bytes: usize, text: &str| Sized {
            name: name.into(),
            bytes,
            text: text.into(),
        };
        let files = [
            file(
                "index.html",
                1,
                "<script src=\"./assets/index-1.js\"></script><link href=\"./assets/index-1.css\">",
            ),
            file(
                "index-1.js",
                script,
                "import{a}from\"./shared-1.js\";new Worker(new URL(`/assets/worker-1.js`,import.meta.url));m=[\"assets/place-1.js\"];import(\"./place-1.js\")",
            ),
            file("index-1.css", 10 << 10, ""),
            file("shared-1.js", 10 << 10, ""),
            file(
                "worker-1.js",
                10 << 10,
                "import(`./arena-1.js`),import(`./rink-1.js`)",
            ),
            file(
                "arena-1.js",
                1,
                "new URL(\"arena_bg-1.wasm\",import.meta.url)",
            ),
            file(
                "rink-1.js",
                glue,
                "new URL(\"rink_bg-1.wasm\",import.meta.url)",
            ),
            file("place-1.js", later, "import{b}from\"./index-1.js\""),
            file("arena_bg-1.wasm", 1, ""),
            file("rink_bg-1.wasm", module, ""),
        ];
        let scenes = ["arena".to_owned(), "rink".to_owned()];
        judge(&files, &first_load(&files, &scenes))
    }

    const fn tally(passed: u32, failed: u32) -> Tally {
        Tally { passed, failed }
    }

    #[test]
    fn each_bound_is_met_or_broken_on_its_own() {
        assert_eq!(judged(MODULE, 40 << 10, 10 << 10, LATER), tally(3, 0));
        assert_eq!(judged(MODULE + 1, 1, 1, 1), tally(2, 1));
        assert_eq!(judged(1, (40 << 10) + 1, 10 << 10, 1), tally(2, 1));
        assert_eq!(judged(1, 40 << 10, (10 << 10) + 1, 1), tally(2, 1));
        assert_eq!(judged(1, 1, 1, LATER + 1), tally(2, 1));
    }

    #[test]
    fn a_bundle_without_its_module_is_not_small() {
        assert_eq!(judged(0, 1, 1, 1), tally(3, 0), "arena's is there");
        assert_eq!(judge(&[], &BTreeSet::new()), tally(0, 2));
    }
}
