//! Copies of a store, made while a gatherer goes on with it.
//!
//! A folder of backups holds one folder a backup, each a whole store. Table files never change, so those that the backup before
//! has already are only given another name there: a backup costs what has changed since the last one.

use super::hold::{Held, is_table};
use super::{Watch, check_held};
use crate::{Inspection, Memory, StoreError};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Ending of a backup that is being made, or never came to its end.
const PARTIAL: &str = "partial";
/// Ending of one that is as damaged as what it was made of.
const DAMAGED: &str = "damaged";

/// A backup, made and read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// Where it is.
    pub path: PathBuf,
    /// Bytes of it,
    pub bytes: u64,
    /// and how many of them the backup before did not have.
    pub copied: u64,
    /// What was found when it was read.
    pub inspection: Inspection,
    /// Older ones that were removed.
    pub removed: Vec<PathBuf>,
}

/// Copies the store at `path` into a new folder `name` in `folder`, reads the copy to its end, and keeps the `keep` latest.
/// Another process may be using the store.
///
/// # Errors
/// When the store cannot be held or the copy cannot be made. A copy in which something is wrong is no error: it is kept under a
/// name that says so, and older ones stay.
pub fn back_up(
    path: &Path,
    (folder, name): (&Path, &str),
    keep: usize,
    memory: Memory,
    watch: Watch<'_>,
) -> Result<Backup, StoreError> {
    let failed = |source| StoreError::Copying { path: folder.to_owned(), source };
    let held = Held::new(path)?;
    fs::create_dir_all(folder).map_err(failed)?;
    let _lock = lock(folder)?;
    remove_partial(folder);
    let name = free_name(folder, name);
    let (partial, target) = (folder.join(format!("{name}.{PARTIAL}")), folder.join(&name));
    let before = backups(folder).pop();
    fs::create_dir(&partial).map_err(failed)?;
    let (bytes, copied) = copy_all(&held, before.as_deref(), &partial, watch).map_err(failed)?;
    drop(held);
    let inspection = check_held(&partial, &partial, memory, watch)?;
    let path = if inspection.is_good() { target } else { folder.join(format!("{name}.{DAMAGED}")) };
    fs::rename(&partial, &path).map_err(failed)?;
    sync(folder).map_err(failed)?;
    let removed = if inspection.is_good() { prune(folder, keep) } else { Vec::new() };
    Ok(Backup { path, bytes, copied, inspection, removed })
}

/// The whole backups in a folder, the latest last.
pub fn backups(folder: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_whole = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        !matches!(ending, Some(PARTIAL | DAMAGED)) && path.join("CURRENT").is_file()
    };
    let mut backups: Vec<_> = folders.filter(is_whole).collect();
    backups.sort();
    backups
}

/// The name, with a number behind it where it is taken.
fn free_name(folder: &Path, name: &str) -> String {
    let is_free = |name: &String| !folder.join(name).exists() && !folder.join(format!("{name}.{DAMAGED}")).exists();
    let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

fn lock(folder: &Path) -> Result<File, StoreError> {
    let failed = |source| StoreError::Copying { path: folder.to_owned(), source };
    let lock = File::create(folder.join("backup.lock")).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(StoreError::Refused {
            reason: format!("another backup is being made in {}\nwait for its end", folder.display()),
        }),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}

fn remove_partial(folder: &Path) {
    let folders = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    for path in folders.filter(|path| path.extension().is_some_and(|ending| ending == PARTIAL)) {
        let _ = fs::remove_dir_all(path);
    }
}

/// Copies what is held; returns its bytes, and how many of them had to be written.
fn copy_all(held: &Held, before: Option<&Path>, to: &Path, watch: Watch<'_>) -> io::Result<(u64, u64)> {
    let (mut bytes, mut copied) = (0, 0);
    for (number, name) in held.files()?.into_iter().enumerate() {
        let (from, to) = (held.directory().join(&name), to.join(&name));
        let length = fs::metadata(&from)?.len();
        bytes += length;
        let old = before.map(|before| before.join(&name)).filter(|old| is_table(&name) && is_same(&from, old));
        if old.is_none_or(|old| fs::hard_link(old, &to).is_err()) {
            copy(&from, &to)?;
            copied += length;
        }
        watch("copying", number as u64 + 1);
    }
    sync(to)?;
    Ok((bytes, copied))
}

/// Table files have numbers that are never given again in one store; a store that was put back may give them again, at another
/// time.
fn is_same(one: &Path, other: &Path) -> bool {
    let known = |path: &Path| fs::metadata(path).and_then(|data| Ok((data.len(), data.modified()?))).ok();
    known(one).is_some_and(|one| known(other) == Some(one))
}

/// Copies a file with its time, down to the disk.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let file = File::options().write(true).open(to)?;
    file.set_modified(fs::metadata(from)?.modified()?)?;
    file.sync_all()
}

pub(super) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Removes all but the latest.
fn prune(folder: &Path, keep: usize) -> Vec<PathBuf> {
    let backups = backups(folder);
    let old = backups.len().saturating_sub(keep.max(1));
    backups.into_iter().take(old).filter(|path| fs::remove_dir_all(path).is_ok()).collect()
}
