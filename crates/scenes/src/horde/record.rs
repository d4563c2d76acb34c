//! What the horde replicates: two classes, kept as they are sent.

use wire::{ClassId, Quant, Schema, record};

use crate::vec2::{Vec2, vec2};

/// Steps of a place in a pixel: at 128 ticks a second the slowest enemy still moves whole steps.
pub(super) const FINE: i32 = 32;

/// A place on the wire, across: steps of 1/32 px, +-4,095 px. The world ends at +-3,000.
pub const ACROSS: Quant = Quant::Signed {
    bits: 18,
    step: 1.0 / FINE as f32,
};

/// A place on the wire, down: steps of 1/32 px, +-2,047 px. The world ends at +-2,000.
pub const DOWN: Quant = Quant::Signed {
    bits: 17,
    step: 1.0 / FINE as f32,
};

/// A speed on the wire: steps of a place in a tick. [`super::rules::SPEED`] at 10 ticks a second is 640.
const STEPS: Quant = Quant::Signed {
    bits: 11,
    step: 1.0,
};

/// Directions on the wire: 128 of a turn, 2.8 degrees. Both ends steer by these codes, so none is lost in sending.
pub const WAY: Quant = Quant::Turn { bits: 7 };

/// Directions in a turn.
pub(super) const WAYS: i32 = 128;

record! {
    /// A player's character. It is kept as codes and moved in whole steps, so a client predicts its own exactly. Times are
    /// counted in ticks, at most [`super::rules`]' times at 128 ticks a second.
    pub struct Hero as HERO ("player", shown: Interpolated, rewind: false, share: 4) {
        /// Driven by a bot.
        bot: Quant::Flag, "", Nearer, Birth;
        /// Right.
        x: ACROSS, "px", Linear, All, place;
        /// Down.
        y: DOWN, "px", Linear, All, place;
        /// Where it goes, from right to down.
        face: WAY, "rad", Turn, All;
        /// Health, 0 to 100; 0 is out of the game.
        hp: Quant::Count { bits: 7 }, "hp", Nearer, All;
        /// What it did a moment ago: 1 a repulse, 2 a nova.
        ring: Quant::Count { bits: 2 }, "", Nearer, All;
        /// Counts, modulo 16, how often it was put elsewhere: nothing is drawn between the two places.
        teleports: Quant::Count { bits: 4 }, "", Cut, All;
        /// Steps to the right in a tick.
        vx: STEPS, "px/32", Linear, Owner;
        /// Steps downwards in a tick.
        vy: STEPS, "px/32", Linear, Owner;
        /// Until it may repulse again.
        repulse_wait: Quant::Count { bits: 8 }, "ticks", Nearer, Owner;
        /// Until its next nova.
        nova_wait: Quant::Count { bits: 10 }, "ticks", Nearer, Owner;
        /// Until it comes back.
        out: Quant::Count { bits: 9 }, "ticks", Nearer, Owner;
    }
}

record! {
    /// An enemy. It runs straight and turns when its wait is over, to where it was announced to turn, so both ends move it
    /// alike from one announcement to the next and whatever the link does in between.
    pub struct Foe as FOE ("enemy", shown: Simulated, rewind: false, share: 1) {
        /// What it is, 0 to 2: how fast and how large.
        kind: Quant::Count { bits: 2 }, "", Nearer, Birth;
        /// Right.
        x: ACROSS, "px", Linear, All, place;
        /// Down.
        y: DOWN, "px", Linear, All, place;
        /// Where it runs, from right to down.
        way: WAY, "rad", Turn, All;
        /// Where it will run when its wait is over.
        next: WAY, "rad", Turn, All;
        /// Until it turns, lands or is gone.
        wait: Quant::Count { bits: 7 }, "ticks", Nearer, All;
        /// What it does: 0 runs, 1 flies from a repulse, 2 dies, 3 runs and dies when its wait is over.
        mood: Quant::Count { bits: 2 }, "", Nearer, All;
    }
}

/// The classes by their ids.
pub const SCHEMA: &Schema = &Schema {
    classes: &[HERO, FOE],
    summary: None,
};
/// The id of [`HERO`].
pub const HERO_CLASS: ClassId = ClassId(0);
/// The id of [`FOE`].
pub const FOE_CLASS: ClassId = ClassId(1);

/// A place in steps as px.
pub(super) fn place_of([x, y]: [i32; 2]) -> Vec2 {
    vec2(x as f32 / FINE as f32, y as f32 / FINE as f32)
}

impl Hero {
    /// Where it is, steps.
    pub(super) const fn at(&self) -> [i32; 2] {
        [self.x, self.y]
    }

    /// In the game.
    pub const fn alive(&self) -> bool {
        self.hp > 0
    }
}

impl Foe {
    /// Runs its way.
    pub const RUNS: i32 = 0;
    /// Flies from a repulse.
    pub const FLIES: i32 = 1;
    /// Dies, and is gone when its wait is over.
    pub const DIES: i32 = 2;

    /// Runs on, and dies when its wait is over.
    pub const ENDS: i32 = 3;

    /// Where it is, steps.
    pub(super) const fn at(&self) -> [i32; 2] {
        [self.x, self.y]
    }

    /// In the game.
    pub const fn alive(&self) -> bool {
        self.mood != Self::DIES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::horde::rules;

    #[test]
    fn every_time_and_speed_fits_its_field_at_every_rate() {
        let most = i32::from(wire::MAX_RATE);
        for (time, field) in [
            (rules::REPULSE_WAIT, HERO.fields[Hero::AT.repulse_wait]),
            (rules::NOVA_WAIT, HERO.fields[Hero::AT.nova_wait]),
            (rules::OUT, HERO.fields[Hero::AT.out]),
            (rules::LEAD, FOE.fields[Foe::AT.wait]),
            (rules::FLIGHT, FOE.fields[Foe::AT.wait]),
            (rules::DEATH, FOE.fields[Foe::AT.wait]),
        ] {
            assert!(
                rules::ticks(time, most) <= field.quant.max(),
                "{}",
                field.name
            );
        }
        assert!(rules::SPEED * FINE / 10 <= STEPS.max());
    }

    #[test]
    fn the_world_can_be_sent_to_its_edge() {
        let [.., right, bottom] = rules::BOUNDS;
        assert!(right as i32 * FINE <= ACROSS.max() && bottom as i32 * FINE <= DOWN.max());
    }
}
