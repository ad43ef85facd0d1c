//! The fold: what a run has made becomes what brokers see.
//!
//! New and renewed records go over in chunks while the run is still going on. Deletions wait until its end, and
//! then have to pass the brake: a run that would delete more than a set share of a root node's records stops
//! short of it and says so. Wrong deletion is the worst bug a gatherer can have.
//!
//! ```
//! use gatherer_fold::{Brake, Fold};
//! use gatherer_pipeline::SystemClock;
//! use gatherer_store::{Memory, Store};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let directory = tempfile::tempdir()?;
//! let store = Store::open(directory.path(), Memory::default())?;
//! let fold = Fold::new(&store, Brake { share: 0.2, least: 10 }, 200, &SystemClock);
//! assert!(fold.all()?.is_empty());
//! # Ok(())
//! # }
//! ```

use gatherer_pipeline::{Clock, events};
use gatherer_store::{Deletion, Folding, Store, StoreError};
use std::collections::BTreeMap;

/// When deletions are held back.
#[derive(Debug, Clone, Copy)]
pub struct Brake {
    /// More than this share of a root node's records in a week is too much,
    pub share: f64,
    /// but fewer than this many deletions never are.
    pub least: u64,
}

impl Brake {
    fn holds(self, deletions: u64, records: u64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a share of records need not be exact")]
        let too_many = deletions as f64 > self.share * records as f64;
        deletions >= self.least.max(1) && too_many
    }
}

/// Deletions of one root node that the brake held back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The root node.
    pub root: String,
    /// How many were held.
    pub deletions: u64,
    /// How many records it has.
    pub records: u64,
    /// One of them, with its reason.
    pub example: String,
}

/// Folds the results of a run into production.
pub struct Fold<'a> {
    store: &'a Store,
    brake: Brake,
    chunk: usize,
    /// Each chunk is stamped with its own moment: brokers that ask by time rely on it.
    clock: &'a dyn Clock,
}

impl<'a> Fold<'a> {
    /// A fold of `chunk` resources at a time.
    pub fn new(store: &'a Store, brake: Brake, chunk: usize, clock: &'a dyn Clock) -> Self {
        Self { store, brake, chunk: chunk.max(1), clock }
    }

    /// Folds one chunk.
    ///
    /// # Errors
    /// When the store fails; nothing is folded then.
    pub fn chunk(&self) -> Result<Folding, StoreError> {
        self.store.fold_chunk(self.chunk, self.clock.now())
    }

    /// Folds everything that is new or renewed.
    ///
    /// # Errors
    /// When the store fails; chunks folded before stay folded.
    pub fn all(&self) -> Result<Folding, StoreError> {
        let mut total = Folding::default();
        loop {
            let folding = self.chunk()?;
            if folding.is_empty() {
                return Ok(total);
            }
            total = total.and(folding);
        }
    }

    /// Carries out the deletions put down, root node by root node, unless the brake holds them. Those that `allows` has
    /// nothing against the operator has looked at, and lets pass.
    ///
    /// # Errors
    /// When the store fails.
    pub fn deletions(&self, allows: impl Fn(&str) -> bool) -> Result<(Folding, Vec<Held>), StoreError> {
        self.deletions_of(None, allows)
    }

    /// The same, of one root node alone if it is named.
    ///
    /// # Errors
    /// When the store fails.
    pub fn deletions_of(
        &self,
        only: Option<&str>,
        allows: impl Fn(&str) -> bool,
    ) -> Result<(Folding, Vec<Held>), StoreError> {
        let mut by_root: BTreeMap<String, Vec<Deletion>> = BTreeMap::new();
        let mut moves = Vec::new();
        for deletion in self.store.deletions()?.into_iter().filter(|one| only.is_none_or(|root| one.root == root)) {
            // What only stands elsewhere from now on is no loss; but of many that a rule gives one URL, only one does.
            if deletion.is_move && self.store.stands_elsewhere(&deletion)? {
                moves.push(deletion);
            } else {
                by_root.entry(deletion.root.clone()).or_default().push(deletion);
            }
        }
        let (mut total, mut held) = (Folding::default(), Vec::new());
        for chunk in moves.chunks(self.chunk) {
            total = total.and(self.store.delete(chunk, true, self.clock.now())?);
        }
        for (root, deletions) in by_root {
            let (count, holding) = (deletions.len() as u64, self.store.holding(&root));
            let (lately, records) = (holding.deleted_lately(self.clock.now()), holding.records);
            let allow = allows(&root);
            if !allow && self.brake.holds(count + lately, records + lately) {
                events::deletions_held(&root, count, records);
                let example = deletions.first().map(|deletion| format!("{}: {}", deletion.url, deletion.reason));
                held.push(Held { root, deletions: count, records, example: example.unwrap_or_default() });
                continue;
            }
            for chunk in deletions.chunks(self.chunk) {
                total = total.and(self.store.delete(chunk, allow, self.clock.now())?);
            }
        }
        Ok((total, held))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_brake_holds_what_is_many_and_a_large_share() {
        let brake = Brake { share: 0.2, least: 10 };
        for (deletions, records, held) in
            [(9, 9, false), (10, 10, true), (10, 50, false), (11, 50, true), (200, 1_000, false), (201, 1_000, true)]
        {
            assert_eq!(brake.holds(deletions, records), held, "{deletions} of {records}");
        }
    }
}
