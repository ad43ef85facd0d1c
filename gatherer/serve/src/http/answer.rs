//! What goes back: answers, and problems in words with a next step.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gatherer_store::StoreError;
use serde_json::{Value, json};

/// Why a request gets no answer, after RFC 9457.
#[derive(Clone)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    pub(super) detail: String,
    headers: Vec<(header::HeaderName, String)>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), headers: Vec::new() }
    }

    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// A problem that is over after so many seconds.
    pub(super) fn later(status: StatusCode, detail: &str, seconds: u64) -> Self {
        let headers = vec![(header::RETRY_AFTER, seconds.to_string())];
        Self { status, detail: format!("{detail}; try again in {seconds} s"), headers }
    }

    pub(super) fn unauthorized(detail: &str) -> Self {
        let detail = format!("{detail}; send one as `Authorization: Bearer ...`");
        let headers = vec![(header::WWW_AUTHENTICATE, "Bearer".to_owned())];
        Self { status: StatusCode::UNAUTHORIZED, detail, headers }
    }
}

impl From<gatherer_pipeline::Failure> for Problem {
    fn from(failure: gatherer_pipeline::Failure) -> Self {
        gatherer_pipeline::events::broken(failure);
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the store cannot be read; its operator has been told")
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        // What is wrong with the store is for its operator to know.
        gatherer_pipeline::events::broken(error);
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the store cannot be read; its operator has been told")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let title = self.status.canonical_reason().unwrap_or("problem");
        let body = json!({ "status": self.status.as_u16(), "title": title, "detail": self.detail });
        let mut response = Reply::text("application/problem+json", body.to_string()).into_response();
        *response.status_mut() = self.status;
        for (name, value) in &self.headers {
            if let Ok(value) = HeaderValue::from_str(value) {
                response.headers_mut().insert(name, value);
            }
        }
        // Whoever makes a page of it has the words at hand.
        response.extensions_mut().insert(self);
        response
    }
}

/// A short answer.
pub(super) struct Reply {
    kind: &'static str,
    text: String,
}

impl Reply {
    pub(super) fn text(kind: &'static str, text: String) -> Self {
        Self { kind, text }
    }

    pub(super) fn json(value: &Value) -> Self {
        Self::text("application/json", format!("{value}\n"))
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, self.kind)], Body::from(self.text)).into_response()
    }
}

/// The answer with its tag, or 304 if the client has it already.
pub(super) fn unless_known(headers: &HeaderMap, tag: &str, answer: impl FnOnce() -> Response) -> Response {
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    // Tags compare weakly: `W/` makes no difference (RFC 9110).
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let is_known = known.flat_map(|value| value.split(',')).any(|one| one.trim() == "*" || bare(one) == bare(tag));
    let mut response = if is_known { StatusCode::NOT_MODIFIED.into_response() } else { answer() };
    if let Ok(tag) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    // The same address has several forms, and not everybody sees the same.
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept, authorization"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
