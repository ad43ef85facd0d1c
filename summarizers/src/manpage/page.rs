//! What a page has said so far: its text, its headings, and what stands in the sections that matter.

use crate::fold::{Folded, Gap};
use crate::text::Lines;
use gatherer_pipeline::Draft;
use std::collections::BTreeMap;

/// Most bytes of what is kept of one section.
const SECTION: usize = 10_000;
/// Most headings, and most addresses.
const LINES: usize = 2_000;

/// Where words go besides the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Into {
    Nothing,
    Heading,
    Title,
    Author,
    Organization,
    Abstract,
    Name,
    Synopsis,
    Description,
    Authors,
    SeeAlso,
}

/// The page.
#[derive(Debug)]
pub(super) struct Page {
    text: Folded,
    pub(super) headings: Lines,
    pub(super) links: Vec<String>,
    /// Lines are joined to paragraphs.
    pub(super) fill: bool,
    into: Into,
    kept: BTreeMap<Into, Folded>,
}

impl Page {
    /// Nothing said yet.
    pub(super) fn new() -> Self {
        Self {
            text: Folded::new(Draft::VALUE_LIMIT),
            headings: Lines::new(LINES),
            links: Vec::new(),
            fill: true,
            into: Into::Nothing,
            kept: BTreeMap::new(),
        }
    }

    /// A line of words.
    pub(super) fn words(&mut self, words: &str) {
        let gap = if self.fill { Gap::Space } else { Gap::Line };
        self.text.gap(gap);
        self.text.push(words);
        if self.into != Into::Nothing {
            let kept = self.kept.entry(self.into).or_insert_with(|| Folded::new(SECTION));
            // Names stand one a line, also where a paragraph is filled.
            kept.gap(if self.into == Into::Author { Gap::Line } else { gap });
            kept.push(words);
        }
    }

    /// The line ends.
    pub(super) fn end_line(&mut self) {
        self.text.gap(Gap::Line);
        if let Some(kept) = self.kept.get_mut(&self.into) {
            kept.gap(Gap::Line);
        }
    }

    /// The paragraph ends. Of a description the first one is kept.
    pub(super) fn end_paragraph(&mut self) {
        self.end_heading();
        self.end_line();
        let over = matches!(self.into, Into::Description | Into::Title | Into::Author | Into::Organization);
        if over && self.kept.contains_key(&self.into) {
            self.into = Into::Nothing;
        }
    }

    /// From here on words are also kept for this.
    pub(super) fn begin(&mut self, into: Into) {
        self.end_heading();
        self.end_line();
        self.into = into;
    }

    /// A heading; without words, they follow in lines of their own.
    pub(super) fn heading(&mut self, words: &str) {
        self.begin(Into::Heading);
        self.fill = true;
        if !words.trim().is_empty() {
            self.words(words);
            self.end_heading();
        }
    }

    /// A heading in lines of its own is over; the section that it names begins.
    pub(super) fn end_heading(&mut self) {
        if self.into != Into::Heading {
            return;
        }
        let Some(words) = self.kept.remove(&Into::Heading).map(Folded::into_text) else { return };
        let is_first = self.headings.len() == 0;
        self.headings.push(&words);
        self.into = match words.to_uppercase().as_str() {
            "NAME" => Into::Name,
            // In other languages.
            "NOM" | "NOMBRE" | "NOME" | "BEZEICHNUNG" | "NAMN" | "NAVN" | "NAAM" | "NAZWA" | "ИМЯ" | "名前"
            | "名称"
                if is_first =>
            {
                Into::Name
            }
            "SYNOPSIS" => Into::Synopsis,
            "DESCRIPTION" => Into::Description,
            "AUTHOR" | "AUTHORS" => Into::Authors,
            "SEE ALSO"
            | "SIEHE AUCH"
            | "VOIR AUSSI"
            | "VÉASE TAMBIÉN"
            | "VEJA TAMBÉM"
            | "VEDERE ANCHE"
            | "ZIE OOK"
            | "SE ÄVEN"
            | "SE OGSÅ"
            | "ZOBACZ TAKŻE"
            | "СМОТРИТЕ ТАКЖЕ"
            | "関連項目"
            | "参见" => Into::SeeAlso,
            "ABSTRACT" => Into::Abstract,
            _ => Into::Nothing,
        };
        self.text.gap(Gap::Line);
    }

    /// A link to another place.
    pub(super) fn link(&mut self, url: &str) {
        if self.links.len() < LINES {
            self.links.push(url.to_owned());
        }
    }

    /// What was kept for this; once.
    pub(super) fn take(&mut self, into: Into) -> String {
        self.kept.remove(&into).map(Folded::into_text).unwrap_or_default()
    }

    /// The text.
    pub(super) fn into_text(mut self) -> String {
        self.end_heading();
        self.text.into_text()
    }
}
