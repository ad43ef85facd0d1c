//! The bytes of one transfer: three wrappers, written from one view of production.

use crate::House;
use crate::cursor::Cursor;
use crate::feed::{Entry, Feed, News, Step};
use crate::filter::{Filter, Traits};
use crate::gzip;
use crate::pieces::{Flow, Order, Source};
use crate::ready::Variety;
use crate::supply::Supply;
use flate2::Crc;
use gatherer_pipeline::UnixTime;
use gatherer_soif::{Wrapper, WriteError, Writer};
use gatherer_store::{Change, ChangeKind, Head, Raw, Record, StoreError, View};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::oneshot;

/// From where on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start {
    /// Changed at this time or later; 0 is everything.
    Time(UnixTime),
    /// Behind this place in the change log.
    Cursor(Cursor),
}

/// Which objects, and how.
pub(super) struct Transfer {
    pub(super) start: Start,
    /// Fill `@DELETE` and `@REFRESH`.
    pub(super) deletions: bool,
    pub(super) filter: Filter,
    /// How many objects have been written.
    pub(super) count: Arc<AtomicU64>,
    /// Whether the broker wants it packed.
    pub(super) compression: bool,
    /// Hears where the change log ends in the view that all of it is written from, and whether it comes packed already.
    pub(super) end: oneshot::Sender<(Cursor, bool)>,
}

/// A change is stamped a moment before brokers can see it, and their clocks are not ours. Looking back a little more
/// than asked sends some changes twice and loses none.
const MARGIN: u64 = 60;

impl Order for Transfer {
    fn open<'v>(self, house: &House, view: &'v View<'v>) -> io::Result<Box<dyn Source + 'v>> {
        let anew = Cursor::new(&house.service.production, &self.filter, 0);
        let (number, cursor) = match self.start {
            Start::Time(UnixTime(0)) => (0, anew),
            Start::Time(time) => (view.number_before(UnixTime(time.0.saturating_sub(MARGIN))).map_err(store)?, anew),
            Start::Cursor(cursor) => (cursor.number, cursor),
        };
        let is_full = number == 0 && matches!(self.start, Start::Time(UnixTime(0)) | Start::Cursor(_));
        let Self { deletions, filter, count, compression, .. } = self;
        let supply = if is_full { Some(supply(house, view, &filter, compression)?) } else { None };
        let is_packed = supply.as_ref().is_some_and(Supply::is_packed);
        let end = cursor.end(view).map_err(store)?;
        // Whoever asked is gone if nobody hears it.
        let _ = self.end.send((end, is_packed));
        let part = Part::Begin(Wrapper::Delete);
        let writing = Writing { view, number, supply, deletions, filter, count, part };
        Ok(if is_packed { Box::new(Packing { plain: writing, sum: None }) } else { Box::new(writing) })
    }
}

/// Everything that a broker wants, as far as possible out of what lies ready.
fn supply<'v>(house: &House, view: &'v View<'v>, filter: &Filter, compression: bool) -> io::Result<Supply<'v>> {
    let find = |is_packed| house.ready.find(house, Variety::of(filter, is_packed));
    let mut stock = None;
    if filter.is_all() {
        stock = compression.then(|| find(true)).flatten().or_else(|| find(false));
    }
    match stock {
        Some(stock) => Supply::stocked(view, stock).map_err(store),
        None => Ok(Supply::walked(view, filter.range())),
    }
}

/// A transfer that is being written.
struct Writing<'v> {
    view: &'v View<'v>,
    /// The change that it starts behind.
    number: u64,
    /// Everything, if that is wanted, until it is its turn.
    supply: Option<Supply<'v>>,
    deletions: bool,
    filter: Filter,
    count: Arc<AtomicU64>,
    part: Part<'v>,
}

/// Where it is.
enum Part<'v> {
    Begin(Wrapper),
    /// `@DELETE` or `@REFRESH`: one object a URL, the refreshed ones with their new times.
    List(Wrapper, Feed<'v>),
    /// `@UPDATE`, everything there is.
    Everything(Supply<'v>),
    /// `@UPDATE`, what is new.
    Changed(Feed<'v>),
    /// `@UPDATE` for brokers that know no `@REFRESH`: they must hear of new times too, or they let live objects expire.
    Renewed(Box<dyn Iterator<Item = Result<Change, StoreError>> + Send + 'v>),
}

impl Source for Writing<'_> {
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<Flow> {
        let is_written = match &mut self.part {
            Part::Begin(wrapper) => {
                let wrapper = *wrapper;
                return self.begin(wrapper, out);
            }
            Part::List(wrapper, feed) => match feed.next().map_err(store)? {
                Step::News(entry) => list(*wrapper, entry, out)?,
                Step::Nothing => false,
                Step::End => {
                    let next = if *wrapper == Wrapper::Delete { Wrapper::Refresh } else { Wrapper::Update };
                    out.extend_from_slice(b"}\n");
                    self.part = Part::Begin(next);
                    return Ok(Flow::More);
                }
            },
            Part::Everything(supply) if supply.lying().is_some() => {
                self.count.fetch_add(supply.take(out)?, Ordering::Relaxed);
                false
            }
            Part::Everything(supply) => match supply.step(|record| show(&self.filter, record, out))? {
                Some(is_written) => is_written,
                None if supply.lying().is_some() => false,
                None => return Ok(end(out)),
            },
            Part::Changed(feed) => match feed.next().map_err(store)? {
                Step::News(Entry { news: News::Update(record), .. }) => send(&self.filter, &record, out)?,
                Step::News(_) | Step::Nothing => false,
                Step::End => return Ok(end(out)),
            },
            Part::Renewed(changes) => match changes.next() {
                Some(change) => self.renewed(&change.map_err(store)?, out)?,
                None => return Ok(end(out)),
            },
        };
        self.count.fetch_add(u64::from(is_written), Ordering::Relaxed);
        Ok(Flow::More)
    }
}

impl Writing<'_> {
    fn begin(&mut self, wrapper: Wrapper, out: &mut Vec<u8>) -> io::Result<Flow> {
        let mut writer = Writer::new(&mut *out);
        let feed = || Feed::new(self.view, self.number, self.filter.clone());
        self.part = match wrapper {
            // A full transfer has neither, because it starts from nothing.
            Wrapper::Delete | Wrapper::Refresh if self.supply.is_some() || !self.deletions => {
                writer.empty_wrapper(wrapper).map_err(soif)?;
                Part::Begin(if wrapper == Wrapper::Delete { Wrapper::Refresh } else { Wrapper::Update })
            }
            Wrapper::Delete | Wrapper::Refresh => {
                writer.begin_wrapper(wrapper).map_err(soif)?;
                Part::List(wrapper, feed())
            }
            Wrapper::Update => {
                writer.begin_wrapper(wrapper).map_err(soif)?;
                if let Some(supply) = self.supply.take() {
                    Part::Everything(supply)
                } else if self.deletions {
                    Part::Changed(feed())
                } else {
                    Part::Renewed(Box::new(self.view.changes_after(self.number)))
                }
            }
        };
        Ok(Flow::More)
    }

    /// An object that is new, has changed or was renewed, whole and once.
    fn renewed(&self, change: &Change, out: &mut Vec<u8>) -> io::Result<bool> {
        if change.kind == ChangeKind::Delete || !self.filter.may_see(&change.root) {
            return Ok(false);
        }
        let Some(record) = self.view.record(&change.url).map_err(store)? else { return Ok(false) };
        let is_sent_before = |head: &Head| change.kind == ChangeKind::Refresh && head.update > self.number;
        if is_sent_before(&record.head) || !self.filter.wants(&Traits::from(&record.head)) {
            return Ok(false);
        }
        send(&self.filter, &record, out)
    }
}

/// A full transfer of which pieces lie ready packed. What has changed since is packed between them.
struct Packing<'v> {
    plain: Writing<'v>,
    /// Of all that is sent; nothing before the beginning.
    sum: Option<Crc>,
}

/// Records that are packed together, and those that are looked at in one go.
const TOGETHER: usize = 200;

impl Source for Packing<'_> {
    fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<Flow> {
        let sum = self.sum.get_or_insert_with(|| {
            out.extend_from_slice(&gzip::HEADER);
            Crc::new()
        });
        if let Part::Everything(supply) = &self.plain.part
            && let Some(known) = supply.lying().and_then(|piece| piece.sum.as_ref())
        {
            sum.combine(known);
            return self.plain.fill(out);
        }
        let (mut plain, mut flow) = (Vec::new(), Flow::More);
        for _ in 0..TOGETHER {
            flow = self.plain.fill(&mut plain)?;
            let is_lying = matches!(&self.plain.part, Part::Everything(supply) if supply.lying().is_some());
            if flow == Flow::Done || is_lying {
                break;
            }
        }
        let packed = gzip::deflate(&plain)?;
        out.extend_from_slice(&packed.bytes);
        sum.combine(&packed.sum);
        if flow == Flow::Done {
            out.extend_from_slice(&gzip::end(sum));
        }
        Ok(flow)
    }
}

/// A record out of the store, if it is wanted.
fn show(filter: &Filter, record: &Raw<'_>, out: &mut Vec<u8>) -> io::Result<bool> {
    let is_wanted = filter.may_see(record.head.root) && filter.wants(&Traits::from(&record.head));
    if is_wanted && filter.is_whole() {
        record.write_soif(out);
        out.push(b'\n');
    } else if is_wanted {
        trimmed(filter, record.object(), out)?;
    }
    Ok(is_wanted)
}

fn list(wrapper: Wrapper, entry: Entry, out: &mut Vec<u8>) -> io::Result<bool> {
    let mut writer = Writer::new(out);
    match (wrapper, entry.news) {
        (Wrapper::Delete, News::Delete(url)) => writer.begin("FILE", url.as_str()).map_err(soif)?,
        (Wrapper::Refresh, News::Refresh(head)) => {
            writer.begin("FILE", head.url.as_str()).map_err(soif)?;
            for (name, value) in head.timing() {
                writer.attribute(name, value.to_string().as_bytes()).map_err(soif)?;
            }
        }
        _ => return Ok(false),
    }
    writer.end().map_err(soif)?;
    Ok(true)
}

fn send(filter: &Filter, record: &Record, out: &mut Vec<u8>) -> io::Result<bool> {
    if filter.is_whole() {
        record.write_soif(out);
        out.push(b'\n');
    } else {
        trimmed(filter, record.object(), out)?;
    }
    Ok(true)
}

fn trimmed(filter: &Filter, mut object: gatherer_soif::Object, out: &mut Vec<u8>) -> io::Result<()> {
    filter.trim(&mut object);
    out.extend_from_slice(&gatherer_soif::to_bytes(&object).map_err(soif)?);
    out.push(b'\n');
    Ok(())
}

fn end(out: &mut Vec<u8>) -> Flow {
    out.extend_from_slice(b"}\n");
    Flow::Done
}

fn store(error: StoreError) -> io::Error {
    io::Error::other(error)
}

fn soif(error: WriteError) -> io::Error {
    io::Error::other(error)
}
