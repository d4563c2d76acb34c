//! A reliable stream in flight: nothing is lost, nothing overtakes, everything waits for what is missing.

use std::collections::VecDeque;

use wire::Micros;

use crate::arena::Stored;
use crate::line::{Line, Trip};
use crate::recovery::Hole;
use crate::{Fate, Flight, PacketId};

/// A packet that reaches the far end at `arrives` and is handed out once all before it are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    pub(crate) id: PacketId,
    pub(crate) sent: Micros,
    /// When its first transmission has left the queue.
    pub(crate) departs: Micros,
    pub(crate) arrives: Micros,
    /// The resend that arrives; 0 is the first transmission.
    pub(crate) resends: u32,
    /// Held up by hand: late, and what it holds back likewise.
    pub(crate) held: bool,
    pub(crate) stored: Stored,
}

/// Packets in the order of sending, and those of them that are not yet repaired.
#[derive(Debug, Default)]
pub(crate) struct Ordered {
    queue: VecDeque<Segment>,
    holes: Vec<Hole>,
    /// The latest arrival of a resent or held packet among those handed out: what arrived before it was held back by it.
    stalled_until: Micros,
    /// When the last resend was sent that gets through: what was lost before is part of the same repair.
    resent_at: Option<Micros>,
}

impl Ordered {
    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.queue.len() * size_of::<Segment>() + self.holes.len() * size_of::<Hole>()
    }

    /// Adds the newest packet, sent at `now`, until which the stream is settled; if it arrives it gives away what is
    /// missing before it.
    pub(crate) fn push(
        &mut self,
        now: Micros,
        line: &Line,
        id: PacketId,
        trip: Trip,
        stored: Stored,
    ) {
        let (mut arrives, mut resends) = (trip.at, 0);
        if trip.lost {
            let hole = Hole::new(id.get(), trip.departs, line);
            let repair = hole.foresee(line);
            (arrives, resends) = (repair.arrives, repair.resend);
            self.holes.push(hole);
        } else {
            let heard = trip.at + line.reverse();
            let holes = &self.holes;
            let repairing = holes
                .iter()
                .any(|hole| hole.is_repaired_by(heard, self.resent_at));
            self.repair(line, |hole| {
                hole.notice(heard, heard - trip.departs, repairing)
            });
        }
        self.queue.push_back(Segment {
            id,
            sent: now,
            departs: trip.departs,
            arrives,
            resends,
            held: false,
            stored,
        });
    }

    /// Makes the resends that are due by `now` under the settings of `line`. Whoever changes the settings calls this
    /// first, and [`Self::foresee`] with the new ones after.
    pub(crate) fn settle(&mut self, now: Micros, line: &Line) {
        // What was foreseen comes true: the settings have not changed since.
        self.holes.retain_mut(|hole| {
            let Some(repair) = hole.resend(now, line) else {
                return true;
            };
            self.resent_at = self.resent_at.max(Some(repair.sent));
            false
        });
    }

    /// Works out again how the resends to come will go.
    pub(crate) fn foresee(&mut self, line: &Line) {
        self.repair(line, |_| true);
    }

    /// The rate has changed: what waits for it leaves at `moved` of the instant at which it would have. The stream is
    /// settled until now, and nothing that has left moves.
    pub(crate) fn requeue(&mut self, moved: impl Fn(Micros) -> Micros) {
        for segment in &mut self.queue {
            let departs = moved(segment.departs);
            segment.arrives = departs + (segment.arrives - segment.departs);
            segment.departs = departs;
        }
        self.holes.iter_mut().for_each(|hole| hole.requeue(&moved));
    }

    /// The next packet and when it is handed out.
    pub(crate) fn first(&self) -> Option<&Segment> {
        self.queue.front()
    }

    /// Takes the first packet out, with its fate.
    pub(crate) fn pop(&mut self) -> Option<(Segment, Fate)> {
        let segment = self.queue.pop_front()?;
        let (fate, stalled_until) = judge(&segment, self.stalled_until);
        self.stalled_until = stalled_until;
        Some((segment, fate))
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Segment> {
        self.queue.iter()
    }

    pub(crate) fn flights(&self) -> impl Iterator<Item = Flight> {
        let (mut due, mut stalled_until) = (Micros::ZERO, self.stalled_until);
        self.queue.iter().map(move |segment| {
            let fate;
            (fate, stalled_until) = judge(segment, stalled_until);
            // Nothing is handed out before what was sent before it.
            due = due.max(segment.arrives);
            Flight {
                id: segment.id,
                sent: segment.sent,
                due,
                len: segment.stored.len as usize,
                fate,
            }
        })
    }

    /// What a later delivery depends on beside the packets themselves. How far [`Self::settle`] has come is not part of
    /// it: that differs with how often the link is asked.
    pub(crate) fn digest(&self, put: &mut impl FnMut(u64)) {
        put(self.stalled_until.get());
        for segment in &self.queue {
            put(segment.departs.get());
            put(segment.arrives.get());
            put(u64::from(segment.resends) << 1 | u64::from(segment.held));
        }
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.queue.capacity() * size_of::<Segment>() + self.holes.capacity() * size_of::<Hole>()
    }

    /// Foresees anew the repair of each hole that `changed` says has changed.
    fn repair(&mut self, line: &Line, mut changed: impl FnMut(&mut Hole) -> bool) {
        for hole in &mut self.holes {
            if !changed(hole) {
                continue;
            }
            let repair = hole.foresee(line);
            // The queue ascends by number, and a hole is settled before its packet arrives.
            if let Ok(at) = self
                .queue
                .binary_search_by_key(&hole.id, |segment| segment.id.get())
            {
                self.queue[at].arrives = repair.arrives;
                self.queue[at].resends = repair.resend;
            }
        }
    }
}

/// The fate of the packet next in order, and until when those after it are held back by resent ones.
fn judge(segment: &Segment, stalled_until: Micros) -> (Fate, Micros) {
    if segment.resends > 0 || segment.held {
        return (Fate::Late, stalled_until.max(segment.arrives));
    }
    let held = segment.arrives < stalled_until;
    (
        if held { Fate::Late } else { Fate::Delivered },
        stalled_until,
    )
}

impl Clone for Ordered {
    fn clone(&self) -> Self {
        Self {
            queue: self.queue.clone(),
            holes: self.holes.clone(),
            stalled_until: self.stalled_until,
            resent_at: self.resent_at,
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.queue.clone_from(&source.queue);
        self.holes.clone_from(&source.holes);
        self.stalled_until = source.stalled_until;
        self.resent_at = source.resent_at;
    }
}

mod meddle;
#[cfg(test)]
mod tests;
