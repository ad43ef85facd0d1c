//! Manual pages, and other documents for troff.

mod escapes;
mod mdoc;
mod page;
mod reader;
#[cfg(test)]
mod tests;

use crate::links::Links;
use crate::text::{self, Lines, dates};
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use page::Into;
use reader::Reader;
use regex::Regex;
use std::sync::LazyLock;

pub(crate) const KINDS: &[&str] = &["ManPage", "Troff"];

/// Most pages that one page may point to.
const PAGES: usize = 500;

/// A page that is pointed to: `ls(1)`.
static PAGE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"([\w.+:-]+)[ \t]?\(([0-9n][0-9A-Za-z]*)\)").expect("a pattern of ours"));

/// Name, synopsis and description of a page; title, authors and abstract of a paper; headings and text of both.
pub(crate) struct ManPage;

impl Summarizer for ManPage {
    fn name(&self) -> &'static str {
        concat!("manpage ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let (text, mut draft) = text::read(leaf);
        let Reader { mut page, head, .. } = Reader::read(&text);
        let titles = [page.take(Into::Title), page.take(Into::Name), head.name];
        draft.add(
            "Title",
            &titles.iter().find(|title| !title.is_empty()).map(|title| title.replace('\n', " ")).unwrap_or_default(),
        );
        draft.add("Section", &head.section);
        draft.add("Modified", &dates::date(&head.date).unwrap_or_default());
        draft.add("Source", &head.source);
        draft.add("Manual", &head.manual);
        draft.add("Author", &page.take(Into::Author));
        draft.add("Author", authors(&page.take(Into::Authors)));
        draft.add("Organization", &page.take(Into::Organization));
        draft.add("Abstract", &page.take(Into::Abstract));
        draft.add("Description", &page.take(Into::Description));
        draft.add("Synopsis", &page.take(Into::Synopsis));
        draft.add("See-Also", &pages(&page.take(Into::SeeAlso)).into_text());
        draft.add("Includes", &head.includes.join("\n"));
        let mut links = Links::default();
        for url in page.links.iter().filter(|url| url.contains("://")) {
            links.refer(url, "");
        }
        links.write(leaf.url, &mut draft);
        let headings = std::mem::replace(&mut page.headings, Lines::new(0));
        draft.add("Headings", &headings.into_text());
        let text = page.into_text();
        draft.set_text(&text);
        text::refer_bare(&text, leaf.url, &mut draft);
        Ok(draft)
    }
}

/// Without the words that most pages begin this section with.
fn authors(section: &str) -> &str {
    let bare = section.strip_prefix("Written by ").or_else(|| section.strip_prefix("This manual page was written by "));
    bare.map_or(section, |bare| bare.trim_end_matches('.'))
}

fn pages(section: &str) -> Lines {
    let mut pages = Lines::new(PAGES);
    for found in PAGE.captures_iter(section) {
        pages.push(&format!("{}({})", &found[1], &found[2]));
    }
    pages
}
