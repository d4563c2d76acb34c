//! What may stand behind the events of a snapshot: rows that sum up what the peer is not told one by one.

use crate::bits::{ReadError, Reader, Writer};
use crate::class::{Audience, Class};

/// Rows of a snapshot at most: what a picture or a force is made of, not a world.
pub const MAX_SUMMARIES: u8 = 64;

/// The rows of a snapshot: padding | u8 count | that many rows, each the fields of one class in their order. A snapshot that
/// says nothing of them ends before the padding; one with a count of zero says that there are none any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summaries;

impl Summaries {
    /// Bytes of so many rows with everything.
    pub const fn bytes(class: &Class, rows: usize) -> usize {
        1 + (rows * class.bits(Audience::All) as usize).div_ceil(8)
    }

    /// Writes rows of as many codes as the class has fields, one behind the other. More than [`MAX_SUMMARIES`] are a mistake of
    /// the caller; those beyond are left out.
    pub fn write(class: &Class, rows: &[i32], w: &mut Writer<'_>) {
        let count = rows.len() / class.width().max(1);
        debug_assert!(count <= usize::from(MAX_SUMMARIES), "{count} rows");
        let count = count.min(usize::from(MAX_SUMMARIES));
        w.align();
        w.u8("summaries", count as u8);
        for row in rows.chunks_exact(class.width().max(1)).take(count) {
            w.open("summary");
            class.write(row, Audience::All, w);
            w.close();
        }
    }

    /// Appends what [`Summaries::write`] wrote to `rows`, emptied before. False: the snapshot says nothing of summaries. Call it
    /// where the events end.
    pub fn read(class: &Class, rows: &mut Vec<i32>, r: &mut Reader<'_>) -> Result<bool, ReadError> {
        rows.clear();
        r.align()?;
        if r.remaining_bits() == 0 {
            return Ok(false);
        }
        let count = r.u8("summaries")?;
        if count > MAX_SUMMARIES {
            return Err(ReadError::Count {
                field: "summaries",
                got: u32::from(count),
                most: u32::from(MAX_SUMMARIES),
            });
        }
        for _ in 0..count {
            let start = rows.len();
            rows.resize(start + class.width(), 0);
            r.open("summary");
            class.read(&mut rows[start..], Audience::All, r)?;
            r.close();
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Quant, record};

    record! {
        /// A group.
        struct Group as GROUP ("group", shown: Simulated, rewind: false, share: 1) {
            x: Quant::Signed { bits: 5, step: 1.0 }, "m", Linear, All, place;
            count: Quant::Count { bits: 6 }, "", Nearer, All;
        }
    }

    fn written(rows: &[i32]) -> Vec<u8> {
        let mut buf = [0; 128];
        let mut w = Writer::new(&mut buf);
        w.flag("before", true);
        Summaries::write(&GROUP, rows, &mut w);
        let len = w.finish().unwrap();
        assert_eq!(len, 1 + Summaries::bytes(&GROUP, rows.len() / Group::WIDTH));
        buf[..len].to_vec()
    }

    fn read(bytes: &[u8], rows: &mut Vec<i32>) -> Result<bool, ReadError> {
        let mut r = Reader::new(bytes);
        r.flag("before")?;
        let said = Summaries::read(&GROUP, rows, &mut r)?;
        r.align()?;
        r.finish().map(|()| said)
    }

    #[test]
    fn rows_come_back_and_none_is_not_the_same_as_nothing_said() {
        let mut rows = vec![7];
        for said in [&[][..], &[-15, 1], &[3, 2, 15, 63, 0, 0]] {
            assert_eq!(read(&written(said), &mut rows), Ok(true));
            assert_eq!(rows, said);
        }
        assert_eq!(read(&[1], &mut rows), Ok(false));
        assert_eq!(rows, []);
    }

    #[test]
    fn too_many_and_too_few_bytes_are_refused() {
        let mut rows = Vec::new();
        assert_eq!(
            read(&[1, 65], &mut rows),
            Err(ReadError::Count {
                field: "summaries",
                got: 65,
                most: 64
            })
        );
        let whole = written(&[3, 2, 15, 63]);
        for len in 2..whole.len() {
            assert!(read(&whole[..len], &mut rows).is_err(), "{len} bytes");
        }
        let mut longer = whole;
        longer.push(0);
        assert!(read(&longer, &mut rows).is_err());
    }
}
