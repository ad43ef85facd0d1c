//! Rich Text Format.

mod group;
mod reader;
#[cfg(test)]
mod tests;

use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use reader::Reader;

pub(crate) const KINDS: &[&str] = &["RTF"];

/// How far from its beginning a document may begin.
const START: usize = 1_024;

/// The information group, text, headings and references.
pub(crate) struct Rtf;

impl Summarizer for Rtf {
    fn name(&self) -> &'static str {
        concat!("rtf ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let head = leaf.body.get(..START).unwrap_or(leaf.body);
        let start = head.windows(5).position(|window| window == b"{\\rtf");
        let body =
            start.and_then(|start| leaf.body.get(start..)).ok_or_else(|| Refusal::Cannot("no RTF".to_owned()))?;
        let mut draft = Draft::new();
        Reader::new(body).read(leaf.url, &mut draft);
        if leaf.cut {
            draft.complain("the document was cut and is read in part");
        }
        Ok(draft)
    }
}
