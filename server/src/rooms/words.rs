//! The words beside the netcode, as JSON. What a client says is read strictly: one shape each, nothing else in it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::code::Secret;

/// What a client says on its carrier.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "t", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Word {
    /// The first of all: the token that `join` gave.
    Join { token: String },
    /// What its own end measures; for everybody to see.
    Net {
        #[serde(default)]
        ping: Option<f32>,
        #[serde(default)]
        loss: Option<f32>,
        #[serde(default)]
        stalls: u32,
    },
    /// Nobody looks at its page now, or somebody does again.
    Hidden { on: bool },
    /// It wants another round.
    Rematch {},
    /// It goes, for good.
    Leave {},
    /// The host puts a player out.
    Kick { player: u16 },
    /// The host closes the room.
    Close {},
    /// The host sets a parameter of the server.
    Set { id: String, value: Value },
    /// The host lets the room be listed, or not.
    Public { on: bool },
}

impl Word {
    /// Reads one.
    ///
    /// # Errors
    /// A sentence about what is wrong with it.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("This word is not understood: {error}."))
    }

    /// The token of a first word.
    pub(crate) fn token(&self) -> Option<Secret> {
        match self {
            Self::Join { token } => token.parse().ok(),
            _ => None,
        }
    }
}

/// What the relay says on a carrier, the room's own state apart.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "t", rename_all = "lowercase")]
pub(crate) enum Answer<'a> {
    /// The token was good.
    Joined {
        room: &'a str,
        host: bool,
        watch: bool,
    },
    /// There is no place here for whoever said this token.
    Refused { error: &'a str, sentence: &'a str },
    /// A word that is not understood, or not allowed.
    Wrong { sentence: &'a str },
}

impl Answer<'_> {
    /// As it goes out.
    pub(crate) fn text(&self) -> String {
        json(self)
    }
}

/// Our own words always have a text.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("our words are plain data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_client_is_read() {
        let read = |text: &str| Word::read(text).unwrap();
        assert_eq!(
            read(r#"{"t":"net","ping":38,"loss":0.4,"stalls":2}"#),
            Word::Net {
                ping: Some(38.0),
                loss: Some(0.4),
                stalls: 2
            }
        );
        assert_eq!(
            read(r#"{"t":"hidden","on":true}"#),
            Word::Hidden { on: true }
        );
        assert_eq!(read(r#"{"t":"rematch"}"#), Word::Rematch {});
        assert_eq!(read(r#"{"t":"kick","player":2}"#), Word::Kick { player: 2 });
        let token = "00112233445566778899aabbccddeeff";
        let join = read(&format!(r#"{{"t":"join","token":"{token}"}}"#));
        assert_eq!(
            join.token().map(|token| token.to_string()),
            Some(token.into())
        );
    }

    #[test]
    fn what_is_not_a_word_is_told_why() {
        for text in [
            "",
            "[]",
            r#"{"t":"dance"}"#,
            r#"{"t":"kick"}"#,
            r#"{"t":"kick","player":70000}"#,
            r#"{"t":"leave","now":true}"#,
        ] {
            let error = Word::read(text).unwrap_err();
            assert!(
                error.starts_with("This word is not understood"),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn answers_are_what_the_page_reads() {
        let joined = Answer::Joined {
            room: "BCDFGH",
            host: true,
            watch: false,
        };
        assert_eq!(
            joined.text(),
            r#"{"t":"joined","room":"BCDFGH","host":true,"watch":false}"#
        );
    }
}
