//! The relay as a whole: its sockets, its certificate, and its end.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::Router;
use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::access::Access;
use crate::address::{Proxies, ProxyError};
use crate::cert::{self, CertError, Certificate, Files, Presented, Rotation};
use crate::config::Place;
use crate::http::Http;
use crate::listen::Listeners;
use crate::origin::{Origin, OriginError, Origins};
use crate::relay::{Relay, WebTransport};
use crate::transport::{udp, wt};

/// How long everything may take to end once the relay was told to: everybody is told, and goes. Below the two seconds
/// that those who restart it are promised.
const LAST_WORDS: Duration = Duration::from_millis(1800);
/// How often the certificate's files, and its age, are looked at.
const LOOK: Duration = Duration::from_secs(2);
/// How often the end looks whether everybody is gone.
const COUNT: Duration = Duration::from_millis(5);

/// Why the relay cannot run as it was told to.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An origin that is none.
    #[error("--origin: {0}")]
    Origin(OriginError),
    /// A public address that is none.
    #[error("--public-url: {0}")]
    PublicUrl(OriginError),
    /// A proxy that is none.
    #[error("--trusted-proxy: {0}")]
    Proxy(#[from] ProxyError),
    /// No certificate.
    #[error("--cert and --key: {0}")]
    Certificate(#[from] CertError),
    /// No QUIC over the UDP socket.
    #[error("no QUIC: {0}")]
    Quic(io::Error),
    /// No bare UDP.
    #[error("--udp: {0}")]
    Udp(io::Error),
    /// No TLS.
    #[error("no TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// Serves `app` and the carriers on `listeners` until `shutdown` is ready; then everybody is told, and all ends within
/// two seconds.
///
/// Sets [`Relay::access`] and [`Relay::webtransport`] before the first connection is taken.
pub async fn run(
    listeners: Listeners,
    app: Router,
    relay: Relay,
    shutdown: impl Future<Output = ()>,
) -> Result<(), RunError> {
    let place = &relay.settings.place;
    relay
        .access
        .send_replace(Arc::new(access(place, &listeners)?));
    let mut identity = Identity::new(place)?;
    let presented = Presented::new(identity.current());
    let tls = match &identity {
        Identity::Files(..) => {
            let config = cert::https(Arc::clone(&presented))?;
            Some(TlsAcceptor::from(Arc::new(config)))
        }
        Identity::Own(_) => None,
    };
    let at = quic_place(place, &listeners)?;
    let announce = |identity: &Identity| {
        let told = at.clone().map(|(host, port)| identity.announce(host, port));
        relay.webtransport.send_replace(told);
    };
    announce(&identity);
    let mut tasks = JoinSet::new();
    for socket in listeners.quic {
        let tls = cert::quic(Arc::clone(&presented))?;
        let idle = relay.settings.limits.idle();
        let endpoint = wt::endpoint(socket, tls, idle).map_err(RunError::Quic)?;
        tasks.spawn(wt::serve(endpoint, relay.clone()));
    }
    for socket in listeners.udp {
        let socket = UdpSocket::from_std(socket).map_err(RunError::Udp)?;
        let mut key = [0; 16];
        getrandom::fill(&mut key).map_err(|error| RunError::Udp(error.into()))?;
        tasks.spawn(udp::serve(socket, relay.clone(), key));
    }
    let http = Http::new(app, relay.clone(), tls);
    for listener in listeners.tcp {
        tasks.spawn(http.clone().serve(listener));
    }
    drop(http);
    let keeping = async {
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            look.tick().await;
            if identity.handle(SystemTime::now()) {
                presented.set(identity.current());
                announce(&identity);
            }
        }
    };
    tokio::select! {
        () = shutdown => {}
        () = keeping => {}
    }
    relay.stop();
    let ending = async {
        while tasks.join_next().await.is_some() {}
        while relay.limits.connections() > 0 {
            sleep(COUNT).await;
        }
    };
    if timeout(LAST_WORDS, ending).await.is_err() {
        tracing::warn!("not everybody went in time");
    }
    Ok(())
}

/// Who may come in: what the operator says, or else the relay's own page, wherever a browser finds it.
fn access(place: &Place, listeners: &Listeners) -> Result<Access, RunError> {
    let addresses = listeners.addresses();
    let here = addresses.iter().all(|at| at.ip().is_loopback());
    let mut origins = Origins::new(place.allow_native.unwrap_or(here));
    for text in &place.origin {
        let origin: Origin = text.trim().parse().map_err(RunError::Origin)?;
        origins.allow(origin);
    }
    if place.origin.is_empty() {
        for at in addresses {
            origins.allow_own(place.cert.is_some(), &place.host, at);
        }
    }
    if let Some(url) = &place.public_url {
        origins.allow(Origin::of_url(url).map_err(RunError::PublicUrl)?);
    }
    Ok(Access {
        origins,
        proxies: Proxies::new(&place.trusted_proxy)?,
    })
}

/// Where browsers find WebTransport, if they do: by the name of the public address, or `localhost`, or whichever name or
/// address they asked for the page by. The port is that of the public address only where it is written there: what stands
/// before the relay rarely passes UDP on.
fn quic_place(
    place: &Place,
    listeners: &Listeners,
) -> Result<Option<(Option<String>, u16)>, RunError> {
    let Some(socket) = listeners.quic.first() else {
        return Ok(None);
    };
    let at = socket.local_addr().map_err(RunError::Quic)?;
    if let Some(url) = &place.public_url {
        let public = Origin::of_url(url).map_err(RunError::PublicUrl)?;
        let port = public.written_port().unwrap_or_else(|| at.port());
        return Ok(Some((Some(public.host().to_owned()), port)));
    }
    let name = place.host.parse::<IpAddr>().is_err();
    Ok(Some((name.then(|| place.host.clone()), at.port())))
}

/// Whose certificate the relay shows.
#[derive(Debug)]
enum Identity {
    /// Nobody vouches for it: browsers are told its hash.
    Own(Box<Rotation>),
    /// The operator's.
    Files(Files, Certificate),
}

impl Identity {
    fn new(place: &Place) -> Result<Self, CertError> {
        if let (Some(cert), Some(key)) = (&place.cert, &place.key) {
            let (files, certificate) = Files::new(cert.clone(), key.clone())?;
            return Ok(Self::Files(files, certificate));
        }
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(String::from).into();
        let host = place.host.to_ascii_lowercase();
        if !hosts.contains(&host) {
            hosts.push(host);
        }
        let rotation = Rotation::new(hosts, SystemTime::now())?;
        Ok(Self::Own(Box::new(rotation)))
    }

    fn current(&self) -> &Certificate {
        match self {
            Self::Own(rotation) => &rotation.current,
            Self::Files(_, certificate) => certificate,
        }
    }

    /// Takes the next certificate if there is one; whether it did. One that cannot be used changes nothing.
    fn handle(&mut self, now: SystemTime) -> bool {
        let (taken, until) = match self {
            Self::Own(rotation) => (rotation.handle(now), rotation.current.until),
            Self::Files(files, current) => match files.poll() {
                None => return false,
                Some(read) => {
                    let taken = read.map(|certificate| {
                        *current = certificate;
                        true
                    });
                    (taken, current.until)
                }
            },
        };
        match taken {
            Ok(taken) => {
                if taken {
                    let days = until.duration_since(now).unwrap_or_default().as_secs() / 86_400;
                    tracing::info!(days, "another certificate is in use from now on");
                }
                taken
            }
            Err(error) => {
                tracing::error!(%error, "the certificate in use stays");
                false
            }
        }
    }

    /// What browsers are told.
    fn announce(&self, host: Option<String>, port: u16) -> WebTransport {
        let current = self.current();
        let (authority, hashes) = match self {
            Self::Own(rotation) => (false, vec![current.hash, rotation.next.hash]),
            Self::Files(..) => (true, Vec::new()),
        };
        WebTransport {
            host,
            port,
            authority,
            hashes,
            from: current.from,
            until: current.until,
        }
    }
}
