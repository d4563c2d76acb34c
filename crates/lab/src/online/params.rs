//! Which parameters are the own side's.

use crate::json::flat_object;
use crate::params::{self, Config, Pair, ParamError, ParamId};

/// Why a parameter cannot be set here; `None` of one that can.
pub fn whose(id: ParamId) -> Option<&'static str> {
    match id {
        params::SERVER_TICK => Some("the tick rate is the room's from its beginning"),
        params::LINK_CARRIER => Some("the carrier is the one that this page is connected by"),
        params::CLOCK_DRIFT => Some("online your clock is a real one, and runs as it does"),
        _ if matches!(
            id.param().group,
            "server" | "rewind" | "scene" | "replication" | "relevance"
        ) =>
        {
            Some("the room's host changes that, for everybody in it")
        }
        _ => None,
    }
}

/// Everything as by the scene's default but what is a bench's: nothing is laid over the link, and the delay is what this link
/// needs.
pub fn plain(scene: &'static str) -> Config {
    let mut config = Config::of(scene);
    // One of the parameter's own values.
    let _ = config.set(params::INTERP_POLICY, params::MEASURED);
    for id in [Pair::Up, Pair::Down].into_iter().flat_map(params::way) {
        if id.param().requires.is_none() {
            // Nothing is the first value of each that needs no other.
            let _ = config.set(id, id.param().ends().0);
        }
    }
    config
}

/// [`plain`] with those members of a flat JSON object set that are the own side's and the scene's; the others are passed over.
///
/// # Errors
/// The first thing wrong.
pub fn read(scene: &'static str, text: &str) -> Result<Config, ParamError> {
    let mut config = plain(scene);
    for (id, value) in flat_object(text).map_err(ParamError::Malformed)? {
        if whose(ParamId::named(&id)?).is_none() {
            config.take_text(&id, &value)?;
        }
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::{client, link};
    use netcode::interpolate::DelayPolicy;
    use netsim::{Carrier, LinkConfig};
    use wire::Micros;

    #[test]
    fn nothing_is_laid_over_the_link_until_it_is_asked_for() {
        let ways = |config: &Config| [Pair::Up, Pair::Down].map(|way| link(config, way));
        for way in ways(&plain("arena")) {
            let nothing = LinkConfig {
                carrier: Carrier::Datagram,
                ..LinkConfig::default()
            };
            assert_eq!(way, nothing);
        }
        assert_eq!(client(&plain("arena")).policy, DelayPolicy::Measured);
        let given = r#"{"interp.delay":80,"link.down.latency":100,"bots":3,"server.tick":30}"#;
        let config = read("arena", given).unwrap();
        let [up, down] = ways(&config);
        assert_eq!(
            (up.latency, down.latency),
            (Micros::ZERO, Micros::from_millis(100))
        );
        assert_eq!(config.get(params::INTERP_DELAY), 80.0);
        assert_eq!(
            config.get(params::BOTS),
            Config::default().get(params::BOTS)
        );
        assert!(
            read("arena", "{\"link.up.los\":1}").is_err()
                && read("arena", "{\"interp.delay\":-1}").is_err()
        );
    }

    #[test]
    fn what_the_host_sets_is_said() {
        for (id, word) in [
            ("bots", "host"),
            ("rewind.cap", "host"),
            ("server.tick", "beginning"),
            ("link.carrier", "connected"),
            ("clock.drift", "real"),
        ] {
            let said = whose(ParamId::named(id).unwrap()).unwrap();
            assert!(said.contains(word), "{id}: {said}");
        }
        assert_eq!(whose(params::INTERP_DELAY), None);
        assert_eq!(whose(params::LINK_UP_LOSS), None);
    }
}
