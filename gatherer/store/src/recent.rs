//! What the present run has queued or visited, as far as it is remembered. Most links of a page lead to what the run has in
//! hand already, and to see that on disk, for every link of every page, would be a fifth of its work.

use crate::Store;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};
use url::Url;

/// Places in a row: as many as come into a processor's hands at one touch of the memory.
const PLACES: usize = 8;
/// All rows together remember two million URLs in 16 MB.
const ROWS: usize = 1 << 18;

/// URLs of a root node that are in hand, each by a hash that nobody outside can know before. Where two in some billions of
/// billions were the same, one of them would not be followed before the next run.
#[derive(Default)]
pub(crate) struct Recent {
    known: Mutex<Known>,
    hash: foldhash::quality::RandomState,
}

/// A mark says by itself in which row it stands. The one that was met last stands first there; the last falls out when a new
/// one comes into a full row.
#[derive(Default)]
struct Known {
    /// None before there is something to remember.
    rows: Vec<Row>,
}

/// Begins where the processor's memory has its joints, so that one touch is enough. Zero is an empty place.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row([u64; PLACES]);

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
        if self.rows.is_empty() {
            self.rows = vec![Row([0; PLACES]); ROWS];
        }
        if !self.meets(mark) {
            let Row(row) = &mut self.rows[row_of(mark)];
            row.rotate_right(1);
            row[0] = mark;
        }
    }

    /// What is met again stays longer: the pages that all others lead to are never forgotten.
    fn meets(&mut self, mark: u64) -> bool {
        let Some(Row(row)) = self.rows.get_mut(row_of(mark)) else { return false };
        // The one mark that looks like an empty place is not remembered.
        let place = row.iter().position(|known| *known == mark).filter(|_| mark != 0);
        if let Some(place) = place {
            row[..=place].rotate_right(1);
        }
        place.is_some()
    }
}

/// By bits of the mark's front; all of it tells it from others in the row.
fn row_of(mark: u64) -> usize {
    usize::try_from(mark >> (u64::BITS - ROWS.ilog2())).unwrap_or(0)
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

    /// The `number`th mark of a row.
    fn mark(row: u64, number: u64) -> u64 {
        (row << (u64::BITS - ROWS.ilog2())) | number
    }

    #[test]
    fn what_is_met_again_is_remembered_and_the_rest_in_turn_forgotten() {
        let mut known = Known::default();
        let last = 3 * PLACES as u64;
        for number in 1..=last {
            known.remember(mark(5, number));
            assert!(known.meets(mark(5, 1)), "met at every step, up to {number}");
        }
        assert!(known.meets(mark(5, last)));
        assert!(!known.meets(mark(5, 2)), "nobody has asked for it in a long time");
    }

    #[test]
    fn rows_do_not_know_of_each_other() {
        let mut known = Known::default();
        assert!(!known.meets(mark(0, 7)), "nothing was remembered yet");
        known.remember(mark(ROWS as u64 - 1, 7));
        assert!(known.meets(mark(ROWS as u64 - 1, 7)));
        assert!(!known.meets(mark(0, 7)));
        assert!(!known.meets(0), "an empty place is nobody");
    }
}
