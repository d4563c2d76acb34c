//! A player's place: a client with a clock of its own, two lines to the server, and whoever drives it.

use std::collections::VecDeque;

use netcode::client::HeardEvent;
use netcode::{Client, Digest, Drawn, Output};
use scenes::{Pad, Scene, Shot, ShotTally, Unjudged};
use wire::{Micros, SlotKey, Tick};

use super::clock::LocalClock;
use super::drive::{Bot, Driver};
use super::line::{Line, Loss};

/// How long the trace of a shot is shown.
pub(crate) const SHOWN: Micros = Micros::from_millis(1_000);

/// Traces kept at most; the lab's characters together shoot at most 80 times a second.
const TRACES: usize = 96;

/// A shot as a pane shows it for a while.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trace {
    pub at: Micros,
    pub shot: Shot,
}

/// The traces of a pane, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces(VecDeque<Trace>);

impl Traces {
    pub(crate) fn push(&mut self, at: Micros, shot: Shot) {
        while self.0.len() >= TRACES || self.0.front().is_some_and(|old| at - old.at > SHOWN) {
            self.0.pop_front();
        }
        self.0.push_back(Trace { at, shot });
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.0.len() * size_of::<Trace>()
    }

    pub(crate) fn shown(&self, now: Micros) -> impl Iterator<Item = &Trace> {
        self.0.iter().filter(move |trace| now - trace.at <= SHOWN)
    }
}

/// A player's place.
#[derive(Clone, Debug)]
pub(crate) struct Seat<G: Scene> {
    pub client: Client<G>,
    pub clock: LocalClock,
    pub up: Line,
    pub down: Line,
    pub driver: Driver,
    bot: Bot<G>,
    pad: Pad,
    /// When the client next has something to do, by its own clock.
    until: Micros,
    /// What its screen showed when it last made a command.
    pub drawn: Drawn,
    pub traces: Traces,
    /// When and where on its own screen it was hit behind cover, last.
    pub covered: Option<(Micros, [f32; 2])>,
    /// An own shot that nobody has judged yet, and the number of the newest.
    pub unjudged: Option<(Micros, Unjudged)>,
    newest_shot: Option<u8>,
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
            client,
            clock,
            up,
            down,
            driver,
            bot,
            pad: Pad::default(),
            until: Micros::ZERO,
            drawn: Drawn::default(),
            traces: Traces::default(),
            covered: None,
            unjudged: None,
            newest_shot: None,
            first: None,
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        self.client.heap()
            + self.up.heap()
            + self.down.heap()
            + self.drawn.heap()
            + self.traces.heap()
    }

    /// When something happens here next.
    pub(crate) fn next_at(&self) -> Micros {
        self.clock.when(self.until.min(self.client.next_tick_at()))
    }

    /// Has the client asked at once what there is to do.
    pub(crate) fn wake(&mut self) {
        self.until = Micros::ZERO;
    }

    /// Whether [`Seat::run`] is due.
    pub(crate) fn is_due(&self, now: Micros) -> bool {
        self.next_at() <= now
    }

    /// Somebody's hands are on the pad.
    pub(crate) fn set_pad(&mut self, pad: Pad) {
        let unseen = self.pad.pressed;
        self.pad = pad.after(&self.pad);
        // A press stays until a tick has taken it, however often the pad is read in between.
        self.pad.pressed |= unseen;
    }

    /// Whether a pad differs from the one that is on. One that is pressed once more does.
    pub(crate) fn is_news(&self, pad: &Pad) -> bool {
        let bits = |pad: &Pad| [pad.x, pad.y, pad.aim_x, pad.aim_y].map(f32::to_bits);
        let same = bits(pad) == bits(&self.pad) && pad.buttons == self.pad.buttons;
        !same || pad.pressed & !self.pad.pressed != 0
    }

    /// Makes the command of a tick that is due, runs it, and says what there is to say.
    pub(crate) fn run(&mut self, now: Micros, report: &mut impl Report<G>) {
        let own = self.clock.own(now);
        if self.client.next_tick_at() <= own {
            self.client.drawn(own, &mut self.drawn);
            self.notice_shots(now);
            let tick = self.client.tick().next();
            let first = *self.first.get_or_insert(tick);
            if let Some(input) = self.decide(tick.since(first)) {
                self.client.hold(own, input);
            }
            report.made(tick);
        }
        self.client.advance(own);
        self.drain(now, report);
    }

    /// What the driver does. Nothing before the screen shows a character.
    fn decide(&mut self, tick: u64) -> Option<G::Input> {
        let key = self.drawn.mine.filter(|_| self.drawn.own().is_some())?;
        self.bot.key = key;
        match self.driver {
            Driver::Bot(style) => {
                self.bot.memory.style = style;
                Some(self.bot.think(&self.drawn))
            }
            Driver::Hands => {
                let pad = self.pad;
                self.pad.pressed = 0;
                Some(G::input(&pad, self.own_place()))
            }
            Driver::Script(script) => {
                let pad = script(tick, &self.drawn).after(&self.pad);
                self.pad = Pad { pressed: 0, ..pad };
                Some(G::input(&pad, self.own_place()))
            }
        }
    }

    fn own_place(&self) -> Option<[f32; 2]> {
        let (body, values) = self.drawn.iter().find(|(body, _)| body.mine)?;
        G::body(body.class, values).map(|body| body.place)
    }

    fn notice_shots(&mut self, now: Micros) {
        let Some(shot) = G::unjudged(&self.drawn) else {
            return;
        };
        if self
            .newest_shot
            .replace(shot.number)
            .is_some_and(|before| before != shot.number)
        {
            self.unjudged = Some((now, shot));
        }
    }

    /// Hands what the client says to the line, until it waits.
    pub(crate) fn drain(&mut self, now: Micros, report: &mut impl Report<G>) {
        let mut buf = [0; wire::MAX_PACKET];
        loop {
            let stuffed = self.up.stuffed_until(now);
            self.client.set_writable(stuffed.is_none());
            match self.client.poll(&mut buf) {
                Output::Transmit { len, .. } => {
                    if let Some(loss) = self.up.send(now, &buf[..len]) {
                        report.lost(loss);
                    }
                }
                Output::Event(event) => {
                    let me = self.client.me();
                    if let Some(shot) = G::shot(&event.event) {
                        self.traces.push(now, shot);
                        let own = Some(shot.by) == me;
                        if own
                            && self
                                .unjudged
                                .is_some_and(|(_, open)| open.number == shot.number)
                        {
                            self.unjudged = None;
                        }
                    }
                    let mut tally = ShotTally::default();
                    G::tally(&event.event, &mut tally);
                    if tally.behind_cover > 0 {
                        self.covered = self.own_place().map(|place| (now, place));
                    }
                    report.heard(me, &self.drawn, &event);
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
        self.client.digest(digest);
        self.clock.digest(digest);
        for line in [&self.up, &self.down] {
            line.link.digest(&mut |value| digest.u64(value));
        }
        self.bot.digest(digest);
        digest.u64(self.until.get());
        digest.u64(u64::from(self.pad.buttons) << 32 | u64::from(self.pad.pressed));
        for value in [self.pad.x, self.pad.y, self.pad.aim_x, self.pad.aim_y] {
            // No pointer is NaN, which has many forms; and rest has two.
            digest.u64(if value.is_nan() {
                u64::MAX
            } else {
                u64::from((value + 0.0).to_bits())
            });
        }
    }
}
