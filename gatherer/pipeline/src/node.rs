//! Root nodes: where gathering starts and what bounds it.

use crate::Visitor;
use crate::schedule::{QuietHours, Schedule};
use regex::Regex;
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// The host of a URL as politeness counts it: by name, whatever the port. Files belong to one host, `localhost`.
pub fn host_name(url: &Url) -> &str {
    url.host_str().unwrap_or("localhost")
}

/// Who answers for a URL: its host, with the port unless that is its scheme's own. Failures and queues go by this, so that a
/// dead port takes no healthy one with it; pauses go by [`host_name`].
pub fn server_name(url: &Url) -> Cow<'_, str> {
    match url.port() {
        Some(port) => Cow::Owned(format!("{}:{port}", host_name(url))),
        None => Cow::Borrowed(host_name(url)),
    }
}

/// The host of a server's name, as politeness counts it.
pub fn host_of_server(server: &str) -> &str {
    match server.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => server,
    }
}

/// Scheme, host and port: what one robots.txt speaks for.
pub fn origin(url: &Url) -> String {
    let host = url.host_str().unwrap_or("");
    match url.port() {
        Some(port) => format!("{}://{host}:{port}", url.scheme()),
        None => format!("{}://{host}", url.scheme()),
    }
}

/// The name of a root node that the enumeration program of another has named.
pub fn derived_name(parent: &str, start: &Url) -> String {
    format!("{parent} {start}")
}

/// The root node whose program has named this one, if its name is a derived one.
pub fn parent_name(name: &str) -> Option<&str> {
    name.rsplit_once(' ').map(|(parent, _)| parent)
}

/// A way to fetch a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `http:` and `https:`.
    Http,
    /// `file:`, below the directories that root nodes name.
    File,
    /// `ftp:`, and `ftps:` for a connection that is secure from the start.
    Ftp,
}

impl Access {
    /// The method for a URL, if there is one.
    pub fn of(url: &Url) -> Option<Self> {
        match url.scheme() {
            "http" | "https" => Some(Self::Http),
            "file" => Some(Self::File),
            "ftp" | "ftps" => Some(Self::Ftp),
            _ => None,
        }
    }

    /// Its name in the config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::File => "file",
            Self::Ftp => "ftp",
        }
    }
}

/// What a matching filter rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// In.
    Allow,
    /// Out.
    Deny,
}

/// One line of an ordered filter; the first that matches decides.
#[derive(Debug, Clone)]
pub struct FilterRule {
    /// What it says when it matches.
    pub verdict: Verdict,
    /// What it matches.
    pub pattern: Regex,
}

impl fmt::Display for FilterRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Allow => "allow",
            Verdict::Deny => "deny",
        };
        write!(f, "{verdict} {}", self.pattern)
    }
}

/// What becomes of a URL's query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueryPolicy {
    /// It stays as it is.
    #[default]
    Keep,
    /// Its parameters are sorted, because their order means nothing at this site.
    Sort,
    /// It goes: the site says the same without it.
    Drop,
    /// URLs with a query are left out altogether.
    Refuse,
}

/// What makes two URLs of a root node the same, beyond what holds for all URLs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UrlRules {
    /// What becomes of queries.
    pub query: QueryPolicy,
    /// Parameters that say nothing about the resource: names, `*` at the end for all that begin so, whatever the case.
    /// They are dropped from queries and from path segments (`;jsessionid=...`).
    pub drop_parameters: Vec<String>,
    /// File names that mean their directory, such as `index.html`.
    pub index_names: Vec<String>,
}

/// Which candidates come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Those nearest to the root node.
    #[default]
    Breadth,
    /// Those farthest from it.
    Depth,
    /// Those with the most points, by the operator's rules and by what sitemaps say; among equals the nearest.
    Best,
}

/// Points for URLs that match, from -5 to 5; the first rule that matches counts.
#[derive(Debug, Clone)]
pub struct PriorityRule {
    /// The points.
    pub points: i8,
    /// Tried on path and query.
    pub pattern: Regex,
}

/// A program that names the resources of a root node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumerationProgram {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// How long it may take.
    pub limit: Duration,
}

/// A plugin that names resources to gather.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enumerator {
    /// Its name.
    pub plugin: String,
    /// Its options for this root node.
    pub options: Vec<(String, String)>,
}

/// Where gathering starts, with its own limits.
#[derive(Debug, Clone)]
pub struct RootNode {
    /// Unique name, for reports and the ledger.
    pub name: String,
    /// Where enumeration starts.
    pub start: Vec<Url>,
    /// Single resources, gathered without following anything from them.
    pub leaves: Vec<Url>,
    /// Most URLs known and alive.
    pub url_max: u64,
    /// Tried on path and query of each URL, in order.
    pub url_filter: Vec<FilterRule>,
    /// Most hosts touched.
    pub host_max: u64,
    /// Tried on `host:port` of each URL, in order. Without a rule only the hosts of `start` are in scope.
    pub host_filter: Vec<FilterRule>,
    /// Access methods that references may lead to.
    pub access: Vec<Access>,
    /// Pause between the end of one answer of a host and the next request to it.
    pub delay: Duration,
    /// Requests to one host at once; one where the site asks for a pause of its own.
    pub connections: u32,
    /// What makes two URLs the same.
    pub url_rules: UrlRules,
    /// Whether the sitemaps that robots.txt names are read.
    pub robots_sitemaps: bool,
    /// Further sitemaps.
    pub sitemaps: Vec<Url>,
    /// Levels of references followed; none is unlimited.
    pub depth: Option<u32>,
    /// Which candidates come first.
    pub order: Order,
    /// Points for [`Order::Best`], in order.
    pub priority: Vec<PriorityRule>,
    /// Whether URLs that look like one of endlessly many are left out.
    pub trap_defence: bool,
    /// A program that names the resources instead of, or beside, `start`.
    pub enumeration: Option<EnumerationProgram>,
    /// A plugin that does.
    pub enumerator: Option<Enumerator>,
    /// Earliest time between two visits of one resource.
    pub refresh_rate: Duration,
    /// How many times shorter or longer that becomes for resources that change often or never.
    pub refresh_range: u32,
    /// How long a record lives after its last successful visit.
    pub time_to_live: Duration,
    /// When `gatherer serve` visits it; nothing said means whenever something is due.
    pub schedule: Option<Schedule>,
    /// When its hosts are left alone.
    pub quiet_hours: Vec<QuietHours>,
    /// Whether only trusted brokers may see its records.
    pub is_private: bool,
    /// As whom, and by which way, its hosts are visited.
    pub visitor: Visitor,
}
