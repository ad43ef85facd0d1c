//! Plain text, and what reads like it.

pub(crate) mod dates;
mod headings;
mod overstrike;
#[cfg(test)]
mod tests;
mod urls;

use crate::charset::{self, Hint};
use crate::fold::Folded;
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use std::borrow::Cow;
use std::collections::HashSet;
use url::Url;

/// Texts for people, with no grammar that a machine could rely on.
#[rustfmt::skip]
pub(crate) const KINDS: &[&str] = &["Text", "FullText", "FormattedText", "README", "FAQ", "DotFile", "WaisSource"];

/// Most characters of a title.
const TITLE_LIMIT: usize = 200;

/// First line, headings, text and the URLs in it.
pub(crate) struct Text;

impl Summarizer for Text {
    fn name(&self) -> &'static str {
        concat!("text ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let (text, mut draft) = read(leaf);
        let text = overstrike::removed(&text);
        draft.add("Title", &title(&text));
        let loose = matches!(leaf.kind.name(), "README" | "FAQ");
        draft.add("Headings", &headings::headings(&text, loose).into_text());
        draft.set_text(&text);
        refer_bare(&text, leaf.url, &mut draft);
        Ok(draft)
    }
}

/// The body of any kind of text, with LF between its lines, and a draft that tells its charset.
pub(crate) fn read<'a>(leaf: &Leaf<'a>) -> (Cow<'a, str>, Draft) {
    let decoded = charset::decode(leaf.body, leaf.content_type, Hint::text(leaf.url));
    let mut draft = Draft::new();
    decoded.tell(&mut draft);
    let text = match decoded.text {
        text if !text.contains('\r') => text,
        // Old Macintoshes end lines by CR alone.
        text if !text.contains('\n') => Cow::Owned(text.replace('\r', "\n")),
        text => Cow::Owned(text.replace("\r\n", "\n")),
    };
    (text, draft)
}

/// Adds the URLs that stand bare in a text, besides those that the draft has already.
pub(crate) fn refer_bare(text: &str, own: &Url, draft: &mut Draft) {
    let known: HashSet<Url> = draft.references().iter().map(|reference| reference.url.clone()).collect();
    for url in urls::urls(text, own).into_iter().filter(|url| !known.contains(url)) {
        draft.refer(url, "");
    }
}

/// The first line with a letter or digit in it, without the marks around it that make it a heading.
fn title(text: &str) -> String {
    let first = text.lines().find(|line| line.contains(char::is_alphanumeric)).unwrap_or_default();
    // Org files, and the headers of postings, which most FAQs begin with.
    let named = text.lines().take(20).take_while(|line| line.contains(':')).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        ["#+title", "subject"].iter().any(|known| name.eq_ignore_ascii_case(known)).then_some(value)
    });
    let line = Folded::line(named.unwrap_or(first), 4 * TITLE_LIMIT);
    let bare = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '=' | '*' | '-' | '_' | '/' | '|'));
    bare.chars().take(TITLE_LIMIT).collect()
}

/// Values in the order in which they come, each once, up to a limit: what goes into an attribute with one a line.
#[derive(Debug)]
pub(crate) struct Lines {
    kept: Vec<String>,
    seen: HashSet<String>,
    limit: usize,
}

impl Lines {
    /// None yet, and never more than `limit`.
    pub(crate) fn new(limit: usize) -> Self {
        Self { kept: Vec::new(), seen: HashSet::new(), limit }
    }

    /// Adds one, folded into a line of at most 500 bytes.
    pub(crate) fn push(&mut self, value: &str) {
        if self.kept.len() >= self.limit {
            return;
        }
        let line = Folded::line(value, 500);
        if !line.is_empty() && self.seen.insert(line.clone()) {
            self.kept.push(line);
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// One a line.
    pub(crate) fn into_text(self) -> String {
        self.kept.join("\n")
    }
}
