//! How RocksDB is set up: memory, files, packing.

use crate::disk::Family;
use gatherer_pipeline::Md5;
use rocksdb::{
    BlockBasedIndexType, BlockBasedOptions, Cache, ColumnFamilyDescriptor, DBCompressionType, Options, SliceTransform,
};

/// Table files open at once, at most.
const MOST_FILES: i32 = 512;

/// How much memory the store may use.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// Blocks read from disk, with their indexes and filters.
    pub block_cache: usize,
    /// Writes not yet in files, over all column families.
    pub write_buffers: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Self { block_cache: 40 << 20, write_buffers: 64 << 20 }
    }
}

pub(crate) fn database_options(memory: Memory) -> Options {
    let mut options = Options::default();
    options.create_if_missing(true);
    options.create_missing_column_families(true);
    // One limit over all column families; the largest buffer is written out first.
    options.set_db_write_buffer_size(memory.write_buffers);
    // The log of writes is replayed at start: keep that under a second or two.
    options.set_max_total_wal_size(memory.write_buffers as u64 * 2);
    // File handles, and the memory that goes with them, stay bounded however large the store grows.
    options.set_max_open_files(files_at_once());
    options.set_max_background_jobs(2);
    // RocksDB's own diary: a little is enough.
    options.set_keep_log_file_num(2);
    options.set_max_log_file_size(1 << 20);
    options
}

/// Table files that may be open at once: half of what the system grants, for there are connections, too.
fn files_at_once() -> i32 {
    let granted = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    granted.map_or(MOST_FILES, |granted| i32::try_from(granted / 2).unwrap_or(MOST_FILES).min(MOST_FILES))
}

pub(crate) fn families(memory: Memory) -> Vec<ColumnFamilyDescriptor> {
    let cache = Cache::new_lru_cache(memory.block_cache);
    let descriptor =
        |family: Family| ColumnFamilyDescriptor::new(family.name(), family_options(family, &cache, memory));
    Family::ALL.into_iter().map(descriptor).collect()
}

fn family_options(family: Family, cache: &Cache, memory: Memory) -> Options {
    let mut blocks = BlockBasedOptions::default();
    // Indexes and filters count against the same limit as data.
    blocks.set_block_cache(cache);
    blocks.set_cache_index_and_filter_blocks(true);
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(true);
    // In pieces, of which only those in use are in memory: whole ones would soon be too large for the cache, and each
    // look-up would read a megabyte to learn that there is nothing.
    blocks.set_index_type(BlockBasedIndexType::TwoLevelIndexSearch);
    blocks.set_partition_filters(true);
    blocks.set_metadata_block_size(4 << 10);
    blocks.set_pin_top_level_index_and_filter(true);
    // Most look-ups ask for a URL that is not there (a link never seen before): ten bits a key answer
    // 99 % of them without reading a block. Queues and timetables are only ever scanned.
    if matches!(family, Family::Production | Family::Fates) {
        blocks.set_bloom_filter(10.0, false);
    }
    // Who has the same content is asked for every new page, and hardly ever is there anybody.
    if family == Family::Digest {
        blocks.set_bloom_filter(10.0, false);
        blocks.set_whole_key_filtering(false);
    }
    let mut options = if family == Family::Attributes { packed_already() } else { packed_by_age() };
    if family == Family::Digest {
        options.set_prefix_extractor(SliceTransform::create_fixed_prefix(size_of::<Md5>()));
    }
    options.set_block_based_table_factory(&blocks);
    options.set_write_buffer_size((memory.write_buffers / 4).max(1 << 20));
    options
}

/// Young data is rewritten soon, so it is packed fast; old data lies long, so it is packed well.
fn packed_by_age() -> Options {
    let mut options = Options::default();
    options.set_compression_type(DBCompressionType::Lz4);
    options.set_bottommost_compression_type(DBCompressionType::Zstd);
    options
}

/// Attributes are packed before they are written, and come in the order of their keys: files of them go down the levels as they
/// are.
fn packed_already() -> Options {
    let mut options = Options::default();
    options.set_compression_type(DBCompressionType::None);
    options
}
