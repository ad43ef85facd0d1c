//! A broker that keeps a copy in step, and whose memory no death of the gatherer touches.

use gatherer_store::{ChangeKind, Store};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Broker {
    identity: u64,
    cursor: u64,
    /// What each number meant when it was seen.
    seen: BTreeMap<u64, String>,
    copy: BTreeMap<String, String>,
    #[serde(skip)]
    place: PathBuf,
}

impl Broker {
    /// The broker of a place, as he was when he last wrote something down there.
    pub(crate) fn at(place: &Path) -> Self {
        let place = place.join("broker.json");
        let known = std::fs::read(&place).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Self { place, ..known.unwrap_or_default() }
    }

    /// Takes over what has changed since he last asked, and compares: no gap, no double, no number that means another thing.
    pub(crate) fn follow(&mut self, store: &Store) {
        if self.identity != store.identity() {
            *self = Self { identity: store.identity(), place: std::mem::take(&mut self.place), ..Self::default() };
        }
        let view = store.view();
        let (last, _) = view.last_change().expect("a store");
        assert!(last >= self.cursor, "it is behind what the broker was told: {last}, {}", self.cursor);
        let mut before = 0;
        for change in view.changes_after(0) {
            let change = change.expect("a change");
            assert!(change.number > before && change.number <= last, "out of order: {change:?}");
            before = change.number;
            let meaning = format!("{:?} {}", change.kind, change.url);
            if change.number <= self.cursor {
                assert_eq!(
                    self.seen.get(&change.number),
                    Some(&meaning),
                    "{} came to mean another thing",
                    change.number
                );
                continue;
            }
            self.cursor = change.number;
            self.seen.insert(change.number, meaning);
            if let Some(record) = view.record(&change.url).expect("a store") {
                self.copy.insert(change.url.to_string(), text(&record));
            } else {
                assert_eq!(change.kind, ChangeKind::Delete, "{} is not there, and nobody says so", change.url);
                self.copy.remove(change.url.as_str());
            }
        }
        let records = view.records().map(|record| record.expect("a record"));
        let production: BTreeMap<_, _> = records.map(|record| (record.head.url.to_string(), text(&record))).collect();
        assert_eq!(self.copy, production, "the broker's copy is what the store has");
        self.write_down();
    }

    fn write_down(&self) {
        let fresh = self.place.with_extension("new");
        std::fs::write(&fresh, serde_json::to_vec(self).expect("plain fields")).expect("a file");
        std::fs::rename(&fresh, &self.place).expect("a file");
    }
}

fn text(record: &gatherer_store::Record) -> String {
    let mut soif = Vec::new();
    record.write_soif(&mut soif);
    String::from_utf8_lossy(&soif).into_owned()
}
