//! The client of a real match.

use netcode::client::ClientConfig;
use netcode::{Client, Delivery, Drawn, Output};
use scenes::{Pad, Scene};
use wire::{MAX_PACKET_WEBTRANSPORT, Micros};

use super::clock::Forward;
use super::glance::is_on;
use super::overlay::{Overlay, is_goodbye, keep};
use super::recording::{Recorder, What};
use super::watch::Watch;
use super::{Online, OnlineSetup, SetError, Status, whose};
use crate::lab::screen::Screen;
use crate::lab::{self, FeedLine};
use crate::params::{self, Pair, ParamId};

/// A client whose carrier takes nothing is asked again after this long: it has nothing to say meanwhile, however overdue.
const STUCK: Micros = Micros::from_millis(4);

/// The client of a real match of a scene. What each call does stands at [`Online`].
#[derive(Debug)]
pub struct OnlineOf<G: Scene> {
    pub(super) setup: OnlineSetup,
    pub(super) clock: Forward,
    pub(super) screen: Screen<G>,
    pub(super) overlay: Overlay,
    /// When the client next has something to say.
    until: Micros,
    writable: bool,
    pub(super) watch: Watch,
    recorder: Recorder,
    /// The last picture of the session before, shown until this one has one.
    before: Drawn,
    /// Scratch: a picture, and a packet.
    scratch: Drawn,
    packet: Vec<u8>,
}

impl<G: Scene> OnlineOf<G> {
    /// A client that begins to ask to be let in. The first frame to send waits already.
    pub fn new(mut setup: OnlineSetup, now: Micros) -> Self {
        setup.config = setup.config.to(G::NAME);
        fix(&mut setup);
        let clock = Forward::new(now);
        let now = clock.now();
        Self {
            clock,
            screen: Screen::new(client(&setup, now)),
            overlay: Overlay::new(setup.world.seed, &setup.config),
            until: now,
            writable: true,
            watch: Watch::new::<G>(now),
            recorder: Recorder::new(G::NAME, &setup),
            before: Drawn::default(),
            scratch: Drawn::default(),
            packet: Vec::new(),
            setup,
        }
    }

    /// The client, to look at.
    pub fn client(&self) -> &Client<G> {
        &self.screen.client
    }

    /// Gives the client what the simulated link hands out by now.
    fn deliver(&mut self, now: Micros) {
        let mut packet = std::mem::take(&mut self.packet);
        while let Some(came) = self.overlay.heard(now, &mut packet) {
            if came.late && self.setup.delivery == Delivery::Ordered {
                self.watch.notes.held(now, Pair::Down);
            }
            self.watch.hear(now, &packet, &mut self.screen);
        }
        self.packet = packet;
        self.until = now;
    }

    /// Makes the command of the tick that is due.
    fn command(&mut self, now: Micros) {
        let screen = &mut self.screen;
        screen.look(now, now, false);
        if screen.drawn.own().is_some() {
            let input = screen.play(screen.pad());
            screen.client.hold(now, input);
            self.watch.own(now, screen);
        }
    }

    /// The picture that is shown: that of the session before until this one has heard of the world.
    pub(super) fn picture(&self, out: &mut Drawn) {
        self.screen.draw(self.clock.now(), out);
        if out.is_empty() {
            out.clone_from(&self.before);
        }
    }
}

/// Sets what is not the reader's to set.
fn fix(setup: &mut OnlineSetup) {
    let carrier = match setup.delivery {
        Delivery::Ordered => 0.0,
        Delivery::Datagram => params::DATAGRAM,
    };
    let rate = f64::from(setup.world.rate_hz);
    // A rate that no bench has is one that no hello is accepted with.
    for (id, value) in [(params::LINK_CARRIER, carrier), (params::SERVER_TICK, rate)] {
        let _ = setup.config.set(id, value);
    }
}

fn client<G: Scene>(setup: &OnlineSetup, now: Micros) -> Client<G> {
    let empty = G::new(&setup.world).empty();
    let config = client_config(setup);
    if setup.watch {
        Client::watch(empty, config, now)
    } else {
        Client::join(empty, config, now)
    }
}

fn client_config(setup: &OnlineSetup) -> ClientConfig {
    ClientConfig {
        rate_hz: setup.world.rate_hz,
        max_packet: MAX_PACKET_WEBTRANSPORT,
        ..lab::client(&setup.config)
    }
}

impl<G: Scene> Online for OnlineOf<G> {
    fn scene(&self) -> &'static str {
        G::NAME
    }

    fn handle(&mut self, now: Micros, bytes: &[u8]) {
        let now = self.clock.go(now);
        self.recorder.packet(now, What::Down, bytes);
        if is_goodbye(bytes) {
            self.deliver(now);
            self.watch.hear(now, bytes, &mut self.screen);
            return;
        }
        self.overlay.hear(now, bytes);
        self.deliver(now);
    }

    fn advance(&mut self, now: Micros) {
        let now = self.clock.go(now);
        self.deliver(now);
        let next = self.screen.client.tick().next();
        if self.screen.client.next_tick_at() <= now {
            self.command(now);
        }
        self.screen.client.advance(now);
        let mut tick = next;
        while tick <= self.screen.client.tick() {
            self.watch.measure.made(tick, now);
            tick = tick.next();
        }
        let counters = self.screen.client.counters();
        self.watch.take_corrections(now, counters, G::UNIT);
        let Self {
            watch,
            screen,
            overlay,
            scratch,
            ..
        } = self;
        watch.frame(now, screen, overlay, scratch);
    }

    fn poll(&mut self, now: Micros, out: &mut Vec<u8>) -> Option<bool> {
        let now = self.clock.go(now);
        let mut buf = [0; wire::MAX_PACKET];
        loop {
            if self.overlay.up.receive(now, out).is_some() {
                self.recorder.packet(now, What::Up, out);
                return Some(keep(out));
            }
            let stuffed = self.overlay.up.stuffed_until(now);
            let client = &mut self.screen.client;
            client.set_writable(self.writable && stuffed.is_none());
            match client.poll(&mut buf) {
                Output::Transmit { len, .. } if is_goodbye(&buf[..len]) => {
                    out.clear();
                    out.extend_from_slice(&buf[..len]);
                    self.recorder.packet(now, What::Up, out);
                    return Some(true);
                }
                Output::Transmit { len, .. } => {
                    if let Some(loss) = self.overlay.up.send(now, &buf[..len]) {
                        self.watch.notes.dropped(now, loss);
                    }
                }
                Output::Event(event) => {
                    self.screen.hear(now, &event);
                    self.watch.event(now, &event.event, &self.screen);
                }
                Output::Wait { until } => {
                    self.until = stuffed.unwrap_or(until).max(now + Micros::new(1));
                    return None;
                }
            }
        }
    }

    fn wait(&self, now: Micros) -> Micros {
        let now = self.clock.at(now);
        let mut next = self.until.min(self.overlay.next_at());
        if !self.writable {
            next = next.max(now + STUCK);
        }
        if is_on(&self.screen.client) {
            next = next
                .min(self.screen.client.next_tick_at())
                .min(self.watch.frame_at());
        }
        next - now
    }

    fn set_writable(&mut self, writable: bool) {
        self.writable = writable;
    }

    fn reconnect(&mut self, now: Micros, delivery: Delivery) {
        let now = self.clock.go(now);
        let mut picture = Drawn::default();
        self.picture(&mut picture);
        self.before = picture;
        let counters = self.screen.client.counters();
        self.watch.rejoin(counters, &self.overlay);
        self.setup.delivery = delivery;
        fix(&mut self.setup);
        let pad = self.screen.pad();
        self.screen = Screen::new(client(&self.setup, now));
        self.screen.set_pad(pad);
        self.overlay = Overlay::new(self.setup.world.seed, &self.setup.config);
        self.recorder.session(now, delivery);
        (self.until, self.writable) = (now, true);
    }

    fn pad(&mut self, pad: Pad) {
        self.screen.set_pad(pad);
    }

    fn set(&mut self, id: &str, value: &str) -> Result<(), SetError> {
        let id = ParamId::named(id)?;
        if let Some(why) = whose(id) {
            return Err(SetError::NotOurs(why));
        }
        let mut config = self.setup.config;
        config.set_text(id.param().id, value)?;
        if config.get(params::LINK_VARY) == params::TRACE {
            return Err(SetError::NotOurs("a trace is played on the bench only"));
        }
        self.setup.config = config;
        let now = self.clock.now();
        self.screen.client.reconfigure(client_config(&self.setup));
        self.overlay.set(now, &config);
        // What waited for the simulated link may go sooner.
        self.until = now;
        Ok(())
    }

    fn leave(&mut self) {
        self.screen.client.leave();
        self.until = self.clock.now();
    }

    fn status(&self) -> Status {
        let client = &self.screen.client;
        Status {
            role: client.role(),
            key: client.me(),
        }
    }

    fn describe(&self) -> String {
        self.screen.client.describe().to_string()
    }

    fn drain(&mut self) -> Vec<FeedLine> {
        self.watch.notes.drain().collect()
    }

    fn record(&mut self, on: bool) {
        let now = self.clock.now();
        if on {
            self.recorder.start(now, self.setup.delivery);
        } else {
            self.recorder.stop();
        }
    }

    fn recording(&self) -> &[u8] {
        self.recorder.bytes()
    }
}
