//! Bytes by what they say.
//!
//! Fields are packed by bits, so two may share a byte: it counts for the one that ends in it. The parts of a packet therefore
//! add up to exactly its length, and over many packets no part gains.

/// Bytes that a client sends, by what they say. What the carrier adds below us is not in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpTraffic {
    /// Commands, repeated ones included, and the instant that the screen showed.
    pub inputs: u64,
    /// What a packet of commands takes whatever is in it: sequence and acknowledgements, kind, ticks, count.
    pub headers: u64,
    /// Joining, leaving, pings.
    pub other: u64,
}

impl UpTraffic {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.inputs + self.headers + self.other
    }
}

/// Bytes that a server sends to one peer, by what they say. What the carrier adds below us is not in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DownTraffic {
    /// The peer's own character.
    pub own: u64,
    /// Everything else in the world.
    pub others: u64,
    /// Events.
    pub events: u64,
    /// What stands in for groups that the peer is not told of one by one.
    pub summaries: u64,
    /// What a snapshot takes whatever is in it: sequence and acknowledgements, kind, ticks, counts, padding.
    pub headers: u64,
    /// Joining, goodbyes, pongs.
    pub other: u64,
}

impl DownTraffic {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.own + self.others + self.events + self.summaries + self.headers + self.other
    }
}

/// Reads off how many bytes ended since it was asked last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Odometer(usize);

impl Odometer {
    /// Begins where the writer stands.
    pub(crate) fn new(w: &wire::Writer<'_>) -> Self {
        Self(w.bit_len() / 8)
    }

    /// Bytes that ended since then.
    pub(crate) fn read(&mut self, w: &wire::Writer<'_>) -> u64 {
        let at = w.bit_len() / 8;
        (at - std::mem::replace(&mut self.0, at)) as u64
    }
}
