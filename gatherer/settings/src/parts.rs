//! The parts of the settings, one for each room that needs one, each beside the reading of its section.

use crate::complaint::Complaint;
use crate::section::Section;
use crate::value::{self, Checked, Item, fault};
use gatherer_pipeline::life::Patience;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use url::{Host, Url};

/// Who gathers: `[gatherer]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// What brokers call this collection.
    pub name: String,
    /// Goes out with every request, so that webmasters can reach the operator. A mail address or a URL, never empty.
    pub contact: String,
    /// Goes into every record as `Gatherer-Host`.
    pub host: String,
    /// The store's directory.
    pub data_directory: PathBuf,
}

impl Identity {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            name: section.get("name", value::some_text),
            contact: contact(section),
            host: host(section),
            data_directory: section.path("data-directory"),
        }
    }
}

fn contact(section: &mut Section<'_, '_>) -> String {
    let contact = section.get("contact", value::text);
    let complaint = if contact.trim().is_empty() {
        Complaint::new("missing, and webmasters must be able to reach you")
            .label("expected a mail address or a web page")
    } else if !is_address(&contact) {
        Complaint::new("neither a mail address nor a URL, and webmasters must be able to reach you")
            .label("expected something like \"me@example.org\" or \"https://example.org/robot\"")
    } else {
        return contact;
    };
    section.complain_of("contact", complaint);
    contact
}

/// Fit for a header of HTTP, too.
fn is_address(contact: &str) -> bool {
    let is_mail = contact.split_once('@').is_some_and(|(who, host)| !who.is_empty() && Host::parse(host).is_ok());
    let is_url = Url::parse(contact).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto"));
    contact.chars().all(|c| c.is_ascii_graphic()) && (is_mail || is_url)
}

fn host(section: &mut Section<'_, '_>) -> String {
    if section.peek("host", value::text).is_some_and(|host| !host.is_empty()) {
        return section.get("host", value::text);
    }
    let host = machine_name();
    section.derive("host", value::quoted(&host), "this machine");
    host
}

fn machine_name() -> String {
    let read = |path| fs::read_to_string(path).ok().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    ["/etc/hostname", "/proc/sys/kernel/hostname"].into_iter().find_map(read).unwrap_or_else(|| "localhost".to_owned())
}

/// How a run goes: `[run]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    /// Resources in work at once, over all hosts.
    pub workers: usize,
    /// Resources that one atomic fold brings to the brokers.
    pub fold_chunk: usize,
    /// Deletions beyond this share of a root node's records are held back,
    pub deletion_brake_share: f64,
    /// unless they are fewer than this.
    pub deletion_brake_least: u64,
    /// After so long without any progress somebody is told why.
    pub watchdog: Duration,
}

impl Running {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            workers: section.get("workers", value::count(1)),
            fold_chunk: section.get("fold-chunk", value::count(1)),
            deletion_brake_share: section.get("deletion-brake-share", value::share),
            deletion_brake_least: section.get("deletion-brake-least", value::count(0)),
            watchdog: section.get("watchdog", value::limit),
        }
    }
}

/// `[life]`, which the pipeline's machine of states asks for.
pub(crate) fn patience(section: &mut Section<'_, '_>) -> Patience {
    Patience {
        retry: section.get("retry", value::duration),
        gone_count: section.get("gone-count", value::count(1)),
        gone_apart: section.get("gone-apart", value::duration),
    }
}

/// What bounds a fetch: `[fetch]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetching {
    /// The product token, in `User-Agent` and for the rules of robots.txt.
    pub agent: String,
    /// For a connection to come about.
    pub connect_limit: Duration,
    /// For the whole answer, so that a trickling server does not hold a worker.
    pub answer_limit: Duration,
    /// Bytes of a body; the rest is cut off.
    pub body_limit: usize,
    /// Hops.
    pub redirect_limit: u32,
    /// Whether robots.txt is kept. If not, the start says so.
    pub robots: bool,
    /// How long a robots.txt is trusted.
    pub robots_life: Duration,
    /// Whether hosts at one address are asked as if they were one.
    pub share_addresses: bool,
    /// Who is asked for addresses; nobody named means whom the system asks.
    pub name_servers: Vec<SocketAddr>,
    /// URL prefixes and the directories in which their files lie.
    pub local_mapping: Vec<(Url, PathBuf)>,
}

impl Fetching {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            agent: section.get("agent", agent),
            connect_limit: section.get("connect-limit", value::limit),
            answer_limit: section.get("answer-limit", value::limit),
            body_limit: section.get("body-limit", value::size),
            redirect_limit: section.get("redirect-limit", value::count(0)),
            robots: section.get("robots", value::flag),
            robots_life: section.get("robots-life", value::duration),
            share_addresses: section.get("share-addresses", value::flag),
            name_servers: section.get("name-servers", name_servers),
            local_mapping: local_mapping(section),
        }
    }
}

fn name_servers(item: &Item<'_>) -> Checked<Vec<SocketAddr>> {
    const EXPECTED: &str = "addresses such as \"192.0.2.53\" or \"127.0.0.1:5353\"";
    let server = |item: &Item<'_>| {
        let text = value::text_as(item, EXPECTED)?;
        let bare = || text.parse::<IpAddr>().ok().map(|address| SocketAddr::new(address, 53));
        text.parse().ok().or_else(bare).map_or_else(|| fault(item, format!("expected {EXPECTED}"), "no address"), Ok)
    };
    value::list(item, &format!("a list of {EXPECTED}"), server)
}

fn local_mapping(section: &mut Section<'_, '_>) -> Vec<(Url, PathBuf)> {
    let pairs = section.get("local-mapping", mapping);
    let resolved: Vec<_> =
        pairs.into_iter().map(|(prefix, path)| (prefix, section.resolved("local-mapping", &path))).collect();
    for (_, path) in resolved.iter().filter(|(_, path)| !path.is_dir()) {
        let complaint = Complaint::new(format!("there is no directory at {}", path.display()));
        section.complain_of("local-mapping", complaint.label("expected the directory that holds the files"));
    }
    resolved
}

fn mapping(item: &Item<'_>) -> Checked<Vec<(Url, String)>> {
    let mut mapping = Vec::new();
    for (prefix, directory) in value::pairs(item)? {
        match Url::parse(&prefix) {
            Ok(url) if matches!(url.scheme(), "http" | "https" | "ftp") => mapping.push((url, directory)),
            _ => return fault(item, format!("`{prefix}` is no beginning of a URL"), "expected http, https or ftp"),
        }
    }
    Ok(mapping)
}

/// RFC 9309 wants letters, `_` and `-`; digits are common and do no harm.
fn agent(item: &Item<'_>) -> Checked<String> {
    let agent = value::some_text(item)?;
    if agent.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
        return Ok(agent);
    }
    fault(item, "expected one word of letters, digits, `_` and `-`", "webmasters could not write this into robots.txt")
}

/// The store's memory: `[store]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Storing {
    /// Bytes for what was read last.
    pub block_cache: usize,
    /// Bytes for what is written next, over all column families.
    pub write_buffers: usize,
    /// Whether what was fetched is kept.
    pub keep_bodies: bool,
    /// Bytes of the disk that are never used up.
    pub keep_free: u64,
}

impl Storing {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            block_cache: section.get("block-cache", value::size),
            write_buffers: section.get("write-buffers", value::size),
            keep_bodies: section.get("keep-bodies", value::flag),
            keep_free: section.get("keep-free", value::size) as u64,
        }
    }
}
