//! Who the parsers of abstracts are: kept for times when they are away.

use crate::disk::Family;
use crate::{Store, StoreError};
use std::collections::BTreeMap;

impl Store {
    /// Who the parsers of abstracts were when they were last heard: fingerprints by the parsers' names.
    ///
    /// # Errors
    /// When the store fails.
    pub fn parsers(&self) -> Result<BTreeMap<String, String>, StoreError> {
        Ok(self.disk.get(Family::Meta, b"parsers")?.unwrap_or_default())
    }

    /// Remembers who the parsers are.
    ///
    /// # Errors
    /// When the store fails.
    pub fn note_parsers(&self, parsers: &BTreeMap<String, String>) -> Result<(), StoreError> {
        let mut batch = self.disk.batch();
        batch.put(Family::Meta, b"parsers", parsers);
        batch.commit_durably()
    }
}
