//! Whether a step's output still stands for its input.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The name of the file that vouches for the folder it lies in; it goes when the folder goes.
const NAME: &str = ".stamp";

/// FNV-1a, 64 bits, over the names and bytes of a step's input: it only has to notice a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    /// Of nothing yet.
    pub(crate) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Takes bytes in, with their length, so that two pieces never run into one another.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }

    /// Takes a file in, or every file below a folder, by its path below `root`. What is missing is told from what is
    /// empty. Names that begin with a dot and folders in `skip` are passed over.
    pub(crate) fn path(self, root: &Path, path: &str, skip: &[&str]) -> Result<Self> {
        let full = root.join(path);
        if full.is_dir() {
            let mut names = Vec::new();
            for entry in fs::read_dir(&full).with_context(|| format!("reading {path}"))? {
                names.push(entry?.file_name().to_string_lossy().into_owned());
            }
            names.sort();
            names
                .iter()
                .filter(|name| !name.starts_with('.') && !skip.contains(&name.as_str()))
                .try_fold(self, |all, name| {
                    all.path(root, &format!("{path}/{name}"), skip)
                })
        } else if full.exists() {
            let bytes = fs::read(&full).with_context(|| format!("reading {path}"))?;
            Ok(self.bytes(path.as_bytes()).bytes(&bytes))
        } else {
            Ok(self.bytes(path.as_bytes()))
        }
    }
}

/// A folder that a step fills, and the file in it that says from what.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    folder: PathBuf,
    must_exist: Vec<String>,
}

impl Stamp {
    /// For `folder`, which without all of `must_exist` is not whole.
    pub(crate) fn new(folder: impl Into<PathBuf>, must_exist: &[&str]) -> Self {
        Self {
            folder: folder.into(),
            must_exist: must_exist.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    /// Whether the folder was filled from exactly this input and is still whole.
    pub(crate) fn stands(&self, input: Fingerprint) -> bool {
        let written = fs::read_to_string(self.folder.join(NAME)).unwrap_or_default();
        written.trim() == format!("{:016x}", input.0)
            && self
                .must_exist
                .iter()
                .all(|name| self.folder.join(name).exists())
    }

    /// Says that the folder is being filled: what breaks off half-way is done again.
    pub(crate) fn clear(&self) {
        let _ = fs::remove_file(self.folder.join(NAME));
    }

    /// Says that the folder stands for this input.
    pub(crate) fn write(&self, input: Fingerprint) -> Result<()> {
        fs::create_dir_all(&self.folder)?;
        fs::write(self.folder.join(NAME), format!("{:016x}\n", input.0))
            .with_context(|| format!("writing the stamp of {}", self.folder.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of the test's own, gone when the test ends.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("xtask-{}-{name}", std::process::id()));
            fs::create_dir_all(path.join("in/deep")).unwrap();
            fs::write(path.join("in/a"), "one").unwrap();
            fs::write(path.join("in/deep/b"), "two").unwrap();
            Self(path)
        }

        fn print(&self) -> Fingerprint {
            Fingerprint::new().path(&self.0, "in", &["dist"]).unwrap()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_change_of_a_byte_a_name_or_a_place_is_noticed() {
        let scratch = Scratch::new("change");
        let before = scratch.print();
        assert_eq!(before, scratch.print());
        fs::write(scratch.0.join("in/deep/b"), "twO").unwrap();
        let edited = scratch.print();
        assert_ne!(before, edited);
        fs::rename(scratch.0.join("in/deep/b"), scratch.0.join("in/deep/c")).unwrap();
        assert_ne!(edited, scratch.print());
        // The same bytes cut elsewhere are not the same input.
        assert_ne!(
            Fingerprint::new().bytes(b"ab").bytes(b"c"),
            Fingerprint::new().bytes(b"a").bytes(b"bc")
        );
    }

    #[test]
    fn what_is_skipped_changes_nothing() {
        let scratch = Scratch::new("skip");
        let before = scratch.print();
        fs::create_dir_all(scratch.0.join("in/dist")).unwrap();
        fs::write(scratch.0.join("in/dist/page"), "made").unwrap();
        fs::write(scratch.0.join("in/.stamp"), "made").unwrap();
        assert_eq!(before, scratch.print());
    }

    #[test]
    fn a_stamp_stands_only_for_its_input_and_a_whole_folder() {
        let scratch = Scratch::new("stamp");
        let (one, two) = (
            Fingerprint::new().bytes(b"1"),
            Fingerprint::new().bytes(b"2"),
        );
        let stamp = Stamp::new(scratch.0.join("out"), &["made"]);
        assert!(!stamp.stands(one));
        stamp.write(one).unwrap();
        assert!(!stamp.stands(one), "the folder is not whole");
        fs::write(scratch.0.join("out/made"), "").unwrap();
        assert!(stamp.stands(one));
        assert!(!stamp.stands(two));
        stamp.clear();
        assert!(!stamp.stands(one));
    }
}
