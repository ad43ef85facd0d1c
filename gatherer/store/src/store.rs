//! The store of one gatherer: ledger, queues, records. One writer at a time, any number of readers.

use crate::disk::{Batch, Disk, FORMAT, Family, LOOKS, Pair};
use crate::frontier::Heads;
use crate::hosts::{note_alias, note_host};
use crate::identity::{IDENTITY, new_identity};
use crate::members::{Occasion, note_made};
use crate::options::Memory;
use crate::recent::Recent;
use crate::timetable::{moments, reschedule};
use crate::{StoreError, Visit, keys, roots::Roots, told};
use gatherer_pipeline::ledger::{Entry, Glance};
use gatherer_pipeline::life::{Effect, Patience};
use gatherer_pipeline::{Candidate, Departure, Outcome, Role, State, Times, UnixTime, Validators};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use url::Url;

/// The store of one gatherer.
pub struct Store {
    pub(crate) disk: Disk,
    /// Held while something is read in order to be written back. Never across an await or a plugin call.
    writing: Mutex<Roots>,
    /// Numbers for what waits in WORKING and REFRESH, and for attributes; greater than all that are there.
    pending: AtomicU64,
    /// Where each host's queue begins by now.
    pub(crate) heads: Heads,
    /// What is in hand, as far as it is remembered.
    pub(crate) recent: Recent,
    /// Called after each fold.
    pub(crate) listeners: Mutex<Vec<Listener>>,
    /// Tells this store from every other, whatever is in it.
    pub(crate) identity: AtomicU64,
}

pub(crate) type Listener = Box<dyn Fn() + Send + Sync>;

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
    pub(crate) origin: Url,
    pub(crate) root: String,
    pub(crate) updated: UnixTime,
    pub(crate) times: Times,
}

/// A deletion put down, waiting for the fold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deletion {
    /// Which record.
    pub url: Url,
    /// The resource it was made of. If it is another's record by then, it stays.
    pub origin: Url,
    /// Its root node.
    pub root: String,
    /// Why.
    pub reason: Departure,
    /// Whether the record only stands elsewhere from now on.
    pub is_move: bool,
}

/// A root node that an enumeration program has named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedNode {
    /// Its name.
    pub name: String,
    /// The root node whose program it was.
    pub parent: String,
    /// The line that the program printed.
    pub line: String,
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
    /// Take it up even if this run has visited it already: a long run comes round again.
    pub again: bool,
}

/// What became of a candidate offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// Queued, and never heard of before.
    New,
    /// Queued, and known.
    Known,
    /// Queued or visited by this run already.
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
        // Opened for writing, a damaged log of writes is cleared away; whoever repairs the store may still save a part of it.
        if told::last(path).is_some() && Disk::has_log(path) {
            drop(Self::open_for_reading(path, memory)?);
        }
        Self::open_to_mend(path, memory)
    }

    /// Opens a store that may have lost changes which brokers know, to mend it.
    ///
    /// # Errors
    /// Each [`StoreError`] names the directory and the next step.
    pub fn open_to_mend(path: &Path, memory: Memory) -> Result<Self, StoreError> {
        let disk = Disk::open(path, memory)?;
        if !disk.has(Family::Meta, b"format")? {
            let mut batch = disk.batch();
            batch.put(Family::Meta, b"format", &FORMAT);
            batch.put(Family::Meta, IDENTITY, &new_identity());
            batch.commit_durably()?;
        }
        disk.begin_packing();
        Self::with(disk)
    }

    /// Opens a store to look at it while another process may be using it.
    ///
    /// # Errors
    /// [`StoreError::Absent`] where there is none.
    pub fn open_for_reading(path: &Path, memory: Memory) -> Result<Self, StoreError> {
        let mut looks = 0;
        loop {
            // Before the look: whoever writes meanwhile gets further.
            let told = told::last(path);
            let disk = Disk::open_for_reading(path, memory)?;
            looks += 1;
            match told::check(told, &disk) {
                // A look between two logs of one who writes misses what was in the first; the next look does not.
                Err(_) if looks < LOOKS => {}
                checked => return checked.and_then(|()| Self::with(disk)),
            }
        }
    }

    fn with(disk: Disk) -> Result<Self, StoreError> {
        let roots = Roots::load(&disk)?;
        let last = disk.last_number()?;
        let identity = disk.get(Family::Meta, IDENTITY)?.unwrap_or_default();
        Ok(Self {
            disk,
            writing: Mutex::new(roots),
            pending: AtomicU64::new(last + 1),
            heads: Heads::default(),
            recent: Recent::default(),
            listeners: Mutex::default(),
            identity: AtomicU64::new(identity),
        })
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
        self.recent.forget();
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
        self.disk.flush()?;
        self.disk.merge_fresh()
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
        let moment = Moment { now, patience, moved: None };
        let offers = self.take_up(&mut batch, &mut roots, run, candidates, &moment)?;
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
        let (now, key) = (visit.fate.at, keys::url_key(visit.candidate.url()));
        let record = self.pack_made(visit.record)?;
        let opened = visit.opened.map(|opened| self.pack_members(opened)).transpose()?;
        let (mut roots, mut batch) = (self.lock(), self.disk.batch());
        let known: Option<Entry> = self.disk.get(Family::Fates, &key)?;
        let mut entry = known.unwrap_or_else(|| Entry::new(visit.candidate, now));
        let (mut before, was_alive) = (moments(&entry), is_alive(entry.state));
        // What is queued is in no timetable of visits.
        before.0 = before.0.filter(|_| !entry.queued);
        // It may have been queued by a run before, and for another root node than the one it is visited for.
        entry.run = run.number;
        let old_root = std::mem::replace(&mut entry.root, visit.candidate.root().to_owned());
        let is_same = record.as_ref().is_some_and(|(record, _)| entry.md5 == Some(record.head.md5));
        if let Some((record, made_with)) = &record {
            note_made(&mut entry, &record.head, *made_with, visit.times);
        }
        let times = entry.ruled.map_or(visit.times, |ruled| Times { range: visit.times.range, ..ruled });
        let effect = if visit.is_remake {
            entry.remake(visit.fate, times)
        } else {
            entry.meet_content(visit.fate, times, patience, !is_same)
        };
        if let Some(schedule) = visit.schedule {
            entry.due = schedule.nearest(entry.due, now);
        }
        if let Some((md5, made_with)) = visit.seen {
            (entry.md5, entry.made_with) = (Some(md5), Some(made_with));
        }
        let occasion = Occasion { now, run: run.number, times, patience };
        hear(&mut entry, effect, visit.validators);
        if entry.role != Role::Map {
            let record = record.map(|(record, _)| record);
            self.put_down(&mut batch, &mut entry, (effect, record), occasion, before.1.is_some())?;
        }
        match opened {
            Some(opened) => self.put_down_members(&mut batch, &mut entry, opened, occasion)?,
            None if effect == Effect::Renew => self.renew_members(&mut batch, &entry, occasion)?,
            None => {}
        }
        visit.body.into_iter().for_each(|body| batch.put(Family::Bodies, &key, body));
        reschedule(&mut batch, &key, before, moments(&entry));
        roots.count(&old_root, host(&entry.url), was_alive, false);
        roots.count(&entry.root, host(&entry.url), false, is_alive(entry.state));
        batch.put(Family::Fates, &key, &entry);
        batch.delete(Family::Frontier, ticket);
        note_alias(&mut batch, &key, &entry);
        note_host(&mut batch, &visit.asked, visit.host.as_ref());
        let moment = Moment { now, patience, moved: Some(&entry) };
        let offers = self.take_up(&mut batch, &mut roots, run, visit.found, &moment)?;
        roots.save(&mut batch);
        self.commit_queued(batch)?;
        Ok(offers)
    }

    pub(crate) fn next_pending(&self) -> u64 {
        self.pending.fetch_add(1, Ordering::Relaxed)
    }

    /// Queues candidates that are not in hand, not too many and due.
    fn take_up(
        &self,
        batch: &mut Batch<'_>,
        roots: &mut Roots,
        run: &Run,
        candidates: Vec<(Candidate, Terms)>,
        moment: &Moment<'_>,
    ) -> Result<Vec<Offer>, StoreError> {
        let mut taken = std::collections::HashSet::new();
        let mut offers = Vec::with_capacity(candidates.len());
        for (candidate, terms) in candidates {
            let key = keys::url_key(candidate.url());
            let offer = if taken.contains(&key) {
                Offer::InHand
            } else {
                self.take_up_one(batch, roots, run, (&key, &candidate, terms), moment)?
            };
            let is_visited = !matches!(candidate.role(), Role::Member | Role::Collected);
            if is_visited && matches!(offer, Offer::New | Offer::Known | Offer::InHand) {
                batch.in_hand.push(self.recent.mark(candidate.root(), candidate.url()));
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
        (key, candidate, terms): (&[u8], &Candidate, Terms),
        moment: &Moment<'_>,
    ) -> Result<Offer, StoreError> {
        let Moment { now, patience, moved } = *moment;
        // Its container is what is visited, or its gatherer visits it.
        if matches!(candidate.role(), Role::Member | Role::Collected) {
            return Ok(Offer::InHand);
        }
        let known = self.disk.value(Family::Fates, key)?;
        if let Some(known) = &known {
            let glance: Glance = self.disk.decode(Family::Fates, known)?;
            if glance.queued || (glance.run == run.number && !terms.again) {
                return Ok(Offer::InHand);
            }
            // What was out of scope and is offered again is in scope now.
            let is_due = glance.due <= now || terms.now || glance.state == State::OutOfScope;
            if !is_due && candidate.hint().modified.is_none() {
                return Ok(Offer::NotDue(glance.due));
            }
        }
        let known: Option<Entry> = known.map(|known| self.disk.decode(Family::Fates, &known)).transpose()?;
        // Whoever has made its record visits it.
        if let Some(entry) = known.as_ref().filter(|entry| entry.role == Role::Collected && entry.expires.is_some()) {
            return Ok(Offer::NotDue(entry.due));
        }
        if let Some(entry) = known.as_ref().filter(|entry| !is_wanted(entry, candidate, terms, now)) {
            return Ok(Offer::NotDue(entry.due));
        }
        if let Some(entry) = known.as_ref().filter(|entry| keeps_its_role(entry, candidate)) {
            return Ok(Offer::NotDue(entry.due));
        }
        let offer = if known.is_some() { Offer::Known } else { Offer::New };
        let alive = known.as_ref().is_some_and(|entry| is_alive(entry.state));
        let mut entry = known.unwrap_or_else(|| heir(candidate, now, moved));
        let host = host(candidate.url());
        if !alive && let Some(full) = roots.is_full(candidate.root(), host, terms) {
            return Ok(Offer::Full(Departure::Full { limit: full }));
        }
        if offer == Offer::Known {
            batch.delete(Family::Due, &keys::moment(entry.visit_by(), key));
        }
        // It may come under another root node than before, when the config has changed.
        roots.count(&entry.root, host, alive, false);
        entry.take_up(candidate, run.number, now, patience);
        roots.count(&entry.root, host, false, true);
        batch.put(Family::Fates, key, &entry);
        let place = keys::queued(&server(candidate.url()), candidate.root(), terms.rank, key);
        batch.put(Family::Frontier, &place, candidate);
        batch.queued.push(place);
        Ok(offer)
    }

    /// Root nodes that enumeration programs have named.
    ///
    /// # Errors
    /// When the store fails.
    pub fn derived_nodes(&self) -> Result<Vec<DerivedNode>, StoreError> {
        let pairs = self.disk.scan(Family::Meta, DERIVED, &keys::behind(DERIVED));
        let node = |pair: Result<Pair, StoreError>| {
            let (key, line) = pair?;
            let name = String::from_utf8_lossy(&key[DERIVED.len()..]).into_owned();
            let (parent, line) = self.disk.decode(Family::Meta, &line)?;
            Ok(DerivedNode { name, parent, line })
        };
        pairs.map(node).collect()
    }

    /// Keeps a root node that an enumeration program has named; a newer line for the same name replaces the old one.
    ///
    /// # Errors
    /// When the store fails.
    pub fn keep_derived_node(&self, name: &str, parent: &str, line: &str) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        batch.put(Family::Meta, &[DERIVED, name.as_bytes()].concat(), &(parent, line));
        batch.commit()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Roots> {
        // A panic while writing leaves the counts as they were on disk or one ahead; both are harmless.
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When candidates are offered, and on which occasion.
struct Moment<'a> {
    now: UnixTime,
    patience: &'a Patience,
    /// The visit that found them.
    moved: Option<&'a Entry>,
}

/// What the server wants to hear at the next visit belongs to the content that was stored or found the same.
fn hear(entry: &mut Entry, effect: Effect, validators: Option<Validators>) {
    match effect {
        Effect::Write => entry.validators = validators.unwrap_or_default(),
        Effect::Renew => entry.validators = validators.unwrap_or(std::mem::take(&mut entry.validators)),
        Effect::Delete | Effect::Keep => {}
    }
}

/// Whether a known resource is to be visited now. A sitemap that speaks of a change since the last visit makes it due.
fn is_wanted(entry: &Entry, candidate: &Candidate, terms: Terms, now: UnixTime) -> bool {
    let has_changed = |modified: UnixTime| modified <= now && entry.last_success().is_none_or(|last| modified > last);
    entry.is_due(now)
        || terms.now
        || entry.state == State::OutOfScope
        || candidate.hint().modified.is_some_and(has_changed)
}

/// A link does not make a page of a sitemap, nor a sitemap's redirect a sitemap of a page that has a record.
fn keeps_its_role(entry: &Entry, candidate: &Candidate) -> bool {
    match (entry.role, candidate.role()) {
        (Role::Map, Role::Page | Role::Leaf | Role::Member | Role::Collected) => is_alive(entry.state),
        (Role::Page | Role::Leaf | Role::Member, Role::Map) => entry.expires.is_some(),
        _ => false,
    }
}

/// A new entry; what a resource has moved to for good takes over its history.
fn heir(candidate: &Candidate, now: UnixTime, moved: Option<&Entry>) -> Entry {
    let mut entry = Entry::new(candidate, now);
    let for_good = |outcome: &Outcome| match outcome {
        Outcome::Left(Departure::Moved { to, status: 301 | 308 }) => to == candidate.url().as_str(),
        _ => false,
    };
    if let Some(old) = moved.filter(|old| old.fates.last().is_some_and(|fate| for_good(&fate.outcome))) {
        (entry.met, entry.interval) = (old.met, old.interval);
    }
    entry
}

pub(crate) const DERIVED: &[u8] = b"derived\0";

pub(crate) fn is_alive(state: State) -> bool {
    !matches!(state, State::Gone | State::OutOfScope | State::Expired)
}

pub(crate) fn host(url: &Url) -> &str {
    gatherer_pipeline::host_name(url)
}

/// Whose queue a URL stands in.
pub(crate) fn server(url: &Url) -> Cow<'_, str> {
    gatherer_pipeline::server_name(url)
}
