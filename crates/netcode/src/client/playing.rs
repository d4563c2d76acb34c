//! A client that plays: one session with a server.

mod run;
mod say;

use std::collections::VecDeque;

use wire::{
    Header, Instant, MAX_INPUTS, Micros, Quant, Reader, SlotKey, SnapshotHead, Tick, Welcome,
};

use crate::bits::Bits;
use crate::client::HeardEvent;
use crate::client::config::ClientConfig;
use crate::client::counters::ClientCounters;
use crate::client::crowd::Crowd;
use crate::client::hand::Made;
use crate::client::world::{Parsed, World};
use crate::clock::{Pacing, Playback, RttEstimate, SendClock};
use crate::digest::Digest;
use crate::game::Game;
use crate::input::InputHistory;
use crate::interpolate::{Arrivals, DelayPolicy, Interval, Learnt, LeastDelay};
use crate::output::Fault;
use crate::predict::{ErrorOffset, Predictor};
use crate::replicate::{Arrival, EventInbox, Received, SentPackets};
use crate::session::first_sequence;
use crate::shows::Shows;

/// How long after a sleep what piled up may come at once.
const WAKING: Micros = Micros::from_millis(250);

pub(super) use run::{Parts, is_cut, moved_by};

/// The server's word on the own character, not compared yet or compared last.
#[derive(Clone, Copy, Debug)]
struct Judgement {
    /// The server's tick.
    tick: Tick,
    /// The newest own tick that the server had stood for by then.
    judged: Tick,
    /// Whether it waits to be compared.
    pending: bool,
}

/// One session with a server, from the welcome on. Everything in it begins and ends with the session.
#[derive(Clone, Debug)]
pub(super) struct Playing<G: Game> {
    /// Its own character; `None` if it watches.
    pub me: Option<SlotKey>,
    pub heard_at: Micros,
    pub next_ping: Micros,
    /// Since when it has been awake: pings from before are answered too late to time anything.
    awake_since: Option<Micros>,
    received: Received,
    /// What each packet carried: the newest command.
    sent: SentPackets<Tick>,
    inputs: InputHistory<Made<G::Input>>,
    picked: Vec<(Tick, Made<G::Input>)>,
    sends: SendClock,
    owes_inputs: bool,
    inbox: EventInbox,
    pub(super) world: World,
    parsed: Parsed<G::Event>,
    /// The entities of simulated classes.
    pub(super) crowd: Crowd,
    /// The own character's slot alone.
    own: Bits,
    /// Scratch: what a tick moves.
    moves: Bits,
    /// How far the crowd's tick of one who watches is ahead of their own.
    watched: Option<i64>,
    predictor: Predictor,
    pub(super) offset: ErrorOffset,
    pub(super) newest_tick: Tick,
    judgement: Option<Judgement>,
    rtt: RttEstimate,
    pacing: Pacing,
    pub(super) arrivals: Arrivals,
    interval: Interval,
    least: LeastDelay,
    pub(super) playback: Playback,
    /// The newest snapshot applied.
    pub(super) newest: Option<Tick>,
    welcomed_at: Tick,
}

impl<G: Game> Playing<G> {
    pub(super) fn new(
        config: &ClientConfig,
        welcome: &Welcome,
        round_trip: Option<Micros>,
        now: Micros,
    ) -> Self {
        let first = first_sequence(welcome.first);
        let slots = usize::from(G::SLOTS);
        let me = welcome.seat.map(|seat| seat.key);
        let mut own = Bits::new(slots);
        if let Some(me) = me {
            own.insert(usize::from(me.slot));
        }
        let mut rtt = RttEstimate::new();
        if let Some(round_trip) = round_trip {
            rtt.guess(round_trip);
        }
        Self {
            me,
            heard_at: now,
            next_ping: now,
            awake_since: None,
            received: Received::new(first),
            sent: SentPackets::new(first),
            inputs: InputHistory::new(),
            picked: Vec::with_capacity(usize::from(MAX_INPUTS)),
            sends: SendClock::new(config.rate_hz, now),
            owes_inputs: false,
            inbox: EventInbox::new(u64::from(first.wire())),
            world: World::new::<G>(),
            parsed: Parsed::default(),
            crowd: Crowd::new(slots, G::SCHEMA.width()),
            own,
            moves: Bits::new(slots),
            watched: None,
            predictor: Predictor::new(G::SCHEMA.width()),
            offset: ErrorOffset::over(config.smooth),
            newest_tick: Tick::new(welcome.tick),
            judgement: None,
            rtt,
            pacing: Pacing::new(config.rate_hz),
            arrivals: Arrivals::new(config.rate_hz),
            interval: Interval::new(),
            least: LeastDelay::new(),
            playback: Playback::new(config.rate_hz),
            newest: None,
            welcomed_at: Tick::new(welcome.tick),
        }
    }

    /// Classes are shown in other ways from now on: who is simulated goes on from where it was told to be, and who is not any
    /// more stands there until it is told of.
    pub(super) fn show(&mut self, shows: &Shows, game: &mut G) {
        for slot in 0..self.world.slots() {
            let Some((key, class, record)) = self.world.get(slot) else {
                continue;
            };
            let simulated = shows.simulates(G::SCHEMA, class) && Some(key) != self.me;
            if simulated == self.crowd.has(slot) {
                continue;
            }
            if simulated {
                self.crowd.tell(slot);
                self.world.reset_samples(slot);
            } else {
                let width = G::SCHEMA.classes[usize::from(class.0)].width();
                game.load(key, class, &record[..width]);
                self.crowd.forget(slot);
            }
        }
    }

    /// Judges and marks a packet that was read without fault, and takes its acknowledgements. False: it came before.
    pub(super) fn accept(&mut self, header: &Header, counters: &mut ClientCounters) -> bool {
        let (seq, arrival) = self.received.judge(header.seq);
        match arrival {
            Arrival::Newest { missed } => counters.packets_missed += missed,
            Arrival::Late => counters.packets_late += 1,
            Arrival::TooOld => {
                counters.packets_late += 1;
                return false;
            }
            Arrival::Foreign => return false,
            Arrival::Duplicate => {
                counters.packets_doubled += 1;
                return false;
            }
        }
        self.received.mark(seq);
        let inputs = &mut self.inputs;
        self.sent
            .acknowledge(header, |_, newest| inputs.acknowledge(newest));
        true
    }

    pub(super) fn handle_pong(&mut self, now: Micros, stamp: u32) {
        // The stamp is the low half of a time; what came back from the future is a lie, and too old to matter as well.
        let taken = (now.get() as u32).wrapping_sub(stamp);
        let taken = Micros::new(u64::from(taken));
        let slept = self.awake_since.is_some_and(|woke| taken > now - woke);
        if taken < Micros::new(1 << 31) && !slept {
            self.rtt.sample(taken);
        }
    }

    /// It has not been called for `slept`. That time is nobody's silence, and what was learnt of when things come is of no use:
    /// the clocks stand elsewhere to each other now.
    pub(super) fn wake(&mut self, now: Micros, slept: Micros) {
        self.heard_at += slept;
        self.next_ping = now;
        self.awake_since = Some(now);
        self.arrivals.reset();
        self.pacing.reset();
        self.least = LeastDelay::new();
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of the client that a snapshot touches, borrowed apart"
    )]
    pub(super) fn handle_snapshot(
        &mut self,
        now: Micros,
        header: &Header,
        r: &mut Reader<'_>,
        config: &ClientConfig,
        game: &mut G,
        events: &mut VecDeque<HeardEvent<G::Event>>,
        counters: &mut ClientCounters,
    ) -> Result<(), Fault> {
        let head = SnapshotHead::read(r)?;
        let tick = self.snapshot_tick(&head);
        self.world.parse::<G>(tick, &head, r, &mut self.parsed)?;
        if !self.accept(header, counters) {
            return Ok(());
        }

        counters.snapshots += 1;
        self.pass(now, config);
        let heard = self.world.apply(
            tick,
            &self.parsed,
            self.me,
            &config.shows,
            &mut self.crowd,
            game,
        );
        counters.entries += heard.entries;
        counters.entries_late += heard.late;
        counters.births += heard.births;
        counters.ends += heard.ends;
        counters.samples_late = self.world.samples().late();
        self.hear_events(tick, events);

        if self.newest.is_none_or(|newest| tick > newest) {
            self.newest = Some(tick);
            let rtt = self.rtt.rtt().unwrap_or(Micros::ZERO);
            if self.me.is_some() {
                self.pacing.observe(now, head.low_water, rtt);
            }
        }
        // Only one packet of a tick tells of the own character, and it need not be the first of them to come.
        if heard.own && self.judgement.is_none_or(|newest| tick > newest.tick) {
            let judged = Tick::from_wire(head.judged, self.newest_tick);
            self.judgement = Some(Judgement {
                tick,
                judged,
                pending: true,
            });
        }
        let waking = self.awake_since.is_some_and(|woke| now - woke < WAKING);
        if waking && self.arrivals.newest().is_some_and(|old| tick > old) {
            // Of what piled up meanwhile only the newest says where the server is.
            self.arrivals.reset();
        }
        self.arrivals.observe(now, tick);
        self.interval.observe(tick);
        self.world.heard(tick);
        self.steer(now, config);
        Ok(())
    }

    /// The whole number of the tick that a snapshot describes.
    pub(super) fn snapshot_tick(&self, head: &SnapshotHead) -> Tick {
        Tick::from_wire(head.tick, self.newest.unwrap_or(self.welcomed_at))
    }

    fn hear_events(&mut self, tick: Tick, events: &mut VecDeque<HeardEvent<G::Event>>) {
        let first = self.inbox.unwrap(self.parsed.first_event);
        for (at, (age, event)) in self.parsed.events.iter().enumerate() {
            if self.inbox.accept(first + at as u64) {
                events.push_back(HeardEvent {
                    tick: tick - u64::from(*age),
                    event: *event,
                });
            }
        }
    }

    /// Counts the time that passed without news.
    fn pass(&mut self, now: Micros, config: &ClientConfig) {
        let Some(newest) = self.newest else { return };
        let ticks = self.arrivals.front(now) - newest.get() as f64;
        self.least
            .pass(now, ticks / f64::from(config.rate_hz.max(1)) * 1e6);
    }

    fn steer(&mut self, now: Micros, config: &ClientConfig) {
        // After a sleep nothing is known of when things come, and the picture holds.
        let timed = self.arrivals.newest().is_some();
        let Some(newest) = self.newest.filter(|_| timed) else {
            return;
        };
        match config.policy {
            DelayPolicy::Target { rate } => {
                self.least.settle(now, rate, self.interval(config));
            }
            _ => self.least.rest(),
        }
        let target = self.target(now, config);
        self.playback.set_pace(self.arrivals.pace());
        self.playback.set_reach(config.extrapolate_ticks());
        self.playback.steer(now, target, newest);
    }

    /// The tick that the delay asks for, whether or not there is a sample of it.
    pub(super) fn target(&self, now: Micros, config: &ClientConfig) -> f64 {
        config.policy.target(
            self.arrivals.front(now),
            config.rate_hz,
            &self.learnt(config),
        )
    }

    /// What is known of the link that brings the snapshots.
    pub(super) fn learnt(&self, config: &ClientConfig) -> Learnt {
        Learnt {
            interval: self.interval(config),
            jitter: self.arrivals.jitter(),
            one_way: self.one_way(),
            covering: self.least.delay(),
        }
    }

    /// The time between two snapshots.
    fn interval(&self, config: &ClientConfig) -> Micros {
        self.interval.time(config.rate_hz)
    }

    /// How long a snapshot travels, taken to be half of the round trip.
    fn one_way(&self) -> Micros {
        self.rtt.rtt().unwrap_or(Micros::ZERO) / 2
    }

    /// The instant of the others that the screen shows.
    pub(super) fn saw(&self, now: Micros, config: &ClientConfig) -> Instant {
        Instant::from_f64(self.others_at(now, config))
    }

    pub(super) fn predicted(&self, tick: Tick) -> Option<&[i32]> {
        self.predictor.get(tick)
    }

    pub(super) fn judged(&self) -> Option<Tick> {
        self.judgement.map(|judgement| judgement.judged)
    }

    pub(super) fn rtt(&self) -> Option<Micros> {
        self.rtt.rtt()
    }

    pub(super) fn bend(&self) -> f64 {
        self.pacing.bend()
    }

    /// How deep the pacing means to keep the queue; one who watches has none.
    pub(super) fn depth_target(&self) -> Option<f64> {
        self.me.map(|_| self.pacing.target())
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(super) fn heap(&self) -> usize {
        self.sent.heap()
            + size_of_val(self.picked.as_slice())
            + self.world.heap()
            + self.crowd.heap()
            + self.own.heap()
            + self.moves.heap()
            + self.predictor.heap()
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.u64(self.newest.map_or(0, Tick::get));
        digest.u64(self.judged().map_or(0, Tick::get));
        digest.u64(self.rtt().map_or(0, Micros::get));
        digest.u64(Quant::Count { bits: 31 }.encode((self.bend() * 1e6) as f32) as u64);
        self.least.digest(digest);
        for slot in 0..self.world.slots() {
            if let Some((key, _, record)) = self.world.get(slot) {
                digest.u64(u64::from(key.packed()));
                digest.codes(record);
            }
        }
        self.world.summed().digest(digest);
    }
}
