//! The machine that decides.

mod config;
mod explain;
mod joining;
mod look;
mod peer;
mod uplink;
mod viewer;

use wire::{
    Goodbye, Header, Micros, Opening, Pong, Reader, SlotKey, Tick, Welcome, Writer, is_prefixed,
};

pub use config::ServerConfig;
use joining::Suspended;
pub use look::PeerView;
pub use peer::PeerCounters;
use peer::{Peer, Play, Seat};
use uplink::Uplink;
use viewer::Viewer;

use crate::bits::Bits;
use crate::clock::{SendClock, Ticker};
use crate::game::{Commands, Driven, Driver, Game, Input, Said, Simulates, Step};
use crate::input::What;
use crate::output::{Delivery, Fault, Output, PeerId};
use crate::replicate::{Arrival, Selection, Telling};
use crate::rewind::History;
use crate::session::{Claim, first_sequence};
use crate::table::Table;
use crate::traffic::DownTraffic;

/// A session that has not been heard for this long is over.
pub const SILENCE: Micros = Micros::from_millis(10_000);

/// What the server did since it was made. Plain counters; the reader takes differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerCounters {
    /// Ticks run.
    pub ticks: u64,
    /// Ticks that were due and never ran, after a stall.
    pub slipped: u64,
    /// Joins accepted.
    pub joins: u64,
    /// Joins refused.
    pub refusals: u64,
    /// Snapshots written.
    pub snapshots: u64,
    /// Entries written into them.
    pub entries: u64,
}

/// The authoritative server of a game, as a state machine without I/O.
///
/// - *What happened*: [`connect`](Self::connect), [`disconnect`](Self::disconnect), [`suspend`](Self::suspend),
///   [`handle`](Self::handle).
/// - *Time*: [`advance`](Self::advance) runs the ticks that are due.
/// - *What to do*: [`poll`](Self::poll), **to be drained until [`Output::Wait`] after every call of the above**.
/// - *To look*: everything that takes `&self`.
///
/// It owns nothing on any screen; characters driven by this process (bots) are [`seat`](Self::seat)ed and
/// [`drive`](Self::drive)n, by the same rules as players.
#[derive(Clone, Debug)]
pub struct Server<G: Game> {
    config: ServerConfig,
    game: G,
    tick: Tick,
    ticker: Ticker,
    sends: SendClock,
    now: Micros,
    table: Table,
    history: History,
    peers: Vec<Peer<G>>,
    suspended: Vec<Suspended>,
    /// Characters driven by this process, with the input that they hold.
    driven: Vec<(SlotKey, G::Input)>,
    next_player: u16,
    commands: Commands<G::Input>,
    said: Vec<Said<G::Event>>,
    /// How many of `said` the driver has taken.
    told: usize,
    news: Bits,
    announced: Bits,
    /// Scratch: what a viewer hears.
    hears: Bits,
    selection: Selection,
    counters: ServerCounters,
}

impl<G: Game> Server<G> {
    /// A server of a game; its first tick is due at `now`.
    pub fn new(game: G, config: ServerConfig, now: Micros) -> Self {
        let config = config.sane();
        let mut table = Table::new(G::SCHEMA, G::SLOTS);
        let mut news = Bits::new(usize::from(G::SLOTS));
        let announced = Bits::new(usize::from(G::SLOTS));
        table.collect(
            &game,
            config.first_tick,
            &config.shows,
            &announced,
            &mut news,
        );
        news.clear();
        Self {
            game,
            tick: config.first_tick,
            ticker: Ticker::new(config.rate_hz, now),
            sends: SendClock::new(config.snapshots_hz, now),
            now,
            table,
            history: History::new(G::SCHEMA, G::SLOTS),
            peers: Vec::new(),
            suspended: Vec::new(),
            driven: Vec::new(),
            next_player: config.first_player,
            commands: Commands::new(G::SLOTS),
            said: Vec::new(),
            told: 0,
            hears: news.clone(),
            news,
            announced,
            selection: Selection::default(),
            counters: ServerCounters::default(),
            config,
        }
    }

    /// A carrier's session opened, by somebody whom the driver knows as `claim` says. It holds no seat before it has said
    /// hello. Opening one that is open starts it afresh.
    pub fn connect(&mut self, now: Micros, id: PeerId, delivery: Delivery, claim: Claim) {
        self.disconnect(now, id);
        let first = first_sequence(self.config.first_seq);
        self.peers.push(Peer::new(id, delivery, claim, first, now));
    }

    /// A carrier's session is over, for good. Its player leaves, whatever was said.
    pub fn disconnect(&mut self, now: Micros, id: PeerId) {
        self.close(now, id, false);
    }

    /// A carrier's session is over without a word. Its player's seat is kept for [`ServerConfig::resume`], the character stays
    /// and nobody drives it; a session opened as [`Claim::Resume`] takes it up again. One who never played is let go.
    pub fn suspend(&mut self, now: Micros, id: PeerId) {
        let began = self.seat_of(id).is_some_and(|seat| seat.began);
        self.close(now, id, began);
    }

    fn close(&mut self, now: Micros, id: PeerId, keep: bool) {
        self.now = self.now.max(now);
        if let Some(at) = self.peers.iter().position(|peer| peer.id == id) {
            self.let_go(at, None, keep);
            self.peers.remove(at);
        }
    }

    /// Sends a player away: frees the seat at once, and says why for as long as the player goes on sending.
    pub fn dismiss(&mut self, id: PeerId, why: Goodbye) {
        if let Some(at) = self.peers.iter().position(|peer| peer.id == id) {
            self.let_go(at, Some(why), false);
        }
    }

    /// Gives up waiting for a player who is suspended: the seat is free at once.
    pub fn forget(&mut self, player: u16) {
        let kept = |kept: &Suspended| kept.seating.player == player;
        if let Some(at) = self.suspended.iter().position(kept) {
            let kept = self.suspended.remove(at);
            self.game.leave(kept.seating.key);
        }
    }

    /// The players who are waited for.
    pub fn suspended(&self) -> impl Iterator<Item = u16> {
        self.suspended.iter().map(|kept| kept.seating.player)
    }

    /// The character of a player, seated or waited for.
    pub fn character(&self, player: u16) -> Option<SlotKey> {
        let playing = self.peers.iter().filter_map(Peer::play);
        let seated = playing.map(|play| play.seating);
        let mut seats = seated.chain(self.suspended.iter().map(|kept| kept.seating));
        Some(seats.find(|seating| seating.player == player)?.key)
    }

    /// Whether the carrier of a session takes snapshots; it does unless this says otherwise. While it does not, none is
    /// written, and the first one afterwards tells of the newest tick. Words are written all the same.
    pub fn set_writable(&mut self, id: PeerId, writable: bool) {
        if let Some(peer) = self.peers.iter_mut().find(|peer| peer.id == id) {
            peer.writable = writable;
        }
    }

    fn seat_of(&self, id: PeerId) -> Option<&Seat<G>> {
        self.peers
            .iter()
            .find(|peer| peer.id == id)?
            .seat
            .as_deref()
    }

    /// Seats a character that this process drives. `None` if the server is full or the game declines.
    pub fn seat(&mut self) -> Option<SlotKey> {
        if self.seated() >= usize::from(self.config.max_players) {
            return None;
        }
        let key = self.game.join(Driver::Bot)?;
        self.driven.push((key, G::Input::default()));
        Some(key)
    }

    /// Takes away a character that this process drives.
    pub fn unseat(&mut self, key: SlotKey) {
        if let Some(at) = self.driven.iter().position(|(driven, _)| *driven == key) {
            self.driven.remove(at);
            self.game.leave(key);
        }
    }

    /// Sets what a character of this process holds. Its edges run in the next tick only, its levels until it is set again.
    pub fn drive(&mut self, key: SlotKey, input: G::Input) {
        if let Some((_, held)) = self.driven.iter_mut().find(|(driven, _)| *driven == key) {
            *held = input;
        }
    }

    /// Takes bytes that came from a peer. Whatever they are, it does not panic; a frame that is refused changes nothing, save
    /// that a hello is answered.
    pub fn handle(&mut self, now: Micros, id: PeerId, bytes: &[u8]) -> Result<(), Fault> {
        self.now = self.now.max(now);
        let at = self
            .peers
            .iter()
            .position(|peer| peer.id == id)
            .ok_or(Fault::UnknownPeer)?;
        let peer = &mut self.peers[at];
        peer.counters.packets += 1;
        peer.counters.bytes_up += bytes.len() as u64;
        let result = if is_prefixed(bytes) {
            self.handle_opening(at, bytes)
        } else {
            self.handle_session(at, bytes)
        };
        self.peers[at].counters.faults += u64::from(result.is_err());
        result
    }

    fn handle_session(&mut self, at: usize, bytes: &[u8]) -> Result<(), Fault> {
        let tick = self.tick;
        let peer = &mut self.peers[at];
        if peer.left {
            // What was under way when they left is nobody's fault.
            peer.owe_farewell();
            return Ok(());
        }
        let seat = peer.seat.as_mut().ok_or(Fault::NotJoined)?;
        let mut r = Reader::new(bytes);
        let header = Header::read(&mut r)?;
        let near = seat.play.as_ref().map_or(tick, Play::near);
        let message = Uplink::<G::Input>::read(&mut r, near, tick)?;
        if let Uplink::Inputs { count: 1.., .. } = message
            && seat.play.is_none()
        {
            return Err(Fault::Watching);
        }

        let (seq, arrival) = seat.received.judge(header.seq);
        match arrival {
            Arrival::Newest { missed } => peer.counters.packets_missed += missed,
            Arrival::Late | Arrival::TooOld => peer.counters.packets_late += 1,
            Arrival::Duplicate => {
                peer.counters.packets_doubled += 1;
                return Ok(());
            }
            Arrival::Foreign => {
                peer.owe_farewell();
                return Ok(());
            }
        }
        peer.heard_at = self.now;
        seat.received.mark(seq);
        seat.acknowledge(&header, tick);
        match message {
            Uplink::Inputs {
                newest,
                commands,
                count,
                saw,
            } => {
                seat.began |= count > 0;
                if let Some(play) = &mut seat.play {
                    peer.counters.late += play.offer(newest, &commands[..count], saw);
                }
            }
            Uplink::Ping(stamp) => seat.owes_pong = Some(stamp),
            Uplink::Goodbye => {
                self.let_go(at, None, false);
                self.peers[at].said_goodbye = true;
                return Ok(());
            }
        }
        if seat.play.is_none() {
            seat.began = true;
        }
        Ok(())
    }

    /// Runs the ticks that are due, at most [`ServerConfig::catch_up`]; what is due beyond them slips.
    pub fn advance(&mut self, now: Micros) {
        self.now = self.now.max(now);
        for _ in 0..self.config.catch_up {
            if !self.ticker.is_due(now) {
                break;
            }
            let at = self.ticker.take(1.0);
            self.run_tick(at);
        }
        self.counters.slipped += self.ticker.slip(now);
        self.let_go_of_the_silent();
        self.let_go_of_the_absent();
    }

    fn run_tick(&mut self, at: Micros) {
        self.tick = self.tick.next();
        self.counters.ticks += 1;
        self.take_commands();
        self.said.drain(..self.told);
        self.told = 0;
        let unheard = self.said.len();

        let mut step = Step {
            tick: self.tick,
            dt: 1.0 / f32::from(self.config.rate_hz),
            simulates: Simulates::All,
            mine: None,
            replaying: false,
            decides: true,
            commands: &self.commands,
            past: Some(&self.history),
            announced: Some(&mut self.announced),
            said: &mut self.said,
        };
        self.game.step(&mut step);

        self.table.collect(
            &self.game,
            self.tick,
            &self.config.shows,
            &self.announced,
            &mut self.news,
        );
        self.announced.clear();
        self.history.push(self.tick, &self.table);
        let due = self.sends.due(at);
        for peer in &mut self.peers {
            let Some(seat) = &mut peer.seat else { continue };
            seat.baseline.touch_all(&self.news);
            for said in &self.said[unheard..] {
                seat.hear_event(self.tick, said);
            }
            seat.owes_snapshot |= due && seat.began;
        }
        self.news.clear();
    }

    fn take_commands(&mut self) {
        self.commands.clear();
        for (key, input) in &mut self.driven {
            self.commands.set(
                *key,
                Driven {
                    input: *input,
                    saw: None,
                },
            );
            *input = input.without_edges();
        }
        for kept in &self.suspended {
            let input = G::Input::default();
            self.commands
                .set(kept.seating.key, Driven { input, saw: None });
        }
        let reach = self.reach();
        for peer in &mut self.peers {
            let Some(play) = peer.seat.as_mut().and_then(|seat| seat.play.as_mut()) else {
                continue;
            };
            if !play.runs_commands() {
                continue;
            }
            play.found = play.queue.depth();
            let taken = play.queue.take();
            let counters = &mut peer.counters;
            counters.skipped += u64::from(taken.skipped);
            counters.lost += u64::from(taken.lost);
            match taken.what {
                What::Idle => continue,
                What::Ran => counters.ran += 1,
                What::Repeated => counters.repeated += 1,
                What::Neutral => counters.neutral += 1,
            }
            play.judged = taken.tick.unwrap_or(play.judged);
            let saw = taken
                .drawn
                .and_then(|instant| reach.map(|ticks| self.history.clamp(instant, ticks)));
            self.commands.set(
                play.seating.key,
                Driven {
                    input: taken.input,
                    saw,
                },
            );
        }
    }

    /// How many ticks back a shot may reach; `None` with lag compensation off, or where it may not reach back at all: the
    /// newest tick that is kept is already one before the tick that runs.
    fn reach(&self) -> Option<f64> {
        let ticks = self.config.rewind_cap.as_secs_f64() * f64::from(self.config.rate_hz);
        (self.config.rewind && ticks > 0.0).then_some(ticks)
    }

    /// Whoever was not heard for long is told so. The seat of one who played is kept, and the same session takes it up again.
    fn let_go_of_the_silent(&mut self) {
        for at in 0..self.peers.len() {
            let peer = &mut self.peers[at];
            if self.now - peer.heard_at < SILENCE {
                continue;
            }
            let began = peer.seat.as_ref().is_some_and(|seat| seat.began);
            if began && let Some(play) = peer.play() {
                peer.claim = Claim::Resume {
                    player: play.seating.player,
                };
            }
            self.let_go(at, Some(Goodbye::Idle), began);
        }
    }

    /// What to do next. A snapshot is written here, at the last moment, so that nothing stale ever waits in a queue of ours.
    /// `buf` must hold [`ServerConfig::max_packet`] bytes; one that is shorter gets less said.
    pub fn poll(&mut self, buf: &mut [u8]) -> Output<PeerId, Said<G::Event>> {
        for at in 0..self.peers.len() {
            let word = self.say(at, buf);
            if let Some(len) = word.or_else(|| self.say_snapshot(at, buf)) {
                let peer = &mut self.peers[at];
                peer.counters.bytes_down += len as u64;
                if word.is_some() {
                    peer.counters.down.other += len as u64;
                }
                return Output::Transmit {
                    to: peer.id,
                    len,
                    keep: word.is_some(),
                };
            }
        }
        if let Some(said) = self.said.get(self.told) {
            self.told += 1;
            return Output::Event(*said);
        }
        Output::Wait {
            until: self.ticker.next_at(),
        }
    }

    /// What is said beside snapshots.
    fn say(&mut self, at: usize, buf: &mut [u8]) -> Option<usize> {
        let limit = buf.len().min(self.config.max_packet);
        let mut w = Writer::new(&mut buf[..limit]);
        let peer = &mut self.peers[at];
        let token = peer.token;
        if let Some(refusal) = peer.refused
            && std::mem::take(&mut peer.owes_refusal)
        {
            Opening::Refuse { token, refusal }.write(&mut w);
            return w.finish().ok();
        }
        if let Some(farewell) = &mut peer.farewell
            && std::mem::take(&mut farewell.owed)
        {
            farewell.header.write(&mut w);
            farewell.goodbye.write(&mut w);
            return w.finish().ok();
        }
        let seat = peer.seat.as_mut()?;
        if std::mem::take(&mut seat.owes_welcome) {
            let welcome = Welcome {
                seat: seat.play.as_ref().map(|play| play.seating),
                tick: seat.joined_at.get(),
                rate: self.config.rate_hz,
                first: seat.first.wire(),
            };
            Opening::Welcome { token, welcome }.write(&mut w);
            return w.finish().ok();
        }
        if let Some(stamp) = seat.owes_pong.take() {
            seat.received.header(seat.sent.next()).write(&mut w);
            Pong { stamp }.write(&mut w);
            seat.sent.push(self.tick, []);
            return w.finish().ok();
        }
        None
    }

    /// A packet of the newest snapshot that is owed, of which there may be several.
    fn say_snapshot(&mut self, at: usize, buf: &mut [u8]) -> Option<usize> {
        let limit = buf.len().min(self.config.max_packet);
        let mut w = Writer::new(&mut buf[..limit]);
        let peer = &mut self.peers[at];
        let seat = peer.seat.as_mut().filter(|_| peer.writable)?;
        let begins = std::mem::take(&mut seat.owes_snapshot);
        if !begins && !self.selection.is_at(peer.id, self.tick) {
            return None;
        }
        let own = seat.play.as_ref().map(|play| play.seating.key);
        if begins {
            seat.baseline.recover_by(self.config.recovery);
            let viewer = Viewer {
                game: &self.game,
                own,
                tick: self.tick,
            };
            viewer.listen(&mut self.hears, &mut seat.baseline);
            if let Some(own) = own.filter(|_| G::SCHEMA.summary.is_some()) {
                let every = u64::from(self.config.rate_hz / self.config.summaries_hz);
                let game = &self.game;
                let sum_up = |rows: &mut Vec<i32>| game.summarize(own, rows);
                seat.summaries.offer(self.tick, every, sum_up);
            }
            viewer.refresh(&self.config.shows, &seat.baseline, &mut self.table);
        }
        let telling = Telling {
            to: peer.id,
            table: &self.table,
            own,
            tick: self.tick,
            max_packet: limit,
        };
        if begins {
            seat.budget.refill(self.now, self.config.budget);
            let head = seat.head(self.tick);
            let (baseline, budget) = (&mut seat.baseline, &mut seat.budget);
            if !self.selection.begin(&telling, head, baseline, budget) {
                return None;
            }
            if let Some(play) = &mut seat.play {
                play.queue.take_low_water();
            }
        }
        seat.received.header(seat.sent.next()).write(&mut w);
        seat.baseline.begin(seat.sent.next());
        let Seat {
            baseline,
            budget,
            events,
            summaries,
            ..
        } = &mut **seat;
        self.selection
            .write(&telling, baseline, budget, events, summaries, &mut w);
        let len = w.finish().ok()?;
        let DownTraffic {
            own,
            others,
            events,
            summaries,
            ..
        } = self.selection.parts;
        let down = &mut peer.counters.down;
        down.own += own;
        down.others += others;
        down.events += events;
        down.summaries += summaries;
        down.headers += len as u64 - own - others - events - summaries;
        let first = u64::from(self.selection.was_first());
        peer.counters.snapshots += first;
        self.counters.snapshots += first;
        self.counters.entries += self.selection.items.len() as u64;
        seat.sent
            .push(self.tick, self.selection.items.iter().copied());
        Some(len)
    }
}
