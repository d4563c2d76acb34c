//! The reader.

use super::{FieldSink, Meaning, ReadError, load, low_mask};

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

    /// The bits that come next, low first: at least 57 of them, or all that remain with zeros after
    /// them.
    #[inline]
    pub(super) fn peek(&self) -> u64 {
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
    pub(super) fn taken(&mut self, name: &'static str, value: u64, n: u32) -> u64 {
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

    /// Tells the sink, if there is one, what the field read last means.
    #[inline]
    pub fn means(&mut self, meaning: Meaning) {
        if self.sink.is_some() {
            self.tell_meaning(meaning);
        }
    }

    #[cold]
    fn tell_meaning(&mut self, meaning: Meaning) {
        if let Some(sink) = &mut self.sink {
            sink.means(meaning);
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

    /// Tells the sink, if there is one, that the fields from here to [`Reader::close`] belong
    /// together.
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

    /// The byte that comes next, left where it is. Only at a byte's beginning; nothing if nothing
    /// remains.
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
