//! Brings resources in: politely, conditionally, within limits.
//!
//! Every request passes the one [`Gate`], which keeps requests to a host apart; every body is read up to a limit;
//! every connection is refused that would lead to a private address which no root node names. Redirects are not
//! followed here: a redirect is a departure that names its target, and the target is judged like any candidate.
//! What is fetched when, and what becomes of it, is the engine's business.
//!
//! ```
//! use gatherer_fetch::Gate;
//! use std::time::Duration;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let gate = Gate::default();
//! let pass = gate.enter("example.org", Duration::from_secs(1)).await;
//! // ... one request ...
//! drop(pass); // The second begins here.
//! # }
//! ```

mod address;
mod file;
mod gate;
mod http;

pub use address::is_private;
pub use gate::{Gate, Pass};

use gatherer_pipeline::{Access, Clock, Departure, Fetched, Prepared, Unchanged, UnixTime, Validators, host_name};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// What the operator allows a visit to cost, and as whom we visit.
#[derive(Debug, Clone)]
pub struct Manners {
    /// The whole User-Agent line.
    pub user_agent: String,
    /// For setting up a connection.
    pub connect_limit: Duration,
    /// For the whole answer.
    pub answer_limit: Duration,
    /// Most bytes of a body, unpacked; the rest is cut off.
    pub body_limit: usize,
    /// Hosts and ports that the operator named: these may have private addresses.
    pub named_hosts: HashSet<(String, u16)>,
    /// Directories that the operator named: files are read below these only.
    pub named_directories: Vec<PathBuf>,
}

/// Fetches resources by all access methods.
pub struct Fetcher {
    http: http::Http,
    gate: Gate,
    manners: Manners,
    clock: Arc<dyn Clock>,
}

/// What an access method brings back.
struct Answer {
    status: u16,
    location: Option<String>,
    content_type: Option<String>,
    body: Vec<u8>,
    cut_from: Option<u64>,
    robots_tag: String,
    retry_after: Option<u64>,
    validators: Validators,
    modified: Option<UnixTime>,
}

impl Answer {
    fn empty(status: u16) -> Self {
        Self {
            status,
            location: None,
            content_type: None,
            body: Vec::new(),
            cut_from: None,
            robots_tag: String::new(),
            retry_after: None,
            validators: Validators::default(),
            modified: None,
        }
    }
}

/// A small file fetched for the gatherer itself, such as robots.txt.
#[derive(Debug, Clone)]
pub struct Plain {
    /// The server's status.
    pub status: u16,
    /// The file, cut at the limit.
    pub body: Vec<u8>,
    /// Where a redirect leads.
    pub location: Option<Url>,
}

impl Fetcher {
    /// A fetcher with these manners.
    ///
    /// # Errors
    /// When the TLS library cannot be set up.
    pub fn new(manners: Manners, clock: Arc<dyn Clock>) -> Result<Self, reqwest::Error> {
        Ok(Self { http: http::Http::new(&manners)?, gate: Gate::default(), manners, clock })
    }

    /// Fetches one resource through the gate; `delay` is its host's pause.
    ///
    /// # Errors
    /// Everything but a body is a [`Departure`]: unchanged, moved, missing, refused, unreachable.
    pub async fn fetch(&self, prepared: Prepared, delay: Duration) -> Result<Fetched, Departure> {
        let url = prepared.candidate().url().clone();
        let known = prepared.known();
        let conditional = if known.md5.is_some() { known.validators.clone() } else { Validators::default() };
        let answer = self.get(&url, &conditional, self.manners.body_limit, delay).await?;
        if answer.status == 304 && conditional == Validators::default() {
            // Nobody has asked whether it changed.
            return Err(Departure::Refused { status: 304 });
        }
        judge_status(&url, &answer)?;
        Ok(Fetched {
            prepared,
            content_type: answer.content_type,
            body: answer.body,
            cut_from: answer.cut_from,
            robots_tag: answer.robots_tag,
            validators: answer.validators,
            modified: answer.modified,
            at: self.clock.now(),
        })
    }

    /// When the next request to a host may be made, as far as politeness is concerned.
    pub fn ready_at(&self, url: &Url, delay: Duration) -> Instant {
        self.gate.ready_at(host_name(url), delay)
    }

    /// Fetches a small file for the gatherer itself through the same gate, whatever its status.
    ///
    /// # Errors
    /// When there is no answer at all.
    pub async fn fetch_plain(&self, url: &Url, limit: usize, delay: Duration) -> Result<Plain, Departure> {
        let answer = self.get(url, &Validators::default(), limit, delay).await?;
        let location = answer.location.and_then(|location| url.join(&location).ok());
        Ok(Plain { status: answer.status, body: answer.body, location })
    }

    async fn get(
        &self,
        url: &Url,
        conditional: &Validators,
        limit: usize,
        delay: Duration,
    ) -> Result<Answer, Departure> {
        match Access::of(url) {
            Some(Access::Http) => {
                let _pass = self.gate.enter(host_name(url), delay).await;
                let answer = self.http.get(url, conditional, limit);
                let late = Departure::TooSlow { seconds: self.manners.answer_limit.as_secs() };
                tokio::time::timeout(self.manners.answer_limit, answer).await.map_err(|_| late)?
            }
            Some(Access::File) => {
                let (url, conditional) = (url.clone(), conditional.clone());
                let directories = self.manners.named_directories.clone();
                let reading = tokio::task::spawn_blocking(move || file::get(&url, &conditional, limit, &directories));
                let broken = |error| Departure::Unreachable { reason: format!("reading the file failed: {error}") };
                reading.await.map_err(broken)?
            }
            None => Err(Departure::Scheme { scheme: url.scheme().to_owned() }),
        }
    }
}

/// What a status means for the resource.
fn judge_status(url: &Url, answer: &Answer) -> Result<(), Departure> {
    match answer.status {
        200..=299 => Ok(()),
        304 => Err(Departure::Unchanged(Unchanged::NotModified)),
        300..=399 => Err(moved(url, answer)),
        status @ (404 | 410) => Err(Departure::Missing { status }),
        status @ (408 | 425 | 429 | 500..=599) => {
            Err(Departure::ServerTrouble { status, retry_after: answer.retry_after })
        }
        status => Err(Departure::Refused { status }),
    }
}

fn moved(url: &Url, answer: &Answer) -> Departure {
    let status = answer.status;
    let Some(location) = &answer.location else {
        return Departure::Redirect { reason: format!("the answer {status} does not say where to") };
    };
    match url.join(location) {
        Ok(to) if to == *url => Departure::Redirect { reason: "it leads to itself".to_owned() },
        Ok(mut to) => {
            // Credentials reach neither ledger nor log. Both calls refuse only URLs that cannot hold any.
            let _ = (to.set_username(""), to.set_password(None));
            Departure::Moved { to: to.into(), status }
        }
        Err(error) => Departure::Redirect { reason: format!("{location:?} is no URL ({error})") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: u16, location: Option<&str>, expected: &str) {
        let url = Url::parse("http://example.org/a/b").expect("a literal URL");
        let answer = Answer { location: location.map(str::to_owned), ..Answer::empty(status) };
        let found = judge_status(&url, &answer).err().map_or("ok", |departure| departure.code());
        assert_eq!(found, expected, "{status} {location:?}");
    }

    #[test]
    fn each_status_has_one_meaning() {
        check(200, None, "ok");
        check(204, None, "ok");
        check(301, Some("../c"), "moved");
        check(308, Some("http://other.org/"), "moved");
        check(302, None, "redirect");
        check(302, Some("b"), "redirect");
        check(302, Some("http://["), "redirect");
        check(304, None, "unchanged");
        check(401, None, "refused");
        check(403, None, "refused");
        check(404, None, "missing");
        check(410, None, "missing");
        check(429, None, "server-trouble");
        check(451, None, "refused");
        check(500, None, "server-trouble");
        check(503, None, "server-trouble");
        check(999, None, "refused");
    }
}
