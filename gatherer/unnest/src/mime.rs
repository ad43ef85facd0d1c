//! Attachments of one mail message. The text of the message itself, plain or as HTML, is left to the summarizer.
//!
//! Parts are split here, level by level without recursion, and a message within the message comes out whole: it is
//! opened in its turn. Only header fields are read by the library.

use crate::encodings::{base64, quoted_printable};
use crate::outlet::{Found, Outlet};
use crate::{Hint, Trouble};
use gatherer_pipeline::{Kind, UnixTime};
use mail_parser::{MessageParser, MimeHeaders};

/// Longest header that is read; fields behind it do not count.
const HEADER_LIMIT: usize = 64 * 1024;
/// Multiparts within multiparts. Each level reads its parts again to split them.
const LEVEL_LIMIT: u32 = 16;

/// Reads header fields.
#[derive(Default)]
pub(crate) struct Headers {
    parser: MessageParser,
}

/// What a header says, as far as it matters here.
#[derive(Debug, Default)]
pub(crate) struct Header {
    pub(crate) message_id: Option<String>,
    pub(crate) date: Option<UnixTime>,
    /// Type and subtype in lower case, if there is a type.
    media_type: Option<String>,
    charset: Option<String>,
    boundary: Option<String>,
    transfer_encoding: String,
    name: Option<String>,
    is_attachment: bool,
}

impl Headers {
    pub(crate) fn read(&self, header: &[u8]) -> Header {
        let header = header.get(..HEADER_LIMIT).unwrap_or(header);
        let Some(message) = self.parser.parse_headers(header) else { return Header::default() };
        let content_type = message.content_type();
        let attribute = |name: &str| content_type.and_then(|content| content.attribute(name)).map(str::to_owned);
        let media_type = content_type.map(|content| {
            format!("{}/{}", content.ctype(), content.subtype().unwrap_or("plain")).to_ascii_lowercase()
        });
        let date = message.date().filter(|date| date.is_valid()).map(mail_parser::DateTime::to_timestamp);
        Header {
            message_id: message.message_id().map(str::to_owned),
            date: date.and_then(|seconds| u64::try_from(seconds).ok()).map(UnixTime),
            media_type,
            charset: attribute("charset"),
            boundary: attribute("boundary").filter(|boundary| !boundary.is_empty()),
            transfer_encoding: message.content_transfer_encoding().unwrap_or_default().to_ascii_lowercase(),
            name: message.attachment_name().map(str::to_owned).filter(|name| !name.trim().is_empty()),
            is_attachment: message.content_disposition().is_some_and(mail_parser::ContentType::is_attachment),
        }
    }
}

impl Header {
    fn is_multipart(&self) -> bool {
        self.boundary.is_some() && self.media_type.as_deref().is_some_and(|kind| kind.starts_with("multipart/"))
    }

    /// Whether the part is what the message says itself.
    fn is_text_of_message(&self, by_default: &str) -> bool {
        let media_type = self.media_type.as_deref().unwrap_or(by_default);
        let is_text = matches!(media_type, "text/plain" | "text/html") || media_type.starts_with("multipart/");
        is_text && self.name.is_none() && !self.is_attachment
    }
}

/// The header up to and with the blank line, and what follows.
pub(crate) fn header_of(message: &[u8]) -> (&[u8], &[u8]) {
    let mut place = 0;
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        place += line.len();
        if matches!(line, b"\n" | b"\r\n") {
            return message.split_at_checked(place).unwrap_or((message, &[]));
        }
    }
    (message, &[])
}

/// Whether there may be more in a message than its text.
pub(crate) fn may_carry(body: &[u8]) -> bool {
    let header = Headers::default().read(header_of(body).0);
    header.is_multipart() || !header.is_text_of_message("text/plain")
}

/// A part still to be looked at.
struct Section<'a> {
    bytes: &'a [u8],
    level: u32,
    /// What it is if it does not say.
    by_default: &'static str,
    /// Whether its end was found.
    is_whole: bool,
}

pub(crate) fn open(kind: &Kind, body: &[u8], outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    if header_of(body).0.iter().all(|byte| *byte != b':') {
        return Err(Trouble::WrongKind(kind.clone()));
    }
    let headers = Headers::default();
    let mut number = 0_u64;
    let mut sections = vec![Section { bytes: body, level: 0, by_default: "text/plain", is_whole: true }];
    while let Some(section) = sections.pop() {
        let (header, content) = header_of(section.bytes);
        let header = headers.read(header);
        if header.is_multipart() && section.level < LEVEL_LIMIT {
            let mut parts = split(&header, content, section.level + 1);
            sections.extend(parts.drain(..).rev());
            continue;
        }
        number += 1;
        if !header.is_text_of_message(section.by_default) {
            attachment(header, content, &section, number, outlet)?;
        }
    }
    Ok(())
}

/// The parts between the boundaries of a multipart.
fn split<'a>(header: &Header, content: &'a [u8], level: u32) -> Vec<Section<'a>> {
    let boundary = header.boundary.as_deref().unwrap_or_default().as_bytes();
    let by_default = match header.media_type.as_deref() {
        Some("multipart/digest") => "message/rfc822",
        _ => "text/plain",
    };
    let mut parts = Vec::new();
    let mut begin = None;
    let mut place = 0;
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        let behind = line.strip_prefix(b"--").and_then(|line| line.strip_prefix(boundary)).map(<[u8]>::trim_ascii_end);
        if let Some(behind @ (b"" | b"--")) = behind {
            if let Some(bytes) = begin.and_then(|begin| content.get(begin..place)) {
                // The line break before the boundary belongs to the boundary.
                let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
                let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
                parts.push(Section { bytes, level, by_default, is_whole: true });
            }
            begin = behind.is_empty().then_some(place + line.len());
            if begin.is_none() {
                break;
            }
        }
        place += line.len();
    }
    if let Some(bytes) = begin.and_then(|begin| content.get(begin..)).filter(|bytes| !bytes.is_empty()) {
        parts.push(Section { bytes, level, by_default, is_whole: false });
    }
    parts
}

fn attachment(
    header: Header,
    content: &[u8],
    section: &Section<'_>,
    number: u64,
    outlet: &mut Outlet<'_>,
) -> Result<(), Trouble> {
    let (body, is_clean) = match header.transfer_encoding.as_str() {
        "base64" => base64(content),
        "quoted-printable" => (quoted_printable(content), true),
        _ => (content.to_vec(), true),
    };
    let complaint = match (section.is_whole, is_clean) {
        (false, _) => Some("cut: the message ends within it"),
        (true, false) => Some("damaged: not all of its base64 could be read"),
        (true, true) => None,
    };
    let mut media_type = header.media_type.unwrap_or_else(|| section.by_default.to_owned());
    if let Some(charset) = header.charset {
        media_type = format!("{media_type}; charset={charset}");
    }
    let found = Found {
        // A path in the name is one of the sender's machine.
        name: header.name.unwrap_or_else(|| format!("part-{number}")),
        modified: None,
        hint: Hint::MediaType(media_type),
        complaint: complaint.map(str::to_owned),
    };
    outlet.give(found, body)
}
