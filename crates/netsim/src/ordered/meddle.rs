//! One packet of the stream, taken in hand.

use wire::Micros;

use super::Ordered;
use crate::line::Line;
use crate::recovery::Hole;
use crate::{PacketId, Unmeddled};

impl Ordered {
    /// Whether the transmission of `id` that the stream waits for is in flight.
    pub(crate) fn may_meddle(
        &self,
        now: Micros,
        line: &Line,
        id: PacketId,
    ) -> Result<(), Unmeddled> {
        let hole = self.holes.iter().find(|hole| hole.id == id.get());
        // One whose resend is past is a hole only until the stream is settled.
        if hole.is_some_and(|hole| hole.foresee(line).sent > now) {
            return Err(Unmeddled::Unrepaired);
        }
        match self.queue.iter().find(|segment| segment.id == id) {
            None => Err(Unmeddled::Arrived),
            Some(segment) if segment.arrives <= now => Err(Unmeddled::Behind),
            Some(_) => Ok(()),
        }
    }

    /// Loses the transmission of `id` that is in flight; the stream is settled until `now`. The sender learns of it from
    /// what was sent later and arrives, as of any loss, but does nothing before `now`.
    pub(crate) fn lose(&mut self, now: Micros, line: &Line, id: PacketId) {
        let Ok(at) = self.find(id) else { return };
        let segment = self.queue[at];
        let mut hole = match segment.resends {
            0 => Hole::new(id.get(), segment.departs, line),
            // When it was sent again is not kept: the wait for the next time begins now.
            resends => Hole::after(id.get(), resends, now, line),
        };
        for later in self.queue.range(at + 1..) {
            let missing = self.holes.iter().any(|hole| hole.id == later.id.get());
            if !missing && segment.resends == 0 {
                let heard = later.arrives + line.reverse();
                hole.notice(heard, heard - later.departs, false);
            }
        }
        hole.not_before(now);
        let repair = hole.foresee(line);
        self.holes.push(hole);
        let segment = &mut self.queue[at];
        (segment.arrives, segment.resends) = (repair.arrives, repair.resend);
        segment.held = false;
    }

    /// Makes the transmission of `id` arrive so much later.
    pub(crate) fn hold(&mut self, id: PacketId, extra: Micros) {
        if let Ok(at) = self.find(id) {
            let segment = &mut self.queue[at];
            segment.arrives += extra;
            segment.held = true;
        }
    }

    /// Where a packet stands: the queue ascends by number.
    fn find(&self, id: PacketId) -> Result<usize, usize> {
        self.queue.binary_search_by_key(&id, |segment| segment.id)
    }
}
