//! What the relay answers.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use crate::api;
use crate::assets::{Asset, Assets};
use crate::relay::Relay;
use crate::transport::ws;

/// What every request may need. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AppState {
    pub(crate) assets: Arc<Assets>,
    pub(crate) relay: Relay,
}

impl AppState {
    /// To serve this page, and matches on this relay.
    pub fn new(assets: Assets, relay: Relay) -> Self {
        Self {
            assets: Arc::new(assets),
            relay,
        }
    }
}

/// What the page may do. Scripts and workers are our own; `wasm-unsafe-eval` lets them compile a module and nothing
/// else; `connect-src` lets the page play on any relay, over WebTransport (https) or WebSocket (wss; ws for one on
/// this machine). Styles inline: the page moves things by `style=`.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self' https: wss: ws://localhost:* ws://127.0.0.1:*; \
    object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// A year: the longest that caches keep to.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// Kept, but asked about each time: a page that is new is seen at once, and an old one costs a 304.
const ASK: &str = "no-cache";

/// Every answer of the relay.
pub fn app(state: AppState) -> Router {
    let carriers = ws::router(state.relay.clone());
    api::router(state.clone())
        .merge(carriers)
        .fallback_service(get(page).with_state(state))
        .layer(middleware::from_fn(guard))
}

/// A file of the page, whole, gzipped or not at all where the browser has it.
async fn page(State(state): State<AppState>, request: Request) -> Response {
    let path = request.uri().path();
    let Some(asset) = state.assets.find(path) else {
        tracing::debug!(path, "not found");
        return (StatusCode::NOT_FOUND, "There is nothing at this address.\n").into_response();
    };
    let cache = if asset.immutable { FOR_EVER } else { ASK };
    let common = [
        (header::CACHE_CONTROL, value(cache)),
        (header::ETAG, value(&asset.etag)),
        (header::VARY, value("Accept-Encoding")),
    ];
    if has(request.headers(), asset) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let kind = [(header::CONTENT_TYPE, value(asset.mime))];
    match asset.gzip.clone().filter(|_| takes_gzip(request.headers())) {
        Some(gzip) => (
            common,
            kind,
            [(header::CONTENT_ENCODING, value("gzip"))],
            gzip,
        )
            .into_response(),
        None => (common, kind, asset.bytes.clone()).into_response(),
    }
}

/// Headers that guard every answer, errors too.
async fn guard(request: Request, next: Next) -> Response {
    const GUARDS: [(HeaderName, HeaderValue); 4] = [
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(POLICY),
        ),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
        (
            header::REFERRER_POLICY,
            HeaderValue::from_static("no-referrer"),
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            HeaderValue::from_static("same-origin"),
        ),
    ];
    let mut response = next.run(request).await;
    response.headers_mut().extend(GUARDS);
    response
}

/// Everything that is put in a header here is of our own making and plain.
fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("our own header values are visible ASCII")
}

/// Whether the browser says that it has exactly these bytes.
fn has(headers: &HeaderMap, asset: &Asset) -> bool {
    let known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|known| known.to_str().ok());
    let same = |tag: &str| tag.trim().trim_start_matches("W/") == asset.etag;
    known.is_some_and(|known| known.split(',').any(same))
}

/// Whether gzip is named and not by weight 0.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|text| text.to_str().ok());
    accepted.flat_map(|text| text.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = weight.trim().trim_start_matches("q=").parse::<f32>();
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_ok_and(|weight| weight > 0.0)
    })
}
