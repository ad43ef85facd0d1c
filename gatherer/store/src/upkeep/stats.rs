//! How large a store is, and what of.

use super::Watch;
use crate::StoreError;
use crate::disk::{Disk, Family};
use crate::keys;
use crate::packing::plain_length;
use crate::record::Head;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// What a store holds, and how much room it takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Records.
    pub records: u64,
    /// URLs in the ledger.
    pub urls: u64,
    /// Places in queues.
    pub queued: u64,
    /// Bodies kept.
    pub bodies: u64,
    /// Bytes on disk, all in all.
    pub bytes: u64,
    /// Of these, what was written lately and is not yet put in order.
    pub log_bytes: u64,
    /// Each part of the store.
    pub parts: Vec<PartSize>,
    /// Each site, the largest first.
    pub sites: Vec<SiteSize>,
    /// Each kind, the largest first.
    pub kinds: Vec<SiteSize>,
}

/// One part of the store: a column family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartSize {
    /// Its name.
    pub name: &'static str,
    /// Values in it; of parts that are not counted, about so many.
    pub values: u64,
    /// Bytes on disk, packed.
    pub bytes: u64,
}

/// What belongs to one site or is of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SiteSize {
    /// The host, or the kind.
    pub name: String,
    /// Its records,
    pub records: u64,
    /// their bytes, unpacked,
    pub record_bytes: u64,
    /// its bodies kept,
    pub bodies: u64,
    /// and their bytes, unpacked. Not known by kind.
    pub body_bytes: u64,
}

impl SiteSize {
    fn bytes(&self) -> u64 {
        self.record_bytes + self.body_bytes
    }
}

pub(super) fn measure(disk: &Disk, directory: &Path, watch: Watch<'_>) -> Result<Statistics, StoreError> {
    let mut statistics = Statistics::default();
    let (mut sites, mut kinds) = (BTreeMap::new(), HashMap::new());
    measure_records(disk, &mut sites, &mut kinds, &mut statistics, watch)?;
    for pair in disk.sweep(Family::Bodies) {
        let (key, value) = pair?;
        let site: &mut SiteSize = sites.entry(host_of(&key)).or_default();
        site.bodies += 1;
        site.body_bytes += value.len() as u64;
        statistics.bodies += 1;
    }
    statistics.urls = count(disk, Family::Fates, watch)?;
    statistics.queued = count(disk, Family::Frontier, watch)?;
    let sizes = disk.sizes()?;
    for family in Family::ALL {
        let values = match family {
            Family::Fates => statistics.urls,
            Family::Frontier => statistics.queued,
            Family::Bodies => statistics.bodies,
            other => disk.about(other),
        };
        let bytes = sizes.get(family.name()).copied().unwrap_or(0);
        statistics.parts.push(PartSize { name: family.name(), values, bytes });
    }
    statistics.log_bytes = log_bytes(directory);
    statistics.bytes = statistics.parts.iter().map(|part| part.bytes).sum::<u64>() + statistics.log_bytes;
    statistics.sites = largest(sites);
    statistics.kinds = largest(kinds);
    Ok(statistics)
}

fn measure_records(
    disk: &Disk,
    sites: &mut BTreeMap<String, SiteSize>,
    kinds: &mut HashMap<String, SiteSize>,
    statistics: &mut Statistics,
    watch: Watch<'_>,
) -> Result<(), StoreError> {
    // From front to back, and not one by one as heads name them: those are in another order.
    let lengths = lengths(disk, watch)?;
    let length =
        |number: u64| lengths.binary_search_by_key(&number, |(number, _)| *number).map_or(0, |at| lengths[at].1);
    for pair in disk.sweep(Family::Production) {
        let (key, value) = pair?;
        if key.last() != Some(&keys::HEAD) {
            continue;
        }
        let head: Head = disk.decode(Family::Production, &value)?;
        let bytes = value.len() as u64 + length(head.body);
        for size in [sites.entry(host_of(&key)).or_default(), kinds.entry(head.kind).or_default()] {
            size.records += 1;
            size.record_bytes += bytes;
        }
        statistics.records += 1;
        watch("production", statistics.records);
    }
    Ok(())
}

/// The length of each large half, by its number.
fn lengths(disk: &Disk, watch: Watch<'_>) -> Result<Vec<(u64, u64)>, StoreError> {
    let mut lengths = Vec::new();
    for pair in disk.sweep(Family::Attributes) {
        let (key, value) = pair?;
        lengths.extend(key.first_chunk().map(|number| (u64::from_be_bytes(*number), plain_length(&value))));
        watch("attributes", lengths.len() as u64);
    }
    Ok(lengths)
}

fn count(disk: &Disk, family: Family, watch: Watch<'_>) -> Result<u64, StoreError> {
    let mut count = 0;
    for pair in disk.sweep(family) {
        pair?;
        count += 1;
        watch(family.name(), count);
    }
    Ok(count)
}

fn log_bytes(directory: &Path) -> u64 {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let logs = files.filter(|file| file.path().extension().is_some_and(|ending| ending == "log"));
    logs.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

/// The host in a key, written forwards.
fn host_of(key: &[u8]) -> String {
    let reversed = String::from_utf8_lossy(key.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned();
    let is_address = reversed.starts_with('[') || reversed.parse::<std::net::Ipv4Addr>().is_ok();
    match reversed.as_str() {
        "" => "(files of this machine)".to_owned(),
        _ if is_address => reversed,
        _ => reversed.rsplit('.').collect::<Vec<_>>().join("."),
    }
}

fn largest(sizes: impl IntoIterator<Item = (String, SiteSize)>) -> Vec<SiteSize> {
    let mut sizes: Vec<_> = sizes.into_iter().map(|(name, size)| SiteSize { name, ..size }).collect();
    sizes.sort_by(|a, b| b.bytes().cmp(&a.bytes()).then_with(|| a.name.cmp(&b.name)));
    sizes
}
