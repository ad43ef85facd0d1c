//! Records that other gatherers have made, taken over as they are.
//!
//! Each has an entry of its own, under the name of its source. It is never visited by us: its source renews it, and takes
//! it back. What we gather ourselves, or have from another source already, is left as it is.

use crate::disk::Family;
use crate::members::Occasion;
use crate::packing::Pending;
use crate::store::host;
use crate::timetable::{moments, reschedule};
use crate::{Head, Record, Store, StoreError, keys};
use gatherer_pipeline::ledger::{Entry, Fate};
use gatherer_pipeline::life::Patience;
use gatherer_pipeline::{Candidate, Departure, Outcome, Role, State, Times, Unchanged, UnixTime};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// What a source says of one record.
#[derive(Debug)]
pub enum Adopted {
    /// It is new or has changed.
    Record(Box<Record>),
    /// It is the same, and lives on.
    Renewal {
        /// Which.
        url: Url,
        /// When the source found it the same.
        updated: UnixTime,
        /// Its new times.
        times: Times,
    },
    /// It is to go.
    Gone {
        /// Which.
        url: Url,
        /// Why.
        reason: Departure,
    },
}

/// The same, its record packed.
enum Heard {
    Record(Box<Pending>),
    Renewal { updated: UnixTime, times: Times },
    Gone { reason: Departure },
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Adoption {
    /// Records taken over.
    pub taken: u64,
    /// Renewed.
    pub renewed: u64,
    /// Put down for deletion.
    pub gone: u64,
    /// Left as they are, because they are ours or another source's.
    pub left: u64,
    /// Renewals of what is not here although nobody else has it: the source has to be heard from its start.
    pub missing: u64,
}

/// Where a source stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePlace {
    /// The place, in the source's own words.
    pub place: String,
    /// What is collected from it; a place means nothing for anything else.
    pub of: String,
    /// When it was last heard to its end.
    pub heard: UnixTime,
    /// Whether it tells by itself what has gone.
    pub tells_all: bool,
}

/// On which occasion something is taken over.
#[derive(Debug, Clone, Copy)]
pub struct Hearing<'a> {
    /// The source, by its name in the config.
    pub source: &'a str,
    /// When.
    pub now: UnixTime,
    /// In which run, or after which.
    pub run: u64,
    /// For the machine of states.
    pub patience: &'a Patience,
}

impl Store {
    /// Takes over what a source says, in one batch, together with the place that was reached by it.
    ///
    /// # Errors
    /// When the store fails; nothing is then taken over.
    pub fn adopt(
        &self,
        hearing: Hearing<'_>,
        adopted: Vec<Adopted>,
        place: Option<&SourcePlace>,
    ) -> Result<Adoption, StoreError> {
        // The last word on a URL counts.
        let mut last = std::collections::BTreeMap::new();
        for one in adopted {
            last.insert(keys::url_key(one.url()), one);
        }
        let heard = last.into_iter().map(|(key, one)| Ok((key, one.url().clone(), self.packed(one)?)));
        let heard: Vec<_> = heard.collect::<Result<_, StoreError>>()?;
        let mut roots = self.lock();
        let mut batch = self.disk.batch();
        let mut adoption = Adoption::default();
        for (key, url, one) in heard {
            let known: Option<Entry> = self.disk.get(Family::Fates, &key)?;
            if known.as_ref().is_some_and(|entry| !is_of(entry, hearing.source) && is_taken(entry)) {
                adoption.left += 1;
                continue;
            }
            if !matches!(one, Heard::Record(_)) && !self.stands_under(&key, hearing.source)? {
                adoption.missing += u64::from(matches!(one, Heard::Renewal { .. }));
                continue;
            }
            let candidate = Candidate::collected(url, hearing.source);
            let mut entry = known.unwrap_or_else(|| Entry::new(&candidate, hearing.now));
            let (before, was_alive) = (moments(&entry), entry.expires.is_some());
            let old_root = std::mem::replace(&mut entry.root, hearing.source.to_owned());
            entry.role = Role::Collected;
            self.hear_of(&mut batch, &mut entry, one, hearing, &mut adoption)?;
            reschedule(&mut batch, &key, before, moments(&entry));
            roots.count(&old_root, host(&entry.url), was_alive, false);
            roots.count(&entry.root, host(&entry.url), false, entry.expires.is_some());
            batch.put(Family::Fates, &key, &entry);
        }
        if let Some(place) = place {
            batch.put(Family::Meta, &source_key(hearing.source), place);
        }
        roots.save(&mut batch);
        batch.commit()?;
        Ok(adoption)
    }

    fn packed(&self, one: Adopted) -> Result<Heard, StoreError> {
        Ok(match one {
            Adopted::Record(record) => Heard::Record(Box::new(self.pack(*record)?)),
            Adopted::Renewal { updated, times, .. } => Heard::Renewal { updated, times },
            Adopted::Gone { reason, .. } => Heard::Gone { reason },
        })
    }

    fn hear_of(
        &self,
        batch: &mut crate::disk::Batch<'_>,
        entry: &mut Entry,
        one: Heard,
        hearing: Hearing<'_>,
        adoption: &mut Adoption,
    ) -> Result<(), StoreError> {
        let Hearing { source, now, run, patience } = hearing;
        let none = Times { refresh_rate: Duration::ZERO, time_to_live: Duration::ZERO, range: 1 };
        let summarizer = format!("{source}, from where it was collected");
        let (outcome, times, updated, record) = match one {
            Heard::Record(record) => {
                adoption.taken += 1;
                let kind = record.head.kind.clone();
                let (times, updated) = (record.head.times, record.head.updated);
                (Outcome::Stored { kind, votes: Vec::new(), summarizer }, times, updated, Some(*record))
            }
            Heard::Renewal { updated, times } => {
                adoption.renewed += 1;
                (Outcome::Left(Departure::Unchanged(Unchanged::NotModified)), times, updated, None)
            }
            Heard::Gone { reason } => {
                adoption.gone += 1;
                (Outcome::Left(reason), none, now, None)
            }
        };
        let had_record = entry.expires.is_some();
        if let Some(record) = &record {
            entry.md5 = Some(record.head.md5);
        }
        let effect = entry.meet(Fate { at: now, run, outcome }, times, patience);
        // It lives by its source's clock.
        entry.expires = entry.expires.map(|_| updated.after(times.time_to_live));
        let occasion = Occasion { now: updated, run, times, patience };
        self.put_down(batch, entry, (effect, record), occasion, had_record)
    }

    /// Whether a record that brokers see, or are about to see, is of this source.
    fn stands_under(&self, key: &[u8], source: &str) -> Result<bool, StoreError> {
        let head: Option<Head> = self.disk.get(Family::Production, &keys::half(key, keys::HEAD))?;
        let entry: Option<Entry> = self.disk.get(Family::Fates, key)?;
        Ok(head.is_some_and(|head| head.root == source)
            || entry.is_some_and(|entry| is_of(&entry, source) && entry.expires.is_some()))
    }

    /// Puts down for deletion what came from a source and is to go. Gives how much that was.
    ///
    /// # Errors
    /// When the store fails. What was put down by then is; the next attempt goes on from there.
    pub fn drop_collected(
        &self,
        hearing: Hearing<'_>,
        reason: &Departure,
        is_to_go: &dyn Fn(&Url) -> bool,
    ) -> Result<u64, StoreError> {
        let (mut going, mut count) = (Vec::new(), 0);
        for pair in self.disk.scan(Family::Fates, &[], &[]) {
            let entry: Entry = self.disk.decode(Family::Fates, &pair?.1)?;
            if is_of(&entry, hearing.source) && entry.expires.is_some() && is_to_go(&entry.url) {
                going.push(Adopted::Gone { url: entry.url, reason: reason.clone() });
            }
            if going.len() == CHUNK {
                count += self.adopt(hearing, std::mem::take(&mut going), None)?.gone;
            }
        }
        Ok(count + self.adopt(hearing, going, None)?.gone)
    }

    /// Notes that a source is heard from its start, before anything of it is taken over: what came of it must be found when it
    /// has gone from the config.
    ///
    /// # Errors
    /// When the store fails.
    pub fn begin_source(&self, source: &str) -> Result<(), StoreError> {
        let start = SourcePlace { place: String::new(), of: String::new(), heard: UnixTime(0), tells_all: false };
        let mut batch = self.disk.batch();
        batch.put(Family::Meta, &source_key(source), &start);
        batch.commit()
    }

    /// Forgets a source, of which there is nothing left.
    ///
    /// # Errors
    /// When the store fails.
    pub fn forget_source(&self, source: &str) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        batch.delete(Family::Meta, &source_key(source));
        batch.commit()
    }

    /// All sources that anything was ever taken over from.
    ///
    /// # Errors
    /// When the store fails.
    pub fn sources(&self) -> Result<Vec<String>, StoreError> {
        let pairs = self.disk.scan(Family::Meta, SOURCE, &keys::behind(SOURCE));
        pairs.map(|pair| Ok(String::from_utf8_lossy(&pair?.0[SOURCE.len()..]).into_owned())).collect()
    }

    /// Where a source stands.
    ///
    /// # Errors
    /// When the store fails.
    pub fn source_place(&self, source: &str) -> Result<Option<SourcePlace>, StoreError> {
        self.disk.get(Family::Meta, &source_key(source))
    }
}

impl Adopted {
    /// Of what.
    pub fn url(&self) -> &Url {
        match self {
            Self::Record(record) => &record.head.url,
            Self::Renewal { url, .. } | Self::Gone { url, .. } => url,
        }
    }
}

fn is_of(entry: &Entry, source: &str) -> bool {
    entry.role == Role::Collected && entry.root == source
}

/// Whether somebody else has it, or is about to.
fn is_taken(entry: &Entry) -> bool {
    entry.expires.is_some()
        || entry.queued
        || (entry.role != Role::Collected && !matches!(entry.state, State::OutOfScope))
}

/// So many are put down in one batch.
const CHUNK: usize = 500;

const SOURCE: &[u8] = b"collected ";

pub(crate) fn source_key(source: &str) -> Vec<u8> {
    [SOURCE, source.as_bytes()].concat()
}
