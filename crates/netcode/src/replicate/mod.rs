//! What travels and how both ends come to agree on it: acknowledgement, baselines, selection under a limit, events.

mod ack;
mod baseline;
mod budget;
mod events;
mod recovery;
mod sent;
mod set;
mod slots;
mod snapshot;
mod summaries;

pub use ack::{Arrival, Received};
pub use baseline::{Baseline, Carried, Due};
pub use budget::{Budget, Waiting};
pub use events::{EventInbox, EventQueue};
pub use recovery::Recovery;
pub use sent::{MOST_PACKETS, SentPackets};
pub use set::{
    Ack, AckWindow, Applied, Buckets, Change, DeltaBaseline, DeltaMirror, DeltaPlan, Observed,
    SetDigest, Unfit,
};
pub use slots::SlotAllocator;
pub use snapshot::LARGEST_EVENT;
pub(crate) use snapshot::{Item, Selection, Telling};
pub use summaries::SummaryList;
