//! What holds across crates. The tests are in `tests/`; here stand two readers of the wire, a real
//! network with a simulated link in it, and the code of the README, compiled.

pub mod age;
pub mod first_reader;
pub mod guest;
#[cfg(target_os = "linux")]
pub mod impair;
pub mod second_reader;

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
