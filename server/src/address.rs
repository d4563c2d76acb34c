//! Whose connection it is: the peer's address, or behind a proxy that the operator trusts, the one that it names.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use axum::http::HeaderMap;
use ipnet::IpNet;

/// What a proxy says about whom it speaks for, one hop after another, the newest last.
const FORWARDED: &str = "x-forwarded-for";

/// The proxies whose `X-Forwarded-For` is believed, none by default: whoever connects may write anything there.
#[derive(Clone, Default, Debug)]
pub struct Proxies(Vec<IpNet>);

/// What is no address and no range of them.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is no address and no range: write 10.0.0.7 or 10.0.0.0/8")]
pub struct ProxyError(String);

impl Proxies {
    /// Those that are written as addresses (`10.0.0.7`) or ranges (`10.0.0.0/8`, `fd00::/8`).
    pub fn new<S: AsRef<str>>(written: impl IntoIterator<Item = S>) -> Result<Self, ProxyError> {
        let one = |text: S| {
            let text = text.as_ref().trim();
            let range = IpNet::from_str(text).map(|range| range.trunc());
            range
                .or_else(|_| IpAddr::from_str(text).map(|address| IpNet::from(normal(address))))
                .map_err(|_| ProxyError(text.to_owned()))
        };
        written
            .into_iter()
            .map(one)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whose request it is: the rightmost hop that is no trusted proxy, where `peer` is one; else `peer` itself. A hop
    /// that cannot be read was written by the one before it, which therefore counts as the origin.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = normal(peer);
        let lists = headers.get_all(FORWARDED).iter().rev();
        let hops = lists.flat_map(|list| list.to_str().unwrap_or("?").rsplit(','));
        for hop in hops {
            if !self.trusts(client) {
                break;
            }
            let Some(before) = hop_address(hop.trim()) else {
                break;
            };
            client = before;
        }
        client
    }

    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|range| range.contains(&address))
    }
}

/// The address as one form: an IPv4 address that a dual-stack socket shows as IPv6 is that IPv4 address.
pub fn normal(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

/// What counts as one address for limits: an IPv4 address, or the /64 that one IPv6 subscriber has whole.
pub fn household(address: IpAddr) -> IpAddr {
    match normal(address) {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

/// A hop as proxies write it: an address alone, in brackets, or with a port.
fn hop_address(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|hop| hop.strip_suffix(']'));
    let address = IpAddr::from_str(bare.unwrap_or(hop)).ok();
    address
        .or_else(|| SocketAddr::from_str(hop).map(|at| at.ip()).ok())
        .map(normal)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn client(proxies: &[&str], peer: &str, forwarded: &[&str]) -> String {
        let proxies = Proxies::new(proxies).expect("the test writes ranges");
        let mut headers = HeaderMap::new();
        for list in forwarded {
            let list = HeaderValue::from_str(list).expect("the test writes plain text");
            headers.append(FORWARDED, list);
        }
        let peer = peer.parse().expect("the test writes addresses");
        proxies.client(peer, &headers).to_string()
    }

    #[test]
    fn nobody_is_believed_unless_the_operator_says_so() {
        assert_eq!(client(&[], "203.0.113.9", &["1.2.3.4"]), "203.0.113.9");
        assert_eq!(
            client(&["10.0.0.0/8"], "203.0.113.9", &["1.2.3.4"]),
            "203.0.113.9"
        );
    }

    #[test]
    fn the_rightmost_hop_that_is_no_proxy_counts_and_what_the_client_wrote_does_not() {
        let proxies = ["10.0.0.0/8", "192.0.2.1"];
        assert_eq!(client(&proxies, "10.1.1.1", &["1.2.3.4"]), "1.2.3.4");
        assert_eq!(
            client(&proxies, "10.1.1.1", &["6.6.6.6, 1.2.3.4, 10.9.9.9"]),
            "1.2.3.4"
        );
        let two = ["6.6.6.6", "1.2.3.4, 192.0.2.1"];
        assert_eq!(client(&proxies, "::ffff:10.1.1.1", &two), "1.2.3.4");
    }

    #[test]
    fn a_hop_may_carry_a_port_or_brackets_and_one_that_cannot_be_read_ends_the_walk() {
        let proxies = ["10.0.0.0/8"];
        for (hop, read) in [
            ("1.2.3.4:5678", "1.2.3.4"),
            ("[2001:db8::7]:443", "2001:db8::7"),
            ("[2001:db8::7]", "2001:db8::7"),
            ("2001:db8::7", "2001:db8::7"),
            ("unknown", "10.1.1.1"),
            ("", "10.1.1.1"),
            ("1.2.3.4, unknown", "10.1.1.1"),
        ] {
            assert_eq!(client(&proxies, "10.1.1.1", &[hop]), read, "{hop}");
        }
        assert_eq!(client(&proxies, "10.1.1.1", &[]), "10.1.1.1");
        assert_eq!(client(&proxies, "10.1.1.1", &["10.2.2.2"]), "10.2.2.2");
    }

    #[test]
    fn a_subscriber_is_one_address_whatever_form_it_comes_in() {
        let same = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|text| text.parse().expect("the test writes addresses"));
            household(a) == household(b)
        };
        assert!(same("::ffff:1.2.3.4", "1.2.3.4"));
        assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
        assert!(!same("2001:db8:1:2::1", "2001:db8:1:3::1"));
        assert!(!same("1.2.3.4", "1.2.3.5"));
    }

    #[test]
    fn what_is_no_range_is_said() {
        let error = Proxies::new(["10.0.0.0/8", "proxy.example"]).expect_err("a name is no range");
        assert!(error.to_string().contains("proxy.example"), "{error}");
    }
}
