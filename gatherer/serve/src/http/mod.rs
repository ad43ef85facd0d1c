//! The HTTP port, as `schemas/http/openapi.json` describes it. Everything is a GET; nothing can be changed from here.

mod abstracts;
mod answer;
mod changes;
mod form;
mod question;
mod records;

use crate::filter::Filter;
use crate::metrics::Door;
use crate::port::{Guest, Host, Port, TurnedAway, keep_open};
use crate::{House, Live, until};
use answer::{Problem, Reply};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use gatherer_pipeline::{Right, Token, events};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use subtle::ConstantTimeEq;
use tower_http::compression::CompressionLayer;

/// How long a client may take to send the head of a request, and how long a connection may wait for the next one.
const HEAD_LIMIT: Duration = Duration::from_secs(60);
/// Requests at once on one connection of HTTP/2.
const STREAMS: u32 = 16;
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const OPENAPI: &str = include_str!("../../../../schemas/http/openapi.json");

/// Who may see what.
#[derive(Debug, Clone, Default)]
pub struct HttpRights {
    /// What everybody may who is not turned away.
    pub anonymous: Vec<Right>,
    /// Words that give further rights.
    pub tokens: Vec<Token>,
}

/// Answers requests.
struct Desk(Router);

/// Who asks.
#[derive(Clone)]
struct Client {
    peer: SocketAddr,
    trusted: Result<bool, TurnedAway>,
}

/// What may be seen by who asks.
#[derive(Clone)]
struct Pass {
    rights: Vec<Right>,
    /// Whose token it was.
    token: String,
}

impl House {
    /// Serves HTTP until `shutdown` is done.
    pub async fn serve_http(
        self: &Arc<Self>,
        port: Port,
        rights: impl Into<Live<HttpRights>>,
        shutdown: impl Future<Output = ()>,
    ) {
        let gate = Gate { house: self.clone(), rights: rights.into() };
        keep_open(self.clone(), Arc::new(Desk(routes(gate))), port, shutdown).await;
    }
}

fn routes(gate: Gate) -> Router {
    let house = gate.house.clone();
    Router::new()
        .route("/", get(describe))
        .route("/records", get(records::range))
        .route("/records/{*url}", get(records::one))
        .route("/abstracts/{*url}", get(abstracts::one))
        .route("/changes", get(changes::changes))
        .route("/openapi.json", get(openapi))
        .route("/health", get(health))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics))
        .fallback(|| async { Problem::new(StatusCode::NOT_FOUND, "nothing is here; /openapi.json says what is where") })
        .method_not_allowed_fallback(|| async {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "everything here is read with GET, and nothing can be changed")
        })
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(gate, pass))
        .with_state(house)
}

impl Host for Desk {
    const DOOR: Door = Door::Http;
    const PROTOCOLS: &'static [&'static [u8]] = &[b"h2", b"http/1.1"];

    async fn receive(self: Arc<Self>, guest: Guest) -> io::Result<()> {
        let Guest { wire, peer, trusted, mut ending } = guest;
        let service = self.0.clone().layer(Extension(Client { peer, trusted }));
        let mut builder = Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_LIMIT);
        builder.http2().timer(TokioTimer::new()).max_concurrent_streams(STREAMS).keep_alive_interval(HEAD_LIMIT);
        let connection = builder.serve_connection(TokioIo::new(wire), TowerToHyperService::new(service));
        tokio::pin!(connection);
        let served = tokio::select! {
            served = connection.as_mut() => served,
            () = until(&mut ending) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        served.map_err(io::Error::other)
    }
}

/// What stands before every route.
#[derive(Clone)]
struct Gate {
    house: Arc<House>,
    rights: Live<HttpRights>,
}

/// Lets a request through with what its client may see, and counts the answer.
async fn pass(
    State(gate): State<Gate>,
    Extension(client): Extension<Client>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let mut token = String::new();
    let is_watching = matches!(path.as_str(), "/health" | "/ready");
    let response = match gate.admit(&client, request.headers(), is_watching) {
        Ok(pass) => {
            token.clone_from(&pass.token);
            request.extensions_mut().insert(pass);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    let status = response.status().as_u16();
    gate.house.metrics.answered(Door::Http, route(&path), status);
    events::http_answered(client.peer, &path, &token, status);
    response
}

/// The route of a path, for counters: there are few routes and many paths.
fn route(path: &str) -> &'static str {
    const ROUTES: [&str; 9] = [
        "/",
        "/records",
        "/records/{url}",
        "/abstracts/{url}",
        "/changes",
        "/openapi.json",
        "/health",
        "/ready",
        "/metrics",
    ];
    let is_at = |route: &&&str| match route.strip_suffix("{url}") {
        Some(start) => path.starts_with(start),
        None => path == **route,
    };
    ROUTES.iter().find(is_at).copied().unwrap_or("other")
}

impl Gate {
    fn admit(&self, client: &Client, headers: &HeaderMap, is_watching: bool) -> Result<Pass, Problem> {
        let trusted = client.trusted.map_err(|reason| match reason {
            TurnedAway::Denied => {
                let text = format!("{} may not read here; its operator can allow it", client.peer.ip());
                Problem::new(StatusCode::FORBIDDEN, text)
            }
            TurnedAway::Full => Problem::later(StatusCode::SERVICE_UNAVAILABLE, "too many clients at once", 10),
        })?;
        // Who only looks whether we are well is not held off by a busy neighbour.
        if let Err(wait) = self.house.quota.take(client.peer.ip())
            && !is_watching
        {
            let why = "too many requests from this address";
            return Err(Problem::later(StatusCode::TOO_MANY_REQUESTS, why, wait.as_secs() + 1));
        }
        let rights = self.rights.get();
        let HttpRights { anonymous, tokens } = &*rights;
        let mut pass = Pass { rights: anonymous.clone(), token: String::new() };
        if trusted {
            pass.rights.push(Right::Private);
        }
        if let Some(word) = headers.get(header::AUTHORIZATION) {
            let word = word.to_str().ok().and_then(bearer).unwrap_or_default();
            let token = tokens.iter().find(|token| token.secret.reveal().as_bytes().ct_eq(word.as_bytes()).into());
            let token = token.ok_or_else(|| Problem::unauthorized("this token is not known here"))?;
            pass.rights.extend(&token.rights);
            pass.token.clone_from(&token.name);
        }
        Ok(pass)
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, word) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(word.trim())
}

impl Pass {
    fn demand(&self, right: Right) -> Result<(), Problem> {
        let name = Right::ALL.iter().find(|(_, one)| *one == right).map_or("", |(name, _)| name);
        match self.rights.contains(&right) {
            true => Ok(()),
            false if self.token.is_empty() => Err(Problem::unauthorized(&format!("a token with {name:?} is needed"))),
            false => Err(Problem::new(StatusCode::FORBIDDEN, format!("this token has no right to {name:?}"))),
        }
    }

    /// Everything that may be seen.
    fn filter(&self, house: &House) -> Result<Filter, Problem> {
        self.demand(Right::Records)?;
        let all = self.rights.contains(&Right::Private);
        Ok(if all { Filter::default() } else { Filter::public(&house.service.is_private) })
    }
}

async fn describe(State(house): State<Arc<House>>) -> Response {
    let identity = &house.service.identity;
    let about = json!({
        "name": identity.name, "host": identity.host, "version": identity.version,
        "records": "/records", "abstracts": "/abstracts/{url}", "changes": "/changes?since=0", "description": "/openapi.json",
        "health": "/health", "readiness": "/ready", "metrics": "/metrics",
    });
    Reply::json(&about).into_response()
}

async fn openapi(headers: HeaderMap) -> Response {
    let tag = format!("W/\"{}\"", env!("CARGO_PKG_VERSION"));
    answer::unless_known(&headers, &tag, || Reply::text("application/json", OPENAPI.to_owned()).into_response())
}

async fn health() -> Response {
    Reply::json(&json!({ "status": "alive" })).into_response()
}

/// Whether records can be had: the store answers, and nobody has asked for an end.
async fn ready(State(house): State<Arc<House>>) -> Result<Response, Problem> {
    let (number, at) = house.service.production.view().last_change()?;
    Ok(Reply::json(&json!({ "status": "ready", "changes": number, "last-change": at.0 })).into_response())
}

async fn metrics(State(house): State<Arc<House>>, Extension(pass): Extension<Pass>) -> Result<Response, Problem> {
    pass.demand(Right::Metrics)?;
    let text = house.metrics.write();
    let text = text.map_err(|_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the store cannot be read"))?;
    Ok(([(header::CONTENT_TYPE, METRICS)], Body::from(text)).into_response())
}
