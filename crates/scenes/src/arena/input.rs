//! A command of the arena.

use wire::{Quant, ReadError, Reader, Writer};

use super::record::AIM;
use crate::vec2::{Vec2, vec2};

/// One tick of a player's hands, as sent: 20 bits, 36 with a pointer.
///
/// Neutral hands (the default) say nothing about where to look, so who falls silent keeps looking where they did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Push to the right, -127 to 127.
    pub x: i8,
    /// Push downwards, -127 to 127.
    pub y: i8,
    /// Where to look, 65,536 steps a turn from right to down; `None`: where the feet go, or as before.
    pub aim: Option<u16>,
    /// Edge: shoot.
    pub fire: bool,
    /// Edge: dash.
    pub dash: bool,
    /// Level: the trigger is held, and shoots again whenever it may.
    pub held: bool,
}

impl Input {
    /// Hands that push this way as hard as they can, whatever the length of `way`; at rest for zero.
    pub(super) fn toward(way: Vec2) -> Self {
        let most = way.x.abs().max(way.y.abs());
        if most.is_nan() || most <= 0.0 {
            return Self::default();
        }
        Self::push(way * (1.0 / most))
    }

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

    /// The push, no longer than 1: a stick pushed into a corner is no faster than one pushed ahead.
    pub(super) fn stick(&self) -> Vec2 {
        let axis = |code: i8| Quant::Axis.decode(Quant::Axis.clamp(i32::from(code)));
        vec2(axis(self.x), axis(self.y)).at_most(1.0)
    }

    /// The same hands looking along an angle, rad.
    pub(super) fn looking(self, angle: f32) -> Self {
        Self {
            aim: Some(AIM.encode(angle) as u16),
            ..self
        }
    }
}

impl netcode::Input for Input {
    const ACTIONS: &'static [&'static str] = &["move-x", "move-y", "aim", "fire", "dash", "held"];

    fn write(&self, w: &mut Writer<'_>) {
        Quant::Axis.write("move-x", i32::from(self.x), w);
        Quant::Axis.write("move-y", i32::from(self.y), w);
        w.flag("fire", self.fire);
        w.flag("dash", self.dash);
        w.flag("held", self.held);
        w.flag("aims", self.aim.is_some());
        if let Some(aim) = self.aim {
            AIM.write("aim", i32::from(aim), w);
        }
    }

    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            x: Quant::Axis.read("move-x", r)? as i8,
            y: Quant::Axis.read("move-y", r)? as i8,
            fire: r.flag("fire")?,
            dash: r.flag("dash")?,
            held: r.flag("held")?,
            aim: if r.flag("aims")? {
                Some(AIM.read("aim", r)? as u16)
            } else {
                None
            },
        })
    }

    fn without_edges(self) -> Self {
        Self {
            fire: false,
            dash: false,
            ..self
        }
    }

    fn fold_edges(self, older: Self) -> Self {
        Self {
            fire: self.fire || older.fire,
            dash: self.dash || older.dash,
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
        for input in [
            Input::default(),
            Input {
                x: -127,
                y: 127,
                aim: Some(65_535),
                fire: true,
                dash: false,
                held: true,
            },
            Input {
                x: 1,
                y: -1,
                aim: Some(0),
                fire: false,
                dash: true,
                held: false,
            },
        ] {
            let mut w = Writer::new(&mut buf);
            input.write(&mut w);
            let bits = w.bit_len();
            assert_eq!(bits, if input.aim.is_some() { 36 } else { 20 });
            let len = w.finish().unwrap();
            assert_eq!(Input::read(&mut Reader::new(&buf[..len])), Ok(input));
        }
        assert!(
            Input::read(&mut Reader::new(&[255, 0, 0])).is_err(),
            "an axis has 255 steps"
        );
    }

    #[test]
    fn an_edge_is_folded_and_cleared_and_a_level_is_neither() {
        let press = Input {
            fire: true,
            held: true,
            x: 5,
            ..Input::default()
        };
        let later = Input {
            x: 9,
            ..Input::default()
        }
        .fold_edges(press);
        assert_eq!(
            later,
            Input {
                fire: true,
                x: 9,
                ..Input::default()
            }
        );
        assert_eq!(
            press.without_edges(),
            Input {
                held: true,
                x: 5,
                ..Input::default()
            }
        );
    }

    #[test]
    fn a_full_push_is_one_in_every_direction() {
        for way in [vec2(1.0, 0.0), vec2(-0.3, 0.2), vec2(0.01, -7.0)] {
            assert!(
                (Input::toward(way).stick().length() - 1.0).abs() < 1e-6,
                "{way:?}"
            );
        }
        assert_eq!(Input::toward(Vec2::ZERO), Input::default());
        assert_eq!(Input::push(vec2(f32::NAN, f32::NAN)), Input::default());
    }
}
