//! What the present run has queued or visited, as far as it is remembered. Most links of a page lead to what the run has in
//! hand already, and to see that on disk, for every link of every page, would be a fifth of its work.

use crate::Store;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};
use url::Url;

/// So many are remembered before all are forgotten, which costs one look at the disk each.
const REMEMBERED: usize = 1 << 19;

/// URLs of a root node that are in hand, each by a hash that nobody outside can know before. Where two in some billions of
/// billions were the same, one of them would not be followed before the next run.
#[derive(Default)]
pub(crate) struct Recent {
    known: Mutex<HashSet<u64, foldhash::fast::RandomState>>,
    hash: foldhash::quality::RandomState,
}

impl Recent {
    pub(crate) fn mark(&self, root: &str, url: &Url) -> u64 {
        self.hash.hash_one((root, url.as_str()))
    }

    pub(crate) fn remember(&self, marks: Vec<u64>) {
        let mut known = self.lock();
        if known.len() + marks.len() > REMEMBERED {
            known.clear();
        }
        known.extend(marks);
    }

    /// A new run begins, or something was taken out of the ledger.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<u64, foldhash::fast::RandomState>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Whether the present run is known to have queued or visited a URL for this root node. If not, it may have all the
    /// same: an offer tells.
    pub fn is_in_hand(&self, root: &str, url: &Url) -> bool {
        self.recent.lock().contains(&self.recent.mark(root, url))
    }
}
