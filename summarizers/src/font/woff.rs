//! WOFF: a font whose tables are packed one by one.

use super::sfnt;
use flate2::read::ZlibDecoder;
use gatherer_pipeline::{Draft, Leaf};
use std::borrow::Cow;
use std::io::Read;

/// Most bytes of one table of those that are read here.
const TABLE_LIMIT: u64 = 4 << 20;
/// Bytes of the header, and of one entry of the list of tables.
const HEADER: usize = 44;
const ENTRY: usize = 20;

/// Writes what the tables say.
pub(super) fn write(leaf: &Leaf<'_>, draft: &mut Draft) {
    draft.add("Format", "WOFF");
    let body = leaf.body;
    let count = body.get(12..14).map_or(0, |count| count.iter().fold(0, |count, byte| count << 8 | usize::from(*byte)));
    let list = body.get(HEADER..).unwrap_or_default().as_chunks::<ENTRY>().0;
    let table = |tag: [u8; 4]| -> Option<Cow<'_, [u8]>> {
        let entry = list.iter().take(count).find(|entry| entry.starts_with(&tag))?;
        let number = |place: usize| -> Option<usize> {
            let bytes = entry.get(place..place + 4)?;
            usize::try_from(u32::from_be_bytes(bytes.try_into().ok()?)).ok()
        };
        let (start, packed, length) = (number(4)?, number(8)?, number(12)?);
        let table = body.get(start..start.checked_add(packed)?)?;
        if packed == length {
            return Some(table.into());
        }
        let mut unpacked = Vec::new();
        ZlibDecoder::new(table).take(TABLE_LIMIT).read_to_end(&mut unpacked).ok()?;
        Some(unpacked.into())
    };
    sfnt::write_tables(table, leaf, draft);
}
