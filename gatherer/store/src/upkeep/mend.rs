//! Parts that do not fit together, put in step again.
//!
//! Two parts know things that stand nowhere else: records, and the ledger. All others can be made of those: change log, digests,
//! timetables, counters. After damage they are made anew as a whole, which is simpler than to find out what of them is still
//! right. Nothing that can be read is thrown away; brokers begin anew, because deletions may be missing from the log.

use super::Watch;
use crate::disk::{Batch, Disk, Family};
use crate::fold::{Log, close};
use crate::identity::{IDENTITY, new_identity};
use crate::packing::{is_dictionary, put_dictionary};
use crate::record::{Body, ChangeKind, Head};
use crate::roots::Roots;
use crate::store::{Deletion, Renewal, host, is_alive, server};
use crate::timetable::{moments, reschedule};
use crate::{Alias, KeptBody, Store, StoreError, keys, told};
use gatherer_pipeline::ledger::Entry;
use gatherer_pipeline::{Candidate, Role, State, UnixTime, Validators};
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Writes that go to the disk together.
const CHUNK: usize = 5_000;

/// What was put in step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mending {
    /// Records that can be read.
    pub records: u64,
    /// URLs in the ledger.
    pub urls: u64,
    /// Values that could not be read, or belonged to nothing.
    pub dropped: u64,
    /// URLs that are visited anew, because their record is missing.
    pub revisited: u64,
    /// Records that the ledger did not know any more, and knows again.
    pub adopted: u64,
}

impl Store {
    /// Saves what can be saved of a damaged store.
    ///
    /// # Errors
    /// When the files cannot be read at all.
    pub fn repair(path: &Path) -> Result<(), StoreError> {
        Disk::repair(path)
    }

    /// Puts all parts in step with records and ledger.
    ///
    /// # Errors
    /// When the store fails. Done again, it begins anew.
    pub fn mend(&self, now: UnixTime, watch: Watch<'_>) -> Result<Mending, StoreError> {
        let mut mending = Mending::default();
        for family in [Family::Changes, Family::Digest, Family::Due, Family::Expiry] {
            watch(family.name(), 0);
            self.clear(family)?;
        }
        self.mend_dictionaries()?;
        let (pending, mut kept) = self.mend_pending(&mut mending)?;
        self.mend_records(now, &mut kept, &mut mending, watch)?;
        self.drop_headless(&kept, &mut mending)?;
        self.mend_entries(now, &pending, &mut mending, watch)?;
        self.mend_queue(&mut mending)?;
        self.drop_strangers(&mut mending)?;
        self.count_anew(&mut mending, watch)?;
        self.disk.flush()?;
        told::note(self.path(), self.view().last_change()?.0);
        Ok(mending)
    }

    /// Dictionaries that were lost among the attributes come back from their copies.
    fn mend_dictionaries(&self) -> Result<(), StoreError> {
        let mut writes = Writes::new(self);
        for number in self.disk.copied_dictionaries()? {
            // What can be read in neither place is lost, and with it what the next steps drop.
            if let Ok(Some(dictionary)) = self.disk.dictionary(number) {
                put_dictionary(writes.batch(), number, &dictionary);
            }
        }
        writes.end()
    }

    fn clear(&self, family: Family) -> Result<(), StoreError> {
        let mut writes = Writes::new(self);
        for pair in self.disk.sweep(family) {
            let (key, _) = pair?;
            writes.batch().delete(family, &key);
            writes.now_and_then()?;
        }
        writes.end()
    }

    /// What waits for the fold: it stays if it can be read. Returns where records will stand, and the numbers of their bodies.
    fn mend_pending(&self, mending: &mut Mending) -> Result<(HashSet<Vec<u8>>, HashSet<u64>), StoreError> {
        let (mut pending, mut kept) = (HashSet::new(), HashSet::new());
        let mut writes = Writes::new(self);
        for pair in self.disk.sweep(Family::Working) {
            let (key, value) = pair?;
            let Some(head) = self.with_body(Family::Working, &value) else {
                writes.batch().delete(Family::Working, &key);
                mending.dropped += 1;
                continue;
            };
            let stands = keys::url_key(&head.url);
            writes.batch().mark(Family::Digest, &keys::alias(&head.md5.0, &stands));
            pending.insert(stands);
            kept.insert(head.body);
        }
        writes.end()?;
        self.drop_unreadable::<Renewal>(Family::Refresh, mending)?;
        self.drop_unreadable::<Deletion>(Family::Deletions, mending)?;
        Ok((pending, kept))
    }

    /// The small half of a record, if both can be read.
    fn with_body(&self, family: Family, value: &[u8]) -> Option<Head> {
        let head: Head = self.disk.decode(family, value).ok()?;
        let body = self.disk.value(Family::Attributes, &head.body.to_be_bytes()).ok()??;
        self.disk.unpacked::<Body>(&body).is_ok().then_some(head)
    }

    fn drop_unreadable<T: DeserializeOwned>(&self, family: Family, mending: &mut Mending) -> Result<(), StoreError> {
        let mut writes = Writes::new(self);
        for pair in self.disk.sweep(family) {
            let (key, value) = pair?;
            if self.disk.decode::<T>(family, &value).is_err() {
                writes.batch().delete(family, &key);
                mending.dropped += 1;
            }
            writes.now_and_then()?;
        }
        writes.end()
    }

    /// Every whole record is a change of now, and owned by somebody.
    fn mend_records(
        &self,
        now: UnixTime,
        kept: &mut HashSet<u64>,
        mending: &mut Mending,
        watch: Watch<'_>,
    ) -> Result<(), StoreError> {
        let mut log = self.log(now)?;
        let sources: HashSet<String> = self.sources()?.into_iter().collect();
        let mut writes = Writes::new(self);
        writes.batch().put(Family::Meta, IDENTITY, &{
            let identity = new_identity();
            self.identity.store(identity, Ordering::Relaxed);
            identity
        });
        for pair in self.disk.sweep(Family::Production) {
            let (key, value) = pair?;
            match key.last() {
                Some(&keys::HEAD) => {
                    if let Some(head) = self.with_body(Family::Production, &value) {
                        kept.insert(head.body);
                        self.mend_record(&mut writes, &mut log, head, &sources, mending)?;
                    } else {
                        writes.batch().delete(Family::Production, &key);
                        mending.dropped += 1;
                    }
                    watch("production", mending.records);
                }
                // Deletions are told by beginning anew.
                _ => writes.batch().delete(Family::Production, &key),
            }
            writes.now_and_then()?;
        }
        close(writes.batch(), &log);
        writes.end()
    }

    /// Attributes whose head is gone.
    fn drop_headless(&self, kept: &HashSet<u64>, mending: &mut Mending) -> Result<(), StoreError> {
        let mut writes = Writes::new(self);
        for pair in self.disk.sweep(Family::Attributes) {
            let (key, value) = pair?;
            let number = key.first_chunk().map(|number| u64::from_be_bytes(*number));
            if let Some(number) = number.filter(|_| is_dictionary(&value)) {
                put_dictionary(writes.batch(), number, &value[1..].to_vec());
            } else if !number.is_some_and(|number| kept.contains(&number)) {
                writes.batch().delete(Family::Attributes, &key);
                mending.dropped += 1;
            }
            writes.now_and_then()?;
        }
        writes.end()
    }

    fn mend_record(
        &self,
        writes: &mut Writes<'_>,
        log: &mut Log,
        mut head: Head,
        sources: &HashSet<String>,
        mending: &mut Mending,
    ) -> Result<(), StoreError> {
        let key = keys::url_key(&head.url);
        let batch = writes.batch();
        head.update = log.write(batch, ChangeKind::Update, &head);
        head.change = head.update;
        batch.put(Family::Production, &keys::half(&key, keys::HEAD), &head);
        batch.mark(Family::Digest, &keys::alias(&head.md5.0, &key));
        mending.records += 1;
        let own = keys::url_key(&head.origin);
        let known: Option<Entry> = self.disk.get(Family::Fates, &own).unwrap_or_default();
        let is_kept = known.as_ref().is_some_and(|entry| entry.expires.is_some());
        if is_kept || self.disk.has(Family::Deletions, &key)? {
            return Ok(());
        }
        // Somebody has to visit it, and to let it go one day.
        let mut entry = match known {
            Some(entry) => entry,
            None => self.owner(writes, &head, log.at, sources)?,
        };
        entry.expires = Some(head.updated.after(head.times.time_to_live));
        entry.due = log.at;
        entry.record = (head.url != head.origin).then(|| head.url.clone());
        writes.batch().put(Family::Fates, &own, &entry);
        mending.adopted += 1;
        Ok(())
    }

    /// A new entry for a record whose own is lost: as what it was taken in, as far as its URL and its root node tell.
    fn owner(
        &self,
        writes: &mut Writes<'_>,
        head: &Head,
        now: UnixTime,
        sources: &HashSet<String>,
    ) -> Result<Entry, StoreError> {
        let of = |candidate: &Candidate| Entry { state: State::Current, ..Entry::new(candidate, now) };
        if sources.contains(&head.root) {
            return Ok(of(&Candidate::collected(head.origin.clone(), &head.root)));
        }
        if head.origin.fragment().is_none() {
            return Ok(of(&Candidate::start(head.origin.clone(), &head.root)));
        }
        // It is inside of something, which is visited in its place.
        let mut outside = head.origin.clone();
        outside.set_fragment(None);
        let container = Candidate::start(outside, &head.root);
        let member = of(&container.member(head.origin.clone()));
        writes.flush()?;
        let key = keys::url_key(container.url());
        let known: Option<Entry> = self.disk.get(Family::Fates, &key).unwrap_or_default();
        let mut entry = known.unwrap_or_else(|| of(&container));
        // Its next visit counts them.
        (entry.members, entry.due) = (entry.members.max(1), now);
        writes.batch().put(Family::Fates, &key, &entry);
        writes.flush()?;
        Ok(member)
    }

    /// Entries know whether they have a record, stand in the timetables, and for now in no queue.
    fn mend_entries(
        &self,
        now: UnixTime,
        pending: &HashSet<Vec<u8>>,
        mending: &mut Mending,
        watch: Watch<'_>,
    ) -> Result<(), StoreError> {
        let mut writes = Writes::new(self);
        for pair in self.disk.sweep(Family::Fates) {
            let (key, value) = pair?;
            let read: Option<Entry> = self.disk.decode(Family::Fates, &value).ok();
            let Some(mut entry) = read.filter(|entry| keys::url_key(&entry.url) == *key) else {
                writes.batch().delete(Family::Fates, &key);
                mending.dropped += 1;
                continue;
            };
            let stands = keys::url_key(entry.record_url());
            let has_record =
                pending.contains(&stands) || self.disk.has(Family::Production, &keys::half(&stands, keys::HEAD))?;
            if entry.expires.is_some() && !has_record {
                (entry.expires, entry.md5, entry.record) = (None, None, None);
                entry.validators = Validators::default();
                entry.due = now;
                mending.revisited += 1;
            }
            entry.queued = false;
            reschedule(writes.batch(), &key, (None, None), moments(&entry));
            writes.batch().put(Family::Fates, &key, &entry);
            mending.urls += 1;
            watch("fates", mending.urls);
            writes.now_and_then()?;
        }
        writes.end()
    }

    /// Who stands in a queue is marked so, and is in no timetable of visits.
    fn mend_queue(&self, mending: &mut Mending) -> Result<(), StoreError> {
        let mut writes = Writes::new(self);
        for pair in self.disk.sweep(Family::Frontier) {
            let (place, value) = pair?;
            let candidate: Option<Candidate> = self.disk.decode(Family::Frontier, &value).ok();
            let key = candidate.as_ref().map(|candidate| keys::url_key(candidate.url()));
            let entry: Option<Entry> = match &key {
                Some(key) => self.disk.get(Family::Fates, key)?,
                None => None,
            };
            let (Some(mut entry), Some(candidate), Some(key)) = (entry, candidate, key) else {
                writes.batch().delete(Family::Frontier, &place);
                mending.dropped += 1;
                continue;
            };
            let own = keys::queued(&server(candidate.url()), candidate.root(), keys::rank_of(&place), &key);
            if own != *place {
                writes.batch().delete(Family::Frontier, &place);
                writes.batch().put(Family::Frontier, &own, &candidate);
            }
            reschedule(writes.batch(), &key, (moments(&entry).0, None), (None, None));
            entry.queued = true;
            writes.batch().put(Family::Fates, &key, &entry);
            writes.now_and_then()?;
        }
        writes.end()
    }

    /// Bodies and other addresses of what is not known.
    fn drop_strangers(&self, mending: &mut Mending) -> Result<(), StoreError> {
        let mut writes = Writes::new(self);
        for pair in self.disk.sweep(Family::Bodies) {
            let (key, value) = pair?;
            if !self.disk.has(Family::Fates, &key)? || self.disk.decode::<KeptBody>(Family::Bodies, &value).is_err() {
                writes.batch().delete(Family::Bodies, &key);
                mending.dropped += 1;
            }
        }
        for pair in self.disk.sweep(Family::Aliases) {
            let (key, value) = pair?;
            let alias: Option<Alias> = self.disk.decode(Family::Aliases, &value).ok();
            let own = alias.map(|alias| keys::url_key(&alias.url)).filter(|own| key.ends_with(own));
            let is_known = own.map_or(Ok(false), |own| self.disk.has(Family::Fates, &own))?;
            if !is_known {
                writes.batch().delete(Family::Aliases, &key);
                mending.dropped += 1;
            }
        }
        writes.end()
    }

    fn count_anew(&self, mending: &mut Mending, watch: Watch<'_>) -> Result<(), StoreError> {
        let mut counted = Roots::default();
        for pair in self.disk.sweep(Family::Production) {
            let (key, value) = pair?;
            if key.last() == Some(&keys::HEAD) {
                let head: Head = self.disk.decode(Family::Production, &value)?;
                counted.count_record(&head.root, true);
            }
        }
        mending.urls = 0;
        for pair in self.disk.sweep(Family::Fates) {
            let entry: Entry = self.disk.decode(Family::Fates, &pair?.1)?;
            mending.urls += 1;
            if entry.role != Role::Member {
                let alive = if entry.role == Role::Collected { entry.expires.is_some() } else { is_alive(entry.state) };
                counted.count(&entry.root, host(&entry.url), false, alive);
            }
        }
        watch("meta", mending.urls);
        let mut roots = self.lock();
        let mut batch = self.disk.batch();
        roots.correct(&counted);
        roots.save(&mut batch);
        batch.commit_durably()
    }
}

/// Writes in chunks: each part is made anew as a whole, so it does not matter where it is cut.
struct Writes<'a> {
    store: &'a Store,
    batch: Batch<'a>,
}

impl<'a> Writes<'a> {
    fn new(store: &'a Store) -> Self {
        Self { store, batch: store.disk.batch() }
    }

    fn batch(&mut self) -> &mut Batch<'a> {
        &mut self.batch
    }

    fn now_and_then(&mut self) -> Result<(), StoreError> {
        if self.batch.len() >= CHUNK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        std::mem::replace(&mut self.batch, self.store.disk.batch()).commit()
    }

    fn end(self) -> Result<(), StoreError> {
        self.batch.commit_durably()
    }
}
