//! What You's screen holds of the world against what the server says it hears, and where it has the crowd that both ends move.

use netcode::{Drawn, Game, PeerId, Server};
use wire::{Micros, Schema, Shown, SlotKey, Tick};

use super::measure::{BodyOf, apart};
use super::truth::{Past, WIDEST};
use crate::probe::{self, Meters};

/// Snapshots whose hearing is kept, so many ticks apart: two seconds and more at 64 a second, longer than a picture lags.
const KEPT: usize = 16;
const APART: u64 = 8;
/// Of a crowd so many are held against the truth: each costs as much as a character, and a few hundred tell what thousands do.
const WATCHED: usize = 128;
/// Frames' worth of them that wait at most for the server to come to their tick.
const WAITING: usize = 8_192;

/// Whether an entity of a crowd is one of those that are held against the truth, in a world of so many slots.
pub(crate) fn is_watched(key: SlotKey, slots: usize) -> bool {
    usize::from(key.slot).is_multiple_of((slots / WATCHED).max(1))
}

/// Who was heard in some of the newest ticks, and where the crowd was drawn.
#[derive(Clone, Debug)]
pub(crate) struct Mirror {
    slots: usize,
    ticks: [Option<Tick>; KEPT],
    /// `slots` for each: one more than the life of who was heard there, 0 for nobody.
    lives: Vec<u16>,
    next: usize,
    waiting: Vec<Waiting>,
}

/// One of the crowd as a frame drew it.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    at: f64,
    key: SlotKey,
    place: [f32; 2],
    now: Micros,
}

impl Mirror {
    pub(crate) fn new(slots: u16) -> Self {
        let slots = usize::from(slots);
        Self {
            slots,
            ticks: [None; KEPT],
            lives: vec![0; KEPT * slots],
            next: 0,
            waiting: Vec::new(),
        }
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.lives.as_slice()) + size_of_val(self.waiting.as_slice())
    }

    /// Keeps whom a peer heard of in a snapshot that was written just now, if the last that was kept is long enough ago.
    pub(crate) fn told<G: Game>(&mut self, server: &Server<G>, id: PeerId) {
        let tick = server.tick();
        let last = self.ticks[(self.next + KEPT - 1) % KEPT];
        if last.is_some_and(|last| tick.since(last) < APART) {
            return;
        }
        let lives = &mut self.lives[self.next * self.slots..][..self.slots];
        lives.fill(0);
        for key in server.hears(id) {
            lives[usize::from(key.slot)] = u16::from(key.life) + 1;
        }
        self.ticks[self.next] = Some(tick);
        self.next = (self.next + 1) % KEPT;
    }

    /// Holds whom a screen has against whom it heard of at its newest tick: how many it has too many, and how many it lacks.
    /// `None` where that tick was not kept, or was looked at already.
    pub(crate) fn compare(
        &mut self,
        newest: Tick,
        holds: impl Iterator<Item = SlotKey>,
    ) -> Option<(usize, usize)> {
        let page = self.ticks.iter().position(|tick| *tick == Some(newest))?;
        self.ticks[page] = None;
        let lives = &self.lives[page * self.slots..][..self.slots];
        let (mut right, mut held) = (0, 0);
        for key in holds {
            held += 1;
            right += usize::from(lives[usize::from(key.slot)] == u16::from(key.life) + 1);
        }
        let heard = lives.iter().filter(|life| **life > 0).count();
        Some((held - right, heard - right))
    }

    /// Takes the crowd as a frame drew it: the server has yet to come to the tick that it is drawn at.
    pub(crate) fn frame(&mut self, now: Micros, drawn: &Drawn, body_of: BodyOf) {
        let drawn_at = drawn.simulated_at;
        for (body, values) in drawn.iter() {
            let watched = body.shown == Shown::Simulated && is_watched(body.key, self.slots);
            if !watched || self.waiting.len() >= WAITING {
                continue;
            }
            if let Some(drawn) = body_of(body.class, values).filter(|drawn| drawn.alive) {
                self.waiting.push(Waiting {
                    at: drawn_at,
                    key: body.key,
                    place: drawn.place,
                    now,
                });
            }
        }
    }

    /// Measures the frames whose tick the server has come to: the mean over those of the crowd that are watched.
    pub(crate) fn judge(
        &mut self,
        past: &dyn Past,
        schema: &Schema,
        body_of: BodyOf,
        meters: &mut Meters,
    ) {
        let known = past.newest().get() as f64;
        let ready = self.waiting.iter().position(|one| one.at > known);
        let ready = ready.unwrap_or(self.waiting.len());
        let mut out = [0.0; WIDEST];
        for of_frame in self.waiting[..ready].chunk_by(|a, b| a.now == b.now) {
            let (mut sum, mut count) = (0.0, 0u32);
            for one in of_frame {
                let Some(class) = past.at(one.at, one.key, &mut out) else {
                    continue;
                };
                let width = schema.classes[usize::from(class.0)].width();
                if let Some(then) = body_of(class, &out[..width]).filter(|then| then.alive) {
                    sum += apart(one.place, then.place);
                    count += 1;
                }
            }
            if count > 0 {
                let (now, mean) = (of_frame[0].now, sum / f64::from(count));
                meters.sample(probe::SIMULATED_ERROR, now, mean);
            }
        }
        self.waiting.drain(..ready);
    }
}
