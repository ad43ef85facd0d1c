//! What a plugin says of itself, and the role it plays.

use crate::{Attribute, Call, Correction, Draft, Guess, RootCall, SummaryCall};
use std::fmt;

/// A plugin's word on itself. It has to agree with its manifest, `plugin.toml`;
#[cfg_attr(not(target_arch = "wasm32"), doc = "[`testing::manifest`](crate::testing::manifest) can tell.")]
pub trait Plugin: 'static {
    /// Small letters, digits and `-`; `env!("CARGO_PKG_NAME")` is a good choice.
    const NAME: &'static str;
    /// Three numbers; `env!("CARGO_PKG_VERSION")` is a good choice.
    const VERSION: &'static str;
    /// The kinds it takes. Enumerators have none; `*` is every kind.
    const KINDS: &'static [&'static str];
    /// The options it takes.
    const OPTIONS: &'static [Setting] = &[];
    /// Whether the message of a panic goes to the operator through `log` before a component traps. The manifest has to
    /// ask for `log` then. A dynamic library hands the message on in any case.
    const PANICS_TO_LOG: bool = false;
}

/// Makes a draft of one document.
pub trait Summarizer: Plugin {
    /// Bytes in, attributes out; the same bytes give the same draft.
    ///
    /// # Errors
    /// [`Trouble::Refused`] if the document is not for this plugin: the next summarizer takes over.
    fn summarize(call: &Call<'_>) -> Result<Draft, Trouble>;
}

/// Names the kind of a document.
pub trait Recognizer: Plugin {
    /// The likeliest kind first; nothing if there is no opinion. `call.document.kind` is what the gatherer took it for.
    ///
    /// # Errors
    /// [`Trouble::Failed`] if the plugin cannot work.
    fn recognize(call: &Call<'_>) -> Result<Vec<Guess>, Trouble>;
}

/// Names the URLs to gather for a root node.
pub trait Enumerator: Plugin {
    /// The URLs, at most `call.root.url_max` of which are taken.
    ///
    /// # Errors
    /// [`Trouble::Refused`] if the root node is not for this plugin.
    fn enumerate(call: &RootCall<'_>) -> Result<Vec<String>, Trouble>;
}

/// Changes a summary before the operator's rules see it.
pub trait PostSummarizer: Plugin {
    /// Takes the attributes of a summary and gives those that it is to have from now on.
    ///
    /// # Errors
    /// [`Trouble::Refused`] if the summary is not for this plugin.
    fn correct(call: &SummaryCall<'_>, attributes: Vec<Attribute>) -> Result<Correction, Trouble>;
}

/// An option that a plugin takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// What it is called in the manifest and the operator's config.
    pub name: &'static str,
    /// One line for the operator.
    pub about: &'static str,
    /// What counts if the operator sets nothing.
    pub default: Option<&'static str>,
}

impl Setting {
    /// An option without a default.
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about, default: None }
    }

    /// Says what counts if the operator sets nothing.
    pub const fn default(self, value: &'static str) -> Self {
        Self { default: Some(value), ..self }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// This document is not for this plugin: wrong kind, damaged, encrypted. The next summarizer takes over.
    Refused(String),
    /// The plugin itself is in trouble. After several in a row it is set aside for the run.
    Failed(String),
}

impl Trouble {
    /// This document is not for this plugin.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self::Refused(reason.into())
    }

    /// The plugin itself is in trouble.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed(reason.into())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(reason) => write!(formatter, "refused: {reason}"),
            Self::Failed(reason) => write!(formatter, "failed: {reason}"),
        }
    }
}

impl std::error::Error for Trouble {}
