//! Which pages may join: a browser says whose page it runs, and no other page may play in somebody's name.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::Uri;

/// Scheme, host and port: all three make an origin, and all three are compared.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Origin {
    secure: bool,
    host: String,
    port: u16,
}

/// Why a request may not come in from where it does.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum OriginError {
    /// No `Origin`: no browser sent it.
    #[error("only pages may join here: a native client needs the relay to run with --allow-native")]
    Absent,
    /// A page that is not ours and not allowed.
    #[error("a page of {0} may not join here: the relay would need --origin {0}")]
    Foreign(String),
    /// What is no origin.
    #[error("`{0}` is no origin: write https://name or http://name:8080")]
    Malformed(String),
}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let malformed = || OriginError::Malformed(text.chars().take(100).collect());
        let uri = Uri::from_str(text).map_err(|_| malformed())?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(malformed()),
        };
        let authority = uri.authority().ok_or_else(malformed)?;
        let bare = uri.query().is_none() && !text.ends_with('/') && uri.path() == "/";
        let port = match authority.port() {
            Some(port) => port.as_u16(),
            // Somebody's name, or a port that is none.
            None if authority.as_str() != authority.host() => return Err(malformed()),
            None if secure => 443,
            None => 80,
        };
        if !bare || authority.as_str().contains('@') || authority.host().is_empty() {
            return Err(malformed());
        }
        let host = authority.host().to_ascii_lowercase();
        Ok(Self { secure, host, port })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.host)?;
        match self.written_port() {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

impl Origin {
    /// Of an address on the web, whatever it names there.
    pub fn of_url(url: &str) -> Result<Self, OriginError> {
        let start = url.find("://").map_or(0, |at| at + 3);
        let rest = url.get(start..).unwrap_or_default();
        let end = rest
            .find(['/', '?', '#'])
            .map_or(url.len(), |at| start + at);
        url.get(..end).unwrap_or_default().parse()
    }

    /// Its host, an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Its port, where it is not the usual one of its scheme.
    pub fn written_port(&self) -> Option<u16> {
        let usual = if self.secure { 443 } else { 80 };
        (self.port != usual).then_some(self.port)
    }

    /// Of a listener's address.
    fn of(secure: bool, ip: IpAddr, port: u16) -> Self {
        let host = SocketAddr::new(ip, 0).to_string();
        let host = host.trim_end_matches(":0").to_owned();
        Self { secure, host, port }
    }

    /// The address that it names, where it names no name.
    fn ip(&self) -> Option<IpAddr> {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        bare.parse().ok()
    }
}

/// Who may come in.
#[derive(Clone, Default, Debug)]
pub struct Origins {
    allowed: BTreeSet<Origin>,
    /// Ports on which every address of this machine is listened on, with whether they speak TLS.
    everywhere: BTreeSet<(bool, u16)>,
    native: bool,
}

impl Origins {
    /// Nobody yet; `native` lets requests in that name no origin, which no browser sends.
    pub fn new(native: bool) -> Self {
        Self {
            native,
            ..Self::default()
        }
    }

    /// One more page, as `--origin` names it.
    pub fn allow(&mut self, origin: Origin) {
        self.allowed.insert(origin);
    }

    /// The page that we serve ourselves at `address`, by every name that is certain to mean us: its address, on
    /// loopback `localhost` too, and where every address is listened on, whichever the browser used (see
    /// [`check`](Self::check)).
    pub fn allow_own(&mut self, secure: bool, host: &str, address: SocketAddr) {
        let (ip, port) = (address.ip(), address.port());
        if ip.is_loopback() || ip.is_unspecified() {
            for host in ["localhost", "127.0.0.1", "[::1]"] {
                let host = host.to_owned();
                self.allowed.insert(Origin { secure, host, port });
            }
        }
        if ip.is_unspecified() {
            self.everywhere.insert((secure, port));
            return;
        }
        self.allowed.insert(Origin::of(secure, ip, port));
        if host.parse::<IpAddr>().is_err() {
            let host = host.to_ascii_lowercase();
            self.allowed.insert(Origin { secure, host, port });
        }
    }

    /// Whether a request that says `origin` and was sent to `authority` (its `Host`) may come in.
    ///
    /// Where every address is listened on, a page may be one of any of them, and we do not know them: it is ours if it
    /// is named by an address, not a name, and the request goes to that same address. A name would not do: its owner
    /// may point it at us.
    pub fn check(&self, origin: Option<&str>, authority: Option<&str>) -> Result<(), OriginError> {
        let Some(text) = origin else {
            let native = self.native.then_some(());
            return native.ok_or(OriginError::Absent);
        };
        let origin: Origin = text.parse()?;
        let sent_to = || {
            let scheme = if origin.secure { "https" } else { "http" };
            Origin::from_str(&format!("{scheme}://{}", authority?)).ok()
        };
        let ours = self.allowed.contains(&origin)
            || (origin.ip().is_some()
                && self.everywhere.contains(&(origin.secure, origin.port))
                && sent_to().as_ref() == Some(&origin));
        ours.then_some(())
            .ok_or_else(|| OriginError::Foreign(origin.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origins(at: &str, host: &str) -> Origins {
        let mut origins = Origins::new(false);
        origins.allow_own(false, host, at.parse().expect("the test writes addresses"));
        origins
    }

    #[test]
    fn scheme_host_and_port_must_all_be_the_same() {
        let mut origins = Origins::new(false);
        origins.allow("https://play.example".parse().expect("an origin"));
        let check = |origin| origins.check(Some(origin), None).is_ok();
        assert!(check("https://play.example"));
        assert!(check("https://play.example:443"));
        assert!(check("https://PLAY.example"));
        for other in [
            "http://play.example",
            "https://play.example:8443",
            "https://play.example.evil.example",
            "https://evil.example",
            "https://a.play.example",
            "https://play.example@evil.example",
            "https://play.example/",
            "https://play.example/x",
            "https://play.example?x",
            "play.example",
            "ftp://play.example",
            "null",
            "",
            "https://",
            "https://play.example:99999",
        ] {
            assert!(!check(other), "{other}");
        }
    }

    #[test]
    fn a_url_has_the_origin_of_its_first_part() {
        let of = |url| Origin::of_url(url).map(|origin| origin.to_string());
        for url in [
            "https://play.example",
            "https://play.example/",
            "https://play.example/a/b?c#d",
            "https://play.example:443?x",
        ] {
            assert_eq!(of(url).as_deref(), Ok("https://play.example"), "{url}");
        }
        assert!(of("play.example").is_err());
        assert!(of("").is_err());
    }

    #[test]
    fn a_loopback_relay_is_its_own_page_by_every_name_it_has() {
        let origins = origins("127.0.0.1:8080", "localhost");
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            let check = |port| origins.check(Some(&format!("http://{host}:{port}")), None);
            assert_eq!(check(8080), Ok(()), "{host}");
            assert!(check(8081).is_err(), "{host}");
        }
        let error = origins.check(Some("http://evil.example:8080"), None);
        let error = error.expect_err("a stranger's page").to_string();
        assert!(
            error.contains("--origin http://evil.example:8080"),
            "{error}"
        );
    }

    #[test]
    fn on_every_address_a_page_is_ours_by_the_address_that_it_calls_and_never_by_a_name() {
        let origins = origins("0.0.0.0:8080", "0.0.0.0");
        let check = |origin, authority| origins.check(Some(origin), Some(authority)).is_ok();
        assert!(check("http://192.168.1.5:8080", "192.168.1.5:8080"));
        assert!(check("http://[2001:db8::5]:8080", "[2001:db8::5]:8080"));
        assert!(!check("http://192.168.1.5:8080", "192.168.1.6:8080"));
        assert!(!check("http://192.168.1.5:80", "192.168.1.5"));
        assert!(!check("https://192.168.1.5:8080", "192.168.1.5:8080"));
        assert!(!check("http://evil.example:8080", "evil.example:8080"));
    }

    #[test]
    fn a_name_that_is_listened_on_is_ours_and_an_absent_origin_only_where_native_clients_may_play()
    {
        let origins = origins("192.0.2.7:80", "Game.example");
        assert!(origins.check(Some("http://game.example"), None).is_ok());
        assert!(origins.check(Some("http://192.0.2.7"), None).is_ok());
        assert_eq!(origins.check(None, None), Err(OriginError::Absent));
        assert_eq!(Origins::new(true).check(None, None), Ok(()));
        assert!(Origins::new(true).check(Some("null"), None).is_err());
    }
}
