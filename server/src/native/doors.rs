//! Where a relay is entered: one door a transport.

use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{fmt, io};

use super::api::{Api, ApiError, Ticket};
use super::carrier::AnyCarrier;
use super::udp::Udp;
use super::ws::Ws;
use super::wt::WtDoor;
use crate::session::{CarrierError, Transport};

/// A carrier that is not open by then is taken to be blocked.
const LATE: Duration = Duration::from_secs(5);

/// WebTransport sessions that share a socket, at least while there are fewer doors than [`MOST_DOORS`].
const SHARED_BY: usize = 50;
const MOST_DOORS: usize = 8;

/// Why a carrier could not be had.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The relay's HTTP said so.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// The system or the network did.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The carrier broke at once.
    #[error(transparent)]
    Carrier(#[from] CarrierError),
    /// The WebSocket was refused.
    #[error("no WebSocket: {0}")]
    Ws(Box<tokio_tungstenite::tungstenite::Error>),
    /// The WebTransport session was refused.
    #[error("no WebTransport: {0}")]
    Wt(String),
    /// The relay has no such door.
    #[error("the relay offers no {}", .0.name())]
    NotOffered(Transport),
    /// The relay told no hash of its certificate that is one.
    #[error("the relay told no hash of its certificate")]
    Certificate,
    /// Nobody answered.
    #[error("no {} within {LATE:?}: it is blocked on the way, or the relay is busy", .0.name())]
    Late(Transport),
}

impl OpenError {
    pub(super) fn ws(error: tokio_tungstenite::tungstenite::Error) -> Self {
        Self::Ws(Box::new(error))
    }

    pub(super) fn wt(error: impl fmt::Display) -> Self {
        Self::Wt(error.to_string())
    }

    /// The failure as one word, for a tally.
    pub fn code(&self) -> String {
        match self {
            Self::Api(error) => error.code().to_owned(),
            Self::Io(error) => format!("io: {}", error.kind()),
            Self::Carrier(_) => "closed".to_owned(),
            Self::Ws(error) => match &**error {
                tokio_tungstenite::tungstenite::Error::Http(answer) => {
                    format!("ws: status {}", answer.status().as_u16())
                }
                _ => "ws".to_owned(),
            },
            Self::Wt(_) => "wt".to_owned(),
            Self::NotOffered(transport) => format!("no {}", transport.name()),
            Self::Certificate => "certificate".to_owned(),
            Self::Late(transport) => format!("late: {}", transport.name()),
        }
    }
}

/// The doors of one relay. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Doors {
    api: Api,
    tls: Arc<rustls::ClientConfig>,
    udp: Option<SocketAddr>,
    wt: Arc<Vec<WtDoor>>,
    opened: Arc<AtomicUsize>,
}

impl Doors {
    /// The doors that `sessions` WebTransport sessions will need; with none the certificate is not asked for. `udp` is the
    /// relay's UDP port.
    pub async fn new(
        api: Api,
        tls: Arc<rustls::ClientConfig>,
        sessions: usize,
        udp: Option<u16>,
    ) -> Result<Self, OpenError> {
        let mut wt = Vec::new();
        if sessions > 0 {
            let certificate = api.certificate().await?;
            for _ in 0..sessions.div_ceil(SHARED_BY).min(MOST_DOORS) {
                let any = SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0));
                let door = WtDoor::new(&certificate, &tls, any);
                // A machine without IPv6 has no dual-stack sockets.
                let door = door.or_else(|_| WtDoor::new(&certificate, &tls, ([0; 4], 0).into()));
                wt.push(door?);
            }
        }
        let udp = match udp {
            Some(port) => tokio::net::lookup_host((api.host(), port)).await?.next(),
            None => None,
        };
        Ok(Self {
            api,
            tls,
            udp,
            wt: Arc::new(wt),
            opened: Arc::default(),
        })
    }

    /// The relay's HTTP.
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// Opens a carrier to the seat of a ticket; UDP needs none.
    pub async fn open(
        &self,
        transport: Transport,
        ticket: Option<&Ticket>,
    ) -> Result<AnyCarrier, OpenError> {
        let missing = OpenError::NotOffered(transport);
        let opening = async {
            Ok(match (transport, ticket) {
                (Transport::WebSocket, ticket) => {
                    let url = self.api.ws_url(ticket.map_or("/ws", |ticket| &ticket.ws));
                    let tls = Arc::clone(&self.tls);
                    let ws = Ws::open(&url, self.api.host(), self.api.port(), tls).await?;
                    AnyCarrier::Ws(Box::new(ws))
                }
                (Transport::WebTransport, ticket) => {
                    let url = ticket.and_then(|ticket| ticket.wt.as_deref());
                    let url = url.ok_or(missing)?;
                    let at = self.opened.fetch_add(1, Ordering::Relaxed) % self.wt.len().max(1);
                    let door = self.wt.get(at).ok_or(OpenError::NotOffered(transport))?;
                    AnyCarrier::Wt(Box::new(door.open(url).await?))
                }
                (Transport::Udp, _) => {
                    let to = self.udp.ok_or(missing)?;
                    AnyCarrier::Udp(Udp::open(to).await?)
                }
            })
        };
        tokio::time::timeout(LATE, opening)
            .await
            .map_err(|_| OpenError::Late(transport))?
    }
}
