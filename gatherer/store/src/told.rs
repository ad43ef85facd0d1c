//! How far brokers may have been told, noted beside the database.
//!
//! After a power cut RocksDB takes its log of writes up to the first byte that is wrong, and says nothing of the rest. That is
//! right for what was never waited for; but if a failing disk damages the log further ahead, changes that brokers have seen
//! would be gone, and their numbers given out again for others. The note tells that from a store that never got so far.

use crate::StoreError;
use crate::disk::{Disk, Family};
use crate::fold::LOG_END;
use gatherer_pipeline::UnixTime;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

pub(crate) const FILE: &str = "TOLD";

/// Notes that brokers may have been told of all changes up to `number`. Never ahead of the database, which is on the disk by
/// then; a note that cannot be written leaves the one before, which is true as well.
pub(crate) fn note(path: &Path, number: u64) {
    let file = File::options().create(true).truncate(false).write(true).open(path.join(FILE));
    // Twice, so that damage to the note itself is no alarm; of one length, so that nothing of an older one is left.
    let _ = file.and_then(|file| file.write_all_at(format!("{number:020} {number:020}\n").as_bytes(), 0));
}

/// Up to where brokers were told, if there is a note that can be read.
pub(crate) fn last(path: &Path) -> Option<u64> {
    let text = fs::read_to_string(path.join(FILE)).ok()?;
    let (one, other) = text.trim_end().split_once(' ')?;
    one.parse().ok().filter(|_| one == other)
}

/// Refuses a database whose changes end before what brokers were told of.
///
/// # Errors
/// [`StoreError::Damaged`].
pub(crate) fn check(told: Option<u64>, disk: &Disk) -> Result<(), StoreError> {
    let (end, _): (u64, UnixTime) = disk.get(Family::Meta, LOG_END)?.unwrap_or_default();
    match told {
        Some(told) if told > end => Err(StoreError::Damaged {
            path: disk.path().to_owned(),
            what: format!(
                "brokers were told of changes up to {told}, and it has them up to {end}: its log of writes, the .log file, is damaged or cut short"
            ),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_note_that_is_whole_is_believed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path();
        assert_eq!(last(path), None, "nobody was told anything");
        note(path, 1_000);
        note(path, 17);
        assert_eq!(last(path), Some(17));
        let mut bytes = fs::read(path.join(FILE)).expect("the note");
        bytes[1] = b'9';
        for damaged in [&bytes[..], &bytes[..30], b"", b"17", b"\xff\xff \xff\xff"] {
            fs::write(path.join(FILE), damaged).expect("damage");
            assert_eq!(last(path), None, "{damaged:?}");
        }
    }
}
