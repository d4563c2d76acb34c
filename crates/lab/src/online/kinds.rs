//! What a snapshot's bytes say, by kind, as the codec tells it.

use netcode::DownTraffic;
use wire::{FieldSink, Meaning};

/// Adds up a packet's bytes by kind while it is read. A byte that two fields share counts for the one that ends in it, as the
/// server counts.
#[derive(Debug)]
pub(super) struct Kinds {
    /// The slot of the own character; of one who watches none.
    me: Option<u64>,
    bits: u32,
    /// Whole bytes before the outermost group that is open.
    before: u32,
    depth: u32,
    group: &'static str,
    /// The entity that the open entry is about.
    slot: Option<u64>,
    traffic: DownTraffic,
}

impl Kinds {
    pub(super) fn new(me: Option<u16>) -> Self {
        Self {
            me: me.map(u64::from),
            bits: 0,
            before: 0,
            depth: 0,
            group: "",
            slot: None,
            traffic: DownTraffic::default(),
        }
    }

    /// What a snapshot of `len` bytes said.
    pub(super) fn snapshot(self, len: usize) -> DownTraffic {
        let mut traffic = self.traffic;
        let said = traffic.own + traffic.others + traffic.events + traffic.summaries;
        traffic.headers = (len as u64).saturating_sub(said);
        traffic
    }
}

impl FieldSink for Kinds {
    fn field(&mut self, _name: &'static str, _at_bit: u32, bits: u32, _raw: u64) {
        self.bits += bits;
    }

    fn means(&mut self, says: Meaning) {
        if let Meaning::Number(number) = says
            && self.depth == 1
        {
            self.slot.get_or_insert(number);
        }
    }

    fn open(&mut self, name: &'static str) {
        if self.depth == 0 {
            (self.group, self.slot) = (name, None);
            self.before = self.bits / 8;
        }
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        if self.depth > 0 {
            return;
        }
        let bytes = u64::from(self.bits / 8 - self.before);
        match self.group {
            "event" => self.traffic.events += bytes,
            "summary" => self.traffic.summaries += bytes,
            "entry" if self.me.is_some() && self.slot == self.me => self.traffic.own += bytes,
            "entry" => self.traffic.others += bytes,
            _ => {}
        }
    }
}
