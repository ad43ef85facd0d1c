//! The body of a message: its text, its attachments, and where it leads.

use crate::html;
use crate::links::Links;
use gatherer_pipeline::Draft;
use mail_parser::{Message, MessagePart, MimeHeaders, PartType};
use url::Url;

/// Most attachments that are named.
const ATTACHMENTS: usize = 1_000;

/// Writes the body.
pub(super) fn write(message: &Message<'_>, url: &Url, draft: &mut Draft) {
    mark(message, draft);
    let mut text = String::new();
    for part in message.text_bodies() {
        let piece = match &part.body {
            PartType::Text(piece) => piece.replace("\r\n", "\n"),
            PartType::Html(markup) => html::words(markup, Draft::VALUE_LIMIT),
            _ => continue,
        };
        if text.len() + piece.len() > Draft::VALUE_LIMIT {
            draft.complain(format!("text cut at {} bytes", Draft::VALUE_LIMIT));
        }
        let room = Draft::VALUE_LIMIT.saturating_sub(text.len());
        text.push_str(&piece[..piece.floor_char_boundary(room)]);
        text.push('\n');
    }
    if text.contains("-----BEGIN PGP MESSAGE-----") {
        draft.add("Encrypted", "yes");
    } else if text.contains("-----BEGIN PGP SIGNED MESSAGE-----") && draft.get("Signed").is_none() {
        draft.add("Signed", "yes");
    }
    let names: Vec<_> = message.attachments().take(ATTACHMENTS).filter_map(name).collect();
    draft.add("Attachments", &names.join("\n"));
    refer(&text, url, draft);
    draft.set_text(&text);
}

/// Says whether the message is encrypted or signed (RFC 1847, RFC 8551).
fn mark(message: &Message<'_>, draft: &mut Draft) {
    let root = message.parts.first();
    let content = root.and_then(MimeHeaders::content_type);
    let Some(content) = content else { return };
    let is = |sort: &str, below: &str| {
        content.ctype().eq_ignore_ascii_case(sort)
            && content.subtype().is_some_and(|known| known.trim_start_matches("x-").eq_ignore_ascii_case(below))
    };
    let is_data = content.attribute("smime-type").is_none_or(|sort| !sort.eq_ignore_ascii_case("signed-data"));
    if is("multipart", "encrypted") || is("application", "pkcs7-mime") && is_data {
        draft.add("Encrypted", "yes");
    } else if is("multipart", "signed") || is("application", "pkcs7-mime") {
        draft.add("Signed", "yes");
    }
}

/// What an attachment is called; a message in the message has its subject.
fn name(part: &MessagePart<'_>) -> Option<String> {
    let subject = || part.message().and_then(Message::subject);
    part.attachment_name().or_else(subject).map(|name| name.replace('\n', " "))
}

/// Refers to every URL that stands in the text.
fn refer(text: &str, url: &Url, draft: &mut Draft) {
    let mut links = Links::default();
    let mut rest = text;
    while let Some(place) = rest.find("://") {
        let (before, after) = rest.split_at(place);
        let scheme = before.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let is_end = |c: char| c.is_whitespace() || "<>\"'`{}|\\^)]".contains(c);
        let end = after.find(is_end).unwrap_or(after.len());
        let address = after[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_']);
        if ["http", "https", "ftp"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) && address.len() > 3 {
            links.refer(&format!("{scheme}{address}"), "");
        }
        rest = &after[end.max(3)..];
    }
    links.write(url, draft);
}
