//! How a reliable stream notices a loss and repairs it.
//!
//! The rules are those of today's TCP senders, as far as a game's trickle of small packets meets them:
//!
//! - **A loss is given away by what is sent after it** (RFC 8985, RACK). The first later packet that arrives is
//!   acknowledged selectively, and one round trip after its own sending the sender knows that something older is missing.
//!   The older packet may only have been overtaken, so the sender first lets a quarter of a round trip pass, on a timer
//!   that is coarse and fires some milliseconds late, or waits for the third such packet. Then it sends the older one
//!   again, which takes the latency once more: at 40 ms one way and 60 packets a second a loss arrives after 150 ms
//!   instead of 40, and what was sent meanwhile waits.
//! - **A sender that is repairing already does not wait** for what may have been overtaken (RFC 8985, 6.2 step 4).
//! - **A lost resend is given away in the same way**, by the first packet sent after it.
//! - **Where nothing later arrives, a timer** (RFC 6298) resends: a round trip and at least 200 ms after the last try,
//!   doubled at each further one.
//!
//! Measured in Chromium over real TCP at 40 ms and 5 % loss, the slowest of some 1,200 messages took 252 ms one way. One
//! lost resend repaired by the timer would have taken over 400 ms, and at that rate there were several: it is evidence,
//! not the timer, that repairs a stream which keeps sending. `shape.rs` holds the model to the measured figures.
//!
//! Left out, because a game's traffic hardly meets it: the congestion window, the tail-loss probe, coalescing of small
//! packets on resending, loss of acknowledgements (the next one says the same), and needless resends of what was
//! merely overtaken.

use wire::Micros;

use crate::line::Line;

/// The shortest that a timeout exceeds the round trip: Linux' TCP_RTO_MIN. RFC 6298 asks for a second in all, and no
/// current system waits as long.
const TIMEOUT_FLOOR: Micros = Micros::new(200_000);

/// The longest timeout: RFC 6298 allows an upper limit of 60 s or more.
const TIMEOUT_CEILING: Micros = Micros::new(60_000_000);

/// How late the timer fires that ends the wait for an overtaken packet: two ticks of Linux' timer wheel at 250 a second,
/// and half a tick of rounding.
const TIMER_LATE: Micros = Micros::new(10_000);

/// So many later packets heard of end the wait for an overtaken one: the threshold of duplicate acknowledgements (RFC 5681).
const SURE: u32 = 3;

/// The resend that gets through whatever is drawn, so that a stream which loses everything ends its waits: Linux gives
/// up after 15 (tcp_retries2). At a loss of one half it is reached once in 16,384 losses.
const LAST_RESEND: u32 = 15;

/// A packet whose transmissions so far are lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hole {
    pub(crate) id: u64,
    /// Resends that are past, all lost.
    resends: u32,
    /// When the last transmission was sent.
    sent: Micros,
    /// When the next one will be, unless evidence comes earlier.
    next: Micros,
    /// Packets sent later of which the sender hears.
    later: u32,
}

/// The transmission that fills a hole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Repair {
    /// When it is sent.
    pub(crate) sent: Micros,
    pub(crate) arrives: Micros,
    /// Which resend it is, counted from 1.
    pub(crate) resend: u32,
}

impl Hole {
    /// The first transmission of `id`, sent at `sent`, is lost.
    pub(crate) fn new(id: u64, sent: Micros, line: &Line) -> Self {
        Self {
            id,
            resends: 0,
            sent,
            next: sent + timeout(line, 0),
            later: 0,
        }
    }

    /// The `resends`th resend of `id`, sent at `sent`, is lost after all.
    pub(crate) fn after(id: u64, resends: u32, sent: Micros, line: &Line) -> Self {
        let next = sent + timeout(line, resends);
        Self {
            resends,
            next,
            ..Self::new(id, sent, line)
        }
    }

    /// Nothing is sent again before `now`, whatever was heard by then.
    pub(crate) fn not_before(&mut self, now: Micros) {
        self.next = self.next.max(now);
    }

    /// The last transmission leaves at `moved` of its instant, and what follows from it moves along.
    pub(crate) fn requeue(&mut self, moved: impl Fn(Micros) -> Micros) {
        let sent = moved(self.sent);
        self.next = sent + (self.next - self.sent);
        self.sent = sent;
    }

    /// Whether the sender is busy repairing this one at `instant`, having resent something at `resent_at`: it has resent
    /// this one by then, or this one was missing already when the repair began, which does not end without it.
    pub(crate) fn is_repaired_by(&self, instant: Micros, resent_at: Option<Micros>) -> bool {
        self.resends > 0 || self.next <= instant || Some(self.sent) <= resent_at
    }

    /// The sender hears at `heard` of a packet that took `round_trip` and was sent after the last transmission of this
    /// one; `repairing` if it is busy with any repair by then. Says whether that brings the next resend forward.
    pub(crate) fn notice(&mut self, heard: Micros, round_trip: Micros, repairing: bool) -> bool {
        self.later += 1;
        let sure = repairing || self.later >= SURE;
        let known = if sure {
            heard
        } else {
            heard.max(self.sent + round_trip + round_trip / 4 + TIMER_LATE)
        };
        let sooner = known < self.next;
        self.next = self.next.min(known);
        sooner
    }

    /// Makes the resends that are due by `now`. The repair, where one of them gets through.
    pub(crate) fn resend(&mut self, now: Micros, line: &Line) -> Option<Repair> {
        while self.next <= now {
            let resend = self.resends + 1;
            let arrives = if resend < LAST_RESEND {
                line.again(self.id, resend, self.next)
            } else {
                Some(self.next + line.config.latency)
            };
            if let Some(arrives) = arrives {
                return Some(Repair {
                    sent: self.next,
                    arrives,
                    resend,
                });
            }
            self.resends = resend;
            self.sent = self.next;
            self.next = self.sent + timeout(line, self.resends);
        }
        None
    }

    /// The repair as it will be if nothing else is sent.
    pub(crate) fn foresee(mut self, line: &Line) -> Repair {
        self.resend(Micros::MAX, line)
            .expect("the last resend gets through")
    }
}

/// How long the sender waits without any sign after the last of `resends` resends.
fn timeout(line: &Line, resends: u32) -> Micros {
    // RFC 6298 adds four mean deviations, and that of a uniform jitter is a quarter of it.
    let first = line.config.there_and_back() + TIMEOUT_FLOOR.max(line.config.jitter);
    (first * (1 << resends.min(LAST_RESEND))).min(TIMEOUT_CEILING)
}
