//! Chooses a summarizer for a leaf and runs it. The engine cannot tell the forms apart.
//!
//! Whatever a summarizer does, the document is not lost: after a refusal or a panic the next one is tried, and at the
//! end of the row stands a record of metadata that says what happened.
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

mod program;

pub use program::Program;

use gatherer_pipeline::{Draft, Kind, Leaf, Refusal, Summarizer, events};
use gatherer_summarizers::{Builtin, TextSetting};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// All summarizers at hand.
pub struct Summarizers {
    /// The operator's, each with the kinds it takes; they go first.
    own: Vec<(Vec<String>, Box<dyn Summarizer>)>,
    builtin: Builtin,
}

/// A draft and who made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summarized {
    /// Name and version of the summarizer.
    pub by: String,
    /// What it made.
    pub draft: Draft,
    /// Whether somebody before it refused, or it did itself.
    pub refused: bool,
}

impl Summarizers {
    /// The built-in ones, with as much text in their drafts as the operator wants.
    pub fn new(text: TextSetting) -> Self {
        Self { own: Vec::new(), builtin: Builtin::new(text) }
    }

    /// With one more, which goes before the built-in ones and behind those added earlier.
    #[must_use]
    pub fn with(mut self, kinds: Vec<String>, summarizer: impl Summarizer + 'static) -> Self {
        self.own.push((kinds, Box::new(summarizer)));
        self
    }

    /// Who summarizes leaves of this kind: each in turn until one does.
    pub fn chosen(&self, kind: &Kind) -> impl Iterator<Item = &dyn Summarizer> {
        let takes = |kinds: &[String]| kinds.iter().any(|name| name.eq_ignore_ascii_case(kind.name()));
        let own = self.own.iter().filter(move |(kinds, _)| takes(kinds)).map(|(_, summarizer)| &**summarizer);
        own.chain([self.builtin.of(kind)])
    }

    /// Summarizes a leaf. Who refuses is named in the draft; at worst that is all it holds.
    pub fn summarize(&self, leaf: &Leaf<'_>) -> Summarized {
        let (mut by, mut complaints) = (String::new(), Vec::new());
        let mut draft = None;
        for summarizer in self.chosen(leaf.kind) {
            summarizer.name().clone_into(&mut by);
            match guarded(summarizer, leaf) {
                Ok(made) => {
                    draft = Some(made);
                    break;
                }
                Err(refusal) => {
                    events::refused(leaf.url, &by, &refusal);
                    complaints.push(format!("{by} refused: {refusal}"));
                }
            }
        }
        let mut draft = draft.unwrap_or_default();
        let refused = !complaints.is_empty();
        complaints.into_iter().for_each(|complaint| draft.complain(complaint));
        Summarized { by, draft, refused }
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
