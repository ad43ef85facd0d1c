//! What bytes are that do not read like text, by their magic numbers.

use super::{Finding, containers};
use crate::tables::Tables;
use gatherer_pipeline::Kind;

/// The finding for bytes; nothing if nobody knows them.
pub(super) fn look(tables: &Tables, head: &str, body: &[u8]) -> Option<Finding> {
    // Readers of PDF forgive what stands before it, so there is such PDF.
    if head.contains("%PDF-") {
        return Some(Finding::new(Kind::new("Pdf"), "%PDF- near the beginning"));
    }
    // Containers before the library, which looks less far into them.
    if let Some(found) = containers::zip(tables, body).or_else(|| containers::compound(body)) {
        return Some(found);
    }
    if let Some((kind, number)) = tables.by_magic(body) {
        return Some(Finding::new(kind.clone(), format!("magic number {number}")));
    }
    by_library(tables, body).or_else(|| old_tar(body))
}

fn by_library(tables: &Tables, body: &[u8]) -> Option<Finding> {
    let media_type = infer::get(body)?.mime_type();
    let kind = tables.by_media_type(media_type)?;
    Some(Finding::new(kind.clone(), format!("magic number of {media_type}")))
}

/// A tar from before there was a magic number: the first header's checksum is right. (It is the sum of the header's
/// bytes, its own eight counted as spaces, in octal.)
fn old_tar(body: &[u8]) -> Option<Finding> {
    let header = body.first_chunk::<512>()?;
    let (before, rest) = header.split_at(148);
    let (written, behind) = rest.split_at(8);
    let digits: Vec<u8> = written.iter().copied().filter(u8::is_ascii_digit).collect();
    let octal = str::from_utf8(&digits).ok().and_then(|digits| u32::from_str_radix(digits, 8).ok())?;
    let sum: u32 = before.iter().chain(behind).map(|byte| u32::from(*byte)).sum();
    let named = header[0] != 0 && octal == sum + 8 * u32::from(b' ');
    named.then(|| Finding::new(Kind::new("Tar"), "checksum of a tar header"))
}
