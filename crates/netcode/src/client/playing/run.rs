//! The ticks of a client that plays: its own character's and the crowd's, and those that run again.

use wire::{Blend, Class, ClassId, Micros, SlotKey, Tick};

use super::Playing;
use crate::bits::Bits;
use crate::client::config::ClientConfig;
use crate::client::counters::ClientCounters;
use crate::client::crowd::saved;
use crate::client::hand::Made;
use crate::client::world::Record;
use crate::game::{Commands, Driven, Game, Simulates, Step};
use crate::input::InputHistory;
use crate::predict::{ErrorOffset, Predictor, Verdict};
use crate::table::MAX_WIDTH;

/// Ticks that the crowd makes up for at most in one of the client's: the server's queue repeats that often in a bad stall.
const CATCH_UP: i64 = 8;
/// Who watches follows the newest tick that is due; within so many ticks of it the crowd goes on evenly.
const ADRIFT: f64 = 1.5;

/// The parts of a client that a tick touches beside the session.
pub(in crate::client) struct Parts<'a, G: Game> {
    pub config: &'a ClientConfig,
    pub game: &'a mut G,
    pub commands: &'a mut Commands<G::Input>,
    pub counters: &'a mut ClientCounters,
}

/// The server's answer to a prediction, to be taken.
#[derive(Clone, Copy)]
struct Answer {
    /// The newest own tick that it covers.
    judged: Tick,
    key: SlotKey,
    class: ClassId,
    record: Record,
    /// Whether that tick is still kept, and is kept as the server has it from now on.
    known: bool,
    /// Whether anything was predicted before.
    predicted: bool,
}

/// The own character in ticks that run again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    /// It stands where it is.
    Still,
    /// It goes the way that it went, and is put back afterwards: what is run again beside it sees it where it was.
    Ghost,
    /// It is set right.
    Corrected,
}

impl<G: Game> Playing<G> {
    /// How far the server's ticks are ahead of the own ones, by the newest pair that is known.
    fn lead(&self) -> Option<i64> {
        match (self.me, self.judgement) {
            (Some(_), Some(judgement)) => Some(judgement.tick.distance(judgement.judged)),
            (Some(_), None) => None,
            (None, _) => self.watched,
        }
    }

    /// The server's number of an own tick.
    fn server_tick(&self, own: Tick) -> Tick {
        shifted(own, self.lead().unwrap_or(0))
    }

    /// Takes what the server told since the last call: compares its newest word with what was predicted, puts what it told of
    /// the crowd in its place and time, and runs what came after it again, once. Only what differs moves in that.
    pub(in crate::client) fn reconcile(
        &mut self,
        now: Micros,
        newest_tick: Tick,
        parts: &mut Parts<'_, G>,
    ) {
        if self.crowd.tick.is_none() && self.lead().is_some() {
            self.crowd.tick = Some(self.server_tick(newest_tick));
        }
        let answer = self.judge(parts);
        let told = self.crowd.take_due(&self.world);
        parts.counters.simulated_told += told as u64;
        if answer.is_none() && told == 0 {
            return;
        }
        let mine = answer.map(|answer| (answer.key, answer.class));
        let before = mine.and_then(|(key, _)| saved(parts.game, key));
        self.run_again(now, newest_tick, answer, parts);
        let (Some((key, class)), Some(answer)) = (mine, answer) else {
            return;
        };
        match (before, saved(parts.game, key)) {
            (Some(before), Some(after)) => {
                if answer.predicted {
                    let shape = &G::SCHEMA.classes[usize::from(class.0)];
                    count(shape, &before, &after, parts.counters);
                }
                self.ease(now, parts.config, class, &before, &after);
            }
            // It was not there to be eased from.
            _ => self.offset.clear(),
        }
    }

    /// Compares the newest word of the server with what was predicted; what there is to do about it.
    fn judge(&mut self, parts: &mut Parts<'_, G>) -> Option<Answer> {
        let config = parts.config;
        // Where nothing is predicted yet, or prediction was just switched on, the last word is where to go on from.
        let unpredicted = self.predictor.newest().is_none();
        let judgement = self
            .judgement
            .as_mut()
            .filter(|judgement| judgement.pending || config.predict && unpredicted)?;
        judgement.pending = false;
        let judged = judgement.judged;
        let (key, class, told) = self.world.get(usize::from(self.me?.slot))?;
        let mut record: Record = [0; MAX_WIDTH];
        record[..told.len()].copy_from_slice(told);
        let shape = &G::SCHEMA.classes[usize::from(class.0)];
        let server = &record[..shape.width()];
        if !config.predict {
            parts.game.load(key, class, server);
            self.predictor.clear();
            self.offset.clear();
            return None;
        }
        let verdict = self.predictor.judge(judged, shape, server);
        match verdict {
            Verdict::Stands => return None,
            Verdict::Differs { .. } | Verdict::Unknown if !config.reconcile => return None,
            Verdict::Differs { .. } | Verdict::Unknown | Verdict::Ahead => {}
        }
        Some(Answer {
            judged,
            key,
            class,
            record,
            // A round trip longer than what is kept leaves nothing to compare with. The newest word is still where to go on
            // from: the character is then as many ticks ahead of it as are kept, rather than never set right.
            known: verdict != Verdict::Unknown,
            predicted: !unpredicted,
        })
    }

    /// Loads each thing that is to be set right at its tick, and runs it forward to the newest. The own character goes along as
    /// it went, where it is right.
    fn run_again(
        &mut self,
        now: Micros,
        newest_tick: Tick,
        answer: Option<Answer>,
        parts: &mut Parts<'_, G>,
    ) {
        let lead = self.lead().unwrap_or(0);
        let told = self.crowd.due(0).map(|(tick, _)| tick);
        let crowd_at = self.crowd.tick.filter(|_| told.is_some());
        let answered = answer.map(|answer| shifted(answer.judged, lead));
        let own_at = answered.map(|_| shifted(newest_tick, lead));
        let start = told.into_iter().chain(answered).min();
        let end = crowd_at.into_iter().chain(own_at).max();
        let (Some(start), Some(end)) = (start, end) else {
            return;
        };
        let mut at = start.max(end - InputHistory::<G::Input>::CAPACITY as u64);
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        let (mut own, mut own_before, mut next) = (Own::Still, None, 0);
        loop {
            while let Some((_, slot)) = self.crowd.due(next).filter(|(tick, _)| *tick <= at) {
                self.crowd.load(slot, &self.world, parts.game);
                moves.insert(slot);
                next += 1;
            }
            if let Some(answer) = answer
                && own != Own::Corrected
                && answered.is_some_and(|answered| answered <= at)
            {
                self.take(&answer, parts);
                own = Own::Corrected;
            }
            if at >= end {
                break;
            }
            let tick = shifted(at.next(), -lead);
            let made = self.inputs.get(tick).copied();
            let made = made.filter(|_| tick <= newest_tick);
            if own == Own::Still && made.is_some() && parts.config.predict {
                own_before = self.go_back(tick - 1, parts);
                if own_before.is_some() {
                    own = Own::Ghost;
                }
            }
            at = at.next();
            let made = made.filter(|_| own != Own::Still);
            let with_crowd = crowd_at.is_some_and(|crowd_at| at <= crowd_at);
            self.step_again(at, made, with_crowd.then_some(&mut moves), parts);
            if made.is_some() && own == Own::Corrected {
                parts.counters.replayed += 1;
                self.keep(tick, parts.game);
            }
            if crowd_at.is_some_and(|crowd_at| at <= crowd_at && crowd_at.since(at) <= 1) {
                self.crowd.retake(&moves, crowd_at == Some(at), parts.game);
            }
        }
        // What is ahead of this end is where to go on from, as it is.
        while let Some((_, slot)) = self.crowd.due(next) {
            self.crowd.load(slot, &self.world, parts.game);
            next += 1;
        }
        match (own, answer, own_before) {
            (Own::Still | Own::Ghost, Some(answer), _) => self.take(&answer, parts),
            (Own::Ghost, None, Some((key, class, record))) => {
                parts.game.load(key, class, &record[..width::<G>(class)]);
            }
            _ => {}
        }
        self.moves = moves;
        self.crowd
            .settle::<G>(now, &self.world, parts.config, parts.counters);
    }

    /// Puts the own character where the server has it, at the tick that it judged.
    fn take(&mut self, answer: &Answer, parts: &mut Parts<'_, G>) {
        let record = &answer.record[..width::<G>(answer.class)];
        parts.game.load(answer.key, answer.class, record);
        if answer.known {
            self.predictor.keep(answer.judged, record);
        }
    }

    /// Puts the own character where it was predicted to be after a tick; gives back where it is now.
    fn go_back(&self, tick: Tick, parts: &mut Parts<'_, G>) -> Option<(SlotKey, ClassId, Record)> {
        let me = self.me?;
        let (_, class) = parts.game.at(usize::from(me.slot))?;
        let before = saved(parts.game, me)?;
        let then = self.predictor.get(tick)?;
        parts.game.load(me, class, &then[..width::<G>(class)]);
        Some((me, class, before))
    }

    /// One tick that runs again, of the crowd's `moves` and of the own character where it has a command.
    fn step_again(
        &mut self,
        at: Tick,
        made: Option<Made<G::Input>>,
        moves: Option<&mut Bits>,
        parts: &mut Parts<'_, G>,
    ) {
        let me = self.me.filter(|_| made.is_some());
        match (moves, me) {
            (Some(moves), Some(me)) => {
                let me = usize::from(me.slot);
                parts.counters.simulated_replayed += 1;
                moves.insert(me);
                self.step(at, made, moves, true, parts);
                moves.remove(me);
            }
            (Some(moves), None) => {
                parts.counters.simulated_replayed += 1;
                self.step(at, None, moves, true, parts);
            }
            (None, Some(_)) => self.step(at, made, &self.own, true, parts),
            (None, None) => {}
        }
    }

    /// Runs one tick of what `moves`; the own character's is that command.
    fn step(
        &self,
        tick: Tick,
        made: Option<Made<G::Input>>,
        moves: &Bits,
        replaying: bool,
        parts: &mut Parts<'_, G>,
    ) {
        parts.commands.clear();
        let mine = self.here(parts.game);
        if let (Some(key), Some(made)) = (mine, made) {
            let input = made.input;
            parts.commands.set(key, Driven { input, saw: None });
        }
        parts.game.step(&mut Step {
            tick,
            dt: 1.0 / f32::from(parts.config.rate_hz),
            simulates: Simulates::Only(moves),
            mine,
            replaying,
            decides: false,
            commands: parts.commands,
            past: None,
            announced: None,
            said: &mut Vec::new(),
        });
    }

    /// The own character, once the server told of it.
    fn here(&self, game: &G) -> Option<SlotKey> {
        let me = self.me?;
        let (at, _) = game.at(usize::from(me.slot))?;
        (at == me).then_some(me)
    }

    /// Remembers what a tick led to.
    fn keep(&mut self, tick: Tick, game: &G) {
        let Some((key, class)) = self.here(game).and_then(|me| game.at(usize::from(me.slot)))
        else {
            return;
        };
        let mut record: Record = [0; MAX_WIDTH];
        let record = &mut record[..width::<G>(class)];
        game.save(key, record);
        self.predictor.keep(tick, record);
    }

    /// The newest tick: of the own character by its command, if it has one, and of the crowd.
    pub(in crate::client) fn run_tick(
        &mut self,
        at: Micros,
        tick: Tick,
        made: Option<Made<G::Input>>,
        parts: &mut Parts<'_, G>,
    ) {
        if let Some(made) = made {
            parts.counters.inputs_lost += u64::from(self.inputs.push(tick, made).is_some());
        }
        self.follow(at, tick);
        let made = made.filter(|_| parts.config.predict && self.here(parts.game).is_some());
        self.move_on(at, tick, made, parts);
        if made.is_some() {
            self.keep(tick, parts.game);
        }
        self.newest_tick = tick;
        self.pass(at, parts.config);
        self.steer(at, parts.config);
        if self.me.is_some() {
            self.owes_inputs |= self.sends.due(at);
        }
    }

    /// Where one who watches has the crowd: at the newest tick that is due, evenly.
    fn follow(&mut self, at: Micros, tick: Tick) {
        if self.me.is_some() || self.arrivals.newest().is_none() {
            return;
        }
        let wanted = self.arrivals.front(at) - tick.get() as f64;
        let lead = self.watched.unwrap_or(wanted as i64);
        let off = wanted - lead as f64;
        self.watched = Some(if off.abs() > CATCH_UP as f64 {
            wanted as i64
        } else if off.abs() > ADRIFT {
            lead.saturating_add(off.signum() as i64)
        } else {
            lead
        });
    }

    /// Moves the own character by a tick, and the crowd to the tick that it is then in: by more than one where the server ran
    /// more, by none where it ran fewer.
    fn move_on(
        &mut self,
        now: Micros,
        tick: Tick,
        made: Option<Made<G::Input>>,
        parts: &mut Parts<'_, G>,
    ) {
        let target = self.server_tick(tick);
        let behind = self.crowd.tick.map_or(0, |at| target.distance(at));
        if self.crowd.is_empty() {
            if made.is_some() {
                self.step(target, made, &self.own, false, parts);
            }
            self.crowd.tick = self.crowd.tick.map(|at| at.max(target));
            return;
        }
        let mut moves = std::mem::take(&mut self.moves);
        moves.clone_from(self.crowd.slots());
        for ahead in (1..behind.min(CATCH_UP)).rev() {
            self.step(shifted(target, -ahead), None, &moves, false, parts);
        }
        if behind < 1 {
            moves.clear();
        }
        if let (Some(me), true) = (self.me, made.is_some()) {
            moves.insert(usize::from(me.slot));
        }
        if !moves.is_empty() {
            self.step(target, made, &moves, false, parts);
        }
        self.moves = moves;
        self.crowd.tick = self.crowd.tick.map(|at| at.max(target));
        self.crowd.turn(now, parts.game);
        for at in 0..self.crowd.take_due(&self.world) {
            parts.counters.simulated_told += 1;
            if let Some((_, slot)) = self.crowd.due(at) {
                self.crowd.load(slot, &self.world, parts.game);
            }
        }
        self.crowd
            .settle::<G>(now, &self.world, parts.config, parts.counters);
    }

    /// The simulation takes a correction at once; the picture eases over it, but never across a cut.
    fn ease(
        &mut self,
        now: Micros,
        config: &ClientConfig,
        class: ClassId,
        before: &Record,
        after: &Record,
    ) {
        let shape = &G::SCHEMA.classes[usize::from(class.0)];
        if config.smooth == Micros::ZERO || is_cut(shape, before, after) {
            self.offset.clear();
            return;
        }
        if self.offset.ease() != config.smooth {
            self.offset = ErrorOffset::over(config.smooth);
        }
        let moved = moved_by(shape, before, after);
        if moved != [0.0; 3] {
            self.offset.add(now, moved);
        }
    }
}

fn width<G: Game>(class: ClassId) -> usize {
    G::SCHEMA.classes[usize::from(class.0)].width()
}

/// A tick so many later, or earlier.
fn shifted(tick: Tick, by: i64) -> Tick {
    if by < 0 {
        tick - by.unsigned_abs()
    } else {
        tick + by.unsigned_abs()
    }
}

/// How far a record's place is from another's, by axis.
pub(in crate::client) fn moved_by(shape: &Class, before: &[i32], after: &[i32]) -> [f32; 3] {
    let mut moved = [0.0f32; 3];
    let fields = shape.fields.iter().enumerate();
    for ((at, field), axis) in fields.filter(|(_, field)| field.place).zip(&mut moved) {
        *axis = field.quant.decode(before[at]) - field.quant.decode(after[at]);
    }
    moved
}

/// Whether one record is elsewhere or somebody else than the other: a teleport lies between them.
pub(in crate::client) fn is_cut(shape: &Class, before: &[i32], after: &[i32]) -> bool {
    let mut fields = shape.fields.iter().zip(before.iter().zip(after));
    fields.any(|(field, (a, b))| field.blend == Blend::Cut && a != b)
}

/// Counts a correction by how far it moved the character where it is now, not where it was judged: that is what a player
/// sees. A teleport is the server's to decide, so what it moves is no misprediction.
fn count(shape: &Class, before: &[i32], after: &[i32], counters: &mut ClientCounters) {
    let moved = shape.distance(before, after);
    if moved > Predictor::floor(shape) && !is_cut(shape, before, after) {
        counters.corrections += 1;
        counters.corrected += f64::from(moved);
    } else if before != after {
        counters.adjustments += 1;
    }
}
