//! The file format of `SQLite` 3, as far as the schema needs it (<https://www.sqlite.org/fileformat2.html>).

use super::schema;
use encoding_rs::{UTF_16BE, UTF_16LE};
use gatherer_pipeline::Draft;
use std::collections::HashSet;

pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";

/// Most entries of the schema, and most bytes of one.
const ENTRIES: usize = 10_000;
const ENTRY_LIMIT: usize = 1 << 20;
/// Most bytes of all entries: pages may be claimed more than once.
const SCHEMA_LIMIT: usize = 16 << 20;
/// Most pages that the schema may take.
const PAGES: usize = 10_000;

/// One table, view, index or trigger.
pub(super) struct Entry {
    pub(super) sort: String,
    pub(super) name: String,
    pub(super) sql: String,
}

/// Writes what header and schema tell.
pub(super) fn write(body: &[u8], cut: bool, draft: &mut Draft) {
    draft.add("Format", "SQLite 3");
    let Some(file) = File::new(body) else { return draft.complain("the database has no whole header") };
    draft.add("Page-Size", &file.page_size.to_string());
    draft.add("Database-Pages", &number(body, 28).to_string());
    draft.add(
        "Text-Encoding",
        match file.encoding {
            2 => "UTF-16LE",
            3 => "UTF-16BE",
            _ => "UTF-8",
        },
    );
    for (name, place) in [("User-Version", 60), ("Application-Id", 68)] {
        let value = number(body, place);
        if value > 0 {
            draft.add(name, &value.to_string());
        }
    }
    let version = number(body, 96);
    if version > 3_000_000 {
        draft.add(
            "Generator",
            &format!("SQLite {}.{}.{}", version / 1_000_000, version / 1_000 % 1_000, version % 1_000),
        );
    }
    let mut walk = Walk { file, entries: Vec::new(), left: SCHEMA_LIMIT, is_whole: true };
    walk.walk();
    if cut || !walk.is_whole {
        draft.complain(if cut { "the database breaks off" } else { "not all of the schema can be read" });
    }
    schema::write(&walk.entries, draft);
}

fn number(bytes: &[u8], place: usize) -> u32 {
    let four = bytes.get(place..).and_then(|rest| rest.first_chunk::<4>());
    four.map_or(0, |four| u32::from_be_bytes(*four))
}

fn short(bytes: &[u8], place: usize) -> usize {
    let two = bytes.get(place..).and_then(|rest| rest.first_chunk::<2>());
    two.map_or(0, |two| usize::from(u16::from_be_bytes(*two)))
}

/// A number of one to nine bytes, and how many it took.
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (place, byte) in bytes.iter().take(9).enumerate() {
        if place == 8 {
            return Some((value << 8 | u64::from(*byte), 9));
        }
        value = value << 7 | u64::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            return Some((value, place + 1));
        }
    }
    None
}

struct File<'a> {
    body: &'a [u8],
    page_size: usize,
    /// The part of a page that is in use.
    usable: usize,
    encoding: u32,
}

impl<'a> File<'a> {
    fn new(body: &'a [u8]) -> Option<Self> {
        let page_size = match short(body, 16) {
            1 => 65_536,
            other => other,
        };
        let reserved = usize::from(*body.get(20)?);
        let is_sound = page_size.is_power_of_two() && page_size >= 512 && body.len() >= 100;
        let usable = page_size.checked_sub(reserved).filter(|usable| *usable >= 480 && is_sound)?;
        Some(Self { body, page_size, usable, encoding: number(body, 56) })
    }

    /// A page by its number from one, cut where the body is cut.
    fn page(&self, page: u32) -> Option<&'a [u8]> {
        let start = usize::try_from(page.checked_sub(1)?).ok()?.checked_mul(self.page_size)?;
        let rest = self.body.get(start..).filter(|rest| !rest.is_empty())?;
        Some(&rest[..rest.len().min(self.page_size)])
    }

    fn text(&self, bytes: &[u8]) -> String {
        match self.encoding {
            2 => UTF_16LE.decode_without_bom_handling(bytes).0.into_owned(),
            3 => UTF_16BE.decode_without_bom_handling(bytes).0.into_owned(),
            _ => String::from_utf8_lossy(bytes).into_owned(),
        }
    }
}

/// Goes through the tree that begins at the first page.
struct Walk<'a> {
    file: File<'a>,
    entries: Vec<Entry>,
    /// Bytes that may still be read.
    left: usize,
    is_whole: bool,
}

impl Walk<'_> {
    /// Each page is read once, whatever the tree says, so a circle ends.
    fn walk(&mut self) {
        let mut waiting = vec![1_u32];
        let mut seen = HashSet::new();
        while let Some(number) = waiting.pop() {
            let is_new = seen.len() < PAGES && seen.insert(number);
            let page = self.file.page(number).filter(|_| is_new && self.entries.len() < ENTRIES);
            let children = page.and_then(|page| self.read(page, if number == 1 { 100 } else { 0 }));
            match children {
                Some(children) if waiting.len() < PAGES => waiting.extend(children.into_iter().rev()),
                _ => self.is_whole = false,
            }
        }
    }

    /// Reads a page of the tree: entries of a leaf, or the numbers of the pages below it.
    fn read(&mut self, page: &[u8], header: usize) -> Option<Vec<u32>> {
        let kind = *page.get(header)?;
        let cells = short(page, header + 3);
        let pointers = header + if kind == 5 { 12 } else { 8 };
        let places = (0..cells).map(|cell| short(page, pointers + 2 * cell)).filter(|place| *place > 0);
        match kind {
            5 => {
                let below = places.filter_map(|place| page.get(place..)).map(|cell| number(cell, 0));
                Some(below.chain([number(page, header + 8)]).take(PAGES).collect())
            }
            13 => {
                for place in places {
                    let entry = page.get(place..).and_then(|cell| self.payload(cell)).and_then(|row| self.entry(&row));
                    match entry {
                        Some(entry) if self.entries.len() < ENTRIES => self.entries.push(entry),
                        _ => self.is_whole = false,
                    }
                }
                Some(Vec::new())
            }
            _ => None,
        }
    }

    /// The bytes of a row, with what overflows into pages of its own.
    fn payload(&mut self, cell: &[u8]) -> Option<Vec<u8>> {
        let (size, first) = varint(cell)?;
        let (_, second) = varint(cell.get(first..)?)?;
        let content = cell.get(first + second..)?;
        let size = usize::try_from(size).ok().filter(|size| *size <= ENTRY_LIMIT)?;
        self.left = self.left.checked_sub(size)?;
        let usable = self.file.usable;
        let most = usable - 35;
        if size <= most {
            return content.get(..size).map(<[u8]>::to_vec);
        }
        let least = (usable - 12) * 32 / 255 - 23;
        let some = least + (size - least) % (usable - 4);
        let local = if some <= most { some } else { least };
        let mut row = content.get(..local)?.to_vec();
        let mut next = number(content, local);
        // Every page adds to the row, so this ends with the row.
        while row.len() < size {
            let page = self.file.page(next)?;
            let part = page.get(4..usable)?;
            row.extend_from_slice(&part[..part.len().min(size - row.len())]);
            next = number(page, 0);
        }
        Some(row)
    }

    /// A row of the schema: type, name, table, root page and SQL.
    fn entry(&self, row: &[u8]) -> Option<Entry> {
        let (header, mut at) = varint(row)?;
        let mut place = usize::try_from(header).ok()?;
        let mut values = Vec::with_capacity(5);
        while values.len() < 5 {
            let (sort, length) = varint(row.get(at..)?)?;
            at += length;
            let size = match sort {
                0 | 8 | 9 => 0,
                1..=4 => usize::try_from(sort).ok()?,
                5 => 6,
                6 | 7 => 8,
                other => usize::try_from(other.checked_sub(12)? / 2).ok()?,
            };
            let end = place.checked_add(size)?;
            values.push(self.file.text(row.get(place..end)?));
            place = end;
        }
        let mut values = values.into_iter();
        Some(Entry { sort: values.next()?, name: values.next()?, sql: values.nth(2)? })
    }
}
