//! Full transfers that lie ready, as Harvest kept its `All-Templates.gz`.
//!
//! All records as brokers get them stand in a file, in pieces; each piece knows the part of the store that it was made of.
//! A transfer sends those in whose part nothing has changed since then, and reads the rest out of the store: it is exact
//! whenever somebody asks, and what a fold costs follows what has changed. `ahead` makes them, before anybody asks.

use crate::filter::Filter;
use crate::{Ahead, House};
use flate2::Crc;
use gatherer_pipeline::events;
use gatherer_store::{Place, StoreError, View};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Transfers of one kind are the same for all who ask at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Variety {
    pub(crate) is_packed: bool,
    /// With what only trusted brokers may see.
    pub(crate) is_trusted: bool,
}

impl Variety {
    /// What everybody may have, as it is: this lies ready whether somebody has asked for it or not.
    pub(crate) const PLAIN: Self = Self { is_packed: false, is_trusted: false };

    pub(crate) fn of(filter: &Filter, is_packed: bool) -> Self {
        Self { is_packed, is_trusted: filter.hidden.is_none() }
    }

    pub(crate) fn filter(self, house: &House) -> Filter {
        if self.is_trusted { Filter::default() } else { Filter::public(&house.service.is_private) }
    }
}

/// What lies ready.
pub(crate) struct ReadyMade {
    terms: Option<Ahead>,
    shelf: Mutex<Shelf>,
    /// Somebody has asked for what is not there.
    pub(crate) missed: Notify,
}

#[derive(Default)]
struct Shelf {
    stocks: BTreeMap<Variety, Arc<Stock>>,
    /// Asked for since they were made.
    wanted: BTreeSet<Variety>,
    /// So many records did not fit.
    too_many: Option<u64>,
    /// Files that were begun.
    begun: u64,
}

impl ReadyMade {
    /// Keeps them on these terms. What is in the folder already is of another time.
    pub(crate) fn new(terms: Option<Ahead>) -> Self {
        let terms = terms.filter(|terms| match fs::create_dir_all(&terms.folder) {
            Ok(()) => true,
            Err(error) => {
                events::transfer_not_ready(terms.folder.display(), error);
                false
            }
        });
        terms.iter().for_each(|terms| clear(&terms.folder));
        Self { terms, shelf: Mutex::default(), missed: Notify::new() }
    }

    /// How long to wait for more to change before anything is made; nothing if nothing is kept.
    pub(crate) fn pause(&self) -> Option<Duration> {
        self.terms.as_ref().map(|terms| terms.pause)
    }

    /// What lies ready for those who ask for this, made for those to whom the same is hidden.
    pub(crate) fn find(&self, house: &House, variety: Variety) -> Option<Arc<Stock>> {
        self.terms.as_ref()?;
        let found = {
            let mut shelf = self.shelf();
            shelf.wanted.insert(variety);
            shelf.stocks.get(&variety).cloned()
        };
        let fitting = found.filter(|stock| stock.hidden == hidden(house, variety));
        if fitting.is_none() {
            self.missed.notify_one();
        }
        fitting
    }

    /// Those that are to be made when something has changed.
    pub(crate) fn take_wishes(&self) -> BTreeSet<Variety> {
        let mut wanted = std::mem::take(&mut self.shelf().wanted);
        wanted.insert(Variety::PLAIN);
        wanted
    }

    /// What there is of a variety, for whoever makes it anew.
    pub(crate) fn stock(&self, variety: Variety) -> Option<Arc<Stock>> {
        self.shelf().stocks.get(&variety).cloned()
    }

    /// Whether so many records may fit: as many as once did not are not tried again.
    pub(crate) fn may_fit(&self, records: u64) -> bool {
        self.shelf().too_many.is_none_or(|many| records < many)
    }

    /// So many records did not fit.
    pub(crate) fn did_not_fit(&self, records: u64) {
        let mut shelf = self.shelf();
        shelf.too_many = Some(records);
        shelf.stocks.clear();
    }

    /// Begins a file.
    pub(crate) fn begin(&self, number: u64, hidden: Vec<String>) -> io::Result<Stock> {
        let terms = self.terms.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let begun = {
            let mut shelf = self.shelf();
            shelf.begun += 1;
            shelf.begun
        };
        let path = terms.folder.join(format!("{number}-{begun}.{BEGUN}"));
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        Ok(Stock { file, path, number, hidden, pieces: Vec::new(), size: 0, limit: terms.limit })
    }

    /// From now on this is what brokers get.
    pub(crate) fn put(&self, variety: Variety, mut stock: Stock) -> io::Result<()> {
        let path = stock.path.with_extension(WHOLE);
        fs::rename(&stock.path, &path)?;
        stock.path = path;
        self.shelf().stocks.insert(variety, Arc::new(stock));
        Ok(())
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How files are called that are being made,
const BEGUN: &str = "part";
/// and those that are whole.
const WHOLE: &str = "transfer";

fn clear(folder: &Path) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|ending| ending == BEGUN || ending == WHOLE) {
            // What cannot be removed now is tried again at the next start.
            let _ = fs::remove_file(&path);
        }
    }
}

/// The root nodes of which those who ask for this see nothing.
pub(crate) fn hidden(house: &House, variety: Variety) -> Vec<String> {
    let filter = variety.filter(house);
    if filter.hidden.is_none() {
        return Vec::new();
    }
    let roots = house.service.production.holdings().into_iter().map(|(root, _)| root);
    let mut hidden: Vec<_> = roots.filter(|root| !filter.may_see(root)).collect();
    hidden.sort();
    hidden
}

/// All records at one moment, as they are sent. The file goes when nobody needs it any more.
pub(crate) struct Stock {
    file: File,
    path: PathBuf,
    /// The last change that is in it.
    pub(crate) number: u64,
    pub(crate) hidden: Vec<String>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) size: u64,
    limit: u64,
}

/// A run of whole records.
pub(crate) struct Piece {
    /// Where the first of them stands: the piece is made of the store from there up to the first of the next piece.
    first: Place,
    offset: u64,
    length: usize,
    pub(crate) count: u64,
    /// Checksum of what is in it, if it is packed.
    pub(crate) sum: Option<Crc>,
}

impl Piece {
    /// All that another file has to know of it.
    pub(crate) fn copied(&self) -> (Place, u64, Option<Crc>) {
        let copy = |known: &Crc| {
            let mut sum = Crc::new();
            sum.combine(known);
            sum
        };
        (self.first.clone(), self.count, self.sum.as_ref().map(copy))
    }
}

/// Longer logs are not looked through: then most of it has changed anyway.
const LOOKED_THROUGH: u64 = 50_000;

impl Stock {
    /// Adds a piece; with a checksum of what is in it, if it is packed.
    pub(crate) fn add(&mut self, first: Place, count: u64, bytes: &[u8], sum: Option<Crc>) -> io::Result<()> {
        let offset = self.size;
        self.size += bytes.len() as u64;
        if self.size > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.file.write_all(bytes)?;
        self.pieces.push(Piece { first, offset, length: bytes.len(), count, sum });
        Ok(())
    }

    /// Adds the bytes of a piece to others.
    pub(crate) fn read(&self, piece: &Piece, out: &mut Vec<u8>) -> io::Result<()> {
        let start = out.len();
        out.resize(start + piece.length, 0);
        self.file.read_exact_at(&mut out[start..], piece.offset)
    }

    /// Where a piece begins; from the start of the store, or up to its end, for the first and behind the last one.
    pub(crate) fn boundary(&self, number: usize) -> Option<&Place> {
        self.pieces.get(number).filter(|_| number > 0).map(|piece| &piece.first)
    }

    /// In which pieces something has changed, as this view sees it; nothing if that is in most of them, or the view is older.
    pub(crate) fn changed(&self, view: &View<'_>) -> Result<Option<Vec<bool>>, StoreError> {
        let end = view.last_change()?.0;
        if self.pieces.is_empty() || end.checked_sub(self.number).is_none_or(|behind| behind > LOOKED_THROUGH) {
            return Ok(None);
        }
        let mut changed = vec![false; self.pieces.len()];
        for change in view.changes_after(self.number) {
            let place = Place::of(&change?.url);
            let behind = self.pieces.partition_point(|piece| piece.first <= place);
            changed[behind.saturating_sub(1)] = true;
        }
        Ok(Some(changed))
    }
}

impl Drop for Stock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
