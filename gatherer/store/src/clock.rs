//! What the store knows of time itself: when it was last in use, whether ends of lives can be believed, and since when it
//! knows each root node; and by which pace it is visited.

use crate::disk::Family;
use crate::timetable::{moments, reschedule};
use crate::{Store, StoreError, keys};
use gatherer_pipeline::ledger::Entry;
use gatherer_pipeline::{Md5, UnixTime};
use url::Url;

const LAST_TIME: &[u8] = b"last-time";
const NO_ENDS: &[u8] = b"no-ends-before";
const MET: &[u8] = b"met\0";
const PACE: &[u8] = b"pace\0";

impl Store {
    /// When it was last said to be in use.
    ///
    /// # Errors
    /// When the store fails.
    pub fn last_time(&self) -> Result<Option<UnixTime>, StoreError> {
        self.disk.get(Family::Meta, LAST_TIME)
    }

    /// Says that it is in use now.
    ///
    /// # Errors
    /// When the store fails.
    pub fn note_time(&self, now: UnixTime) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        batch.put(Family::Meta, LAST_TIME, &now);
        batch.commit()
    }

    /// Until when no life ends, because nobody can be sure of the clock, or everybody must have a chance to be visited.
    ///
    /// # Errors
    /// When the store fails.
    pub fn no_ends_before(&self) -> Result<Option<UnixTime>, StoreError> {
        self.disk.get(Family::Meta, NO_ENDS)
    }

    /// Lets no life end before `time`.
    ///
    /// # Errors
    /// When the store fails.
    pub fn set_no_ends_before(&self, time: UnixTime) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        batch.put(Family::Meta, NO_ENDS, &time);
        batch.commit()
    }

    /// Since when a root node is known here: since now, if this is the first word of it.
    ///
    /// # Errors
    /// When the store fails.
    pub fn root_met(&self, root: &str, now: UnixTime) -> Result<UnixTime, StoreError> {
        let key = [MET, root.as_bytes()].concat();
        // A clock that was set back must not keep it waiting.
        if let Some(met) = self.disk.get::<UnixTime>(Family::Meta, &key)?.filter(|met| *met <= now) {
            return Ok(met);
        }
        let mut batch = self.disk.batch();
        batch.put(Family::Meta, &key, &now);
        batch.commit()?;
        Ok(now)
    }

    /// Entries that are due after `time`, the latest first, up to `most`.
    ///
    /// # Errors
    /// When the store fails.
    pub fn due_after(&self, time: UnixTime, most: usize) -> Result<Vec<Entry>, StoreError> {
        let from = keys::moment(UnixTime(time.0.saturating_add(1)), &[]);
        let mut entries = Vec::new();
        for pair in self.disk.scan(Family::Due, &from, &[]).take(most) {
            let (key, _) = pair?;
            let Some((_, url_key)) = keys::split_moment(&key) else { continue };
            let entry: Option<Entry> = self.disk.get(Family::Fates, url_key)?;
            entries.extend(entry.filter(|entry| !entry.queued));
        }
        Ok(entries)
    }

    /// The pace by which a root node's resources stand in the timetable.
    ///
    /// # Errors
    /// When the store fails.
    pub fn pace_mark(&self, root: &str) -> Result<Option<Md5>, StoreError> {
        self.disk.get(Family::Meta, &[PACE, root.as_bytes()].concat())
    }

    /// Notes the pace by which they stand there now.
    ///
    /// # Errors
    /// When the store fails.
    pub fn set_pace_mark(&self, root: &str, mark: Md5) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        batch.put(Family::Meta, &[PACE, root.as_bytes()].concat(), &mark);
        batch.commit()
    }

    /// Leaves a resource alone until `time`, unless it is queued.
    ///
    /// # Errors
    /// When the store fails.
    pub fn put_off(&self, url: &Url, time: UnixTime) -> Result<(), StoreError> {
        let key = keys::url_key(url);
        let _writing = self.lock();
        let Some(mut entry) = self.disk.get::<Entry>(Family::Fates, &key)? else { return Ok(()) };
        if entry.queued {
            // In a queue by now, and so in no timetable of visits.
            return Ok(());
        }
        let before = moments(&entry);
        entry.put_off(time);
        let mut batch = self.disk.batch();
        reschedule(&mut batch, &key, before, moments(&entry));
        batch.put(Family::Fates, &key, &entry);
        batch.commit()
    }

    /// Bytes that are free on the disk where it lives; nothing where the system does not tell.
    pub fn free_space(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(self.path()).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }
}
