//! What one part of the store says of another, held against that.

use super::check::shown;
use super::findings::Inspection;
use crate::disk::{Disk, Family};
use crate::fold::LOG_END;
use crate::record::{Change, ChangeKind, Head};
use crate::roots::Roots;
use crate::store::{host, is_alive};
use crate::timetable::moments;
use crate::{StoreError, keys};
use gatherer_pipeline::ledger::Entry;
use gatherer_pipeline::{Role, UnixTime};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use url::Url;

/// Bits that remember what is queued: sixteen megabytes, enough to name most of what is missing among millions.
const BITS: u64 = 1 << 27;

const NO_BODY: &str = "has a head, but no attributes";

/// Collects on the way what can only be compared at the end.
pub(super) struct Cross<'d> {
    disk: &'d Disk,
    /// A part could not be read to its end, so what is missing there says nothing.
    pub(super) is_partial: bool,
    /// Records that wait for the fold: by URL, and by digest and URL.
    pending: HashSet<u64>,
    /// Small halves of records, and large ones.
    heads: u64,
    bodies: u64,
    queue: Vec<u64>,
    in_queue: u64,
    marked_queued: u64,
    counted: Roots,
    log_end: (u64, UnixTime),
    last_change: UnixTime,
}

impl<'d> Cross<'d> {
    pub(super) fn new(disk: &'d Disk) -> Self {
        Self {
            disk,
            is_partial: false,
            pending: HashSet::new(),
            heads: 0,
            bodies: 0,
            queue: vec![0; usize::try_from(BITS / 64).unwrap_or(1)],
            in_queue: 0,
            marked_queued: 0,
            counted: Roots::default(),
            log_end: disk.get(Family::Meta, LOG_END).ok().flatten().unwrap_or_default(),
            last_change: UnixTime(0),
        }
    }

    pub(super) fn note_pending(&mut self, head: &Head, seen: &mut Inspection) {
        self.heads += 1;
        match self.has_body(head) {
            Ok(true) => {}
            Ok(false) => seen.apart("working", format!("the new record of {} {NO_BODY}", head.url)),
            Err(_) => self.is_partial = true,
        }
        let url_key = keys::url_key(&head.url);
        self.pending.insert(hash(&url_key));
        self.pending.insert(hash(&keys::alias(&head.md5.0, &url_key)));
    }

    pub(super) fn note_queued(&mut self, url_key: &[u8], url: &Url, seen: &mut Inspection) {
        let (word, bit) = place(url_key);
        self.queue[word] |= bit;
        self.in_queue += 1;
        match self.entry_at(url_key) {
            Ok(Some(entry)) if entry.queued => {}
            Ok(Some(_)) => seen.apart("frontier", format!("{url} is queued, and the ledger says that it is not")),
            Ok(None) => seen.apart("frontier", format!("{url} is queued, and the ledger does not know it")),
            Err(_) => self.is_partial = true,
        }
    }

    /// Each head is held against the body it names; whether a body has no head shows by their numbers in the end.
    pub(super) fn note_body(&mut self) {
        self.bodies += 1;
    }

    fn has_body(&self, head: &Head) -> Result<bool, StoreError> {
        self.disk.has(Family::Attributes, &head.body.to_be_bytes())
    }

    /// Holds a record against all that must know it.
    pub(super) fn record(&mut self, url_key: &[u8], head: Option<&Head>, seen: &mut Inspection) {
        let Some(head) = head else { return };
        let url = &head.url;
        let mut say = |what: &str| seen.apart("production", format!("the record of {url} {what}"));
        if keys::url_key(url) != url_key {
            say("stands in another's place");
        }
        let is_told = self.is_change(head.update, ChangeKind::Update, url).and_then(|is_update| {
            Ok(is_update && (head.change == head.update || self.is_change(head.change, ChangeKind::Refresh, url)?))
        });
        let has_digest = self.disk.has(Family::Digest, &keys::alias(&head.md5.0, url_key));
        let is_owned = self.is_owned(url_key, head);
        self.heads += 1;
        for (held, what) in [
            (self.has_body(head), NO_BODY),
            (is_told, "is not in the change log as it is, so brokers miss it"),
            (has_digest, "is not in the index of digests"),
            (is_owned, "has no entry in the ledger that keeps it, so it is never visited nor deleted"),
        ] {
            match held {
                Ok(true) => {}
                Ok(false) => say(what),
                Err(_) => self.is_partial = true,
            }
        }
        self.counted.count_record(&head.root, true);
    }

    /// Whether an entry keeps this record, or has put it down for deletion.
    fn is_owned(&self, url_key: &[u8], head: &Head) -> Result<bool, StoreError> {
        let entry = self.entry_at(&keys::url_key(&head.origin))?;
        Ok(match entry {
            Some(entry) if entry.expires.is_some() => true,
            Some(_) => self.pending.contains(&hash(url_key)) || self.disk.has(Family::Deletions, url_key)?,
            None => false,
        })
    }

    fn is_change(&self, number: u64, kind: ChangeKind, url: &Url) -> Result<bool, StoreError> {
        let change: Option<Change> = self.disk.get(Family::Changes, &number.to_be_bytes())?;
        Ok(change.is_some_and(|change| change.kind == kind && change.url == *url))
    }

    pub(super) fn tombstone(&mut self, url_key: &[u8], number: u64, seen: &mut Inspection) {
        let change: Result<Option<Change>, _> = self.disk.get(Family::Changes, &number.to_be_bytes());
        match change {
            Ok(Some(change)) if change.kind == ChangeKind::Delete && keys::url_key(&change.url) == url_key => {}
            Ok(_) => {
                let what = format!("the deletion of {} is not in the change log, so brokers miss it", shown(url_key));
                seen.apart("production", what);
            }
            Err(_) => self.is_partial = true,
        }
        if matches!(self.disk.has(Family::Production, &keys::half(url_key, keys::HEAD)), Ok(true)) {
            seen.apart("production", format!("{} is there and deleted at once", shown(url_key)));
        }
    }

    /// Holds a ledger entry against records, queue and timetables.
    pub(super) fn entry(&mut self, key: &[u8], entry: &Entry, seen: &mut Inspection) {
        let alive = if entry.role == Role::Collected { entry.expires.is_some() } else { is_alive(entry.state) };
        if entry.role != Role::Member {
            self.counted.count(&entry.root, host(&entry.url), false, alive);
        }
        let url = &entry.url;
        if entry.queued {
            self.marked_queued += 1;
            let (word, bit) = place(key);
            if !self.is_partial && self.queue[word] & bit == 0 {
                seen.apart("fates", format!("{url} is marked as queued and stands in no queue: it is never visited"));
            }
        }
        let (visit, end) = moments(entry);
        let visit = visit.filter(|_| !entry.queued);
        for (family, moment, what) in [
            (Family::Due, visit, "is not in the timetable of visits"),
            (Family::Expiry, end, "has an end that is not noted"),
        ] {
            let is_there = moment.map_or(Ok(true), |at| self.disk.has(family, &keys::moment(at, key)));
            match is_there {
                Ok(true) => {}
                Ok(false) => seen.apart("fates", format!("{url} {what}")),
                Err(_) => self.is_partial = true,
            }
        }
        // Under a URL that a rule has given, another resource may have put its own.
        if entry.expires.is_some() && entry.record.is_none() {
            match self.disk.has(Family::Production, &keys::half(key, keys::HEAD)) {
                Ok(false) if !self.pending.contains(&hash(key)) => {
                    seen.apart("fates", format!("{url} should have a record, and there is none"));
                }
                Ok(_) => {}
                Err(_) => self.is_partial = true,
            }
        }
    }

    /// Holds a line of the change log against production.
    pub(super) fn change(&mut self, key: &[u8], change: &Change, seen: &mut Inspection) {
        let Change { number, kind, url, at, .. } = change;
        let mut say = |what: &str| seen.apart("changes", format!("change {number} of {url} {what}"));
        if key != number.to_be_bytes() || *number > self.log_end.0 {
            say("has a number that is not its own");
        }
        if *at < self.last_change || *at > self.log_end.1 {
            say("has a time out of turn");
        }
        self.last_change = self.last_change.max(*at);
        let url_key = keys::url_key(url);
        let stands = match kind {
            ChangeKind::Delete => self
                .disk
                .get::<u64>(Family::Production, &keys::half(&url_key, keys::TOMBSTONE))
                .map(|tombstone| tombstone == Some(*number)),
            ChangeKind::Update => self.head_at(&url_key).map(|head| head.is_some_and(|head| head.update == *number)),
            ChangeKind::Refresh => self.head_at(&url_key).map(|head| head.is_some_and(|head| head.change == *number)),
        };
        match stands {
            Ok(true) => {}
            Ok(false) => say("does not tell how things stand"),
            Err(_) => self.is_partial = true,
        }
    }

    pub(super) fn digest(&mut self, key: &[u8], seen: &mut Inspection) {
        let Some((md5, url_key)) = key.split_first_chunk::<16>() else {
            return seen.damaged("digest", format!("{} is no digest of anything", shown(key)));
        };
        match self.head_at(url_key) {
            Ok(Some(head)) if head.md5.0 == *md5 => {}
            Ok(_) if self.pending.contains(&hash(key)) => {}
            Ok(_) => seen.apart("digest", format!("a digest is kept that {} does not have", shown(url_key))),
            Err(_) => self.is_partial = true,
        }
    }

    pub(super) fn due(&mut self, key: &[u8], seen: &mut Inspection) {
        self.moment(key, "due", |entry| moments(entry).0, seen);
    }

    pub(super) fn expiry(&mut self, key: &[u8], seen: &mut Inspection) {
        self.moment(key, "expiry", |entry| moments(entry).1, seen);
    }

    fn moment(
        &mut self,
        key: &[u8],
        part: &'static str,
        own: impl Fn(&Entry) -> Option<UnixTime>,
        seen: &mut Inspection,
    ) {
        let Some((at, url_key)) = keys::split_moment(key) else {
            return seen.damaged(part, format!("{} is no time of anything", shown(key)));
        };
        match self.entry_at(url_key) {
            Ok(Some(entry)) if own(&entry) == Some(at) => {}
            Ok(_) => seen.apart(part, format!("a time is kept that {} does not have", shown(url_key))),
            Err(_) => self.is_partial = true,
        }
    }

    /// Whether the ledger knows it; where that cannot be said, it does.
    pub(super) fn is_known(&mut self, url_key: &[u8], _: &mut Inspection) -> bool {
        self.disk.has(Family::Fates, url_key).unwrap_or_else(|_| {
            self.is_partial = true;
            true
        })
    }

    /// What is counted along the way, against what was counted now.
    pub(super) fn counters(&mut self, seen: &mut Inspection) {
        if self.is_partial {
            return;
        }
        if self.heads != self.bodies {
            let what = format!("there are attributes of {} records, and heads of {}", self.bodies, self.heads);
            seen.apart("attributes", what);
        }
        if self.in_queue != self.marked_queued {
            let what =
                format!("{} URLs are marked as queued, and {} stand in queues", self.marked_queued, self.in_queue);
            seen.apart("fates", what);
        }
        match Roots::load(self.disk) {
            Ok(kept) => kept.differences(&self.counted).into_iter().for_each(|what| seen.apart("meta", what)),
            Err(error) => seen.damaged("meta", super::check::cause(&error)),
        }
    }

    fn entry_at(&self, url_key: &[u8]) -> Result<Option<Entry>, StoreError> {
        self.disk.get(Family::Fates, url_key)
    }

    fn head_at(&self, url_key: &[u8]) -> Result<Option<Head>, StoreError> {
        self.disk.get(Family::Production, &keys::half(url_key, keys::HEAD))
    }
}

fn hash(key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// The bit that stands for a key.
fn place(key: &[u8]) -> (usize, u64) {
    let bit = hash(key) % BITS;
    (usize::try_from(bit / 64).unwrap_or(0), 1 << (bit % 64))
}
