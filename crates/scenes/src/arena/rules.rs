//! How a character moves, dashes and waits: one function of record, command, map and gate, the same on every end.

use super::input::Input;
use super::map::{self, Block};
use super::record::{AIM, Fighter, fine_of, nearest};
use crate::vec2::Vec2;

/// Radius of a character, m: a runner at 6 m/s is past its own width in 170 ms, so a shot at an old place misses.
pub const RADIUS: f32 = 0.5;
/// Walking speed, m/s, in every direction.
pub const WALK: f32 = 6.0;
/// How fast walking speed is gained, m/s²: 0.1 s from rest.
pub const GAIN: f32 = 60.0;
/// How fast speed above [`WALK`] is lost, m/s²: knock-back and the end of a dash.
pub const DRAG: f32 = 45.0;
/// No speed goes past this, m/s, whoever pushes. Below the 40.95 m/s that a record holds on each axis.
pub const TOP_SPEED: f32 = 24.0;
/// Speed of a dash, m/s, and how long it lasts, s: 2.2 m, and as much again while it fades.
pub const DASH_SPEED: f32 = 18.0;
/// See [`DASH_SPEED`].
pub const DASH: f32 = 0.12;
/// From one dash to the next, s.
pub const DASH_WAIT: f32 = 1.5;
/// From one shot to the next, s.
pub const FIRE_WAIT: f32 = 0.4;
/// Health at the start.
pub const HEALTH: i32 = 100;
/// Health that a hit takes: five hits.
pub const DAMAGE: i32 = 20;
/// Speed that a hit gives along the shot, m/s.
pub const KNOCK: f32 = 5.0;
/// How long a hit shows, s.
pub const HURT: f32 = 0.25;
/// From going out of the game to coming back, s.
pub const RESPAWN: f32 = 2.0;

/// The longest step that is taken without looking for walls, m: half a [`RADIUS`], and a quarter of the thinnest slab
/// plus a radius, so that nothing is ever jumped over, at any rate.
const STRIDE: f32 = 0.25;

/// A time as whole ticks of `dt` seconds, the nearest, at least one.
pub(super) fn ticks(seconds: f32, dt: f32) -> i32 {
    nearest(seconds / dt).max(1)
}

impl Fighter {
    /// Runs one tick of a command (`None`: hands off). True if it shoots now.
    pub(super) fn run(&mut self, command: Option<&Input>, gate: Option<Block>, dt: f32) -> bool {
        for wait in [
            &mut self.fire_wait,
            &mut self.dash_wait,
            &mut self.dash_left,
            &mut self.hurt_left,
            &mut self.respawn,
        ] {
            *wait = (*wait - 1).max(0);
        }
        self.hurt = i32::from(self.hurt_left > 0);
        if !self.alive() {
            (self.vx, self.vy, self.dash_left, self.dashing) = (0, 0, 0, 0);
            return false;
        }
        let command = command.copied().unwrap_or_default();
        let stick = command.stick();
        match command.aim {
            Some(aim) => self.aim = i32::from(aim),
            None if stick != Vec2::ZERO => self.aim = AIM.encode(stick.angle()),
            None => {}
        }
        self.push(stick, command.dash, dt);
        self.dashing = i32::from(self.dash_left > 0);
        self.travel(gate, dt);

        let shoots = (command.fire || command.held) && self.fire_wait == 0;
        if shoots {
            self.fire_wait = ticks(FIRE_WAIT, dt);
            self.shots = (self.shots + 1) % 16;
        }
        shoots
    }

    /// Changes the speed: by the dash, or toward what the stick asks for.
    fn push(&mut self, stick: Vec2, dash: bool, dt: f32) {
        if dash && self.dash_wait == 0 {
            let way = if stick == Vec2::ZERO {
                self.looks()
            } else {
                stick.unit()
            };
            self.set_speed(way * DASH_SPEED);
            self.dash_left = ticks(DASH, dt);
            self.dash_wait = ticks(DASH_WAIT, dt);
        }
        if self.dash_left > 0 {
            return;
        }
        let speed = self.speed();
        // A little above, so that a full push that rounds up is still walking.
        let change = if speed.length() > WALK * 1.02 {
            DRAG
        } else {
            GAIN
        };
        self.set_speed(speed + (stick * WALK - speed).at_most(change * dt));
    }

    /// Goes where the speed leads, in strides short enough to meet every wall.
    fn travel(&mut self, gate: Option<Block>, dt: f32) {
        let mut speed = self.speed();
        let way = [fine_of(speed.x * dt), fine_of(speed.y * dt)];
        let strides = (speed.length() * dt / STRIDE) as i32 + 1;
        for stride in 0..strides {
            let part = |whole: i32| whole * (stride + 1) / strides - whole * stride / strides;
            let [x, y] = self.fine();
            self.put_fine([x + part(way[0]), y + part(way[1])]);
            let before = self.place();
            let mut place = before;
            map::settle(&mut place, &mut speed, gate);
            if place != before {
                self.put(place);
            }
        }
        let slowed = speed != self.speed();
        if slowed {
            self.set_speed(speed);
        }
    }

    /// Takes a hit from a shot along `way`. True if it put the character out of the game.
    pub(super) fn hit(&mut self, way: Vec2, dt: f32) -> bool {
        self.hp = (self.hp - DAMAGE).max(0);
        self.hurt_left = ticks(HURT, dt);
        self.hurt = 1;
        if self.alive() {
            self.set_speed((self.speed() + way * KNOCK).at_most(TOP_SPEED));
            return false;
        }
        self.respawn = ticks(RESPAWN, dt);
        true
    }

    /// Whether the time out of the game is over.
    pub(super) const fn is_due_back(&self) -> bool {
        !self.alive() && self.respawn == 0
    }

    /// Comes back at a place: another life of the same character, and nothing is drawn between the two places.
    pub(super) fn come_back(&mut self, place: Vec2) {
        *self = Self {
            teleports: (self.teleports + 1) % 16,
            aim: self.aim,
            shots: self.shots,
            ..Self::at(place, self.bot == 1)
        };
    }
}
