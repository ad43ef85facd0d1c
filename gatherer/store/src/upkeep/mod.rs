//! What keeps a store in good order over the years: looking at all of it, measuring it, copying it while it is in use, putting
//! it back, and forgetting a part of it.

mod backup;
mod check;
mod cross;
mod findings;
mod forget;
mod hold;
mod mend;
mod restore;
mod stats;

pub use backup::{Backup, back_up, backups};
pub use findings::{Finding, Inspection};
pub use forget::{Forgetting, Forgotten};
pub use mend::Mending;
pub use restore::{Restored, restore};
pub use stats::{PartSize, SiteSize, Statistics};

use crate::disk::Disk;
use crate::{Memory, Store, StoreError, told};
use std::path::Path;

/// Called now and then with the part that is being read, and how many of its values have been.
pub type Watch<'a> = &'a mut dyn FnMut(&'static str, u64);

impl Store {
    /// Reads everything in a store and says what does not fit together. Another process may be using it: what is looked at is
    /// the store as it was when this began.
    ///
    /// # Errors
    /// When the store cannot be looked at. What is wrong with it is no error here, unless it cannot be opened at all.
    pub fn check(path: &Path, memory: Memory, watch: Watch<'_>) -> Result<Inspection, StoreError> {
        let held = hold::Held::new(path)?;
        check_held(held.directory(), path, memory, watch)
    }

    /// Measures a store, whoever may be using it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn statistics(path: &Path, memory: Memory, watch: Watch<'_>) -> Result<Statistics, StoreError> {
        let held = hold::Held::new(path)?;
        let disk = Disk::open_for_reading(held.directory(), memory)?;
        stats::measure(&disk, held.directory(), watch)
    }

    /// Puts everything together anew: what was overwritten or deleted gives its room back. Returns the bytes on disk before
    /// and after.
    ///
    /// # Errors
    /// When the store fails.
    pub fn compact(&self, watch: Watch<'_>) -> Result<(u64, u64), StoreError> {
        let bytes = |disk: &Disk| disk.sizes().map(|sizes| sizes.values().sum());
        let before = bytes(&self.disk)?;
        self.disk.flush()?;
        self.disk.compact(watch);
        Ok((before, bytes(&self.disk)?))
    }
}

/// Looks at a store that nobody writes to; complaints call it `shown`.
fn check_held(directory: &Path, shown: &Path, memory: Memory, watch: Watch<'_>) -> Result<Inspection, StoreError> {
    let disk = Disk::open_for_reading(directory, memory).map_err(|error| error.at(directory, shown))?;
    let mut inspection = check::inspect(&disk, watch);
    if let Err(error) = told::check(told::last(directory), &disk) {
        inspection.damaged("changes", check::cause(&error));
    }
    if let Some(what) = Disk::damage_in_logs(directory, memory) {
        inspection.cut_short(what);
    }
    inspection.rename(directory, shown);
    Ok(inspection)
}
