//! What `bots` is told on its command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::session::Transport;

/// Players at most: what one machine's sockets and one process's timers are good for.
pub const MOST_PLAYERS: usize = 4_000;
/// Players that a room of any scene holds at most.
pub const MOST_SEATS: usize = 32;
/// The longest measurement, s: every snapshot's arrival is kept until the end, 15 kB a player a minute.
pub const MOST_SECONDS: u64 = 3_600;

/// Kinds of bad manners.
pub(super) const UGLY_KINDS: usize = 5;

/// Which carriers the players come on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Carriers {
    /// All on WebSocket.
    Ws,
    /// All on WebTransport.
    Wt,
    /// All on UDP; the relay must have been given a port for it.
    Udp,
    /// By turns WebSocket and WebTransport, and UDP too where `--udp` is given.
    Mixed,
}

/// Plays on a relay with real clients that think for themselves, and tells what they saw of the match.
#[derive(Clone, Debug, Parser)]
#[command(name = "bots", version)]
pub struct Options {
    /// The relay.
    #[arg(long, default_value = "http://localhost:8080", value_name = "URL")]
    pub url: String,
    /// What the players come on.
    #[arg(long, value_enum, default_value_t = Carriers::Ws)]
    pub transport: Carriers,
    /// How many play.
    #[arg(long, default_value_t = 200)]
    pub players: usize,
    /// How many rooms they make and share; by default one for every eight players.
    #[arg(long)]
    pub rooms: Option<usize>,
    /// How long is measured once all are in, s.
    #[arg(long, default_value_t = 30)]
    pub seconds: u64,
    /// Prints one JSON object and nothing else on standard output.
    #[arg(long)]
    pub json: bool,
    /// Adds clients that never read, send garbage, reconnect all the time, claim other ticks and send in bursts.
    #[arg(long)]
    pub ugly: bool,
    /// Joins this room and makes none.
    #[arg(long, value_name = "CODE", conflicts_with = "rooms")]
    pub room: Option<String>,
    /// Where the players' chance comes from.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many watch beside those who play.
    #[arg(long, default_value_t = 0)]
    pub watch: usize,
    /// Sends each command once and alone, as older bots do, on every carrier.
    #[arg(long)]
    pub single_input: bool,
    /// The relay's UDP port, as it was told with its own `--udp`.
    #[arg(long, value_name = "PORT")]
    pub udp: Option<u16>,
    /// A PEM file of an authority to trust beside the system's.
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
}

/// Why what was asked for cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// Nobody, or more than can be.
    #[error("--players {0}: 1 to {MOST_PLAYERS} can play")]
    Players(usize),
    /// No room, or more rooms than players.
    #[error("--rooms {rooms}: 1 to {players} rooms have a player each")]
    Rooms {
        /// Asked for.
        rooms: usize,
        /// Players that there are.
        players: usize,
    },
    /// More players a room than a room holds.
    #[error("{players} players in {rooms} rooms are {} a room, and a room holds {MOST_SEATS}: take at least --rooms {}", .players.div_ceil(*.rooms), .players.div_ceil(MOST_SEATS))]
    Crowded {
        /// Players.
        players: usize,
        /// Rooms.
        rooms: usize,
    },
    /// No time, or too much.
    #[error("--seconds {0}: 1 to {MOST_SECONDS} can be measured")]
    Seconds(u64),
    /// UDP without a port.
    #[error(
        "--transport udp needs --udp PORT: the port that the relay was told with its own --udp"
    )]
    NoPort,
    /// A room by its code, which UDP cannot say.
    #[error("--room goes with ws and wt: over UDP the relay chooses the room")]
    RoomOverUdp,
}

impl Options {
    /// Whether it can be done at all.
    pub fn check(&self) -> Result<(), Wrong> {
        let (players, rooms) = (self.players, self.rooms());
        if !(1..=MOST_PLAYERS).contains(&players) {
            return Err(Wrong::Players(players));
        }
        if !(1..=players).contains(&rooms) {
            return Err(Wrong::Rooms { rooms, players });
        }
        if players > rooms * MOST_SEATS {
            return Err(Wrong::Crowded { players, rooms });
        }
        if !(1..=MOST_SECONDS).contains(&self.seconds) {
            return Err(Wrong::Seconds(self.seconds));
        }
        if self.transport == Carriers::Udp && self.udp.is_none() {
            return Err(Wrong::NoPort);
        }
        if self.room.is_some() && self.transport == Carriers::Udp {
            return Err(Wrong::RoomOverUdp);
        }
        Ok(())
    }

    /// Rooms that are shared.
    pub fn rooms(&self) -> usize {
        let fitting = || self.players.div_ceil(8);
        match self.room {
            Some(_) => 1,
            None => self.rooms.unwrap_or_else(fitting),
        }
    }

    /// Clients of bad manners: one of each kind for every 40 players.
    pub fn ugly(&self) -> usize {
        let of_each = self.players.div_ceil(40);
        if self.ugly { UGLY_KINDS * of_each } else { 0 }
    }

    /// Seats that each room needs.
    pub fn seats(&self) -> usize {
        let all = self.players + self.ugly();
        all.div_ceil(self.rooms().max(1)).clamp(2, MOST_SEATS)
    }

    /// The room and the carrier of a player. Carriers alternate within a room, so that each room has both.
    pub fn place(&self, player: usize) -> (usize, Transport) {
        let (rooms, udp) = (
            self.rooms().max(1),
            self.udp.is_some() && self.room.is_none(),
        );
        let transport = match self.transport {
            Carriers::Ws => Transport::WebSocket,
            Carriers::Wt => Transport::WebTransport,
            Carriers::Udp => Transport::Udp,
            Carriers::Mixed => {
                let turns = if udp { 3 } else { 2 };
                Transport::ALL[(player / rooms + player % rooms) % turns]
            }
        };
        (player % rooms, transport)
    }

    /// Players on a transport.
    pub fn count(&self, transport: Transport) -> usize {
        let places = (0..self.players).map(|player| self.place(player).1);
        places.filter(|one| *one == transport).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &str) -> Options {
        let words = std::iter::once("bots").chain(words.split_whitespace());
        Options::try_parse_from(words).unwrap()
    }

    #[test]
    fn what_cannot_be_is_refused_with_a_way_out() {
        let wrong = |words| asked(words).check().unwrap_err().to_string();
        assert!(wrong("--players 0").contains("1 to 4000"));
        assert!(wrong("--players 8 --rooms 9").contains("1 to 8 rooms"));
        assert!(wrong("--players 100 --rooms 3").contains("--rooms 4"));
        assert!(wrong("--seconds 0").contains("1 to 3600"));
        assert!(wrong("--transport udp").contains("--udp PORT"));
        assert!(wrong("--transport udp --udp 9 --room BCDFGH").contains("--room"));
        asked("--players 200 --rooms 25 --transport mixed")
            .check()
            .unwrap();
    }

    #[test]
    fn flags_that_exclude_each_other_are_no_flags() {
        for words in [
            "--room BCDFGH --rooms 2",
            "--transport tcp",
            "--players many",
        ] {
            let words = std::iter::once("bots").chain(words.split_whitespace());
            assert!(Options::try_parse_from(words).is_err());
        }
    }

    #[test]
    fn a_room_has_both_carriers_and_each_has_half() {
        let options = asked("--players 200 --rooms 25 --transport mixed");
        assert_eq!(options.count(Transport::WebSocket), 100);
        assert_eq!(options.count(Transport::WebTransport), 100);
        let in_room = |room| {
            (0..200)
                .map(|player| options.place(player))
                .filter(move |place| place.0 == room)
        };
        for room in 0..25 {
            assert_eq!(in_room(room).count(), 8);
            let on_ws = in_room(room).filter(|place| place.1 == Transport::WebSocket);
            assert_eq!(on_ws.count(), 4, "room {room}");
        }
        let three = asked("--players 30 --transport mixed --udp 9000");
        assert_eq!(Transport::ALL.map(|one| three.count(one)), [10, 10, 10]);
    }
}
