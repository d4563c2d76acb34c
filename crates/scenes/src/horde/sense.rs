//! Who is near whom: a grid of everybody, laid out anew sixteen times a second.

use netcode::Bits;
use netcode::interest::{GridQuantizer, SpatialGrid};

use super::crowd::Crowd;
use super::record::place_of;
use super::rules::{BOUNDS, FLIGHT_SPEED};
use super::{PLAYERS, Seat};

/// How often the grid is laid out anew, times a second; between two times it is the world a moment ago.
const LOOKS: i32 = 16;
/// How far anybody gets between two times, px.
const SLACK: i32 = FLIGHT_SPEED / LOOKS + 1;
/// How wide a cell is, px: a third of the usual hearing.
const CELL: f32 = 200.0;
/// How much farther away, as a share, what is heard must go before it is not heard any more.
const MARGIN: f32 = 0.15;

/// The grid, and how far players hear. It is state: what a copy of the world hears of is what the world does.
#[derive(Clone, Debug)]
pub(super) struct Sense {
    grid: SpatialGrid,
    hears: Option<u16>,
}

impl Sense {
    pub(super) fn new(hears: Option<u16>) -> Self {
        let [left, top, right, bottom] = BOUNDS;
        Self {
            grid: SpatialGrid::new(GridQuantizer::new([left, top], [right, bottom], CELL)),
            hears,
        }
    }

    /// The same, of a world with nobody in it.
    pub(super) fn empty(&self) -> Self {
        Self::new(self.hears)
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(super) fn heap(&self) -> usize {
        self.grid.heap()
    }

    /// Looks where everybody is, where it is time to.
    pub(super) fn look(&mut self, tick: u64, rate: i32, heroes: &[Seat], crowd: &Crowd) {
        if !tick.is_multiple_of((rate / LOOKS).max(1) as u64) {
            return;
        }
        let players = heroes
            .iter()
            .enumerate()
            .filter(|(_, seat)| seat.taken)
            .map(|(slot, seat)| (slot as u32, place_of(seat.hero.at()).array()));
        let enemies = crowd.each().map(|(index, seat)| {
            let slot = u32::from(PLAYERS) + index as u32;
            (slot, place_of(seat.foe.at()).array())
        });
        self.grid.rebuild(players.chain(enemies));
    }

    /// Calls `found` with the seat of every enemy that may be within `reach` px of a place, and of some farther away.
    pub(super) fn each_near(&self, at: [i32; 2], reach: i32, mut found: impl FnMut(usize)) {
        let reach = (reach + SLACK) as f32;
        self.grid
            .each_within(place_of(at).array(), reach, |slot, _, _| {
                if let Some(index) = slot.checked_sub(u32::from(PLAYERS)) {
                    found(index as usize);
                }
            });
    }

    /// Puts in what is heard at a place, beside what was heard `before` and is not yet far enough away; false where everything
    /// is heard.
    pub(super) fn hear(&self, at: [i32; 2], before: &Bits, hears: &mut Bits) -> bool {
        let Some(radius) = self.hears.map(f32::from) else {
            return false;
        };
        let within = radius * radius;
        self.grid.each_within(
            place_of(at).array(),
            radius * (1.0 + MARGIN),
            |slot, _, apart| {
                if apart <= within || before.contains(slot as usize) {
                    hears.insert(slot as usize);
                }
            },
        );
        true
    }
}
