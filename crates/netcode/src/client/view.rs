//! What a client's screen shows: pure functions of `now`, which change nothing.

use wire::{ClassId, Micros, Shown, SlotKey, Tick};

use crate::client::config::ClientConfig;
use crate::client::playing::Playing;
use crate::client::{Client, State};
use crate::clock::Ticker;
use crate::drawn::Drawn;
use crate::game::Game;
use crate::interpolate::DelayPolicy;
use crate::table::MAX_WIDTH;

/// Which moment a screen shows of the others, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Showing {
    /// The server tick that is drawn, whole and fraction.
    pub others_at: f64,
    /// The newest snapshot heard.
    pub newest: Tick,
    /// The tick that is due to arrive now.
    pub front: f64,
    /// How long a snapshot travels.
    pub one_way: Micros,
    /// How far arrivals stray from when they are due.
    pub jitter: Micros,
    /// The time between two snapshots.
    pub interval: Micros,
    /// The delay that the policy asks for, behind the server's present as this client takes it to be.
    pub delay: Micros,
    /// The tick that the delay asks for, whether or not there is a sample of it. What is drawn follows it by slewing, and
    /// never past the newest sample.
    pub wanted: f64,
}

impl Showing {
    /// Whether the screen has run out of samples: the newest is older than the delay allows for. The picture then runs along
    /// the newest sample, later than was asked, or pauses.
    pub fn is_starved(&self) -> bool {
        self.wanted > self.newest.get() as f64
    }
}

impl<G: Game> Playing<G> {
    /// The server tick at which others are drawn.
    pub(super) fn others_at(&self, now: Micros, config: &ClientConfig) -> f64 {
        match self.newest {
            Some(newest) if !config.interpolate => newest.get() as f64,
            Some(_) => self.playback.at(now),
            None => 0.0,
        }
    }

    fn showing(&self, now: Micros, config: &ClientConfig) -> Option<Showing> {
        let newest = self.newest?;
        let link = self.learnt(config);
        let asked = config.policy.delay(&link);
        Some(Showing {
            others_at: self.others_at(now, config),
            newest,
            front: self.arrivals.front(now),
            one_way: link.one_way,
            jitter: link.jitter,
            interval: link.interval,
            delay: match config.policy {
                DelayPolicy::Fixed(_) => asked,
                _ => asked + link.one_way,
            },
            wanted: self.target(now, config),
        })
    }

    fn draw(
        &self,
        now: Micros,
        config: &ClientConfig,
        ticker: &Ticker,
        only: impl Fn(SlotKey, ClassId) -> bool,
        out: &mut Drawn,
    ) {
        let at = self.others_at(now, config);
        let showing = self.showing(now, config);
        let starved = config.interpolate && showing.is_some_and(|showing| showing.is_starved());
        let past = config.extrapolate_ticks();
        out.others_at = at;
        out.mine = self.me;
        let t = ticker.fraction(now);
        let crowd_at = self.crowd.tick.map_or(0.0, |tick| tick.get() as f64);
        out.simulated_at = (crowd_at - 1.0 + t).max(0.0);
        let present = self.present(now, config);
        out.reckoned_at = present;
        self.draw_summaries(out);
        for slot in 0..self.world.slots() {
            let wanted = |(key, class, _): &(SlotKey, ClassId, &[i32])| only(*key, *class);
            let Some((key, class, record)) = self.world.get(slot).filter(wanted) else {
                continue;
            };
            let shape = &G::SCHEMA.classes[usize::from(class.0)];
            let mine = Some(key) == self.me;
            let shown = config.shows.of(G::SCHEMA, class);
            let values = out.push(key, class, shape.width(), mine, starved && !mine);
            if mine && config.predict && self.predicted(self.newest_tick).is_some() {
                let own_at = self.draw_own(now, ticker, slot, values);
                out.own_at = own_at;
            } else if mine {
                shape.decode(record, values);
                out.own_at = self.newest_tick.get() as f64;
            } else if shown == Shown::Simulated {
                if self.crowd.draw(now, slot, shape, t as f32, values) {
                    out.last_is_shown(shown);
                } else {
                    out.pop();
                }
            } else if shown == Shown::DeadReckoned {
                let (samples, past) = (self.world.samples(), config.reckon_ticks());
                if samples.sample(slot, shape, present, past, values).is_none() {
                    shape.decode(record, values);
                }
                out.last_is_shown(shown);
            } else if !config.interpolate
                || self
                    .world
                    .samples()
                    .sample(slot, shape, at, past, values)
                    .is_none()
            {
                shape.decode(record, values);
            }
        }
    }

    /// The server's present as this end takes it to be: the tick that is due to arrive, and what it travelled. Nobody is carried
    /// on further than that is known well.
    fn present(&self, now: Micros, config: &ClientConfig) -> f64 {
        let Some(newest) = self.newest else {
            return 0.0;
        };
        let travelled = self.learnt(config).one_way.as_secs_f64() * f64::from(config.rate_hz);
        let newest = newest.get() as f64;
        let present = self.arrivals.front(now).max(newest) + travelled;
        present.min(newest + config.reckon_ticks())
    }

    fn draw_summaries(&self, out: &mut Drawn) {
        let summed = G::SCHEMA.summary.map(|class| (class, self.world.summed()));
        if let Some((class, summed)) = summed
            && let Some((tick, rows)) = summed.rows(class)
        {
            out.summaries_at = tick.get() as f64;
            for row in rows {
                class.decode(row, out.push_summary(class.width()));
            }
        }
    }

    /// The own character between its two newest ticks, with what is left of corrections.
    fn draw_own(&self, now: Micros, ticker: &Ticker, slot: usize, values: &mut [f32]) -> f64 {
        let tick = self.newest_tick;
        let t = ticker.fraction(now);
        let Some((_, class, _)) = self.world.get(slot) else {
            return 0.0;
        };
        let shape = &G::SCHEMA.classes[usize::from(class.0)];
        let Some(newer) = self.predicted(tick) else {
            return 0.0;
        };
        let own_at = match self.predicted(tick - 1) {
            Some(older) => {
                shape.blend(
                    &older[..shape.width()],
                    &newer[..shape.width()],
                    t as f32,
                    values,
                );
                tick.get() as f64 - 1.0 + t
            }
            None => {
                shape.decode(&newer[..shape.width()], values);
                tick.get() as f64
            }
        };
        let places = shape
            .fields
            .iter()
            .zip(values)
            .filter(|(field, _)| field.place);
        for ((_, value), offset) in places.zip(self.offset.at(now)) {
            *value += offset;
        }
        own_at
    }
}

impl<G: Game> Client<G> {
    /// What the screen shows at `now`: the own character as predicted, with what is left of corrections, and everyone else as
    /// they were at an instant in the past.
    pub fn drawn(&self, now: Micros, out: &mut Drawn) {
        self.drawn_of(now, |_, _| true, out);
    }

    /// The same of some: of a crowd of thousands one mostly looks at a few.
    pub fn drawn_of(&self, now: Micros, only: impl Fn(SlotKey, ClassId) -> bool, out: &mut Drawn) {
        out.clear();
        let now = self.clock.own(now);
        match &self.state {
            State::Offline { me } => self.draw_all(*me, only, out),
            State::Playing(playing)
            | State::Disconnected {
                last: Some(playing),
                ..
            } => {
                playing.draw(now, &self.config, &self.ticker, only, out);
            }
            State::Joining { .. } | State::Disconnected { last: None, .. } => {}
        }
    }

    fn draw_all(
        &self,
        me: Option<SlotKey>,
        only: impl Fn(SlotKey, ClassId) -> bool,
        out: &mut Drawn,
    ) {
        out.mine = me;
        out.others_at = self.tick.get() as f64;
        out.own_at = out.others_at;
        let mut record = [0; MAX_WIDTH];
        for slot in 0..self.game.slots() {
            let wanted = |(key, class): &(SlotKey, ClassId)| only(*key, *class);
            let Some((key, class)) = self.game.at(slot).filter(wanted) else {
                continue;
            };
            let shape = &G::SCHEMA.classes[usize::from(class.0)];
            self.game.save(key, &mut record[..shape.width()]);
            shape.decode(
                &record[..shape.width()],
                out.push(key, class, shape.width(), me == Some(key), false),
            );
        }
    }

    /// Which moment the screen shows of the others; `None` before the first snapshot.
    pub fn showing(&self, now: Micros) -> Option<Showing> {
        self.playing()?.showing(self.clock.own(now), &self.config)
    }

    /// Whom this end was told of and not the end of, by slot.
    pub fn holds(&self) -> impl Iterator<Item = SlotKey> + '_ {
        let worlds = self.playing().into_iter().map(|playing| &playing.world);
        worlds.flat_map(|world| {
            (0..world.slots()).filter_map(|slot| world.get(slot).map(|(key, ..)| key))
        })
    }

    /// The samples of an entity that are held, oldest first.
    pub fn samples(&self, key: SlotKey) -> impl Iterator<Item = (Tick, &[i32])> + '_ {
        self.playing()
            .into_iter()
            .flat_map(move |playing| playing.world.samples().samples(usize::from(key.slot)))
    }
}
