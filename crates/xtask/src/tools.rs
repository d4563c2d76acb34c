//! What must be on the machine before anything is built, and how to get it.

use std::path::Path;

use anyhow::{Result, bail};

use crate::run::{ask, cargo, command, run, say};
use crate::version::Version;

/// Vite 8 and vitest 4 take Node 20 from this version on.
const NODE: Version = Version::new(20, 19);
/// Of Node 22 they want this one or newer; 21 they do not take.
const NODE_22: Version = Version::new(22, 12);

/// Whether the page's tools run on this Node.
fn node_will_do(node: Version) -> bool {
    match node.major {
        20 => node >= NODE,
        ..=21 => false,
        _ => node >= NODE_22,
    }
}

/// Node and npm, new enough.
pub(crate) fn check_node() -> Result<()> {
    let how = format!(
        "Node {NODE}, {NODE_22} or newer is needed. Get it from https://nodejs.org, or with nvm: `nvm install 22`"
    );
    let Some(text) = ask(command("node").arg("--version")) else {
        bail!("node is missing. {how}");
    };
    match Version::find(&text) {
        Some(node) if node_will_do(node) => {}
        _ => bail!("this is Node {}, which is too old. {how}", text.trim()),
    }
    if ask(command(NPM).arg("--version")).is_none() {
        bail!(
            "npm is missing. It comes with Node from https://nodejs.org; on Debian it is a package of its own: \
             `apt-get install npm`"
        );
    }
    Ok(())
}

/// npm as the system names it.
pub(crate) const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// rustfmt and clippy, which a minimal toolchain lacks.
pub(crate) fn check_rust_components() -> Result<()> {
    for (sub, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if ask(cargo().args([sub, "--version"])).is_some() {
            continue;
        }
        say(format!(
            "{component} is missing: `rustup component add {component}`"
        ));
        if run(command("rustup").args(["component", "add", component])).is_err() {
            bail!(
                "{component} is missing and rustup cannot add it. Get it with `rustup component add {component}`, \
                 or on Debian with `apt-get install {}`",
                if component == "clippy" {
                    "rust-clippy"
                } else {
                    "rustfmt"
                }
            );
        }
    }
    Ok(())
}

/// Whether packages can be installed here: Debian or a child of it, as root.
pub(crate) fn can_apt() -> bool {
    ask(command("apt-get").arg("--version")).is_some()
        && ask(command("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

/// Installs Debian packages, and says which.
pub(crate) fn apt(packages: &[&str]) -> Result<()> {
    say(format!("`apt-get install {}`", packages.join(" ")));
    let install = || {
        let mut apt = command("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive")
            .args(["install", "--yes", "--no-install-recommends", "-qq"])
            .args(packages);
        run(&mut apt)
    };
    // The lists of a fresh machine are empty or old, and fetching them is only then worth its time.
    install().or_else(|_| {
        run(command("apt-get").args(["update", "-qq"]))?;
        install()
    })
}

/// A real Chromium for the browser tests; installed where none is found and that can be done.
pub(crate) fn chromium() -> Result<String> {
    if let Some(found) = find_chromium() {
        return Ok(found);
    }
    if can_apt()
        && apt(&["chromium"]).is_ok()
        && let Some(found) = find_chromium()
    {
        return Ok(found);
    }
    say("`npx playwright install chromium`");
    let playwright = "node_modules/@playwright/test/cli.js";
    if run(crate::run::node(playwright).args(["install", "chromium"])).is_ok() {
        let path = "import('@playwright/test').then(p => console.log(p.chromium.executablePath()))";
        if let Some(path) = ask(command("node").args(["-e", path])) {
            return Ok(path.trim().to_owned());
        }
    }
    bail!(
        "no Chromium was found and none could be installed. Install it (Debian: `apt-get install chromium`), or set \
         CHROMIUM to where it is"
    )
}

fn find_chromium() -> Option<String> {
    if let Ok(path) = std::env::var("CHROMIUM") {
        return Some(path);
    }
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    let known = [
        "/usr/bin/chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ];
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&paths)
        .flat_map(|dir| names.map(|name| dir.join(name)))
        .find(|path| path.is_file());
    on_path
        .map(|path| path.to_string_lossy().into_owned())
        .or_else(|| {
            known
                .into_iter()
                .find(|path| Path::new(path).is_file())
                .map(str::to_owned)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_is_taken_where_the_pages_tools_take_it() {
        let will_do = |major, minor| node_will_do(Version::new(major, minor));
        assert!(!will_do(18, 20));
        assert!(!will_do(20, 18));
        assert!(will_do(20, 19));
        assert!(!will_do(21, 7));
        assert!(!will_do(22, 11));
        assert!(will_do(22, 12));
        assert!(will_do(24, 0));
    }
}
