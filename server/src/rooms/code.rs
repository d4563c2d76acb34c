//! What a room is called, and what only one person knows.

use std::fmt;
use std::str::FromStr;

/// No vowels, so that no code is a word, and none that is taken for another when read aloud or by hand.
const LETTERS: &[u8; 19] = b"BCDFGHJKMNPQRSTVWXZ";
const LENGTH: usize = 6;

/// What a room is called: six letters, 47 million of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code([u8; LENGTH]);

/// What was read is no code of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a room's code is six letters like BCD-FGH")]
pub struct NoCode;

impl Code {
    /// One by the system's chance, which nobody foresees.
    pub(crate) fn random() -> Self {
        Self(std::array::from_fn(|_| {
            // From here on a byte would favour the first letters.
            const FAIR: u8 = (256 / LETTERS.len() * LETTERS.len()) as u8;
            loop {
                let [byte] = chance::<1>();
                if byte < FAIR {
                    return LETTERS[usize::from(byte) % LETTERS.len()];
                }
            }
        }))
    }

    /// As words and addresses have it.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("letters of ASCII")
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Code {
    type Err = NoCode;

    /// With its dash or without, in small letters or capitals.
    fn from_str(text: &str) -> Result<Self, NoCode> {
        let mut code = [0; LENGTH];
        let mut letters = text
            .bytes()
            .filter(|byte| *byte != b'-')
            .map(|byte| byte.to_ascii_uppercase());
        for place in &mut code {
            *place = letters
                .next()
                .filter(|letter| LETTERS.contains(letter))
                .ok_or(NoCode)?;
        }
        match letters.next() {
            None => Ok(Self(code)),
            Some(_) => Err(NoCode),
        }
    }
}

/// 128 bits that only one person knows: a join token, a resume secret, a host's. Never logged.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Secret([u8; 16]);

impl Secret {
    /// One by the system's chance.
    pub(crate) fn random() -> Self {
        Self(chance())
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl FromStr for Secret {
    type Err = NoSecret;

    fn from_str(text: &str) -> Result<Self, NoSecret> {
        let mut secret = [0; 16];
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NoSecret);
        }
        for (at, byte) in secret.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| NoSecret)?;
        }
        Ok(Self(secret))
    }
}

/// What was read is no secret of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret is 32 hexadecimal digits")]
pub struct NoSecret;

/// Bytes of the system's chance.
pub(crate) fn chance<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has chance to give, or nothing here is safe");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_with_its_dash_or_without_in_any_case() {
        let code: Code = "BCDFGH".parse().unwrap();
        for text in ["BCD-FGH", "bcd-fgh", "bcdfgh", "-BCDFGH-"] {
            assert_eq!(text.parse(), Ok(code), "{text}");
        }
        for text in [
            "", "BCDFG", "BCDFGHJ", "ABCDFG", "BCDFG1", "BCDFGß", "BCD FGH",
        ] {
            assert_eq!(text.parse::<Code>(), Err(NoCode), "{text}");
        }
    }

    #[test]
    fn chance_gives_every_letter_about_as_often() {
        let mut seen = [0u32; 256];
        for _ in 0..2_000 {
            for byte in Code::random().0 {
                seen[usize::from(byte)] += 1;
            }
        }
        for letter in LETTERS {
            // 12,000 letters: 632 of each on average, 24 the standard deviation.
            let count = seen[usize::from(*letter)];
            assert!(
                (480..790).contains(&count),
                "{} {count}",
                char::from(*letter)
            );
        }
        assert_eq!(seen.iter().sum::<u32>(), 12_000);
    }

    #[test]
    fn a_secret_comes_back_and_is_not_shown() {
        let secret = Secret::random();
        assert_eq!(secret.to_string().parse(), Ok(secret));
        assert_eq!(format!("{secret:?}"), "Secret");
        for text in ["", "0", "zz", &"+1".repeat(16), &"ß".repeat(16)] {
            assert_eq!(text.parse::<Secret>(), Err(NoSecret));
        }
    }
}
