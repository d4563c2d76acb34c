//! Sockets: which, and what is said when they cannot be had.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};

/// How long an open connection may keep the relay from ending once it was told to stop.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Sockets that are one to whoever accepts from them: `localhost` is 127.0.0.1 to some browsers and ::1 to others.
#[derive(Debug)]
pub struct Listeners {
    first: TcpListener,
    second: Option<TcpListener>,
}

/// Why no socket could be had.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Another program has the port.
    #[error(
        "port {port} is in use on {address}: end the program that has it, or take another with --port {}",
        .port.checked_add(1).unwrap_or(8080)
    )]
    InUse {
        /// Where.
        address: IpAddr,
        /// Which.
        port: u16,
    },
    /// The port is kept for the system.
    #[error(
        "port {0} needs the system's leave: take one from 1024 on with --port, or give the relay the right to it"
    )]
    NotAllowed(u16),
    /// The host names no address of this machine.
    #[error(
        "{host} is no address of this machine: take `localhost`, `0.0.0.0` or one of its own with --host ({source})"
    )]
    NoAddress {
        /// What was asked for.
        host: String,
        /// What the system says.
        source: io::Error,
    },
    /// Anything else.
    #[error("cannot listen on {at}: {source}")]
    Other {
        /// Where.
        at: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}

impl BindError {
    fn new(host: &str, at: SocketAddr, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::AddrInUse => Self::InUse {
                address: at.ip(),
                port: at.port(),
            },
            io::ErrorKind::PermissionDenied => Self::NotAllowed(at.port()),
            io::ErrorKind::AddrNotAvailable => Self::NoAddress {
                host: host.to_owned(),
                source,
            },
            _ => Self::Other { at, source },
        }
    }
}

/// Listens on `host`: `localhost` is 127.0.0.1 and, where the machine speaks IPv6, ::1; any other name or address is
/// the first that it resolves to. Port 0 takes a free one, the same for both.
pub async fn bind(host: &str, port: u16) -> Result<Listeners, BindError> {
    let listen = async |ip: IpAddr, port: u16| {
        let at = SocketAddr::new(ip, port);
        TcpListener::bind(at)
            .await
            .map_err(|error| BindError::new(host, at, error))
    };
    if !host.eq_ignore_ascii_case("localhost") {
        let found = tokio::net::lookup_host((host, port))
            .await
            .and_then(|mut found| {
                found
                    .next()
                    .ok_or_else(|| io::Error::from(io::ErrorKind::AddrNotAvailable))
            });
        let found = found.map_err(|source| BindError::NoAddress {
            host: host.to_owned(),
            source,
        })?;
        return Ok(Listeners {
            first: listen(found.ip(), port).await?,
            second: None,
        });
    }
    let first = listen(Ipv4Addr::LOCALHOST.into(), port).await?;
    let port = first.local_addr().map_or(port, |address| address.port());
    let second = match listen(Ipv6Addr::LOCALHOST.into(), port).await {
        Ok(second) => Some(second),
        // Somebody else's ::1 would be what `localhost` opens.
        Err(error @ BindError::InUse { .. }) => return Err(error),
        // Without IPv6 there is no ::1 to be missed at.
        Err(_) => None,
    };
    Ok(Listeners { first, second })
}

impl Listeners {
    /// The first socket's address, which is the one to tell people.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.first.local_addr()
    }
}

impl Listener for Listeners {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        // axum waits out what is the system's fault, so neither branch can spin.
        let accepted = match &mut self.second {
            None => Listener::accept(&mut self.first).await,
            Some(second) => tokio::select! {
                accepted = Listener::accept(&mut self.first) => accepted,
                accepted = Listener::accept(second) => accepted,
            },
        };
        // A message that waits for more to send with it is a message that is late.
        let _ = accepted.0.set_nodelay(true);
        accepted
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.address()
    }
}

/// Serves `app` until `shutdown` is ready; then what is under way has a second to end.
pub async fn run(
    listeners: Listeners,
    app: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (stopped, mut stopping) = tokio::sync::watch::channel(false);
    let told = async move {
        shutdown.await;
        let _ = stopped.send(true);
    };
    let serving = axum::serve(listeners, app)
        .with_graceful_shutdown(told)
        .into_future();
    tokio::pin!(serving);
    tokio::select! {
        ended = &mut serving => return ended,
        _ = stopping.wait_for(|stopped| *stopped) => {}
    }
    match tokio::time::timeout(LAST_WORDS, serving).await {
        Ok(ended) => ended,
        Err(_) => Ok(()),
    }
}
