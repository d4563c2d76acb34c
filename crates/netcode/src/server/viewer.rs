//! What one peer hears of in a tick, and the records of it that are made only when they are sent.

use wire::{SlotKey, Tick};

use crate::bits::Bits;
use crate::game::Game;
use crate::replicate::Baseline;
use crate::shows::Shows;
use crate::table::{MAX_WIDTH, Table};

/// One peer that is about to be told of a tick.
pub(super) struct Viewer<'a, G> {
    pub game: &'a G,
    /// Its character; `None` for one who watches, and hears everything.
    pub own: Option<SlotKey>,
    pub tick: Tick,
}

impl<G: Game> Viewer<'_, G> {
    /// Asks the game what it hears of, and what of that in this tick. `set` is scratch.
    pub(super) fn listen(&self, set: &mut Bits, baseline: &mut Baseline) {
        let none = Bits::new(0);
        let before = baseline.heard().unwrap_or(&none);
        let hears = self.ask(set, |own, set| self.game.interest(own, before, set));
        baseline.hear(hears.then_some(&*set));
        let now = self.ask(set, |own, set| self.game.rota(own, self.tick, set));
        baseline.tell(now.then_some(&*set));
    }

    fn ask(&self, set: &mut Bits, of: impl Fn(SlotKey, &mut Bits) -> bool) -> bool {
        let Some(own) = self.own else { return false };
        set.clear();
        let some = of(own, set);
        set.insert(usize::from(own.slot));
        some
    }

    /// Brings the records of what may be sent to the table's tick, where both ends simulate. Each is made once a tick, whoever
    /// is told of it.
    pub(super) fn refresh(&self, shows: &Shows, baseline: &Baseline, table: &mut Table) {
        let mut record = [0; MAX_WIDTH];
        for slot in baseline.open().iter() {
            let (Some(key), Some(class)) = (table.key(slot), table.class(slot)) else {
                continue;
            };
            if table.is_fresh(slot) || !shows.simulates(G::SCHEMA, class) {
                continue;
            }
            let record = &mut record[..G::SCHEMA.classes[usize::from(class.0)].width()];
            self.game.save(key, record);
            table.refresh(slot, record);
        }
    }
}
