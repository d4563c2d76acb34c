//! A command of the black holes.

use wire::{Quant, ReadError, Reader, Writer};

use crate::vec2::{Vec2, vec2};

/// One tick of a player's hands, as sent: 17 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Push to the right, -127 to 127.
    pub x: i8,
    /// Push downwards, -127 to 127.
    pub y: i8,
    /// Edge: boost.
    pub boost: bool,
}

impl Input {
    /// Hands that push as far as `stick` says, each axis -1 to 1.
    pub(super) fn push(stick: Vec2) -> Self {
        // Inside -127..=127 by the quantizer.
        let axis = |value| Quant::Axis.encode(value) as i8;
        Self {
            x: axis(stick.x),
            y: axis(stick.y),
            boost: false,
        }
    }

    /// The push, no longer than 1.
    pub(super) fn stick(&self) -> Vec2 {
        let axis = |code: i8| Quant::Axis.decode(Quant::Axis.clamp(i32::from(code)));
        vec2(axis(self.x), axis(self.y)).at_most(1.0)
    }
}

impl netcode::Input for Input {
    const ACTIONS: &'static [&'static str] = &["move-x", "move-y", "boost"];

    fn write(&self, w: &mut Writer<'_>) {
        Quant::Axis.write("move-x", i32::from(self.x), w);
        Quant::Axis.write("move-y", i32::from(self.y), w);
        w.flag("boost", self.boost);
    }

    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            x: Quant::Axis.read("move-x", r)? as i8,
            y: Quant::Axis.read("move-y", r)? as i8,
            boost: r.flag("boost")?,
        })
    }

    fn without_edges(self) -> Self {
        Self {
            boost: false,
            ..self
        }
    }

    fn fold_edges(self, older: Self) -> Self {
        Self {
            boost: self.boost || older.boost,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use netcode::Input as _;

    use super::*;

    #[test]
    fn what_is_written_is_what_is_read_and_an_edge_is_folded_and_cleared() {
        let mut buf = [0; 4];
        let input = Input {
            x: -127,
            y: 9,
            boost: true,
        };
        let mut w = Writer::new(&mut buf);
        input.write(&mut w);
        assert_eq!(w.bit_len(), 17);
        let len = w.finish().unwrap();
        assert_eq!(Input::read(&mut Reader::new(&buf[..len])), Ok(input));
        assert!(
            Input::read(&mut Reader::new(&[255, 0, 0])).is_err(),
            "an axis has 255 steps"
        );
        let later = Input::push(vec2(1.0, 0.0)).fold_edges(input);
        assert_eq!((later.x, later.boost), (127, true));
        assert!(!later.without_edges().boost);
    }
}
