//! Endless URL spaces: told by one URL, or by what the URLs of one pattern have given so far.

use crate::{Engine, Stop};
use gatherer_pipeline::{Candidate, Departure, Failure, Md5, Role, Summary, host_name, origin};
use gatherer_prepare::{Patterns, domain_key, shape, trap_in};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use url::Url;

/// Hosts whose patterns are in memory at once.
const REMEMBERED: usize = 2_000;
/// Hosts and URLs remembered as let in, before all are forgotten.
const LET_IN: usize = 100_000;
/// Seconds in a year, near enough to tell calendars from archives.
const YEAR: u64 = 31_556_952;

/// Pages of one site whose words are remembered, before all of them are forgotten.
const SAID: usize = 1_000;
/// What differs from page to page of an endless space, though the pages say the same: sizes, times, and where they lead.
const INCIDENTAL: [&str; 4] = ["File-Size", "MD5", "Last-Modification-Time", "URL-References"];

/// What the patterns of hosts and domains have given.
#[derive(Default)]
pub(crate) struct Traps {
    patterns: Mutex<HashMap<String, Patterns>>,
    /// What pages say, by site: a digest of it, and of the URL that said it first.
    said: Mutex<HashMap<String, HashMap<u64, u64>>>,
    /// Hosts and URLs that were let in: a visit that was put off does not count twice.
    let_in: Mutex<HashSet<String>>,
}

impl Traps {
    fn map(&self) -> MutexGuard<'_, HashMap<String, Patterns>> {
        self.patterns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that someone is let in.
    fn let_in(&self, name: &str) {
        let mut let_in = self.let_in.lock().unwrap_or_else(PoisonError::into_inner);
        if let_in.len() >= LET_IN {
            let_in.clear();
        }
        let_in.insert(name.to_owned());
    }

    /// Whether another page of the site has said the same; what it says is remembered.
    fn was_said(&self, site: &str, url: &Url, words: u64) -> bool {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() >= REMEMBERED && !said.contains_key(site) {
            said.clear();
        }
        let of_site = said.entry(site.to_owned()).or_default();
        if of_site.len() >= SAID {
            of_site.clear();
        }
        let own = digest(url);
        *of_site.entry(words).or_insert(own) != own
    }

    fn is_in(&self, name: &str) -> bool {
        self.let_in.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
    }
}

impl Engine {
    /// Whether a URL, as such, looks like one of endlessly many.
    pub(crate) fn trap_in(&self, candidate: &Candidate) -> Result<(), Departure> {
        if !self.defends(candidate) {
            return Ok(());
        }
        let year = 1970 + self.clock.now().0 / YEAR;
        trap_in(candidate.url(), i64::try_from(year).unwrap_or(i64::MAX))
    }

    /// Whether one more host of its domain is worth a look; asked before anything else is asked of the host.
    pub(crate) fn earns_host(&self, candidate: &Candidate) -> Result<(), Stop> {
        let host = host_name(candidate.url());
        let Some(domain) = domain_key(host).filter(|_| self.defends(candidate) && !self.traps.is_in(host)) else {
            return Ok(());
        };
        // Who has been asked for rules before was let in by an earlier process.
        if self.store.robots(&origin(candidate.url()))?.is_none() {
            self.with_patterns(&domain, |patterns| patterns.admit(&domain))??;
        }
        self.traps.let_in(host);
        Ok(())
    }

    /// Asked right before a first visit: whether one more of its pattern is worth it.
    pub(crate) fn earns_visit(&self, candidate: &Candidate) -> Result<(), Stop> {
        let url = candidate.url();
        if !self.defends(candidate) || self.traps.is_in(url.as_str()) {
            return Ok(());
        }
        self.with_patterns(host_name(url), |patterns| patterns.admit(&shape(url)))??;
        self.traps.let_in(url.as_str());
        Ok(())
    }

    /// Whether a URL that is not known yet would be let in, by what is written down of its host's patterns.
    pub(crate) fn would_earn_visit(&self, candidate: &Candidate) -> Result<(), Stop> {
        self.trap_in(candidate)?;
        let url = candidate.url();
        let patterns: Option<Patterns> = self.store.patterns(host_name(url))?;
        let Some(mut patterns) = patterns.filter(|_| self.defends(candidate)) else { return Ok(()) };
        Ok(patterns.admit(&shape(url))?)
    }

    /// Notes what a visit has given: something new, or what other URLs of the host gave already, or nothing.
    pub(crate) fn note_yield(&self, candidate: &Candidate, summary: Option<&Summary>) -> Result<(), Failure> {
        if !self.defends(candidate) {
            return Ok(());
        }
        let url = candidate.url();
        let host = host_name(url);
        let is_fresh = match summary {
            Some(summary) => {
                let site = domain_key(host).unwrap_or_else(|| host.to_owned());
                let is_said = words(summary).is_some_and(|words| self.traps.was_said(&site, url, words));
                !is_said && !self.has_twin(url, summary.md5())?
            }
            None => false,
        };
        if let Some(domain) = domain_key(host) {
            self.with_patterns(&domain, |patterns| patterns.yielded(&domain, is_fresh))?;
        }
        self.with_patterns(host, |patterns| patterns.yielded(&shape(url), is_fresh))
    }

    /// Writes down what was learnt about patterns.
    pub(crate) fn save_patterns(&self) -> Result<(), Failure> {
        let map = self.traps.map();
        let some = map.iter().filter(|(_, patterns)| **patterns != Patterns::default());
        Ok(self.store.keep_patterns(some.map(|(host, patterns)| (host.as_str(), patterns)))?)
    }

    /// The patterns that are stopped at present, by host, in words.
    pub(crate) fn closed_patterns(&self) -> Vec<(String, String)> {
        let map = self.traps.map();
        let closed = map
            .iter()
            .flat_map(|(host, patterns)| patterns.closed().into_iter().map(move |pattern| (host.clone(), pattern)));
        let mut closed: Vec<_> = closed.collect();
        closed.sort();
        closed
    }

    fn defends(&self, candidate: &Candidate) -> bool {
        let wanted = self.root(candidate).is_ok_and(|root| root.node.trap_defence);
        wanted && candidate.depth() > 0 && candidate.role() == Role::Page && candidate.url().scheme() != "file"
    }

    /// Whether another resource of the same host, or of the same domain, has the same content.
    fn has_twin(&self, url: &Url, md5: Md5) -> Result<bool, Failure> {
        let domain = domain_key(host_name(url));
        let is_near = |twin: &Url| {
            twin != url && (twin.host() == url.host() || (domain.is_some() && domain_key(host_name(twin)) == domain))
        };
        Ok(self.store.twins(md5, 4)?.iter().any(is_near))
    }

    fn with_patterns<T>(&self, host: &str, work: impl FnOnce(&mut Patterns) -> T) -> Result<T, Failure> {
        let known = self.traps.map().contains_key(host);
        if !known {
            let stored = self.store.patterns(host)?.unwrap_or_default();
            if self.traps.map().len() >= REMEMBERED {
                self.save_patterns()?;
                self.traps.map().clear();
            }
            self.traps.map().entry(host.to_owned()).or_insert(stored);
        }
        Ok(work(self.traps.map().entry(host.to_owned()).or_default()))
    }
}

/// What a page says, whoever it leads to. Only pages that lead on make a space endless.
fn words(summary: &Summary) -> Option<u64> {
    if !summary.has_references() {
        return None;
    }
    let told = summary.attributes().iter().filter(|one| !INCIDENTAL.contains(&one.name.as_str()));
    Some(digest(&told.map(|one| (&one.name, &one.value)).collect::<Vec<_>>()))
}

fn digest(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
