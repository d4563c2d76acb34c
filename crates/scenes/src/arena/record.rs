//! What the arena replicates: two classes, kept as they are sent.

use wire::{ClassId, Quant, Schema, record};

use super::rules;
use crate::vec2::{Vec2, vec2};

/// A length on the wire: whole millimetres, +-16.383 m. The arena ends at +-16 m.
pub const PLACE: Quant = Quant::Signed {
    bits: 15,
    step: 0.001,
};

/// A direction on the wire: 65,536 steps of a turn, 0.1 mrad; 1.5 mm at the far end of the arena.
pub const AIM: Quant = Quant::Turn { bits: 16 };

/// A speed on the wire: whole centimetres a second, +-40.95 m/s. The rules never go past [`rules::TOP_SPEED`].
pub const SPEED: Quant = Quant::Signed {
    bits: 13,
    step: 0.01,
};

/// Fractions of a millimetre: 256, so that 6 m/s is exact at 64 ticks a second (93.75 mm each).
pub(super) const SUB: i32 = 256;

/// Sub-millimetres in a metre.
const FINE: f32 = 1000.0 * SUB as f32;

record! {
    /// A character. It is kept as codes, so what is sent is what is simulated: a client's prediction is compared with
    /// the server's answer for equality. Times are counted in ticks, at most [`rules`]' times at 128 ticks a second.
    pub struct Fighter as FIGHTER ("fighter", shown: Interpolated, rewind: true, share: 2) {
        /// Driven by a bot.
        bot: Quant::Flag, "", Nearer, Birth;
        /// Right.
        x: PLACE, "m", Linear, All, place;
        /// Down.
        y: PLACE, "m", Linear, All, place;
        /// Where it looks, from right to down.
        aim: AIM, "rad", Turn, All;
        /// Health, 0 to 100; 0 is out of the game.
        hp: Quant::Count { bits: 7 }, "hp", Nearer, All;
        /// In a dash.
        dashing: Quant::Flag, "", Nearer, All;
        /// Hit a moment ago.
        hurt: Quant::Flag, "", Nearer, All;
        /// Counts, modulo 16, how often it was put elsewhere: nothing is drawn between the two places.
        teleports: Quant::Count { bits: 4 }, "", Cut, All;
        /// Fraction of a millimetre beyond `x`.
        sub_x: Quant::Count { bits: 8 }, "mm/256", Nearer, Owner;
        /// Fraction of a millimetre beyond `y`.
        sub_y: Quant::Count { bits: 8 }, "mm/256", Nearer, Owner;
        /// Speed to the right: walking, dash and knock-back in one.
        vx: SPEED, "m/s", Linear, Owner;
        /// Speed downwards.
        vy: SPEED, "m/s", Linear, Owner;
        /// Until it may shoot again.
        fire_wait: Quant::Count { bits: 6 }, "ticks", Nearer, Owner;
        /// Counts its shots, modulo 16.
        shots: Quant::Count { bits: 4 }, "", Nearer, Owner;
        /// Until it may dash again.
        dash_wait: Quant::Count { bits: 8 }, "ticks", Nearer, Owner;
        /// Left of the dash.
        dash_left: Quant::Count { bits: 5 }, "ticks", Nearer, Owner;
        /// Left of being shown as hit.
        hurt_left: Quant::Count { bits: 6 }, "ticks", Nearer, Owner;
        /// Until it comes back.
        respawn: Quant::Count { bits: 9 }, "ticks", Nearer, Owner;
    }
}

record! {
    /// The gate in the dividing wall: a slab that slides along it. Clients do not predict it, they run into where they
    /// last heard of it, so who passes while it moves is set right by the server.
    pub struct Gate as GATE ("gate", shown: Interpolated, rewind: false, share: 1) {
        /// Its middle, down.
        y: PLACE, "m", Linear, All, place;
    }
}

/// The classes by their ids.
pub const SCHEMA: &Schema = &Schema {
    classes: &[FIGHTER, GATE],
    summary: None,
};
/// The id of [`FIGHTER`].
pub const FIGHTER_CLASS: ClassId = ClassId(0);
/// The id of [`GATE`].
pub const GATE_CLASS: ClassId = ClassId(1);

impl Fighter {
    /// A fresh one, looking right.
    pub(super) fn at(place: Vec2, bot: bool) -> Self {
        let mut fighter = Self {
            bot: i32::from(bot),
            hp: rules::HEALTH,
            ..Self::default()
        };
        fighter.put(place);
        fighter
    }

    /// In the game.
    pub const fn alive(&self) -> bool {
        self.hp > 0
    }

    /// Where it is, m.
    pub(super) fn place(&self) -> Vec2 {
        let [x, y] = self.fine();
        vec2(x as f32 / FINE, y as f32 / FINE)
    }

    /// Where it is in sub-millimetres.
    pub(super) const fn fine(&self) -> [i32; 2] {
        [self.x * SUB + self.sub_x, self.y * SUB + self.sub_y]
    }

    /// Puts it at a place in sub-millimetres, clamped to what can be sent.
    pub(super) fn put_fine(&mut self, [x, y]: [i32; 2]) {
        let most = PLACE.max() * SUB;
        let (x, y) = (x.clamp(-most, most), y.clamp(-most, most));
        // Whole millimetres by the floor, so that what is beyond them is never negative.
        (self.x, self.sub_x) = (x.div_euclid(SUB), x.rem_euclid(SUB));
        (self.y, self.sub_y) = (y.div_euclid(SUB), y.rem_euclid(SUB));
    }

    /// Puts it at the nearest place in sub-millimetres.
    pub(super) fn put(&mut self, place: Vec2) {
        self.put_fine([fine_of(place.x), fine_of(place.y)]);
    }

    /// Its speed, m/s.
    pub(super) fn speed(&self) -> Vec2 {
        vec2(SPEED.decode(self.vx), SPEED.decode(self.vy))
    }

    /// Sets its speed, m/s, to the nearest that can be sent.
    pub(super) fn set_speed(&mut self, speed: Vec2) {
        (self.vx, self.vy) = (SPEED.encode(speed.x), SPEED.encode(speed.y));
    }

    /// Where it looks.
    pub(super) fn looks(&self) -> Vec2 {
        Vec2::of_angle(AIM.decode(self.aim))
    }
}

/// Metres to the nearest sub-millimetre.
pub(super) fn fine_of(metres: f32) -> i32 {
    nearest(metres * FINE)
}

/// The nearest whole number, halves away from zero. `f32::round` is a call into libm on some targets.
pub(super) fn nearest(value: f32) -> i32 {
    (value + 0.5f32.copysign(value)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_kept_to_the_sub_millimetre_either_side_of_zero() {
        let mut fighter = Fighter::default();
        for fine in [
            [0, 0],
            [1, -1],
            [-255, 255],
            [-256, 256],
            [4_000_001, -4_000_001],
        ] {
            fighter.put_fine(fine);
            assert_eq!(fighter.fine(), fine);
            assert_eq!(fighter, fighter.clamped(), "{fine:?} is sent as it is kept");
        }
    }

    #[test]
    fn every_time_fits_its_field_at_the_fastest_rate() {
        let dt = 1.0 / f32::from(wire::MAX_RATE);
        for (time, at) in [
            (rules::FIRE_WAIT, Fighter::AT.fire_wait),
            (rules::DASH_WAIT, Fighter::AT.dash_wait),
            (rules::DASH, Fighter::AT.dash_left),
            (rules::HURT, Fighter::AT.hurt_left),
            (rules::RESPAWN, Fighter::AT.respawn),
        ] {
            let field = FIGHTER.fields[at];
            assert!(
                rules::ticks(time, dt) <= field.quant.max(),
                "{}",
                field.name
            );
        }
    }
}
