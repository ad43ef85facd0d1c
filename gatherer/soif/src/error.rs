//! What can go wrong, by what the caller can do about it.

use std::io;

use thiserror::Error;

/// Why a [`Reader`](crate::Reader) did not give the next piece.
///
/// [`can_go_on`](Self::can_go_on) tells an object that was lost from a stream that has ended.
/// Offsets count the bytes of the stream from 0.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The source failed. The stream has ended.
    #[error("cannot read SOIF at byte {offset} in {inside}")]
    Source {
        /// Where.
        offset: u64,
        /// The object or wrapper being read.
        inside: String,
        /// What the source said.
        source: io::Error,
    },
    /// The stream ended before its object or wrapper did.
    #[error("SOIF cut at byte {offset} in {inside}")]
    Cut {
        /// Where.
        offset: u64,
        /// The object or wrapper that has no end.
        inside: String,
    },
    /// The object is not SOIF and lost. The next call looks for the next line that starts with
    /// `@`.
    #[error("malformed SOIF at byte {offset} in {inside}: {problem}")]
    Malformed {
        /// Where.
        offset: u64,
        /// The object being read.
        inside: String,
        /// What is wrong.
        problem: String,
    },
    /// The object is larger than the [`Limits`](crate::Limits) allow and lost. The next call
    /// goes on behind it.
    #[error("SOIF too large at byte {offset} in {inside}: {what} over the limit of {limit}")]
    TooLarge {
        /// Where.
        offset: u64,
        /// The object being read.
        inside: String,
        /// What is too large.
        what: String,
        /// The limit it passes, in bytes or attributes.
        limit: u64,
    },
    /// The caller's sink failed; it has part of the value. The next call goes on behind the value.
    #[error("cannot write out a SOIF value at byte {offset} in {inside}")]
    Sink {
        /// Up to where the value has been read.
        offset: u64,
        /// The object being read.
        inside: String,
        /// What the sink said.
        source: io::Error,
    },
}

impl ReadError {
    /// Whether later calls may give more: only this object, or only a value, is lost.
    pub fn can_go_on(&self) -> bool {
        !matches!(self, Self::Source { .. } | Self::Cut { .. })
    }

    /// How many bytes of the stream had been read when it was noticed.
    pub fn offset(&self) -> u64 {
        match self {
            Self::Source { offset, .. }
            | Self::Cut { offset, .. }
            | Self::Malformed { offset, .. }
            | Self::TooLarge { offset, .. }
            | Self::Sink { offset, .. } => *offset,
        }
    }
}

/// Why a [`Writer`](crate::Writer) did not write.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// No reader could read this back. Nothing was written.
    #[error("{what} {text:?} {problem}")]
    Illegal {
        /// `template`, `URL` or `attribute name`.
        what: &'static str,
        /// The culprit, cut if very long.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The calls came in an order that makes no SOIF, or after a write had failed. Nothing was
    /// written.
    #[error("cannot {call} {place}")]
    Misplaced {
        /// What was asked for.
        call: &'static str,
        /// Where the writer stands.
        place: &'static str,
    },
    /// The source of a value ended early. The output is cut inside this value.
    #[error("value of {name} ended after {got} of {size} bytes")]
    Short {
        /// The attribute.
        name: String,
        /// How long the value should have been.
        size: u64,
        /// How long it was.
        got: u64,
    },
    /// The source of a value failed. The output is cut inside this value.
    #[error("cannot read the value of {name}")]
    Source {
        /// The attribute.
        name: String,
        /// What the source said.
        source: io::Error,
    },
    /// The output failed.
    #[error("cannot write SOIF")]
    Sink {
        /// What the output said.
        source: io::Error,
    },
}
