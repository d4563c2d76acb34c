//! What holds across crates. The tests are in `tests/`; here stands only the code of the README, compiled.

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
