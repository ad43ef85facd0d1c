//! The fold on disk: WORKING and REFRESH into PRODUCTION, a chunk at a time, each chunk one durable batch.
//!
//! A chunk is waited for until it is on the disk, because brokers build on change numbers: a number that was seen
//! must never come to mean something else, not even after a power cut.

use crate::disk::{Batch, Family};
use crate::packing::Pending;
use crate::record::{Change, ChangeKind, Head};
use crate::roots::{Holding, Roots};
use crate::store::{Deletion, Renewal};
use crate::{Store, StoreError, keys, told};
use gatherer_pipeline::ledger::Entry;
use gatherer_pipeline::{Md5, UnixTime};
use std::collections::HashSet;
use std::sync::{MutexGuard, PoisonError};
use url::Url;

/// What a fold did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Folding {
    /// Records written.
    pub updated: u64,
    /// Records renewed.
    pub refreshed: u64,
    /// Records deleted.
    pub deleted: u64,
}

impl Folding {
    /// Whether there was anything to do.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            updated: self.updated + other.updated,
            refreshed: self.refreshed + other.refreshed,
            deleted: self.deleted + other.deleted,
        }
    }
}

/// The change log's end, moved along while a chunk is put together.
pub(crate) struct Log {
    pub(crate) number: u64,
    pub(crate) at: UnixTime,
}

impl Store {
    /// Folds up to `most` new or renewed records. Empty when there is nothing left.
    ///
    /// # Errors
    /// When the store fails; the chunk is then not folded at all.
    pub fn fold_chunk(&self, most: usize, now: UnixTime) -> Result<Folding, StoreError> {
        let mut roots = self.lock();
        let mut batch = self.disk.batch();
        let mut log = self.log(now)?;
        let (mut folding, mut seen) = (Folding::default(), HashSet::new());
        for pair in self.disk.scan(Family::Working, &[], &[]).take(most) {
            let (key, value) = pair?;
            let head: Head = self.disk.decode(Family::Working, &value)?;
            // A second record of one URL builds on the first, so it waits until that is written.
            if !seen.insert(head.url.clone()) {
                break;
            }
            self.write(&mut batch, &mut log, &mut roots, head)?;
            batch.delete(Family::Working, &key);
            folding.updated += 1;
        }
        let room = most.saturating_sub(seen.len());
        for pair in self.disk.scan(Family::Refresh, &[], &[]).take(room) {
            let (key, value) = pair?;
            let renewal: Renewal = self.disk.decode(Family::Refresh, &value)?;
            if !seen.insert(renewal.url.clone()) {
                break;
            }
            self.renew(&mut batch, &mut log, &mut roots, &renewal)?;
            batch.delete(Family::Refresh, &key);
            folding.refreshed += 1;
        }
        if !folding.is_empty() {
            self.commit_told(batch, &log, roots)?;
        }
        Ok(folding)
    }

    /// The deletions put down, for the brake to judge.
    ///
    /// # Errors
    /// When the store fails.
    pub fn deletions(&self) -> Result<Vec<Deletion>, StoreError> {
        let pairs = self.disk.scan(Family::Deletions, &[], &[]);
        pairs.map(|pair| self.disk.decode(Family::Deletions, &pair?.1)).collect()
    }

    /// The deletion put down for the record at a URL, if there is one.
    ///
    /// # Errors
    /// When the store fails.
    pub fn deletion(&self, url: &Url) -> Result<Option<Deletion>, StoreError> {
        self.disk.get(Family::Deletions, &keys::url_key(url))
    }

    /// Whether what is to be deleted stands elsewhere by now: a rule gave it another URL, and nobody else has taken that.
    ///
    /// # Errors
    /// When the store fails.
    pub fn stands_elsewhere(&self, deletion: &Deletion) -> Result<bool, StoreError> {
        let entry: Option<Entry> = self.disk.get(Family::Fates, &keys::url_key(&deletion.origin))?;
        let Some(entry) = entry.filter(|entry| *entry.record_url() != deletion.url) else { return Ok(false) };
        let head = self.head(&keys::url_key(entry.record_url()))?;
        Ok(head.is_some_and(|head| head.origin == deletion.origin))
    }

    /// What a root node holds.
    pub fn holding(&self, root: &str) -> Holding {
        self.lock().holding(root)
    }

    /// What every root node holds that ever had something.
    pub fn holdings(&self) -> Vec<(String, Holding)> {
        self.lock().all()
    }

    /// Deletes records for good, in one batch; `allowed` by the operator, they do not count for the brake.
    ///
    /// # Errors
    /// When the store fails; none is then deleted.
    pub fn delete(&self, deletions: &[Deletion], allowed: bool, now: UnixTime) -> Result<Folding, StoreError> {
        let mut roots = self.lock();
        let mut batch = self.disk.batch();
        let mut log = self.log(now)?;
        let mut folding = Folding::default();
        for deletion in deletions {
            let key = keys::url_key(&deletion.url);
            // It may have been taken back since somebody looked.
            if !self.disk.has(Family::Deletions, &key)? {
                continue;
            }
            batch.delete(Family::Deletions, &key);
            // By now another resource may have put its record there.
            let Some(head) = self.head(&key)?.filter(|head| head.origin == deletion.origin) else { continue };
            erase(&mut batch, &mut log, &mut roots, (&key, &head));
            // Nothing may be "unchanged" any more against a record that is no longer there.
            let own = keys::url_key(&deletion.origin);
            if let Some(mut entry) =
                self.disk.get::<Entry>(Family::Fates, &own)?.filter(|entry| entry.expires.is_none())
            {
                entry.forget_content();
                batch.put(Family::Fates, &own, &entry);
            }
            if !allowed {
                roots.count_deletion(&head.root, now);
            }
            folding.deleted += 1;
        }
        self.commit_told(batch, &log, roots)?;
        Ok(folding)
    }

    /// Writes what brokers will see, waits for the disk, and only then lets anybody know.
    pub(crate) fn commit_told(
        &self,
        mut batch: Batch<'_>,
        log: &Log,
        mut roots: MutexGuard<'_, Roots>,
    ) -> Result<(), StoreError> {
        close(&mut batch, log);
        roots.save(&mut batch);
        batch.commit_durably()?;
        told::note(self.path(), log.number);
        drop(roots);
        self.tell_folded();
        Ok(())
    }

    /// Has `listener` called after each fold, when brokers can see it, and when they may see other things than before. It must
    /// not take long, nor use the store.
    pub fn on_fold(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(listener));
    }

    pub(crate) fn tell_folded(&self) {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|listener| listener());
    }

    /// Puts a record down for the next fold. Its large half is where it will stay.
    pub(crate) fn keep_pending(&self, batch: &mut Batch<'_>, record: Pending) {
        let Pending { mut head, body } = record;
        head.body = self.next_pending();
        batch.put_bytes(Family::Attributes, &head.body.to_be_bytes(), &body);
        batch.put(Family::Working, &head.body.to_be_bytes(), &head);
    }

    fn write(&self, batch: &mut Batch<'_>, log: &mut Log, roots: &mut Roots, mut head: Head) -> Result<(), StoreError> {
        let key = &keys::url_key(&head.url);
        let tombstone = keys::half(key, keys::TOMBSTONE);
        if let Some(old) = self.head(key)? {
            forget_changes(batch, &old);
            batch.delete(Family::Attributes, &old.body.to_be_bytes());
            batch.delete(Family::Digest, &digest_key(old.md5, key));
            if old.root != head.root {
                roots.count_record(&old.root, false);
                roots.count_record(&head.root, true);
            }
            head.note_former(old.former_roots.into_iter().chain([old.root]));
        } else {
            roots.count_record(&head.root, true);
            if let Some(number) = self.disk.get::<u64>(Family::Production, &tombstone)? {
                let deleted: Option<Change> = self.disk.get(Family::Changes, &number.to_be_bytes())?;
                head.note_former(
                    deleted.into_iter().flat_map(|change| change.former_roots.into_iter().chain([change.root])),
                );
                batch.delete(Family::Changes, &number.to_be_bytes());
                batch.delete(Family::Production, &tombstone);
            }
        }
        head.update = log.write(batch, ChangeKind::Update, &head);
        head.change = head.update;
        batch.mark(Family::Digest, &digest_key(head.md5, key));
        batch.put(Family::Production, &keys::half(key, keys::HEAD), &head);
        Ok(())
    }

    fn renew(
        &self,
        batch: &mut Batch<'_>,
        log: &mut Log,
        roots: &mut Roots,
        renewal: &Renewal,
    ) -> Result<(), StoreError> {
        let key = &keys::url_key(&renewal.url);
        // A record written after the renewal is younger than it, and one of another resource is none of its business.
        let is_its_own = |head: &Head| head.updated <= renewal.updated && head.origin == renewal.origin;
        let Some(mut head) = self.head(key)?.filter(is_its_own) else { return Ok(()) };
        // The update before it stays in the log, for brokers that have not seen it yet.
        if head.change != head.update {
            batch.delete(Family::Changes, &head.change.to_be_bytes());
        }
        if head.root == renewal.root {
            head.change = log.write(batch, ChangeKind::Refresh, &head);
        } else {
            roots.count_record(&head.root, false);
            roots.count_record(&renewal.root, true);
            let former = std::mem::replace(&mut head.root, renewal.root.clone());
            head.note_former([former]);
            // Somebody may see it from now on who could not see it before, and needs all of it.
            batch.delete(Family::Changes, &head.update.to_be_bytes());
            head.update = log.write(batch, ChangeKind::Update, &head);
            head.change = head.update;
        }
        head.updated = renewal.updated;
        head.times = renewal.times;
        batch.put(Family::Production, &keys::half(key, keys::HEAD), &head);
        Ok(())
    }

    pub(crate) fn head(&self, key: &[u8]) -> Result<Option<Head>, StoreError> {
        self.disk.get(Family::Production, &keys::half(key, keys::HEAD))
    }

    pub(crate) fn log(&self, now: UnixTime) -> Result<Log, StoreError> {
        let last: Option<(u64, UnixTime)> = self.disk.get(Family::Meta, LOG_END)?;
        let (number, at) = last.unwrap_or_default();
        Ok(Log { number, at: at.max(now) })
    }
}

impl Log {
    pub(crate) fn write(&mut self, batch: &mut Batch<'_>, kind: ChangeKind, head: &Head) -> u64 {
        self.number += 1;
        let Head { url, root, kind: of_kind, mut former_roots, .. } = head.clone();
        if kind == ChangeKind::Refresh {
            // The update before it tells of them.
            former_roots.clear();
        }
        let change = Change { number: self.number, kind, url, at: self.at, root, of_kind, former_roots };
        batch.put(Family::Changes, &self.number.to_be_bytes(), &change);
        self.number
    }
}

pub(crate) const LOG_END: &[u8] = b"change-log-end";

pub(crate) fn close(batch: &mut Batch<'_>, log: &Log) {
    batch.put(Family::Meta, LOG_END, &(log.number, log.at));
}

/// Takes a record out of production; brokers hear of it.
pub(crate) fn erase(batch: &mut Batch<'_>, log: &mut Log, roots: &mut Roots, (key, head): (&[u8], &Head)) {
    batch.delete(Family::Production, &keys::half(key, keys::HEAD));
    batch.delete(Family::Attributes, &head.body.to_be_bytes());
    batch.delete(Family::Digest, &digest_key(head.md5, key));
    forget_changes(batch, head);
    let number = log.write(batch, ChangeKind::Delete, head);
    batch.put(Family::Production, &keys::half(key, keys::TOMBSTONE), &number);
    roots.count_record(&head.root, false);
}

fn forget_changes(batch: &mut Batch<'_>, head: &Head) {
    batch.delete(Family::Changes, &head.update.to_be_bytes());
    batch.delete(Family::Changes, &head.change.to_be_bytes());
}

fn digest_key(md5: Md5, key: &[u8]) -> Vec<u8> {
    [&md5.0, key].concat()
}
