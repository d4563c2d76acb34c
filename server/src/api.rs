//! Rooms over HTTP: list, make, join; and how the relay is.

use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::access::peer;
use crate::app::AppState;
use crate::relay::Relay;
use crate::rooms::{Ask, Code, JoinError, Secret, Wish};

/// Every address below `/api`, and those by which machines ask how the relay is.
pub(crate) fn router(state: AppState) -> Router {
    Router::new()
        .route("/api/rooms", get(list).post(create))
        .route("/api/rooms/{code}/join", post(join))
        .route("/api/certificate", get(certificate))
        .route("/api/{*rest}", get(nothing).post(nothing))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .with_state(state)
}

/// Which page a relay serves, so that a page can tell that it is another; empty where it serves none.
#[derive(Serialize)]
struct List<'a> {
    rooms: Vec<crate::rooms::Listed>,
    build: &'a str,
    now: u64,
}

async fn list(State(state): State<AppState>) -> Response {
    let list = List {
        rooms: state.relay.rooms.list(),
        build: state.assets.build(),
        now: unix_ms(SystemTime::now()),
    };
    answer(StatusCode::OK, &list)
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct CreateBody {
    scene: Option<String>,
    public: bool,
    seats: Option<u16>,
    bots: Option<u16>,
}

async fn create(State(state): State<AppState>, request: Request) -> Response {
    let relay = &state.relay;
    let made = async {
        let address = enter(relay, &request)?;
        let body: CreateBody = body(relay, request).await?;
        if !relay.limits.room(address) {
            return Err(Refused::Join(JoinError::Rooms));
        }
        let wish = Wish {
            scene: body.scene,
            public: body.public,
            seats: body.seats,
            bots: body.bots,
        };
        Ok(relay.rooms.create(&wish)?)
    };
    match made.await {
        Ok((code, host)) => answer(
            StatusCode::CREATED,
            &json!({ "code": code.to_string(), "host": host.to_string() }),
        ),
        Err(error) => refuse(relay, &error),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JoinBody {
    #[serde(default)]
    name: String,
    #[serde(default)]
    watch: bool,
    #[serde(default)]
    resume: Option<String>,
    #[serde(default)]
    host: Option<String>,
}

async fn join(
    State(state): State<AppState>,
    Path(code): Path<String>,
    request: Request,
) -> Response {
    let relay = &state.relay;
    let asked = request.headers().get(header::HOST);
    let asked = asked.and_then(|host| host.to_str().ok()).map(str::to_owned);
    let invited = async {
        let address = enter(relay, &request)?;
        let body: JoinBody = body(relay, request).await?;
        if !relay.limits.may_guess(address) {
            return Err(Refused::Join(JoinError::Guesses));
        }
        let ask = Ask {
            name: body.name,
            watch: body.watch,
            // A secret that is none is nobody's: whoever has it comes as somebody new.
            resume: body.resume.and_then(|secret| secret.parse().ok()),
            host: body.host.and_then(|secret| secret.parse().ok()),
        };
        let code: Result<Code, _> = code.parse();
        let invited = code
            .map_err(|_| JoinError::NoRoom)
            .and_then(|code| relay.rooms.join(code, ask));
        if invited
            .as_ref()
            .is_err_and(|error| *error == JoinError::NoRoom)
        {
            relay.limits.guessed_wrong(address);
        }
        Ok(invited?)
    };
    match invited.await {
        Ok(invited) => {
            let webtransport = relay.webtransport.borrow();
            let wt = webtransport
                .as_ref()
                .map(|there| there.url(asked.as_deref()));
            let hex = |secret: Secret| secret.to_string();
            answer(
                StatusCode::OK,
                &json!({
                    "token": hex(invited.token),
                    "resume": hex(invited.resume),
                    "scene": invited.scene,
                    "rate": invited.rate,
                    "seats": invited.seats,
                    "ws": "/ws",
                    "wt": wt,
                    "setup": invited.setup,
                }),
            )
        }
        Err(error) => refuse(relay, &error),
    }
}

async fn certificate(State(state): State<AppState>) -> Response {
    let relay = &state.relay;
    let Some(endpoint) = relay.webtransport.borrow().clone() else {
        return refuse(relay, &Refused::NoWebTransport);
    };
    let hex = |hash: &[u8; 32]| {
        hash.iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    answer(
        StatusCode::OK,
        &json!({
            "now": unix_ms(SystemTime::now()),
            "authority": endpoint.authority,
            "hashes": endpoint.hashes.iter().map(hex).collect::<Vec<_>>(),
            "from": unix_ms(endpoint.from),
            "until": unix_ms(endpoint.until),
        }),
    )
}

async fn nothing(State(state): State<AppState>) -> Response {
    refuse(&state.relay, &Refused::Nothing)
}

async fn healthz() -> &'static str {
    "ok\n"
}

async fn readyz(State(state): State<AppState>) -> Response {
    if state.relay.is_stopping() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response();
    }
    "ready\n".into_response()
}

async fn metrics(State(state): State<AppState>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], state.relay.metrics.text()).into_response()
}

/// Why a request is not done.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("{0}")]
    Join(#[from] JoinError),
    #[error("This page may not play here. {0}.")]
    Origin(#[from] crate::origin::OriginError),
    #[error("This relay has no WebTransport.")]
    NoWebTransport,
    #[error("There is nothing at this address.")]
    Nothing,
    #[error("This is more than the relay reads.")]
    TooLarge,
}

impl Refused {
    fn status(&self) -> StatusCode {
        match self {
            Self::Join(error) => match error {
                JoinError::NoRoom => StatusCode::NOT_FOUND,
                JoinError::Full => StatusCode::CONFLICT,
                JoinError::Kicked => StatusCode::FORBIDDEN,
                JoinError::Name
                | JoinError::NoScene
                | JoinError::Token
                | JoinError::BadRequest
                | JoinError::Silent => StatusCode::BAD_REQUEST,
                JoinError::Guesses | JoinError::Rooms => StatusCode::TOO_MANY_REQUESTS,
                JoinError::Busy | JoinError::Restarting => StatusCode::SERVICE_UNAVAILABLE,
            },
            Self::Origin(_) => StatusCode::FORBIDDEN,
            Self::NoWebTransport | Self::Nothing => StatusCode::NOT_FOUND,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Join(error) => error.code(),
            Self::Origin(_) => "origin",
            Self::NoWebTransport => "no_webtransport",
            Self::Nothing => "nothing",
            Self::TooLarge => "too_large",
        }
    }
}

/// Whose request it is, if it may change something here at all.
fn enter(relay: &Relay, request: &Request) -> Result<std::net::IpAddr, Refused> {
    let access = relay.access();
    access.check(request.headers())?;
    if relay.is_stopping() {
        return Err(Refused::Join(JoinError::Restarting));
    }
    Ok(access.client(peer(request.extensions()), request.headers()))
}

/// How long a body may take.
const BODY: Duration = Duration::from_secs(5);

/// Reads a body of JSON; none is as good as an empty object.
async fn body<T: for<'a> Deserialize<'a>>(relay: &Relay, request: Request) -> Result<T, Refused> {
    let reading = to_bytes(request.into_body(), relay.settings.limits.max_body);
    let bytes = match tokio::time::timeout(BODY, reading).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return Err(Refused::TooLarge),
        Err(_) => return Err(Refused::Join(JoinError::Silent)),
    };
    let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
    serde_json::from_slice(text).map_err(|_| Refused::Join(JoinError::BadRequest))
}

fn refuse(relay: &Relay, error: &Refused) -> Response {
    relay.metrics.refused(error.code());
    let sentence = error.to_string();
    answer(
        error.status(),
        &json!({ "error": error.code(), "sentence": sentence }),
    )
}

/// JSON that nobody keeps: it may hold secrets, and it is old at once.
fn answer(status: StatusCode, value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).expect("our answers are plain data");
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (status, headers, Body::from(text)).into_response()
}

/// Milliseconds since 1970.
fn unix_ms(at: SystemTime) -> u64 {
    let since = at
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    since.as_millis().try_into().unwrap_or(u64::MAX)
}
