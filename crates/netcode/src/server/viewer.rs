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
        let Some(own) = self.own else {
            baseline.hear(None);
            return baseline.tell(None);
        };
        let own_slot = usize::from(own.slot);
        set.clear();
        let some = self.game.interest(own, baseline.heard(), set);
        set.insert(own_slot);
        baseline.hear(some.then_some(&*set));
        set.clear();
        let some = self.game.rota(own, self.tick, set);
        set.insert(own_slot);
        baseline.tell(some.then_some(&*set));
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
