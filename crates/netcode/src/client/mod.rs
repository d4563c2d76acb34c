//! The machine that predicts, and shows the rest in the past.

mod clock;
mod config;
mod counters;
mod crowd;
mod explain;
mod hand;
mod look;
mod playing;
mod summed;
mod told;
mod view;
mod world;

use std::collections::VecDeque;

use wire::{
    Goodbye, Header, Instant, Kind, Micros, Opening, Pong, Reader, Refusal, SlotKey, Tick, Welcome,
    Writer, is_prefixed,
};

use clock::Clock;
pub use config::{ClientConfig, MAX_INPUT_DELAY};
pub use counters::ClientCounters;
use hand::Hand;
use playing::{Parts, Playing};
pub use view::Showing;

use crate::clock::{MAX_TICKS, SendClock, Ticker};
use crate::game::{Commands, Driven, Driver, Game, Simulates, Step};
use crate::output::{Delivery, Fault, Output};
use crate::session::{Why, hello_of};

/// A server that has not been heard for this long is taken to be gone, and one that has not let us in for this long is not
/// asked any more.
pub const SILENCE: Micros = Micros::from_millis(10_000);

/// On a carrier that loses nothing, hello is said again this often all the same: the far end may have been started since.
const HELLO_AGAIN_HZ: u16 = 1;

/// An event with the server's tick at which it happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeardEvent<E> {
    /// When.
    pub tick: Tick,
    /// What.
    pub event: E,
}

/// What a client is, with what exists only then.
#[derive(Clone, Debug)]
enum State<G: Game> {
    Offline {
        me: Option<SlotKey>,
    },
    Joining {
        since: Micros,
        /// Whether a seat is not wanted.
        watch: bool,
        hello: SendClock,
        /// When hello was first said with this token.
        said: Option<Micros>,
        owes: bool,
    },
    Playing(Box<Playing<G>>),
    /// What was told last stays to be looked at: the world holds still.
    Disconnected {
        why: Why,
        last: Option<Box<Playing<G>>>,
        farewell: Option<Farewell>,
    },
}

/// A goodbye that is still to be said.
#[derive(Clone, Copy, Debug)]
struct Farewell {
    times: u8,
    next: Micros,
}

/// How often a goodbye is said on a carrier that loses: at 50 % loss the seat is given back at once in 31 of 32 cases.
const FAREWELLS: u8 = 5;
/// The time between two of them, so that one burst of losses does not take them all.
const FAREWELL_EVERY: Micros = Micros::from_millis(50);

/// A player's end of a match, as a state machine without I/O.
///
/// - *What happened*: [`handle`](Self::handle) for bytes, [`hold`](Self::hold) for the player's hands.
/// - *Time*: [`advance`](Self::advance) runs the ticks that are due.
/// - *What to do*: [`poll`](Self::poll), **to be drained until [`Output::Wait`] after every call of the above**.
/// - *To look*: everything that takes `&self`. Drawing is a pure function of `now`, so a faster display changes nothing.
///
/// It may sleep for as long as it likes, and its driver's clock may be set, back too: time that it was not called in is not
/// held against the server, what it had learnt of arrivals is learnt anew, and it is in control within a second and a round
/// trip of being called again, if its seat is still there.
#[derive(Clone, Debug)]
pub struct Client<G: Game> {
    config: ClientConfig,
    game: G,
    state: State<G>,
    clock: Clock,
    /// The newest own time.
    now: Micros,
    /// The newest tick that ran: the number of its command.
    tick: Tick,
    ticker: Ticker,
    hand: Hand<G::Input>,
    commands: Commands<G::Input>,
    events: VecDeque<HeardEvent<G::Event>>,
    writable: bool,
    /// The session's token: 0 where the carrier proves the address.
    token: u64,
    counters: ClientCounters,
}

/// Events that wait for the driver. It drains them after every call; one that never does loses the oldest.
const EVENTS: usize = 256;

impl<G: Game> Client<G> {
    /// A client that says hello until it is answered. `game` is the world as it is before anything is told: the static map.
    pub fn join(game: G, config: ClientConfig, now: Micros) -> Self {
        Self::ask(game, config, false, now)
    }

    /// The same for one who watches: no character, no commands, everything as it was a moment ago.
    pub fn watch(game: G, config: ClientConfig, now: Micros) -> Self {
        Self::ask(game, config, true, now)
    }

    fn ask(game: G, config: ClientConfig, watch: bool, now: Micros) -> Self {
        let config = config.sane();
        let rate = match config.delivery {
            Delivery::Datagram => config.rate_hz,
            Delivery::Ordered => HELLO_AGAIN_HZ,
        };
        let hello = SendClock::new(rate, now);
        Self::new(
            game,
            config,
            State::Joining {
                since: now,
                watch,
                hello,
                said: None,
                owes: true,
            },
            Tick::default(),
            now,
        )
    }

    /// A game alone: this end simulates and decides everything. The first tick after `first_tick` is due at `now`.
    pub fn offline(mut game: G, config: ClientConfig, first_tick: Tick, now: Micros) -> Self {
        let me = game.join(Driver::Player);
        Self::new(game, config.sane(), State::Offline { me }, first_tick, now)
    }

    fn new(game: G, config: ClientConfig, state: State<G>, tick: Tick, now: Micros) -> Self {
        let clock = Clock::new(now);
        let now = clock.own(now);
        Self {
            game,
            state,
            clock,
            now,
            tick,
            ticker: Ticker::new(config.rate_hz, now),
            hand: Hand::default(),
            commands: Commands::new(G::SLOTS),
            events: VecDeque::new(),
            writable: true,
            token: 0,
            counters: ClientCounters::default(),
            config,
        }
    }

    /// Takes bytes that came from the server. Whatever they are, it does not panic; a frame that is refused changes nothing.
    pub fn handle(&mut self, now: Micros, bytes: &[u8]) -> Result<(), Fault> {
        let now = self.pass(now);
        self.counters.packets_heard += 1;
        self.counters.bytes_down += bytes.len() as u64;
        let result = if is_prefixed(bytes) {
            self.handle_opening(now, bytes)
        } else {
            self.handle_session(now, bytes)
        };
        self.counters.faults += u64::from(result.is_err());
        result
    }

    fn handle_opening(&mut self, now: Micros, bytes: &[u8]) -> Result<(), Fault> {
        let opening = Opening::read(&mut Reader::new(bytes))?;
        let State::Joining {
            watch, said, owes, ..
        } = &mut self.state
        else {
            // A welcome that was said twice, or an answer that comes after we left.
            return match opening {
                Opening::Welcome { .. } | Opening::Challenge { .. } | Opening::Refuse { .. } => {
                    Ok(())
                }
                _ => Err(Fault::WrongDirection { kind: bytes[3] }),
            };
        };
        match opening {
            Opening::Challenge { token } => {
                if self.token != token {
                    *said = None;
                }
                self.token = token;
                *owes = true;
            }
            Opening::Refuse { token, .. } | Opening::Welcome { token, .. }
                if token != self.token =>
            {
                return Err(Fault::Token);
            }
            Opening::Refuse { refusal, .. } => self.end(Why::Refused(refusal)),
            // A tick of another length: nothing that is predicted would be right.
            Opening::Welcome { welcome, .. } if welcome.rate != self.config.rate_hz => {
                self.end(Why::Refused(Refusal::Rate));
            }
            Opening::Welcome { welcome, .. } => {
                if let Some(seat) = welcome.seat {
                    if *watch {
                        return Err(Fault::SeatNotAsked);
                    }
                    if seat.key.slot >= G::SLOTS {
                        let (slot, slots) = (seat.key.slot, G::SLOTS);
                        return Err(Fault::SlotRange { slot, slots });
                    }
                }
                let round_trip = said.map(|said| now - said);
                self.begin(now, &welcome, round_trip);
            }
            _ => return Err(Fault::WrongDirection { kind: bytes[3] }),
        }
        Ok(())
    }

    fn begin(&mut self, now: Micros, welcome: &Welcome, round_trip: Option<Micros>) {
        self.tick = Tick::new(welcome.tick);
        self.ticker = Ticker::new(self.config.rate_hz, now);
        self.hand.begin(now);
        self.state = State::Playing(Box::new(Playing::new(
            &self.config,
            welcome,
            round_trip,
            now,
        )));
    }

    fn handle_session(&mut self, now: Micros, bytes: &[u8]) -> Result<(), Fault> {
        let playing = match &mut self.state {
            State::Playing(playing) => playing,
            // What was under way when we left is nobody's fault.
            State::Disconnected { .. } => return Ok(()),
            State::Offline { .. } | State::Joining { .. } => return Err(Fault::NotJoined),
        };
        let mut r = Reader::new(bytes);
        let header = Header::read(&mut r)?;
        match Kind::peek(&r)? {
            Kind::Snapshot => playing.handle_snapshot(
                now,
                &header,
                &mut r,
                &self.config,
                &mut self.game,
                &mut self.events,
                &mut self.counters,
            )?,
            Kind::Pong => {
                let pong = Pong::read(&mut r)?;
                crate::output::finish(&r)?;
                if playing.accept(&header, &mut self.counters) {
                    playing.handle_pong(now, pong.stamp);
                }
            }
            Kind::Goodbye => {
                let goodbye = Goodbye::read(&mut r)?;
                crate::output::finish(&r)?;
                if playing.accept(&header, &mut self.counters) {
                    self.end(Why::Goodbye(goodbye));
                    return Ok(());
                }
            }
            kind @ (Kind::Input | Kind::Inputs | Kind::Ping) => {
                return Err(Fault::WrongDirection { kind: kind.code() });
            }
        }
        playing.heard_at = now;
        self.keep_newest_events();
        Ok(())
    }

    fn keep_newest_events(&mut self) {
        while self.events.len() > EVENTS {
            self.events.pop_front();
        }
    }

    fn end(&mut self, why: Why) {
        let last = match std::mem::replace(&mut self.state, State::Offline { me: None }) {
            State::Playing(playing) => Some(playing),
            State::Disconnected { last, .. } => last,
            State::Offline { .. } | State::Joining { .. } => None,
        };
        let times = match self.config.delivery {
            Delivery::Ordered => 1,
            Delivery::Datagram => FAREWELLS,
        };
        let says = why == Why::Left && last.is_some();
        self.state = State::Disconnected {
            why,
            last,
            farewell: says.then_some(Farewell {
                times,
                next: self.now,
            }),
        };
    }

    /// Leaves: is disconnected, and says goodbye. On a carrier that loses it is said a few times over a fifth of a second;
    /// [`poll`](Self::poll) waits for ever once all is said, and the carrier may be closed before.
    pub fn leave(&mut self) {
        if !matches!(self.state, State::Disconnected { .. }) {
            self.end(Why::Left);
        }
    }

    /// What the player's hands hold from now on. The next tick takes it whole, later ones without its edges. The instant that
    /// the screen shows now goes with it: that is what the player aimed at.
    pub fn hold(&mut self, now: Micros, input: G::Input) {
        let now = self.pass(now);
        let saw = self.playing().map(|playing| playing.saw(now, &self.config));
        self.hand.hold(now, input, saw);
    }

    /// Runs the ticks that are due, at most [`MAX_TICKS`]; what is due beyond them slips. Before them, everything that was heard
    /// since the last call is compared with what was predicted, once.
    pub fn advance(&mut self, now: Micros) {
        let now = self.pass(now);
        match &mut self.state {
            State::Playing(playing) => {
                if now - playing.heard_at >= SILENCE {
                    return self.end(Why::Silence);
                }
                let parts = &mut Parts {
                    config: &self.config,
                    game: &mut self.game,
                    commands: &mut self.commands,
                    counters: &mut self.counters,
                };
                playing.reconcile(now, self.tick, parts);
            }
            State::Offline { .. } => {}
            State::Joining { since, .. } => {
                if now - *since >= SILENCE {
                    self.end(Why::Silence);
                }
                return;
            }
            State::Disconnected { .. } => return,
        }
        for _ in 0..MAX_TICKS {
            if !self.ticker.is_due(now) {
                break;
            }
            self.run_tick();
        }
        self.counters.slipped += self.ticker.slip(now);
    }

    /// The driver's time, in the client's own. One who slept is woken first.
    fn pass(&mut self, now: Micros) -> Micros {
        let (now, slept) = self.clock.pass(now);
        self.now = self.now.max(now);
        if let Some(slept) = slept {
            match &mut self.state {
                State::Playing(playing) => playing.wake(now, slept),
                State::Joining { since, .. } => *since += slept,
                State::Offline { .. } | State::Disconnected { .. } => {}
            }
        }
        now
    }

    fn run_tick(&mut self) {
        self.tick = self.tick.next();
        self.counters.ticks += 1;
        match &mut self.state {
            State::Playing(playing) => {
                let bend = match playing.me {
                    Some(_) if self.config.pacing => playing.bend(),
                    _ => 1.0,
                };
                let at = self.ticker.take(bend);
                let made = playing.me.map(|_| {
                    let saw = playing.saw(at, &self.config);
                    let delay = self.config.input_delay;
                    self.hand.take(at, delay, saw, &mut self.counters)
                });
                let parts = &mut Parts {
                    config: &self.config,
                    game: &mut self.game,
                    commands: &mut self.commands,
                    counters: &mut self.counters,
                };
                playing.run_tick(at, self.tick, made, parts);
            }
            State::Offline { me } => {
                let me = *me;
                self.run_tick_alone(me);
            }
            State::Joining { .. } | State::Disconnected { .. } => {}
        }
    }

    fn run_tick_alone(&mut self, me: Option<SlotKey>) {
        let at = self.ticker.take(1.0);
        let delay = self.config.input_delay;
        let shows = Instant::default();
        let made = self.hand.take(at, delay, shows, &mut self.counters);
        self.commands.clear();
        if let Some(me) = me {
            let input = made.input;
            self.commands.set(me, Driven { input, saw: None });
        }
        let mut said = Vec::new();
        self.game.step(&mut Step {
            tick: self.tick,
            dt: 1.0 / f32::from(self.config.rate_hz),
            simulates: Simulates::All,
            mine: me,
            replaying: false,
            decides: true,
            commands: &self.commands,
            past: None,
            announced: None,
            said: &mut said,
        });
        let heard = said
            .into_iter()
            .filter(|said| said.to.is_none() || said.to == me);
        self.events.extend(heard.map(|said| HeardEvent {
            tick: self.tick,
            event: said.event,
        }));
        self.keep_newest_events();
    }

    /// What to do next. `buf` must hold [`ClientConfig::max_packet`] bytes.
    pub fn poll(&mut self, buf: &mut [u8]) -> Output<(), HeardEvent<G::Event>> {
        let limit = buf.len().min(self.config.max_packet);
        if self.writable
            && let Some(len) = self.say(&mut buf[..limit])
        {
            self.counters.packets_sent += 1;
            self.counters.bytes_up += len as u64;
            return Output::Transmit {
                to: (),
                len,
                keep: true,
            };
        }
        if let Some(event) = self.events.pop_front() {
            return Output::Event(event);
        }
        Output::Wait {
            until: self.clock.theirs(self.wait_until()),
        }
    }

    /// Whether the carrier takes bytes; it does unless this says otherwise. While it does not, nothing is said, and commands
    /// that fall out of the history meanwhile are lost: what a full socket would deliver seconds late is better not sent.
    pub fn set_writable(&mut self, writable: bool) {
        self.writable = writable;
    }

    fn say(&mut self, buf: &mut [u8]) -> Option<usize> {
        let mut w = Writer::new(buf);
        let now = self.now;
        match &mut self.state {
            State::Joining {
                hello, said, owes, ..
            } => {
                if !(hello.due(now) || *owes) {
                    return None;
                }
                *owes = false;
                said.get_or_insert(now);
                let hello = hello_of(&self.game, self.config.rate_hz);
                Opening::Hello {
                    token: self.token,
                    hello,
                }
                .write(&mut w);
                finish_other(&mut w, &mut self.counters)
            }
            State::Playing(playing) => playing.say(now, &self.config, w, &mut self.counters.up),
            State::Disconnected {
                last: Some(playing),
                farewell,
                ..
            } => {
                let due = farewell.filter(|farewell| farewell.next <= now)?;
                *farewell = (due.times > 1).then_some(Farewell {
                    times: due.times - 1,
                    next: now + FAREWELL_EVERY,
                });
                playing.write_goodbye(&mut w);
                finish_other(&mut w, &mut self.counters)
            }
            State::Offline { .. } | State::Disconnected { .. } => None,
        }
    }

    fn wait_until(&self) -> Micros {
        match &self.state {
            State::Offline { .. } => self.ticker.next_at(),
            State::Joining { hello, since, .. } => hello.next_at().min(*since + SILENCE),
            State::Playing(playing) => self.ticker.next_at().min(playing.next_ping),
            State::Disconnected { farewell, .. } => {
                farewell.map_or(Micros::MAX, |farewell| farewell.next)
            }
        }
    }
}

/// Ends a packet that is neither commands nor a snapshot.
fn finish_other(w: &mut Writer<'_>, counters: &mut ClientCounters) -> Option<usize> {
    let len = w.finish().ok()?;
    counters.up.other += len as u64;
    Some(len)
}
