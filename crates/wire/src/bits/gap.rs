//! Small numbers in groups of four bits.

use super::{ReadError, Reader, Writer, low_mask};

/// Most groups of a gap: six times three bits hold every 16-bit number.
const GAP_GROUPS: u32 = 6;

/// Writes a small number in groups of four bits: three of the number, low first, then whether
/// another group follows. As few groups as the number needs.
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

/// Reads what [`write_gap`] writes; refuses more groups than the number needs, and numbers beyond
/// 65,535.
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
