//! A set of names streamed as differences over a link that loses packets: for every subscriber a [`DeltaBaseline`], on its
//! side a [`DeltaMirror`], and an [`AckWindow`] on the way back. What a name stands for they never learn.
//!
//! ```
//! use afterimage_netcode::replicate::{
//!     DeltaBaseline, DeltaMirror, DeltaPlan, Recovery, SlotAllocator,
//! };
//! use wire::{Micros, Seq};
//!
//! let mut world = SlotAllocator::new(100);
//! let mut baseline = DeltaBaseline::new(100, Recovery::Prompt);
//! let mut mirror = DeltaMirror::new(100);
//! let (mut plan, mut seq) = (DeltaPlan::default(), Seq::new(0));
//! let patience = Micros::from_millis(150); // a round trip and its jitter
//! let tree = world.take().expect("room");
//! let mut round = |world: &SlotAllocator, lost: bool| {
//!     let now = Micros::from_millis(seq.get() * 50);
//!     // On the server, a subscriber each: what it may see, and so what to tell it.
//!     baseline.plan(seq, now, patience, world.occupied(), world.lives(), &mut plan);
//!     seq = seq.next();
//!     if !lost {
//!         // At the subscriber, once the plan has come: what it says has changed, and what to say back.
//!         mirror.apply(&plan, |_change| {}).expect("it follows what came before");
//!         baseline.acknowledge(&mirror.ack().expect("a packet was taken"));
//!     }
//!     mirror.holds(tree)
//! };
//! assert!(round(&world, false));
//! world.free(tree);
//! assert!(round(&world, true)); // felled, and nobody told
//! assert!(round(&world, false)); // not said again yet: it may still be on its way
//! assert!(!round(&world, false)); // known lost, since a later packet came: said again
//! ```

mod delta;
mod digest;
mod log;
mod mirror;
#[cfg(test)]
mod tests;
mod window;

pub use delta::{Ack, DeltaBaseline, DeltaPlan, Observed};
pub use digest::{Buckets, SetDigest};
pub use mirror::{Applied, Change, DeltaMirror, Unfit};
pub use window::AckWindow;
