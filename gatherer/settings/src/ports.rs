//! Where brokers connect, and who may see what: `[broker]`, `[http]` and `[[http-token]]`.

use crate::complaint::Complaint;
use crate::reading::Reading;
use crate::section::Section;
use crate::value::{self, Checked, Item, fault};
use crate::visitor;
use gatherer_pipeline::{AccessRule, Right, RootNode, Source, Standing, Token, Who};
use ipnet::IpNet;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use url::{Host, Url};

/// One port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listening {
    /// `host:port` to bind; the host may be a name. Empty if there is no such port.
    pub listen: String,
    /// Who may connect, in order.
    pub access: Vec<AccessRule>,
    /// Files with a certificate and its key, if it is encrypted.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// The brokers' port, and what holds for both: `[broker]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brokering {
    /// The port.
    pub port: Listening,
    /// Brokers at once,
    pub clients: usize,
    /// and from one address.
    pub clients_per_address: usize,
    /// Commands or requests a minute from one address.
    pub requests_per_minute: u32,
    /// Silence after which a broker is let go.
    pub idle_limit: Duration,
    /// Longest session.
    pub session_limit: Duration,
    /// How long transfers may go on when everything ends.
    pub shutdown_limit: Duration,
    /// Where full transfers are kept ready-made; none if they are not.
    pub ready_made: Option<PathBuf>,
    /// Most bytes of one.
    pub ready_made_limit: usize,
}

impl Brokering {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        let ready_made = section.get("ready-made", value::text);
        Self {
            ready_made: (!ready_made.is_empty()).then(|| section.resolved("ready-made", &ready_made)),
            ready_made_limit: section.get("ready-made-limit", value::size),
            port: listening(section, address),
            clients: section.get("clients", value::count(1)),
            clients_per_address: section.get("clients-per-address", value::count(1)),
            requests_per_minute: section.get("requests-per-minute", value::count(1)),
            idle_limit: section.get("idle-limit", value::limit),
            session_limit: section.get("session-limit", value::limit),
            shutdown_limit: section.get("shutdown-limit", value::duration),
        }
    }
}

/// The HTTP port: `[http]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Web {
    /// The port.
    pub port: Listening,
    /// What can be seen without a token,
    pub anonymous: Vec<Right>,
    /// and what else from this machine itself.
    pub local: Vec<Right>,
}

impl Web {
    pub(crate) fn read(section: &mut Section<'_, '_>, brokers: &str) -> Self {
        let port = listening(section, address_or_none);
        if port.listen == brokers && !brokers.ends_with(":0") {
            let complaint = Complaint::new("[broker] listens there already");
            section.complain_of("listen", complaint.label("each needs a port of its own"));
        }
        Self { port, anonymous: section.get("anonymous", open_rights), local: section.get("local", open_rights) }
    }
}

/// `[[http-token]]`.
pub(crate) fn token(section: &mut Section<'_, '_>, number: usize) -> Option<Token> {
    let name = section.name(format!("token {number}"), "its place");
    // All keys are read before one that is missing or bad ends it.
    let (rights, secret) = (section.must("rights", some_rights), visitor::must_secret(section, "secret"));
    let (rights, secret) = (rights?, secret?);
    if section.reading.wants_secrets && secret.reveal().len() < SHORTEST {
        let complaint = Complaint::new(format!("a token has at least {SHORTEST} characters"));
        section.complain_of("secret", complaint.label("strangers could guess it"));
    }
    Some(Token { name, secret, rights })
}

/// Each `[[collect]]`.
pub(crate) fn sources(reading: &mut Reading<'_>, root_nodes: &[RootNode]) -> Vec<Source> {
    let mut names: Vec<String> = root_nodes.iter().map(|node| node.name.clone()).collect();
    let sources = reading.sections("collect", None, |section, _| {
        let source = source(section)?;
        if names.contains(&source.name) {
            let complaint =
                Complaint::new(format!("a root node or another gatherer is named `{}` already", source.name));
            section.complain(complaint.label("give one of them another `name`"));
        }
        names.push(source.name.clone());
        Some(source)
    });
    sources.into_iter().flatten().collect()
}

fn source(section: &mut Section<'_, '_>) -> Option<Source> {
    let address = section.must("from", gatherer_address);
    let place = address.clone().unwrap_or_default();
    let derived = place.rsplit("://").next().unwrap_or(&place).trim_end_matches('/').to_owned();
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    let source = Source {
        name: section.name(derived, "where it is"),
        every: section.maybe("every", value::limit).unwrap_or(EVERY),
        token: visitor::maybe_secret(section, "token"),
        trusted: visitor::maybe_file(section, "trust"),
        kinds: section.maybe("kinds", value::texts).unwrap_or_default(),
        root: section.maybe("root", value::text).and_then(some),
        site: section.maybe("site", value::text).and_then(some),
        is_private: section.maybe("private", value::flag).unwrap_or(false),
        address: place,
    };
    address.map(|_| source)
}

/// How often a gatherer is asked what is new, unless the config says otherwise.
const EVERY: Duration = Duration::from_mins(10);

fn gatherer_address(item: &Item<'_>) -> Checked<String> {
    const EXPECTED: &str = "a gatherer, such as \"other.example.org:8500\" or \"https://other.example.org:8580/\"";
    let text = value::text_as(item, EXPECTED)?;
    let is_web = text.starts_with("http://") || text.starts_with("https://");
    let bare = text.strip_prefix("tls://").unwrap_or(text);
    let host = bare.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(bare, |(host, _)| host);
    let is_good = if is_web { Url::parse(text).is_ok() } else { Host::parse(host).is_ok() };
    if is_good { Ok(text.to_owned()) } else { fault(item, format!("expected {EXPECTED}"), "nobody is there") }
}

/// Fewer characters can be tried out.
const SHORTEST: usize = 16;

fn listening(section: &mut Section<'_, '_>, read: fn(&Item<'_>) -> Checked<String>) -> Listening {
    let [certificate, key] = ["certificate", "key"].map(|name| section.get(name, value::text));
    if certificate.is_empty() != key.is_empty() {
        let named = if key.is_empty() { "certificate" } else { "key" };
        let complaint = Complaint::new("a certificate needs its key, and a key its certificate");
        section.complain_of(named, complaint.label("one is no use alone"));
    }
    let files = (section.resolved("certificate", &certificate), section.resolved("key", &key));
    Listening {
        listen: section.get("listen", read),
        access: section.get("access", access),
        certificate: (!certificate.is_empty() && !key.is_empty()).then_some(files),
    }
}

fn address(item: &Item<'_>) -> Checked<String> {
    const EXPECTED: &str = "host:port, such as \"127.0.0.1:8500\" or \"[::1]:8500\"";
    let text = value::text_as(item, EXPECTED)?;
    let is_address =
        text.rsplit_once(':').is_some_and(|(host, port)| Host::parse(host).is_ok() && port.parse::<u16>().is_ok());
    if is_address { Ok(text.to_owned()) } else { fault(item, format!("expected {EXPECTED}"), "not host:port") }
}

fn address_or_none(item: &Item<'_>) -> Checked<String> {
    if item.get_ref().as_str() == Some("") { Ok(String::new()) } else { address(item) }
}

fn access(item: &Item<'_>) -> Checked<Vec<AccessRule>> {
    let rules = value::list(item, "a list of rules, such as [\"allow 192.0.2.0/24\", \"deny all\"]", rule)?;
    if rules.is_empty() {
        return fault(item, "expected at least one rule", "nobody could connect; [\"deny all\"] says so plainly");
    }
    let behind = rules.iter().position(|rule| matches!(rule.who, Who::Everybody)).map_or(rules.len(), |all| all + 1);
    match item.get_ref().as_array().and_then(|items| items.get(behind)) {
        Some(unheard) => fault(unheard, "this rule is never heard", "the one before it is about `all`"),
        None => Ok(rules),
    }
}

fn rule(item: &Item<'_>) -> Checked<AccessRule> {
    const EXPECTED: &str = "`allow`, `trust` or `deny` and an address, a network, a host, a domain or `all`, such as \"allow 192.0.2.0/24\"";
    let text = value::text_as(item, EXPECTED)?;
    let (verdict, whom) = text.trim().split_once(char::is_whitespace).unwrap_or((text, ""));
    let standing = match verdict {
        "allow" => Standing::Welcome,
        "trust" => Standing::Trusted,
        "deny" => Standing::Denied,
        _ => return fault(item, format!("expected {EXPECTED}"), format!("`{verdict}` is none of the three")),
    };
    match who(whom.trim()) {
        Some(who) => Ok(AccessRule { who, standing }),
        None => fault(item, format!("expected {EXPECTED}"), format!("`{whom}` is nobody")),
    }
}

fn who(text: &str) -> Option<Who> {
    if text == "all" {
        return Some(Who::Everybody);
    }
    let network = text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
    if let Some(network) = network {
        return Some(Who::Network(network));
    }
    match Host::parse(text.trim_start_matches('.')) {
        Ok(Host::Domain(name)) => Some(Who::Name(name)),
        _ => None,
    }
}

/// What a token opens: something.
fn some_rights(item: &Item<'_>) -> Checked<Vec<Right>> {
    let rights = rights(item)?;
    if rights.is_empty() {
        fault(item, "expected at least one right", "a token that opens nothing")
    } else {
        Ok(rights)
    }
}

fn rights(item: &Item<'_>) -> Checked<Vec<Right>> {
    value::list(item, "a list of rights, such as [\"records\"]", value::choice(&Right::ALL))
}

/// Rights that need no token.
fn open_rights(item: &Item<'_>) -> Checked<Vec<Right>> {
    let rights = rights(item)?;
    if rights.contains(&Right::Operate) {
        let told = "any page in a browser could use it; give it to an [[http-token]]";
        return fault(item, "\"operate\" needs a token", told);
    }
    Ok(rights)
}
