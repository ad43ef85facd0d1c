//! RFCs and Internet-Drafts, as the text files that they have been since 1969.

mod head;
#[cfg(test)]
mod tests;

use crate::fold::{Folded, Gap};
use crate::text::{self, Lines};
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use regex::Regex;
use std::sync::LazyLock;

pub(crate) const KINDS: &[&str] = &["RFC", "FYI", "Internet-Draft"];

/// Most headings.
const HEADINGS: usize = 2_000;
/// Most bytes of an abstract.
const ABSTRACT: usize = 20_000;

/// The last line of a page: `Roe & Doe    Standards Track    [Page 7]`.
static FOOTER: LazyLock<Regex> = LazyLock::new(|| compile(r"\[Page [0-9ivxlc]+\][ \t]*$"));
/// The first line of a page: `RFC 1436   Gopher   March 1993`.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"^(?:RFC|Internet[- ]Draft|INTERNET[- ]DRAFT|FYI|Network Working Group)\b.*(?:19|20)\d\d[ \t]*$")
});
/// A line of the table of contents: `1.2  Introduction ....... 3`.
static CONTENTS: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"(?x)^\s* ( (?:\d+(?:\.\d+)*\.? | [A-Z]\. | Appendix\s+[A-Z]\.?)? \s*\S.*? ) \s* (?:\.\s?){3,} \s*\d+\s*$")
});
/// A heading of a section: `1.2.  Introduction`, at the margin.
static HEADING: LazyLock<Regex> =
    LazyLock::new(|| compile(r"^((?:\d+(?:\.\d+)*\.?|Appendix[ \t]+[A-Z]\.?)[ \t]+[A-Z][^.]*)$"));

pub(super) fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}

/// Number, title, authors, date, status, abstract, headings; the text without the edges of its pages.
pub(crate) struct Rfc;

impl Summarizer for Rfc {
    fn name(&self) -> &'static str {
        concat!("rfc ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let (text, mut draft) = text::read(leaf);
        let text = without_edges(&text);
        head::write(&text, &mut draft);
        draft.add("Abstract", &abstract_of(&text));
        draft.add("Headings", &headings(&text).into_text());
        draft.set_text(&text);
        text::refer_bare(&text, leaf.url, &mut draft);
        Ok(draft)
    }
}

/// Without first and last lines of pages, form feeds, and the empty lines around them.
fn without_edges(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for line in text.lines().map(|line| line.trim_end().trim_start_matches('\u{c}')) {
        let is_edge = line.len() <= 100 && (FOOTER.is_match(line) || (!out.is_empty() && HEADER.is_match(line)));
        if is_edge || line.is_empty() {
            gap = true;
            continue;
        }
        // A sentence may go on behind the edge of a page, but where it does is not known.
        if gap && !out.is_empty() {
            out.push('\n');
        }
        gap = false;
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// What stands under `Abstract`, up to the next line at the margin.
fn abstract_of(text: &str) -> String {
    let is_title = |line: &&str| {
        let bare = line.trim().trim_end_matches([':', '.']);
        bare.eq_ignore_ascii_case("abstract") || bare.eq_ignore_ascii_case("1. abstract")
    };
    let mut lines = text.lines().skip_while(|line| !is_title(line)).skip(1).peekable();
    while lines.next_if(|line| line.is_empty()).is_some() {}
    // In old ones everything stands at the margin: there a paragraph is all that can be known.
    let indented = lines.peek().is_some_and(|line| line.starts_with(' '));
    let mut found = Folded::new(ABSTRACT);
    for line in
        lines.take_while(|line| if indented { line.is_empty() || line.starts_with(' ') } else { !line.is_empty() })
    {
        if line.is_empty() {
            found.gap(Gap::Line);
        }
        found.push(line);
        found.push("\n");
    }
    found.into_text()
}

/// The table of contents; if there is none, the headings themselves.
fn headings(text: &str) -> Lines {
    let mut headings = Lines::new(HEADINGS);
    for pattern in [&CONTENTS, &HEADING] {
        for line in text.lines().filter(|line| line.len() <= 120) {
            if let Some(found) = pattern.captures(line).and_then(|found| found.get(1)) {
                headings.push(found.as_str());
            }
        }
        if headings.len() > 0 {
            break;
        }
    }
    headings
}
