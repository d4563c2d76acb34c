//! The bit stream: one writer, one reader, least significant bit first.
//!
//! A value of n bits fills the stream from its lowest bit on, so 8, 16, 32 and 64 bits that begin at a byte are
//! little-endian bytes.

use thiserror::Error;

/// Is told every field that is written or read, so that a packet can be explained later.
pub trait FieldSink {
    /// `bits` bits from `at_bit` on are the field `name` and say `value` (as on the wire). A field told again at the
    /// same bit replaces what was told before.
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

/// A position in what a [`Writer`] has written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark(usize);

impl Mark {
    /// The position so many bits further on.
    #[must_use]
    pub const fn after(self, bits: u32) -> Self {
        Self(self.0 + bits as usize)
    }
}

/// The low `n` bits; `n` at most 64.
const fn low_mask(n: u32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// Writes bits into a buffer that it is given. Never allocates, never panics for want of room.
///
/// Overflow is sticky: what does not fit is not written, nor is anything after it, and [`Writer::finish`] says so.
/// Only [`Writer::truncate_to`] takes it back.
pub struct Writer<'a> {
    buf: &'a mut [u8],
    /// Bytes that have left the accumulator; a multiple of 8.
    stored: usize,
    /// The newest bits, low first, not yet in `buf`.
    acc: u64,
    /// How many bits of `acc` are used: 0..=63.
    used: u32,
    /// Bits that still fit. Zero once full.
    left: usize,
    full: bool,
    sink: Option<&'a mut dyn FieldSink>,
}

impl<'a> Writer<'a> {
    /// Writes into `buf` from its beginning.
    pub fn new(buf: &'a mut [u8]) -> Self {
        let left = buf.len() * 8;
        Writer {
            buf,
            stored: 0,
            acc: 0,
            used: 0,
            left,
            full: false,
            sink: None,
        }
    }

    /// The same, telling `sink` every field from here on.
    #[must_use]
    pub fn with_sink(mut self, sink: &'a mut dyn FieldSink) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Writes the low `n` bits of `value`; `n` at most 64. A value that has more is a mistake of the caller.
    #[inline]
    pub fn bits(&mut self, name: &'static str, value: impl Into<u64>, n: u32) {
        self.put(name, value.into(), n);
    }

    #[inline]
    fn put(&mut self, name: &'static str, value: u64, n: u32) {
        debug_assert!(
            n <= 64 && value & !low_mask(n) == 0,
            "{name}: {value} has more than {n} bits"
        );
        if n as usize > self.left {
            self.full = true;
            self.left = 0;
            return;
        }
        if self.sink.is_some() {
            self.tell(name, value, n);
        }
        self.left -= n as usize;
        let value = value & low_mask(n);
        self.acc |= value << self.used;
        let used = self.used + n;
        if used < 64 {
            self.used = used;
            return;
        }
        self.buf[self.stored..self.stored + 8].copy_from_slice(&self.acc.to_le_bytes());
        self.stored += 8;
        // What of the value did not fit: nothing if the accumulator was empty, where the shift would be 64.
        self.acc = value.checked_shr(64 - self.used).unwrap_or(0);
        self.used = used - 64;
    }

    #[cold]
    fn tell(&mut self, name: &'static str, value: u64, n: u32) {
        let at = self.bit_len() as u32;
        if let Some(sink) = &mut self.sink {
            sink.field(name, at, n, value);
        }
    }

    /// One bit.
    #[inline]
    pub fn flag(&mut self, name: &'static str, value: bool) {
        self.put(name, u64::from(value), 1);
    }

    /// Eight bits.
    #[inline]
    pub fn u8(&mut self, name: &'static str, value: u8) {
        self.put(name, u64::from(value), 8);
    }

    /// Sixteen bits.
    #[inline]
    pub fn u16(&mut self, name: &'static str, value: u16) {
        self.put(name, u64::from(value), 16);
    }

    /// Thirty-two bits.
    #[inline]
    pub fn u32(&mut self, name: &'static str, value: u32) {
        self.put(name, u64::from(value), 32);
    }

    /// Sixty-four bits.
    #[inline]
    pub fn u64(&mut self, name: &'static str, value: u64) {
        self.put(name, value, 64);
    }

    /// Zero bits up to the next byte.
    pub fn align(&mut self) {
        let n = self.used.wrapping_neg() & 7;
        if n > 0 {
            self.put("padding", 0, n);
        }
    }

    /// Tells the sink, if there is one, that the fields from here to [`Writer::close`] belong together.
    pub fn open(&mut self, name: &'static str) {
        if let Some(sink) = &mut self.sink {
            sink.open(name);
        }
    }

    /// Ends what the last [`Writer::open`] began.
    pub fn close(&mut self) {
        if let Some(sink) = &mut self.sink {
            sink.close();
        }
    }

    /// Bits written.
    pub fn bit_len(&self) -> usize {
        self.stored * 8 + self.used as usize
    }

    /// Bytes written, the last one perhaps in part.
    pub fn byte_len(&self) -> usize {
        self.bit_len().div_ceil(8)
    }

    /// Whether something did not fit.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Here, to come back to with [`Writer::truncate_to`] or [`Writer::rewrite`].
    pub fn mark(&self) -> Mark {
        Mark(self.bit_len())
    }

    /// Takes back everything after `mark`, an overflow too. A mark that is not behind us changes nothing but that.
    pub fn truncate_to(&mut self, mark: Mark) {
        let to = mark.0.min(self.bit_len());
        let stored = to / 64 * 8;
        if stored < self.stored {
            self.acc = load(self.buf, stored);
            self.stored = stored;
        }
        self.used = (to % 64) as u32;
        self.acc &= low_mask(self.used);
        self.left = self.buf.len() * 8 - to;
        self.full = false;
        if let Some(sink) = &mut self.sink {
            sink.truncate(to as u32);
        }
    }

    /// Writes `n` bits over those that were written at `at`: a count that is known only when all is written. Does
    /// nothing where those bits were never written (because something did not fit).
    pub fn rewrite(&mut self, at: Mark, name: &'static str, value: impl Into<u64>, n: u32) {
        let (value, end) = (value.into(), self.mark());
        if n > 64 || at.after(n) > end {
            return;
        }
        // Only a few whole words are touched: those from the mark on, up to two, and the accumulator.
        let mut value = value & low_mask(n);
        let (mut at_bit, mut left) = (at.0, n);
        if let Some(sink) = &mut self.sink {
            sink.field(name, at.0 as u32, n, value);
        }
        while left > 0 {
            let (word, shift) = (at_bit / 64 * 8, (at_bit % 64) as u32);
            let part = left.min(64 - shift);
            let mask = low_mask(part) << shift;
            let change = |old: u64| old & !mask | value << shift & mask;
            if word == self.stored {
                self.acc = change(self.acc);
            } else {
                let new = change(load(self.buf, word));
                self.buf[word..word + 8].copy_from_slice(&new.to_le_bytes());
            }
            value = value.checked_shr(part).unwrap_or(0);
            at_bit += part as usize;
            left -= part;
        }
    }

    /// Fills the last byte with zero bits and gives the length in bytes.
    pub fn finish(&mut self) -> Result<usize, Overflow> {
        if self.full {
            return Err(Overflow);
        }
        self.align();
        let rest = (self.used / 8) as usize;
        let len = self.stored + rest;
        self.buf[self.stored..len].copy_from_slice(&self.acc.to_le_bytes()[..rest]);
        Ok(len)
    }
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

/// Reads bits from bytes that may be hostile.
pub struct Reader<'a> {
    buf: &'a [u8],
    /// The next bit.
    at: usize,
    sink: Option<&'a mut dyn FieldSink>,
}

impl<'a> Reader<'a> {
    /// Reads `buf` from its beginning.
    pub fn new(buf: &'a [u8]) -> Self {
        Reader {
            buf,
            at: 0,
            sink: None,
        }
    }

    /// The same, telling `sink` every field from here on.
    #[must_use]
    pub fn with_sink(mut self, sink: &'a mut dyn FieldSink) -> Self {
        self.sink = Some(sink);
        self
    }

    /// The bits that come next, low first: at least 57 of them, or all that remain with zeros after them.
    #[inline]
    fn peek(&self) -> u64 {
        load(self.buf, self.at / 8) >> (self.at % 8)
    }

    /// Reads `n` bits; `n` at most 64.
    #[inline]
    pub fn bits(&mut self, name: &'static str, n: u32) -> Result<u64, ReadError> {
        debug_assert!(n <= 64, "{name}: {n} bits at once");
        if n as usize > self.remaining_bits() {
            return Err(ReadError::Short { field: name });
        }
        let mut value = self.peek();
        let here = 64 - (self.at % 8) as u32;
        if n > here {
            // More than one load holds, so at least 57 bits and a ninth byte.
            value |= u64::from(self.buf[self.at / 8 + 8]) << here;
        }
        Ok(self.taken(name, value & low_mask(n), n))
    }

    /// Steps over `n` bits that say `value`.
    #[inline]
    fn taken(&mut self, name: &'static str, value: u64, n: u32) -> u64 {
        if self.sink.is_some() {
            self.tell(name, value, n);
        }
        self.at += n as usize;
        value
    }

    #[cold]
    fn tell(&mut self, name: &'static str, value: u64, n: u32) {
        if let Some(sink) = &mut self.sink {
            sink.field(name, self.at as u32, n, value);
        }
    }

    /// One bit.
    #[inline]
    pub fn flag(&mut self, name: &'static str) -> Result<bool, ReadError> {
        Ok(self.bits(name, 1)? != 0)
    }

    /// Eight bits.
    #[inline]
    pub fn u8(&mut self, name: &'static str) -> Result<u8, ReadError> {
        Ok(self.bits(name, 8)? as u8)
    }

    /// Sixteen bits.
    #[inline]
    pub fn u16(&mut self, name: &'static str) -> Result<u16, ReadError> {
        Ok(self.bits(name, 16)? as u16)
    }

    /// Thirty-two bits.
    #[inline]
    pub fn u32(&mut self, name: &'static str) -> Result<u32, ReadError> {
        Ok(self.bits(name, 32)? as u32)
    }

    /// Sixty-four bits.
    #[inline]
    pub fn u64(&mut self, name: &'static str) -> Result<u64, ReadError> {
        self.bits(name, 64)
    }

    /// Steps to the next byte; refuses padding that is not zero.
    pub fn align(&mut self) -> Result<(), ReadError> {
        let n = (self.at.wrapping_neg() & 7) as u32;
        if n > 0 && self.bits("padding", n)? != 0 {
            return Err(ReadError::Padding);
        }
        Ok(())
    }

    /// Tells the sink, if there is one, that the fields from here to [`Reader::close`] belong together.
    pub fn open(&mut self, name: &'static str) {
        if let Some(sink) = &mut self.sink {
            sink.open(name);
        }
    }

    /// Ends what the last [`Reader::open`] began.
    pub fn close(&mut self) {
        if let Some(sink) = &mut self.sink {
            sink.close();
        }
    }

    /// The byte that comes next, left where it is. Only at a byte's beginning; nothing if nothing remains.
    pub fn peek_u8(&self) -> Option<u8> {
        debug_assert!(
            self.at.is_multiple_of(8),
            "a byte begins at bit {}",
            self.at
        );
        self.buf.get(self.at / 8).copied()
    }

    /// Bits read so far.
    pub fn bit_position(&self) -> usize {
        self.at
    }

    /// Bits not yet read.
    #[inline]
    pub fn remaining_bits(&self) -> usize {
        self.buf.len() * 8 - self.at
    }

    /// Says that the message ends here: refuses padding that is not zero, and bytes that follow.
    pub fn finish(&mut self) -> Result<(), ReadError> {
        self.align()?;
        match self.remaining_bits() / 8 {
            0 => Ok(()),
            bytes => Err(ReadError::Trailing {
                bytes: bytes as u32,
            }),
        }
    }
}

/// Most groups of a gap: six times three bits hold every 16-bit number.
const GAP_GROUPS: u32 = 6;

/// Writes a small number in groups of four bits: three of the number, low first, then whether another group follows.
/// As few groups as the number needs.
pub fn write_gap(name: &'static str, value: u16, w: &mut Writer<'_>) {
    let (mut rest, mut raw, mut n) = (u64::from(value), 0, 0);
    loop {
        let more = u64::from(rest > 7);
        raw |= (rest & 7 | more << 3) << n;
        n += 4;
        rest >>= 3;
        if more == 0 {
            break;
        }
    }
    w.put(name, raw, n);
}

/// Reads what [`write_gap`] writes; refuses more groups than the number needs, and numbers beyond 65,535.
pub fn read_gap(name: &'static str, r: &mut Reader<'_>) -> Result<u16, ReadError> {
    let raw = r.peek();
    let (mut value, mut group) = (0, 0);
    loop {
        let four = raw >> (4 * group) & 15;
        value |= (four & 7) << (3 * group);
        group += 1;
        let n = 4 * group;
        if n as usize > r.remaining_bits() {
            return Err(ReadError::Short { field: name });
        }
        if four > 7 {
            if group == GAP_GROUPS {
                return Err(ReadError::NonCanonical { field: name });
            }
            continue;
        }
        if four == 0 && group > 1 {
            return Err(ReadError::NonCanonical { field: name });
        }
        r.taken(name, raw & low_mask(n), n);
        return u16::try_from(value).map_err(|_| ReadError::OutOfRange { field: name });
    }
}
