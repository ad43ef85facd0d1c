//! The HTTP port, as `schemas/http/openapi.json` describes it: for programs, and as pages for people. Records are only ever
//! read here; a token with the right to operate can ask for a run, or for a look at the config.

mod abstracts;
mod answer;
mod caller;
mod changes;
mod form;
mod gate;
mod operate;
mod people;
mod question;
mod record_pages;
mod records;
mod status;

use crate::metrics::Door;
use crate::port::{Guest, Host, Port, TurnedAway, keep_open};
use crate::{House, Live, until};
use answer::{Problem, Reply};
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use gate::{Gate, Pass};
use gatherer_pipeline::{Right, Token};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
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
    /// What else those may who ask from this machine itself.
    pub local: Vec<Right>,
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
    let asking = DefaultBodyLimit::max(operate::MOST);
    Router::new()
        .route("/", get(people::first))
        .route("/status", get(status::now))
        .route("/runs", get(status::runs))
        .route("/runs/{number}", get(status::run))
        .route("/explain", get(status::explain_asked))
        .route("/explain/{*url}", get(status::explain))
        .route("/run", post(operate::run).layer(asking))
        .route("/reload", post(operate::reload).layer(asking))
        .route("/style.css", get(people::style))
        .route("/icon.svg", get(people::icon))
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
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "records are read with GET; only /run and /reload are a POST")
        })
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(gate, gate::pass))
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

/// Who this is, and what is where.
fn about(house: &House) -> Value {
    let identity = &house.service.identity;
    json!({
        "name": identity.name, "host": identity.host, "version": identity.version,
        "records": "/records", "abstracts": "/abstracts/{url}", "changes": "/changes?since=0", "description": "/openapi.json",
        "health": "/health", "readiness": "/ready", "metrics": "/metrics",
        "status": "/status", "runs": "/runs", "explain": "/explain/{url}",
    })
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
