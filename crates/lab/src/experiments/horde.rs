//! Thousands of enemies on a link that loses: what is wrong on the screen, what it costs to set it right, and what is saved by
//! not telling everybody everything.

use std::collections::{BTreeSet, VecDeque};

use netcode::{Drawn, PeerId};
use scenes::Horde;
use scenes::horde::{FOE_CLASS, Foe};
use wire::{Micros, SlotKey};

use super::bench::Weather;
use super::{Experiment, Outcome};
use crate::lab::{Action, LabOf, LabSetup, YOU};
use crate::params::{self, Config, ParamId};

pub(super) const RECOVERY: Experiment = Experiment {
    name: "horde-recovery",
    question: "What does a lost packet leave wrong on the screen, and what does it cost to set it right?",
    run: recovery,
};

pub(super) const RELEVANCE: Experiment = Experiment {
    name: "relevance",
    question: "What is saved by telling each player of what is near alone?",
    run: relevance,
};

/// How long a match loses packets, from when both play; and how long it does not, after.
const STORM: Micros = Micros::from_millis(8_000);
const CALM: Micros = Micros::from_millis(1_000);
/// When joining and settling are over.
const SETTLED: Micros = Micros::from_millis(3_000);
/// How often the picture is compared, ticks.
const EVERY: u64 = 8;
/// Server ticks that a picture waits at most for the server to get to the command that it was drawn at.
const KEPT: usize = 128;

fn config(weather: Weather, set: &[(ParamId, f64)]) -> Config {
    let Weather {
        latency,
        jitter,
        loss,
    } = weather;
    let link = [
        (params::LINK_UP_LATENCY, latency),
        (params::LINK_DOWN_LATENCY, latency),
        (params::LINK_UP_JITTER, jitter),
        (params::LINK_DOWN_JITTER, jitter),
        (params::LINK_UP_LOSS, loss),
        (params::LINK_DOWN_LOSS, loss),
    ];
    let mut config = Config::of("horde");
    for &(id, value) in link.iter().chain(set) {
        config
            .set(id, value)
            .expect("an experiment sets what can be set");
    }
    config
}

/// The enemies of one end or of a picture: who is where, px, by slot.
type Places = Vec<(SlotKey, [f64; 2])>;

fn places(horde: &Horde) -> Places {
    let alive = horde.foes().filter(|(_, foe)| foe.alive());
    let place = |foe: &Foe| [foe.x, foe.y].map(|code| f64::from(code) / 32.0);
    alive.map(|(key, foe)| (key, place(foe))).collect()
}

/// Who is there, dying or not: a screen is ahead of the server, and who dies of age does so there first.
fn names(horde: &Horde) -> BTreeSet<SlotKey> {
    horde.foes().map(|(key, _)| key).collect()
}

/// Where in a list somebody is.
fn find(places: &Places, key: SlotKey) -> Option<[f64; 2]> {
    let at = places.binary_search_by_key(&key.slot, |(key, _)| key.slot);
    let (found, place) = places[at.ok()?];
    (found == key).then_some(place)
}

/// A match of which both ends' enemies are compared: where You's screen draws them with where the server has them at the
/// instant that is drawn.
struct Watched {
    lab: LabOf<Horde>,
    /// The server's enemies by tick.
    truths: VecDeque<(u64, Places)>,
    /// Pictures that the server has not come to, by the instant that they draw.
    pictures: VecDeque<(f64, Places)>,
    /// How far all compared enemies were off, px, and how many they were.
    error: (f64, u64),
}

impl Watched {
    fn new(setup: LabSetup) -> Self {
        Self {
            lab: LabOf::new(setup),
            truths: VecDeque::new(),
            pictures: VecDeque::new(),
            error: (0.0, 0),
        }
    }

    /// Runs so long, comparing.
    fn run(&mut self, length: Micros) {
        let to = self.lab.server().next_tick_at() + length;
        while self.lab.server().next_tick_at() < to {
            self.lab.run_to(self.lab.server().next_tick_at());
            let server = self.lab.server();
            self.truths
                .push_back((server.tick().get(), places(server.game())));
            if self.truths.len() > KEPT {
                self.truths.pop_front();
            }
            if server.tick().get().is_multiple_of(EVERY) {
                self.look();
            }
            self.compare();
        }
    }

    /// Keeps what You's screen draws now.
    fn look(&mut self) {
        let mut drawn = Drawn::default();
        self.lab.draw(YOU, &mut drawn);
        let enemies = drawn.iter().filter(|(body, values)| {
            body.class == FOE_CLASS && values[Foe::AT.mood] != Foe::DIES as f32
        });
        let place = |values: &[f32]| [values[Foe::AT.x], values[Foe::AT.y]].map(f64::from);
        let picture = enemies.map(|(body, values)| (body.key, place(values)));
        self.pictures
            .push_back((drawn.simulated_at, picture.collect()));
    }

    fn compare(&mut self) {
        let newest = self.truths.back().map_or(0, |(tick, _)| *tick);
        while let Some((at, picture)) = self.pictures.pop_front() {
            if at.ceil() as u64 > newest {
                self.pictures.push_front((at, picture));
                return;
            }
            let of = |tick: f64| self.truths.iter().find(|(kept, _)| *kept == tick as u64);
            let (Some((_, before)), Some((_, after))) = (of(at.floor()), of(at.ceil())) else {
                continue;
            };
            for (key, place) in picture {
                if let (Some(from), Some(to)) = (find(before, key), find(after, key)) {
                    let off = [0, 1].map(|axis: usize| {
                        place[axis] - from[axis] - (to[axis] - from[axis]) * at.fract()
                    });
                    self.error.0 += (off[0] * off[0] + off[1] * off[1]).sqrt();
                    self.error.1 += 1;
                }
            }
        }
    }

    /// What is wrong for longer than a second: enemies on the screen that the server has not had since `before`, and enemies
    /// that it has had since then and that are not on the screen.
    fn wrong_since(&self, before: &BTreeSet<SlotKey>) -> (u64, u64) {
        let now = names(self.lab.server().game());
        let screen = names(self.lab.client(YOU).game());
        let known = |key: &&SlotKey| now.contains(key) || before.contains(key);
        let phantoms = screen.iter().filter(|key| !known(key));
        let missing = now.intersection(before).filter(|key| !screen.contains(key));
        (phantoms.count() as u64, missing.count() as u64)
    }

    fn bytes_down(&self) -> u64 {
        let peer = self.lab.server().peer(PeerId(YOU as u32));
        peer.map_or(0, |peer| peer.counters.bytes_down)
    }
}

fn recovery(seed: u64) -> Outcome {
    let mut table = Outcome::new(&["loss", "policy", "phantoms", "missing", "error_px", "kib_s"]);
    for loss in [0.0, 5.0, 25.0, 50.0] {
        let mut naive = f64::NAN;
        for (policy, name) in [
            (params::NAIVE, "naive"),
            (params::ACKNOWLEDGED, "acknowledged"),
            (params::PROMPT, "prompt"),
        ] {
            let weather = Weather {
                latency: 50.0,
                jitter: 10.0,
                loss: 0.0,
            };
            let set = [
                (params::HORDE_ENEMIES, 400.0),
                (params::INTEREST_ON, 0.0),
                (params::REPLICATE_RECOVERY, policy),
            ];
            let mut watched = Watched::new(LabSetup::new(seed, config(weather, &set)));
            watched.run(SETTLED);
            watched.error = (0.0, 0);
            let began = watched.bytes_down();
            for (id, share) in [(params::LINK_UP_LOSS, loss), (params::LINK_DOWN_LOSS, loss)] {
                watched.lab.act_on(Action::Set(id, share));
            }
            watched.run(STORM);
            let kib_s = (watched.bytes_down() - began) as f64 / 1_024.0 / STORM.as_secs_f64();
            let (sum, count) = watched.error;
            let error = sum / count as f64;
            for id in [params::LINK_UP_LOSS, params::LINK_DOWN_LOSS] {
                watched.lab.act_on(Action::Set(id, 0.0));
            }
            let before = names(watched.lab.server().game());
            watched.run(CALM);
            let (phantoms, missing) = watched.wrong_since(&before);
            table.row([
                loss.into(),
                name.into(),
                phantoms.into(),
                missing.into(),
                error.into(),
                kib_s.into(),
            ]);
            match name {
                "naive" => {
                    naive = kib_s;
                    if loss >= 25.0 {
                        table.bound(
                            format!(
                                "{loss} %, never: {phantoms} phantoms and {missing} missing stay"
                            ),
                            phantoms + missing > 0,
                        );
                    }
                }
                "prompt" => {
                    table.bound(
                        format!("{loss} %, once it is lost: nothing is wrong after a calm second"),
                        phantoms + missing == 0,
                    );
                    table.bound(format!("at most 1 px off, {error:.3}"), error <= 1.0);
                    // Of every second packet some is lost twice and three times.
                    let most = if loss < 50.0 { 1.25 } else { 1.4 };
                    table.bound(
                        format!("at most {most} times the bytes, {:.2}", kib_s / naive),
                        kib_s <= naive * most,
                    );
                }
                _ => {}
            }
        }
    }
    table
}

/// How long what is told is counted.
const COUNTED: Micros = Micros::from_millis(4_000);

fn relevance(seed: u64) -> Outcome {
    let mut table = Outcome::new(&["players", "enemies", "on", "kib_s", "saved"]);
    let (mut without, mut with) = (0.0, 0.0);
    for (players, enemies) in [(8.0, 3_000.0), (32.0, 3_000.0), (128.0, 200.0)] {
        let mut everything = f64::NAN;
        for on in [0.0, 1.0] {
            let set = [
                (params::HORDE_ENEMIES, enemies),
                (params::HORDE_PLAYERS, players - 2.0),
                (params::INTEREST_ON, on),
            ];
            let mut lab =
                LabOf::<Horde>::new(LabSetup::new(seed, config(Weather::calm(50.0), &set)));
            let told = |lab: &LabOf<Horde>| {
                let peer = lab.server().peer(PeerId(YOU as u32));
                peer.map_or(0, |peer| peer.counters.down.others)
            };
            lab.run_to(SETTLED);
            let began = told(&lab);
            lab.run_to(SETTLED + COUNTED);
            let kib_s = (told(&lab) - began) as f64 / 1_024.0 / COUNTED.as_secs_f64();
            let saved = if on > 0.0 {
                with += kib_s;
                (1.0 - kib_s / everything) * 100.0
            } else {
                without += kib_s;
                everything = kib_s;
                0.0
            };
            table.row([
                players.into(),
                enemies.into(),
                if on > 0.0 { "yes" } else { "no" }.into(),
                kib_s.into(),
                saved.into(),
            ]);
            if on > 0.0 {
                table.bound(
                    format!("{players} players, {enemies} enemies: {saved:.1} % saved"),
                    saved >= 80.0,
                );
            }
        }
    }
    let saved = (1.0 - with / without) * 100.0;
    table.bound(format!("{saved:.1} % in all"), saved >= 90.0);
    table
}
