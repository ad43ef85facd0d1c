//! Compressed streams: what stands in their headers, and the tar archive that may be in one.

use super::{date, little, tar};
use flate2::read::MultiGzDecoder;
use gatherer_pipeline::Draft;
use std::io::{Cursor, Read};
use url::Url;

/// Most bytes that are unpacked to list an archive within.
const UNPACKED: u64 = 64 << 20;
/// Most streams and blocks that are looked at.
const BLOCKS: u64 = 100_000;

/// gzip (RFC 1952): name, date and comment of the original, and the members if it is a tar archive.
pub(super) fn gzip(body: &[u8], url: &Url, draft: &mut Draft) {
    let mut decoder = MultiGzDecoder::new(body);
    let mut start = Vec::new();
    let read = decoder.by_ref().take(512).read_to_end(&mut start);
    if let Some(header) = decoder.header() {
        let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
        draft.add("Original-Name", &text(header.filename()));
        draft.add("Comment", &text(header.comment()));
        draft.add("Modified", &date(u64::from(header.mtime())));
    }
    if read.is_err() {
        return draft.complain("the gzip stream cannot be unpacked");
    }
    if tar::is_header(&start) {
        draft.add("Format", "tar");
        let whole = Cursor::new(start).chain(decoder);
        tar::list(whole.take(UNPACKED)).write(url, draft);
    } else if let Some(size) = body.len().checked_sub(4).and_then(|place| little(body, place, 4)) {
        // Only the lower half of the size is kept, and only of the last stream: true for nearly all files.
        draft.add("Unpacked-Size", &size.to_string());
    }
}

/// xz: the sizes in the index at the end of the stream.
pub(super) fn xz(body: &[u8], draft: &mut Draft) {
    match xz_size(body) {
        Some(size) => draft.add("Unpacked-Size", &size.to_string()),
        None => draft.complain("the xz stream has no index"),
    }
}

fn xz_size(body: &[u8]) -> Option<u64> {
    // Streams may be padded with zeros.
    let end = body.len() - body.iter().rev().take_while(|byte| **byte == 0).count();
    let body = body.get(..end)?;
    let footer = body.len().checked_sub(12).filter(|_| body.ends_with(b"YZ"))?;
    let index = usize::try_from((little(body, footer + 4, 4)? + 1) * 4).ok()?;
    let mut rest = body.get(footer.checked_sub(index)?..footer)?;
    // A zero marks the index; then the number of records, and two sizes a record.
    rest = rest.strip_prefix(&[0])?;
    let records = varint(&mut rest)?.min(BLOCKS);
    let mut size = 0_u64;
    for _ in 0..records {
        varint(&mut rest)?;
        size = size.checked_add(varint(&mut rest)?)?;
    }
    Some(size)
}

/// A number in groups of seven bits, the lowest first.
pub(super) fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Zstandard (RFC 8878): the size in the header of the first frame, if it is there.
pub(super) fn zstd(body: &[u8], draft: &mut Draft) {
    let Some(descriptor) = body.get(4).copied() else { return };
    let is_single = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let length = match (descriptor >> 6, is_single) {
        (0, false) => return,
        (0, true) => 1,
        (1, _) => 2,
        (2, _) => 4,
        _ => 8,
    };
    let place = 5 + usize::from(!is_single) + dictionary;
    if let Some(size) = little(body, place, length) {
        draft.add("Unpacked-Size", &size.saturating_add(if length == 2 { 256 } else { 0 }).to_string());
    }
}

/// LZMA: the size in its header, unless it is left open.
pub(super) fn lzma(body: &[u8], draft: &mut Draft) {
    if let Some(size) = little(body, 5, 8).filter(|size| *size < u64::MAX) {
        draft.add("Unpacked-Size", &size.to_string());
    }
}

/// lzip: the size at the end.
pub(super) fn lzip(body: &[u8], draft: &mut Draft) {
    if let Some(size) = body.len().checked_sub(16).and_then(|place| little(body, place, 8)) {
        draft.add("Unpacked-Size", &size.to_string());
    }
}
