//! Which of the packets that were lost somebody had to do without.

use wire::Micros;

use crate::params::Pair;

/// How long an input that is lost can be missed for: ten ticks are the most that the server's queue holds, 156 ms at
/// 64 Hz, and a send interval comes on top. A guess for slower ticks, whose queues are shallower.
const MISSED: Micros = Micros::from_millis(200);

/// Losses that wait for their verdict. While nothing gets through, every tick and every frame settles some.
const MOST: usize = 256;

/// A loss whose verdict is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    way: Pair,
    sent: Micros,
    /// When it would have come.
    due: Micros,
}

/// Losses without a verdict. One up did harm if the server had to stand in for an input while it was missed; one down, if
/// the screen ran out of samples before a later snapshot came. Each call says how many it settles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mends {
    open: Vec<Open>,
}

impl Mends {
    /// A packet is lost that was sent at `sent` and would have come at `due`.
    pub(crate) fn lost(&mut self, way: Pair, sent: Micros, due: Micros) {
        if self.open.len() < MOST {
            self.open.push(Open { way, sent, due });
        }
    }

    /// Whoever is at the end of that way has to do without something now.
    pub(crate) fn did_without(&mut self, way: Pair, now: Micros) -> u32 {
        self.settle(|open| open.way == way && open.due <= now)
    }

    /// A snapshot came that was sent at `sent`, and with it all that those before it had to say.
    pub(crate) fn heard(&mut self, sent: Micros) -> u32 {
        self.settle(|open| open.way == Pair::Down && open.sent < sent)
    }

    /// Inputs that nobody had to do without by now are not missed any more.
    pub(crate) fn passed(&mut self, now: Micros) -> u32 {
        self.settle(|open| open.way == Pair::Up && open.due + MISSED <= now)
    }

    fn settle(&mut self, settled: impl Fn(&Open) -> bool) -> u32 {
        let before = self.open.len();
        self.open.retain(|open| !settled(open));
        (before - self.open.len()) as u32
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(self.open.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Micros {
        Micros::from_millis(ms)
    }

    #[test]
    fn a_snapshot_is_missed_if_the_screen_starves_before_a_later_one() {
        let mut mends = Mends::default();
        mends.lost(Pair::Down, ms(100), ms(200));
        assert_eq!(mends.did_without(Pair::Down, ms(199)), 0, "not due yet");
        assert_eq!(mends.heard(ms(99)), 0, "an earlier one says nothing of it");
        assert_eq!(mends.heard(ms(116)), 1);
        assert_eq!(mends.did_without(Pair::Down, ms(300)), 0, "bridged");
        mends.lost(Pair::Down, ms(300), ms(400));
        assert_eq!(mends.did_without(Pair::Up, ms(450)), 0);
        assert_eq!(mends.did_without(Pair::Down, ms(450)), 1);
        assert_eq!(mends.heard(ms(316)), 0, "settled");
    }

    #[test]
    fn an_input_is_missed_if_the_server_stands_in_for_one_soon() {
        let mut mends = Mends::default();
        mends.lost(Pair::Up, ms(0), ms(100));
        assert_eq!(mends.did_without(Pair::Up, ms(180)), 1);
        mends.lost(Pair::Up, ms(200), ms(300));
        assert_eq!((mends.passed(ms(499)), mends.heard(ms(400))), (0, 0));
        assert_eq!(
            (mends.passed(ms(500)), mends.did_without(Pair::Up, ms(501))),
            (1, 0)
        );
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut mends = Mends::default();
        for at in 0..1_000 {
            mends.lost(Pair::Up, ms(at), ms(at));
        }
        assert_eq!(mends.did_without(Pair::Up, ms(1_000)), MOST as u32);
    }
}
