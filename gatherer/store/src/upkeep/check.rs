//! A look at everything: each value is read and understood, and what one part says of another is looked up there.
//!
//! Memory is bounded whatever the size of the store: parts are read from front to back, what another part must have is looked
//! up one by one, and of the queue only a set of bits is remembered.

use super::Watch;
use super::cross::Cross;
use super::findings::Inspection;
use crate::disk::{Disk, Family, Pair};
use crate::packing::is_dictionary;
use crate::record::{Body, Change, Head};
use crate::store::{Deletion, Renewal, server};
use crate::{Alias, KeptBody, RobotsCopy, StoreError, keys};
use gatherer_pipeline::ledger::Entry;
use gatherer_pipeline::{Candidate, HostState};
use gatherer_soif::Reader;
use serde::de::DeserializeOwned;

/// How many values are read between two words on how far it is.
const PACE: u64 = 1_000;

/// Reads all of a store that nobody writes to.
pub(super) fn inspect(disk: &Disk, watch: Watch<'_>) -> Inspection {
    let mut look = Look { cross: Cross::new(disk), disk, seen: Inspection::default(), watch };
    // What waits for the fold, and what is queued, first: the other parts are held against that.
    look.part(Family::Working, Look::working);
    look.part(Family::Refresh, |look, key, value| look.numbered::<Renewal>(Family::Refresh, key, value));
    look.part(Family::Frontier, Look::queued);
    look.part(Family::Attributes, Look::attributes);
    look.lost_dictionaries();
    look.part(Family::Production, Look::production);
    look.part(Family::Fates, Look::entry);
    look.part(Family::Changes, Look::change);
    look.part(Family::Deletions, Look::deletion);
    look.part(Family::Digest, Look::digest);
    look.part(Family::Due, |look, key, _| look.cross.due(key, &mut look.seen));
    look.part(Family::Expiry, |look, key, _| look.cross.expiry(key, &mut look.seen));
    look.part(Family::Aliases, Look::alias);
    look.part(Family::Bodies, Look::body);
    look.part(Family::Hosts, Look::host);
    for family in Family::ALL.into_iter().filter(|family| !LOOKED_AT.contains(family)) {
        look.part(family, move |look, key, value| look.plain(family, key, value));
    }
    look.cross.counters(&mut look.seen);
    look.seen
}

/// Parts with a look of their own; all others are read, and their values must have a version.
const LOOKED_AT: [Family; 14] = [
    Family::Working,
    Family::Refresh,
    Family::Frontier,
    Family::Production,
    Family::Attributes,
    Family::Fates,
    Family::Changes,
    Family::Deletions,
    Family::Digest,
    Family::Due,
    Family::Expiry,
    Family::Aliases,
    Family::Bodies,
    Family::Hosts,
];

struct Look<'d, 'w> {
    disk: &'d Disk,
    cross: Cross<'d>,
    seen: Inspection,
    watch: Watch<'w>,
}

impl Look<'_, '_> {
    /// Reads one part from front to back.
    fn part(&mut self, family: Family, mut each: impl FnMut(&mut Self, &[u8], &[u8])) {
        let mut count = 0;
        for pair in self.disk.sweep(family) {
            let (key, value): Pair = match pair {
                Ok(pair) => pair,
                Err(error) => {
                    self.seen.damaged(family.name(), format!("cannot be read on: {}", cause(&error)));
                    self.cross.is_partial = true;
                    break;
                }
            };
            each(self, &key, &value);
            count += 1;
            if count % PACE == 0 {
                (self.watch)(family.name(), count);
            }
        }
        self.seen.values += count;
        (self.watch)(family.name(), count);
    }

    /// A value as what it should be; otherwise there is a finding.
    fn read<T: DeserializeOwned>(&mut self, family: Family, key: &[u8], value: &[u8]) -> Option<T> {
        let read = self.disk.decode(family, value);
        read.map_err(|error| self.seen.damaged(family.name(), format!("{}: {}", shown(key), cause(&error)))).ok()
    }

    fn plain(&mut self, family: Family, key: &[u8], value: &[u8]) {
        // Places in indexes have no value.
        if !value.is_empty() && !Disk::has_version(value) {
            self.seen.damaged(family.name(), format!("{}: its value has no version that we know", shown(key)));
        }
    }

    fn numbered<T: DeserializeOwned>(&mut self, family: Family, key: &[u8], value: &[u8]) {
        self.number(family, key);
        if let Err(error) = self.disk.decode::<T>(family, value) {
            self.unreadable(family, key, &error);
        }
    }

    fn number(&mut self, family: Family, key: &[u8]) {
        if key.len() != 8 {
            self.seen.damaged(family.name(), format!("{} is no number", shown(key)));
        }
    }

    fn unreadable(&mut self, family: Family, key: &[u8], error: &StoreError) {
        self.seen.damaged(family.name(), format!("number {}: {}", number(key), cause(error)));
    }

    fn working(&mut self, key: &[u8], value: &[u8]) {
        self.numbered::<Head>(Family::Working, key, value);
        if let Ok(head) = self.disk.decode::<Head>(Family::Working, value) {
            self.cross.note_pending(&head, &mut self.seen);
        }
    }

    fn queued(&mut self, key: &[u8], value: &[u8]) {
        let Some(candidate) = self.read::<Candidate>(Family::Frontier, key, value) else { return };
        self.seen.queued += 1;
        let url_key = keys::url_key(candidate.url());
        let rank = keys::rank_of(key);
        if key != keys::queued(&server(candidate.url()), candidate.root(), rank, &url_key) {
            let what = format!("{} stands in a queue that is not its own ({})", candidate.url(), shown(key));
            self.seen.apart(Family::Frontier.name(), what);
        }
        self.cross.note_queued(&url_key, candidate.url(), &mut self.seen);
    }

    fn attributes(&mut self, key: &[u8], value: &[u8]) {
        if is_dictionary(value) {
            self.dictionary(number(key));
            return self.number(Family::Attributes, key);
        }
        self.cross.note_body();
        let body: Body = match self.disk.unpacked(value) {
            Ok(body) => body,
            Err(error) => return self.unreadable(Family::Attributes, key, &error),
        };
        self.number(Family::Attributes, key);
        let object = [b"@FILE { u\n", &*body.soif, b"}\n"].concat();
        if !matches!(Reader::new(&*object).next_object(), Ok(Some(_))) {
            let what = format!("the attributes with number {} are no SOIF", number(key));
            self.seen.damaged(Family::Attributes.name(), what);
        }
    }

    /// All records packed with it would be lost with its only copy.
    fn dictionary(&mut self, number: u64) {
        if self.disk.dictionary_places(number) != (true, true) {
            let what = format!("the dictionary with number {number} is in one of its two places only");
            self.seen.apart(Family::Attributes.name(), what);
        }
    }

    /// Dictionaries that are no longer among the attributes, but have a copy.
    fn lost_dictionaries(&mut self) {
        for number in self.disk.copied_dictionaries().unwrap_or_default() {
            if !self.disk.dictionary_places(number).0 {
                self.dictionary(number);
            }
        }
    }

    fn production(&mut self, key: &[u8], value: &[u8]) {
        let Some((mark, url_key)) = key.split_last() else { return };
        match *mark {
            keys::HEAD => {
                self.seen.records += 1;
                let head = self.read::<Head>(Family::Production, key, value);
                self.cross.record(url_key, head.as_ref(), &mut self.seen);
            }
            keys::TOMBSTONE => {
                let Some(number) = self.read::<u64>(Family::Production, key, value) else { return };
                self.cross.tombstone(url_key, number, &mut self.seen);
            }
            _ => self.seen.damaged(Family::Production.name(), format!("{} is no part of a record", shown(key))),
        }
    }

    fn entry(&mut self, key: &[u8], value: &[u8]) {
        let Some(entry) = self.read::<Entry>(Family::Fates, key, value) else { return };
        self.seen.urls += 1;
        if key != keys::url_key(&entry.url) {
            let what = format!("the entry of {} stands in another's place ({})", entry.url, shown(key));
            self.seen.apart(Family::Fates.name(), what);
        }
        self.cross.entry(key, &entry, &mut self.seen);
    }

    fn change(&mut self, key: &[u8], value: &[u8]) {
        let Some(change) = self.read::<Change>(Family::Changes, key, value) else { return };
        self.seen.changes += 1;
        self.cross.change(key, &change, &mut self.seen);
    }

    fn deletion(&mut self, key: &[u8], value: &[u8]) {
        let Some(deletion) = self.read::<Deletion>(Family::Deletions, key, value) else { return };
        if key != keys::url_key(&deletion.url) {
            let what = format!("the deletion of {} stands in another's place", deletion.url);
            self.seen.apart(Family::Deletions.name(), what);
        }
    }

    fn digest(&mut self, key: &[u8], _: &[u8]) {
        self.cross.digest(key, &mut self.seen);
    }

    fn alias(&mut self, key: &[u8], value: &[u8]) {
        let Some(alias) = self.read::<Alias>(Family::Aliases, key, value) else { return };
        let own = keys::url_key(&alias.url);
        if !key.ends_with(&own) || !self.cross.is_known(&own, &mut self.seen) {
            let what =
                format!("{} is kept as another address of something, and the ledger does not know it", alias.url);
            self.seen.apart(Family::Aliases.name(), what);
        }
    }

    fn body(&mut self, key: &[u8], value: &[u8]) {
        self.seen.bodies += 1;
        let _: Option<KeptBody> = self.read(Family::Bodies, key, value);
        if !self.cross.is_known(key, &mut self.seen) {
            let what = format!("there is a body of {}, which the ledger does not know", shown(key));
            self.seen.apart(Family::Bodies.name(), what);
        }
    }

    fn host(&mut self, key: &[u8], value: &[u8]) {
        match key.first() {
            Some(b'r') => drop(self.read::<RobotsCopy>(Family::Hosts, key, value)),
            Some(b't') => drop(self.read::<HostState>(Family::Hosts, key, value)),
            Some(b'a') => drop(self.read::<u64>(Family::Hosts, key, value)),
            // What patterns gave is understood elsewhere.
            _ => self.plain(Family::Hosts, key, value),
        }
    }
}

/// What is wrong, without the path, which is said once, and without the next step.
pub(super) fn cause(error: &StoreError) -> String {
    match error {
        StoreError::Damaged { what, .. } => what.clone(),
        StoreError::Failed { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}

/// The number in a key that is one.
fn number(key: &[u8]) -> u64 {
    key.first_chunk().map_or(0, |number| u64::from_be_bytes(*number))
}

/// A key for people; its parts are held together by NUL.
pub(super) fn shown(key: &[u8]) -> String {
    let text = String::from_utf8_lossy(key);
    text.trim_end_matches('\0').replace('\0', " ").chars().filter(|c| !c.is_control()).take(300).collect()
}
