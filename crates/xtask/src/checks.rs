//! Everything that must hold, part by part, and the table at the end.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::count::{Runner, Tally};
use crate::run::{Kept, ask, cargo, command, node, root, say, seconds, succeeds, target_dir, tee};
use crate::wasm::{Compiler, Mode};
use crate::{relay, sizes, tools, trace, wasm, web};

/// What a part came to.
#[derive(Debug)]
enum Came {
    /// It ran: what its tests said.
    To(Tally),
    /// It was passed over, and why that is no fault.
    Skipped(&'static str),
    /// It could not run.
    Broke(anyhow::Error),
}

#[derive(Debug)]
struct Row {
    name: &'static str,
    came: Came,
    took: Duration,
}

impl Row {
    /// A part that broke, or ran nothing, counts as one that failed.
    fn tally(&self) -> Tally {
        match &self.came {
            Came::To(tally) if tally.ran() => *tally,
            Came::To(_) | Came::Broke(_) => Tally::one(false),
            Came::Skipped(_) => Tally::default(),
        }
    }

    fn word(&self) -> String {
        match &self.came {
            Came::To(tally) if !tally.ran() => "FAILED: ran no test".to_owned(),
            Came::To(tally) if tally.failed > 0 => {
                format!("FAILED: {} passed, {} failed", tally.passed, tally.failed)
            }
            Came::To(tally) => format!("{} passed", tally.passed),
            Came::Skipped(why) => format!("skipped: {why}"),
            Came::Broke(error) => format!("FAILED: {error:#}"),
        }
    }
}

/// Runs the parts one after another; a part that fails does not keep the next from running.
#[derive(Default, Debug)]
struct Report {
    rows: Vec<Row>,
}

impl Report {
    fn part(&mut self, name: &'static str, part: impl FnOnce() -> Result<Came>) {
        println!("\n== {name}");
        let start = Instant::now();
        let came = part().unwrap_or_else(Came::Broke);
        let row = Row {
            name,
            came,
            took: start.elapsed(),
        };
        println!("== {name}: {} ({})", row.word(), seconds(row.took));
        self.rows.push(row);
    }

    /// The table, and as the last line what all of it came to. Whether all of it held.
    fn finish(self) -> bool {
        println!("\n{:<22} {:>12}  result", "part", "time");
        for row in &self.rows {
            // Only the first line of an error: the whole of it stands above.
            let word = row.word();
            println!(
                "{:<22} {:>12}  {}",
                row.name,
                seconds(row.took),
                word.lines().next().unwrap_or("")
            );
        }
        let took = self.rows.iter().map(|row| row.took).sum();
        println!("{:<22} {:>12}\n", "together", seconds(took));
        let all = self
            .rows
            .iter()
            .map(Row::tally)
            .fold(Tally::default(), Tally::and);
        println!("{} passed, {} failed", all.passed, all.failed);
        all.failed == 0 && all.ran()
    }
}

/// A command that holds or does not, as one check.
fn holds(command: &mut Command) -> Result<Came> {
    Ok(Came::To(Tally::one(succeeds(command)?)))
}

/// A command that runs tests, counted from what it prints; what failed without a failed test counts as one.
fn counted(command: &mut Command, runner: Runner) -> Result<Came> {
    let (held, text) = tee(command)?;
    let tally = runner.count(&text);
    let unsaid = Tally {
        passed: 0,
        failed: u32::from(!held && tally.failed == 0 && tally.ran()),
    };
    Ok(Came::To(tally.and(unsaid)))
}

const TSC: &str = "node_modules/typescript/bin/tsc";

/// The native players are no part of what `npm start` builds, but they are of what must hold.
const BOTS: [&str; 2] = ["--features", "afterimage-server/bots"];

/// What takes seconds, or a minute: format, lints, types, advisories.
fn quick(report: &mut Report, compiler: Compiler) {
    report.part("lock files", || {
        holds(
            cargo()
                .args(["metadata", "--locked", "--format-version=1", "--quiet"])
                .stdout(std::process::Stdio::null()),
        )
    });
    report.part("format", || {
        tools::check_rust_components()?;
        let ours = succeeds(cargo().args(["fmt", "--all", "--check"]))?;
        let manifest = ["--manifest-path", "benches/Cargo.toml"];
        let beside = succeeds(cargo().arg("fmt").args(manifest).arg("--check"))?;
        Ok(Came::To(Tally::one(ours && beside)))
    });
    report.part("lints", || {
        let mut clippy = cargo();
        clippy.args([
            "clippy",
            "--workspace",
            "--all-targets",
            BOTS[0],
            BOTS[1],
            "--quiet",
            "--",
            "--deny",
            "warnings",
        ]);
        holds(&mut clippy)
    });
    report.part("dependencies", || {
        if ask(cargo().args(["deny", "--version"])).is_none() {
            return Ok(Came::Skipped("cargo-deny is not installed"));
        }
        holds(cargo().args(["deny", "check", "bans", "licenses", "sources"]))
    });
    report.part("wasm module", || {
        tools::check_node()?;
        web::install()?;
        wasm::build(compiler, Mode::Shipped)?;
        Ok(Came::To(Tally::one(true)))
    });
    report.part("types", || {
        let mut all = Tally::default();
        for project in ["web/tsconfig.json", "tests/browser/tsconfig.json"] {
            if root().join(project).exists() {
                let held = succeeds(node(TSC).args(["--noEmit", "--project", project]))?;
                all = all.and(Tally::one(held));
            }
        }
        Ok(Came::To(all))
    });
}

/// `npm run check`.
pub(crate) fn check(compiler: Compiler) -> bool {
    let mut report = Report::default();
    quick(&mut report, compiler);
    report.finish()
}

/// `npm test`.
pub(crate) fn test(compiler: Compiler) -> bool {
    let mut report = Report::default();
    quick(&mut report, compiler);
    report.part("Rust tests", || {
        counted(
            cargo()
                .args(["test", "--workspace", "--no-fail-fast"])
                .args(BOTS),
            Runner::Cargo,
        )
    });
    report.part("native equals wasm", || Ok(Came::To(trace::check()?)));
    report.part("page's unit tests", || {
        let vitest = "node_modules/vitest/vitest.mjs";
        counted(node(vitest).args(["run", "--root", "web"]), Runner::Vitest)
    });
    report.part("bundle", || {
        web::bundle()?;
        Ok(Came::To(Tally::one(true)))
    });
    report.part("sizes", || Ok(Came::To(sizes::check()?)));
    report.part("browser", || {
        let (_relay, mut playwright) = playwright("playwright.config.ts")?;
        counted(&mut playwright, Runner::Playwright)
    });
    report.finish()
}

/// Playwright on the page as the relay serves it, which it does while the first value lives.
fn playwright(config: &str) -> Result<(Kept, Command)> {
    let chromium = tools::chromium()?;
    let version = ask(command(&chromium).arg("--version")).unwrap_or_default();
    println!("{chromium}: {}", version.trim());
    let program = relay::build()?;
    let (relay, address) = relay::serve_beside(program.clone())?;
    let mut playwright = node("node_modules/@playwright/test/cli.js");
    let config = format!("tests/browser/{config}");
    playwright
        .args(["test", "--config", &config, "--reporter=list"])
        .env("BASE_URL", &address)
        .env("RELAY", &program)
        .env("CHROMIUM", &chromium);
    Ok((relay, playwright))
}

/// `npm run shots`.
pub(crate) fn shots(compiler: Compiler, only: Option<&str>) -> Result<bool> {
    tools::check_node()?;
    web::build(compiler)?;
    let folder = target_dir().join("shots");
    let (_relay, mut playwright) = playwright("shots.config.ts")?;
    playwright.env("SHOTS", &folder);
    if let Some(only) = only {
        playwright.args(["--grep", only]);
    }
    let held = succeeds(&mut playwright)?;
    say(format!("the pictures lie in {}", folder.display()));
    Ok(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(came: Came) -> Row {
        Row {
            name: "part",
            came,
            took: Duration::ZERO,
        }
    }

    #[test]
    fn a_part_that_ran_nothing_failed() {
        let empty = row(Came::To(Tally::default()));
        assert_eq!(
            empty.tally(),
            Tally {
                passed: 0,
                failed: 1
            }
        );
        assert!(
            !Report {
                rows: vec![row(Came::To(Tally::one(true))), empty]
            }
            .finish()
        );
    }

    #[test]
    fn a_part_that_broke_failed_and_one_that_was_skipped_did_not() {
        let broke = row(Came::Broke(anyhow::anyhow!("no compiler")));
        assert_eq!(
            broke.tally(),
            Tally {
                passed: 0,
                failed: 1
            }
        );
        let skipped = || row(Came::Skipped("not installed"));
        assert_eq!(skipped().tally(), Tally::default());
        assert!(
            Report {
                rows: vec![row(Came::To(Tally::one(true))), skipped()]
            }
            .finish()
        );
        assert!(
            !Report {
                rows: vec![skipped()]
            }
            .finish(),
            "nothing ran at all"
        );
    }

    #[test]
    fn a_runner_that_fails_without_a_failed_test_still_fails() {
        let mut command = command("sh");
        command.args([
            "-c",
            "echo 'test result: ok. 3 passed; 0 failed;'; exit 101",
        ]);
        let came = counted(&mut command, Runner::Cargo).unwrap();
        assert_eq!(
            row(came).tally(),
            Tally {
                passed: 3,
                failed: 1
            }
        );
    }
}
