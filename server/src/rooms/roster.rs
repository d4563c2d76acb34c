//! Who plays in a room: what stays of a player while connections come and go.

use netcode::PeerId;
use wire::SlotKey;

use super::code::Secret;
use crate::session::Transport;

/// A player, from the first hello until the seat is free for good.
#[derive(Clone, Debug)]
pub(super) struct Player {
    /// The number of the seat. Never what a packet says.
    pub number: u16,
    /// What they resume by.
    pub secret: Secret,
    pub name: String,
    pub key: SlotKey,
    /// The connection that plays for them; `None`: away.
    pub peer: Option<PeerId>,
    pub transport: Transport,
    pub score: u32,
    pub net: Net,
    pub hidden: bool,
    pub rematch: bool,
}

/// What a client measures of its link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Net {
    /// ms.
    pub ping: Option<f32>,
    /// %.
    pub loss: Option<f32>,
    pub stalls: u32,
}

impl Net {
    /// As a client says it, within what it can be.
    pub(super) fn sane(ping: Option<f32>, loss: Option<f32>, stalls: u32) -> Self {
        let within = |value: Option<f32>, most: f32| {
            let value = value.filter(|value| value.is_finite())?;
            Some((value.clamp(0.0, most) * 10.0).round() / 10.0)
        };
        Self {
            ping: within(ping, 60_000.0),
            loss: within(loss, 100.0),
            stalls,
        }
    }
}

/// The players of a room and its host.
#[derive(Debug, Default)]
pub(super) struct Roster {
    /// Whoever goes away goes to the end, so that of those who are away the first is so longest.
    players: Vec<Player>,
    host: Option<u16>,
}

impl Roster {
    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Player> {
        self.players.iter()
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.players.len()
    }

    /// How many are here: not away.
    pub(super) fn present(&self) -> usize {
        self.players
            .iter()
            .filter(|player| player.peer.is_some())
            .count()
    }

    /// The player with this number.
    pub(super) fn get_mut(&mut self, number: u16) -> Option<&mut Player> {
        self.players
            .iter_mut()
            .find(|player| player.number == number)
    }

    /// The player with this number.
    pub(super) fn get(&self, number: u16) -> Option<&Player> {
        self.players.iter().find(|player| player.number == number)
    }

    /// The player who knows this secret.
    pub(super) fn of(&self, secret: Secret) -> Option<&Player> {
        self.players.iter().find(|player| player.secret == secret)
    }

    /// Takes somebody in. Whoever is first is the host until somebody who knows the host's secret is.
    pub(super) fn add(&mut self, player: Player) {
        let number = player.number;
        self.players.push(player);
        self.host.get_or_insert(number);
    }

    /// A player's connection is gone, and they are expected back.
    pub(super) fn set_away(&mut self, number: u16) {
        if let Some(at) = self
            .players
            .iter()
            .position(|player| player.number == number)
        {
            let mut player = self.players.remove(at);
            player.peer = None;
            player.net = Net::default();
            self.players.push(player);
        }
    }

    /// Who is away longest.
    pub(super) fn longest_away(&self) -> Option<u16> {
        let away = self.players.iter().find(|player| player.peer.is_none());
        away.map(|player| player.number)
    }

    /// Gives the room to a player.
    pub(super) fn make_host(&mut self, number: u16) {
        self.host = Some(number);
    }

    /// The host's number.
    pub(super) fn host(&self) -> Option<u16> {
        self.host
    }

    /// Somebody is gone for good; if it was the host, the one who has been here longest becomes it, those who are here
    /// before those who are away.
    pub(super) fn remove(&mut self, number: u16) -> Option<Player> {
        let at = self
            .players
            .iter()
            .position(|player| player.number == number)?;
        let gone = self.players.remove(at);
        if self.host == Some(number) {
            let here = self.players.iter().find(|player| player.peer.is_some());
            self.host = here
                .or_else(|| self.players.first())
                .map(|player| player.number);
        }
        Some(gone)
    }

    /// The character of a player put another out of the game.
    pub(super) fn scored(&mut self, by: SlotKey) -> bool {
        let player = self.players.iter_mut().find(|player| player.key == by);
        player
            .map(|player| player.score = player.score.saturating_add(1))
            .is_some()
    }

    /// Whether everybody who is here and looks has asked for another round, and anybody has.
    pub(super) fn all_want_again(&self) -> bool {
        let here = || self.players.iter().filter(|player| player.peer.is_some());
        let waiting = here().any(|player| !player.rematch && !player.hidden);
        !waiting && here().any(|player| player.rematch)
    }

    /// A round begins: no scores, no votes.
    pub(super) fn start_over(&mut self) {
        for player in &mut self.players {
            player.score = 0;
            player.rematch = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(numbers: &[u16]) -> Roster {
        let mut roster = Roster::default();
        for number in numbers {
            roster.add(Player {
                number: *number,
                secret: Secret::random(),
                name: format!("P{number}"),
                key: SlotKey {
                    slot: *number,
                    life: 1,
                },
                peer: Some(PeerId(u32::from(*number))),
                transport: Transport::WebSocket,
                score: 0,
                net: Net::default(),
                hidden: false,
                rematch: false,
            });
        }
        roster
    }

    #[test]
    fn the_room_passes_to_one_who_is_here() {
        let mut roster = roster(&[1, 2, 3]);
        assert_eq!(roster.host(), Some(1));
        roster.get_mut(2).unwrap().peer = None;
        roster.remove(1);
        assert_eq!(roster.host(), Some(3));
        roster.remove(3);
        assert_eq!(roster.host(), Some(2), "away is better than nobody");
        roster.remove(2);
        assert_eq!(roster.host(), None);
    }

    #[test]
    fn those_who_are_away_or_do_not_look_hold_nobody_up() {
        let mut roster = roster(&[1, 2, 3]);
        roster.get_mut(2).unwrap().hidden = true;
        roster.get_mut(3).unwrap().peer = None;
        assert!(!roster.all_want_again());
        roster.get_mut(1).unwrap().rematch = true;
        assert!(roster.all_want_again());
        roster.get_mut(2).unwrap().hidden = false;
        assert!(!roster.all_want_again());
    }

    #[test]
    fn whoever_went_away_first_is_away_longest() {
        let mut roster = roster(&[1, 2, 3]);
        assert_eq!(roster.longest_away(), None);
        for number in [3, 1] {
            roster.set_away(number);
        }
        assert_eq!(roster.longest_away(), Some(3));
        assert_eq!((roster.present(), roster.len()), (1, 3));
    }

    #[test]
    fn only_a_player_scores() {
        let mut roster = roster(&[1]);
        assert!(roster.scored(SlotKey { slot: 1, life: 1 }));
        assert!(!roster.scored(SlotKey { slot: 1, life: 2 }), "another life");
        assert_eq!(roster.get(1).unwrap().score, 1);
    }

    #[test]
    fn what_a_client_says_of_its_link_is_kept_within_bounds() {
        let net = Net::sane(Some(-4.0), Some(f32::NAN), 3);
        assert_eq!((net.ping, net.loss), (Some(0.0), None));
        assert_eq!(Net::sane(Some(38.26), Some(1e9), 0).ping, Some(38.3));
    }
}
