//! TeX in its dialects: LaTeX, plain TeX and Texinfo.

mod paper;
mod scan;
mod symbols;
#[cfg(test)]
mod tests;
mod texinfo;

use crate::text;
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};

pub(crate) const KINDS: &[&str] = &["Tex"];

/// Title, authors, abstract, headings and packages of a document; its text without commands.
pub(crate) struct Tex;

impl Summarizer for Tex {
    fn name(&self) -> &'static str {
        concat!("tex ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let (source, mut draft) = text::read(leaf);
        let texinfo = texinfo::is_texinfo(&source);
        let paper = if texinfo { texinfo::scan(&source) } else { scan::scan(&source) };
        draft.add("Format", format(texinfo, paper.latex));
        let text = paper.text();
        paper.write(leaf.url, &mut draft);
        draft.set_text(&text);
        text::refer_bare(&text, leaf.url, &mut draft);
        Ok(draft)
    }
}

fn format(texinfo: bool, latex: bool) -> &'static str {
    match (texinfo, latex) {
        (true, _) => "Texinfo",
        (_, true) => "LaTeX",
        _ => "TeX",
    }
}

/// A piece of TeX as it would be read: for bibliographies.
pub(crate) fn plain(source: &str) -> String {
    if source.contains(['\\', '{', '}', '$', '~', '-', '`', '\'', '%']) {
        scan::scan(source).text()
    } else {
        source.to_owned()
    }
}
