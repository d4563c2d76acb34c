//! HTTP over the listening sockets, with or without TLS, so that nobody who is slow keeps anybody else waiting.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

use crate::address::household;
use crate::relay::Relay;

/// How long a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// How long a request may take from its first byte to the end of its head, and how long a connection may wait for one.
const HEAD: Duration = Duration::from_secs(5);
/// How long an answer may take to begin; it also bounds the reading of a request's body.
const ANSWER: Duration = Duration::from_secs(10);
/// How long a connection may speak HTTP: the largest file over the slowest link that can play. One that became a
/// WebSocket is none any more.
const LONGEST: Duration = Duration::from_secs(120);
/// The congestion control of a player's socket, where the kernel has it. The usual ones halve their window at every loss:
/// at 40 ms and 5 % each way half of a match's snapshots then come 7 ms later than with one that goes by what arrives.
#[cfg(any(target_os = "linux", target_os = "android"))]
const CONGESTION: &[u8] = b"bbr";
/// How often the end looks whether everybody is gone.
const COUNT: Duration = Duration::from_millis(5);
/// How long to wait where the system has no more sockets to give.
const EXHAUSTED: Duration = Duration::from_millis(200);
/// Bytes that a socket takes before the first of them is on its way. What waits in the system can no longer be replaced
/// by something newer, so it is kept to a few snapshots; a file is no slower for it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const UNSENT: u32 = 16 << 10;

/// What a listening socket serves, and how many may be served at once. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Http {
    app: Router,
    relay: Relay,
    tls: Option<TlsAcceptor>,
    sockets: Arc<Semaphore>,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Http {
    /// Serves `app`, over TLS where there is an acceptor.
    pub(crate) fn new(app: Router, relay: Relay, tls: Option<TlsAcceptor>) -> Self {
        // As many again as may play: pages and requests come beside them.
        let sockets = relay.settings.limits.max_connections;
        Self {
            app,
            relay,
            tls,
            sockets: Arc::new(Semaphore::new(sockets)),
            by_address: Arc::default(),
        }
    }

    /// Accepts until the relay stops, then lets what is under way end.
    pub(crate) async fn serve(self, listener: TcpListener) {
        let mut connections = JoinSet::new();
        let mut stopped = pin!(self.relay.stopped());
        loop {
            // Where all are taken the next waits in the system's queue, until one of the silent is given up.
            let place = tokio::select! {
                place = Arc::clone(&self.sockets).acquire_owned() => place,
                () = &mut stopped => break,
            };
            let Ok(place) = place else { break };
            let (stream, peer) = tokio::select! {
                accepted = accept(&listener) => accepted,
                () = &mut stopped => break,
            };
            while connections.try_join_next().is_some() {}
            if let Some(entry) = self.enter(peer.ip(), place) {
                connections.spawn(self.clone().connection(stream, peer, entry));
            }
        }
        self.until_all_are_gone(&listener, &mut connections).await;
    }

    /// Whoever asks while others still hear their goodbye is answered: `/readyz` says no, and every door is closed.
    async fn until_all_are_gone(&self, listener: &TcpListener, connections: &mut JoinSet<()>) {
        let mut gone = pin!(async {
            while connections.join_next().await.is_some() {}
            while self.relay.limits.connections() > 0 {
                sleep(COUNT).await;
            }
        });
        let mut late = JoinSet::new();
        loop {
            let (stream, peer) = tokio::select! {
                () = &mut gone => break,
                accepted = accept(listener) => accepted,
            };
            while late.try_join_next().is_some() {}
            let place = Arc::clone(&self.sockets).try_acquire_owned();
            if let Some(entry) = place.ok().and_then(|place| self.enter(peer.ip(), place)) {
                late.spawn(self.clone().connection(stream, peer, entry));
            }
        }
    }

    /// A place for a socket of this address, or none: then it is closed at once. A proxy that is trusted speaks for many.
    fn enter(&self, peer: IpAddr, place: OwnedSemaphorePermit) -> Option<Entry> {
        let address = household(peer);
        let most = match self.relay.access().proxies.trusts(address) {
            true => usize::MAX,
            false => self.relay.settings.limits.max_connections_per_address,
        };
        let mut held = self
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let of_one = held.entry(address).or_default();
        if *of_one >= most {
            tracing::debug!(%address, "one socket too many");
            return None;
        }
        *of_one += 1;
        Some(Entry {
            address,
            by_address: Arc::clone(&self.by_address),
            _place: place,
        })
    }

    async fn connection(self, stream: TcpStream, peer: SocketAddr, entry: Entry) {
        // A message that waits for more to send with it is a message that is late.
        let _ = stream.set_nodelay(true);
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            let socket = SockRef::from(&stream);
            let _ = socket.set_tcp_notsent_lowat(UNSENT);
            let _ = socket.set_tcp_congestion(CONGESTION);
        }
        match self.tls.clone() {
            None => self.speak(stream, peer).await,
            Some(tls) => match timeout(HANDSHAKE, tls.accept(stream)).await {
                Ok(Ok(stream)) => self.speak(stream, peer).await,
                Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS"),
                Err(_) => tracing::debug!(%peer, "a TLS handshake that took too long"),
            },
        }
        drop(entry);
    }

    async fn speak(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: SocketAddr,
    ) {
        let app = self.app;
        // One that came while the relay ends asks once.
        let late = self.relay.is_stopping();
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            let answer = app.clone().oneshot(request.map(Body::new));
            async move {
                Ok::<Response, std::convert::Infallible>(match timeout(ANSWER, answer).await {
                    Ok(Ok(answer)) => answer,
                    Err(_) => StatusCode::REQUEST_TIMEOUT.into_response(),
                })
            }
        });
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .keep_alive(!late)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades()
        );
        let ended = tokio::select! {
            ended = &mut connection => ended,
            () = self.relay.stopped(), if !late => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
            () = sleep(LONGEST) => Ok(()),
        };
        if let Err(error) = ended {
            tracing::debug!(%peer, %error, "a connection ended badly");
        }
    }
}

/// A socket's place among all and among those of its address, given back when it is dropped.
struct Entry {
    address: IpAddr,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
    _place: OwnedSemaphorePermit,
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut held = self
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(of_one) = held.get_mut(&self.address) {
            *of_one -= 1;
            if *of_one == 0 {
                held.remove(&self.address);
            }
        }
    }
}

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            // The client's fault, and gone with it.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::ConnectionAborted
                        | io::ErrorKind::ConnectionReset
                        | io::ErrorKind::ConnectionRefused
                ) => {}
            Err(error) => {
                tracing::error!(%error, "the system gives no socket; is the limit of open files too low?");
                sleep(EXHAUSTED).await;
            }
        }
    }
}
