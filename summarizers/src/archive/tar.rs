//! Tar archives by their headers: ustar, and the long names of pax and GNU.

use super::{Members, package};
use gatherer_pipeline::Draft;
use std::io::{Read, copy, sink};
use url::Url;

const BLOCK: usize = 512;
/// Most bytes of a long name, or of a member that is read.
const LONG: u64 = 1 << 20;

/// Writes the members of an archive that is not compressed.
pub(super) fn write(body: &[u8], url: &Url, draft: &mut Draft) {
    list(body).write(url, draft);
}

/// What an archive holds.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) members: Members,
    pub(super) is_whole: bool,
    /// The content of the member that describes a package, with its name.
    described: Option<(String, Vec<u8>)>,
}

impl Listing {
    pub(super) fn write(&self, url: &Url, draft: &mut Draft) {
        self.members.write(draft);
        if !self.is_whole {
            draft.complain("the tar archive cannot be read to its end");
        }
        self.describe(url, draft);
    }

    /// Writes what the package says of itself, without the members.
    pub(super) fn describe(&self, url: &Url, draft: &mut Draft) {
        if let Some((name, content)) = &self.described {
            package::write(name, content, url, draft);
        }
    }
}

/// Whether a block is a header: its checksum is right.
pub(super) fn is_header(block: &[u8]) -> bool {
    let Some(block) = block.get(..BLOCK) else { return false };
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    let own: u64 = block[148..156].iter().map(|byte| u64::from(*byte)).sum();
    // While the sum is made, blanks stand in its place.
    number(&block[148..156]) == Some(sum - own + 8 * u64::from(b' '))
}

/// Goes from header to header. Content is passed over without being kept.
pub(super) fn list(mut archive: impl Read) -> Listing {
    let mut listing = Listing::default();
    let mut long: Option<Vec<u8>> = None;
    let mut block = [0; BLOCK];
    loop {
        match archive.read_exact(&mut block) {
            // Two blank blocks end an archive; some programs forget them.
            Err(_) => {
                listing.is_whole = listing.members.count > 0 && archive.read(&mut block).is_ok_and(|read| read == 0);
                return listing;
            }
            Ok(()) if block.iter().all(|byte| *byte == 0) => {
                listing.is_whole = true;
                return listing;
            }
            Ok(()) => {}
        }
        let Some(size) = number(&block[124..136]).filter(|_| is_header(&block)) else { return listing };
        let padded = size.saturating_add(BLOCK as u64 - 1) / BLOCK as u64 * BLOCK as u64;
        let mut content = archive.by_ref().take(padded);
        match block[156] {
            // A name that did not fit, for the next header.
            kind @ (b'L' | b'x') => {
                let bytes = content_of(&mut content, size);
                let name = if kind == b'L' { Some(bytes) } else { pax_path(&bytes) };
                long = name.or(long);
            }
            b'g' | b'K' => {}
            _ => {
                let name = long.take().unwrap_or_else(|| name(&block));
                let name: Vec<u8> = name.into_iter().take_while(|byte| *byte != 0).collect();
                listing.members.add(&name, size);
                let name = String::from_utf8_lossy(&name).into_owned();
                if listing.described.is_none() && package::describes(&name) && size <= LONG {
                    listing.described = Some((name, content_of(&mut content, size)));
                }
            }
        }
        let Ok(_) = copy(&mut content, &mut sink()) else { return listing };
        if content.limit() > 0 {
            return listing;
        }
    }
}

fn content_of(content: &mut impl Read, size: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A cut content is what there is of it; the caller sees the end.
    let _ = content.take(size.min(LONG)).read_to_end(&mut bytes);
    bytes
}

/// Octal digits, or a binary number where the first bit is set.
fn number(field: &[u8]) -> Option<u64> {
    if field.first().is_some_and(|first| first & 0x80 != 0) {
        let digits = field.get(field.len().checked_sub(8)?..)?;
        return digits.first_chunk().map(|eight| u64::from_be_bytes(*eight));
    }
    let digits = field.split(|byte| *byte == 0).next()?.trim_ascii();
    let digits = std::str::from_utf8(digits).ok()?;
    if digits.is_empty() { Some(0) } else { u64::from_str_radix(digits, 8).ok() }
}

/// The name in a header, with what ustar writes before it.
fn name(block: &[u8; BLOCK]) -> Vec<u8> {
    let field = |from: usize, to: usize| block[from..to].split(|byte| *byte == 0).next().unwrap_or_default();
    let prefix = if block[257..].starts_with(b"ustar\0") { field(345, 500) } else { b"" };
    if prefix.is_empty() { field(0, 100).to_vec() } else { [prefix, b"/", field(0, 100)].concat() }
}

/// The path among records of the form `length key=value`.
fn pax_path(records: &[u8]) -> Option<Vec<u8>> {
    let mut rest = records;
    let mut path = None;
    while let Some(space) = rest.iter().position(|byte| *byte == b' ') {
        let length: usize = std::str::from_utf8(&rest[..space]).ok()?.parse().ok()?;
        let record = rest.get(space + 1..length)?.trim_ascii_end();
        if let Some(value) = record.strip_prefix(b"path=") {
            path = Some(value.to_vec());
        }
        rest = rest.get(length..)?;
    }
    path
}
