//! How often a viewer hears of something, by how far away it is.

use wire::Tick;

use super::visibility::VisibilitySet;
use crate::bits::Bits;

/// How often something is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Each tick.
    EveryTick,
    /// Every third tick.
    EveryThird,
    /// Every tenth tick.
    EveryTenth,
    /// Never: whoever held it is told that it is gone.
    Unheard,
}

impl Tier {
    /// Ticks from one hearing to the next; `None` where there is none.
    pub const fn period(self) -> Option<u64> {
        match self {
            Self::EveryTick => Some(1),
            Self::EveryThird => Some(3),
            Self::EveryTenth => Some(10),
            Self::Unheard => None,
        }
    }

    /// Whether something called `id` is heard at a tick: at a tick of its own, so that those called by successive numbers are
    /// spread evenly. For any numbers there is [`Rota`].
    pub const fn is_heard(self, tick: Tick, id: u32) -> bool {
        match self.period() {
            Some(period) => (tick.get() % period + id as u64 % period).is_multiple_of(period),
            None => false,
        }
    }
}

/// The distances at which the tiers end, each included.
///
/// Source: seed `000_0607df23ba563941.txt`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tiers {
    /// Heard each tick to here, world units.
    pub near: f32,
    /// Every third tick to here.
    pub middle: f32,
    /// Every tenth tick to here, and beyond it never.
    pub far: f32,
}

impl Default for Tiers {
    /// 30, 80 and 160 m.
    fn default() -> Self {
        Self {
            near: 30.0,
            middle: 80.0,
            far: 160.0,
        }
    }
}

impl Tiers {
    /// The tier of a distance. One that is no number is beyond all.
    pub fn of(&self, distance: f32) -> Tier {
        if distance <= self.near {
            Tier::EveryTick
        } else if distance <= self.middle {
            Tier::EveryThird
        } else if distance <= self.far {
            Tier::EveryTenth
        } else {
            Tier::Unheard
        }
    }
}

/// Who is heard at which tick, for one viewer: each member of a tier has a tick of its own within the tier's period, given to
/// it when it comes in, and the ticks are kept even. So no tick carries more than its share, a third of the middle tier
/// rounded up, whatever the slots' numbers are and whoever has left.
///
/// Who stays is heard every period. One that is moved to another tick, because others left, waits less than two; the moves go
/// round, so that it is not always the same. Who comes in waits for its tick, so that a crowd that comes at once is spread too.
#[derive(Clone, Debug)]
pub struct Rota {
    turns: Vec<Turn>,
    /// Members by tick of the period, for the middle and the far tier.
    counts: [[u32; 10]; 2],
    /// Where the search for somebody to move goes on, so that it is not always the same.
    cursor: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn {
    tier: Tier,
    /// The tick within the period.
    phase: u8,
}

const NEVER: Turn = Turn {
    tier: Tier::Unheard,
    phase: 0,
};

impl Rota {
    /// Nobody heard, of slots below `slots`.
    pub fn new(slots: usize) -> Self {
        Self {
            turns: vec![NEVER; slots],
            counts: [[0; 10]; 2],
            cursor: 0,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        size_of_val(self.turns.as_slice())
    }

    /// The tier of a slot.
    pub fn tier(&self, slot: usize) -> Tier {
        self.turns.get(slot).map_or(Tier::Unheard, |turn| turn.tier)
    }

    /// Turns `heard` to a new tick and fills it with all that are near enough to be heard at all, of the slots and distances
    /// given, each slot once; `now`, emptied before, gets those whose tick this is. Whoever [left](VisibilitySet::each_left) is
    /// unheard, which its holder has to be told.
    pub fn turn(
        &mut self,
        tick: Tick,
        tiers: &Tiers,
        distances: impl IntoIterator<Item = (usize, f32)>,
        heard: &mut VisibilitySet,
        now: &mut Bits,
    ) {
        let (set, _) = heard.turn();
        for (slot, distance) in distances {
            let tier = tiers.of(distance);
            if tier != Tier::Unheard && slot < self.turns.len() {
                set.insert(slot);
                self.place(slot, tier);
            }
        }
        heard.each_left(|slot| self.place(slot, Tier::Unheard));
        self.level();
        now.clear();
        for slot in heard.now().iter() {
            let Turn { tier, phase } = self.turns[slot];
            if tier.is_heard(tick, u32::from(phase)) {
                now.insert(slot);
            }
        }
    }

    fn place(&mut self, slot: usize, tier: Tier) {
        let old = self.turns[slot];
        if old.tier == tier {
            return;
        }
        if let Some(counts) = self.counts_of(old.tier) {
            counts[usize::from(old.phase)] -= 1;
        }
        let mut phase = 0;
        if let Some(counts) = self.counts_of(tier) {
            phase = extremes(counts).0;
            counts[phase] += 1;
        }
        self.turns[slot] = Turn {
            tier,
            phase: phase as u8,
        };
    }

    /// Moves members from the fullest tick to the emptiest until no two differ by more than one.
    fn level(&mut self) {
        for tier in [Tier::EveryThird, Tier::EveryTenth] {
            while let Some(counts) = self.counts_of(tier)
                && let (least, most) = extremes(counts)
                && counts[most] > counts[least] + 1
            {
                counts[most] -= 1;
                counts[least] += 1;
                let full = Turn {
                    tier,
                    phase: most as u8,
                };
                while self.turns[self.cursor] != full {
                    self.cursor = (self.cursor + 1) % self.turns.len();
                }
                self.turns[self.cursor].phase = least as u8;
            }
        }
    }

    fn counts_of(&mut self, tier: Tier) -> Option<&mut [u32]> {
        let at = match tier {
            Tier::EveryThird => 0,
            Tier::EveryTenth => 1,
            Tier::EveryTick | Tier::Unheard => return None,
        };
        Some(&mut self.counts[at][..tier.period()? as usize])
    }
}

/// Where the least and the most are; of equal ones the first.
fn extremes(counts: &[u32]) -> (usize, usize) {
    let (mut least, mut most) = (0, 0);
    for (at, count) in counts.iter().enumerate() {
        if *count < counts[least] {
            least = at;
        }
        if *count > counts[most] {
            most = at;
        }
    }
    (least, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::fixture::Dice;

    #[test]
    fn the_tiers_end_at_thirty_eighty_and_a_hundred_and_sixty_each_included() {
        let tiers = Tiers::default();
        for (distance, tier) in [
            (0.0, Tier::EveryTick),
            (30.0, Tier::EveryTick),
            (30.001, Tier::EveryThird),
            (80.0, Tier::EveryThird),
            (80.001, Tier::EveryTenth),
            (160.0, Tier::EveryTenth),
            (160.001, Tier::Unheard),
            (f32::NAN, Tier::Unheard),
        ] {
            assert_eq!(tiers.of(distance), tier, "{distance}");
        }
    }

    #[test]
    fn by_its_number_each_is_heard_once_a_period_and_successive_ones_in_turn() {
        for (tier, period) in [
            (Tier::EveryTick, 1),
            (Tier::EveryThird, 3),
            (Tier::EveryTenth, 10),
        ] {
            for id in [0, 1, 2, 77, u32::MAX] {
                let heard =
                    (1_000..1_000 + period * 6).filter(|t| tier.is_heard(Tick::new(*t), id));
                assert_eq!(heard.count(), 6);
            }
            for tick in 0..30 {
                let heard = (0..100)
                    .filter(|id| tier.is_heard(Tick::new(tick), *id))
                    .count() as u64;
                assert!(heard <= 100 / period + 1, "{tier:?} at {tick}: {heard}");
            }
        }
        assert!(!Tier::Unheard.is_heard(Tick::new(0), 0));
    }

    #[test]
    fn no_tick_carries_more_than_a_third_and_one_whoever_comes_and_goes() {
        const SLOTS: usize = 600;
        let seed = 12;
        let mut dice = Dice(seed);
        let mut rota = Rota::new(SLOTS);
        let (mut heard, mut now) = (VisibilitySet::new(SLOTS), Bits::new(SLOTS));
        let mut distances = [0.0f32; SLOTS].map(|_| dice.unit() as f32 * 200.0);
        // Numbers of which every one falls on the same tick by number alone.
        let there = |slot: &usize| slot.is_multiple_of(3);
        let mut waited = [0u64; SLOTS];
        let (mut fullest, mut left) = (0, 0);
        for tick in 0..2_000 {
            // Bursts of walking about, and calm between in which everybody's period is exact.
            let calm = tick % 100 > 40;
            if !calm {
                for distance in &mut distances {
                    *distance = (*distance + dice.unit() as f32 * 20.0 - 10.0).clamp(0.0, 200.0);
                }
            }
            let list = distances
                .iter()
                .copied()
                .enumerate()
                .filter(|(slot, _)| there(slot));
            rota.turn(
                Tick::new(tick),
                &Tiers::default(),
                list,
                &mut heard,
                &mut now,
            );
            heard.each_left(|slot| {
                assert_eq!(rota.tier(slot), Tier::Unheard);
                left += 1;
            });
            for (tier, period) in [(Tier::EveryThird, 3), (Tier::EveryTenth, 10)] {
                let members = heard
                    .now()
                    .iter()
                    .filter(|slot| rota.tier(*slot) == tier)
                    .count();
                let carried = now.iter().filter(|slot| rota.tier(*slot) == tier).count();
                assert!(
                    carried <= members.div_ceil(period),
                    "seed {seed}, tick {tick}"
                );
                fullest = fullest.max(carried);
            }
            for slot in (0..SLOTS).filter(there) {
                let tier = Tiers::default().of(distances[slot]);
                assert_eq!(rota.tier(slot), tier, "seed {seed}");
                assert!(!now.contains(slot) || heard.now().contains(slot));
                let gap = waited[slot];
                waited[slot] += 1;
                if now.contains(slot) {
                    waited[slot] = 0;
                    let period = tier.period().expect("it is heard");
                    if tick % 100 > 62 {
                        assert_eq!(gap + 1, period, "seed {seed}, tick {tick}, slot {slot}");
                    }
                }
            }
        }
        assert!(fullest > 10 && left > 100, "{fullest} {left}");
    }
}
