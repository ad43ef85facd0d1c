//! A backup put back in the place of a store.
//!
//! Brokers that stand further in the log of the store before must not take the older one for it: what was deleted, and has come
//! back, would never reach them. So what was put back is another store to them, by its identity, and all its changes are as new
//! as the restoring, for brokers that know nothing but times.

use super::backup::{backups, copy, sync};
use super::{Watch, check_held};
use crate::disk::Family;
use crate::fold::LOG_END;
use crate::identity::{IDENTITY, new_identity};
use crate::record::Change;
use crate::{Inspection, Memory, Store, StoreError};
use gatherer_pipeline::UnixTime;
use rustix::fs::{FlockOperation, fcntl_lock};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Writes that go to the disk together.
const CHUNK: usize = 5_000;

/// What was put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The backup.
    pub from: PathBuf,
    /// What is in it.
    pub inspection: Inspection,
    /// Where the store lies now that was there before.
    pub kept: Option<PathBuf>,
}

/// Puts a backup in the place of the store at `path`: `from` is a backup, or a folder of them, of which the latest is taken. What
/// was there before is moved beside it, and only if `force` says so.
///
/// # Errors
/// When there is no such backup, it is damaged, or the place is in use or taken; nothing is changed then.
pub fn restore(
    (from, path): (&Path, &Path),
    force: bool,
    now: UnixTime,
    memory: Memory,
    watch: Watch<'_>,
) -> Result<Restored, StoreError> {
    let from = backup_in(from)?;
    let _lock = if path.join("LOCK").exists() { Some(lock(path)?) } else { None };
    let is_taken = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
    if is_taken && !force {
        return refused(format!(
            "{} is not empty\n`--force` moves it beside, under another name, and puts the backup there",
            path.display()
        ));
    }
    let inspection = check_held(&from, &from, memory, watch)?;
    if let Some(finding) = inspection.findings.first() {
        return refused(format!(
            "the backup {} is damaged: {}: {}\ntake an older one",
            from.display(),
            finding.part,
            finding.what
        ));
    }
    let failed = |source| StoreError::Copying { path: path.to_owned(), source };
    let fresh = beside(path, "restoring");
    copy_all(&from, &fresh, watch).map_err(failed)?;
    begin_anew(&Store::open(&fresh, memory)?, now)?;
    let kept = is_taken.then(|| beside(path, &format!("before-restore-{}", now.0)));
    match &kept {
        Some(kept) => fs::rename(path, kept).map_err(failed)?,
        None if path.exists() => fs::remove_dir(path).map_err(failed)?,
        None => {}
    }
    fs::rename(&fresh, path).map_err(failed)?;
    Ok(Restored { from, inspection, kept })
}

fn refused<T>(reason: String) -> Result<T, StoreError> {
    Err(StoreError::Refused { reason })
}

fn backup_in(from: &Path) -> Result<PathBuf, StoreError> {
    if from.join("CURRENT").is_file() {
        return Ok(from.to_owned());
    }
    match backups(from).pop() {
        Some(latest) => Ok(latest),
        None => refused(format!("there is no backup in {}\n`gatherer store backup` makes one", from.display())),
    }
}

/// The lock that a gatherer has on its store. While it is here, none starts.
fn lock(path: &Path) -> Result<File, StoreError> {
    let unusable = |source: io::Error| StoreError::Unusable { path: path.to_owned(), source: source.into() };
    let file = File::options().write(true).open(path.join("LOCK")).map_err(unusable)?;
    match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(_) => Err(StoreError::InUse { path: path.to_owned() }),
    }
}

/// `data` -> `data.restoring`.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    path.with_file_name(name)
}

fn copy_all(from: &Path, to: &Path, watch: Watch<'_>) -> io::Result<()> {
    // What is left of an attempt that was cut short.
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to)?;
    for (number, entry) in fs::read_dir(from)?.enumerate() {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        watch("copying", number as u64 + 1);
    }
    sync(to)
}

/// Makes it another store, and all its changes new.
pub(super) fn begin_anew(store: &Store, now: UnixTime) -> Result<(), StoreError> {
    let last: (u64, UnixTime) = store.disk.get(Family::Meta, LOG_END)?.unwrap_or_default();
    let now = now.max(last.1);
    let mut batch = store.disk.batch();
    batch.put(Family::Meta, IDENTITY, &new_identity());
    batch.put(Family::Meta, LOG_END, &(last.0, now));
    for pair in store.disk.sweep(Family::Changes) {
        let (key, value) = pair?;
        let change: Change = store.disk.decode(Family::Changes, &value)?;
        batch.put(Family::Changes, &key, &Change { at: now, ..change });
        if batch.len() >= CHUNK {
            std::mem::replace(&mut batch, store.disk.batch()).commit()?;
        }
    }
    batch.commit_durably()?;
    store.disk.flush()
}
