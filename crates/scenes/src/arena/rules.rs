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
/// Speed of a dash, m/s, and how long it lasts, s: 2.2 m, and 3.2 m more while it fades to a walk.
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

/// The longest step that is taken without looking for walls, m: half a [`RADIUS`], so that the middle of a character, by
/// which it is pushed out again on the side that it came from, never gets into a wall, at any rate.
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

#[cfg(test)]
mod tests {
    use wire::Audience;

    use super::*;
    use crate::arena::map::{WALLS, gate_at};
    use crate::arena::nav::{PLACES, YARD};
    use crate::arena::record::{FIGHTER, SUB};
    use crate::rng::Rng;
    use crate::vec2::vec2;

    const RATES: [u16; 6] = [10, 20, 30, 60, 64, 128];

    fn at(x: f32, y: f32) -> Fighter {
        Fighter::at(vec2(x, y), false)
    }

    fn hands(rng: &mut Rng) -> Input {
        let way = vec2(rng.between(-1.0, 1.0), rng.between(-1.0, 1.0));
        let dash = rng.below(8) == 0;
        Input {
            dash,
            fire: rng.below(9) == 0,
            ..Input::toward(way)
        }
    }

    #[test]
    fn a_full_push_walks_six_metres_a_second_to_the_sub_millimetre() {
        for rate in RATES {
            let dt = 1.0 / f32::from(rate);
            let mut fighter = at(-14.0, 0.6);
            let push = Input {
                x: 127,
                ..Input::default()
            };
            while fighter.vx < 600 {
                fighter.run(Some(&push), None, dt);
            }
            let before = fighter.fine()[0];
            for _ in 0..rate {
                fighter.run(Some(&push), None, dt);
            }
            // Each tick is off by half a sub-millimetre at most.
            let off = (fighter.fine()[0] - before - 6_000 * SUB).abs();
            assert!(off <= i32::from(rate) / 2, "{off}/256 mm at {rate} Hz");
            if rate == 64 {
                assert_eq!(off, 0, "93.75 mm is whole in sub-millimetres");
            }
        }
    }

    #[test]
    fn nothing_is_run_into_or_through_at_any_rate() {
        let mut rng = Rng::new(5);
        let mut fastest = 0.0f32;
        for rate in RATES {
            let dt = 1.0 / f32::from(rate);
            for start in PLACES {
                let mut fighter = at(start.x, start.y);
                let mut held = Input::default();
                for tick in 0..250 {
                    if tick % 7 == 0 {
                        held = hands(&mut rng);
                    }
                    if rng.below(4) == 0 {
                        // As fast as anyone may ever get, in any direction.
                        let shove =
                            Vec2::of_angle(rng.between(0.0, std::f32::consts::TAU)) * TOP_SPEED;
                        fighter.set_speed(shove);
                    }
                    let before = fighter.place();
                    fighter.run(Some(&held), None, dt);
                    held = netcode::Input::without_edges(held);
                    let after = fighter.place();
                    fastest = fastest.max((after - before).length() / dt);
                    for (index, wall) in WALLS.iter().enumerate() {
                        assert!(
                            !wall.holds(after),
                            "in wall {index} at {rate} Hz: {after:?}"
                        );
                    }
                    assert!(map::sees(before, after, None), "jumped a wall at {rate} Hz");
                    assert!(
                        after.x.abs() < 15.3 && after.y.abs() < 11.3,
                        "left the arena"
                    );
                }
            }
        }
        assert!(fastest > 20.0, "nobody was ever fast: {fastest} m/s");
    }

    #[test]
    fn a_dash_into_a_wall_ends_at_the_wall() {
        for rate in RATES {
            let mut fighter = at(-1.0, 5.0);
            let dash = Input {
                x: 127,
                dash: true,
                ..Input::default()
            };
            fighter.run(Some(&dash), None, 1.0 / f32::from(rate));
            for _ in 0..rate {
                fighter.run(
                    Some(&Input {
                        dash: false,
                        ..dash
                    }),
                    None,
                    1.0 / f32::from(rate),
                );
            }
            // The dividing wall begins at 0.6 m.
            assert_eq!(
                (fighter.x, fighter.sub_x, fighter.vx),
                (100, 0, 0),
                "at {rate} Hz"
            );
        }
    }

    #[test]
    fn a_wall_is_slid_along_at_what_is_left_of_the_push() {
        let mut fighter = at(0.1, 4.0);
        let push = Input {
            x: 127,
            y: 127,
            ..Input::default()
        };
        for _ in 0..64 {
            fighter.run(Some(&push), None, 1.0 / 64.0);
        }
        assert_eq!(fighter.x, 100);
        // cos 45 degrees of 6 m/s, after a while to gain it.
        assert!((fighter.vy - 424).abs() <= 1, "{} cm/s", fighter.vy);
        assert!((7_900..8_245).contains(&fighter.y), "{} mm", fighter.y);
    }

    #[test]
    fn the_gate_shuts_on_nobody() {
        for rate in RATES {
            let dt = 1.0 / f32::from(rate);
            let mut met = 0;
            for start in [-1.5, -1.3, -0.8, 0.0, 0.9, 1.3] {
                let mut fighter = at(1.0, start);
                let mut rng = Rng::new(3);
                for tick in 0..u64::from(rate) * 13 {
                    let gate = Block::of_gate(gate_at(tick, dt));
                    let back = vec2(1.0 + rng.spread(), start) - fighter.place();
                    fighter.run(Some(&Input::push(back)), Some(gate), dt);
                    let place = fighter.place();
                    assert!(
                        !WALLS.iter().any(|wall| wall.holds(place)),
                        "pressed into a wall"
                    );
                    assert!(
                        !gate.holds(place),
                        "in the gate at {rate} Hz, tick {tick}: {place:?}"
                    );
                    met += i32::from((place.x - 1.0).abs() > 0.7);
                }
            }
            assert!(met > 0, "the gate never put anyone out of its way");
        }
    }

    #[test]
    fn a_dash_has_a_length_and_a_wait() {
        let dt = 1.0 / 64.0;
        let dash = Input {
            x: 127,
            dash: true,
            ..Input::default()
        };
        let mut fighter = at(-14.0, 0.6);
        fighter.run(Some(&dash), None, dt);
        assert_eq!((fighter.vx, fighter.dashing), (1_800, 1));
        let mut ticks = 1;
        while fighter.dashing == 1 {
            fighter.run(Some(&Input::default()), None, dt);
            ticks += 1;
        }
        assert_eq!(ticks, 9, "8 ticks of 0.12 s and the one that ends it");
        let before = fighter.vx;
        fighter.run(Some(&dash), None, dt);
        assert!(fighter.vx < before, "no second dash before its time");
        for _ in 0..96 {
            fighter.run(None, None, dt);
        }
        fighter.run(Some(&dash), None, dt);
        assert_eq!(fighter.vx, 1_800);
    }

    #[test]
    fn a_held_trigger_shoots_at_each_wait_and_an_edge_in_between_does_not() {
        for rate in RATES {
            let dt = 1.0 / f32::from(rate);
            let mut fighter = at(YARD[0], YARD[1]);
            let held = Input {
                held: true,
                ..Input::default()
            };
            let wait = ticks(FIRE_WAIT, dt);
            let mut waited = 0;
            for tick in 0..4 * wait {
                let shot = fighter.run(Some(&held), None, dt);
                assert_eq!(shot, tick % wait == 0, "at {rate} Hz");
                let left = wait - tick % wait;
                assert_eq!(
                    fighter.fire_wait, left,
                    "it counts down and never steps back"
                );
                waited = fighter.fire_wait;
            }
            assert!(waited > 0 && fighter.shots == 4);
            let edge = Input {
                fire: true,
                ..Input::default()
            };
            if fighter.fire_wait > 1 {
                assert!(
                    !fighter.run(Some(&edge), None, dt),
                    "an edge does not shorten the wait"
                );
            }
        }
    }

    #[test]
    fn what_is_kept_is_what_is_sent() {
        let mut rng = Rng::new(9);
        let mut fighter = at(-7.0, 0.6);
        for tick in 0..4_000 {
            if rng.below(40) == 0 {
                fighter.hit(Vec2::of_angle(rng.between(0.0, 6.0)), 1.0 / 64.0);
            }
            if fighter.is_due_back() {
                fighter.come_back(PLACES[rng.below(PLACES.len() as u32) as usize]);
            }
            assert_eq!(fighter, fighter.clamped(), "tick {tick}");
            let mut buf = [0; 64];
            let mut codes = [0; Fighter::WIDTH];
            fighter.save(&mut codes);
            let mut w = wire::Writer::new(&mut buf);
            let parts = [Audience::Birth, Audience::All, Audience::Owner];
            parts
                .iter()
                .for_each(|part| FIGHTER.write(&codes, *part, &mut w));
            let len = w.finish().unwrap();
            let mut heard = [0; Fighter::WIDTH];
            let mut r = wire::Reader::new(&buf[..len]);
            parts
                .iter()
                .for_each(|part| FIGHTER.read(&mut heard, *part, &mut r).unwrap());
            let mut other = Fighter::load(&heard);
            let gate = Some(Block::of_gate(gate_at(tick, 1.0 / 64.0)));
            let command = hands(&mut rng);
            let shots = [&mut fighter, &mut other].map(|f| f.run(Some(&command), gate, 1.0 / 64.0));
            assert_eq!((fighter, shots[0]), (other, shots[1]), "tick {tick}");
        }
        assert!(fighter.teleports > 0, "it never fell");
    }

    #[test]
    fn coming_back_counts_a_teleport_and_changes_nothing_about_who_it_is() {
        let mut fighter = Fighter {
            teleports: 15,
            shots: 7,
            ..Fighter::at(Vec2::ZERO, true)
        };
        for _ in 0..4 {
            assert!(!fighter.hit(vec2(1.0, 0.0), 1.0 / 64.0));
        }
        assert!(fighter.hit(vec2(1.0, 0.0), 1.0 / 64.0), "the fifth hit");
        let mut ticks = 0;
        while !fighter.is_due_back() {
            fighter.run(
                Some(&Input {
                    x: 127,
                    held: true,
                    ..Input::default()
                }),
                None,
                1.0 / 64.0,
            );
            ticks += 1;
        }
        assert_eq!(ticks, 128, "2 s");
        assert_eq!(fighter.shots, 7, "nobody shoots while out");
        fighter.come_back(vec2(3.0, -3.6));
        assert_eq!((fighter.x, fighter.y, fighter.hp), (3_000, -3_600, HEALTH));
        assert_eq!((fighter.teleports, fighter.bot, fighter.shots), (0, 1, 7));
    }
    #[test]
    fn nobody_is_knocked_past_the_top_speed() {
        let mut fighter = at(-7.0, 0.6);
        fighter.run(
            Some(&Input {
                x: 127,
                dash: true,
                ..Input::default()
            }),
            None,
            1.0 / 64.0,
        );
        for _ in 0..4 {
            fighter.hit(vec2(1.0, 0.0), 1.0 / 64.0);
        }
        assert_eq!(fighter.vx, 2_400);
    }
    #[test]
    fn without_a_pointer_it_looks_where_the_feet_go_and_then_stays() {
        let mut fighter = at(-7.0, 0.6);
        fighter.run(
            Some(&Input {
                y: 100,
                ..Input::default()
            }),
            None,
            1.0 / 64.0,
        );
        assert_eq!(fighter.aim, 16_384, "a quarter turn: down");
        fighter.run(Some(&Input::default()), None, 1.0 / 64.0);
        fighter.run(None, None, 1.0 / 64.0);
        assert_eq!(fighter.aim, 16_384);
        let pointer = Input {
            y: 100,
            aim: Some(7),
            ..Input::default()
        };
        fighter.run(Some(&pointer), None, 1.0 / 64.0);
        assert_eq!(fighter.aim, 7);
    }

    #[test]
    fn a_hit_shows_for_a_quarter_of_a_second_and_who_is_out_lies_still() {
        let mut fighter = at(-7.0, 0.6);
        let dash = Input {
            x: 127,
            dash: true,
            ..Input::default()
        };
        fighter.run(Some(&dash), None, 1.0 / 64.0);
        fighter.hit(vec2(0.0, 1.0), 1.0 / 64.0);
        let mut shown = 0;
        while fighter.hurt == 1 {
            shown += 1;
            fighter.run(None, None, 1.0 / 64.0);
        }
        assert_eq!(shown, 16);
        fighter.dash_wait = 0;
        fighter.run(Some(&dash), None, 1.0 / 64.0);
        while !fighter.hit(vec2(0.0, 1.0), 1.0 / 64.0) {}
        assert!(!fighter.alive() && fighter.vx > 0 && fighter.dashing == 1);
        let before = fighter.place();
        fighter.run(Some(&dash), None, 1.0 / 64.0);
        assert_eq!((fighter.vx, fighter.vy, fighter.dashing), (0, 0, 0));
        assert_eq!(fighter.place(), before);
    }
}
