//! With the feature `embed`: a list of the files of `web/dist`, for `src/assets.rs` to include.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_EMBED").is_none() {
        return;
    }
    let here = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let dist = Path::new(&here)
        .parent()
        .expect("server/ lies in the repository")
        .join("web/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    assert!(
        dist.join("index.html").is_file(),
        "the feature `embed` wants the page in web/dist: build it first with `cargo xtask build`"
    );
    let mut list = String::from("&[\n");
    add(&dist, "", &mut list);
    list.push_str("]\n");
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("page.rs"), list).expect("OUT_DIR can be written");
}

fn add(folder: &Path, below: &str, list: &mut String) {
    let entries = fs::read_dir(folder).expect("web/dist can be read");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("web/dist can be read").path())
        .collect();
    paths.sort();
    for path in paths {
        let name = path
            .file_name()
            .expect("an entry has a name")
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            add(&path, &format!("{below}{name}/"), list);
        } else if !name.starts_with('.') {
            writeln!(list, "    (\"{below}{name}\", include_bytes!({path:?})),")
                .expect("a String grows");
        }
    }
}
