//! What the present run has queued or visited, as far as it is remembered. Most links of a page lead to what the run has in
//! hand already, and to see that on disk, for every link of every page, would be a fifth of its work.

use crate::Store;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};
use url::Url;

/// So many are remembered twice over: the latest of them, and as many of those before.
const REMEMBERED: usize = 1 << 19;

type Marks = HashSet<u64, foldhash::fast::RandomState>;

/// URLs of a root node that are in hand, each by a hash that nobody outside can know before. Where two in some billions of
/// billions were the same, one of them would not be followed before the next run.
#[derive(Default)]
pub(crate) struct Recent {
    known: Mutex<Known>,
    hash: foldhash::quality::RandomState,
}

#[derive(Default)]
struct Known {
    latest: Marks,
    before: Marks,
}

impl Recent {
    pub(crate) fn mark(&self, root: &str, url: &Url) -> u64 {
        self.hash.hash_one((root, url.as_str()))
    }

    pub(crate) fn remember(&self, marks: Vec<u64>) {
        let mut known = self.lock();
        marks.into_iter().for_each(|mark| known.remember(mark));
    }

    /// A new run begins, or something was taken out of the ledger.
    pub(crate) fn forget(&self) {
        *self.lock() = Known::default();
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn remember(&mut self, mark: u64) {
        if self.latest.len() == REMEMBERED {
            self.before = std::mem::take(&mut self.latest);
        }
        self.latest.insert(mark);
    }

    /// What is met again stays longer: the pages that all others lead to are never forgotten.
    fn meets(&mut self, mark: u64) -> bool {
        if self.latest.contains(&mark) {
            return true;
        }
        let is_before = self.before.contains(&mark);
        if is_before {
            self.remember(mark);
        }
        is_before
    }
}

impl Store {
    /// Whether the present run is known to have queued or visited a URL for this root node. If not, it may have all the
    /// same: an offer tells.
    pub fn is_in_hand(&self, root: &str, url: &Url) -> bool {
        self.recent.lock().meets(self.recent.mark(root, url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_met_again_is_remembered_and_the_rest_in_turn_forgotten() {
        let mut known = Known::default();
        let last = 3 * REMEMBERED as u64;
        for mark in 0..last {
            known.remember(mark);
            assert!(known.meets(0), "met at every step, up to {mark}");
        }
        assert!(known.meets(last - 1));
        assert!(!known.meets(1), "nobody has asked for it in a long time");
        assert!(known.latest.len() + known.before.len() <= 2 * REMEMBERED);
    }
}
