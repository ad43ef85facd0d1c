//! Source code: names of functions, types and imports, and what its comments say.

pub(crate) mod head;
mod languages;
mod scan;
#[cfg(test)]
mod tests;

use crate::text::{self, Lines};
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use languages::{Language, TABLE};
use regex::Regex;

/// The languages of `config/languages.toml`.
#[rustfmt::skip]
pub(crate) const KINDS: &[&str] = &[
    "Ada", "Awk", "C", "CHeader", "CSS", "CSharp", "Cpp", "Erlang", "Fortran", "Go", "Haskell", "Java", "JavaScript",
    "Kotlin", "Lisp", "Lua", "ObjectiveC", "OtherCode", "PHP", "Pascal", "Perl", "Python", "R", "Ruby", "Rust", "SQL",
    "Scala", "ShellScript", "Swift", "Tcl", "TypeScript",
];

/// Most names of one attribute.
const NAMES: usize = 2_000;
/// Most matches of one pattern; names are often found again and again.
const MATCHES: usize = 50_000;

/// Names in the code as attributes, comments as the text.
pub(crate) struct Source;

impl Summarizer for Source {
    fn name(&self) -> &'static str {
        concat!("source ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let Some(language) = TABLE.get(leaf.kind.name()) else {
            return Err(Refusal::Cannot(format!("no language is known as {}", leaf.kind.name())));
        };
        let (text, mut draft) = text::read(leaf);
        let patterns = language.patterns();
        let parts = scan::scan(&text, &language.section, patterns.trim.as_ref());
        // What was made for readers tells more than what stands above it.
        let (documentation, others): (Vec<_>, Vec<_>) =
            parts.comments.iter().filter(|comment| comment.head).partition(|comment| comment.doc);
        head::write(documentation.into_iter().chain(others).map(|comment| comment.text.as_str()), &mut draft);
        for (attribute, patterns) in
            [("Functions", &patterns.functions), ("Types", &patterns.types), ("Imports", &patterns.imports)]
        {
            draft.add(attribute, &names(&parts.code, patterns, language).into_text());
        }
        draft.add("Lines", &text.lines().count().to_string());
        let comments = comments(&parts.comments);
        draft.set_text(&comments);
        text::refer_bare(&comments, leaf.url, &mut draft);
        Ok(draft)
    }
}

/// What the patterns find, in the order of the code, each once.
fn names(code: &str, patterns: &[Regex], language: &Language) -> Lines {
    let mut found = Vec::new();
    for pattern in patterns {
        let matches = pattern.captures_iter(code).take(MATCHES).filter_map(|captures| captures.get(1));
        found.extend(matches.map(|name| (name.start(), name.as_str())));
    }
    found.sort_unstable();
    let mut names = Lines::new(NAMES);
    for name in found.iter().flat_map(|(_, name)| name.split(',')) {
        // `import numpy as np`, and the quotes of databases.
        let name = name.split_whitespace().next().unwrap_or_default().trim_matches(['"', '`', '[', ']']);
        let name = name.trim_end_matches("::");
        if !language.section.no_names.iter().any(|known| known == name) {
            names.push(name);
        }
    }
    names
}

/// All comments, those first that were made for readers; a paragraph each.
fn comments(comments: &[scan::Comment]) -> String {
    let mut text = String::new();
    for doc in [true, false] {
        for comment in comments.iter().filter(|comment| comment.doc == doc && !comment.text.trim().is_empty()) {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(comment.text.trim());
        }
    }
    text
}
