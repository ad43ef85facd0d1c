//! What a document in TeX has said so far.

use super::scan::{AND, What};
use crate::fold::Folded;
use crate::links::Links;
use crate::text::{Lines, dates};
use gatherer_pipeline::Draft;
use url::Url;

/// Most bytes of a title or a heading.
const LINE: usize = 1_000;
/// Most bytes of an abstract.
const ABSTRACT: usize = 20_000;
/// Most headings, packages, authors or keywords.
const LINES: usize = 2_000;

/// The document.
#[derive(Debug)]
pub(super) struct Paper {
    /// The text; line breaks in it are meant.
    pub(super) out: String,
    pub(super) packages: Lines,
    pub(super) headings: Lines,
    pub(super) authors: Lines,
    pub(super) keywords: Lines,
    pub(super) title: String,
    /// The first line in the middle.
    centred: String,
    date: String,
    summary: String,
    links: Links,
    /// Entries of the bibliography.
    pub(super) items: usize,
    /// It says that it is LaTeX.
    pub(super) latex: bool,
}

impl Default for Paper {
    fn default() -> Self {
        Self {
            out: String::new(),
            packages: Lines::new(LINES),
            headings: Lines::new(LINES),
            authors: Lines::new(LINES),
            keywords: Lines::new(LINES),
            title: String::new(),
            centred: String::new(),
            date: String::new(),
            summary: String::new(),
            links: Links::default(),
            items: 0,
            latex: false,
        }
    }
}

impl Paper {
    /// Does with the text from `start` what it is for.
    pub(super) fn keep(&mut self, what: What, start: usize) {
        // The text may have been thrown away in between.
        let start = self.out.floor_char_boundary(start);
        let words = &self.out[start..];
        match what {
            What::Hidden(_) => self.out.truncate(start),
            What::Title if self.title.is_empty() => self.title = Folded::line(words, LINE),
            What::Centred if self.centred.is_empty() => self.centred = Folded::line(words, LINE),
            What::Author => {
                // Below the name stands where they work.
                let names = words.split(AND).filter_map(|author| author.lines().find(|line| !line.trim().is_empty()));
                names.for_each(|name| self.authors.push(name.trim().trim_end_matches(',')));
            }
            What::Date if self.date.is_empty() => self.date = Folded::line(words, LINE),
            What::Keywords => {
                words.split([',', ';', '\n', AND, '·']).for_each(|keyword| self.keywords.push(keyword.trim()));
            }
            What::Heading => {
                self.headings.push(words);
                self.out.push('\n');
            }
            What::Link(url) => drop(self.links.refer(&url, words)),
            What::Text | What::Argument | What::Title | What::Centred | What::Date => {}
        }
    }

    /// What stands between the marks of an abstract.
    pub(super) fn keep_abstract(&mut self, start: usize) {
        if self.summary.is_empty() {
            let mut summary = Folded::new(ABSTRACT);
            summary.push_lines(self.out.get(start..).unwrap_or_default());
            self.summary = summary.into_text();
        }
    }

    /// A link as it was written.
    pub(super) fn link(&mut self, url: &str, words: &str) {
        self.links.refer(&url.replace("\\%", "%").replace("\\#", "#").replace("\\_", "_").replace("\\&", "&"), words);
    }

    /// The text with its white space folded.
    pub(super) fn text(&self) -> String {
        let mut text = Folded::new(Draft::VALUE_LIMIT);
        let parted = self.out.replace(AND, "\n");
        text.push_lines(&parted);
        text.into_text()
    }

    /// Writes everything but the text.
    pub(super) fn write(self, url: &Url, draft: &mut Draft) {
        let title = if self.title.is_empty() && !self.latex { self.centred } else { self.title };
        draft.add("Title", &title);
        draft.add("Author", &self.authors.into_text());
        draft.add("Created", &dates::date(&self.date).unwrap_or_default());
        draft.add("Abstract", &self.summary);
        draft.add("Keywords", &self.keywords.into_text());
        draft.add("Headings", &self.headings.into_text());
        draft.add("Packages", &self.packages.into_text());
        if self.items > 0 {
            draft.add("Bibliography-Items", &self.items.to_string());
        }
        self.links.write(url, draft);
    }
}
