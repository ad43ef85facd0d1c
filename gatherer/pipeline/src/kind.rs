//! What a leaf is, and who says so.

use crate::Fetched;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// What a recognizer says a leaf is: `HTML`, `Text`, `Pdf`. Harvest's names where it had one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Kind(Cow<'static, str>);

impl Kind {
    /// No recognizer knows it; it still gets a record with its metadata.
    pub const UNKNOWN: Self = Self(Cow::Borrowed("Unknown"));
    /// A web page.
    pub const HTML: Self = Self(Cow::Borrowed("HTML"));
    /// Plain text.
    pub const TEXT: Self = Self(Cow::Borrowed("Text"));
    /// Any XML without a kind of its own.
    pub const XML: Self = Self(Cow::Borrowed("XML"));

    /// A kind from the tables.
    pub fn new(name: impl Into<String>) -> Self {
        Self(Cow::Owned(name.into()))
    }

    /// Its name, as written into `Type`.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One recognizer's word on a leaf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    /// Which recognizer: `url`, `name`, `header`, `content`.
    pub voter: String,
    /// What it says.
    pub kind: Kind,
    /// The pattern, header or magic number it goes by.
    pub because: String,
}

impl fmt::Display for Vote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={} ({})", self.voter, self.kind, self.because)
    }
}

/// A resource whose kind is known, with every vote on it.
#[derive(Debug, Clone)]
pub struct Recognized {
    /// The resource.
    pub fetched: Fetched,
    kind: Kind,
    votes: Vec<Vote>,
    is_doubtful: bool,
}

impl Recognized {
    /// A resource with the kind that won and all the votes.
    pub fn new(fetched: Fetched, kind: Kind, votes: Vec<Vote>) -> Self {
        Self { fetched, kind, votes, is_doubtful: false }
    }

    /// Notes that somebody who should have been heard could not be: another time it may be taken for something else.
    pub fn doubt(&mut self) {
        self.is_doubtful = true;
    }

    /// Whether somebody could not be heard.
    pub fn is_doubtful(&self) -> bool {
        self.is_doubtful
    }

    /// The kind that won.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Takes it for another kind, after the summarizer of the first has refused it.
    pub fn settle(&mut self, kind: Kind) {
        self.kind = kind;
    }

    /// Every vote, in the order in which recognizers are asked.
    pub fn votes(&self) -> &[Vote] {
        &self.votes
    }
}
