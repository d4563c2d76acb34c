//! Real loss on real sockets: what the kernel's TCP and a real QUIC make of a link that loses, and whether the lab's two
//! carriers make the same of it. Where the machine has no namespaces or TUN devices each test says so and is passed over.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

mod link;
mod relay;
mod stream;
