//! Containers whose lists are easily read.

use super::{Members, little, tar};
use flate2::read::GzDecoder;
use gatherer_pipeline::Draft;
use std::io::Read;
use url::Url;

/// The method of 7z that encrypts, by its number.
const AES: &[u8] = &[0x06, 0xF1, 0x07, 0x01];
/// Most bytes of the description of a package.
const CONTROL: u64 = 8 << 20;

/// 7z: the list itself is compressed, so only version and encryption are told.
pub(super) fn seven_zip(body: &[u8], draft: &mut Draft) {
    if let Some([major, minor]) = body.get(6..8) {
        draft.add("Format-Version", &format!("{major}.{minor}"));
    }
    let place =
        little(body, 12, 8).and_then(|offset| usize::try_from(offset).ok()).and_then(|offset| offset.checked_add(32));
    let header = place.and_then(|place| body.get(place..));
    match header {
        Some(header) if header.windows(AES.len()).any(|window| window == AES) => draft.add("Encrypted", "yes"),
        Some(_) => {}
        None => draft.complain("the archive breaks off before its list"),
    }
}

/// ar: libraries, and the packages of Debian.
pub(super) fn ar(body: &[u8], url: &Url, draft: &mut Draft) {
    let mut members = Members::default();
    let mut at = 8;
    let mut control = None;
    while let Some(header) = body.get(at..at + 60) {
        let size = std::str::from_utf8(&header[48..58]).ok().and_then(|size| size.trim().parse::<usize>().ok());
        let Some(size) = size.filter(|_| header.ends_with(b"`\n")) else { break };
        let name = header[..16].trim_ascii_end();
        let name = name.strip_suffix(b"/").unwrap_or(name);
        members.add(name, size as u64);
        if name.starts_with(b"control.tar") {
            control = body.get(at + 60..).map(|rest| (name, &rest[..rest.len().min(size)]));
        }
        // Members begin at even places.
        at = at.saturating_add(60).saturating_add(size).saturating_add(size % 2);
    }
    if members.names.first().is_some_and(|name| name == "debian-binary") {
        draft.add("Format", "Debian package");
        match control {
            Some((b"control.tar.gz", packed)) => tar::list(GzDecoder::new(packed).take(CONTROL)).describe(url, draft),
            Some((b"control.tar", plain)) => tar::list(plain).describe(url, draft),
            _ => by_file_name(url, draft),
        }
    }
    members.write(draft);
}

/// `name_version_architecture.deb`, where the description is packed in a way that cannot be read here.
fn by_file_name(url: &Url, draft: &mut Draft) {
    let file = url.path().rsplit('/').next().unwrap_or_default();
    let mut parts = file.strip_suffix(".deb").unwrap_or_default().splitn(3, '_');
    for attribute in ["Title", "Version", "Architecture"] {
        draft.add(attribute, &parts.next().unwrap_or_default().replace("%3a", ":").replace("%3A", ":"));
    }
}

/// cpio in its forms of ASCII: each header gives the lengths of name and content.
pub(super) fn cpio(body: &[u8], draft: &mut Draft) {
    let mut members = Members::default();
    let mut at = 0;
    let mut is_whole = false;
    while let Some((header, name, size, padding)) = cpio_header(body.get(at..).unwrap_or_default()) {
        let pad = |length: usize| if padding { length.checked_next_multiple_of(4) } else { Some(length) };
        let start = header.checked_add(name).and_then(pad);
        let Some(bytes) = body.get(at..).and_then(|rest| rest.get(header..header.checked_add(name)?)) else { break };
        let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        if bytes == b"TRAILER!!!" {
            is_whole = true;
            break;
        }
        members.add(bytes, size as u64);
        let length = start.and_then(|start| start.checked_add(pad(size)?));
        let Some(next) = length.and_then(|length| at.checked_add(length)) else { break };
        at = next;
    }
    members.write(draft);
    if !is_whole {
        draft.complain("the archive cannot be read to its end");
    }
}

/// Lengths of header, name and content, and whether they are padded.
fn cpio_header(rest: &[u8]) -> Option<(usize, usize, usize, bool)> {
    let field = |from: usize, length: usize, base| {
        let digits = std::str::from_utf8(rest.get(from..from + length)?).ok()?;
        usize::from_str_radix(digits, base).ok()
    };
    match rest.get(..6)? {
        b"070701" | b"070702" => Some((110, field(94, 8, 16)?, field(54, 8, 16)?, true)),
        b"070707" => Some((76, field(59, 6, 8)?, field(65, 11, 8)?, false)),
        _ => None,
    }
}

/// Cabinets: a list of sizes and names.
pub(super) fn cabinet(body: &[u8], draft: &mut Draft) {
    let mut members = Members::default();
    let count = little(body, 28, 2).unwrap_or_default();
    let mut at = little(body, 16, 4).and_then(|place| usize::try_from(place).ok()).unwrap_or(usize::MAX);
    for _ in 0..count {
        let entry = body.get(at..).unwrap_or_default();
        let name = entry.get(16..).and_then(|rest| rest.split(|byte| *byte == 0).next());
        let (Some(size), Some(name)) = (little(entry, 0, 4), name) else { break };
        members.add(name, size);
        at = at.saturating_add(17).saturating_add(name.len());
    }
    if (members.count as u64) < count {
        draft.complain("the archive cannot be read to its end");
    }
    members.write(draft);
}

/// ISO 9660: the first descriptor of the volume.
pub(super) fn iso(body: &[u8], draft: &mut Draft) {
    let volume = body.get(0x8000..).unwrap_or_default();
    let text = |from: usize, length: usize| {
        let bytes = volume.get(from..from + length).unwrap_or_default();
        String::from_utf8_lossy(bytes).trim_matches([' ', '\0', '_']).to_owned()
    };
    let fields = [("Title", 40, 32), ("Publisher", 318, 128), ("Author", 446, 128), ("Generator", 574, 128)];
    for (attribute, from, length) in fields {
        draft.add(attribute, &text(from, length));
    }
    for (attribute, from) in [("Created", 813), ("Modified", 830)] {
        let digits = text(from, 14);
        let is_date =
            digits.len() == 14 && digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with("0000");
        if is_date {
            let part = |from: usize, to: usize| &digits[from..to];
            let (day, hour) =
                ([part(0, 4), part(4, 6), part(6, 8)].join("-"), [part(8, 10), part(10, 12), part(12, 14)].join(":"));
            draft.add(attribute, &format!("{day}T{hour}"));
        }
    }
}

/// uuencode: each file begins with its mode and name.
pub(super) fn uuencoded(body: &[u8], draft: &mut Draft) {
    let mut members = Members::default();
    for line in body.split(|byte| *byte == b'\n') {
        let rest = line.strip_prefix(b"begin ").or_else(|| line.strip_prefix(b"begin-base64 "));
        let name =
            rest.and_then(|rest| rest.split_at_checked(4)).filter(|(mode, _)| mode[..3].iter().all(u8::is_ascii_digit));
        if let Some((_, name)) = name {
            members.add(name.trim_ascii(), 0);
        }
    }
    if members.count == 0 {
        draft.complain("no file begins in it");
    }
    members.write(draft);
}

/// shar: scripts that say what they unpack; their comments are the text.
pub(super) fn shell(body: &[u8], draft: &mut Draft) {
    let text = String::from_utf8_lossy(body);
    let mut members = Members::default();
    let mut comments = String::new();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix('#').filter(|_| members.count == 0 && comments.len() < 64 << 10) {
            comments.push_str(comment.trim_start_matches(['#', '!', ' ']));
            comments.push('\n');
        }
        if let Some(name) = unpacked(line) {
            members.add(name.as_bytes(), 0);
        }
    }
    members.write(draft);
    draft.set_text(&comments);
}

/// The file that a line says is unpacked: `echo x - name`, or `echo 'x - extracting name (text)'`.
fn unpacked(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("x -")?;
    let after = after.trim_start_matches(['\'', '"', ' ']);
    let name = match after.strip_prefix("extracting ") {
        Some(name) => name.split(" (").next(),
        None if before.trim_start().starts_with("echo ") => after.split(';').next(),
        None => None,
    };
    name.map(|name| name.trim_matches(['\'', '"', ' '])).filter(|name| !name.is_empty())
}
