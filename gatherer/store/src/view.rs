//! What brokers see: production and its change log at one moment, however long the reading takes.

use crate::disk::{Disk, Family, Pair};
use crate::fold::LOG_END;
use crate::record::{Change, Head, Raw, RawBody, RawHead, Record};
use crate::roots::Holding;
use crate::{Store, StoreError, keys};
use gatherer_pipeline::{Entry, Md5, UnixTime};
use rocksdb::{
    DB, DBPinnableSlice, DBRawIteratorWithThreadMode, Direction, IteratorMode, ReadOptions, SnapshotWithThreadMode,
};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use url::{Host, Url};

/// The read-only door to a store.
#[derive(Clone)]
pub struct Production(Arc<Store>);

impl Production {
    /// A door to this store.
    pub fn new(store: Arc<Store>) -> Self {
        Self(store)
    }

    /// Everything folded up to now, and nothing later.
    pub fn view(&self) -> View<'_> {
        self.0.view()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0
    }

    /// The root node under which a URL is known, if it is.
    ///
    /// # Errors
    /// When the store fails.
    pub fn root_of(&self, url: &Url) -> Result<Option<String>, StoreError> {
        Ok(self.0.entry(url)?.map(|entry| entry.root))
    }

    /// The root nodes that have URLs at a host.
    pub fn roots_at(&self, host: &str) -> Vec<String> {
        self.0.lock().at_host(host)
    }

    /// Root nodes that are private, or were.
    ///
    /// # Errors
    /// When the store fails.
    pub fn ever_private(&self) -> Result<std::collections::BTreeSet<String>, StoreError> {
        self.0.ever_private()
    }

    /// Tells this store from every other.
    pub fn identity(&self) -> u64 {
        self.0.identity()
    }

    /// What every root node holds.
    pub fn holdings(&self) -> Vec<(String, Holding)> {
        self.0.holdings()
    }

    /// Has `listener` called after each fold. It must not take long, nor use the store.
    pub fn on_fold(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.0.on_fold(listener);
    }
}

impl Store {
    /// Everything folded up to now, and nothing later.
    pub fn view(&self) -> View<'_> {
        View { disk: &self.disk, snapshot: self.disk.database().snapshot() }
    }

    /// Up to `most` resources with this content, folded or about to be.
    ///
    /// # Errors
    /// When the store fails.
    pub fn twins(&self, md5: Md5, most: usize) -> Result<Vec<Url>, StoreError> {
        let mut urls = Vec::new();
        for pair in self.disk.scan(Family::Digest, &md5.0, &keys::behind(&md5.0)).take(most) {
            let (key, _) = pair?;
            let entry: Option<Entry> = self.disk.get(Family::Fates, &key[md5.0.len()..])?;
            urls.extend(entry.map(|entry| entry.url));
        }
        Ok(urls)
    }
}

/// Bytes that a walk reads at once, of each file that it goes through.
const READ_AHEAD: usize = 128 << 10;

/// Where the record of a URL stands in production's order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(Vec<u8>);

impl Place {
    /// The place of this URL, whether it has a record or not.
    pub fn of(url: &Url) -> Self {
        // What is inside of a resource stands before it.
        Self(keys::half(&keys::url_key(url), keys::HEAD))
    }
}

/// A part of production in its order: by host reversed, then port, then path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    pub(crate) start: Vec<u8>,
    /// Empty: to the end.
    pub(crate) end: Vec<u8>,
}

impl Range {
    /// Everything.
    pub fn all() -> Self {
        Self { start: Vec::new(), end: Vec::new() }
    }

    /// A host with all hosts below it, and perhaps some beside them: who asks looks at the host, too.
    pub fn site(host: &Host<&str>) -> Self {
        let start = keys::reversed_host(Some(host)).into_bytes();
        let end = keys::behind(&keys::half(&start, b'.'));
        Self { start, end }
    }

    /// All URLs that begin like this one.
    pub fn below(url: &Url) -> Self {
        let mut start = keys::url_key(url);
        start.pop();
        Self { end: keys::behind(&start), start }
    }

    /// From one place on, up to but without another one; without a place, from the start or to the end.
    pub fn between(from: Option<&Place>, to: Option<&Place>) -> Self {
        let key = |place: Option<&Place>| place.map(|place| place.0.clone()).unwrap_or_default();
        Self { start: key(from), end: key(to) }
    }

    /// What of it stands behind this URL.
    #[must_use]
    pub fn after(self, url: &Url) -> Self {
        let start = keys::half(&keys::url_key(url), keys::HEAD + 1);
        Self { start: start.max(self.start), ..self }
    }
}

/// Records one after the other, each of them in place.
pub struct Walk<'a> {
    view: &'a View<'a>,
    heads: DBRawIteratorWithThreadMode<'a, DB>,
    head: Vec<u8>,
    /// Unpacked.
    body: Vec<u8>,
}

impl Walk<'_> {
    /// The next record.
    ///
    /// # Errors
    /// When the store fails.
    pub fn step(&mut self) -> Result<Option<Raw<'_>>, StoreError> {
        let disk = self.view.disk;
        if !self.advance()? {
            return Ok(None);
        }
        let head: RawHead<'_> = disk.decode(Family::Production, &self.head)?;
        let mut options = ReadOptions::default();
        options.fill_cache(false);
        let Some(body) = self.view.body(head.body, options)? else { return Err(disk.without_attributes(head.url)) };
        disk.unpack(&body, &mut self.body)?;
        let body: RawBody<'_> = disk.decode(Family::Attributes, &self.body)?;
        Ok(Some(Raw { head, soif: body.soif }))
    }

    /// Goes on to the next head.
    fn advance(&mut self) -> Result<bool, StoreError> {
        let mut is_head = false;
        while let (false, Some((key, value))) = (is_head, self.heads.item()) {
            is_head = key.last() == Some(&keys::HEAD);
            if is_head {
                self.head.clear();
                self.head.extend_from_slice(value);
            }
            self.heads.next();
        }
        self.heads.status().map_err(|error| self.view.disk.failed(error))?;
        Ok(is_head)
    }
}

/// Production at one moment.
pub struct View<'a> {
    disk: &'a Disk,
    snapshot: SnapshotWithThreadMode<'a, DB>,
}

impl View<'_> {
    /// Number and time of the latest change; zero in a new store.
    ///
    /// # Errors
    /// When the store fails.
    pub fn last_change(&self) -> Result<(u64, UnixTime), StoreError> {
        Ok(self.get(Family::Meta, LOG_END)?.unwrap_or_default())
    }

    /// One record.
    ///
    /// # Errors
    /// When the store fails.
    pub fn record(&self, url: &Url) -> Result<Option<Record>, StoreError> {
        let head = self.head(url)?;
        head.map(|head| self.whole(head)).transpose()
    }

    /// The small half of one record.
    ///
    /// # Errors
    /// When the store fails.
    pub fn head(&self, url: &Url) -> Result<Option<Head>, StoreError> {
        self.get(Family::Production, &keys::half(&keys::url_key(url), keys::HEAD))
    }

    /// All records, one site after the other.
    pub fn records(&self) -> impl Iterator<Item = Result<Record, StoreError>> + use<'_> {
        let mut walk = self.walk(&Range::all());
        let mut next = move || {
            let is_there = walk.advance()?;
            is_there.then(|| self.whole(self.disk.decode(Family::Production, &walk.head)?)).transpose()
        };
        std::iter::from_fn(move || next().transpose())
    }

    /// A record, by its small half.
    fn whole(&self, head: Head) -> Result<Record, StoreError> {
        let body = self.body(head.body, ReadOptions::default())?;
        let body = body.ok_or_else(|| self.disk.without_attributes(head.url.as_str()))?;
        Ok(Record { body: self.disk.unpacked(&body)?, head })
    }

    fn body(&self, number: u64, options: ReadOptions) -> Result<Option<DBPinnableSlice<'_>>, StoreError> {
        let body =
            self.snapshot.get_pinned_cf_opt(&self.disk.family(Family::Attributes), number.to_be_bytes(), options);
        body.map_err(|error| self.disk.failed(error))
    }

    /// The records of a range, read in place.
    pub fn walk(&self, range: &Range) -> Walk<'_> {
        let mut options = ReadOptions::default();
        if !range.end.is_empty() {
            options.set_iterate_upper_bound(range.end.as_slice());
        }
        // Read once and from front to back: this must not drive out of memory what runs need.
        options.fill_cache(false);
        options.set_readahead_size(READ_AHEAD);
        let mut heads = self.snapshot.raw_iterator_cf_opt(&self.disk.family(Family::Production), options);
        heads.seek(&range.start);
        Walk { view: self, heads, head: Vec::new(), body: Vec::new() }
    }

    /// All changes with a number greater than `number`, in order.
    pub fn changes_after(&self, number: u64) -> impl Iterator<Item = Result<Change, StoreError>> + use<'_> {
        let from = number.saturating_add(1).to_be_bytes();
        self.scan(Family::Changes, &from).map(|pair| self.disk.decode(Family::Changes, &pair?.1))
    }

    /// The number behind which all changes folded at `time` or later stand.
    ///
    /// # Errors
    /// When the store fails.
    pub fn number_before(&self, time: UnixTime) -> Result<u64, StoreError> {
        let (mut low, mut high) = (0, self.last_change()?.0);
        // Times never fall along the log, so the place is found by halving.
        while low < high {
            let middle = low + (high - low) / 2;
            match self.changes_after(middle).next().transpose()? {
                Some(change) if change.at < time => low = change.number,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// Other resources with the same content.
    ///
    /// # Errors
    /// When the store fails.
    pub fn same_content(&self, md5: Md5) -> Result<Vec<Url>, StoreError> {
        let mut urls = Vec::new();
        for pair in self.scan(Family::Digest, &md5.0) {
            let (key, _) = pair?;
            let Some(url_key) = key.strip_prefix(&md5.0) else { break };
            let head: Option<Head> = self.get(Family::Production, &keys::half(url_key, keys::HEAD))?;
            urls.extend(head.map(|head| head.url));
        }
        Ok(urls)
    }

    fn get<T: DeserializeOwned>(&self, family: Family, key: &[u8]) -> Result<Option<T>, StoreError> {
        let value = self.snapshot.get_pinned_cf(&self.disk.family(family), key);
        let value = value.map_err(|error| self.disk.failed(error))?;
        value.map(|bytes| self.disk.decode(family, &bytes)).transpose()
    }

    fn scan<'s>(&'s self, family: Family, from: &[u8]) -> impl Iterator<Item = Result<Pair, StoreError>> + use<'s> {
        let mode = IteratorMode::From(from, Direction::Forward);
        let pairs = self.snapshot.iterator_cf_opt(&self.disk.family(family), ReadOptions::default(), mode);
        pairs.map(|pair| pair.map_err(|error| self.disk.failed(error)))
    }
}
