//! What is wrong with an ontology, all of it at once.

use std::fmt;

/// One thing that is wrong, and with what.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Complaint {
    /// Whether the ontology cannot be used as it is; else it can, but somebody should look.
    pub is_grave: bool,
    /// The line of the text, where that is known. Turtle tells it for its syntax only.
    pub line: Option<u64>,
    /// The class, slot, ontology or file that it is about.
    pub culprit: String,
    /// What is wrong with it, as a sentence that begins with the culprit.
    pub text: String,
}

impl Complaint {
    pub(super) fn grave(culprit: &str, text: impl fmt::Display) -> Self {
        Self { is_grave: true, line: None, culprit: culprit.to_owned(), text: text.to_string() }
    }

    pub(super) fn mild(culprit: &str, text: impl fmt::Display) -> Self {
        Self { is_grave: false, ..Self::grave(culprit, text) }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{} {}", self.culprit, self.text)
    }
}

/// All complaints about an ontology that cannot be used, the mild ones included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaints(pub Vec<Complaint>);

impl fmt::Display for Complaints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the ontology cannot be used")?;
        self.0.iter().try_for_each(|complaint| write!(f, "\n  {complaint}"))
    }
}

impl std::error::Error for Complaints {}
