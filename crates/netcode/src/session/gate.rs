//! Who may speak where the carrier has no sessions of its own and proves no address: UDP.

use wire::{Header, Micros, Opening, Prefix, PrefixKind, ReadError, Reader, Refusal, Writer};

use crate::session::Cookie;

/// The longest reply of a [`Gate`], bytes: a refusal.
pub const LONGEST_REPLY: usize = Prefix::LEN + 1;

/// A driver of UDP keeps a session that is over, and its ticket, for as long: a hello that was doubled on its way then finds
/// the session that it belongs to, and seats no ghost. It is a little less than a server holds such hellos for stale, so that
/// whoever comes back gets a session of their own.
pub const LINGER: Micros = Micros::from_millis(900);

/// What an address has proven: kept by the driver beside the session that it opened for it, and nowhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    token: u64,
    /// When a session frame with the token was last heard. From the first on it is known which of two tokens the far end holds.
    heard: Option<Micros>,
}

impl Ticket {
    /// The session's token.
    pub fn token(&self) -> u64 {
        self.token
    }
}

/// What is to be done with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage<'a> {
    /// Send the first so many bytes of the reply to the address, and forget that it asked. It is never longer than the frame.
    Reply(usize),
    /// The address has proven that it hears. Open a session for it, keep the ticket there, and give the frame to the server. If
    /// there is no room for another session, drop it.
    Open(Ticket),
    /// Give this to the server as of the address' session.
    Pass(&'a [u8]),
    /// Forged, late or garbage: nothing.
    Drop,
}

/// Judges every frame that comes from an address, before any of it moves an acknowledgement. It keeps nothing: what is kept
/// is a [`Ticket`] for each address that has proven itself.
///
/// For each frame: [`judge`](Self::judge) with the ticket of the address' session, if it has one. For each frame of the server:
/// [`seal`] it with the session's token.
#[derive(Clone, Debug)]
pub struct Gate {
    cookie: Cookie,
}

/// How long a session must have been still before a hello with another token opens it to a newcomer at the same address.
const TAKEN_OVER_AFTER: Micros = Micros::from_millis(1_000);

impl Gate {
    /// A gate whose tokens nobody can work out.
    pub const fn new(cookie: Cookie) -> Self {
        Self { cookie }
    }

    /// What to do with a frame from an address.
    pub fn judge<'a>(
        &self,
        now: Micros,
        address: &[u8],
        ticket: Option<&mut Ticket>,
        frame: &'a [u8],
        reply: &mut [u8; LONGEST_REPLY],
    ) -> Passage<'a> {
        let Ok(prefix) = Prefix::read(&mut Reader::new(frame)) else {
            return Passage::Drop;
        };
        match (prefix.kind, ticket) {
            (PrefixKind::Session, Some(ticket)) if ticket.token == prefix.token => {
                let inner = &frame[Prefix::LEN..];
                if inner.len() <= Header::LEN || wire::is_prefixed(inner) {
                    return Passage::Drop;
                }
                ticket.heard = Some(now);
                Passage::Pass(inner)
            }
            (PrefixKind::Hello, _) if prefix.version != wire::VERSION => {
                let (token, refusal) = (prefix.token, Refusal::Version);
                answer(Opening::Refuse { token, refusal }, frame, reply)
            }
            (PrefixKind::Hello, Some(ticket)) if ticket.token == prefix.token => {
                Passage::Pass(frame)
            }
            (PrefixKind::Hello, ticket) => {
                if !self.cookie.proves(now, address, prefix.token) {
                    let token = self.cookie.challenge(now, address);
                    return answer(Opening::Challenge { token }, frame, reply);
                }
                let newcomer = Ticket {
                    token: prefix.token,
                    heard: None,
                };
                let Some(ticket) = ticket else {
                    return Passage::Open(newcomer);
                };
                // Told two tokens at a window's turn, it may hold either until it has spoken. One that has spoken is not
                // unseated by a hello of its own that comes late.
                if ticket
                    .heard
                    .is_some_and(|heard| now - heard < TAKEN_OVER_AFTER)
                {
                    return Passage::Drop;
                }
                *ticket = newcomer;
                Passage::Pass(frame)
            }
            _ => Passage::Drop,
        }
    }
}

fn answer<'a>(opening: Opening, frame: &[u8], reply: &mut [u8; LONGEST_REPLY]) -> Passage<'a> {
    let mut w = Writer::new(reply);
    opening.write(&mut w);
    match w.finish() {
        // What asks with less than it gets could make others be sent more than it sends.
        Ok(len) if len <= frame.len() => Passage::Reply(len),
        _ => Passage::Drop,
    }
}

/// Puts the token before a session frame, into `out`; a frame that opens a session has its own. `None` if there is no room:
/// [`Prefix::LEN`] bytes more than the frame are always enough.
pub fn seal(token: u64, frame: &[u8], out: &mut [u8]) -> Option<usize> {
    let at = if wire::is_prefixed(frame) {
        0
    } else {
        let mut w = Writer::new(out);
        Opening::Session { token }.write(&mut w);
        w.finish().ok()?
    };
    let len = at + frame.len();
    out.get_mut(at..len)?.copy_from_slice(frame);
    Some(len)
}

/// The frame that a client is to hear, which holds `token`: what opens a session as it stands, a session frame without its
/// prefix.
///
/// # Errors
/// Not ours to read, or of a session with another token: said by somebody else.
pub fn unseal(token: u64, frame: &[u8]) -> Result<&[u8], crate::Fault> {
    let prefix = Prefix::read(&mut Reader::new(frame))?;
    match prefix.kind {
        PrefixKind::Session if prefix.token != token => Err(crate::Fault::Token),
        PrefixKind::Session if wire::is_prefixed(&frame[Prefix::LEN..]) => {
            Err(ReadError::Tag.into())
        }
        PrefixKind::Session => Ok(&frame[Prefix::LEN..]),
        _ => Ok(frame),
    }
}

#[cfg(test)]
mod tests;
