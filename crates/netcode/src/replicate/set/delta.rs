//! What one subscriber is told of a set, given what it surely and what it possibly holds.

use wire::{Micros, Seq, SlotKey};

use super::digest::{Buckets, SetDigest};
use super::log::{Log, Settled};
use super::window::AckWindow;
use crate::bits::Bits;
use crate::replicate::Recovery;

/// What one packet says: the difference that leaves the subscriber holding the set of that moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeltaPlan {
    /// The packet, as [`DeltaBaseline::plan`] was told.
    pub seq: Seq,
    /// The first whole packet of this stream: who has taken neither it nor a later whole one cannot use this difference.
    /// `None`: it is taken on whatever is there, right or wrong (naive).
    pub base: Option<Seq>,
    /// Parts of the set that are said anew: what is held of them and not among `entered` is to be dropped. All of them: this
    /// packet is whole.
    pub reset: Buckets,
    /// The subscriber shall say its digest part by part: the totals differ.
    pub ask: bool,
    /// Names to hold. One takes the place of any other of its slot.
    pub entered: Vec<SlotKey>,
    /// Names that it may hold and shall not.
    pub left: Vec<SlotKey>,
}

impl DeltaPlan {
    /// Whether it is the whole set, and needs nothing that came before.
    pub fn is_whole(&self) -> bool {
        self.reset == Buckets::ALL
    }
}

/// What a subscriber says back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The packets that it took.
    pub window: AckWindow,
    /// The [`total`](SetDigest::total) of what it held after the newest.
    pub digest: u64,
    /// The same part by part, where it was asked.
    pub parts: Option<[u32; SetDigest::BUCKETS]>,
}

/// What an acknowledgement showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// Nothing that can be compared: it is old, or of packets never sent, or of before the newest repair.
    Nothing,
    /// Both ends hold the same.
    InStep,
    /// They do not, and where is being asked.
    Drift,
    /// They do not, in these parts, which the next packet says anew. The mirror's [`Change`](super::Change)s then name the keys.
    DriftIn(Buckets),
}

/// The server's half of a streamed set, for one subscriber.
///
/// A mirror takes no packet after a later one. So an acknowledgement settles every packet up to its newest (the *frontier*): it was
/// taken, or it never will be, and what the subscriber holds there is what the taken ones said, and not what the newest would
/// imply. Packets since may have come or not. So it *surely* holds what it held at the frontier and every packet since has left
/// alone (the intersection of all those sets), and *possibly* that and whatever any packet since has named (their union). It is
/// told what it shall hold and does not surely hold, and to drop what it possibly holds and shall not.
///
/// - **naive** tells the difference to what was told last. Kept because its failure is worth showing.
/// - **acknowledged** tells all of that in every packet until the frontier has passed it: each packet leaves the subscriber right,
///   whatever else was lost.
/// - **prompt** tells it once, and again when the packet that carried it turns out not to have been taken, or was not heard of for
///   the patience that [`plan`](Self::plan) is given.
///
/// Before the first acknowledgement nothing is known: every packet is whole (acknowledged), or one is, with differences behind it
/// that need it, and another after the patience (prompt). One who stays silent for [`HISTORY`](Self::HISTORY) packets, or longer
/// than a window reaches back, is told anew from nothing. Memory: two dozen bytes a slot, that many packets, and what was said
/// since the frontier, at most [`MOST_SAID`](Self::MOST_SAID) and one times 8 bytes a slot and as much again to grow.
///
/// Source: seed `003_6a8f128b2e325724.txt` (what counts as acknowledged, lives, intersection and union, cold start); prompt is our
/// own.
#[derive(Clone, Debug)]
pub struct DeltaBaseline {
    recovery: Recovery,
    /// What the newest packet leaves.
    now: Occupants,
    /// What the frontier left.
    base: Occupants,
    /// Slots of which something was said since the frontier.
    open: Bits,
    /// Slots of which something has to be said.
    owed: Bits,
    log: Log,
    latest: Option<Seq>,
    frontier: Option<Seq>,
    /// The first whole packet since nothing was known.
    began: Option<Seq>,
    /// When the newest whole packet went out.
    whole_at: Option<Micros>,
    ask: bool,
    repair: Buckets,
    /// The packet with the newest repair: what was held before it says nothing.
    repaired: Option<Seq>,
    rebuilds: u64,
}

/// Who is in each slot.
#[derive(Clone, Debug)]
struct Occupants {
    there: Bits,
    /// Of slots where nobody is it means nothing.
    lives: Vec<u8>,
    digest: SetDigest,
}

impl Occupants {
    fn new(slots: usize) -> Self {
        Self {
            there: Bits::new(slots),
            lives: vec![0; slots],
            digest: SetDigest::new(),
        }
    }

    fn clear(&mut self) {
        self.there.clear();
        self.digest = SetDigest::new();
    }

    fn set(&mut self, slot: usize, life: Option<u8>) {
        let old = self.get(slot);
        if old == life {
            return;
        }
        if let Some(old) = old {
            self.digest.remove(SlotKey::new(slot as u16, old));
            self.there.remove(slot);
        }
        if let Some(life) = life {
            self.digest.insert(SlotKey::new(slot as u16, life));
            self.there.insert(slot);
            self.lives[slot] = life;
        }
    }

    fn get(&self, slot: usize) -> Option<u8> {
        self.there.contains(slot).then(|| self.lives[slot])
    }
}

impl DeltaBaseline {
    /// Packets that may be under way or unheard of: two seconds at 64 a second. A subscriber whose frontier is farther back is
    /// told the whole set.
    pub const HISTORY: usize = 128;
    /// How often each slot, on average, may have been spoken of since the frontier, until the same happens.
    pub const MOST_SAID: usize = 4;

    /// A subscriber that holds nothing, of a set of slots below `slots`, which is at most 65,536.
    pub fn new(slots: usize, recovery: Recovery) -> Self {
        Self {
            recovery,
            now: Occupants::new(slots),
            base: Occupants::new(slots),
            open: Bits::new(slots),
            owed: Bits::new(slots),
            log: Log::new(slots),
            latest: None,
            frontier: None,
            began: None,
            whole_at: None,
            ask: false,
            repair: Buckets::default(),
            repaired: None,
            rebuilds: 0,
        }
    }

    /// Memory that it holds beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        2 * (self.now.there.heap() + self.now.lives.len())
            + self.open.heap()
            + self.owed.heap()
            + self.log.heap()
    }

    /// Somebody else is there now, who holds nothing: what is known of the one before would be a plausible lie.
    pub fn restart(&mut self) {
        self.now.clear();
        self.base.clear();
        self.open.clear();
        self.owed.clear();
        self.log.clear();
        self.frontier = None;
        self.began = None;
        self.whole_at = None;
        self.ask = false;
        self.repair = Buckets::default();
    }

    /// How often the whole set was begun anew because the subscriber had been silent for too long.
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }

    /// Packets since the frontier. One who is silent for long need not be sent a packet every tick.
    pub fn unconfirmed(&self) -> usize {
        self.log.packets()
    }

    /// The digest of what the newest packet leaves.
    pub fn digest(&self) -> &SetDigest {
        &self.now.digest
    }

    /// What packet `seq` says, given the set: the slots that the subscriber shall see, and the life of each slot's occupant
    /// (of others it means nothing). `patience` is a round trip and what it varies; only prompt asks.
    ///
    /// # Panics
    /// Where there are fewer lives than slots, or the sequence is not later than the one before.
    pub fn plan(
        &mut self,
        seq: Seq,
        now: Micros,
        patience: Micros,
        visible: &Bits,
        lives: &[u8],
        plan: &mut DeltaPlan,
    ) {
        assert!(self.latest < Some(seq), "sequences ascend: {seq}");
        let naive = self.recovery == Recovery::Naive;
        if self.log.packets() >= Self::HISTORY
            || self.log.events() > Self::MOST_SAID * self.now.lives.len()
        {
            self.restart();
            self.rebuilds += 1;
        }
        let known = self.frontier.is_some();
        let under_way = self.recovery == Recovery::Prompt
            && self.whole_at.is_some_and(|at| at + patience > now);
        let whole = !(known || under_way);
        self.note(visible, lives);
        if self.recovery == Recovery::Prompt && known {
            let owed = &mut self.owed;
            self.log.give_up(now, patience, |slot| owed.insert(slot));
        }
        if whole {
            self.began = self.began.or(Some(seq));
            self.whole_at = Some(now);
        }
        *plan = DeltaPlan {
            seq,
            base: self.began.filter(|_| !naive),
            reset: if whole { Buckets::ALL } else { self.repair },
            ask: self.ask,
            entered: std::mem::take(&mut plan.entered),
            left: std::mem::take(&mut plan.left),
        };
        self.fill(plan);
        self.latest = Some(seq);
        if !plan.reset.is_empty() {
            self.repair = Buckets::default();
            self.repaired = Some(seq);
        }
        self.log.send(seq, now, whole);
        if naive {
            // It counts as held once it is sent.
            self.settle(&AckWindow::new(seq));
        }
    }

    /// Takes what a subscriber says back. What names packets never sent, or forgotten ones, changes nothing.
    pub fn acknowledge(&mut self, ack: &Ack) -> Observed {
        let sent = self
            .latest
            .is_some_and(|latest| ack.window.newest <= latest);
        if !sent || self.recovery == Recovery::Naive {
            return Observed::Nothing;
        }
        if self.log.contains(ack.window.newest) {
            if self.recovery == Recovery::Prompt && !self.log.is_told(&ack.window) {
                // Nobody will ever know what became of the oldest packets.
                self.restart();
                self.rebuilds += 1;
                return Observed::Nothing;
            }
            self.settle(&ack.window);
        }
        self.compare(ack)
    }

    /// The frontier is at the newest of a window: what was said by then is held, or never will be.
    fn settle(&mut self, window: &AckWindow) {
        let each_is_all = self.recovery != Recovery::Prompt;
        let Self {
            base, open, owed, ..
        } = self;
        self.log
            .settle(window, each_is_all, |settled| match settled {
                Settled::Whole if each_is_all => {}
                Settled::Whole => base.clear(),
                Settled::Held { slot, life } => base.set(slot, life),
                Settled::Unsaid { slot } => owed.insert(slot),
                Settled::Closed { slot } => open.remove(slot),
            });
        self.frontier = Some(window.newest);
    }

    /// Whether both ends held the same, where the subscriber speaks of the frontier itself.
    fn compare(&mut self, ack: &Ack) -> Observed {
        let newest = ack.window.newest;
        if self.frontier != Some(newest) || self.repaired.is_some_and(|since| newest < since) {
            return Observed::Nothing;
        }
        if self.base.digest.total() == ack.digest {
            self.ask = false;
            return Observed::InStep;
        }
        let Some(parts) = ack.parts else {
            self.ask = true;
            return Observed::Drift;
        };
        let mut apart = self.base.digest.differing(&SetDigest::from_parts(parts));
        if apart.is_empty() {
            // The total says so and no part does: it is not to be believed about the parts.
            apart = Buckets::ALL;
        }
        self.ask = false;
        self.repair = apart;
        Observed::DriftIn(apart)
    }

    /// Notes what has changed since the packet before: it is owed.
    fn note(&mut self, visible: &Bits, lives: &[u8]) {
        const WORD: usize = 64;
        let slots = self.now.lives.len();
        for (at, word) in visible.words().iter().enumerate() {
            let before = self.now.there.words()[at];
            let chunk = at * WORD..((at + 1) * WORD).min(slots);
            let reborn = lives[chunk.clone()] != self.now.lives[chunk.clone()];
            let mut look = word ^ before | if reborn { *word } else { 0 };
            while look != 0 {
                let slot = at * WORD + look.trailing_zeros() as usize;
                look &= look - 1;
                let new = visible.contains(slot).then(|| lives[slot]);
                if new != self.now.get(slot) {
                    self.now.set(slot, new);
                    self.owed.insert(slot);
                }
            }
            self.now.lives[chunk.clone()].copy_from_slice(&lives[chunk]);
        }
    }

    fn fill(&mut self, plan: &mut DeltaPlan) {
        plan.entered.clear();
        plan.left.clear();
        if plan.is_whole() && self.recovery == Recovery::Prompt {
            // It counts by itself, so all of it is on its way.
            self.owed.union(&self.now.there);
        }
        for slot in self.owed.iter() {
            self.log.say(slot, self.now.get(slot));
            self.open.insert(slot);
        }
        if !plan.reset.is_empty() {
            for slot in self.now.there.iter().filter(|slot| plan.reset.holds(*slot)) {
                let life = self.now.lives[slot];
                plan.entered.push(SlotKey::new(slot as u16, life));
            }
        }
        let said = match self.recovery {
            Recovery::Acknowledged => &self.open,
            Recovery::Naive | Recovery::Prompt => &self.owed,
        };
        for slot in said.iter().filter(|slot| !plan.reset.holds(*slot)) {
            if let Some(life) = self.now.get(slot) {
                plan.entered.push(SlotKey::new(slot as u16, life));
                continue;
            }
            let first = plan.left.len();
            for life in self.log.entered(slot).chain(self.base.get(slot)) {
                let key = SlotKey::new(slot as u16, life);
                if !plan.left[first..].contains(&key) {
                    plan.left.push(key);
                }
            }
        }
        self.owed.clear();
    }
}
