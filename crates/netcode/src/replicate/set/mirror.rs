//! The subscriber's half of a streamed set.

use std::fmt;

use wire::{Seq, SlotKey};

use super::delta::{Ack, DeltaPlan};
use super::digest::SetDigest;
use super::window::AckWindow;
use crate::bits::Bits;

/// What has changed of what a mirror holds. What is counted or shown of a stream (deaths, effects) hangs on these: a plan says
/// things again and again, a change happens once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is held, and was not.
    Entered(SlotKey),
    /// It was held, and is not.
    Left(SlotKey),
}

/// How much a packet changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Names that are held and were not.
    pub entered: usize,
    /// Names that were held and are not.
    pub left: usize,
}

/// Why a packet was not taken. It is not acknowledged either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// A later one was taken, or this very one: it would put back what that changed.
    Late,
    /// It builds on a whole packet that never came.
    Baseless,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Late => "a later packet was taken before it",
            Self::Baseless => "it builds on a whole packet that never came",
        })
    }
}

impl std::error::Error for Unfit {}

/// What one subscriber holds of a set that a [`DeltaBaseline`](super::DeltaBaseline) streams to it: one name a slot.
///
/// To ask for everything anew it is enough to [`clear`](Self::clear) it: its digest says so by itself.
///
/// Source: seed `003_6a8f128b2e325724.txt`.
#[derive(Clone, Debug)]
pub struct DeltaMirror {
    held: Bits,
    lives: Vec<u8>,
    digest: SetDigest,
    window: Option<AckWindow>,
    /// The newest whole packet taken.
    base: Option<Seq>,
    asked: bool,
    /// The slots that a packet names; empty between packets.
    named: Bits,
}

impl DeltaMirror {
    /// Nothing held, of slots below `slots`. What is said of others is ignored: nothing grows by what a packet claims.
    pub fn new(slots: usize) -> Self {
        Self {
            held: Bits::new(slots),
            lives: vec![0; slots],
            digest: SetDigest::new(),
            window: None,
            base: None,
            asked: false,
            named: Bits::new(slots),
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        self.held.heap() + self.lives.len() + self.named.heap()
    }

    /// Takes a packet, and calls `changed` for each thing that it changed: first what left, then what entered.
    pub fn apply(
        &mut self,
        plan: &DeltaPlan,
        mut changed: impl FnMut(Change),
    ) -> Result<Applied, Unfit> {
        if self.window.is_some_and(|window| plan.seq <= window.newest) {
            return Err(Unfit::Late);
        }
        if plan.is_whole() {
            self.base = Some(plan.seq);
        } else if plan.base.is_some() && self.base < plan.base {
            return Err(Unfit::Baseless);
        }
        let mut applied = Applied::default();
        let mut note = |change| {
            match change {
                Change::Entered(_) => applied.entered += 1,
                Change::Left(_) => applied.left += 1,
            }
            changed(change);
        };
        for key in &plan.left {
            self.remove(*key, &mut note);
        }
        if !plan.reset.is_empty() {
            for key in &plan.entered {
                self.named.insert(usize::from(key.slot));
            }
            let named = std::mem::take(&mut self.named);
            for slot in 0..self.lives.len() {
                let said = named.contains(slot) || !plan.reset.holds(slot);
                if let Some(key) = self.key(slot).filter(|_| !said) {
                    self.remove(key, &mut note);
                }
            }
            self.named = named;
            self.named.clear();
        }
        for key in &plan.entered {
            self.insert(*key, &mut note);
        }
        match &mut self.window {
            Some(window) => window.mark(plan.seq),
            None => self.window = Some(AckWindow::new(plan.seq)),
        }
        self.asked = plan.ask;
        Ok(applied)
    }

    /// What to say back; `None` before anything was taken.
    pub fn ack(&self) -> Option<Ack> {
        Some(Ack {
            window: self.window?,
            digest: self.digest.total(),
            parts: self.asked.then(|| *self.digest.parts()),
        })
    }

    /// Whether a name is held.
    pub fn holds(&self, key: SlotKey) -> bool {
        self.key(usize::from(key.slot)) == Some(key)
    }

    /// Who is held of a slot.
    pub fn key(&self, slot: usize) -> Option<SlotKey> {
        let held = self.held.contains(slot);
        held.then(|| SlotKey::new(slot as u16, self.lives[slot]))
    }

    /// The slots of which somebody is held.
    pub fn held(&self) -> &Bits {
        &self.held
    }

    /// The digest of what is held.
    pub fn digest(&self) -> &SetDigest {
        &self.digest
    }

    /// Drops everything that is held. The next acknowledgement tells the server so, which then says all of it again.
    pub fn clear(&mut self) {
        self.held.clear();
        self.digest = SetDigest::new();
    }

    fn insert(&mut self, key: SlotKey, note: &mut impl FnMut(Change)) {
        let slot = usize::from(key.slot);
        if slot >= self.lives.len() || self.holds(key) {
            return;
        }
        if let Some(other) = self.key(slot) {
            self.remove(other, note);
        }
        self.held.insert(slot);
        self.lives[slot] = key.life;
        self.digest.insert(key);
        note(Change::Entered(key));
    }

    fn remove(&mut self, key: SlotKey, note: &mut impl FnMut(Change)) {
        if self.holds(key) {
            self.held.remove(usize::from(key.slot));
            self.digest.remove(key);
            note(Change::Left(key));
        }
    }
}
