//! One call of a plugin: what it works on, and what it may ask of the gatherer meanwhile.

#[cfg(target_arch = "wasm32")]
use crate::component::Line;
use crate::document::find;
use crate::{Document, RootNode};
use std::borrow::Cow;
use std::time::Duration;

/// The gatherer gives so much of a body at once.
const PIECE: u32 = 1 << 20;

/// How much a message matters to the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// For whoever looks for a mistake.
    Debug,
    /// Good to know.
    Info,
    /// Something to look at.
    Warn,
}

/// What a plugin may ask while it works. In a component these are imports: see [`Line`] there.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) trait Gatherer {
    fn log(&self, level: Level, text: &str);
    fn read(&self, offset: u64, length: u32) -> Vec<u8>;
    fn left(&self) -> Option<Duration>;
}

/// The way to the gatherer.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) type Line<'a> = &'a dyn Gatherer;

/// A document to summarize or to recognize.
pub struct Call<'a> {
    /// What is known of the document.
    pub document: &'a Document,
    /// The beginning of its body: all of it up to 1 MiB.
    pub content: &'a [u8],
    line: Line<'a>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(document: &'a Document, content: &'a [u8], line: Line<'a>) -> Self {
        Self { document, content, line }
    }

    /// All of the body, read on where it is longer than [`Self::content`]. The manifest has to ask for `body`: without
    /// it there is no more than the content, and there are fewer bytes than `document.size`.
    pub fn body(&self) -> Cow<'a, [u8]> {
        if self.content.len() as u64 >= self.document.size {
            return Cow::Borrowed(self.content);
        }
        let mut body = self.content.to_vec();
        while (body.len() as u64) < self.document.size {
            let piece = self.line.read(body.len() as u64, PIECE);
            if piece.is_empty() {
                break;
            }
            body.extend_from_slice(&piece);
        }
        Cow::Owned(body)
    }

    /// Some bytes of the body: up to `length` from `offset`, fewer at the end, none behind it, 1 MiB at most. The
    /// manifest has to ask for `body`.
    pub fn read(&self, offset: u64, length: u32) -> Vec<u8> {
        self.line.read(offset, length.min(PIECE))
    }
}

/// A summary to correct; its attributes come beside this.
pub struct SummaryCall<'a> {
    /// What is known of the document that was summarized.
    pub document: &'a Document,
    line: Line<'a>,
}

impl<'a> SummaryCall<'a> {
    pub(crate) fn new(document: &'a Document, line: Line<'a>) -> Self {
        Self { document, line }
    }
}

/// A root node to expand.
pub struct RootCall<'a> {
    /// What is known of the root node.
    pub root: &'a RootNode,
    line: Line<'a>,
}

impl<'a> RootCall<'a> {
    pub(crate) fn new(root: &'a RootNode, line: Line<'a>) -> Self {
        Self { root, line }
    }
}

/// What all calls have in common.
macro_rules! questions {
    ($call:ident, $subject:ident) => {
        impl<'a> $call<'a> {
            /// What the operator has set for an option of the plugin, or its default.
            pub fn option(&self, name: &str) -> Option<&'a str> {
                find(&self.$subject.options, name)
            }

            /// Words for the operator. The manifest has to ask for `log`.
            pub fn log(&self, level: Level, text: &str) {
                self.line.log(level, text);
            }

            /// How long until this call is ended; nothing if that is not known. The manifest has to ask for `deadline`.
            pub fn time_left(&self) -> Option<Duration> {
                self.line.left()
            }
        }
    };
}

questions!(Call, document);
questions!(SummaryCall, document);
questions!(RootCall, root);
