//! What everything in the relay shares.

use std::sync::Arc;
use std::time::SystemTime;

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
    /// Where: `https://HOST:PORT/wt`.
    pub url: String,
    /// Whether an authority vouches for the certificate, so that browsers need no hashes.
    pub authority: bool,
    /// SHA-256 of the certificate in use and of the one that follows.
    pub hashes: Vec<[u8; 32]>,
    /// From when the certificate in use is valid.
    pub from: SystemTime,
    /// Until when.
    pub until: SystemTime,
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
