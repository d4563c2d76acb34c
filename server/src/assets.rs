//! The page in memory, as it goes out.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use axum::body::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Files below this folder carry a hash of their bytes in their name, so one that is known never changes.
const HASHED: &str = "assets/";

/// A file of the page.
#[derive(Clone, Debug)]
pub struct Asset {
    /// Its bytes.
    pub bytes: Bytes,
    /// Its bytes gzipped, where that is shorter.
    pub gzip: Option<Bytes>,
    /// Its media type, as `Content-Type` says it.
    pub mime: &'static str,
    /// Changes with its bytes; quoted, as `ETag` wants it.
    pub etag: String,
    /// Whether its name says its bytes, so that a browser need never ask again.
    pub immutable: bool,
}

impl Asset {
    fn new(name: &str, bytes: Bytes) -> Self {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Self {
            gzip: gzip(&bytes),
            mime: mime(name),
            etag: format!("\"{:016x}\"", hasher.finish()),
            immutable: name.starts_with(HASHED),
            bytes,
        }
    }
}

/// Every file of the page, by its path without a leading slash. Read once: no request touches the disk, and none can
/// name a file that is not of the page.
#[derive(Clone, Default, Debug)]
pub struct Assets(BTreeMap<String, Asset>);

/// Why there is no page to serve.
#[derive(Debug, thiserror::Error)]
pub enum AssetsError {
    /// The folder is not there, or holds no page.
    #[error(
        "there is no page in {}: build it with `cargo xtask build`, or name another folder with --dist",
        .0.display()
    )]
    Missing(PathBuf),
    /// A file of the page cannot be read.
    #[error("{} cannot be read: {source}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl Assets {
    /// The page that lies in `folder`.
    pub fn from_dir(folder: &Path) -> Result<Self, AssetsError> {
        let mut files = Vec::new();
        if !folder.join("index.html").is_file() {
            return Err(AssetsError::Missing(folder.to_owned()));
        }
        read(folder, "", &mut files)?;
        Ok(files.into_iter().collect())
    }

    /// The page that this binary was built with; `None` without the feature `embed`.
    pub fn embedded() -> Option<Self> {
        #[cfg(feature = "embed")]
        {
            const PAGE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));
            let files = PAGE
                .iter()
                .map(|(name, bytes)| (String::from(*name), Bytes::from_static(bytes)));
            Some(files.collect())
        }
        #[cfg(not(feature = "embed"))]
        None
    }

    /// The file of a request's path; `/` is the page itself.
    pub fn find(&self, path: &str) -> Option<&Asset> {
        match path.trim_start_matches('/') {
            "" => self.0.get("index.html"),
            name => self.0.get(name),
        }
    }

    /// Which page this is: the hash in the name of its entry script, which changes with what it says; empty where it has none.
    pub fn build(&self) -> &str {
        let page = self
            .0
            .get("index.html")
            .map(|page| str::from_utf8(&page.bytes));
        let script = page.and_then(Result::ok).and_then(|page| {
            page.split("assets/index-").skip(1).find_map(|after| {
                let (hash, _) = after.split_once(".js\"")?;
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
                hash.bytes().all(plain).then_some(hash)
            })
        });
        script.unwrap_or_default()
    }

    /// How many files.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, Bytes)> for Assets {
    fn from_iter<T: IntoIterator<Item = (String, Bytes)>>(files: T) -> Self {
        let asset = |(name, bytes): (String, Bytes)| {
            let asset = Asset::new(&name, bytes);
            (name, asset)
        };
        Self(files.into_iter().map(asset).collect())
    }
}

fn read(folder: &Path, below: &str, files: &mut Vec<(String, Bytes)>) -> Result<(), AssetsError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| AssetsError::Unreadable { path, source }
    };
    for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
        let path = entry.map_err(unreadable(folder))?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with('.') {
            // What tools leave there is not of the page.
        } else if path.is_dir() {
            read(&path, &format!("{below}{name}/"), files)?;
        } else {
            let bytes = fs::read(&path).map_err(unreadable(&path))?;
            files.push((format!("{below}{name}"), bytes.into()));
        }
    }
    Ok(())
}

fn gzip(bytes: &Bytes) -> Option<Bytes> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)
        .and_then(|()| gzip.finish())
        .ok()
        .filter(|gzip| gzip.len() < bytes.len())
        .map(Bytes::from)
}

/// A browser compiles a module while it streams only under `application/wasm`, and with `nosniff` runs a script only
/// under a script's type.
fn mime(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_page_says_how_to_get_one() {
        let error = Assets::from_dir(Path::new("no/such/folder")).unwrap_err();
        assert!(error.to_string().contains("cargo xtask build"), "{error}");
    }

    #[test]
    fn only_hashed_files_are_immutable_and_bytes_make_the_etag() {
        let assets: Assets = [
            (
                "index.html".to_owned(),
                Bytes::from_static(b"<!doctype html>"),
            ),
            (
                "assets/app-1a2b.js".to_owned(),
                Bytes::from_static(b"let a"),
            ),
            ("favicon.svg".to_owned(), Bytes::from_static(b"let a")),
        ]
        .into_iter()
        .collect();
        let find = |path| assets.find(path).unwrap();
        assert!(!find("/").immutable);
        assert!(find("/assets/app-1a2b.js").immutable);
        assert!(!find("/favicon.svg").immutable);
        assert_eq!(find("/favicon.svg").etag, find("/assets/app-1a2b.js").etag);
        assert_ne!(find("/favicon.svg").etag, find("/").etag);
        assert!(assets.find("/../Cargo.toml").is_none());
    }

    #[test]
    fn gzip_is_kept_only_where_it_helps() {
        assert!(gzip(&Bytes::from_static(b"ab")).is_none());
        assert!(gzip(&Bytes::from(vec![b'a'; 1000])).is_some_and(|gzip| gzip.len() < 100));
    }
}
