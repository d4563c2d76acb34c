//! What holds across crates. The tests are in `tests/`; here stand two readers of the wire and the code of the
//! README, compiled.

pub mod first_reader;
pub mod second_reader;

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
