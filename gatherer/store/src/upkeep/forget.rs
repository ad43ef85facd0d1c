//! A part of the store forgotten, as if it had never been met; brokers hear of the records that go.

use crate::disk::{Batch, Family};
use crate::fold::erase;
use crate::hosts::forget_alias;
use crate::record::Head;
use crate::roots::{Roots, scope_key};
use crate::store::{DERIVED, Renewal, host, is_alive};
use crate::timetable::{moments, reschedule};
use crate::{Range, Store, StoreError, adopt, keys};
use gatherer_pipeline::ledger::Entry;
use gatherer_pipeline::{Candidate, Role, UnixTime, Validators};
use std::collections::BTreeSet;
use url::{Host, Url};

/// URLs that are forgotten in one batch.
const CHUNK: usize = 500;

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forgetting {
    /// One URL, with all that is inside of it.
    Url(Url),
    /// A host with all hosts below it.
    Site(Host<String>),
    /// A root node, or another gatherer, by its name.
    Root(String),
}

/// What was, or would be, forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forgotten {
    /// URLs in the ledger.
    pub urls: u64,
    /// Records.
    pub records: u64,
    /// Places in queues.
    pub queued: u64,
    /// Bodies kept.
    pub bodies: u64,
}

impl Forgotten {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Forgetting {
    /// Where all of it stands, by URL.
    fn range(&self) -> Range {
        match self {
            Self::Url(url) => {
                let start = keys::url_key(url);
                Range { end: keys::behind(&start), start }
            }
            Self::Site(Host::Domain(domain)) => Range::site(&Host::Domain(domain.as_str())),
            Self::Site(Host::Ipv4(address)) => Range::site(&Host::Ipv4(*address)),
            Self::Site(Host::Ipv6(address)) => Range::site(&Host::Ipv6(*address)),
            Self::Root(_) => Range::all(),
        }
    }

    /// Whether this belongs to it.
    fn has(&self, url: &Url, root: &str) -> bool {
        match self {
            Self::Url(own) => {
                let mut container = url.clone();
                container.set_fragment(None);
                url == own || container == *own
            }
            Self::Site(site) => is_at(url, site),
            Self::Root(own) => own == root,
        }
    }
}

fn is_at(url: &Url, site: &Host<String>) -> bool {
    match (url.host(), site) {
        (Some(Host::Domain(host)), Host::Domain(site)) => {
            host.strip_suffix(site.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        }
        (Some(host), site) => host.to_owned() == *site,
        (None, _) => false,
    }
}

impl Store {
    /// What there is to forget.
    ///
    /// # Errors
    /// When the store fails.
    pub fn forgettable(&self, what: &Forgetting) -> Result<Forgotten, StoreError> {
        let mut found = Forgotten::default();
        let range = what.range();
        for pair in self.disk.scan(Family::Fates, &range.start, &range.end) {
            let (key, value) = pair?;
            let entry: Entry = self.disk.decode(Family::Fates, &value)?;
            if what.has(&entry.url, &entry.root) {
                found.urls += 1;
                found.bodies += u64::from(self.disk.has(Family::Bodies, &key)?);
            }
        }
        for pair in self.disk.scan(Family::Production, &range.start, &range.end) {
            let (key, value) = pair?;
            if key.last() == Some(&keys::HEAD) {
                let head: Head = self.disk.decode(Family::Production, &value)?;
                found.records += u64::from(what.has(&head.url, &head.root));
            }
        }
        for pair in self.disk.scan(Family::Frontier, &[], &[]) {
            let candidate: Candidate = self.disk.decode(Family::Frontier, &pair?.1)?;
            found.queued += u64::from(what.has(candidate.url(), candidate.root()));
        }
        Ok(found)
    }

    /// Forgets: records with their changes, ledger, timetables, queues, bodies, other addresses. How hosts want to be asked stays:
    /// nobody is asked sooner because of this.
    ///
    /// # Errors
    /// When the store fails. What was forgotten by then is; the next attempt goes on from there.
    pub fn forget(&self, what: &Forgetting, now: UnixTime) -> Result<Forgotten, StoreError> {
        let mut forgotten = Forgotten::default();
        self.forget_pending(what, |_| Ok(true))?;
        self.forget_entries(what, now, &mut forgotten)?;
        // What a run under way has made meanwhile: unless its entry came back with it, nobody owns it.
        self.forget_pending(what, |origin| Ok(!self.disk.has(Family::Fates, &keys::url_key(origin))?))?;
        self.forget_records(what, now, &mut forgotten)?;
        forgotten.queued = self.forget_queued(what)?;
        if let Forgetting::Root(root) = what {
            self.forget_root(root)?;
        }
        self.recent.forget();
        self.disk.flush()?;
        Ok(forgotten)
    }

    /// What waits for the fold would come back by it.
    fn forget_pending(
        &self,
        what: &Forgetting,
        goes: impl Fn(&Url) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let _roots = self.lock();
        let mut batch = self.disk.batch();
        for pair in self.disk.scan(Family::Working, &[], &[]) {
            let (key, value) = pair?;
            let head: Head = self.disk.decode(Family::Working, &value)?;
            let is_it = what.has(&head.origin, &head.root) || what.has(&head.url, &head.root);
            if is_it && goes(&head.origin)? {
                batch.delete(Family::Working, &key);
                batch.delete(Family::Attributes, &head.body.to_be_bytes());
                batch.delete(Family::Digest, &keys::alias(&head.md5.0, &keys::url_key(&head.url)));
            }
        }
        for pair in self.disk.scan(Family::Refresh, &[], &[]) {
            let (key, value) = pair?;
            let renewal: Renewal = self.disk.decode(Family::Refresh, &value)?;
            if what.has(&renewal.origin, &renewal.root) && goes(&renewal.origin)? {
                batch.delete(Family::Refresh, &key);
            }
        }
        batch.commit()
    }

    fn forget_entries(&self, what: &Forgetting, now: UnixTime, forgotten: &mut Forgotten) -> Result<(), StoreError> {
        let Range { start: mut place, end } = what.range();
        loop {
            let mut entries: Vec<Entry> = Vec::new();
            let mut has_more = false;
            for pair in self.disk.scan(Family::Fates, &place, &end) {
                let (key, value) = pair?;
                place = [&*key, b"\0"].concat();
                let entry: Entry = self.disk.decode(Family::Fates, &value)?;
                if what.has(&entry.url, &entry.root) {
                    entries.push(entry);
                }
                if entries.len() == CHUNK {
                    has_more = true;
                    break;
                }
            }
            self.forget_chunk(&entries, now, forgotten)?;
            if !has_more {
                return Ok(());
            }
        }
    }

    fn forget_chunk(&self, entries: &[Entry], now: UnixTime, forgotten: &mut Forgotten) -> Result<(), StoreError> {
        let mut roots = self.lock();
        let mut batch = self.disk.batch();
        let mut log = self.log(now)?;
        let mut gone = Vec::new();
        for entry in entries {
            // As it is now: a run under way may have visited it since.
            let Some(entry) = self.disk.get::<Entry>(Family::Fates, &keys::url_key(&entry.url))? else { continue };
            let stands = keys::url_key(entry.record_url());
            if let Some(head) = self.head(&stands)?.filter(|head| head.origin == entry.url) {
                erase(&mut batch, &mut log, &mut roots, (&stands, &head));
                forgotten.records += 1;
            }
            batch.delete(Family::Deletions, &stands);
            forgotten.bodies += u64::from(self.disk.has(Family::Bodies, &keys::url_key(&entry.url))?);
            self.forget_entry(&mut batch, &mut roots, &entry)?;
            forgotten.urls += 1;
            gone.push(entry);
        }
        self.read_anew(&mut batch, &gone)?;
        self.commit_told(batch, &log, roots)
    }

    /// What leads to something that was forgotten is read anew at its next visit, even if it has not changed: else nobody would
    /// find the way there again, although it may still be wanted.
    fn read_anew(&self, batch: &mut Batch<'_>, forgotten: &[Entry]) -> Result<(), StoreError> {
        let own: BTreeSet<_> = forgotten.iter().map(|entry| &entry.url).collect();
        let parents: BTreeSet<_> = forgotten.iter().filter_map(|entry| entry.found_on.as_ref()).collect();
        for parent in parents.difference(&own) {
            let key = keys::url_key(parent);
            if let Some(mut entry) = self.disk.get::<Entry>(Family::Fates, &key)? {
                (entry.made_with, entry.validators) = (None, Validators::default());
                batch.put(Family::Fates, &key, &entry);
            }
        }
        Ok(())
    }

    fn forget_entry(&self, batch: &mut Batch<'_>, roots: &mut Roots, entry: &Entry) -> Result<(), StoreError> {
        let key = keys::url_key(&entry.url);
        batch.delete(Family::Fates, &key);
        batch.delete(Family::Bodies, &key);
        reschedule(batch, &key, moments(entry), (None, None));
        forget_alias(batch, &key, entry);
        for pair in self.disk.scan(Family::Aliases, &key, &keys::behind(&key)) {
            batch.delete(Family::Aliases, &pair?.0);
        }
        if entry.role != Role::Member {
            let alive = if entry.role == Role::Collected { entry.expires.is_some() } else { is_alive(entry.state) };
            roots.count(&entry.root, host(&entry.url), alive, false);
        }
        Ok(())
    }

    /// Records that nobody in the ledger owns, or that stand here by a rule.
    fn forget_records(&self, what: &Forgetting, now: UnixTime, forgotten: &mut Forgotten) -> Result<(), StoreError> {
        let range = what.range();
        let mut left = Vec::new();
        for pair in self.disk.scan(Family::Production, &range.start, &range.end) {
            let (key, value) = pair?;
            if key.last() == Some(&keys::HEAD) {
                let head: Head = self.disk.decode(Family::Production, &value)?;
                if what.has(&head.url, &head.root) {
                    left.push(head);
                }
            }
        }
        for heads in left.chunks(CHUNK) {
            let mut roots = self.lock();
            let mut batch = self.disk.batch();
            let mut log = self.log(now)?;
            for head in heads {
                erase(&mut batch, &mut log, &mut roots, (&keys::url_key(&head.url), head));
                self.disown(&mut batch, head)?;
                forgotten.records += 1;
            }
            self.commit_told(batch, &log, roots)?;
        }
        Ok(())
    }

    /// Whoever has put its record there by a rule has none any more.
    fn disown(&self, batch: &mut Batch<'_>, head: &Head) -> Result<(), StoreError> {
        let key = keys::url_key(&head.origin);
        if let Some(mut entry) = self.disk.get::<Entry>(Family::Fates, &key)? {
            let before = moments(&entry);
            (entry.expires, entry.md5, entry.record) = (None, None, None);
            entry.validators = Validators::default();
            if entry.queued {
                // In the queue, and so in no timetable of visits.
                reschedule(batch, &key, (None, before.1), (None, None));
            } else {
                reschedule(batch, &key, before, moments(&entry));
            }
            batch.put(Family::Fates, &key, &entry);
        }
        Ok(())
    }

    /// Places in queues; but whoever was met again meanwhile, by a run under way, keeps his.
    fn forget_queued(&self, what: &Forgetting) -> Result<u64, StoreError> {
        let _roots = self.lock();
        let mut batch = self.disk.batch();
        let mut count = 0;
        for pair in self.disk.scan(Family::Frontier, &[], &[]) {
            let (key, value) = pair?;
            let candidate: Candidate = self.disk.decode(Family::Frontier, &value)?;
            let is_it = what.has(candidate.url(), candidate.root());
            if is_it && !self.disk.has(Family::Fates, &keys::url_key(candidate.url()))? {
                batch.delete(Family::Frontier, &key);
                count += 1;
            }
            if batch.len() >= CHUNK {
                std::mem::replace(&mut batch, self.disk.batch()).commit()?;
            }
        }
        batch.commit()?;
        Ok(count)
    }

    /// What is known of a root node itself.
    fn forget_root(&self, root: &str) -> Result<(), StoreError> {
        let mut roots = self.lock();
        let mut batch = self.disk.batch();
        batch.delete(Family::Meta, &scope_key(root));
        batch.delete(Family::Meta, &adopt::source_key(root));
        for node in self.derived_nodes()? {
            if node.name == root || node.parent == root {
                batch.delete(Family::Meta, &[DERIVED, node.name.as_bytes()].concat());
            }
        }
        roots.forget(root, &mut batch);
        batch.commit_durably()
    }
}
