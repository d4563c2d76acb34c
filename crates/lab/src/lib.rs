//! A server, clients and the links between them in virtual time, with everything that can be set and everything that is
//! measured as catalogues.

pub mod json;
pub mod params;
pub mod probe;

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
