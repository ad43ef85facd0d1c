//! The bytes of one transfer, written from one view of production.

use gatherer_pipeline::UnixTime;
use gatherer_soif::{Wrapper, WriteError, Writer};
use gatherer_store::{Change, ChangeKind, Record, StoreError, View};
use std::io::{self, Write};

/// Which objects, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transfer {
    /// Changed at this time or later; 0 is everything.
    pub(crate) since: UnixTime,
    /// Fill `@DELETE` and `@REFRESH`.
    pub(crate) deletions: bool,
}

/// A change is stamped a moment before brokers can see it, and their clocks are not ours. Looking back a little more
/// than asked sends some changes twice and loses none.
const MARGIN: u64 = 60;

impl Transfer {
    /// Writes the three wrappers and returns the number of objects in them.
    pub(crate) fn write(self, view: &View<'_>, out: &mut impl Write) -> io::Result<u64> {
        let start = if self.since.0 == 0 {
            0
        } else {
            view.number_before(UnixTime(self.since.0.saturating_sub(MARGIN))).map_err(store)?
        };
        let listed = self.list(view, out, start, Wrapper::Delete)? + self.list(view, out, start, Wrapper::Refresh)?;
        out.write_all(b"@UPDATE {\n")?;
        let updated = if self.since.0 == 0 { everything(view, out)? } else { self.changed(view, out, start)? };
        out.write_all(b"}\n")?;
        Ok(listed + updated)
    }

    /// `@DELETE` or `@REFRESH`: one object a URL, the refreshed ones with their new times. A full transfer has
    /// neither, because it starts from nothing.
    fn list(self, view: &View<'_>, out: &mut impl Write, start: u64, wrapper: Wrapper) -> io::Result<u64> {
        let mut writer = Writer::new(out);
        if !self.deletions || self.since.0 == 0 {
            writer.empty_wrapper(wrapper).map_err(soif)?;
            return Ok(0);
        }
        let wanted = if wrapper == Wrapper::Delete { ChangeKind::Delete } else { ChangeKind::Refresh };
        writer.begin_wrapper(wrapper).map_err(soif)?;
        let mut count = 0;
        for change in view.changes_after(start) {
            let change = change.map_err(store)?;
            if change.kind != wanted || Self::is_in_update(view, &change, start)? {
                continue;
            }
            writer.begin("FILE", change.url.as_str()).map_err(soif)?;
            if let Some(head) = view.head(&change.url).map_err(store)? {
                for (name, value) in head.timing() {
                    writer.attribute(name, value.to_string().as_bytes()).map_err(soif)?;
                }
            }
            writer.end().map_err(soif)?;
            count += 1;
        }
        writer.end_wrapper().map_err(soif)?;
        Ok(count)
    }

    fn changed(self, view: &View<'_>, out: &mut impl Write, start: u64) -> io::Result<u64> {
        let mut count = 0;
        for change in view.changes_after(start) {
            let change = change.map_err(store)?;
            let wanted = match change.kind {
                ChangeKind::Update => true,
                // Brokers that know no @REFRESH must hear of new times too, or they let live objects expire.
                ChangeKind::Refresh => !self.deletions && !Self::is_in_update(view, &change, start)?,
                ChangeKind::Delete => false,
            };
            let record = if wanted { view.record(&change.url).map_err(store)? } else { None };
            if let Some(record) = record {
                send(&record, out)?;
                count += 1;
            }
        }
        Ok(count)
    }

    /// Whether a refreshed object is sent whole anyway, because its content is new to this broker as well.
    fn is_in_update(view: &View<'_>, change: &Change, start: u64) -> io::Result<bool> {
        let head = if change.kind == ChangeKind::Refresh { view.head(&change.url).map_err(store)? } else { None };
        Ok(head.is_some_and(|head| head.update > start))
    }
}

fn everything(view: &View<'_>, out: &mut impl Write) -> io::Result<u64> {
    let mut count = 0;
    for record in view.records() {
        send(&record.map_err(store)?, out)?;
        count += 1;
    }
    Ok(count)
}

fn send(record: &Record, out: &mut impl Write) -> io::Result<()> {
    let mut object = Vec::with_capacity(record.body.soif.len() + 512);
    record.write_soif(&mut object);
    object.push(b'\n');
    out.write_all(&object)
}

fn store(error: StoreError) -> io::Error {
    io::Error::other(error)
}

fn soif(error: WriteError) -> io::Error {
    io::Error::other(error)
}
