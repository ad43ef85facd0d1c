//! The store of one gatherer: ledger, queues, records. One writer at a time, any number of readers.

use crate::disk::{Batch, Disk, FORMAT, Family, Memory};
use crate::frontier::Heads;
use crate::timetable::{moments, reschedule};
use crate::{Record, StoreError, keys, roots::Roots};
use gatherer_pipeline::ledger::{Entry, Fate, Glance};
use gatherer_pipeline::life::{Effect, Patience};
use gatherer_pipeline::{Candidate, Departure, Md5, Outcome, State, Times, UnixTime, Validators};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use url::Url;

/// The store of one gatherer.
pub struct Store {
    pub(crate) disk: Disk,
    /// Held while something is read in order to be written back. Never across an await or a plugin call.
    writing: Mutex<Roots>,
    /// Numbers for what waits in WORKING and REFRESH; greater than all that are there.
    pending: AtomicU64,
    /// Where each host's queue begins by now.
    pub(crate) heads: Heads,
}

/// The run that is going on, or that was cut short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Its number.
    pub number: u64,
    /// When it began.
    pub started: UnixTime,
}

/// What is renewed for a record that was found unchanged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Renewal {
    pub(crate) url: Url,
    pub(crate) root: String,
    pub(crate) updated: UnixTime,
    pub(crate) times: Times,
}

/// A deletion put down, waiting for the fold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deletion {
    /// Which record.
    pub url: Url,
    /// Its root node.
    pub root: String,
    /// Why.
    pub reason: Departure,
}

/// A visit that is over: everything it leaves behind, written in one batch.
pub struct Visit<'a> {
    /// What was visited.
    pub candidate: &'a Candidate,
    /// How it ended.
    pub fate: Fate,
    /// The root node's spans for the record and the next visit.
    pub times: Times,
    /// What the server wants to hear at the next visit, if it said.
    pub validators: Option<Validators>,
    /// The new record, if there is one, and the digest of what it was made with.
    pub record: Option<(Record, Option<Md5>)>,
    /// Candidates found, each with the limits of its root node.
    pub found: Vec<(Candidate, Terms)>,
}

/// On which terms a candidate is taken up: its root node's terms, its place in the queue, its urgency.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Most URLs known and alive.
    pub urls: u64,
    /// Most hosts among them.
    pub hosts: u64,
    /// Lower ranks are visited first.
    pub rank: u32,
    /// Take it up even if it is not due.
    pub now: bool,
}

/// What became of a candidate offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// Queued for this run.
    Taken,
    /// In this run already.
    InHand,
    /// Known, and not yet due.
    NotDue(UnixTime),
    /// The root node is full.
    Full(Departure),
}

impl Store {
    /// Opens or makes the store in a directory.
    ///
    /// # Errors
    /// Each [`StoreError`] names the directory and the next step.
    pub fn open(path: &Path, memory: Memory) -> Result<Self, StoreError> {
        let disk = Disk::open(path, memory)?;
        if !disk.has(Family::Meta, b"format")? {
            let mut batch = disk.batch();
            batch.put(Family::Meta, b"format", &FORMAT);
            batch.commit_durably()?;
        }
        Self::with(disk)
    }

    /// Opens a store to look at it while another process may be using it.
    ///
    /// # Errors
    /// [`StoreError::Absent`] where there is none.
    pub fn open_for_reading(path: &Path, memory: Memory) -> Result<Self, StoreError> {
        Self::with(Disk::open_for_reading(path, memory)?)
    }

    /// Saves what can be saved of a damaged store.
    ///
    /// # Errors
    /// When the files cannot be read at all.
    pub fn repair(path: &Path) -> Result<(), StoreError> {
        Disk::repair(path)
    }

    fn with(disk: Disk) -> Result<Self, StoreError> {
        let roots = Roots::load(&disk)?;
        let last = disk.last_key(Family::Working)?.max(disk.last_key(Family::Refresh)?);
        let last = last.and_then(|key| Some(u64::from_be_bytes(*key.first_chunk()?))).unwrap_or(0);
        Ok(Self { disk, writing: Mutex::new(roots), pending: AtomicU64::new(last + 1), heads: Heads::default() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.disk.path()
    }

    /// The run that was cut short, if one was.
    ///
    /// # Errors
    /// When the store fails.
    pub fn open_run(&self) -> Result<Option<Run>, StoreError> {
        self.disk.get(Family::Meta, b"run")
    }

    /// Begins a run, or goes on with the one that was cut short.
    ///
    /// # Errors
    /// When the store fails.
    pub fn begin_run(&self, now: UnixTime) -> Result<(Run, bool), StoreError> {
        let _roots = self.lock();
        if let Some(run) = self.open_run()? {
            return Ok((run, true));
        }
        let last: u64 = self.disk.get(Family::Meta, b"last-run")?.unwrap_or(0);
        let run = Run { number: last + 1, started: now };
        let mut batch = self.disk.batch();
        batch.put(Family::Meta, b"run", &run);
        batch.put(Family::Meta, b"last-run", &run.number);
        batch.commit()?;
        Ok((run, false))
    }

    /// Ends the run: the next one starts anew. What it wrote goes from the log of writes into table files, so that
    /// the next start is quick and a repair finds it.
    ///
    /// # Errors
    /// When the store fails.
    pub fn end_run(&self) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        batch.delete(Family::Meta, b"run");
        batch.commit_durably()?;
        self.disk.flush()
    }

    /// What the ledger says of a URL.
    ///
    /// # Errors
    /// When the store fails.
    pub fn entry(&self, url: &Url) -> Result<Option<Entry>, StoreError> {
        self.disk.get(Family::Fates, &keys::url_key(url))
    }

    /// Offers candidates to the run, in one batch.
    ///
    /// # Errors
    /// When the store fails.
    pub fn offer(
        &self,
        run: &Run,
        candidates: Vec<(Candidate, Terms)>,
        now: UnixTime,
        patience: &Patience,
    ) -> Result<Vec<Offer>, StoreError> {
        let mut roots = self.lock();
        let mut batch = self.disk.batch();
        let offers = self.take_up(&mut batch, &mut roots, run, candidates, now, patience)?;
        roots.save(&mut batch);
        self.commit_queued(batch)?;
        Ok(offers)
    }

    /// Writes down a visit: its fate, its record, the candidates found, and its place in the queue given up, all
    /// in one batch.
    ///
    /// # Errors
    /// When the store fails.
    pub fn finish(
        &self,
        run: &Run,
        ticket: &[u8],
        visit: Visit<'_>,
        patience: &Patience,
    ) -> Result<Vec<Offer>, StoreError> {
        let now = visit.fate.at;
        let key = keys::url_key(visit.candidate.url());
        let mut roots = self.lock();
        let mut batch = self.disk.batch();
        let known: Option<Entry> = self.disk.get(Family::Fates, &key)?;
        let mut entry = known.unwrap_or_else(|| Entry::new(visit.candidate, now));
        let (before, was_alive) = (moments(&entry), is_alive(entry.state));
        if let Some((record, made_with)) = &visit.record {
            entry.md5 = Some(record.head.md5);
            entry.made_with = *made_with;
            entry.ruled = (record.head.times != visit.times).then_some(record.head.times);
        }
        let times = entry.ruled.unwrap_or(visit.times);
        let effect = entry.meet(visit.fate, times, patience);
        match (effect, visit.record) {
            (Effect::Write, Some((record, _))) => {
                entry.validators = visit.validators.unwrap_or_default();
                batch.put(Family::Working, &self.next_pending(), &record);
                batch.delete(Family::Deletions, &key);
            }
            (Effect::Renew, _) => {
                entry.validators = visit.validators.unwrap_or(entry.validators);
                let renewal = Renewal { url: entry.url.clone(), root: entry.root.clone(), updated: now, times };
                batch.put(Family::Refresh, &self.next_pending(), &renewal);
                batch.delete(Family::Deletions, &key);
            }
            (Effect::Delete, _) => self.put_down_deletion(&mut batch, &key, &entry, before.1.is_some())?,
            (Effect::Keep | Effect::Write, _) => {}
        }
        reschedule(&mut batch, &key, before, moments(&entry));
        roots.count(&entry.root, host(&entry.url), was_alive, is_alive(entry.state));
        batch.put(Family::Fates, &key, &entry);
        batch.delete(Family::Frontier, ticket);
        let offers = self.take_up(&mut batch, &mut roots, run, visit.found, now, patience)?;
        roots.save(&mut batch);
        self.commit_queued(batch)?;
        Ok(offers)
    }

    fn next_pending(&self) -> [u8; 8] {
        self.pending.fetch_add(1, Ordering::Relaxed).to_be_bytes()
    }

    /// Puts a record down for deletion, if there is one: folded, or about to be, since deletions are folded last.
    pub(crate) fn put_down_deletion(
        &self,
        batch: &mut Batch<'_>,
        key: &[u8],
        entry: &Entry,
        had_record: bool,
    ) -> Result<(), StoreError> {
        let reason = match entry.fates.last().map(|fate| &fate.outcome) {
            Some(Outcome::Left(departure)) => departure.clone(),
            _ => return Ok(()),
        };
        if had_record || self.disk.has(Family::Production, &keys::half(key, keys::HEAD))? {
            let deletion = Deletion { url: entry.url.clone(), root: entry.root.clone(), reason };
            batch.put(Family::Deletions, key, &deletion);
        }
        Ok(())
    }

    /// Queues candidates that are not in hand, not too many and due.
    fn take_up(
        &self,
        batch: &mut Batch<'_>,
        roots: &mut Roots,
        run: &Run,
        candidates: Vec<(Candidate, Terms)>,
        now: UnixTime,
        patience: &Patience,
    ) -> Result<Vec<Offer>, StoreError> {
        let mut taken = std::collections::HashSet::new();
        let mut offers = Vec::with_capacity(candidates.len());
        for (candidate, terms) in candidates {
            let key = keys::url_key(candidate.url());
            let offer = if taken.contains(&key) {
                Offer::InHand
            } else {
                self.take_up_one(batch, roots, run, &candidate, terms, (&key, now, patience))?
            };
            if offer == Offer::Taken {
                taken.insert(key);
            }
            offers.push(offer);
        }
        Ok(offers)
    }

    fn take_up_one(
        &self,
        batch: &mut Batch<'_>,
        roots: &mut Roots,
        run: &Run,
        candidate: &Candidate,
        terms: Terms,
        (key, now, patience): (&[u8], UnixTime, &Patience),
    ) -> Result<Offer, StoreError> {
        if let Some(glance) = self.disk.get::<Glance>(Family::Fates, key)? {
            if glance.run == run.number {
                return Ok(Offer::InHand);
            }
            // What was out of scope and is offered again is in scope now.
            if glance.due > now && !terms.now && glance.state != State::OutOfScope {
                return Ok(Offer::NotDue(glance.due));
            }
        }
        let known: Option<Entry> = self.disk.get(Family::Fates, key)?;
        let alive = known.as_ref().is_some_and(|entry| is_alive(entry.state));
        let mut entry = known.unwrap_or_else(|| Entry::new(candidate, now));
        let host = host(candidate.url());
        if !alive && let Some(full) = roots.is_full(candidate.root(), host, terms) {
            return Ok(Offer::Full(Departure::Full { limit: full }));
        }
        batch.delete(Family::Due, &keys::moment(entry.visit_by(), key));
        // It may come under another root node than before, when the config has changed.
        roots.count(&entry.root, host, alive, false);
        entry.take_up(candidate, run.number, now, patience);
        roots.count(&entry.root, host, false, true);
        batch.put(Family::Fates, key, &entry);
        let place = keys::queued(host, terms.rank, key);
        batch.put(Family::Frontier, &place, candidate);
        batch.queued.push(place);
        Ok(Offer::Taken)
    }

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

    /// The robots file kept for an origin.
    ///
    /// # Errors
    /// When the store fails.
    pub fn robots(&self, origin: &str) -> Result<Option<RobotsCopy>, StoreError> {
        self.disk.get(Family::Hosts, origin.as_bytes())
    }

    /// Keeps a robots file.
    ///
    /// # Errors
    /// When the store fails.
    pub fn keep_robots(&self, origin: &str, copy: &RobotsCopy) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        batch.put(Family::Hosts, origin.as_bytes(), copy);
        batch.commit()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Roots> {
        // A panic while writing leaves the counts as they were on disk or one ahead; both are harmless.
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

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

fn scope_key(root: &str) -> Vec<u8> {
    [b"scope\0", root.as_bytes()].concat()
}

pub(crate) fn is_alive(state: State) -> bool {
    !matches!(state, State::Gone | State::OutOfScope | State::Expired)
}

pub(crate) fn host(url: &Url) -> &str {
    gatherer_pipeline::host_name(url)
}
