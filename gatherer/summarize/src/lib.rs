//! Chooses a summarizer for a leaf and runs it. The engine cannot tell the forms apart.
//!
//! Whatever a summarizer does, the document is not lost: a refusal or a panic leaves a record of metadata that says
//! what happened.
//!
//! ```
//! use gatherer_pipeline::{Kind, Leaf};
//! use gatherer_summarize::Summarizers;
//! use gatherer_summarizers::TextSetting;
//! use url::Url;
//!
//! let summarizers = Summarizers::new(TextSetting::Full);
//! let url = Url::parse("http://example.org/")?;
//! let body = b"<title>Corn</title>";
//! let leaf = Leaf { url: &url, kind: &Kind::HTML, votes: &[], content_type: None, body, cut: false };
//! let summarized = summarizers.summarize(&leaf);
//! assert_eq!(summarized.draft.get("Title"), Some("Corn"));
//! assert!(summarized.by.starts_with("html "));
//! # Ok::<(), url::ParseError>(())
//! ```

use gatherer_pipeline::{Draft, Kind, Leaf, Refusal, Summarizer, events};
use gatherer_summarizers::{Builtin, TextSetting};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// All summarizers at hand.
pub struct Summarizers {
    builtin: Builtin,
}

/// A draft and who made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summarized {
    /// Name and version of the summarizer.
    pub by: String,
    /// What it made.
    pub draft: Draft,
}

impl Summarizers {
    /// The built-in ones, with as much text in their drafts as the operator wants.
    pub fn new(text: TextSetting) -> Self {
        Self { builtin: Builtin::new(text) }
    }

    /// Who summarizes leaves of this kind.
    pub fn chosen(&self, kind: &Kind) -> &dyn Summarizer {
        self.builtin.of(kind)
    }

    /// Summarizes a leaf; at worst the draft holds nothing but the reason why.
    pub fn summarize(&self, leaf: &Leaf<'_>) -> Summarized {
        let summarizer = self.chosen(leaf.kind);
        let draft = guarded(summarizer, leaf).unwrap_or_else(|refusal| {
            events::refused(leaf.url, summarizer.name(), &refusal);
            let mut draft = Draft::new();
            draft.complain(format!("{} refused: {refusal}", summarizer.name()));
            draft
        });
        Summarized { by: summarizer.name().to_owned(), draft }
    }
}

/// Runs a summarizer so that its panic costs one document.
fn guarded(summarizer: &dyn Summarizer, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
    let panicked = |panic: Box<dyn Any + Send>| {
        let message =
            panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Refusal(format!("it panicked ({})", message.unwrap_or("without a message")))
    };
    catch_unwind(AssertUnwindSafe(|| summarizer.summarize(leaf))).unwrap_or_else(|panic| Err(panicked(panic)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    struct Panics;

    impl Summarizer for Panics {
        fn name(&self) -> &'static str {
            "panics 1"
        }

        fn summarize(&self, _: &Leaf<'_>) -> Result<Draft, Refusal> {
            panic!("on purpose")
        }
    }

    #[test]
    fn a_panic_is_a_refusal_of_one_leaf() {
        let url = Url::parse("http://example.org/").expect("a literal URL");
        let leaf = Leaf { url: &url, kind: &Kind::TEXT, votes: &[], content_type: None, body: b"", cut: false };
        assert_eq!(guarded(&Panics, &leaf), Err(Refusal("it panicked (on purpose)".to_owned())));
    }
}
