//! The bit stream: one writer, one reader, least significant bit first.
//!
//! A value of n bits fills the stream from its lowest bit on, so 8, 16, 32 and 64 bits that begin
//! at a byte are little-endian bytes.

mod gap;
mod reader;
mod writer;

use thiserror::Error;

pub use gap::{read_gap, write_gap};
pub use reader::Reader;
pub use writer::{Mark, Writer};

/// Is told every field that is written or read, so that a packet can be explained later.
pub trait FieldSink {
    /// `bits` bits from `at_bit` on are the field `name` and say `value` (as on the wire). A field
    /// told again at the same bit replaces what was told before.
    fn field(&mut self, name: &'static str, at_bit: u32, bits: u32, value: u64);
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
