//! What is remembered of hosts: their robots files, their troubles, their pauses, and what their patterns gave. And of
//! resources: under which other addresses they are known.

use crate::disk::{Batch, Family};
use crate::{Store, StoreError, keys};
use gatherer_pipeline::ledger::Entry;
use gatherer_pipeline::{Departure, HostState, Outcome, UnixTime};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use url::Url;

/// A robots file as it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsCopy {
    /// When it came.
    pub at: UnixTime,
    /// The server's status.
    pub status: u16,
    /// The file, cut at the limit.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

/// What a key in the family of hosts is about.
const ROBOTS: u8 = b'r';
const TROUBLES: u8 = b't';
const ACCESS: u8 = b'a';
const PATTERNS: u8 = b'p';

fn key(about: u8, name: &str) -> Vec<u8> {
    [&[about], name.as_bytes()].concat()
}

/// Another address of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    /// The other address.
    pub url: Url,
    /// How it leads here, in words.
    pub how: String,
}

impl Store {
    /// The robots file kept for an origin.
    ///
    /// # Errors
    /// When the store fails.
    pub fn robots(&self, origin: &str) -> Result<Option<RobotsCopy>, StoreError> {
        self.disk.get(Family::Hosts, &key(ROBOTS, origin))
    }

    /// Keeps a robots file, and when those who were asked for it may be asked again.
    ///
    /// # Errors
    /// When the store fails.
    pub fn keep_robots(&self, origin: &str, copy: &RobotsCopy, asked: &[(String, u64)]) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        batch.put(Family::Hosts, &key(ROBOTS, origin), copy);
        note_host(&mut batch, asked, None);
        batch.commit()
    }

    /// A host's troubles; none if it has none.
    ///
    /// # Errors
    /// When the store fails.
    pub fn host_state(&self, host: &str) -> Result<HostState, StoreError> {
        Ok(self.disk.get(Family::Hosts, &key(TROUBLES, host))?.unwrap_or_default())
    }

    /// Keeps a host's troubles.
    ///
    /// # Errors
    /// When the store fails.
    pub fn keep_host_state(&self, host: &(String, HostState)) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        note_host(&mut batch, &[], Some(host));
        batch.commit()
    }

    /// When a host or an address may be asked again, in Unix milliseconds, if it was ever asked with a pause.
    ///
    /// # Errors
    /// When the store fails.
    pub fn next_access(&self, name: &str) -> Result<Option<u64>, StoreError> {
        self.disk.get(Family::Hosts, &key(ACCESS, name))
    }

    /// What the patterns of a host's URLs have given.
    ///
    /// # Errors
    /// When the store fails.
    pub fn patterns<T: DeserializeOwned>(&self, host: &str) -> Result<Option<T>, StoreError> {
        self.disk.get(Family::Hosts, &key(PATTERNS, host))
    }

    /// Keeps what the patterns of a host's URLs have given.
    ///
    /// # Errors
    /// When the store fails.
    pub fn keep_patterns<'a, T: Serialize + 'a>(
        &self,
        patterns: impl IntoIterator<Item = (&'a str, &'a T)>,
    ) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        for (host, patterns) in patterns {
            batch.put(Family::Hosts, &key(PATTERNS, host), patterns);
        }
        batch.commit()
    }

    /// Up to `most` other addresses of a resource: what has moved here, and what names it as its own address.
    ///
    /// # Errors
    /// When the store fails.
    pub fn aliases(&self, url: &Url, most: usize) -> Result<Vec<Alias>, StoreError> {
        let target = keys::url_key(url);
        let pairs = self.disk.scan(Family::Aliases, &target, &keys::behind(&target)).take(most);
        pairs.map(|pair| self.disk.decode(Family::Aliases, &pair?.1)).collect()
    }
}

/// Notes where a resource leads, and forgets where it led before.
pub(crate) fn note_alias(batch: &mut Batch<'_>, own: &[u8], entry: &Entry) {
    let mut fates = entry.fates.iter().rev().map(|fate| &fate.outcome);
    let (now, before) = (fates.next().and_then(leads_to), fates.next().and_then(leads_to));
    if let Some(before) = before.filter(|before| Some(before) != now.as_ref()) {
        batch.delete(Family::Aliases, &keys::alias(&keys::url_key(&before.url), own));
    }
    if let Some(now) = now {
        let target = keys::url_key(&now.url);
        batch.put(Family::Aliases, &keys::alias(&target, own), &Alias { url: entry.url.clone(), how: now.how });
    }
}

/// Forgets where a resource leads.
pub(crate) fn forget_alias(batch: &mut Batch<'_>, own: &[u8], entry: &Entry) {
    for alias in entry.fates.iter().filter_map(|fate| leads_to(&fate.outcome)) {
        batch.delete(Family::Aliases, &keys::alias(&keys::url_key(&alias.url), own));
    }
}

fn leads_to(outcome: &Outcome) -> Option<Alias> {
    let (to, how) = match outcome {
        Outcome::Left(Departure::Moved { to, status: status @ (301 | 308) }) => {
            (to, format!("moved here for good ({status})"))
        }
        Outcome::Left(Departure::Moved { to, status }) => (to, format!("leads here for now ({status})")),
        Outcome::Left(Departure::Canonical { to }) => (to, "names this as its own address".to_owned()),
        _ => return None,
    };
    Some(Alias { url: Url::parse(to).ok()?, how })
}

/// Writes down when hosts may be asked again, and a host's troubles.
pub(crate) fn note_host(batch: &mut Batch<'_>, asked: &[(String, u64)], host: Option<&(String, HostState)>) {
    for (name, at) in asked {
        batch.put(Family::Hosts, &key(ACCESS, name), at);
    }
    match host {
        Some((name, state)) if *state == HostState::default() => batch.delete(Family::Hosts, &key(TROUBLES, name)),
        Some((name, state)) => batch.put(Family::Hosts, &key(TROUBLES, name), state),
        None => {}
    }
}
