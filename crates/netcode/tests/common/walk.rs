//! Walkers on a line, a gate that only the server moves, a jump that is an edge.

use afterimage_netcode::{Digest, Driver, Event, Game, Input, Step};
use wire::{ClassId, Quant, ReadError, Reader, Schema, SlotKey, Tick, Writer, record};

record! {
    /// One walker.
    pub struct Walker as WALKER ("walker", shown: Interpolated, rewind: true, share: 1) {
        /// Place on the line.
        x: Quant::Signed { bits: 22, step: 0.001 }, "m", Linear, All, place;
        /// Health.
        hp: Quant::Count { bits: 7 }, "hp", Nearer, All;
        /// Jumps made, to count edges.
        jumps: Quant::Count { bits: 16 }, "", Nearer, All;
        /// Teleports, so that none is drawn between.
        teleports: Quant::Count { bits: 4 }, "", Cut, All;
        /// Ticks until the next jump: only the owner has to know.
        rest: Quant::Count { bits: 8 }, "ticks", Nearer, Owner;
        /// Looks, said once.
        hat: Quant::Count { bits: 3 }, "", Cut, Birth;
    }
}

record! {
    /// What stops walkers.
    pub struct Gate as GATE_CLASS ("gate", shown: Interpolated, rewind: false, share: 1) {
        /// Where nobody passes.
        x: Quant::Signed { bits: 22, step: 0.001 }, "m", Linear, All, place;
    }
}

record! {
    /// A herd that nobody sees one by one.
    pub struct Herd as HERD ("herd", shown: Simulated, rewind: false, share: 1) {
        /// Where its middle is.
        x: Quant::Signed { bits: 12, step: 1.0 }, "m", Linear, All, place;
        /// How many it has.
        count: Quant::Count { bits: 7 }, "", Nearer, All;
    }
}

static SCHEMA: Schema = Schema {
    classes: &[WALKER, GATE_CLASS],
    summary: Some(&HERD),
};

/// Walkers have the slots below.
const WALKERS: usize = 40;
/// The gate's slot.
pub const GATE: SlotKey = SlotKey {
    slot: WALKERS as u16,
    life: 0,
};
/// Millimetres a tick at full lean.
const PACE: i32 = 100;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Legs {
    pub lean: i32,
    pub jump: bool,
}

impl Input for Legs {
    const ACTIONS: &'static [&'static str] = &["lean", "jump"];

    fn write(&self, w: &mut Writer<'_>) {
        Quant::Axis.write("lean", self.lean, w);
        w.flag("jump", self.jump);
    }

    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            lean: Quant::Axis.read("lean", r)?,
            jump: r.flag("jump")?,
        })
    }

    fn without_edges(self) -> Self {
        Self {
            jump: false,
            ..self
        }
    }

    fn fold_edges(self, older: Self) -> Self {
        Self {
            jump: self.jump || older.jump,
            ..self
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jumped {
    pub slot: u16,
}

impl Event for Jumped {
    fn write(&self, w: &mut Writer<'_>) {
        w.u16("slot", self.slot);
    }

    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            slot: r.u16("slot")?,
        })
    }
}

/// What every step of one machine was asked, for the table of roles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Asked {
    pub simulates: usize,
    pub mine: usize,
    pub driven: usize,
    pub replaying: bool,
    pub decides: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Walk {
    pub walkers: Vec<Option<Walker>>,
    pub lives: Vec<u8>,
    pub gate: Option<Gate>,
    pub asked: Asked,
    /// A character that the next to join takes over.
    pub waiting: Option<SlotKey>,
    /// The world's print.
    pub print: u64,
    /// The tick up to which the herds move; 0: there are none.
    pub herds_until: u64,
    /// Rows of [`Herd`]: what it sums up, or was told, and the tick of that.
    pub herds: Vec<i32>,
    pub herds_at: Tick,
}

/// The herds of a tick: none to three, each farther on by the tick.
pub fn herds_at(tick: u64) -> Vec<i32> {
    (0..(tick / 90 % 4) as i32)
        .flat_map(|herd| [tick as i32 / 3 - herd * 100, herd + 2])
        .collect()
}

impl Walk {
    /// The static world: nobody.
    pub fn empty() -> Self {
        Self {
            walkers: vec![None; WALKERS],
            lives: vec![0; WALKERS],
            ..Self::default()
        }
    }

    /// A server's world, with a gate that swings.
    pub fn with_gate() -> Self {
        Self {
            gate: Some(Gate { x: 20_000 }),
            ..Self::empty()
        }
    }

    pub fn spawn(&mut self, x: i32) -> Option<SlotKey> {
        let slot = self.walkers.iter().position(Option::is_none)?;
        self.lives[slot] = self.lives[slot].wrapping_add(1);
        self.walkers[slot] = Some(Walker {
            x,
            hp: 100,
            hat: slot as i32 % 8,
            ..Walker::default()
        });
        Some(SlotKey {
            slot: slot as u16,
            life: self.lives[slot],
        })
    }

    pub fn walker(&self, key: SlotKey) -> Option<&Walker> {
        self.walkers.get(usize::from(key.slot))?.as_ref()
    }

    pub fn walker_mut(&mut self, key: SlotKey) -> Option<&mut Walker> {
        self.walkers.get_mut(usize::from(key.slot))?.as_mut()
    }

    fn key(&self, slot: usize) -> SlotKey {
        SlotKey {
            slot: slot as u16,
            life: self.lives[slot],
        }
    }
}

impl super::Fixture for Walk {
    fn nobody() -> Self {
        Self::empty()
    }
}

impl Game for Walk {
    type Input = Legs;
    type Event = Jumped;
    const SCHEMA: &'static Schema = &SCHEMA;
    const SLOTS: u16 = WALKERS as u16 + 1;

    fn step(&mut self, step: &mut Step<'_, Self>) {
        let keys = (0..WALKERS).map(|slot| self.key(slot));
        self.asked = Asked {
            simulates: keys.clone().filter(|key| step.simulates(*key)).count(),
            mine: keys.clone().filter(|key| step.is_mine(*key)).count(),
            driven: keys.filter(|key| step.command(*key).is_some()).count(),
            replaying: step.is_replaying(),
            decides: step.decides(),
        };
        if let Some(gate) = &mut self.gate
            && step.simulates(GATE)
        {
            let phase = (step.tick().get() % 128) as i32;
            gate.x = 20_000 + (phase - 64).abs() * 40;
        }
        if step.decides() {
            self.herds = herds_at(step.tick().get().min(self.herds_until));
        }
        let wall = self.gate.map(|gate| gate.x);
        for slot in 0..WALKERS {
            let key = self.key(slot);
            let Some(walker) = self.walkers[slot].as_mut().filter(|_| step.simulates(key)) else {
                continue;
            };
            let Some(input) = step.command(key) else {
                continue;
            };
            walker.x += input.lean * PACE / 127;
            if let Some(wall) = wall {
                walker.x = walker.x.min(wall);
            }
            walker.x = walker.x.clamp(-2_000_000, 2_000_000);
            walker.rest = (walker.rest - 1).max(0);
            if input.jump && walker.rest == 0 {
                walker.jumps = (walker.jumps + 1) & 0xFFFF;
                walker.rest = 2;
                step.say(Jumped { slot: slot as u16 });
            }
        }
    }

    fn summarize(&self, _viewer: SlotKey, rows: &mut Vec<i32>) {
        rows.extend_from_slice(&self.herds);
    }

    fn hear_summaries(&mut self, tick: Tick, rows: &[i32]) {
        self.herds_at = tick;
        self.herds = rows.to_vec();
    }

    fn slots(&self) -> usize {
        WALKERS + 1
    }

    fn at(&self, slot: usize) -> Option<(SlotKey, ClassId)> {
        if slot == WALKERS {
            return self.gate.map(|_| (GATE, ClassId(1)));
        }
        self.walkers
            .get(slot)?
            .map(|_| (self.key(slot), ClassId(0)))
    }

    fn save(&self, key: SlotKey, out: &mut [i32]) {
        if key == GATE {
            self.gate.unwrap_or_default().save(out);
        } else if let Some(walker) = self.walker(key) {
            walker.save(out);
        }
    }

    fn load(&mut self, key: SlotKey, class: ClassId, record: &[i32]) {
        match class {
            ClassId(1) => self.gate = Some(Gate::load(record)),
            _ => {
                if let Some(place) = self.walkers.get_mut(usize::from(key.slot)) {
                    *place = Some(Walker::load(record));
                    self.lives[usize::from(key.slot)] = key.life;
                }
            }
        }
    }

    fn remove(&mut self, key: SlotKey) {
        if key == GATE {
            self.gate = None;
        } else if let Some(place) = self.walkers.get_mut(usize::from(key.slot)) {
            *place = None;
        }
    }

    fn join(&mut self, _driver: Driver) -> Option<SlotKey> {
        self.waiting.take().or_else(|| self.spawn(0))
    }

    fn leave(&mut self, key: SlotKey) {
        self.remove(key);
    }

    fn world(&self) -> u64 {
        self.print
    }

    fn digest(&self, digest: &mut Digest) {
        for (slot, walker) in self.walkers.iter().enumerate() {
            digest.u64(u64::from(walker.is_some()));
            if let Some(walker) = walker {
                let mut record = [0; Walker::WIDTH];
                walker.save(&mut record);
                digest.u64(u64::from(self.lives[slot]));
                digest.codes(&record);
            }
        }
        digest.i32(self.gate.map_or(0, |gate| gate.x));
    }
}
