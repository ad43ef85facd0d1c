//! `/run` and `/reload`: what can be asked for, by who has the right to operate. Programs send their token as always; people
//! type theirs into the form, and a form counts only if it is one of our own pages that sends it.

use super::answer::{Problem, Reply};
use super::caller::Caller;
use super::form::is_for_people;
use super::gate::{Pass, authority, token_of};
use super::people::{frame, page};
use super::status::{beside, keeper};
use super::{Client, HttpRights};
use crate::RunWish;
use crate::pages::MessagePage;
use axum::Extension;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use gatherer_pipeline::{Right, events};
use serde_json::json;
use std::sync::Arc;

/// Most bytes of a form.
pub(super) const MOST: usize = 16 << 10;

/// What a form says.
struct Asked {
    /// Whose token it is.
    token: String,
    roots: Vec<String>,
    everything: bool,
    allow_deletions: bool,
}

/// Asks for a run.
pub(super) async fn run(
    Caller { house, pass, headers, .. }: Caller,
    Extension(rights): Extension<Arc<HttpRights>>,
    Extension(client): Extension<Client>,
    uri: Uri,
    body: Bytes,
) -> Result<Response, Problem> {
    let Asked { token, roots, everything, allow_deletions } = read(&pass, &rights, (&uri, &headers), &body)?;
    let wish = RunWish { roots, everything, allow_deletions };
    let answering = house.clone();
    let said = beside(move || Ok(keeper(&answering)?.run(&wish))).await?;
    events::operated(client.peer, &token, "run", said.as_ref().unwrap_or_else(|why| why));
    let said = said.map_err(|why| Problem::new(StatusCode::CONFLICT, why))?;
    if is_for_people(&headers) {
        let frame = frame(&house, Some(&pass), "", "Asked for a run");
        return Ok(page(&MessagePage { frame, lines: vec![said] }));
    }
    Ok((StatusCode::ACCEPTED, Reply::json(&json!({ "said": said }))).into_response())
}

/// Asks for a look at the config.
pub(super) async fn reload(
    Caller { house, pass, headers, .. }: Caller,
    Extension(rights): Extension<Arc<HttpRights>>,
    Extension(client): Extension<Client>,
    uri: Uri,
    body: Bytes,
) -> Result<Response, Problem> {
    let asked = read(&pass, &rights, (&uri, &headers), &body)?;
    let answering = house.clone();
    let changes = beside(move || Ok(keeper(&answering)?.reload())).await?;
    let told = changes.as_ref().map_or_else(Clone::clone, |changes| format!("{} differences", changes.len()));
    events::operated(client.peer, &asked.token, "reload", told);
    let changes = changes.map_err(|why| Problem::new(StatusCode::CONFLICT, why))?;
    if is_for_people(&headers) {
        let lines = if changes.is_empty() { vec!["Nothing is different.".to_owned()] } else { changes };
        return Ok(page(&MessagePage { frame: frame(&house, Some(&pass), "", "The config was read again"), lines }));
    }
    Ok(Reply::json(&json!({ "changes": changes })).into_response())
}

/// Who asks, if they may, and for what.
fn read(pass: &Pass, rights: &HttpRights, (uri, headers): (&Uri, &HeaderMap), body: &[u8]) -> Result<Asked, Problem> {
    let roots = Vec::new();
    let mut asked = Asked { token: pass.token.clone(), roots, everything: false, allow_deletions: false };
    let mut word = None;
    for (name, value) in url::form_urlencoded::parse(body) {
        match &*name {
            "token" => word = Some(value.into_owned()),
            "root" if value.is_empty() => {}
            "root" => asked.roots.push(value.into_owned()),
            "everything" => asked.everything = flag(&name, &value)?,
            "allow-deletions" => asked.allow_deletions = flag(&name, &value)?,
            other => return Err(Problem::bad(format!("{other:?} means nothing here; see /openapi.json"))),
        }
    }
    if pass.is_bearer {
        pass.demand(Right::Operate)?;
        return Ok(asked);
    }
    let word = word.filter(|word| !word.is_empty());
    let word = word.ok_or_else(|| Problem::new(StatusCode::FORBIDDEN, "a token with \"operate\" is needed"))?;
    if !is_of_our_own(headers, uri) {
        return Err(Problem::new(StatusCode::FORBIDDEN, "this form was not sent by a page of this gatherer"));
    }
    let token = token_of(&rights.tokens, &word);
    let token = token.ok_or_else(|| Problem::new(StatusCode::FORBIDDEN, "this token is not known here"))?;
    if !token.rights.contains(&Right::Operate) {
        return Err(Problem::new(StatusCode::FORBIDDEN, "this token has no right to \"operate\""));
    }
    asked.token.clone_from(&token.name);
    Ok(asked)
}

fn flag(name: &str, value: &str) -> Result<bool, Problem> {
    match value {
        "true" | "on" | "1" => Ok(true),
        "false" | "" | "0" => Ok(false),
        _ => Err(Problem::bad(format!("{name}={value} is neither true nor false"))),
    }
}

/// Whether a page of ours sends this: browsers say where a form comes from.
fn is_of_our_own(headers: &HeaderMap, uri: &Uri) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if text("sec-fetch-site").is_some_and(|site| site != "same-origin") {
        return false;
    }
    let origin = text(header::ORIGIN.as_str()).and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    origin.is_some_and(|origin| authority(headers, uri).is_some_and(|own| own.eq_ignore_ascii_case(origin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_pages_send_forms() {
        let check = |more: &[(&'static str, &'static str)], expected: bool| {
            let mut headers = HeaderMap::from_iter([(header::HOST, "here:8580".parse().expect("a value"))]);
            for (name, value) in more {
                headers.insert(*name, value.parse().expect("a value"));
            }
            assert_eq!(is_of_our_own(&headers, &Uri::from_static("/run")), expected, "{more:?}");
        };
        check(&[("origin", "http://here:8580")], true);
        check(&[("origin", "http://here:8580"), ("sec-fetch-site", "same-origin")], true);
        check(&[("origin", "https://HERE:8580")], true);
        check(&[("origin", "http://here:8580"), ("sec-fetch-site", "same-site")], false);
        check(&[("origin", "http://evil.example")], false);
        check(&[("origin", "http://here:8581")], false);
        check(&[("origin", "null")], false);
        check(&[("sec-fetch-site", "cross-site")], false);
        check(&[], false);
    }
}
