//! Versions as tools print them.

use std::fmt;

/// Major and minor, which is all that our wants differ by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Version {
    /// The first number.
    pub(crate) major: u32,
    /// The second number; 0 where the text has none.
    pub(crate) minor: u32,
}

impl Version {
    /// The version `major.minor`.
    pub(crate) const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// The first version in what a tool prints: `v20.19.2`, `rustc 1.95.0 (…)`, `11.19.1`.
    pub(crate) fn find(text: &str) -> Option<Self> {
        text.split(|c: char| c.is_whitespace() || c == '(')
            .find_map(|word| {
                let mut numbers = word.trim_start_matches('v').split('.');
                let major = numbers.next()?.parse().ok()?;
                let minor = numbers.next().map_or(Some(0), |minor| minor.parse().ok())?;
                Some(Self { major, minor })
            })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_version_of_a_line_is_found() {
        let v = |text| Version::find(text).map(|v| (v.major, v.minor));
        assert_eq!(v("v20.19.2\n"), Some((20, 19)));
        assert_eq!(v("11.19.1"), Some((11, 19)));
        assert_eq!(v("rustc 1.95.0 (59807616e 2026-04-14)"), Some((1, 95)));
        assert_eq!(
            v("Debian LLD 22.1.8 (compatible with GNU linkers)"),
            Some((22, 1))
        );
        assert_eq!(v("v22"), Some((22, 0)));
        assert_eq!(v("command not found"), None);
        assert_eq!(v(""), None);
    }

    #[test]
    fn versions_order_by_number_and_not_by_letter() {
        assert!(Version::new(20, 9) < Version::new(20, 19));
        assert!(Version::new(9, 99) < Version::new(20, 0));
    }
}
