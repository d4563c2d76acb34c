//! A player's place: a client with a clock of its own, two lines to the server, and whoever drives it.

use netcode::client::HeardEvent;
use netcode::{Client, Digest, Drawn, Output};
use scenes::Scene;
use wire::{Micros, SlotKey, Tick};

use super::clock::LocalClock;
use super::drive::{Bot, Driver};
use super::line::{Line, Loss};
use super::screen::Screen;

/// A player's place.
#[derive(Clone, Debug)]
pub(crate) struct Seat<G: Scene> {
    pub screen: Screen<G>,
    pub clock: LocalClock,
    pub up: Line,
    pub down: Line,
    pub driver: Driver,
    bot: Bot<G>,
    /// When the client next has something to do, by its own clock.
    until: Micros,
    /// The tick of its first command.
    first: Option<Tick>,
}

/// What a seat wants the lab to know after it ran.
pub(crate) trait Report<G: Scene> {
    /// A command was made for a tick.
    fn made(&mut self, tick: Tick);
    /// A packet of the seat's was lost.
    fn lost(&mut self, loss: Loss);
    /// The seat heard an event.
    fn heard(&mut self, me: Option<SlotKey>, drawn: &Drawn, event: &HeardEvent<G::Event>);
}

impl<G: Scene> Seat<G> {
    pub(crate) fn new(
        client: Client<G>,
        clock: LocalClock,
        lines: [Line; 2],
        driver: Driver,
        bot: Bot<G>,
    ) -> Self {
        let [up, down] = lines;
        Self {
            screen: Screen::new(client),
            clock,
            up,
            down,
            driver,
            bot,
            until: Micros::ZERO,
            first: None,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.screen.heap() + self.up.heap() + self.down.heap()
    }

    /// When something happens here next.
    pub(crate) fn next_at(&self) -> Micros {
        self.clock
            .when(self.until.min(self.screen.client.next_tick_at()))
    }

    /// Has the client asked at once what there is to do.
    pub(crate) fn wake(&mut self) {
        self.until = Micros::ZERO;
    }

    /// Whether [`Seat::run`] is due.
    pub(crate) fn is_due(&self, now: Micros) -> bool {
        self.next_at() <= now
    }

    /// Makes the command of a tick that is due, runs it, and says what there is to say.
    pub(crate) fn run(&mut self, now: Micros, report: &mut impl Report<G>) {
        let own = self.clock.own(now);
        if self.screen.client.next_tick_at() <= own {
            let all = match self.driver {
                Driver::Bot(_) => G::looks(&self.bot.memory),
                Driver::Hands => false,
                Driver::Script(_) => true,
            };
            self.screen.look(now, own, all);
            let tick = self.screen.client.tick().next();
            let first = *self.first.get_or_insert(tick);
            if let Some(input) = self.decide(tick.since(first)) {
                self.screen.client.hold(own, input);
            }
            report.made(tick);
        }
        self.screen.client.advance(own);
        self.drain(now, report);
    }

    /// What the driver does. Nothing before the screen shows a character.
    fn decide(&mut self, tick: u64) -> Option<G::Input> {
        let screen = &mut self.screen;
        let key = screen.drawn.mine.filter(|_| screen.drawn.own().is_some())?;
        self.bot.key = key;
        Some(match self.driver {
            Driver::Bot(style) => {
                self.bot.memory.style = style;
                self.bot.think(&screen.drawn)
            }
            Driver::Hands => screen.play(screen.pad()),
            Driver::Script(script) => screen.play(script(tick, &screen.drawn).after(&screen.pad())),
        })
    }

    /// Hands what the client says to the line, until it waits.
    pub(crate) fn drain(&mut self, now: Micros, report: &mut impl Report<G>) {
        let mut buf = [0; wire::MAX_PACKET];
        loop {
            let stuffed = self.up.stuffed_until(now);
            self.screen.client.set_writable(stuffed.is_none());
            match self.screen.client.poll(&mut buf) {
                Output::Transmit { len, .. } => {
                    if let Some(loss) = self.up.send(now, &buf[..len]) {
                        report.lost(loss);
                    }
                }
                Output::Event(event) => {
                    self.screen.hear(now, &event);
                    report.heard(self.screen.client.me(), &self.screen.drawn, &event);
                }
                Output::Wait { until } => {
                    let until = stuffed.map_or(until, |until| self.clock.own(until));
                    // What is due now was just done; a machine that says otherwise is asked again, but not forever.
                    self.until = until.max(self.clock.own(now) + Micros::new(1));
                    break;
                }
            }
        }
    }

    /// Everything that what happens here next depends on.
    pub(crate) fn digest(&self, digest: &mut Digest) {
        self.screen.client.digest(digest);
        self.clock.digest(digest);
        for line in [&self.up, &self.down] {
            line.link.digest(&mut |value| digest.u64(value));
        }
        self.bot.digest(digest);
        digest.u64(self.until.get());
        self.screen.digest_pad(digest);
    }
}
