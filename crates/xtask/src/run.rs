//! Starting other programs, and saying what is being done.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// The root of the repository, two folders above this crate.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .nth(2)
        .expect("crates/xtask lies two folders below the root")
        .to_owned()
}

/// Where cargo puts what it builds.
pub(crate) fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// Says in one line what happens next.
pub(crate) fn say(what: impl AsRef<str>) {
    println!("afterimage: {}", what.as_ref());
    let _ = std::io::stdout().flush();
}

/// A duration as a person reads it: `0.4 s`, `12 s`, `3 min 05 s`.
pub(crate) fn seconds(time: Duration) -> String {
    let whole = time.as_secs();
    match whole {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..60 => format!("{whole} s"),
        _ => format!("{} min {:02} s", whole / 60, whole % 60),
    }
}

/// A command in the root of the repository, without input.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// The cargo that started us, or the one on the path.
pub(crate) fn cargo() -> Command {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What cargo tells `cargo run` about xtask is not meant for the crates that we build.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(name);
        }
    }
    cargo
}

/// `node` on a file of an installed package.
pub(crate) fn node(script: &str) -> Command {
    let mut node = command("node");
    node.arg(script);
    node
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words
        .map(|word| {
            let word = word.to_string_lossy();
            let word = word.strip_prefix(&*root().to_string_lossy()).map_or_else(
                || word.to_string(),
                |rest| rest.trim_start_matches('/').to_owned(),
            );
            if word.contains(' ') {
                format!("'{word}'")
            } else {
                word
            }
        })
        .collect();
    words.join(" ")
}

/// Runs to the end, with its output in the terminal; whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> Result<bool> {
    let status = command
        .status()
        .with_context(|| format!("starting `{}`", shown(command)))?;
    Ok(status.success())
}

/// The same where anything but success is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    if !succeeds(command)? {
        bail!("`{}` failed", shown(command));
    }
    Ok(())
}

/// Runs a step that takes a while: says so before, and how long it took after.
pub(crate) fn timed<T>(what: &str, step: impl FnOnce() -> Result<T>) -> Result<T> {
    say(what);
    let start = Instant::now();
    let made = step()?;
    say(format!("  done in {}", seconds(start.elapsed())));
    Ok(made)
}

/// What a program printed on standard output, or nothing where it is missing or failed.
pub(crate) fn ask(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs to the end, with its output in the terminal: (succeeded, what it printed on standard output).
pub(crate) fn tee(command: &mut Command) -> Result<(bool, String)> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("starting `{}`", shown(command)))?;
    let stdout = child.stdout.take().context("the output is piped")?;
    let mut text = String::new();
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        text.push_str(&line);
        text.push('\n');
    }
    Ok((child.wait()?.success(), text))
}

/// Runs to the end: what it printed on standard output, or `None` if it was not done within `limit` and was ended.
pub(crate) fn output_within(command: &mut Command, limit: Duration) -> Result<Option<Vec<u8>>> {
    let give_up = Instant::now() + limit;
    let mut child = Kept(
        command
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting `{}`", shown(command)))?,
    );
    let mut stdout = child.0.stdout.take().context("the output is piped")?;
    // A pipe that nobody reads would stop the program once it is full.
    let reading = std::thread::spawn(move || {
        let mut printed = Vec::new();
        stdout.read_to_end(&mut printed).map(|_| printed)
    });
    while child.0.try_wait()?.is_none() {
        if Instant::now() >= give_up {
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    }
    let printed = reading.join().ok().context("reading the output")??;
    Ok(Some(printed))
}

/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(20);

/// A process that ends when this value does.
#[derive(Debug)]
pub(crate) struct Kept(pub(crate) Child);

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_like_durations() {
        assert_eq!(seconds(Duration::from_millis(440)), "0.4 s");
        assert_eq!(seconds(Duration::from_millis(12_900)), "12 s");
        assert_eq!(seconds(Duration::from_secs(185)), "3 min 05 s");
    }

    #[test]
    fn tee_keeps_the_output_and_the_verdict() {
        let mut command = command("sh");
        let (held, text) = tee(command.args(["-c", "echo one; echo two; exit 3"])).unwrap();
        assert_eq!((held, text.as_str()), (false, "one\ntwo\n"));
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let mut quick = command("sh");
        let printed = output_within(quick.args(["-c", "echo one; exit 3"]), LOOK * 500);
        assert_eq!(printed.unwrap().as_deref(), Some(b"one\n".as_slice()));
        let start = Instant::now();
        let printed = output_within(command("sleep").arg("60"), LOOK).unwrap();
        assert_eq!(printed, None);
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut command("no-such-program-here")).unwrap_err();
        assert!(
            error.to_string().contains("no-such-program-here"),
            "{error}"
        );
    }
}
