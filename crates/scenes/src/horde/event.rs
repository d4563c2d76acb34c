//! What the horde tells its players one by one. Whatever others see is state: the ring of a nova, an enemy that dies.

use wire::{ReadError, Reader, Writer};

use crate::scene::FieldWords;

/// What happens once and is told to the player whom it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Your nova, and how many enemies it killed.
    Nova {
        /// Enemies, at most 1,023.
        killed: u16,
    },
    /// You are out of the game for a while.
    Fell,
}

/// Bits of a count of enemies.
const COUNT_BITS: u32 = 10;

impl Event {
    /// A nova that killed so many.
    pub(super) fn nova(killed: usize) -> Self {
        Self::Nova {
            killed: killed.min((1 << COUNT_BITS) - 1) as u16,
        }
    }
}

impl netcode::Event for Event {
    fn write(&self, w: &mut Writer<'_>) {
        match *self {
            Self::Nova { killed } => {
                w.flag("fell", false);
                w.bits("killed", killed, COUNT_BITS);
            }
            Self::Fell => w.flag("fell", true),
        }
    }

    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        if r.flag("fell")? {
            return Ok(Self::Fell);
        }
        Ok(Self::Nova {
            killed: r.bits("killed", COUNT_BITS)? as u16,
        })
    }
}

/// How a field of an input or an event reads, by its name on the wire.
pub(super) fn field_words(name: &str) -> FieldWords {
    match name {
        "killed" => FieldWords::Unit("enemies"),
        _ => FieldWords::Unit(""),
    }
}

#[cfg(test)]
mod tests {
    use netcode::Event as _;

    use super::*;

    #[test]
    fn what_is_written_is_what_is_read() {
        let mut buf = [0; 8];
        for event in [Event::Fell, Event::nova(0), Event::nova(1_000_000)] {
            let mut w = Writer::new(&mut buf);
            event.write(&mut w);
            let len = w.finish().unwrap();
            let mut r = Reader::new(&buf[..len]);
            assert_eq!(Event::read(&mut r), Ok(event));
        }
    }
}
