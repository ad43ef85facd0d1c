//! PDF: what a document says of itself, and the text of its pages.

mod cmap;
mod font;
pub(crate) mod glyphs;
mod info;
mod place;
#[cfg(test)]
mod tests;
mod tree;
mod walk;
mod widths;
pub(crate) mod words;

use crate::links::Links;
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use lopdf::{Dictionary, Document, LoadOptions, Object, ObjectId, Stream};
use place::Page;
use std::panic::{AssertUnwindSafe, catch_unwind};
use walk::Walk;

pub(crate) const KINDS: &[&str] = &["Pdf"];

/// Most bytes of one stream, unpacked.
const STREAM_LIMIT: usize = 32 << 20;
/// Most bytes of page contents read, all in all.
const CONTENT_LIMIT: usize = 256 << 20;
/// Most pages read.
const PAGES: usize = 20_000;
/// Most levels of the page tree above a page, and most references of one page.
const LEVELS: usize = 32;
const ANNOTATIONS: usize = 10_000;

/// The first line with words in it: what stands largest on a title page.
fn first_line(text: &str) -> String {
    let has_words = |line: &&str| line.chars().filter(|character| character.is_alphabetic()).count() > 2;
    text.lines().find(has_words).map(|line| line.chars().take(200).collect()).unwrap_or_default()
}

/// Title and authors, outline, references and text.
pub(crate) struct Pdf;

impl Summarizer for Pdf {
    fn name(&self) -> &'static str {
        concat!("pdf ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut draft = Draft::new();
        let document = match load(leaf.body) {
            Ok(document) => document,
            Err(reason) if mentions(leaf.body, b"/Encrypt") => {
                draft.add("Encrypted", "yes");
                draft.complain(format!("the encryption cannot be undone: {reason}"));
                return Ok(draft);
            }
            Err(reason) => return Err(Refusal::Cannot(format!("no PDF that can be read: {reason}"))),
        };
        if leaf.cut {
            draft.complain("the document is cut: pages may be missing");
        }
        if document.is_encrypted() || document.was_encrypted() {
            draft.add("Encrypted", "yes");
        }
        info::write(&document, &mut draft);
        if document.is_encrypted() {
            draft.complain("the document needs a password");
            return Ok(draft);
        }
        tree::write_outline(&document, &mut draft);
        tree::write_attachments(&document, &mut draft);
        let pages: Vec<_> = document.page_iter().collect();
        draft.add("Pages", &pages.len().to_string());
        if pages.is_empty() {
            draft.complain("no page found");
        }
        write_text(&document, &pages, &mut draft);
        write_references(&document, &pages, leaf, &mut draft);
        if draft.get("Title").is_none() {
            draft.add("Title", &first_line(draft.text()));
        }
        Ok(draft)
    }
}

/// Loads a document; one that needs no password to be opened is decrypted. The library counts on numbers that a
/// broken document may not have.
fn load(body: &[u8]) -> Result<Document, String> {
    let options = LoadOptions::with_max_decompressed_size(STREAM_LIMIT);
    catch_unwind(AssertUnwindSafe(|| Document::load_mem_with_options(body, options)))
        .map_err(|_| "its structure is broken".to_owned())?
        .map_err(|error| error.to_string())
}

fn mentions(body: &[u8], word: &[u8]) -> bool {
    body.windows(word.len()).any(|window| window == word)
}

/// Writes the text, page by page. A page that cannot be read does not keep the others back.
fn write_text(document: &Document, pages: &[ObjectId], draft: &mut Draft) {
    let mut walk = Walk::new(document, Page::new(Draft::VALUE_LIMIT), CONTENT_LIMIT);
    for (number, page) in (1..).zip(pages) {
        if walk.page.is_full() {
            draft.complain(format!("text cut at {} bytes, on page {number}", Draft::VALUE_LIMIT));
            break;
        }
        if walk.budget == 0 || number > PAGES {
            draft.complain(format!("text of page {number} and those behind it not read"));
            break;
        }
        if !read_page(&mut walk, document, *page) {
            draft.complain(format!("page {number} cannot be read to its end"));
        }
        walk.page.end();
    }
    if walk.unknown > 0 {
        draft.complain(format!("{} characters without a known meaning left out", walk.unknown));
    }
    draft.set_text(&walk.page.into_text());
}

/// Says whether all of the page could be read.
fn read_page<'a>(walk: &mut Walk<'a>, document: &'a Document, page: ObjectId) -> bool {
    let mut is_whole = document.get_dictionary(page).is_ok();
    let mut content = Vec::new();
    for id in document.get_page_contents(page) {
        let stream = document.get_object(id).and_then(Object::as_stream);
        let room = STREAM_LIMIT.min(walk.budget).saturating_sub(content.len());
        match stream.and_then(|stream| stream.get_plain_content_with_limit(room)) {
            Ok(part) => content.extend(part),
            Err(_) => is_whole = false,
        }
        // Operators may not run from one part into the next.
        content.push(b'\n');
    }
    // Even an empty page costs something.
    walk.budget = walk.budget.saturating_sub(content.len() + 1_000);
    let read = catch_unwind(AssertUnwindSafe(|| walk.read(&content, resources(document, page))));
    read.unwrap_or(false) && is_whole
}

/// The resources of a page: its own and those of the nodes above it.
fn resources(document: &Document, page: ObjectId) -> Vec<&Dictionary> {
    let mut found = Vec::new();
    let mut node = document.get_dictionary(page).ok();
    for _ in 0..LEVELS {
        let Some(dictionary) = node else { break };
        found.extend(dictionary.get_deref(b"Resources", document).and_then(Object::as_dict));
        node = dictionary.get_deref(b"Parent", document).and_then(Object::as_dict).ok();
    }
    found
}

/// Writes where the references of the pages lead.
fn write_references(document: &Document, pages: &[ObjectId], leaf: &Leaf<'_>, draft: &mut Draft) {
    let mut links = Links::default();
    let base = document.catalog().and_then(|catalog| document.get_dict_in_dict(catalog, b"URI"));
    if let Ok(base) = base.and_then(|entry| entry.get_deref(b"Base", document)).and_then(Object::as_str) {
        links.base(text_string(base));
    }
    for page in pages.iter().take(PAGES) {
        let page = document.get_dictionary(*page);
        let annotations = page.and_then(|page| page.get_deref(b"Annots", document)).and_then(Object::as_array);
        for annotation in annotations.into_iter().flatten().take(ANNOTATIONS) {
            let Ok((_, Object::Dictionary(annotation))) = document.dereference(annotation) else { continue };
            let action = annotation.get_deref(b"A", document).and_then(Object::as_dict);
            let target = action.and_then(|action| action.get_deref(b"URI", document)).and_then(Object::as_str);
            let name = annotation.get_deref(b"Contents", document).and_then(Object::as_str);
            if let Ok(target) = target {
                links.refer(&text_string(target), &name.map(text_string).unwrap_or_default());
            }
        }
    }
    links.write(leaf.url, draft);
}

/// The content of a stream, nothing if it cannot be unpacked within the limit.
fn plain(stream: &Stream, limit: usize) -> Vec<u8> {
    stream.get_plain_content_with_limit(limit).unwrap_or_default()
}

/// Text outside of pages: by its byte order mark, else UTF-8 if it is, else in the charset of the format.
fn text_string(bytes: &[u8]) -> String {
    if let Some((encoding, mark)) = encoding_rs::Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(bytes.get(mark..).unwrap_or_default()).0.into_owned();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => lopdf::decode_text_string(&Object::string_literal(bytes)).unwrap_or_default(),
    }
}
