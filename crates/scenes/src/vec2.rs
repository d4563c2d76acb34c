//! A pair of floats.

use std::ops::{Add, AddAssign, Mul, Sub};

/// A place or a direction in the plane; y grows downwards on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Vec2 {
    pub(crate) x: f32,
    pub(crate) y: f32,
}

pub(crate) const fn vec2(x: f32, y: f32) -> Vec2 {
    Vec2 { x, y }
}

impl Vec2 {
    pub(crate) const ZERO: Self = vec2(0.0, 0.0);

    pub(crate) fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y
    }

    pub(crate) fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    /// The direction alone, or zero for zero.
    pub(crate) fn unit(self) -> Self {
        let length = self.length();
        if length > 0.0 {
            self * (1.0 / length)
        } else {
            Self::ZERO
        }
    }

    /// No longer than `most`.
    pub(crate) fn at_most(self, most: f32) -> Self {
        let length = self.length();
        if length > most {
            self * (most / length)
        } else {
            self
        }
    }

    /// A quarter turn on, clockwise on the screen.
    pub(crate) fn across(self) -> Self {
        vec2(-self.y, self.x)
    }

    /// The direction of an angle, rad.
    pub(crate) fn of_angle(angle: f32) -> Self {
        let (sin, cos) = libm::sincosf(angle);
        vec2(cos, sin)
    }

    /// The angle of the direction, rad, in (-pi, pi].
    pub(crate) fn angle(self) -> f32 {
        libm::atan2f(self.y, self.x)
    }

    pub(crate) const fn array(self) -> [f32; 2] {
        [self.x, self.y]
    }
}

impl From<[f32; 2]> for Vec2 {
    fn from([x, y]: [f32; 2]) -> Self {
        vec2(x, y)
    }
}

impl Add for Vec2 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        vec2(self.x + other.x, self.y + other.y)
    }
}

impl AddAssign for Vec2 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Vec2 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        vec2(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f32> for Vec2 {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        vec2(self.x * by, self.y * by)
    }
}
