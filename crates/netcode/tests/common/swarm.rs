//! Pilots, and drones that both ends move: straight on, back at a wall, and elsewhere when the server says so.

use afterimage_netcode::{Bits, Digest, Driver, Game, Step};
use wire::{ClassId, Quant, Schema, SlotKey, record};

use super::{Fixture, Jumped, Legs};

record! {
    /// One pilot.
    pub struct Pilot as PILOT ("pilot", shown: Interpolated, rewind: true, share: 1) {
        /// Place on the line.
        x: Quant::Signed { bits: 16, step: 1.0 }, "px", Linear, All, place;
    }
}

record! {
    /// One drone.
    pub struct Drone as DRONE ("drone", shown: Simulated, rewind: false, share: 1) {
        /// Place on the line.
        x: Quant::Signed { bits: 16, step: 1.0 }, "px", Linear, All, place;
        /// How far it goes in a tick.
        speed: Quant::Signed { bits: 6, step: 1.0 }, "px", Nearer, All;
        /// Looks.
        kind: Quant::Count { bits: 2 }, "", Cut, Birth;
    }
}

static SCHEMA: Schema = Schema {
    classes: &[PILOT, DRONE],
    summary: None,
};

/// Pilots have the slots below.
pub const PILOTS: usize = 4;
/// Drones have as many after them.
pub const DRONES: usize = 120;
/// Drones turn back at this distance.
const WALL: i32 = 3_000;

/// What the server does beside moving.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// Drones that die in a tick, and as many that are born into the slots that are free.
    pub churn: usize,
    /// Drones that turn in a tick.
    pub turns: usize,
    /// Drones whose state is said again in a tick, in turn.
    pub robin: usize,
    /// From this tick on nothing of that happens; 0: it goes on.
    pub until: u64,
    /// How far a pilot hears; 0: everything.
    pub radius: i32,
    /// Told only every so many ticks, by slot; 0: always.
    pub seldom: u64,
}

#[derive(Clone, Debug)]
pub struct Swarm {
    pub pilots: Vec<Option<Pilot>>,
    pub drones: Vec<Option<Drone>>,
    lives: Vec<u8>,
    pub plan: Plan,
    next: usize,
    dice: u32,
    /// Drones that died.
    pub deaths: u64,
    /// What the newest step moved.
    pub moved: usize,
}

impl Fixture for Swarm {
    fn nobody() -> Self {
        Self {
            pilots: vec![None; PILOTS],
            drones: vec![None; DRONES],
            lives: vec![0; PILOTS + DRONES],
            plan: Plan::default(),
            next: 0,
            dice: 1,
            deaths: 0,
            moved: 0,
        }
    }
}

impl Swarm {
    /// A server's world with so many drones.
    pub fn of(drones: usize, plan: Plan) -> Self {
        let mut swarm = Self {
            plan,
            ..Self::nobody()
        };
        (0..drones).for_each(|at| swarm.hatch(at));
        swarm
    }

    pub fn key(&self, slot: usize) -> SlotKey {
        SlotKey {
            slot: slot as u16,
            life: self.lives[slot],
        }
    }

    /// Who is there, by slot.
    pub fn drones(&self) -> Vec<Option<(u8, Drone)>> {
        let lives = &self.lives[PILOTS..];
        let all = self.drones.iter().zip(lives);
        all.map(|(drone, life)| Some((*life, (*drone)?))).collect()
    }

    fn roll(&mut self, below: usize) -> usize {
        self.dice = self
            .dice
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        (self.dice >> 8) as usize % below
    }

    fn hatch(&mut self, at: usize) {
        let (x, speed) = (self.roll(4_000) as i32 - 2_000, self.roll(30) as i32 - 15);
        self.lives[PILOTS + at] = self.lives[PILOTS + at].wrapping_add(1);
        let kind = at as i32 % 4;
        self.drones[at] = Some(Drone { x, speed, kind });
    }

    fn decide(&mut self, step: &mut Step<'_, Self>) {
        for _ in 0..self.plan.churn {
            let at = self.roll(DRONES);
            if self.drones[at].take().is_some() {
                self.deaths += 1;
                step.say(Jumped {
                    slot: (PILOTS + at) as u16,
                });
            }
            // Often into the very slot, in the very tick.
            let at = if self.roll(2) == 0 {
                at
            } else {
                self.roll(DRONES)
            };
            if self.drones[at].is_none() {
                self.hatch(at);
            }
        }
        for _ in 0..self.plan.turns {
            let (at, speed) = (self.roll(DRONES), self.roll(30) as i32 - 15);
            if let Some(drone) = &mut self.drones[at] {
                drone.speed = speed;
                step.announce(self.key(PILOTS + at));
            }
        }
        for _ in 0..self.plan.robin {
            self.next = (self.next + 1) % DRONES;
            step.announce(self.key(PILOTS + self.next));
        }
    }
}

impl Game for Swarm {
    type Input = Legs;
    type Event = Jumped;
    const SCHEMA: &'static Schema = &SCHEMA;
    const SLOTS: u16 = (PILOTS + DRONES) as u16;

    fn step(&mut self, step: &mut Step<'_, Self>) {
        self.moved = 0;
        for slot in step.simulated() {
            if slot < PILOTS {
                let key = self.key(slot);
                if let (Some(pilot), Some(input)) = (&mut self.pilots[slot], step.command(key)) {
                    pilot.x = (pilot.x + input.lean / 16).clamp(-WALL, WALL);
                }
            } else if let Some(drone) = &mut self.drones[slot - PILOTS] {
                self.moved += 1;
                drone.x += drone.speed;
                if drone.x.abs() > WALL {
                    drone.x = drone.x.clamp(-WALL, WALL);
                    drone.speed = -drone.speed;
                }
            }
        }
        let over = self.plan.until > 0 && step.tick().get() >= self.plan.until;
        if step.decides() && !over {
            self.decide(step);
        }
    }

    fn slots(&self) -> usize {
        PILOTS + DRONES
    }

    fn at(&self, slot: usize) -> Option<(SlotKey, ClassId)> {
        let class = match slot.checked_sub(PILOTS) {
            None => self.pilots[slot].map(|_| ClassId(0)),
            Some(at) => self.drones.get(at)?.map(|_| ClassId(1)),
        };
        Some((self.key(slot), class?))
    }

    fn save(&self, key: SlotKey, out: &mut [i32]) {
        let slot = usize::from(key.slot);
        match slot.checked_sub(PILOTS) {
            None => self.pilots[slot].unwrap_or_default().save(out),
            Some(at) => self.drones[at].unwrap_or_default().save(out),
        }
    }

    fn load(&mut self, key: SlotKey, class: ClassId, record: &[i32]) {
        let slot = usize::from(key.slot);
        match (class, slot.checked_sub(PILOTS)) {
            (ClassId(0), None) => self.pilots[slot] = Some(Pilot::load(record)),
            (ClassId(1), Some(at)) => self.drones[at] = Some(Drone::load(record)),
            _ => return,
        }
        self.lives[slot] = key.life;
    }

    fn remove(&mut self, key: SlotKey) {
        let slot = usize::from(key.slot);
        match slot.checked_sub(PILOTS) {
            None => self.pilots[slot] = None,
            Some(at) => self.drones[at] = None,
        }
    }

    fn join(&mut self, _driver: Driver) -> Option<SlotKey> {
        let slot = self.pilots.iter().position(Option::is_none)?;
        self.lives[slot] = self.lives[slot].wrapping_add(1);
        self.pilots[slot] = Some(Pilot::default());
        Some(self.key(slot))
    }

    fn leave(&mut self, key: SlotKey) {
        self.remove(key);
    }

    fn interest(&self, viewer: SlotKey, _before: &Bits, hears: &mut Bits) -> bool {
        let Some(eye) = self.pilots[usize::from(viewer.slot)] else {
            return false;
        };
        for (at, drone) in self.drones.iter().enumerate() {
            if drone.is_some_and(|drone| (drone.x - eye.x).abs() <= self.plan.radius) {
                hears.insert(PILOTS + at);
            }
        }
        (0..PILOTS).for_each(|slot| hears.insert(slot));
        self.plan.radius > 0
    }

    fn rota(&self, _viewer: SlotKey, tick: wire::Tick, now: &mut Bits) -> bool {
        let Some(every) = std::num::NonZero::new(self.plan.seldom) else {
            return false;
        };
        let slots = 0..PILOTS + DRONES;
        slots
            .filter(|slot| (*slot as u64 + tick.get()) % every == 0)
            .for_each(|slot| now.insert(slot));
        true
    }

    fn digest(&self, digest: &mut Digest) {
        for slot in 0..self.slots() {
            if let Some((key, _)) = self.at(slot) {
                let mut record = [0; Drone::WIDTH];
                self.save(key, &mut record);
                digest.u64(u64::from(key.packed()));
                digest.codes(&record);
            }
        }
    }
}
