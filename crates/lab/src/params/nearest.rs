//! The name that somebody probably meant.

/// The candidate with the fewest letters to add, drop or change; the first of equals.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .min_by_key(|candidate| distance(name, candidate))
}

/// Edits between two names (Levenshtein), case aside.
fn distance(a: &str, b: &str) -> usize {
    let lower = |s: &str| {
        s.chars()
            .map(|c| c.to_ascii_lowercase())
            .collect::<Vec<_>>()
    };
    let (a, b) = (lower(a), lower(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let change = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        assert_eq!(distance("interp.dely", "interp.delay"), 1);
        assert_eq!(distance("4G", "4g"), 0);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn finds_what_was_meant() {
        let names = ["interp.on", "interp.delay", "input.delay"];
        assert_eq!(nearest("interp.delai", names), Some("interp.delay"));
        assert_eq!(nearest("inputdelay", names), Some("input.delay"));
        assert_eq!(nearest("x", []), None);
    }
}
