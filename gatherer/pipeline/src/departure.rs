//! Why a resource leaves the line, and why a run ends.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use thiserror::Error;

/// What a stage hands on, or why it hands nothing on.
pub type Step<T> = Result<T, Stop>;

/// Why a stage hands nothing on.
#[derive(Debug, Error)]
pub enum Stop {
    /// This resource leaves the line: expected, counted, kept in the ledger.
    #[error(transparent)]
    Left(#[from] Departure),
    /// Not now: its host may not be asked yet. It keeps its place in the queue, and nothing is written down.
    #[error("its host may be asked again in {} ms", wait.as_millis())]
    Later {
        /// How long to wait.
        wait: Duration,
    },
    /// The gatherer itself cannot go on: the run ends.
    #[error(transparent)]
    Broken(#[from] Failure),
}

/// The gatherer itself cannot go on.
#[derive(Debug, Error)]
#[error("{what}")]
pub struct Failure {
    what: String,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Failure {
    /// A failure with the error behind it.
    pub fn new(what: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { what: what.into(), source: Some(source.into()) }
    }

    /// A failure that is its own cause.
    pub fn plain(what: impl Into<String>) -> Self {
        Self { what: what.into(), source: None }
    }
}

/// An error and its causes as one sentence; a hint on a second line stays there.
pub fn sentence(error: &(dyn std::error::Error + 'static)) -> String {
    let first = error.to_string();
    let causes = std::iter::successors(error.source(), |cause| (*cause).source()).map(ToString::to_string);
    let causes: String =
        causes.filter(|cause| !first.contains(cause.as_str())).map(|cause| format!(": {cause}")).collect();
    match first.split_once('\n') {
        Some((what, hint)) => format!("{what}{causes}\n{hint}"),
        None => format!("{first}{causes}"),
    }
}

/// How we know that a resource is the same as at the last visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unchanged {
    /// The server said so (304, or an equal file time and size).
    NotModified,
    /// The body has the same MD5.
    EqualDigest,
}

/// Why a resource left the line. Data, not an error: each one is counted and kept.
///
/// New variants go at the end: the ledger stores them by number.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Departure {
    /// Nothing has changed since the last visit.
    #[error("unchanged ({})", match .0 { Unchanged::NotModified => "the server says so", Unchanged::EqualDigest => "equal MD5" })]
    Unchanged(Unchanged),
    /// A scope rule of the root node leaves it out.
    #[error("out of scope: {rule}")]
    OutOfScope {
        /// The rule, in words.
        rule: String,
    },
    /// Deeper than the root node allows.
    #[error("deeper than {limit} levels below its root node")]
    TooDeep {
        /// The root node's depth.
        limit: u32,
    },
    /// The root node has its full number of URLs or hosts.
    #[error("root node is full: {limit}")]
    Full {
        /// Which limit, in words.
        limit: String,
    },
    /// No access method for this scheme.
    #[error("no access method for {scheme}: URLs")]
    Scheme {
        /// The scheme.
        scheme: String,
    },
    /// The site's robots rules forbid it.
    #[error("robots rules forbid it ({rule})")]
    Robots {
        /// The line that matched, or why everything is forbidden for now.
        rule: String,
    },
    /// The robots rules could not be had, so nothing may be fetched.
    #[error("robots.txt cannot be read ({reason}), so the whole site is left alone for now")]
    RobotsUnreachable {
        /// What went wrong.
        reason: String,
    },
    /// The address is private and no root node names it.
    #[error("{host} is at the private address {address}, which no root node names")]
    PrivateAddress {
        /// The host asked for.
        host: String,
        /// The address it has.
        address: String,
    },
    /// 404 or 410.
    #[error("the server says it is not there ({status})")]
    Missing {
        /// The status.
        status: u16,
    },
    /// Another 4xx answer.
    #[error("{} ({status})", match .status {
        401 => "the server wants a login, or does not accept ours",
        407 => "the proxy wants a login, or does not accept ours",
        _ => "the server refuses it",
    })]
    Refused {
        /// The status.
        status: u16,
    },
    /// 5xx, or 429.
    #[error("the server {} ({status}{})", if *status == 429 { "asks us to slow down" } else { "is in trouble" }, .retry_after.map_or_else(String::new, |s| format!(", it asks for {s} s")))]
    ServerTrouble {
        /// The status.
        status: u16,
        /// How many seconds it asks to be left alone.
        retry_after: Option<u64>,
    },
    /// No connection, or it broke.
    #[error("{reason}")]
    Unreachable {
        /// What went wrong, in words.
        reason: String,
    },
    /// The server took longer than it is given.
    #[error("no whole answer within {seconds} s")]
    TooSlow {
        /// The limit.
        seconds: u64,
    },
    /// A redirect that leads nowhere.
    #[error("redirect not followed: {reason}")]
    Redirect {
        /// Why.
        reason: String,
    },
    /// It is another resource's old address; the record is under the new one.
    #[error("moved to {to} ({status})")]
    Moved {
        /// Where to.
        to: String,
        /// The status of the redirect.
        status: u16,
    },
    /// The operator's selection leaves this kind out.
    #[error("kind {kind} is not selected")]
    NotSelected {
        /// The kind.
        kind: String,
    },
    /// A post-summarizing rule deletes it.
    #[error("deleted by post-summarizing rule {rule}")]
    RuledOut {
        /// Which rule.
        rule: String,
    },
    /// Its time-to-live ran out without a successful visit.
    #[error("time-to-live over")]
    Expired,
    /// Something of ours broke over it.
    #[error("the gatherer stumbled over it ({what})")]
    Stumbled {
        /// What was said.
        what: String,
    },
    /// The page asks not to be indexed.
    #[error("the page asks not to be indexed ({rule})")]
    NoIndex {
        /// The words it uses.
        rule: String,
    },
    /// Its root node is no longer in the config.
    #[error("root node {root} is no longer in the config")]
    RootGone {
        /// The root node.
        root: String,
    },
    /// It looks like one of endlessly many.
    #[error("looks like a trap: {pattern}")]
    Trap {
        /// What gives it away, in words.
        pattern: String,
    },
    /// A page that says "not found" with a status that says the opposite.
    #[error("the page says that there is nothing here ({words}), although its status is 200")]
    SoftMissing {
        /// What gives it away.
        words: String,
    },
    /// The page itself names another address as the right one; the record is under that.
    #[error("the page names {to} as its own address")]
    Canonical {
        /// The right address.
        to: String,
    },
    /// The other side could not prove who it is, or wants a proof of us.
    #[error("no secure connection to {host}: {reason}")]
    Tls {
        /// The host.
        host: String,
        /// What the TLS library says.
        reason: String,
    },
    /// The operator does not want documents so small or so large.
    #[error("{size} bytes are {than}")]
    Size {
        /// Its size.
        size: u64,
        /// Which limit, in words.
        than: String,
    },
    /// The operator does not want documents in this language.
    #[error("language {language} is not selected")]
    Language {
        /// The language.
        language: String,
    },
    /// A member that cannot be taken out of its container.
    #[error("cannot be unpacked: {reason}")]
    Packed {
        /// Why.
        reason: String,
    },
    /// Its container is there, was read to its end, and it is no longer in it.
    #[error("no longer in its container")]
    TakenOut,
    /// Its container is there, but was something else this time that holds nothing.
    #[error("its container could not be opened")]
    Closed,
    /// The gatherer that it was collected from has it no longer.
    #[error("{source_name} has it no longer")]
    Withdrawn {
        /// The gatherer, by the name it has in the config.
        source_name: String,
    },
}

impl Departure {
    /// Short stable name for reports, metrics and machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unchanged(_) => "unchanged",
            Self::OutOfScope { .. } => "out-of-scope",
            Self::TooDeep { .. } => "too-deep",
            Self::Full { .. } => "root-node-full",
            Self::Scheme { .. } => "scheme",
            Self::Robots { .. } => "robots",
            Self::RobotsUnreachable { .. } => "robots-unreachable",
            Self::PrivateAddress { .. } => "private-address",
            Self::Missing { .. } => "missing",
            Self::Refused { .. } => "refused",
            Self::ServerTrouble { .. } => "server-trouble",
            Self::Unreachable { .. } => "unreachable",
            Self::TooSlow { .. } => "too-slow",
            Self::Redirect { .. } => "redirect",
            Self::Moved { .. } => "moved",
            Self::NotSelected { .. } => "not-selected",
            Self::RuledOut { .. } => "ruled-out",
            Self::Expired => "expired",
            Self::Stumbled { .. } => "stumbled",
            Self::NoIndex { .. } => "noindex",
            Self::RootGone { .. } => "root-gone",
            Self::Trap { .. } => "trap",
            Self::SoftMissing { .. } => "soft-missing",
            Self::Canonical { .. } => "canonical",
            Self::Tls { .. } => "tls",
            Self::Size { .. } => "size",
            Self::Language { .. } => "language",
            Self::Packed { .. } => "packed",
            Self::TakenOut => "taken-out",
            Self::Closed => "closed",
            Self::Withdrawn { .. } => "withdrawn",
        }
    }
}
