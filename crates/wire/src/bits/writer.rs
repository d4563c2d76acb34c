//! The writer.

use super::{FieldSink, Overflow, load, low_mask};

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

/// Writes bits into a buffer that it is given. Never allocates, never panics for want of room.
///
/// Overflow is sticky: what does not fit is not written, nor is anything after it, and
/// [`Writer::finish`] says so. Only [`Writer::truncate_to`] takes it back.
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

    /// Writes the low `n` bits of `value`; `n` at most 64. A value that has more is a mistake of
    /// the caller.
    #[inline]
    pub fn bits(&mut self, name: &'static str, value: impl Into<u64>, n: u32) {
        self.put(name, value.into(), n);
    }

    #[inline]
    pub(super) fn put(&mut self, name: &'static str, value: u64, n: u32) {
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
        // What of the value did not fit: nothing if the accumulator was empty, where the shift
        // would be 64.
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

    /// Tells the sink, if there is one, that the fields from here to [`Writer::close`] belong
    /// together.
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

    /// Takes back everything after `mark`, an overflow too. A mark that is not behind us changes
    /// nothing but that.
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

    /// Writes `n` bits over those that were written at `at`: a count that is known only when all is
    /// written. Does nothing where those bits were never written (because something did not fit).
    pub fn rewrite(&mut self, at: Mark, name: &'static str, value: impl Into<u64>, n: u32) {
        let (value, end) = (value.into(), self.mark());
        if n > 64 || at.after(n) > end {
            return;
        }
        // Only a few whole words are touched: those from the mark on, up to two, and the
        // accumulator.
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
