//! Brings resources in: politely, conditionally, within limits.
//!
//! Every request passes the one [`Gate`], which keeps requests to a host and to an address apart; every body is read up
//! to a limit; every connection is refused that would lead to a private address which the root node does not name.
//! Redirects are not followed here: a redirect is a departure that names its target, and the target is judged like any
//! candidate. Each access method is one file behind one trait; files that the operator has at hand go before all of
//! them. What is fetched when, and what becomes of it, is the engine's business.
//!
//! ```
//! use gatherer_fetch::{Gate, Pace};
//! use std::{sync::Arc, time::Duration};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let gate = Arc::new(Gate::default());
//! let doors = ["example.org".to_owned(), "192.0.2.1".to_owned()];
//! let pace = Pace { delay: Duration::from_secs(1), shared: Duration::from_secs(1), lines: 1 };
//! let pass = gate.enter(&doors, pace).await;
//! // ... one request ...
//! drop(pass); // The second begins here.
//! assert!(gate.try_enter(&doors, pace).is_err());
//! # }
//! ```

mod address;
mod file;
mod ftp;
mod gate;
mod http;
mod listing;
mod local;
mod names;

pub use address::is_private;
pub use gate::{Gate, Pace, Pass};
pub use http::SetupError;
pub use local::LocalMapping;
pub use names::{NameError, Names};

use futures_util::future::BoxFuture;
use gatherer_pipeline::{
    Access, Candidate, Clock, Departure, Fetched, Prepared, Role, Stop, Unchanged, UnixTime, Validators, Visitor,
    host_name, parent_name,
};
use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Sitemaps may be so large (50 MiB by their standard), whatever the limit for documents is.
const MAP_LIMIT: usize = 50 << 20;

/// What the operator allows a visit to cost, and as whom we visit.
#[derive(Debug, Clone)]
pub struct Manners {
    /// The whole User-Agent line.
    pub user_agent: String,
    /// How a webmaster reaches the operator.
    pub contact: String,
    /// For setting up a connection, and for looking a name up.
    pub connect_limit: Duration,
    /// For the whole answer.
    pub answer_limit: Duration,
    /// Most bytes of a body, unpacked; the rest is cut off.
    pub body_limit: usize,
    /// Hosts and ports that each root node names: to it, these may have private addresses.
    pub named_hosts: HashMap<String, HashSet<(String, u16)>>,
    /// As whom each root node's hosts are visited; a root node that is not here has nothing special.
    pub visitors: HashMap<String, Arc<Visitor>>,
    /// Whether names at one address are asked as if they were one host.
    pub share_addresses: bool,
    /// Who is asked for addresses; nobody named means whom the system asks.
    pub name_servers: Vec<SocketAddr>,
    /// Parts of the web that this machine has as files.
    pub local: Vec<LocalMapping>,
    /// Directories that the operator named: files are read below these only.
    pub named_directories: Vec<PathBuf>,
}

/// Fetches resources by all access methods.
pub struct Fetcher {
    http: Arc<dyn Method>,
    ftp: Arc<dyn Method>,
    gate: Arc<Gate>,
    names: Names,
    manners: Manners,
    /// The visitor who has nothing special.
    nobody: Arc<Visitor>,
    clock: Arc<dyn Clock>,
}

/// One way to fetch resources. Every method is given the same and brings back the same.
pub trait Method: Send + Sync {
    /// Asks once. What the answer means is judged elsewhere; a departure says why there is none.
    fn get<'a>(&'a self, ask: &'a Ask<'a>) -> BoxFuture<'a, Result<Answer, Departure>>;
}

/// What is asked of an access method.
pub struct Ask<'a> {
    /// For what.
    pub url: &'a Url,
    /// What the last answer said; empty when nothing is known or the whole body is wanted.
    pub known: &'a Validators,
    /// Most bytes of the body, unpacked.
    pub limit: usize,
    /// As whom to ask.
    pub visitor: &'a Arc<Visitor>,
    /// Whether the root node itself names this host and port: then its address may be private, and the visitor's login,
    /// headers and cookies are meant for it.
    pub is_named: bool,
}

/// What an access method brings back.
pub struct Answer {
    /// As in HTTP, whatever the method.
    pub status: u16,
    /// Where a redirect leads.
    pub location: Option<String>,
    /// What the server calls it.
    pub content_type: Option<String>,
    /// Its bytes, unpacked.
    pub body: Vec<u8>,
    /// How many there would have been, if some were cut off.
    pub cut_from: Option<u64>,
    /// `X-Robots-Tag`.
    pub robots_tag: String,
    /// Seconds that the server asks to be left alone for; never more than a month.
    pub retry_after: Option<u64>,
    /// The address that the server itself calls the right one for this document; it may be relative.
    pub link_canonical: Option<String>,
    /// What the server wants to hear next time.
    pub validators: Validators,
    /// When it was last changed, as the server says.
    pub modified: Option<UnixTime>,
}

impl Answer {
    /// A status, and nothing else.
    pub fn empty(status: u16) -> Self {
        Self {
            status,
            location: None,
            content_type: None,
            body: Vec::new(),
            cut_from: None,
            robots_tag: String::new(),
            retry_after: None,
            link_canonical: None,
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
    /// Seconds that the server asks to be left alone for.
    pub retry_after: Option<u64>,
}

impl Fetcher {
    /// A fetcher with these manners.
    ///
    /// # Errors
    /// When the TLS library cannot be set up, or what the operator gives for a root node's visits is of no use.
    pub fn new(manners: Manners, clock: Arc<dyn Clock>) -> Result<Self, SetupError> {
        let names = Names::new(&manners.name_servers, manners.connect_limit);
        let http = Arc::new(http::Http::new(&manners, names.clone(), Arc::clone(&clock))?);
        let ftp = Arc::new(ftp::Ftp::new(names.clone(), &manners.contact, manners.connect_limit));
        Ok(Self { http, ftp, gate: Arc::default(), names, nobody: Arc::default(), manners, clock })
    }

    /// A fetcher that asks `web` where others ask the network.
    pub fn over(web: &Arc<dyn Method>, manners: Manners, clock: Arc<dyn Clock>) -> Self {
        let names = Names::new(&manners.name_servers, manners.connect_limit);
        let (http, ftp) = (Arc::clone(web), Arc::clone(web));
        Self { http, ftp, gate: Arc::default(), names, nobody: Arc::default(), manners, clock }
    }

    /// The gate that all requests pass.
    pub fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// Whether a URL is read from this machine, because it is a file or the operator has mapped it to one.
    pub fn is_at_hand(&self, url: &Url) -> bool {
        Access::of(url) == Some(Access::File) || local::has(&self.manners.local, url)
    }

    /// Names and addresses, looked up as for requests.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The doors that a request for this URL has to pass: its host's, and its address's if names share addresses. None
    /// for what is on this machine.
    ///
    /// # Errors
    /// When its name leads nowhere, or only to where no stranger's link may lead.
    pub async fn doors(&self, url: &Url, root: &str) -> Result<Vec<String>, Departure> {
        if !matches!(Access::of(url), Some(Access::Http | Access::Ftp)) {
            return Ok(Vec::new());
        }
        let host = host_name(url);
        let mut doors = vec![host.to_owned()];
        if self.manners.share_addresses && self.visitor(root).proxy.is_none() {
            let found = self.names.addresses(host, !self.is_named(url, root)).await.map_err(nowhere)?;
            // The same one each time, in whatever order a name's addresses come.
            let address = found.iter().min().map(ToString::to_string);
            doors.extend(address.filter(|address| address != host.trim_matches(['[', ']'])));
        }
        Ok(doors)
    }

    /// Fetches one resource through the gate. `asked` gets the doors it went through, if it came to that.
    ///
    /// # Errors
    /// [`Stop::Later`] if a door is shut, which costs nothing. Everything else but a body is a [`Departure`]: unchanged,
    /// moved, missing, refused, unreachable.
    pub async fn fetch(
        &self,
        prepared: Prepared,
        doors: &[String],
        pace: Pace,
        asked: &mut Vec<String>,
    ) -> Result<Fetched, Stop> {
        let candidate = prepared.candidate();
        let url = candidate.url().clone();
        let known = prepared.known();
        let conditional = if known.md5.is_some() { known.validators.clone() } else { Validators::default() };
        let limit = match candidate.role() {
            Role::Map => self.manners.body_limit.max(MAP_LIMIT),
            Role::Page | Role::Leaf | Role::Member | Role::Collected => self.manners.body_limit,
        };
        let answer = if let Some(answer) = self.at_hand(&url, &conditional, limit).await {
            answer?
        } else {
            let pass = self.gate.try_enter(doors, pace).map_err(|wait| Stop::Later { wait })?;
            *asked = doors.to_vec();
            self.get(&self.ask(candidate, &conditional, limit), pass).await?
        };
        if answer.status == 304 && conditional == Validators::default() {
            // Nobody has asked whether it changed.
            return Err(Departure::Refused { status: 304 }.into());
        }
        judge_status(&url, &answer)?;
        Ok(Fetched {
            prepared,
            content_type: answer.content_type,
            body: answer.body,
            cut_from: answer.cut_from,
            robots_tag: answer.robots_tag,
            canonical: answer.link_canonical,
            validators: answer.validators,
            modified: answer.modified,
            at: self.clock.now(),
            packed: None,
        })
    }

    /// Fetches a small file for the gatherer itself through the same gate, whatever its status; `patient`: waits there.
    ///
    /// # Errors
    /// When a door is shut, or there is no answer at all.
    pub async fn fetch_plain(
        &self,
        candidate: &Candidate,
        doors: &[String],
        (pace, patient): (Pace, bool),
        limit: usize,
        asked: &mut Vec<String>,
    ) -> Result<Plain, Stop> {
        let pass = match self.gate.try_enter(doors, pace) {
            Ok(pass) => pass,
            Err(_) if patient => self.gate.enter(doors, pace).await,
            Err(wait) => return Err(Stop::Later { wait }),
        };
        *asked = doors.to_vec();
        let answer = self.get(&self.ask(candidate, &Validators::default(), limit), pass).await?;
        let location = answer.location.and_then(|location| candidate.url().join(&location).ok());
        Ok(Plain { status: answer.status, body: answer.body, location, retry_after: answer.retry_after })
    }

    fn ask<'a>(&'a self, candidate: &'a Candidate, known: &'a Validators, limit: usize) -> Ask<'a> {
        let (url, root) = (candidate.url(), candidate.root());
        Ask { url, known, limit, visitor: self.visitor(root), is_named: self.is_named(url, root) }
    }

    /// One request, within the time for an answer; the pass is given back when that is complete.
    async fn get(&self, ask: &Ask<'_>, pass: Pass) -> Result<Answer, Departure> {
        let method: &dyn Method = match Access::of(ask.url) {
            Some(Access::Http) => &*self.http,
            Some(Access::Ftp) => &*self.ftp,
            Some(Access::File) | None => return Err(Departure::Scheme { scheme: ask.url.scheme().to_owned() }),
        };
        let late = Departure::TooSlow { seconds: self.manners.answer_limit.as_secs() };
        let answer = tokio::time::timeout(self.manners.answer_limit, method.get(ask)).await.map_err(|_| late);
        drop(pass);
        answer?
    }

    /// What is on this machine: files, and what the operator has mapped to files.
    async fn at_hand(&self, url: &Url, known: &Validators, limit: usize) -> Option<Result<Answer, Departure>> {
        let is_file = Access::of(url) == Some(Access::File);
        if !is_file && self.manners.local.is_empty() {
            return None;
        }
        let (url, known, manners) = (url.clone(), known.clone(), self.manners.clone());
        let reading = tokio::task::spawn_blocking(move || {
            if is_file {
                return Some(file::get(&url, &known, limit, &manners.named_directories));
            }
            local::get(&manners.local, &url, &known, limit).map(Ok)
        });
        let broken = |error| Departure::Unreachable { reason: format!("reading the file failed: {error}") };
        reading.await.unwrap_or_else(|error| Some(Err(broken(error))))
    }

    fn visitor(&self, root: &str) -> &Arc<Visitor> {
        of_root(&self.manners.visitors, root).unwrap_or(&self.nobody)
    }

    fn is_named(&self, url: &Url, root: &str) -> bool {
        let named = host_and_port(url).zip(of_root(&self.manners.named_hosts, root));
        named.is_some_and(|(host, named)| named.contains(&host))
    }
}

/// What the operator says of a root node; one that a program has named is as the one whose program it was.
fn of_root<'a, T>(said: &'a HashMap<String, T>, root: &str) -> Option<&'a T> {
    said.get(root).or_else(|| said.get(parent_name(root)?))
}

/// Host and port of a URL, as the operator may have named them.
pub fn host_and_port(url: &Url) -> Option<(String, u16)> {
    let implied = if url.scheme() == "ftps" { Some(990) } else { None };
    Some((url.host_str()?.to_ascii_lowercase(), url.port_or_known_default().or(implied)?))
}

fn nowhere(error: NameError) -> Departure {
    match error {
        NameError::Private { host, address } => Departure::PrivateAddress { host, address: address.to_string() },
        unknown @ NameError::Unknown { .. } => Departure::Unreachable { reason: unknown.to_string() },
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
