//! What stands before every route: who asks, and what they may see.

use super::answer::Problem;
use super::{Client, HttpRights, form, people};
use crate::filter::Filter;
use crate::metrics::Door;
use crate::port::TurnedAway;
use crate::{House, Live};
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gatherer_pipeline::{Right, Token, events};
use std::net::IpAddr;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// What stands before every route.
#[derive(Clone)]
pub(super) struct Gate {
    pub(super) house: Arc<House>,
    pub(super) rights: Live<HttpRights>,
}

/// What may be seen by who asks.
#[derive(Clone)]
pub(super) struct Pass {
    pub(super) rights: Vec<Right>,
    /// Whose token it was.
    pub(super) token: String,
    /// Whether the rights came with the request by its own word, and not because a browser adds them to every one.
    pub(super) is_bearer: bool,
    /// Whether somebody could have the right to see what goes on,
    pub(super) can_sign_in: bool,
    /// and to ask for something.
    pub(super) can_operate: bool,
}

/// Lets a request through with what its client may see, and counts the answer.
pub(super) async fn pass(
    State(gate): State<Gate>,
    Extension(client): Extension<Client>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let mut token = String::new();
    let is_watching = matches!(path.as_str(), "/health" | "/ready");
    let is_person = form::is_for_people(request.headers());
    let admitted = gate.admit(&client, request.headers(), request.uri(), is_watching);
    let known = admitted.as_ref().ok().cloned();
    let response = match admitted {
        Ok(pass) => {
            token.clone_from(&pass.token);
            request.extensions_mut().insert(pass);
            request.extensions_mut().insert(gate.rights.get());
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    let response = if is_person { people::in_words(&gate.house, known.as_ref(), response) } else { response };
    let status = response.status().as_u16();
    gate.house.metrics.answered(Door::Http, route(&path), status);
    events::http_answered(client.peer, &path, &token, status);
    response
}

/// The route of a path, for counters: there are few routes and many paths.
fn route(path: &str) -> &'static str {
    const ROUTES: [&str; 18] = [
        "/",
        "/status",
        "/runs",
        "/runs/{number}",
        "/explain",
        "/explain/{url}",
        "/run",
        "/reload",
        "/style.css",
        "/icon.svg",
        "/records",
        "/records/{url}",
        "/abstracts/{url}",
        "/changes",
        "/openapi.json",
        "/health",
        "/ready",
        "/metrics",
    ];
    let is_at = |route: &&&str| match route.split_once('{') {
        Some((start, _)) => path.starts_with(start),
        None => path == **route,
    };
    ROUTES.iter().find(is_at).copied().unwrap_or("other")
}

impl Gate {
    fn admit(&self, client: &Client, headers: &HeaderMap, uri: &Uri, is_watching: bool) -> Result<Pass, Problem> {
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
        let HttpRights { anonymous, local, tokens } = &*rights;
        let has = |right| tokens.iter().any(|token| token.rights.contains(&right));
        let mut pass = Pass {
            rights: anonymous.clone(),
            token: String::new(),
            is_bearer: false,
            can_sign_in: has(Right::Status),
            can_operate: has(Right::Operate),
        };
        if trusted {
            pass.rights.push(Right::Private);
        }
        if is_local(client.peer.ip(), headers, uri) {
            pass.rights.extend(local);
        }
        if let Some(value) = headers.get(header::AUTHORIZATION) {
            let (word, is_bearer) = value.to_str().ok().and_then(word).unwrap_or_default();
            let token = token_of(tokens, &word).ok_or_else(|| Problem::unauthorized("this token is not known here"))?;
            pass.is_bearer = is_bearer;
            pass.rights.extend(token.rights.iter().filter(|right| is_bearer || **right != Right::Operate));
            pass.token.clone_from(&token.name);
        }
        Ok(pass)
    }
}

/// The token with this secret, looked for in a time that tells nothing of it.
pub(super) fn token_of<'a>(tokens: &'a [Token], word: &str) -> Option<&'a Token> {
    tokens.iter().find(|token| token.secret.reveal().as_bytes().ct_eq(word.as_bytes()).into())
}

/// The secret in an `Authorization`: as programs send it, or as the password that a browser has asked a person for.
fn word(value: &str) -> Option<(String, bool)> {
    let (scheme, word) = value.split_once(' ')?;
    let word = word.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some((word.to_owned(), true));
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(BASE64_STANDARD.decode(word).ok()?).ok()?;
    pair.split_once(':').map(|(_, password)| (password.to_owned(), false))
}

/// Whether a request comes from this machine and is meant for it. One that a proxy has passed on comes from elsewhere, and
/// one for another name may be made by a page of strangers, whose name leads here (DNS rebinding).
fn is_local(peer: IpAddr, headers: &HeaderMap, uri: &Uri) -> bool {
    const PASSED_ON: [&str; 5] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];
    peer.to_canonical().is_loopback()
        && !PASSED_ON.iter().any(|name| headers.contains_key(*name))
        && authority(headers, uri).is_some_and(|name| is_this_machine(&name))
}

/// For whom a request is: `host:port`. One that names several is for nobody.
pub(super) fn authority(headers: &HeaderMap, uri: &Uri) -> Option<String> {
    let mut named = headers.get_all(header::HOST).iter();
    match (named.next(), named.next()) {
        (Some(one), None) => one.to_str().ok().map(str::to_owned),
        (Some(_), Some(_)) => None,
        (None, _) => uri.authority().map(ToString::to_string),
    }
}

fn is_this_machine(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl Pass {
    pub(super) fn has(&self, right: Right) -> bool {
        self.rights.contains(&right)
    }

    pub(super) fn demand(&self, right: Right) -> Result<(), Problem> {
        let name = Right::ALL.iter().find(|(_, one)| *one == right).map_or("", |(name, _)| name);
        match self.has(right) {
            true => Ok(()),
            false if self.token.is_empty() => Err(Problem::unauthorized(&format!("a token with {name:?} is needed"))),
            false => Err(Problem::new(StatusCode::FORBIDDEN, format!("this token has no right to {name:?}"))),
        }
    }

    /// Everything that may be seen.
    pub(super) fn filter(&self, house: &House) -> Result<Filter, Problem> {
        self.demand(Right::Records)?;
        Ok(if self.has(Right::Private) { Filter::default() } else { Filter::public(&house.service.is_private) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requests_of_this_machine_for_this_machine_are_local() {
        let check = |peer: &str, host: &'static str, more: &'static str, expected: bool| {
            let mut headers = HeaderMap::from_iter([(header::HOST, host.parse().expect("a value"))]);
            if !more.is_empty() {
                headers.insert(more, "192.0.2.7".parse().expect("a value"));
            }
            let uri = Uri::from_static("/");
            let peer = peer.parse().expect("an address");
            assert_eq!(is_local(peer, &headers, &uri), expected, "{peer} {host} {more}");
        };
        check("127.0.0.1", "127.0.0.1:8580", "", true);
        check("127.0.0.1", "localhost:8580", "", true);
        check("::1", "[::1]:8580", "", true);
        check("::ffff:127.0.0.1", "localhost", "", true);
        check("192.0.2.7", "localhost:8580", "", false);
        check("127.0.0.1", "evil.example:8580", "", false);
        check("127.0.0.1", "localhost.evil.example", "", false);
        check("127.0.0.1", "127.0.0.1:8580", "x-forwarded-for", false);
        check("127.0.0.1", "127.0.0.1:8580", "via", false);
        let mut several = HeaderMap::from_iter([(header::HOST, "localhost".parse().expect("a value"))]);
        several.append(header::HOST, "evil.example".parse().expect("a value"));
        assert_eq!(authority(&several, &Uri::from_static("/")), None);
    }

    #[test]
    fn secrets_come_as_words_or_as_passwords() {
        assert_eq!(word("Bearer abc "), Some(("abc".to_owned(), true)));
        assert_eq!(word("Basic b3BlcmF0b3I6YWJjOmQ="), Some(("abc:d".to_owned(), false)));
        assert_eq!((word("Basic ???"), word("Digest abc"), word("Bearer")), (None, None, None));
    }
}
