//! A room in one word, as everybody in it is shown it.

use netcode::PeerId;
use serde::Serialize;
use serde_json::{Value, json};
use wire::Micros;

use super::playing::Rules;
use super::roster::Roster;
use super::rounds::Rounds;
use super::words::json as text;

/// A room is shown at most twice a second.
const BETWEEN: Micros = Micros::from_millis(500);

/// When a room is shown next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Showing {
    changed: bool,
    last: Option<Micros>,
}

impl Showing {
    /// Something is to be seen.
    pub(super) fn change(&mut self) {
        self.changed = true;
    }

    /// Whether to show it now; asked for once.
    pub(super) fn due(&mut self, now: Micros) -> bool {
        let due = self.changed && self.last.is_none_or(|last| now - last >= BETWEEN);
        if due {
            (self.changed, self.last) = (false, Some(now));
        }
        due
    }
}

#[derive(Serialize)]
struct State<'a> {
    t: &'static str,
    phase: &'static str,
    round: u32,
    left_ms: Option<u64>,
    public: bool,
    settings: &'a Value,
    players: Vec<Row<'a>>,
    watching: u16,
}

#[derive(Serialize)]
struct Row<'a> {
    player: u16,
    slot: u16,
    life: u8,
    name: &'a str,
    via: &'static str,
    ping: Option<f32>,
    loss: Option<f32>,
    stalls: u32,
    score: u32,
    host: bool,
    you: bool,
    away: bool,
    hidden: bool,
    rematch: bool,
}

/// What everybody is shown alike.
pub(super) struct Scene<'a> {
    pub rounds: &'a Rounds,
    pub roster: &'a Roster,
    pub public: bool,
    pub settings: &'a Value,
    pub watching: u16,
}

impl Scene<'_> {
    /// The word for one connection.
    pub(super) fn for_peer(&self, now: Micros, peer: PeerId) -> String {
        let host = self.roster.host();
        let players = self.roster.iter().map(|player| Row {
            player: player.number,
            slot: player.key.slot,
            life: player.key.life,
            name: &player.name,
            via: player.transport.name(),
            ping: player.net.ping,
            loss: player.net.loss,
            stalls: player.net.stalls,
            score: player.score,
            host: host == Some(player.number),
            you: player.peer == Some(peer),
            away: player.peer.is_none(),
            hidden: player.hidden,
            rematch: player.rematch,
        });
        text(&State {
            t: "room",
            phase: self.rounds.phase(),
            round: self.rounds.number(),
            left_ms: self.rounds.left_ms(now),
            public: self.public,
            settings: self.settings,
            players: players.collect(),
            watching: self.watching,
        })
    }
}

impl Rules {
    /// What a room begins with.
    pub(super) fn of_rate(rate: u16) -> Self {
        Self {
            snapshots: rate.min(64),
            rewind: true,
            cap_ms: 1_000,
            bots: 0,
        }
    }

    /// As the room is shown with.
    pub(super) fn shown(&self) -> Value {
        json!({
            "server.snapshots": self.snapshots,
            "rewind.on": self.rewind,
            "rewind.cap": self.cap_ms,
            "bots": self.bots,
        })
    }

    /// Sets one of them, by its name.
    ///
    /// # Errors
    /// A sentence that says what it can be.
    pub(super) fn set(&mut self, id: &str, value: &Value, most_bots: u16) -> Result<(), String> {
        let whole = |least: u16, most: u16| {
            let number = value.as_f64().filter(|number| number.fract() == 0.0);
            let within = number.filter(|n| (f64::from(least)..=f64::from(most)).contains(n));
            let number = within.map(|number| number as u16);
            number.ok_or_else(|| format!("{id} is a whole number from {least} to {most}."))
        };
        match id {
            "server.snapshots" => self.snapshots = whole(1, 64)?,
            "rewind.cap" => self.cap_ms = whole(0, 1_000)?,
            "bots" => self.bots = whole(0, most_bots)?,
            "rewind.on" => {
                let on = value.as_bool().or(match value.as_f64() {
                    Some(0.0) => Some(false),
                    Some(1.0) => Some(true),
                    _ => None,
                });
                self.rewind = on.ok_or("rewind.on is true or false.")?;
            }
            _ => return Err(format!("{id} is not a setting of a room.")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_shown_at_changes_and_at_most_twice_a_second() {
        let mut showing = Showing::default();
        let ms = Micros::from_millis;
        assert!(!showing.due(ms(0)), "nothing changed");
        showing.change();
        assert!(showing.due(ms(10)));
        showing.change();
        assert!(!showing.due(ms(509)));
        assert!(showing.due(ms(510)));
        assert!(!showing.due(ms(2_000)));
    }

    #[test]
    fn a_setting_is_taken_within_its_bounds() {
        let mut rules = Rules::of_rate(64);
        rules.set("server.snapshots", &json!(32), 9).unwrap();
        rules.set("rewind.on", &json!(0), 9).unwrap();
        rules.set("rewind.cap", &json!(250.0), 9).unwrap();
        rules.set("bots", &json!(9), 9).unwrap();
        assert_eq!(
            rules.shown(),
            json!({"server.snapshots": 32, "rewind.on": false, "rewind.cap": 250, "bots": 9})
        );
        let before = rules;
        for (id, value) in [
            ("server.snapshots", json!(0)),
            ("server.snapshots", json!(1e9)),
            ("rewind.on", json!("yes")),
            ("rewind.cap", json!(-1)),
            ("bots", json!(10)),
            ("bots", json!(1.5)),
            ("gravity", json!(1)),
        ] {
            let error = rules.set(id, &value, 9).unwrap_err();
            assert!(error.starts_with(id), "{error}");
        }
        assert_eq!(rules, before);
    }
}
