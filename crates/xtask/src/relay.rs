//! The relay: built, and started in our place or beside us.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::run::{Kept, cargo, command, run, say, target_dir};
use crate::web::DIST;

/// Says at once what would otherwise be said after minutes of building.
pub(crate) fn check_port(host: &str, port: u16) -> Result<()> {
    let taken = |error: std::io::Error| error.kind() == std::io::ErrorKind::AddrInUse;
    let address = if host == "localhost" {
        Ipv4Addr::LOCALHOST.to_string()
    } else {
        host.to_owned()
    };
    if TcpListener::bind((address.as_str(), port)).is_err_and(taken) {
        let other = port.checked_add(1).unwrap_or(8080);
        bail!(
            "port {port} is in use: end the program that has it, or take another with `npm start -- --port {other}`"
        );
    }
    Ok(())
}

/// Builds the relay; gives its path.
pub(crate) fn build() -> Result<PathBuf> {
    say("building the relay (a minute the first time)");
    run(building().args(["--bin", "relay"]))?;
    Ok(built("relay"))
}

/// Builds the relay and the native players, of one making of what they share; gives their paths.
pub(crate) fn build_with_bots() -> Result<[PathBuf; 2]> {
    say("building the relay and the bots (minutes the first time)");
    run(building().args(["--bin", "relay", "--bin", "bots", "--features", "bots"]))?;
    Ok(["relay", "bots"].map(built))
}

fn building() -> Command {
    let mut cargo = cargo();
    cargo.args(["build", "--package", "afterimage-server", "--release"]);
    cargo
}

fn built(name: &str) -> PathBuf {
    target_dir()
        .join("release")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn serving(relay: PathBuf, host: &str, port: u16) -> Command {
    let mut relay = command(relay);
    relay.args(["--dist", DIST, "--host", host, "--port", &port.to_string()]);
    relay
}

/// Serves the page until told to stop.
pub(crate) fn serve(relay: PathBuf, host: &str, port: u16) -> Result<()> {
    let mut relay = serving(relay, host, port);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        // In our place, so that a signal to us is a signal to it.
        Err(relay.exec()).context("starting the relay")
    }
    #[cfg(not(unix))]
    run(&mut relay)
}

/// Serves the page on a free port for as long as the first value lives; the second is its address.
pub(crate) fn serve_beside(relay: PathBuf) -> Result<(Kept, String)> {
    beside(&mut serving(relay, "localhost", 0))
}

/// Starts a relay that runs as long as the first value lives; the second is the address that it says.
pub(crate) fn beside(relay: &mut Command) -> Result<(Kept, String)> {
    let mut relay = Kept(
        relay
            .stdout(Stdio::piped())
            .spawn()
            .context("starting the relay")?,
    );
    let stdout = relay
        .0
        .stdout
        .take()
        .context("the relay's output is piped")?;
    let line = BufReader::new(stdout)
        .lines()
        .next()
        .context("the relay said nothing")??;
    let address = line
        .split_whitespace()
        .find(|word| word.starts_with("http://"));
    match address {
        Some(address) => Ok((relay, address.trim_end_matches('/').to_owned())),
        None => bail!("the relay said no address but: {line}"),
    }
}
