//! Zip archives: the directory at their end, or the headers before the members where the end is missing.

use super::{Members, little, package};
use gatherer_pipeline::{Draft, Refusal};
use std::io::{Cursor, Read};
use url::Url;
use zip::ZipArchive;

/// Most bytes of a description.
const DESCRIPTION: u64 = 1 << 20;

/// Writes the members, and what a package says of itself.
pub(super) fn write(body: &[u8], url: &Url, draft: &mut Draft) -> Result<(), Refusal> {
    let mut archive = match ZipArchive::new(Cursor::new(body)) {
        Ok(archive) => archive,
        Err(error) => {
            let members = walk(body);
            if members.count == 0 {
                return Err(Refusal::Cannot(format!("no zip archive: {error}")));
            }
            draft.complain("the directory at the end is missing: members are listed as far as they are found");
            members.write(draft);
            return Ok(());
        }
    };
    let comment = String::from_utf8_lossy(archive.comment()).into_owned();
    draft.add("Comment", &comment);
    let (mut members, mut methods, mut described, mut encrypted) = (Members::default(), Vec::new(), None, false);
    for place in 0..archive.len() {
        let Ok(entry) = archive.by_index_data(place) else { continue };
        members.add(entry.name().unwrap_or_default().as_bytes(), entry.size());
        encrypted |= entry.encrypted();
        let method = entry.compression().to_string().to_lowercase();
        if !entry.is_dir() && !methods.contains(&method) && methods.len() < 10 {
            methods.push(method);
        }
        if described.is_none() && entry.name().is_ok_and(|name| package::describes(&name)) && !entry.encrypted() {
            described = Some(place);
        }
    }
    members.write(draft);
    draft.add("Method", &methods.join("\n"));
    if encrypted {
        draft.add("Encrypted", "yes");
    }
    if let Some(place) = described {
        describe(&mut archive, place, url, draft);
    }
    Ok(())
}

fn describe(archive: &mut ZipArchive<Cursor<&[u8]>>, place: usize, url: &Url, draft: &mut Draft) {
    let Ok(member) = archive.by_index(place) else { return draft.complain("the description cannot be unpacked") };
    let name = member.name().unwrap_or_default().into_owned();
    let mut content = Vec::new();
    if member.take(DESCRIPTION).read_to_end(&mut content).is_err() {
        draft.complain("the description cannot be unpacked to its end");
    }
    package::write(&name, &content, url, draft);
}

/// Goes from header to header. Members whose sizes come behind them are passed over by looking for the next mark.
fn walk(body: &[u8]) -> Members {
    let mut members = Members::default();
    let mut at = 0;
    while let Some(header) = body.get(at..).filter(|rest| rest.starts_with(b"PK\x03\x04")) {
        let number = |place, length| little(header, place, length).and_then(|number| usize::try_from(number).ok());
        let (Some(flags), Some(packed), Some(size)) = (number(6, 2), number(18, 4), number(22, 4)) else { break };
        let (Some(name), Some(extra)) = (number(26, 2), number(28, 2)) else { break };
        let Some(bytes) = header.get(30..30 + name) else { break };
        members.add(bytes, size as u64);
        let content = at + 30 + name + extra;
        let is_open = flags & 8 != 0 && packed == 0;
        at = if is_open { next(body, content) } else { content.saturating_add(packed) };
    }
    members
}

/// Where the next header begins; the end if there is none.
fn next(body: &[u8], from: usize) -> usize {
    let rest = body.get(from..).unwrap_or_default();
    rest.windows(4).position(|four| four == b"PK\x03\x04").map_or(body.len(), |found| from + found)
}
