//! What a bot remembers between two ticks, whatever the game.

use netcode::Digest;
use wire::SlotKey;

/// What a bot is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BotStyle {
    /// Plays as a person would: walks, peeks, shoots with spread and pauses.
    #[default]
    Duel,
    /// Runs a ring at full walking speed and never shoots: the target of an experiment.
    Runner,
    /// Stands in the ring and shoots at exactly what its screen shows: the shooter of an experiment.
    Aimer,
    /// Does nothing.
    Still,
}

/// A bot's memory. One `think` call is one tick; times are in ticks. It is `Copy` and small, so that a copy of a whole
/// lab copies it for nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BotMemory {
    /// What the bot is for.
    pub style: BotStyle,
    /// Ticks a second.
    pub rate_hz: u16,
    /// The place it is on its way to, by the scene's number.
    pub goal: u8,
    /// The next place on that way.
    pub hop: u8,
    /// Whether it has a goal at all.
    pub going: bool,
    /// Shots left in the burst.
    pub burst: u8,
    /// -1 or 1: which way it side-steps.
    pub side: i8,
    /// Whom it fights.
    pub target: Option<SlotKey>,
    /// Until it looks around again.
    pub look: u16,
    /// Until it has understood what it saw.
    pub react: u16,
    /// Until it shoots again.
    pub rest: u16,
    /// Until it walks on.
    pub pause: u16,
    /// Until it changes its side-step.
    pub swap: u16,
    /// Until its hand settles anew.
    pub settle: u16,
    /// How long it has got nowhere.
    pub stuck: u16,
    /// How far its hand is off, rad.
    pub off: f32,
    /// Where it aims, rad.
    pub aim: f32,
    /// Where it was a tick ago, m.
    pub was: [f32; 2],
}

impl BotMemory {
    /// A bot that knows nothing yet, in a game of `rate_hz` ticks a second.
    pub const fn new(style: BotStyle, rate_hz: u16) -> Self {
        Self {
            style,
            rate_hz,
            goal: 0,
            hop: 0,
            going: false,
            burst: 0,
            side: 1,
            target: None,
            look: 0,
            react: 0,
            rest: 0,
            pause: 0,
            swap: 0,
            settle: 0,
            stuck: 0,
            off: 0.0,
            aim: 0.0,
            was: [0.0, 0.0],
        }
    }

    /// A time as whole ticks, at least one.
    pub fn ticks(&self, seconds: f32) -> u16 {
        ((seconds * f32::from(self.rate_hz) + 0.5) as u16).max(1)
    }

    /// Folds all of it into a digest.
    pub fn digest(&self, digest: &mut Digest) {
        digest.u64(u64::from(self.style as u8) << 16 | u64::from(self.rate_hz));
        for small in [
            self.goal,
            self.hop,
            u8::from(self.going),
            self.burst,
            self.side as u8,
        ] {
            digest.u64(u64::from(small));
        }
        digest.u64(self.target.map_or(u64::MAX, |key| u64::from(key.packed())));
        for timer in [
            self.look,
            self.react,
            self.rest,
            self.pause,
            self.swap,
            self.settle,
            self.stuck,
        ] {
            digest.u64(u64::from(timer));
        }
        for value in [self.off, self.aim, self.was[0], self.was[1]] {
            // By its bits, whatever they are: a bot's own sums may come out as -0.
            digest.u64(u64::from(value.to_bits()));
        }
    }

    /// Lets every timer run one tick on.
    pub fn tick(&mut self) {
        for timer in [
            &mut self.look,
            &mut self.react,
            &mut self.rest,
            &mut self.pause,
            &mut self.swap,
            &mut self.settle,
        ] {
            *timer = timer.saturating_sub(1);
        }
    }
}
