//! A server, clients and the links between them in virtual time, with everything that can be set and everything that is
//! measured as catalogues; and the client of a real match with the same instruments ([`online`]).
//!
//! ```
//! use lab::{LabSetup, params::Config, scenes};
//! use wire::Micros;
//!
//! let mut lab = scenes::open("arena", LabSetup::new(7, Config::default()))?;
//! lab.advance(Micros::from_millis(2_000));
//! let copy = lab.fork();
//! assert_eq!(lab.digest(), copy.digest());
//! # Ok::<(), lab::scenes::UnknownScene>(())
//! ```

pub mod as_rust;
pub mod experiments;
pub mod file;
pub mod inspect;
pub mod json;
mod lab;
pub mod online;
pub mod page;
pub mod params;
pub mod probe;
pub mod run;
pub mod scenes;
pub mod sweep;
pub mod timeline;
pub mod trace;

pub use lab::{
    Action, Arrival, Depth, Driver, FeedLine, First, Frame, Instruments, Lab, LabOf, LabSetup,
    OTHER, Pane, Script, Side, Snapshot, Standing, Strips, Traffic, View, YOU, needs,
};

/// Whether two names are the same, where `==` is not to be had: in a constant.
const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}
