//! Answers that need not be asked for again: by content, parser and ontology.

use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

/// What an answer depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'a> {
    /// The document.
    pub content: &'a [u8],
    /// Everything that may change the parser's answers, options included.
    pub fingerprint: &'a str,
    /// The hash of the ontology.
    pub ontology: &'a str,
}

impl Key<'_> {
    /// One name for all three.
    pub fn name(&self) -> String {
        let mut hasher = Sha256::new();
        hasher.update(Sha256::digest(self.content));
        // Lengths, so that no two keys run into each other.
        for part in [self.fingerprint, self.ontology] {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Keeps checked abstracts as XML. One that forgets or fails only costs time.
pub trait Cache: Send + Sync {
    /// What was kept under this key.
    fn get(&self, key: &Key<'_>) -> Option<String>;
    /// Keeps it.
    fn put(&self, key: &Key<'_>, xml: &str);
}

/// A cache in a folder: a file an abstract, the oldest go when it is full.
#[derive(Debug)]
pub struct FileCache {
    folder: PathBuf,
    limit: u64,
    /// Bytes in it, as far as we know; counted anew when it seems full.
    used: Mutex<u64>,
}

impl FileCache {
    /// Opens a folder, which is made if it is not there, with room for so many bytes.
    ///
    /// # Errors
    /// If it cannot be made or read.
    pub fn open(folder: &Path, limit: u64) -> std::io::Result<Self> {
        fs::create_dir_all(folder)?;
        let used = entries(folder)?.iter().map(|entry| entry.size).sum();
        Ok(Self { folder: folder.to_owned(), limit, used: Mutex::new(used) })
    }

    fn path(&self, key: &Key<'_>) -> PathBuf {
        self.folder.join(format!("{}.xml", key.name()))
    }

    /// Writes beside, then renames: nobody ever sees half a file.
    fn write(&self, path: &Path, xml: &str) -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(xml.as_bytes())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Takes out the oldest, but not the newest, until three quarters of the room are used.
    fn make_room(&self, newest: &Path) -> u64 {
        let Ok(mut entries) = entries(&self.folder) else { return 0 };
        entries.sort_by(|one, other| (one.age, &one.path).cmp(&(other.age, &other.path)));
        let mut used: u64 = entries.iter().map(|entry| entry.size).sum();
        for entry in entries.into_iter().filter(|entry| entry.path != newest) {
            if used <= self.limit / 4 * 3 {
                break;
            }
            if fs::remove_file(&entry.path).is_ok() {
                used -= entry.size;
            }
        }
        used
    }
}

impl Cache for FileCache {
    fn get(&self, key: &Key<'_>) -> Option<String> {
        fs::read_to_string(self.path(key)).ok()
    }

    fn put(&self, key: &Key<'_>, xml: &str) {
        let size = xml.len() as u64;
        let path = self.path(key);
        if size > self.limit || self.write(&path, xml).is_err() {
            return;
        }
        let mut used = self.used.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *used += size;
        if *used > self.limit {
            *used = self.make_room(&path);
        }
    }
}

struct Entry {
    path: PathBuf,
    size: u64,
    age: SystemTime,
}

fn entries(folder: &Path) -> std::io::Result<Vec<Entry>> {
    let entry = |entry: fs::DirEntry| {
        let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Entry { path: entry.path(), size: about.len(), age: about.modified().unwrap_or(SystemTime::UNIX_EPOCH) })
    };
    Ok(fs::read_dir(folder)?.filter_map(|one| one.ok().and_then(entry)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key<'a>(content: &'a str, fingerprint: &'a str) -> Key<'a> {
        Key { content: content.as_bytes(), fingerprint, ontology: "o" }
    }

    #[test]
    fn what_was_kept_is_found_by_all_of_its_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || FileCache::open(&folder.path().join("cache"), 1_000).expect("a cache");
        open().put(&key("a", "1"), "<a/>");
        let cache = open();
        assert_eq!(cache.get(&key("a", "1")).as_deref(), Some("<a/>"), "also by another");
        for other in [key("b", "1"), key("a", "2"), Key { ontology: "", ..key("a", "1o") }] {
            assert_eq!(cache.get(&other), None);
        }
    }

    #[test]
    fn it_never_grows_over_its_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = FileCache::open(folder.path(), 1_000).expect("a cache");
        let xml = "x".repeat(100);
        for number in 0..50 {
            cache.put(&key(&number.to_string(), "1"), &xml);
            let used: u64 = entries(folder.path()).expect("entries").iter().map(|entry| entry.size).sum();
            assert!(used <= 1_000, "{used} bytes after {number}");
        }
        assert!(cache.get(&key("49", "1")).is_some(), "the newest is there");
        cache.put(&key("huge", "1"), &"x".repeat(2_000));
        assert!(cache.get(&key("huge", "1")).is_none());
    }
}
