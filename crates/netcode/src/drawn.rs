//! What one screen shows at one instant.

use wire::{ClassId, Shown, SlotKey};

/// One body as drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnBody {
    /// Which entity.
    pub key: SlotKey,
    /// Its class.
    pub class: ClassId,
    /// Whether it is this screen's own character.
    pub mine: bool,
    /// Whether the screen has run out of samples to draw between.
    pub starved: bool,
    /// How it is shown, and so of which instant: [`Drawn::others_at`], [`Drawn::simulated_at`] or [`Drawn::reckoned_at`].
    pub shown: Shown,
    /// Where its values start in [`Drawn::values`].
    at: usize,
    width: usize,
}

/// What one screen shows at one instant: bodies with their fields in world units, in the schema's order. Reuse one to draw
/// without allocating.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    bodies: Vec<DrawnBody>,
    values: Vec<f32>,
    /// The server tick at which everyone but the own character is shown who is shown in the past, whole and fraction.
    pub others_at: f64,
    /// The server tick at which those are shown whom both ends simulate.
    pub simulated_at: f64,
    /// The server tick at which those are shown who are carried on from what was heard.
    pub reckoned_at: f64,
    /// The own client's tick that is shown, whole and fraction; 0 for a screen without a character.
    pub own_at: f64,
    /// This screen's own character.
    pub mine: Option<SlotKey>,
    /// The server tick that the summaries are of; 0 where there are none.
    pub summaries_at: f64,
    summaries: Vec<f32>,
    /// Fields of a summary.
    summary_width: usize,
}

impl Drawn {
    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.values.clear();
        self.others_at = 0.0;
        self.simulated_at = 0.0;
        self.reckoned_at = 0.0;
        self.own_at = 0.0;
        self.mine = None;
        self.summaries_at = 0.0;
        self.summaries.clear();
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        size_of_val(self.bodies.as_slice())
            + size_of_val(self.values.as_slice())
            + size_of_val(self.summaries.as_slice())
    }

    /// Adds a body that is shown in the past and hands out its values, all zero, to be filled in.
    pub fn push(
        &mut self,
        key: SlotKey,
        class: ClassId,
        width: usize,
        mine: bool,
        starved: bool,
    ) -> &mut [f32] {
        let at = self.values.len();
        self.values.resize(at + width, 0.0);
        self.bodies.push(DrawnBody {
            key,
            class,
            mine,
            starved,
            shown: Shown::Interpolated,
            at,
            width,
        });
        &mut self.values[at..]
    }

    /// Says how the body that was added last is shown.
    pub fn last_is_shown(&mut self, shown: Shown) {
        if let Some(body) = self.bodies.last_mut() {
            body.shown = shown;
        }
    }

    /// Takes the body that was added last away again.
    pub(crate) fn pop(&mut self) {
        if let Some(body) = self.bodies.pop() {
            self.values.truncate(body.at);
        }
    }

    /// Adds what stands in for a group, of the fields of [`wire::Schema::summary`], and hands out its values, all zero.
    pub fn push_summary(&mut self, width: usize) -> &mut [f32] {
        let at = self.summaries.len();
        self.summary_width = width;
        self.summaries.resize(at + width, 0.0);
        &mut self.summaries[at..]
    }

    /// What stands in for groups that this screen is not told of one by one: each one's fields, in world units.
    pub fn summaries(&self) -> impl Iterator<Item = &[f32]> {
        self.summaries.chunks_exact(self.summary_width.max(1))
    }

    /// The bodies with their values, by slot where the producer went by slot.
    pub fn iter(&self) -> impl Iterator<Item = (&DrawnBody, &[f32])> {
        self.bodies
            .iter()
            .map(|body| (body, &self.values[body.at..body.at + body.width]))
    }

    /// One body's values.
    pub fn get(&self, key: SlotKey) -> Option<&[f32]> {
        self.iter()
            .find(|(body, _)| body.key == key)
            .map(|(_, values)| values)
    }

    /// The own character's values.
    pub fn own(&self) -> Option<&[f32]> {
        self.get(self.mine?)
    }

    /// How many bodies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether nothing is shown.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }
}
