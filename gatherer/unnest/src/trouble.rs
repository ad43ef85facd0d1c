//! Why a container could not be opened, or not to its end.

use crate::Limit;
use gatherer_pipeline::Kind;
use std::io;

/// Why a container could not be opened, or not to its end. What was given before stays valid; only in a tar archive
/// under compression, whose one checksum comes last, damage may be noticed after members that have it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// It ends too early or says impossible things.
    #[error("damaged: {0}")]
    Damaged(String),
    /// Even its list of members is encrypted.
    #[error("encrypted")]
    Encrypted,
    /// A limit of the operator was reached.
    #[error("the limit of {0} is reached")]
    Limit(Limit),
    /// It is something else than it was called.
    #[error("not of the kind {0}")]
    WrongKind(Kind),
    /// Nobody here knows how.
    #[error("no way to open it: {0}")]
    NoWay(String),
}

impl Trouble {
    pub(crate) fn damaged(reason: impl Into<String>) -> Self {
        Self::Damaged(reason.into())
    }

    pub(crate) fn is_limit(&self) -> bool {
        matches!(self, Self::Limit(_))
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            return Self::damaged("it ends too early");
        }
        match error.downcast::<Self>() {
            Ok(trouble) => trouble,
            Err(error) => Self::Damaged(error.to_string()),
        }
    }
}
