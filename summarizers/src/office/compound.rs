//! Compound files (OLE2): a small file system in a file, in which Office kept its documents until 2007.
//!
//! Whatever the sectors say, no chain of them is longer than the file, and what is lost is left out.

const MAGIC: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
/// Sectors of this number and above are marks, not places.
const MARKS: u32 = 0xFFFF_FFFA;
/// Size of an entry of the directory.
const ENTRY: usize = 128;

/// Whether a compound file begins here.
pub(super) fn is_compound(body: &[u8]) -> bool {
    body.starts_with(MAGIC)
}

#[derive(Debug, Clone)]
struct Entry {
    name: String,
    left: u32,
    right: u32,
    child: u32,
    start: u32,
    size: usize,
}

/// A compound file with the streams of its root.
#[derive(Debug)]
pub(super) struct Compound<'a> {
    body: &'a [u8],
    sector: usize,
    /// Which sector follows which.
    next: Vec<u32>,
    /// The same for the small sectors, which are all in one stream.
    small_next: Vec<u32>,
    small: Vec<u8>,
    small_sector: usize,
    cutoff: usize,
    streams: Vec<Entry>,
}

impl<'a> Compound<'a> {
    pub(super) fn open(body: &'a [u8]) -> Option<Self> {
        if !is_compound(body) {
            return None;
        }
        let sector = 1_usize.checked_shl(u32::from(short(body, 0x1E)?)).filter(|size| (128..=65_536).contains(size))?;
        let small_sector =
            1_usize.checked_shl(u32::from(short(body, 0x20)?)).filter(|size| (8..=sector).contains(size))?;
        let mut file = Self {
            body,
            sector,
            next: Vec::new(),
            small_next: Vec::new(),
            small: Vec::new(),
            small_sector,
            cutoff: usize::try_from(long(body, 0x38)?).ok()?,
            streams: Vec::new(),
        };
        file.next = file.table()?;
        file.small_next = longs(&file.chain(long(body, 0x3C)?, usize::MAX)).collect();
        let directory = entries(&file.chain(long(body, 0x30)?, usize::MAX));
        let root = directory.first()?;
        file.small = file.chain(root.start, root.size);
        file.streams = children(&directory, root.child);
        Some(file)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.streams.iter().any(|stream| stream.name.eq_ignore_ascii_case(name))
    }

    /// The bytes of a stream, as many as there are.
    pub(super) fn stream(&self, name: &str) -> Option<Vec<u8>> {
        let stream = self.streams.iter().find(|stream| stream.name.eq_ignore_ascii_case(name))?;
        if stream.size >= self.cutoff {
            return Some(self.chain(stream.start, stream.size));
        }
        Some(collect(&self.small, 0, self.small_sector, &self.small_next, stream.start, stream.size))
    }

    /// The table of all sectors: some places of its parts are in the header, the others in a chain of their own.
    fn table(&self) -> Option<Vec<u32>> {
        let sectors = self.body.len() / self.sector + 1;
        let mut parts: Vec<u32> = longs(self.body.get(0x4C..512)?).filter(|part| *part < MARKS).collect();
        let mut further = long(self.body, 0x44)?;
        for _ in 0..sectors {
            let Some(list) = self.at(further).filter(|_| further < MARKS) else { break };
            let mut list: Vec<u32> = longs(list).collect();
            let Some(following) = list.pop() else { break };
            parts.extend(list.into_iter().filter(|part| *part < MARKS));
            further = following;
        }
        // More parts than sectors are repetitions.
        parts.truncate(sectors);
        let entries_of_a_part = self.sector / 4;
        parts.truncate(sectors / entries_of_a_part + 110);
        Some(parts.into_iter().filter_map(|part| self.at(part)).flat_map(longs).collect())
    }

    /// The bytes of a sector; those of the last may be fewer.
    fn at(&self, number: u32) -> Option<&'a [u8]> {
        let start = usize::try_from(number).ok()?.checked_add(1)?.checked_mul(self.sector)?;
        self.body.get(start..start.checked_add(self.sector)?.min(self.body.len()))
    }

    fn chain(&self, start: u32, size: usize) -> Vec<u8> {
        collect(self.body, 1, self.sector, &self.next, start, size)
    }
}

/// The content of a chain of sectors, of which `before` stand in front of the first.
fn collect(bytes: &[u8], before: usize, sector: usize, next: &[u32], start: u32, size: usize) -> Vec<u8> {
    let (mut content, mut at) = (Vec::new(), start);
    let most = size.min(bytes.len());
    while content.len() < most && at < MARKS {
        let Ok(number) = usize::try_from(at) else { break };
        let Some(from) = number.checked_add(before).and_then(|number| number.checked_mul(sector)) else { break };
        let Some(found) = bytes.get(from..from.saturating_add(sector).min(bytes.len())) else { break };
        content.extend_from_slice(found);
        let Some(following) = next.get(number) else { break };
        at = *following;
    }
    content.truncate(most);
    content
}

fn entries(directory: &[u8]) -> Vec<Entry> {
    directory.chunks_exact(ENTRY).filter_map(entry).collect()
}

fn entry(bytes: &[u8]) -> Option<Entry> {
    let length = usize::from(short(bytes, 64)?).min(64) / 2;
    let units: Vec<u16> = (0..length).filter_map(|unit| short(bytes, 2 * unit)).take_while(|unit| *unit != 0).collect();
    Some(Entry {
        name: String::from_utf16_lossy(&units),
        left: long(bytes, 68)?,
        right: long(bytes, 72)?,
        child: long(bytes, 76)?,
        start: long(bytes, 116)?,
        size: usize::try_from(long(bytes, 120)?).ok()?,
    })
}

/// The entries of one folder, which is a tree of siblings. What is in folders below belongs to other documents.
fn children(directory: &[Entry], first: u32) -> Vec<Entry> {
    let (mut found, mut open, mut is_seen) = (Vec::new(), vec![first], vec![false; directory.len()]);
    while let Some(number) = open.pop() {
        let Ok(number) = usize::try_from(number) else { continue };
        let (Some(entry), Some(seen)) = (directory.get(number), is_seen.get_mut(number)) else { continue };
        if !std::mem::replace(seen, true) {
            open.extend([entry.left, entry.right]);
            found.push(entry.clone());
        }
    }
    found
}

/// A number of two bytes.
pub(super) fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}

/// A number of four bytes.
pub(super) fn long(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

fn longs(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).filter_map(|bytes| long(bytes, 0))
}
