//! What only an end that decides does: it makes, takes away and announces.

use netcode::Step;
use wire::SlotKey;

use super::far::Near;
use super::options::Options;
use super::record::{Hole, Pellet};
use super::seat::Seat;
use super::{BlackHoles, HOLE_SLOTS, HOLES, PELLET_SLOTS, rules};
use crate::rng::Rng;
use crate::vec2::{Vec2, vec2};

impl BlackHoles {
    /// A place anywhere in the arena, a margin from its edge.
    pub(super) fn anywhere(rng: &mut Rng, margin: f32) -> Vec2 {
        let most = rules::HALF - margin;
        vec2(rng.between(-most, most), rng.between(-most, most))
    }

    /// A place to come in: of eight the one that is farthest from every hole.
    pub(super) fn spawn(&mut self) -> Vec2 {
        let room = |place: Vec2| {
            let taken = self.holes.iter().filter(|seat| seat.taken);
            taken.fold(f32::INFINITY, |least, seat| {
                let apart = seat.body.at(self.now) - place;
                least.min(apart.dot(apart))
            })
        };
        let rng = &mut self.rng.clone();
        let first = Self::anywhere(rng, 200.0);
        let mut best = (first, room(first));
        for _ in 1..8 {
            let place = Self::anywhere(rng, 200.0);
            let room = room(place);
            if room > best.1 {
                best = (place, room);
            }
        }
        self.rng = *rng;
        best.0
    }

    /// A fresh pellet: anywhere, drifting.
    pub(super) fn fresh_pellet(rng: &mut Rng) -> Pellet {
        let place = Self::anywhere(rng, 20.0);
        let speed = Vec2::of_angle(rng.between(0.0, std::f32::consts::TAU));
        Pellet::from(place, speed * rng.between(20.0, 160.0))
    }

    /// Where a hole sets out for.
    pub(super) fn fresh_way(rng: &mut Rng, place: Vec2) -> Vec2 {
        // Away from the edge that it is near to, so that no path leads out of the arena before it ends.
        let goal = Self::anywhere(rng, 300.0);
        (goal - place).unit() * rng.between(0.3, 1.0) * rules::HOLE_SPEED
    }

    /// Sends holes whose path is over on another one.
    pub(super) fn turn_holes(&mut self, step: &mut Step<'_, Self>) {
        let dt = step.dt();
        let longest = rules::ticks(rules::TURN, dt) as u16;
        for at in 0..self.holes.len() {
            let Seat { taken, life, body } = self.holes[at];
            // Each at a time of its own, half a turn apart at most.
            let until = longest / 2 + (longest / 2) * (at as u16 % 8) / 8;
            if !taken || self.now.wrapping_sub(body.since as u16) < until.max(1) {
                continue;
            }
            let place = body.at(self.now);
            let way = Self::fresh_way(&mut self.rng, place);
            self.holes[at].body = Hole::from(place, way, body.mass(), self.now, dt);
            step.announce(SlotKey {
                slot: (HOLE_SLOTS.start + at) as u16,
                life,
            });
        }
    }

    /// Says which holes each player is told of until the next tick, from where holes and ships are now.
    pub(super) fn tell_of_holes(&mut self, dt: f32) {
        let mut near = [Near::default(); HOLES as usize];
        let mut count = 0;
        for (at, seat) in self.holes.iter().enumerate().filter(|(_, seat)| seat.taken) {
            near[count] = Near {
                at,
                place: seat.body.at(self.now),
                speed: seat.body.speed(dt),
                mass: seat.body.mass(),
            };
            count += 1;
        }
        let ships = self.ships.iter();
        let eyes = ships.map(|seat| seat.taken.then(|| seat.body.place()));
        let radius = self.hears.map_or(f32::INFINITY, f32::from);
        self.told
            .tell(self.options.mode, radius, eyes, &near[..count]);
    }

    /// Ships gather what is near them.
    pub(super) fn harvest(&mut self) {
        for ship in self.ships.iter_mut().filter(|seat| seat.taken) {
            let place = ship.body.place();
            for (at, seat) in self.pellets.iter_mut().enumerate() {
                let apart = seat.body.place() - place;
                // The longer side first: it sorts out nearly all of them.
                if !seat.taken
                    || apart.x.abs() > rules::REACH
                    || apart.dot(apart) > rules::REACH * rules::REACH
                {
                    continue;
                }
                ship.body.score = (ship.body.score + 1) % 4_096;
                seat.renew(Self::fresh_pellet(&mut self.rng));
                self.mends.forget(at);
            }
        }
    }

    /// Announces as many pellets as the budget of corrections allows for.
    pub(super) fn mend(&mut self, step: &mut Step<'_, Self>) {
        let Options {
            corrections, order, ..
        } = self.options;
        let due = self.mends.due(f32::from(corrections) * step.dt());
        for at in self.mends.choose(order, due, self.pellets.len()) {
            let seat = &self.pellets[*at];
            if seat.taken {
                step.announce(SlotKey {
                    slot: (PELLET_SLOTS.start + at) as u16,
                    life: seat.life,
                });
            }
        }
    }
}
