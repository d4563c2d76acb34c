//! Sockets: which, and what is said when they cannot be had.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;

use crate::config::Place;

/// Bytes of a UDP socket's buffers, each way: what arrives while two hundred join at once, and what they are answered.
/// The system may give less.
const UDP_BUFFER: usize = 4 << 20;
/// How often a port that was free for TCP and not for UDP is given back for another, where any will do.
const TRIES: usize = 8;

/// Sockets that are one to whoever connects: `localhost` is 127.0.0.1 to some browsers and ::1 to others.
#[derive(Debug)]
pub struct Listeners {
    /// For the page, the API and WebSocket.
    pub(crate) tcp: Vec<TcpListener>,
    /// For WebTransport, on the same addresses and port.
    pub(crate) quic: Vec<UdpSocket>,
    /// For native clients that speak bare UDP.
    pub(crate) udp: Vec<UdpSocket>,
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

/// Listens where an operator says: `localhost` is 127.0.0.1 and, where the machine speaks IPv6, ::1; any other name or
/// address is the first that it resolves to. Port 0 takes a free one, the same for all.
pub async fn bind(place: &Place) -> Result<Listeners, BindError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match bind_once(place).await {
            // Somebody else's UDP socket is there; any other port will do as well.
            Err(BindError::InUse { .. }) if place.port == 0 && tries < TRIES => {}
            ended => return ended,
        }
    }
}

async fn bind_once(place: &Place) -> Result<Listeners, BindError> {
    let host = &place.host;
    let mut tcp: Vec<TcpListener> = Vec::new();
    let mut addresses = Vec::new();
    for ip in ips(host).await? {
        // The second takes the port that the first was given.
        let port = addresses.first().map_or(place.port, SocketAddr::port);
        let at = SocketAddr::new(ip, port);
        match TcpListener::bind(at).await {
            Ok(listener) => {
                addresses.push(listener.local_addr().unwrap_or(at));
                tcp.push(listener);
            }
            Err(error) => missing(addresses.len(), BindError::new(host, at, error))?,
        }
    }
    let quic = udp(host, &addresses)?;
    let native = match place.udp {
        None => Vec::new(),
        Some(port) => {
            let ips = addresses.iter().map(SocketAddr::ip);
            let mut sockets: Vec<UdpSocket> = Vec::new();
            for ip in ips {
                let given = sockets.first().and_then(|first| first.local_addr().ok());
                let port = given.map_or(port, |given| given.port());
                sockets.extend(udp(host, &[SocketAddr::new(ip, port)])?);
            }
            sockets
        }
    };
    Ok(Listeners {
        tcp,
        quic,
        udp: native,
    })
}

/// A socket that cannot be had where there is one already is only missed if it is ::1 and somebody else has it: that
/// would be what `localhost` opens. Without IPv6 there is no ::1 to be missed at.
fn missing(there: usize, error: BindError) -> Result<(), BindError> {
    if there == 0 || matches!(error, BindError::InUse { .. }) {
        return Err(error);
    }
    Ok(())
}

async fn ips(host: &str) -> Result<Vec<IpAddr>, BindError> {
    if host.eq_ignore_ascii_case("localhost") {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    let found = tokio::net::lookup_host((host, 0)).await;
    let found = found.and_then(|mut found| {
        found
            .next()
            .ok_or_else(|| io::Error::from(io::ErrorKind::AddrNotAvailable))
    });
    let found = found.map_err(|source| BindError::NoAddress {
        host: host.to_owned(),
        source,
    })?;
    Ok(vec![found.ip()])
}

fn udp(host: &str, addresses: &[SocketAddr]) -> Result<Vec<UdpSocket>, BindError> {
    let one = |at: &SocketAddr| udp_socket(*at).map_err(|error| BindError::new(host, *at, error));
    addresses.iter().map(one).collect()
}

fn udp_socket(at: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(at), Type::DGRAM, Some(Protocol::UDP))?;
    if at.ip() == IpAddr::from(Ipv6Addr::UNSPECIFIED) {
        // As TCP does: the address that is all addresses is those of IPv4 too.
        socket.set_only_v6(false)?;
    }
    // What the system gives is what there is.
    let _ = socket.set_recv_buffer_size(UDP_BUFFER);
    let _ = socket.set_send_buffer_size(UDP_BUFFER);
    socket.set_nonblocking(true)?;
    socket.bind(&at.into())?;
    Ok(socket.into())
}

impl Listeners {
    /// The first socket's address, which is the one to tell people.
    pub fn address(&self) -> io::Result<SocketAddr> {
        let first = self.tcp.first().ok_or(io::ErrorKind::NotFound)?;
        first.local_addr()
    }

    /// Where bare UDP is spoken, if it is.
    pub fn udp_address(&self) -> Option<SocketAddr> {
        self.udp.first()?.local_addr().ok()
    }

    /// Every address that is listened on.
    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        let listened = self.tcp.iter().map(TcpListener::local_addr);
        listened.filter_map(Result::ok).collect()
    }
}
