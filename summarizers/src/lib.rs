//! The built-in summarizers: bytes of one leaf in, attributes and references out.
//!
//! Each kind has a folder of its own, and [`Builtin`] has one line for each folder: adding a kind
//! touches these two places. Everything here is a pure function on bytes. No summarizer sees
//! network, disk or clock, none fails on a bad document (but some refuse what is not theirs), and
//! the same bytes always give the same draft. What could not be read is told in the draft's complaints.
//!
//! What it is not for: choosing between built-in summarizers and plugins, deadlines, and the
//! attributes that the gatherer itself knows (`Type`, `File-Size`, `MD5`).
//!
//! ```
//! use gatherer_pipeline::{Kind, Leaf};
//! use gatherer_summarizers::{Builtin, TextSetting};
//! use url::Url;
//!
//! let builtin = Builtin::new(TextSetting::Full);
//! let url = Url::parse("http://example.org/corn.html")?;
//! let body = b"<title>Corn &amp; maize</title><p>Grows in <a href=fields.html>the <b>fields</b></a>.";
//! let leaf = Leaf { url: &url, kind: &Kind::HTML, votes: &[], content_type: None, body, cut: false };
//!
//! let draft = builtin.of(leaf.kind).summarize(&leaf)?;
//! assert_eq!(draft.get("Title"), Some("Corn & maize"));
//! assert_eq!(draft.get("Full-Text"), Some("Grows in the fields."));
//! assert_eq!(draft.references()[0].url.as_str(), "http://example.org/fields.html");
//! assert_eq!(draft.references()[0].text, "the fields");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod charset;
mod feed;
mod fold;
mod html;
mod links;
mod metadata;
mod text;

use gatherer_pipeline::{Kind, Summarizer};

/// How much of a leaf's text goes into its record. The operator chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextSetting {
    /// All of it, as `Full-Text`.
    Full,
    /// The first so many bytes (cut at a character), as `Partial-Text`.
    Partial(usize),
    /// Nothing.
    None,
}

impl TextSetting {
    /// The attribute that takes the text, and most bytes of it.
    pub(crate) fn attribute(self) -> (&'static str, usize) {
        match self {
            Self::Full => ("Full-Text", gatherer_pipeline::Draft::VALUE_LIMIT),
            Self::Partial(bytes) => ("Partial-Text", bytes.min(gatherer_pipeline::Draft::VALUE_LIMIT)),
            Self::None => ("Partial-Text", 0),
        }
    }
}

/// The kinds of one summarizer, and how it is made.
type Line = (&'static [&'static str], fn(TextSetting) -> Box<dyn Summarizer>);

/// The one table: a new kind adds its line here.
const TABLE: &[Line] =
    &[(html::KINDS, html::Html::boxed), (feed::KINDS, feed::News::boxed), (text::KINDS, text::Text::boxed)];

/// The whole set of built-in summarizers.
pub struct Builtin {
    summarizers: Vec<(&'static [&'static str], Box<dyn Summarizer>)>,
    metadata: metadata::Metadata,
}

impl Builtin {
    /// All of them, with as much text in their drafts as the operator wants.
    pub fn new(text: TextSetting) -> Self {
        let summarizers = TABLE.iter().map(|(kinds, make)| (*kinds, make(text))).collect();
        Self { summarizers, metadata: metadata::Metadata }
    }

    /// The summarizer made for this kind, if there is one.
    pub fn own(&self, kind: &Kind) -> Option<&dyn Summarizer> {
        let line = self.summarizers.iter().find(|(kinds, _)| kinds.contains(&kind.name()))?;
        Some(line.1.as_ref())
    }

    /// The summarizer for this kind; metadata alone if none is made for it.
    pub fn of(&self, kind: &Kind) -> &dyn Summarizer {
        self.own(kind).unwrap_or(&self.metadata)
    }

    /// Every summarizer's name with its kinds, for the lines at start. Metadata comes last and names no kind.
    pub fn list(&self) -> impl Iterator<Item = (&str, &'static [&'static str])> {
        let made = self.summarizers.iter().map(|(kinds, summarizer)| (summarizer.name(), *kinds));
        made.chain([(self.metadata.name(), [].as_slice())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, expected: &str) {
        let builtin = Builtin::new(TextSetting::None);
        assert_eq!(builtin.of(&Kind::new(kind)).name(), format!("{expected} {}", env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn each_kind_has_its_summarizer() {
        check("HTML", "html");
        check("HomeHTML", "html");
        check("Directory", "html");
        check("Feed", "feed");
        check("Text", "text");
        check("README", "text");
        check("Pdf", "metadata");
        check("Unknown", "metadata");
    }

    #[test]
    fn no_kind_stands_in_two_lines() {
        let mut kinds: Vec<_> = TABLE.iter().flat_map(|(kinds, _)| kinds.iter()).collect();
        let all = kinds.len();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), all);
    }

    #[test]
    fn the_list_names_all() {
        let names: Vec<_> = Builtin::new(TextSetting::Full).list().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(names, ["html 0.1.0", "feed 0.1.0", "text 0.1.0", "metadata 0.1.0"]);
    }
}
