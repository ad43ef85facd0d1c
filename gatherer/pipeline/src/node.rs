//! Root nodes: where gathering starts and what bounds it.

use regex::Regex;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// The host of a URL as politeness counts it: by name, whatever the port. Files belong to one host, `localhost`.
pub fn host_name(url: &Url) -> &str {
    url.host_str().unwrap_or("localhost")
}

/// Scheme, host and port: what one robots.txt speaks for.
pub fn origin(url: &Url) -> String {
    let host = url.host_str().unwrap_or("");
    match url.port() {
        Some(port) => format!("{}://{host}:{port}", url.scheme()),
        None => format!("{}://{host}", url.scheme()),
    }
}

/// A way to fetch a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `http:` and `https:`.
    Http,
    /// `file:`, below the directories that root nodes name.
    File,
}

impl Access {
    /// The method for a URL, if there is one.
    pub fn of(url: &Url) -> Option<Self> {
        match url.scheme() {
            "http" | "https" => Some(Self::Http),
            "file" => Some(Self::File),
            _ => None,
        }
    }

    /// Its name in the config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::File => "file",
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

/// Which candidates come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Those nearest to the root node.
    #[default]
    Breadth,
    /// Those farthest from it.
    Depth,
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
    /// Levels of references followed; none is unlimited.
    pub depth: Option<u32>,
    /// Which candidates come first.
    pub order: Order,
    /// A program that names the resources instead of, or beside, `start`.
    pub enumeration: Option<EnumerationProgram>,
    /// Earliest time between two visits of one resource.
    pub refresh_rate: Duration,
    /// How long a record lives after its last successful visit.
    pub time_to_live: Duration,
}
