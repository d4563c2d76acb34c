//! How ships, holes and pellets move: functions of record, command and field, the same on every end.

use wire::Quant;

use super::field::{Field, Pull};
use super::input::Input;
use super::record::{AIM, PLACE, Pellet, SPEED, Ship, place_of, speed_of};
use crate::vec2::{Vec2, vec2};

/// Half of the arena's side, px: it is 3,000 px wide and as high, and everything bounces off its edge.
pub const HALF: f32 = 1_500.0;
/// Masses of holes, from and to.
pub const MASSES: [f32; 2] = [1.0, 4.0];
/// What a mass of one pulls with, px³/s²: 40 px/s² at 300 px.
pub const PULL: f32 = 3.6e6;
/// A source pulls as if it were this much farther away at right angles, px, so that no pull is without bound.
pub const SOFT: f32 = 24.0;
/// A hole's speed at most, px/s.
pub const HOLE_SPEED: f32 = 60.0;
/// A hole keeps its way for so long at most, s; half of it at least.
pub const TURN: f32 = 4.0;

/// Radius of a ship, px.
pub const SHIP_RADIUS: f32 = 14.0;
/// A ship gathers pellets this close to it, px.
pub const REACH: f32 = 26.0;
/// What a full push gives a ship, px/s².
pub const THRUST: f32 = 900.0;
/// What a boost gives it.
pub const BOOST_THRUST: f32 = 2_600.0;
/// How long a boost lasts, s.
pub const BOOST: f32 = 0.35;
/// From one boost to the next, s.
pub const BOOST_WAIT: f32 = 2.5;
/// Share of its speed that a ship loses a second; at a full push it comes to 450 px/s.
pub const DRAG: f32 = 2.0;
/// How much of the field a ship feels: its engine keeps it up.
pub const HEAVY: f32 = 0.25;
/// No speed goes past this, px/s.
pub const TOP_SPEED: f32 = 900.0;
/// Share of its speed that a pellet loses a second: it spirals in within a minute.
pub const PELLET_DRAG: f32 = 0.02;
/// What is left of the speed after the edge, of ships and pellets.
pub const BOUNCE: f32 = 0.8;

/// Radius of a hole of a mass, px: what comes closer is swallowed.
pub fn radius(mass: f32) -> f32 {
    8.0 + 5.0 * mass
}

/// A time as whole ticks of `dt` seconds, the nearest, at least one.
pub(super) fn ticks(seconds: f32, dt: f32) -> i32 {
    ((seconds / dt + 0.5) as i32).max(1)
}

/// One axis of a motion: goes on by its speed and bounces off the edge.
fn glide(place: f32, speed: f32, edge: f32, dt: f32) -> (f32, f32) {
    let next = place + speed * dt;
    if next > edge {
        (edge - (next - edge) * BOUNCE, -speed.abs() * BOUNCE)
    } else if next < -edge {
        (-edge - (next + edge) * BOUNCE, speed.abs() * BOUNCE)
    } else {
        (next, speed)
    }
}

/// A place and a speed after a tick.
fn travel(place: Vec2, speed: Vec2, edge: f32, dt: f32) -> (Vec2, Vec2) {
    let speed = speed.at_most(TOP_SPEED);
    let (x, vx) = glide(place.x, speed.x, edge, dt);
    let (y, vy) = glide(place.y, speed.y, edge, dt);
    (vec2(x, y), vec2(vx, vy))
}

impl Pellet {
    /// Runs one tick. Gives what the field did to it.
    pub(super) fn run(&mut self, field: &Field, dt: f32) -> Pull {
        let place = self.place();
        let pull = field.at(place);
        let speed = speed_of(self.vx, self.vy) * (1.0 - PELLET_DRAG * dt) + pull.accel * dt;
        let (place, speed) = travel(place, speed, HALF, dt);
        *self = Self::from(place, speed);
        pull
    }
}

impl Ship {
    /// Runs one tick of a command (`None`: hands off). Gives what the field did to it.
    pub(super) fn run(&mut self, command: Option<&Input>, field: &Field, dt: f32) -> Pull {
        self.boost_left = (self.boost_left - 1).max(0);
        self.boost_wait = (self.boost_wait - 1).max(0);
        let command = command.copied().unwrap_or_default();
        let stick = command.stick();
        if stick != Vec2::ZERO {
            self.aim = AIM.encode(stick.angle());
        }
        if command.boost && self.boost_wait == 0 {
            self.boost_left = ticks(BOOST, dt);
            self.boost_wait = ticks(BOOST_WAIT, dt);
        }
        self.boosting = i32::from(self.boost_left > 0);
        let thrust = if self.boosting == 1 {
            Vec2::of_angle(AIM.decode(self.aim)) * BOOST_THRUST
        } else {
            stick * THRUST
        };
        let place = place_of(self.x, self.y);
        let pull = field.at(place);
        let speed = speed_of(self.vx, self.vy);
        let speed = speed + (thrust + pull.accel * HEAVY - speed * DRAG) * dt;
        let (place, speed) = travel(place, speed, HALF - SHIP_RADIUS, dt);
        let code = |quant: Quant, value| quant.encode(value);
        (self.x, self.y) = (code(PLACE, place.x), code(PLACE, place.y));
        (self.vx, self.vy) = (code(SPEED, speed.x), code(SPEED, speed.y));
        pull
    }

    /// Comes back at a place after a fall.
    pub(super) fn come_back(&mut self, place: Vec2) {
        *self = Self {
            score: self.score,
            falls: (self.falls + 1) % 16,
            ..Self::fresh(place, self.bot == 1)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn nothing_leaves_the_arena_whatever_pulls_and_what_is_kept_is_what_is_sent() {
        let mut rng = Rng::new(6);
        for rate in [10u16, 64, 128] {
            let dt = 1.0 / f32::from(rate);
            let mut field = Field::default();
            for _ in 0..64 {
                let place = vec2(rng.between(-HALF, HALF), rng.between(-HALF, HALF));
                field.push(place, 4.0, 28.0);
            }
            let mut pellet = Pellet::from(vec2(1_400.0, -1_490.0), vec2(700.0, -800.0));
            let mut ship = Ship::fresh(vec2(-1_480.0, 0.0), false);
            let mut fastest = 0.0f32;
            for tick in 0..4_000 {
                pellet.run(&field, dt);
                let command = Input::push(vec2(-1.0, rng.spread()));
                ship.run(
                    Some(&Input {
                        boost: tick % 200 == 0,
                        ..command
                    }),
                    &field,
                    dt,
                );
                assert!(pellet.place().x.abs() <= HALF && pellet.place().y.abs() <= HALF);
                assert!(ship.place().x.abs() <= HALF && ship.place().y.abs() <= HALF);
                assert_eq!((pellet, ship), (pellet.clamped(), ship.clamped()));
                fastest = fastest.max(speed_of(pellet.vx, pellet.vy).length());
            }
            assert!(fastest > 300.0, "nothing was ever fast: {fastest}");
        }
    }

    #[test]
    fn a_full_push_comes_to_the_speed_that_is_stated() {
        let (field, dt) = (Field::default(), 1.0 / 64.0);
        let mut ship = Ship::fresh(vec2(-1_400.0, 0.0), false);
        for _ in 0..256 {
            ship.run(Some(&Input::push(vec2(1.0, 0.0))), &field, dt);
        }
        let speed = speed_of(ship.vx, ship.vy).length();
        assert!((speed - THRUST / DRAG).abs() < 1.0, "{speed}");
    }

    #[test]
    fn a_boost_has_a_length_and_a_wait() {
        let (field, dt) = (Field::default(), 1.0 / 64.0);
        let mut ship = Ship::fresh(Vec2::ZERO, false);
        let press = Input {
            boost: true,
            ..Input::push(vec2(0.0, 1.0))
        };
        ship.run(Some(&press), &field, dt);
        let mut ticks = 1;
        while ship.boosting == 1 {
            ship.run(Some(&press), &field, dt);
            ticks += 1;
        }
        assert_eq!(ticks, 23, "22 ticks of 0.35 s and the one that ends it");
        let speed = speed_of(ship.vx, ship.vy).length();
        assert!(speed > 500.0, "{speed}");
        while ship.boosting == 0 {
            ship.run(Some(&press), &field, dt);
            ticks += 1;
        }
        assert_eq!(ticks, 161, "160 ticks of 2.5 s and the one that begins it");
    }

    #[test]
    fn a_pellet_circles_a_hole_and_falls_in_only_where_it_is_slow() {
        let dt = 1.0 / 64.0;
        let mut field = Field::default();
        field.push(Vec2::ZERO, 2.0, radius(2.0));
        // At 200 px a circle asks for the root of 2 * PULL / 200.
        let mut pellet = Pellet::from(vec2(200.0, 0.0), vec2(0.0, 189.7));
        let around = (0..64 * 10).map(|_| {
            let pull = pellet.run(&field, dt);
            (pellet.place().length(), pull.inside)
        });
        let (mut least, mut most) = (f32::INFINITY, 0.0f32);
        for (far, inside) in around {
            assert!(!inside);
            (least, most) = (least.min(far), most.max(far));
        }
        // It loses its turn by the drag, and with the square of that its height: 134 px after ten seconds.
        assert!(least > 130.0 && most < 205.0, "{least} to {most}");
        let mut pellet = Pellet::from(vec2(200.0, 0.0), Vec2::ZERO);
        assert!((0..64 * 4).any(|_| pellet.run(&field, dt).inside));
    }
}
