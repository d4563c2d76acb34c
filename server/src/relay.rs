//! What everything in the relay shares.

use std::sync::Arc;
use std::time::SystemTime;

use axum::http::uri::Authority;
use tokio::sync::watch;

use crate::access::Access;
use crate::config::Settings;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::rooms::Rooms;

/// What everything in the relay shares. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Relay {
    /// What the operator set.
    pub settings: Arc<Settings>,
    /// Every room.
    pub rooms: Rooms,
    /// What is counted of whom.
    pub limits: Limits,
    /// What Prometheus reads.
    pub metrics: Metrics,
    /// Who may come in: what the operator allows, and the relay's own page once its sockets are known.
    pub access: watch::Sender<Arc<Access>>,
    /// How browsers reach WebTransport; set and kept by whoever runs it.
    pub webtransport: watch::Sender<Option<WebTransport>>,
    stopping: watch::Sender<bool>,
}

/// How browsers reach WebTransport here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebTransport {
    /// The name that players know the relay by; `None` where it is whichever they asked for the page by.
    pub host: Option<String>,
    /// The UDP port.
    pub port: u16,
    /// Whether an authority vouches for the certificate, so that browsers need no hashes.
    pub authority: bool,
    /// SHA-256 of the certificate in use and of the one that follows.
    pub hashes: Vec<[u8; 32]>,
    /// From when the certificate in use is valid.
    pub from: SystemTime,
    /// Until when.
    pub until: SystemTime,
}

impl WebTransport {
    /// Where it is for somebody whose request was sent to `asked`, the `Host` of that request.
    pub fn url(&self, asked: Option<&str>) -> String {
        let asked = asked.and_then(|host| host.parse::<Authority>().ok());
        let asked = asked.as_ref().map(Authority::host);
        let host = self.host.as_deref().or(asked).unwrap_or("localhost");
        format!("https://{host}:{}/wt", self.port)
    }
}

impl Relay {
    /// A relay without rooms, sockets or players.
    pub fn new(settings: Settings) -> Self {
        let (stopping, stops) = watch::channel(false);
        let (settings, metrics) = (Arc::new(settings), Metrics::new());
        Self {
            rooms: Rooms::new(Arc::clone(&settings), metrics.clone(), stops),
            limits: Limits::new(&settings.limits),
            metrics,
            settings,
            access: watch::Sender::default(),
            webtransport: watch::Sender::new(None),
            stopping,
        }
    }

    /// Who may come in, as it is now.
    pub fn access(&self) -> Arc<Access> {
        Arc::clone(&self.access.borrow())
    }

    /// Says that the relay ends: nobody is let in from now on, and everybody is told goodbye.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Whether it ends.
    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Ready when it ends.
    pub async fn stopped(&self) {
        // The sender is ours, so it is not gone.
        let _ = self
            .stopping
            .subscribe()
            .wait_for(|stopping| *stopping)
            .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webtransport_is_where_the_page_is() {
        let at = |host: Option<&str>, asked| {
            let webtransport = WebTransport {
                host: host.map(str::to_owned),
                port: 8080,
                authority: false,
                hashes: Vec::new(),
                from: SystemTime::UNIX_EPOCH,
                until: SystemTime::UNIX_EPOCH,
            };
            webtransport.url(asked)
        };
        let known = at(Some("localhost"), Some("127.0.0.1:8080"));
        assert_eq!(known, "https://localhost:8080/wt");
        assert_eq!(at(None, Some("10.0.0.9:80")), "https://10.0.0.9:8080/wt");
        assert_eq!(at(None, Some("[::1]:80")), "https://[::1]:8080/wt");
        assert_eq!(at(None, Some("a b/c")), "https://localhost:8080/wt");
        assert_eq!(at(None, None), "https://localhost:8080/wt");
    }
}
