//! The house: which way dependencies point, and who may know what. Read from `cargo metadata`, not from memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

/// A crate of ours: which others of ours it may use, and which of other people's.
struct Room {
    name: &'static str,
    ours: &'static [&'static str],
    theirs: &'static [&'static str],
}

/// Every crate that runs in a match, from the bottom up. What is not listed here may be used by nobody in the list:
/// a new name is a decision, and this is where it is made.
const ROOMS: [Room; 6] = [
    Room {
        name: "afterimage-wire",
        ours: &[],
        theirs: &["thiserror"],
    },
    Room {
        name: "afterimage-netcode",
        ours: &["afterimage-wire"],
        // SipHash-2-4, for challenges that nobody has to remember: the standard library's is another, and not promised.
        theirs: &["siphasher", "thiserror"],
    },
    Room {
        name: "afterimage-netsim",
        ours: &["afterimage-wire"],
        theirs: &["thiserror"],
    },
    Room {
        name: "afterimage-scenes",
        ours: &["afterimage-netcode", "afterimage-wire"],
        theirs: &["libm", "thiserror"],
    },
    Room {
        name: "afterimage-lab",
        ours: &[
            "afterimage-netcode",
            "afterimage-netsim",
            "afterimage-scenes",
            "afterimage-wire",
        ],
        theirs: &["clap", "libm", "serde", "serde_json", "thiserror"],
    },
    Room {
        name: "afterimage-playground",
        ours: &[
            "afterimage-lab",
            "afterimage-netcode",
            "afterimage-scenes",
            "afterimage-wire",
        ],
        theirs: &["js-sys", "serde", "serde_json", "wasm-bindgen", "web-sys"],
    },
];

/// What the relay may use of ours: it has no need of a simulated link or of the lab.
const RELAY: [&str; 3] = ["afterimage-netcode", "afterimage-scenes", "afterimage-wire"];

/// Names that only these crates may depend on, in tests and build scripts too.
const KEPT: [(&str, &[&str]); 11] = [
    ("tokio", &["afterimage-server", "afterimage-tests"]),
    ("axum", &["afterimage-server", "afterimage-tests"]),
    ("wtransport", &["afterimage-server", "afterimage-tests"]),
    (
        "tokio-tungstenite",
        &["afterimage-server", "afterimage-tests"],
    ),
    ("rustls", &["afterimage-server", "afterimage-tests"]),
    ("rcgen", &["afterimage-server", "afterimage-tests"]),
    ("socket2", &["afterimage-server", "afterimage-tests"]),
    // Namespaces and devices of the kernel, for loss on real sockets.
    ("nix", &["afterimage-tests"]),
    ("wasm-bindgen", &["afterimage-playground"]),
    ("web-sys", &["afterimage-playground"]),
    ("js-sys", &["afterimage-playground"]),
];

/// Clocks, chance, sockets and threads, wherever below the lab they might come in.
const OUTSIDE: [&str; 10] = [
    "chrono",
    "getrandom",
    "instant",
    "mio",
    "rand",
    "rayon",
    "socket2",
    "time",
    "tokio",
    "web-time",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the repository")
        .to_owned()
}

/// The workspace as the page sees it: the packages for wasm, ours and theirs.
fn metadata() -> Value {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version=1",
            "--filter-platform=wasm32-unknown-unknown",
        ])
        .current_dir(root())
        .output()
        .expect("cargo runs this test");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key]
        .as_array()
        .unwrap_or_else(|| panic!("cargo metadata has a list {key}"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("cargo metadata has a text {key}"))
}

/// Our packages by name.
fn members(metadata: &Value) -> BTreeMap<&str, &Value> {
    let ids: BTreeSet<_> = list(metadata, "workspace_members")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let ours = list(metadata, "packages")
        .iter()
        .filter(|package| ids.contains(text(package, "id")));
    ours.map(|package| (text(package, "name"), package))
        .collect()
}

/// What a package names in its manifest, but for its tests.
fn uses(package: &Value) -> BTreeSet<&str> {
    let shipped = list(package, "dependencies")
        .iter()
        .filter(|wanted| wanted["kind"] != "dev");
    shipped.map(|wanted| text(wanted, "name")).collect()
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata();
    let members = members(&metadata);
    for room in &ROOMS {
        let package = members
            .get(room.name)
            .unwrap_or_else(|| panic!("{} is gone", room.name));
        for name in uses(package) {
            let allowed = if members.contains_key(name) {
                room.ours
            } else {
                room.theirs
            };
            assert!(
                allowed.contains(&name),
                "{} may not depend on {name}",
                room.name
            );
        }
    }
    for name in uses(members["afterimage-server"]) {
        assert!(
            !members.contains_key(name) || RELAY.contains(&name),
            "the relay may not depend on {name}"
        );
    }
    let ours = uses(members["xtask"])
        .into_iter()
        .find(|name| members.contains_key(name));
    assert_eq!(
        ours, None,
        "the tools are built before everything else and use none of it"
    );
}

#[test]
fn what_the_benches_measure_us_beside_is_fetched_by_nobody_else() {
    let manifest = fs::read_to_string(root().join("benches/Cargo.toml")).expect("benches is there");
    let (_, listed) = manifest
        .split_once("[dependencies]\n")
        .expect("it has dependencies");
    let named: BTreeSet<_> = listed
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let (ours, theirs): (BTreeSet<_>, _) = named
        .into_iter()
        .partition(|name| ["netcode", "wire"].contains(name));
    assert_eq!(ours.len(), 2);
    // Fast trees in a plane, and the crates that do what ours do: a new name is a decision here too.
    let decided = ["kiddo", "plaza_client_utils", "plaza_server_utils", "rstar"];
    assert_eq!(theirs, BTreeSet::from(decided));
    let workspace = fs::read_to_string(root().join("Cargo.lock")).expect("a lock file");
    for name in decided {
        assert!(
            !workspace.contains(&format!("name = \"{name}\"")),
            "{name} is fetched by everybody"
        );
    }
    let rules = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    assert!(
        rules.contains("exclude = [\"benches\"]"),
        "the benches are a member"
    );
}

#[test]
fn sockets_and_the_browser_are_known_to_one_crate_each() {
    let metadata = metadata();
    for (name, package) in members(&metadata) {
        for wanted in list(package, "dependencies") {
            let wanted = text(wanted, "name");
            for (kept, by) in KEPT {
                assert!(
                    wanted != kept || by.contains(&name),
                    "{name} may not depend on {kept}"
                );
            }
        }
    }
}

#[test]
fn nothing_below_the_lab_brings_a_clock_chance_or_a_socket() {
    let metadata = metadata();
    let names: BTreeMap<_, _> = list(&metadata, "packages")
        .iter()
        .map(|p| (text(p, "id"), text(p, "name")))
        .collect();
    let nodes: BTreeMap<_, _> = list(&metadata["resolve"], "nodes")
        .iter()
        .map(|node| (text(node, "id"), node))
        .collect();
    let lab = names
        .iter()
        .find(|(_, name)| **name == "afterimage-lab")
        .expect("the lab is there")
        .0;
    let mut seen = BTreeSet::new();
    let mut open = vec![*lab];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let name = names[id];
        assert!(!OUTSIDE.contains(&name), "the lab is built on {name}");
        for next in list(nodes[id], "deps") {
            let mut kinds = list(next, "dep_kinds").iter();
            if kinds.any(|kind| kind["kind"].is_null()) {
                open.push(text(next, "pkg"));
            }
        }
    }
    assert!(
        seen.len() > ROOMS.len() - 2,
        "the walk went nowhere: {seen:?}"
    );
}

#[test]
fn the_glue_is_made_by_the_version_that_the_module_was_built_with() {
    let manifest =
        fs::read_to_string(root().join("Cargo.toml")).expect("the workspace has a manifest");
    let pinned = |name: &str| {
        let start = format!("{name} = \"=");
        let line = manifest
            .lines()
            .find_map(|line| line.strip_prefix(&start))
            .map(str::to_owned);
        line.unwrap_or_else(|| panic!("{name} is pinned exactly"))
    };
    assert_eq!(pinned("wasm-bindgen"), pinned("wasm-bindgen-cli-support"));
}

#[test]
fn every_crate_keeps_the_workspaces_lints_and_none_slips_the_clock_rule() {
    let metadata = metadata();
    for (name, package) in members(&metadata) {
        let manifest = Path::new(text(package, "manifest_path"));
        let written = fs::read_to_string(manifest).expect("a package has a manifest");
        assert!(
            written.contains("[lints]\nworkspace = true"),
            "{name} has lints of its own"
        );
        // Clippy takes the nearest file, so one beside a manifest would put crates/clippy.toml out of force.
        let own =
            ["clippy.toml", ".clippy.toml"].map(|file| manifest.with_file_name(file).exists());
        let in_a_match = ROOMS.iter().any(|room| room.name == name);
        assert!(
            !in_a_match || own == [false, false],
            "{name} has a clippy.toml of its own"
        );
    }
    let rules =
        fs::read_to_string(root().join("crates/clippy.toml")).expect("crates/ has its rules");
    for forbidden in [
        "std::time::Instant::now",
        "std::time::SystemTime::now",
        "std::thread::spawn",
    ] {
        assert!(
            rules.contains(forbidden),
            "crates/clippy.toml lets {forbidden} through"
        );
    }
}
