//! What is gathered from a document while it is read: text, headings and references.

use crate::fold::{Folded, Gap};
use crate::links::{Links, Name, TEXT_LIMIT};
use gatherer_pipeline::Draft;
use url::Url;

/// Most headings of a document.
const HEADINGS: usize = 5_000;
/// Most bytes of a heading.
const HEADING_LIMIT: usize = 1_000;

/// A document as far as it is read.
#[derive(Debug)]
pub(crate) struct Reading {
    text: Folded,
    headings: Vec<String>,
    heading: Option<Folded>,
    links: Links,
    /// Open references, the innermost last.
    anchors: Vec<(Option<usize>, Folded)>,
}

impl Reading {
    pub(crate) fn new() -> Self {
        Self {
            text: Folded::new(Draft::VALUE_LIMIT),
            headings: Vec::new(),
            heading: None,
            links: Links::default(),
            anchors: Vec::new(),
        }
    }

    /// Adds text, which also counts for the heading and the reference that are open.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push(text);
        for open in self.heading.iter_mut().chain(self.anchors.last_mut().map(|(_, words)| words)) {
            open.push(text);
        }
    }

    /// Asks for a gap before what comes next.
    pub(crate) fn gap(&mut self, gap: Gap) {
        self.text.gap(gap);
        for open in self.heading.iter_mut().chain(self.anchors.last_mut().map(|(_, words)| words)) {
            open.gap(Gap::Space);
        }
    }

    /// Whether no more text is taken.
    pub(crate) fn is_full(&self) -> bool {
        self.text.is_full()
    }

    pub(crate) fn open_heading(&mut self) {
        self.heading = Some(Folded::new(HEADING_LIMIT));
    }

    pub(crate) fn close_heading(&mut self) {
        if let Some(heading) = self.heading.take() {
            self.add_heading(heading.into_text());
        }
    }

    pub(crate) fn add_heading(&mut self, heading: String) {
        if !heading.is_empty() && self.headings.len() < HEADINGS {
            self.headings.push(heading);
        }
    }

    pub(crate) fn first_heading(&self) -> Option<&str> {
        self.headings.first().map(String::as_str)
    }

    /// Opens a reference, whose name is the text until it is closed. Files of the author's machine are none.
    pub(crate) fn open_link(&mut self, href: &str) {
        let place = if is_local(href) { None } else { self.links.refer(href, "") };
        self.anchors.push((place, Folded::new(TEXT_LIMIT)));
    }

    pub(crate) fn close_link(&mut self) {
        if let Some((Some(place), words)) = self.anchors.pop() {
            self.links.name(place, Name::new(words.into_text(), ""));
        }
    }

    /// Adds a reference whose name is known.
    pub(crate) fn refer(&mut self, href: &str, text: &str) {
        if !is_local(href) {
            self.links.refer(href, text);
        }
    }

    /// Writes all into the draft, a missing title too.
    pub(crate) fn write(self, url: &Url, draft: &mut Draft) {
        if draft.get("Title").is_none() {
            draft.add("Title", self.first_heading().unwrap_or_default());
        }
        draft.add("Headings", &self.headings.join("\n"));
        if self.text.is_full() {
            draft.complain(format!("text cut at {} bytes", Draft::VALUE_LIMIT));
        }
        draft.set_text(&self.text.into_text());
        self.links.write(url, draft);
    }
}

/// Whether this leads into a file system, or nowhere.
fn is_local(href: &str) -> bool {
    let href = href.trim();
    let is_file = href.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    is_file || href.is_empty() || href.starts_with(['\\', '#']) || href.get(1..3) == Some(":\\")
}

/// Where a field of a word processor leads: `HYPERLINK "http://…" \o "tip"`.
pub(crate) fn hyperlink(instruction: &str) -> Option<&str> {
    let instruction = instruction.trim_start();
    let rest = instruction.get(9..).filter(|_| instruction[..9].eq_ignore_ascii_case("HYPERLINK"))?.trim_start();
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split_whitespace().next().filter(|word| !word.starts_with('\\')),
    }
}
