//! What the black holes replicate: three classes, kept as they are sent.

use wire::{ClassId, Quant, Schema, record};

use crate::vec2::{Vec2, vec2};

/// A place on the wire: 256ths of a pixel, ±2,048 px. The arena ends at ±1,500 px.
pub const PLACE: Quant = Quant::Signed {
    bits: 20,
    step: 1.0 / 256.0,
};

/// A speed on the wire: 64ths of a pixel a second, ±1,024 px/s. Fine enough that a pull of half a pixel a second squared is
/// not rounded away between two ticks.
pub const SPEED: Quant = Quant::Signed {
    bits: 17,
    step: 1.0 / 64.0,
};

/// How far a hole goes in a tick on the wire, in the steps of a place: ±8 px.
pub const STRIDE: Quant = Quant::Signed {
    bits: 12,
    step: 1.0 / 256.0,
};

/// A mass on the wire: quarters.
pub const MASS: Quant = Quant::Unsigned {
    bits: 5,
    step: 0.25,
};

/// A direction on the wire: 1,024 steps of a turn.
pub const AIM: Quant = Quant::Turn { bits: 10 };

record! {
    /// A player's ship. It is kept as codes, so what is sent is what is simulated.
    pub struct Ship as SHIP ("ship", shown: Interpolated, rewind: false, share: 4) {
        /// Driven by a bot.
        bot: Quant::Flag, "", Nearer, Birth;
        /// Right.
        x: PLACE, "px", Linear, All, place;
        /// Down.
        y: PLACE, "px", Linear, All, place;
        /// Where it looks, from right to down.
        aim: AIM, "rad", Turn, All;
        /// Speed to the right.
        vx: SPEED, "px/s", Linear, Owner;
        /// Speed downwards.
        vy: SPEED, "px/s", Linear, Owner;
        /// Boosting.
        boosting: Quant::Flag, "", Nearer, All;
        /// Left of the boost.
        boost_left: Quant::Count { bits: 6 }, "ticks", Nearer, Owner;
        /// Until it may boost again.
        boost_wait: Quant::Count { bits: 9 }, "ticks", Nearer, Owner;
        /// Pellets gathered since it came, modulo 4,096.
        score: Quant::Count { bits: 12 }, "pellets", Nearer, All;
        /// Counts, modulo 16, how often a hole put it elsewhere: nothing is drawn between the two places.
        falls: Quant::Count { bits: 4 }, "", Cut, All;
    }
}

record! {
    /// A hole, by its path: where it was at a tick, and by how much it goes on in each. Places and steps are whole numbers, so
    /// where it is at any tick is exact, whichever tick it was told of: a client that runs a tick again finds every hole where
    /// it was then.
    pub struct Hole as HOLE ("hole", shown: Simulated, rewind: false, share: 3) {
        /// What it pulls with.
        mass: MASS, "", Nearer, Birth;
        /// Right.
        x: PLACE, "px", Linear, All, place;
        /// Down.
        y: PLACE, "px", Linear, All, place;
        /// To the right in each tick.
        vx: STRIDE, "px/tick", Nearer, All;
        /// Downwards in each tick.
        vy: STRIDE, "px/tick", Nearer, All;
        /// The tick at which it is there, low 16 bits.
        since: Quant::Count { bits: 16 }, "tick", Nearer, All;
    }
}

record! {
    /// A pellet: falls where the field that this end knows leads it.
    pub struct Pellet as PELLET ("pellet", shown: Simulated, rewind: false, share: 1) {
        /// Right.
        x: PLACE, "px", Linear, All, place;
        /// Down.
        y: PLACE, "px", Linear, All, place;
        /// Speed to the right.
        vx: SPEED, "px/s", Linear, All;
        /// Speed downwards.
        vy: SPEED, "px/s", Linear, All;
    }
}

record! {
    /// What stands in for a group of far holes: it pulls as they do together, from where their middle drifts to.
    pub struct FarHoles as FAR_HOLES ("far holes", shown: Simulated, rewind: false, share: 1) {
        /// What they pull with together.
        mass: Quant::Unsigned { bits: 11, step: 0.25 }, "", Nearer, All;
        /// Their middle, right.
        x: Quant::Signed { bits: 12, step: 1.0 }, "px", Linear, All, place;
        /// Their middle, down.
        y: Quant::Signed { bits: 12, step: 1.0 }, "px", Linear, All, place;
        /// How it drifts to the right.
        vx: Quant::Signed { bits: 8, step: 0.5 }, "px/s", Linear, All;
        /// How it drifts downwards.
        vy: Quant::Signed { bits: 8, step: 0.5 }, "px/s", Linear, All;
        /// How many they are.
        count: Quant::Count { bits: 7 }, "holes", Nearer, All;
    }
}

/// The classes by their ids.
pub const SCHEMA: &Schema = &Schema {
    classes: &[SHIP, HOLE, PELLET],
    summary: Some(&FAR_HOLES),
};
/// The id of [`SHIP`].
pub const SHIP_CLASS: ClassId = ClassId(0);
/// The id of [`HOLE`].
pub const HOLE_CLASS: ClassId = ClassId(1);
/// The id of [`PELLET`].
pub const PELLET_CLASS: ClassId = ClassId(2);

/// A place in pixels.
pub(super) fn place_of(x: i32, y: i32) -> Vec2 {
    vec2(PLACE.decode(x), PLACE.decode(y))
}

/// A speed in pixels a second.
pub(super) fn speed_of(vx: i32, vy: i32) -> Vec2 {
    vec2(SPEED.decode(vx), SPEED.decode(vy))
}

impl Hole {
    /// One that is at a place at a tick and goes on with a speed, px/s.
    pub(super) fn from(place: Vec2, speed: Vec2, mass: f32, tick: u16, dt: f32) -> Self {
        Self {
            mass: MASS.encode(mass),
            x: PLACE.encode(place.x),
            y: PLACE.encode(place.y),
            vx: STRIDE.encode(speed.x * dt),
            vy: STRIDE.encode(speed.y * dt),
            since: i32::from(tick),
        }
    }

    /// The same path told from another tick, earlier ones too.
    pub(super) fn told_at(&self, tick: u16) -> Self {
        let elapsed = i32::from(tick.wrapping_sub(self.since as u16) as i16);
        Self {
            x: PLACE.clamp(self.x + self.vx * elapsed),
            y: PLACE.clamp(self.y + self.vy * elapsed),
            since: i32::from(tick),
            ..*self
        }
    }

    /// Where it is at a tick, px.
    pub(super) fn at(&self, tick: u16) -> Vec2 {
        let Self { x, y, .. } = self.told_at(tick);
        place_of(x, y)
    }

    /// How fast it goes, px/s.
    pub(super) fn speed(&self, dt: f32) -> Vec2 {
        vec2(STRIDE.decode(self.vx), STRIDE.decode(self.vy)) * (1.0 / dt)
    }

    /// What it pulls with.
    pub(super) fn mass(&self) -> f32 {
        MASS.decode(self.mass)
    }
}

impl Pellet {
    /// One at a place with a speed.
    pub(super) fn from(place: Vec2, speed: Vec2) -> Self {
        Self {
            x: PLACE.encode(place.x),
            y: PLACE.encode(place.y),
            vx: SPEED.encode(speed.x),
            vy: SPEED.encode(speed.y),
        }
    }

    /// Where it is, px.
    pub(super) fn place(&self) -> Vec2 {
        place_of(self.x, self.y)
    }
}

impl Ship {
    /// A fresh one, at rest.
    pub(super) fn fresh(place: Vec2, bot: bool) -> Self {
        Self {
            bot: i32::from(bot),
            x: PLACE.encode(place.x),
            y: PLACE.encode(place.y),
            ..Self::default()
        }
    }

    /// Where it is, px.
    pub(super) fn place(&self) -> Vec2 {
        place_of(self.x, self.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::black_holes::rules;

    #[test]
    fn a_hole_is_where_its_path_says_across_the_wrap_of_its_tick() {
        let hole = Hole::from(
            vec2(100.0, -50.0),
            vec2(32.0, -16.0),
            2.0,
            65_530,
            1.0 / 64.0,
        );
        assert_eq!(hole.at(65_530), vec2(100.0, -50.0));
        assert_eq!(hole.at(65_530u16.wrapping_add(64)), vec2(132.0, -66.0));
        let before = 65_530 - 32;
        assert_eq!(
            hole.at(before),
            vec2(84.0, -42.0),
            "a tick that is run again"
        );
        assert_eq!(hole.told_at(7).told_at(before), hole.told_at(before));
    }

    #[test]
    fn every_time_and_place_fits_its_field_at_the_fastest_rate() {
        let dt = 1.0 / f32::from(wire::MAX_RATE);
        for (time, at) in [
            (rules::BOOST, Ship::AT.boost_left),
            (rules::BOOST_WAIT, Ship::AT.boost_wait),
        ] {
            assert!(rules::ticks(time, dt) <= SHIP.fields[at].quant.max());
        }
        // Between two words of the server a hole goes on past the wall for as long as a path lasts at most.
        assert!(rules::HALF + rules::HOLE_SPEED * rules::TURN < PLACE.max() as f32 / 256.0);
        assert!(rules::HOLE_SPEED / 10.0 < STRIDE.max() as f32 / 256.0);
        const { assert!(rules::HOLE_SPEED < 127.0 * 0.5) };
        let all = f32::from(crate::black_holes::HOLES) * rules::MASSES[1];
        assert!(all <= FAR_HOLES.fields[FarHoles::AT.mass].quant.decode(2_047));
        assert!(rules::TOP_SPEED < SPEED.max() as f32 / 64.0);
        assert!(rules::MASSES[1] <= MASS.decode(MASS.max()));
    }
}
