//! The lab of one scene: a server with its bots, two seats and their lines, run event by event in virtual time.

use netcode::client::HeardEvent;
use netcode::{Claim, Client, Delivery, Digest, Drawn, Game, Output, PeerId, Server};
use scenes::{BotStyle, Scene, ShotTally};
use wire::{Micros, SlotKey, Tick};

use super::clock::LocalClock;
use super::drive::Bot;
use super::line::{Came, Cargo, Line, Loss};
use super::measure::Measure;
use super::mirror::Mirror;
use super::notes::Notes;
use super::screen::Traces;
use super::seat::{Report, Seat};
use super::setup::{self, LabSetup};
use super::strips::{Arrival, Depth, Snapshot};
use super::truth::Truth;
use super::{Action, Side, YOU};
use crate::params::{self, Pair, ParamError, ParamId};
use crate::probe;

/// What the clients' clocks show when the lab's is at zero: nobody's clock agrees with anybody's.
const CLOCKS: [Micros; 2] = [Micros::new(3_007_100), Micros::new(8_003_300)];

/// A server, its bots, two clients and the lines between them.
///
/// [`LabOf::run_to`] goes from event to event. At one instant the order is: packets that are due, by seat and up before
/// down; the server's tick; each seat; the frame that is measured. So cutting time into other pieces changes nothing,
/// and a copy goes on as the original does.
#[derive(Clone, Debug)]
pub struct LabOf<G: Scene> {
    pub(super) setup: LabSetup,
    pub(super) now: Micros,
    pub(super) server: Server<G>,
    server_until: Micros,
    bots: Vec<Bot<G>>,
    pub(super) seats: [Seat<G>; 2],
    pub(super) traces: Traces,
    pub(super) watch: Watch,
    /// Frames measured.
    pub(super) frames: u64,
    /// Scratch: a picture, and a packet.
    pub(super) scratch: Drawn,
    packet: Vec<u8>,
}

/// What looks at the lab and changes nothing.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub truth: Truth,
    pub measure: Measure,
    pub mirror: Mirror,
    pub notes: Notes,
    /// How often the server had stood in for an input of You's by the last tick.
    pub stood_in: u64,
}

impl<G: Scene> LabOf<G> {
    /// A lab at time zero: the clients are about to say hello.
    pub fn new(mut setup: LabSetup) -> Self {
        setup.config = setup.config.to(G::NAME);
        let rate_hz = setup::rate(&setup.config);
        let game = G::new(&setup.scene());
        let empty = game.empty();
        let bot =
            |index: usize, key| Bot::new(key, BotStyle::Duel, rate_hz, setup.seed, index as u64);
        let bots = setup.bots();
        let mut server = Server::new(game, setup::server(&setup), Micros::ZERO);
        let bots = (0..bots)
            .filter_map(|index| Some(bot(index + 2, server.seat()?)))
            .collect();
        let seats = [0, 1].map(|seat: usize| {
            let own = LocalClock::new(CLOCKS[seat]);
            let (config, links) = if seat == YOU {
                let links = [Pair::Up, Pair::Down].map(|way| setup::link(&setup.config, way));
                (setup::client(&setup.config), links)
            } else {
                (setup::other_client(&setup.config), [setup::other_link(); 2])
            };
            let lane = |lane: usize| {
                setup
                    .seed
                    .wrapping_mul(8)
                    .wrapping_add((seat * 2 + lane) as u64)
            };
            let lines = [Line::new(lane(0), links[0]), Line::new(lane(1), links[1])];
            server.connect(
                Micros::ZERO,
                PeerId(seat as u32),
                config.delivery,
                Claim::Seat,
            );
            let client = Client::join(empty.clone(), config, CLOCKS[seat]);
            Seat::new(
                client,
                own,
                lines,
                setup.drivers[seat],
                bot(seat, SlotKey::default()),
            )
        });
        let mut lab = Self {
            setup,
            now: Micros::ZERO,
            server,
            server_until: Micros::ZERO,
            bots,
            seats,
            traces: Traces::default(),
            watch: Watch {
                truth: Truth::new(G::SCHEMA, G::has_characters),
                measure: Measure::since(Micros::ZERO, G::SCHEMA, G::SLOTS, G::body),
                mirror: Mirror::new(G::SLOTS),
                notes: Notes::default(),
                stood_in: 0,
            },
            frames: 0,
            scratch: Drawn::default(),
            packet: Vec::new(),
        };
        let drift = lab.setup.config.get(params::CLOCK_DRIFT);
        lab.seats[YOU].clock.set_drift(Micros::ZERO, drift);
        lab.load_trace();
        lab
    }

    /// Runs everything that is due at or before `to`.
    pub fn run_to(&mut self, to: Micros) {
        loop {
            let at = self.next_at();
            if at > to {
                break;
            }
            self.now = self.now.max(at);
            self.deliver();
            self.run_server();
            self.run_seats();
            self.run_frame();
        }
        self.now = self.now.max(to);
    }

    fn next_at(&self) -> Micros {
        let mut at = self.server_at().min(self.frame_at());
        for seat in &self.seats {
            at = at.min(seat.next_at());
            for line in [&seat.up, &seat.down] {
                at = line.link.next_at().map_or(at, |due| at.min(due));
            }
        }
        at
    }

    fn server_at(&self) -> Micros {
        self.server.next_tick_at().min(self.server_until)
    }

    fn deliver(&mut self) {
        let mut packet = std::mem::take(&mut self.packet);
        for seat in 0..self.seats.len() {
            while let Some(came) = self.seats[seat].up.receive(self.now, &mut packet) {
                self.notice(seat, came, Pair::Up);
                // A refused packet is counted where it was refused; here nobody is to be told.
                let _ = self.server.handle(self.now, PeerId(seat as u32), &packet);
                self.drain_server();
            }
            while let Some(came) = self.seats[seat].down.receive(self.now, &mut packet) {
                self.notice(seat, came, Pair::Down);
                if seat == YOU && came.cargo == Cargo::Snapshot {
                    self.watch.notes.heard(self.now, came.sent);
                    let age = (self.now - came.sent).as_millis_f64() as f32;
                    let arrival = if came.late {
                        Arrival::Late
                    } else {
                        Arrival::Heard
                    };
                    self.watch.measure.strips.push_snapshot(Snapshot {
                        at: self.now,
                        age,
                        arrival,
                    });
                }
                let own = self.seats[seat].clock.own(self.now);
                let _ = self.seats[seat].screen.client.handle(own, &packet);
                self.with_seat(seat, |seat, now, report| seat.drain(now, report));
            }
        }
        self.packet = packet;
    }

    /// On a stream a late packet is one that waited for a loss to be repaired, and worth a word.
    fn notice(&mut self, seat: usize, came: Came, way: Pair) {
        if seat == YOU && came.late && setup::delivery(&self.setup.config) == Delivery::Ordered {
            self.watch.notes.held(self.now, way);
        }
    }

    fn run_server(&mut self) {
        if self.server_at() > self.now {
            return;
        }
        let before = self.server.tick();
        if self.server.next_tick_at() <= self.now {
            if self.bots.iter().any(|bot| G::looks(&bot.memory)) {
                self.server.drawn(&mut self.scratch);
            }
            for bot in &mut self.bots {
                let input = bot.think(&self.scratch);
                self.server.drive(bot.key, input);
            }
        }
        self.server.advance(self.now);
        if self.server.tick() != before {
            let peer = self.server.peer(PeerId(YOU as u32));
            let own = peer
                .as_ref()
                .and_then(|peer| Some((peer.key?, peer.judged)));
            let Watch {
                truth,
                measure,
                mirror,
                ..
            } = &mut self.watch;
            truth.push(&self.server);
            if let Some((key, judged)) = own
                && let Some((_, record)) = truth.record(self.server.tick(), key)
            {
                measure.answered(judged, record);
            }
            measure.judge(truth);
            mirror.judge(truth, G::SCHEMA, G::body, &mut measure.meters);
            if let Some(peer) = peer.filter(|peer| peer.key.is_some()) {
                let stood_in = peer.counters.repeated + peer.counters.neutral;
                if std::mem::replace(&mut self.watch.stood_in, stood_in) < stood_in {
                    self.watch.notes.stood_in(self.now);
                }
                let client = &self.seats[YOU].screen.client;
                let paces = self.setup.config.on(params::INPUT_PACING);
                let target = client.depth_target().filter(|_| paces);
                self.watch.measure.found(Depth {
                    at: self.now,
                    depth: peer.found as f32,
                    target: target.map_or(f32::NAN, |target| target as f32),
                    bend: ((client.bend() - 1.0) * 100.0) as f32,
                });
            }
        }
        self.drain_server();
    }

    fn drain_server(&mut self) {
        let mut buf = [0; wire::MAX_PACKET];
        loop {
            match self.server.poll(&mut buf) {
                Output::Transmit { to, len, keep } => {
                    let to = to.0 as usize;
                    if to == YOU && !keep {
                        self.watch.mirror.told(&self.server, PeerId(YOU as u32));
                    }
                    // Not written: by the time that there is room there is a newer one.
                    if !keep && self.seats[to].down.stuffed_until(self.now).is_some() {
                        continue;
                    }
                    let loss = self.seats[to].down.send(self.now, &buf[..len]);
                    if let Some(loss) = loss.filter(|_| to == YOU) {
                        self.watch.notes.lost(self.now, Pair::Down, loss);
                        let Loss { due, cargo } = loss;
                        if cargo == Cargo::Snapshot {
                            let age = (due - self.now).as_millis_f64() as f32;
                            let lost = Snapshot {
                                at: due,
                                age,
                                arrival: Arrival::Lost,
                            };
                            self.watch.measure.strips.push_snapshot(lost);
                        }
                    }
                }
                Output::Event(said) => {
                    if let Some(shot) = G::shot(&said.event) {
                        self.traces.push(self.now, shot);
                    }
                    self.count_shot(said.to, &said.event);
                }
                Output::Wait { until } => {
                    self.server_until = until.max(self.now + Micros::new(1));
                    break;
                }
            }
        }
    }

    /// Counts what the server said of You: their shots, and hits on them behind cover.
    fn count_shot(&mut self, to: Option<SlotKey>, event: &G::Event) {
        let Some(you) = self.seats[YOU].screen.client.me() else {
            return;
        };
        let measure = &mut self.watch.measure;
        if let Some(shot) = G::shot(event).filter(|shot| shot.by == you) {
            measure.shot(self.now, shot.verdict);
        }
        let mut tally = ShotTally::default();
        G::tally(event, &mut tally);
        if tally.behind_cover > 0 && to == Some(you) {
            let id = probe::SHOTS_BEHIND_COVER;
            measure.meters.count(id, self.now, 1);
        }
    }

    fn run_seats(&mut self) {
        for seat in 0..self.seats.len() {
            if self.seats[seat].is_due(self.now) {
                self.with_seat(seat, |seat, now, report| seat.run(now, report));
            }
        }
    }

    fn with_seat(
        &mut self,
        seat: usize,
        run: impl FnOnce(&mut Seat<G>, Micros, &mut SeatReport<'_>),
    ) {
        let mut report = SeatReport {
            now: self.now,
            watch: (seat == YOU).then_some(&mut self.watch),
        };
        run(&mut self.seats[seat], self.now, &mut report);
    }

    /// Does something to the lab at this instant.
    pub fn act_on(&mut self, action: Action) {
        match action {
            Action::Set(id, value) => self.set(id, value),
            Action::Drive(seat, driver) => {
                self.setup.drivers[seat] = driver;
                self.seats[seat].driver = driver;
            }
            Action::Pad(seat, pad) => self.seats[seat].screen.set_pad(pad),
            Action::Trace(trace) => {
                self.setup.trace = Some(trace);
                self.load_trace();
            }
            Action::Perturb { seat, side, shock } => {
                let Seat { up, down, .. } = &mut self.seats[seat];
                if side != Side::Down {
                    up.link.shock(self.now, shock);
                }
                if side != Side::Up {
                    down.link.shock(self.now, shock);
                }
            }
            Action::Meddle {
                seat,
                side,
                id,
                what,
            } => self.meddle(seat, side, id, what),
        }
    }

    /// Gives You's link the trace to play, both ways.
    fn load_trace(&mut self) {
        let you = &mut self.seats[YOU];
        for line in [&mut you.up, &mut you.down] {
            line.link.set_trace(self.now, self.setup.trace.clone());
        }
    }

    fn set(&mut self, id: ParamId, value: f64) {
        if let Err(error) = self.setup.config.set(id, value) {
            debug_assert!(
                matches!(error, ParamError::Elsewhere { .. }),
                "not checked: {error}"
            );
            return;
        }
        if id.param().restarts {
            let muted = self.watch.notes.is_muted();
            *self = Self::new(self.setup.clone());
            self.watch.notes.mute(muted);
            return;
        }
        let config = &self.setup.config;
        self.server.reconfigure(setup::server(&self.setup));
        let you = &mut self.seats[YOU];
        you.screen.client.reconfigure(setup::client(config));
        you.clock
            .set_drift(self.now, config.get(params::CLOCK_DRIFT));
        for (line, way) in [(&mut you.up, Pair::Up), (&mut you.down, Pair::Down)] {
            line.set(self.now, setup::link(config, way));
        }
        // What waited for the socket may go sooner.
        you.wake();
    }

    /// Memory that a copy takes, bytes.
    pub fn size(&self) -> usize {
        size_of::<Self>()
            + self.server.heap()
            + size_of_val(self.bots.as_slice())
            + self.seats.iter().map(Seat::heap).sum::<usize>()
            + self.traces.heap()
            + self.watch.truth.heap()
            + self.watch.mirror.heap()
            + self.watch.measure.heap()
            + self.watch.notes.heap()
            + self.scratch.heap()
            + self.packet.len()
    }

    /// Whether an action would change anything: the same pad, the same value, the same driver do not.
    pub fn is_news(&self, action: &Action) -> bool {
        match action {
            Action::Set(id, value) => self.setup.config.get(*id) != *value,
            Action::Drive(seat, driver) => !self.seats[*seat].driver.is(driver),
            Action::Pad(seat, pad) => self.seats[*seat].screen.is_news(pad),
            Action::Trace(trace) => self.setup.trace.as_ref() != Some(trace),
            Action::Perturb { .. } => true,
            Action::Meddle {
                seat,
                side,
                id,
                what,
            } => {
                let Seat { up, down, .. } = &self.seats[*seat];
                let line = if *side == Pair::Up { up } else { down };
                line.link.may_meddle(self.now, *id, *what).is_ok()
            }
        }
    }

    /// A hash of everything that what happens next depends on; what only measures is left out.
    pub fn digest_all(&self) -> u64 {
        let mut digest = Digest::new();
        digest.u64(self.now.get());
        self.server.digest(&mut digest);
        for bot in &self.bots {
            bot.digest(&mut digest);
        }
        for seat in &self.seats {
            seat.digest(&mut digest);
        }
        for id in self.setup.config.params() {
            digest.f64(self.setup.config.get(id));
        }
        digest.get()
    }

    /// The server, to look at.
    pub fn server(&self) -> &Server<G> {
        &self.server
    }

    /// A seat's client, to look at.
    pub fn client(&self, seat: usize) -> &Client<G> {
        &self.seats[seat].screen.client
    }
}

/// What You's seat tells the lab; the other's is told to nobody.
struct SeatReport<'a> {
    now: Micros,
    watch: Option<&'a mut Watch>,
}

impl<G: Scene> Report<G> for SeatReport<'_> {
    fn made(&mut self, tick: Tick) {
        if let Some(watch) = &mut self.watch {
            watch.measure.made(tick, self.now);
        }
    }

    fn lost(&mut self, loss: Loss) {
        if let Some(watch) = &mut self.watch {
            watch.notes.lost(self.now, Pair::Up, loss);
        }
    }

    fn heard(
        &mut self,
        me: Option<SlotKey>,
        drawn: &Drawn,
        event: &HeardEvent<<G as Game>::Event>,
    ) {
        if let (Some(watch), Some(me)) = (&mut self.watch, me)
            && let Some(note) = G::tell(&event.event, me, drawn)
        {
            watch.notes.push(self.now, note.kind, note.text);
        }
    }
}
