//! One misbehaviour: what a host does, and what must be told of it.

use super::{Hostile, Names, Script, Wire};
use crate::hostile::server::Asked;
use gatherer_soif::Object;
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

/// A host's behaviour and what the gatherer must say of it. In all URLs and words, `{origin}` stands for the host,
/// `{port}` for its port, `{neighbour}` for the neighbour's origin.
pub(crate) struct Scenario {
    name: &'static str,
    pub(super) script: Arc<dyn Fn(&Asked<'_>) -> Script + Send + Sync>,
    pub(super) wire: Wire,
    pub(super) names: Names,
    url: &'static str,
    node: &'static str,
    expected: Vec<Expected>,
}

enum Expected {
    /// The last fate of a URL.
    Fate(&'static str, &'static str),
    /// Anything in the explanation of a URL.
    Says(&'static str, &'static str),
    /// In the record of a URL: this attribute holds these words.
    Holds(&'static str, &'static str, &'static str),
    /// Nowhere in the record of a URL.
    Lacks(&'static str, &'static str),
    /// A pattern in the report.
    Trap(&'static str),
    /// URLs visited under its root node, at most.
    Visits(u64),
    /// Requests that it got, at most.
    Requests(usize),
    /// Bytes that it could get rid of, at most.
    Takes(u64),
}

/// What the program has said after its run.
pub(super) struct Seen<'a> {
    pub(super) explained: &'a BTreeMap<String, String>,
    pub(super) records: &'a BTreeMap<String, Object>,
    pub(super) report: &'a Value,
    pub(super) neighbour: &'a str,
}

/// A host that does this whatever it is asked for, but has no robots.txt.
pub(crate) fn scenario(name: &'static str, script: impl Fn(&Asked<'_>) -> Script + Send + Sync + 'static) -> Scenario {
    everywhere(name, move |asked| if asked.path == "/robots.txt" { super::missing() } else { script(asked) })
}

/// The same, robots.txt included.
pub(crate) fn everywhere(
    name: &'static str,
    script: impl Fn(&Asked<'_>) -> Script + Send + Sync + 'static,
) -> Scenario {
    let (wire, names, url) = (Wire::Plain, Names::new(), "{origin}/");
    Scenario { name, script: Arc::new(script), wire, names, url, node: "", expected: Vec::new() }
}

impl Scenario {
    /// Spoken over TLS.
    pub(crate) fn tls(self) -> Self {
        Self { wire: Wire::Tls, ..self }
    }

    /// Spoken over TLS and HTTP/2, by hand: the script's bytes are frames. The first request is for robots.txt and is
    /// answered well.
    pub(crate) fn http2(self) -> Self {
        Self { wire: Wire::Http2, ..self }
    }

    /// The host says nothing that is TLS, and is asked for it.
    pub(crate) fn not_tls(self) -> Self {
        Self { wire: Wire::NotTls, ..self }
    }

    /// The root node begins here.
    pub(crate) fn starting(self, url: &'static str) -> Self {
        Self { url, ..self }
    }

    /// Further lines of its root node.
    pub(crate) fn node(self, node: &'static str) -> Self {
        Self { node, ..self }
    }

    /// A name, and where it leads: the answers in turn.
    pub(crate) fn name(mut self, name: &str, answers: &[&[&str]]) -> Self {
        let address = |text: &&str| text.parse::<IpAddr>().expect("an address");
        let answers = answers.iter().map(|some| some.iter().map(address).collect()).collect();
        self.names.insert(name.to_owned(), answers);
        self
    }

    fn expect(mut self, expected: Expected) -> Self {
        self.expected.push(expected);
        self
    }

    /// The last fate of a URL must hold these words; where several ends are right, those between bars.
    pub(crate) fn fate(self, url: &'static str, words: &'static str) -> Self {
        self.expect(Expected::Fate(url, words))
    }

    /// So must what `explain` says of it.
    pub(crate) fn says(self, url: &'static str, words: &'static str) -> Self {
        self.expect(Expected::Says(url, words))
    }

    /// So must an attribute of its record.
    pub(crate) fn holds(self, url: &'static str, attribute: &'static str, words: &'static str) -> Self {
        self.expect(Expected::Holds(url, attribute, words))
    }

    /// Its record must be there, and not hold these words anywhere.
    pub(crate) fn lacks(self, url: &'static str, words: &'static str) -> Self {
        self.expect(Expected::Lacks(url, words))
    }

    /// The report must name a trap of this host in these words.
    pub(crate) fn trap(self, words: &'static str) -> Self {
        self.expect(Expected::Trap(words))
    }

    /// No more URLs may be visited.
    pub(crate) fn visits(self, most: u64) -> Self {
        self.expect(Expected::Visits(most))
    }

    /// It may get no more requests.
    pub(crate) fn requests(self, most: usize) -> Self {
        self.expect(Expected::Requests(most))
    }

    /// It may get rid of no more bytes, the network's own buffers included.
    pub(crate) fn takes(self, most: u64) -> Self {
        self.expect(Expected::Takes(most))
    }

    /// Its part of the config.
    pub(super) fn root_node(&self, host: &Hostile) -> String {
        let trust = if self.wire == Wire::Plain { "" } else { "any-certificate = true\n" };
        let (url, node) = (placed(self.url, host, ""), placed(self.node, host, ""));
        format!("[[root-node]]\nname = \"{}\"\nurl = \"{url}\"\ndelay = \"0s\"\n{trust}{node}\n", self.name)
    }

    /// The URLs that the program has to explain.
    pub(super) fn asks(&self, host: &Hostile, neighbour: &str) -> Vec<String> {
        let url = |expected: &Expected| match expected {
            Expected::Fate(url, _) | Expected::Says(url, _) => Some(whole(url, host, neighbour)),
            _ => None,
        };
        self.expected.iter().filter_map(url).collect()
    }

    /// What is not as it has to be.
    pub(super) fn complaints(&self, host: &Hostile, seen: &Seen<'_>) -> Vec<String> {
        let wrong = self.expected.iter().filter_map(|expected| expected.wrong(self.name, host, seen));
        wrong.map(|complaint| format!("{}: {complaint}", self.name)).collect()
    }
}

impl Expected {
    fn wrong(&self, root: &str, host: &Hostile, seen: &Seen<'_>) -> Option<String> {
        let whole = |url: &str| whole(url, host, seen.neighbour);
        let placed = |words: &str| placed(words, host, seen.neighbour);
        let at_most = |what: &str, found: u64, most: u64| (found > most).then(|| format!("{found} {what}, not {most}"));
        match self {
            Self::Fate(url, words) => {
                let said = seen.explained.get(&whole(url)).map_or("", String::as_str);
                let fate = said.lines().find(|line| line.starts_with("  fate"));
                let is_right = fate.is_some_and(|line| words.split('|').any(|some| line.contains(&placed(some))));
                (!is_right).then(|| format!("{words:?} in the last fate of {}: {}", whole(url), fate.unwrap_or(said)))
            }
            Self::Says(url, words) => {
                let said = seen.explained.get(&whole(url)).map_or("", String::as_str);
                (!said.contains(&placed(words))).then(|| format!("{words:?} in what is said of {}: {said}", whole(url)))
            }
            Self::Holds(url, attribute, words) => {
                let Some(record) = seen.records.get(&whole(url)) else { return Some(format!("{url} has no record")) };
                let value = record.text(attribute);
                let is_right = value.as_ref().is_some_and(|value| value.contains(&placed(words)));
                (!is_right).then(|| format!("{words:?} in {attribute} of {url}: {}", shown(&format!("{value:?}"))))
            }
            Self::Lacks(url, words) => {
                let Some(record) = seen.records.get(&whole(url)) else { return Some(format!("{url} has no record")) };
                let guilty = record.into_iter().find(|one| one.text().contains(&placed(words)))?;
                Some(format!("{words:?} is in {} of {url}", guilty.name))
            }
            Self::Trap(words) => {
                let traps = seen.report["traps"].as_array().into_iter().flatten();
                let name = host.address.ip().to_string();
                let mut own =
                    traps.filter(|trap| trap[0] == name || trap[0].as_str().is_some_and(|at| words.contains(at)));
                (!own.any(|trap| trap.to_string().contains(words)))
                    .then(|| format!("{words:?} among the traps: {}", seen.report["traps"]))
            }
            Self::Visits(most) => at_most("visits", seen.report["roots"][root]["visited"].as_u64().unwrap_or(0), *most),
            Self::Requests(most) => at_most("requests", host.requests() as u64, *most as u64),
            Self::Takes(most) => at_most("bytes taken", host.written(), *most),
        }
    }
}

/// A URL from the path, or from the URL with the host's own parts in it.
fn whole(url: &str, host: &Hostile, neighbour: &str) -> String {
    if url.starts_with('/') { format!("{}{url}", host.origin()) } else { placed(url, host, neighbour) }
}

fn placed(text: &str, host: &Hostile, neighbour: &str) -> String {
    let port = host.address.port().to_string();
    text.replace("{origin}", host.origin()).replace("{port}", &port).replace("{neighbour}", neighbour)
}

fn shown(text: &str) -> &str {
    &text[..text.floor_char_boundary(300)]
}
