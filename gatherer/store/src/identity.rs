//! What tells a store from every other, and from itself when other people may see other things of it.

use crate::disk::Family;
use crate::{Store, StoreError};
use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::Ordering;

pub(crate) const IDENTITY: &[u8] = b"identity";
const PRIVATE: &[u8] = b"private-roots";

/// From the randomness that hash tables are protected with.
pub(crate) fn new_identity() -> u64 {
    RandomState::new().build_hasher().finish()
}

impl Store {
    /// Tells this store from every other. Change numbers mean nothing elsewhere.
    pub fn identity(&self) -> u64 {
        self.identity.load(Ordering::Relaxed)
    }

    /// Notes which root nodes are private now. When that changes, brokers have to begin anew, for what they may see has
    /// changed without a change in the log: the store becomes another one to them.
    ///
    /// # Errors
    /// When the store fails.
    pub fn set_private(&self, names: &BTreeSet<String>) -> Result<(), StoreError> {
        let (now, ever): (BTreeSet<String>, BTreeSet<String>) =
            self.disk.get(Family::Meta, PRIVATE)?.unwrap_or_default();
        if now == *names {
            return Ok(());
        }
        let identity = new_identity();
        let ever: BTreeSet<_> = ever.union(names).cloned().collect();
        let mut batch = self.disk.batch();
        batch.put(Family::Meta, PRIVATE, &(names, ever));
        batch.put(Family::Meta, IDENTITY, &identity);
        batch.commit_durably()?;
        self.identity.store(identity, Ordering::Relaxed);
        // Whoever waits for news has to hear of it.
        self.tell_folded();
        Ok(())
    }

    /// Root nodes that were ever private. What they held stays so when they are gone from the config.
    ///
    /// # Errors
    /// When the store fails.
    pub fn ever_private(&self) -> Result<BTreeSet<String>, StoreError> {
        let known: Option<(BTreeSet<String>, BTreeSet<String>)> = self.disk.get(Family::Meta, PRIVATE)?;
        Ok(known.map(|(_, ever)| ever).unwrap_or_default())
    }
}
