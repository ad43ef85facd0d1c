//! What a PDF says of itself: its information dictionary first, then its XMP packet.

use super::{STREAM_LIMIT, plain, text_string};
use crate::fold::Folded;
use crate::html;
use crate::image::moment;
use crate::image::xmp::{Packet, fill, split_at_semicolons};
use gatherer_pipeline::Draft;
use lopdf::{Dictionary, Document, Object};

/// Most bytes of one value.
const LINE_LIMIT: usize = 10_000;

/// Writes title, authors, dates and the rest.
pub(super) fn write(document: &Document, draft: &mut Draft) {
    let catalog = document.catalog().ok();
    let newer = catalog.and_then(|catalog| catalog.get_deref(b"Version", document).and_then(Object::as_name).ok());
    draft.add("PDF-Version", &newer.map_or(document.version.clone().into(), String::from_utf8_lossy));
    if let Ok(info) = document.trailer.get_deref(b"Info", document).and_then(Object::as_dict) {
        write_info(info, document, draft);
    }
    let Some(catalog) = catalog else { return };
    draft.add("Language", &entry(catalog, b"Lang", document));
    if let Ok(metadata) = catalog.get_deref(b"Metadata", document).and_then(Object::as_stream) {
        Packet::parse(&plain(metadata, STREAM_LIMIT)).write(draft);
    }
}

fn write_info(info: &Dictionary, document: &Document, draft: &mut Draft) {
    let entry = |key: &str| entry(info, key.as_bytes(), document);
    let title = entry("Title");
    draft.add("Title", if is_file_name(&title) { "" } else { &title });
    draft.add("Author", &entry("Author"));
    draft.add("Description", &entry("Subject"));
    draft.add("Keywords", &html::keywords(&[split_at_semicolons(&entry("Keywords"))]));
    let mut programs = [entry("Creator"), entry("Producer")];
    // What drew the pages often is the program itself.
    if programs[1].starts_with(&programs[0]) {
        programs[0].clear();
    }
    programs.iter().for_each(|program| draft.add("Generator", program));
    for (key, name) in [("CreationDate", "Created"), ("ModDate", "Modified")] {
        let date = entry(key);
        let date = date.strip_prefix("D:").unwrap_or(&date);
        fill(draft, name, &moment::compact(date).or_else(|| moment::iso(date)).unwrap_or_default());
    }
}

/// A text in one line.
pub(super) fn entry(dictionary: &Dictionary, key: &[u8], document: &Document) -> String {
    let value = dictionary.get_deref(key, document).and_then(Object::as_str).map(text_string);
    let line = Folded::line(&value.unwrap_or_default(), LINE_LIMIT);
    let says_nothing = ["(unspecified)", "unspecified", "()", "untitled", "(anonymous)", "anonymous"];
    if says_nothing.iter().any(|word| line.eq_ignore_ascii_case(word)) { String::new() } else { line }
}

/// A title that is the name of a file from which the document was made.
fn is_file_name(title: &str) -> bool {
    let ending = title.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    !title.contains(' ') && ["dvi", "tex", "doc", "docx", "ps", "eps", "indd", "qxd", "fm"].contains(&ending.as_str())
}
