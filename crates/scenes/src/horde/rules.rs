//! The rules that both ends run, in whole steps of 1/32 px. Nothing here is rounded after it was kept, so a record that is
//! sent, loaded and run on equals the one that was never sent.

use super::input::Input;
use super::record::{FINE, Foe, Hero, WAYS};

/// Left, top, right and bottom of the world, px: about five screens by five.
pub const BOUNDS: [f32; 4] = [-3_000.0, -2_000.0, 3_000.0, 2_000.0];
/// Half of the world, px.
pub(super) const HALF: [i32; 2] = [3_000, 2_000];

/// How fast a player runs, px/s.
pub const SPEED: i32 = 200;
/// A player's radius, px.
pub const RADIUS: i32 = 14;
/// Health at most, and when it comes in.
pub const HEALTH: i32 = 100;
/// Health that an enemy costs who touches it. It dies of it.
pub const TOUCH: i32 = 5;
/// How long a player is out of the game, s.
pub const OUT: f32 = 3.0;
/// How long until the next repulse, s.
pub const REPULSE_WAIT: f32 = 1.2;
/// How far a repulse reaches, px.
pub const REPULSE_REACH: i32 = 180;
/// How long until the next nova, s.
pub const NOVA_WAIT: f32 = 5.0;
/// How far a nova reaches, px.
pub const NOVA_REACH: i32 = 260;
/// How long the ring of either is shown, s.
pub const RING: f32 = 0.25;

/// How fast each kind of enemy runs, px/s.
pub const SPEEDS: [i32; 3] = [55, 95, 35];
/// How large each kind of enemy is, px.
pub const SIZES: [i32; 3] = [8, 6, 14];
/// How fast an enemy flies from a repulse, px/s.
pub const FLIGHT_SPEED: i32 = 420;
/// How long it flies, s.
pub const FLIGHT: f32 = 0.4;
/// How long an enemy takes to die, s: so long a client may hear of it late, and still show it die in time.
pub const DEATH: f32 = 0.5;
/// How long before it turns an enemy decides to, s. Whoever hears of it in that time turns it at the same tick as the server:
/// a round trip of 400 ms, the wait for a snapshot, and one packet lost on a short one.
pub const LEAD: f32 = 0.75;
/// How often an enemy decides, s.
pub const TURN: f32 = 1.6;
/// How far an enemy sees, px.
pub const SIGHT: i32 = 900;

/// A time as ticks at a rate, at least one.
pub(super) fn ticks(seconds: f32, rate: i32) -> i32 {
    ((seconds * rate as f32 + 0.5) as i32).max(1)
}

/// The nearest of the [`WAYS`] to a direction; the first for none.
pub(super) fn way_of([x, y]: [i32; 2]) -> i32 {
    if x == 0 && y == 0 {
        return 0;
    }
    let turn = libm::atan2f(y as f32, x as f32) * (WAYS as f32 / std::f32::consts::TAU);
    // Never below -64.5, and halves up.
    ((turn + WAYS as f32 + 0.5) as i32) & (WAYS - 1)
}

/// Whether two places are no farther apart than `reach` px.
pub(super) fn near(a: [i32; 2], b: [i32; 2], reach: i32) -> bool {
    apart2(a, b) <= i64::from(reach * FINE) * i64::from(reach * FINE)
}

/// The square of how far two places are apart, steps.
pub(super) fn apart2(a: [i32; 2], b: [i32; 2]) -> i64 {
    let [x, y] = [i64::from(a[0] - b[0]), i64::from(a[1] - b[1])];
    x * x + y * y
}

/// Everything that the rules take from the tick rate: the steps of a tick by kind and way, and times in ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    pub rate: i32,
    /// By mood and kind (the kinds, then flying), then by way.
    steps: Vec<[i16; 2]>,
    pub repulse_wait: i32,
    pub nova_wait: i32,
    pub ring: i32,
    pub out: i32,
    pub flight: i32,
    pub death: i32,
    pub lead: i32,
    pub turn: i32,
}

impl Pace {
    /// The pace of a rate, ticks a second.
    pub(super) fn at(rate_hz: u16) -> Self {
        let rate = i32::from(rate_hz.clamp(1, wire::MAX_RATE));
        let speeds = SPEEDS.into_iter().chain([FLIGHT_SPEED]);
        let steps = speeds.flat_map(|speed| {
            let length = (speed * FINE) as f32 / rate as f32;
            (0..WAYS).map(move |way| {
                let (sin, cos) = libm::sincosf(way as f32 * (std::f32::consts::TAU / WAYS as f32));
                [nearest(cos * length) as i16, nearest(sin * length) as i16]
            })
        });
        Self {
            rate,
            steps: steps.collect(),
            repulse_wait: ticks(REPULSE_WAIT, rate),
            nova_wait: ticks(NOVA_WAIT, rate),
            ring: ticks(RING, rate),
            out: ticks(OUT, rate),
            flight: ticks(FLIGHT, rate),
            death: ticks(DEATH, rate),
            lead: ticks(LEAD, rate),
            turn: ticks(TURN, rate),
        }
    }

    /// What an enemy moves in a tick, steps.
    fn step(&self, foe: &Foe) -> [i32; 2] {
        let row = if foe.mood == Foe::FLIES {
            SPEEDS.len() as i32
        } else {
            foe.kind.min(SPEEDS.len() as i32 - 1)
        };
        self.steps[(row * WAYS + foe.way) as usize].map(i32::from)
    }
}

/// The nearest whole number, halves away from zero. `f32::round` is a call into libm on some targets.
fn nearest(value: f32) -> i32 {
    (value + 0.5f32.copysign(value)) as i32
}

/// A place kept in the world, `radius` px from its edge.
pub(super) fn inside([x, y]: [i32; 2], radius: i32) -> [i32; 2] {
    let most = HALF.map(|half| (half - radius) * FINE);
    [x.clamp(-most[0], most[0]), y.clamp(-most[1], most[1])]
}

impl Foe {
    /// Runs it for a tick.
    pub(super) fn run(&mut self, pace: &Pace) {
        if self.wait > 0 {
            self.wait -= 1;
            match self.mood {
                Self::DIES => {}
                Self::ENDS if self.wait == 0 => self.die(pace),
                _ if self.wait == 0 => {
                    self.way = self.next;
                    self.mood = Self::RUNS;
                }
                _ => {}
            }
        }
        if self.alive() {
            let [x, y] = pace.step(self);
            [self.x, self.y] = inside([self.x + x, self.y + y], 0);
        }
    }

    /// Sends it flying away from a place. Where it was to run next, or ran, it will when it lands.
    pub(super) fn push(&mut self, from: [i32; 2], pace: &Pace) {
        if self.wait == 0 {
            self.next = self.way;
        }
        self.way = way_of([self.x - from[0], self.y - from[1]]);
        self.mood = Self::FLIES;
        self.wait = pace.flight;
    }

    /// Lets it turn a while from now.
    pub(super) fn turn(&mut self, way: i32, pace: &Pace) {
        self.next = way;
        self.wait = pace.lead;
    }

    /// Lets its life end a while from now.
    pub(super) fn end(&mut self, pace: &Pace) {
        self.mood = Self::ENDS;
        self.wait = pace.lead;
    }

    /// Lets it die.
    pub(super) fn die(&mut self, pace: &Pace) {
        self.mood = Self::DIES;
        self.wait = pace.death;
    }
}

/// What a player did in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Did {
    pub repulse: bool,
    pub nova: bool,
}

impl Hero {
    /// Runs it for a tick.
    pub(super) fn run(&mut self, input: Option<&Input>, pace: &Pace) -> Did {
        let input = input.copied().unwrap_or_default();
        self.repulse_wait = (self.repulse_wait - 1).max(0);
        self.nova_wait = (self.nova_wait - 1).max(0);
        self.out = (self.out - 1).max(0);
        let mut did = Did::default();
        if self.alive() {
            self.walk(&input, pace);
            if input.repulse && self.repulse_wait == 0 {
                self.repulse_wait = pace.repulse_wait;
                did.repulse = true;
            }
            if input.nova && self.nova_wait == 0 {
                self.nova_wait = pace.nova_wait;
                did.nova = true;
            }
        } else {
            (self.vx, self.vy) = (0, 0);
        }
        self.ring = match () {
            () if self.nova_wait > pace.nova_wait - pace.ring => 2,
            () if self.repulse_wait > pace.repulse_wait - pace.ring => 1,
            () => 0,
        };
        did
    }

    fn walk(&mut self, input: &Input, pace: &Pace) {
        let [x, y] = input.stick().map(i32::from);
        let most = SPEED * FINE / pace.rate;
        self.vx = gather(self.vx, x * most / 127, pace);
        self.vy = gather(self.vy, y * most / 127, pace);
        if self.vx != 0 || self.vy != 0 {
            self.face = way_of([self.vx, self.vy]);
        }
        [self.x, self.y] = inside([self.x + self.vx, self.y + self.vy], RADIUS);
    }

    /// Hurts it; whether it fell.
    pub(super) fn hurt(&mut self, pace: &Pace) -> bool {
        self.hp = (self.hp - TOUCH).max(0);
        if !self.alive() {
            self.out = pace.out;
        }
        !self.alive()
    }

    /// Puts it into the game, somewhere.
    pub(super) fn come_back(&mut self, [x, y]: [i32; 2]) {
        *self = Self {
            bot: self.bot,
            x,
            y,
            face: self.face,
            hp: HEALTH,
            teleports: (self.teleports + 1) & 15,
            ..Self::default()
        };
    }
}

/// A speed on its way to another: a sixteenth of a second's share of the gap, and the last of it at once.
fn gather(now: i32, wanted: i32, pace: &Pace) -> i32 {
    let gap = wanted - now;
    let part = gap * 16 / pace.rate.max(16);
    if part == 0 { wanted } else { now + part }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_the_nearest_of_all_and_a_step_goes_along_it() {
        for rate in [10, 64, 128] {
            let pace = Pace::at(rate);
            for way in 0..WAYS {
                let mut foe = Foe {
                    kind: 1,
                    way,
                    ..Foe::default()
                };
                for _ in 0..rate {
                    foe.run(&pace);
                }
                let off = (way_of(foe.at()) - way + WAYS / 2).rem_euclid(WAYS) - WAYS / 2;
                assert!(off.abs() <= 1, "{rate} {way}");
                let gone = super::super::record::place_of(foe.at()).length();
                assert!((gone - 95.0).abs() < 3.0, "{rate}: {gone} px in a second");
            }
        }
    }

    #[test]
    fn an_enemy_turns_when_its_wait_is_over_and_lands_where_it_would_have_run() {
        let pace = Pace::at(64);
        let mut foe = Foe::default();
        foe.turn(32, &pace);
        for _ in 0..pace.lead - 1 {
            foe.run(&pace);
        }
        assert_eq!((foe.way, foe.y), (0, 0), "not yet");
        foe.run(&pace);
        assert_eq!(foe.way, 32);
        assert!(foe.y > 0);
        foe.push([foe.x + 10, foe.y], &pace);
        assert_eq!((foe.way, foe.mood), (64, Foe::FLIES));
        for _ in 0..pace.flight {
            foe.run(&pace);
        }
        assert_eq!((foe.way, foe.mood), (32, Foe::RUNS));
        foe.die(&pace);
        let dead = foe.at();
        for _ in 0..pace.death + 5 {
            foe.run(&pace);
        }
        assert_eq!((foe.at(), foe.wait, foe.alive()), (dead, 0, false));
    }

    #[test]
    fn a_player_reaches_its_speed_and_stands_again_at_every_rate() {
        for rate in [10, 20, 64, 128] {
            let pace = Pace::at(rate);
            let mut hero = Hero {
                hp: HEALTH,
                ..Hero::default()
            };
            let right = Input {
                x: 127,
                ..Input::default()
            };
            for _ in 0..rate {
                hero.run(Some(&right), &pace);
            }
            let before = hero.x;
            hero.run(Some(&right), &pace);
            assert_eq!(hero.x - before, SPEED * FINE / i32::from(rate));
            for _ in 0..rate {
                hero.run(None, &pace);
            }
            assert_eq!((hero.vx, hero.vy), (0, 0));
        }
    }
}
