//! How many tests a part ran, read from what its runner printed.

/// Tests of one part.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Tally {
    /// Ran and held.
    pub(crate) passed: u32,
    /// Ran and did not hold.
    pub(crate) failed: u32,
}

impl Tally {
    /// One check that held or did not.
    pub(crate) const fn one(held: bool) -> Self {
        Self {
            passed: held as u32,
            failed: !held as u32,
        }
    }

    /// Whether anything ran at all.
    pub(crate) const fn ran(self) -> bool {
        self.passed + self.failed > 0
    }

    /// Both together.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
        }
    }
}

/// Which runner printed the text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Runner {
    /// `cargo test`: one `test result:` line a binary.
    Cargo,
    /// `vitest run`: one `Tests` line.
    Vitest,
    /// `playwright test --reporter=list`: a block of `N passed`, `N failed`, `N flaky` lines at the end.
    Playwright,
}

impl Runner {
    /// Adds up what `text` tells.
    pub(crate) fn count(self, text: &str) -> Tally {
        let text = without_colour(text);
        let lines = text.lines().map(str::trim);
        let counts = lines.filter_map(|line| match self {
            Self::Cargo => line.strip_prefix("test result:"),
            Self::Vitest => line.strip_prefix("Tests "),
            // A list line begins with a mark or a word; the closing block begins with its number.
            Self::Playwright => line
                .starts_with(|c: char| c.is_ascii_digit())
                .then_some(line),
        });
        counts.map(numbers).fold(Tally::default(), Tally::and)
    }
}

/// The numbers before `passed` and `failed`. A flaky test held when it was tried again: a browser on a busy machine may come
/// too late once, a fault comes back. It passed; the runner names it.
fn numbers(line: &str) -> Tally {
    let mut tally = Tally::default();
    let words: Vec<&str> = line
        .split([' ', ';', ',', '|'])
        .filter(|word| !word.is_empty())
        .collect();
    for pair in words.windows(2) {
        let Ok(number) = pair[0].parse::<u32>() else {
            continue;
        };
        match pair[1].trim_end_matches('.') {
            "passed" | "flaky" => tally.passed += number,
            "failed" | "interrupted" => tally.failed += number,
            _ => {}
        }
    }
    tally
}

/// The text without terminal colours (`ESC [ … letter`).
fn without_colour(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            rest.find(char::is_ascii_alphabetic);
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: u32, failed: u32) -> Tally {
        Tally { passed, failed }
    }

    #[test]
    fn every_binary_of_cargo_test_counts() {
        let text = "running 3 tests\ntest a ... ok\n\n\
            test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s\n";
        assert_eq!(Runner::Cargo.count(text), tally(7, 2));
        assert!(!Runner::Cargo.count("error: could not compile `wire`").ran());
    }

    #[test]
    fn vitest_counts_tests_and_not_files() {
        let text = " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 41 passed (42)\n   Duration  1.02s";
        assert_eq!(Runner::Vitest.count(text), tally(41, 1));
        let coloured = "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m8 passed\u{1b}[39m\u{1b}[22m\u{1b}[90m (8)\u{1b}[39m";
        assert_eq!(Runner::Vitest.count(coloured), tally(8, 0));
        assert!(
            !Runner::Vitest
                .count("No test files found, exiting with code 1")
                .ran()
        );
    }

    #[test]
    fn playwright_counts_its_closing_block() {
        let text = "Running 4 tests using 1 worker\n  ✓  1 page.spec.ts:3:1 › 2 passed players are drawn (1.2s)\n\n  \
            1 failed\n    page.spec.ts:9:1 › moves\n  1 flaky\n    a.spec.ts:1:1 › b\n  2 passed (3.4s)\n";
        assert_eq!(Runner::Playwright.count(text), tally(3, 1));
        assert!(!Runner::Playwright.count("Error: No tests found").ran());
    }
}
