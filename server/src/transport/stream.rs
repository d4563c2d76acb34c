//! The one reliable stream of a WebTransport session: what its bytes mean.
//!
//! | bytes | what |
//! | --- | --- |
//! | 2 | length of what follows, kind and body together, most significant byte first: 1 to 4096 |
//! | 1 | kind: 0 a word, 1 a frame of the netcode that must not be lost |
//! | length - 1 | the word in UTF-8, or the frame |

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};

use super::MESSAGE;

const WORD: u8 = 0;
const FRAME: u8 = 1;
/// Bytes of the length.
const LENGTH: usize = 2;

/// What one end says on the stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// JSON, for the room.
    Word(String),
    /// A frame of the netcode.
    Frame(Bytes),
}

/// What a peer may not say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StreamFault {
    /// A message without a kind.
    #[error("a message of no bytes")]
    Empty,
    /// A message longer than anybody may say.
    #[error("a message of {0} bytes, and {MESSAGE} are the most")]
    TooLarge(usize),
    /// A kind that is none.
    #[error("a message of kind {0}, which is none")]
    UnknownKind(u8),
    /// A word that is no text.
    #[error("a word that is not UTF-8")]
    NotText,
}

/// Takes bytes as they come, in pieces of any length, and gives messages.
///
/// Never holds more than one message and what came in one piece behind it. After a fault there is no way back into
/// step: the session ends.
#[derive(Default, Debug)]
pub struct StreamReader {
    held: BytesMut,
}

impl StreamReader {
    /// Takes the next piece.
    pub fn handle(&mut self, piece: &[u8]) {
        self.held.extend_from_slice(piece);
    }

    /// The next message that is whole; a length or a kind that no message may have is refused before its body comes.
    pub fn poll(&mut self) -> Result<Option<Said>, StreamFault> {
        let Some((length, rest)) = self.held.split_first_chunk::<LENGTH>() else {
            return Ok(None);
        };
        let length = usize::from(u16::from_be_bytes(*length));
        match length {
            0 => return Err(StreamFault::Empty),
            length if length > MESSAGE => return Err(StreamFault::TooLarge(length)),
            _ => {}
        }
        let Some(&kind) = rest.first() else {
            return Ok(None);
        };
        if !matches!(kind, WORD | FRAME) {
            return Err(StreamFault::UnknownKind(kind));
        }
        if rest.len() < length {
            return Ok(None);
        }
        self.held.advance(LENGTH + 1);
        let body = self.held.split_to(length - 1).freeze();
        match kind {
            WORD => match String::from_utf8(body.into()) {
                Ok(word) => Ok(Some(Said::Word(word))),
                Err(_) => Err(StreamFault::NotText),
            },
            _ => Ok(Some(Said::Frame(body))),
        }
    }
}

impl Said {
    /// Its bytes on the stream; a message that is too long is the fault of who would say it.
    pub fn encode(&self) -> Result<Bytes, StreamFault> {
        let (kind, body) = match self {
            Self::Word(word) => (WORD, word.as_bytes()),
            Self::Frame(frame) => (FRAME, &**frame),
        };
        let length = body.len() + 1;
        let too_large = StreamFault::TooLarge(length);
        let written = u16::try_from(length).map_err(|_| too_large)?;
        if length > MESSAGE {
            return Err(too_large);
        }
        let mut bytes = BytesMut::with_capacity(LENGTH + length);
        bytes.put_u16(written);
        bytes.put_u8(kind);
        bytes.put_slice(body);
        Ok(bytes.freeze())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pieces: &[&[u8]]) -> Result<Vec<Said>, StreamFault> {
        let mut reader = StreamReader::default();
        let mut said = Vec::new();
        for piece in pieces {
            reader.handle(piece);
            while let Some(next) = reader.poll()? {
                said.push(next);
            }
        }
        Ok(said)
    }

    fn word(text: &str) -> Said {
        Said::Word(text.to_owned())
    }

    fn frame(bytes: &[u8]) -> Said {
        Said::Frame(Bytes::copy_from_slice(bytes))
    }

    #[test]
    fn the_bytes_are_those_of_the_table() {
        assert_eq!(word("{}").encode().unwrap()[..], [0, 3, 0, b'{', b'}']);
        assert_eq!(frame(&[7, 8]).encode().unwrap()[..], [0, 3, 1, 7, 8]);
        assert_eq!(frame(&[]).encode().unwrap()[..], [0, 1, 1]);
        assert_eq!(frame(&[9; 300]).encode().unwrap()[..3], [1, 45, 1]);
    }

    #[test]
    fn messages_come_whole_however_the_bytes_are_cut() {
        let said = [word("hé"), frame(&[1, 2, 3]), frame(&[]), word("")];
        let bytes: Vec<u8> = said
            .iter()
            .flat_map(|said| said.encode().unwrap())
            .collect();
        assert_eq!(all(&[&bytes]).unwrap(), said);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(all(&single).unwrap(), said);
        for cut in 0..bytes.len() {
            let (first, second) = bytes.split_at(cut);
            assert_eq!(all(&[first, second]).unwrap(), said, "cut at {cut}");
        }
    }

    #[test]
    fn the_longest_message_passes_and_one_byte_more_is_refused_before_its_body() {
        let longest = frame(&vec![5; MESSAGE - 1]);
        let bytes = longest.encode().unwrap();
        assert_eq!(all(&[&bytes]).unwrap(), [longest]);
        let too_large = StreamFault::TooLarge(MESSAGE + 1);
        assert_eq!(frame(&vec![5; MESSAGE]).encode(), Err(too_large));
        assert_eq!(all(&[&[0x10, 0x01]]), Err(too_large));
        assert_eq!(all(&[&[0xff, 0xff]]), Err(StreamFault::TooLarge(65535)));
        let huge = word(&"x".repeat(70_000));
        assert_eq!(huge.encode(), Err(StreamFault::TooLarge(70_001)));
    }

    #[test]
    fn what_is_no_message_has_a_name() {
        assert_eq!(all(&[&[0, 0]]), Err(StreamFault::Empty));
        assert_eq!(all(&[&[0, 9, 2]]), Err(StreamFault::UnknownKind(2)));
        assert_eq!(all(&[&[0, 9, 255]]), Err(StreamFault::UnknownKind(255)));
        assert_eq!(all(&[&[0, 2, 0, 0xff]]), Err(StreamFault::NotText));
        assert_eq!(all(&[&[], &[0], &[5], &[1, 2, 3]]), Ok(vec![]));
    }

    #[test]
    fn any_bytes_end_in_messages_or_a_fault_and_are_not_hoarded() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..2000 {
            let mut reader = StreamReader::default();
            for _ in 0..40 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let noise = state.to_be_bytes();
                // Mostly small lengths, so that some messages are whole.
                reader.handle(&[0, noise[0] % 9, noise[1] % 3]);
                reader.handle(&noise[2..]);
                let ended = loop {
                    match reader.poll() {
                        Ok(Some(_)) => {}
                        Ok(None) => break false,
                        Err(_) => break true,
                    }
                };
                assert!(reader.held.len() < LENGTH + MESSAGE);
                if ended {
                    break;
                }
            }
        }
    }
}
