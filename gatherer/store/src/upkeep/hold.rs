//! A store held still, so that it can be read at leisure while a gatherer goes on with it.
//!
//! RocksDB never changes a table file once it is written, and says in its manifest which files count. So a store can be held
//! without asking the process that writes to it: its table files get second names, its manifest and its logs of writes are
//! copied up to where they are. If the manifest has moved meanwhile, a file may be missing, and all is done again. What comes
//! out is what the death of the gatherer at that moment would have left behind, and every store opens after that.

use crate::disk::expect_whole;
use crate::{StoreError, told};
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How the directories begin in which stores are held; they lie in the store's own, because second names do not reach further.
const PREFIX: &str = "held-";
/// Locked as long as somebody uses such a directory.
const LOCK: &str = "in-use";
/// A manifest moves a few times a minute, and one look takes milliseconds.
const ATTEMPTS: u32 = 200;

/// A store held still. Let go when it is dropped.
pub(super) struct Held {
    directory: PathBuf,
    _lock: File,
}

impl Held {
    /// Holds the store at `path` as it is now.
    pub(super) fn new(path: &Path) -> Result<Self, StoreError> {
        if !path.join("CURRENT").exists() {
            expect_whole(path)?;
            return Err(StoreError::Absent { path: path.to_owned() });
        }
        let unholdable = |source| StoreError::Unholdable { path: path.to_owned(), source };
        sweep(path);
        let (directory, lock) = place(path).map_err(unholdable)?;
        let held = Self { directory, _lock: lock };
        for _ in 0..ATTEMPTS {
            if held.take(path).map_err(unholdable)? {
                return Ok(held);
            }
        }
        if Manifest::of(path).map_err(unholdable)?.is_none() {
            let what = "CURRENT is cut short, or names a manifest that is not there".to_owned();
            return Err(StoreError::Damaged { path: path.to_owned(), what });
        }
        Err(unholdable(io::Error::other("it was rearranged again and again while its files were being held")))
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The files of the store, without the lock.
    pub(super) fn files(&self) -> io::Result<Vec<String>> {
        let mut names: Vec<_> = names(&self.directory)?.into_iter().filter(|name| name != LOCK).collect();
        names.sort();
        Ok(names)
    }

    /// One attempt; false if the store has moved meanwhile.
    fn take(&self, path: &Path) -> io::Result<bool> {
        for name in self.files()? {
            fs::remove_file(self.directory.join(name))?;
        }
        let Some(before) = Manifest::of(path)? else { return Ok(false) };
        // Before the logs are listed: what it says was told must stand in one of them, and the gatherer may begin another.
        copy(&path.join(told::FILE), &self.directory.join(told::FILE))?;
        let mut logs = Vec::new();
        for name in names(path)? {
            match sort_of(&name) {
                Sort::Table => link(&path.join(&name), &self.directory.join(&name))?,
                Sort::Log => {
                    let held = self.directory.join(format!("{name}.held"));
                    link(&path.join(&name), &held)?;
                    logs.push((name, held));
                }
                Sort::Small => copy(&path.join(&name), &self.directory.join(&name))?,
                Sort::Other => {}
            }
        }
        fs::write(self.directory.join("CURRENT"), format!("{}\n", before.name))?;
        let copied = self.directory.join(&before.name);
        copy(&path.join(&before.name), &copied)?;
        let is_whole = fs::metadata(&copied).is_ok_and(|copied| copied.len() == before.length);
        if !is_whole || Manifest::of(path)?.as_ref() != Some(&before) {
            return Ok(false);
        }
        // Nothing that the manifest names can get lost any more. The gatherer writes on to its logs, so they are copied.
        logs.sort();
        for (name, held) in logs.iter().filter(|(_, held)| held.exists()) {
            fs::copy(held, self.directory.join(name))?;
            fs::remove_file(held)?;
        }
        Ok(true)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next who holds this store.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Which manifest counts, and how far it goes.
#[derive(Debug, PartialEq, Eq)]
struct Manifest {
    name: String,
    length: u64,
}

impl Manifest {
    fn of(path: &Path) -> io::Result<Option<Self>> {
        let current = fs::read(path.join("CURRENT"))?;
        let name = str::from_utf8(&current).ok().and_then(|name| name.strip_suffix('\n'));
        let Some(name) = name.filter(|name| name.starts_with("MANIFEST-")).map(str::to_owned) else { return Ok(None) };
        match fs::metadata(path.join(&name)) {
            Ok(manifest) => Ok(Some(Self { name, length: manifest.len() })),
            // Just replaced by another one.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

enum Sort {
    /// Never changed once it is there.
    Table,
    /// Written to all the time.
    Log,
    /// Copied in no time.
    Small,
    /// Of no use to anybody else: locks and diaries.
    Other,
}

fn sort_of(name: &str) -> Sort {
    match Path::new(name).extension().and_then(OsStr::to_str) {
        Some("sst" | "blob") => Sort::Table,
        Some("log") => Sort::Log,
        None if name.starts_with("OPTIONS-") || name == "IDENTITY" => Sort::Small,
        _ => Sort::Other,
    }
}

/// Whether a file is a table: those can be shared between copies.
pub(super) fn is_table(name: &str) -> bool {
    matches!(sort_of(name), Sort::Table)
}

fn names(path: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.extend(entry.file_name().into_string().ok());
        }
    }
    Ok(names)
}

/// A file that has gone meanwhile is not needed any more, or the manifest has moved.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to).or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    match fs::copy(from, to) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A directory of our own, locked.
fn place(path: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory = path.join(format!("{PREFIX}{}-{number}", std::process::id()));
        match fs::create_dir(&directory) {
            Ok(()) => {
                let lock = File::create(directory.join(LOCK))?;
                lock.lock()?;
                return Ok((directory, lock));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Removes what somebody has left behind who was killed.
fn sweep(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if !entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            continue;
        }
        let Ok(lock) = File::open(entry.path().join(LOCK)) else {
            // Only just being made, or its removal was cut short long ago.
            let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|made| made.elapsed().ok());
            if age.is_some_and(|age| age > Duration::from_hours(1)) {
                let _ = fs::remove_dir_all(entry.path());
            }
            continue;
        };
        if !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
