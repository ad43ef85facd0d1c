//! What a visit does to records: to that of the resource itself, and to those of what is inside of it.
//!
//! Members have entries and records of their own, under the container's URL with their name as its fragment. They are
//! never visited: each visit of the container is theirs too. What is renewed or deleted there is renewed or deleted here,
//! and only a container that was read to its end loses a member at once.

use crate::disk::{Batch, Family};
use crate::packing::Pending;
use crate::store::{Deletion, Renewal};
use crate::{Head, Record, Store, StoreError, keys};
use gatherer_pipeline::ledger::{Entry, Fate};
use gatherer_pipeline::life::{Effect, Patience};
use gatherer_pipeline::{Departure, Md5, Outcome, Times, UnixTime};
use std::collections::{HashMap, HashSet};
use url::Url;

/// What was found inside of a resource.
pub struct Opened {
    /// The members, each with its fate.
    pub members: Vec<Within>,
    /// How far it was read.
    pub reading: Reading,
}

/// How far a container was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// To its end: who is missing is no longer there.
    Whole,
    /// Not to its end: who is missing may still be there.
    Partial,
    /// It was no container this time: a page in the place of an archive, or something empty.
    None,
}

/// One member.
pub struct Within {
    /// Its URL.
    pub url: Url,
    /// What became of it.
    pub outcome: Outcome,
    /// Its record, if it has a new one, and the digest of what it was made with.
    pub record: Option<(Record, Option<Md5>)>,
}

/// The same, its records packed.
pub(crate) struct PackedWithin {
    url: Url,
    outcome: Outcome,
    record: Option<(Pending, Option<Md5>)>,
}

/// The visit that all of it belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Occasion<'a> {
    pub(crate) now: UnixTime,
    pub(crate) run: u64,
    pub(crate) times: Times,
    pub(crate) patience: &'a Patience,
}

impl Store {
    /// Puts down what a visit does to the record of one resource.
    pub(crate) fn put_down(
        &self,
        batch: &mut Batch<'_>,
        entry: &mut Entry,
        (effect, record): (Effect, Option<Pending>),
        occasion: Occasion<'_>,
        had_record: bool,
    ) -> Result<(), StoreError> {
        let key = keys::url_key(entry.record_url());
        match (effect, record) {
            (Effect::Write, Some(record)) => {
                let stands = keys::url_key(&record.head.url);
                if stands != key && had_record {
                    let rule = format!("that gives it the URL {}", record.head.url);
                    let reason = Departure::RuledOut { rule };
                    self.withdraw(batch, entry, reason, (true, true))?;
                }
                entry.record = (record.head.url != entry.url).then(|| record.head.url.clone());
                // Known before the fold, so that equal content is seen within one chunk too.
                batch.mark(Family::Digest, &keys::alias(&record.head.md5.0, &stands));
                self.keep_pending(batch, record);
                batch.delete(Family::Deletions, &stands);
            }
            (Effect::Renew, _) => {
                let Occasion { now: updated, times, .. } = occasion;
                let (url, origin, root) = (entry.record_url().clone(), entry.url.clone(), entry.root.clone());
                let renewal = Renewal { url, origin, root, updated, times };
                batch.put(Family::Refresh, &self.next_pending().to_be_bytes(), &renewal);
                batch.delete(Family::Deletions, &key);
            }
            (Effect::Delete, _) => self.put_down_deletion(batch, entry, had_record)?,
            (Effect::Keep | Effect::Write, _) => {}
        }
        Ok(())
    }

    /// Puts a record down for deletion, with those of all its members.
    pub(crate) fn put_down_deletion(
        &self,
        batch: &mut Batch<'_>,
        entry: &mut Entry,
        had_record: bool,
    ) -> Result<(), StoreError> {
        let Some(Fate { at, run, outcome: Outcome::Left(reason) }) = entry.fates.last().cloned() else { return Ok(()) };
        for mut member in self.members(entry)? {
            let had_record = member.expires.take().is_some();
            (member.md5, member.state, member.since) = (None, entry.state, at);
            member.fates.push(Fate { at, run, outcome: Outcome::Left(reason.clone()) });
            self.withdraw(batch, &member, reason.clone(), (had_record, false))?;
            batch.put(Family::Fates, &keys::url_key(&member.url), &member);
        }
        self.withdraw(batch, entry, reason, (had_record, false))?;
        // The brake may hold the deletion. If the resource comes back meanwhile with the same content, it has what it had; but
        // not with a record under another URL or with members, which are no longer known as its own.
        if entry.record.is_some() || entry.members > 0 {
            entry.forget_content();
        }
        (entry.record, entry.members) = (None, 0);
        batch.delete(Family::Bodies, &keys::url_key(&entry.url));
        Ok(())
    }

    /// Puts one record down for deletion, if there is one: folded, or about to be, since deletions are folded last.
    fn withdraw(
        &self,
        batch: &mut Batch<'_>,
        entry: &Entry,
        reason: Departure,
        (had_record, is_move): (bool, bool),
    ) -> Result<(), StoreError> {
        let key = keys::url_key(entry.record_url());
        if had_record || self.disk.has(Family::Production, &keys::half(&key, keys::HEAD))? {
            let (url, origin, root) = (entry.record_url().clone(), entry.url.clone(), entry.root.clone());
            let deletion = Deletion { url, origin, root, reason, is_move };
            batch.put(Family::Deletions, &key, &deletion);
        }
        Ok(())
    }

    /// Packs the records of all that was found inside of a resource.
    pub(crate) fn pack_members(&self, opened: Opened) -> Result<(Vec<PackedWithin>, Reading), StoreError> {
        let pack = |Within { url, outcome, record }| Ok(PackedWithin { url, outcome, record: self.pack_made(record)? });
        Ok((opened.members.into_iter().map(pack).collect::<Result<_, _>>()?, opened.reading))
    }

    /// Writes down what was found inside of a resource.
    pub(crate) fn put_down_members(
        &self,
        batch: &mut Batch<'_>,
        container: &mut Entry,
        (mut members, reading): (Vec<PackedWithin>, Reading),
        occasion: Occasion<'_>,
    ) -> Result<(), StoreError> {
        let known = self.members(container)?.into_iter().map(|entry| (entry.url.clone(), entry));
        let mut known: HashMap<_, _> = known.collect();
        let candidate = container.candidate();
        // Of two under one name, the one that could be had counts.
        members.sort_by_key(|member| member.record.is_none());
        let mut seen = HashSet::new();
        for PackedWithin { url, outcome, record } in members {
            if seen.insert(url.clone()) {
                let entry = known.remove(&url).unwrap_or_else(|| Entry::new(&candidate.member(url), occasion.now));
                self.meet_member(batch, entry, (outcome, record), occasion)?;
            }
        }
        let departure = match reading {
            Reading::Whole => Departure::TakenOut,
            Reading::Partial => Departure::Packed { reason: "not in what could be read of its container".to_owned() },
            Reading::None => Departure::Closed,
        };
        let (mut count, missing) = (seen.len(), known.into_values().filter(|entry| entry.expires.is_some()));
        for entry in missing {
            count += 1;
            self.meet_member(batch, entry, (Outcome::Left(departure.clone()), None), occasion)?;
        }
        container.members = u32::try_from(count).unwrap_or(u32::MAX);
        Ok(())
    }

    /// Renews all members of a resource that was found the same. Those that were not in it, or could not be had, still
    /// are not.
    pub(crate) fn renew_members(
        &self,
        batch: &mut Batch<'_>,
        container: &Entry,
        occasion: Occasion<'_>,
    ) -> Result<(), StoreError> {
        let Some(Fate { outcome, .. }) = container.fates.last() else { return Ok(()) };
        for entry in self.members(container)? {
            let last = entry.fates.last().map(|fate| &fate.outcome);
            let outcome = match last {
                _ if entry.expires.is_none() => continue,
                Some(lost @ Outcome::Left(Departure::Closed | Departure::Packed { .. })) => lost.clone(),
                _ => outcome.clone(),
            };
            self.meet_member(batch, entry, (outcome, None), occasion)?;
        }
        Ok(())
    }

    fn meet_member(
        &self,
        batch: &mut Batch<'_>,
        mut entry: Entry,
        (outcome, record): (Outcome, Option<(Pending, Option<Md5>)>),
        occasion: Occasion<'_>,
    ) -> Result<(), StoreError> {
        let had_record = entry.expires.is_some();
        if let Some((record, made_with)) = &record {
            note_made(&mut entry, &record.head, *made_with, occasion.times);
        }
        let times = entry.ruled.unwrap_or(occasion.times);
        let is_lost = matches!(outcome, Outcome::Left(Departure::Packed { .. }));
        let is_over = is_lost && entry.expires.is_some_and(|end| end < occasion.now);
        let outcome = if is_over { Outcome::Left(Departure::Expired) } else { outcome };
        let fate = Fate { at: occasion.now, run: occasion.run, outcome };
        let effect = entry.meet(fate, times, occasion.patience);
        let record = record.map(|(record, _)| record);
        self.put_down(batch, &mut entry, (effect, record), Occasion { times, ..occasion }, had_record)?;
        batch.put(Family::Fates, &keys::url_key(&entry.url), &entry);
        Ok(())
    }

    /// The entries of all that was ever found inside of a resource.
    ///
    /// # Errors
    /// When the store fails.
    pub fn members(&self, container: &Entry) -> Result<Vec<Entry>, StoreError> {
        if container.members == 0 {
            return Ok(Vec::new());
        }
        let inside = keys::members(&container.url);
        let pairs = self.disk.scan(Family::Fates, &inside, &keys::behind(&inside));
        pairs.map(|pair| self.disk.decode(Family::Fates, &pair?.1)).collect()
    }
}

/// Notes of what a record was made, with what, and the spans that rules have given it.
pub(crate) fn note_made(entry: &mut Entry, head: &Head, made_with: Option<Md5>, times: Times) {
    (entry.md5, entry.made_with) = (Some(head.md5), made_with);
    entry.ruled = (head.times != times).then_some(head.times);
}
