//! Web pages.
//!
//! Besides the attributes of all kinds a page can have `Address`, `Images` and `Image-Texts`, `Mail-Addresses`, `Times`
//! (of `<time>`), `License` and `Author-Link` (where the page names them), `Alternate-Languages` (a language and a URL
//! a line), what its META elements say under their own names (`og:title`, `DC.creator`, `robots`), and what it says of
//! the thing it describes: `Structured-Types` and `LD-*`, see [`structured`]. Title, description, author, dates,
//! keywords and language that HTML's own markup does not give are taken from there, see [`fill`].
//!
//! The text is what the page is about, then an empty line, then what stands around it: menus, headers, footers, remarks
//! and what is hidden. A page that marks no such parts has its text in its own order.

mod attributes;
mod dates;
mod elements;
mod fill;
mod items;
mod meta;
mod page;
mod reading;
mod srcset;
mod structured;
#[cfg(test)]
mod tests;
mod texts;
mod tokens;

use crate::charset::{self, Hint};
use crate::fold::Folded;
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use page::Page;

pub(crate) use attributes::is_vouched_for;
pub(crate) use elements::{Role, Stack};
pub(crate) use meta::{is_own, keywords};
pub(crate) use page::HEAD;
pub(crate) use tokens::{Reader, Tag, read};

/// Listings of directories come as HTML from the access methods.
pub(crate) const KINDS: &[&str] = &["HTML", "HomeHTML", "Directory"];

/// Title, headings, META, addresses, images, text and references of a page.
pub(crate) struct Html;

impl Summarizer for Html {
    fn name(&self) -> &'static str {
        concat!("html ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let decoded = charset::decode(leaf.body, leaf.content_type, Hint::html(leaf.url));
        let mut draft = Draft::new();
        decoded.tell(&mut draft);
        let (page, complaint) = Page::read(&decoded.text, Draft::VALUE_LIMIT);
        if let Some(complaint) = complaint {
            draft.complain(complaint);
        }
        write(page, leaf, &mut draft);
        Ok(draft)
    }
}

/// The words of a piece of markup, in one line.
pub(crate) fn words(markup: &str, limit: usize) -> String {
    let (page, _) = Page::read(markup, limit);
    Folded::line(&page.texts.into_text(), limit)
}

/// Writes what was found into the draft.
fn write(mut page: Page, leaf: &Leaf<'_>, draft: &mut Draft) {
    let title = page.title.take().map(Folded::into_text).filter(|title| !title.is_empty());
    draft.add("Title", &title.or_else(|| page.meta.instead("title")).unwrap_or_default());
    draft.add("Language", &page.language.take().or_else(|| page.meta.instead("language")).unwrap_or_default());
    draft.add("Headings", &page.headings.join("\n"));
    page.meta.write(draft);
    page.structured.write(draft);
    fill::fill(draft, &page.meta, &page.structured.about());
    draft.add("Address", &page.addresses.join("\n"));
    draft.add("Times", &page.times.join("\n"));
    if page.texts.is_full() {
        draft.complain(format!("text cut at {} bytes", Draft::VALUE_LIMIT));
    }
    draft.set_text(&page.texts.into_text());
    page.links.write(leaf.url, draft);
}
