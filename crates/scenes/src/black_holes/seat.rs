//! A slot of a scene.

/// A slot and who is in it. The life stays when its occupant goes, so that the next one's differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seat<T> {
    pub taken: bool,
    pub life: u8,
    pub body: T,
}

impl<T> Seat<T> {
    pub(super) fn put(&mut self, life: u8, body: T) {
        *self = Self {
            taken: true,
            life,
            body,
        };
    }

    /// Gives the slot to somebody new.
    pub(super) fn renew(&mut self, body: T) {
        self.put(self.life.wrapping_add(1), body);
    }

    pub(super) fn get(&self, life: u8) -> Option<&T> {
        (self.taken && self.life == life).then_some(&self.body)
    }
}
