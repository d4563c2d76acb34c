//! What an online client is, in words.

use netcode::Role;
use netcode::session::Why;
use scenes::Mark;
use wire::{Goodbye, SlotKey};

use crate::json::Json;

/// What an online client is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    /// As the machine has it.
    pub role: Role,
    /// Its own character.
    pub key: Option<SlotKey>,
}

impl Status {
    /// `joining`, `playing`, `watching` or `gone`.
    pub fn role(&self) -> &'static str {
        match self.role {
            Role::Joining => "joining",
            Role::Disconnected(_) => "gone",
            Role::Watching => "watching",
            // It never decides alone: it begins with joining.
            Role::Playing | Role::Offline => "playing",
        }
    }

    /// Writes it as an object: role, why (a word to go by, or null), sentence (for a reader, or empty), refused (whether the
    /// server did not let it in), final (whether asking again is in vain), key (the own character's, as in marks, or null).
    pub fn write(&self, json: &mut Json) {
        json.object().key("role").text(self.role());
        let why = match self.role {
            Role::Disconnected(why) => Some(why),
            _ => None,
        };
        json.key("why");
        match why {
            Some(why) => json.text(word(why)),
            None => json.null(),
        };
        let sentence = why.map(|why| why.to_string()).unwrap_or_default();
        json.key("sentence").text(&sentence);
        let refused = matches!(why, Some(Why::Refused(_)));
        json.key("refused").flag(refused);
        json.key("final").flag(why.is_some_and(Why::is_final));
        let key = self.key.map(|key| f64::from(Mark::key_of(key)));
        json.key("key").number(key.unwrap_or(f64::NAN)).end_object();
    }
}

/// A reason as a word.
fn word(why: Why) -> &'static str {
    match why {
        Why::Refused(refusal) => refusal.name(),
        // "left" is what the player does.
        Why::Goodbye(Goodbye::Left) => "left_other",
        Why::Goodbye(goodbye) => goodbye.name(),
        Why::Silence => "silence",
        Why::Left => "left",
    }
}

#[cfg(test)]
mod tests {
    use wire::Refusal;

    use super::*;

    #[test]
    fn says_what_it_is_and_why() {
        let said = |role| {
            let mut json = Json::new();
            Status { role, key: None }.write(&mut json);
            json.finish()
        };
        assert_eq!(
            said(Role::Watching),
            r#"{"role":"watching","why":null,"sentence":"","refused":false,"final":false,"key":null}"#
        );
        let full = said(Role::Disconnected(Why::Refused(Refusal::Full)));
        assert!(full.starts_with(r#"{"role":"gone","why":"full","sentence":"The match is full."#));
        assert!(full.contains("\"refused\":true"), "{full}");
        let back = said(Role::Disconnected(Why::Goodbye(Goodbye::Restarting)));
        assert!(back.contains("\"why\":\"restarting\""), "{back}");
        assert!(back.contains("\"refused\":false,\"final\":false"), "{back}");
        let kicked = said(Role::Disconnected(Why::Goodbye(Goodbye::Kicked)));
        assert!(kicked.contains("\"final\":true"), "{kicked}");
    }
}
