//! How much each root node holds: the numbers behind its limits and behind the deletion brake. And by which scope it was judged.

use crate::disk::{Batch, Disk, Family};
use crate::store::Terms;
use crate::{Store, StoreError};
use gatherer_pipeline::{Md5, UnixTime};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// What a root node holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Holding {
    /// URLs known and alive.
    pub urls: u64,
    /// Records in production.
    pub records: u64,
    /// Records deleted in the present week,
    pub deleted: u64,
    /// which began here. The brake counts over a week, because a daemon makes many small runs.
    pub week: UnixTime,
}

impl Holding {
    /// Records deleted in the week that has not yet passed.
    pub fn deleted_lately(&self, now: UnixTime) -> u64 {
        if now.since(self.week) < WEEK { self.deleted } else { 0 }
    }
}

const WEEK: Duration = Duration::from_hours(7 * 24);

/// The counts of all root nodes, in memory and on disk.
#[derive(Default)]
pub(crate) struct Roots {
    holdings: HashMap<String, Holding>,
    /// Live URLs by root node and host.
    hosts: HashMap<String, HashMap<String, u64>>,
    changed: BTreeSet<(String, Option<String>)>,
}

const ROOT: &[u8] = b"root\0";
const HOST: &[u8] = b"host\0";

impl Roots {
    pub(crate) fn load(disk: &Disk) -> Result<Self, StoreError> {
        let mut roots = Self::default();
        for pair in disk.scan(Family::Meta, ROOT, &crate::keys::behind(ROOT)) {
            let (key, value) = pair?;
            roots.holdings.insert(text(&key[ROOT.len()..]), disk.decode(Family::Meta, &value)?);
        }
        for pair in disk.scan(Family::Meta, HOST, &crate::keys::behind(HOST)) {
            let (key, value) = pair?;
            let name = text(&key[HOST.len()..]);
            if let Some((root, host)) = name.split_once('\0') {
                let hosts = roots.hosts.entry(root.to_owned()).or_default();
                hosts.insert(host.to_owned(), disk.decode(Family::Meta, &value)?);
            }
        }
        Ok(roots)
    }

    pub(crate) fn holding(&self, root: &str) -> Holding {
        self.holdings.get(root).copied().unwrap_or_default()
    }

    pub(crate) fn all(&self) -> Vec<(String, Holding)> {
        let mut all: Vec<_> = self.holdings.iter().map(|(name, holding)| (name.clone(), *holding)).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Those that have URLs at a host.
    pub(crate) fn at_host(&self, host: &str) -> Vec<String> {
        let mut roots: Vec<_> =
            self.hosts.iter().filter(|(_, hosts)| hosts.contains_key(host)).map(|(root, _)| root.clone()).collect();
        roots.sort();
        roots
    }

    /// The limit that forbids one more URL of `host`, in words.
    pub(crate) fn is_full(&self, root: &str, host: &str, terms: Terms) -> Option<String> {
        if self.holding(root).urls >= terms.urls {
            return Some(format!("url-max is {}", terms.urls));
        }
        let hosts = self.hosts.get(root);
        let known = hosts.is_some_and(|hosts| hosts.contains_key(host));
        let count = hosts.map_or(0, HashMap::len) as u64;
        (!known && count >= terms.hosts).then(|| format!("host-max is {}", terms.hosts))
    }

    /// A URL comes alive or dies.
    pub(crate) fn count(&mut self, root: &str, host: &str, was_alive: bool, is_alive: bool) {
        if was_alive == is_alive {
            return;
        }
        let holding = self.holdings.entry(root.to_owned()).or_default();
        let hosts = self.hosts.entry(root.to_owned()).or_default();
        if is_alive {
            holding.urls += 1;
            *hosts.entry(host.to_owned()).or_default() += 1;
        } else {
            holding.urls = holding.urls.saturating_sub(1);
            if let Some(urls) = hosts.get_mut(host) {
                *urls = urls.saturating_sub(1);
                if *urls == 0 {
                    hosts.remove(host);
                }
            }
        }
        self.changed.insert((root.to_owned(), None));
        self.changed.insert((root.to_owned(), Some(host.to_owned())));
    }

    /// Records come into or leave production.
    pub(crate) fn count_record(&mut self, root: &str, comes: bool) {
        let holding = self.holdings.entry(root.to_owned()).or_default();
        holding.records = if comes { holding.records + 1 } else { holding.records.saturating_sub(1) };
        self.changed.insert((root.to_owned(), None));
    }

    /// A record was deleted without the operator's special leave.
    pub(crate) fn count_deletion(&mut self, root: &str, now: UnixTime) {
        let holding = self.holdings.entry(root.to_owned()).or_default();
        if now.since(holding.week) >= WEEK {
            (holding.week, holding.deleted) = (now, 0);
        }
        holding.deleted += 1;
        self.changed.insert((root.to_owned(), None));
    }

    /// What differs from what was counted anew, in words.
    pub(crate) fn differences(&self, counted: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        let names: BTreeSet<_> = self.holdings.keys().chain(counted.holdings.keys()).collect();
        for name in names {
            let (kept, real) = (self.holding(name), counted.holding(name));
            if (kept.urls, kept.records) != (real.urls, real.records) {
                differences.push(format!(
                    "root node {name} is said to hold {} URLs and {} records, and holds {} and {}",
                    kept.urls, kept.records, real.urls, real.records
                ));
            }
            let (kept, real) = (self.hosts.get(name), counted.hosts.get(name));
            if kept.cloned().unwrap_or_default() != real.cloned().unwrap_or_default() {
                differences.push(format!("the URLs of root node {name} are counted wrongly by host"));
            }
        }
        differences
    }

    /// Takes over what was counted anew. What was deleted lately is known only here.
    pub(crate) fn correct(&mut self, counted: &Self) {
        let names: BTreeSet<_> = self.holdings.keys().chain(counted.holdings.keys()).cloned().collect();
        for name in names {
            let Holding { urls, records, .. } = counted.holding(&name);
            let holding = self.holdings.entry(name.clone()).or_default();
            (holding.urls, holding.records) = (urls, records);
            let real = counted.hosts.get(&name).cloned().unwrap_or_default();
            let kept = self.hosts.insert(name.clone(), real.clone()).unwrap_or_default();
            self.changed.extend(kept.into_keys().chain(real.into_keys()).map(|host| (name.clone(), Some(host))));
            self.changed.insert((name, None));
        }
    }

    /// Forgets a root node altogether.
    pub(crate) fn forget(&mut self, root: &str, batch: &mut Batch<'_>) {
        self.holdings.remove(root);
        batch.delete(Family::Meta, &[ROOT, root.as_bytes()].concat());
        for host in self.hosts.remove(root).unwrap_or_default().into_keys() {
            batch.delete(Family::Meta, &[HOST, root.as_bytes(), b"\0", host.as_bytes()].concat());
        }
        self.changed.retain(|(name, _)| name != root);
    }

    /// Writes down what has changed.
    pub(crate) fn save(&mut self, batch: &mut Batch<'_>) {
        for (root, host) in std::mem::take(&mut self.changed) {
            let Some(host) = host else {
                batch.put(Family::Meta, &[ROOT, root.as_bytes()].concat(), &self.holding(&root));
                continue;
            };
            let key = [HOST, root.as_bytes(), b"\0", host.as_bytes()].concat();
            match self.hosts.get(&root).and_then(|hosts| hosts.get(&host)) {
                Some(urls) => batch.put(Family::Meta, &key, urls),
                None => batch.delete(Family::Meta, &key),
            }
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Store {
    /// The scope that a root node had when its references were last judged.
    ///
    /// # Errors
    /// When the store fails.
    pub fn scope_mark(&self, root: &str) -> Result<Option<Md5>, StoreError> {
        self.disk.get(Family::Meta, &scope_key(root))
    }

    /// Notes that all references under a root node have been judged by this scope.
    ///
    /// # Errors
    /// When the store fails.
    pub fn set_scope_mark(&self, root: &str, mark: Md5) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        batch.put(Family::Meta, &scope_key(root), &mark);
        batch.commit()
    }
}

pub(crate) fn scope_key(root: &str) -> Vec<u8> {
    [b"scope\0", root.as_bytes()].concat()
}
