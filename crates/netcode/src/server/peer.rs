//! One session at the server: what it has sent, what it holds, what it is owed.

use wire::{Goodbye, Header, Hello, Instant, Micros, Refusal, Seating, Seq, SnapshotHead, Tick};

use crate::clock::Pacing;
use crate::game::{Game, Said};
use crate::input::{CommandQueue, Offer};
use crate::output::{Delivery, PeerId};
use crate::replicate::{Baseline, Budget, EventQueue, Item, Received, SentPackets, SummaryList};
use crate::session::{Claim, Greeting};
use crate::traffic::DownTraffic;

/// What happened between the server and one peer since it joined. Plain counters; the reader takes differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeerCounters {
    /// Ticks that ran a command of the player's own.
    pub ran: u64,
    /// Ticks that repeated the last command because none had come.
    pub repeated: u64,
    /// Ticks that ran a neutral command because none had come for long.
    pub neutral: u64,
    /// Commands skipped because the queue was too deep.
    pub skipped: u64,
    /// Commands that no packet brought: known once they are 64 client ticks old.
    pub lost: u64,
    /// Commands that came after a repeat had claimed their tick; their edges still ran.
    pub late: u64,
    /// Snapshots written.
    pub snapshots: u64,
    /// Packets heard.
    pub packets: u64,
    /// Sequences passed over: packets lost, or late by then.
    pub packets_missed: u64,
    /// Packets that came after a newer one.
    pub packets_late: u64,
    /// Packets that came again.
    pub packets_doubled: u64,
    /// Bytes heard.
    pub bytes_up: u64,
    /// Bytes sent.
    pub bytes_down: u64,
    /// The same, by what they say.
    pub down: DownTraffic,
    /// Frames refused.
    pub faults: u64,
}

/// Commands that wait before the first one runs: the pacing's cushion and one more, since those that came first may be
/// the early ones of a link that jitters.
const GATHERED: u8 = Pacing::CUSHION as u8 + 1;

/// A hello counts again this long after a player of the same session was last heard, or has gone. It is longer than packets
/// are late, so that no hello of an earlier join does it, and shorter than a person waits.
pub(super) const REJOIN_AFTER: Micros = Micros::from_millis(1_000);

/// A session: a carrier's connection, perhaps with a player in it or one who watches.
#[derive(Clone, Debug)]
pub(super) struct Peer<G: Game> {
    pub id: PeerId,
    pub delivery: Delivery,
    pub claim: Claim,
    pub heard_at: Micros,
    pub token: u64,
    /// What the newest hello said.
    pub greeting: Option<Greeting>,
    pub refused: Option<Refusal>,
    pub owes_refusal: bool,
    /// Whether its player is gone: it may join again by a new hello.
    pub left: bool,
    /// Whether they went by their own word.
    pub said_goodbye: bool,
    /// Hellos said before are of an earlier join, late or doubled.
    pub open_from: Micros,
    /// What its last player is told for as long as they do not seem to know.
    pub farewell: Option<Farewell>,
    /// The first sequence of its next player, in both directions.
    pub first: Seq,
    /// Whether the carrier takes snapshots.
    pub writable: bool,
    pub seat: Option<Box<Seat<G>>>,
    pub counters: PeerCounters,
}

/// Why a player had to go, in the last packet of theirs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Farewell {
    pub header: Header,
    pub goodbye: Goodbye,
    pub owed: bool,
}

/// How far the sequences of a player lie behind those of the next one in the same session: more packets than are ever under
/// way, so that what is still of the one is not taken to be of the other.
const BETWEEN_PLAYERS: u64 = 1024;

/// A player, or one who watches: everything about their end of the session is made when they join and dies with them.
#[derive(Clone, Debug)]
pub(super) struct Seat<G: Game> {
    pub joined_at: Tick,
    /// The first sequence of both directions.
    pub first: Seq,
    pub received: Received,
    pub sent: SentPackets<Item>,
    pub baseline: Baseline,
    pub budget: Budget,
    pub events: EventQueue<G::Event>,
    pub summaries: SummaryList,
    /// Whether a command came, or anything at all of one who watches: the welcome has arrived, and snapshots may begin.
    pub began: bool,
    pub owes_welcome: bool,
    pub owes_pong: Option<u32>,
    pub owes_snapshot: bool,
    /// The character and what drives it; `None` for one who watches.
    pub play: Option<Play<G>>,
}

/// A character and the commands that drive it.
#[derive(Clone, Debug)]
pub(super) struct Play<G: Game> {
    pub seating: Seating,
    pub queue: CommandQueue<G::Input>,
    /// Commands that the newest tick found waiting.
    pub found: u8,
    /// The newest client tick that a tick of the server has stood for.
    pub judged: Tick,
    /// Ticks that the first commands were let wait; `None` once they run.
    gathering: Option<u8>,
}

impl<G: Game> Peer<G> {
    pub(super) fn new(
        id: PeerId,
        delivery: Delivery,
        claim: Claim,
        first: Seq,
        now: Micros,
    ) -> Self {
        Self {
            id,
            delivery,
            claim,
            heard_at: now,
            token: 0,
            greeting: None,
            refused: None,
            owes_refusal: false,
            left: false,
            said_goodbye: false,
            open_from: Micros::ZERO,
            farewell: None,
            first,
            writable: true,
            seat: None,
            counters: PeerCounters::default(),
        }
    }

    /// The character and what drives it, if it has one.
    pub(super) fn play(&self) -> Option<&Play<G>> {
        self.seat.as_ref()?.play.as_ref()
    }

    /// Owes the answer to a hello that got no seat.
    pub(super) fn refuse(&mut self, refusal: Refusal) {
        self.refused = Some(refusal);
        self.owes_refusal = true;
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(super) fn heap(&self) -> usize {
        self.seat
            .as_ref()
            .map_or(0, |seat| size_of_val(&**seat) + seat.heap())
    }

    /// Something was heard from a player who is gone: perhaps they were never told.
    pub(super) fn owe_farewell(&mut self) {
        if let Some(farewell) = &mut self.farewell {
            farewell.owed = true;
        }
    }

    /// Its player is gone, and is told why if that was not their own doing. Gives back their character.
    pub(super) fn release(&mut self, now: Micros, why: Option<Goodbye>) -> Option<Seating> {
        let seat = self.seat.take()?;
        let next = seat.sent.next();
        self.left = true;
        self.open_from = now + REJOIN_AFTER;
        self.farewell = why.map(|goodbye| Farewell {
            header: seat.received.header(next),
            goodbye,
            owed: true,
        });
        self.first = (next.max(seat.received.newest()) + BETWEEN_PLAYERS).sendable();
        Some(seat.play?.seating)
    }

    /// Why a hello of our version does not fit this server, if it does not.
    pub(super) fn compare(ours: &Hello, theirs: &Hello) -> Option<Refusal> {
        let differ = |ours: u64, theirs: u64| ours != 0 && theirs != 0 && ours != theirs;
        if theirs.rate > wire::MAX_RATE {
            Some(Refusal::RateTooHigh)
        } else if ours.schema != theirs.schema {
            Some(Refusal::Schema)
        } else if differ(ours.actions, theirs.actions) {
            Some(Refusal::Actions)
        } else if differ(ours.world, theirs.world) {
            Some(Refusal::World)
        } else if ours.rate != theirs.rate {
            Some(Refusal::Rate)
        } else {
            None
        }
    }
}

impl<G: Game> Seat<G> {
    pub(super) fn new(seating: Option<Seating>, tick: Tick, first: Seq) -> Self {
        Self {
            joined_at: tick,
            first,
            received: Received::new(first),
            sent: SentPackets::new(first),
            baseline: Baseline::new(usize::from(G::SLOTS)),
            budget: Budget::new(usize::from(G::SLOTS)),
            events: EventQueue::new(u64::from(first.wire())),
            summaries: SummaryList::new(),
            began: false,
            owes_welcome: true,
            owes_pong: None,
            owes_snapshot: false,
            play: seating.map(|seating| Play::new(seating, tick)),
        }
    }

    /// What a snapshot of a tick begins with, but for the number of its entries.
    pub(super) fn head(&self, tick: Tick) -> SnapshotHead {
        let play = self.play.as_ref();
        SnapshotHead {
            tick: tick.wire(),
            judged: play.map_or(0, |play| play.judged.wire()),
            depth: play.map_or(0, |play| play.queue.depth()),
            low_water: play.map_or(0, |play| play.queue.low_water()),
            count: 0,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    fn heap(&self) -> usize {
        self.sent.heap()
            + self.baseline.heap()
            + self.budget.heap()
            + self.events.heap()
            + self.summaries.heap()
    }

    /// Takes the acknowledgements of a header that was heard in tick `now`.
    pub(super) fn acknowledge(&mut self, header: &Header, now: Tick) {
        let Self {
            sent,
            baseline,
            events,
            summaries,
            ..
        } = self;
        sent.acknowledge(header, |seq, item| match item {
            Item::Entity(carried) => baseline.confirm(seq, carried, now),
            Item::Events(last) => events.confirm(last),
            Item::Summaries(round) => summaries.confirm(round),
        });
    }

    pub(super) fn hear_event(&mut self, tick: Tick, said: &Said<G::Event>) {
        let own = self.play.as_ref().map(|play| play.seating.key);
        if said.to.is_none() || said.to == own {
            self.events.push(tick, said.event);
        }
    }
}

impl<G: Game> Play<G> {
    fn new(seating: Seating, tick: Tick) -> Self {
        Self {
            seating,
            queue: CommandQueue::new(),
            found: 0,
            judged: tick,
            gathering: Some(0),
        }
    }

    /// Whether commands run in this tick. The first ones wait until there are as many as the pacing means to keep waiting, or
    /// until they had the time to come: a queue that is begun with one in it runs dry before its player has heard how deep
    /// it is, and every repeat is a misprediction.
    pub(super) fn runs_commands(&mut self) -> bool {
        let Some(waited) = &mut self.gathering else {
            return true;
        };
        if self.queue.newest().is_none() {
            return false;
        }
        *waited += 1;
        if self.queue.depth() >= GATHERED || *waited > GATHERED {
            self.gathering = None;
        }
        self.gathering.is_none()
    }

    /// Where a command's tick is to be looked for.
    pub(super) fn near(&self) -> Tick {
        self.queue.newest().unwrap_or(self.judged)
    }

    /// Queues the commands of a packet, newest tick `newest`, oldest first; returns how many came too late. What the screen
    /// showed belongs to the newest; the one before it was made a tick earlier, and so was what it saw.
    pub(super) fn offer(
        &mut self,
        newest: Tick,
        commands: &[(Tick, G::Input)],
        saw: Option<Instant>,
    ) -> u64 {
        let mut late = 0;
        for &(tick, input) in commands {
            let saw = saw.map(|instant| instant.minus_ticks(newest.since(tick)));
            late += u64::from(self.queue.offer(tick, input, saw) == Offer::Late);
        }
        late
    }
}
