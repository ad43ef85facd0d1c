//! Documents that are containers: ZIP by its members, Microsoft's compound files by their directory.

use super::{Finding, General};
use crate::tables::Tables;
use gatherer_pipeline::Kind;

/// So far from its end a ZIP has its directory's end record: 22 bytes, and a comment of 64 KiB at most.
const END: usize = 22 + (64 << 10);
/// So many members are looked at. What tells a kind stands among the first.
const MEMBERS: usize = 2000;
/// So far the names of a compound file are looked for, from its beginning and from where its directory begins.
const DIRECTORY: usize = 64 << 10;

const ZIP: &[General] = &[("Zip", "magic number of a ZIP")];
const OLE: &[General] = &[("OLE", "magic number of a compound file")];

/// What a ZIP is.
pub(super) fn zip(tables: &Tables, body: &[u8]) -> Option<Finding> {
    if !(body.starts_with(b"PK\x03\x04") || body.starts_with(b"PK\x05\x06") || body.starts_with(b"PK\x07\x08")) {
        return None;
    }
    if let Some((kind, media_type)) = media_type(body).and_then(|said| Some((tables.by_media_type(said)?, said))) {
        return Some(Finding::new(kind.clone(), format!("ZIP that says {media_type}")).at_least(ZIP));
    }
    let members = directory(body).unwrap_or_else(|| local_headers(body));
    let Some((kind, member)) = tables.by_members(&members) else {
        return Some(Finding::new(Kind::new("Zip"), "magic number of a ZIP"));
    };
    let member: String = String::from_utf8_lossy(member).chars().take(100).collect();
    Some(Finding::new(kind.clone(), format!("ZIP with the member {member}")).at_least(ZIP))
}

/// What a first member `mimetype` says, which stands there uncompressed.
fn media_type(body: &[u8]) -> Option<&str> {
    let (name, data) = local_header(body)?;
    // Where the size stands behind the data, the next record's mark ends it.
    let size = usize::try_from(number(body, 18)?).ok().filter(|size| (1..100).contains(size)).unwrap_or(100);
    let end = data.iter().take(size).take_while(|byte| byte.is_ascii_graphic()).count();
    let text = str::from_utf8(&data[..end]).ok()?.split("PK").next().unwrap_or_default();
    (name == b"mimetype" && text.contains('/')).then_some(text)
}

/// The names in the directory at the end; nothing if it is not there, because the file was cut.
fn directory(body: &[u8]) -> Option<Vec<&[u8]>> {
    let tail = &body[body.len().saturating_sub(END)..];
    let end = tail.windows(4).rposition(|window| window == b"PK\x05\x06")? + body.len() - tail.len();
    // Counted back from its end, because something may stand before the ZIP.
    let size = usize::try_from(number(body, end + 12)?).ok()?;
    let mut rest = body.get(end.checked_sub(size)?..end)?;
    let mut names = Vec::new();
    while names.len() < MEMBERS && rest.starts_with(b"PK\x01\x02") {
        let (name, extra, comment) = (short(rest, 28)?, short(rest, 30)?, short(rest, 32)?);
        names.push(rest.get(46..46 + name)?);
        rest = rest.get(46 + name + extra + comment..)?;
    }
    (!names.is_empty()).then_some(names)
}

/// The names of the members as they come, in the first part of the file.
fn local_headers(body: &[u8]) -> Vec<&[u8]> {
    let mut rest = &body[..body.len().min(DIRECTORY)];
    let mut names = Vec::new();
    while let Some((name, data)) = local_header(rest) {
        names.push(name);
        let streamed = short(rest, 6).is_some_and(|flags| flags & 8 != 0);
        let size = number(rest, 18).and_then(|size| usize::try_from(size).ok()).unwrap_or_default();
        rest = if streamed && size == 0 {
            let next = data.windows(4).position(|window| window == b"PK\x03\x04");
            next.map_or(&[], |next| &data[next..])
        } else {
            data.get(size..).unwrap_or_default()
        };
    }
    names
}

/// The name of a member and what stands behind its header.
fn local_header(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let header = bytes.starts_with(b"PK\x03\x04").then_some(bytes)?;
    let (name, extra) = (short(header, 26)?, short(header, 28)?);
    Some((header.get(30..30 + name)?, header.get(30 + name + extra..).unwrap_or_default()))
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.first_chunk().map(|pair| usize::from(u16::from_le_bytes(*pair)))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|four| u32::from_le_bytes(*four))
}

/// Class identifiers of a root, as far as they differ.
const CLASSES: &[([u8; 4], &str)] = &[
    ([0x06, 0x09, 0x02, 0x00], "MSWord"),
    ([0x00, 0x09, 0x02, 0x00], "MSWord"),
    ([0x10, 0x08, 0x02, 0x00], "MSExcel"),
    ([0x20, 0x08, 0x02, 0x00], "MSExcel"),
    ([0x10, 0x8D, 0x81, 0x64], "MSPowerpoint"),
    ([0x0B, 0x0D, 0x02, 0x00], "OutlookMessage"),
];

/// Streams that only one kind has. A letter may hold the others within, a presentation holds them packed, and a
/// text more often holds a sheet than a sheet holds a text: therefore this order.
const STREAMS: &[(&str, &str)] = &[
    ("__properties_version1.0", "OutlookMessage"),
    ("PowerPoint Document", "MSPowerpoint"),
    ("WordDocument", "MSWord"),
    ("Workbook", "MSExcel"),
    ("Book", "MSExcel"),
    ("PerfectOffice_MAIN", "WordPerfect"),
];

/// What a compound file is.
pub(super) fn compound(body: &[u8]) -> Option<Finding> {
    if !body.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
        return None;
    }
    let directory = compound_directory(body).unwrap_or_default();
    let class = directory.get(80..84);
    if let Some((_, kind)) = CLASSES.iter().find(|(known, _)| class == Some(known)) {
        return Some(Finding::new(Kind::new(*kind), "compound file with the class of its root").at_least(OLE));
    }
    // Entries have 128 bytes and stand at such places. If the directory is in pieces, some stand elsewhere.
    let near = &body[..body.len().min(DIRECTORY)];
    let entries = || directory.chunks_exact(128).chain(near.chunks_exact(128));
    let found = STREAMS.iter().find(|(stream, _)| entries().any(|entry| is_named(entry, stream)));
    let Some((stream, kind)) = found else {
        return Some(Finding::new(Kind::new("OLE"), "magic number of a compound file"));
    };
    Some(Finding::new(Kind::new(*kind), format!("compound file with the stream {stream}")).at_least(OLE))
}

/// The bytes from the first sector of the directory on.
fn compound_directory(body: &[u8]) -> Option<&[u8]> {
    let shift = short(body, 30).filter(|shift| matches!(shift, 9 | 12))?;
    let sector = usize::try_from(number(body, 48)?).ok()?;
    let directory = body.get(sector.checked_add(1)?.checked_mul(1 << shift)?..)?;
    Some(&directory[..directory.len().min(DIRECTORY)])
}

/// Whether a directory entry has this name: in UTF-16, with its length in bytes behind it, the end mark counted.
fn is_named(entry: &[u8], name: &str) -> bool {
    let wide = name.bytes().flat_map(|byte| [byte, 0]);
    short(entry, 64) == Some(2 * name.len() + 2) && entry.iter().copied().take(2 * name.len()).eq(wide)
}
