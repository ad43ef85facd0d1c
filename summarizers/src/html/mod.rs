//! Web pages.

mod attributes;
mod meta;
mod page;
mod reading;
mod scan;
mod srcset;
#[cfg(test)]
mod tests;

use crate::charset::{self, Hint};
use crate::{TextSetting, fold::Folded};
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use page::Page;

pub(crate) use meta::keywords;

/// Listings of directories come as HTML from the access methods.
pub(crate) const KINDS: &[&str] = &["HTML", "HomeHTML", "Directory"];

/// Title, headings, META, addresses, images, text and references of a page.
pub(crate) struct Html {
    text: TextSetting,
}

impl Html {
    pub(crate) fn boxed(text: TextSetting) -> Box<dyn Summarizer> {
        Box::new(Self { text })
    }
}

impl Summarizer for Html {
    fn name(&self) -> &'static str {
        concat!("html ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let decoded = charset::decode(leaf.body, leaf.content_type, Hint::html(leaf.url));
        let mut draft = Draft::new();
        for complaint in decoded.complaints {
            draft.complain(complaint);
        }
        let (attribute, limit) = self.text.attribute();
        let (page, complaint) = scan::scan(&decoded.text, Page::new(limit));
        if let Some(complaint) = complaint {
            draft.complain(complaint);
        }
        draft.add("Charset", decoded.charset);
        write(page, leaf, attribute, &mut draft);
        Ok(draft)
    }
}

/// The words of a piece of markup, in one line.
pub(crate) fn words(markup: &str, limit: usize) -> String {
    let (page, _) = scan::scan(markup, Page::new(limit));
    Folded::line(&page.text.into_text(), limit)
}

/// Writes what was found into the draft.
fn write(mut page: Page, leaf: &Leaf<'_>, text: &'static str, draft: &mut Draft) {
    let title = page.title.take().map(Folded::into_text).filter(|title| !title.is_empty());
    draft.add("Title", &title.or_else(|| page.meta.instead("title")).unwrap_or_default());
    draft.add("Language", &page.language.take().or_else(|| page.meta.instead("language")).unwrap_or_default());
    draft.add("Headings", &page.headings.join("\n"));
    page.meta.write(draft);
    draft.add("Address", &page.addresses.join("\n"));
    if page.text.is_full() && text == "Full-Text" {
        draft.complain(format!("Full-Text cut at {} bytes", Draft::VALUE_LIMIT));
    }
    draft.add(text, &page.text.into_text());
    page.links.write(leaf.url, draft);
}
