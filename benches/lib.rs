//! Nothing but a bench: see `peers.rs`.
