//! Who may come in, and whose request it is: what is asked of every request that changes something and of every carrier.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap, header};

use crate::address::Proxies;
use crate::origin::{OriginError, Origins};

/// Who may come in, and whom proxies are believed to speak for. The default: no page, no native client, no proxy.
#[derive(Clone, Default, Debug)]
pub struct Access {
    /// The pages that may join.
    pub origins: Origins,
    /// The proxies that are believed.
    pub proxies: Proxies,
}

impl Access {
    /// Whether a request with these headers comes from a page that may join.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), OriginError> {
        let said = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        self.origins.check(said(header::ORIGIN), said(header::HOST))
    }

    /// Whose request it is, for limits and logs.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        self.proxies.client(peer, headers)
    }
}

/// Who is at the other end of the socket that a request came by, as [`run`](crate::run) says it; a request that came by
/// none is our own.
pub fn peer(extensions: &Extensions) -> IpAddr {
    let said = extensions.get::<ConnectInfo<SocketAddr>>();
    said.map_or_else(|| Ipv4Addr::LOCALHOST.into(), |ConnectInfo(at)| at.ip())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn an_origin_that_is_not_even_text_is_not_as_if_there_were_none() {
        let access = Access {
            origins: Origins::new(true),
            ..Access::default()
        };
        let mut headers = HeaderMap::new();
        assert_eq!(access.check(&headers), Ok(()));
        let odd = HeaderValue::from_bytes(b"http://\xff").expect("a header may hold it");
        headers.insert(header::ORIGIN, odd);
        assert!(access.check(&headers).is_err());
    }
}
