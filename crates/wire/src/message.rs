//! What a session frame says after its header: inputs, snapshots, ping and pong. Every `write` and
//! `read` here begins with the body's kind.

use crate::bits::{Mark, ReadError, Reader, Writer};
use crate::frame::Kind;
use crate::time::{Instant, Tick};

/// The most inputs of a packet. Source: seed 001_545bc6c5b0a72338.txt.
pub const MAX_INPUTS: u8 = 16;

/// The head of one input: u8 kind | u32 seq. Its record follows, then padding, then perhaps what
/// was drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputHead {
    /// The client's tick that it is for, low 32 bits.
    pub seq: u32,
}

impl InputHead {
    /// Writes kind and head.
    pub fn write(&self, w: &mut Writer<'_>) {
        Kind::Input.write(w);
        w.u32("seq", self.seq);
    }

    /// Reads kind and head.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Kind::Input.expect(r)?;
        Ok(Self { seq: r.u32("seq")? })
    }
}

/// The head of several inputs: u8 kind | u32 ack | u32 newest | u8 count. The records follow back
/// to back, then padding, then perhaps what was drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InputsHead {
    /// The newest snapshot's tick that was applied, low 32 bits.
    pub ack: u32,
    /// The client's tick of the newest input, low 32 bits; the others are those before it, without
    /// a gap.
    pub newest: u32,
    /// How many, 0..=[`MAX_INPUTS`]. None is an acknowledgement alone.
    pub count: u8,
}

impl InputsHead {
    /// Writes kind and head.
    pub fn write(&self, w: &mut Writer<'_>) {
        Kind::Inputs.write(w);
        w.u32("ack", self.ack);
        w.u32("newest", self.newest);
        w.u8("count", self.count);
    }

    /// Reads kind and head.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Kind::Inputs.expect(r)?;
        let (ack, newest, count) = (r.u32("ack")?, r.u32("newest")?, r.u8("count")?);
        if count > MAX_INPUTS {
            return Err(ReadError::Count {
                field: "count",
                got: u32::from(count),
                most: u32::from(MAX_INPUTS),
            });
        }
        Ok(Self { ack, newest, count })
    }
}

/// The end of a packet of inputs: padding, then nothing or exactly the five bytes of what was drawn
/// when the newest input was made. `near`: the tick that the wire's 32 bits are near to.
pub fn read_drawn(near: Tick, r: &mut Reader<'_>) -> Result<Option<Instant>, ReadError> {
    r.align()?;
    match r.remaining_bits() / 8 {
        0 => Ok(None),
        5 => Instant::read(near, r).map(Some),
        bytes => Err(ReadError::Trailing {
            bytes: bytes as u32,
        }),
    }
}

/// The head of a snapshot: u8 kind | u32 tick | u32 judged | u8 input buffer | u16 count. `count`
/// entries follow, then the events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SnapshotHead {
    /// The server's tick that it describes, low 32 bits.
    pub tick: u32,
    /// The newest tick of the client that the server has judged, low 32 bits.
    pub judged: u32,
    /// Fewest inputs that waited at any tick since the last snapshot. Written as at most 15.
    pub low_water: u8,
    /// Inputs that wait now. Written as at most 15.
    pub depth: u8,
    /// Entries that follow.
    pub count: u16,
}

/// The most that four bits say.
const NIBBLE: u8 = 15;

impl SnapshotHead {
    /// Bits before the count.
    const COUNT_AT: u32 = 8 + 32 + 32 + 8;

    /// Writes kind and head.
    pub fn write(&self, w: &mut Writer<'_>) {
        Kind::Snapshot.write(w);
        w.u32("tick", self.tick);
        w.u32("judged", self.judged);
        w.bits("low_water", self.low_water.min(NIBBLE), 4);
        w.bits("depth", self.depth.min(NIBBLE), 4);
        w.u16("count", self.count);
    }

    /// Corrects the count of the head that was written at `head`, once it is known how many entries
    /// fit.
    pub fn set_count(head: Mark, count: u16, w: &mut Writer<'_>) {
        w.rewrite(head.after(Self::COUNT_AT), "count", count, 16);
    }

    /// Reads kind and head.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Kind::Snapshot.expect(r)?;
        Ok(Self {
            tick: r.u32("tick")?,
            judged: r.u32("judged")?,
            low_water: r.bits("low_water", 4)? as u8,
            depth: r.bits("depth", 4)? as u8,
            count: r.u16("count")?,
        })
    }
}

/// Asks for a [`Pong`]: u8 kind | u32 stamp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ping {
    /// What the sender will know it by.
    pub stamp: u32,
}

/// Answers a [`Ping`]: u8 kind | u32 stamp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pong {
    /// The ping's.
    pub stamp: u32,
}

impl Ping {
    /// Writes kind and stamp.
    pub fn write(&self, w: &mut Writer<'_>) {
        Kind::Ping.write(w);
        w.u32("stamp", self.stamp);
    }

    /// Reads kind and stamp.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Kind::Ping.expect(r)?;
        Ok(Self {
            stamp: r.u32("stamp")?,
        })
    }
}

impl Pong {
    /// Writes kind and stamp.
    pub fn write(&self, w: &mut Writer<'_>) {
        Kind::Pong.write(w);
        w.u32("stamp", self.stamp);
    }

    /// Reads kind and stamp.
    pub fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Kind::Pong.expect(r)?;
        Ok(Self {
            stamp: r.u32("stamp")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(write: impl Fn(&mut Writer<'_>)) -> Vec<u8> {
        let mut buf = [0; 64];
        let mut w = Writer::new(&mut buf);
        write(&mut w);
        let len = w.finish().unwrap();
        buf[..len].to_vec()
    }

    #[test]
    fn heads_come_back() {
        let input = InputHead { seq: u32::MAX - 9 };
        let inputs = InputsHead {
            ack: 1,
            newest: 2,
            count: MAX_INPUTS,
        };
        let snapshot = SnapshotHead {
            tick: 3,
            judged: 4,
            low_water: 5,
            depth: 15,
            count: 6,
        };
        assert_eq!(
            InputHead::read(&mut Reader::new(&bytes(|w| input.write(w)))),
            Ok(input)
        );
        assert_eq!(
            InputsHead::read(&mut Reader::new(&bytes(|w| inputs.write(w)))),
            Ok(inputs)
        );
        let written = bytes(|w| snapshot.write(w));
        assert_eq!(written.len(), 12);
        assert_eq!(SnapshotHead::read(&mut Reader::new(&written)), Ok(snapshot));
        let (ping, pong) = (
            bytes(|w| Ping { stamp: 8 }.write(w)),
            bytes(|w| Pong { stamp: 9 }.write(w)),
        );
        assert_eq!(Ping::read(&mut Reader::new(&ping)), Ok(Ping { stamp: 8 }));
        assert_eq!(Pong::read(&mut Reader::new(&pong)), Ok(Pong { stamp: 9 }));
        assert_eq!(
            Ping::read(&mut Reader::new(&pong)),
            Err(ReadError::Kind { got: 0x16 })
        );
    }

    #[test]
    fn more_inputs_than_a_packet_may_have_are_refused() {
        let inputs = InputsHead {
            ack: 1,
            newest: 2,
            count: 17,
        };
        assert_eq!(
            InputsHead::read(&mut Reader::new(&bytes(|w| inputs.write(w)))),
            Err(ReadError::Count {
                field: "count",
                got: 17,
                most: 16
            })
        );
    }

    #[test]
    fn what_four_bits_cannot_say_is_said_as_fifteen() {
        let deep = SnapshotHead {
            tick: 0,
            judged: 0,
            low_water: 16,
            depth: 18,
            count: 0,
        };
        let read = SnapshotHead::read(&mut Reader::new(&bytes(|w| deep.write(w)))).unwrap();
        assert_eq!((read.low_water, read.depth), (15, 15));
    }

    #[test]
    fn a_count_is_corrected_once_it_is_known() {
        let head = SnapshotHead {
            tick: 1,
            judged: 2,
            low_water: 0,
            depth: 0,
            count: 0,
        };
        let written = bytes(|w| {
            w.u8("before", 9);
            let mark = w.mark();
            head.write(w);
            w.u32("entries", u32::MAX);
            SnapshotHead::set_count(mark, 513, w);
        });
        let mut r = Reader::new(&written[1..]);
        assert_eq!(
            SnapshotHead::read(&mut r),
            Ok(SnapshotHead { count: 513, ..head })
        );
        assert_eq!(r.u32("entries"), Ok(u32::MAX));
    }

    #[test]
    fn what_was_drawn_is_there_only_if_exactly_its_bytes_remain() {
        let drawn = Instant {
            tick: Tick::new((1 << 32) + 2),
            frac: 200,
        };
        let near = Tick::new((1 << 32) - 5);
        let written = bytes(|w| drawn.write(w));
        let read = |bytes: &[u8]| read_drawn(near, &mut Reader::new(bytes));
        assert_eq!(read(&written), Ok(Some(drawn)));
        assert_eq!(read(&[]), Ok(None));
        assert_eq!(read(&written[..4]), Err(ReadError::Trailing { bytes: 4 }));
        assert_eq!(read(&[0; 6]), Err(ReadError::Trailing { bytes: 6 }));
        let mut r = Reader::new(&[0b10]);
        r.bits("record", 1).unwrap();
        assert_eq!(read_drawn(near, &mut r), Err(ReadError::Padding));
    }
}
