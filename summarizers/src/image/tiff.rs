//! Tables of tagged values, as in TIFF and in what cameras write (EXIF).

use encoding_rs::{UTF_16LE, WINDOWS_1252};

/// Most entries of one table, and most bytes of one text.
const ENTRIES: usize = 500;
const TEXT_LIMIT: usize = 10_000;

/// Numbers and places in a file of tables.
#[derive(Clone, Copy)]
pub(super) struct Tiff<'a> {
    data: &'a [u8],
    is_little: bool,
}

/// One value of a table.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    tiff: Tiff<'a>,
    pub(super) tag: u16,
    kind: u16,
    value: &'a [u8],
}

impl<'a> Tiff<'a> {
    /// Reads the header; with it comes the place of the first table.
    pub(super) fn new(data: &'a [u8]) -> Option<(Self, usize)> {
        let is_little = data.starts_with(b"II*\0");
        let tiff = (is_little || data.starts_with(b"MM\0*")).then_some(Self { data, is_little })?;
        Some((tiff, usize::try_from(tiff.number(data.get(4..8)?)).ok()?))
    }

    /// The entries of the table at this place.
    pub(super) fn table(&self, at: usize) -> Vec<Entry<'a>> {
        let Some((count, table)) = self.data.get(at..).and_then(|table| table.split_at_checked(2)) else {
            return Vec::new();
        };
        let count = usize::try_from(self.number(count)).unwrap_or(0);
        let entries = table.as_chunks::<12>().0.iter().take(count.min(ENTRIES));
        entries.filter_map(|entry| self.entry(entry)).collect()
    }

    /// The place of the table behind the one at this place.
    pub(super) fn next(&self, at: usize) -> Option<usize> {
        let (count, table) = self.data.get(at..)?.split_at_checked(2)?;
        let end = 12 * usize::try_from(self.number(count)).ok()?;
        let next = self.number(table.get(end..end + 4)?);
        usize::try_from(next).ok().filter(|next| *next > 0)
    }

    /// An entry; if its value has more than four bytes, they are elsewhere.
    fn entry(&self, entry: &'a [u8; 12]) -> Option<Entry<'a>> {
        let number = |range: std::ops::Range<usize>| entry.get(range).map(|bytes| self.number(bytes));
        let kind = u16::try_from(number(2..4)?).ok()?;
        let count = usize::try_from(number(4..8)?).ok()?;
        let length = count.checked_mul(width(kind))?;
        let value = if length <= 4 {
            entry.get(8..8 + length)?
        } else {
            let start = usize::try_from(number(8..12)?).ok()?;
            self.data.get(start..start.checked_add(length)?)?
        };
        Some(Entry { tiff: *self, tag: u16::try_from(number(0..2)?).ok()?, kind, value })
    }

    fn number(&self, bytes: &[u8]) -> u32 {
        let shift = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
        if self.is_little { bytes.iter().rev().fold(0, shift) } else { bytes.iter().fold(0, shift) }
    }
}

/// Bytes of one value of a kind.
fn width(kind: u16) -> usize {
    match kind {
        3 | 8 => 2,
        4 | 9 | 11 | 13 => 4,
        5 | 10 | 12 => 8,
        _ => 1,
    }
}

impl<'a> Entry<'a> {
    /// The value as it stands.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.value
    }

    /// A text, up to the first zero.
    pub(super) fn text(&self) -> String {
        let text = self.value.split(|byte| *byte == 0).next().unwrap_or_default();
        text_of(text.get(..text.len().min(TEXT_LIMIT)).unwrap_or_default())
    }

    /// A text as Windows writes it into fields of its own.
    pub(super) fn wide_text(&self) -> String {
        let text = self.value.get(..self.value.len().min(TEXT_LIMIT)).unwrap_or_default();
        UTF_16LE.decode_without_bom_handling(text).0.trim_end_matches('\0').to_owned()
    }

    /// The first number of the value, if they are whole ones.
    pub(super) fn whole(&self) -> Option<u32> {
        matches!(self.kind, 1 | 3 | 4 | 13)
            .then(|| self.tiff.number(self.value.get(..width(self.kind)).unwrap_or_default()))
    }

    /// All numbers of the value: whole ones and fractions.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let numbers = self.value.chunks_exact(width(self.kind)).take(16);
        let numbers = numbers.map(|number| match (self.kind, number.split_at_checked(4)) {
            (5, Some((above, below))) => f64::from(self.tiff.number(above)) / f64::from(self.tiff.number(below)),
            (10, Some((above, below))) => {
                let signed = |bytes| f64::from(self.tiff.number(bytes).cast_signed());
                signed(above) / signed(below)
            }
            _ => f64::from(self.tiff.number(number)),
        });
        numbers.collect()
    }
}

/// Text whose charset is not said: UTF-8 if it is, else Latin-1.
pub(super) fn text_of(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}
