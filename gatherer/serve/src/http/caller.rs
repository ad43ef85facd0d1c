//! How every answer begins: who asks, with which rights, and for what.

use super::answer::Problem;
use super::gate::Pass;
use crate::House;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use std::sync::Arc;

/// Somebody whom the gate has let in, and what they ask.
pub(super) struct Caller {
    /// Who is asked.
    pub(super) house: Arc<House>,
    /// What they may see.
    pub(super) pass: Pass,
    /// What stands behind the question mark.
    pub(super) query: Option<String>,
    pub(super) headers: HeaderMap,
}

impl FromRequestParts<Arc<House>> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, house: &Arc<House>) -> Result<Self, Problem> {
        let absent = || Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "nobody has looked at who asks");
        let pass = parts.extensions.get::<Pass>().cloned().ok_or_else(absent)?;
        let query = parts.uri.query().map(str::to_owned);
        Ok(Self { house: Arc::clone(house), pass, query, headers: parts.headers.clone() })
    }
}
