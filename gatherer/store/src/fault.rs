//! Deaths and failures by order, at a write of one's choice: no test could bring them about at the right moment otherwise.
//!
//! `GATHERER_STORE_FAULT=kill:17` lets the process die right before its 17th write, `killed:17` right behind it, and `fail:17`
//! lets that write and all behind it fail, as on a full disk. `cut:17` is a power cut before the 17th write: the process dies,
//! and of what nobody has waited for a part or all is gone. Builds for users know nothing of it.

use rustix::process::{Signal, getpid, kill_process};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

impl crate::Store {
    /// Lets something go wrong with the writes to come, in the words of `GATHERER_STORE_FAULT`; anything else lets all be well
    /// again. Not in builds for users.
    pub fn order_fault(&self, order: &str) {
        self.disk.order_fault(order);
    }
}

/// What is to go wrong, and when.
#[derive(Debug, Default)]
pub(crate) struct Fault {
    order: Mutex<Option<(Deed, u64)>>,
    writes: AtomicU64,
    /// How far each log of writes is on the disk, as far as anybody has waited for it.
    synced: Mutex<HashMap<PathBuf, u64>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Kill,
    Killed,
    Fail,
    Cut,
}

/// A write: where, and whether it is waited for.
#[derive(Clone, Copy)]
pub(crate) struct Occasion<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) is_durable: bool,
}

impl Fault {
    /// What the environment orders; nothing in a build for users.
    pub(crate) fn ordered() -> Self {
        let order = std::env::var("GATHERER_STORE_FAULT").ok().filter(|_| cfg!(debug_assertions));
        Self { order: Mutex::new(order.as_deref().and_then(read)), ..Self::default() }
    }

    pub(crate) fn order(&self, order: &str) {
        let order = Some(order).filter(|_| cfg!(debug_assertions)).and_then(read);
        *self.order.lock().unwrap_or_else(PoisonError::into_inner) = order;
        self.writes.store(0, Ordering::SeqCst);
    }

    /// Does a write, or what was ordered in its place. Nothing of this process comes to its end in order when it dies.
    ///
    /// # Errors
    /// The write's own, or the one that was ordered.
    pub(crate) fn around<E>(
        &self,
        occasion: Occasion<'_>,
        write: impl FnOnce() -> Result<(), E>,
        failed: impl FnOnce(io::Error) -> E,
    ) -> Result<(), E> {
        let order = *self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((deed, at)) = order else { return write() };
        let number = self.writes.fetch_add(1, Ordering::SeqCst) + 1;
        match deed {
            Deed::Kill if number == at => die(),
            Deed::Cut if number == at => {
                self.cut(occasion.directory, at);
                die();
            }
            Deed::Fail if number >= at => return Err(failed(io::ErrorKind::StorageFull.into())),
            _ => write()?,
        }
        match deed {
            Deed::Killed if number == at => die(),
            Deed::Cut if occasion.is_durable => self.note_synced(occasion.directory),
            _ => {}
        }
        Ok(())
    }

    /// Whoever waits for one write waits for all before it: they stand in the same log.
    fn note_synced(&self, directory: &Path) {
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        synced.extend(logs(directory));
    }

    /// Takes away what was not waited for. Only the newest log can have such a part: before RocksDB relies on a table made of
    /// an older one, it waits for that. Tables, the manifest and `CURRENT` it waits for itself.
    fn cut(&self, directory: &Path, seed: u64) {
        let Some((path, length)) = logs(directory).into_iter().max() else { return };
        let synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = synced.get(&path).copied().unwrap_or(0).min(length);
        let Ok(file) = File::options().write(true).open(&path) else { return };
        let lost = length - kept;
        // The disk may have got to some of it by itself; or the file has its new length, and nothing in it.
        let _ = match seed % 4 {
            0 => file.set_len(kept),
            1 => file.set_len(kept + lost / 2),
            2 => file.set_len(length - lost.min(1)),
            _ => {
                file.set_len(kept).and_then(|()| file.write_all_at(&vec![0; usize::try_from(lost).unwrap_or(0)], kept))
            }
        };
    }
}

/// The logs of writes, and how long each is.
fn logs(directory: &Path) -> Vec<(PathBuf, u64)> {
    let paths = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let logs = paths.filter(|path| path.extension().is_some_and(|ending| ending == "log"));
    logs.filter_map(|path| fs::metadata(&path).ok().map(|data| (path, data.len()))).collect()
}

/// As by `kill -9`.
fn die() {
    let _ = kill_process(getpid(), Signal::KILL);
    std::process::abort();
}

fn read(order: &str) -> Option<(Deed, u64)> {
    let (deed, at) = order.split_once(':')?;
    let deed = match deed {
        "kill" => Deed::Kill,
        "killed" => Deed::Killed,
        "fail" => Deed::Fail,
        "cut" => Deed::Cut,
        _ => return None,
    };
    Some((deed, at.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read() {
        assert_eq!(read("kill:17"), Some((Deed::Kill, 17)));
        assert_eq!(read("killed:1"), Some((Deed::Killed, 1)));
        for nonsense in ["", "kill", "kill:", "kill:-1", "dance:3"] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn a_full_disk_stays_full() {
        let fault = Fault::default();
        fault.order("fail:2");
        let here = Occasion { directory: Path::new("."), is_durable: false };
        let writes = [(); 4].map(|()| fault.around(here, || Ok(()), |error| error.kind()).is_ok());
        assert_eq!(writes, [true, false, false, false]);
    }

    #[test]
    fn a_power_cut_takes_what_nobody_waited_for() {
        for (seed, left) in [(4, "ab"), (5, "abc"), (6, "abc"), (7, "ab\0\0")] {
            let directory = tempfile::tempdir().expect("a directory");
            let log = directory.path().join("000001.log");
            let fault = Fault::default();
            fs::write(&log, "ab").expect("a log");
            fault.note_synced(directory.path());
            fs::write(&log, "abcd").expect("a longer log");
            fault.cut(directory.path(), seed);
            assert_eq!(fs::read(&log).expect("a log"), left.as_bytes(), "{seed}");
        }
    }
}
