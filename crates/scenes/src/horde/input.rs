//! A command of the horde.

use wire::{Quant, ReadError, Reader, Writer};

use crate::vec2::Vec2;

/// One tick of a player's hands, as sent: 18 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Push to the right, -127 to 127.
    pub x: i8,
    /// Push downwards, -127 to 127.
    pub y: i8,
    /// Edge: push away what is near.
    pub repulse: bool,
    /// Edge: kill what is near.
    pub nova: bool,
}

impl Input {
    /// Hands that push as far as `stick` says, each axis -1 to 1.
    pub(super) fn push(stick: Vec2) -> Self {
        // Inside -127..=127 by the quantizer.
        let axis = |value| Quant::Axis.encode(value) as i8;
        Self {
            x: axis(stick.x),
            y: axis(stick.y),
            ..Self::default()
        }
    }

    /// The push, no longer than 127: a stick pushed into a corner is no faster than one pushed ahead.
    pub(super) fn stick(&self) -> [i16; 2] {
        let axes = [self.x, self.y].map(|code| Quant::Axis.clamp(i32::from(code)));
        let length = ((axes[0] * axes[0] + axes[1] * axes[1]) as f32).sqrt();
        let most = if length > 127.0 { 127.0 / length } else { 1.0 };
        axes.map(|axis| (axis as f32 * most) as i16)
    }
}

impl netcode::Input for Input {
    const ACTIONS: &'static [&'static str] = &["move-x", "move-y", "repulse", "nova"];

    fn write(&self, w: &mut Writer<'_>) {
        Quant::Axis.write("move-x", i32::from(self.x), w);
        Quant::Axis.write("move-y", i32::from(self.y), w);
        w.flag("repulse", self.repulse);
        w.flag("nova", self.nova);
    }

    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            x: Quant::Axis.read("move-x", r)? as i8,
            y: Quant::Axis.read("move-y", r)? as i8,
            repulse: r.flag("repulse")?,
            nova: r.flag("nova")?,
        })
    }

    fn without_edges(self) -> Self {
        Self {
            repulse: false,
            nova: false,
            ..self
        }
    }

    fn fold_edges(self, older: Self) -> Self {
        Self {
            repulse: self.repulse || older.repulse,
            nova: self.nova || older.nova,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use netcode::Input as _;

    use super::*;

    #[test]
    fn what_is_written_is_what_is_read() {
        let mut buf = [0; 8];
        for (x, y, repulse, nova) in [
            (0, 0, false, false),
            (-127, 127, true, false),
            (1, -1, false, true),
        ] {
            let input = Input {
                x,
                y,
                repulse,
                nova,
            };
            let mut w = Writer::new(&mut buf);
            input.write(&mut w);
            let len = w.finish().unwrap();
            assert_eq!(len, 3);
            let mut r = Reader::new(&buf[..len]);
            assert_eq!(Input::read(&mut r), Ok(input));
        }
    }

    #[test]
    fn an_edge_is_folded_in_and_not_repeated() {
        let edge = Input {
            repulse: true,
            ..Input::default()
        };
        let later = Input {
            x: 9,
            ..Input::default()
        };
        assert_eq!(
            later.fold_edges(edge),
            Input {
                repulse: true,
                ..later
            }
        );
        assert_eq!(edge.without_edges(), Input::default());
    }

    #[test]
    fn a_corner_is_no_faster() {
        let corner = Input {
            x: 127,
            y: -127,
            ..Input::default()
        };
        assert_eq!(corner.stick(), [89, -89]);
        assert_eq!(
            Input {
                x: -50,
                y: 0,
                ..corner
            }
            .stick(),
            [-50, 0]
        );
    }
}
