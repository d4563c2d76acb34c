//! The bit stream: one writer, one reader, least significant bit first.
//!
//! A value of n bits fills the stream from its lowest bit on, so 8, 16, 32 and 64 bits that begin
//! at a byte are little-endian bytes.

mod gap;
mod reader;
mod writer;

use thiserror::Error;

use crate::quant::Quant;

pub use gap::{read_gap, write_gap};
pub use reader::Reader;
pub use writer::{Mark, Writer};

/// What the bits of a field say, where that is not the plain number that they are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Meaning {
    /// A code of a quantizer.
    Code {
        /// The quantizer.
        quant: Quant,
        /// The code, in its range.
        code: i32,
    },
    /// A whole number of which the bits are a short form.
    Number(u64),
}

/// Is told every field that is written or read, so that a packet can be explained later.
pub trait FieldSink {
    /// `bits` bits from `at_bit` on are the field `name` and say `value` (as on the wire). A field
    /// told again at the same bit replaces what was told before.
    fn field(&mut self, name: &'static str, at_bit: u32, bits: u32, value: u64);
    /// What the field told last says. A reader tells it; a writer knows it beforehand.
    fn means(&mut self, _meaning: Meaning) {}
    /// The fields until the matching [`FieldSink::close`] belong together.
    fn open(&mut self, _name: &'static str) {}
    /// Ends what the last [`FieldSink::open`] began.
    fn close(&mut self) {}
    /// Everything told at or after `to_bit` has been taken back.
    fn truncate(&mut self, _to_bit: u32) {}
}

/// The buffer was too small for what was written.
#[derive(Error, Clone, Copy, PartialEq, Eq, Debug)]
#[error("what was written does not fit its buffer")]
pub struct Overflow;

/// Why bytes are refused. Every one is an offence of the sender, or damage on the way.
#[derive(Error, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// The bytes end inside a field.
    #[error("the bytes end inside {field}")]
    Short {
        /// The field that is cut.
        field: &'static str,
    },
    /// A bit of padding is not zero.
    #[error("padding is not zero")]
    Padding,
    /// Bytes follow where the message has ended.
    #[error("{bytes} bytes follow the end")]
    Trailing {
        /// How many, at least in part.
        bytes: u32,
    },
    /// A value is written in another way than the one that is allowed.
    #[error("{field} is not in its canonical form")]
    NonCanonical {
        /// The field.
        field: &'static str,
    },
    /// A value that means nothing.
    #[error("{field} is out of its range")]
    OutOfRange {
        /// The field.
        field: &'static str,
    },
    /// A kind that is unknown, or not the one that belongs here.
    #[error("kind {got:#04x} does not belong here")]
    Kind {
        /// The kind that was found.
        got: u8,
    },
    /// Another version of the protocol.
    #[error("version {got} of the protocol")]
    Version {
        /// The version that was found.
        got: u8,
    },
    /// A prefix that does not begin with the tag, or a session frame that does.
    #[error("the tag is where it does not belong, or missing where it does")]
    Tag,
    /// More of something than may be.
    #[error("{field} says {got}, at most {most} are allowed")]
    Count {
        /// The field.
        field: &'static str,
        /// What it says.
        got: u32,
        /// The most that is allowed.
        most: u32,
    },
}

impl ReadError {
    /// Its name in WIRE.md, for counters and logs.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Short { .. } => "short",
            Self::Padding => "padding",
            Self::Trailing { .. } => "trailing",
            Self::NonCanonical { .. } => "non-canonical",
            Self::OutOfRange { .. } => "out-of-range",
            Self::Kind { .. } => "kind",
            Self::Version { .. } => "version",
            Self::Tag => "tag",
            Self::Count { .. } => "count",
        }
    }
}

/// The low `n` bits; `n` at most 64.
const fn low_mask(n: u32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// Eight bytes at `at`, little-endian; what lies beyond the buffer reads as zero.
#[inline]
fn load(buf: &[u8], at: usize) -> u64 {
    let rest = buf.get(at..).unwrap_or(&[]);
    match rest.first_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(word)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;

    /// Hears what a stream is made of.
    #[derive(Default, PartialEq, Debug)]
    struct Heard(Vec<(&'static str, u32, u32, u64)>);

    impl FieldSink for Heard {
        fn field(&mut self, name: &'static str, at_bit: u32, bits: u32, value: u64) {
            self.0.retain(|field| field.1 != at_bit);
            self.0.push((name, at_bit, bits, value));
        }

        fn truncate(&mut self, to_bit: u32) {
            self.0.retain(|field| field.1 < to_bit);
        }
    }

    fn some_fields(dice: &mut Dice, count: usize) -> Vec<(u64, u32)> {
        let field = |dice: &mut Dice| {
            let n = dice.below(65) as u32;
            (dice.roll() & low_mask(n), n)
        };
        (0..count).map(|_| field(dice)).collect()
    }

    #[test]
    fn aligned_values_are_little_endian_bytes() {
        let mut buf = [0xFF; 16];
        let mut w = Writer::new(&mut buf);
        w.u8("", 1);
        w.u16("", 0x0302);
        w.u32("", 0x0706_0504);
        w.u64("", 0x0F0E_0D0C_0B0A_0908);
        w.flag("", true);
        assert_eq!(w.finish(), Ok(16));
        assert_eq!(buf, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1]);
    }

    #[test]
    fn a_value_fills_the_stream_from_its_lowest_bit() {
        let mut buf = [0; 2];
        let mut w = Writer::new(&mut buf);
        w.bits("", 0b101u32, 3);
        w.bits("", 0b1000_0001u32, 8);
        w.align();
        assert_eq!(w.finish(), Ok(2));
        assert_eq!(buf, [0b0000_1101, 0b0000_0100]);
    }

    #[test]
    fn any_fields_come_back_and_both_ends_tell_the_same() {
        let mut dice = Dice(1);
        for _ in 0..500 {
            let count = dice.below(40) as usize;
            let fields = some_fields(&mut dice, count);
            let mut buf = [0xAA; 400];
            let (mut written, mut read) = (Heard::default(), Heard::default());
            let mut w = Writer::new(&mut buf).with_sink(&mut written);
            for &(value, n) in &fields {
                w.bits("f", value, n);
            }
            let len = w.finish().unwrap();
            let bits: u32 = fields.iter().map(|field| field.1).sum();
            assert_eq!(len, (bits as usize).div_ceil(8));

            let mut r = Reader::new(&buf[..len]).with_sink(&mut read);
            for &(value, n) in &fields {
                assert_eq!(r.bits("f", n), Ok(value));
            }
            assert_eq!(r.finish(), Ok(()));
            assert_eq!(written, read);
        }
    }

    #[test]
    fn what_does_not_fit_is_not_written_and_stays_unwritten() {
        let mut buf = [0; 9];
        let mut w = Writer::new(&mut buf[..3]);
        w.u16("", 0xFFFF);
        w.u16("", 0xFFFF);
        w.u8("", 0xFF);
        assert!(w.is_full());
        assert_eq!(w.byte_len(), 2);
        assert_eq!(w.finish(), Err(Overflow));
        assert_eq!(buf[3..], [0; 6]);
    }

    #[test]
    fn every_length_fits_a_buffer_of_its_own_size_and_none_smaller() {
        let mut buf = [0; 40];
        for bits in 0..300usize {
            let mut write = |room: usize| {
                let mut w = Writer::new(&mut buf[..room]);
                (0..bits).for_each(|i| w.flag("", i % 3 == 0));
                w.finish()
            };
            let bytes = bits.div_ceil(8);
            assert_eq!(write(bytes), Ok(bytes));
            if bytes > 0 {
                assert_eq!(write(bytes - 1), Err(Overflow));
            }
        }
    }

    #[test]
    fn taking_back_leaves_no_trace() {
        let mut dice = Dice(2);
        for _ in 0..500 {
            let (keep, drop) = (dice.below(12) as usize, dice.below(12) as usize);
            let kept = some_fields(&mut dice, keep);
            let dropped = some_fields(&mut dice, drop);
            let after = some_fields(&mut dice, 3);
            let mut plain = [0; 400];
            let mut w = Writer::new(&mut plain);
            kept.iter()
                .chain(&after)
                .for_each(|&(value, n)| w.bits("", value, n));
            let len = w.finish().unwrap();

            let (mut buf, mut heard) = ([0; 400], Heard::default());
            // Just room for what is kept: what is dropped may overflow.
            let mut w = Writer::new(&mut buf[..len]).with_sink(&mut heard);
            kept.iter().for_each(|&(value, n)| w.bits("", value, n));
            let mark = w.mark();
            dropped
                .iter()
                .for_each(|&(value, n)| w.bits("dropped", value, n));
            w.truncate_to(mark);
            assert!(!w.is_full());
            after.iter().for_each(|&(value, n)| w.bits("", value, n));
            assert_eq!(w.finish(), Ok(len));
            assert_eq!(buf[..len], plain[..len]);
            assert!(heard.0.iter().all(|field| field.0 != "dropped"));
        }
    }

    #[test]
    fn rewriting_changes_those_bits_alone() {
        let mut dice = Dice(3);
        for _ in 0..500 {
            let mut fields = some_fields(&mut dice, 20);
            let at = dice.below(20) as usize;
            let new = dice.roll() & low_mask(fields[at].1);
            let mut buf = [0; 200];
            let mut w = Writer::new(&mut buf);
            let mut mark = w.mark();
            for (i, &(value, n)) in fields.iter().enumerate() {
                if i == at {
                    mark = w.mark();
                }
                w.bits("", value, n);
            }
            w.rewrite(mark, "", new, fields[at].1);
            let len = w.finish().unwrap();
            fields[at].0 = new;
            let mut r = Reader::new(&buf[..len]);
            for &(value, n) in &fields {
                assert_eq!(r.bits("", n), Ok(value));
            }
        }
    }

    #[test]
    fn rewriting_what_was_never_written_does_nothing() {
        let mut buf = [0; 2];
        let mut w = Writer::new(&mut buf);
        w.u8("", 3);
        w.rewrite(w.mark(), "", 0xFFu32, 8);
        assert_eq!(w.finish(), Ok(1));
        assert_eq!(buf, [3, 0]);
    }

    #[test]
    fn a_reader_refuses_what_is_cut_padded_or_longer() {
        let mut r = Reader::new(&[0b0000_0001, 0xFF]);
        assert_eq!(r.bits("a", 17), Err(ReadError::Short { field: "a" }));
        assert_eq!(r.bits("a", 1), Ok(1));
        assert_eq!(r.align(), Ok(()));
        assert_eq!(r.finish(), Err(ReadError::Trailing { bytes: 1 }));
        assert_eq!(r.bits("b", 1), Ok(1));
        assert_eq!(r.align(), Err(ReadError::Padding));
        assert_eq!(
            Reader::new(&[]).bits("c", 1),
            Err(ReadError::Short { field: "c" })
        );
        assert_eq!(Reader::new(&[]).finish(), Ok(()));
    }

    #[test]
    fn every_gap_comes_back_in_as_few_groups_as_it_needs() {
        for value in 0..=u16::MAX {
            let mut buf = [0; 4];
            let mut w = Writer::new(&mut buf);
            write_gap("gap", value, &mut w);
            let bits = w.bit_len();
            assert_eq!(
                bits,
                4 * usize::max(1, (16 - value.leading_zeros()).div_ceil(3) as usize)
            );
            let len = w.finish().unwrap();
            let mut r = Reader::new(&buf[..len]);
            assert_eq!(read_gap("gap", &mut r), Ok(value));
            assert_eq!(r.bit_position(), bits);
            let mut cut = Reader::new(&buf[..(bits - 1) / 8]);
            assert_eq!(
                read_gap("gap", &mut cut),
                Err(ReadError::Short { field: "gap" })
            );
        }
    }

    #[test]
    fn a_gap_is_refused_unless_canonical_and_of_sixteen_bits() {
        let read = |bytes: &[u8]| read_gap("gap", &mut Reader::new(bytes));
        let (long, far) = (
            Err(ReadError::NonCanonical { field: "gap" }),
            Err(ReadError::OutOfRange { field: "gap" }),
        );
        // A group of zero after the first, and a seventh group.
        assert_eq!(read(&[0x08]), long);
        assert_eq!(
            read(&[0xF9, 0x00]),
            Err(ReadError::NonCanonical { field: "gap" })
        );
        assert_eq!(read(&[0xFF, 0xFF, 0xFF, 0x01]), long);
        // 65,535 and 65,536.
        assert_eq!(read(&[0xFF, 0xFF, 0x1F]), Ok(u16::MAX));
        assert_eq!(read(&[0x88, 0x88, 0x28]), far);
    }
}
