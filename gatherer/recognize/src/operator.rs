//! Rules that an operator adds.

use gatherer_pipeline::{Kind, Vote};
use regex::Regex;

/// What a rule of the operator looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voter {
    /// The whole URL.
    Url,
    /// The last part of the URL's path.
    Name,
    /// The first 4 KiB of the body, as text.
    Content,
}

impl Voter {
    /// Its name in votes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Name => "name",
            Self::Content => "content",
        }
    }
}

/// A rule of the operator. Such rules come before all tables; the first that matches decides.
#[derive(Debug, Clone)]
pub struct OperatorRule {
    /// What it looks at.
    pub voter: Voter,
    /// What it looks for.
    pub pattern: Regex,
    /// What the leaf then is: a known kind, or one of the operator's own.
    pub kind: String,
}

impl OperatorRule {
    /// Its vote, where it matches.
    pub(crate) fn vote(&self) -> Vote {
        let because = format!("operator's rule {}", self.pattern);
        Vote { voter: self.voter.name().to_owned(), kind: Kind::new(self.kind.as_str()), because }
    }

    /// Kinds become values in summaries and names of summarizers: one word, printable.
    pub(crate) fn names_a_kind(&self) -> bool {
        !self.kind.is_empty() && self.kind.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))
    }
}
