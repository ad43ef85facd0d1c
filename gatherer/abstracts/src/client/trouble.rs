//! Why there is no abstract, and whether to try again.

use crate::check::Refusal;
use crate::model::ReadError;
use std::fmt;
use thiserror::Error;

/// When another attempt is worth it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// Later: the parser is down, busy or was unlucky. The record stays due.
    Later,
    /// Not with this parser as it is: with another fingerprint only.
    WithAnotherParser,
}

/// Why there is no abstract.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Trouble {
    /// It cannot be started or reached, or does not speak as it should.
    #[error("the parser is down: {0}")]
    Down(String),
    /// It has failed several times in a row and is left alone for a while.
    #[error("the parser is left alone for {seconds} s: {why}")]
    LeftAlone {
        /// How long still.
        seconds: u64,
        /// The last failure.
        why: String,
    },
    /// It has no room now.
    #[error("the parser is busy")]
    Busy,
    /// It was asked and something went wrong on its side.
    #[error("the parser failed: {0}")]
    Failed(String),
    /// It is not for this document: kind, language, size.
    #[error("the parser does not take the document: {0}")]
    NotForIt(String),
    /// It does not have our ontology.
    #[error("the parser does not know the ontology {0}")]
    UnknownOntology(String),
    /// What came back is no abstract.
    #[error("the parser's answer is no abstract: {0}")]
    BadAnswer(#[from] ReadError),
    /// What came back is about something else.
    #[error("the parser's answer is not to the question: {0}")]
    OtherAnswer(#[from] Refusal),
    /// It has died, hung or raved over this document twice.
    #[error("the document is set aside for this parser: {0}")]
    SetAside(String),
}

impl Trouble {
    /// What is wrong, without for how long still: the same words of every document that it concerns.
    pub fn cause(&self) -> String {
        match self {
            Self::LeftAlone { why, .. } => why.clone(),
            other => other.to_string(),
        }
    }

    /// When another attempt is worth it.
    pub fn again(&self) -> Again {
        match self {
            Self::Down(_) | Self::LeftAlone { .. } | Self::Busy | Self::Failed(_) | Self::UnknownOntology(_) => {
                Again::Later
            }
            Self::NotForIt(_) | Self::BadAnswer(_) | Self::OtherAnswer(_) | Self::SetAside(_) => {
                Again::WithAnotherParser
            }
        }
    }
}

/// Why one question got no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Loss {
    /// The parser could not be started or reached.
    Unreached(String),
    /// There was no answer in time.
    Late,
    /// It ended, or was ended, with the question open.
    Died(String),
    /// It says more than it may.
    Flood(usize),
    /// It says something that is no message.
    Nonsense(String),
    /// It was ended for another document that was open beside this one.
    Neighbour,
    /// Too many questions wait.
    Busy,
    /// It says itself that it failed: code and message.
    Error(String, String),
}

impl Loss {
    /// Whether the document itself may be what the parser stumbles over.
    pub(super) fn may_be_the_document(&self) -> bool {
        matches!(self, Self::Late | Self::Died(_) | Self::Flood(_) | Self::Nonsense(_))
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late => write!(f, "it did not answer in time"),
            Self::Unreached(why) | Self::Died(why) | Self::Nonsense(why) => write!(f, "{why}"),
            Self::Flood(limit) => write!(f, "it answered with more than {limit} bytes"),
            Self::Neighbour => write!(f, "it was ended for another document"),
            Self::Busy => write!(f, "it is busy"),
            Self::Error(code, message) if message.is_empty() => write!(f, "it says {code}"),
            Self::Error(code, message) => write!(f, "it says {code}: {message}"),
        }
    }
}
