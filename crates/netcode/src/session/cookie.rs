//! A challenge that nobody has to remember.

use std::fmt;
use std::hash::Hasher;

use siphasher::sip::SipHasher24;
use wire::Micros;

/// How long a token is given out. It is taken in its own window and the next: for 10 to 20 s.
pub const WINDOW: Micros = Micros::from_millis(10_000);

/// Gives tokens to addresses and knows its own again without keeping any: SipHash-2-4 of the present 10 s window and the address
/// (seed `001_545bc6c5b0a72338.txt`; SipHash by Aumasson and Bernstein).
///
/// Whoever echoes a token can hear at the address that it was said to. It cannot be worked out from the clock or from other
/// tokens, so nobody echoes what they have not heard; and a flood of hellos that prove nothing costs a hash each and no memory.
#[derive(Clone)]
pub struct Cookie {
    key: [u8; 16],
}

impl Cookie {
    /// With a key that nobody knows: the driver draws it from the operating system when it starts.
    pub const fn new(key: [u8; 16]) -> Self {
        Self { key }
    }

    /// The token for an address, its bytes as the driver likes as long as they are always the same for one. Never 0, which
    /// says that there is none.
    pub fn challenge(&self, now: Micros, address: &[u8]) -> u64 {
        self.token(window(now), address)
    }

    /// Whether the address was given this token in this window or the one before.
    pub fn proves(&self, now: Micros, address: &[u8], token: u64) -> bool {
        let now = window(now);
        let given = [Some(now), now.checked_sub(1)];
        given
            .into_iter()
            .flatten()
            .any(|window| self.token(window, address) == token)
    }

    fn token(&self, window: u64, address: &[u8]) -> u64 {
        let mut hasher = SipHasher24::new_with_key(&self.key);
        hasher.write(&window.to_le_bytes());
        hasher.write(address);
        hasher.finish().max(1)
    }
}

/// Not the key: what is logged is read.
impl fmt::Debug for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cookie").finish_non_exhaustive()
    }
}

fn window(now: Micros) -> u64 {
    now.get() / WINDOW.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    const HOME: &[u8] = &[127, 0, 0, 1, 0x1F, 0x90];

    #[test]
    fn it_is_siphash_2_4_of_the_window_and_the_address() {
        // The 15 bytes 00 to 0e of the paper's appendix.
        let token = Cookie::new(KEY).token(0x0706_0504_0302_0100, &[8, 9, 10, 11, 12, 13, 14]);
        assert_eq!(token, 0xa129_ca61_49be_45e5);
    }

    #[test]
    fn a_token_is_taken_in_its_own_window_and_the_next_and_no_longer() {
        let cookie = Cookie::new(KEY);
        for given in [0, 1, 9_999, 10_000, 10_001, 123_456_789] {
            let token = cookie.challenge(Micros::from_millis(given), HOME);
            let end = given / 10_000 * 10_000 + 20_000;
            let proves = |millis| cookie.proves(Micros::from_millis(millis), HOME, token);
            assert!(proves(given) && proves(end - 1), "{given} ms");
            assert!(!proves(end) && !proves(end + 100_000), "{given} ms");
        }
        // What was given in a later window is not known in an earlier one.
        let later = cookie.challenge(Micros::from_millis(10_000), HOME);
        assert!(!cookie.proves(Micros::from_millis(9_999), HOME, later));
    }

    #[test]
    fn a_token_is_for_one_address_and_one_key() {
        let now = Micros::from_millis(5_000);
        let cookie = Cookie::new(KEY);
        let token = cookie.challenge(now, HOME);
        assert!(cookie.proves(now, HOME, token));
        let mut elsewhere = HOME.to_vec();
        elsewhere[5] ^= 1;
        assert!(!cookie.proves(now, &elsewhere, token));
        assert!(!Cookie::new([7; 16]).proves(now, HOME, token));
        assert!(!cookie.proves(now, HOME, 0));
        assert!(!cookie.proves(now, HOME, token ^ 1 << 40));
        assert!(!format!("{cookie:?}").contains("15"));
    }
}
