//! RocksDB as this store uses it: column families, versioned values, errors with a next step.

use crate::StoreError;
use crate::fault::{Fault, Occasion};
use crate::options::{Memory, database_options, families};
use crate::packing::Packing;
use rocksdb::{
    BottommostLevelCompaction, BoundColumnFamily, CompactOptions, DB, DBPinnableSlice, DBRecoveryMode, Direction,
    IteratorMode, ReadOptions, WriteBatch, WriteOptions,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The format this release writes. Those before it were never released.
pub(crate) const FORMAT: u32 = 8;
/// Bytes read at once by who reads everything.
const SWEEP_AHEAD: usize = 1 << 20;
/// How often a store is looked into anew that moves under the eyes.
pub(crate) const LOOKS: usize = 20;
/// First byte of every value.
const VALUE_VERSION: u8 = 1;
/// Less than this, in bytes, is not merged at the end of a run.
const WORTH_MERGING: usize = 1 << 20;

/// The column families and what each is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// URL -> the small half of a record, or what is left of a deleted one: what brokers see.
    Production,
    /// Number -> the large half, packed, or a dictionary for that. Written once, when it is made, and never moved: not by the
    /// fold, nor by a renewal, nor to make room between others, since new numbers stand behind all that were there.
    Attributes,
    /// Number -> the small half of a record made in this run, not yet folded. In the order of writing, so that the fold takes
    /// from the front and never wades through what it has deleted.
    Working,
    /// Number -> URL with renewed times, not yet folded; in the same order.
    Refresh,
    /// URL -> deletion put down, not yet folded; the brake may hold it back.
    Deletions,
    /// Number -> change.
    Changes,
    /// MD5, URL -> nothing: who has the same content.
    Digest,
    /// Host and port, root node, rank, URL -> candidate: what has still to be visited.
    Frontier,
    /// Time, URL -> nothing: when each resource is due.
    Due,
    /// Time, URL -> nothing: when each record's life ends.
    Expiry,
    /// Origin -> robots rules; host and port -> its troubles; host or address -> its next access; host -> what its patterns gave.
    Hosts,
    /// URL, other URL -> status: under which other addresses a resource is known.
    Aliases,
    /// URL -> ledger entry.
    Fates,
    /// URL -> what was fetched, where the operator keeps it.
    Bodies,
    /// Name -> counters and the present run.
    Meta,
}

impl Family {
    pub(crate) const ALL: [Self; 15] = [
        Self::Production,
        Self::Attributes,
        Self::Working,
        Self::Refresh,
        Self::Deletions,
        Self::Changes,
        Self::Digest,
        Self::Frontier,
        Self::Due,
        Self::Expiry,
        Self::Hosts,
        Self::Aliases,
        Self::Fates,
        Self::Bodies,
        Self::Meta,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Production => "production",
            Self::Attributes => "attributes",
            Self::Working => "working",
            Self::Refresh => "refresh",
            Self::Deletions => "deletions",
            Self::Changes => "changes",
            Self::Digest => "digest",
            Self::Frontier => "frontier",
            Self::Due => "due",
            Self::Expiry => "expiry",
            Self::Hosts => "hosts",
            Self::Aliases => "aliases",
            Self::Fates => "fates",
            Self::Bodies => "bodies",
            Self::Meta => "meta",
        }
    }
}

pub(crate) struct Disk {
    db: DB,
    path: PathBuf,
    fault: Fault,
    pub(crate) packing: Packing,
}

/// An iterator's yield.
pub(crate) type Pair = (Box<[u8]>, Box<[u8]>);

impl Disk {
    pub(crate) fn open(path: &Path, memory: Memory) -> Result<Self, StoreError> {
        let unusable = |source: std::io::Error| StoreError::Unusable { path: path.to_owned(), source: source.into() };
        std::fs::create_dir_all(path).map_err(unusable)?;
        expect_whole(path)?;
        let open = || DB::open_cf_descriptors(&database_options(memory), path, families(memory));
        // RocksDB's diary is put away before anybody is asked whether the store is in use.
        Self::opened(path, open, "LOG.old")
    }

    /// Opens beside a running gatherer: sees what was written up to now, writes nothing.
    pub(crate) fn open_for_reading(path: &Path, memory: Memory) -> Result<Self, StoreError> {
        let is_there = path.join("CURRENT").try_exists();
        // A directory that may not be looked into, or a file in its place, is no absence.
        let unusable = |error: io::Error| StoreError::Unusable { path: path.to_owned(), source: error.into() };
        if !is_there.map_err(unusable)? {
            expect_whole(path)?;
            return Err(StoreError::Absent { path: path.to_owned() });
        }
        let mut options = database_options(memory);
        options.create_if_missing(false);
        // All files are opened at once: then they stay readable, even if the gatherer replaces them meanwhile.
        options.set_max_open_files(-1);
        let open = || DB::open_cf_descriptors_read_only(&options, path, families(memory), false);
        // One of them may be replaced just then.
        Self::opened(path, open, "No such file")
    }

    /// Opens, and once more where another process was in the way for a moment only, which shows by these words.
    fn opened(path: &Path, open: impl Fn() -> Result<DB, rocksdb::Error>, passing: &str) -> Result<Self, StoreError> {
        let mut opened = open();
        for _ in 0..LOOKS {
            match &opened {
                Err(error) if error.as_ref().contains(passing) => opened = open(),
                _ => break,
            }
        }
        let db = opened.map_err(|error| opening(path, error))?;
        let disk = Self { db, path: path.to_owned(), fault: Fault::ordered(), packing: Packing::default() };
        disk.check_format()?;
        Ok(disk)
    }

    /// Whether something has still to be read from a log of writes.
    pub(crate) fn has_log(path: &Path) -> bool {
        let is_log = |entry: &std::fs::DirEntry| {
            Path::new(&entry.file_name()).extension().is_some_and(|ending| ending == "log")
                && entry.metadata().is_ok_and(|data| data.len() > 0)
        };
        std::fs::read_dir(path).into_iter().flatten().flatten().any(|entry| is_log(&entry))
    }

    /// What is wrong with the logs of writes that a store would be opened with, if anything is. At opening, what stands behind
    /// that is passed over, as after a power cut.
    pub(crate) fn damage_in_logs(path: &Path, memory: Memory) -> Option<String> {
        let mut options = database_options(memory);
        options.create_if_missing(false);
        options.set_wal_recovery_mode(DBRecoveryMode::TolerateCorruptedTailRecords);
        let opened = DB::open_cf_descriptors_read_only(&options, path, families(memory), false);
        opened.err().filter(|error| error.kind() == rocksdb::ErrorKind::Corruption).map(|error| error.to_string())
    }

    pub(crate) fn repair(path: &Path) -> Result<(), StoreError> {
        if !path.is_dir() {
            return Err(StoreError::Absent { path: path.to_owned() });
        }
        DB::repair(&database_options(Memory::default()), path).map_err(|error| opening(path, error))
    }

    fn check_format(&self) -> Result<(), StoreError> {
        match self.get::<u32>(Family::Meta, b"format")? {
            Some(found) if found < FORMAT => Err(StoreError::Older { path: self.path.clone(), found, known: FORMAT }),
            Some(found) if found > FORMAT => Err(StoreError::Newer { path: self.path.clone(), found, known: FORMAT }),
            _ => Ok(()),
        }
    }

    pub(crate) fn order_fault(&self, order: &str) {
        self.fault.order(order);
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn database(&self) -> &DB {
        &self.db
    }

    pub(crate) fn family(&self, family: Family) -> Arc<BoundColumnFamily<'_>> {
        self.db.cf_handle(family.name()).expect("every column family is opened with the store")
    }

    pub(crate) fn get<T: DeserializeOwned>(&self, family: Family, key: &[u8]) -> Result<Option<T>, StoreError> {
        self.value(family, key)?.map(|bytes| self.decode(family, &bytes)).transpose()
    }

    pub(crate) fn has(&self, family: Family, key: &[u8]) -> Result<bool, StoreError> {
        Ok(self.value(family, key)?.is_some())
    }

    /// A value as it is written.
    pub(crate) fn value(&self, family: Family, key: &[u8]) -> Result<Option<DBPinnableSlice<'_>>, StoreError> {
        self.db.get_pinned_cf(&self.family(family), key).map_err(|error| self.failed(error))
    }

    /// All pairs from `start` on, up to but without `end` (empty: to the end of the family).
    pub(crate) fn scan<'s>(
        &'s self,
        family: Family,
        start: &[u8],
        end: &[u8],
    ) -> impl Iterator<Item = Result<Pair, StoreError>> + use<'s> {
        let mut options = ReadOptions::default();
        if !end.is_empty() {
            options.set_iterate_upper_bound(end);
        }
        let mode = IteratorMode::From(start, Direction::Forward);
        let pairs = self.db.iterator_cf_opt(&self.family(family), options, mode);
        pairs.map(|pair| pair.map_err(|error| self.failed(error)))
    }

    /// All pairs of a family, once and from front to back: this drives nothing out of memory that others need.
    pub(crate) fn sweep(&self, family: Family) -> impl Iterator<Item = Result<Pair, StoreError>> + use<'_> {
        let mut options = ReadOptions::default();
        options.fill_cache(false);
        options.set_readahead_size(SWEEP_AHEAD);
        let pairs = self.db.iterator_cf_opt(&self.family(family), options, IteratorMode::Start);
        pairs.map(|pair| pair.map_err(|error| self.failed(error)))
    }

    /// Bytes on disk of each family, by name.
    pub(crate) fn sizes(&self) -> Result<HashMap<String, u64>, StoreError> {
        let mut sizes = HashMap::new();
        for file in self.db.live_files().map_err(|error| self.failed(error))? {
            *sizes.entry(file.column_family_name).or_default() += file.size as u64;
        }
        Ok(sizes)
    }

    /// Puts every family together anew.
    pub(crate) fn compact(&self, watch: &mut dyn FnMut(&'static str, u64)) {
        let mut options = CompactOptions::default();
        options.set_bottommost_level_compaction(BottommostLevelCompaction::Force);
        for family in Family::ALL {
            watch(family.name(), self.about(family));
            self.db.compact_range_cf_opt(&self.family(family), None::<&[u8]>, None::<&[u8]>, &options);
        }
    }

    /// Merges what was written lately with what lies below it, where that is much of it: every value that was written anew would
    /// take its room twice until then. The large halves of records are written once only.
    pub(crate) fn merge_fresh(&self) -> Result<(), StoreError> {
        let files = self.db.live_files().map_err(|error| self.failed(error))?;
        for family in Family::ALL.into_iter().filter(|family| *family != Family::Attributes) {
            let own = || files.iter().filter(|file| file.column_family_name == family.name());
            let size = |is_fresh: bool| {
                own().filter(|file| (file.level == 0) == is_fresh).map(|file| file.size).sum::<usize>()
            };
            let (fresh, below) = (size(true), size(false));
            if own().count() > 1 && fresh >= (below / 2).max(WORTH_MERGING) {
                self.db.compact_range_cf(&self.family(family), None::<&[u8]>, None::<&[u8]>);
            }
        }
        Ok(())
    }

    /// The last key of a family.
    pub(crate) fn last_key(&self, family: Family) -> Result<Option<Box<[u8]>>, StoreError> {
        let last = self.db.iterator_cf(&self.family(family), IteratorMode::End).next().transpose();
        Ok(last.map_err(|error| self.failed(error))?.map(|(key, _)| key))
    }

    /// About how many keys a family has.
    pub(crate) fn about(&self, family: Family) -> u64 {
        let count = self.db.property_int_value_cf(&self.family(family), "rocksdb.estimate-num-keys");
        count.ok().flatten().unwrap_or(0)
    }

    pub(crate) fn batch(&self) -> Batch<'_> {
        Batch { disk: self, writes: WriteBatch::default(), queued: Vec::new(), in_hand: Vec::new() }
    }

    /// Writes out everything that is only in memory and in the log of writes.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        let flush = |family: Family| self.db.flush_cf(&self.family(family)).map_err(|error| self.failed(error));
        let occasion = Occasion { directory: &self.path, is_durable: true };
        self.fault.around(occasion, || Family::ALL.into_iter().try_for_each(flush), |error| self.full(error))
    }

    fn full(&self, error: io::Error) -> StoreError {
        StoreError::Failed { path: self.path.clone(), source: error.into() }
    }

    pub(crate) fn decode<'v, T: Deserialize<'v>>(&self, family: Family, value: &'v [u8]) -> Result<T, StoreError> {
        let damaged = |what: String| StoreError::Damaged { path: self.path.clone(), what };
        match value.split_first() {
            // What stands behind `T` is passed over: a glance reads the beginning of an entry only.
            Some((&VALUE_VERSION, rest)) => postcard::take_from_bytes(rest)
                .map(|(value, _)| value)
                .map_err(|error| damaged(format!("a value in {} cannot be read ({error})", family.name()))),
            Some((version, _)) => Err(damaged(format!("a value in {} has unknown version {version}", family.name()))),
            None => Err(damaged(format!("a value in {} is empty", family.name()))),
        }
    }

    pub(crate) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
        postcard::to_extend(value, vec![VALUE_VERSION]).expect("our own types can be written")
    }

    /// Whether a value begins with a version that we know.
    pub(crate) fn has_version(value: &[u8]) -> bool {
        value.first() == Some(&VALUE_VERSION)
    }

    pub(crate) fn without_attributes(&self, url: &str) -> StoreError {
        StoreError::Damaged {
            path: self.path.clone(),
            what: format!("the record of {url} has a head, but no attributes"),
        }
    }

    pub(crate) fn failed(&self, error: rocksdb::Error) -> StoreError {
        match error.kind() {
            _ if is_out_of_files(&error) => StoreError::too_many_files(&self.path),
            rocksdb::ErrorKind::Corruption => StoreError::Damaged { path: self.path.clone(), what: error.to_string() },
            _ => StoreError::Failed { path: self.path.clone(), source: error.into() },
        }
    }
}

/// Writes that happen together or not at all.
pub(crate) struct Batch<'a> {
    disk: &'a Disk,
    writes: WriteBatch,
    /// Places that it gives out in queues.
    pub(crate) queued: Vec<Vec<u8>>,
    /// Marks of what is in hand when it is written.
    pub(crate) in_hand: Vec<u64>,
}

impl Batch<'_> {
    pub(crate) fn put<T: Serialize>(&mut self, family: Family, key: &[u8], value: &T) {
        self.put_bytes(family, key, &Disk::encode(value));
    }

    /// Puts a value as it is.
    pub(crate) fn put_bytes(&mut self, family: Family, key: &[u8], value: &[u8]) {
        self.writes.put_cf(&self.disk.family(family), key, value);
    }

    /// How many writes are in it.
    pub(crate) fn len(&self) -> usize {
        self.writes.len()
    }

    pub(crate) fn mark(&mut self, family: Family, key: &[u8]) {
        self.writes.put_cf(&self.disk.family(family), key, []);
    }

    pub(crate) fn delete(&mut self, family: Family, key: &[u8]) {
        self.writes.delete_cf(&self.disk.family(family), key);
    }

    /// Writes it all. Survives the death of the process at once, a power cut within seconds.
    pub(crate) fn commit(self) -> Result<(), StoreError> {
        self.write(&WriteOptions::default(), false)
    }

    /// Writes it all and waits for the disk: for what others will build on, such as change numbers.
    pub(crate) fn commit_durably(self) -> Result<(), StoreError> {
        let mut options = WriteOptions::default();
        options.set_sync(true);
        self.write(&options, true)
    }

    fn write(self, options: &WriteOptions, is_durable: bool) -> Result<(), StoreError> {
        let Self { disk, writes, .. } = self;
        let occasion = Occasion { directory: &disk.path, is_durable };
        let write = || disk.db.write_opt(writes, options).map_err(|error| disk.failed(error));
        disk.fault.around(occasion, write, |error| disk.full(error))
    }
}

/// Refuses a directory that has parts of a store but not the one that all others hang on: a new store would be made of it.
pub(crate) fn expect_whole(path: &Path) -> Result<(), StoreError> {
    if path.join("CURRENT").exists() {
        return Ok(());
    }
    let is_table =
        |entry: &std::fs::DirEntry| Path::new(&entry.file_name()).extension().is_some_and(|ending| ending == "sst");
    let has_table = std::fs::read_dir(path).into_iter().flatten().flatten().any(|entry| is_table(&entry));
    if has_table || Disk::has_log(path) {
        let what = "there are files of a store, but CURRENT is missing".to_owned();
        return Err(StoreError::Damaged { path: path.to_owned(), what });
    }
    Ok(())
}

fn is_out_of_files(error: &rocksdb::Error) -> bool {
    error.as_ref().contains("Too many open files")
}

/// An error at opening, by what the operator can do about it.
fn opening(path: &Path, error: rocksdb::Error) -> StoreError {
    let path = path.to_owned();
    let text = error.to_string();
    if text.contains("lock hold by current process") || text.contains("While lock file") {
        return StoreError::InUse { path };
    }
    if is_out_of_files(&error) {
        return StoreError::too_many_files(&path);
    }
    let is_missing = text.contains("No such file") && path.join("CURRENT").exists();
    match error.kind() {
        rocksdb::ErrorKind::Corruption => StoreError::Damaged { path, what: text },
        _ if is_missing => StoreError::Damaged { path, what: text },
        _ => StoreError::Unusable { path, source: error.into() },
    }
}
