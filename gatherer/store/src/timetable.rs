//! When each resource is due, and when each record's life ends.

use crate::disk::{Batch, Family};
use crate::store::{host, server};
use crate::{Run, Store, StoreError, keys};
use gatherer_pipeline::ledger::{Entry, Fate, Outcome};
use gatherer_pipeline::life::Patience;
use gatherer_pipeline::{Departure, HostState, Role, State, Times, UnixTime};
use std::time::Duration;

/// Where an entry stands in the timetables of visits and of ends. Members stand in neither, and what others visit has an
/// end only.
pub(crate) type Moments = (Option<UnixTime>, Option<UnixTime>);

pub(crate) fn moments(entry: &Entry) -> Moments {
    match entry.role {
        Role::Member => (None, None),
        Role::Collected => (None, entry.expires),
        _ => (Some(entry.visit_by()), entry.expires),
    }
}

/// Moves an entry's places in the two timetables.
pub(crate) fn reschedule(batch: &mut Batch<'_>, key: &[u8], before: Moments, after: Moments) {
    before.0.into_iter().for_each(|old| batch.delete(Family::Due, &keys::moment(old, key)));
    after.0.into_iter().for_each(|new| batch.mark(Family::Due, &keys::moment(new, key)));
    before.1.into_iter().for_each(|old| batch.delete(Family::Expiry, &keys::moment(old, key)));
    after.1.into_iter().for_each(|new| batch.mark(Family::Expiry, &keys::moment(new, key)));
}

impl Store {
    /// Entries whose refresh time has come, up to `most`, not visited since `quiet`. `place` is where the last call
    /// ended; begin with an empty one.
    ///
    /// # Errors
    /// When the store fails.
    pub fn due(
        &self,
        quiet: UnixTime,
        now: UnixTime,
        place: &mut Vec<u8>,
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let (mut entries, mut stray) = (Vec::new(), Vec::new());
        for pair in self.disk.scan(Family::Due, place, &keys::moment(UnixTime(now.0.saturating_add(1)), &[])) {
            let (key, _) = pair?;
            // The next look begins behind this one.
            *place = [&*key, b"\0"].concat();
            let Some((_, url_key)) = keys::split_moment(&key) else { continue };
            let entry: Option<Entry> = self.disk.get(Family::Fates, url_key)?;
            if entry.is_none() {
                stray.push(key.clone());
            }
            let is_quiet = |entry: &Entry| entry.fates.last().is_none_or(|fate| fate.at <= quiet);
            entries.extend(entry.filter(|entry| !entry.queued && is_quiet(entry)));
            if entries.len() == most {
                break;
            }
        }
        self.drop_stray(&stray)?;
        Ok(entries)
    }

    /// A moment at which nothing is due would begin a run again and again.
    fn drop_stray(&self, moments: &[Box<[u8]>]) -> Result<(), StoreError> {
        if moments.is_empty() {
            return Ok(());
        }
        let _roots = self.lock();
        let mut batch = self.disk.batch();
        for moment in moments {
            let known = keys::split_moment(moment).map_or(Ok(false), |(_, key)| self.disk.has(Family::Fates, key))?;
            if !known {
                batch.delete(Family::Due, moment);
            }
        }
        batch.commit()
    }

    /// Ends the life of records whose time-to-live is over although this run tried to visit them. Returns how many.
    ///
    /// # Errors
    /// When the store fails.
    pub fn expire(&self, run: &Run, now: UnixTime, patience: &Patience) -> Result<u64, StoreError> {
        let end = keys::moment(UnixTime(now.0.saturating_add(1)), &[]);
        let overdue: Vec<_> = self.disk.scan(Family::Expiry, &[], &end).collect::<Result<_, _>>()?;
        let mut expired = 0;
        for (moment, _) in overdue {
            let Some((_, key)) = keys::split_moment(&moment) else { continue };
            let mut roots = self.lock();
            let Some(mut entry) = self.disk.get::<Entry>(Family::Fates, key)? else { continue };
            if entry.role == Role::Collected {
                // Its source has been heard since, has not renewed it, and would not say that it has it no longer.
                let place = self.source_place(&entry.root)?;
                if place.is_none_or(|place| place.tells_all || Some(place.heard) < entry.expires) {
                    continue;
                }
            }
            // Only what was tried in vain after its time was over: a long pause is no reason, nor a short life.
            let tried = entry.fates.last().is_some_and(|fate| Some(fate.at) >= entry.expires);
            let tried = if entry.queued {
                // Its host is left alone because nobody answers there: then nobody answers for this one either.
                self.host_state(&server(&entry.url))?.failures >= HostState::PATIENCE
            } else {
                tried && entry.run == run.number
            };
            let is_tried = tried && !matches!(entry.state, State::Current | State::Unchanged);
            if !is_tried && entry.role != Role::Collected {
                continue;
            }
            let (before, was_queued) = (moments(&entry), entry.queued);
            let times = Times { refresh_rate: now.since(entry.since), time_to_live: Duration::ZERO, range: 1 };
            entry.meet(Fate { at: now, run: run.number, outcome: Outcome::Left(Departure::Expired) }, times, patience);
            // Its place in the queue stays, for the day when somebody answers.
            entry.queued = was_queued;
            let mut batch = self.disk.batch();
            self.put_down_deletion(&mut batch, &mut entry, before.1.is_some())?;
            // What is queued is in no timetable of visits.
            let (visit, end) = moments(&entry);
            reschedule(&mut batch, key, before, (visit.filter(|_| !was_queued), end));
            roots.count(&entry.root, host(&entry.url), true, false);
            batch.put(Family::Fates, key, &entry);
            roots.save(&mut batch);
            batch.commit()?;
            expired += 1;
        }
        Ok(expired)
    }

    /// When the next resource is due, of all that are not in the present run.
    ///
    /// # Errors
    /// When the store fails.
    pub fn next_due(&self) -> Result<Option<UnixTime>, StoreError> {
        let first = self.disk.scan(Family::Due, &[], &[]).next().transpose()?;
        Ok(first.and_then(|(key, _)| keys::split_moment(&key).map(|(at, _)| at)))
    }
}
