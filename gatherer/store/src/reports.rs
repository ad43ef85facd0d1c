//! Reports of the last runs, so that whoever comes later can see what happened. As JSON: what older releases wrote is
//! read, and what newer ones add is passed over.

use crate::disk::{Family, Pair};
use crate::{Production, Store, StoreError, keys};
use gatherer_pipeline::report::Report;
use serde::{Deserialize, Serialize};

/// Most reports that are kept.
const KEPT: usize = 500;
const REPORT: &[u8] = b"report\0";

#[derive(Serialize, Deserialize)]
struct Written(#[serde(with = "serde_bytes")] Vec<u8>);

fn key(run: u64) -> Vec<u8> {
    [REPORT, &run.to_be_bytes()].concat()
}

/// The run that a key is about.
fn run_of(key: &[u8]) -> u64 {
    key[REPORT.len()..].first_chunk().map_or(0, |number| u64::from_be_bytes(*number))
}

impl Store {
    /// Keeps the report of a run, and forgets the oldest ones. Of several runs in a row without anything to do, the last
    /// one counts for all.
    ///
    /// # Errors
    /// When the store fails.
    pub fn keep_report(&self, report: &Report) -> Result<(), StoreError> {
        // What is made of plain fields can always be written.
        let Ok(json) = serde_json::to_vec(&report.clone().for_keeping()) else { return Ok(()) };
        // A run that was cut short and gone on with has one report.
        let others = |key: &Vec<u8>| run_of(key) != report.run;
        let known: Vec<_> = self.report_keys()?.into_iter().filter(others).collect();
        let mut batch = self.disk.batch();
        let last = known.iter().rev().find(|key| run_of(key) < report.run);
        let last_report = last.map(|key| self.report_at(key)).transpose()?.flatten();
        if let Some(last) = last.filter(|_| report.is_idle() && last_report.is_some_and(|last| last.is_idle())) {
            batch.delete(Family::Meta, last);
        }
        for old in known.iter().take((known.len() + 1).saturating_sub(KEPT)) {
            batch.delete(Family::Meta, old);
        }
        batch.put(Family::Meta, &key(report.run), &Written(json));
        batch.commit()
    }

    /// Up to `most` reports of the last runs, the latest first; only of runs before this one, if one is named.
    ///
    /// # Errors
    /// When the store fails.
    pub fn reports(&self, before: Option<u64>, most: usize) -> Result<Vec<Report>, StoreError> {
        let keys = self.report_keys()?;
        let wanted = keys.iter().rev().filter(|key| before.is_none_or(|before| run_of(key) < before));
        let mut reports = Vec::new();
        for key in wanted {
            if reports.len() == most {
                break;
            }
            // One that cannot be read is no loss that anybody should stop for.
            reports.extend(self.report_at(key)?);
        }
        Ok(reports)
    }

    /// The report of a run, if it is still kept.
    ///
    /// # Errors
    /// When the store fails.
    pub fn report(&self, run: u64) -> Result<Option<Report>, StoreError> {
        self.report_at(&key(run))
    }

    /// The report that stands for a run: its own, or of several runs in a row that had nothing to do, the last one's.
    ///
    /// # Errors
    /// When the store fails.
    pub fn report_for(&self, run: u64) -> Result<Option<Report>, StoreError> {
        if let Some(own) = self.report(run)? {
            return Ok(Some(own));
        }
        let keys = self.report_keys()?;
        let next = keys.iter().find(|key| run_of(key) > run).map(|key| self.report_at(key)).transpose()?;
        Ok(next.flatten().filter(Report::is_idle))
    }

    fn report_at(&self, key: &[u8]) -> Result<Option<Report>, StoreError> {
        let written: Option<Written> = self.disk.get(Family::Meta, key)?;
        Ok(written.and_then(|Written(json)| serde_json::from_slice(&json).ok()))
    }

    fn report_keys(&self) -> Result<Vec<Vec<u8>>, StoreError> {
        let pairs = self.disk.scan(Family::Meta, REPORT, &keys::behind(REPORT));
        pairs.map(|pair: Result<Pair, StoreError>| Ok(pair?.0.into_vec())).collect()
    }
}

impl Production {
    /// Up to `most` reports of the last runs, the latest first; only of runs before this one, if one is named.
    ///
    /// # Errors
    /// When the store fails.
    pub fn reports(&self, before: Option<u64>, most: usize) -> Result<Vec<Report>, StoreError> {
        self.store().reports(before, most)
    }

    /// The report that stands for a run, if it is still kept.
    ///
    /// # Errors
    /// When the store fails.
    pub fn report_for(&self, run: u64) -> Result<Option<Report>, StoreError> {
        self.store().report_for(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    fn report(run: u64, visited: u64) -> Report {
        Report { run, visited, ..Report::default() }
    }

    fn runs(store: &Store) -> Vec<u64> {
        store.reports(None, usize::MAX).expect("reports").iter().map(|report| report.run).collect()
    }

    #[test]
    fn the_last_runs_are_kept_and_read_latest_first() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path(), Memory::default()).expect("a store");
        for run in 1..=505 {
            store.keep_report(&report(run, 1)).expect("kept");
        }
        let kept = runs(&store);
        assert_eq!((kept.len(), kept[0], kept[499]), (500, 505, 6));
        let page = store.reports(Some(100), 2).expect("reports");
        assert_eq!(page.iter().map(|report| report.run).collect::<Vec<_>>(), [99, 98]);
        assert!(store.report(5).expect("an answer").is_none() && store.report(6).expect("an answer").is_some());
        // A run that was cut short and gone on with has one report.
        store.keep_report(&report(505, 7)).expect("kept");
        assert_eq!(store.report(505).expect("an answer").map(|report| report.visited), Some(7));
        drop(store);
        let store = Store::open_for_reading(directory.path(), Memory::default()).expect("a store");
        assert_eq!(runs(&store).len(), 500);
    }

    #[test]
    fn of_runs_without_anything_to_do_the_last_stands_for_all() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path(), Memory::default()).expect("a store");
        for (run, visited) in [(1, 5), (2, 0), (3, 0), (4, 0), (6, 1)] {
            store.keep_report(&report(run, visited)).expect("kept");
        }
        let standing = |run| store.report_for(run).expect("an answer").map(|report| report.run);
        assert_eq!([1, 2, 3, 4, 5, 7].map(standing), [Some(1), Some(4), Some(4), Some(4), None, None]);
    }

    #[test]
    fn runs_without_anything_to_do_do_not_drive_out_others() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path(), Memory::default()).expect("a store");
        for (run, visited) in [(1, 5), (2, 0), (3, 0), (4, 0), (5, 1), (6, 0), (7, 0)] {
            store.keep_report(&report(run, visited)).expect("kept");
        }
        assert_eq!(runs(&store), [7, 5, 4, 1]);
    }

    #[test]
    fn a_report_of_another_release_reads() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Store::open(directory.path(), Memory::default()).expect("a store");
        for (run, json) in [(1_u64, "{\"run\":1,\"visited\":3}"), (2, "{\"run\":2,\"news\":[1]}"), (3, "no JSON")] {
            let mut batch = store.disk.batch();
            batch.put(Family::Meta, &key(run), &Written(json.as_bytes().to_vec()));
            batch.commit().expect("written");
        }
        assert_eq!(runs(&store), [2, 1]);
        assert_eq!(store.report(1).expect("an answer"), Some(report(1, 3)));
    }
}
