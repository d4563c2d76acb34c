//! The past, looked at again and acted in, is to the bit what it was.
#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::sync::Arc;

use lab::params::{
    BOTS, Config, INTERP_DELAY, Kind, LINK_CARRIER, LINK_DOWN_LOSS, LINK_UP_JITTER, PREDICT_ON,
    ParamId,
};
use lab::probe::ProbeId;
use lab::scenes::open;
use lab::timeline::{Bound, Timeline};
use lab::{Action, Driver, Lab, LabSetup, OTHER, Side, Standing, View, YOU};
use netsim::{Shock, Trace};
use scenes::Pad;
use wire::Micros;

const fn ms(ms: u64) -> Micros {
    Micros::from_millis(ms)
}

/// An arena on either carrier.
fn lab(datagram: bool) -> Box<dyn Lab> {
    let mut config = Config::default();
    config
        .set(LINK_CARRIER, f64::from(u8::from(datagram)))
        .unwrap();
    config.set(LINK_DOWN_LOSS, 4.0).unwrap();
    config.set(LINK_UP_JITTER, 10.0).unwrap();
    open("arena", LabSetup::new(7, config)).unwrap()
}

fn timeline(datagram: bool) -> Timeline {
    Timeline::new(lab(datagram), Bound::default())
}

/// Everything that can be seen of a lab.
#[derive(Debug, PartialEq)]
struct Seen {
    at: Micros,
    digest: u64,
    config: Config,
    view: Vec<u32>,
    figures: Vec<[u64; 7]>,
    roles: [String; 2],
}

fn seen(lab: &dyn Lab) -> Seen {
    let mut view = View::default();
    view.fill(lab, Standing::default());
    let figure = |id| {
        let now = lab.meters().reading(id, lab.now());
        let run = lab.meters().summary(id, lab.now());
        [
            now.now, now.mean, now.max, run.mean, run.p99, run.max, run.total,
        ]
        .map(f64::to_bits)
    };
    Seen {
        at: lab.now(),
        digest: lab.digest(),
        config: *lab.config(),
        view: view.floats().iter().map(|float| float.to_bits()).collect(),
        figures: ProbeId::all().map(figure).collect(),
        roles: [YOU, OTHER].map(|seat| format!("{:?} {:?}", lab.role(seat), lab.behind_ms(seat))),
    }
}

fn pad(x: f32, buttons: u32) -> Action {
    Action::Pad(
        YOU,
        Pad {
            x,
            buttons,
            ..Pad::default()
        },
    )
}

fn shock(shock: Shock) -> Action {
    Action::Perturb {
        seat: YOU,
        side: Side::Both,
        shock,
    }
}

/// What somebody does in nine seconds: hands, settings, shocks; several of it in one instant, where the order counts.
fn script() -> Vec<(u64, Action)> {
    vec![
        (2_000, Action::Drive(YOU, Driver::Hands)),
        (2_000, pad(1.0, 1)),
        (2_000, pad(0.5, 0)),
        (2_000, pad(0.5, 2)),
        (2_517, pad(-1.0, 1)),
        (3_003, Action::Set(PREDICT_ON, 0.0)),
        (3_003, Action::Set(INTERP_DELAY, 60.0)),
        (3_003, Action::Set(PREDICT_ON, 1.0)),
        (3_003, Action::Set(INTERP_DELAY, 90.0)),
        (4_250, shock(Shock::DropNext)),
        (4_250, shock(Shock::Dark { length: ms(300) })),
        (5_500, pad(0.0, 1)),
        (6_100, shock(Shock::Spike { extra: ms(400) })),
        (7_777, Action::Set(LINK_DOWN_LOSS, 30.0)),
        (
            8_000,
            Action::Drive(YOU, Driver::Bot(scenes::BotStyle::Duel)),
        ),
    ]
}

/// Instants to look at: each of the script's, bursts under way, ticks, and between.
fn instants() -> Vec<u64> {
    let odd = (0..9_000).step_by(613);
    let mut all: Vec<u64> = script().iter().map(|(at, _)| *at).collect();
    all.extend(odd.chain([4_300, 4_400, 6_200, 6_499, 6_510, 9_000]));
    all.sort_unstable();
    all.dedup();
    all
}

/// Plays the script; what was seen at each instant, after what was done in it.
fn play(time: &mut Timeline) -> Vec<Seen> {
    let script = script();
    let mut was = Vec::new();
    for at in instants() {
        time.advance(ms(at));
        for (_, action) in script.iter().filter(|(then, _)| *then == at) {
            assert!(time.act(action.clone()), "{at}: {action:?}");
        }
        was.push(seen(time.shown()));
    }
    was
}

#[test]
fn any_instant_is_again_what_it_was() {
    for datagram in [false, true] {
        let mut time = timeline(datagram);
        let was = play(&mut time);
        assert!(was.windows(2).all(|two| two[0].digest != two[1].digest));
        // Back and forth, near and far.
        for step in [1, 7, 11] {
            for n in 0..was.len() {
                let then = &was[(n * step) % was.len()];
                time.seek(then.at);
                assert_eq!(
                    &seen(time.shown()),
                    then,
                    "datagram {datagram}, {}",
                    then.at
                );
                assert_eq!(time.standing().behind, ms(9_000) - then.at);
            }
        }
        time.live();
        assert_eq!(&seen(time.shown()), was.last().unwrap());
    }
}

#[test]
fn the_past_plays_on_into_the_present() {
    let mut time = timeline(true);
    let was = play(&mut time);
    time.seek(ms(1_000));
    for then in was.iter().filter(|then| then.at >= ms(1_000)) {
        time.advance(then.at);
        assert_eq!(&seen(time.shown()), then);
    }
    assert_eq!(time.standing().behind, Micros::ZERO);
    time.seek(ms(5_000));
    time.advance(ms(12_000));
    let mut unseen = timeline(true);
    play(&mut unseen);
    unseen.advance(ms(12_000));
    assert_eq!(seen(time.shown()), seen(unseen.shown()));
    assert_eq!(time.standing().forks, 0);
}

#[test]
fn acting_in_the_past_is_as_if_the_future_had_never_been() {
    for datagram in [false, true] {
        // While a burst is under way, while the link is dark, between two actions of one instant's and the next.
        for at in [6_300, 4_400, 3_003, 1_500] {
            let mut time = timeline(datagram);
            play(&mut time);
            time.seek(ms(at));
            assert!(time.act(shock(Shock::DropNext)));
            assert!(time.act(Action::Set(INTERP_DELAY, 155.0)));
            assert_eq!(
                (time.standing().forks, time.standing().behind),
                (1, Micros::ZERO)
            );
            assert!(
                time.lines().all(|line| line.at <= ms(at)),
                "the future's lines are gone"
            );
            time.advance(ms(11_000));

            let mut plain = lab(datagram);
            for (then, action) in script().into_iter().filter(|(then, _)| *then <= at) {
                plain.advance(ms(then));
                plain.act(action);
            }
            plain.advance(ms(at));
            plain.act(shock(Shock::DropNext));
            plain.act(Action::Set(INTERP_DELAY, 155.0));
            plain.advance(ms(11_000));
            assert_eq!(seen(time.shown()), seen(&*plain), "{datagram}, {at}");

            // And there is one past: before it what was, after it what is now.
            plain = lab(datagram);
            let after = [at + 10, at + 260, at + 700, 9_000];
            let was = after.map(|then| {
                time.seek(ms(then));
                seen(time.shown())
            });
            for (then, action) in script().into_iter().filter(|(then, _)| *then <= at) {
                plain.advance(ms(then));
                plain.act(action);
            }
            plain.advance(ms(at));
            plain.act(shock(Shock::DropNext));
            plain.act(Action::Set(INTERP_DELAY, 155.0));
            for (then, was) in after.iter().zip(&was) {
                plain.advance(ms(*then));
                assert_eq!(&seen(&*plain), was, "{datagram}, {at}, {then}");
            }
        }
    }
}

#[test]
fn a_line_is_told_once_whatever_is_looked_at() {
    let plain = |until: u64| {
        let mut time = timeline(false);
        let mut told = Vec::new();
        for at in 1..=until / 100 {
            time.advance(ms(at * 100));
            told.extend(time.news().cloned());
        }
        told
    };
    let (short, long) = (plain(6_000), plain(12_000));
    assert!(long.len() > short.len() && short.len() > 5);

    let mut time = timeline(false);
    let mut told = Vec::new();
    for at in 1..=60 {
        time.advance(ms(at * 100));
        told.extend(time.news().cloned());
        time.seek(ms(at * 50));
        assert_eq!(time.news().count(), 0, "the past is no news");
        time.live();
    }
    assert_eq!(told, short);
    time.seek(ms(2_000));
    time.advance(ms(12_000));
    told.extend(time.news().cloned());
    assert_eq!(told, long);
    assert!(time.lines().eq(&long));

    // A fork says that it is one, and nothing again, and has forgotten what came later.
    let at = long[long.len() / 2].at;
    time.seek(at);
    time.act(shock(Shock::DropNext));
    let news: Vec<_> = time.news().cloned().collect();
    assert_eq!(
        news.iter().map(|line| line.kind).collect::<Vec<_>>(),
        ["fork"]
    );
    let before = long.iter().filter(|line| line.at <= at);
    assert!(time.lines().eq(before.chain(&news)));
}

#[test]
fn steps_go_tick_by_tick_both_ways() {
    let mut time = timeline(true);
    time.advance(ms(3_007));
    let tick = time.shown().tick().get();
    time.step(2);
    assert_eq!(time.shown().tick().get(), tick + 2);
    let (newest, mut was) = (time.shown().now(), Vec::new());
    for n in 1..=20 {
        time.step(-1);
        assert_eq!(time.shown().tick().get(), tick + 2 - n);
        was.push(seen(time.shown()));
    }
    for then in was.iter().rev() {
        assert_eq!(&seen(time.shown()), then);
        time.step(1);
    }
    time.step(-20);
    assert_eq!(&seen(time.shown()), was.last().unwrap());
    time.step(20);
    assert_eq!(
        (time.standing().behind, time.shown().now()),
        (Micros::ZERO, newest)
    );
    time.step(i32::MIN);
    assert_eq!(time.shown().now(), Micros::ZERO, "the oldest that is kept");
    time.step(1);
    assert!(time.shown().tick().get() > 0);
}

#[test]
fn what_restarts_begins_a_timeline_at_zero() {
    for id in [BOTS, LINK_CARRIER] {
        let mut time = timeline(true);
        play(&mut time);
        time.seek(ms(1_000));
        let set = Action::Set(id, if id == BOTS { 3.0 } else { 0.0 });
        assert!(time.act(set));
        assert_eq!(time.standing(), Standing::default());
        assert_eq!(
            (time.shown().now(), time.lines().count()),
            (Micros::ZERO, 0)
        );
        let was = play(&mut time);
        for then in was.iter().rev() {
            time.seek(then.at);
            assert_eq!(&seen(time.shown()), then);
        }
    }
}

/// The same by a rule that cannot be wrong: everything is run again from zero.
struct Naive {
    start: Box<dyn Lab>,
    done: Vec<(Micros, Action)>,
    shown: Micros,
    live: Micros,
}

impl Naive {
    fn at(&self, at: Micros) -> Box<dyn Lab> {
        let mut lab = self.start.fork();
        for (then, action) in self.done.iter().filter(|(then, _)| *then <= at) {
            if *then > lab.now() {
                lab.advance(*then);
            }
            lab.act(action.clone());
        }
        if at > lab.now() {
            lab.advance(at);
        }
        lab
    }

    fn act(&mut self, action: &Action) {
        let mut lab = self.at(self.shown);
        if !lab.changes(action) {
            return;
        }
        self.done.retain(|(then, _)| *then <= self.shown);
        self.live = self.shown;
        lab.act(action.clone());
        if lab.now() < self.shown {
            (self.shown, self.live) = (Micros::ZERO, Micros::ZERO);
            (self.start, self.done) = (lab, Vec::new());
        } else {
            self.done.push((self.shown, action.clone()));
        }
    }
}

fn any_action(rng: &mut scenes::Rng, now: Micros) -> Action {
    let mut below = |n: u32| (rng.next_u64() % u64::from(n)) as u32;
    match below(12) {
        0 => Action::Drive(YOU, Driver::Hands),
        1 => Action::Drive(YOU, Driver::Bot(scenes::BotStyle::Duel)),
        2..=4 => pad(below(3) as f32 - 1.0, below(4)),
        5 => shock(Shock::DropNext),
        6 => shock(Shock::Dark {
            length: ms(u64::from(below(300))),
        }),
        7 => shock(Shock::Spike {
            extra: ms(u64::from(below(300))),
        }),
        8 => {
            let rows = (0..50).map(|row| format!("{},{},{}\n", row * 40, below(90), below(2)));
            Action::Trace(Arc::new(Trace::parse(&rows.collect::<String>()).unwrap()))
        }
        _ => {
            let all: Vec<_> = ParamId::all().collect();
            let mut id = all[below(all.len() as u32) as usize];
            // A world of another kind is for later, and seldom.
            if id.param().restarts && (now == Micros::ZERO || below(4) > 0) {
                id = INTERP_DELAY;
            }
            let value = match id.param().kind {
                Kind::Range { min, max, step, .. } => {
                    let steps = ((max - min) / step) as u32;
                    min + step * f64::from(below(steps + 1))
                }
                Kind::Choice(choices) => f64::from(below(choices.len() as u32)),
                Kind::Toggle => f64::from(below(2)),
            };
            Action::Set(id, value)
        }
    }
}

/// Whatever is done in whatever order, with much memory and with little: what is shown is what was.
#[test]
fn random_turns_agree_with_running_again_from_zero() {
    for seed in 0..15 {
        let mut rng = scenes::Rng::fork(seed, 77);
        let datagram = seed % 2 == 0;
        let start = lab(datagram);
        // Room for a few key states, for a few dozen, or for none.
        let copies = [6, 40, 0][seed as usize % 3];
        let bound = Bound {
            bytes: copies * 560_000,
            span: ms(2_500),
        };
        let mut time = Timeline::new(start.fork(), bound);
        let mut naive = Naive {
            start,
            done: Vec::new(),
            shown: Micros::ZERO,
            live: Micros::ZERO,
        };
        for turn in 0..40 {
            let mut below = |n: u64| rng.next_u64() % n;
            match below(10) {
                0..=3 => {
                    let to = naive.shown + Micros::new(below(400_000));
                    time.advance(to);
                    naive.shown = to;
                    naive.live = naive.live.max(to);
                }
                4 => {
                    let to = naive.live - Micros::new(below(3_000_000));
                    time.seek(to);
                    naive.shown = time.shown().now();
                    let kept = time.standing().kept;
                    assert_eq!(
                        naive.shown,
                        to.max(naive.live - kept),
                        "seed {seed}, turn {turn}"
                    );
                }
                5 => {
                    time.live();
                    naive.shown = naive.live;
                }
                6 => {
                    let ticks = below(9) as i32 - 4;
                    time.step(ticks);
                    naive.shown = time.shown().now();
                    naive.live = naive.live.max(naive.shown);
                }
                _ => {
                    let action = any_action(&mut rng, naive.shown);
                    time.act(action.clone());
                    naive.act(&action);
                }
            }
            let (is, was) = (seen(time.shown()), seen(&*naive.at(naive.shown)));
            assert_eq!(is, was, "seed {seed}, turn {turn}");
            assert_eq!(
                time.standing().behind,
                naive.live - naive.shown,
                "seed {seed}, turn {turn}"
            );
            assert!(time.bytes() < bound.bytes + 1_300_000);
        }
    }
}
