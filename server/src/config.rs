//! What an operator may set. Every flag is an environment variable too, `RELAY_` and its name in capitals.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// Everything that an operator may set.
#[derive(Args, Clone, Debug, Default)]
pub struct Settings {
    /// Where it is.
    #[command(flatten)]
    pub place: Place,
    /// What its rooms are like.
    #[command(flatten)]
    pub rooms: RoomSettings,
    /// How much is taken, of all and of each.
    #[command(flatten)]
    pub limits: LimitSettings,
}

/// Where the relay is, and who may speak with it.
#[derive(Args, Clone, Debug)]
pub struct Place {
    /// The port, in TCP and, for WebTransport, in UDP; 0 takes a free one.
    #[arg(long, env = "RELAY_PORT", default_value_t = Self::default().port)]
    pub port: u16,
    /// The name or address to listen on; `localhost` is both 127.0.0.1 and ::1, `0.0.0.0` lets everybody in who can reach this machine.
    #[arg(long, env = "RELAY_HOST", default_value_t = Self::default().host)]
    pub host: String,
    /// Where players find the relay, where that is not where it listens: https://play.example.org.
    #[arg(long, env = "RELAY_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// A port for native clients over bare UDP; without it there is none.
    #[arg(long, env = "RELAY_UDP", value_name = "PORT")]
    pub udp: Option<u16>,
    /// An origin whose pages may play here, by scheme, host and port; several by commas. Without any, the relay's own.
    #[arg(
        long,
        env = "RELAY_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    pub origin: Vec<String>,
    /// Whether clients that are no browser and name no origin may play; by default only where the relay listens on this machine alone.
    #[arg(long, env = "RELAY_ALLOW_NATIVE", value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    pub allow_native: Option<bool>,
    /// The address of a proxy that is believed about who is behind it (X-Forwarded-For); several by commas.
    #[arg(
        long,
        env = "RELAY_TRUSTED_PROXY",
        value_name = "ADDRESS",
        value_delimiter = ','
    )]
    pub trusted_proxy: Vec<String>,
    /// The certificate and those that vouch for it, PEM; read again when it changes. With --key: https, and WebTransport by it.
    #[arg(long, env = "RELAY_CERT", value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,
    /// The certificate's private key, PEM.
    #[arg(long, env = "RELAY_KEY", value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
    /// The folder of the built page; without it the page inside this binary, or else web/dist.
    #[arg(long, env = "RELAY_DIST", value_name = "FOLDER")]
    pub dist: Option<PathBuf>,
}

impl Default for Place {
    fn default() -> Self {
        Self {
            port: 8080,
            host: String::from("localhost"),
            public_url: None,
            udp: None,
            origin: Vec::new(),
            allow_native: None,
            trusted_proxy: Vec::new(),
            cert: None,
            key: None,
            dist: None,
        }
    }
}

/// What rooms are like.
#[derive(Args, Clone, Debug)]
pub struct RoomSettings {
    /// Ticks a second of every room, 10 to 128.
    #[arg(long, env = "RELAY_RATE", value_name = "HZ", default_value_t = Self::default().rate,
        value_parser = clap::value_parser!(u16).range(10..=128))]
    pub rate: u16,
    /// Seconds of a round; 0: rounds do not end.
    #[arg(long, env = "RELAY_ROUND", value_name = "SECONDS", default_value_t = Self::default().round)]
    pub round: u32,
    /// Bots of a room whose maker does not say how many.
    #[arg(long, env = "RELAY_BOTS", value_name = "COUNT", default_value_t = Self::default().bots)]
    pub bots: u16,
    /// Seconds that the seat of a player is kept whose connection went without a goodbye.
    #[arg(long, env = "RELAY_RESUME", value_name = "SECONDS", default_value_t = Self::default().resume)]
    pub resume: u32,
    /// Seconds that an empty room stays.
    #[arg(long, env = "RELAY_EMPTY", value_name = "SECONDS", default_value_t = Self::default().empty)]
    pub empty: u32,
}

impl Default for RoomSettings {
    fn default() -> Self {
        Self {
            rate: 64,
            round: 180,
            bots: 4,
            resume: 60,
            empty: 120,
        }
    }
}

/// How much is taken, of all and of each. What is over is refused and counted, never kept.
#[derive(Args, Clone, Debug)]
pub struct LimitSettings {
    /// Rooms at once.
    #[arg(long, env = "RELAY_MAX_ROOMS", value_name = "COUNT", default_value_t = Self::default().max_rooms)]
    pub max_rooms: usize,
    /// Rooms that one address may make in a minute.
    #[arg(long, env = "RELAY_ROOMS_PER_MINUTE", value_name = "COUNT", default_value_t = Self::default().rooms_per_minute)]
    pub rooms_per_minute: u32,
    /// Players of a room, bots not counted; its maker may ask for fewer. There are never more than 32 with the bots.
    #[arg(long, env = "RELAY_MAX_PLAYERS", value_name = "COUNT", default_value_t = Self::default().max_players,
        value_parser = clap::value_parser!(u16).range(1..=32))]
    pub max_players: u16,
    /// People who watch a room.
    #[arg(long, env = "RELAY_MAX_WATCHERS", value_name = "COUNT", default_value_t = Self::default().max_watchers)]
    pub max_watchers: u16,
    /// Connections at once.
    #[arg(long, env = "RELAY_MAX_CONNECTIONS", value_name = "COUNT", default_value_t = Self::default().max_connections)]
    pub max_connections: usize,
    /// Connections of one address at once (of one /64 in IPv6).
    #[arg(long, env = "RELAY_MAX_CONNECTIONS_PER_ADDRESS", value_name = "COUNT",
        default_value_t = Self::default().max_connections_per_address)]
    pub max_connections_per_address: usize,
    /// Bytes of one message of a client.
    #[arg(long, env = "RELAY_MAX_MESSAGE", value_name = "BYTES", default_value_t = Self::default().max_message,
        value_parser = clap::value_parser!(u32).range(1200..=4096))]
    pub max_message: u32,
    /// Packets a second that a client may send for long; four seconds of them may come at once.
    #[arg(long, env = "RELAY_MAX_PACKETS", value_name = "PER_SECOND", default_value_t = Self::default().max_packets,
        value_parser = clap::value_parser!(u32).range(8..))]
    pub max_packets: u32,
    /// Packets that the protocol does not allow, in a minute.
    #[arg(long, env = "RELAY_MAX_FAULTS", value_name = "COUNT", default_value_t = Self::default().max_faults)]
    pub max_faults: u32,
    /// Seconds from the connection to the hello.
    #[arg(long, env = "RELAY_HELLO", value_name = "SECONDS", default_value_t = Self::default().hello,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub hello: u32,
    /// Seconds without a word or packet of a client, or without its taking any.
    #[arg(long, env = "RELAY_IDLE", value_name = "SECONDS", default_value_t = Self::default().idle,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub idle: u32,
    /// Bytes that wait for one client, snapshots not counted, of which one waits at most.
    #[arg(long, env = "RELAY_MAX_QUEUED", value_name = "BYTES", default_value_t = Self::default().max_queued)]
    pub max_queued: usize,
    /// Characters of a name.
    #[arg(long, env = "RELAY_MAX_NAME", value_name = "COUNT", default_value_t = Self::default().max_name,
        value_parser = clap::value_parser!(u16).range(1..=64))]
    pub max_name: u16,
    /// Bytes of the body of a request.
    #[arg(long, env = "RELAY_MAX_BODY", value_name = "BYTES", default_value_t = Self::default().max_body)]
    pub max_body: usize,
    /// Room codes that do not exist which one address may try in a minute.
    #[arg(long, env = "RELAY_MAX_GUESSES", value_name = "COUNT", default_value_t = Self::default().max_guesses)]
    pub max_guesses: u32,
    /// Seconds that a join may take from the answer of `join` to the connection that uses it.
    #[arg(long, env = "RELAY_TOKEN", value_name = "SECONDS", default_value_t = Self::default().token,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub token: u32,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            max_rooms: 64,
            rooms_per_minute: 30,
            max_players: 16,
            max_watchers: 16,
            max_connections: 1024,
            max_connections_per_address: 64,
            max_message: 4096,
            max_packets: 256,
            max_faults: 60,
            hello: 5,
            idle: 10,
            max_queued: 64 << 10,
            max_name: 20,
            max_body: 1024,
            max_guesses: 30,
            token: 30,
        }
    }
}

impl LimitSettings {
    /// How long a hello may take.
    pub fn hello(&self) -> Duration {
        Duration::from_secs(self.hello.into())
    }

    /// How long a client may be silent.
    pub fn idle(&self) -> Duration {
        Duration::from_secs(self.idle.into())
    }

    /// How long a join token lives.
    pub fn token(&self) -> Duration {
        Duration::from_secs(self.token.into())
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser};

    use super::*;

    #[derive(Parser, Debug)]
    struct Cli {
        #[command(flatten)]
        settings: Settings,
    }

    #[test]
    fn every_flag_is_an_environment_variable_too() {
        Cli::command().debug_assert();
        for flag in Cli::command().get_arguments() {
            let Some(long) = flag.get_long() else {
                continue;
            };
            let wanted = format!("RELAY_{}", long.to_uppercase().replace('-', "_"));
            let env = flag
                .get_env()
                .map(|name| name.to_string_lossy().into_owned());
            assert_eq!(env, Some(wanted), "--{long}");
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_named_with_its_flag() {
        for wrong in [["relay", "--rate=300"], ["relay", "--max-players=0"]] {
            let error = Cli::try_parse_from(wrong).unwrap_err().to_string();
            let flag = wrong[1].split('=').next().unwrap_or_default();
            assert!(error.contains(flag), "{error}");
        }
        let error = Cli::try_parse_from(["relay", "--cert=a.pem"]).unwrap_err();
        assert!(error.to_string().contains("--key"), "{error}");
    }

    #[test]
    fn a_list_is_split_at_its_commas() {
        let cli = Cli::parse_from(["relay", "--origin", "https://a.example,http://b.example:81"]);
        assert_eq!(
            cli.settings.place.origin,
            ["https://a.example", "http://b.example:81"]
        );
        assert_eq!(cli.settings.place.allow_native, None);
        let cli = Cli::parse_from(["relay", "--allow-native", "--port", "0"]);
        assert_eq!(cli.settings.place.allow_native, Some(true));
    }
}
