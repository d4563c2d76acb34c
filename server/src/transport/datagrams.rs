//! The datagrams of a WebTransport session, straight from and to QUIC.
//!
//! | bytes | what |
//! | --- | --- |
//! | 1, 2, 4 or 8 | a quarter of the number of the session's stream, as QUIC writes integers (RFC 9000, 16; RFC 9297, 2.1) |
//! | the rest | the frame |
//!
//! The library hands datagrams through a task and a channel of its own, which costs more than all that QUIC does with
//! them. Its task takes a datagram only while there is room in that channel, which is one: whatever it took first stays
//! there, like a datagram that was lost, and all that follow are left to us.

use std::sync::{Mutex, PoisonError};

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use wtransport::quinn::{self, ConnectionError, SendDatagramError};

use super::DATAGRAM;

/// The longest that a number is.
const NUMBER: usize = 8;
/// Bytes that are allocated at once for what is sent; they are used again once QUIC has sent it.
const ROOM: usize = 2 * (DATAGRAM + NUMBER);

/// A session's datagrams, both ways.
#[derive(Debug)]
pub struct Datagrams {
    quic: quinn::Connection,
    /// Of the session, a quarter of its stream's.
    number: u64,
    /// What is sent is cut from it.
    room: Mutex<BytesMut>,
}

impl Datagrams {
    /// Those of this session.
    pub fn of(session: &wtransport::Connection) -> Self {
        Self {
            quic: session.quic_connection().clone(),
            number: session.session_id().into_u64() / 4,
            room: Mutex::default(),
        }
    }

    /// The next frame. Datagrams of other sessions are none of ours, and those without a number are nobody's.
    pub async fn next(&self) -> Result<Bytes, ConnectionError> {
        loop {
            let mut datagram = self.quic.read_datagram().await?;
            if take_number(&mut datagram) == Some(self.number) {
                return Ok(datagram);
            }
        }
    }

    /// Sends a frame; where QUIC may not send now it waits there, and the oldest makes way for it.
    pub fn send(&self, frame: &[u8]) -> Result<(), SendDatagramError> {
        let datagram = {
            let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
            if room.capacity() < frame.len() + NUMBER {
                room.reserve(ROOM);
            }
            put_number(&mut room, self.number);
            room.put_slice(frame);
            room.split().freeze()
        };
        self.quic.send_datagram(datagram)
    }
}

/// Takes the number in front; `None` where it is cut off.
fn take_number(datagram: &mut Bytes) -> Option<u64> {
    let length = 1usize << (datagram.first()? >> 6);
    if datagram.len() < length {
        return None;
    }
    let bits = datagram.get_uint(length);
    // The two highest bits are the length's.
    Some(bits & (u64::MAX >> (64 - 8 * length + 2)))
}

/// Writes a number as short as it can be written.
fn put_number(out: &mut BytesMut, number: u64) {
    match number {
        0..0x40 => out.put_u8(number as u8),
        0x40..0x4000 => out.put_u16(number as u16 | 1 << 14),
        0x4000..0x4000_0000 => out.put_u32(number as u32 | 2 << 30),
        _ => out.put_u64(number | 3 << 62),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_quic_writes_them() {
        // The examples of RFC 9000, A.1.
        let examples: [(u64, &[u8]); 4] = [
            (37, &[0x25]),
            (15_293, &[0x7b, 0xbd]),
            (494_878_333, &[0x9d, 0x7f, 0x3e, 0x7d]),
            (
                151_288_809_941_952_652,
                &[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c],
            ),
        ];
        for (number, bytes) in examples {
            let mut out = BytesMut::new();
            put_number(&mut out, number);
            assert_eq!(out, bytes, "{number}");
            out.put_slice(b"frame");
            let mut datagram = out.freeze();
            assert_eq!(take_number(&mut datagram), Some(number));
            assert_eq!(datagram, b"frame"[..]);
            let mut cut = Bytes::copy_from_slice(&bytes[..bytes.len() - 1]);
            assert_eq!(take_number(&mut cut), None, "{number}");
        }
        // Longer than it need be.
        let mut long = Bytes::from_static(&[0x40, 0x25]);
        assert_eq!(take_number(&mut long), Some(37));
    }
}
