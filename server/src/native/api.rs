//! The relay's HTTP, as a native program asks it.

use std::sync::Arc;
use std::time::Duration;

use axum::http::uri::{Authority, Scheme};
use axum::http::{Method, Request, StatusCode, Uri, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use scenes::Setup;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// An answer that takes longer is none.
const LATE: Duration = Duration::from_secs(10);

/// The longest answer that is read, bytes.
const MOST: usize = 1 << 20;

/// Why the relay gave no answer that is of use.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The address is none.
    #[error("{0} is no address of a relay: name one like http://localhost:8080")]
    Url(String),
    /// Nobody is there, or nobody who speaks HTTP.
    #[error("no relay answers at {at}: {why}")]
    Unreachable {
        /// Where.
        at: Authority,
        /// What the network says, to the last cause.
        why: String,
    },
    /// No answer within 10 s.
    #[error("the relay at {0} does not answer within {LATE:?}")]
    Late(Authority),
    /// The relay said no, and why.
    #[error("the relay refuses: {sentence} ({error})")]
    Refused {
        /// The HTTP status.
        status: StatusCode,
        /// The reason's code.
        error: String,
        /// The reason for a person.
        sentence: String,
    },
    /// What was answered is not what the contract says.
    #[error("the answer to {path} is none of a relay's: {why}")]
    Unreadable {
        /// What was asked for.
        path: String,
        /// What is wrong with it.
        why: String,
    },
}

impl ApiError {
    /// The failure as one word, for a tally.
    pub fn code(&self) -> &str {
        match self {
            Self::Url(_) => "url",
            Self::Unreachable { .. } => "unreachable",
            Self::Late(_) => "late",
            Self::Refused { error, .. } => error,
            Self::Unreadable { .. } => "unreadable",
        }
    }
}

/// A public room, as the list says it.
#[derive(Clone, Debug, Deserialize)]
pub struct RoomLine {
    /// Its code.
    pub code: String,
    /// The scene that is played.
    pub scene: String,
    /// Players in it.
    pub players: u16,
    /// Players at most.
    pub seats: u16,
    /// Ticks a second.
    pub rate: u16,
}

/// A room to be made.
#[derive(Clone, Debug, Serialize)]
pub struct NewRoom<'a> {
    /// The scene.
    pub scene: &'a str,
    /// Whether it stands in the list.
    pub public: bool,
    /// Players at most.
    pub seats: u16,
    /// Bots that the relay plays itself.
    pub bots: u16,
}

/// A room that was made.
#[derive(Clone, Debug, Deserialize)]
pub struct Created {
    /// Its code.
    pub code: String,
    /// Whoever joins with it is the host.
    pub host: String,
}

/// A wish to play in a room.
#[derive(Clone, Debug, Default, Serialize)]
pub struct JoinRequest<'a> {
    /// The player's name.
    pub name: &'a str,
    /// To watch and not to play.
    pub watch: bool,
    /// The secret of a seat that was left without a goodbye.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<&'a str>,
    /// The host's secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<&'a str>,
}

/// Leave to take a seat: good once, within 30 s.
#[derive(Clone, Debug, Deserialize)]
pub struct Ticket {
    /// To be said first on the carrier.
    pub token: String,
    /// What gives the seat back after a carrier was lost.
    pub resume: String,
    /// The scene that is played.
    pub scene: String,
    /// Ticks a second.
    pub rate: u16,
    /// What makes the client's world equal to the room's.
    pub setup: World,
    /// Where its WebSocket is, a path.
    pub ws: String,
    /// Where its WebTransport is, a whole address; `None` where there is none.
    pub wt: Option<String>,
}

/// How a room's world was made.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct World {
    /// Where its chance comes from.
    pub seed: u64,
    /// Whether shots only tell.
    pub harmless: bool,
}

impl Ticket {
    /// How a client's world is made.
    pub fn setup(&self) -> Setup {
        let World { seed, harmless } = self.setup;
        Setup {
            seed,
            rate_hz: self.rate,
            harmless,
            ..Setup::default()
        }
    }

    /// The word that uses it, to be said first on a carrier.
    pub fn word(&self) -> String {
        serde_json::json!({ "t": "join", "token": self.token }).to_string()
    }
}

/// How to know the relay's WebTransport.
#[derive(Clone, Debug, Deserialize)]
pub struct Certificate {
    /// An authority stands for it, so there is no need of hashes.
    pub authority: bool,
    /// SHA-256 of the certificates that may be met, hexadecimal.
    pub hashes: Vec<String>,
}

/// A relay's HTTP. Cheap to clone; connections are kept and shared.
#[derive(Clone, Debug)]
pub struct Api {
    scheme: Scheme,
    authority: Authority,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

impl Api {
    /// The relay at `url`, `http://…` or `https://…`; only scheme, host and port of it count.
    pub fn new(url: &str, tls: Arc<rustls::ClientConfig>) -> Result<Self, ApiError> {
        let wrong = || ApiError::Url(url.to_owned());
        let parts = url.parse::<Uri>().map_err(|_| wrong())?.into_parts();
        let scheme = parts.scheme.ok_or_else(wrong)?;
        if ![Scheme::HTTP, Scheme::HTTPS].contains(&scheme) {
            return Err(wrong());
        }
        let authority = parts.authority.ok_or_else(wrong)?;
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.enforce_http(false);
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config((*tls).clone())
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        Ok(Self {
            scheme,
            authority,
            client: Client::builder(TokioExecutor::new()).build(connector),
        })
    }

    /// Its host, without a port.
    pub fn host(&self) -> &str {
        self.authority.host().trim_matches(['[', ']'])
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        let usual = if self.is_https() { 443 } else { 80 };
        self.authority.port_u16().unwrap_or(usual)
    }

    /// Whether it speaks TLS.
    pub fn is_https(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    /// The address of its WebSocket.
    pub fn ws_url(&self, path: &str) -> String {
        let scheme = if self.is_https() { "wss" } else { "ws" };
        format!("{scheme}://{}{path}", self.authority)
    }

    /// The public rooms.
    pub async fn rooms(&self) -> Result<Vec<RoomLine>, ApiError> {
        #[derive(Deserialize)]
        struct Rooms {
            rooms: Vec<RoomLine>,
        }
        let Rooms { rooms } = self.json(Method::GET, "/api/rooms", None).await?;
        Ok(rooms)
    }

    /// Makes a room.
    pub async fn create(&self, room: &NewRoom<'_>) -> Result<Created, ApiError> {
        self.json(Method::POST, "/api/rooms", Some(said(room)))
            .await
    }

    /// Asks for a place in a room.
    pub async fn join(&self, code: &str, request: &JoinRequest<'_>) -> Result<Ticket, ApiError> {
        let path = format!("/api/rooms/{code}/join");
        self.json(Method::POST, &path, Some(said(request))).await
    }

    /// How to know its WebTransport.
    pub async fn certificate(&self) -> Result<Certificate, ApiError> {
        self.json(Method::GET, "/api/certificate", None).await
    }

    /// Its figures in Prometheus' text.
    pub async fn metrics(&self) -> Result<String, ApiError> {
        let (_, body) = self.ask(Method::GET, "/metrics", None).await?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    async fn json<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<Bytes>,
    ) -> Result<T, ApiError> {
        let (_, body) = self.ask(method, path, body).await?;
        serde_json::from_slice(&body).map_err(|error| ApiError::Unreadable {
            path: path.to_owned(),
            why: error.to_string(),
        })
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<Bytes>,
    ) -> Result<(StatusCode, Bytes), ApiError> {
        let unreadable = |why: String| ApiError::Unreadable {
            path: path.to_owned(),
            why,
        };
        let uri = Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(path)
            .build()
            .map_err(|error| unreadable(error.to_string()))?;
        let mut request = Request::builder().method(method).uri(uri);
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request
            .body(Full::new(body.unwrap_or_default()))
            .map_err(|error| unreadable(error.to_string()))?;
        let answering = async {
            let unreachable = |error: &dyn std::error::Error| ApiError::Unreachable {
                at: self.authority.clone(),
                why: last_cause(error),
            };
            let answer = self.client.request(request).await;
            let answer = answer.map_err(|error| unreachable(&error))?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), MOST).collect().await;
            let body = body.map_err(|error| unreachable(&*error))?;
            Ok((status, body.to_bytes()))
        };
        let (status, body) = tokio::time::timeout(LATE, answering)
            .await
            .map_err(|_| ApiError::Late(self.authority.clone()))??;
        if status.is_success() {
            return Ok((status, body));
        }
        #[derive(Deserialize)]
        struct No {
            error: String,
            sentence: String,
        }
        match serde_json::from_slice(&body) {
            Ok(No { error, sentence }) => Err(ApiError::Refused {
                status,
                error,
                sentence,
            }),
            Err(_) => Err(unreadable(format!("status {status}"))),
        }
    }
}

fn said(what: &impl Serialize) -> Bytes {
    let json = serde_json::to_vec(what).expect("texts, numbers and flags are JSON");
    json.into()
}

/// What went wrong in the end: the outer errors only say that something did.
fn last_cause(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::trust;

    fn api(url: &str) -> Result<Api, ApiError> {
        Api::new(url, trust(None).unwrap())
    }

    #[test]
    fn an_address_is_taken_apart() {
        let plain = api("http://localhost:8080/anything").unwrap();
        assert_eq!((plain.host(), plain.port()), ("localhost", 8080));
        assert_eq!(plain.ws_url("/ws"), "ws://localhost:8080/ws");
        let safe = api("https://[::1]").unwrap();
        assert_eq!((safe.host(), safe.port()), ("::1", 443));
        assert_eq!(safe.ws_url("/ws"), "wss://[::1]/ws");
    }

    #[test]
    fn what_is_no_address_says_what_one_looks_like() {
        for wrong in ["localhost:8080", "ftp://localhost", "", "http://"] {
            let error = api(wrong).unwrap_err();
            assert!(
                error.to_string().contains("http://localhost:8080"),
                "{error}"
            );
        }
    }

    #[tokio::test]
    async fn a_relay_that_is_not_there_is_said_to_be_unreachable() {
        let error = api("http://127.0.0.1:1").unwrap().rooms().await;
        assert_eq!(error.unwrap_err().code(), "unreachable");
    }
}
