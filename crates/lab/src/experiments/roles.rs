//! The five questions that one rule asks, and what each role answers.

use netcode::client::ClientConfig;
use netcode::{
    Claim, Client, Delivery, Digest, Driver, Event, Game, Input, Output, PeerId, Role, Server,
    ServerConfig, Step,
};
use wire::{ClassId, Micros, Quant, ReadError, Reader, Schema, SlotKey, Tick, Writer, record};

use super::{Experiment, Outcome};

pub(super) const ROLES: Experiment = Experiment {
    name: "roles",
    question: "What does a step answer to each of the five questions, in each role?",
    run,
};

/// Each question, and the answers of a server and of the four roles of a client.
const EXPECTED: [(&str, [&str; 5]); 5] = [
    ("simulates", ["all", "all", NO_TICK, "own", NO_TICK]),
    ("is_mine", ["none", "own", NO_TICK, "own", NO_TICK]),
    ("command", ["own", "own", NO_TICK, "own", NO_TICK]),
    (
        "is_replaying",
        ["never", "never", NO_TICK, "in a replay", NO_TICK],
    ),
    ("decides", ["yes", "yes", NO_TICK, "no", NO_TICK]),
];

/// In these roles nothing runs, so nothing is asked: they decide nothing and hold still.
const NO_TICK: &str = "no tick runs";

fn run(_seed: u64) -> Outcome {
    let mut table = Outcome::new(&[
        "question",
        "server",
        "offline",
        "joining",
        "playing",
        "disconnected",
    ]);
    let answers = Answers::gather();
    for (row, (question, expected)) in EXPECTED.into_iter().enumerate() {
        let given = answers.0.map(|asked| asked.answer(row));
        table.row([question].into_iter().chain(given).map(Into::into));
        table.bound(
            format!("{question}: {}", expected.join(", ")),
            given == expected,
        );
    }
    table
}

/// What was asked in a server, and in a client offline, joining, playing and disconnected.
struct Answers([Asked; 5]);

impl Answers {
    fn gather() -> Self {
        let config = ClientConfig::default();
        let mut offline = Client::offline(Roll::with(1), config, Tick::default(), Micros::ZERO);
        for _ in 0..64 {
            offline.advance(offline.next_tick_at());
        }

        // One stands there already, so that there is somebody else.
        let mut server = Server::new(Roll::with(1), ServerConfig::default(), Micros::ZERO);
        server.connect(Micros::ZERO, PEER, Delivery::Datagram, Claim::Seat);
        let mut client = Client::join(Roll::default(), config, Micros::ZERO);
        let mut now = Micros::ZERO;
        for _ in 0..64 {
            now += MILLISECOND;
            client.advance(now);
        }
        assert_eq!(client.role(), Role::Joining, "nobody answers");
        let joining = client.game().asked;
        for _ in 0..3_000 {
            now += MILLISECOND;
            exchange(now, &mut server, &mut client);
        }
        assert_eq!(client.role(), Role::Playing);
        let playing = client.game().asked.since(joining);
        client.leave();
        let left = client.game().asked;
        for _ in 0..1_000 {
            now += MILLISECOND;
            exchange(now, &mut server, &mut client);
        }
        let disconnected = client.game().asked.since(left);
        Self([
            server.game().asked,
            offline.game().asked,
            joining,
            playing,
            disconnected,
        ])
    }
}

const PEER: PeerId = PeerId(0);
const MILLISECOND: Micros = Micros::new(1_000);

/// What is said arrives at once.
fn exchange(now: Micros, server: &mut Server<Roll>, client: &mut Client<Roll>) {
    let mut buf = [0; wire::MAX_PACKET];
    client.advance(now);
    loop {
        match client.poll(&mut buf) {
            Output::Transmit { len, .. } => server.handle(now, PEER, &buf[..len]).expect("honest"),
            Output::Event(_) => {}
            Output::Wait { .. } => break,
        }
    }
    server.advance(now);
    loop {
        match server.poll(&mut buf) {
            Output::Transmit { len, .. } => client.handle(now, &buf[..len]).expect("honest"),
            Output::Event(_) => {}
            Output::Wait { .. } => break,
        }
    }
}

/// How often each question was asked and answered with yes. The first of a pair is the newcomer's character, the second
/// the one that stood there before.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    steps: u64,
    simulates: [u64; 2],
    mine: [u64; 2],
    command: [u64; 2],
    replaying: u64,
    decides: u64,
}

impl Asked {
    fn since(self, before: Self) -> Self {
        let pair = |now: [u64; 2], before: [u64; 2]| [now[0] - before[0], now[1] - before[1]];
        Self {
            steps: self.steps - before.steps,
            simulates: pair(self.simulates, before.simulates),
            mine: pair(self.mine, before.mine),
            command: pair(self.command, before.command),
            replaying: self.replaying - before.replaying,
            decides: self.decides - before.decides,
        }
    }

    /// The answer to a question by its row, in a word.
    fn answer(self, row: usize) -> &'static str {
        if self.steps == 0 {
            return NO_TICK;
        }
        let whose = |[own, other]: [u64; 2]| match (own > 0, other > 0) {
            (true, true) => "all",
            (true, false) => "own",
            (false, true) => "other",
            (false, false) => "none",
        };
        match row {
            0 => whose(self.simulates),
            1 => whose(self.mine),
            2 => whose(self.command),
            3 if self.replaying == 0 => "never",
            3 if self.replaying < self.steps => "in a replay",
            3 => "always",
            _ if self.decides == self.steps => "yes",
            _ if self.decides == 0 => "no",
            _ => "at times",
        }
    }
}

record! {
    /// A character of which only the place matters.
    struct Body as BODY ("body", shown: Interpolated, rewind: false, share: 1) {
        /// Its place.
        x: Quant::Signed { bits: 16, step: 0.01 }, "m", Linear, All, place;
    }
}

static SCHEMA: Schema = Schema {
    classes: &[BODY],
    summary: None,
};

/// A game that notes what it is told. The server alone blows its wind, so that clients are corrected and replay.
#[derive(Clone, Debug, Default)]
struct Roll {
    bodies: [Option<Body>; 2],
    asked: Asked,
}

impl Roll {
    /// So many stand there already, from the last slot down.
    fn with(standing: usize) -> Self {
        let mut roll = Self::default();
        roll.bodies
            .iter_mut()
            .rev()
            .take(standing)
            .for_each(|body| *body = Some(Body::default()));
        roll
    }
}

const fn key(slot: usize) -> SlotKey {
    SlotKey {
        slot: slot as u16,
        life: 0,
    }
}

/// Hands that do nothing; that somebody has them is what is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Hands;

impl Input for Hands {
    const ACTIONS: &'static [&'static str] = &[];

    fn write(&self, _: &mut Writer<'_>) {}

    fn read(_: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self)
    }

    fn without_edges(self) -> Self {
        self
    }

    fn fold_edges(self, _: Self) -> Self {
        self
    }
}

/// Never said.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Silence;

impl Event for Silence {
    fn write(&self, _: &mut Writer<'_>) {}

    fn read(_: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self)
    }
}

impl Game for Roll {
    type Input = Hands;
    type Event = Silence;
    const SCHEMA: &'static Schema = &SCHEMA;
    const SLOTS: u16 = 2;

    fn step(&mut self, step: &mut Step<'_, Self>) {
        // Asked once somebody has come whose own character there can be.
        if self.bodies[0].is_none() {
            return;
        }
        self.asked.steps += 1;
        for slot in 0..2 {
            self.asked.simulates[slot] += u64::from(step.simulates(key(slot)));
            self.asked.mine[slot] += u64::from(step.is_mine(key(slot)));
            self.asked.command[slot] += u64::from(step.command(key(slot)).is_some());
        }
        self.asked.replaying += u64::from(step.is_replaying());
        self.asked.decides += u64::from(step.decides());
        if step.decides() && step.tick().get() % 32 == 0 {
            for body in self.bodies.iter_mut().flatten() {
                body.x = (body.x + 10) % 10_000;
            }
        }
    }

    fn slots(&self) -> usize {
        2
    }

    fn at(&self, slot: usize) -> Option<(SlotKey, ClassId)> {
        self.bodies.get(slot)?.map(|_| (key(slot), ClassId(0)))
    }

    fn save(&self, key: SlotKey, out: &mut [i32]) {
        if let Some(Some(body)) = self.bodies.get(usize::from(key.slot)) {
            body.save(out);
        }
    }

    fn load(&mut self, key: SlotKey, _: ClassId, record: &[i32]) {
        if let Some(body) = self.bodies.get_mut(usize::from(key.slot)) {
            *body = Some(Body::load(record));
        }
    }

    fn remove(&mut self, key: SlotKey) {
        if let Some(body) = self.bodies.get_mut(usize::from(key.slot)) {
            *body = None;
        }
    }

    fn join(&mut self, _driver: Driver) -> Option<SlotKey> {
        let slot = self.bodies.iter().position(Option::is_none)?;
        self.bodies[slot] = Some(Body::default());
        Some(key(slot))
    }

    fn leave(&mut self, key: SlotKey) {
        self.remove(key);
    }

    fn digest(&self, digest: &mut Digest) {
        for body in &self.bodies {
            digest.i32(body.map_or(-1, |body| body.x));
        }
    }
}
