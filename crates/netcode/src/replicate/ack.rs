//! What has been heard: the receiving half of the packet header.

use wire::{Header, Seq};

/// How a packet's sequence stands to those heard before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Newer than everything heard; so many between were not heard (yet).
    Newest {
        /// Sequences skipped over.
        missed: u64,
    },
    /// Older than the newest, heard for the first time: late.
    Late,
    /// Heard before.
    Duplicate,
    /// So far back that nobody can tell whether it was heard: refused.
    TooOld,
    /// From before the other end's first: another player's, of the same carrier session.
    Foreign,
}

/// The newest sequence heard and which of the 32 before it were, as every header tells the other end (seed
/// `001_545bc6c5b0a72338.txt`). Judging and marking are apart, because a packet that cannot be decoded must not be
/// acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    first: Seq,
    newest: Seq,
    history: u32,
}

impl Received {
    /// Nothing heard; the other end's first packet will be `first`.
    pub fn new(first: Seq) -> Self {
        Self {
            first,
            newest: first - 1,
            history: 0,
        }
    }

    /// The whole sequence of a packet and how it stands to those heard before.
    pub fn judge(&self, on_wire: u16) -> (Seq, Arrival) {
        let seq = Seq::from_wire(on_wire, self.newest);
        let ahead = seq.distance(self.newest);
        let arrival = match ahead {
            1.. => Arrival::Newest {
                missed: (ahead as u64 - 1).saturating_sub(skipped(self.newest, seq)),
            },
            _ if seq < self.first => Arrival::Foreign,
            0 => Arrival::Duplicate,
            -32..=-1 if self.history >> (-ahead - 1) & 1 == 1 => Arrival::Duplicate,
            -32..=-1 => Arrival::Late,
            _ => Arrival::TooOld,
        };
        (seq, arrival)
    }

    /// The newest packet heard; the one before the first, where none was.
    pub fn newest(&self) -> Seq {
        self.newest
    }

    /// Marks a packet as heard.
    pub fn mark(&mut self, seq: Seq) {
        let ahead = seq.distance(self.newest);
        if ahead > 0 {
            // The former newest becomes bit `ahead - 1` of the history behind the new one.
            let shifted = if ahead >= 32 {
                0
            } else {
                self.history << ahead
            };
            let former = if ahead <= 32 { 1u32 << (ahead - 1) } else { 0 };
            self.history = shifted | former;
            self.newest = seq;
        } else if (-32..0).contains(&ahead) {
            self.history |= 1 << (-ahead - 1);
        }
    }

    /// The header of a packet that carries `seq` and acknowledges all this.
    pub fn header(&self, seq: Seq) -> Header {
        Header {
            seq: seq.wire(),
            heard: self.newest.wire(),
            history: self.history,
        }
    }
}

/// How many numbers between two sequences are never sent because they would look like a tag.
fn skipped(older: Seq, newer: Seq) -> u64 {
    let before = |seq: u64| (seq + 0x1_0000 - u64::from(wire::TAG)) / 0x1_0000;
    before(newer.get()) - before(older.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(number: u64) -> Seq {
        Seq::new(number)
    }

    #[test]
    fn tells_new_late_doubled_and_too_old_apart() {
        let mut heard = Received::new(at(70_000));
        for n in [70_000u64, 70_001, 70_004] {
            heard.mark(at(n));
        }
        let judge = |n: u64| heard.judge(at(n).wire()).1;
        assert_eq!(judge(70_005), Arrival::Newest { missed: 0 });
        assert_eq!(judge(70_008), Arrival::Newest { missed: 3 });
        assert_eq!(judge(70_004), Arrival::Duplicate);
        assert_eq!(judge(70_003), Arrival::Late);
        assert_eq!(judge(70_001), Arrival::Duplicate);
        heard.mark(at(70_040));
        assert_eq!(heard.judge(at(70_002).wire()).1, Arrival::TooOld);
    }

    #[test]
    fn what_is_from_before_the_first_is_foreign_and_what_is_late_is_not() {
        let mut heard = Received::new(at(70_000));
        assert_eq!(heard.judge(at(69_999).wire()).1, Arrival::Foreign);
        heard.mark(at(70_010));
        assert_eq!(heard.judge(at(69_999).wire()).1, Arrival::Foreign);
        assert_eq!(heard.judge(at(70_000).wire()).1, Arrival::Late);
    }

    #[test]
    fn the_history_names_exactly_what_was_heard_across_the_wrap() {
        let mut heard = Received::new(at(65_526));
        let got = [65_526u64, 65_527, 65_530, 65_540, 65_539, 65_557];
        for n in got {
            heard.mark(at(n));
        }
        let header = heard.header(at(65_600));
        assert_eq!(header.heard, at(65_557).wire());
        for n in 65_526u64..65_557 {
            let bit = header.history >> (65_557 - n - 1) & 1 == 1;
            assert_eq!(bit, got.contains(&n), "{n}");
        }
    }

    #[test]
    fn before_anything_is_heard_the_header_names_a_packet_never_sent() {
        let heard = Received::new(at(65_526));
        let header = heard.header(at(1));
        assert_eq!((header.heard, header.history), (65_525, 0));
    }

    #[test]
    fn a_number_that_is_never_sent_is_not_missed() {
        let tag = 0x1_0000 + u64::from(wire::TAG);
        let mut heard = Received::new(at(tag - 3));
        heard.mark(at(tag - 1));
        assert_eq!(
            heard.judge(at(tag + 1).wire()).1,
            Arrival::Newest { missed: 0 }
        );
        assert_eq!(
            heard.judge(at(tag + 2).wire()).1,
            Arrival::Newest { missed: 1 }
        );
    }
}
