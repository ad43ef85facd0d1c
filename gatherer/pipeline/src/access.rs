//! Who may see what on the ports for brokers.

use crate::Secret;
use ipnet::IpNet;
use std::net::IpAddr;
use std::time::Duration;

/// How somebody who connects is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Turned away.
    Denied,
    /// May see what everybody may see.
    Welcome,
    /// May see private root nodes as well.
    Trusted,
}

/// Whom a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// All.
    Everybody,
    /// An address, or a network of them.
    Network(IpNet),
    /// A host, or a domain with all its hosts, in lower case. Believed only if the name leads back to the address.
    Name(String),
}

impl Who {
    /// Whether this is about an address, as far as the address alone tells.
    pub fn covers(&self, address: IpAddr) -> bool {
        match self {
            Self::Everybody => true,
            Self::Network(network) => network.contains(&address.to_canonical()),
            Self::Name(_) => false,
        }
    }

    /// Whether this is about a host of this name.
    pub fn covers_name(&self, host: &str) -> bool {
        let Self::Name(name) = self else { return false };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        host == *name || host.strip_suffix(name).is_some_and(|before| before.ends_with('.'))
    }
}

/// One rule. Rules are tried in order, and the first that is about somebody decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRule {
    /// About whom,
    pub who: Who,
    /// and how they are met.
    pub standing: Standing,
}

/// What a request over HTTP may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// Records and changes.
    Records,
    /// Those of private root nodes, too.
    Private,
    /// Counters.
    Metrics,
    /// What goes on and what became of URLs: runs, hosts, failures, the ledger.
    Status,
    /// Asking for a run, or for a look at the config.
    Operate,
}

impl Right {
    /// All there are, with their names in the config.
    pub const ALL: [(&'static str, Self); 5] = [
        ("records", Self::Records),
        ("private", Self::Private),
        ("metrics", Self::Metrics),
        ("status", Self::Status),
        ("operate", Self::Operate),
    ];
}

/// A secret word that gives rights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Whose it is, for the log.
    pub name: String,
    /// The word.
    pub secret: Secret,
    /// What it opens.
    pub rights: Vec<Right>,
}

/// Another gatherer whose records are taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name here, unlike that of any root node.
    pub name: String,
    /// `HOST[:PORT]`, `tls://...`, `http://...` or `https://...`.
    pub address: String,
    /// How often it is asked what is new.
    pub every: Duration,
    /// A word that gives rights there.
    pub token: Option<Secret>,
    /// Certificates to trust instead of the system's, as PEM.
    pub trusted: Option<String>,
    /// These kinds only; none named means all.
    pub kinds: Vec<String>,
    /// This root node of it only.
    pub root: Option<String>,
    /// This host, and those below it, only.
    pub site: Option<String>,
    /// Whether only trusted brokers may see its records.
    pub is_private: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_about_networks_and_domains() {
        let network = |text: &str| Who::Network(text.parse().expect("a network"));
        let address = |text: &str| text.parse::<IpAddr>().expect("an address");
        for (who, other, expected) in [
            (network("192.0.2.0/24"), "192.0.2.7", true),
            (network("192.0.2.0/24"), "::ffff:192.0.2.7", true),
            (network("192.0.2.0/24"), "192.0.3.7", false),
            (network("2001:db8::/32"), "2001:db8::1", true),
            (network("2001:db8::/32"), "192.0.2.7", false),
            (Who::Everybody, "::1", true),
            (Who::Name("example.org".to_owned()), "192.0.2.7", false),
        ] {
            assert_eq!(who.covers(address(other)), expected, "{who:?} {other}");
        }
        let name = Who::Name("example.org".to_owned());
        for (host, expected) in [("example.org", true), ("A.Example.org.", true), ("badexample.org", false)] {
            assert_eq!(name.covers_name(host), expected, "{host}");
        }
    }
}
