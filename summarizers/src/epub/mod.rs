//! Electronic books.

mod book;
#[cfg(test)]
mod tests;

use crate::fold::Folded;
use crate::html::Html;
use crate::office::package::Package;
use crate::office::xml::{Token, attribute};
use book::Book;
use gatherer_pipeline::{Draft, Kind, Leaf, Refusal, Summarizer};
use std::collections::HashSet;
use url::Url;

pub(crate) const KINDS: &[&str] = &["EPUB"];

/// Ways to hide fonts from copying, which hide no text.
const FONTS_ONLY: &[&str] = &["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];
/// Most chapters named.
const CHAPTERS: usize = 5_000;
/// Where a book is while it is read: whatever is found below leads into the book itself.
const INSIDE: &str = "http://book.invalid/";

/// Metadata, the names of chapters, their text and where they lead.
pub(crate) struct Epub;

impl Summarizer for Epub {
    fn name(&self) -> &'static str {
        concat!("epub ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let mut package = Package::open(leaf.body).ok_or_else(|| Refusal::Cannot("no ZIP archive".to_owned()))?;
        let main = main_part(&mut package).ok_or_else(|| Refusal::Cannot("a ZIP archive without a book".to_owned()))?;
        let mut draft = Draft::new();
        let book = Book::read(&mut package, &main);
        let encrypted = encrypted(&mut package);
        book.write(&mut draft);
        draft.add("Headings", &chapters(&mut package, &book).join("\n"));
        read_text(&mut package, &book, &encrypted, leaf, &mut draft);
        if !encrypted.is_empty() || package.is_encrypted() {
            draft.add("Encrypted", "yes");
        }
        package.write_complaints(&mut draft);
        if leaf.cut {
            draft.complain("the book was cut and is read in part");
        }
        Ok(draft)
    }
}

/// The part that lists all others. A book whose container is lost may still have it.
fn main_part(package: &mut Package<'_>) -> Option<String> {
    let mut main = None;
    package.visit("META-INF/container.xml", |token| {
        if let Token::Start(tag) = token
            && tag.local_name().as_ref() == "rootfile"
        {
            main = attribute(&tag, "full-path");
        }
        main.is_none()
    });
    let found = || package.names().filter(|name| name.rsplit('.').next() == Some("opf")).min().map(str::to_owned);
    main.filter(|part| package.has(part)).or_else(found)
}

/// The parts whose text is encrypted.
fn encrypted(package: &mut Package<'_>) -> HashSet<String> {
    let (mut encrypted, mut is_font) = (HashSet::new(), false);
    package.visit("META-INF/encryption.xml", |token| {
        if let Token::Start(tag) = token {
            match tag.local_name().as_ref() {
                "EncryptedData" => is_font = false,
                "EncryptionMethod" => {
                    is_font |= attribute(&tag, "Algorithm").is_some_and(|way| FONTS_ONLY.contains(&way.as_str()));
                }
                "CipherReference" if !is_font => {
                    encrypted.extend(attribute(&tag, "URI").map(|uri| book::resolved("", &uri)));
                }
                _ => {}
            }
        }
        true
    });
    encrypted
}

/// The names of the chapters: of the table of contents of today, or of the one of old.
fn chapters(package: &mut Package<'_>, book: &Book) -> Vec<String> {
    let mut named = Vec::new();
    if let Some(part) = &book.navigation {
        named = labels(package, part, "nav", "a");
    }
    if let Some(part) = book.contents.as_ref().filter(|_| named.is_empty()) {
        named = labels(package, part, "navMap", "text");
    }
    named
}

/// What stands between the tags `label`, within the first `list` that is one of contents.
fn labels(package: &mut Package<'_>, part: &str, list: &str, label: &str) -> Vec<String> {
    let (mut labels, mut in_list, mut open) = (Vec::new(), false, None::<Folded>);
    package.visit(part, |token| {
        match token {
            // Lists of pages and of landmarks say that they are something else.
            Token::Start(tag) if tag.local_name().as_ref() == list => {
                in_list = attribute(&tag, "type").is_none_or(|kind| kind.split_whitespace().any(|one| one == "toc"));
            }
            Token::Start(tag) if in_list && tag.local_name().as_ref() == label => open = Some(Folded::new(1_000)),
            Token::Text(text) => {
                if let Some(open) = &mut open {
                    open.push(&text);
                }
            }
            Token::End(tag) if tag.local_name().as_ref() == label => {
                labels.extend(open.take().map(Folded::into_text).filter(|label| !label.is_empty()));
            }
            Token::End(tag) if in_list && tag.local_name().as_ref() == list => return false,
            _ => {}
        }
        labels.len() < CHAPTERS
    });
    labels
}

/// Reads the chapters in their order, each as the web page that it is.
fn read_text(package: &mut Package<'_>, book: &Book, encrypted: &HashSet<String>, leaf: &Leaf<'_>, draft: &mut Draft) {
    let Ok(inside) = Url::parse(INSIDE) else { return };
    let mut text = String::new();
    let mut known = HashSet::new();
    let mut headings = Vec::new();
    for part in book.spine.iter().filter(|part| !encrypted.contains(*part)) {
        let Some(body) = package.read(part) else {
            if !package.is_encrypted() {
                package.complain(format!("{part} is missing"));
            }
            continue;
        };
        let page = Leaf { url: &inside, kind: &Kind::HTML, content_type: None, body: &body, ..*leaf };
        let Ok(page) = Html.summarize(&page) else { continue };
        for reference in page.references().iter().filter(|found| found.url.host_str() != inside.host_str()) {
            if known.insert(reference.url.clone()) {
                draft.refer(reference.url.clone(), &reference.text);
            }
        }
        headings.extend(page.get("Headings").map(str::to_owned));
        text.push_str(page.text());
        text.push('\n');
        if text.len() > Draft::VALUE_LIMIT {
            break;
        }
    }
    if draft.get("Headings").is_none() {
        draft.add("Headings", &headings.join("\n"));
    }
    draft.set_text(&text);
}
