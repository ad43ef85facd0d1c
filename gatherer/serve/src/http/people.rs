//! Pages: how they are sent, and the first of them.

use super::answer::{Problem, Reply, unless_known};
use super::caller::Caller;
use super::gate::Pass;
use super::question::Question;
use super::status::{Outlook, beside};
use super::{about, form};
use crate::House;
use crate::pages::{Frame, ICON, MessagePage, STYLE, StatusPage};
use askama::Template;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gatherer_pipeline::Right;

/// Nothing from elsewhere, no scripts, in nobody else's frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";
/// Shortest and longest time after which the first page asks for itself again.
const AGAIN: std::ops::RangeInclusive<u64> = 2..=3_600;

/// A page.
pub(super) fn page(page: &impl Template) -> Response {
    match page.render() {
        Ok(html) => {
            let mut response = Body::from(html).into_response();
            let headers = response.headers_mut();
            for (name, value) in [
                (header::CONTENT_TYPE, "text/html; charset=utf-8"),
                (header::CONTENT_SECURITY_POLICY, POLICY),
                (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
                // Not stricter: then browsers do not say where a form comes from.
                (header::REFERRER_POLICY, "same-origin"),
                (header::CACHE_CONTROL, "no-store"),
                (header::VARY, "accept, authorization"),
            ] {
                headers.insert(name, HeaderValue::from_static(value));
            }
            response
        }
        Err(error) => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// What stands around a page for somebody with these rights.
pub(super) fn frame(house: &House, pass: Option<&Pass>, at: &'static str, title: impl Into<String>) -> Frame {
    let identity = &house.service.identity;
    let has = |right| pass.is_some_and(|pass| pass.has(right));
    Frame {
        title: title.into(),
        name: identity.name.clone(),
        version: identity.version.clone(),
        at,
        status: has(Right::Status) && house.service.keeper.is_some(),
        records: has(Right::Records),
        metrics: has(Right::Metrics),
        ..Frame::default()
    }
}

/// A problem as a page, if it is one.
pub(super) fn in_words(house: &House, pass: Option<&Pass>, response: Response) -> Response {
    let Some(problem) = response.extensions().get::<Problem>().cloned() else { return response };
    let title = problem.status.canonical_reason().unwrap_or("Problem");
    let mut lines = vec![problem.detail.clone()];
    let can_sign_in = pass.is_none_or(|pass| pass.can_sign_in);
    let is_locked = problem.status == StatusCode::UNAUTHORIZED;
    if is_locked && can_sign_in {
        lines = vec![
            "You need a token of this gatherer's operator. Your browser asks for it as a password; the name does not matter."
                .to_owned(),
        ];
    }
    let mut words = page(&MessagePage { frame: frame(house, pass, "", title), lines });
    *words.status_mut() = problem.status;
    let kept = [header::RETRY_AFTER, header::WWW_AUTHENTICATE];
    for (name, value) in kept.iter().filter_map(|name| Some((name, response.headers().get(name)?))) {
        words.headers_mut().insert(name, value.clone());
    }
    if is_locked && can_sign_in {
        let ask = HeaderValue::from_static("Basic realm=\"gatherer\", charset=\"UTF-8\"");
        words.headers_mut().insert(header::WWW_AUTHENTICATE, ask);
    }
    words
}

/// `/`: for programs who this is, for people what goes on.
pub(super) async fn first(Caller { house, pass, query, headers }: Caller) -> Result<Response, Problem> {
    let mut question = Question::read(query.as_deref());
    if !form::is_for_people(&headers) {
        return Ok(Reply::json(&about(&house)).into_response());
    }
    let again = question.take_number("again")?.map(|seconds| seconds.clamp(*AGAIN.start(), *AGAIN.end()));
    question.end()?;
    beside(move || first_page(&house, &pass, again)).await
}

pub(super) fn first_page(house: &House, pass: &Pass, again: Option<u64>) -> Result<Response, Problem> {
    let mut frame = frame(house, Some(pass), "status", "Status");
    frame.again = again.filter(|_| frame.status);
    let outlook = Outlook::new(house, pass, frame.status)?;
    let Outlook { now, reports, roots, .. } = outlook;
    Ok(match now.filter(|_| frame.status) {
        Some(now) => page(&StatusPage::open(frame, &now, &reports, roots, pass.can_operate)),
        None => page(&StatusPage::closed(frame, roots, pass.can_sign_in && house.service.keeper.is_some())),
    })
}

pub(super) async fn style(headers: HeaderMap) -> Response {
    asset(&headers, "text/css; charset=utf-8", STYLE)
}

pub(super) async fn icon(headers: HeaderMap) -> Response {
    asset(&headers, "image/svg+xml", ICON)
}

fn asset(headers: &HeaderMap, kind: &'static str, text: &'static str) -> Response {
    let tag = format!("W/\"{}-{}\"", env!("CARGO_PKG_VERSION"), text.len());
    unless_known(headers, &tag, || Reply::text(kind, text.to_owned()).into_response())
}
